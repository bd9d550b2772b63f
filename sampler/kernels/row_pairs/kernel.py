"""Two-way tables with hidden or bounded cells: two rows at a time, over the columns that both have.

A visit picks two rows without looking at the table and lists their common columns from bit sets. Under the uniform law
both rows are redrawn as a whole where a few tries do that; else every column is paired with another and each pair makes a
hit-and-run swap, some rounds one after the other while all is close at hand. The pairs of a round are those of a
round-robin tournament: one random number makes all of them, and any two columns meet equally often.

Under 1/x! the two rows are redrawn as a whole given all sums, which is a Gibbs step on both (redraw says how).

Swaps alone do not reach every table where cells are missing: a chain takes turns with a kernel that does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ....base.jit import jit_inner, jit_lean
from ....base.random_streams import below, stepped
from ....moves.families.row_pairs import RowPairs, ones
from ...lines.line import Line, draw_on_line, line_range
from ...lines.weights import ALIKE, FACTORIAL, Weights
from ...tallies.tally import BY_STEPS, Tally, credit, credit_step, end_of_draw
from ..kernel import Fit, Kernel, Lasting, Place, Task
from .redraw import PEOPLE_PER_COLUMN, PairRoom, redraw_evenly, redraw_rows

ROUNDS = 3
"""Rounds of swaps in a visit under the uniform law where rows are not redrawn; the last one is credited."""
MANY_CELLS, FEW_CREDITS = 5000, 3
"""Beyond so many cells their counters do not fit into the cache, and a credit costs more than a visit: one visit in 3 has
them."""


def fits(task: Task) -> Fit | None:
    """Two rows at a time, under any law."""
    if not (isinstance(task.moves, RowPairs) and task.is_small):
        return None
    block = task.block
    return Fit((row_pair_kernel(task.moves, task.weights, block.lower, block.upper, block.start),))


class Pattern(NamedTuple):
    """The free cells of each row, as bits and by their places in the chain's table."""

    bits: np.ndarray
    loose: np.ndarray
    """The same without cells that have bounds of their own."""
    place_of: np.ndarray
    """[row, column]: where a free cell is; anything where there is none."""
    bounded: bool
    """Are there cells with bounds of their own?"""
    redrawn: bool
    """Are rows redrawn as a whole?"""
    rounds: int
    """Rounds of swaps in a visit."""
    every: int
    """One visit in so many is credited to the tally."""


@jit_lean
def list_common(
    bits: np.ndarray, place_of: np.ndarray, i: int, k: int, in_first: np.ndarray, in_second: np.ndarray
) -> int:
    """Write the places of the columns that rows i and k both have; their number."""
    number, lowest = np.uint64(0), np.uint64(1)
    for w in range(np.uint64(bits.shape[1])):
        both, before = bits[i, w] & bits[k, w], np.uint64(64) * np.uint64(w)
        while both != np.uint64(0):
            column = before + np.uint64(ones((both & (~both + lowest)) - lowest))
            in_first[number], in_second[number] = place_of[i, column], place_of[k, column]
            both &= both - lowest
            number += lowest
    return np.int64(number)  # type: ignore[return-value]


@jit_lean
def match(number: int, turn: int, pair: int) -> tuple[int, int]:
    """One pair of a round of a round-robin tournament (circle method): r + 1 and r - 1, r + 2 and r - 2, ...; r stays out or
    meets the last.

    In each round everyone meets one other at most; over number - 1 rounds (number, if odd) any two meet once.
    """
    circle = number if number % 2 == 1 else number - 1
    if circle < number:
        if pair == 0:
            return turn, circle
        pair -= 1
    up, down = turn + pair + 1, turn - pair - 1
    return up if up < circle else up - circle, down if down >= 0 else down + circle


@jit_inner
def next_rows(order: np.ndarray, state: np.ndarray, random: np.ndarray) -> tuple[int, int]:
    """The next two rows of an order that is shuffled (Fisher-Yates) when used up: all rows are visited equally often."""
    at = state[0]
    if at + 2 > len(order):
        at = 0
        for last in range(len(order) - 1, 0, -1):
            other = below(random, last + 1)
            order[last], order[other] = order[other], order[last]
    state[0] = at + 2
    return order[at], order[at + 1]


@jit_lean
def walk_alike(pattern: Pattern, room: PairRoom, place: Place, tally: Tally, draws: int, steps: int) -> int:
    """Make so many draws of `steps` visits under the uniform law, or fewer if credits have to wait; the draws done."""
    by_steps = tally.by_steps[0] == BY_STEPS
    in_first, in_second = room.in_first, room.in_second
    for done in range(draws):
        for visit in range(steps):
            i, k = next_rows(room.order, room.state, place.random)
            common = list_common(pattern.bits, pattern.place_of, i, k, in_first, in_second)
            if common < 2:
                continue
            credited = by_steps and visit % pattern.every == 0
            rounds = pattern.rounds
            if redraw_evenly(place, pattern.bounded, room, common):
                rounds = 1 if credited else 0
            for left in range(rounds, 0, -1):
                swap_round(place, pattern.bounded, in_first, in_second, common, tally, credited and left == 1)
        end_of_draw(tally, place.table)
        if tally.n_waiting[0] > 0:
            return done + 1
    return draws


