"""Uniform hit-and-run on complete two-way tables: the quickest chain there is, a few nanoseconds a step.

One random word picks two rows, two columns and the length of the step, as long as the table is not too large; how evenly
rows and columns are picked does not matter, as the pick does not look at the table, but the length is drawn exactly. In
larger tables two rows are held for some steps, so that they stay close at hand.
"""

from __future__ import annotations

import numpy as np

from ..fiber.jit import jit_lean
from ..moves.random_words import below
from .tally import BY_STEPS, Tally, credit, end_of_draw
from .walk_moves import Place

SMALL = 1 << 27
"""Up to so many (rows x columns)^2, 32 bits pick two of each evenly enough."""


@jit_lean
def walk_swaps(place: Place, tally: Tally, rows: int, columns: int, draws: int, steps: int) -> int:
    """Make swaps for so many draws of `steps` steps, the table being rows x columns in order; the draws done."""
    x, random = place.table, place.random
    by_steps = tally.by_steps[0] == BY_STEPS
    low32, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    n_rows, n_columns = np.uint64(rows), np.uint64(columns)
    one_less_row, one_less_column = np.uint64(rows - 1), np.uint64(columns - 1)
    small = rows * columns <= 11_585  # the root of SMALL
    held = 0 if small else max(1, columns // 2)
    a, b, c, d = random[0], random[1], random[2], random[3]
    upper = under = 0
    for done in range(draws):
        left = 0
        for _ in range(steps):
            # xoshiro256++, its state in registers
            mixed = a + d
            word = ((mixed << np.uint64(23)) | (mixed >> np.uint64(41))) + a
            t = b << np.uint64(17)
            c ^= a
            d ^= b
            b ^= c
            a ^= d
            c ^= t
            d = (d << np.uint64(45)) | (d >> np.uint64(19))
            bits = word >> half
            if small or left == 0:
                product = bits * n_rows
                i = np.int64(product >> half)
                product = (product & low32) * one_less_row
                k = np.int64(product >> half)
                bits = product & low32
                k += k >= i
                upper, under = i * columns, k * columns
                left = held
            left -= 1
            if not small:
                mixed = a + d
                bits = (((mixed << np.uint64(23)) | (mixed >> np.uint64(41))) + a) >> half
                t = b << np.uint64(17)
                c ^= a
                d ^= b
                b ^= c
                a ^= d
                c ^= t
                d = (d << np.uint64(45)) | (d >> np.uint64(19))
            product = bits * n_columns
            j = np.int64(product >> half)
            product = (product & low32) * one_less_column
            m = np.int64(product >> half)
            m += m >= j
            one, two, three, four = upper + j, upper + m, under + j, under + m
            x1, x2, x3, x4 = x[one], x[two], x[three], x[four]
            back, ahead = min(x1, x4), min(x2, x3)
            n = back + ahead + 1
            product = (word & low32) * np.uint64(n)
            if (product & low32) < np.uint64(n):
                # These words would favour some lengths: then and only then the length gets a word of its own.
                unfair = np.uint64(0x100000000) % np.uint64(n)
                if (product & low32) < unfair:
                    random[0], random[1], random[2], random[3] = a, b, c, d
                    product = np.uint64(below(random, n)) << half
                    a, b, c, d = random[0], random[1], random[2], random[3]
            step = np.int64(product >> half) - back
            if by_steps:
                credit(tally, one, x1 - back, x1 + ahead)
                credit(tally, two, x2 - ahead, x2 + back)
                credit(tally, three, x3 - ahead, x3 + back)
                credit(tally, four, x4 - back, x4 + ahead)
            x[one], x[two], x[three], x[four] = x1 + step, x2 - step, x3 - step, x4 + step
        end_of_draw(tally, x)
        if tally.n_waiting[0] > 0:
            random[0], random[1], random[2], random[3] = a, b, c, d
            return done + 1
    random[0], random[1], random[2], random[3] = a, b, c, d
    return draws
