"""Sharp integer bounds of cells and sums, each attained by a feasible table, by the cheapest method that proves them."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.progress import Counted, Progress
from ...release.release import Release
from ..blocks.presolve import Block, Presolved, presolve
from ..equations.network import as_network
from ..equations.sparse import rows_through
from ..solvers.flow import flow_bounds
from ..solvers.linear_program import OUTER, Bounds, program_bounds
from .decomposable import margin_bounds

DECIDED, FLOW = "decided", "network flow"


@dataclass(frozen=True, eq=False)
class SharpBounds:
    """The least and greatest value of each sum, and per sum and side the method that proved it."""

    lower: np.ndarray
    upper: np.ndarray
    proof: np.ndarray


def cell_bounds(release: Release, progress: Progress | None = None, sharp: bool = True) -> SharpBounds:
    """The sharp bounds of every finest cell of a release: by closed forms where it has one, else block by block."""
    outer = False

    def solve(smaller: Release) -> tuple[np.ndarray, np.ndarray]:
        nonlocal outer
        bounds = cell_bounds(smaller, progress, sharp)
        outer = outer or bool((bounds.proof == OUTER).any())
        return bounds.lower, bounds.upper

    closed = margin_bounds(release, solve)
    if closed is None:
        return sharp_bounds(presolve(release), release.picked(np.arange(release.n_cells)), progress, sharp)
    lower, upper, method = closed
    proof = np.full((len(lower), 2), OUTER if outer else method, dtype=object)
    proof[lower == upper] = DECIDED
    return SharpBounds(lower, upper, proof)


def as_rows(rows: Any, n_columns: int) -> Any:
    """Sums over the cells as sums over all columns."""
    rows = sp.csr_array(rows)
    return sp.csr_array((rows.data, rows.indices, rows.indptr), shape=(rows.shape[0], n_columns))


def sharp_bounds(presolved: Presolved, rows: Any, progress: Progress | None = None, sharp: bool = True) -> SharpBounds:
    """The least and the greatest value of each sum (a row over the cells) in any feasible table.

    A sum falls apart along the blocks, and each block's part is bounded by itself. Without `sharp` no integer program is
    solved: what only these would settle gets bounds that hold but may be wider, and says "not sharp".
    """
    rows = as_rows(rows, presolved.fiber.n_columns)
    fixed = rows @ np.where(presolved.decided, presolved.start, 0)
    lower, upper = fixed.copy(), fixed.copy()
    by_column = sp.csc_array(rows)
    jobs = []
    for block in presolved.blocks:
        through, part = rows_through(by_column, block.columns)
        jobs.append((block, part, through))
    counter = _Counter(progress, sum(len(through) for _, _, through in jobs))
    proof = np.full((rows.shape[0], 2), "", dtype=object)
    for (_, _, through), bounds in zip(jobs, _all_done(jobs, counter, sharp), strict=True):
        lower[through] += bounds.low
        upper[through] += bounds.high
        proof[through] = _joined(proof[through], bounds.proof)
    proof[lower == upper] = DECIDED
    return SharpBounds(lower, upper, proof)


def _all_done(jobs: list[tuple[Block, Any, np.ndarray]], counter: _Counter, sharp: bool) -> list[Bounds]:
    """The bounds in every block, on several threads if there are several blocks."""
    if len(jobs) == 1:
        return [_bounds_in_block(block, part, counter.part(), sharp) for block, part, _ in jobs]
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        waiting = [pool.submit(_bounds_in_block, block, part, counter.part(), sharp) for block, part, _ in jobs]
        try:
            return [job.result() for job in waiting]
        except BaseException:
            counter.stopped = True  # the others end at their next report
            for job in waiting:
                job.cancel()
            raise


class _Counter:
    """Adds up what the blocks have done, for one report; also the way to stop them."""

    def __init__(self, progress: Progress | None, of: int) -> None:
        self.progress, self.of, self.done, self.stopped = progress, of, 0, False
        self.lock = Lock()

    def part(self) -> Counted:
        before = 0

        def tell(done: int, _: int) -> None:
            nonlocal before
            if self.stopped:
                raise KeyboardInterrupt
            with self.lock:
                self.done, before = self.done + done - before, done
                if self.progress is not None:
                    self.progress(f"bounds of cells and sums: {self.done:,} of {self.of:,}")

        return tell


def _joined(so_far: np.ndarray, more: np.ndarray) -> np.ndarray:
    """The methods behind a sum of several blocks, each named once."""
    out = more.astype(object)
    for place in zip(*np.nonzero((so_far != "") & (so_far != more)), strict=True):
        parts = so_far[place].split(" + ")
        out[place] = so_far[place] if more[place] in parts else f"{so_far[place]} + {more[place]}"
    return out


def _bounds_in_block(block: Block, rows: Any, tell: Counted, sharp: bool) -> Bounds:
    """Bounds within a block: by network flow of columns and of sums that are one more arc, else by linear programs."""
    n = rows.shape[0]
    low, high, proof = np.empty(n, np.int64), np.empty(n, np.int64), np.full((n, 2), FLOW, dtype=object)
    single = np.diff(rows.indptr) == 1
    single[single] = rows.data[rows.indptr[:-1][single]] == 1
    alone, several = np.flatnonzero(single), np.flatnonzero(~single)
    if block.network is None:
        return program_bounds(block.A, block.b, block.lower, block.upper, block.start, rows, tell, sharp)
    columns = rows.indices[rows.indptr[:-1][alone]]
    low[alone], high[alone] = flow_bounds(
        block.network, block.start, block.lower, block.upper, columns, lambda done, of: tell(done // 2, of // 2)
    )
    if len(several):
        of_sums = _sums_in_network(
            block, sp.csr_array(rows[several]), lambda done, of: tell(len(alone) + done, of), sharp
        )
        low[several], high[several], proof[several] = of_sums.low, of_sums.high, of_sums.proof
    tell(n, n)
    return Bounds(low, high, proof)


def _sums_in_network(block: Block, rows: Any, tell: Counted, sharp: bool) -> Bounds:
    n_sums = rows.shape[0]
    minus = sp.csr_array(-sp.eye_array(n_sums, dtype=np.int64))
    plus, less = rows.maximum(0), rows.minimum(0)
    wider = as_network(sp.csr_array(sp.block_array([[block.A, None], [rows, minus]])))
    if wider is None and n_sums > 1:
        of_each = []
        for i in range(n_sums):
            of_each.append(_sums_in_network(block, sp.csr_array(rows[[i]]), lambda done, of: None, sharp))
            tell(i + 1, n_sums)
        return Bounds(
            *(np.concatenate([getattr(bounds, name) for bounds in of_each]) for name in ("low", "high", "proof"))
        )
    if wider is None:
        return program_bounds(block.A, block.b, block.lower, block.upper, block.start, rows, tell, sharp)
    low, high = flow_bounds(
        wider,
        np.concatenate([block.start, rows @ block.start]),
        np.concatenate([block.lower, plus @ block.lower + less @ block.upper]),
        np.concatenate([block.upper, plus @ block.upper + less @ block.lower]),
        np.arange(len(block.columns), len(block.columns) + n_sums),
        lambda done, of: tell(done // 2, of // 2),
    )
    return Bounds(low, high, np.full((n_sums, 2), FLOW, dtype=object))
