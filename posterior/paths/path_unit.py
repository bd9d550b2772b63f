"""Hidden paths as units of chains: squares that share cells, what is known of x_0, and paths far apart to start from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.certificate import Certificate
from ...base.errors import InputError
from ...base.random_streams import streams
from ...fiber.laws.support import NO_TABLE, Support
from ...protect.perturbation.markov_perturbation import coming_in, corner_range, oriented
from ...release.release import Release
from ...sampler.chains.chain import Chain
from ...sampler.chains.unit import Unit
from ...sampler.chains.unit_run import UnitRun
from ...sampler.chains.units import Walked, unit_asked
from ...sampler.lines.weights import ALIKE, Weights, log_factorials, weights_on
from .path_groups import SIGNS, PathGroup, incidence
from .path_kernel import SWEEPS, PathKernel, change, write_state
from .path_redraws import draw_back
from .path_state import PathPlan, copy_path, log_law, log_law_of, path_room
from .paths import HiddenPaths, no_path

STEP_OF = "the step of "
REDRAWN = (
    "whole paths are drawn anew, backwards from the published table, and every path that can end there can be the next"
)
SHARPNESS = 0.3
"""Starts are drawn from odds raised to this power: further apart than paths that are probable."""
TRIES, SEARCHED = 20, 2000
"""Paths that are drawn for a start, and rounds of changes in search of one that x_0 allows."""
GENTLE = 3.0
"""What it costs, in log-odds, to be 1 beyond a bound during that search."""
VALUES_OF_REACH = 4.7
"""Values that are looked at in a redraw of a step, over its reach."""
EXCLUDED = -50.0
"""The log-weight of an excluded value during that search."""


def path_unit(paths: HiddenPaths, group: PathGroup, support: Support, questions: Any) -> Unit:
    """A group of squares with its kernel; `questions` are sparse columns."""
    squares = group.squares
    weights = weights_on(support.weigh, group.cells, group.lower, group.upper)
    # a cell that is known to be 0 may have an expected count of 0
    weights = weights._replace(log_mean=np.where(np.isneginf(weights.log_mean), 0.0, weights.log_mean))
    plan = _plan(paths, group, weights)
    further = tuple(f"{STEP_OF}{paths.named(square)}" for square in squares)
    most = np.full(len(squares), int(group.end.sum()))
    low, high = [-most], [most]
    if plan.secret_order:
        further += tuple(f"when {paths.named(square)} has its turn" for square in squares)
        low.append(np.zeros(len(squares), dtype=np.int64))
        high.append(np.full(len(squares), len(squares) - 1))
    if len(paths.thetas) > 1:
        further += ("theta",)
        low.append(np.zeros(1, dtype=np.int64))
        high.append(np.full(1, len(paths.thetas) - 1))
    start = np.concatenate([group.end, np.zeros(len(further), dtype=np.int64)])
    unit = unit_asked(
        Walked(group.cells, np.concatenate([group.lower, *low]), np.concatenate([group.upper, *high]), start),
        weights,
        (PathKernel(plan, weights),),
        Certificate("connected", REDRAWN),
        questions,
        further=further,
    )
    hidden = len(squares) * (2 if plan.secret_order else 1)
    return replace(unit, aside=len(group.cells) + np.arange(hidden))


def _plan(paths: HiddenPaths, group: PathGroup, weights: Weights) -> PathPlan:
    end, cells = group.end, group.local
    start, square, grows = near_squares(cells, len(end))
    usual = float(paths.thetas @ paths.theta_prior)
    tied = len(group.rows.lower) > 0 or bool((group.lower == group.upper).any())
    reach = np.array([_reach(end[corners], usual) for corners in cells], dtype=np.int64)
    return PathPlan(
        end=end,
        cells=cells,
        near_start=start,
        near_square=square,
        near_grows=grows,
        reach=reach,
        thetas=paths.thetas,
        log_prior=np.log(paths.theta_prior),
        secret_order=not paths.order_known and len(cells) > 1,
        redrawn=min(1.0, 0.5 * SWEEPS / float(VALUES_OF_REACH * reach.mean())),
        pairs=2 + len(cells) // 4 if tied else 0,
        lower=group.lower,
        upper=group.upper,
        row_start=group.rows.start,
        row_cell=group.rows.cell,
        row_value=group.rows.value,
        row_lower=group.rows.lower,
        row_upper=group.rows.upper,
        guided=weights.kind != ALIKE or _bounded(group),
        soft=np.where(np.isneginf(weights.value), _least(weights.value) - GENTLE, weights.value),
        hard=np.inf,
        factorials=log_factorials(int(end.sum()) + 2),
        capped=paths.capped,
    )


def _least(logs: np.ndarray) -> float:
    """The least of some logarithms that are finite."""
    return float(logs.min(initial=0.0, where=np.isfinite(logs)))


def _bounded(group: PathGroup) -> bool:
    """Is more known of some cell of x_0 than what squares keep?"""
    # a sum of cells that every square keeps bounds each of them
    return bool((group.lower > 0).any() or (group.upper < group.end).any() or (group.lower == group.upper).any())


def near_squares(cells: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each square the others that share cells with it, and what their four cells grow by when its corner grows."""
    touched = abs(incidence(cells, n))
    shared = sp.csr_array(touched @ touched.T)
    start, nears, grows = [0], [], []
    for square in range(len(cells)):
        row = np.zeros(n, dtype=np.int64)
        row[cells[square]] = SIGNS
        near = shared.indices[shared.indptr[square] : shared.indptr[square + 1]]
        near = np.sort(near[near != square])
        nears.append(near)
        grows.append(row[cells[near]])
        start.append(start[-1] + len(near))
    return np.array(start), np.concatenate(nears).astype(np.int64), np.concatenate(grows).reshape(-1, 4)


