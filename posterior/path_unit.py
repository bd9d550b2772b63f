"""Hidden paths as units of chains: squares that share cells, what is known of x_0, and paths far apart to start from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..fiber.certificate import Certificate
from ..fiber.support import NO_TABLE, Support
from ..moves.random_words import streams
from ..protect.markov_perturbation import coming_in, corner_range, oriented
from ..release.errors import InputError
from ..release.release import Release
from ..sampler.chain import Chain
from ..sampler.plan import unit_asked
from ..sampler.run import UnitRun
from ..sampler.unit import Unit
from ..sampler.weights import LISTED, weights_on
from .path_kernel import PathKernel, PathPlan, change, copy_path, draw_back, log_law, path_room, write_state
from .paths import HiddenPaths

SIGNS = np.array([1, -1, -1, 1])
REDRAWN = (
    "whole paths are drawn anew, backwards from the published table, and every path that can end there can be the next"
)
SHARPNESS = 0.3
"""Starts are drawn from odds raised to this power: further apart than paths that are probable."""
TRIES, SEARCHED = 20, 2000
"""Paths that are drawn for a start, and rounds of changes in search of one that x_0 allows."""
GENTLE = 3.0
"""What it costs, in log-odds, to be a unit beyond a bound during that search."""
EXCLUDED = -50.0
"""The log-weight of an excluded value during that search."""


def path_units(paths: HiddenPaths, inside: Support, questions: Any) -> list[Unit]:
    """One unit for each group of squares that depend on each other."""
    release = inside.release
    for item in release.evidence:
        if len(item.cells) > 1:
            raise InputError("a hidden path cannot be joined with figures about sums that a random method published.")
    by_column = sp.csc_array(questions)
    return [_unit(paths, squares, inside, by_column) for squares in _groups(paths, inside)]


def _groups(paths: HiddenPaths, inside: Support) -> list[np.ndarray]:
    """Squares that share cells, or whose cells facts tie together, or all if theta ties them."""
    n, squares = inside.release.n_cells, paths.squares.cells
    if len(paths.thetas) > 1:
        return [np.arange(len(squares))]
    pairs = [(cells[0], other) for cells in squares for other in cells[1:]]
    for block in inside.solved.blocks:
        cells = block.columns[block.columns < n]
        pairs += [(cells[0], other) for other in cells[1:]]
    one, other = np.array(pairs).T
    joined = sp.csr_array((np.ones(len(one)), (one, other)), shape=(n, n))
    group = sp.csgraph.connected_components(joined, directed=False)[1][squares[:, 0]]
    return [np.flatnonzero(group == one) for one in np.unique(group)]


def _unit(paths: HiddenPaths, squares: np.ndarray, inside: Support, questions: Any) -> Unit:
    cells, local = np.unique(paths.squares.cells[squares], return_inverse=True)
    local = local.reshape(-1, 4)
    solved = inside.solved
    lower, upper = solved.start.copy(), solved.start.copy()
    for block in solved.blocks:
        lower[block.columns], upper[block.columns] = block.lower, block.upper
    lower, upper = lower[cells], upper[cells]
    end = paths.end[cells]
    weights = weights_on(inside.weigh, cells, lower, upper)
    plan = _plan(paths, end, local, lower, upper, _facts(inside.release, cells, local, end))
    further = tuple(f"the step of {paths.named(square)}" for square in squares)
    low, high = [np.full(len(squares), -int(end.sum()))], [np.full(len(squares), int(end.sum()))]
    if plan.secret_order:
        further += tuple(f"when {paths.named(square)} has its turn" for square in squares)
        low.append(np.zeros(len(squares), dtype=np.int64))
        high.append(np.full(len(squares), len(squares) - 1))
    if len(paths.thetas) > 1:
        further += ("theta",)
        low.append(np.zeros(1, dtype=np.int64))
        high.append(np.full(1, len(paths.thetas) - 1))
    start = np.zeros(len(cells) + len(further), dtype=np.int64)
    start[: len(cells)] = end
    return unit_asked(
        cells,
        np.concatenate([lower, *low]),
        np.concatenate([upper, *high]),
        start,
        weights,
        (PathKernel(plan, weights),),
        Certificate("connected", REDRAWN),
        questions,
        further=further,
    )


def _plan(
    paths: HiddenPaths, end: np.ndarray, cells: np.ndarray, lower: np.ndarray, upper: np.ndarray, rows: Any
) -> PathPlan:
    start, square, grows = near_squares(cells, len(end))
    probabilities = paths.theta_prior
    usual = float(paths.thetas @ probabilities)
    dependent = np.linalg.matrix_rank(_incidence(cells, len(end)).toarray()) < len(cells) if len(cells) < 500 else True
    tied = len(rows[3]) > 0 or bool((lower == upper).any())
    largest = min(int(end.sum()) + 2, LISTED)
    return PathPlan(
        end=end.astype(np.int64),
        cells=cells.astype(np.int64),
        near_start=start,
        near_square=square,
        near_grows=grows,
        reach=np.array([_reach(end[one], usual) for one in cells], dtype=np.int64),
        thetas=paths.thetas.astype(float),
        log_prior=np.log(probabilities),
        secret_order=not paths.order_known and len(cells) > 1,
        pairs=2 + len(cells) // 4 if dependent or tied else 0,
        lower=lower.astype(np.int64),
        upper=upper.astype(np.int64),
        row_start=rows[0],
        row_cell=rows[1],
        row_value=rows[2],
        row_lower=rows[3],
        row_upper=rows[4],
        hard=np.inf,
        factorials=np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, largest + 1)))]),
    )


def _incidence(cells: np.ndarray, n: int) -> Any:
    """[square, cell]: what a step of one adds to each cell."""
    where = (np.repeat(np.arange(len(cells)), 4), cells.ravel())
    return sp.csr_array((np.tile(SIGNS, len(cells)), where), shape=(len(cells), n))


def near_squares(cells: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each square the others that share cells with it, and what their four cells grow by when its corner grows."""
    signs = _incidence(cells, n)
    start, found, grows = [0], [], []
    shared = sp.csr_array(abs(signs) @ abs(signs).T)
    for square in range(len(cells)):
        row = np.zeros(n, dtype=np.int64)
        row[cells[square]] = SIGNS
        near = shared.indices[shared.indptr[square] : shared.indptr[square + 1]]
        near = np.sort(near[near != square])
        found.append(near)
        grows.append(row[cells[near]])
        start.append(start[-1] + len(near))
    return np.array(start), np.concatenate(found).astype(np.int64), np.concatenate(grows).reshape(-1, 4)


