"""One point of a line: how far a move can be made at a table, and how many times, drawn from the law along that line.

Up to LONGEST points the weights of all are summed, and the draw owes nothing to where the chain is. On longer lines a
slice is drawn (Neal 2003): a level below the weight of the current point, then points of the line at random, which close in
on the current one until one lies above the level. That leaves the law as it is however long the line.
"""

from __future__ import annotations

import numpy as np

from ...base.jit import jit_lean
from ...base.random_streams import below, fraction
from .weights import ALIKE, FACTORIAL, POISSON, Weights, log_weight

LONGEST = 24
"""Points of a line whose weights are all summed."""
HUGE, TINY = 1e150, 1e-150
MOST_GAIN, MOST_LOSS, MOST_TILT = 1e75, 1e300, 170.0
"""What a ratio of neighbouring weights may be made of: times HUGE it is still a number."""
FAR = 2**62


@jit_lean
def line_range(
    lower: np.ndarray,
    upper: np.ndarray,
    table: np.ndarray,
    columns: np.ndarray,
    steps: np.ndarray,
    begin: int,
    end: int,
) -> tuple[int, int]:
    """How many times a move (entries `begin` to `end` of the arrays) can be made: backwards (0 or less) and forwards."""
    back, ahead = FAR, FAR
    for e in range(begin, end):
        j, s = columns[e], steps[e]
        above, under = upper[j] - table[j], table[j] - lower[j]
        if s < 0:
            above, under, s = under, above, -s
        if s > 1:
            above, under = above // s, under // s
        ahead, back = min(ahead, above), min(back, under)
        if ahead == 0 and back == 0:
            break
    return -back, ahead


@jit_lean
def log_weight_along(
    weights: Weights, table: np.ndarray, columns: np.ndarray, steps: np.ndarray, begin: int, end: int, times: int
) -> float:
    """The log-weight of the columns of a move after it was made so many times."""
    total = 0.0
    for e in range(begin, end):
        j = columns[e]
        total += log_weight(weights, j, table[j] + times * steps[e])
    return total


@jit_lean
def weigh_line(
    weights: Weights,
    table: np.ndarray,
    columns: np.ndarray,
    steps: np.ndarray,
    begin: int,
    end: int,
    low: int,
    high: int,
    weight: np.ndarray,
) -> float:
    """Write the weights of the points low, ..., high of a line, up to a factor; their sum (0 if all are excluded)."""
    n = high - low + 1
    by_ratios = weights.kind == FACTORIAL or weights.kind == POISSON
    log_tilt, most_gain, most_loss = 0.0, 1.0, 1.0
    if by_ratios:
        for e in range(begin, end):
            if abs(steps[e]) != 1:
                by_ratios = False
            most = float(table[columns[e]] + n)
            if steps[e] > 0:
                most_loss *= most
            else:
                most_gain *= most
    if by_ratios and weights.kind == POISSON:
        for e in range(begin, end):
            log_tilt += steps[e] * weights.log_mean[columns[e]]
    if by_ratios and most_gain < MOST_GAIN and most_loss < MOST_LOSS and abs(log_tilt) < MOST_TILT:
        tilt = np.exp(log_tilt) if log_tilt != 0.0 else 1.0
        here, total = 1.0, 1.0
        weight[0] = 1.0
        for i in range(1, n):
            t = low + i
            gain, loss = tilt, 1.0
            for e in range(begin, end):
                x = table[columns[e]]
                if steps[e] > 0:
                    loss *= x + t
                else:
                    gain *= x - t + 1
            here *= gain / loss
            weight[i] = here
            total += here
            if total > HUGE:  # the line has one peak: what this loses below is nothing beside it
                for k in range(i + 1):
                    weight[k] *= TINY
                here *= TINY
                total *= TINY
        return total
    largest = -np.inf
    if by_ratios:
        # Long moves of large cells: the same ratios, of which logarithms are taken before they run over.
        log_here = 0.0
        weight[0] = largest = 0.0
        for i in range(1, n):
            t = low + i
            gain, loss = 1.0, 1.0
            log_here += log_tilt
            for e in range(begin, end):
                x = table[columns[e]]
                if steps[e] > 0:
                    loss *= x + t
                else:
                    gain *= x - t + 1
                if gain > HUGE or loss > HUGE:
                    log_here += np.log(gain / loss)
                    gain, loss = 1.0, 1.0
            log_here += np.log(gain / loss)
            weight[i] = log_here
            largest = max(largest, log_here)
    else:
        for i in range(n):
            weight[i] = log_weight_along(weights, table, columns, steps, begin, end, low + i)
            largest = max(largest, weight[i])
    if largest == -np.inf:
        return 0.0
    total = 0.0
    for i in range(n):
        weight[i] = np.exp(weight[i] - largest)
        total += weight[i]
    return total


@jit_lean
def pick_by_weight(weight: np.ndarray, n: int, total: float, random: np.ndarray) -> int:
    """One of n places, with probabilities in proportion to their weights."""
    left = fraction(random) * total
    last = 0
    for i in range(n):
        if weight[i] > 0.0:
            last = i
            left -= weight[i]
            if left < 0.0:
                return i
    return last  # rounding: the sum was reached only up to its last digit


@jit_lean
def slice_line(
    weights: Weights,
    table: np.ndarray,
    columns: np.ndarray,
    steps: np.ndarray,
    begin: int,
    end: int,
    low: int,
    high: int,
    random: np.ndarray,
) -> int:
    """A point of a long line by a slice through its law that shrinks towards the current point 0."""
    level = log_weight_along(weights, table, columns, steps, begin, end, 0) + np.log(1.0 - fraction(random))
    while True:
        t = low + below(random, high - low + 1)
        if t == 0 or log_weight_along(weights, table, columns, steps, begin, end, t) >= level:
            return t
        if t < 0:
            low = t + 1
        else:
            high = t - 1


@jit_lean
def draw_on_line(
    weights: Weights,
    table: np.ndarray,
    columns: np.ndarray,
    steps: np.ndarray,
    begin: int,
    end: int,
    low: int,
    high: int,
    random: np.ndarray,
    weight: np.ndarray,
) -> tuple[int, float]:
    """How often a move is made, from low to high times, drawn from the law on that line; and the sum of the weights.

    The weights of all points are then in `weight`. The sum is 0 where these were not asked for: under the uniform law, on
    long lines, and where every point of the line is excluded.
    """
    if weights.kind == ALIKE:
        return low + below(random, high - low + 1), 0.0
    if high - low >= len(weight):
        return slice_line(weights, table, columns, steps, begin, end, low, high, random), 0.0
    total = weigh_line(weights, table, columns, steps, begin, end, low, high, weight)
    if total == 0.0:
        return low + below(random, high - low + 1), 0.0
    return low + pick_by_weight(weight, high - low + 1, total, random), total
