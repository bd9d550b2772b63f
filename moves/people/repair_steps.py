"""The steps of repairs: one person is replaced, then others, each to mend what the last one broke, until all figures hold.

On the way figures have people too many or too few. A way there and its way back meet the same populations in between, and at
each of them the same figure is mended (forwards by the step that follows, backwards by the one that came before), so that
the odds of both ways are known, and the law decides which of both ends is kept (Metropolis and Hastings).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit, jit_inlined
from ...base.random_streams import below, fraction

MOST_WAYS = 8192
"""Ways to mend a figure that are weighed; where there are more, all stay as they are."""
MOST_APART = 40
"""People too many or too few, over all figures, before all stay as they are."""
SAME_PERSON = 0.1
"""The odds of going on with somebody who was just replaced, to those of going on with somebody else: alone he comes back to
where he was, mostly."""


class Replacements(NamedTuple):
    """Who can be replaced by whom, as directed edges between columns, and what that does to rows."""

    row_start: np.ndarray
    columns: np.ndarray
    edge_start: np.ndarray
    source: np.ndarray
    target: np.ndarray
    back: np.ndarray
    """The same edge in the other direction."""
    change_start: np.ndarray
    changed_rows: np.ndarray
    change: np.ndarray
    """1: the row has somebody more, -1: somebody less."""
    lower: np.ndarray
    upper: np.ndarray
    narrow: np.ndarray
    """The odds of each row to be the one that is mended: in few columns little has to be looked at."""
    odds: np.ndarray
    """What a population counts by how many people are too many or too few in it, over all rows."""
    longest: int


class RepairRoom(NamedTuple):
    """What a step works with; `apart` and `net` are 0 everywhere before and after it."""

    apart: np.ndarray
    """People too many in each row, or too few."""
    net: np.ndarray
    path: np.ndarray
    ways: np.ndarray
    left: np.ndarray
    """People too many or too few after each way."""
    broken: np.ndarray


@jit_inlined
def is_possible(to: Replacements, table: np.ndarray, edge: int) -> bool:
    """Do both columns stay between their bounds?"""
    before, after = to.source[edge], to.target[edge]
    return table[before] > to.lower[before] and table[after] < to.upper[after]


@jit_inlined
def apart_after(to: Replacements, room: RepairRoom, edge: int, row: int) -> tuple[int, bool]:
    """By how many more people rows would be wrong after a replacement; and would it mend a certain row?"""
    more, mends = 0, False
    for e in range(to.change_start[edge], to.change_start[edge + 1]):
        wrong = to.change[e] * room.apart[to.changed_rows[e]]
        more += 1 if wrong >= 0 else -1
        if to.changed_rows[e] == row and wrong < 0:
            mends = True
    return more, mends


@jit_inlined
def replace_one(to: Replacements, room: RepairRoom, table: np.ndarray, edge: int) -> None:
    """Replace somebody."""
    table[to.source[edge]] -= 1
    table[to.target[edge]] += 1
    for e in range(to.change_start[edge], to.change_start[edge + 1]):
        room.apart[to.changed_rows[e]] += to.change[e]


@jit_inlined
def broken_by(to: Replacements, room: RepairRoom, edge: int) -> tuple[int, float]:
    """The rows that a replacement, which was just made, left more wrong than before: how many, and their odds together."""
    many, odds = 0, 0.0
    for e in range(to.change_start[edge], to.change_start[edge + 1]):
        row = to.changed_rows[e]
        if to.change[e] * room.apart[row] > 0:
            room.broken[many] = row
            many += 1
            odds += to.narrow[row]
    return many, odds


@jit_inlined
def beside(to: Replacements, one: int, other: int) -> float:
    """The odds of two replacements to follow each other, the first of them backwards."""
    same_source, same_target = to.source[one] == to.source[other], to.target[one] == to.target[other]
    if same_source and same_target:
        return 0.0
    return SAME_PERSON if same_source or same_target else 1.0


@jit_inlined
def list_ways(to: Replacements, room: RepairRoom, table: np.ndarray, row: int, apart: int) -> int:
    """All replacements that mend a row, whoever came before: how many; -1 where they are too many."""
    many, outwards = 0, room.apart[row] > 0
    for e in range(to.row_start[row], to.row_start[row + 1]):
        column = to.columns[e]
        if (outwards and table[column] <= to.lower[column]) or (not outwards and table[column] >= to.upper[column]):
            continue
        for f in range(to.edge_start[column], to.edge_start[column + 1]):
            edge = f if outwards else to.back[f]
            if not is_possible(to, table, edge):
                continue
            more, mends = apart_after(to, room, edge, row)
            if not mends or apart + more >= MOST_APART:
                continue
            if many == MOST_WAYS:
                return -1
            room.ways[many], room.left[many] = edge, apart + more
            many += 1
    return many


@jit_inlined
def odds_beside(to: Replacements, room: RepairRoom, many: int, edge: int) -> float:
    """The odds of all ways together, to follow one edge backwards."""
    total = 0.0
    for k in range(many):
        total += to.odds[room.left[k]] * beside(to, edge, room.ways[k])
    return total


@jit_inlined
def one_way(to: Replacements, room: RepairRoom, many: int, edge: int, height: float) -> int:
    """The way at a height of the pile of odds."""
    found = -1
    for k in range(many):
        odds = to.odds[room.left[k]] * beside(to, edge, room.ways[k])
        if odds > 0.0:
            found = k
            height -= odds
            if height < 0.0:
                break
    return found


@jit_inlined
def broken_at(to: Replacements, room: RepairRoom, many: int, height: float) -> int:
    """The broken row at a height of the pile of their odds."""
    for k in range(many - 1):
        height -= to.narrow[room.broken[k]]
        if height < 0.0:
            return room.broken[k]
    return room.broken[many - 1]


@jit_inlined
def next_edge(
    to: Replacements, room: RepairRoom, table: np.ndarray, last: int, before: int, apart: int, random: np.ndarray
) -> tuple[int, int, float]:
    """The replacement that follows; how many are too many or too few after it; and the log of the odds of the way back over
    those of the way there. -1 where there is none.

    `before` and `apart` are how many were too many or too few before the last replacement and after it.
    """
    n_broken, odds_there = broken_by(to, room, last)
    if n_broken == 0:
        return -1, 0, 0.0
    row = broken_at(to, room, n_broken, fraction(random) * odds_there)
    many = list_ways(to, room, table, row, apart)
    there = odds_beside(to, room, many, to.back[last])
    if there <= 0.0:
        return -1, 0, 0.0
    k = one_way(to, room, many, to.back[last], fraction(random) * there)
    edge = room.ways[k]
    back_again = odds_beside(to, room, many, edge)
    _, odds_back = broken_by(to, room, to.back[edge])
    log = np.log(odds_there / odds_back) + np.log(there / back_again) + np.log(to.odds[before] / to.odds[room.left[k]])
    return edge, room.left[k], log


@jit_inlined
def find_round(to: Replacements, room: RepairRoom, table: np.ndarray, random: np.ndarray) -> tuple[int, float]:
    """Replace people until all figures hold: how many, 0 where it was given up and all are back in their place.

    With it the log of the odds of the way back over those of the way there."""
    column = below(random, len(to.lower))
    n_edges = to.edge_start[column + 1] - to.edge_start[column]
    if n_edges == 0 or table[column] <= to.lower[column]:
        return 0, 0.0
    edge = to.edge_start[column] + below(random, n_edges)
    apart, _ = apart_after(to, room, edge, -1)
    if apart >= MOST_APART or not is_possible(to, table, edge):
        return 0, 0.0
    log, before, done = np.log(float(n_edges)), 0, 1
    replace_one(to, room, table, edge)
    room.path[0] = edge
    while apart > 0:
        following, left, ratio = -1, 0, 0.0
        if done < to.longest:
            following, left, ratio = next_edge(to, room, table, edge, before, apart, random)
        if following < 0:
            take_back(to, room, table, done)
            return 0, 0.0
        log += ratio
        before, apart, edge = apart, left, following
        replace_one(to, room, table, edge)
        room.path[done] = edge
        done += 1
    last = to.target[edge]
    return done, log - np.log(float(to.edge_start[last + 1] - to.edge_start[last]))


@jit_inlined
def take_back(to: Replacements, room: RepairRoom, table: np.ndarray, many: int) -> None:
    """Undo the replacements of a round."""
    for k in range(many - 1, -1, -1):
        replace_one(to, room, table, to.back[room.path[k]])


@jit
def repair_alike(to: Replacements, room: RepairRoom, table: np.ndarray, random: np.ndarray) -> int:
    """One round where every table counts alike; how many were replaced, 0 where all stayed."""
    many, log = find_round(to, room, table, random)
    if many > 0 and np.log(1.0 - fraction(random)) > log:
        take_back(to, room, table, many)
        return 0
    return many