def _reach(square: np.ndarray, theta: float) -> int:
    """How far the corner of a published square is usually moved by a step, or somewhat more."""
    corner, total = int(square[0]), int(square.sum())
    row, column = oriented(int(square[:2].sum()), int(square[[0, 2]].sum()))
    low, high = corner_range(row, column, total)
    f = coming_in(corner, high, column, theta)
    return max(1, round(2.4 * np.sqrt(theta * (1 - theta) * (corner - low) + f * (1 - f) * (high - corner))))


def _facts(release: Release, cells: np.ndarray, squares: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, ...]:
    """The sums of x_0 that are known although steps change them: sparse rows, their least and their most."""
    sums = release.sums
    here = sp.csr_array(sp.csc_array(sums.matrix)[:, cells])
    changed = np.flatnonzero(abs(here @ _incidence(squares, len(end)).T).sum(axis=1))
    rows = sp.csr_array(here[changed])
    return (
        rows.indptr.astype(np.int64),
        rows.indices.astype(np.int64),
        rows.data.astype(np.int64),
        sums.lower[changed].astype(np.int64),
        sums.upper[changed].astype(np.int64),
    )


# --- where chains start ---------------------------------------------------------------------------------------------


def path_runs(units: Sequence[Unit], seed: int | None, chains: int, release: Release) -> list[UnitRun]:
    """The units with chains at paths far apart."""
    runs = []
    for unit, child in zip(units, np.random.SeedSequence(seed).spawn(len(units)), strict=True):
        states = streams(child, chains + 1)
        ready = [Chain(unit, _start(unit, release, states[-1]), state) for state in states[:-1]]
        runs.append(UnitRun(unit, ready))
    return runs


def _start(unit: Unit, release: Release, random: np.ndarray) -> np.ndarray:
    """The state of a path that is possible, drawn backwards from odds that are flatter than they are."""
    kernel = unit.kernels[0]
    assert isinstance(kernel, PathKernel)
    plan, weights, room = kernel.plan, kernel.weights, path_room(kernel.plan)
    other = np.random.default_rng(random[:4].copy())
    stuck = -1
    soft = weights._replace(value=np.maximum(weights.value, EXCLUDED))
    for attempt in range(TRIES):
        path = room.other
        path.first[:] = plan.end
        path.theta[0] = other.integers(len(plan.thetas))
        if plan.secret_order:
            path.order[:] = other.permutation(len(plan.cells))
        total, stuck = draw_back(plan, path, room.odds, len(plan.cells), SHARPNESS, random)
        if total == -np.inf:
            continue
        copy_path(path, room.now)
        state = unit.start.copy()
        if attempt < TRIES - 1 and log_law(plan, weights, room.now.first) == -np.inf:
            continue
        # Uphill from the last one, if none of the others did.
        uphill = plan._replace(hard=GENTLE, pairs=max(4, plan.pairs))
        for _ in range(SEARCHED):
            if log_law(plan, weights, room.now.first) > -np.inf:
                write_state(plan, room.now, state)
                return state
            change(uphill, soft, room, random)
        raise _unreached(unit, plan, room.now.first, release)
    raise InputError(
        f"no path leads to the published table: with theta = {plan.thetas[path.theta[0]]:g} no step can have left "
        f"{unit.further[stuck].removeprefix('the step of ')} as it was published."
    )


def _unreached(unit: Unit, plan: PathPlan, first: np.ndarray, release: Release) -> InputError:
    """What to say where no path was found that begins at a table which the facts and the law allow."""
    n = len(plan.end)
    over = np.maximum(plan.lower - first, first - plan.upper)
    reason = "some sums that are known of it are not met"
    if over.max() > 0:
        j = int(over.argmax())
        where = release.words(release.keys[unit.columns[:n][j]])
        reason = f"it would have to be {release.show(int(first[j]))} at {where}, which is outside what is known of it"
    elif (over <= 0).all() and not len(plan.row_lower):
        reason = "the law excludes some of its values"
    return InputError(
        NO_TABLE + f"no path was found from a table that they allow to the published one, in a search of some thousand "
        f"rounds: {reason}."
    )


