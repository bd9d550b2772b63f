"""A table in which a cell has a wanted value, by a short search in whole numbers.

Where equations are short, as those of three-way tables are, deciding a cell decides many others, and a table is found in
some microseconds. Where they are long, the search loses its way, and ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ...release.facts.facts import NO_LIMIT
from ..equations.sparse_equations import sparse_equations
from .table_search_kernel import FOUND, NONE, SPENT, Room, search

MOST_WORK = 40_000
"""Entries of equations that one search looks at. Most tables are found within a fifth of this; it takes 0.3 ms."""

__all__ = ["FOUND", "NONE", "SPENT", "TableSearch", "any_table"]


class TableSearch:
    """The search in one block; every answer is checked by whoever asks."""

    def __init__(self, A: Any, b: np.ndarray) -> None:
        n_rows, n = A.shape
        changes, choices = 16 * n + 64, 2 * n + 2
        self._equations = sparse_equations(A, b)
        self._room = Room(
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
        )

    def find(
        self, lower: np.ndarray, upper: np.ndarray, wish: np.ndarray, cell: int, value: int
    ) -> tuple[int, np.ndarray]:
        """FOUND and a table within the limits in which the cell has the value, as near the wish as is easy; else NONE or
        SPENT and nothing of use.
        """
        low, high = lower.astype(np.int64), upper.astype(np.int64)
        word = search(self._equations, low, high, wish, cell, value, MOST_WORK, self._room)
        return int(word), low


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
