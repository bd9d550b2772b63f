"""Exact solving of a block by variable elimination (sum-product), far beyond what could be walked through table by table.

Columns are summed out one after the other. What is remembered between two of them is the mass of every state, the vector of
sums that are still open: dynamic programming, or message passing on a junction tree that is a path. A pass forward gives the
number of tables or their total weight, a second one backward the law of every column.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

from ...base.errors import NumericalDoubt, TooLarge
from ...base.interruption import check_time
from ...base.progress import Progress
from . import elimination_kernel as kernel
from .elimination_bytes import NUMBER, of_kernels, one_large_at_a_time
from .elimination_layout import Addition, Layout, Turn
from .residues import from_residues
from .solved import Budget, Solved
from .tilting import centred

TINY = 1e-290
LEAST_MASS = 1e-100
"""Where all masses are at most 1 and their sum is larger than this, what underflows (below 1e-308) is under 1e-200 of it."""
TOO_FAR_APART = "their weights are too far apart for an elimination in floating point, whatever it may cost"
PARALLEL = 20_000_000
"""Operations of a step from which on it is worked on in PARTS, on as many threads as there are cores."""
PARTS = 16
PER_RESIDUE = 3
"""Operations for each state of a pass in whole numbers."""

Part = TypeVar("Part")


class Elimination(Layout):
    """A layout that is run: for a law, for a count, or for what is possible at all."""

    @property
    def bytes(self) -> int:
        """What a law's two passes take: all that was laid out, a number a state, three layers more, and room for kernels."""
        states = [layer.states for layer in self.layers]
        return self.held + NUMBER * (sum(states) + 3 * max(states)) + self._of_kernels

    @cached_property
    def _of_kernels(self) -> int:
        """What the kernels take for themselves."""
        bytes_of = (of_kernels(step.most, _threads(step)) for step in self.steps if isinstance(step, Addition))
        return max(bytes_of, default=0)

    @cached_property
    def _rooms(self) -> np.ndarray:
        """Two buffers in turn for layers that are needed for one step only: fresh memory costs more than the sums do."""
        return np.empty((2, max(layer.states for layer in self.layers)))

    def _room(self, i: int, number: Any = np.float64) -> np.ndarray:
        """Zeros for the states of layer i; they are overwritten two layers on."""
        room: np.ndarray = self._rooms[i % 2, : self.layers[i].states].view(number)
        room[:] = 0
        return room

    def _forward(self, i: int, weights: Sequence[np.ndarray], before: np.ndarray, after: np.ndarray) -> np.ndarray:
        check_time("cells were eliminated")
        step = self.steps[i]
        if isinstance(step, Turn):
            after[step.place] = before
        elif before.dtype == np.uint64:
            allowed = self.allowed[step.column]
            gaps = not allowed.all()
            _share_out(
                step,
                lambda begin, end: kernel.counted((begin, end), step.orbits, allowed, gaps, before, after, step.most),
            )
        else:
            weight = weights[step.column]
            _share_out(
                step, lambda begin, end: kernel.forward((begin, end), step.orbits, weight, before, after, step.most)
            )
        return after

    def _backward(
        self, step: Addition, weight: np.ndarray, before: np.ndarray, back_after: np.ndarray, back_before: np.ndarray
    ) -> np.ndarray:
        """Fill in `back_before`; the shares of the column's values."""
        check_time("cells were eliminated")

        def shares_of(begin: int, end: int) -> np.ndarray:
            share = np.zeros(len(weight))
            kernel.backward((begin, end), step.orbits, weight, before, back_after, back_before, share, step.most)
            return share

        return np.sum(_share_out(step, shares_of), axis=0)

    def residue(self, prime: int | None) -> int:
        """The number of tables modulo a prime of at most 31 bits, or modulo 2^64."""
        counts = np.ones(1, np.uint64)
        largest = 1  # that a number may be by now: it is reduced only when it could outgrow 64 bits
        for i, step in enumerate(self.steps):
            if prime is not None and isinstance(step, Addition):
                values = len(self.allowed[step.column])
                if largest * values >= 2**63:
                    counts %= np.uint64(prime)
                    largest = prime
                largest *= values
            counts = self._forward(i, (), counts, self._room(i + 1, np.uint64))
        if not len(counts):
            return 0
        return int(counts[0]) % (prime or 2**64)

    def mass(self, weights: Sequence[np.ndarray]) -> float:
        """The log of the sum over all tables of the product of the columns' weights."""
        self.take(2 * NUMBER * max(layer.states for layer in self.layers) + self._of_kernels)
        masses, log_scale = np.ones(1), 0.0
        for i in range(len(self.steps)):
            masses = self._forward(i, weights, masses, self._room(i + 1))
            scale = _settle(masses)
            if scale == 0:
                return -np.inf
            log_scale += math.log(scale)
        return log_scale

    def shares(self, weights: Sequence[np.ndarray], possible: bool = False) -> tuple[list[np.ndarray], float, bool]:
        """The law of each column, the log of all mass, and whether nothing positive can have underflowed to zero.

        With `possible`, weights are 0 or 1 and so is every number: whether it is positive at all.
        """
        if self.bytes > self.budget.bytes:
            raise TooLarge(
                f"{self.n} cells and sums that depend on each other take {self.bytes:,} bytes for an elimination"
            )
        self.claim(self.bytes)
        masses = np.ones(1)
        leading: list[np.ndarray] = []
        log_mass, safe = 0.0, True
        for i in range(len(self.steps)):
            leading.append(masses)
            masses = self._forward(i, weights, masses, np.zeros(self.layers[i + 1].states))
            scale = _settle(masses, possible)
            if scale == 0:
                return [np.zeros(len(values)) for values in self.allowed], -np.inf, True
            log_mass += math.log(scale)
        shares = [np.zeros(len(values)) for values in self.allowed]
        back_after = np.ones(1)
        for i in range(len(self.steps) - 1, -1, -1):
            step, masses = self.steps[i], leading.pop()
            if isinstance(step, Turn):
                back_after = back_after[step.place]
                continue
            weight = weights[step.column]
            back_before = self._room(i)
            share = shares[step.column] = self._backward(step, weight, masses, back_after, back_before)
            if share.sum() < LEAST_MASS:
                raise TooLarge(TOO_FAR_APART)
            if not possible:
                smallest = [numbers.min(initial=1.0, where=numbers > 0) for numbers in (masses, back_after, weight)]
                everything = np.count_nonzero(weight) == np.count_nonzero(self.allowed[step.column])
                safe = safe and everything and math.prod(smallest) > TINY
            _settle(back_before, possible)
            back_after = back_before
        return [share / share.sum() for share in shares], log_mass, safe


