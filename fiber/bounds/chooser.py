"""Sharp integer bounds of cells and sums, each attained by a feasible table, by the cheapest method that proves them."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.interruption import check_ended, check_time
from ...base.progress import Counted, Progress
from ...release.release import Release
from ..blocks.presolve import Block, Presolved, presolve
from ..equations.basic_moves import cube_moves
from ..equations.moments import may_have_moments
from ..equations.network import as_network
from ..equations.sparse import rows_through
from ..solvers.flow import flow_bounds
from ..solvers.linear_program import OUTER, Bounds, Means, program_bounds
from ..solvers.pushing import to_push_along
from ..solvers.side_by_side import in_threads, side_by_side
from .decomposable import margin_bounds
from .listed import listed_bounds

DECIDED, FLOW = "decided", "network flow"
PARTS, LEAST_PART = 4, 16
"""Into so many parts the sums of a block that is no network are divided, unless a part would have fewer than the least."""


@dataclass(frozen=True, eq=False)
class SharpBounds:
    """The least and greatest value of each sum, and per sum and side the method that proved it."""

    lower: np.ndarray
    upper: np.ndarray
    proof: np.ndarray


def cell_bounds(
    release: Release,
    progress: Progress | None = None,
    sharp: bool = True,
    executor: Executor | None = None,
    solved: Presolved | None = None,
) -> SharpBounds:
    """The sharp bounds of every finest cell of a release: by closed forms where it has one, else block by block.

    `solved` is the release after presolve, where that is known.
    """
    outer = False

    def solve(smaller: Release) -> tuple[np.ndarray, np.ndarray]:
        nonlocal outer
        bounds = cell_bounds(smaller, progress, sharp, executor)
        outer = outer or bool((bounds.proof == OUTER).any())
        return bounds.lower, bounds.upper

    closed = margin_bounds(release, solve)
    if closed is None:
        cells = release.picked(np.arange(release.n_cells))
        return sharp_bounds(solved or presolve(release), cells, progress, sharp, executor)
    lower, upper, method = closed
    proof = np.full((len(lower), 2), OUTER if outer else method, dtype=object)
    proof[lower == upper] = DECIDED
    return SharpBounds(lower, upper, proof)


def as_rows(rows: Any, n_columns: int) -> Any:
    """Sums over the cells as sums over all columns."""
    rows = sp.csr_array(rows)
    return sp.csr_array((rows.data, rows.indices, rows.indptr), shape=(rows.shape[0], n_columns))


def sharp_bounds(
    presolved: Presolved,
    rows: Any,
    progress: Progress | None = None,
    sharp: bool = True,
    executor: Executor | None = None,
) -> SharpBounds:
    """The least and the greatest value of each sum (a row over the cells) in any feasible table.

    A sum falls apart along the blocks, and each block's part is bounded by itself. Without `sharp` no integer program is
    solved: what only these would settle gets bounds that hold but may be wider, and says "not sharp".
    """
    rows = as_rows(rows, presolved.fiber.n_columns)
    fixed = rows @ np.where(presolved.decided, presolved.start, 0)
    lower, upper = fixed.copy(), fixed.copy()
    jobs = _jobs(presolved, rows, sharp)
    proof = np.full((rows.shape[0], 2), "", dtype=object)
    for job, bounds in zip(jobs, _all_done(jobs, progress, executor), strict=True):
        lower[job.through] += bounds.low
        upper[job.through] += bounds.high
        proof[job.through] = _joined(proof[job.through], bounds.proof)
    proof[lower == upper] = DECIDED
    return SharpBounds(lower, upper, proof)


@dataclass(frozen=True, eq=False)
class _Job:
    """Sums to be bounded in a block, by numbers, and what helps with that."""

    block: Block
    rows: Any
    through: np.ndarray
    means: Means


def _jobs(presolved: Presolved, rows: Any, sharp: bool) -> list[_Job]:
    """The sums of each block; those of a large one that is no network in several parts, always the same ones."""
    by_column, jobs = sp.csc_array(rows), []
    for block in presolved.blocks:
        through, part = rows_through(by_column, block.columns)
        if block.network is not None:
            jobs.append(_Job(block, part, through, Means(sharp)))
            continue
        moves, parts = cube_moves(presolved.fiber.coordinates[block.columns], block.A), len(through) // LEAST_PART
        if may_have_moments(block.A):  # all tables are listed, perhaps, and that once
            parts = 1
        # what takes long to find is found once for all parts
        means = Means(sharp, to_push_along(block.A, moves) if parts > 1 else moves)
        for some in np.array_split(np.arange(len(through)), max(1, min(PARTS, parts))):
            jobs.append(_Job(block, sp.csr_array(part[some]), through[some], means))
    return jobs


def _all_done(jobs: list[_Job], progress: Progress | None, executor: Executor | None) -> list[Bounds]:
    """The bounds of all jobs."""
    counter = _Counter(progress, sum(len(job.through) for job in jobs))
    if not in_threads(executor):
        counter.part()(0, 0)  # elsewhere nothing is told of how far it is
        return side_by_side(_bounds_in_block, jobs, executor)
    return side_by_side(lambda job: _bounds_in_block(job, counter.part()), jobs, executor)


class _Counter:
    """Adds up what the blocks have done, for one report."""

    def __init__(self, progress: Progress | None, of: int) -> None:
        self.progress, self.of, self.done = progress, of, 0
        self.lock = Lock()

    def part(self) -> Counted:
        before = 0

        def tell(done: int, of: int) -> None:
            nonlocal before
            check_ended("bounds were looked for")
            with self.lock:
                self.done, before = self.done + done - before, done
                if self.progress is not None:
                    self.progress(f"bounds of cells and sums: {self.done:,} of {self.of:,}")

        return tell


def _in_time(done: int, of: int) -> None:
    check_time("bounds were looked for")


def _joined(so_far: np.ndarray, more: np.ndarray) -> np.ndarray:
    """The methods behind a sum of several blocks, each named once."""
    out = more.astype(object)
    for place in zip(*np.nonzero((so_far != "") & (so_far != more)), strict=True):
        parts = so_far[place].split(" + ")
        out[place] = so_far[place] if more[place] in parts else f"{so_far[place]} + {more[place]}"
    return out


def _bounds_in_block(job: _Job, tell: Counted = _in_time) -> Bounds:
    """Bounds within a block: by network flow of columns and of sums that are one more arc, else by linear programs."""
    block, rows = job.block, job.rows
    n = rows.shape[0]
    low, high, proof = np.empty(n, np.int64), np.empty(n, np.int64), np.full((n, 2), FLOW, dtype=object)
    single = np.diff(rows.indptr) == 1
    single[single] = rows.data[rows.indptr[:-1][single]] == 1
    alone, several = np.flatnonzero(single), np.flatnonzero(~single)
    if block.network is None:
        if (listed := listed_bounds(block, rows)) is not None:
            tell(n, n)
            return listed
        return program_bounds(block.A, block.b, block.lower, block.upper, block.start, rows, tell, job.means)
    columns = rows.indices[rows.indptr[:-1][alone]]
    low[alone], high[alone] = flow_bounds(
        block.network, block.start, block.lower, block.upper, columns, lambda done, of: tell(done // 2, of // 2)
    )
    if len(several):
        of_sums = _sums_in_network(
            block, sp.csr_array(rows[several]), lambda done, of: tell(len(alone) + done, of), job.means
        )
        low[several], high[several], proof[several] = of_sums.low, of_sums.high, of_sums.proof
    tell(n, n)
    return Bounds(low, high, proof)


def _sums_in_network(block: Block, rows: Any, tell: Counted, means: Means) -> Bounds:
    n_sums = rows.shape[0]
    minus = sp.csr_array(-sp.eye_array(n_sums, dtype=np.int64))
    plus, less = rows.maximum(0), rows.minimum(0)
    wider = as_network(sp.csr_array(sp.block_array([[block.A, None], [rows, minus]])))
    if wider is None and n_sums > 1:
        of_each = []
        for i in range(n_sums):
            of_each.append(_sums_in_network(block, sp.csr_array(rows[[i]]), lambda done, of: None, means))
            tell(i + 1, n_sums)
        return Bounds(
            *(np.concatenate([getattr(bounds, name) for bounds in of_each]) for name in ("low", "high", "proof"))
        )
    if wider is None:
        return program_bounds(block.A, block.b, block.lower, block.upper, block.start, rows, tell, means)
    low, high = flow_bounds(
        wider,
        np.concatenate([block.start, rows @ block.start]),
        np.concatenate([block.lower, plus @ block.lower + less @ block.upper]),
        np.concatenate([block.upper, plus @ block.upper + less @ block.lower]),
        np.arange(len(block.columns), len(block.columns) + n_sums),
        lambda done, of: tell(done // 2, of // 2),
    )
    return Bounds(low, high, np.full((n_sums, 2), FLOW, dtype=object))
