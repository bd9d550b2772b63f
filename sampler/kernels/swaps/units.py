"""Very sparse two-way tables under the uniform law: two units, picked at random, swap their columns.

Where nearly every cell is 0, a swap of four random cells can hardly ever be made. Two units can always swap, if they stand
in different rows and columns. A table with more units in the two cells is picked more often: the step from x is accepted
with min(1, (x12 + 1)(x21 + 1) / (x11 x22)), the odds of picking the way back over those of picking it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ....base.jit import jit_lean
from ....base.random_streams import below, fraction, next_word
from ...tallies.tally import Tally, end_of_draw
from ..kernel import Kernel, Place

SPARSE = 0.8
"""Below this mean cell, unit swaps give more effective draws per second than hit-and-run (bench/tuning.py units)."""


class Units(NamedTuple):
    """Where every unit of a table stands."""

    row: np.ndarray
    column: np.ndarray


@jit_lean
def list_units(table: np.ndarray, n_columns: int, units: Units) -> None:
    """Write the row and the column of each unit of a table that is in the order of rows."""
    u = 0
    for j in range(len(table)):
        for _ in range(table[j]):
            units.row[u], units.column[u] = j // n_columns, j % n_columns
            u += 1


@jit_lean
def swap_units(table: np.ndarray, n_columns: int, units: Units, u: int, v: int, random: np.ndarray) -> None:
    """Let two units swap their columns, or not."""
    i, j, k, m = units.row[u], units.column[u], units.row[v], units.column[v]
    if i == k or j == m:
        return
    one, two, three, four = i * n_columns + j, i * n_columns + m, k * n_columns + j, k * n_columns + m
    ways_there, ways_back = table[one] * table[four], (table[two] + 1) * (table[three] + 1)
    if ways_back < ways_there and fraction(random) * ways_there >= ways_back:
        return
    table[one] -= 1
    table[four] -= 1
    table[two] += 1
    table[three] += 1
    units.column[u], units.column[v] = m, j


@jit_lean
def walk_units(place, tally, n_columns, units, draws, steps):  # type: ignore[no-untyped-def]
    """Make so many draws of `steps` steps, or fewer if credits have to wait; the draws done."""
    table, random = place.table, place.random
    number = len(units.row)
    all_units, others = np.uint64(number), np.uint64(number - 1)
    low32, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    list_units(table, n_columns, units)
    for done in range(draws):
        if number > 1:
            for _ in range(steps):
                # Either half of a word picks a unit, exactly evenly: words that would favour some are drawn again.
                word = next_word(random)
                first, second = (word >> half) * all_units, (word & low32) * others
                u, v = np.int64(first >> half), np.int64(second >> half)
                if (first & low32) < all_units or (second & low32) < others:
                    u, v = below(random, number), below(random, number - 1)
                swap_units(table, n_columns, units, u, v + (v >= u), random)
        end_of_draw(tally, table)
        if tally.n_waiting[0] > 0:
            return done + 1
    return draws


@dataclass(frozen=True, eq=False)
class UnitSwapKernel(Kernel):
    """Unit swaps on a complete two-way table, its columns in the order of rows, without bounds of their own.

    Every lower bound is 0 (what cells hold at least is counted off), and `n_units` is what the table then adds up to.
    """

    shape: tuple[int, int]
    n_units: int

    words = "swaps of two units"
    cost = 12.0
    credits_lines = False

    def room(self) -> Units:
        """Where the units stand; written anew whenever the walk goes on, as other kernels may have changed the table."""
        return Units(*(np.empty(self.n_units, dtype=np.int32) for _ in range(2)))

    def walk(self, place: Place, tally: Tally, room: Any, draws: int, steps: int) -> int:
        """Unit swaps."""
        done: int = walk_units(place, tally, self.shape[1], room, draws, steps)
        return done


def prefers_units(shape: tuple[int, int], n_units: int) -> bool:
    """Is a complete two-way table so sparse that unit swaps are better than hit-and-run?"""
    return 2 <= n_units < SPARSE * shape[0] * shape[1]