def _share_out(step: Addition, work: Callable[[int, int], Part]) -> list[Part]:
    """Work on the orbits of a step, on several threads if that is worth it; the parts are the same on any machine."""
    orbits = len(step.orbits.source.start) - 1
    if _threads(step) == 1:
        return [work(0, orbits)]
    edges = np.linspace(0, orbits, PARTS + 1).astype(int).tolist()
    with ThreadPoolExecutor(min(PARTS, os.cpu_count() or 1)) as pool:
        return list(pool.map(work, edges[:-1], edges[1:]))


def _threads(step: Addition) -> int:
    """On how many threads a step may be worked on, where there are as many cores."""
    return 1 if step.most[0] < PARALLEL else PARTS


def _settle(values: np.ndarray, possible: bool = False) -> float:
    """Divide the masses of a layer by the largest, in place; the divisor."""
    if possible:
        np.minimum(values, 1, out=values)
        return 1.0 if values.any() else 0.0
    top = float(values.max(initial=0.0))
    if top > 0:
        values /= top
    return top


def eliminate_block(
    A: Any,
    b: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    log_weights: Sequence[np.ndarray | None],
    budget: Budget,
    *,
    count_only: bool = False,
    progress: Progress | None = None,
) -> Solved:
    """The exact law of every column, and the number of tables, by elimination; `TooLarge` where it is over the budget."""
    allowed = [
        np.ones(int(high - low) + 1, dtype=bool) if log_weight is None else ~np.isneginf(log_weight)
        for low, high, log_weight in zip(lower, upper, log_weights, strict=True)
    ]
    tied = np.flatnonzero(np.diff(sp.csc_array(A).indptr))
    if len(tied) < len(lower):
        part = None
        if len(tied):
            of_tied = (b, lower[tied], upper[tied], [log_weights[int(j)] for j in tied], budget)
            part = eliminate_block(sp.csr_array(A[:, tied]), *of_tied, count_only=count_only, progress=progress)
        empty_rows_hold = bool((b[np.diff(sp.csr_array(A).indptr) == 0] == 0).all())
        return _with_free_columns(lower, log_weights, allowed, tied, part, 1 if empty_rows_hold else 0)
    if not all(values.any() for values in allowed) or (b[np.diff(sp.csr_array(A).indptr) == 0] != 0).any():
        return _none(lower, allowed)
    with one_large_at_a_time() as claim:
        run = Elimination(A, b, lower, allowed, budget, claim)
        return _law(run, lower, log_weights, count_only, progress)


