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

from .jit import jit

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
def forward(
    from_orbit: int,
    to_orbit: int,
    orbit_start: np.ndarray,
    line: np.ndarray,  # the lines before the step, orbit by orbit, and where they are
    position: np.ndarray,
    lowest: np.ndarray,
    start: np.ndarray,
    target_start: np.ndarray,
    target_position: np.ndarray,
    target_lowest: np.ndarray,
    next_start: np.ndarray,
    weight: np.ndarray,
    now: np.ndarray,
    after: np.ndarray,
    most: np.ndarray,
) -> None:
    """What the states after a step are given by those before it."""
    span = len(weight) - 1
    source_room, target_room = np.empty(most[1] * most[3]), np.empty(most[2] * most[3])
    weight_room = np.empty(min(most[1] * most[2], MOST_WEIGHTS))
    for orbit in range(from_orbit, to_orbit):
        a, z, c, e = orbit_start[orbit], orbit_start[orbit + 1], target_start[orbit], target_start[orbit + 1]
        left, right = FAR, -FAR
        for s in range(a, z):
            left, right = min(left, lowest[s]), max(right, lowest[s] + start[line[s] + 1] - start[line[s]])
        width, sources, sinks = right - left, z - a, e - c
        if width < NARROW or sources * sinks * width < SMALL or sources * sinks > MOST_WEIGHTS:
            for s in range(a, z):
                begin, low = start[line[s]], lowest[s]
                high = low + start[line[s] + 1] - begin
                for k in range(c, e):
                    v = target_position[k] - position[s]
                    if v >= 0 and v <= span and weight[v] != 0:
                        factor, there = weight[v], target_lowest[k]
                        one = max(low, there)
                        two = min(high, there + next_start[k + 1] - next_start[k])
                        if one < two:
                            source, sink = begin + one - low, next_start[k] + one - there
                            given_to, given_by = after[sink : sink + two - one], now[source : source + two - one]
                            for i in range(two - one):
                                given_to[i] += factor * given_by[i]
            continue
        weights = weight_room[: sinks * sources].reshape(sinks, sources)
        for k in range(c, e):
            for s in range(a, z):
                v = target_position[k] - position[s]
                weights[k - c, s - a] = weight[v] if v >= 0 and v <= span else 0.0
        strip = max(NARROW, ONE_THREAD // (sources * sinks))
        for edge in range(left, right, strip):
            wide = min(strip, right - edge)
            states = source_room[: sources * wide].reshape(sources, wide)
            states[:] = 0
            for s in range(a, z):
                begin = start[line[s]] - lowest[s]
                one, two = max(lowest[s], edge), min(start[line[s] + 1] - begin, edge + wide)
                if one < two:
                    states[s - a, one - edge : two - edge] = now[begin + one : begin + two]
            given = target_room[: sinks * wide].reshape(sinks, wide)
            np.dot(weights, states, given)
            for k in range(c, e):
                begin = next_start[k] - target_lowest[k]
                one, two = (
                    max(target_lowest[k], edge),
                    min(target_lowest[k] + next_start[k + 1] - next_start[k], edge + wide),
                )
                if one < two:
                    after[begin + one : begin + two] = given[k - c, one - edge : two - edge]


@jit
def backward(
    from_orbit: int,
    to_orbit: int,
    orbit_start: np.ndarray,
    line: np.ndarray,
    position: np.ndarray,
    lowest: np.ndarray,
    start: np.ndarray,
    target_start: np.ndarray,
    target_position: np.ndarray,
    target_lowest: np.ndarray,
    next_start: np.ndarray,
    weight: np.ndarray,
    now: np.ndarray,  # what leads to each state before the step
    back_after: np.ndarray,  # what each state after it can still give
    back_now: np.ndarray,
    share: np.ndarray,
    most: np.ndarray,
) -> None:
    """The same from behind, and with it the share of each value of the column."""
    span = len(weight) - 1
    source_room, back_room = np.empty(most[1] * most[3]), np.empty(most[1] * most[3])
    target_room = np.empty(most[2] * most[3])
    weight_room = np.empty(min(most[1] * most[2], MOST_WEIGHTS))
    product_room = np.empty(min(most[1] * most[2], MOST_WEIGHTS))
    for orbit in range(from_orbit, to_orbit):
        a, z, c, e = orbit_start[orbit], orbit_start[orbit + 1], target_start[orbit], target_start[orbit + 1]
        left, right = FAR, -FAR
        for s in range(a, z):
            left, right = min(left, lowest[s]), max(right, lowest[s] + start[line[s] + 1] - start[line[s]])
        width, sources, sinks = right - left, z - a, e - c
        if width < NARROW or sources * sinks * width < SMALL or sources * sinks > MOST_WEIGHTS:
            for s in range(a, z):
                begin, low = start[line[s]], lowest[s]
                high = low + start[line[s] + 1] - begin
                for k in range(c, e):
                    v = target_position[k] - position[s]
                    if v >= 0 and v <= span and weight[v] != 0:
                        factor, there = weight[v], target_lowest[k]
                        one = max(low, there)
                        two = min(high, there + next_start[k + 1] - next_start[k])
                        if one < two:
                            source, sink = begin + one - low, next_start[k] + one - there
                            given_by, given_to = (
                                back_after[sink : sink + two - one],
                                back_now[source : source + two - one],
                            )
                            leading = now[source : source + two - one]
                            total = 0.0
                            for i in range(two - one):
                                given = factor * given_by[i]
                                given_to[i] += given
                                total += given * leading[i]
                            share[v] += total
            continue
        weights = weight_room[: sources * sinks].reshape(sources, sinks)
        product = product_room[: sources * sinks].reshape(sources, sinks)
        for s in range(a, z):
            for k in range(c, e):
                v = target_position[k] - position[s]
                weights[s - a, k - c] = weight[v] if v >= 0 and v <= span else 0.0
        strip = max(NARROW, ONE_THREAD // (sources * sinks))
        for edge in range(left, right, strip):
            wide = min(strip, right - edge)
            states = source_room[: sources * wide].reshape(sources, wide)
            states[:] = 0
            for s in range(a, z):
                begin = start[line[s]] - lowest[s]
                one, two = max(lowest[s], edge), min(start[line[s] + 1] - begin, edge + wide)
                if one < two:
                    states[s - a, one - edge : two - edge] = now[begin + one : begin + two]
            back = target_room[: sinks * wide].reshape(sinks, wide)
            back[:] = 0
            for k in range(c, e):
                begin = next_start[k] - target_lowest[k]
                one, two = (
                    max(target_lowest[k], edge),
                    min(target_lowest[k] + next_start[k + 1] - next_start[k], edge + wide),
                )
                if one < two:
                    back[k - c, one - edge : two - edge] = back_after[begin + one : begin + two]
            np.dot(states, back.T, product)
            for s in range(a, z):
                for k in range(c, e):
                    if weights[s - a, k - c] != 0:
                        share[target_position[k] - position[s]] += weights[s - a, k - c] * product[s - a, k - c]
            given_back = back_room[: sources * wide].reshape(sources, wide)
            np.dot(weights, back, given_back)
            for s in range(a, z):
                begin = start[line[s]] - lowest[s]
                one, two = max(lowest[s], edge), min(start[line[s] + 1] - begin, edge + wide)
                if one < two:
                    back_now[begin + one : begin + two] = given_back[s - a, one - edge : two - edge]


@jit
def counted(
    from_orbit: int,
    to_orbit: int,
    orbit_start: np.ndarray,
    line: np.ndarray,
    position: np.ndarray,
    lowest: np.ndarray,
    start: np.ndarray,
    target_start: np.ndarray,
    target_position: np.ndarray,
    target_lowest: np.ndarray,
    next_start: np.ndarray,
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
        left, right = FAR, -FAR
        for s in range(a, z):
            left, right = min(left, lowest[s]), max(right, lowest[s] + start[line[s] + 1] - start[line[s]])
        width = right - left
        running[:width] = 0
        entering, leaving = a, a
        for k in range(c, e):
            if gaps:
                running[:width] = 0
                for s in range(a, z):
                    v = target_position[k] - position[s]
                    if v >= 0 and v <= span and allowed[v]:
                        source, shift = now[start[line[s]] : start[line[s] + 1]], lowest[s] - left
                        sums = running[shift : shift + len(source)]
                        for i in range(len(source)):
                            sums[i] += source[i]
            else:
                while entering < z and position[entering] <= target_position[k]:
                    source, shift = now[start[line[entering]] : start[line[entering] + 1]], lowest[entering] - left
                    sums = running[shift : shift + len(source)]
                    for i in range(len(source)):
                        sums[i] += source[i]
                    entering += 1
                while leaving < entering and position[leaving] < target_position[k] - span:
                    source, shift = now[start[line[leaving]] : start[line[leaving] + 1]], lowest[leaving] - left
                    sums = running[shift : shift + len(source)]
                    for i in range(len(source)):
                        sums[i] -= source[i]
                    leaving += 1
            given, shift = after[next_start[k] : next_start[k + 1]], target_lowest[k] - left
            sums = running[shift : shift + len(given)]
            for i in range(len(given)):
                given[i] = sums[i]
