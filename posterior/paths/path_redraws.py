"""The beginning of a hidden path, drawn anew backwards from the table after it.

Each step is drawn from P(after | before), weighted by how the law of x_0 would change if the table before were x_0: along
the path these weights cancel, but for those of its ends. That leaves out the sums Z of the odds over the values before,
which are near 1 (DFKPR01's Table 3 adds up to 1.01 to 1.05): by the ratio of these a new beginning is accepted or not
(Metropolis-Hastings). Where all steps are drawn anew, any path can come next, whatever the last one was.
"""

from __future__ import annotations

import numpy as np

from ...base.jit import jit_inlined, jit_inner, jit_lean
from ...base.random_streams import below, fraction
from ...sampler.lines.weights import Weights, log_factorial
from .path_changes import other_theta
from .path_state import Path, PathPlan, PathRoom, accepts, beyond, copy, copy_path, log_law, put
from .step_law import corner_ends, log_step

NEGLIGIBLE = 16.0
"""Values before a step are looked for outwards until their log-odds are so much below the best; but one redraw in `WHOLE`
looks at all of them. Each of the two leaves the law as it is: a path that it would not draw is not left by it either."""
WHOLE = 16
BEYOND_GUIDE = 2.0
"""What it costs x_0 to be 1 beyond a bound where redraws are led by its law."""


@jit_lean
def guide(soft: np.ndarray, weights: Weights, lower: int, upper: int, j: int, value: int) -> float:
    """The log-weight of x_0 at one cell by which redraws are led: the law's own, but finite everywhere."""
    log_w, clipped = -BEYOND_GUIDE * beyond(value, lower, upper), min(max(value, lower), upper)
    if weights.counted[j]:
        log_w += clipped * weights.log_mean[j] - log_factorial(weights.log_factorials, clipped)
    if weights.start[j] >= 0:
        log_w += soft[weights.start[j] + clipped - weights.first[j]]
    return log_w


@jit_inner
def unguided(plan: PathPlan, weights: Weights, first: np.ndarray) -> float:
    """What the law of x_0 has beyond its guide; -inf where it excludes x_0."""
    total = log_law(plan, weights, first)
    if plan.guided and total > -np.inf:
        for j in range(len(first)):
            total -= guide(plan.soft, weights, plan.lower[j], plan.upper[j], j, first[j])
    return total


@jit_inner
def other_mode(after: int, low: int, high: int, column: int, theta: float) -> float:
    """Another value before a step that is likely, where there is one; else the value after it.

    Where f is cut off at 1 everybody comes in, and the more there were the fewer there are after the step.
    """
    if theta > 0.0:
        mode = (high + low * theta - after) / theta
        if mode * (1.0 + theta) > column and mode <= high + 5.0 * np.sqrt((high - low) * (1.0 - theta) / theta):
            return min(mode, high)
    return after


@jit_inlined
def values_before(
    plan: PathPlan,
    weights: Weights,
    cells: np.ndarray,
    table: np.ndarray,
    theta: float,
    whole: bool,
    sharpness: float,
    odds: np.ndarray,
) -> tuple[int, int, float, float]:
    """The odds of the values that the corner may have had before a step to this table, as if this had the law of x_0.

    The least and the most of them, the largest log-odds, and the sum of the odds divided by that. They are looked for
    outwards from the value after the step, until they are negligible; the `whole` range where that is asked for.
    `sharpness` is a power to which odds are raised: 1, or less for paths that are further apart.
    """
    a, b, c, d = table[cells[0]], table[cells[1]], table[cells[2]], table[cells[3]]
    least, most = corner_ends(a, b, c, d)
    column, low, high, largest = a + max(b, c), a, a, -np.inf
    must = other_mode(a, least, most, column, theta)
    for way in (1, -1):
        w, last = (a, -np.inf) if way == 1 else (a - 1, odds[1, a])
        while least <= w <= most:
            step = log_step(a, w, least, most, column, theta, plan.factorials, plan.capped)
            odds[0, w], odds[1, w] = step, sharpness * step
            if plan.guided and step > -np.inf:
                for i in range(4):
                    j, value = cells[i], table[cells[i]] + (w - a if i == 0 or i == 3 else a - w)
                    odds[1, w] += sharpness * guide(plan.soft, weights, plan.lower[j], plan.upper[j], j, value)
            low, high, largest = min(low, w), max(high, w), max(largest, odds[1, w])
            if not whole and (w < a or w >= must) and odds[1, w] <= last and odds[1, w] < largest - NEGLIGIBLE:
                break
            last = odds[1, w]
            w += way
    total = 0.0
    if largest > -np.inf:
        for w in range(low, high + 1):
            odds[1, w] = np.exp(odds[1, w] - largest)
            total += odds[1, w]
    if plan.guided:
        for i in range(4):
            j = cells[i]
            largest -= sharpness * guide(plan.soft, weights, plan.lower[j], plan.upper[j], j, table[j])
    return low, high, largest, total


