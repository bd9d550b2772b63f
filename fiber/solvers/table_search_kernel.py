"""Search for one table in a block, depth first: a column is decided, what follows is propagated, and so on.

The next column is from the equation with the fewest open ones, so that dead ends show early; it takes the value that is
wished for it, or the nearest that is left, and then those above and below. Every change is written down and undone on the
way back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit_inlined, jit_lean
from ..equations.sparse_equations import Equations

FOUND, NONE, SPENT = 1, 0, -1
"""A table is found; there is none, and that is certain; neither is known when the budget ends."""
HOLDS, DEAD_END, TRAIL_IS_FULL = 1, 0, -1
"""What a change leads to."""


class Room(NamedTuple):
    """Room that a search works in; what is in it before does not matter."""

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


class Domains(NamedTuple):
    """The values that are left to each column: a range."""

    low: np.ndarray
    high: np.ndarray


@jit_inlined
def _measure(equations: Equations, domains: Domains, room: Room) -> bool:
    """Work out what each row leaves open; whether each can hold."""
    for row in range(len(equations.b)):
        room.queued[row] = False
        up, down, widest, open_columns = equations.b[row], -equations.b[row], 0, 0
        for e in range(equations.row_start[row], equations.row_start[row + 1]):
            a, k = equations.coefficients[e], equations.columns[e]
            low, high = domains.low[k], domains.high[k]
            least, most = (a * low, a * high) if a > 0 else (a * high, a * low)
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
    """Give a column a narrower range: whether all rows can still hold, and how many wait that this may tell something."""
    j, new_low, new_high = change
    low, high, n_rows = domains.low, domains.high, len(equations.b)
    rise, fall = new_low - low[j], high[j] - new_high
    closed = low[j] < high[j] and new_low == new_high
    low[j], high[j] = new_low, new_high
    holds = True
    for f in range(equations.column_start[j], equations.column_start[j + 1]):
        row, a = equations.rows_of_column[f], equations.by_column[f]
        room.up[row] -= a * rise if a > 0 else -a * fall
        room.down[row] -= a * fall if a > 0 else -a * rise
        room.open_in_row[row] -= closed
        left = min(room.up[row], room.down[row])
        holds = holds and left >= 0
        if left < room.widest[row] and room.open_in_row[row] > 0 and not room.queued[row]:
            room.queued[row] = True
            room.queue[head + size if head + size < n_rows else head + size - n_rows] = row
            size += 1
    return holds, size


@jit_inlined
def _tightened(
    equations: Equations, domains: Domains, room: Room, row: int, e: int, end: int
) -> tuple[int, int, int, int]:
    """The first of some entries of a row whose column it leaves less than it has: the next entry, the column, its range."""
    while e < end:
        a, k = equations.coefficients[e], equations.columns[e]
        low, high = domains.low[k], domains.high[k]
        e += 1
        times = a if a > 0 else -a
        if times * (high - low) <= min(room.up[row], room.down[row]):
            continue
        rise, fall = room.up[row] // times, room.down[row] // times
        if a < 0:
            rise, fall = fall, rise
        new_low, new_high = max(low, high - fall), min(high, low + rise)
        if new_low > low or new_high < high:
            return e, k, new_low, new_high
    return e, -1, 0, 0


@jit_inlined
def _propagate(
    equations: Equations, domains: Domains, room: Room, change: tuple[int, int, int], trail: int, work: int
) -> tuple[int, int, int]:
    """Make a change and all that follows from it: does every row still hold, the length of the trail, and the work."""
    n_rows, head, size = len(equations.b), 0, 0  # rows to be looked at stand in a ring
    row, e, end = -1, 0, 0
    while True:
        j = change[0]
        if j >= 0:
            if trail == len(room.changed):
                return TRAIL_IS_FULL, trail, work
            room.changed[trail], room.changed_low[trail], room.changed_high[trail] = j, domains.low[j], domains.high[j]
            trail += 1
            work += equations.column_start[j + 1] - equations.column_start[j]
            holds, size = _narrow(equations, domains, room, change, head, size)
            if not holds:
                break
        if e == end:
            if size == 0:
                return HOLDS, trail, work
            row = room.queue[head]
            head = head + 1 if head + 1 < n_rows else 0
            size -= 1
            room.queued[row] = False
            e, end = equations.row_start[row], equations.row_start[row + 1]
            work += end - e
        e, j, new_low, new_high = _tightened(equations, domains, room, row, e, end)
        change = (j, new_low, new_high)
        if j >= 0 and new_low > new_high:
            break
    while size > 0:
        room.queued[room.queue[head]] = False
        head = head + 1 if head + 1 < n_rows else 0
        size -= 1
    return DEAD_END, trail, work


@jit_inlined
def _undo(equations: Equations, domains: Domains, room: Room, trail: int, until: int) -> int:
    """Take back what the trail says, the latest first."""
    low, high = domains.low, domains.high
    while trail > until:
        trail -= 1
        k = room.changed[trail]
        rise, fall = low[k] - room.changed_low[trail], room.changed_high[trail] - high[k]
        opened = low[k] == high[k] and rise + fall > 0
        low[k], high[k] = room.changed_low[trail], room.changed_high[trail]
        for f in range(equations.column_start[k], equations.column_start[k + 1]):
            row, a = equations.rows_of_column[f], equations.by_column[f]
            room.up[row] += a * rise if a > 0 else -a * fall
            room.down[row] += a * fall if a > 0 else -a * rise
            room.open_in_row[row] += opened
    return trail


@jit_inlined
def _back(
    equations: Equations, domains: Domains, room: Room, trail: int, depth: int
) -> tuple[int, int, tuple[int, int, int]]:
    """Back to the last choice that has something left: how many there are before it (-1: none), the trail, and what is left.

    After the value itself come those above it, and then those below.
    """
    while depth > 0:
        depth -= 1
        trail = _undo(equations, domains, room, trail, room.mark[depth])
        j, value = room.chosen[depth], room.chosen_value[depth]
        room.stage[depth] += 1
        if room.stage[depth] == 1 and value == domains.high[j]:
            room.stage[depth] = 2
        if room.stage[depth] == 1:
            return depth, trail, (j, value + 1, domains.high[j])
        if room.stage[depth] == 2 and value > domains.low[j]:
            return depth, trail, (j, domains.low[j], value - 1)
    return -1, trail, (-1, 0, 0)


@jit_inlined
def _next_row(room: Room, n_rows: int) -> int:
    """The row with the fewest open columns; -1 if none has any."""
    next_row = -1
    for row in range(n_rows):
        if room.open_in_row[row] > 0 and (next_row < 0 or room.open_in_row[row] < room.open_in_row[next_row]):
            next_row = row
    return next_row


@jit_inlined
def _narrowest(equations: Equations, domains: Domains, row: int) -> int:
    """The open column of a row with the fewest values."""
    low, high, j = domains.low, domains.high, -1
    for e in range(equations.row_start[row], equations.row_start[row + 1]):
        k = equations.columns[e]
        if low[k] < high[k] and (j < 0 or high[k] - low[k] < high[j] - low[j]):
            j = k
    return j


@jit_lean
def search(
    equations: Equations,
    low: np.ndarray,
    high: np.ndarray,
    wish: np.ndarray,
    cell: int,
    value: int,
    most_work: int,
    room: Room,
) -> int:
    """Look for a table with low <= x <= high in which a cell has a value; it stands in `low` where one is found.

    The work is counted in entries of the equations that are looked at.
    """
    domains, n_rows = Domains(low, high), len(equations.b)
    if value < low[cell] or value > high[cell] or not _measure(equations, domains, room):
        return NONE
    work, trail, depth = equations.row_start[n_rows], 0, 0
    change = (cell, value, value)
    while True:
        state, trail, work = _propagate(equations, domains, room, change, trail, work)
        if state == TRAIL_IS_FULL or (state == DEAD_END and work > most_work):
            return SPENT
        if state == DEAD_END:
            depth, trail, change = _back(equations, domains, room, trail, depth)
            if depth < 0:
                return NONE
        else:
            row = _next_row(room, n_rows)
            if row < 0:
                return FOUND
            if work > most_work or depth == len(room.chosen):
                return SPENT
            work += n_rows
            j = _narrowest(equations, domains, row)
            value = min(max(wish[j], low[j]), high[j])
            room.chosen[depth], room.chosen_value[depth], room.stage[depth], room.mark[depth] = j, value, 0, trail
            change = (j, value, value)
        depth += 1
