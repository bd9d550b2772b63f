"""The report: one self-contained HTML page."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.text_files import written_whole
from ..base.version import VERSION
from .plots.audit_plots import as_base64, distributions_figure, pmfs_by_labels, risk_figure, sparkline
from .plots.convergence import convergence, sampled_cells, sharpness
from .plots.heat_map import heat_map_figure, riskiest_slice
from .respondent_rows import respondent_rows, what_they_learn
from .words import (
    asked_respondents,
    cell_name,
    doubts,
    learnt_of_theta,
    likelihood_words,
    number,
    readable,
    riskiest_first,
    step_words,
    verdict,
)

if TYPE_CHECKING:
    import pandas as pd

    from ..results.audit_result import Audit

MOST_ROWS = 50
DPI = 150
REM_PER_INCH = 6.25
"""Pictures are shown so large that their text has the size of captions."""


def write_report(audit: Audit, path: str | os.PathLike[str]) -> None:
    """Write the report of an audit; the file appears whole or not at all."""
    page = report_page(audit)
    with written_whole(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


def report_page(audit: Audit) -> str:
    """The page as text; whatever comes from the data is escaped, and the same audit gives the same page."""
    import matplotlib.style
    from jinja2 import Environment, PackageLoader

    environment = Environment(
        loader=PackageLoader("fiberwalk.report", "."), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["number"] = number
    with matplotlib.style.context("default"):  # whatever style the user's own pictures have
        return environment.get_template("page.html").render(
            release=repr(audit.release).strip("<>"),
            published_shown="published" in audit.cells,
            methods=" and ".join(dict.fromkeys(method.name for method in audit.release.applied)) or "an unnamed method",
            truth_shown="truth" in audit.cells and len(audit.cells) > 0,
            notes=[*audit.release.notes, *(method.own_words for method in audit.release.applied if method.own_words)],
            law=audit.belief.law,
            certificate=audit.certificate,
            likelihood=likelihood_words(audit) if audit.release.applied else "",
            theta=learnt_of_theta(audit),
            method=audit.method,
            tables=audit.tables,
            converged=audit.converged,
            convergence=convergence(audit),
            sampled=_table(sampled_cells(audit, MOST_ROWS), int((audit.cells["method"] == "chains").sum())),
            sharpness=sharpness(audit),
            respondents=_respondents(audit),
            reproduce={"versions": versions(), "call": _call(audit), "chance": _chance(audit)},
            pictures=_pictures(audit),
            magnitude=audit.magnitude,
            near=f"{audit.percent:g}%",
            step=step_words(audit),
            **_reading(audit),
            readings=[{"name": name, **_reading(reading)} for name, reading in audit.readings.items()],
        )


def _reading(audit: Audit) -> dict[str, Any]:
    """What the page says of the main reading, and of every further one."""
    cells = audit.cells
    drawn = _Sparklines(audit)
    known = cells[cells["support"] == 1]
    return {
        "verdict": verdict(audit),
        "doubts": doubts(audit),
        "n_cells": len(cells),
        "n_known": len(known),
        "deceptive": _cells(audit, audit.deceptive(), drawn),
        "known": [(cell_name(labels, known.index.names), number(value)) for labels, value in known["lower"].items()],
        "cells": _cells(audit, riskiest_first(cells), drawn),
    }


class _Sparklines:
    """The small pictures of an audit, each drawn once."""

    def __init__(self, audit: Audit) -> None:
        self.pmfs, self.decimals = pmfs_by_labels(audit), audit.release.decimals
        self.truth = audit.cells["truth"].to_dict() if "truth" in audit.cells else {}
        self.drawn: dict[Any, tuple[str, str]] = {}

    def __call__(self, labels: Any) -> tuple[str, str]:
        if labels not in self.drawn:
            self.drawn[labels] = sparkline(self.pmfs[labels], self.decimals, self.truth.get(labels))
        return self.drawn[labels]


def _cells(audit: Audit, cells: pd.DataFrame, drawn: Callable[[Any], tuple[str, str]]) -> dict[str, Any]:
    """Rows of `Audit.cells` for the page: texts, pictures, and which are known exactly."""
    first = cells.head(MOST_ROWS)
    texts = readable(first)
    if "why" in first and audit.magnitude:  # of counts the columns tell it
        texts["why"] = list(first["why"])
    table = _table(texts, len(cells))
    for row, labels, support in zip(table["rows"], first.index, first["support"], strict=True):
        row["picture"], row["words"] = drawn(labels)
        row["known"] = support == 1
    return table


def _table(shown: pd.DataFrame, total: int) -> dict[str, Any]:
    """A frame of texts for the page, the first of so many rows in total."""
    rows = [
        {"labels": labels if isinstance(labels, tuple) else (labels,), "texts": list(texts)}
        for labels, texts in zip(shown.index, shown.to_numpy(), strict=True)
    ]
    names = ["" if name is None else str(name) for name in shown.index.names]
    return {
        "names": names,
        "headings": list(shown.columns),
        "rows": rows,
        "count": total,
        "more": max(0, total - len(rows)),
    }


def _pictures(audit: Audit) -> dict[str, Any]:
    """The large pictures; none where there is nothing to draw."""
    if not len(audit.cells):
        return {}
    pictures: dict[str, Any] = {}
    if np.isfinite(audit.cells["risk"]).any():
        pictures["scatter"] = as_base64(risk_figure(audit), DPI)
    if (audit.cells["support"] > 1).any():
        figure = distributions_figure(audit)
        pictures["distributions"], pictures["wide"] = (
            as_base64(figure, DPI),
            f"{REM_PER_INCH * figure.get_figwidth():g}rem",
        )
    part = riskiest_slice(audit)
    if part is not None:
        pictures["map"] = as_base64(heat_map_figure(part, step_words(audit)), DPI)
        pictures["slice"], pictures["large"] = part.words, part.large
    return pictures


def _respondents(audit: Audit) -> dict[str, Any] | None:
    """What single respondents can see, where that was asked."""
    frame = asked_respondents(audit)
    if frame is None:
        return None
    return {"sentence": what_they_learn(frame), **_table(respondent_rows(frame.head(MOST_ROWS)), len(frame))}


def versions() -> str:
    """What a report was made with."""
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "numba"))
    return f"fiberwalk {VERSION} on Python {platform.python_version()} with {libraries}"


_DEFAULTS: dict[str, Any] = {
    "method": "auto", "seed": None, "tolerance": None, "hidden_margins": [], "magnitudes": None, "percent": 10.0,
    "intruders": None, "chains": 4, "max_draws": None, "max_seconds": None, "limit": None, "memory": None,
}  # fmt: skip
"""Settings and their defaults: a call repeats those that differ."""


def _call(audit: Audit) -> str:
    """The command, or the line of Python, that gives this audit again."""
    settings = audit.settings
    if "command" in settings:
        return str(settings["command"])
    law = settings.get("law", "uniform")
    arguments = [f"law={law!r}" if isinstance(law, str) else f"law={getattr(law, 'call', type(law).__name__)}"]
    arguments += [
        f"{name}={settings[name]!r}"
        for name, default in _DEFAULTS.items()
        if name in settings and settings[name] not in (default, None)
    ]
    return f"fw.audit(release, {', '.join(arguments)})"


def _chance(audit: Audit) -> str:
    """The seed and tolerance of the draws, in words; empty where nothing was drawn."""
    if audit.method == "exact":
        return ""
    seed, tolerance = audit.settings.get("seed"), audit.settings.get("tolerance")
    words = f"seed {seed}" if seed is not None else "no seed was given: another run draws other tables"
    return words if tolerance is None else f"{words}, tolerance {tolerance:g} bits"
