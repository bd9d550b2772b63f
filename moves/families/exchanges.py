"""People exchange features: a few people are taken out, and put back as other people who are together in the same figures.

Made for populations, tables of very many cells of which nearly all are empty: moves that are listed meet empty cells and
are blocked there, so that a step begins with people who are there. Two figures of one table are drawn, without a look at the
population, and one to three people of each at random; of all ways to have as many people in the same figures, one is drawn
by its weight. Those who were drawn are still in the two figures, so that the way back is as probable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ...base.certificate import Certificate
from ...base.jit import jit, jit_inlined
from ...base.random_streams import below, fraction
from ...fiber.blocks.presolve import Block
from .move_set import MOST_LISTED, Move, MoveSet, too_many

UNPROVEN = Certificate("unproven", "exchanges among a few people are not known to reach every population")
MOST_PEOPLE = 4
"""People who are put together anew at a time."""
MOST_STEPS = 2_000
"""Steps of the search for all ways; where it takes more, all stay as they are."""
MOST_OF_A_FIGURE = 1_000
"""Columns of a figure of which people are taken."""
LARGEST_MEAN = 2.0
"""In tables with larger counts other moves are hardly ever blocked."""


class Arrays(NamedTuple):
    """The equations by column and by row, and the rows in classes: each column is in one row of a class at most."""

    row_start: np.ndarray
    columns: np.ndarray
    column_start: np.ndarray
    rows: np.ndarray
    row_of: np.ndarray
    """[class, column]: the row, -1 where there is none or one of too many columns."""
    lower: np.ndarray
    upper: np.ndarray


class Room(NamedTuple):
    """What a step works with; `need` is 0 everywhere before and after it."""

    need: np.ndarray
    touched: np.ndarray
    taken: np.ndarray
    chosen: np.ndarray
    best: np.ndarray
    place: np.ndarray
    of_row: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class Exchanges(MoveSet):
    """Exchanges among the people of a block."""

    arrays: Arrays
    certificate: Certificate = UNPROVEN

    words = "exchanges among a few people"
    makes_lines = False

    @property
    def n_columns(self) -> int:
        """Columns of the block."""
        return len(self.arrays.lower)

    def room(self) -> Room:
        """Room for steps."""
        deepest = int(np.diff(self.arrays.column_start).max())
        small = np.zeros(MOST_PEOPLE, dtype=np.int64)
        return Room(
            np.zeros(len(self.arrays.row_start) - 1, dtype=np.int64),
            np.zeros(MOST_PEOPLE * deepest, dtype=np.int64),
            *(small.copy() for _ in range(5)),
        )

    def draw(self, random: np.ndarray, table: np.ndarray) -> Move:
        """People and others in their place, every way as probable as its weight among tables that count alike."""
        after, room = table.copy(), self.room()
        exchange_alike(self.arrays, room, after, random)
        changed = np.flatnonzero(after != table)
        return Move(changed, (after - table)[changed])

    def listed(self, most: int = MOST_LISTED) -> Any:
        """There is no list: what can be exchanged depends on who is there."""
        raise too_many(most)

    def joined(self, tables: np.ndarray, gaps: bool = False) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Tables of which one comes from the other by people of two figures of a class."""
        for first in range(len(tables)):
            after = np.arange(first + 1, len(tables))
            gone = np.maximum(tables[first] - tables[after], 0)
            few = gone.sum(axis=1) <= MOST_PEOPLE
            linked = np.array([few[k] and self._of_two_figures(gone[k]) for k in range(len(after))], dtype=bool)
            yield np.full(int(linked.sum()), first), after[linked]

    def _of_two_figures(self, people: np.ndarray) -> bool:
        who = np.repeat(np.arange(len(people)), people)
        for row_of in self.arrays.row_of:
            figures, number = np.unique(row_of[who], return_counts=True)
            if (figures >= 0).all() and (
                (len(figures) == 1 and len(who) <= 3) or (len(figures) == 2 and (number <= 2).all())
            ):
                return True
        return False


