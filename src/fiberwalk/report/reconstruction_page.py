"""The report of a reconstruction: who a snooper would think lives where, and how sure she would be."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..base.text_files import written_whole
from .page import DPI, versions
from .plots.audit_plots import as_base64
from .plots.certainty import draw_certainty
from .words import number, probability

if TYPE_CHECKING:
    import pandas as pd

    from ..results.reconstruction_result import Reconstruction

MOST_ROWS = 100
SURE = 0.9
"""Records that are at least so probable are said to be nearly certain."""
GUESSED = 0.5
"""What the level above makes at least so probable is no news."""


def write_reconstruction(found: Reconstruction, path: str | os.PathLike[str]) -> None:
    """Write the report of a reconstruction; the file appears whole or not at all."""
    page = reconstruction_page(found)
    with written_whole(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


def reconstruction_page(found: Reconstruction) -> str:
    """The page as text; whatever comes from the data is escaped, and the same reconstruction gives the same page."""
    import matplotlib.style
    from jinja2 import Environment, PackageLoader

    environment = Environment(
        loader=PackageLoader("fiberwalk.report", "."), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["number"] = number
    frame = found.records
    with matplotlib.style.context("default"):
        return environment.get_template("reconstruction.html").render(
            found=found,
            verdict=verdict(found),
            doubts=doubts(found),
            law=found.rebuilt.law.words,
            people=people_words(found),
            populations=populations_words(found),
            n_certain=len(found.certain),
            n_possible=int(frame["records"].sum()),
            n_nearly=int(frame["records"][(frame["p"] >= SURE) & (frame["p"] < 1)].sum()),
            n_news=_news(found),
            variability=f"{100 * found.variability:.0f}%",
            entropy=entropy_words(found),
            certain=_table(found.certain, found),
            nearly=_table(frame[frame["p"] < 1], found),
            tables=_tables(found.tables_tell(progress=False)),
            names=[table.name for table in found.rebuilt.release.tables],
            picture=as_base64(draw_certainty(found, None), DPI),
            versions=versions(),
            applied=[method.words for method in found.rebuilt.kinds.release.applied],
        )


def verdict(found: Reconstruction) -> str:
    """The reconstruction in one or two sentences."""
    frame, certain = found.records, found.certain
    people = people_words(found)
    if not len(frame):
        return "The tables are about nobody."
    alone = int((certain["upper"] == 1).sum())
    if not len(certain):
        first = "No record is certain: of none is there somebody in every population that agrees with the tables."
    else:
        singles = f", {alone:,} of them of exactly one person" if alone else ""
        first = (
            f"Of {people}, the tables give away {len(certain):,} "
            f"{'record' if len(certain) == 1 else 'records'} with certainty{singles}."
        )
    nearly = int(frame["records"][(frame["p"] >= SURE) & (frame["p"] < 1)].sum())
    if nearly:
        first += f" {nearly:,} more {'is' if nearly == 1 else 'are'} at least {SURE:.0%} probable."
    news = _news(found)
    if news is not None:
        first += (
            f" {news:,} records are at least {SURE:.0%} probable, and would be less than {GUESSED:.0%} to somebody who "
            "knows only the figures of all regions together."
        )
    return first


def doubts(found: Reconstruction) -> list[tuple[str, str]]:
    """What must be said beside the verdict."""
    pairs = []
    if not found.converged:
        stopped = found.rebuilt.belief.stopped
        pairs.append(
            (
                "NOT CONVERGED",
                f"Chains {'were stopped' if stopped else 'do not agree well enough'}; probabilities that are not certain "
                "may be far off. Let them run longer (max_seconds=), or look at fewer regions at a time.",
            )
        )
    if found.certificate.word == "unproven":
        pairs.append(
            ("unproven", f"It is not proven that the chains can reach every population: {found.certificate.reason}.")
        )
    if found.certificate.likelihood != "exact":
        pairs.append(
            (
                f"likelihood: {found.certificate.likelihood}",
                "How the tables were protected is not used in full; an intruder may learn more.",
            )
        )
    return pairs


def people_words(found: Reconstruction) -> str:
    """How many people there are."""
    low, high = found.people
    return f"{low:,} people" if low == high else f"{low:,} to {high:,} people"


def populations_words(found: Reconstruction) -> str:
    """How many populations agree with the tables."""
    if found.populations is None:
        least, most = found.log10_populations_between
        return f"too many to count: more than 10^{least:.0f}, and at most about 10^{most:.0f}"
    return f"{found.populations:,}" if found.populations < 10**9 else f"10^{found.log10_populations:.0f}"


def entropy_words(found: Reconstruction) -> str:
    """Bits left to guess of each person."""
    most = max(found.people[1], 1)
    return f"{found.entropy / most:.2g}"


def _news(found: Reconstruction) -> int | None:
    frame = found.records
    if "p_above" not in frame:
        return None
    return int(frame["records"][(frame["p"] >= SURE) & (frame["p_above"] < GUESSED)].sum())


def _table(frame: pd.DataFrame, found: Reconstruction) -> dict[str, Any]:
    """Rows for the page, the first of them."""
    dims, above = found.dims, "p_above" in frame
    several = bool((frame["records"] > 1).any())
    headings = ["sure that somebody is"] + (["would be guessed anyway"] if above else [])
    headings += ["sure that exactly one is", "expected people", "at least", "at most"]
    headings += ["records not told apart"] if several else []
    rows = []
    for row in frame.head(MOST_ROWS).to_dict("records"):
        sure = row["lower"] >= 1 and row["records"] == 1
        texts = [probability(row["p"], sure=sure)] + ([probability(row["p_above"])] if above else [])
        texts += [probability(row["p_once"], sure=sure and row["upper"] == 1), f"{row['expected']:.3g}"]
        texts += [number(row["lower"]), number(row["upper"])] + ([number(row["records"])] if several else [])
        rows.append({"labels": [row[dim] for dim in dims], "texts": texts})
    return {
        "names": dims,
        "headings": headings,
        "rows": rows,
        "count": len(frame),
        "more": max(0, len(frame) - MOST_ROWS),
    }


def _tables(frame: pd.DataFrame) -> dict[str, Any]:
    """What each table adds."""
    import pandas as pd

    rows = [
        {"labels": [name], "texts": ["not known" if pd.isna(value) else number(int(value)) for value in values]}
        for name, *values in frame.itertuples()
    ]
    return {
        "names": ["without"],
        "headings": ["certain records", "possible records"],
        "rows": rows,
        "count": len(rows),
        "more": 0,
    }
