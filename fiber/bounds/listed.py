"""Bounds over all tables of a block, listed: where sums of ages and the like leave few, and programs would take long."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.errors import TooLarge
from ..blocks.presolve import Block, with_every_row
from ..equations.moments import may_have_moments
from ..solvers.linear_program import Bounds
from ..solvers.table_search import TableSearch

EVERY = "every table"
MOST_WORK = 1_000_000_000
"""Entries of equations that a listing may look at, a second or two: as many as where chains can take over (fiber/exact)."""
MOST_TABLES = 1_000_000


def listed_bounds(block: Block, rows: Any) -> Bounds | None:
    """The least and the greatest value of some sums; None with too many tables, or without sums of ages and the like."""
    if not may_have_moments(block.A):
        return None
    whole = with_every_row(block)
    search = TableSearch(whole.A, whole.b)
    if not search.has_moments or (np.diff(whole.A.tocsc().indptr) == 0).any():
        return None
    low, high, number = rows @ block.start, rows @ block.start, 0
    try:
        for tables in search.every(block.lower, block.upper, MOST_WORK):
            number += len(tables)
            if number > MOST_TABLES:
                return None
            if len(tables):
                values = rows @ tables.T
                low, high = np.minimum(low, values.min(axis=1)), np.maximum(high, values.max(axis=1))
    except TooLarge:
        return None
    return Bounds(low, high, np.full((len(low), 2), EVERY, dtype=object))
