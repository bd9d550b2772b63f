"""A hidden path, what is fixed of it, and its law.

A path is told by the size of its steps (how much the corner of each square grew), the order of its squares and theta. The
end is fixed, so that a step which was larger means that all tables before it were others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit_inner, jit_lean
from ...base.random_streams import fraction
from ...sampler.lines.weights import Weights, log_weight
from .step_law import corner_ends, log_step


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
    """How probable it is that a draw has a redraw: these are about a fifth of the work."""
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
    """What it costs x_0 to be 1 beyond a bound: infinite, except in search of a first path."""
    factorials: np.ndarray
    capped: bool
    """Is the probability of coming in cut off at 1? Otherwise a step that would need it is impossible."""


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


@jit_inner
def log_odds_of(square: np.ndarray, step: int, theta: float, factorials: np.ndarray, capped: bool) -> float:
    """log P(a step | the four cells before it)."""
    a, b, c, d = square[0], square[1], square[2], square[3]
    if a < 0 or b < 0 or c < 0 or d < 0:
        return -np.inf
    low, high = corner_ends(a, b, c, d)
    return log_step(a + step, a, low, high, a + max(b, c), theta, factorials, capped)


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
        log_odds = log_odds_of(path.before[square], path.steps[square], theta, plan.factorials, plan.capped)
        path.log_odds[square] = log_odds
        path.at[square] = position
        total += log_odds
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


@jit_inner
def accepts(log_ratio: float, random: np.ndarray) -> bool:
    """Metropolis' rule."""
    return log_ratio >= 0.0 or np.log(1.0 - fraction(random)) < log_ratio
