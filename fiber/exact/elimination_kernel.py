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

import numpy as np

from ...base.jit import jit

FAR = 2**62
SMALL = 2_000  # orbits with fewer products than this are not worth a call of the linear algebra library
NARROW = 8
MOST_WEIGHTS = 4_000_000
# Matrix products of at most this size run on one thread: so many small ones are faster, and leave the others alone.
ONE_THREAD = 262_144
# What `targets` writes about a line.
KEY, FIRST, LAST, POSITION = 0, 1, 2, 3


@jit
def targets(
    orbit: int,  # the first orbit to look at
    orbit_start: np.ndarray,  # orbit -> its lines, in order of position
    position: np.ndarray,
    lowest: np.ndarray,  # ... and the lowest and highest place of their states along the axis, less slope * position
    highest: np.ndarray,
    slope: int,  # how much a unit of the column moves along the axis
    key: np.ndarray,  # orbit -> the next key at the position of its first line, and how it moves with the position
    key_step: int,
    check: np.ndarray,  # orbit x equations of the column: their sums at the position of the first line and place 0, ...
    check_axis: np.ndarray,  # ... how these move along the axis and with the position, and where they must lie
    check_step: np.ndarray,
    check_low: np.ndarray,
    check_high: np.ndarray,
    allowed: np.ndarray,
    target_start: np.ndarray,  # written: orbit -> its lines after the step
    out: np.ndarray,
    n: int,
    cost: np.ndarray,  # products in all, and the most lines before, lines after and places of an orbit
) -> tuple[int, int]:
    """Write down the lines after a step, orbit by orbit until `out` is nearly full: the next orbit, how many lines."""
    span = len(allowed) - 1
    while orbit < len(orbit_start) - 1:
        a, z = orbit_start[orbit], orbit_start[orbit + 1]
        here, last = position[a], position[z - 1] + span
        begin = here
        for c in range(len(check_step)):
            if check_axis[c] == 0 and (check_step[c] == 1 or check_step[c] == -1):
                one = here + check_step[c] * (check_low[c] - check[orbit, c])
                two = here + check_step[c] * (check_high[c] - check[orbit, c])
                begin, last = max(begin, min(one, two)), min(last, max(one, two))
        if n + last - begin + 1 > out.shape[1]:
            return orbit, n
        target_start[orbit] = n
        left, right = FAR, -FAR
        for s in range(a, z):
            left, right = min(left, lowest[s]), max(right, highest[s])
        for k in range(begin, last + 1):
            low, high = FAR, -FAR
            for s in range(a, z):
                v = k - position[s]
                if v < 0:
                    break
                if v <= span and allowed[v]:
                    low, high = min(low, lowest[s]), max(high, highest[s])
            for c in range(len(check_step)):
                reached, along = check[orbit, c] + check_step[c] * (k - here), check_axis[c]
                if along == 0:
                    if reached < check_low[c] or reached > check_high[c]:
                        high = low - 1
                elif along > 0:
                    low = max(low, -((reached - check_low[c]) // along))
                    high = min(high, (check_high[c] - reached) // along)
                else:
                    low = max(low, -((check_high[c] - reached) // -along))
                    high = min(high, (reached - check_low[c]) // -along)
            if low <= high:
                out[KEY, n] = key[orbit] + key_step * (k - here)
                out[FIRST, n], out[LAST, n], out[POSITION, n] = low + slope * k, high + slope * k, k
                n += 1
        lines = n - target_start[orbit]
        cost[0] += (z - a) * lines * (right - left + 1)
        cost[1], cost[2], cost[3] = max(cost[1], z - a), max(cost[2], lines), max(cost[3], right - left + 1)
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
    from_orbit: int,
    to_orbit: int,
    orbit_start: np.ndarray,  # ---- the lines before the step, orbit by orbit: their places along the axis and in memory
    position: np.ndarray,
    lowest: np.ndarray,
    length: np.ndarray,
    begin: np.ndarray,
    target_start: np.ndarray,  # ---- ... and those after it
    target_position: np.ndarray,
    target_lowest: np.ndarray,
    target_length: np.ndarray,
    target_begin: np.ndarray,
    weight: np.ndarray,
    now: np.ndarray,
    after: np.ndarray,
    most: np.ndarray,
) -> None:
    """What the states after a step are given by those before it."""
    source_room, target_room = np.empty(strip_room(most[1], most[3])), np.empty(strip_room(most[2], most[3]))
    weight_room = np.empty(min(most[1] * most[2], MOST_WEIGHTS))
    for orbit in range(from_orbit, to_orbit):
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
    from_orbit: int,
    to_orbit: int,
    orbit_start: np.ndarray,
    position: np.ndarray,
    lowest: np.ndarray,
    length: np.ndarray,
    begin: np.ndarray,
    target_start: np.ndarray,
    target_position: np.ndarray,
    target_lowest: np.ndarray,
    target_length: np.ndarray,
    target_begin: np.ndarray,
    weight: np.ndarray,
    now: np.ndarray,  # what leads to each state before the step
    back_after: np.ndarray,  # what each state after it can still give
    back_now: np.ndarray,
    share: np.ndarray,
    most: np.ndarray,
) -> None:
    """The same from behind, and with it the share of each value of the column."""
    source_room, back_room = np.empty(strip_room(most[1], most[3])), np.empty(strip_room(most[1], most[3]))
    target_room = np.empty(strip_room(most[2], most[3]))
    weight_room = np.empty(min(most[1] * most[2], MOST_WEIGHTS))
    product_room = np.empty(min(most[1] * most[2], MOST_WEIGHTS))
    for orbit in range(from_orbit, to_orbit):
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
    from_orbit: int,
    to_orbit: int,
    orbit_start: np.ndarray,
    position: np.ndarray,
    lowest: np.ndarray,
    length: np.ndarray,
    begin: np.ndarray,
    target_start: np.ndarray,
    target_position: np.ndarray,
    target_lowest: np.ndarray,
    target_length: np.ndarray,
    target_begin: np.ndarray,
    allowed: np.ndarray,
    gaps: bool,  # is any value not allowed?
    now: np.ndarray,
    after: np.ndarray,
    most: np.ndarray,
) -> None:
    """The same in whole numbers, for counts modulo 2^64 or after a reduction: a running sum along each orbit."""
    span = len(allowed) - 1
    running = np.zeros(most[3], now.dtype)
    for orbit in range(from_orbit, to_orbit):
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
