"""The chain of Diaconis and Sturmfels: a move at random, forwards or backwards, one unit at a time, by the Metropolis rule.

Written in Numba with the same random words as ours and without a needless branch, so that its steps are as quick as they
can be. Three ways to have the moves: swaps of a complete two-way table by arithmetic, a list of moves as sparse rows, and
moves written in advance by the family that drew them. `chain_for` takes the quickest that a release allows.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

import fiberwalk as fw
from fiberwalk.fiber.jit import jit_lean
from fiberwalk.fiber.presolve import Block
from fiberwalk.moves.listed import Listed
from fiberwalk.moves.margins import MarginMoves
from fiberwalk.moves.mixture import Mixture
from fiberwalk.moves.move_set import MoveSet
from fiberwalk.moves.random_words import below, fraction, next_word
from fiberwalk.moves.swaps import Swaps
from fiberwalk.sampler.stock import SUPPLIERS, empty_stock, supplier

FEW_MOVES = 200_000
"""Lists up to this long are made where they can be."""

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
        moves = next(one for one in moves.parts if isinstance(one, tuple(SUPPLIERS)))
    lower, upper = block.lower.astype(np.int64), block.upper.astype(np.int64)
    order = np.arange(len(lower))
    if isinstance(moves, Swaps) and not lower.any():
        rows, columns = moves.cell.shape
        swaps = swaps_by_factorials if factorial else swaps_alike
        return SingleSteps("swaps", lambda t, r, n: swaps(t, rows, columns, r, n), moves.cell.ravel())
    listed = None
    if isinstance(moves, Listed):
        listed = sp.csr_array(moves.rows)
    elif isinstance(moves, MarginMoves):
        with suppress(fw.TooLarge):
            listed = sp.csr_array(moves.listed(FEW_MOVES))
    if listed is not None:
        first, columns, steps = (one.astype(np.int64) for one in (listed.indptr, listed.indices, listed.data))
        words = f"{listed.shape[0]:,} listed moves"
        return SingleSteps(
            words, lambda t, r, n: listed_steps(first, columns, steps, factorial, lower, upper, t, r, n), order
        )
    source = supplier(moves)
    stock = empty_stock(source.longest)

    def drawn(table: np.ndarray, random: np.ndarray, n: int) -> int:
        left = n
        while left:
            if stock.state[0] == stock.state[1]:
                source.fill(stock, random)
            left -= stocked_steps(stock, factorial, lower, upper, table, random, left)
        return n

    return SingleSteps(moves.words, drawn, order)


@jit_lean
def swaps_alike(table, rows, columns, random, steps):
    """Two rows, two columns, one more and one less; a step that would go below 0 is not made."""
    low32, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    n_rows, n_columns = np.uint64(rows), np.uint64(columns)
    one_less_row, one_less_column = np.uint64(rows - 1), np.uint64(columns - 1)
    a, b, c, d = random[0], random[1], random[2], random[3]
    for _ in range(steps):
        mixed = a + d
        word = ((mixed << np.uint64(23)) | (mixed >> np.uint64(41))) + a
        t = b << np.uint64(17)
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= t
        d = (d << np.uint64(45)) | (d >> np.uint64(19))
        product = (word >> half) * n_rows
        i = product >> half
        product = (product & low32) * one_less_row
        k = product >> half
        k += np.uint64(k >= i)
        product = (word & low32) * n_columns
        j = product >> half
        product = (product & low32) * one_less_column
        m = product >> half
        m += np.uint64(m >= j)
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


@jit_lean
def swaps_by_factorials(table, rows, columns, random, steps):
    """The same under prod 1/x!: one from each of two cells to the other two, accepted by the Metropolis rule."""
    for _ in range(steps):
        i, k = below(random, rows), below(random, rows - 1)
        k += k >= i
        j, m = below(random, columns), below(random, columns - 1)
        m += m >= j
        one, two, three, four = i * columns + j, i * columns + m, k * columns + j, k * columns + m
        above = float(table[two]) * table[three]
        under = (table[one] + 1.0) * (table[four] + 1.0)
        if above >= under or fraction(random) * under < above:
            table[one] += 1
            table[four] += 1
            table[two] -= 1
            table[three] -= 1
    return steps


@jit_lean
def listed_steps(first, columns, moves, factorial, lower, upper, table, random, steps):
    """A move of a list, forwards or backwards, if the bounds and the Metropolis rule allow it."""
    for _ in range(steps):
        k = below(random, len(first) - 1)
        sign = np.int64(next_word(random) >> np.uint64(63)) * 2 - 1
        _one_step(first[k], first[k + 1], columns, moves, sign, factorial, lower, upper, table, random)
    return steps


@jit_lean
def stocked_steps(stock, factorial, lower, upper, table, random, most):
    """The next moves of a stock, each forwards or backwards if the bounds and the Metropolis rule allow it; how many."""
    first = stock.state[0]
    end = min(stock.state[1], first + most)
    for k in range(first, end):
        sign = np.int64(next_word(random) >> np.uint64(63)) * 2 - 1
        _one_step(
            stock.start[k], stock.start[k + 1], stock.columns, stock.steps, sign, factorial, lower, upper, table, random
        )
    stock.state[0] = end
    return end - first


@jit_lean
def _one_step(begin, end, columns, moves, sign, factorial, lower, upper, table, random):
    for e in range(begin, end):
        y = table[columns[e]] + sign * moves[e]
        if y < lower[columns[e]] or y > upper[columns[e]]:
            return
    if factorial:
        ratio = 1.0
        for e in range(begin, end):
            x, step = table[columns[e]], sign * moves[e]
            for i in range(step):
                ratio /= x + i + 1
            for i in range(-step):
                ratio *= x - i
        if ratio < 1.0 and fraction(random) >= ratio:
            return
    for e in range(begin, end):
        table[columns[e]] += sign * moves[e]
