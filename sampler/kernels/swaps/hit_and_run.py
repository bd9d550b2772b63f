"""Uniform hit-and-run on complete two-way tables that are not large: a few nanoseconds a step.

One random word picks two rows, two columns and the length of the step; how evenly rows and columns are picked does not
matter, as the pick does not look at the table, but the length is drawn exactly. Larger tables have rounds.

Seven steps of eight are mirror images (overrelaxation, Adler 1981): to the point as far from one end of its line as the
table was from the other. Such steps keep the uniform law as well, lead further and need no draw; with them the same error
takes half as many steps. The steps between draw any point of their line. They reach all that swaps can reach: where both
happen along the same line, it is as if there had been no mirror.

Places in the table are unsigned throughout: numba asks of signed ones whether they are negative, each time, which makes
a step half as long again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ....base.jit import jit_inner, jit_lean
from ....base.random_streams import below, stepped
from ...lines.line import MIRRORED
from ...tallies.tally import BY_STEPS, Tally, credit_share, end_of_draw
from ..kernel import Kernel, Place


@dataclass(frozen=True, eq=False)
class SwapKernel(Kernel):
    """Uniform hit-and-run on a complete two-way table, its columns in the order of rows; every lower bound is 0."""

    shape: tuple[int, int]

    words = "hit-and-run along swaps"
    cost = 15.0

    def walk(self, place: Place, tally: Tally, room: Any, draws: int, steps: int) -> int:
        """Swaps."""
        return walk_swaps(place, tally, *self.shape, draws, steps)


@jit_lean
def walk_swaps(place: Place, tally: Tally, rows: int, columns: int, draws: int, steps: int) -> int:
    """Make swaps for so many draws of `steps` steps, the table being rows x columns in order; the draws done."""
    if tally.by_steps[0] == BY_STEPS:
        return _walk(place, tally, tally, rows, columns, draws, steps)
    return _walk(place, tally, None, rows, columns, draws, steps)


@jit_inner
def _walk(place: Place, tally: Tally, credited: Tally | None, rows: int, columns: int, draws: int, steps: int) -> int:
    """The same, compiled twice: with credits for the lines of steps, and without, which leaves registers to the steps."""
    x, random = place.table, place.random
    low32, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    n_rows, n_columns = np.uint64(rows), np.uint64(columns)
    one_less_row, one_less_column = np.uint64(rows - 1), np.uint64(columns - 1)
    a, b, c, d = random[0], random[1], random[2], random[3]
    for done in range(draws):
        for turn in range(steps):
            word, a, b, c, d = stepped(a, b, c, d)
            product = (word >> half) * n_rows
            i = product >> half
            product = (product & low32) * one_less_row
            k = product >> half
            bits = product & low32
            k += np.uint64(k >= i)
            upper, under = i * n_columns, k * n_columns
            product = bits * n_columns
            j = product >> half
            product = (product & low32) * one_less_column
            m = product >> half
            m += np.uint64(m >= j)
            c1, c2, c3, c4 = upper + j, upper + m, under + j, under + m
            x1, x2, x3, x4 = x[c1], x[c2], x[c3], x[c4]
            back, ahead = min(x1, x4), min(x2, x3)
            if turn & MIRRORED:
                step = ahead - back
            else:
                n = np.uint64(back + ahead + 1)
                product = (word & low32) * n
                if (product & low32) < n:
                    # These words would favour some lengths: then and only then the length gets a word of its own.
                    unfair = np.uint64(0x100000000) % n
                    if (product & low32) < unfair:
                        random[0], random[1], random[2], random[3] = a, b, c, d
                        product = np.uint64(below(random, back + ahead + 1)) << half
                        a, b, c, d = random[0], random[1], random[2], random[3]
                step = np.int64(product >> half) - back
            if credited is not None:
                share = 1.0 / (back + ahead + 1)
                credit_share(credited, c1, x1 - back, x1 + ahead, share)
                credit_share(credited, c2, x2 - ahead, x2 + back, share)
                credit_share(credited, c3, x3 - ahead, x3 + back, share)
                credit_share(credited, c4, x4 - back, x4 + ahead, share)
            x[c1], x[c2], x[c3], x[c4] = x1 + step, x2 - step, x3 - step, x4 + step
        end_of_draw(tally, x)
        if tally.n_waiting[0] > 0:
            random[0], random[1], random[2], random[3] = a, b, c, d
            return done + 1
    random[0], random[1], random[2], random[3] = a, b, c, d
    return draws
