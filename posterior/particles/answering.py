"""What tables of a pool would have answered, and what the pool would make of each answer."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit_lean
from ...base.random_streams import scattered
from .chances import Rows
from .likelihood import Room, address, entered, log_chance, set_out
from .told import Told

NOBODY, OWN = -2, -1
"""Where the draw of a group is from, if it is no draw that there was before."""


class Asked(NamedTuple):
    """New groups, in every table [table, group]."""

    totals: np.ndarray
    source: np.ndarray
    """NOBODY; OWN: a draw of its own; else the figure that the same people were published as."""
    twin: np.ndarray
    """The first of these groups that is the same people."""
    numbers: np.ndarray
    """A random number in [0, 1) that belongs to the table and to the people."""


def asked_of(tables: int, groups: int) -> Asked:
    """Room for what is found."""
    whole = [np.zeros((tables, groups), dtype=np.int64) for _ in range(3)]
    return Asked(*whole, np.zeros((tables, groups)))


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
    """Fill in what every table says of new groups, `of_cell` by cells."""
    for i in range(len(tables)):
        set_out(told.of_start, told.of_cell, told.marks, room, tables[i])
        entered(told, room, room.counted)
        set_out(of_start, of_cell, told.marks, new, tables[i])
        for group in range(len(new.totals)):
            people = new.people[group]
            asked.totals[i, group] = new.totals[group]
            asked.twin[i, group] = group
            asked.source[i, group] = NOBODY if people == np.uint64(0) else OWN
            bits = scattered(people ^ word, np.uint64(i + 1))
            asked.numbers[i, group] = (bits >> np.uint64(11)) * (1.0 / 9007199254740992.0)
            if people == np.uint64(0) or not told.shared:
                continue
            place = address(room, people)
            if room.stamps[place] == room.stamps[-1]:
                asked.source[i, group] = told.rows.figures[told.row[room.owners[place]]]
            for other in range(group):
                if new.people[other] == people:
                    asked.twin[i, group] = other
                    break


@jit_lean
def weigh(asked: Asked, rows: Rows, answer: np.ndarray, weights: np.ndarray, able: np.ndarray) -> int:
    """The weight of every table given one answer, its figures as rows; how many tables, listed in `able`, have any."""
    left = len(weights)
    for i in range(left):
        able[i] = i
        weights[i] = 1.0
    for group in range(len(answer)):
        row = answer[group]
        kept = 0
        for e in range(left):
            i = able[e]
            source, twin = asked.source[i, group], asked.twin[i, group]
            if source == NOBODY:
                fits = rows.figures[row] == 0
            elif source != OWN:
                fits = rows.figures[row] == source
            elif twin != group:
                fits = answer[twin] == row
            else:
                chance = np.exp(log_chance(rows, row, asked.totals[i, group]))
                fits = chance > 0.0
                weights[i] *= chance
            if fits:
                able[kept] = i
                kept += 1
        left = kept
    return left


@jit_lean
def tell_too_much(
    tables: np.ndarray,
    asked: Asked,
    rows: Rows,
    answers: np.ndarray,
    often: np.ndarray,
    holds: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    weights: np.ndarray,
    able: np.ndarray,
    sums: np.ndarray,
    least_effective: float,
    allowed: int,
) -> int:
    """How many answers, each as `often` as it was imagined, make a predicate less or more probable than it may be.

    `holds` says which predicates each count has, [count, predicate]; `low` and `high` are limits, [cell, predicate]. Answers
    that too few tables of the pool speak for count as well. When more than are allowed are found, it stops.
    """
    found = 0
    for a in range(len(answers)):
        left = weigh(asked, rows, answers[a], weights, able)
        total, squares = 0.0, 0.0
        sums[:] = 0.0
        for e in range(left):
            weight = weights[able[e]]
            total += weight
            squares += weight * weight
        bad = total * total < least_effective * squares or left == 0
        if not bad:
            for e in range(left):
                i = able[e]
                for cell in range(tables.shape[1]):
                    for k in range(holds.shape[1]):
                        sums[cell, k] += weights[i] * holds[tables[i, cell], k]
            for cell in range(tables.shape[1]):
                for k in range(holds.shape[1]):
                    bad |= sums[cell, k] < low[cell, k] * total or sums[cell, k] > high[cell, k] * total
        if bad:
            found += often[a]
            if found > allowed:
                return found
    return found
