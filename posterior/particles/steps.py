"""Tables of a pool change by steps that leave the law given all figures as it is (Metropolis 1953)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit_inner, jit_lean
from ...base.random_streams import below, fraction
from .likelihood import Room, chance, entered, of_counts, set_out
from .told import Told

FARTHEST = 3
"""The most people that come, go or move together."""


class Ground(NamedTuple):
    """What steps are made on."""

    law: np.ndarray
    """Log-weights [cell, count]."""
    shape: np.ndarray
    """Of the grid of cells."""
    cells: np.ndarray
    """Room for the cells of a step,"""
    by: np.ndarray
    """and how many people come to each."""


def ground(law: np.ndarray, shape: tuple[int, ...]) -> Ground:
    """The same with its room."""
    return Ground(law, np.array(shape, dtype=np.int64), np.zeros(4, dtype=np.int64), np.zeros(4, dtype=np.int64))


@jit_inner
def proposed(ground: Ground, random: np.ndarray) -> int:
    """How many cells a step changes, and by how much: people come or go, move, or two exchange one of their dims.

    A step and its opposite are equally probable.
    """
    shape, cells, by, n_cells = ground.shape, ground.cells, ground.by, len(ground.law)
    many = 1 if below(random, 2) == 0 else 1 + below(random, FARTHEST)
    kind = below(random, 3)
    cells[0], by[0] = below(random, n_cells), many
    if kind == 0:
        if below(random, 2) == 0:
            by[0] = -many
        return 1
    cells[1], by[1] = below(random, n_cells), -many
    if cells[0] == cells[1]:
        return 0
    if kind == 1:
        return 2
    axis = below(random, len(shape))
    after = 1
    for later in range(axis + 1, len(shape)):
        after *= shape[later]
    first, second = cells[0] // after % shape[axis], cells[1] // after % shape[axis]
    cells[2], by[2] = cells[0] + (second - first) * after, -many
    cells[3], by[3] = cells[1] + (first - second) * after, -many
    by[1] = many
    if first == second or cells[2] == cells[1]:
        return 0
    return 4


@jit_inner
def changed(told: Told, room: Room, table: np.ndarray, cell: int, by: int) -> bool:
    """Put people into a cell or take them out; did it become occupied or empty?"""
    turned = (table[cell] == 0) != (table[cell] + by == 0)
    table[cell] += by
    for e in range(told.of_start[cell], told.of_start[cell + 1]):
        room.totals[told.of_cell[e]] += by
        if turned:
            room.people[told.of_cell[e]] ^= told.marks[cell]
    return turned


@jit_inner
def ruled_out(told: Told, room: Room, cell: int) -> bool:
    """Is a figure of a cell's groups impossible? That is seen sooner than how probable all figures are."""
    for e in range(told.of_start[cell], told.of_start[cell + 1]):
        group = told.of_cell[e]
        if chance(told.rows, told.row[group], room.totals[group]) == 0.0:
            return True
    return False


@jit_inner
def gained(ground: Ground, table: np.ndarray, number: int) -> float:
    """What the log-weight of the law gains by a step."""
    gain = 0.0 if number > 0 else -np.inf
    for j in range(number):
        cell = ground.cells[j]
        value = table[cell] + ground.by[j]
        if value < 0 or value >= ground.law.shape[1]:
            return -np.inf
        gain += ground.law[cell, value] - ground.law[cell, table[cell]]
    return gain


@jit_inner
def tried(told: Told, ground: Ground, room: Room, table: np.ndarray, number: int) -> tuple[float, bool]:
    """The log-likelihood after a step, and whether a cell became occupied or empty."""
    turned = False
    for j in range(number):
        turned |= changed(told, room, table, ground.cells[j], ground.by[j])
    for j in range(number):
        if ruled_out(told, room, ground.cells[j]):
            return -np.inf, turned
    return entered(told, room, room.trial) if turned else of_counts(told, room), turned


@jit_lean
def walk(tables: np.ndarray, told: Told, ground: Ground, room: Room, steps: int, random: np.ndarray) -> int:
    """So many steps of every table [table, cell]; how many were taken."""
    taken = 0
    for i in range(len(tables)):
        table = tables[i]
        set_out(told.of_start, told.of_cell, told.marks, room, table)
        log = entered(told, room, room.counted)
        for _ in range(steps):
            number = proposed(ground, random)
            gain = gained(ground, table, number)
            if gain == -np.inf:
                continue
            new, turned = tried(told, ground, room, table, number)
            if new > -np.inf and np.log(fraction(random)) < gain + new - log:
                log = new
                taken += 1
                if turned:
                    for group in range(len(room.counted)):
                        room.counted[group] = room.trial[group]
            else:
                for j in range(number):
                    changed(told, room, table, ground.cells[j], -ground.by[j])
    return taken
