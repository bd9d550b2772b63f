"""How probable the figures so far are of one table: every set of people is one draw, wherever it is shown."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit_inlined, jit_inner
from .chances import Rows
from .told import Told


class Room(NamedTuple):
    """What follows from one table."""

    totals: np.ndarray
    """The count of each group."""
    people: np.ndarray
    """The set of occupied cells of each group, as a number; 0: nobody."""
    counted: np.ndarray
    """Is a group the first of its people?"""
    trial: np.ndarray
    """The same, of a table that is tried."""
    keys: np.ndarray
    """Open addresses of people."""
    owners: np.ndarray
    """The first group there."""
    stamps: np.ndarray
    """When an address was used last, and, at the end, what time it is."""


def room_for(groups: int) -> Room:
    """Room for one table after the other."""
    size = 1 << int(np.ceil(np.log2(max(4 * groups, 16))))
    return Room(
        np.zeros(groups, dtype=np.int64),
        np.zeros(groups, dtype=np.uint64),
        np.zeros(groups, dtype=np.bool_),
        np.zeros(groups, dtype=np.bool_),
        np.zeros(size, dtype=np.uint64),
        np.zeros(size, dtype=np.int64),
        np.zeros(size + 1, dtype=np.int64),
    )


@jit_inlined
def log_chance(rows: Rows, row: int, count: int) -> float:
    """log P(figure | count)."""
    place = count - rows.first[row]
    if place < 0 or place >= rows.begins[row + 1] - rows.begins[row]:
        return -np.inf
    return rows.logs[rows.begins[row] + place]


@jit_inlined
def chance(rows: Rows, row: int, count: int) -> float:
    """P(figure | count)."""
    place = count - rows.first[row]
    if place < 0 or place >= rows.begins[row + 1] - rows.begins[row]:
        return 0.0
    return rows.chances[rows.begins[row] + place]


@jit_inner
def set_out(of_start: np.ndarray, of_cell: np.ndarray, marks: np.ndarray, room: Room, table: np.ndarray) -> None:
    """The count and the people of every group."""
    room.totals[:] = 0
    room.people[:] = np.uint64(0)
    for cell in range(len(table)):
        if table[cell] > 0:
            for e in range(of_start[cell], of_start[cell + 1]):
                room.totals[of_cell[e]] += table[cell]
                room.people[of_cell[e]] ^= marks[cell]


@jit_inlined
def address(room: Room, people: np.uint64) -> int:
    """Where people stand among the open addresses, or may be put."""
    mask = len(room.keys) - 1
    place = np.int64(people >> np.uint64(20)) & mask
    while room.stamps[place] == room.stamps[-1] and room.keys[place] != people:
        place = (place + 1) & mask
    return int(place)


@jit_inner
def entered(told: Told, room: Room, counted: np.ndarray) -> float:
    """The log-likelihood of the figures, and which groups are the first of their people."""
    room.stamps[-1] += 1
    log = 0.0
    for group in range(len(told.row)):
        people, row = room.people[group], told.row[group]
        counted[group] = False
        if people == np.uint64(0):
            if told.rows.figures[row] != 0:
                return -np.inf
            continue
        if told.shared:
            place = address(room, people)
            if room.stamps[place] == room.stamps[-1]:
                if told.row[room.owners[place]] != row:
                    return -np.inf
                continue
            room.stamps[place] = room.stamps[-1]
            room.keys[place] = people
            room.owners[place] = group
        counted[group] = True
        log += log_chance(told.rows, row, room.totals[group])
        if log == -np.inf:
            return log
    return log


@jit_inner
def of_counts(told: Told, room: Room) -> float:
    """The log-likelihood where counts changed and the same cells are occupied."""
    log = 0.0
    for group in range(len(told.row)):
        if room.counted[group]:
            log += log_chance(told.rows, told.row[group], room.totals[group])
    return log
