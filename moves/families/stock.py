"""Stocks of moves: every family that draws without looking at the table writes some thousand moves at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

AT_ONCE = 4096
"""Moves of a stock, and the entries of all of them: few enough to stay in the processor's cache."""
ENTRIES = 32_768


class Stock(NamedTuple):
    """Moves waiting to be made, as sparse rows."""

    start: np.ndarray
    columns: np.ndarray
    steps: np.ndarray
    state: np.ndarray
    """[0] the next move, [1] how many there are, [2] steps made of the current draw."""


def empty_stock(longest: int) -> Stock:
    """Room for moves of up to `longest` columns."""
    room = max(ENTRIES, 4 * longest)
    integers = (np.zeros(size, dtype=np.int64) for size in (AT_ONCE + 1, room, room, 3))
    return Stock(*integers)


class Supplier(ABC):
    """A family of moves with what it needs to write them, for one chain."""

    longest: int
    ns_per_entry: float = 0.0
    """Nanoseconds of each entry of a move, where drawing it takes longer than making it."""

    @abstractmethod
    def fill(self, stock: Stock, random: np.ndarray) -> None:
        """Write new moves over a stock that is used up."""
