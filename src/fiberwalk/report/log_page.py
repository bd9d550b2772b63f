"""The report of a server's log: who could be known by now, and from which requests."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..base.text_files import write_private
from .page import versions
from .words import number, probability

if TYPE_CHECKING:
    from ..server.ranking.ranking import Ranking

MOST_ROWS, MOST_REASONS = 200, 12


def write_log_report(ranking: Ranking, path: str | os.PathLike[str]) -> None:
    """Write the report of a ranking, for its owner alone; the file appears whole or not at all."""
    write_private(log_page(ranking), path)


def log_page(ranking: Ranking) -> str:
    """The page as text; whatever comes from the data or from users is escaped."""
    from jinja2 import Environment, PackageLoader

    environment = Environment(
        loader=PackageLoader("fiberwalk.report", "."), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["number"] = number
    sure, words = ranking.sure, ranking.summary().splitlines()
    certain = int(sure["known"].sum())
    return environment.get_template("log.html").render(
        who="everybody together" if ranking.user is None else ranking.user,
        requests=len(ranking.seen),
        taken=ranking.taken,
        users=len(ranking.log.users),
        figures=len(ranking.neighbourhoods.figures),
        verdict=" ".join(words[1:3] if len(sure) else words[1:2]),
        certain=certain,
        likely=len(sure) - certain,
        small=ranking.small,
        limit=f"{ranking.limit:g}",
        weaker=words[-1],
        left_out=[line for line in words if line.startswith("Left out")],
        cells=_cells(ranking),
        tipped=_tipped(ranking),
        reasons=[(cell, _why(ranking, cell)) for cell in sure.index[:MOST_REASONS]],
        versions=versions(),
    )


def _grid(names: list[str], headings: list[str], rows: list[tuple[list[str], list[str]]]) -> dict[str, Any]:
    """A table as the page draws it: labels, and texts."""
    shown = [{"labels": labels, "texts": texts} for labels, texts in rows[:MOST_ROWS]]
    more = max(len(rows) - MOST_ROWS, 0)
    return {"names": names, "headings": headings, "rows": shown, "count": len(rows), "more": more}


def _cells(ranking: Ranking) -> dict[str, Any]:
    import pandas as pd

    frame = ranking.cells
    rows = []
    for cell, row in frame[frame["value"] > 0].iterrows():
        known = str(row["lower"]) if row["known"] else f"{row['lower']} to {row['upper']}"
        request = "" if pd.isna(row["request"]) else str(row["request"])
        rows.append(([str(cell)], [known, str(row["value"]), probability(row["p"], sure=bool(row["known"])), request]))
    return _grid(["cell"], ["between", "most probable", "P", "known since request"], rows)


def _tipped(ranking: Ranking) -> dict[str, Any]:
    counted = ranking.sure["request"].dropna().value_counts()
    entries = {int(request): ranking.log.entry(int(request)) for request in counted.index}
    rows = [
        ([str(request)], [entries[request].user, entries[request].request.words, str(cells)])
        for request, cells in counted.items()
    ]
    return _grid(["request"], ["user", "asked for", "cells"], rows)


def _why(ranking: Ranking, cell: str) -> dict[str, Any]:
    import pandas as pd

    rows = []
    for request, row in ranking.why(cell).iterrows():
        shares = ("" if pd.isna(p) else probability(p) for p in (row["p_alone"], row["p_without"]))
        rows.append(([str(request)], [row["user"], row["asked"], *shares]))
    return _grid(["request"], ["user", "asked for", "P from it alone", "P without it"], rows)
