"""Points of a line for walks along a schedule: weights of short lines, another point than the current one, and slices that
begin in a window around it. All of it is compiled into the walk, as a schedule is gone through in nanoseconds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....base.jit import jit_inlined
from ....base.random_streams import below, fraction
from ...lines.weights import FACTORIAL, log_factorial

HUGE = 1e250


class Move(NamedTuple):
    """A move of a list: its columns stand from `begin` to `stop`, those that gain before `middle`."""

    begin: int
    middle: int
    stop: int
    single: bool
    """Are all its sizes 1?"""
    tilt: float
    """The product of mean^step over its columns; 0 where its weights are to be had by logarithms only."""
    window: int
    """Points of a long line among which a slice begins, besides the current one."""


@jit_inlined
def log_weight_at(weights, moves, table, move, times):  # type: ignore[no-untyped-def]
    """The log-weight of the columns of a move after it was made so many times."""
    total = 0.0
    for e in range(move.begin, move.stop):
        j = moves.columns[e]
        change = times * moves.sizes[e]
        x = table[j] + (change if e < move.middle else -change)
        if weights.kind == FACTORIAL and x < len(weights.log_factorials):
            total -= weights.log_factorials[x]
            continue
        if weights.counted[j]:
            total += x * weights.log_mean[j] - log_factorial(weights.log_factorials, x)
        if weights.start[j] >= 0:
            total += weights.value[weights.start[j] + x - weights.first[j]]
    return total


@jit_inlined
def ratio_ahead(moves, table, move, t):  # type: ignore[no-untyped-def]
    """The weight of the point t + 1 over that of the point t, as a fraction: numerator and denominator."""
    gain, loss = move.tilt, 1.0
    for e in range(move.begin, move.middle):
        loss *= table[moves.columns[e]] + t + 1
    for e in range(move.middle, move.stop):
        gain *= table[moves.columns[e]] - t
    return gain, loss


@jit_inlined
def ratio_back(moves, table, move, t):  # type: ignore[no-untyped-def]
    """The weight of the point -t - 1 over that of the point -t."""
    gain, loss = 1.0, move.tilt
    for e in range(move.begin, move.middle):
        gain *= table[moves.columns[e]] - t
    for e in range(move.middle, move.stop):
        loss *= table[moves.columns[e]] + t + 1
    return gain, loss


@jit_inlined
def _weigh_by_ratios(moves, table, move, back, ahead, weight):  # type: ignore[no-untyped-def]
    """Write the weights of all points over that of the current one; their sum."""
    total, product = 1.0, 1.0
    weight[back] = 1.0
    for t in range(ahead):
        gain, loss = ratio_ahead(moves, table, move, t)
        product *= gain / loss
        weight[back + t + 1] = product
        total += product
    product = 1.0
    for t in range(back):
        gain, loss = ratio_back(moves, table, move, t)
        product *= gain / loss
        weight[back - t - 1] = product
        total += product
    return total


@jit_inlined
def weigh_points(weights, moves, table, move, back, ahead, weight):  # type: ignore[no-untyped-def]
    """Write the weights of all points of a line, up to a factor."""
    total = HUGE
    if move.tilt > 0.0:
        total = _weigh_by_ratios(moves, table, move, back, ahead, weight)
    if not total < HUGE:  # excluded values, sizes above 1, or a current point far below the others
        largest = -np.inf
        for i in range(back + ahead + 1):
            weight[i] = log_weight_at(weights, moves, table, move, i - back)
            largest = max(largest, weight[i])
        for i in range(back + ahead + 1):
            weight[i] = np.exp(weight[i] - largest) if largest > -np.inf else 1.0


@jit_inlined
def another_point(weight, back, others, word, random):  # type: ignore[no-untyped-def]
    """Another point of the line, in proportion to the weights, or 0 where it is not accepted (Metropolised Gibbs)."""
    rest = 0.0
    for i in range(others + 1):
        if i != back:
            rest += weight[i]
    if not rest > 0.0:
        return 0
    left = (word >> np.uint64(11)) * (1.0 / 9007199254740992.0) * rest
    chosen = -1
    for i in range(others + 1):
        if i != back and weight[i] > 0.0:
            chosen = i
            left -= weight[i]
            if left < 0.0:
                break
    excess = weight[back] - weight[chosen]
    if excess > 0.0 and fraction(random) * (rest + excess) >= rest:
        return 0
    return chosen - back


@jit_inlined
def slice_in_window(weights, moves, table, move, back, ahead, random):  # type: ignore[no-untyped-def]
    """A point of a long line by slice sampling: a level below the current weight, then points of a window that shrinks."""
    low, high = -back, ahead
    if move.window < back + ahead:
        offset = below(random, move.window + 1)
        low, high = max(low, -offset), min(high, move.window - offset)
    level = log_weight_at(weights, moves, table, move, 0) + np.log(1.0 - fraction(random))
    t = 0
    while low < high:
        t = low + below(random, high - low + 1)
        if t == 0 or log_weight_at(weights, moves, table, move, t) >= level:
            break
        if t < 0:
            low = t + 1
        else:
            high = t - 1
        t = 0
    return t