def _law(
    run: Elimination,
    lower: np.ndarray,
    log_weights: Sequence[np.ndarray | None],
    count_only: bool,
    progress: Progress | None,
) -> Solved:
    """What an elimination says of every column."""
    allowed = run.allowed
    if progress is not None:
        progress(f"{len(lower)} cells and sums: an elimination of about {run.operations:,} operations")
    plan = run.plan
    rows, sums = plan.A[plan.kept], plan.b[plan.kept]
    alike = [np.where(values, 0.0, -np.inf) for values in allowed]
    weights, log_factor = centred(rows, sums, alike)
    weightless = not count_only and all(log_weight is None for log_weight in log_weights)
    if weightless:
        shares, log_mass, safe = run.shares(weights)
    else:
        log_mass = run.mass(weights)
    tables = _counted(run, log_mass + log_factor)
    if count_only or tables == 0:
        return replace(_none(lower, allowed), tables=tables)
    if not weightless:
        filled = [flat if given is None else given for given, flat in zip(log_weights, alike, strict=True)]
        shares, log_mass, safe = run.shares(centred(rows, sums, filled)[0])
        if log_mass == -np.inf:
            raise TooLarge(TOO_FAR_APART)
    reached = shares if safe else run.shares([values.astype(float) for values in allowed], possible=True)[0]
    return Solved(tables, lower, tuple(values > 0 for values in reached), tuple(shares), "elimination")


def _none(lower: np.ndarray, allowed: Sequence[np.ndarray]) -> Solved:
    nothing = tuple(np.zeros(len(values)) for values in allowed)
    return Solved(0, lower, tuple(values > 0 for values in nothing), nothing, "elimination")


def _with_free_columns(
    lower: np.ndarray,
    log_weights: Sequence[np.ndarray | None],
    allowed: Sequence[np.ndarray],
    tied: np.ndarray,
    part: Solved | None,
    tables: int,
) -> Solved:
    """Columns that are in no equation keep their own law; the others, which are `tied`, have that of their part."""
    possible, weights = list(allowed), [np.zeros(0)] * len(lower)
    for j in np.setdiff1d(np.arange(len(lower)), tied):
        log_weight = log_weights[j]
        share = allowed[j].astype(float) if log_weight is None else np.exp(log_weight - max(log_weight.max(), -1e300))
        weights[j] = share / max(share.sum(), 1e-300)
        tables *= int(allowed[j].sum())
    if part is not None:
        tables *= part.tables
        for k, j in enumerate(tied):
            possible[j], weights[j] = part.possible[k], part.weights[k]
    return Solved(tables, lower, tuple(possible), tuple(weights), "elimination")


def _counted(run: Elimination, log_tables: float) -> int:
    """The number of tables by the Chinese remainder theorem, checked against the sum in floating point."""
    passes = 1 + max(0.0, log_tables - math.log(2.0**64)) / math.log(2.0**31)
    run.charge(passes * PER_RESIDUE * sum(layer.states for layer in run.layers))
    tables = from_residues(run.residue, log_tables + 1)
    in_floats = -np.inf if tables == 0 else math.log(tables)
    if in_floats != log_tables and not abs(in_floats - log_tables) < 1e-6:
        raise NumericalDoubt(
            f"the number of tables is {tables:,} in whole numbers and about exp({log_tables:.6f}) in floating point; these "
            "should agree."
        )
    return tables
