"""Sum-product elimination of a block: one column after the other, keeping only the sums that are still open.

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
    """How lines are told apart after a step."""

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
    """What is found out of the lines after a step."""

    start: np.ndarray
    """Orbit -> its lines."""
    lines: np.ndarray
    cost: np.ndarray
    """Products in all, and the most lines before, lines after and places of an orbit."""


@jit_inlined
def _positions(lines: Lines, checks: Checks, orbit: int, span: int) -> tuple[int, int]:
    """The first and the last position that an orbit can have a line at after the step."""
    here = lines.position[lines.start[orbit]]
    begin, last = here, lines.position[lines.start[orbit + 1] - 1] + span
    for c in range(len(checks.step)):
        if checks.along[c] == 0 and (checks.step[c] == 1 or checks.step[c] == -1):
            one = here + checks.step[c] * (checks.low[c] - checks.sums[orbit, c])
            two = here + checks.step[c] * (checks.high[c] - checks.sums[orbit, c])
            begin, last = max(begin, min(one, two)), min(last, max(one, two))
    return begin, last


@jit_inlined
def _reached(lines: Lines, orbit: int, allowed: np.ndarray, k: int) -> tuple[int, int]:
    """From which place to which the states at a position are reached by values that are allowed."""
    low, high = FAR, -FAR
    for s in range(lines.start[orbit], lines.start[orbit + 1]):
        v = k - lines.position[s]
        if v < 0:
            break
        if v < len(allowed) and allowed[v]:
            low, high = min(low, lines.lowest[s]), max(high, lines.lowest[s] + lines.length[s] - 1)
    return low, high


@jit_inlined
def _checked(checks: Checks, orbit: int, moved: int, low: int, high: int) -> tuple[int, int]:
    """Those places from low to high at which every equation of the column can still hold."""
    for c in range(len(checks.step)):
        reached, along = checks.sums[orbit, c] + checks.step[c] * moved, checks.along[c]
        if along == 0:
            if reached < checks.low[c] or reached > checks.high[c]:
                high = low - 1
        elif along > 0:
            low = max(low, -((reached - checks.low[c]) // along))
            high = min(high, (checks.high[c] - reached) // along)
        else:
            low = max(low, -((checks.high[c] - reached) // -along))
            high = min(high, (reached - checks.low[c]) // -along)
    return low, high


@jit
def targets(
    orbit: int, lines: Lines, keys: Keys, checks: Checks, allowed: np.ndarray, written: Written, n: int
) -> tuple[int, int]:
    """Write down the lines after a step, from an orbit on until there is no room: the next orbit, how many lines."""
    out, cost = written.lines, written.cost
    while orbit < len(lines.start) - 1:
        a, z = lines.start[orbit], lines.start[orbit + 1]
        here = lines.position[a]
        begin, last = _positions(lines, checks, orbit, len(allowed) - 1)
        if n + last - begin + 1 > out.shape[1]:
            return orbit, n
        written.start[orbit] = n
        left, right = _ends(lines.lowest, lines.length, a, z)
        for k in range(begin, last + 1):
            low, high = _reached(lines, orbit, allowed, k)
            low, high = _checked(checks, orbit, k - here, low, high)
            if low <= high:
                out[KEY, n] = keys.first[orbit] + keys.step * (k - here)
                out[FIRST, n], out[LAST, n], out[POSITION, n] = low + keys.slope * k, high + keys.slope * k, k
                n += 1
        after = n - written.start[orbit]
        cost[0] += (z - a) * after * (right - left)
        cost[1], cost[2], cost[3] = max(cost[1], z - a), max(cost[2], after), max(cost[3], right - left)
        orbit += 1
    return orbit, n


@jit
def _ends(lowest: np.ndarray, length: np.ndarray, a: int, z: int) -> tuple[int, int]:
    """The first place of the lines a to z, and the one after the last."""
    left, right = FAR, -FAR
    for s in range(a, z):
        left, right = min(left, lowest[s]), max(right, lowest[s] + length[s])
    return left, right


@jit
def _gathered(
    values: np.ndarray, begin: np.ndarray, length: np.ndarray, lowest: np.ndarray, a: int, edge: int, out: np.ndarray
) -> None:
    """Write lines from a on below each other, from the place `edge` on, with zeros where they have no state."""
    out[:] = 0
    for s in range(out.shape[0]):
        low = lowest[a + s]
        one, two = max(low, edge), min(low + length[a + s], edge + out.shape[1])
        if one < two:
            shift = begin[a + s] - low
            out[s, one - edge : two - edge] = values[shift + one : shift + two]


@jit
def _scattered(
    given: np.ndarray, begin: np.ndarray, length: np.ndarray, lowest: np.ndarray, a: int, edge: int, values: np.ndarray
) -> None:
    """The way back."""
    for s in range(given.shape[0]):
        low = lowest[a + s]
        one, two = max(low, edge), min(low + length[a + s], edge + given.shape[1])
        if one < two:
            shift = begin[a + s] - low
            values[shift + one : shift + two] = given[s, one - edge : two - edge]


@jit
def _weighted(
    weight: np.ndarray, position: np.ndarray, target_position: np.ndarray, a: int, c: int, out: np.ndarray
) -> None:
    """The weight with which each line from a on leads to each line from c on."""
    for s in range(out.shape[0]):
        for k in range(out.shape[1]):
            v = target_position[c + k] - position[a + s]
            out[s, k] = weight[v] if v >= 0 and v < len(weight) else 0.0


@jit
def strip_room(lines: int, places: int) -> int:
    """How many states the lines of an orbit have at most in a strip, of which one at a time is worked on."""
    return min(lines * places, NARROW * lines + ONE_THREAD)


@jit
def forward(
    part: tuple[int, int],  # the first of the orbits that are worked on, and the one after the last
    orbits: Orbits,
    weight: np.ndarray,
    now: np.ndarray,
    after: np.ndarray,
    most: np.ndarray,
) -> None:
    """What the states after a step are given by those before it."""
    orbit_start, position, lowest, length, begin = orbits.source
    target_start, target_position, target_lowest, target_length, target_begin = orbits.target
    source_room, target_room = np.empty(strip_room(most[1], most[3])), np.empty(strip_room(most[2], most[3]))
    weight_room = np.empty(min(most[1] * most[2], MOST_WEIGHTS))
    for orbit in range(part[0], part[1]):
        a, z, c, e = orbit_start[orbit], orbit_start[orbit + 1], target_start[orbit], target_start[orbit + 1]
        left, right = _ends(lowest, length, a, z)
        sources, sinks = z - a, e - c
        if right - left < NARROW or sources * sinks * (right - left) < SMALL or sources * sinks > MOST_WEIGHTS:
            for s in range(a, z):
                for k in range(c, e):
                    v = target_position[k] - position[s]
                    if v >= 0 and v < len(weight) and weight[v] != 0:
                        one = max(lowest[s], target_lowest[k])
                        n = min(lowest[s] + length[s], target_lowest[k] + target_length[k]) - one
                        if n > 0:
                            source, sink = begin[s] + one - lowest[s], target_begin[k] + one - target_lowest[k]
                            given_by, given_to = now[source : source + n], after[sink : sink + n]
                            for i in range(n):
                                given_to[i] += weight[v] * given_by[i]
            continue
        weights = weight_room[: sources * sinks].reshape(sources, sinks)
        _weighted(weight, position, target_position, a, c, weights)
        strip = max(NARROW, ONE_THREAD // (sources * sinks))
        for edge in range(left, right, strip):
            wide = min(strip, right - edge)
            states = source_room[: sources * wide].reshape(sources, wide)
            _gathered(now, begin, length, lowest, a, edge, states)
            given = target_room[: sinks * wide].reshape(sinks, wide)
            np.dot(weights.T, states, given)
            _scattered(given, target_begin, target_length, target_lowest, c, edge, after)


@jit
def backward(
    part: tuple[int, int],
    orbits: Orbits,
    weight: np.ndarray,
    now: np.ndarray,  # what leads to each state before the step
    back_after: np.ndarray,  # what each state after it can still give
    back_now: np.ndarray,
    share: np.ndarray,
    most: np.ndarray,
) -> None:
    """The same from behind, and with it the share of each value of the column."""
    orbit_start, position, lowest, length, begin = orbits.source
    target_start, target_position, target_lowest, target_length, target_begin = orbits.target
    source_room, back_room = np.empty(strip_room(most[1], most[3])), np.empty(strip_room(most[1], most[3]))
    target_room = np.empty(strip_room(most[2], most[3]))
    weight_room = np.empty(min(most[1] * most[2], MOST_WEIGHTS))
    product_room = np.empty(min(most[1] * most[2], MOST_WEIGHTS))
    for orbit in range(part[0], part[1]):
        a, z, c, e = orbit_start[orbit], orbit_start[orbit + 1], target_start[orbit], target_start[orbit + 1]
        left, right = _ends(lowest, length, a, z)
        sources, sinks = z - a, e - c
        if right - left < NARROW or sources * sinks * (right - left) < SMALL or sources * sinks > MOST_WEIGHTS:
            for s in range(a, z):
                for k in range(c, e):
                    v = target_position[k] - position[s]
                    if v >= 0 and v < len(weight) and weight[v] != 0:
                        one = max(lowest[s], target_lowest[k])
                        n = min(lowest[s] + length[s], target_lowest[k] + target_length[k]) - one
                        if n > 0:
                            source, sink = begin[s] + one - lowest[s], target_begin[k] + one - target_lowest[k]
                            given_by, given_to = back_after[sink : sink + n], back_now[source : source + n]
                            leading = now[source : source + n]
                            total = 0.0
                            for i in range(n):
                                given_to[i] += weight[v] * given_by[i]
                                total += leading[i] * given_by[i]
                            share[v] += weight[v] * total
            continue
        weights = weight_room[: sources * sinks].reshape(sources, sinks)
        _weighted(weight, position, target_position, a, c, weights)
        product = product_room[: sources * sinks].reshape(sources, sinks)
        strip = max(NARROW, ONE_THREAD // (sources * sinks))
        for edge in range(left, right, strip):
            wide = min(strip, right - edge)
            states = source_room[: sources * wide].reshape(sources, wide)
            _gathered(now, begin, length, lowest, a, edge, states)
            back = target_room[: sinks * wide].reshape(sinks, wide)
            _gathered(back_after, target_begin, target_length, target_lowest, c, edge, back)
            np.dot(states, back.T, product)
            for s in range(sources):
                for k in range(sinks):
                    if weights[s, k] != 0:
                        share[target_position[c + k] - position[a + s]] += weights[s, k] * product[s, k]
            given = back_room[: sources * wide].reshape(sources, wide)
            np.dot(weights, back, given)
            _scattered(given, begin, length, lowest, a, edge, back_now)


@jit
def counted(
    part: tuple[int, int],
    orbits: Orbits,
    allowed: np.ndarray,
    gaps: bool,  # is any value not allowed?
    now: np.ndarray,
    after: np.ndarray,
    most: np.ndarray,
) -> None:
    """The same in whole numbers, for counts modulo 2^64 or after a reduction: a running sum along each orbit."""
    orbit_start, position, lowest, length, begin = orbits.source
    target_start, target_position, target_lowest, target_length, target_begin = orbits.target
    span = len(allowed) - 1
    running = np.zeros(most[3], now.dtype)
    for orbit in range(part[0], part[1]):
        a, z, c, e = orbit_start[orbit], orbit_start[orbit + 1], target_start[orbit], target_start[orbit + 1]
        left, right = _ends(lowest, length, a, z)
        running[: right - left] = 0
        entering, leaving = a, a
        for k in range(c, e):
            here = target_position[k]
            if gaps:
                running[: right - left] = 0
                for s in range(a, z):
                    v = here - position[s]
                    if v >= 0 and v <= span and allowed[v]:
                        source = now[begin[s] : begin[s] + length[s]]
                        sums = running[lowest[s] - left : lowest[s] - left + length[s]]
                        for i in range(len(source)):
                            sums[i] += source[i]
            else:
                while entering < z and position[entering] <= here:
                    source = now[begin[entering] : begin[entering] + length[entering]]
                    sums = running[lowest[entering] - left : lowest[entering] - left + length[entering]]
                    for i in range(len(source)):
                        sums[i] += source[i]
                    entering += 1
                while leaving < entering and position[leaving] < here - span:
                    source = now[begin[leaving] : begin[leaving] + length[leaving]]
                    sums = running[lowest[leaving] - left : lowest[leaving] - left + length[leaving]]
                    for i in range(len(source)):
                        sums[i] -= source[i]
                    leaving += 1
            given = after[target_begin[k] : target_begin[k] + target_length[k]]
            sums = running[target_lowest[k] - left : target_lowest[k] - left + target_length[k]]
            for i in range(len(given)):
                given[i] = sums[i]
