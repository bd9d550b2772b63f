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
* *swap* two squares in the order, and *turn* theta to another of its values, where these are not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..fiber.jit import jit_lean
from ..moves.random_words import below, fraction
from ..sampler.kernel import Kernel
from ..sampler.tally import Tally, end_of_draw
from ..sampler.walk_moves import Place
from ..sampler.weights import Weights, log_weight
from .step_law import corner_ends, log_step

SWEEPS = 4
"""Nudges of every step to a draw, on average."""


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
    return PathRoom(empty_path(n, squares), empty_path(n, squares), np.zeros(int(plan.end.sum()) + 1))


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
    if below(random, 2) == 0:
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
def values_before(
    cells: np.ndarray, table: np.ndarray, theta: float, sharpness: float, factorials: np.ndarray, odds: np.ndarray
) -> tuple[int, int, float, float]:
    """The odds of every value that the corner may have had before a step to this table, given that all were alike.

    Their number, the least value, the largest log-odds, and the sum of the odds divided by that. `sharpness` is a power
    to which the odds are raised: 1, or less for paths that are further apart.
    """
    a, b, c, d = table[cells[0]], table[cells[1]], table[cells[2]], table[cells[3]]
    low, high = corner_ends(a, b, c, d)
    column, number, largest = a + max(b, c), high - low + 1, -np.inf
    for k in range(number):
        odds[k] = sharpness * log_step(a, low + k, low, high, column, theta, factorials)
        largest = max(largest, odds[k])
    total = 0.0
    if largest > -np.inf:
        for k in range(number):
            odds[k] = np.exp(odds[k] - largest)
            total += odds[k]
    return number, low, largest, total


@jit_lean
def picked(odds: np.ndarray, number: int, total: float, random: np.ndarray) -> int:
    """One of so many places, by its odds."""
    left, found = fraction(random) * total, 0
    for k in range(number):
        if odds[k] > 0.0:
            found = k
            left -= odds[k]
            if left < 0.0:
                return k
    return found


@jit_lean
def draw_back(
    plan: PathPlan, path: Path, odds: np.ndarray, positions: int, sharpness: float, random: np.ndarray
) -> tuple[float, int]:
    """Draw the first steps of a path anew, backwards from the table that is in `path.first`; the sum of log Z.

    Beside it the square, if there is one, whose corner cannot have come to its value by a step; the sum is then -inf.
    """
    theta, total = plan.thetas[path.theta[0]], 0.0
    for position in range(positions - 1, -1, -1):
        square = path.order[position]
        cells = plan.cells[square]
        number, low, largest, whole = values_before(cells, path.first, theta, sharpness, plan.factorials, odds)
        if largest == -np.inf:
            return -np.inf, square
        k = picked(odds, number, whole, random)
        path.steps[square] = path.first[cells[0]] - (low + k)
        path.log_odds[square] = (np.log(odds[k]) + largest) / sharpness
        put(plan.cells, square, -path.steps[square], path.first)
        for i in range(4):
            path.before[square, i] = path.first[cells[i]]
        path.at[square] = position
        total += largest + np.log(whole)
    return total, -1


@jit_lean
def log_sums(plan: PathPlan, path: Path, scratch: np.ndarray, odds: np.ndarray, positions: int) -> float:
    """The sum of log Z over the first steps of a path as it is; `scratch` is left at the table after them."""
    theta, total = plan.thetas[path.theta[0]], 0.0
    copy(path.first, scratch, 0)
    for position in range(positions):
        square = path.order[position]
        put(plan.cells, square, path.steps[square], scratch)
        _, _, largest, whole = values_before(plan.cells[square], scratch, theta, 1.0, plan.factorials, odds)
        total += largest + np.log(whole)
    return total


@jit_lean
def redraw(plan: PathPlan, weights: Weights, room: PathRoom, positions: int, random: np.ndarray) -> bool:
    """Draw the first steps of the path anew, in another order if that is secret, or leave it; whether it changed."""
    now, other = room.now, room.other
    copy_path(now, other)
    before = log_sums(plan, now, other.first, room.odds, positions)  # other.first: the table after these steps
    if plan.secret_order and below(random, 2) == 0:
        for i in range(positions - 1, 0, -1):
            k = below(random, i + 1)
            other.order[i], other.order[k] = other.order[k], other.order[i]
    after, _ = draw_back(plan, other, room.odds, positions, 1.0, random)
    if after == -np.inf:
        return False
    ratio = after - before + log_law(plan, weights, other.first) - log_law(plan, weights, now.first)
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
def swap(plan: PathPlan, weights: Weights, room: PathRoom, random: np.ndarray) -> None:
    """Let two squares change places in the order, or not."""
    squares = len(plan.cells)
    one, two = below(random, squares), below(random, squares)
    if one == two:
        return
    copy_path(room.now, room.other)
    order = room.other.order
    order[one], order[two] = order[two], order[one]
    take(plan, weights, room, 0.0, random)


@jit_lean
def turn(plan: PathPlan, weights: Weights, room: PathRoom, random: np.ndarray) -> None:
    """Change theta, or not."""
    thetas, now = len(plan.thetas), room.now.theta[0]
    to = now + how_far(max(1, thetas // 8), thetas, random)
    if to < 0 or to >= thetas:
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
        for _ in range(1 + squares // 8):
            swap(plan, weights, room, random)
    if len(plan.thetas) > 1:
        for _ in range(2):
            turn(plan, weights, room, random)
    redraw(plan, weights, room, 1 + below(random, squares), random)


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
