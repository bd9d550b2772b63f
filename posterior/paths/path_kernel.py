"""Chains over hidden paths: x_0 -> x_1 -> ... -> x_T, of which only the last table is published.

Kinds of changes, each a Metropolis-Hastings step that leaves the law of paths given the end as it is:

* *nudge* one step: all tables before it change in its square, and so do the odds of the earlier steps that share cells;
* *redraw* the first k steps, backwards from the table after them (`path_redraws`);
* *pair*: two steps change at once, for what one alone cannot do: facts about x_0, and squares that depend on each other;
* *move* a square to another place in the order, and *turn* theta to another of its values, where these are not known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.jit import jit_lean
from ...base.random_streams import below, fraction
from ...sampler.kernels.kernel import Kernel, Place
from ...sampler.lines.weights import Weights
from ...sampler.tallies.tally import Tally, end_of_draw
from .path_changes import move, nudge, pair, turn
from .path_redraws import how_many, redraw
from .path_state import Path, PathPlan, PathRoom, copy, path_room, trace

SWEEPS = 2
"""Nudges of every step to a draw, on average."""
WORK_PER_NUDGE, WORK_PER_STEP = 800.0, 200.0
"""Nanoseconds of a nudge, and of a step of a path that is traced; stored figures."""


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
        whole_paths = self.plan.pairs + (2 if len(self.plan.thetas) > 1 else 0)
        return squares * (WORK_PER_NUDGE * nudges + WORK_PER_STEP * whole_paths)

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
