"""Variable elimination (sum-product) in a block: one column after the other, keeping only the sums that are still open.

A *state* is the vector of the open sums after some columns. States are kept as *lines*: all open sums but one make up the
line's key, and along the remaining one (the *axis*) the states stand densely, from `first` on.

Adding a column moves a line to others, one for each value. Lines that are taken to the same places make up an *orbit*: the
lines at positions k before the step lead to those at k + value after it, and nowhere else. Counted along the axis less
`slope` times the position, a state keeps its place. So a step on an orbit is a product of matrices: the weights of the
differences of positions, times the states.

Orbits have nothing in common, so that any share of them can be worked on at the same time as the others.

Inner loops run over slices: with plain offsets the compiler has to expect negative ones, and does not vectorise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit, jit_inlined

FAR = 2**62
SMALL = 2_000  # orbits with fewer products than this are not worth a call of the linear algebra library
NARROW = 8
MOST_WEIGHTS = 4_000_000
# Matrix products of at most this size run on one thread: so many small ones are faster, and leave the others alone.
ONE_THREAD = 262_144
# What `targets` writes about a line.
KEY, FIRST, LAST, POSITION = 0, 1, 2, 3


class Lines(NamedTuple):
    """The lines before or after a step, orbit by orbit: their places along the axis and in memory."""

    start: np.ndarray
    """Orbit -> its lines, in order of position."""
    position: np.ndarray
    lowest: np.ndarray
    """The lowest place of their states along the axis, less slope * position."""
    length: np.ndarray
    begin: np.ndarray


class Orbits(NamedTuple):
    """The lines before a step, and those after it that they lead to."""

    source: Lines
    target: Lines


class Keys(NamedTuple):
    """What tells lines apart after a step."""

    first: np.ndarray
    """Orbit -> the next key at the position of its first line."""
    step: int
    """How the key moves with the position."""
    slope: int
    """How much a unit of the column moves along the axis."""


class Checks(NamedTuple):
    """The sums of the column's equations, and where they must lie."""

    sums: np.ndarray
    """Orbit x equations: at the position of the first line and place 0."""
    along: np.ndarray
    """How these move along the axis, and with the position."""
    step: np.ndarray
    low: np.ndarray
    high: np.ndarray


class Written(NamedTuple):
    """What `targets` writes about the lines after a step."""

    start: np.ndarray
    """Orbit -> its lines."""
    lines: np.ndarray
    cost: np.ndarray
    """Products in all, and the most lines before, lines after and places of an orbit."""


@jit_inlined
def _positions(lines: Lines, checks: Checks, orbit: int, span: int) -> tuple[int, int]:
    """The first and the last position that an orbit can have a line at after the step."""
    first_position = lines.position[lines.start[orbit]]
    begin, last = first_position, lines.position[lines.start[orbit + 1] - 1] + span
    for check in range(len(checks.step)):
        if checks.along[check] == 0 and (checks.step[check] == 1 or checks.step[check] == -1):
            one_end = first_position + checks.step[check] * (checks.low[check] - checks.sums[orbit, check])
            other_end = first_position + checks.step[check] * (checks.high[check] - checks.sums[orbit, check])
            begin, last = max(begin, min(one_end, other_end)), min(last, max(one_end, other_end))
    return begin, last


@jit_inlined
def _reached(lines: Lines, orbit: int, allowed: np.ndarray, position: int) -> tuple[int, int]:
    """From which place to which the states at a position are reached by values that are allowed."""
    low, high = FAR, -FAR
    for source in range(lines.start[orbit], lines.start[orbit + 1]):
        value = position - lines.position[source]
        if value < 0:
            break
        if value < len(allowed) and allowed[value]:
            low, high = min(low, lines.lowest[source]), max(high, lines.lowest[source] + lines.length[source] - 1)
    return low, high


