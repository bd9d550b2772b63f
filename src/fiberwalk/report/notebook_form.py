"""What notebooks show of results: sentences and plain tables in HTML, in the words of the terminal and the report."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice, product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from ..base.html import (
    GAP,
    MOST_COLUMNS,
    MOST_ROWS,
    cut_table,
    doubt,
    folded,
    points,
    remark,
    sentence,
    shown_of,
    table,
)
from ..posterior.parts.pmf import Pmf
from ..release.public_layout import release_html, split
from ..release.public_view import public_view
from .plots.audit_plots import pmfs_by_labels
from .plots.value_bars import bars_of
from .words import HEADINGS, counted, doubts, how_obtained, number, readable, riskiest_first, verdict

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from ..comparing import Comparison
    from ..recipes.paper_tables import Example
    from ..results.audit_result import Audit
    from ..results.cheapest_result import Cheapest
    from ..results.map_result import RUMap
    from ..results.margin_sets import MarginSets
    from ..results.sample_risk_result import SampleRisk
    from ..server.public_answer import PublicAnswer
    from ..studies.sample_studies import SampleStudy
    from ..studies.table_studies import TableStudy

LEFT_OUT = [HEADINGS[column] for column in ("support", "certificate", "uniform_risk")]
"""What the other columns and the lines beside the table tell: a page is not as wide as a terminal."""
TOP = 10
"""So many of the riskiest cells are shown."""
BARS, BLOCKS = 14, "▁▂▃▄▅▆▇█"
"""A distribution in a line of text: at most so many bars, and how high they can be."""


def audit_html(audit: Audit) -> str:
    """The verdict, what is in doubt, the riskiest cells with their distributions, and how that is known."""
    parts = [sentence(verdict(audit), strong=True), *_doubts(doubts(audit))]
    cells = riskiest_first(audit.cells)
    if len(cells):
        first = _worth_a_row(cells)
        shown, pmfs = readable(first).drop(columns=LEFT_OUT, errors="ignore"), pmfs_by_labels(audit)
        place = list(shown.columns).index(HEADINGS["interval"]) + 1
        shown.insert(place, "distribution", [bars_in_line(pmfs[labels]) for labels in first.index])
        parts.append(frame_html(shown, len(cells), "`.cells`"))
    parts.append(remark(f"Law {audit.belief.law.name}: {audit.belief.law.words}. {' '.join(how_obtained(audit))}"))
    for name, reading in audit.readings.items():
        parts += [sentence(f"If {name}: {verdict(reading)}"), *_doubts(doubts(reading))]
    return "".join(parts)


def _worth_a_row(cells: pd.DataFrame) -> pd.DataFrame:
    """The riskiest cells; of those that are known exactly, about which there is little to tell, not more than half."""
    known = cells["support"] == 1
    room = max(TOP // 2, TOP - int((~known).sum()))
    return cells[(known.cumsum() <= room) | ~known].head(TOP)


def bars_in_line(pmf: Pmf) -> str:
    """The distribution of a cell over its interval, as a line of bars."""
    height = bars_of(pmf, BARS).height
    top = float(height.max())
    steps = np.ceil(len(BLOCKS) * height / top).astype(int)
    if len(height) > 1 and np.allclose(height, top, rtol=1e-9):
        steps[:] = len(BLOCKS) // 2  # all are alike, and none stands out
    return "".join(BLOCKS[step - 1] if step else "\u00a0" for step in steps)


def comparison_html(comparison: Comparison) -> str:
    """How ranks change, what is in doubt, and the riskiest cells under every law."""
    pairs = dict.fromkeys((word, f"{why} (under {name!r})") for name, word, why in _doubts_by_law(comparison))
    parts = [sentence(comparison.sentence, strong=True), *_doubts(pairs)]
    if len(comparison.cells):
        parts.append(frame_html(comparison.readable(TOP), len(comparison.cells), "`.cells`"))
    return "".join(parts)


def _doubts_by_law(comparison: Comparison) -> Iterable[tuple[str, str, str]]:
    for name, audit in comparison.audits.items():
        for word, why in doubts(audit):
            yield name, word, why.rstrip(".")


def map_html(ru_map: RUMap) -> str:
    """Which methods are worth a look, and risk and utility of every point."""
    parts = [sentence(ru_map.sentence, strong=True)]
    for word in dict.fromkeys(word for run in ru_map.found for word in run.doubts):
        methods = dict.fromkeys(run.method for run in ru_map.found if word in run.doubts)
        parts.append(doubt(word, ", ".join(methods)))
    parts.append(frame_html(ru_map.readable().head(MOST_ROWS), len(ru_map.frame), "`.frame`"))
    return "".join([*parts, remark(f"Risk: {ru_map.risk}. Utility: {ru_map.utility}. The lowest risk first.")])


def cheapest_html(found: Cheapest) -> str:
    """Which is the best, and what was tried."""
    frame = found.readable()
    words = found.words[0].upper() + found.words[1:]
    parts = [sentence(f"{words}.", strong=True), frame_html(frame.head(MOST_ROWS), len(frame), "`.frame`")]
    return "".join([*parts, remark(f"Risk: {found.risk}. Utility: {found.utility}.")])


def sample_risk_html(risk: SampleRisk) -> str:
    """R1 and R2 of a sample with their range, beside the truth where it is known."""
    row = risk.summary.loc["r2"]
    summary = f"A sample of {risk.n:,} of {risk.size:,} people: its risk R2 is {row['mean']:.4f} on average over the "
    summary += (
        f"populations that may stand behind it, and between {row['q2.5']:.4f} and {row['q97.5']:.4f} for 95% of them."
    )
    frame = risk.summary.rename(
        index={"r1": "R1, were all published", "r2": "R2, of the sample", "zeros": "empty cells"},
        columns={
            "q2.5": "2.5%",
            "q97.5": "97.5%",
            "mcse": "error of the mean",
            "ess": "effective draws",
            "rhat": "R-hat",
        },
    ).dropna(axis="columns", how="all")
    if "certificate" not in risk.facts:  # drawn independently of each other
        frame = frame.drop(columns="R-hat")
    texts = frame.apply(lambda column: [_four_digits(value) for value in column])
    parts = [sentence(summary, strong=True), *([doubt(risk.doubt)] if risk.doubt else [])]
    return "".join([*parts, frame_html(texts, len(texts)), remark(f"Model {risk.model}: {risk.words}.")])


def study_html(study: TableStudy) -> str:
    """Means over the seeds of every table and method."""
    frame = study.frame.rename(
        columns={"small_changed": "small cells changed", "risk_before": "risk before", "risk_sd": "sd of risk",
                 "utility_sd": "sd of utility"}
    )  # fmt: skip
    texts = frame.head(MOST_ROWS).apply(lambda column: [_four_digits(value) for value in column])
    seeds = len(study.runs.index.unique("seed"))
    tables, methods = (counted(len(study.runs.index.unique(kind)), kind, f"{kind}s") for kind in ("table", "method"))
    head = sentence(f"{tables} under {methods}: means over {counted(seeds, 'seed', 'seeds')}.", strong=True)
    remarks = [sentence(study.remark)] if study.remark else []
    meanings = remark("; ".join(f"{name}: {words}" for name, words in study.methods.items()) + ".")
    axes = remark(f"Risk: {study.risk}. Utility: {study.utility}.")
    return "".join([head, *remarks, frame_html(texts, len(frame), "`.frame`"), meanings, axes])


def sample_study_html(study: SampleStudy) -> str:
    """How far off every model is, and how often its 95% hold the truth."""
    summary = f"Samples of {study.people:,} people in {study.cells:,} cells, {study.zeros:,} of them empty: what "
    summary += f"{counted(len(study.models), 'model', 'models')} of the population made of their risk R2, over "
    summary += f"{counted(len(study.runs.index.unique('seed')), 'sample', 'samples')} of each fraction."
    frame = study.frame.rename(
        columns={"true_r2": "true R2", "r2": "R2 by the model", "rms": "rms error", "sd": "sd of R2",
                 "inside": "truth in the 95%", "doubtful": "in doubt"}
    )  # fmt: skip
    texts = frame.head(MOST_ROWS).apply(lambda column: ["" if np.isnan(x) else f"{x:.4f}" for x in column])
    for name in ("truth in the 95%", "in doubt"):
        texts[name] = [f"{percent:.3g}%" for percent in 100 * frame[name].head(MOST_ROWS)]
    runs = study.runs.reset_index()
    doubts = []
    for word, rows in runs[runs["doubt"] != ""].groupby("doubt", sort=False):
        by = [name for name in study.runs.index.names if name != "seed"]
        times = rows.groupby(by, sort=False).size()
        cases = [f"{model} at {part:g} ({counted(n, 'sample', 'samples')})" for (*_, part, model), n in times.items()]
        doubts.append(doubt(str(word), ", ".join(cases)))
    meanings = remark("; ".join(f"{name}: {words}" for name, words in study.models.items()) + ".")
    return "".join([sentence(summary, strong=True), *doubts, frame_html(texts, len(frame), "`.frame`"), meanings])


def margin_sets_html(sets: MarginSets) -> str:
    """What every set of margins tells and risks, those that tell most first."""
    frame, doubtful = sets.frame.iloc[::-1], sets.doubts
    shown = {
        "independent figures": frame["independent"].map(str),
        "tables": ["not counted" if n is None else f"{n:,}" if n < 10**9 else f"{n:.3g}" for n in frame["tables"]],
        "known cells": frame["known"].map(str),
        "uniform risk": frame["uniform_risk"].map(_risk),
        "risk": frame["risk"].map(_risk),
        "worst cell": list(frame["worst_cell"]),
        "look safe, are not": frame["deceptive"].map(str),
        "doubts": [doubtful.get(name, "") for name in frame.index],
    }
    texts = frame[[]].assign(**shown)
    if not doubtful:
        texts = texts.drop(columns="doubts")
    head = f"{counted(len(frame), 'set', 'sets')} of margins, law {sets.law}: the highest risk of a cell under each."
    stopped = [doubt("STOPPED EARLY", f"left out: {'; '.join(sets.left_out)}")] if sets.left_out else []
    rows = frame_html(texts.head(MOST_ROWS), len(frame), "`.frame`")
    return "".join([sentence(head, strong=True), *stopped, rows,
                    remark("Those that tell most first. `.best(max_risk)` has those that may be published.")])  # fmt: skip


def _risk(value: float) -> str:
    return "known" if np.isinf(value) else f"{value:.3f}"


def answer_html(answer: PublicAnswer) -> str:
    """The public view in the agency's notebook, which may be passed on as it is."""
    note = remark(
        "What whoever asked may see. `.summary()` has the risk and the utility, and figures of the true table."
    )
    return public_answer_html(answer) + note * answer.released