def _reach(square: np.ndarray, theta: float) -> int:
    """How far the corner of a published square is usually moved by a step, or somewhat more."""
    corner, total = int(square[0]), int(square.sum())
    row, column = oriented(int(square[:2].sum()), int(square[[0, 2]].sum()))
    low, high = corner_range(row, column, total)
    f = coming_in(corner, high, column, theta)
    return max(1, round(2.4 * np.sqrt(theta * (1 - theta) * (corner - low) + f * (1 - f) * (high - corner))))


def is_path(unit: Unit, state: np.ndarray) -> bool:
    """Does the state of a chain tell of steps that lead from a table to the published one, with no count below 0?"""
    kernel = unit.kernels[0]
    assert isinstance(kernel, PathKernel)
    plan, squares = kernel.plan, len(kernel.plan.cells)
    first, steps, later = np.split(state, [len(plan.end), len(plan.end) + squares])
    order = np.argsort(later[:squares]) if plan.secret_order else np.arange(squares)
    if plan.secret_order and not np.array_equal(np.sort(later[:squares]), np.arange(squares)):
        return False
    table = plan.end.copy()
    for square in order[::-1]:
        table[plan.cells[square]] -= SIGNS * steps[square]
        if table.min() < 0:
            return False
    return np.array_equal(table, first)


# --- where chains start ---------------------------------------------------------------------------------------------


def path_runs(
    units: Sequence[Unit], paths: HiddenPaths, groups: Sequence[PathGroup], seed: int | None, chains: int
) -> list[UnitRun]:
    """The units of some groups with chains at paths far apart."""
    runs = []
    for unit, group, child in zip(units, groups, np.random.SeedSequence(seed).spawn(len(units)), strict=True):
        states = streams(child, chains + 1)
        ready = [Chain(unit, _start(unit, paths, group, states[-1]), state) for state in states[:-1]]
        runs.append(UnitRun(unit, ready))
    return runs


def _start(unit: Unit, paths: HiddenPaths, group: PathGroup, random: np.ndarray) -> np.ndarray:
    """The state of a possible path, drawn backwards from odds that are made flatter (overdispersed)."""
    kernel = unit.kernels[0]
    assert isinstance(kernel, PathKernel)
    plan, weights, room = kernel.plan, kernel.weights, path_room(kernel.plan)
    rng = np.random.default_rng(random[:4].copy())
    soft = weights._replace(value=np.maximum(weights.value, EXCLUDED))
    state, drawn, stuck = unit.start.copy(), False, -1
    for _ in range(TRIES):
        path = room.other
        path.first[:] = plan.end
        path.theta[0] = rng.integers(len(plan.thetas))
        if plan.secret_order:
            path.order[:] = rng.permutation(len(plan.cells))
        total, last = draw_back(plan, weights, path, room.odds, len(plan.cells), True, SHARPNESS, random)
        if total == -np.inf:
            stuck = last
            continue
        drawn = True
        copy_path(path, room.now)
        if log_law(plan, weights, path.first) > -np.inf:
            break
    if not drawn:
        raise no_path(paths, int(group.squares[stuck]))
    # uphill from the last one, where none of them did
    uphill = plan._replace(hard=GENTLE, pairs=max(4, plan.pairs))
    for _ in range(SEARCHED):
        if log_law(plan, weights, room.now.first) > -np.inf:
            write_state(plan, room.now, state)
            return state
        change(uphill, soft, room, random)
    raise _unreached(unit, plan, weights, room.now.first, paths.release)


def _unreached(unit: Unit, plan: PathPlan, weights: Weights, first: np.ndarray, release: Release) -> InputError:
    """What to say where no path was found that begins at a table which the facts and the law allow."""
    reason = "sums that are known of it are not met"
    for j, value in enumerate(first.tolist()):
        if log_law_of(plan, weights, j, value) == -np.inf:
            where = release.words(release.keys[unit.columns[j]])
            excluded = (
                "the law excludes" if plan.lower[j] <= value <= plan.upper[j] else "is outside what is known of it"
            )
            reason = f"it would have to be {release.show(value)} at {where}, which {excluded}"
            break
    return InputError(
        NO_TABLE + f"no path was found from a table that they allow to the published one, in a search of some thousand "
        f"rounds: {reason}."
    )
