"""Uniform hit-and-run on large complete two-way tables: in two rows every column makes a swap with one other, all at once.

A round pairs the columns first and last, second and last but one, and so on, on either side of a random cut: any two
columns meet equally often. No swap of a round looks at what another changes, so the compiler makes several with one
instruction, in less than half the time of one swap after the other. The bits for all of them come from one random word.

Seven rounds of eight are of mirror images, as steps are in smaller tables (hit_and_run). Rows are picked anew for
each round: two rounds in the same rows cost less and mix worse.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ....base.jit import jit_inner, jit_lean
from ....base.random_streams import below, next_word, scattered
from ...lines.line import MIRRORED
from ...tallies.tally import BY_STEPS, Tally, credit_share, end_of_draw
from ..kernel import Kernel, Place

FEWEST_COLUMNS = 32
"""In shorter rows one swap after the other is as quick (bench/tuning.py rounds)."""
CREDITED = 4
"""One round in so many is credited to the tally: a credit takes longer than a swap."""


@jit_inner
def number_of_pairs(first: np.uint64, last: np.uint64) -> np.uint64:
    """How many pairs the columns from first to last make; none if last is one less than first."""
    return (last - first + np.uint64(1)) >> np.uint64(1)


@jit_lean
def draw_pairs(
    x: np.ndarray, up: np.uint64, under: np.uint64, first: np.uint64, last: np.uint64, word: np.uint64
) -> bool:
    """Let columns first + c and last - c swap between the rows that begin at `up` and `under`: any length alike.

    False if some lengths may have been favoured, which is seldom; then `put_right` is owed.
    """
    low32, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    c1, c2, c3, c4 = up + first, up + last, under + first, under + last
    short = np.uint64(0)
    for c in range(number_of_pairs(first, last)):
        x1, x2, x3, x4 = x[c1 + c], x[c2 - c], x[c3 + c], x[c4 - c]
        back, ahead = min(x1, x4), min(x2, x3)
        n = np.uint64(back + ahead + 1) & low32
        product = (scattered(word, first + c) >> half) * n
        # the highest bit tells that a difference is below 0
        short |= (product & low32) - n
        step = np.int64(product >> half) - back
        x[c1 + c], x[c2 - c], x[c3 + c], x[c4 - c] = x1 + step, x2 - step, x3 - step, x4 + step
    return short >> np.uint64(63) == np.uint64(0)


@jit_lean
def put_right(
    x: np.ndarray,
    up: np.uint64,
    under: np.uint64,
    first: np.uint64,
    last: np.uint64,
    word: np.uint64,
    random: np.ndarray,
) -> None:
    """Draw again, with words of their own, those lengths that came from bits which favour some.

    Lines are as long after a swap as before it, so that the bits tell which these are.
    """
    low32, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    for c in range(number_of_pairs(first, last)):
        c1, c2, c3, c4 = up + first + c, up + last - c, under + first + c, under + last - c
        back, ahead = min(x[c1], x[c4]), min(x[c2], x[c3])
        n = np.uint64(back + ahead + 1)
        product = (scattered(word, first + c) >> half) * n
        if (product & low32) < np.uint64(0x100000000) % n:
            step = below(random, back + ahead + 1) - back
            x[c1] += step
            x[c2] -= step
            x[c3] -= step
            x[c4] += step


@jit_lean
def mirror_pairs(x: np.ndarray, up: np.uint64, under: np.uint64, first: np.uint64, last: np.uint64) -> None:
    """The same pairs, each to its mirror image: as far from one end of its line as it was from the other."""
    c1, c2, c3, c4 = up + first, up + last, under + first, under + last
    for c in range(number_of_pairs(first, last)):
        x1, x2, x3, x4 = x[c1 + c], x[c2 - c], x[c3 + c], x[c4 - c]
        step = min(x2, x3) - min(x1, x4)
        x[c1 + c], x[c2 - c], x[c3 + c], x[c4 - c] = x1 + step, x2 - step, x3 - step, x4 + step


@jit_inner
def credit_pairs(
    tally: Tally, x: np.ndarray, up: np.uint64, under: np.uint64, first: np.uint64, last: np.uint64
) -> None:
    """Credit the lines of the swaps of a round, before they are made."""
    for c in range(number_of_pairs(first, last)):
        c1, c2, c3, c4 = up + first + c, up + last - c, under + first + c, under + last - c
        x1, x2, x3, x4 = x[c1], x[c2], x[c3], x[c4]
        back, ahead = min(x1, x4), min(x2, x3)
        share = 1.0 / (back + ahead + 1)
        credit_share(tally, c1, x1 - back, x1 + ahead, share)
        credit_share(tally, c2, x2 - ahead, x2 + back, share)
        credit_share(tally, c3, x3 - ahead, x3 + back, share)
        credit_share(tally, c4, x4 - back, x4 + ahead, share)


@jit_lean
def walk_swap_rounds(place: Place, tally: Tally, rows: int, columns: int, draws: int, steps: int) -> int:
    """Make so many draws of `steps` rounds, or fewer if credits have to wait; the draws done."""
    x, random = place.table, place.random
    low32, half, next_one, zero = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint64(1), np.uint64(0)
    n_rows, n_columns = np.uint64(rows), np.uint64(columns)
    by_steps = tally.by_steps[0] == BY_STEPS
    for done in range(draws):
        for turn in range(steps):
            # How evenly rows and cuts are picked does not matter, as the pick does not look at the table.
            word = next_word(random)
            product = (word >> half) * n_rows
            i = product >> half
            k = ((product & low32) * (n_rows - next_one)) >> half
            k += np.uint64(k >= i)
            up, under = i * n_columns, k * n_columns
            cut, end = ((word & low32) * n_columns) >> half, n_columns - next_one
            if by_steps and turn % CREDITED == 0:
                credit_pairs(tally, x, up, under, zero, cut)
                credit_pairs(tally, x, up, under, cut + next_one, end)
            if turn & MIRRORED:
                mirror_pairs(x, up, under, zero, cut)
                mirror_pairs(x, up, under, cut + next_one, end)
                continue
            word = next_word(random)
            if not draw_pairs(x, up, under, zero, cut, word):
                put_right(x, up, under, zero, cut, word, random)
            if not draw_pairs(x, up, under, cut + next_one, end, word):
                put_right(x, up, under, cut + next_one, end, word, random)
        end_of_draw(tally, x)
        if tally.n_waiting[0] > 0:
            return done + 1
    return draws


@dataclass(frozen=True, eq=False)
class SwapRoundsKernel(Kernel):
    """Rounds of uniform swaps on a complete two-way table, its columns in the order of rows; every lower bound is 0."""

    shape: tuple[int, int]

    words = "rounds of hit-and-run swaps"

    @property
    def cost(self) -> float:  # type: ignore[override]
        """By the swaps of a round, some of them credited."""
        return 40.0 + 0.5 * self.shape[1] * (1.5 + 12.0 / CREDITED)

    def longest(self) -> int:
        """Two rows."""
        return 2 * self.shape[1]

    def walk(self, place: Place, tally: Tally, room: Any, draws: int, steps: int) -> int:
        """Rounds of swaps."""
        return walk_swap_rounds(place, tally, *self.shape, draws, steps)
