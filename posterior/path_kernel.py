"""Chains over hidden paths: x_0 -> x_1 -> ... -> x_T, of which only the last table is published.

A path is told by the size of its steps (how much the corner of each square grew), the order of its squares and theta; the
end is fixed, so that a step which was larger means that all tables before it were others. Four kinds of changes, each of
which leaves the law of paths given the end as it is:

* *nudge* one step: all tables before it change in its square, and so do the odds of the earlier steps that share cells;
* *redraw* the first k steps, backwards from the table after them, each from P(after | before) as if all values before had
  been alike beforehand. What that leaves out are the sums Z of these likelihoods over the values before, which are near 1
  (DFKPR01's Table 3 adds up to 1.01 to 1.05), and the law of x_0: by these it is accepted or not. With k = T any path can
  come next, whatever the last one was;
* *pair*: two steps change at once, for what one alone cannot do: facts about x_0, and squares that depend on each other;
* *move* a square to another place in the order, and *turn* theta to another of its values, where these are not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..fiber.jit import jit_inlined, jit_lean
from ..moves.random_words import below, fraction
from ..sampler.kernel import Kernel
from ..sampler.tally import Tally, end_of_draw
from ..sampler.walk_moves import Place
from ..sampler.weights import Weights, log_factorial, log_weight
from .step_law import corner_ends, log_step

SWEEPS = 2
"""Nudges of every step to a draw, on average."""
WORK_PER_NUDGE, WORK_PER_STEP = 800.0, 200.0
"""Nanoseconds of a nudge, and of a step of a path that is traced; stored figures."""
NEGLIGIBLE = 16.0
"""Values before a step are looked for outwards until their log-odds are so much below the best; but one redraw in `WHOLE`
looks at all of them. Each of the two leaves the law as it is: a path that it would not draw is not left by it either."""
WHOLE = 16
BEYOND_GUIDE = 2.0
"""What a unit beyond a bound of x_0 costs where redraws are led by its law."""


class PathPlan(NamedTuple):
    """What is fixed of a unit's paths. Squares have four cells: top left, top right, bottom left, bottom right."""

    end: np.ndarray
    """The published table."""
    cells: np.ndarray
    """[square, corner]"""
    near_start: np.ndarray
    """The squares that share cells with each, and what the four cells of those grow by when the corner of this one does."""
    near_square: np.ndarray
    near_grows: np.ndarray
    reach: np.ndarray
    """How far a nudge of each step usually goes at most."""
    thetas: np.ndarray
    log_prior: np.ndarray
    secret_order: bool
    redrawn: float
    """How probable a redraw is in a draw: about a fifth of the work is theirs."""
    pairs: int
    """Changes of two steps to a draw."""
    lower: np.ndarray
    """Bounds of x_0 besides those of the squares."""
    upper: np.ndarray
    row_start: np.ndarray
    """Sums of x_0 that are known though steps change them, as sparse rows with the least and the most that they can be."""
    row_cell: np.ndarray
    row_value: np.ndarray
    row_lower: np.ndarray
    row_upper: np.ndarray
    guided: bool
    """Does the law of x_0 weigh its values, or know bounds beside those of the squares? Redraws are then led by it."""
    soft: np.ndarray
    """The listed log-weights of the law as they lead redraws: values that it excludes have some weight too."""
    hard: float
    """What it costs x_0 to be one unit beyond a bound: infinite, except in search of a first path."""
    factorials: np.ndarray


class Path(NamedTuple):
    """A path, with what follows from it."""

    first: np.ndarray
    """x_0"""
    steps: np.ndarray
    """By how much the corner of each square grew."""
    order: np.ndarray
    """The square of each step, and the step of each square."""
    at: np.ndarray
    before: np.ndarray
    """[square, corner]: its cells just before its step."""
    log_odds: np.ndarray
    """log P(step | before) of every square."""
    theta: np.ndarray
    """[0]: which of the thetas."""


class PathRoom(NamedTuple):
    """Where a chain works: the path it has, one it may change to, and the odds of the values before a step."""

    now: Path
    other: Path
    odds: np.ndarray
    """[0, value]: log-odds of the step; [1, value]: odds by which values are drawn."""


