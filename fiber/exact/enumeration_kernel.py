"""Walk through every table of a block, depth first, and tally how often each cell has each value.

Columns come in a fixed order. Up to position `line.begin` they are a tree: each takes every value that the equations leave
it, looking one column ahead in each. From there on, all columns are affine in the one at `line.begin`: x_j = c_j + step_j t.
So the whole rest of a table is a line, whose feasible t are an interval, found at once and credited at once.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...base.jit import jit_inlined, jit_lean

# Places in the integer state of a walk, which can be left and taken up again.
DEPTH, DESCENDING, STEPS, COUNT = 0, 1, 2, 3
# ... and in its float state. Weights are kept relative to exp(REFERENCE).
REFERENCE, WEIGHT = 0, 1

DONE, PAUSED = 0, 1
FLAT = 60.0  # a table this many nats above the reference moves it, before exp() can overflow
LONG = 64


class Columns(NamedTuple):
    """The columns in the order of the walk, each with its bounds and its entries in the equations A x = b."""

    start: np.ndarray
    """Position -> its entries."""
    row: np.ndarray
    coefficient: np.ndarray
    rest_least: np.ndarray
    """Per entry: the least and the most that later columns add to its row."""
    rest_most: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


class Line(NamedTuple):
    """The columns that are affine in the last free one."""

    begin: int
    """The position of that one: it is t, its step is 1."""
    deciding_row: np.ndarray
    """Per later position: the row that decides it, and its coefficient there (1 or -1)."""
    deciding_sign: np.ndarray
    step: np.ndarray
    moving: np.ndarray
    """Positions on the line whose step is not 0."""
    rows: np.ndarray
    """Rows that the line touches, and how fast their sums move along it."""
    row_step: np.ndarray


class Law(NamedTuple):
    """The weights of values."""

    weighted: bool
    """Are there any?"""
    gaps: bool
    """Are there weights of zero? Then tables without weight are not counted."""
    log_weight: np.ndarray
    """Of every place of the tallies; 0 where a column has no weights."""


class Tallies(NamedTuple):
    """What is found for each value: tables as differences from value to value, weights as they are."""

    start: np.ndarray
    """Position -> its part; one place more than it has values."""
    change: np.ndarray
    weight: np.ndarray


class Path(NamedTuple):
    """Where the walk is, kept between calls: the values of the tree's positions, and what was seen below each."""

    value: np.ndarray
    last: np.ndarray
    residual: np.ndarray
    """b less what the values so far add up to."""
    log_weight: np.ndarray
    tables: np.ndarray
    weight: np.ndarray
    whole: np.ndarray
    real: np.ndarray


class Room(NamedTuple):
    """Scratch arrays: what is in them before a call does not matter."""

    place: np.ndarray
    residual: np.ndarray


