"""A step of hit-and-run: how far a move can be made at a table, and how many times, drawn from the law along that line.

Up to LONGEST points the weights of all are summed, and one is drawn whatever the current point is (a Gibbs step). On longer
lines it is slice sampling (Neal 2003): a level below the weight of the current point, then points of the line at random from
a range that shrinks towards the current one, until one lies above the level. That leaves the law as it is however long the
line.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit_inlined, jit_inner, jit_lean
from ...base.random_streams import below, fraction
from .weights import ALIKE, FACTORIAL, POISSON, Weights, log_weight

LONGEST = 24
"""Points of a line whose weights are all summed."""
HUGE, TINY = 1e150, 1e-150
MOST_GAIN, MOST_LOSS, MOST_TILT = 1e75, 1e300, 170.0
"""What a ratio of neighbouring weights may be made of: times HUGE it is still a number."""
FAR = 2**62
MIRRORED = 7
"""Where every table counts alike, a point is drawn when these bits, of a counter or of a random word, are all 0. At the
other seven steps of eight a table goes to its mirror image, as far from one end of the line as it was from the other."""


class Line(NamedTuple):
    """A move (entries `begin` to `end` of the arrays) at a table, made from `low` (0 or less) to `high` times."""

    table: np.ndarray
    columns: np.ndarray
    steps: np.ndarray
    begin: int
    end: int
    low: int
    high: int


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
        j, step = columns[e], steps[e]
        above, under = upper[j] - table[j], table[j] - lower[j]
        if step < 0:
            above, under, step = under, above, -step
        if step > 1:
            above, under = above // step, under // step
        ahead, back = min(ahead, above), min(back, under)
        if ahead == 0 and back == 0:
            break
    return -back, ahead


@jit_lean
def log_weight_along(weights: Weights, line: Line, times: int) -> float:
    """The log-weight of the columns of a move after it was made so many times."""
    total = 0.0
    for e in range(line.begin, line.end):
        j = line.columns[e]
        total += log_weight(weights, j, line.table[j] + times * line.steps[e])
    return total


@jit_inlined
def _by_ratios(weights: Weights, line: Line) -> tuple[bool, bool, float]:
    """Is the ratio of neighbouring weights one of products? Do these fit a float? And the log of the tilt, prod mu^step."""
    by_ratios = weights.kind == FACTORIAL or weights.kind == POISSON
    log_tilt, most_gain, most_loss = 0.0, 1.0, 1.0
    if by_ratios:
        for e in range(line.begin, line.end):
            if abs(line.steps[e]) != 1:
                by_ratios = False
            most = float(line.table[line.columns[e]] + line.high - line.low + 1)
            if line.steps[e] > 0:
                most_loss *= most
            else:
                most_gain *= most
    if by_ratios and weights.kind == POISSON:
        for e in range(line.begin, line.end):
            log_tilt += line.steps[e] * weights.log_mean[line.columns[e]]
    return by_ratios, most_gain < MOST_GAIN and most_loss < MOST_LOSS and abs(log_tilt) < MOST_TILT, log_tilt


@jit_inlined
def _write_ratios(line: Line, log_tilt: float, weight: np.ndarray) -> float:
    """Write the weights of all points over that of the first; their sum."""
    tilt = np.exp(log_tilt) if log_tilt != 0.0 else 1.0
    product, total = 1.0, 1.0
    weight[0] = 1.0
    for i in range(1, line.high - line.low + 1):
        times = line.low + i
        gain, loss = tilt, 1.0
        for e in range(line.begin, line.end):
            x = line.table[line.columns[e]]
            if line.steps[e] > 0:
                loss *= x + times
            else:
                gain *= x - times + 1
        product *= gain / loss
        weight[i] = product
        total += product
        if total > HUGE:  # the line has one peak: what this loses below is nothing beside it
            for k in range(i + 1):
                weight[k] *= TINY
            product *= TINY
            total *= TINY
    return total


@jit_inlined
def _write_log_ratios(line: Line, log_tilt: float, weight: np.ndarray) -> float:
    """Long moves of large cells: the same ratios, of which logarithms are taken before they overflow; the largest."""
    log_product = largest = 0.0
    weight[0] = 0.0
    for i in range(1, line.high - line.low + 1):
        times = line.low + i
        gain, loss = 1.0, 1.0
        log_product += log_tilt
        for e in range(line.begin, line.end):
            x = line.table[line.columns[e]]
            if line.steps[e] > 0:
                loss *= x + times
            else:
                gain *= x - times + 1
            if gain > HUGE or loss > HUGE:
                log_product += np.log(gain / loss)
                gain, loss = 1.0, 1.0
        log_product += np.log(gain / loss)
        weight[i] = log_product
        largest = max(largest, log_product)
    return largest


@jit_inlined
def _write_logs(weights: Weights, line: Line, weight: np.ndarray) -> float:
    """Write the log-weights of all points under any law; the largest."""
    largest = -np.inf
    for i in range(line.high - line.low + 1):
        weight[i] = log_weight_along(weights, line, line.low + i)
        largest = max(largest, weight[i])
    return largest


@jit_lean
def weigh_line(weights: Weights, line: Line, weight: np.ndarray) -> float:
    """Write the weights of all points of a line, up to a factor; their sum (0 if all are excluded)."""
    by_ratios, fits, log_tilt = _by_ratios(weights, line)
    if by_ratios and fits:
        return _write_ratios(line, log_tilt, weight)
    largest = _write_log_ratios(line, log_tilt, weight) if by_ratios else _write_logs(weights, line, weight)
    if largest == -np.inf:
        return 0.0
    total = 0.0
    for i in range(line.high - line.low + 1):
        weight[i] = np.exp(weight[i] - largest)
        total += weight[i]
    return total


@jit_inner
def pick_by_weight(weight: np.ndarray, n: int, total: float, random: np.ndarray) -> int:
    """One of n places, with probabilities in proportion to their weights (inverse transform)."""
    left = fraction(random) * total
    last = 0
    for i in range(n):
        if weight[i] > 0.0:
            last = i
            left -= weight[i]
            if left < 0.0:
                return i
    return last  # rounding: the sum was reached only up to its last digit


@jit_inner
def slice_line(weights: Weights, line: Line, random: np.ndarray) -> int:
    """A point of a long line by slice sampling; the range shrinks towards the current point, 0."""
    low, high = line.low, line.high
    level = log_weight_along(weights, line, 0) + np.log(1.0 - fraction(random))
    while True:
        times = low + below(random, high - low + 1)
        if times == 0 or log_weight_along(weights, line, times) >= level:
            return times
        if times < 0:
            low = times + 1
        else:
            high = times - 1


@jit_lean
def draw_on_line(weights: Weights | None, line: Line, random: np.ndarray, weight: np.ndarray) -> tuple[int, float]:
    """How often a move is made, drawn from the law on its line; and the sum of the weights.

    The weights of all points are then in `weight`. The sum is 0 where they are not: under the uniform law, on long lines,
    and where every point of the line is excluded. Without weights every table counts alike, and what weighs lines is not
    even compiled.
    """
    points = line.high - line.low + 1
    if weights is None:
        return line.low + below(random, points), 0.0
    if weights.kind == ALIKE:
        return line.low + below(random, points), 0.0
    if points > len(weight):
        return slice_line(weights, line, random), 0.0
    total = weigh_line(weights, line, weight)
    if total == 0.0:
        return line.low + below(random, points), 0.0
    return line.low + pick_by_weight(weight, points, total, random), total
