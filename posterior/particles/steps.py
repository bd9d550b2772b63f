"""Tables of a pool change by steps that leave the law given all figures as it is (Metropolis 1953)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit_inner, jit_lean
from ...base.random_streams import below, fraction
from .likelihood import Room, entered, of_counts, set_out
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


@jit_lean
def walk(tables: np.ndarray, told: Told, ground: Ground, room: Room, steps: int, random: np.ndarray) -> int:
    """So many steps of every table [table, cell]; how many were taken."""
    law, cells, by = ground.law, ground.cells, ground.by
    taken = 0
    for i in range(len(tables)):
        table = tables[i]
        set_out(told.of_start, told.of_cell, told.marks, room, table)
        log = entered(told, room, room.counted)
        for _ in range(steps):
            number = proposed(ground, random)
            gain, inside = 0.0, number > 0
            for j in range(number):
                value = table[cells[j]] + by[j]
                if value < 0 or value >= law.shape[1]:
                    inside = False
                    break
                gain += law[cells[j], value] - law[cells[j], table[cells[j]]]
            if not inside or gain == -np.inf:
                continue
            turned = False
            for j in range(number):
                turned |= changed(told, room, table, cells[j], by[j])
            new = entered(told, room, room.trial) if turned else of_counts(told, room)
            if np.log(fraction(random)) < gain + new - log:
                log = new
                taken += 1
                if turned:
                    for group in range(len(room.counted)):
                        room.counted[group] = room.trial[group]
            else:
                for j in range(number):
                    changed(told, room, table, cells[j], -by[j])
    return taken