def exchanges(block: Block) -> Exchanges | None:
    """Exchanges in a block whose equations all count people, of which there are few for each column; else None."""
    A = sp.csr_array(block.A)
    if not A.nnz or (A.data != 1).any() or (np.diff(sp.csc_array(A).indptr) == 0).any():
        return None
    if block.start.mean() > LARGEST_MEAN or (block.start < 0).any():
        return None
    A.sort_indices()
    by_column = sp.csc_array(A)
    by_column.sort_indices()
    classes: list[np.ndarray] = []
    order = np.argsort(-np.diff(A.indptr), kind="stable")
    for row in order:
        inside = A.indices[A.indptr[row] : A.indptr[row + 1]]
        if len(inside) > MOST_OF_A_FIGURE:
            continue
        of_class = next((one for one in classes if (one[inside] < 0).all()), None)
        if of_class is None:
            of_class = np.full(A.shape[1], -1, dtype=np.int64)
            classes.append(of_class)
        of_class[inside] = row
    if not classes:
        return None
    arrays = Arrays(
        A.indptr.astype(np.int64), A.indices.astype(np.int64), by_column.indptr.astype(np.int64),
        by_column.indices.astype(np.int64), np.stack(classes), block.lower, block.upper,
    )  # fmt: skip
    return Exchanges(arrays)


@jit_inlined
def take_people(arrays: Arrays, room: Room, table: np.ndarray, random: np.ndarray) -> int:
    """Take people of two figures of a class out of a table; how many."""
    n, n_classes = len(arrays.lower), len(arrays.row_of)
    column, shared = below(random, n), below(random, n_classes)
    first, between = arrays.row_of[shared, column], arrays.row_of[below(random, n_classes), column]
    if first < 0 or between < 0:
        return 0
    size = arrays.row_start[between + 1] - arrays.row_start[between]
    other = arrays.columns[arrays.row_start[between] + below(random, size)]
    second = arrays.row_of[shared, other]
    if second < 0:
        return 0
    number, again = 1 + below(random, 2), 0
    if first == second:
        number += 1
    else:
        again = number
    taken = 0
    for half in range(2):
        row, wanted = (first, number) if half == 0 else (second, again)
        for _ in range(wanted):
            total = 0
            for e in range(arrays.row_start[row], arrays.row_start[row + 1]):
                total += table[arrays.columns[e]]
            if total == 0:
                return -taken - 1
            who = below(random, total)
            for e in range(arrays.row_start[row], arrays.row_start[row + 1]):
                who -= table[arrays.columns[e]]
                if who < 0:
                    room.taken[taken] = arrays.columns[e]
                    break
            table[room.taken[taken]] -= 1
            taken += 1
    return taken


@jit_inlined
def rarest(arrays: Arrays, room: Room, n_touched: int) -> int:
    """The row with the fewest columns that still needs people, the first of several; -1 where none does.

    What is searched, and so whether it is given up, depends on who is needed alone, and is the same on the way back."""
    found, fewest = -1, 0
    for k in range(n_touched):
        row = room.touched[k]
        size = arrays.row_start[row + 1] - arrays.row_start[row]
        if room.need[row] > 0 and (found < 0 or size < fewest or (size == fewest and row < found)):
            found, fewest = row, size
    return found


@jit_inlined
def fits_need(arrays: Arrays, room: Room, column: int) -> bool:
    """Does every row of a column still need somebody?"""
    for e in range(arrays.column_start[column], arrays.column_start[column + 1]):  # noqa: SIM110  (compiled)
        if room.need[arrays.rows[e]] <= 0:
            return False
    return True


@jit_inlined
def change_need(arrays: Arrays, room: Room, column: int, by: int) -> None:
    """Somebody of a column is put in (-1), or taken out again (1)."""
    for e in range(arrays.column_start[column], arrays.column_start[column + 1]):
        room.need[arrays.rows[e]] += by


