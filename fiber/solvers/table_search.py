"""Tables by a search in whole numbers: one in which a cell has a wanted value, or all there are.

Where equations are short, as those of three-way tables are, deciding a cell decides many others, and a table is found in
some microseconds. Where they are long, the search loses its way, and ends; sums of ages and the like are long, but each is
looked at together with the number of people, which leaves few tables of few people.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.errors import TooLarge
from ...base.interruption import check_time
from ...release.facts.facts import NO_LIMIT
from ..equations.moments import may_have_moments, moments
from ..equations.sparse_equations import sparse_equations
from .histograms import with_histograms
from .propagation_kernel import Room
from .table_search_kernel import AT_ITS_END, FOUND, GIVEN_UP, NONE, SPENT, STAGE, narrow, next_tables, search

MOST_WORK = 40_000
"""Entries of equations that one search looks at. Most tables are found within a fifth of this; it takes 0.3 ms."""
MOST_WORK_OF_MOMENTS = 300_000_000
"""The same where there are sums of ages and the like, of which other methods know nothing."""
MOST_CHANGES = 1_000_000
"""That are remembered on the way to a table, where all are listed."""
AT_ONCE, MOST_NUMBERS = 1_000, 4_000_000
"""Tables that are found at once, and the most numbers in them."""

__all__ = ["FOUND", "NONE", "SPENT", "TableSearch", "any_table"]


class TableSearch:
    """The search in one block; every answer is checked by whoever asks."""

    def __init__(self, A: Any, b: np.ndarray) -> None:
        self._own = A.shape[1]
        self._further = None
        if may_have_moments(A):
            A, b, self._further = with_histograms(A, b)
        n = A.shape[1]
        self._equations, self._moments = sparse_equations(A, b), moments(A, b)
        self._room = self._room_for(16 * n + 64, 2 * n + 2)

    def _room_for(self, changes: int, choices: int) -> Room:
        """Scratch arrays for so many changes and choices, one after the other."""
        n_rows, n_pairs = len(self._equations.b), len(self._moments.weight_side)
        return Room(
            open_in_row=np.empty(n_rows, np.int64),
            up=np.empty(n_rows, np.int64),
            down=np.empty(n_rows, np.int64),
            widest=np.empty(n_rows, np.int64),
            queue=np.empty(n_rows, np.int64),
            queued=np.empty(n_rows, np.bool_),
            changed=np.empty(changes, np.int64),
            changed_low=np.empty(changes, np.int64),
            changed_high=np.empty(changes, np.int64),
            chosen=np.empty(choices, np.int64),
            chosen_value=np.empty(choices, np.int64),
            stage=np.empty(choices, np.int64),
            mark=np.empty(choices, np.int64),
            weights_open=np.full(n_pairs, -1),
            counts_open=np.full(n_pairs, -1),
        )

    @property
    def has_moments(self) -> bool:
        """Are there sums of ages and the like?"""
        return len(self._moments.weight_side) > 0

    def narrowed(self, lower: np.ndarray, upper: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Ranges that hold every table between the given ones; None where there is none."""
        low, high = self._limits(lower, upper)
        holds = narrow(self._equations, self._moments, low, high, self._room)
        return (low[: self._own], high[: self._own]) if holds and (low <= high).all() else None

    def every(self, lower: np.ndarray, upper: np.ndarray, most_work: int) -> Iterator[np.ndarray]:
        """All tables between two, some in the rows of each array; `TooLarge` after too much work.

        Every column must be in some equation. An array is valid until the next one is asked for.
        """
        low, high = self._limits(lower, upper)
        if not (low <= high).all():
            return
        # a change leaves a column one value less at the least
        most_changes = int(np.clip((high - low).sum(dtype=float), 0, MOST_CHANGES)) + 1
        room, course = self._room_for(most_changes, most_changes), np.zeros(4, dtype=np.int64)
        tables = np.empty((max(1, min(AT_ONCE, MOST_NUMBERS // max(1, len(low)))), len(low)), dtype=np.int64)
        while course[STAGE] != AT_ITS_END:
            number = next_tables(self._equations, self._moments, low, high, most_work, room, course, tables)
            if course[STAGE] == GIVEN_UP:
                raise TooLarge(f"all tables of {len(low)} cells and sums are not found after {most_work:,} steps")
            check_time("tables were looked for")
            yield tables[:number, : self._own]

    def find(
        self, lower: np.ndarray, upper: np.ndarray, wish: np.ndarray, cell: int, value: int
    ) -> tuple[int, np.ndarray]:
        """FOUND and a table within the limits in which the cell has the value, as near the wish as is easy; else NONE or
        SPENT and nothing of use.
        """
        low, high = self._limits(lower, upper)
        wish = np.concatenate([wish, low[self._own :]])
        most_work = MOST_WORK_OF_MOMENTS if self.has_moments else MOST_WORK
        word = search(self._equations, self._moments, low, high, wish, (cell, value), most_work, self._room)
        return int(word), low[: self._own]

    def _limits(self, lower: np.ndarray, upper: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Those of all columns, for the search's own use."""
        if self._further is None:
            return lower.astype(np.int64), upper.astype(np.int64)
        low, high = (np.concatenate([side, self._further @ side]).astype(np.int64) for side in (lower, upper))
        return low, high


def any_table(A: Any, b: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray | None:
    """A table with A x = b and lower <= x <= upper; None where a short search finds none."""
    A = sp.csr_array(A)
    if not len(lower) or (upper >= NO_LIMIT).any():
        return None
    table_search = TableSearch(A, b)
    for wish in (lower, upper, (lower + upper) // 2):
        word, table = table_search.find(lower, upper, wish, 0, int(wish[0]))
        if word == FOUND and (A @ table == b).all() and (table >= lower).all() and (table <= upper).all():
            return table
    return None


def narrowed(A: Any, b: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> bool:
    """Make ranges narrower in place where sums of ages and the like say more together; False where there is no table."""
    if not may_have_moments(A) or (upper >= NO_LIMIT).any():
        return True
    table_search = TableSearch(A, b)
    ranges = table_search.narrowed(lower, upper) if table_search.has_moments else (lower, upper)
    if ranges is None:
        return False
    lower[:], upper[:] = ranges
    return True
