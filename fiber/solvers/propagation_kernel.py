"""What follows from narrower ranges of some columns, equation by equation, and the way back.

Every change is written down, and undone on the way back. Where nothing more follows from single equations, pairs of them are
looked at (`moments`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit_inlined
from ..equations.moments import Moments
from ..equations.sparse_equations import Equations

HOLDS, DEAD_END, TRAIL_IS_FULL, GO_ON = 1, 0, -1, 2
"""What a change leads to."""
Turn = tuple[int, int, int, int, int]
"""The number of a difference of a pair, how many have changed nothing; its multiple, and what it leaves open up and down."""


class Room(NamedTuple):
    """Scratch arrays of a search: what is in them before a call does not matter."""

    open_in_row: np.ndarray
    up: np.ndarray
    down: np.ndarray
    widest: np.ndarray
    queue: np.ndarray
    queued: np.ndarray
    changed: np.ndarray  # what was changed: the column and its range before
    changed_low: np.ndarray
    changed_high: np.ndarray
    chosen: np.ndarray  # per choice: its column, value, stage, and how much was changed before it
    chosen_value: np.ndarray
    stage: np.ndarray
    mark: np.ndarray
    weights_open: np.ndarray  # per pair: what its equations left open when it was last looked at
    counts_open: np.ndarray


class Domains(NamedTuple):
    """The values that are left to each column: a range."""

    low: np.ndarray
    high: np.ndarray


@jit_inlined
def measure(equations: Equations, domains: Domains, room: Room) -> bool:
    """Work out what each row leaves open; whether each can hold."""
    for row in range(len(equations.b)):
        room.queued[row] = False
        up, down, widest, open_columns = equations.b[row], -equations.b[row], 0, 0
        for entry in range(equations.row_start[row], equations.row_start[row + 1]):
            coefficient, column = equations.coefficients[entry], equations.columns[entry]
            low, high = domains.low[column], domains.high[column]
            least, most = (
                (coefficient * low, coefficient * high) if coefficient > 0 else (coefficient * high, coefficient * low)
            )
            up -= least
            down += most
            widest = max(widest, most - least)
            open_columns += low < high
        room.up[row], room.down[row], room.widest[row], room.open_in_row[row] = up, down, widest, open_columns
        if up < 0 or down < 0:
            return False
    return True


@jit_inlined
def _narrow(
    equations: Equations, domains: Domains, room: Room, change: tuple[int, int, int], head: int, size: int
) -> tuple[bool, int]:
    """Give a column a narrower range: whether all rows can still hold, and how many rows wait to be propagated."""
    column, new_low, new_high = change
    low, high, n_rows = domains.low, domains.high, len(equations.b)
    rise, fall = new_low - low[column], high[column] - new_high
    closed = low[column] < high[column] and new_low == new_high
    low[column], high[column] = new_low, new_high
    holds = True
    for crossing in range(equations.column_start[column], equations.column_start[column + 1]):
        row, coefficient = equations.rows_of_column[crossing], equations.by_column[crossing]
        room.up[row] -= coefficient * rise if coefficient > 0 else -coefficient * fall
        room.down[row] -= coefficient * fall if coefficient > 0 else -coefficient * rise
        room.open_in_row[row] -= closed
        slack = min(room.up[row], room.down[row])
        holds = holds and slack >= 0
        if slack < room.widest[row] and room.open_in_row[row] > 0 and not room.queued[row]:
            room.queued[row] = True
            room.queue[head + size if head + size < n_rows else head + size - n_rows] = row
            size += 1
    return holds, size


@jit_inlined
def _left_to(coefficient: int, low: int, high: int, up: int, down: int) -> tuple[int, int]:
    """What a sum that may still rise and fall by so much leaves to a column."""
    size = coefficient if coefficient > 0 else -coefficient
    if size * (high - low) <= min(up, down):
        return low, high
    rise, fall = up // size, down // size
    if coefficient < 0:
        rise, fall = fall, rise
    return max(low, high - fall), min(high, low + rise)


@jit_inlined
def _tightened(
    equations: Equations, domains: Domains, room: Room, row: int, entry: int, end: int
) -> tuple[int, int, int, int]:
    """The first of some entries of a row whose column it leaves less than it has: the next entry, the column, its range."""
    up, down = room.up[row], room.down[row]
    while entry < end:
        coefficient, column = equations.coefficients[entry], equations.columns[entry]
        entry += 1
        low, high = _left_to(coefficient, domains.low[column], domains.high[column], up, down)
        if low > domains.low[column] or high < domains.high[column]:
            return entry, column, low, high
    return entry, -1, 0, 0


@jit_inlined
def _difference(moments: Moments, domains: Domains, number: int) -> tuple[int, int, int]:
    """Of a pair of equations, the weighted one less a multiple of the other: the multiple, and what it leaves open.

    Every pair has two numbers: with the least and with the greatest weight of a counted column that is open.
    """
    pair, low, high = number // 2, domains.low, domains.high
    begin, end = moments.start[pair], moments.start[pair + 1]
    times, there = 0, False
    for entry in range(begin, end):
        column = moments.column[entry]
        if low[column] < high[column] and moments.counts[entry] > 0:
            weight = moments.weights[entry]
            if not there or (weight < times if number % 2 == 0 else weight > times):
                times, there = weight, True
    up = moments.weight_side[pair] - times * moments.count_side[pair]
    down = -up
    for entry in range(begin, end):
        coefficient, column = moments.weights[entry] - times * moments.counts[entry], moments.column[entry]
        least, most = (low[column], high[column]) if coefficient > 0 else (high[column], low[column])
        up -= coefficient * least
        down += coefficient * most
    return times, up, down


@jit_inlined
def _as_before(moments: Moments, room: Room, pair: int) -> bool:
    """Has nothing happened to either equation of a pair since this was last asked?"""
    weighted, counting = moments.weight_row[pair], moments.count_row[pair]
    weights, counts = room.up[weighted] + room.down[weighted], room.up[counting] + room.down[counting]
    same = weights == room.weights_open[pair] and counts == room.counts_open[pair]
    room.weights_open[pair], room.counts_open[pair] = weights, counts
    return bool(same)


@jit_inlined
def _tightened_by_pair(
    moments: Moments, domains: Domains, turn: Turn, entry: int, end: int
) -> tuple[int, int, int, int]:
    """The first of some entries of a pair whose column its difference leaves less than it has, as for a row."""
    _, _, times, up, down = turn
    while entry < end:
        coefficient, column = moments.weights[entry] - times * moments.counts[entry], moments.column[entry]
        entry += 1
        low, high = _left_to(coefficient, domains.low[column], domains.high[column], up, down)
        if low > domains.low[column] or high < domains.high[column]:
            return entry, column, low, high
    return entry, -1, 0, 0


@jit_inlined
def _next_look(
    equations: Equations, moments: Moments, domains: Domains, room: Room, ring: tuple[int, int], turn: Turn
) -> tuple[int, tuple[int, int, int], tuple[int, int], Turn]:
    """What to look at next: a row that waits, or else the difference of a pair (row -1), with its entries.

    HOLDS where nothing is left: differences take turns until all of them, one after the other, have changed nothing.
    """
    head, size = ring
    if size > 0:
        row = room.queue[head]
        room.queued[row] = False
        head = head + 1 if head + 1 < len(equations.b) else 0
        return GO_ON, (row, equations.row_start[row], equations.row_start[row + 1]), (head, size - 1), turn
    number, idle, times, up, down = turn
    n_differences = 2 * len(moments.weight_side)
    while idle < n_differences:
        number = number + 1 if number + 1 < n_differences else 0
        idle += 1
        if number % 2 == 0 and _as_before(moments, room, number // 2):
            number, idle = number + 1, min(idle + 1, n_differences)
            continue
        times, up, down = _difference(moments, domains, number)
        entries = (-1, moments.start[number // 2], moments.start[number // 2 + 1])
        return DEAD_END if up < 0 or down < 0 else GO_ON, entries, ring, (number, idle, times, up, down)
    return HOLDS, (-1, 0, 0), ring, turn


@jit_inlined
def propagate(
    equations: Equations,
    moments: Moments,
    domains: Domains,
    room: Room,
    change: tuple[int, int, int],
    trail: int,
    work: int,
) -> tuple[int, int, int]:
    """Make a change and all that follows from it: does every row still hold, the length of the trail, and the work."""
    head, size = 0, 0  # rows to be looked at stand in a ring
    row, entry, end = -1, 0, 0
    turn = (-1, 0, 0, 0, 0)
    while True:
        column = change[0]
        if column >= 0:
            if trail == len(room.changed):
                return TRAIL_IS_FULL, trail, work
            room.changed[trail], room.changed_low[trail], room.changed_high[trail] = (
                column,
                domains.low[column],
                domains.high[column],
            )
            trail += 1
            work += equations.column_start[column + 1] - equations.column_start[column]
            holds, size = _narrow(equations, domains, room, change, head, size)
            if not holds:
                break
            turn = (turn[0], 0, turn[2], turn[3], turn[4])
        if entry == end:
            state, (row, entry, end), (head, size), turn = _next_look(
                equations, moments, domains, room, (head, size), turn
            )
            if state == HOLDS:
                return HOLDS, trail, work
            if state == DEAD_END:
                break
            work += end - entry if row >= 0 else 3 * (end - entry)
        if row >= 0:
            entry, column, new_low, new_high = _tightened(equations, domains, room, row, entry, end)
        else:
            entry, column, new_low, new_high = _tightened_by_pair(moments, domains, turn, entry, end)
        change = (column, new_low, new_high)
        if column >= 0 and new_low > new_high:
            break
    while size > 0:
        room.queued[room.queue[head]] = False
        head = head + 1 if head + 1 < len(equations.b) else 0
        size -= 1
    return DEAD_END, trail, work


@jit_inlined
def undo(equations: Equations, domains: Domains, room: Room, trail: int, until: int) -> int:
    """Take back what the trail says, the latest first."""
    low, high = domains.low, domains.high
    while trail > until:
        trail -= 1
        column = room.changed[trail]
        rise, fall = low[column] - room.changed_low[trail], room.changed_high[trail] - high[column]
        opened = low[column] == high[column] and rise + fall > 0
        low[column], high[column] = room.changed_low[trail], room.changed_high[trail]
        for crossing in range(equations.column_start[column], equations.column_start[column + 1]):
            row, coefficient = equations.rows_of_column[crossing], equations.by_column[crossing]
            room.up[row] += coefficient * rise if coefficient > 0 else -coefficient * fall
            room.down[row] += coefficient * fall if coefficient > 0 else -coefficient * rise
            room.open_in_row[row] += opened
    return trail
