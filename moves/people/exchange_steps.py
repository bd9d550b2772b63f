"""The steps of exchanges: which figures people are taken from, who is taken, and all ways to put as many back."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit, jit_inlined
from ...base.random_streams import below, fraction

MOST_FIGURES, MOST_OF_EACH = 4, 2
MOST_PEOPLE = MOST_FIGURES * MOST_OF_EACH
"""People who are put together anew at a time."""
MOST_STEPS = 2_000
"""Steps of the search for all ways; where it takes more, all stay as they are."""


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
    odds: np.ndarray
    """Cumulative, of each three classes: of one people are taken from figures that are side by side in the other two."""


class Room(NamedTuple):
    """What a step works with; `need` is 0 everywhere before and after it."""

    need: np.ndarray
    touched: np.ndarray
    taken: np.ndarray
    chosen: np.ndarray
    best: np.ndarray
    place: np.ndarray
    of_row: np.ndarray
    figures: np.ndarray
    way: np.ndarray
    """By which three classes figures were drawn."""


@jit_inlined
def one_of(arrays: Arrays, row: int, random: np.ndarray) -> int:
    """Any column of a row."""
    return arrays.columns[arrays.row_start[row] + below(random, arrays.row_start[row + 1] - arrays.row_start[row])]


@jit_inlined
def one_of_both(arrays: Arrays, one: int, other: int, random: np.ndarray) -> int:
    """Any column that is in two rows; -1 where there is none."""
    e, f, number, found = arrays.row_start[one], arrays.row_start[other], 0, -1
    while e < arrays.row_start[one + 1] and f < arrays.row_start[other + 1]:
        column, second = arrays.columns[e], arrays.columns[f]
        if column == second:
            number += 1
            if below(random, number) == 0:
                found = column
        if column <= second:
            e += 1
        if second <= column:
            f += 1
    return found


@jit_inlined
def draw_figures(arrays: Arrays, room: Room, random: np.ndarray) -> int:
    """Draw figures of one class without a look at who is there; how many, 0 where what was drawn does not fit together.

    Two that meet in a row of some class; or four, as the corners of a square, two and two of which meet in rows of two
    classes: what is exchanged in one place is often balanced by the opposite in another.
    """
    n_classes = len(arrays.row_of)
    way = min(int(np.searchsorted(arrays.odds, fraction(random), side="right")), len(arrays.odds) - 1)
    room.way[0] = way
    shared = arrays.row_of[way // (n_classes * n_classes)]
    first, second = arrays.row_of[way // n_classes % n_classes], arrays.row_of[way % n_classes]
    corner = below(random, len(arrays.lower))
    if shared[corner] < 0 or first[corner] < 0 or second[corner] < 0:
        return 0
    room.figures[0] = shared[corner]
    along = one_of(arrays, first[corner], random)
    room.figures[1] = shared[along]
    if way // n_classes % n_classes == way % n_classes:
        return 0 if shared[along] < 0 else 2 if shared[along] != shared[corner] else 1
    if shared[along] < 0 or second[along] < 0:
        return 0
    down = one_of(arrays, second[corner], random)
    if shared[down] < 0 or first[down] < 0:
        return 0
    opposite = one_of_both(arrays, second[along], first[down], random)
    if opposite < 0 or shared[opposite] < 0:
        return 0
    room.figures[2], room.figures[3] = shared[down], shared[opposite]
    for k in range(4):
        for before in range(k):
            if room.figures[k] == room.figures[before]:
                return 0
    return 4


@jit_inlined
def take_people(arrays: Arrays, room: Room, table: np.ndarray, random: np.ndarray) -> int:
    """Take one or two people out of each of some figures, two or three where it is one; how many in all, 0 where there are
    too few."""
    n_figures = draw_figures(arrays, room, random)
    each = 1 + below(random, MOST_OF_EACH) if n_figures > 1 else 2 + below(random, 2)
    taken = 0
    for k in range(n_figures):
        row, total = room.figures[k], 0
        for e in range(arrays.row_start[row], arrays.row_start[row + 1]):
            total += table[arrays.columns[e]]
        if total < each:
            put_in(room, room.taken, taken, table, 1)
            return 0
        for left in range(total, total - each, -1):
            who = below(random, left)
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
def begin_exchange(arrays: Arrays, room: Room, table: np.ndarray, random: np.ndarray) -> tuple[int, int]:
    """Take people out, ready to search for all ways to put as many back: how many they are, and the rows they touch."""
    people = take_people(arrays, room, table, random)
    if people == 0:
        return 0, 0
    n_touched = note_need(arrays, room, people)
    room.of_row[0] = rarest(arrays, room, n_touched)
    room.place[0] = arrays.row_start[room.of_row[0]]
    return people, n_touched


@jit_inlined
def end_exchange(room: Room, people: int, n_touched: int, table: np.ndarray, ways: int, steps: int) -> int:
    """Put in the people who were drawn, or those who were there if the search was given up; how many ways there were."""
    if steps <= 0 or ways == 0:
        for k in range(people):
            room.best[k] = room.taken[k]
        ways = 0
    put_in(room, room.best, people, table, 1)
    for k in range(n_touched):
        room.need[room.touched[k]] = 0
    return ways


@jit
def exchange_alike(arrays: Arrays, room: Room, table: np.ndarray, random: np.ndarray) -> int:
    """One exchange where every table counts alike; how many ways there were, 0 where all stayed."""
    people, n_touched = begin_exchange(arrays, room, table, random)
    if people == 0:
        return 0
    ways, total, depth, steps = 0, 0.0, 0, MOST_STEPS
    while True:
        depth, steps = next_way(arrays, room, people, n_touched, depth, steps)
        if depth < 0:
            return end_exchange(room, people, n_touched, table, ways, steps)
        weight = 1.0
        for k in range(people):
            weight *= ways_of_a_column(room, table, k)
            table[room.chosen[k]] += 1
        possible = between_bounds(arrays, room, people, table)
        put_in(room, room.chosen, people, table, -1)
        if possible:
            ways += 1
            total += weight
            if fraction(random) * total < weight:
                room.best[:] = room.chosen
