"""Stocks of moves: every family that draws without looking at the table writes some thousand moves at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.jit import jit_lean
from ...base.random_streams import below
from ...moves.families import lattice as lattice_moves
from ...moves.families import margins_kernel
from ...moves.families.cycles import Cycles, draw_cycle
from ...moves.families.lattice import LatticeMoves, draw_combination
from ...moves.families.listed import Listed
from ...moves.families.margins import MarginMoves
from ...moves.families.margins_kernel import draw_margin_move
from ...moves.families.move_set import MoveSet
from ...moves.families.row_pairs import RowPairs, draw_row_pair
from ...moves.families.swaps import Swaps, draw_swap
from .walk_moves import Stock

AT_ONCE = 4096
"""Moves of a stock, and room for so many entries in all that they stay close at hand."""
ENTRIES = 32_768


def empty_stock(longest: int) -> Stock:
    """Room for moves of up to `longest` columns."""
    room = max(ENTRIES, 4 * longest)
    integers = (np.zeros(n, dtype=np.int64) for n in (AT_ONCE + 1, room, room, 3))
    return Stock(*integers)


class Supplier(ABC):
    """A family of moves with what it needs to write them, for one chain."""

    longest: int

    @abstractmethod
    def fill(self, stock: Stock, random: np.ndarray) -> None:
        """Write new moves over a stock that is used up."""


def supplier(moves: MoveSet) -> Supplier:
    """What writes the moves of a family."""
    for kind, make in SUPPLIERS.items():
        if isinstance(moves, kind):
            return make(moves)
    raise TypeError(f"{type(moves).__name__} draws moves by the table; they cannot be written in advance")


@dataclass
class _Swaps(Supplier):
    moves: Swaps
    longest: int = 4

    def fill(self, stock: Stock, random: np.ndarray) -> None:
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


@dataclass
class _RowPairs(Supplier):
    moves: RowPairs
    longest: int = 4

    def fill(self, stock: Stock, random: np.ndarray) -> None:
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


class _Listed(Supplier):
    def __init__(self, moves: Listed) -> None:
        rows = moves.rows
        self.arrays: Any = tuple(one.astype(np.int64) for one in (rows.indptr, rows.indices, rows.data))
        self.longest = int(np.diff(rows.indptr).max(initial=1))

    def fill(self, stock: Stock, random: np.ndarray) -> None:
        start, column, value = self.arrays
        fill_listed(start, column, value, stock, random)


@jit_lean
def fill_listed(start: np.ndarray, column: np.ndarray, value: np.ndarray, stock: Stock, random: np.ndarray) -> None:
    """Moves from a list. Their signs do not matter: a line is the same both ways."""
    number, end, n = 0, 0, len(start) - 1
    if n == 0:  # nothing to draw from: moves without columns
        stock.start[:] = 0
        number = len(stock.start) - 1
    while number < len(stock.start) - 1:
        k = below(random, n)
        if end + start[k + 1] - start[k] > len(stock.columns):
            break
        for e in range(start[k], start[k + 1]):
            stock.columns[end], stock.steps[end] = column[e], value[e]
            end += 1
        number += 1
        stock.start[number] = end
    stock.state[0], stock.state[1] = 0, number


class _Cycles(Supplier):
    def __init__(self, moves: Cycles) -> None:
        n, nodes = len(moves.network.tail), moves.network.n_nodes
        self.moves = moves
        self.longest = moves.n_columns
        self.room: Any = (np.full(nodes, -1, dtype=np.int64), *(np.empty(k, dtype=np.int64) for k in (nodes + 1, n, n)))

    def fill(self, stock: Stock, random: np.ndarray) -> None:
        network = self.moves.network
        fixed: Any = (*self.moves.places, network.tail, network.head, *self.moves.spread_arrays)
        given: Any = (*fixed, *self.room, stock, random)
        fill_cycles(*given)


@jit_lean
def fill_cycles(  # type: ignore[no-untyped-def]
    start, arc, tail, head, spread_start, spread_column, spread_sign, seen_at, path, arcs, signs, stock, random
):
    """Cycles of a network, each arc as the columns it stands for."""
    number, end = 0, 0
    while number < len(stock.start) - 1:
        length = draw_cycle(start, arc, tail, head, random, seen_at, path, arcs, signs)
        needed = 0
        for k in range(length):
            needed += spread_start[arcs[k] + 1] - spread_start[arcs[k]]
        if end + needed > len(stock.columns):
            break
        for k in range(length):
            for e in range(spread_start[arcs[k]], spread_start[arcs[k] + 1]):
                stock.columns[end], stock.steps[end] = spread_column[e], signs[k] * spread_sign[e]
                end += 1
        number += 1
        stock.start[number] = end
    stock.state[0], stock.state[1] = 0, number


class _Margins(Supplier):
    def __init__(self, moves: MarginMoves) -> None:
        self.moves = moves
        self.room: Any = moves.workspace()
        self.longest = len(self.room[2])

    def fill(self, stock: Stock, random: np.ndarray) -> None:
        given: Any = (self.moves.arrays, self.moves.column_of, *self.room, stock, random)
        fill_margins(*given)


@jit_lean
def fill_margins(
    arrays: margins_kernel.Arrays,
    column_of: np.ndarray,
    coordinates: np.ndarray,
    mapping: np.ndarray,
    columns: np.ndarray,
    steps: np.ndarray,
    stock: Stock,
    random: np.ndarray,
) -> None:
    """Data swaps and lifted moves of margins; those that meet a decided cell are left out at once."""
    number, end, tries = 0, 0, 0
    most = len(stock.start) - 1
    while number < most and end + len(columns) <= len(stock.columns):
        length = draw_margin_move(arrays, column_of, random, coordinates, mapping, columns, steps)
        tries += 1
        if length == 0 and tries < 50 * most:
            continue
        for k in range(length):
            stock.columns[end + k], stock.steps[end + k] = columns[k], steps[k]
        end += length
        number += 1
        stock.start[number] = end
    stock.state[0], stock.state[1] = 0, number


class _Sums(Supplier):
    def __init__(self, moves: LatticeMoves) -> None:
        n = moves.n_columns
        self.arrays, self.longest = moves.arrays, n
        self.room: Any = (
            np.zeros(n, dtype=np.int64),
            np.zeros(n, dtype=bool),
            *(np.empty(n, np.int64) for _ in range(2)),
        )

    def fill(self, stock: Stock, random: np.ndarray) -> None:
        given: Any = (self.arrays, *self.room, stock, random)
        fill_sums(*given)


@jit_lean
def fill_sums(
    arrays: lattice_moves.Arrays,
    total: np.ndarray,
    seen: np.ndarray,
    columns: np.ndarray,
    steps: np.ndarray,
    stock: Stock,
    random: np.ndarray,
) -> None:
    """Sums of lattice vectors."""
    number, end = 0, 0
    while number < len(stock.start) - 1 and end + len(columns) <= len(stock.columns):
        length = draw_combination(arrays, random, total, seen, columns, steps)
        for k in range(length):
            stock.columns[end + k], stock.steps[end + k] = columns[k], steps[k]
        end += length
        number += 1
        stock.start[number] = end
    stock.state[0], stock.state[1] = 0, number


SUPPLIERS: dict[type[MoveSet], Any] = {
    Swaps: _Swaps,
    RowPairs: _RowPairs,
    Listed: _Listed,
    Cycles: _Cycles,
    MarginMoves: _Margins,
    LatticeMoves: _Sums,
}
"""Which supplier serves which family."""
