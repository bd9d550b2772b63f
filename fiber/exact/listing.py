"""Exact solving of a block by listing its tables, where sums of ages and the like leave few of them.

An elimination keeps track of all those sums, and an enumeration in a fixed order looks at one equation at a time. The search
for tables looks at each sum together with the number of people.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.errors import TooLarge
from ...base.progress import Progress
from ..equations.moments import may_have_moments
from ..solvers.table_search import TableSearch
from .solved import Budget, Solved

OF_A_TABLE = 20
"""What it costs to count a number of a table, in operations of a budget."""


def list_block(
    A: Any,
    b: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    log_weights: Sequence[np.ndarray | None],
    budget: Budget,
    progress: Progress | None = None,
) -> Solved | None:
    """The exact law of every column; None where there are no such sums, or listing all tables would cost too much."""
    if not may_have_moments(A) or (np.diff(sp.csc_array(A).indptr) == 0).any():
        return None
    search = TableSearch(A, b)
    if not search.has_moments:
        return None
    tally = _Tally(lower, upper, log_weights)
    most_tables = budget.operations // (OF_A_TABLE * len(lower))
    try:
        for tables in search.every(lower, upper, budget.operations):
            tally.add(tables)
            if tally.tables > most_tables:
                return None
            if progress is not None:
                progress(f"{tally.tables:,} tables listed")
    except TooLarge:
        return None
    return tally.solved()


class _Tally:
    """How many tables have each value in each column, and what they weigh together."""

    def __init__(self, lower: np.ndarray, upper: np.ndarray, log_weights: Sequence[np.ndarray | None]) -> None:
        self.tables, self._lower = 0, lower
        self._start = np.concatenate([[0], np.cumsum(upper - lower + 1)])
        self._weighted = np.array([j for j, given in enumerate(log_weights) if given is not None], dtype=int)
        self._log_weight = np.zeros(self._start[-1])
        for j in self._weighted:
            self._log_weight[self._start[j] : self._start[j + 1]] = log_weights[j]
        self._count = np.zeros(self._start[-1], dtype=np.int64)
        self._weight = np.zeros(self._start[-1])
        self._reference = -np.inf

    def add(self, tables: np.ndarray) -> None:
        """Count some tables, a row each."""
        places = tables - self._lower + self._start[:-1]
        log_weight = self._log_weight[places[:, self._weighted]].sum(axis=1)
        possible = log_weight > -np.inf
        places, log_weight = places[possible], log_weight[possible]
        self.tables += len(places)
        if not len(places):
            return
        reference = max(self._reference, float(log_weight.max()))
        self._weight *= np.exp(self._reference - reference)
        self._reference = reference
        size, flat = len(self._count), places.ravel()
        self._count += np.bincount(flat, minlength=size)
        self._weight += np.bincount(flat, np.repeat(np.exp(log_weight - reference), places.shape[1]), minlength=size)

    def solved(self) -> Solved:
        """The laws of all columns."""
        parts = [slice(begin, end) for begin, end in zip(self._start[:-1], self._start[1:], strict=True)]
        weights = [self._weight[part] for part in parts]
        return Solved(
            self.tables,
            self._lower,
            tuple(self._count[part] > 0 for part in parts),
            tuple(weight / weight.sum() if weight.sum() > 0 else weight for weight in weights),
            "enumeration",
        )