@jit_inlined
def _checked(checks: Checks, orbit: int, moved: int, low: int, high: int) -> tuple[int, int]:
    """Those places from low to high at which every equation of the column can still hold."""
    for check in range(len(checks.step)):
        reached, along = checks.sums[orbit, check] + checks.step[check] * moved, checks.along[check]
        if along == 0:
            if reached < checks.low[check] or reached > checks.high[check]:
                high = low - 1
        elif along > 0:
            low = max(low, -((reached - checks.low[check]) // along))
            high = min(high, (checks.high[check] - reached) // along)
        else:
            low = max(low, -((checks.high[check] - reached) // -along))
            high = min(high, (reached - checks.low[check]) // -along)
    return low, high


@jit
def targets(
    orbit: int, lines: Lines, keys: Keys, checks: Checks, allowed: np.ndarray, written: Written, n_lines: int
) -> tuple[int, int]:
    """Write down the lines after a step, from an orbit on until there is no room: the next orbit, how many lines."""
    out, cost = written.lines, written.cost
    while orbit < len(lines.start) - 1:
        first, stop = lines.start[orbit], lines.start[orbit + 1]
        first_position = lines.position[first]
        begin, last = _positions(lines, checks, orbit, len(allowed) - 1)
        if n_lines + last - begin + 1 > out.shape[1]:
            return orbit, n_lines
        written.start[orbit] = n_lines
        left, right = _ends(lines.lowest, lines.length, first, stop)
        for position in range(begin, last + 1):
            low, high = _reached(lines, orbit, allowed, position)
            low, high = _checked(checks, orbit, position - first_position, low, high)
            if low <= high:
                out[KEY, n_lines] = keys.first[orbit] + keys.step * (position - first_position)
                out[FIRST, n_lines], out[LAST, n_lines] = low + keys.slope * position, high + keys.slope * position
                out[POSITION, n_lines] = position
                n_lines += 1
        after = n_lines - written.start[orbit]
        cost[0] += (stop - first) * after * (right - left)
        cost[1], cost[2], cost[3] = max(cost[1], stop - first), max(cost[2], after), max(cost[3], right - left)
        orbit += 1
    return orbit, n_lines


@jit
def _ends(lowest: np.ndarray, length: np.ndarray, first: int, stop: int) -> tuple[int, int]:
    """The first place of the lines from `first` to before `stop`, and the one after the last."""
    left, right = FAR, -FAR
    for line in range(first, stop):
        left, right = min(left, lowest[line]), max(right, lowest[line] + length[line])
    return left, right


@jit
def _gathered(
    values: np.ndarray,
    begin: np.ndarray,
    length: np.ndarray,
    lowest: np.ndarray,
    first: int,
    edge: int,
    out: np.ndarray,
) -> None:
    """Write lines from `first` on below each other, from the place `edge` on, with zeros where they have no state."""
    out[:] = 0
    for line in range(out.shape[0]):
        low = lowest[first + line]
        begin_at, end_at = max(low, edge), min(low + length[first + line], edge + out.shape[1])
        if begin_at < end_at:
            shift = begin[first + line] - low
            out[line, begin_at - edge : end_at - edge] = values[shift + begin_at : shift + end_at]


@jit
def _scattered(
    rows: np.ndarray,
    begin: np.ndarray,
    length: np.ndarray,
    lowest: np.ndarray,
    first: int,
    edge: int,
    values: np.ndarray,
) -> None:
    """Write such lines back to where their states are: the inverse of `_gathered`."""
    for line in range(rows.shape[0]):
        low = lowest[first + line]
        begin_at, end_at = max(low, edge), min(low + length[first + line], edge + rows.shape[1])
        if begin_at < end_at:
            shift = begin[first + line] - low
            values[shift + begin_at : shift + end_at] = rows[line, begin_at - edge : end_at - edge]


@jit
def _weighted(
    weight: np.ndarray,
    position: np.ndarray,
    target_position: np.ndarray,
    first: int,
    target_first: int,
    out: np.ndarray,
) -> None:
    """The weight with which each line from `first` on leads to each line from `target_first` on."""
    for source in range(out.shape[0]):
        for sink in range(out.shape[1]):
            value = target_position[target_first + sink] - position[first + source]
            out[source, sink] = weight[value] if value >= 0 and value < len(weight) else 0.0


@jit
def strip_room(lines: int, places: int) -> int:
    """How many states the lines of an orbit have at most in a strip, of which one at a time is worked on."""
    return min(lines * places, NARROW * lines + ONE_THREAD)


@jit
def forward(
    part: tuple[int, int],  # the first of the orbits that are worked on, and the one after the last
    orbits: Orbits,
    weight: np.ndarray,
    before: np.ndarray,
    after: np.ndarray,
    most: np.ndarray,
) -> None:
    """The pass forward: the masses of the states after a step, from those before it."""
    orbit_start, position, lowest, length, begin = orbits.source
    target_start, target_position, target_lowest, target_length, target_begin = orbits.target
    source_room, target_room = np.empty(strip_room(most[1], most[3])), np.empty(strip_room(most[2], most[3]))
    weight_room = np.empty(min(most[1] * most[2], MOST_WEIGHTS))
    for orbit in range(part[0], part[1]):
        first, stop = orbit_start[orbit], orbit_start[orbit + 1]
        target_first, target_stop = target_start[orbit], target_start[orbit + 1]
        left, right = _ends(lowest, length, first, stop)
        sources, sinks = stop - first, target_stop - target_first
        if right - left < NARROW or sources * sinks * (right - left) < SMALL or sources * sinks > MOST_WEIGHTS:
            for source in range(first, stop):
                for sink in range(target_first, target_stop):
                    value = target_position[sink] - position[source]
                    if value >= 0 and value < len(weight) and weight[value] != 0:
                        low = max(lowest[source], target_lowest[sink])
                        overlap = min(lowest[source] + length[source], target_lowest[sink] + target_length[sink]) - low
                        if overlap > 0:
                            source_at = begin[source] + low - lowest[source]
                            sink_at = target_begin[sink] + low - target_lowest[sink]
                            given_by, given_to = (
                                before[source_at : source_at + overlap],
                                after[sink_at : sink_at + overlap],
                            )
                            for i in range(overlap):
                                given_to[i] += weight[value] * given_by[i]
            continue
        weights = weight_room[: sources * sinks].reshape(sources, sinks)
        _weighted(weight, position, target_position, first, target_first, weights)
        strip = max(NARROW, ONE_THREAD // (sources * sinks))
        for edge in range(left, right, strip):
            wide = min(strip, right - edge)
            states = source_room[: sources * wide].reshape(sources, wide)
            _gathered(before, begin, length, lowest, first, edge, states)
            result = target_room[: sinks * wide].reshape(sinks, wide)
            np.dot(weights.T, states, result)
            _scattered(result, target_begin, target_length, target_lowest, target_first, edge, after)


@jit
def backward(
    part: tuple[int, int],
    orbits: Orbits,
    weight: np.ndarray,
    before: np.ndarray,  # what leads to each state before the step
    back_after: np.ndarray,  # what each state after it can still give
    back_before: np.ndarray,
    share: np.ndarray,
    most: np.ndarray,
) -> None:
    """The pass backward: what can still follow from each state before a step, and the share of each value of the column."""
    orbit_start, position, lowest, length, begin = orbits.source
    target_start, target_position, target_lowest, target_length, target_begin = orbits.target
    source_room, back_room = np.empty(strip_room(most[1], most[3])), np.empty(strip_room(most[1], most[3]))
    target_room = np.empty(strip_room(most[2], most[3]))
    weight_room = np.empty(min(most[1] * most[2], MOST_WEIGHTS))
    product_room = np.empty(min(most[1] * most[2], MOST_WEIGHTS))
    for orbit in range(part[0], part[1]):
        first, stop = orbit_start[orbit], orbit_start[orbit + 1]
        target_first, target_stop = target_start[orbit], target_start[orbit + 1]
        left, right = _ends(lowest, length, first, stop)
        sources, sinks = stop - first, target_stop - target_first
        if right - left < NARROW or sources * sinks * (right - left) < SMALL or sources * sinks > MOST_WEIGHTS:
            for source in range(first, stop):
                for sink in range(target_first, target_stop):
                    value = target_position[sink] - position[source]
                    if value >= 0 and value < len(weight) and weight[value] != 0:
                        low = max(lowest[source], target_lowest[sink])
                        overlap = min(lowest[source] + length[source], target_lowest[sink] + target_length[sink]) - low
                        if overlap > 0:
                            source_at = begin[source] + low - lowest[source]
                            sink_at = target_begin[sink] + low - target_lowest[sink]
                            given_by = back_after[sink_at : sink_at + overlap]
                            given_to = back_before[source_at : source_at + overlap]
                            leading = before[source_at : source_at + overlap]
                            total = 0.0
                            for i in range(overlap):
                                given_to[i] += weight[value] * given_by[i]
                                total += leading[i] * given_by[i]
                            share[value] += weight[value] * total
            continue
        weights = weight_room[: sources * sinks].reshape(sources, sinks)
        _weighted(weight, position, target_position, first, target_first, weights)
        product = product_room[: sources * sinks].reshape(sources, sinks)
        strip = max(NARROW, ONE_THREAD // (sources * sinks))
        for edge in range(left, right, strip):
            wide = min(strip, right - edge)
            states = source_room[: sources * wide].reshape(sources, wide)
            _gathered(before, begin, length, lowest, first, edge, states)
            back = target_room[: sinks * wide].reshape(sinks, wide)
            _gathered(back_after, target_begin, target_length, target_lowest, target_first, edge, back)
            np.dot(states, back.T, product)
            for source in range(sources):
                for sink in range(sinks):
                    if weights[source, sink] != 0:
                        value = target_position[target_first + sink] - position[first + source]
                        share[value] += weights[source, sink] * product[source, sink]
            result = back_room[: sources * wide].reshape(sources, wide)
            np.dot(weights, back, result)
            _scattered(result, begin, length, lowest, first, edge, back_before)


@jit
def counted(
    part: tuple[int, int],
    orbits: Orbits,
    allowed: np.ndarray,
    gaps: bool,  # is any value not allowed?
    before: np.ndarray,
    after: np.ndarray,
    most: np.ndarray,
) -> None:
    """`forward` in whole numbers, for counts modulo 2^64 or after a reduction: a running sum along each orbit."""
    orbit_start, position, lowest, length, begin = orbits.source
    target_start, target_position, target_lowest, target_length, target_begin = orbits.target
    span = len(allowed) - 1
    running = np.zeros(most[3], before.dtype)
    for orbit in range(part[0], part[1]):
        first, stop = orbit_start[orbit], orbit_start[orbit + 1]
        target_first, target_stop = target_start[orbit], target_start[orbit + 1]
        left, right = _ends(lowest, length, first, stop)
        running[: right - left] = 0
        entering, leaving = first, first
        for sink in range(target_first, target_stop):
            sink_position = target_position[sink]
            if gaps:
                running[: right - left] = 0
                for source in range(first, stop):
                    value = sink_position - position[source]
                    if value >= 0 and value <= span and allowed[value]:
                        states = before[begin[source] : begin[source] + length[source]]
                        sums = running[lowest[source] - left : lowest[source] - left + length[source]]
                        for i in range(len(states)):
                            sums[i] += states[i]
            else:
                while entering < stop and position[entering] <= sink_position:
                    states = before[begin[entering] : begin[entering] + length[entering]]
                    sums = running[lowest[entering] - left : lowest[entering] - left + length[entering]]
                    for i in range(len(states)):
                        sums[i] += states[i]
                    entering += 1
                while leaving < entering and position[leaving] < sink_position - span:
                    states = before[begin[leaving] : begin[leaving] + length[leaving]]
                    sums = running[lowest[leaving] - left : lowest[leaving] - left + length[leaving]]
                    for i in range(len(states)):
                        sums[i] -= states[i]
                    leaving += 1
            result = after[target_begin[sink] : target_begin[sink] + target_length[sink]]
            sums = running[target_lowest[sink] - left : target_lowest[sink] - left + target_length[sink]]
            for i in range(len(result)):
                result[i] = sums[i]