def public_answer_html(answer: PublicAnswer) -> str:
    """The table or the notice, and nothing else."""
    head = f"{answer.request.words}: {'released' if answer.released else 'refused'}"
    if answer.table is None:
        return sentence(head, strong=True) + sentence(f"There is no table, because {answer.notice}.")
    return "".join(
        [sentence(head, strong=True), array_html(answer.table), remark(answer.notice) if answer.notice else ""]
    )


def example_html(example: Example) -> str:
    """Title, source and notes, the release, and the tables that are printed with it."""
    parts = [sentence(example.title, strong=True), remark(f"{example.source}."), points(example.notes)]
    parts.append(release_html(public_view(example.release), truth_kept=example.release.truth is not None))
    for name, array in (("table", example.table), ("published", example.published)):
        if array is not None:
            parts.append(folded(f"`.{name}`", array_html(array)))
    return "".join(parts)


# --- tables -------------------------------------------------------------------------------------------------------


def frame_html(shown: pd.DataFrame, total: int, where: str = "") -> str:
    """A frame of texts, the first of so many rows in total."""
    rows = [tuple(map(str, labels)) if isinstance(labels, tuple) else (str(labels),) for labels in shown.index]
    names = ["" if name is None else str(name) for name in shown.index.names]
    texts = [[str(value) for value in row] for row in shown.to_numpy().tolist()]
    words = [place for place, name in enumerate(shown.columns) if name in ("distribution", "certificate", "doubts")]
    drawn = table(names, rows, [], [(str(name),) for name in shown.columns], texts, words=words)
    return drawn + (remark(f"{GAP} and {total - len(rows):,} more in {where}.") if total > len(rows) else "")


def array_html(array: xr.DataArray) -> str:
    """A table of any number of dims, without totals; of a large one a part."""
    names, sizes = [str(dim) for dim in array.dims], array.shape
    down = split(len(names))
    labels = [list(map(str, array[dim].values)) for dim in array.dims]
    lines, places, more = [], [], []
    for part, most in ((slice(0, down), MOST_ROWS), (slice(down, None), MOST_COLUMNS)):
        total = prod(sizes[part])
        shown = shown_of(total, most)
        last = tuple(of_dim[-1] for of_dim in labels[part])
        lines.append([*islice(product(*labels[part]), shown - 1), last])
        places.append([*range(shown - 1), total - 1])
        more.append(total - shown)
    values = np.asarray(array.values).reshape(prod(sizes[:down]), -1)[np.ix_(*places)]
    texts = [[number(value) for value in row] for row in values]
    return cut_table(names[:down], lines[0], names[down:], lines[1], texts, (more[0], more[1]))


def _doubts(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return [doubt(word, why) for word, why in pairs]


def _four_digits(value: float) -> str:
    return "" if np.isnan(value) else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
