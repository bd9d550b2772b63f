"""Basic moves in a two-way table with cells missing: two rows, and two of the columns that both have.

Fast on dense patterns, where most pairs of rows share columns. Once cells are missing they need not connect all tables.
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

UNPROVEN = Certificate("unproven", "swaps of four cells do not reach every table where cells are missing or bounded")


@dataclass(frozen=True, eq=False, repr=False)
class RowPairs(MoveSet):
    """The free cells of each row as bits; `cells[first[i] + k]` is the block's column of the k-th free cell of row i."""

    bits: np.ndarray
    first: np.ndarray
    cells: np.ndarray
    certificate: Certificate = UNPROVEN

    words = "swaps in two rows"

    @property
    def n_columns(self) -> int:
        """Free cells."""
        return len(self.cells)

    def draw(self, random: np.ndarray, table: np.ndarray) -> Move:
        """Two rows at random and two of their common columns; nothing if they have fewer."""
        columns, steps = np.empty(4, dtype=np.int64), np.empty(4, dtype=np.int64)
        length = draw_row_pair(self.bits, self.first, self.cells, random, columns, steps)
        return Move(columns[:length], steps[:length])

    def supplier(self) -> RowPairSupplier:
        """For stocks of moves."""
        return RowPairSupplier(self)

    def listed(self, most: int = MOST_LISTED) -> Any:
        """All swaps."""
        return sparse_rows(self._all(), self.n_columns, most)

    def _all(self) -> Iterator[tuple[list[int], list[int]]]:
        as_bytes = self.bits.view(np.uint8).reshape(len(self.bits), -1)
        has = np.unpackbits(as_bytes, axis=1, bitorder="little").astype(bool)
        cell = np.full(has.shape, -1, dtype=np.int64)
        cell[has] = self.cells
        for i, k in combinations(range(len(has)), 2):
            for j, m in combinations(np.flatnonzero(has[i] & has[k]), 2):
                yield [cell[i, j], cell[i, m], cell[k, j], cell[k, m]], [1, -1, -1, 1]


@jit_lean
def ones(word: np.uint64) -> int:
    """The number of bits that are set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))  # type: ignore[return-value]


@jit_lean
def draw_row_pair(
    bits: np.ndarray, first: np.ndarray, cells: np.ndarray, random: np.ndarray, columns: np.ndarray, steps: np.ndarray
) -> int:
    """Write a random swap of two rows; 4, or 0 if the rows have fewer than two columns in common."""
    row, other = below(random, bits.shape[0]), below(random, bits.shape[0] - 1)
    other += other >= row
    common = 0
    for word in range(bits.shape[1]):
        common += ones(bits[row, word] & bits[other, word])
    if common < 2:
        return 0
    first_choice, second_choice = below(random, common), below(random, common - 1)
    second_choice += second_choice >= first_choice
    before_row = before_other = n_seen = 0
    for word in range(bits.shape[1]):
        shared = bits[row, word] & bits[other, word]
        n_here = ones(shared)
        for side in range(2):
            skip = (second_choice if side else first_choice) - n_seen
            if 0 <= skip < n_here:
                remaining = shared
                for _ in range(skip):
                    remaining &= remaining - np.uint64(1)
                under = (remaining & (~remaining + np.uint64(1))) - np.uint64(1)  # the bits below the lowest one left
                columns[side] = cells[first[row] + before_row + ones(bits[row, word] & under)]
                columns[2 + side] = cells[first[other] + before_other + ones(bits[other, word] & under)]
        n_seen += n_here
        before_row += ones(bits[row, word])
        before_other += ones(bits[other, word])
    steps[0], steps[1], steps[2], steps[3] = 1, -1, -1, 1
    return 4


def row_pairs(block: Block) -> RowPairs | None:
    """The swaps of a block that is a two-way table, some cells of which may be missing."""
    form = as_two_way(block)
    if form is None:
        return None
    row, column, (n_rows, n_columns) = form.row, form.column, form.shape
    if n_columns < n_rows:  # fewer, longer rows share more
        row, column, n_rows, n_columns = column, row, n_columns, n_rows
    bits = np.zeros((n_rows, (n_columns + 63) // 64), dtype=np.uint64)
    np.bitwise_or.at(bits, (row, column // 64), np.uint64(1) << (column % 64).astype(np.uint64))
    first = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n_rows))]).astype(np.int64)
    return RowPairs(bits, first, np.lexsort([column, row]).astype(np.int64))


@dataclass
class RowPairSupplier(Supplier):
    """Writes moves into a stock, for one chain."""

    moves: RowPairs
    longest: int = 4

    def fill(self, stock: Stock, random: np.ndarray) -> None:
        """Write new moves."""
        fill_row_pairs(self.moves.bits, self.moves.first, self.moves.cells, stock, random)


@jit_lean
def fill_row_pairs(bits: np.ndarray, first: np.ndarray, cells: np.ndarray, stock: Stock, random: np.ndarray) -> None:
    """Swaps in two rows of a table with cells missing."""
    number, end = 0, 0
    while number < len(stock.start) - 1 and end + 4 <= len(stock.columns):
        end += draw_row_pair(bits, first, cells, random, stock.columns[end:], stock.steps[end:])
        number += 1
        stock.start[number] = end
    stock.state[0], stock.state[1] = 0, number
