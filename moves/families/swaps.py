"""Swaps (basic moves) on complete two-way tables: +1 -1 / -1 +1 in two rows and two columns, drawn on the fly.

They are a Markov basis: they join all tables with the same row and column sums (Diaconis and Sturmfels 1998), unless cells
are bounded further.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ...base.certificate import Certificate
from ...base.jit import jit_lean
from ...base.random_streams import below
from ...fiber.blocks.presolve import Block
from ...fiber.blocks.two_way import as_two_way
from .move_set import MOST_LISTED, Move, MoveSet, sparse_rows
from .stock import Stock, Supplier

REASON = (
    "swaps in two rows and two columns join all complete two-way tables of given margins (Diaconis and Sturmfels 1998)"
)
PROVEN = Certificate("connected", REASON)


@dataclass(frozen=True, eq=False, repr=False)
class Swaps(MoveSet):
    """Swaps in a complete two-way table; `cell[i, j]` is the column of the block that stands in row i and column j."""

    cell: np.ndarray
    certificate: Certificate = PROVEN

    words = "swaps in two rows and two columns"

    @property
    def n_columns(self) -> int:
        """The number of cells."""
        return int(self.cell.size)

    def draw(self, random: np.ndarray, table: np.ndarray) -> Move:
        """Two rows and two columns at random."""
        columns, steps = np.empty(4, dtype=np.int64), np.empty(4, dtype=np.int64)
        draw_swap(self.cell, random, columns, steps)
        return Move(columns, steps)

    def supplier(self) -> SwapSupplier:
        """For stocks of moves."""
        return SwapSupplier(self)

    def listed(self, most: int = MOST_LISTED) -> Any:
        """All swaps."""
        return sparse_rows(self._all(), self.n_columns, most)

    def _all(self) -> Iterator[tuple[list[int], list[int]]]:
        for i, k in combinations(range(self.cell.shape[0]), 2):
            for j, m in combinations(range(self.cell.shape[1]), 2):
                yield [self.cell[i, j], self.cell[i, m], self.cell[k, j], self.cell[k, m]], [1, -1, -1, 1]


@jit_lean
def draw_swap(cell: np.ndarray, random: np.ndarray, columns: np.ndarray, steps: np.ndarray) -> int:
    """Write a random swap into `columns` and `steps`; its length."""
    i, j = below(random, cell.shape[0]), below(random, cell.shape[1])
    k, m = below(random, cell.shape[0] - 1), below(random, cell.shape[1] - 1)
    k += k >= i
    m += m >= j
    columns[0], columns[1], columns[2], columns[3] = cell[i, j], cell[i, m], cell[k, j], cell[k, m]
    steps[0], steps[1], steps[2], steps[3] = 1, -1, -1, 1
    return 4


def swaps(block: Block) -> Swaps | None:
    """The swaps of a block that is a complete two-way table in which no cell has an upper bound of its own."""
    form = as_two_way(block)
    if form is None or len(block.columns) < form.shape[0] * form.shape[1]:
        return None
    cell = np.empty(form.shape, dtype=np.int64)
    cell[form.row, form.column] = np.arange(len(block.columns))
    # Above its lower bound no cell can hold more than what is left of its row's and of its column's sum.
    over = (block.start - block.lower)[cell]
    room = np.minimum(over.sum(axis=1, keepdims=True), over.sum(axis=0))
    return Swaps(cell) if ((block.upper - block.lower)[cell] >= room).all() else None


@dataclass
class SwapSupplier(Supplier):
    """Writes moves into a stock, for one chain."""

    moves: Swaps
    longest: int = 4

    def fill(self, stock: Stock, random: np.ndarray) -> None:
        """Write new moves."""
        fill_swaps(self.moves.cell, stock, random)


@jit_lean
def fill_swaps(cell: np.ndarray, stock: Stock, random: np.ndarray) -> None:
    """Swaps of a complete two-way table."""
    number, end = 0, 0
    while number < len(stock.start) - 1 and end + 4 <= len(stock.columns):
        end += draw_swap(cell, random, stock.columns[end:], stock.steps[end:])
        number += 1
        stock.start[number] = end
    stock.state[0], stock.state[1] = 0, number