@jit_inlined
def note_need(arrays: Arrays, room: Room, people: int) -> int:
    """Which rows need how many, for those who were taken out; how many rows these are."""
    n_touched = 0
    for k in range(people):
        for e in range(arrays.column_start[room.taken[k]], arrays.column_start[room.taken[k] + 1]):
            row = arrays.rows[e]
            if room.need[row] == 0:
                room.touched[n_touched] = row
                n_touched += 1
            room.need[row] += 1
    return n_touched


@jit_inlined
def next_way(arrays: Arrays, room: Room, people: int, n_touched: int, depth: int, steps: int) -> tuple[int, int]:
    """Go on to the next way to put people in, from the depth reached: the depth, or -1 at the end; and the steps left.

    The next one is of the rarest figure that needs somebody; of the same figure those follow in the order of their columns,
    so that no way is found twice.
    """
    while depth >= 0 and steps > 0:
        if depth == people or room.of_row[depth] < 0:
            depth -= 1
            if depth >= 0:
                change_need(arrays, room, room.chosen[depth], 1)
                room.place[depth] += 1
            continue
        row, found = room.of_row[depth], False
        while room.place[depth] < arrays.row_start[row + 1] and steps > 0:
            column = arrays.columns[room.place[depth]]
            steps -= 1
            if fits_need(arrays, room, column):
                found = True
                break
            room.place[depth] += 1
        if not found:
            room.of_row[depth] = -1
            continue
        room.chosen[depth] = column
        change_need(arrays, room, column, -1)
        depth += 1
        following = row if room.need[row] > 0 else rarest(arrays, room, n_touched)
        if depth == people:
            if following < 0:
                return depth, steps
            continue
        room.of_row[depth] = following
        if following >= 0:
            room.place[depth] = room.place[depth - 1] if following == row else arrays.row_start[following]
    return -1, steps


@jit_inlined
def put_in(room: Room, columns: np.ndarray, people: int, table: np.ndarray, by: int) -> None:
    """Put people in, or take them out."""
    for k in range(people):
        table[columns[k]] += by


@jit_inlined
def ways_of_a_column(room: Room, table: np.ndarray, k: int) -> float:
    """How many times as many ways there are to take the first k + 1 out again as the first k, those being put in already."""
    column, times = room.chosen[k], 0
    for before in range(k):
        times += room.chosen[before] == column
    return (table[column] + 1.0) / (times + 1.0)


@jit_inlined
def between_bounds(arrays: Arrays, room: Room, people: int, table: np.ndarray) -> bool:
    """Are those who were taken out and put in between their bounds?"""
    for k in range(people):
        if table[room.chosen[k]] > arrays.upper[room.chosen[k]] or table[room.taken[k]] < arrays.lower[room.taken[k]]:
            return False
    return True


@jit_inlined
def forget_need(room: Room, n_touched: int) -> None:
    """Nothing is needed any more."""
    for k in range(n_touched):
        room.need[room.touched[k]] = 0


@jit
def exchange_alike(arrays: Arrays, room: Room, table: np.ndarray, random: np.ndarray) -> int:
    """One exchange where every table counts alike; how many ways there were, 0 where all stayed."""
    people = take_people(arrays, room, table, random)
    if people <= 0:
        put_in(room, room.taken, -people - 1 if people < 0 else 0, table, 1)
        return 0
    n_touched = note_need(arrays, room, people)
    room.of_row[0] = rarest(arrays, room, n_touched)
    room.place[0] = arrays.row_start[room.of_row[0]]
    number, total, depth, steps = 0, 0.0, 0, MOST_STEPS
    while True:
        depth, steps = next_way(arrays, room, people, n_touched, depth, steps)
        if depth < 0:
            break
        weight = 1.0
        for k in range(people):
            weight *= ways_of_a_column(room, table, k)
            table[room.chosen[k]] += 1
        possible = between_bounds(arrays, room, people, table)
        put_in(room, room.chosen, people, table, -1)
        if not possible:
            continue
        number += 1
        total += weight
        if fraction(random) * total < weight:
            room.best[:] = room.chosen
    if steps <= 0 or number == 0:
        room.best[:] = room.taken
        number = 0
    put_in(room, room.best, people, table, 1)
    forget_need(room, n_touched)
    return number
