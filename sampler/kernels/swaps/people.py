"""Very sparse two-way tables under the uniform law: two people, picked at random, swap their columns.

Where nearly every cell is 0, a swap of four random cells can hardly ever be made. Two people can always swap, if they stand
in different rows and columns. The more people the two cells hold, the more often they are picked: the step from x is
accepted with min(1, (x12 + 1)(x21 + 1) / (x11 x22)), the odds of picking the way back over those of picking it
(Metropolis-Hastings).
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
"""Below this mean cell, swaps of people give more effective draws per second than hit-and-run (bench/tuning.py people)."""


class People(NamedTuple):
    """Where everybody in a table stands."""

    row: np.ndarray
    column: np.ndarray


@jit_lean
def list_people(table: np.ndarray, n_columns: int, people: People) -> None:
    """Write the row and the column of each person of a table that is in the order of rows."""
    u = 0
    for j in range(len(table)):
        for _ in range(table[j]):
            people.row[u], people.column[u] = j // n_columns, j % n_columns
            u += 1


@jit_lean
def swap_people(table: np.ndarray, n_columns: int, people: People, u: int, v: int, random: np.ndarray) -> None:
    """Let the people u and v swap their columns, or not."""
    i, j, k, m = people.row[u], people.column[u], people.row[v], people.column[v]
    if i == k or j == m:
        return
    c1, c2, c3, c4 = i * n_columns + j, i * n_columns + m, k * n_columns + j, k * n_columns + m
    ways_there, ways_back = table[c1] * table[c4], (table[c2] + 1) * (table[c3] + 1)
    if ways_back < ways_there and fraction(random) * ways_there >= ways_back:
        return
    table[c1] -= 1
    table[c4] -= 1
    table[c2] += 1
    table[c3] += 1
    people.column[u], people.column[v] = m, j


@jit_lean
def walk_people(place, tally, n_columns, people, draws, steps):  # type: ignore[no-untyped-def]
    """Make so many draws of `steps` steps, or fewer if credits have to wait; the draws done."""
    table, random = place.table, place.random
    number = len(people.row)
    everybody, others = np.uint64(number), np.uint64(number - 1)
    low32, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    list_people(table, n_columns, people)
    for done in range(draws):
        if number > 1:
            for _ in range(steps):
                # Either half of a word picks a person, exactly evenly: words that would favour some are drawn again.
                word = next_word(random)
                first, second = (word >> half) * everybody, (word & low32) * others
                u, v = np.int64(first >> half), np.int64(second >> half)
                if (first & low32) < everybody or (second & low32) < others:
                    u, v = below(random, number), below(random, number - 1)
                swap_people(table, n_columns, people, u, v + (v >= u), random)
        end_of_draw(tally, table)
        if tally.n_waiting[0] > 0:
            return done + 1
    return draws


@dataclass(frozen=True, eq=False)
class PersonSwapKernel(Kernel):
    """Swaps of people on a complete two-way table, its columns in the order of rows, without bounds of their own.

    Every lower bound is 0 (what cells hold at least is counted off), and `n_people` is what the table then adds up to.
    """

    shape: tuple[int, int]
    n_people: int

    words = "swaps of two people"
    cost = 12.0
    credits_lines = False

    def room(self) -> People:
        """Where the people stand; written anew whenever the walk goes on, as other kernels may have changed the table."""
        return People(*(np.empty(self.n_people, dtype=np.int32) for _ in range(2)))

    def walk(self, place: Place, tally: Tally, room: Any, draws: int, steps: int) -> int:
        """Swaps of people."""
        done: int = walk_people(place, tally, self.shape[1], room, draws, steps)
        return done


def prefers_people(shape: tuple[int, int], n_people: int) -> bool:
    """Is a complete two-way table so sparse that swaps of people are better than hit-and-run?"""
    return 2 <= n_people < SPARSE * shape[0] * shape[1]
