"""The chain of Diaconis and Sturmfels: a move at random, forwards or backwards, one unit at a time, by the Metropolis rule.

Written in Numba with the same random words as ours, one word to a step where that can be. Four ways to have the moves: swaps
of a complete two-way table by arithmetic; swaps of one with cells missing from lists of the columns that two rows share; a
list of moves as sparse rows; and moves written in advance by the family that drew them. `chain_for` takes the quickest that
a release allows.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

import fiberwalk as fw
from fiberwalk.base.jit import jit_inlined, jit_lean
from fiberwalk.base.random_streams import fraction, next_word, stepped
from fiberwalk.fiber.blocks.presolve import Block
from fiberwalk.moves.families.listed import Listed
from fiberwalk.moves.families.margins import MarginMoves
from fiberwalk.moves.families.mixture import Mixture
from fiberwalk.moves.families.move_set import MoveSet
from fiberwalk.moves.families.row_pairs import RowPairs
from fiberwalk.moves.families.stock import empty_stock
from fiberwalk.moves.families.swaps import Swaps

FEW_MOVES = 200_000
"""Lists up to this long are made where they can be."""
FEW_SHARED = 20_000_000
"""Columns that pairs of rows share, in all, up to which these are listed."""

Steps = Callable[[np.ndarray, np.ndarray, int], int]
"""(table, random words, how many) -> how many steps were made; the table is changed in place."""


@dataclass(frozen=True, eq=False)
class SingleSteps:
    """A chain of single steps on one block: its moves in words, what makes its steps, and the order of its cells."""

    words: str
    steps: Steps
    order: np.ndarray


def chain_for(moves: MoveSet, block: Block, factorial: bool) -> SingleSteps:
    """The quickest chain of single steps along the moves that a user of them would write down.

    `factorial`: the law prod 1/x!, else all tables alike. Of a mixture the first family is taken that can be written down
    without looking at the table; it is the quick one.
    """
    if isinstance(moves, Mixture):
        moves = next(one for one in moves.parts if one.supplier() is not None)
    bounds = Bounds(block.lower.astype(np.int64), (block.upper - block.lower).astype(np.uint64))
    order = np.arange(len(block.lower))
    if isinstance(moves, Swaps) and not block.lower.any():
        rows, columns = moves.cell.shape
        swaps = swaps_by_factorials if factorial else swaps_alike
        return SingleSteps("swaps", lambda t, r, n: swaps(t, rows, columns, r, n), moves.cell.ravel())
    shared = shared_columns(moves) if isinstance(moves, RowPairs) else None
    if shared is not None:
        words = f"{moves.words}, from lists of the columns they share"
        return SingleSteps(words, lambda t, r, n: shared_swaps(shared, factorial, bounds, t, r, n), order)
    listed = None
    if isinstance(moves, Listed):
        listed = sp.csr_array(moves.rows)
    elif isinstance(moves, MarginMoves):
        with suppress(fw.TooLarge):
            listed = sp.csr_array(moves.listed(FEW_MOVES))
    if listed is not None:
        first, columns, sizes = (one.astype(np.int32) for one in (listed.indptr, listed.indices, listed.data))
        words = f"{listed.shape[0]:,} listed moves"
        return SingleSteps(
            words, lambda t, r, n: listed_steps(first, columns, sizes, factorial, bounds, t, r, n), order
        )
    source = moves.supplier()
    stock = empty_stock(source.longest)

    def drawn(table: np.ndarray, random: np.ndarray, n: int) -> int:
        left = n
        while left:
            if stock.state[0] == stock.state[1]:
                source.fill(stock, random)
            left -= stocked_steps(stock, factorial, bounds, table, random, left)
        return n

    return SingleSteps(moves.words, drawn, order)


class Bounds(NamedTuple):
    """The least value of each cell, and how much more it may be."""

    lower: np.ndarray
    span: np.ndarray


class Shared(NamedTuple):
    """All pairs of rows that share two columns or more: `columns[first[p]:first[p + 1]]` are those of pair p."""

    row_one: np.ndarray
    row_two: np.ndarray
    first: np.ndarray
    columns: np.ndarray
    place_of: np.ndarray
    """[row, column]: which cell of the block."""


def shared_columns(moves: RowPairs) -> Shared | None:
    """The lists; None where they would be too long."""
    has = np.unpackbits(moves.bits.view(np.uint8).reshape(len(moves.bits), -1), axis=1, bitorder="little").astype(bool)
    number = has.sum(axis=0).astype(float)
    if (number * (number - 1)).sum() / 2 > FEW_SHARED:
        return None
    place_of = np.zeros(has.shape, dtype=np.uint32)
    place_of[has] = moves.cells
    pairs, lists = [], []
    for i, k in combinations(range(len(has)), 2):
        both = np.flatnonzero(has[i] & has[k])
        if len(both) > 1:
            pairs.append((i, k))
            lists.append(both)
    if not pairs:
        return None
    first = np.concatenate([[0], np.cumsum([len(one) for one in lists])]).astype(np.uint32)
    one, two = np.array(pairs, dtype=np.uint16).T.copy()
    return Shared(one, two, first, np.concatenate(lists).astype(np.uint16), place_of)


@jit_inlined
def apart(bits, n):
    """Two different numbers below n from 32 random bits, all pairs nearly alike."""
    low32, half, one = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint64(1)
    product = bits * n
    first = product >> half
    product = (product & low32) * (n - one)
    second = product >> half
    return first, second + np.uint64(second >= first)


@jit_lean
def swaps_alike(table, rows, columns, random, steps):
    """Two rows, two columns, one more and one less; a step that would go below 0 is not made."""
    low32, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    n_rows, n_columns = np.uint64(rows), np.uint64(columns)
    a, b, c, d = random[0], random[1], random[2], random[3]
    for _ in range(steps):
        word, a, b, c, d = stepped(a, b, c, d)
        i, k = apart(word >> half, n_rows)
        j, m = apart(word & low32, n_columns)
        upper, under = i * n_columns, k * n_columns
        # Rows in the other order give the other sign.
        two, three = table[upper + m], table[under + j]
        one = min(np.int64(1), min(two, three))
        table[upper + j] += one
        table[under + m] += one
        table[upper + m] = two - one
        table[under + j] = three - one
    random[0], random[1], random[2], random[3] = a, b, c, d
    return steps


@jit_inlined
def unit_swap(table, one, two, three, four, random):
    """One unit from the second and the third cell to the others under prod 1/x!, if the Metropolis rule allows it."""
    x1, x2, x3, x4 = table[one], table[two], table[three], table[four]
    above, under = float(x2) * x3, (x1 + 1.0) * (x4 + 1.0)
    if above >= under or fraction(random) * under < above:
        table[one], table[two], table[three], table[four] = x1 + 1, x2 - 1, x3 - 1, x4 + 1


@jit_lean
def swaps_by_factorials(table, rows, columns, random, steps):
    """The same under prod 1/x!: one from each of two cells to the other two, accepted by the Metropolis rule."""
    low32, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    n_rows, n_columns = np.uint64(rows), np.uint64(columns)
    for _ in range(steps):
        word = next_word(random)
        i, k = apart(word >> half, n_rows)
        j, m = apart(word & low32, n_columns)
        upper, under = i * n_columns, k * n_columns
        unit_swap(table, upper + j, upper + m, under + j, under + m, random)
    return steps


@jit_lean
def shared_swaps(shared, factorial, bounds, table, random, steps):
    """A pair of rows, two of the columns that they share, one more and one less, if bounds and the rule allow it."""
    low32, half, zero = np.uint64(0xFFFFFFFF), np.uint64(32), np.int64(0)
    n_pairs = np.uint64(len(shared.row_one))
    lower, span = bounds.lower, bounds.span
    for _ in range(steps):
        word = next_word(random)
        p = ((word >> half) * n_pairs) >> half
        begin = np.uint64(shared.first[p])
        j, m = apart(word & low32, np.uint64(shared.first[p + np.uint64(1)]) - begin)
        j, m = np.uint64(shared.columns[begin + j]), np.uint64(shared.columns[begin + m])
        i, k = np.uint64(shared.row_one[p]), np.uint64(shared.row_two[p])
        one, two = np.uint64(shared.place_of[i, j]), np.uint64(shared.place_of[i, m])
        three, four = np.uint64(shared.place_of[k, j]), np.uint64(shared.place_of[k, m])
        able = (
            np.uint64(table[one] + 1 - lower[one]) <= span[one]
            and np.uint64(table[four] + 1 - lower[four]) <= span[four]
            and table[two] - 1 - lower[two] >= zero
            and table[three] - 1 - lower[three] >= zero
        )
        if not able:
            continue
        if factorial:
            unit_swap(table, one, two, three, four, random)
        else:
            table[one] += 1
            table[four] += 1
            table[two] -= 1
            table[three] -= 1
    return steps


@jit_lean
def listed_steps(first, columns, moves, factorial, bounds, table, random, steps):
    """A move of a list, forwards or backwards, if the bounds and the Metropolis rule allow it."""
    half, n = np.uint64(32), np.uint64(len(first) - 1)
    for _ in range(steps):
        word = next_word(random)
        k = ((word >> half) * n) >> half
        sign = np.int64(word & np.uint64(1)) * 2 - 1
        entries = (np.uint64(first[k]), np.uint64(first[k + np.uint64(1)]))
        _one_step(entries, columns, moves, sign, factorial, bounds, table, random)
    return steps


@jit_lean
def stocked_steps(stock, factorial, bounds, table, random, most):
    """The next moves of a stock, each forwards or backwards if the bounds and the Metropolis rule allow it; how many."""
    first = stock.state[0]
    end = min(stock.state[1], first + most)
    for k in range(first, end):
        sign = np.int64(next_word(random) >> np.uint64(63)) * 2 - 1
        entries = (np.uint64(stock.start[k]), np.uint64(stock.start[k + 1]))
        _one_step(entries, stock.columns, stock.steps, sign, factorial, bounds, table, random)
    stock.state[0] = end
    return end - first


@jit_inlined
def _one_step(entries, columns, moves, sign, factorial, bounds, table, random):
    begin, end = entries
    lower, span = bounds.lower, bounds.span
    for e in range(begin, end):
        at = np.uint64(columns[e])
        if np.uint64(table[at] + sign * moves[e] - lower[at]) > span[at]:  # below 0 it is a very large number
            return
    if factorial:
        ratio = 1.0
        for e in range(begin, end):
            x, step = table[np.uint64(columns[e])], sign * moves[e]
            for i in range(step):
                ratio /= x + i + 1
            for i in range(-step):
                ratio *= x - i
        if ratio < 1.0 and fraction(random) >= ratio:
            return
    for e in range(begin, end):
        table[np.uint64(columns[e])] += sign * moves[e]