def empty_path(n_cells: int, n_squares: int) -> Path:
    """Room for a path."""
    return Path(
        first=np.zeros(n_cells, dtype=np.int64),
        steps=np.zeros(n_squares, dtype=np.int64),
        order=np.arange(n_squares),
        at=np.arange(n_squares),
        before=np.zeros((n_squares, 4), dtype=np.int64),
        log_odds=np.zeros(n_squares),
        theta=np.zeros(1, dtype=np.int64),
    )


def path_room(plan: PathPlan) -> PathRoom:
    """Room for one chain."""
    n, squares = len(plan.end), len(plan.cells)
    return PathRoom(empty_path(n, squares), empty_path(n, squares), np.zeros((2, int(plan.end.sum()) + 1)))


# --- the law of a path ----------------------------------------------------------------------------------------------


@jit_lean
def log_odds_of(square: np.ndarray, step: int, theta: float, factorials: np.ndarray) -> float:
    """log P(a step | the four cells before it)."""
    a, b, c, d = square[0], square[1], square[2], square[3]
    if a < 0 or b < 0 or c < 0 or d < 0:
        return -np.inf
    low, high = corner_ends(a, b, c, d)
    return log_step(a + step, a, low, high, a + max(b, c), theta, factorials)


@jit_lean
def beyond(value: int, lower: int, upper: int) -> int:
    """How far a value is outside its bounds."""
    return max(lower - value, value - upper, 0)


@jit_lean
def log_law_of(plan: PathPlan, weights: Weights, j: int, value: int) -> float:
    """The log-weight of a value of x_0 at one cell, facts about this cell included."""
    outside = beyond(value, plan.lower[j], plan.upper[j])
    if outside > 0:
        return -plan.hard * outside
    return log_weight(weights, j, value)


@jit_lean
def log_law(plan: PathPlan, weights: Weights, first: np.ndarray) -> float:
    """The log-weight of x_0."""
    total = 0.0
    for j in range(len(first)):
        total += log_law_of(plan, weights, j, first[j])
    for r in range(len(plan.row_lower)):
        x = 0
        for e in range(plan.row_start[r], plan.row_start[r + 1]):
            x += plan.row_value[e] * first[plan.row_cell[e]]
        outside = beyond(x, plan.row_lower[r], plan.row_upper[r])
        if outside > 0:
            total -= plan.hard * outside
    return total


@jit_lean
def copy(source: np.ndarray, target: np.ndarray, at: int) -> None:
    """Write figures into an array, from a place on."""
    for j in range(len(source)):
        target[at + j] = source[j]


@jit_lean
def put(cells: np.ndarray, square: int, step: int, table: np.ndarray) -> None:
    """Add so many times a square to a table."""
    table[cells[square, 0]] += step
    table[cells[square, 1]] -= step
    table[cells[square, 2]] -= step
    table[cells[square, 3]] += step


@jit_lean
def trace(plan: PathPlan, path: Path) -> float:
    """Go back from the end along the steps of a path; the sum of their log-odds, -inf if some table has negative cells."""
    table, theta = path.first, plan.thetas[path.theta[0]]
    copy(plan.end, table, 0)
    total = 0.0
    for position in range(len(path.order) - 1, -1, -1):
        square = path.order[position]
        put(plan.cells, square, -path.steps[square], table)
        for i in range(4):
            path.before[square, i] = table[plan.cells[square, i]]
        here = log_odds_of(path.before[square], path.steps[square], theta, plan.factorials)
        path.log_odds[square] = here
        path.at[square] = position
        total += here
    return total


@jit_lean
def copy_path(source: Path, target: Path) -> None:
    """Make one path the same as another."""
    copy(source.first, target.first, 0)
    for square in range(len(source.steps)):
        target.steps[square] = source.steps[square]
        target.order[square] = source.order[square]
        target.at[square] = source.at[square]
        target.log_odds[square] = source.log_odds[square]
        for i in range(4):
            target.before[square, i] = source.before[square, i]
    target.theta[0] = source.theta[0]


@jit_lean
def total_of(log_odds: np.ndarray) -> float:
    """The sum of log-odds."""
    total = 0.0
    for square in range(len(log_odds)):
        total += log_odds[square]
    return total


