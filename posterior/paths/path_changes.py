"""Small changes of a hidden path: of one step, of two, of the order, of theta. Each is a Metropolis step."""

from __future__ import annotations

import numpy as np

from ...base.jit import jit_inlined, jit_inner, jit_lean
from ...base.random_streams import below
from ...sampler.lines.weights import Weights
from .path_state import (
    PathPlan,
    PathRoom,
    accepts,
    copy,
    copy_path,
    log_law,
    log_law_of,
    log_odds_of,
    put,
    total_of,
    trace,
)
from .step_law import corner_ends, log_step


@jit_inner
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


@jit_inlined
def _with_near(plan: PathPlan, room: PathRoom, square: int, by: int, earlier: int, later: int, ratio: float) -> float:
    """Change the squares that share cells with a square and have their turns from `earlier` to `later`: it grew by `by`
    before them.

    The change stands in the other path; what comes back is the log-ratio with it, -inf where some step is impossible.
    """
    path, other = room.now, room.other
    theta = plan.thetas[path.theta[0]]
    for e in range(plan.near_start[square], plan.near_start[square + 1]):
        near = plan.near_square[e]
        if earlier <= path.at[near] <= later:
            for i in range(4):
                other.before[near, i] = path.before[near, i] + by * plan.near_grows[e, i]
            other.log_odds[near] = log_odds_of(
                other.before[near], path.steps[near], theta, plan.factorials, plan.capped
            )
            ratio += other.log_odds[near] - path.log_odds[near]
            if ratio == -np.inf:
                break
    return ratio


@jit_inlined
def _keep_near(plan: PathPlan, room: PathRoom, square: int, earlier: int, later: int) -> None:
    """Take what `_with_near` changed into the path."""
    path, other = room.now, room.other
    for e in range(plan.near_start[square], plan.near_start[square + 1]):
        near = plan.near_square[e]
        if earlier <= path.at[near] <= later:
            path.log_odds[near] = other.log_odds[near]
            for i in range(4):
                path.before[near, i] = other.before[near, i]


@jit_inlined
def _with_law(plan: PathPlan, weights: Weights, room: PathRoom, square: int, growth: int, ratio: float) -> float:
    """The log-ratio with that of the laws of x_0, where x_0 has `growth` less in the corner of a square."""
    path, other, cells = room.now, room.other, plan.cells
    if len(plan.row_lower) > 0:
        copy(path.first, other.first, 0)
        put(cells, square, -growth, other.first)
        return ratio + (log_law(plan, weights, other.first) - log_law(plan, weights, path.first))
    for i in range(4):
        j, value, less = cells[square, i], path.first[cells[square, i]], growth if i == 0 or i == 3 else -growth
        ratio += log_law_of(plan, weights, j, value - less) - log_law_of(plan, weights, j, value)
    return ratio


@jit_lean
def nudge(plan: PathPlan, weights: Weights, room: PathRoom, square: int, random: np.ndarray) -> None:
    """Change the size of one step, or not."""
    path, theta = room.now, plan.thetas[room.now.theta[0]]
    a, b, c, d = path.before[square, 0], path.before[square, 1], path.before[square, 2], path.before[square, 3]
    low, high = corner_ends(a, b, c, d)
    if low == high:
        return
    growth = how_far(plan.reach[square], high - low, random)
    if a - growth < low or a - growth > high:
        return
    after = a + path.steps[square]
    log_odds = log_step(after, a - growth, low, high, a + max(b, c), theta, plan.factorials, plan.capped)
    ratio = log_odds - path.log_odds[square]
    if ratio == -np.inf:
        return
    ratio = _with_law(plan, weights, room, square, growth, ratio)
    if ratio == -np.inf:
        return
    ratio = _with_near(plan, room, square, -growth, 0, path.at[square] - 1, ratio)
    if ratio == -np.inf or not accepts(ratio, random):
        return
    path.steps[square] += growth
    path.log_odds[square] = log_odds
    put(plan.cells, square, -growth, path.first)
    path.before[square, 0] -= growth
    path.before[square, 1] += growth
    path.before[square, 2] += growth
    path.before[square, 3] -= growth
    _keep_near(plan, room, square, 0, path.at[square] - 1)


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
    first, second = below(random, squares), below(random, squares)
    if first == second:
        return
    copy_path(room.now, room.other)
    growth = how_far(min(plan.reach[first], plan.reach[second]), 16, random)
    room.other.steps[first] += growth
    room.other.steps[second] += growth if below(random, 2) == 0 else -growth
    take(plan, weights, room, 0.0, random)


@jit_inner
def grown_by(cells: np.ndarray, square: int, by: int, i: int) -> int:
    """What a corner of one square grows by when the top left of another does."""
    growth = 0
    for k in range(4):
        if cells[by, k] == cells[square, i]:
            growth += 1 if k == 0 or k == 3 else -1
    return growth


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
    ratio = _with_near(plan, room, square, way * path.steps[square], earlier, later, 0.0)
    if ratio == -np.inf:
        return
    for i in range(4):
        other.before[square, i] = path.before[square, i]
    for e in range(plan.near_start[square], plan.near_start[square + 1]):
        near = plan.near_square[e]
        if earlier <= path.at[near] <= later:
            for i in range(4):
                other.before[square, i] -= way * path.steps[near] * grown_by(cells, square, near, i)
    other.log_odds[square] = log_odds_of(other.before[square], path.steps[square], theta, plan.factorials, plan.capped)
    ratio += other.log_odds[square] - path.log_odds[square]
    if not accepts(ratio, random):
        return
    _keep_near(plan, room, square, earlier, later)
    path.log_odds[square] = other.log_odds[square]
    for i in range(4):
        path.before[square, i] = other.before[square, i]
    for _ in range(later - earlier + 1):
        path.order[at] = path.order[at - way]
        path.at[path.order[at]] = at
        at -= way
    path.order[to] = square
    path.at[square] = to


@jit_inner
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
