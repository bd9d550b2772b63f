"""Exact solving of a block by sum-product elimination: far beyond the tables that could be walked through one by one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..release.errors import NumericalDoubt, TooLarge
from . import elimination_kernel as kernel
from .elimination_plan import Plan, plan
from .solved import Budget, Solved
from .tilting import centred

LARGEST_KEY = 2**62
TINY = 1e-290
LEAST_MASS = 1e-250
"""Of numbers that are 1 at most: what is lost below the smallest float does not matter beside this."""
GROWTH = math.log(5)
PER_LINE = 64  # bytes that are kept of a line, about
PER_TURN = 80  # ... and that a turn needs for each state
SLACK = math.log(1e6)
"""The first estimate takes every state of a box for reachable: begin even if it is that much over the budget."""

Progress = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class _Layer:
    """The states between two steps, as lines along the open sum of the row `axis` (-1: each line is one state)."""

    t: int  # columns so far
    axis: int
    rows: np.ndarray  # the other open rows, whose sums make up the key
    size: np.ndarray
    keys: np.ndarray
    first: np.ndarray
    start: np.ndarray

    @property
    def states(self) -> int:
        return int(self.start[-1])


class _Orbits(NamedTuple):
    """What the kernels share; see there."""

    orbit_start: np.ndarray
    line: np.ndarray
    position: np.ndarray
    lowest: np.ndarray
    start: np.ndarray
    target_start: np.ndarray
    target_position: np.ndarray
    target_lowest: np.ndarray
    next_start: np.ndarray


@dataclass(frozen=True, eq=False)
class _Addition:
    """A column is added; `most` is what an orbit has at most of anything."""

    column: int
    orbits: _Orbits
    most: np.ndarray


@dataclass(frozen=True, eq=False)
class _Turn:
    """Another open sum becomes the axis: the place of each state in the new layer."""

    place: np.ndarray


class Elimination:
    """The states of a block along a plan: laid out once, then run for a law, for a count, or for what is possible."""

    def __init__(self, A: Any, b: np.ndarray, lower: np.ndarray, allowed: Sequence[np.ndarray], budget: Budget) -> None:
        """Lay out all states; `allowed[j]` says which values of column j, from its lower bound on, may occur."""
        self.allowed, self.budget, self.n = allowed, budget, len(lower)
        found = plan(A, b - A @ lower, np.array([len(one) - 1 for one in allowed], dtype=np.int64))
        if found is None:
            raise TooLarge(f"{self.n} cells and sums that depend on each other are too many for an elimination")
        if found.log_operations > math.log(budget.operations) + SLACK:
            raise TooLarge(
                f"{self.n} cells and sums that depend on each other would take up to "
                f"10^{found.log_operations / math.log(10):.0f} operations of elimination"
            )
        self.plan: Plan = found
        self.operations = 0
        self.layers, self.steps = self._laid_out()
        # Two rooms in turn for all that is forgotten after the next step: fresh memory costs more than the sums do.
        self._rooms = np.empty((2, max(layer.states for layer in self.layers)))

    @property
    def bytes(self) -> int:
        """What a law's two passes hold in memory: a number for each state, and the lines."""
        states = [layer.states for layer in self.layers]
        return 8 * (sum(states) + 2 * max(states)) + PER_LINE * sum(len(layer.keys) for layer in self.layers)

    # --- laying out -------------------------------------------------------------------------------------------

    def _laid_out(self) -> tuple[list[_Layer], list[_Addition | _Turn]]:
        zero, none = np.zeros(1, np.int64), np.empty(0, np.int64)
        layer = _Layer(0, -1, none, none, zero, zero, np.array([0, 1]))
        layers: list[_Layer] = [layer]
        steps: list[_Addition | _Turn] = []
        for column in self.plan.order:
            axis = self._axis(layer, int(column))
            if axis != layer.axis:
                layer, turn = self._turned(layer, axis)
                layers.append(layer)
                steps.append(turn)
            layer, addition = self._added(layer, int(column))
            layers.append(layer)
            steps.append(addition)
            lines = sum(len(one.keys) for one in layers)
            if self.operations > self.budget.operations or PER_LINE * lines + 16 * layer.states > self.budget.bytes:
                self._refuse()
        return layers, steps

    def _refuse(self) -> None:
        raise TooLarge(
            f"{self.n} cells and sums that depend on each other take more than that for an elimination, up to "
            f"10^{self.plan.log_operations / math.log(10):.0f} operations"
        )

    def _axis(self, layer: _Layer, column: int) -> int:
        """The open sum along which the lines of the next step lie: one that lives long and is wide."""
        t, p = layer.t, self.plan
        touched = {int(row) for row in p.kept if p.A[row, column]}
        staying = [int(row) for row in p.open_rows(t) if p.closes[row] > t and touched != {int(row)}]
        if not staying:
            return -1

        def worth(row: int) -> int:
            later = slice(t + 1, p.closes[row] + 1)
            return int((p.high[row, later] - p.low[row, later]).sum())

        best = max(staying, key=worth)
        if layer.axis in staying:
            # A turn touches every state one by one: only where more are to come.
            growing = p.log_states[t] + GROWTH < p.log_states[t:].max()
            return best if growing and worth(best) > 1.5 * worth(layer.axis) else layer.axis
        return best

    def _digits(self, layer: _Layer, keys: np.ndarray) -> np.ndarray:
        """The open sums that some keys stand for, a row each."""
        digits = np.empty((len(layer.rows), len(keys)), np.int64)
        for k, size in enumerate(layer.size):
            keys, digits[k] = np.divmod(keys, size)
        return digits + self.plan.low[layer.rows, layer.t][:, None]

    def _key(self, t: int, axis: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """How the open sums after t columns make up a key: the rows, their sizes and their strides."""
        p = self.plan
        rows = np.array([row for row in p.open_rows(t) if row != axis], dtype=np.int64)
        size = p.high[rows, t] - p.low[rows, t] + 1
        if math.prod(int(one) for one in size) >= LARGEST_KEY:
            raise TooLarge(f"{self.n} cells and sums that depend on each other have too many sums open at once")
        return rows, size, np.concatenate([[1], np.cumprod(size)])[:-1].astype(np.int64)

    def _turned(self, layer: _Layer, axis: int) -> tuple[_Layer, _Turn]:
        if PER_TURN * layer.states > self.budget.bytes:
            self._refuse()
        rows, size, stride = self._key(layer.t, axis)
        line = np.repeat(np.arange(len(layer.keys)), np.diff(layer.start))
        along = layer.first[line] + np.arange(layer.states) - layer.start[line]
        sums = dict(zip(layer.rows.tolist(), self._digits(layer, layer.keys)[:, line], strict=True))
        sums[layer.axis] = along
        low = self.plan.low[:, layer.t]
        key = np.zeros(layer.states, np.int64)
        for row, step in zip(rows.tolist(), stride, strict=True):
            key += (sums[row] - low[row]) * step
        at = sums[axis] if axis >= 0 else np.zeros(layer.states, np.int64)
        order = np.lexsort((at, key))
        begins = np.flatnonzero(np.concatenate([[True], np.diff(key[order]) != 0]))
        first = at[order[begins]]
        last = at[order[np.concatenate([begins[1:], [len(order)]]) - 1]]
        start = np.concatenate([[0], np.cumsum(last - first + 1)])
        new_line = np.repeat(np.arange(len(begins)), np.diff(np.concatenate([begins, [len(order)]])))
        place = np.empty(layer.states, np.int64)
        place[order] = start[new_line] + at[order] - first[new_line]
        return _Layer(layer.t, axis, rows, size, key[order[begins]], first, start), _Turn(place)

    def _added(self, layer: _Layer, column: int) -> tuple[_Layer, _Addition]:
        p, t, axis = self.plan, layer.t + 1, layer.axis
        rows, size, stride = self._key(t, axis)
        slope = int(p.A[axis, column]) if axis >= 0 else 0
        allowed = self.allowed[column]
        line, position, orbit_start = self._orbits(layer, column)
        reference = line[orbit_start[:-1]]
        digits = self._digits(layer, layer.keys[reference])
        where = {int(row): k for k, row in enumerate(layer.rows)}
        key = np.full(len(reference), -int(p.low[rows, t] @ stride))
        for row, step in zip(rows.tolist(), stride, strict=True):
            if row in where:
                key += step * digits[where[row]]
        # The column's equations, kept or not, by the kept rows' sums so far.
        through = np.flatnonzero(p.A[:, column])
        by_kept = p.combination[through]
        number = {int(row): k for k, row in enumerate(p.kept)}
        closed = np.array([k for k, row in enumerate(p.kept) if p.closes[row] < layer.t], dtype=int)
        check_axis = by_kept[:, number[axis]] if axis >= 0 else np.zeros(len(through), np.int64)
        check = (by_kept[:, closed] @ p.b[p.kept[closed]])[:, None]
        check = check + by_kept[:, [number[int(row)] for row in layer.rows]] @ digits
        check = check + check_axis[:, None] * slope * position[orbit_start[:-1]]
        lowest = layer.first[line] - slope * position
        highest = lowest + np.diff(layer.start)[line] - 1
        written, target_start, most = self._targets(
            orbit_start, position, lowest, highest, slope, key, int(p.A[rows, column] @ stride),
            np.ascontiguousarray(check.T), np.ascontiguousarray(check_axis), p.A[through, column].copy(),
            p.low[through, t], p.high[through, t], allowed,
        )  # fmt: skip
        self.operations += int(most[0])
        keys, first, last, target_position = written
        start = np.concatenate([[0], np.cumsum(last - first + 1)])
        orbits = _Orbits(
            orbit_start, line, position, lowest, layer.start, target_start, target_position,
            first - slope * target_position, start,
        )  # fmt: skip
        return _Layer(t, axis, rows, size, keys, first, start), _Addition(column, orbits, most)

    def _orbits(self, layer: _Layer, column: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The lines in order of orbit and position, their positions, and where each orbit begins."""
        p = self.plan
        n = len(layer.keys)
        move = {int(row): int(p.A[row, column]) for row in p.kept if p.A[row, column] and row != layer.axis}
        if any(p.opens[row] == layer.t for row in move):
            # A sum that opens here tells the lines after the step apart: every line goes its own way.
            return np.arange(n), np.zeros(n, np.int64), np.arange(n + 1)
        digits = self._digits(layer, layer.keys)
        pivot = int(np.flatnonzero([row in move for row in layer.rows])[0])
        position = digits[pivot] // move[int(layer.rows[pivot])]
        lowest = int(position.min())
        sort = position - lowest
        size = int(sort.max()) + 1
        still = np.zeros(n, np.int64)
        for row, sums in zip(layer.rows.tolist(), digits, strict=True):
            fixed = sums - move.get(row, 0) * position
            fixed -= fixed.min()
            still = still * (int(fixed.max()) + 1) + fixed
            size *= int(fixed.max()) + 1
        if size < LARGEST_KEY:
            line = np.argsort(still * (int(sort.max()) + 1) + sort, kind="stable")
        elif size // (int(sort.max()) + 1) < LARGEST_KEY:
            line = np.lexsort((sort, still))
        else:
            raise TooLarge(f"{self.n} cells and sums that depend on each other have too many sums open at once")
        begins = np.flatnonzero(np.concatenate([[True], np.diff(still[line]) != 0]))
        return line, position[line], np.concatenate([begins, [n]])

    def _targets(self, *arguments: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        orbit_start = arguments[0]
        n_orbits = len(orbit_start) - 1
        target_start, cost = np.empty(n_orbits + 1, np.int64), np.zeros(4, np.int64)
        longest = int(np.ptp(arguments[1])) + len(arguments[-1]) + 1
        out = np.empty((4, longest + 2 * len(arguments[1])), np.int64)
        orbit, n = 0, 0
        write: Any = kernel.targets
        while True:
            orbit, n = write(orbit, *arguments, target_start, out, n, cost)
            if orbit == n_orbits:
                break
            if self.operations + cost[0] > self.budget.operations or 2 * out.nbytes > self.budget.bytes:
                self._refuse()
            out = np.concatenate([out, np.empty((4, out.shape[1] + longest), np.int64)], axis=1)
        target_start[-1] = n
        return out[:, :n].copy(), target_start, cost

    # --- running ----------------------------------------------------------------------------------------------

    def _room(self, i: int, number: Any = np.float64) -> np.ndarray:
        """Zeros for the states of layer i; they are overwritten two layers on."""
        room: np.ndarray = self._rooms[i % 2, : self.layers[i].states].view(number)
        room[:] = 0
        return room

    def _forward(self, i: int, weights: Sequence[np.ndarray], now: np.ndarray, after: np.ndarray) -> np.ndarray:
        step = self.steps[i]
        if isinstance(step, _Turn):
            after[step.place] = now
        elif now.dtype == np.uint64:
            allowed = self.allowed[step.column]
            kernel.counted(*step.orbits, allowed, not allowed.all(), now, after, step.most)
        else:
            kernel.forward(*step.orbits, weights[step.column], now, after, step.most)
        return after

    def residue(self, prime: int | None) -> int:
        """The number of tables modulo a prime of at most 31 bits, or modulo 2^64."""
        now = np.ones(1, np.uint64)
        most = 1  # that a number may be by now: it is reduced only when it could outgrow 64 bits
        for i, step in enumerate(self.steps):
            if prime is not None and isinstance(step, _Addition):
                values = len(self.allowed[step.column])
                if most * values >= 2**63:
                    now %= np.uint64(prime)
                    most = prime
                most *= values
            now = self._forward(i, (), now, self._room(i + 1, np.uint64))
        if not len(now):
            return 0
        return int(now[0]) % (prime or 2**64)

    def mass(self, weights: Sequence[np.ndarray]) -> float:
        """The log of the sum over all tables of the product of the columns' weights."""
        now, log_scale = np.ones(1), 0.0
        for i in range(len(self.steps)):
            now = self._forward(i, weights, now, self._room(i + 1))
            scale = _settle(now)
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
        now = np.ones(1)
        leading: list[np.ndarray] = []
        log_mass, safe = 0.0, True
        for i in range(len(self.steps)):
            leading.append(now)
            now = self._forward(i, weights, now, np.zeros(self.layers[i + 1].states))
            log_mass += math.log(_settle(now, possible) or LEAST_MASS)
        shares = [np.zeros(len(one)) for one in self.allowed]
        back_after = np.ones(1)
        for i in range(len(self.steps) - 1, -1, -1):
            step, now = self.steps[i], leading.pop()
            if isinstance(step, _Turn):
                back_after = back_after[step.place]
                continue
            weight = weights[step.column]
            back_now = self._room(i)
            share = shares[step.column]
            kernel.backward(*step.orbits, weight, now, back_after, back_now, share, step.most)
            if share.sum() < LEAST_MASS:
                raise TooLarge(f"the weights of {self.n} cells and sums are too far apart for an elimination")
            if not possible:
                smallest = [one.min(initial=1.0, where=one > 0) for one in (now, back_after, weight)]
                everything = np.count_nonzero(weight) == np.count_nonzero(self.allowed[step.column])
                safe = safe and everything and math.prod(smallest) > TINY
            _settle(back_now, possible)
            back_after = back_now
        return [share / share.sum() for share in shares], log_mass, safe


def _settle(values: np.ndarray, possible: bool = False) -> float:
    """Bring the numbers of a layer back to 1 at most, in place; by what factor."""
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
        np.ones(int(z - a) + 1, dtype=bool) if given is None else ~np.isneginf(given)
        for a, z, given in zip(lower, upper, log_weights, strict=True)
    ]
    tied = np.flatnonzero(np.diff(sp.csc_array(A).indptr))
    if len(tied) < len(lower):
        return _with_free_columns(A, b, lower, upper, log_weights, budget, tied, allowed)
    if not all(one.any() for one in allowed):
        return _none(lower, allowed)
    run = Elimination(A, b, lower, allowed, budget)
    if progress is not None:
        progress(f"{run.operations:,} operations of elimination a pass")
    p = run.plan
    rows, sums = p.A[p.kept], p.b[p.kept]
    alike = [np.where(one, 0.0, -np.inf) for one in allowed]
    weights, log_factor = centred(rows, sums, alike)
    weightless = not count_only and all(given is None for given in log_weights)
    if weightless:
        shares, log_mass, safe = run.shares(weights)
    else:
        log_mass = run.mass(weights)
    tables = _counted(run, log_mass + log_factor)
    if count_only or tables == 0:
        return replace(_none(lower, allowed), tables=tables)
    if not weightless:
        given = [flat if one is None else one for one, flat in zip(log_weights, alike, strict=True)]
        shares, _, safe = run.shares(centred(rows, sums, given)[0])
    reached = shares if safe else run.shares([one.astype(float) for one in allowed], possible=True)[0]
    return Solved(tables, lower, tuple(one > 0 for one in reached), tuple(shares), "elimination")


def _none(lower: np.ndarray, allowed: Sequence[np.ndarray]) -> Solved:
    nothing = tuple(np.zeros(len(one)) for one in allowed)
    return Solved(0, lower, tuple(one > 0 for one in nothing), nothing, "elimination")


def _with_free_columns(
    A: Any,
    b: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    log_weights: Sequence[np.ndarray | None],
    budget: Budget,
    tied: np.ndarray,
    allowed: Sequence[np.ndarray],
) -> Solved:
    """Columns that are in no equation keep their own law; the others are eliminated."""
    tables = 1 if (b[np.diff(A.indptr) == 0] == 0).all() else 0
    possible, weights = list(allowed), [np.zeros(0)] * len(lower)
    for j in np.setdiff1d(np.arange(len(lower)), tied):
        given = log_weights[j]
        share = allowed[j].astype(float) if given is None else np.exp(given - max(given.max(), -1e300))
        weights[j] = share / max(share.sum(), 1e-300)
        tables *= int(allowed[j].sum())
    if len(tied):
        part = sp.csr_array(A[:, tied])
        found = eliminate_block(part, b, lower[tied], upper[tied], [log_weights[j] for j in tied], budget)
        tables *= found.tables
        for k, j in enumerate(tied):
            possible[j], weights[j] = found.possible[k], found.weights[k]
    return Solved(tables, lower, tuple(possible), tuple(weights), "elimination")


def _counted(run: Elimination, log_tables: float) -> int:
    """The number of tables, put together from residues and checked against the sum in floating point."""
    tables = run.residue(None)
    modulus = 2**64
    primes = _primes()
    while math.log(modulus) < log_tables + 1:
        prime = next(primes)
        tables += modulus * ((run.residue(prime) - tables) * pow(modulus, -1, prime) % prime)
        modulus *= prime
    in_floats = -np.inf if tables == 0 else math.log(tables)
    if in_floats != log_tables and not abs(in_floats - log_tables) < 1e-6:
        raise NumericalDoubt(
            f"the number of tables is {tables:,} in whole numbers and about exp({log_tables:.6f}) in floating point; these "
            "should agree."
        )
    return tables


def _primes() -> Iterator[int]:
    """The primes below 2^31, from the top."""
    candidate = 2**31 - 1
    while True:
        if _is_prime(candidate):
            yield candidate
        candidate -= 2


def _is_prime(n: int) -> bool:
    """Miller and Rabin's test with bases that settle every odd number below 3.2 billion."""
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for base in (2, 3, 5, 7):
        x = pow(base, odd, n)
        if x in (1, n - 1):
            continue
        for _ in range(twos - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True