@jit_inlined
def values_left(columns: Columns, residual: np.ndarray, position: int) -> tuple[int, int]:
    """The range that the equations leave the column at a position, given all before it."""
    low, high = columns.lower[position], columns.upper[position]
    for entry in range(columns.start[position], columns.start[position + 1]):
        coefficient, open_sum = columns.coefficient[entry], residual[columns.row[entry]]
        most, least = open_sum - columns.rest_least[entry], open_sum - columns.rest_most[entry]
        if coefficient > 0:
            high = min(high, most // coefficient)
            low = max(low, -((-least) // coefficient))
        else:
            low = max(low, -(most // -coefficient))
            high = min(high, (-least) // -coefficient)
    return low, high


@jit_inlined
def subtract(columns: Columns, residual: np.ndarray, position: int, value: int) -> None:
    """Take what a value of the column at a position adds to its equations from what they leave open."""
    for entry in range(columns.start[position], columns.start[position + 1]):
        residual[columns.row[entry]] -= columns.coefficient[entry] * value


@jit_inlined
def _between(low: int, high: int, c: int, step: int, lower: int, upper: int) -> tuple[int, int]:
    """Those t from low to high for which c + step t is between two bounds."""
    if step == 1:
        return max(low, lower - c), min(high, upper - c)
    if step == -1:
        return max(low, c - upper), min(high, c - lower)
    if step == 0:
        return low, low - 1 if c < lower or c > upper else high
    if step > 0:
        return max(low, -((c - lower) // step)), min(high, (upper - c) // step)
    return max(low, -((upper - c) // -step)), min(high, (c - lower) // -step)


@jit_inlined
def _within_bounds(columns: Columns, line: Line, room: Room, low: int, high: int) -> tuple[int, int]:
    """The t that keep every column of the line within its bounds. Writes their values at t = 0, and what rows then lack."""
    room.place[line.begin] = 0
    for position in range(line.begin + 1, len(columns.lower)):
        c = room.residual[line.deciding_row[position]] * line.deciding_sign[position]
        room.place[position] = c
        subtract(columns, room.residual, position, c)
        low, high = _between(low, high, c, line.step[position], columns.lower[position], columns.upper[position])
        if low > high:
            break
    return low, high


@jit_inlined
def _closing_rows(line: Line, room: Room, low: int, high: int) -> tuple[int, int]:
    """The t at which every row of the line adds up."""
    for i in range(len(line.rows)):
        remainder, speed = room.residual[line.rows[i]], line.row_step[i]
        if speed == 0:
            if remainder != 0:
                return low, low - 1
        else:
            t = remainder // speed
            if t * speed != remainder:
                return low, low - 1
            low, high = max(low, t), min(high, t)
    return low, high


@jit_inlined
def _feasible(columns: Columns, line: Line, path: Path, room: Room, low: int, high: int) -> tuple[int, int]:
    """The interval of t from low to high that are tables."""
    if low <= high:
        for i in range(len(line.rows)):
            room.residual[line.rows[i]] = path.residual[line.rows[i]]
        low, high = _within_bounds(columns, line, room, low, high)
    if low <= high:
        low, high = _closing_rows(line, room, low, high)
    return low, high


@jit_inlined
def _count_line(line: Line, tallies: Tallies, place: np.ndarray, low: int, high: int) -> None:
    """Count the tables of a line for every value that its columns have in them."""
    tables, change = high - low + 1, tallies.change
    for position in range(line.begin, len(line.step)):
        step, origin = line.step[position], place[position]
        if step == 0:
            change[origin] += tables
            change[origin + 1] -= tables
        elif step == 1 or step == -1:
            first = origin + low if step == 1 else origin - high
            change[first] += 1
            change[first + tables] -= 1
        else:
            for t in range(low, high + 1):
                change[origin + step * t] += 1
                change[origin + step * t + 1] -= 1


@jit_inlined
def _log_weight_at(line: Line, law: Law, place: np.ndarray, still: float, t: int) -> float:
    """The log-weight of the table at t, given that of all columns that do not move."""
    nats = still
    for i in range(len(line.moving)):
        position = line.moving[i]
        nats += law.log_weight[place[position] + line.step[position] * t]
    return nats


@jit_inlined
def _top(line: Line, law: Law, place: np.ndarray, still: float, low: int, high: int) -> float:
    """The largest log-weight on a long line, looked for first: moving the reference touches every tally."""
    top = -np.inf
    if high - low > LONG:
        for t in range(low, high + 1):
            top = max(top, _log_weight_at(line, law, place, still, t))
    return top


@jit_inlined
def _move_reference(line: Line, path: Path, tallies: Tallies, shrink: float) -> None:
    """Make all weights so far smaller by a factor."""
    for i in range(len(tallies.weight)):
        tallies.weight[i] *= shrink
    for i in range(line.begin):
        path.weight[i] *= shrink


@jit_inlined
def _count_table(line: Line, tallies: Tallies, place: np.ndarray, t: int) -> None:
    for position in range(line.begin, len(line.step)):
        tallies.change[place[position] + line.step[position] * t] += 1
        tallies.change[place[position] + line.step[position] * t + 1] -= 1


@jit_inlined
def _weigh_line(
    line: Line, law: Law, path: Path, tallies: Tallies, place: np.ndarray, low: int, high: int, reference: float
) -> tuple[int, float, float]:
    """Credit each table of a line with its weight: how many have any, their weight, and the reference it is relative to.

    They are counted here only where weights have gaps.
    """
    still = path.log_weight[line.begin]
    for position in range(line.begin, len(line.step)):
        if line.step[position] == 0:
            still += law.log_weight[place[position]]
    top = _top(line, law, place, still, low, high)
    tables, total = 0, 0.0
    for t in range(low, high + 1):
        nats = _log_weight_at(line, law, place, still, t)
        if law.gaps:
            if nats == -np.inf:
                continue
            tables += 1
            _count_table(line, tallies, place, t)
        if max(nats, top) > reference + FLAT:
            shrink = math.exp(reference - max(nats, top))
            _move_reference(line, path, tallies, shrink)
            total *= shrink
            reference = max(nats, top)
        weight = math.exp(nats - reference)
        total += weight
        for i in range(len(line.moving)):
            position = line.moving[i]
            tallies.weight[place[position] + line.step[position] * t] += weight
    for position in range(line.begin, len(line.step)):
        if line.step[position] == 0:
            tallies.weight[place[position]] += total
    return tables, total, reference


@jit_inlined
def _credit_line(
    columns: Columns,
    line: Line,
    law: Law,
    path: Path,
    tallies: Tallies,
    place: np.ndarray,
    ends: tuple[int, int],
    reference: float,
) -> tuple[int, float, float]:
    """Credit the tables of a line: how many, their weight, and the reference."""
    low, high = ends
    tables, weight = high - low + 1, 0.0
    for position in range(line.begin, len(line.step)):
        place[position] += (
            tallies.start[position] - columns.lower[position]
        )  # from here on the place of x_k at t = 0 in the tallies
    if not law.gaps:
        _count_line(line, tallies, place, low, high)
    if law.weighted:
        with_weight, weight, reference = _weigh_line(line, law, path, tallies, place, low, high, reference)
        if law.gaps:
            tables = with_weight
    return tables, weight, reference


@jit_inlined
def _enter(columns: Columns, law: Law, path: Path, tallies: Tallies, position: int, low: int, high: int) -> None:
    """Give the column at a position of the tree the first of its values."""
    path.value[position], path.last[position] = low, high
    path.tables[position], path.weight[position] = 0, 0.0
    subtract(columns, path.residual, position, low)
    if law.weighted:
        path.log_weight[position + 1] = (
            path.log_weight[position] + law.log_weight[tallies.start[position] + low - columns.lower[position]]
        )


@jit_inlined
def _go_on(columns: Columns, law: Law, path: Path, tallies: Tallies, position: int, tables: int, weight: float) -> bool:
    """Credit the value that was seen through at a position of the tree, and take its next; whether there was one."""
    place = tallies.start[position] + path.value[position] - columns.lower[position]
    tallies.change[place] += tables
    tallies.change[place + 1] -= tables
    path.tables[position] += tables
    if law.weighted:
        tallies.weight[place] += weight
        path.weight[position] += weight
    if path.value[position] < path.last[position]:
        path.value[position] += 1
        subtract(columns, path.residual, position, 1)
        if law.weighted:
            path.log_weight[position + 1] = path.log_weight[position] + law.log_weight[place + 1]
        return True
    subtract(columns, path.residual, position, -path.value[position])
    return False


@jit_lean
def walk(columns: Columns, line: Line, law: Law, path: Path, tallies: Tallies, room: Room, pause_at: int) -> int:
    """Go on until every table is seen (DONE) or the number of steps reaches `pause_at` (PAUSED)."""
    depth, descending, steps = path.whole[DEPTH], path.whole[DESCENDING] == 1, path.whole[STEPS]
    # what was seen below the position that the walk comes back to
    tables, weight, reference = path.whole[COUNT], path.real[WEIGHT], path.real[REFERENCE]
    while depth >= 0:
        if not descending:
            if _go_on(columns, law, path, tallies, depth, tables, weight):
                depth += 1
                descending = True
            else:
                tables, weight = path.tables[depth], path.weight[depth]
                depth -= 1
            continue
        if steps >= pause_at:
            break
        steps += 1
        low, high = values_left(columns, path.residual, depth)
        if depth < line.begin and low <= high:
            _enter(columns, law, path, tallies, depth, low, high)
            depth += 1
            continue
        if depth == line.begin:
            low, high = _feasible(columns, line, path, room, low, high)
        tables, weight = 0, 0.0
        if low <= high:
            if law.weighted:
                steps += high - low + 1
            tables, weight, reference = _credit_line(
                columns, line, law, path, tallies, room.place, (low, high), reference
            )
        descending = False
        depth -= 1
    path.whole[DEPTH], path.whole[DESCENDING] = depth, 1 if descending else 0
    path.whole[STEPS], path.whole[COUNT] = steps, tables
    path.real[REFERENCE], path.real[WEIGHT] = reference, weight
    return DONE if depth < 0 else PAUSED


@jit_lean
def probe(columns: Columns, depths: int, b: np.ndarray, probes: int, residual: np.ndarray) -> float:
    """The log of about how many steps `walk` would take, from random descents through the first depths (Knuth 1975).

    A step at some depth stands for the product of the choices that led there; the estimate is the mean of their sums.
    `residual` is room for as many numbers as in b.
    """
    total = -np.inf
    random = np.uint64(1)
    for _ in range(probes):
        for row in range(len(b)):
            residual[row] = b[row]
        choices = 0.0
        for depth in range(depths):
            total = np.logaddexp(total, choices)
            low, high = values_left(columns, residual, depth)
            if low > high:
                break
            choices += np.log(high - low + 1)
            # One step of Steele, Lea and Flood's splitmix64.
            random += np.uint64(0x9E3779B97F4A7C15)
            mixed = (random ^ (random >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            mixed ^= mixed >> np.uint64(31)
            value = low + np.int64(mixed % np.uint64(high - low + 1))
            subtract(columns, residual, depth, value)  # type: ignore[arg-type]
    return total - np.log(probes)
