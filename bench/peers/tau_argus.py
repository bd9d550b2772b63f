"""The audit of tau-ARGUS as pytauargus brings it (an optional peer): intervals of suppressed cells by linear programs.

`Engine.audit` writes the table to a JJ file and hands it to the native `audit_jj`, which solves two linear programs for
each suppressed cell with HiGHS. The file is all that the audit knows, so it is written here for any release, with the
hidden cells and the equations between them only (fewer lines than the engine itself would write), and what is timed
is the audit of the file. It bounds all cells or none: there is no sample of it.
"""

from __future__ import annotations

import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from peers.equations import Equations

NAME = "pytauargus audit"
HOW_TO_GET = "pip install pytauargus"
MOST_CELLS = 1_200
"""A table of 1,000 hidden cells takes it some ten seconds, and the time grows faster than the square of the cells."""
LONGEST = 4_000
"""Characters of a relation; its reader gives up on files with longer lines."""


def installed() -> bool:
    """Is pytauargus there?"""
    return find_spec("pytauargus") is not None


def within_reach(system: Equations, table: np.ndarray) -> bool:
    """Is a table small enough for it?"""
    return len(table) <= MOST_CELLS and max(map(len, _file(system, table))) <= LONGEST


def audited(system: Equations, table: np.ndarray) -> tuple[float, np.ndarray]:
    """Seconds, and the least and the greatest value of each cell.

    `table` is any table that satisfies the equations, as the file wants values.
    """
    lines = _file(system, table)
    from pytauargus.engine import audit_jj

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.jj"
        path.write_text("\n".join(lines) + "\n")
        begin = time.process_time()
        rows = audit_jj(str(path))
        seconds = time.process_time() - begin
    assert [row["cell"] for row in rows] == list(range(len(table)))
    return seconds, np.array([[row["min"], row["max"]] for row in rows])


def _file(system: Equations, table: np.ndarray) -> list[str]:
    """A JJ file: cells with value, cost, status (m: suppressed) and limits, then relations between them."""
    A, b = system.independent
    # the format has no word for a cell without limit; no cell exceeds the largest sum, as none is negative
    limits = np.minimum(system.upper, b.max(initial=0))
    cells = [
        f"{k} {value} 1 m {low:.0f} {high:.0f} 0 0 0"
        for k, (value, low, high) in enumerate(zip(table, system.lower, limits, strict=True))
    ]
    relations = []
    for i, total in enumerate(b):
        part = slice(A.indptr[i], A.indptr[i + 1])
        terms = " ".join(f"{c} ({a})" for c, a in zip(A.indices[part], A.data[part], strict=True))
        relations.append(f"{total} {part.stop - part.start} : {terms}")
    return ["0", str(len(cells)), *cells, str(len(relations)), *relations]
