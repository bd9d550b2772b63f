"""Hit-and-run along a list of moves whose steps are all 1 or -1, such as short cycles: the quick part on sparse patterns.

Moves are made straight from the list. What a move adds to stands before what it takes from, so that its range is two
minima; where no cell has bounds of its own, nothing but the table is looked at. One random word picks the move and the
length of the step; how evenly moves are picked does not matter, but the length is drawn exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ...base.jit import jit_inlined, jit_inner, jit_lean
from ...base.random_streams import below, next_word
from ...fiber.blocks.own_bounds import upper_of_their_own
from ...fiber.blocks.presolve import Block
from ...moves.families.listed import Listed
from ..lines.line import FAR, HUGE, TINY, Line, draw_on_line, pick_by_weight
from ..lines.weights import ALIKE, FACTORIAL, Weights
from ..tallies.tally import BY_STEPS, Tally, credit, credit_step, end_of_draw
from .kernel import Fit, Kernel, Place, Task

SHORT = 16
"""Moves up to this length are weighed by products of their values."""
HALF, LOW_HALF = np.uint64(32), np.uint64(0xFFFFFFFF)
"""Of a random word: the upper half picks the move, the lower the length of the step."""


def fits(task: Task) -> Fit | None:
    """Lists of moves whose steps are all 1 or -1, under any law; in small blocks a schedule is quicker."""
    if not (isinstance(task.moves, Listed) and task.is_small):
        return None
    kernel = listed_kernel(task.moves, task.weights, task.block)
    return None if kernel is None else Fit((kernel,))


class SignedList(NamedTuple):
    """Moves as sparse rows: from start to middle the columns that gain, from middle to the next start those that lose."""

    start: np.ndarray
    middle: np.ndarray
    columns: np.ndarray
    signs: np.ndarray
    bounded: bool
    """Must bounds other than 0 be looked at?"""


@jit_inner
def signed_range(moves, place, begin, middle, end):  # type: ignore[no-untyped-def]
    """How many times a move can be made: backwards (0 or more) and forwards."""
    table, lower, upper, columns = place.table, place.lower, place.upper, moves.columns
    back, ahead = FAR, FAR
    if moves.bounded:
        for e in range(begin, middle):
            j = columns[e]
            back, ahead = min(back, table[j] - lower[j]), min(ahead, upper[j] - table[j])
        for e in range(middle, end):
            j = columns[e]
            back, ahead = min(back, upper[j] - table[j]), min(ahead, table[j] - lower[j])
    else:
        for e in range(begin, middle):
            back = min(back, table[columns[e]])
        for e in range(middle, end):
            ahead = min(ahead, table[columns[e]])
    return back, ahead


@jit_inner
def weigh_by_ratios(
    moves: SignedList, place: Place, begin: int, middle: int, end: int, back: int, ahead: int, values: np.ndarray
) -> float:
    """Write the weights 1/x! of the points of a line, up to a factor; their sum. Short moves only: products must fit."""
    table, columns, weight = place.table, moves.columns, place.weight
    number, gaining = end - begin, middle - begin
    for e in range(number):
        values[e] = table[columns[begin + e]] + (-back if e < gaining else back)
    product = total = 1.0
    weight[0] = 1.0
    for i in range(1, back + ahead + 1):
        gain = loss = 1.0
        for e in range(gaining):
            values[e] += 1.0
            loss *= values[e]
        for e in range(gaining, number):
            gain *= values[e]
            values[e] -= 1.0
        product *= gain / loss
        weight[i] = product
        total += product
        if total > HUGE:  # the line has one peak: what this loses below is nothing beside it
            for k in range(i + 1):
                weight[k] *= TINY
            product *= TINY
            total *= TINY
    return total


@jit_inlined
def _evenly(word, back, ahead, random):  # type: ignore[no-untyped-def]
    """How often a move is made, every point of its line alike, by the lower half of a word."""
    n = np.uint64(back + ahead + 1)
    product = (word & LOW_HALF) * n
    times = np.int64(product >> HALF)
    if (product & LOW_HALF) < n and (product & LOW_HALF) < np.uint64(0x100000000) % n:
        # These words would favour some lengths: then and only then the length gets a word of its own.
        times = below(random, back + ahead + 1)
    return times - back


@jit_inlined
def _by_weight(moves, weights, place, ends, back, ahead, values):  # type: ignore[no-untyped-def]
    """How often a move is made under a law that weighs; and the sum of the weights, negative where they are not known."""
    begin, middle, end = ends
    n = back + ahead + 1
    if n == 1:
        return np.int64(0), 0.0
    if weights.kind == FACTORIAL and n <= len(place.weight) and end - begin <= len(values):
        total = weigh_by_ratios(moves, place, begin, middle, end, back, ahead, values)
        return pick_by_weight(place.weight, n, total, place.random) - back, total
    line = Line(place.table, moves.columns, moves.signs, begin, end, -back, ahead)
    times, total = draw_on_line(weights, line, place.random, place.weight)
    return times, -1.0 if total == 0.0 else total


@jit_inlined
def _credit_evenly(tally, table, columns, ends, back, ahead):  # type: ignore[no-untyped-def]
    """Credit every column of a move for its whole line."""
    begin, middle, end = ends
    for e in range(begin, middle):
        x = table[columns[e]]
        credit(tally, columns[e], x - back, x + ahead)
    for e in range(middle, end):
        x = table[columns[e]]
        credit(tally, columns[e], x - ahead, x + back)


@jit_lean
def walk_listed(moves, values, weights, place, tally, draws, steps):  # type: ignore[no-untyped-def]
    """Make so many draws of `steps` steps, or fewer if credits have to wait; the draws done."""
    table, random, columns = place.table, place.random, moves.columns
    by_steps = tally.by_steps[0] == BY_STEPS
    number = np.uint64(len(moves.middle))
    for done in range(draws):
        for _ in range(steps):
            word = next_word(random)
            k = np.int64(((word >> HALF) * number) >> HALF)
            ends = (moves.start[k], moves.middle[k], moves.start[k + 1])
            begin, middle, end = ends
            back, ahead = signed_range(moves, place, begin, middle, end)
            if weights.kind == ALIKE:
                times = _evenly(word, back, ahead, random)
                if by_steps:
                    _credit_evenly(tally, table, columns, ends, back, ahead)
            else:
                times, total = _by_weight(moves, weights, place, ends, back, ahead, values)
                if by_steps:
                    line = Line(table, columns, moves.signs, begin, end, -back, ahead)
                    credit_step(tally, line, times, place.weight, total)
            if times != 0:
                for e in range(begin, middle):
                    table[columns[e]] += times
                for e in range(middle, end):
                    table[columns[e]] -= times
        end_of_draw(tally, table)
        if tally.n_waiting[0] > 0:
            return done + 1
    return draws


@dataclass(frozen=True, eq=False)
class ListedKernel(Kernel):
    """Hit-and-run along a list of moves of steps 1 and -1."""

    moves: SignedList
    weights: Weights

    @property
    def words(self) -> str:  # type: ignore[override]
        """How many moves there are."""
        n = len(self.moves.middle)
        return f"hit-and-run along a list of {n:,} move{'' if n == 1 else 's'}"

    @property
    def cost(self) -> float:  # type: ignore[override]
        """By the usual length of a move."""
        usual = len(self.moves.columns) / max(1, len(self.moves.middle))
        return 15.0 + 6.0 * usual if self.weights.kind == ALIKE else 40.0 + 25.0 * usual

    def longest(self) -> int:
        """The longest move."""
        return int(np.diff(self.moves.start).max(initial=1))

    def room(self) -> np.ndarray:
        """The values of a move's columns."""
        return np.empty(SHORT)

    def walk(self, place: Place, tally: Tally, room: Any, draws: int, steps: int) -> int:
        """Moves from the list."""
        done: int = walk_listed(self.moves, room, self.weights, place, tally, draws, steps)
        return done


def listed_kernel(moves: Listed, weights: Weights, block: Block) -> ListedKernel | None:
    """The kernel for a list of moves on a block, its columns in the block's order; None if some step is not 1 or -1."""
    rows = sp.csr_array(moves.rows)
    if not rows.shape[0] or (np.abs(rows.data) != 1).any() or not np.diff(rows.indptr).all():
        return None
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    order = np.lexsort([-rows.data, row])
    gains = np.bincount(row[rows.data > 0], minlength=rows.shape[0])
    bounded = bool(block.lower.any() or upper_of_their_own(block).any())
    start = rows.indptr.astype(np.int64)
    columns, signs = rows.indices[order].astype(np.int64), rows.data[order].astype(np.int64)
    one_sided = (gains == 0) | (gains == np.diff(start))  # such a move has no end but the upper bounds
    return ListedKernel(
        SignedList(start, start[:-1] + gains, columns, signs, bounded or bool(one_sided.any())), weights
    )