@jit_lean
def accepts(log_ratio: float, random: np.ndarray) -> bool:
    """Metropolis' rule."""
    return log_ratio >= 0.0 or np.log(1.0 - fraction(random)) < log_ratio


# --- changes --------------------------------------------------------------------------------------------------------


@jit_lean
def how_far(reach: int, longest: int, random: np.ndarray) -> int:
    """How far to go, either way: often up to the usual reach, now and then any length scale."""
    most = reach
    if below(random, 4) == 0:
        scales = 1
        while (1 << scales) <= longest:
            scales += 1
        most = 1 << below(random, scales)
    size = 1 + below(random, most)
    return size if below(random, 2) == 0 else -size


@jit_lean
def nudge(plan: PathPlan, weights: Weights, room: PathRoom, square: int, random: np.ndarray) -> None:
    """Change the size of one step, or not."""
    path, other = room.now, room.other
    theta, cells = plan.thetas[path.theta[0]], plan.cells
    a, b, c, d = path.before[square, 0], path.before[square, 1], path.before[square, 2], path.before[square, 3]
    low, high = corner_ends(a, b, c, d)
    if low == high:
        return
    more = how_far(plan.reach[square], high - low, random)
    if a - more < low or a - more > high:
        return
    after = a + path.steps[square]
    here = log_step(after, a - more, low, high, a + max(b, c), theta, plan.factorials)
    ratio = here - path.log_odds[square]
    if ratio == -np.inf:
        return
    if len(plan.row_lower) > 0:
        copy(path.first, other.first, 0)
        put(cells, square, -more, other.first)
        ratio += log_law(plan, weights, other.first) - log_law(plan, weights, path.first)
    else:
        for i in range(4):
            j, value, less = cells[square, i], path.first[cells[square, i]], more if i == 0 or i == 3 else -more
            ratio += log_law_of(plan, weights, j, value - less) - log_law_of(plan, weights, j, value)
    if ratio == -np.inf:
        return
    for e in range(plan.near_start[square], plan.near_start[square + 1]):
        u = plan.near_square[e]
        if path.at[u] < path.at[square]:
            for i in range(4):
                other.before[u, i] = path.before[u, i] - more * plan.near_grows[e, i]
            other.log_odds[u] = log_odds_of(other.before[u], path.steps[u], theta, plan.factorials)
            ratio += other.log_odds[u] - path.log_odds[u]
            if ratio == -np.inf:
                return
    if not accepts(ratio, random):
        return
    path.steps[square] += more
    path.log_odds[square] = here
    put(cells, square, -more, path.first)
    path.before[square, 0] -= more
    path.before[square, 1] += more
    path.before[square, 2] += more
    path.before[square, 3] -= more
    for e in range(plan.near_start[square], plan.near_start[square + 1]):
        u = plan.near_square[e]
        if path.at[u] < path.at[square]:
            path.log_odds[u] = other.log_odds[u]
            for i in range(4):
                path.before[u, i] = other.before[u, i]


@jit_lean
def guide(soft: np.ndarray, weights: Weights, lower: int, upper: int, j: int, value: int) -> float:
    """The log-weight of x_0 at one cell by which redraws are led: the law's own, but finite everywhere."""
    found, inside = -BEYOND_GUIDE * beyond(value, lower, upper), min(max(value, lower), upper)
    if weights.counted[j]:
        found += inside * weights.log_mean[j] - log_factorial(weights.log_factorials, inside)
    if weights.start[j] >= 0:
        found += soft[weights.start[j] + inside - weights.first[j]]
    return found


@jit_lean
def unguided(plan: PathPlan, weights: Weights, first: np.ndarray) -> float:
    """What the law of x_0 has beyond its guide; -inf where it excludes x_0."""
    total = log_law(plan, weights, first)
    if plan.guided and total > -np.inf:
        for j in range(len(first)):
            total -= guide(plan.soft, weights, plan.lower[j], plan.upper[j], j, first[j])
    return total


