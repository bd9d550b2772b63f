"""Search for one table in a block, depth first: a column is decided, what follows is propagated, and so on.

The next column is from the equation with the fewest open ones, so that dead ends show early; it takes the value that is
wished for it, or the nearest that is left, and then those above and below. Every change is written down and undone on the
way back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit

FOUND, NONE, SPENT = 1, 0, -1
"""A table is found; there is none, and that is certain; neither is known when the budget ends."""


class Equations(NamedTuple):
    """A x = b by rows and by columns."""

    row_start: np.ndarray
    columns: np.ndarray
    coefficients: np.ndarray
    b: np.ndarray
    column_start: np.ndarray
    rows_of_column: np.ndarray
    by_column: np.ndarray


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


@jit
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
    row_start, columns, coefficients, b, column_start, rows_of_column, by_column = equations
    open_in_row, up, down, widest = room.open_in_row, room.up, room.down, room.widest
    queue, queued = room.queue, room.queued
    changed, changed_low, changed_high = room.changed, room.changed_low, room.changed_high
    chosen, chosen_value, stage, mark = room.chosen, room.chosen_value, room.stage, room.mark
    n_rows = len(b)
    if value < low[cell] or value > high[cell]:
        return NONE
    for row in range(n_rows):
        queued[row] = False
        # how far the sum of a row may exceed its least, and fall short of its most
        up[row], down[row], open_in_row[row], widest[row] = b[row], -b[row], 0, 0
        for e in range(row_start[row], row_start[row + 1]):
            a, k = coefficients[e], columns[e]
            least, most = (a * low[k], a * high[k]) if a > 0 else (a * high[k], a * low[k])
            up[row] -= least
            down[row] += most
            widest[row] = max(widest[row], most - least)
            open_in_row[row] += low[k] < high[k]
        if up[row] < 0 or down[row] < 0:
            return NONE
    work, trail, depth = row_start[n_rows], 0, 0
    j, new_low, new_high = cell, value, value
    while True:
        # The column j gets a narrower range. Rows that this may tell something stand in a ring.
        head = size = 0
        dead = False
        row, e, end = -1, 0, 0
        while True:
            if j >= 0:
                if trail == len(changed):
                    return SPENT
                rise, fall = new_low - low[j], high[j] - new_high
                changed[trail], changed_low[trail], changed_high[trail] = j, low[j], high[j]
                trail += 1
                closed = low[j] < high[j] and new_low == new_high
                low[j], high[j] = new_low, new_high
                work += column_start[j + 1] - column_start[j]
                for f in range(column_start[j], column_start[j + 1]):
                    other, a = rows_of_column[f], by_column[f]
                    up[other] -= a * rise if a > 0 else -a * fall
                    down[other] -= a * fall if a > 0 else -a * rise
                    open_in_row[other] -= closed
                    left = min(up[other], down[other])
                    dead = dead or left < 0
                    if left < widest[other] and open_in_row[other] > 0 and not queued[other]:
                        queued[other] = True
                        queue[head + size if head + size < n_rows else head + size - n_rows] = other
                        size += 1
                j = -1
                if dead:
                    break
            if e == end:
                if size == 0:
                    break
                row = queue[head]
                head = head + 1 if head + 1 < n_rows else 0
                size -= 1
                queued[row] = False
                e, end = row_start[row], row_start[row + 1]
                work += end - e
            while e < end and j < 0:
                a, k = coefficients[e], columns[e]
                e += 1
                times = a if a > 0 else -a
                if times * (high[k] - low[k]) <= min(up[row], down[row]):
                    continue
                rise, fall = up[row] // times, down[row] // times
                if a < 0:
                    rise, fall = fall, rise
                new_low, new_high = max(low[k], high[k] - fall), min(high[k], low[k] + rise)
                if new_low > low[k] or new_high < high[k]:
                    j = k
            if j >= 0 and new_low > new_high:
                dead = True
                break
        if dead:
            while size > 0:
                queued[queue[head]] = False
                head = head + 1 if head + 1 < n_rows else 0
                size -= 1
            if work > most_work:
                return SPENT
            # Back to the last choice that has something left.
            again = False
            while not again:
                if depth == 0:
                    return NONE
                depth -= 1
                while trail > mark[depth]:
                    trail -= 1
                    k = changed[trail]
                    rise, fall = low[k] - changed_low[trail], changed_high[trail] - high[k]
                    opened = low[k] == high[k] and rise + fall > 0
                    low[k], high[k] = changed_low[trail], changed_high[trail]
                    for f in range(column_start[k], column_start[k + 1]):
                        other, a = rows_of_column[f], by_column[f]
                        up[other] += a * rise if a > 0 else -a * fall
                        down[other] += a * fall if a > 0 else -a * rise
                        open_in_row[other] += opened
                j, value = chosen[depth], chosen_value[depth]
                stage[depth] += 1
                if stage[depth] == 1 and value == high[j]:
                    stage[depth] = 2
                again = stage[depth] == 1 or (stage[depth] == 2 and value > low[j])
            new_low, new_high = (value + 1, high[j]) if stage[depth] == 1 else (low[j], value - 1)
            depth += 1
            continue
        next_row = -1
        for row in range(n_rows):
            if open_in_row[row] > 0 and (next_row < 0 or open_in_row[row] < open_in_row[next_row]):
                next_row = row
        if next_row < 0:
            return FOUND
        if work > most_work or depth == len(chosen):
            return SPENT
        work += n_rows
        j = -1
        for e in range(row_start[next_row], row_start[next_row + 1]):
            k = columns[e]
            if low[k] < high[k] and (j < 0 or high[k] - low[k] < high[j] - low[j]):
                j = k
        value = min(max(wish[j], low[j]), high[j])
        chosen[depth], chosen_value[depth], stage[depth], mark[depth] = j, value, 0, trail
        depth += 1
        new_low = new_high = value
