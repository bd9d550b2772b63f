"""What tables of a pool would have answered, and what the pool would make of each answer."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit_inlined, jit_lean
from ...base.random_streams import scattered
from .chances import Rows
from .likelihood import Room, address, chance, entered, set_out
from .told import Told

TWIN = -(2**60)
"""Codes of groups that are the same people as another new one begin here, downward."""


LEAST_EFFECTIVE = 100
"""Effective draws of a pool below which nothing is taken from it: (sum of weights)^2 / (sum of their squares)."""


class Asked(NamedTuple):
    """What tables say of new groups, [group, table]."""

    codes: np.ndarray
    """From 0: a count that is published by a draw of its own. From -1 downward: as what figure (-1 - code) the same people
    were published before. From TWIN downward: which of these groups (TWIN - code) is the same people."""
    numbers: np.ndarray
    """A random number in [0, 1) that belongs to the table and to the people."""


class Answers(NamedTuple):
    """Answers that were imagined, each once."""

    rows: Rows
    figures: np.ndarray
    """[answer, group]: the row of each figure."""
    often: np.ndarray
    """How often each was imagined."""


class Judged(NamedTuple):
    """What is watched: predicates of single cells, and how probable they may become."""

    holds: np.ndarray
    """Which predicates each count has, [count, predicate]: 1 or 0."""
    low: np.ndarray
    """[cell, predicate]"""
    high: np.ndarray


class Weighed(NamedTuple):
    """Room for one answer after the other."""

    weights: np.ndarray
    able: np.ndarray
    """The tables that have a weight."""
    sums: np.ndarray
    """The weight of each predicate, [cell, predicate]."""


@jit_lean
def look_up(
    tables: np.ndarray,
    told: Told,
    room: Room,
    of_start: np.ndarray,
    of_cell: np.ndarray,
    new: Room,
    asked: Asked,
    word: np.uint64,
) -> None:
    """Fill in what every table says of new groups, which stand by cells in `of_cell`."""
    for i in range(len(tables)):
        set_out(told.of_start, told.of_cell, told.marks, room, tables[i])
        entered(told, room, room.counted)
        set_out(of_start, of_cell, told.marks, new, tables[i])
        for group in range(len(new.totals)):
            people = new.people[group]
            bits = scattered(people ^ word, np.uint64(i + 1))
            asked.numbers[group, i] = (bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)
            asked.codes[group, i] = new.totals[group]
            if people == np.uint64(0) or not told.shared:
                continue
            place = address(room, people)
            if room.stamps[place] == room.stamps[-1]:
                asked.codes[group, i] = -1 - told.rows.figures[told.row[room.owners[place]]]
                continue
            for other in range(group):
                if new.people[other] == people:
                    asked.codes[group, i] = TWIN - other
                    break


@jit_inlined
def taken(asked: Asked, rows: Rows, answer: np.ndarray, weights: np.ndarray, group: int, i: int) -> bool:
    """Take one figure of an answer into the weight of a table; has it any?"""
    code, row = asked.codes[group, i], answer[group]
    if code >= 0:
        p = chance(rows, row, code)
        weights[i] *= p
        return p > 0.0
    if code > TWIN:
        return rows.figures[row] == -1 - code
    return answer[TWIN - code] == row


@jit_lean
def weigh(asked: Asked, rows: Rows, answer: np.ndarray, weights: np.ndarray, able: np.ndarray) -> int:
    """The weight of every table given one answer, its figures as rows; how many tables, listed in `able`, have any."""
    left = 0
    for i in range(len(weights)):
        able[left], weights[i] = i, 1.0
        left += taken(asked, rows, answer, weights, 0, i)
    for group in range(1, len(answer)):
        kept = 0
        for e in range(left):
            i = able[e]
            able[kept] = i
            kept += taken(asked, rows, answer, weights, group, i)
        left = kept
    return left


@jit_lean
def tell_too_much(
    tables: np.ndarray, asked: Asked, answers: Answers, judged: Judged, room: Weighed, allowed: int
) -> int:
    """How many imagined answers make a predicate less or more probable than it may be.

    Answers that too few tables of the pool speak for count as well. When more than are allowed are found, it stops.
    """
    found, sums = 0, room.sums
    for a in range(len(answers.often)):
        left = weigh(asked, answers.rows, answers.figures[a], room.weights, room.able)
        total, squares = 0.0, 0.0
        sums[:] = 0.0
        for e in range(left):
            weight = room.weights[room.able[e]]
            total += weight
            squares += weight * weight
        bad = left == 0 or total * total < LEAST_EFFECTIVE * squares
        if not bad:
            for e in range(left):
                i = room.able[e]
                for cell in range(tables.shape[1]):
                    for k in range(sums.shape[1]):
                        sums[cell, k] += room.weights[i] * judged.holds[tables[i, cell], k]
            for cell in range(tables.shape[1]):
                for k in range(sums.shape[1]):
                    bad |= sums[cell, k] < judged.low[cell, k] * total or sums[cell, k] > judged.high[cell, k] * total
        if bad:
            found += answers.often[a]
            if found > allowed:
                return found
    return found