@jit_lean
def other_mode(after: int, low: int, high: int, column: int, theta: float) -> float:
    """Another value before a step that is likely, where there is one; else the value after it.

    Where f is cut off at 1 everybody comes in, and the more there were the fewer there are after the step.
    """
    if theta > 0.0:
        found = (high + low * theta - after) / theta
        if found * (1.0 + theta) > column and found <= high + 5.0 * np.sqrt((high - low) * (1.0 - theta) / theta):
            return min(found, high)
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
            step = log_step(a, w, least, most, column, theta, plan.factorials)
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
    """One of some values, by its odds."""
    left, found = fraction(random) * total, low
    for w in range(low, high + 1):
        if odds[1, w] > 0.0:
            found = w
            left -= odds[1, w]
            if left < 0.0:
                return w
    return found


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
def take(plan: PathPlan, weights: Weights, room: PathRoom, further: float, random: np.ndarray) -> bool:
    """Change to the other path, whose steps, order and theta are set, or not; `further` is what else its odds have."""
    now, other = room.now, room.other
    odds = trace(plan, other)
    if odds == -np.inf:
        return False
    ratio = further + odds - total_of(now.log_odds)
    ratio += log_law(plan, weights, other.first) - log_law(plan, weights, now.first)
    if not accepts(ratio, random):
        return False
    copy_path(other, now)
    return True


@jit_lean
def pair(plan: PathPlan, weights: Weights, room: PathRoom, random: np.ndarray) -> None:
    """Change two steps by as much, the same way or opposite ways, or not."""
    squares = len(plan.cells)
    one, two = below(random, squares), below(random, squares)
    if one == two:
        return
    copy_path(room.now, room.other)
    more = how_far(min(plan.reach[one], plan.reach[two]), 16, random)
    room.other.steps[one] += more
    room.other.steps[two] += more if below(random, 2) == 0 else -more
    take(plan, weights, room, 0.0, random)


@jit_lean
def grown_by(cells: np.ndarray, square: int, by: int, i: int) -> int:
    """What a corner of one square grows by when the top left of another does."""
    found = 0
    for k in range(4):
        if cells[by, k] == cells[square, i]:
            found += 1 if k == 0 or k == 3 else -1
    return found


@jit_lean
def move(plan: PathPlan, room: PathRoom, random: np.ndarray) -> None:
    """Let a square have its turn earlier or later, or not. No table changes but those in between."""
    path, other, cells = room.now, room.other, plan.cells
    theta = plan.thetas[path.theta[0]]
    square, to = below(random, len(cells)), below(random, len(cells))
    at = path.at[square]
    if to == at:
        return
    earlier, later, way = (at + 1, to, -1) if to > at else (to, at - 1, 1)
    for i in range(4):
        other.before[square, i] = path.before[square, i]
    ratio = 0.0
    for e in range(plan.near_start[square], plan.near_start[square + 1]):
        u = plan.near_square[e]
        if earlier <= path.at[u] <= later:
            for i in range(4):
                other.before[u, i] = path.before[u, i] + way * path.steps[square] * plan.near_grows[e, i]
                other.before[square, i] -= way * path.steps[u] * grown_by(cells, square, u, i)
            other.log_odds[u] = log_odds_of(other.before[u], path.steps[u], theta, plan.factorials)
            ratio += other.log_odds[u] - path.log_odds[u]
            if ratio == -np.inf:
                return
    other.log_odds[square] = log_odds_of(other.before[square], path.steps[square], theta, plan.factorials)
    ratio += other.log_odds[square] - path.log_odds[square]
    if not accepts(ratio, random):
        return
    for e in range(plan.near_start[square], plan.near_start[square + 1]):
        u = plan.near_square[e]
        if earlier <= path.at[u] <= later:
            path.log_odds[u] = other.log_odds[u]
            for i in range(4):
                path.before[u, i] = other.before[u, i]
    path.log_odds[square] = other.log_odds[square]
    for i in range(4):
        path.before[square, i] = other.before[square, i]
    for _ in range(later - earlier + 1):
        path.order[at] = path.order[at - way]
        path.at[path.order[at]] = at
        at -= way
    path.order[to] = square
    path.at[square] = to


