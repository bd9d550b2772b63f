"""Points of a line for walks along a schedule: weights of short lines, another point than the current one, and slices that
begin in a window around it. Arrays are handed over one by one, as a schedule is gone through in nanoseconds."""

from __future__ import annotations

import numpy as np

from ....base.jit import jit_lean
from ....base.random_streams import below, fraction
from ...lines.weights import FACTORIAL, log_factorial

HUGE = 1e250


@jit_lean
def log_weight_at(  # type: ignore[no-untyped-def]
    kind,
    counted,
    log_mean,
    value_start,
    first,
    value,
    log_factorials,
    columns,
    sizes,
    table,
    begin,
    middle,
    stop,
    times,
):
    """The log-weight of the columns of a move after it was made so many times."""
    total = 0.0
    for e in range(begin, stop):
        j = columns[e]
        change = times * sizes[e]
        x = table[j] + (change if e < middle else -change)
        if kind == FACTORIAL and x < len(log_factorials):
            total -= log_factorials[x]
            continue
        if counted[j]:
            total += x * log_mean[j] - log_factorial(log_factorials, x)
        if value_start[j] >= 0:
            total += value[value_start[j] + x - first[j]]
    return total


@jit_lean
def weigh_points(  # type: ignore[no-untyped-def]
    kind,
    counted,
    log_mean,
    value_start,
    first,
    value,
    log_factorials,
    columns,
    sizes,
    table,
    begin,
    middle,
    stop,
    tilt,
    back,
    ahead,
    weight,
):
    """Write the weights of all points of a line, up to a factor."""
    total = HUGE
    if tilt > 0.0:
        total, here = 1.0, 1.0
        weight[back] = 1.0
        for t in range(ahead):
            gain, loss = tilt, 1.0
            for e in range(begin, middle):
                loss *= table[columns[e]] + t + 1
            for e in range(middle, stop):
                gain *= table[columns[e]] - t
            here *= gain / loss
            weight[back + t + 1] = here
            total += here
        here = 1.0
        for t in range(back):
            gain, loss = 1.0, tilt
            for e in range(begin, middle):
                gain *= table[columns[e]] - t
            for e in range(middle, stop):
                loss *= table[columns[e]] + t + 1
            here *= gain / loss
            weight[back - t - 1] = here
            total += here
    if not total < HUGE:  # excluded values, sizes above 1, or a current point far below the others
        largest = -np.inf
        for i in range(back + ahead + 1):
            weight[i] = log_weight_at(
                kind,
                counted,
                log_mean,
                value_start,
                first,
                value,
                log_factorials,
                columns,
                sizes,
                table,
                begin,
                middle,
                stop,
                i - back,
            )
            largest = max(largest, weight[i])
        for i in range(back + ahead + 1):
            weight[i] = np.exp(weight[i] - largest) if largest > -np.inf else 1.0


@jit_lean
def another_point(weight, back, others, word, random):  # type: ignore[no-untyped-def]
    """Another point of the line, in proportion to the weights, or 0 where it is not accepted."""
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
    more = weight[back] - weight[chosen]
    if more > 0.0 and fraction(random) * (rest + more) >= rest:
        return 0
    return chosen - back


@jit_lean
def slice_in_window(  # type: ignore[no-untyped-def]
    kind,
    counted,
    log_mean,
    value_start,
    first,
    value,
    log_factorials,
    columns,
    sizes,
    table,
    begin,
    middle,
    stop,
    window,
    back,
    ahead,
    random,
):
    """A point of a long line: a level below its weight, then points of a window that closes in on the current one."""
    low, high = -back, ahead
    if window < back + ahead:
        offset = below(random, window + 1)
        low, high = max(low, -offset), min(high, window - offset)
    level = log_weight_at(
        kind,
        counted,
        log_mean,
        value_start,
        first,
        value,
        log_factorials,
        columns,
        sizes,
        table,
        begin,
        middle,
        stop,
        0,
    ) + np.log(1.0 - fraction(random))
    t = 0
    while low < high:
        t = low + below(random, high - low + 1)
        if (
            t == 0
            or log_weight_at(
                kind,
                counted,
                log_mean,
                value_start,
                first,
                value,
                log_factorials,
                columns,
                sizes,
                table,
                begin,
                middle,
                stop,
                t,
            )
            >= level
        ):
            break
        if t < 0:
            low = t + 1
        else:
            high = t - 1
        t = 0
    return t
