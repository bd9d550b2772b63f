"""Search for one table in a block, or for all, depth first, as in constraint programming: decide a column, propagate what
follows.

The next column is from the equation with the fewest open ones, so that dead ends show early; it takes the value that is
wished for it, or the nearest that is left, and then those above and below.
"""

from __future__ import annotations

import numpy as np

from ...base.jit import jit_inlined, jit_lean
from ..equations.moments import Moments
from ..equations.sparse_equations import Equations
from .propagation_kernel import DEAD_END, HOLDS, TRAIL_IS_FULL, Domains, Room, measure, propagate, undo

FOUND, NONE, SPENT = 1, 0, -1
"""A table is found; there is none, and that is certain; neither is known when the budget ends."""


@jit_inlined
def _back(
    equations: Equations, domains: Domains, room: Room, trail: int, depth: int
) -> tuple[int, int, tuple[int, int, int]]:
    """Back to the last choice that has something left: how many there are before it (-1: none), the trail, and what is left.

    After the value itself come those above it, and then those below.
    """
    while depth > 0:
        depth -= 1
        trail = undo(equations, domains, room, trail, room.mark[depth])
        column, value = room.chosen[depth], room.chosen_value[depth]
        room.stage[depth] += 1
        if room.stage[depth] == 1 and value == domains.high[column]:
            room.stage[depth] = 2
        if room.stage[depth] == 1:
            return depth, trail, (column, value + 1, domains.high[column])
        if room.stage[depth] == 2 and value > domains.low[column]:
            return depth, trail, (column, domains.low[column], value - 1)
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
    low, high, narrowest = domains.low, domains.high, -1
    for entry in range(equations.row_start[row], equations.row_start[row + 1]):
        column = equations.columns[entry]
        if low[column] < high[column] and (
            narrowest < 0 or high[column] - low[column] < high[narrowest] - low[narrowest]
        ):
            narrowest = column
    return narrowest


@jit_inlined
def _chosen(
    equations: Equations, domains: Domains, room: Room, row: int, wish: np.ndarray, depth: int, trail: int
) -> tuple[int, int, int]:
    """Decide a column of a row by what is wished for it, and note the choice for the way back."""
    column = _narrowest(equations, domains, row)
    value = min(max(wish[column], domains.low[column]), domains.high[column])
    room.chosen[depth], room.chosen_value[depth], room.stage[depth], room.mark[depth] = column, value, 0, trail
    return column, value, value


@jit_lean
def search(
    equations: Equations,
    moments: Moments,
    low: np.ndarray,
    high: np.ndarray,
    wish: np.ndarray,
    wanted: tuple[int, int],
    most_work: int,
    room: Room,
) -> int:
    """Look for a table with low <= x <= high in which a cell has a value; it stands in `low` where one is found.

    The work is counted in entries of the equations that are looked at.
    """
    domains, n_rows = Domains(low, high), len(equations.b)
    cell, value = wanted
    if value < low[cell] or value > high[cell] or not measure(equations, domains, room):
        return NONE
    work, trail, depth = equations.row_start[n_rows], 0, 0
    change = (cell, value, value)
    while True:
        state, trail, work = propagate(equations, moments, domains, room, change, trail, work)
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
            change = _chosen(equations, domains, room, row, wish, depth, trail)
        depth += 1


@jit_lean
def narrow(equations: Equations, moments: Moments, low: np.ndarray, high: np.ndarray, room: Room) -> bool:
    """Make ranges narrower in place by all that follows from them; whether every equation can still hold."""
    domains = Domains(low, high)
    if not measure(equations, domains, room):
        return False
    state, _, _ = propagate(equations, moments, domains, room, (-1, 0, 0), 0, 0)
    return bool(state != DEAD_END)


# Places in the state of a walk through all tables, which can be left and taken up again.
STAGE, DEPTH, TRAIL, WORK = 0, 1, 2, 3
NOT_BEGUN, UNDER_WAY, AT_ITS_END, GIVEN_UP = 0, 1, 2, 3
PAUSE = 200_000_000
"""Entries of equations, some tenths of a second, after which a walk is left for a moment."""


@jit_lean
def next_tables(
    equations: Equations,
    moments: Moments,
    low: np.ndarray,
    high: np.ndarray,
    most_work: int,
    room: Room,
    course: np.ndarray,
    tables: np.ndarray,
) -> int:
    """Go on with a walk through all tables for a while: how many further ones stand in the rows of `tables`.

    `low`, `high` and `room` are its own until it is AT_ITS_END, or GIVEN_UP after too much work.
    """
    domains, n_rows, number = Domains(low, high), len(equations.b), 0
    depth, trail, work, change = course[DEPTH], course[TRAIL], course[WORK], (-1, 0, 0)
    pause_at = work + PAUSE
    if course[STAGE] == NOT_BEGUN:
        if not measure(equations, domains, room):
            course[STAGE] = AT_ITS_END
            return 0
        depth = 0
    else:
        depth, trail, change = _back(equations, domains, room, trail, depth)
        if depth < 0:
            course[STAGE] = AT_ITS_END
            return 0
    course[STAGE] = UNDER_WAY
    # the number of choices behind a change counts its own, but for the first change, which none leads to
    depth += change[0] >= 0
    while True:
        state, trail, work = propagate(equations, moments, domains, room, change, trail, work)
        if state == TRAIL_IS_FULL or work > most_work:
            course[STAGE] = GIVEN_UP
            return number
        if state == HOLDS:
            row = _next_row(room, n_rows)
            work += n_rows
            if row >= 0:
                if depth == len(room.chosen):
                    course[STAGE] = GIVEN_UP
                    return number
                change = _chosen(equations, domains, room, row, low, depth, trail)
                depth += 1
                continue
            for column in range(len(low)):
                tables[number, column] = low[column]
            number += 1
        if number == len(tables) or work > pause_at:
            course[DEPTH], course[TRAIL], course[WORK] = depth, trail, work
            return number
        depth, trail, change = _back(equations, domains, room, trail, depth)
        if depth < 0:
            course[STAGE] = AT_ITS_END
            return number
        depth += 1