@jit_lean
def other_theta(plan: PathPlan, now: int, random: np.ndarray) -> int:
    """Another theta, near or far, -1 where it would be beyond the last."""
    thetas = len(plan.thetas)
    to = below(random, thetas)
    if below(random, 2) == 0:
        to = now + how_far(max(1, thetas // 8), thetas, random)
    return to if 0 <= to < thetas else -1


@jit_lean
def turn(plan: PathPlan, weights: Weights, room: PathRoom, random: np.ndarray) -> None:
    """Change theta, or not."""
    now = room.now.theta[0]
    to = other_theta(plan, now, random)
    if to < 0:
        return
    copy_path(room.now, room.other)
    room.other.theta[0] = to
    take(plan, weights, room, plan.log_prior[to] - plan.log_prior[now], random)


# --- draws ----------------------------------------------------------------------------------------------------------


@jit_lean
def read_state(plan: PathPlan, state: np.ndarray, path: Path) -> float:
    """The path that a chain's state tells of: x_0, steps, order where it is secret, theta where it is not known."""
    squares = len(plan.cells)
    at = len(plan.end)
    for square in range(squares):
        path.steps[square] = state[at + square]
    at += squares
    if plan.secret_order:
        for square in range(squares):
            path.order[state[at + square]] = square
        at += squares
    path.theta[0] = state[at] if len(plan.thetas) > 1 else 0
    return trace(plan, path)


@jit_lean
def write_state(plan: PathPlan, path: Path, state: np.ndarray) -> None:
    """The state that tells of a path."""
    squares, at = len(plan.cells), len(plan.end)
    copy(path.first, state, 0)
    copy(path.steps, state, at)
    at += squares
    if plan.secret_order:
        copy(path.at, state, at)
        at += squares
    if len(plan.thetas) > 1:
        state[at] = path.theta[0]


@jit_lean
def change(plan: PathPlan, weights: Weights, room: PathRoom, random: np.ndarray) -> None:
    """All changes that make a draw."""
    squares = len(plan.cells)
    for _ in range(SWEEPS * squares):
        nudge(plan, weights, room, below(random, squares), random)
    for _ in range(plan.pairs):
        pair(plan, weights, room, random)
    if plan.secret_order:
        for _ in range(squares):
            move(plan, room, random)
    if len(plan.thetas) > 1:
        for _ in range(2):
            turn(plan, weights, room, random)
    if fraction(random) < plan.redrawn:
        redraw(plan, weights, room, how_many(squares, random), random)


@jit_lean
def how_many(squares: int, random: np.ndarray) -> int:
    """How many steps to draw anew: all, every other time, or so many that any number of halvings is as likely."""
    if below(random, 2) == 0:
        return squares
    halved = 1
    while (squares >> halved) > 1:
        halved += 1
    return max(1, squares >> (1 + below(random, halved)))


@jit_lean
def walk_paths(plan: PathPlan, weights: Weights, room: PathRoom, place: Place, tally: Tally, draws: int) -> int:
    """So many draws, or fewer if credits have to wait; the draws done."""
    read_state(plan, place.table, room.now)
    for done in range(draws):
        change(plan, weights, room, place.random)
        write_state(plan, room.now, place.table)
        end_of_draw(tally, place.table)
        if tally.n_waiting[0] > 0:
            return done + 1
    return draws


@dataclass(frozen=True, eq=False)
class PathKernel(Kernel):
    """Changes of hidden paths; a chain's table is x_0, then the steps, the order and theta."""

    plan: PathPlan
    weights: Weights

    words = "hidden paths"
    credits_lines = False
    cost = 1.0

    def work(self, n_columns: int) -> float:
        """A round of all changes; those of whole paths take the longer the more squares there are."""
        squares = len(self.plan.cells)
        nudges = 1.5 * SWEEPS + (1 if self.plan.secret_order else 0)
        whole = self.plan.pairs + (2 if len(self.plan.thetas) > 1 else 0)
        return squares * (WORK_PER_NUDGE * nudges + WORK_PER_STEP * whole)

    def steps(self, n_columns: int) -> int:
        """A draw is a round of all changes."""
        return 1

    def room(self) -> PathRoom:
        """Room for two paths."""
        return path_room(self.plan)

    def walk(self, place: Place, tally: Tally, room: Any, draws: int, steps: int) -> int:
        """Rounds of changes."""
        done: int = walk_paths(self.plan, self.weights, room, place, tally, draws)
        return done