@jit_lean
def picked(odds: np.ndarray, low: int, high: int, total: float, random: np.ndarray) -> int:
    """One of some values, by its odds (inverse transform)."""
    left, last = fraction(random) * total, low
    for w in range(low, high + 1):
        if odds[1, w] > 0.0:
            last = w
            left -= odds[1, w]
            if left < 0.0:
                return w
    return last


@jit_lean
def draw_back(
    plan: PathPlan,
    weights: Weights,
    path: Path,
    odds: np.ndarray,
    positions: int,
    whole: bool,
    sharpness: float,
    random: np.ndarray,
) -> tuple[float, int]:
    """Draw the first steps of a path anew, backwards from the table that is in `path.first`; the sum of log Z.

    Beside it the square, if there is one, whose corner cannot have come to its value by a step; the sum is then -inf.
    """
    theta, total = plan.thetas[path.theta[0]], 0.0
    for position in range(positions - 1, -1, -1):
        square = path.order[position]
        cells = plan.cells[square]
        low, high, largest, sum_of_odds = values_before(plan, weights, cells, path.first, theta, whole, sharpness, odds)
        if sum_of_odds == 0.0:
            return -np.inf, square
        w = picked(odds, low, high, sum_of_odds, random)
        path.steps[square] = path.first[cells[0]] - w
        path.log_odds[square] = odds[0, w]
        put(plan.cells, square, -path.steps[square], path.first)
        for i in range(4):
            path.before[square, i] = path.first[cells[i]]
        path.at[square] = position
        total += largest + np.log(sum_of_odds)
    return total, -1


@jit_lean
def log_sums(
    plan: PathPlan, weights: Weights, path: Path, scratch: np.ndarray, odds: np.ndarray, positions: int, whole: bool
) -> float:
    """The sum of log Z over the first steps of a path as it is; `scratch` is left at the table after them.

    It is infinite where the path has a step that would not be drawn.
    """
    theta, total = plan.thetas[path.theta[0]], 0.0
    copy(path.first, scratch, 0)
    for position in range(positions):
        square = path.order[position]
        put(plan.cells, square, path.steps[square], scratch)
        low, high, largest, sum_of_odds = values_before(
            plan, weights, plan.cells[square], scratch, theta, whole, 1.0, odds
        )
        w = path.before[square, 0]
        if w < low or w > high or odds[1, w] == 0.0:
            total = np.inf
        total += largest + np.log(sum_of_odds)
    return total


@jit_lean
def redraw(plan: PathPlan, weights: Weights, room: PathRoom, positions: int, random: np.ndarray) -> bool:
    """Draw the first steps of the path anew, or leave it; whether it changed.

    In another order where that is secret, and all steps with another theta where this is not known, every other time.
    """
    now, other = room.now, room.other
    whole = below(random, WHOLE) == 0
    copy_path(now, other)
    before = log_sums(plan, weights, now, other.first, room.odds, positions, whole)
    if before == np.inf:
        return False
    # other.first is the table after these steps
    ratio = 0.0
    if plan.secret_order and below(random, 2) == 0:
        for i in range(positions - 1, 0, -1):
            k = below(random, i + 1)
            other.order[i], other.order[k] = other.order[k], other.order[i]
    if len(plan.thetas) > 1 and positions == len(plan.cells) and below(random, 2) == 0:
        to = other_theta(plan, now.theta[0], random)
        if to < 0:
            return False
        ratio += plan.log_prior[to] - plan.log_prior[now.theta[0]]
        other.theta[0] = to
    after, _ = draw_back(plan, weights, other, room.odds, positions, whole, 1.0, random)
    if after == -np.inf:
        return False
    ratio += after - before + unguided(plan, weights, other.first) - unguided(plan, weights, now.first)
    if not accepts(ratio, random):
        return False
    copy_path(other, now)
    return True


@jit_lean
def how_many(squares: int, random: np.ndarray) -> int:
    """How many steps to draw anew: all, every other time, or so many that any number of halvings is as likely."""
    if below(random, 2) == 0:
        return squares
    halved = 1
    while (squares >> halved) > 1:
        halved += 1
    return max(1, squares >> (1 + below(random, halved)))