@jit_lean
def walk_weighted(
    pattern: Pattern, room: PairRoom, weights: Weights, place: Place, tally: Tally, draws: int, steps: int
) -> int:
    """The same under any other law."""
    random = place.random
    by_steps = tally.by_steps[0] == BY_STEPS
    in_first, in_second = room.in_first, room.in_second
    for done in range(draws):
        for _ in range(steps):
            i, k = next_rows(room.order, room.state, random)
            # Cells with bounds of their own never come up where rows are redrawn: swaps see to them every other time.
            redrawn = pattern.redrawn and (not pattern.bounded or below(random, 2) == 0)
            common = list_common(
                pattern.loose if redrawn else pattern.bits, pattern.place_of, i, k, in_first, in_second
            )
            if common < 2:
                continue
            if redrawn:
                redraw_rows(place.table, room, common, weights.log_factorials, random)
                if by_steps:
                    for c in range(common):
                        for at in (in_first[c], in_second[c]):
                            credit(tally, at, place.table[at], place.table[at])
            else:
                swap_along_lines(weights, place, room, common, tally, by_steps)
        end_of_draw(tally, place.table)
        if tally.n_waiting[0] > 0:
            return done + 1
    return draws


@jit_lean
def swap_round(
    place: Place, bounded: bool, in_first: np.ndarray, in_second: np.ndarray, common: int, tally: Tally, credited: bool
) -> None:
    """A round of a tournament: every column makes a hit-and-run swap with one other."""
    x, lower, upper, random = place.table, place.lower, place.upper, place.random
    low32, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    circle = common if common % 2 == 1 else common - 1
    turn = below(random, circle)
    a, b, c, d = random[0], random[1], random[2], random[3]
    for pair in range(common // 2):
        up, down = match(common, turn, pair)
        word, a, b, c, d = stepped(a, b, c, d)
        c1, c2, c3, c4 = in_first[up], in_first[down], in_second[up], in_second[down]
        x1, x2, x3, x4 = x[c1], x[c2], x[c3], x[c4]
        if bounded:
            back = min(min(x1 - lower[c1], x4 - lower[c4]), min(upper[c2] - x2, upper[c3] - x3))
            ahead = min(min(x2 - lower[c2], x3 - lower[c3]), min(upper[c1] - x1, upper[c4] - x4))
        else:
            back, ahead = min(x1, x4), min(x2, x3)
        n = np.uint64(back + ahead + 1)
        product = (word >> half) * n
        step = np.int64(product >> half)
        if (product & low32) < n and (product & low32) < np.uint64(0x100000000) % n:
            # These words would favour some lengths: then and only then the length gets a word of its own.
            random[0], random[1], random[2], random[3] = a, b, c, d
            step = below(random, back + ahead + 1)  # type: ignore[assignment]
            a, b, c, d = random[0], random[1], random[2], random[3]
        step -= back
        if credited:
            credit(tally, c1, x1 - back, x1 + ahead)
            credit(tally, c2, x2 - ahead, x2 + back)
            credit(tally, c3, x3 - ahead, x3 + back)
            credit(tally, c4, x4 - back, x4 + ahead)
        x[c1], x[c2], x[c3], x[c4] = x1 + step, x2 - step, x3 - step, x4 + step
    random[0], random[1], random[2], random[3] = a, b, c, d


@jit_inner
def swap_along_lines(weights: Weights, place: Place, room: PairRoom, common: int, tally: Tally, by_steps: bool) -> None:
    """A round of swaps under any law, each drawn from the law along its line."""
    table, random, columns, sizes = place.table, place.random, room.columns, room.sizes
    in_first, in_second = room.in_first, room.in_second
    turn = below(random, common if common % 2 == 1 else common - 1)
    for pair in range(common // 2):
        up, down = match(common, turn, pair)
        columns[0], columns[1], columns[2], columns[3] = in_first[up], in_first[down], in_second[up], in_second[down]
        low, high = line_range(place.lower, place.upper, table, columns, sizes, 0, 4)
        line = Line(table, columns, sizes, 0, 4, low, high)
        times, total = 0, 0.0
        if low < high:
            times, total = draw_on_line(weights, line, random, place.weight)
            if total == 0.0:
                total = -1.0
        if by_steps:
            credit_step(tally, line, times, place.weight, total)
        for e in range(4):
            table[columns[e]] += times * sizes[e]


@dataclass(frozen=True, eq=False)
class RowPairKernel(Kernel):
    """Swaps in two rows, or the two rows redrawn, for a two-way table with cells missing; a step is a visit of two rows."""

    pattern: Pattern
    weights: Weights

    @property
    def words(self) -> str:  # type: ignore[override]
        """What a visit does."""
        if self.pattern.redrawn:
            return "two rows redrawn over the columns they share" + (", and swaps in them" * self.pattern.bounded)
        return "two rows redrawn, or hit-and-run swaps in them"

    @property
    def credits_lines(self) -> bool:  # type: ignore[override]
        """Values that were redrawn are worth no more than those of the next draw."""
        return not self.pattern.redrawn

    @cached_property
    def usual(self) -> float:
        """How many columns two rows share on average."""
        has = _dense(self.pattern.bits).sum(axis=0)
        rows = len(self.pattern.bits)
        return float((has * (has - 1)).sum()) / (rows * (rows - 1))

    @property
    def cost(self) -> float:  # type: ignore[override]
        """By the columns of two rows."""
        each = 10.0 + 30.0 / self.pattern.every if self.weights.kind == ALIKE else 8.0 if self.pattern.redrawn else 60.0
        return 60.0 + each * self.usual

    def longest(self) -> int:
        """Two cells in each column that two rows may share, each credited once in a visit."""
        return 2 * self._most_common()

    def _most_common(self) -> int:
        sizes = np.sort(_dense(self.pattern.bits).sum(axis=1))
        return max(1, int(sizes[-2]))

    def lasting(self, room: PairRoom) -> Lasting:
        """Which rows are visited next."""
        rows = len(room.order)
        return (room.order, 0, rows - 1), (room.state, 0, rows)

    def room(self) -> PairRoom:
        """Lists of common columns, and a bit for each person in two rows."""
        most = self._most_common()
        words = PEOPLE_PER_COLUMN * most // 64 + 2 if self.pattern.redrawn else 0
        in_first, in_second, both, low, drawn = (np.empty(most + 1, dtype=np.int64) for _ in range(5))
        return PairRoom(
            in_first=in_first,
            in_second=in_second,
            people=np.empty(words, dtype=np.uint64),
            columns=np.empty(4, dtype=np.int64),
            sizes=np.array([1, -1, -1, 1], dtype=np.int64),
            both=both,
            low=low,
            choices=np.empty(most + 1, dtype=np.uint64),
            drawn=drawn,
            order=np.arange(len(self.pattern.bits)),
            state=np.full(16, len(self.pattern.bits)),
        )

    def walk(self, place: Place, tally: Tally, room: Any, draws: int, steps: int) -> int:
        """Visits of two rows."""
        if self.weights.kind == ALIKE:
            return walk_alike(self.pattern, room, place, tally, draws, steps)
        return walk_weighted(self.pattern, room, self.weights, place, tally, draws, steps)


def row_pair_kernel(
    moves: RowPairs, weights: Weights, lower: np.ndarray, upper: np.ndarray, table: np.ndarray
) -> RowPairKernel:
    """The kernel for a block whose columns are in the chain's order, with their bounds and one of its tables."""
    has = _dense(moves.bits)
    row, column = np.nonzero(has)
    place_of = np.zeros(has.shape, dtype=np.int32)
    place_of[row, column] = moves.cells
    own = own_bounds(row, column, lower[moves.cells], upper[moves.cells], table[moves.cells])
    loose = has.copy()
    loose[row[own], column[own]] = False
    packed = np.packbits(loose, axis=1, bitorder="little").view(np.uint64)
    every = FEW_CREDITS if len(moves.cells) > MANY_CELLS else 1
    redrawn = weights.kind == FACTORIAL and 4 * own.sum() <= len(own)
    return RowPairKernel(Pattern(moves.bits, packed, place_of, bool(own.any()), bool(redrawn), ROUNDS, every), weights)


def _dense(bits: np.ndarray) -> np.ndarray:
    as_bytes = bits.view(np.uint8).reshape(len(bits), -1)
    return np.unpackbits(as_bytes, axis=1, bitorder="little").astype(bool)


def own_bounds(
    row: np.ndarray, column: np.ndarray, lower: np.ndarray, upper: np.ndarray, table: np.ndarray
) -> np.ndarray:
    """For each cell whether its bounds may say else than that it is at least 0 and that rows and columns add up."""
    low = np.zeros(len(row), dtype=np.int64)
    high = np.full(len(row), table.sum(), dtype=np.int64)
    for _ in range(4):
        for line in (row, column):
            total, lows, highs = (_sums_by(line, values) for values in (table, low, high))
            low, high = np.maximum(low, total - highs + high), np.minimum(high, total - lows + low)
    return (lower > low) | (lower < 0) | (upper < high)


def _sums_by(line: np.ndarray, values: np.ndarray) -> np.ndarray:
    """For each cell the sum of its line."""
    sums = np.zeros(line.max(initial=0) + 1, dtype=np.int64)
    np.add.at(sums, line, values)
    return sums[line]
