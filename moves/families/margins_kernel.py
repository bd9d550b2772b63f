"""Random moves of complete tables that keep margins: data swaps across a cut, and moves of a part lifted to the table.

A move is written as *units*: as many cells that lose one as cells that gain one, each cell a row of coordinates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit_inlined, jit_inner, jit_lean
from ...base.random_streams import below, fraction
from .stock import Stock


class Arrays(NamedTuple):
    """What the kernel needs to know of the margins. Axes are those of the table that have several open labels."""

    size: np.ndarray
    """Open labels of each axis."""
    offset: np.ndarray
    """[axis, label]: what the label adds to the number of the cell."""
    base: int
    """The number of the cell at the first label of all axes, less what their offsets add."""
    ends: np.ndarray
    """Cumulative odds: first the cuts, then the free axes (if any), then the patterns."""
    stays: np.ndarray
    """[cut, axis]: both units of a data swap agree here."""
    swaps: np.ndarray
    """[cut, axis]: these labels are exchanged."""
    free: np.ndarray
    """[axis]: in no margin."""
    start: np.ndarray
    """Where the units of each pattern begin."""
    plus: np.ndarray
    """[unit, merged dim]: labels of the cells that gain one, as the pattern numbers them."""
    minus: np.ndarray
    part: np.ndarray
    """The part that each pattern belongs to."""
    used: np.ndarray
    """[pattern, merged dim]: how many labels it uses."""
    room: np.ndarray
    """[part, merged dim]: how many labels there are."""
    role: np.ndarray
    """[part, axis]: the merged dim it belongs to; -1: one label for all units; -2 - c: outside, in component c."""
    radix: np.ndarray
    """[part, axis]: a merged label divided by this, modulo the size of the axis, is the label on the axis."""
    touches: np.ndarray
    """[part, component, axis]: the axes of the part that share margins with an outside component."""


@jit_inlined
def _draw_swap(arrays: Arrays, cut: int, random: np.ndarray, coordinates: np.ndarray) -> None:
    """A data swap: two units exchange their labels on one side of a cut, and agree on it."""
    for axis in range(len(arrays.size)):
        label = below(random, arrays.size[axis])
        other = label if arrays.stays[cut, axis] else below(random, arrays.size[axis])
        coordinates[0, axis], coordinates[1, axis] = label, other
        if arrays.swaps[cut, axis]:
            label, other = other, label
        coordinates[2, axis], coordinates[3, axis] = label, other


@jit_inlined
def _draw_labels(arrays: Arrays, pattern: int, random: np.ndarray, mapping: np.ndarray) -> None:
    """Different labels for those that a pattern uses, of each merged dim."""
    part = arrays.part[pattern]
    for dim in range(arrays.used.shape[1]):
        for label in range(arrays.used[pattern, dim]):
            again = True
            while again:
                mapping[dim, label] = below(random, arrays.room[part, dim])
                again = False
                for before in range(label):
                    again = again or mapping[dim, before] == mapping[dim, label]


@jit_inlined
def _draw_outside(arrays: Arrays, pattern: int, random: np.ndarray, coordinates: np.ndarray) -> None:
    """Labels of the gaining units outside the part of a pattern."""
    part, degree = arrays.part[pattern], arrays.start[pattern + 1] - arrays.start[pattern]
    for axis in range(len(arrays.size)):
        role = arrays.role[part, axis]
        if role == -1:
            common = below(random, arrays.size[axis])
            for unit in range(degree):
                coordinates[unit, axis] = common
        elif role < -1:
            for unit in range(degree):
                coordinates[unit, axis] = below(random, arrays.size[axis])


@jit_inner
def draw_units(arrays: Arrays, random: np.ndarray, coordinates: np.ndarray, mapping: np.ndarray) -> int:
    """Write the coordinates of a random move's units, those that gain first; how many gain.

    `mapping` is room for [merged dim, label]: the labels that a pattern's own labels stand for.
    """
    kind, n_cuts = int(np.searchsorted(arrays.ends, fraction(random), "right")), len(arrays.stays)
    if kind < n_cuts:
        _draw_swap(arrays, kind, random, coordinates)
        return 2
    n_free = 0
    for axis in range(len(arrays.size)):
        if arrays.free[axis]:
            n_free = 1
    if kind < n_cuts + n_free:
        for axis in range(len(arrays.size)):
            coordinates[0, axis] = below(random, arrays.size[axis])
            coordinates[1, axis] = below(random, arrays.size[axis]) if arrays.free[axis] else coordinates[0, axis]
        return 1
    pattern = kind - n_cuts - n_free
    _draw_labels(arrays, pattern, random, mapping)
    _draw_outside(arrays, pattern, random, coordinates)
    lift(arrays, pattern, mapping, coordinates)
    return arrays.start[pattern + 1] - arrays.start[pattern]


@jit_inlined
def _fill_part(arrays: Arrays, pattern: int, mapping: np.ndarray, coordinates: np.ndarray) -> None:
    """The labels of a pattern inside its part, and those that all its units have in common."""
    part, first = arrays.part[pattern], arrays.start[pattern]
    degree = arrays.start[pattern + 1] - first
    for axis in range(len(arrays.size)):
        dim = arrays.role[part, axis]
        if dim >= 0:
            for unit in range(degree):
                up, down = mapping[dim, arrays.plus[first + unit, dim]], mapping[dim, arrays.minus[first + unit, dim]]
                coordinates[unit, axis] = up // arrays.radix[part, axis] % arrays.size[axis]
                coordinates[degree + unit, axis] = down // arrays.radix[part, axis] % arrays.size[axis]
        elif dim == -1:
            for unit in range(degree):
                coordinates[degree + unit, axis] = coordinates[0, axis]


@jit_inlined
def _agree(arrays: Arrays, part: int, component: int, coordinates: np.ndarray, unit: int, other: int) -> bool:
    """Have two units the same labels wherever an outside component shares margins with a part?"""
    for axis in range(len(arrays.size)):
        if arrays.touches[part, component, axis] and coordinates[unit, axis] != coordinates[other, axis]:
            return False
    return True


@jit_inlined
def _match(arrays: Arrays, part: int, component: int, coordinates: np.ndarray, degree: int, axis: int) -> None:
    """Each losing unit takes the labels of an outside component, to which an axis belongs, from a gaining unit."""
    for unit in range(degree):  # mark the losing units as not yet matched
        coordinates[degree + unit, axis] = -1
    for unit in range(degree):
        for other in range(degree, 2 * degree):
            if coordinates[other, axis] < 0 and _agree(arrays, part, component, coordinates, unit, other):
                for other_axis in range(len(arrays.size)):
                    if arrays.role[part, other_axis] == -2 - component:
                        coordinates[other, other_axis] = coordinates[unit, other_axis]
                break


@jit_lean
def lift(arrays: Arrays, pattern: int, mapping: np.ndarray, coordinates: np.ndarray) -> None:
    """Fill in a pattern's coordinates, given those of the gaining units on the other axes.

    Outside the part each losing unit takes the labels of a gaining unit that agrees with it wherever an outside component
    shares margins with the part; the pattern keeps these margins, so there is one for each.
    """
    part, degree = arrays.part[pattern], arrays.start[pattern + 1] - arrays.start[pattern]
    _fill_part(arrays, pattern, mapping, coordinates)
    for component in range(arrays.touches.shape[1]):
        axis = -1
        for other_axis in range(len(arrays.size)):
            if arrays.role[part, other_axis] == -2 - component:
                axis = other_axis
        if axis >= 0:
            _match(arrays, part, component, coordinates, degree, axis)


@jit_lean
def to_columns(
    arrays: Arrays, column_of: np.ndarray, coordinates: np.ndarray, degree: int, columns: np.ndarray, steps: np.ndarray
) -> int:
    """Turn units into a move on the columns of a block; its length, 0 for one that can never be made or changes nothing.

    `column_of` is -1 for cells that are decided, -2 for those of other blocks, which move by themselves.
    """
    length = 0
    for unit in range(2 * degree):
        cell = arrays.base
        for axis in range(len(arrays.size)):
            cell += arrays.offset[axis, coordinates[unit, axis]]
        place = 0
        while place < length and columns[place] != cell:
            place += 1
        if place == length:
            columns[place], steps[place] = cell, 0
            length += 1
        steps[place] += 1 if unit < degree else -1
    n_kept = 0
    for i in range(length):
        column = column_of[columns[i]]
        if steps[i] == 0 or column == -2:
            continue
        if column == -1:
            return 0
        columns[n_kept], steps[n_kept] = column, steps[i]
        n_kept += 1
    return n_kept


@jit_lean
def draw_margin_move(
    arrays: Arrays,
    column_of: np.ndarray,
    random: np.ndarray,
    coordinates: np.ndarray,
    mapping: np.ndarray,
    columns: np.ndarray,
    steps: np.ndarray,
) -> int:
    """Write a random move of a block; its length."""
    degree = draw_units(arrays, random, coordinates, mapping)
    length = to_columns(arrays, column_of, coordinates, degree, columns, steps)
    if below(random, 2) == 0:
        for i in range(length):
            steps[i] = -steps[i]
    return length


@jit_lean
def fill_margins(
    arrays: Arrays,
    column_of: np.ndarray,
    coordinates: np.ndarray,
    mapping: np.ndarray,
    columns: np.ndarray,
    steps: np.ndarray,
    stock: Stock,
    random: np.ndarray,
) -> None:
    """Data swaps and lifted moves of margins; those that meet a decided cell are left out at once."""
    number, end, tries = 0, 0, 0
    most = len(stock.start) - 1
    while number < most and end + len(columns) <= len(stock.columns):
        length = draw_margin_move(arrays, column_of, random, coordinates, mapping, columns, steps)
        tries += 1
        if length == 0 and tries < 50 * most:
            continue
        for i in range(length):
            stock.columns[end + i], stock.steps[end + i] = columns[i], steps[i]
        end += length
        number += 1
        stock.start[number] = end
    stock.state[0], stock.state[1] = 0, number
