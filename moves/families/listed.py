"""Moves from a list, kept as sparse rows, each drawn as often as any other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.certificate import Certificate
from ...base.errors import TooLarge
from ...base.jit import jit_lean
from ...base.random_streams import below
from .move_set import MOST_LISTED, Move, MoveSet
from .stock import Stock, Supplier


@dataclass(frozen=True, eq=False, repr=False)
class Listed(MoveSet):
    """A list of moves, one per sparse row; whoever made the list says in the certificate what it is worth."""

    rows: Any
    certificate: Certificate

    @property
    def words(self) -> str:  # type: ignore[override]
        """How many there are."""
        n_moves = self.rows.shape[0]
        return f"a list of {n_moves:,} move{'' if n_moves == 1 else 's'}"

    @property
    def n_columns(self) -> int:
        """Columns of the block."""
        return int(self.rows.shape[1])

    def draw(self, random: np.ndarray, table: np.ndarray) -> Move:
        """One of the list."""
        if not self.rows.shape[0]:
            return Move(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
        number = below(random, self.rows.shape[0])
        part = slice(self.rows.indptr[number], self.rows.indptr[number + 1])
        steps = self.rows.data[part]
        return Move(self.rows.indices[part], steps if below(random, 2) else -steps)

    def supplier(self) -> ListSupplier:
        """For stocks of moves."""
        return ListSupplier(self)

    def listed(self, most: int = MOST_LISTED) -> Any:
        """The list."""
        if self.rows.shape[0] > most:
            raise TooLarge(f"there are more than {most:,} moves, too many to be listed.")
        return self.rows


class ListSupplier(Supplier):
    """Writes moves into a stock, for one chain."""

    def __init__(self, moves: Listed) -> None:
        rows = moves.rows
        self.arrays: Any = tuple(part.astype(np.int64) for part in (rows.indptr, rows.indices, rows.data))
        self.longest = int(np.diff(rows.indptr).max(initial=1))

    def fill(self, stock: Stock, random: np.ndarray) -> None:
        """Write new moves."""
        start, column, value = self.arrays
        fill_listed(start, column, value, stock, random)


@jit_lean
def fill_listed(start: np.ndarray, column: np.ndarray, value: np.ndarray, stock: Stock, random: np.ndarray) -> None:
    """Moves from a list. Their signs do not matter: a line is the same both ways."""
    number, end, n_moves = 0, 0, len(start) - 1
    if n_moves == 0:  # nothing to draw from: moves without columns
        stock.start[:] = 0
        number = len(stock.start) - 1
    while number < len(stock.start) - 1:
        move = below(random, n_moves)
        if end + start[move + 1] - start[move] > len(stock.columns):
            break
        for entry in range(start[move], start[move + 1]):
            stock.columns[end], stock.steps[end] = column[entry], value[entry]
            end += 1
        number += 1
        stock.start[number] = end
    stock.state[0], stock.state[1] = 0, number
