"""The states of an elimination, laid out step by step: what can be reached, and which states lead to which."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.errors import TooLarge
from . import elimination_kernel as kernel
from .elimination_bytes import (
    AFTER,
    NUMBER,
    WRITTEN,
    Claim,
    of_arrays,
    of_checking,
    of_finding_orbits,
    of_turning,
)
from .elimination_plan import Plan, plan
from .solved import Budget

LARGEST_KEY = 2**62
GROWTH = math.log(5)
LINE = 1000  # operations that a line costs to be found
PASSES = 4  # over all states: for the number of tables, and for a law there and back
CHEAP = 100_000_000
"""Operations before it is foreseen what is to come."""
REACHED, TOO_FAR = 1.3, math.log(3)
"""By what power the share of states that are reached may fall, and what may be foreseen over the budget."""
SLACK = math.log(1e6)
"""The first estimate takes every state of a box for reachable: begin even if it is that much over the budget."""


@dataclass(frozen=True, eq=False)
class Layer:
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
        """How many there are."""
        return int(self.start[-1])

    @property
    def nbytes(self) -> int:
        """What its arrays hold."""
        return of_arrays((self.rows, self.size, self.keys, self.first, self.start))


@dataclass(frozen=True, eq=False)
class Addition:
    """A column is added; `most` is what the step costs, as `kernel.Written.cost` lists it."""

    column: int
    orbits: kernel.Orbits
    most: np.ndarray

    @property
    def nbytes(self) -> int:
        """What its arrays hold."""
        return of_arrays((*self.orbits.source, *self.orbits.target))


@dataclass(frozen=True, eq=False)
class Turn:
    """Another open sum becomes the axis: the place of each state in the new layer."""

    place: np.ndarray

    @property
    def nbytes(self) -> int:
        """What its array holds."""
        return self.place.nbytes


class Layout:
    """The states of a block along a plan."""

    def __init__(
        self,
        A: Any,
        b: np.ndarray,
        lower: np.ndarray,
        allowed: Sequence[np.ndarray],
        budget: Budget,
        claim: Claim = lambda bytes_in_all: None,
    ) -> None:
        """Lay out all states; `allowed[j]` says which values of column j, from its lower bound on, may occur."""
        self.allowed, self.budget, self.claim, self.n = allowed, budget, claim, len(lower)
        most = math.log(budget.operations) + SLACK
        planned = plan(A, b - A @ lower, np.array([len(values) - 1 for values in allowed], dtype=np.int64), most)
        if planned is None:
            raise TooLarge(f"{self.n} cells and sums that depend on each other are too many for an elimination")
        if planned.log_operations > most:
            raise TooLarge(
                f"{self.n} cells and sums that depend on each other would take up to "
                f"10^{planned.log_operations / math.log(10):.0f} operations of elimination"
            )
        self.plan: Plan = planned
        self.operations = 0
        self.held = 0
        """Bytes of all that was laid out."""
        self.layers, self.steps = self._laid_out()

    # --- laying out -------------------------------------------------------------------------------------------

    def _laid_out(self) -> tuple[list[Layer], list[Addition | Turn]]:
        zero, none = np.zeros(1, np.int64), np.empty(0, np.int64)
        layer = Layer(0, -1, none, none, zero, zero, np.array([0, 1]))
        layers: list[Layer] = [layer]
        steps: list[Addition | Turn] = []
        for column in self.plan.order:
            axis = self._axis(layer, int(column))
            if axis != layer.axis:
                layer, turn = self._turned(layer, axis)
                layers.append(layer)
                steps.append(turn)
                self.held += layer.nbytes + turn.nbytes
            layer, addition = self._added(layer, int(column))
            layers.append(layer)
            steps.append(addition)
            self.held += layer.nbytes + addition.nbytes
            self.charge(LINE * len(layer.keys))
            # the passes hold two layers of numbers at least
            self.take(2 * NUMBER * max(laid.states for laid in layers))
            if self.budget.foreseen and self.operations > CHEAP:
                self._foresee(layer)
            if layer.states == 0:
                break  # there is no table
        return layers, steps

    def _foresee(self, layer: Layer) -> None:
        """Refuse where the states that are still to come would cost far too much.

        Of the states of a box, fewer and fewer can be reached the more columns there are; how many fewer, the layer tells.
        """
        if not layer.states:
            return
        planned, t = self.plan, layer.t
        reached = min(0.0, math.log(layer.states) - float(planned.log_states[t]))
        to_come = planned.log_states[t:-1] + np.log1p(planned.span[planned.order[t:]]) + REACHED * reached
        if len(to_come) and float(np.logaddexp.reduce(to_come)) > math.log(self.budget.operations / PASSES) + TOO_FAR:
            self._refuse()

    def charge(self, operations: float) -> None:
        """Add to what the elimination costs; refuse where that is over the budget."""
        self.operations += int(operations)
        if self.operations > self.budget.operations:
            self._refuse()

    def take(self, more: int) -> None:
        """Refuse where so many bytes besides what was laid out are over the budget: before they are taken, not after."""
        if self.held + more > self.budget.bytes:
            self._refuse("memory")
        self.claim(self.held + more)

    def _refuse(self, resource: str = "operations") -> None:
        raise TooLarge(
            f"{self.n} cells and sums that depend on each other take more {resource} for an elimination (operations: up "
            f"to 10^{self.plan.log_operations / math.log(10):.0f} a pass)"
        )

    def _axis(self, layer: Layer, column: int) -> int:
        """The open sum along which the lines of the next step lie: one that stays open long and is wide (-1: none)."""
        t, planned = layer.t, self.plan
        touched = {int(row) for row in planned.kept if planned.A[row, column]}
        staying = [int(row) for row in planned.open_rows(t) if planned.closes[row] > t and touched != {int(row)}]
        if not staying:
            return -1

        def worth(row: int) -> int:
            later = slice(t + 1, planned.closes[row] + 1)
            return int((planned.high[row, later] - planned.low[row, later]).sum())

        best = max(staying, key=worth)
        if layer.axis in staying:
            # A turn touches every state one by one: only where more are to come.
            growing = planned.log_states[t] + GROWTH < planned.log_states[t:].max()
            return best if growing and worth(best) > 1.5 * worth(layer.axis) else layer.axis
        return best

    def _digits(self, layer: Layer, keys: np.ndarray) -> np.ndarray:
        """The open sums that some keys stand for, a row each."""
        digits = np.empty((len(layer.rows), len(keys)), np.int64)
        for number, size in enumerate(layer.size):
            keys, digits[number] = np.divmod(keys, size)
        digits += self.plan.low[layer.rows, layer.t][:, None]
        return digits

    def _key(self, t: int, axis: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """How the open sums after t columns make up a key: the rows, their sizes and their strides."""
        planned = self.plan
        rows = np.array([row for row in planned.open_rows(t) if row != axis], dtype=np.int64)
        size = planned.high[rows, t] - planned.low[rows, t] + 1
        if math.prod(int(values) for values in size) >= LARGEST_KEY:
            raise TooLarge(f"{self.n} cells and sums that depend on each other have too many sums open at once")
        return rows, size, np.concatenate([[1], np.cumprod(size)])[:-1].astype(np.int64)

    def _turned(self, layer: Layer, axis: int) -> tuple[Layer, Turn]:
        self.take(of_turning(layer.states, len(layer.rows)))
        rows, size, stride = self._key(layer.t, axis)
        line = np.repeat(np.arange(len(layer.keys)), np.diff(layer.start))
        along = layer.first[line] + np.arange(layer.states) - layer.start[line]
        sums = dict(zip(layer.rows.tolist(), self._digits(layer, layer.keys)[:, line], strict=True))
        sums[layer.axis] = along
        low = self.plan.low[:, layer.t]
        key = np.zeros(layer.states, np.int64)
        for row, step in zip(rows.tolist(), stride, strict=True):
            key += (sums[row] - low[row]) * step
        new_along = sums[axis] if axis >= 0 else np.zeros(layer.states, np.int64)
        order = np.lexsort((new_along, key))
        begins = np.flatnonzero(np.concatenate([[True], np.diff(key[order]) != 0]))
        first = new_along[order[begins]]
        last = new_along[order[np.concatenate([begins[1:], [len(order)]]) - 1]]
        start = np.concatenate([[0], np.cumsum(last - first + 1)])
        new_line = np.repeat(np.arange(len(begins)), np.diff(np.concatenate([begins, [len(order)]])))
        place = np.empty(layer.states, np.int64)
        place[order] = start[new_line] + new_along[order] - first[new_line]
        return Layer(layer.t, axis, rows, size, key[order[begins]], first, start), Turn(place)

    def _added(self, layer: Layer, column: int) -> tuple[Layer, Addition]:
        planned, t, axis = self.plan, layer.t + 1, layer.axis
        rows, size, stride = self._key(t, axis)
        slope = int(planned.A[axis, column]) if axis >= 0 else 0
        allowed = self.allowed[column]
        self.take(of_finding_orbits(len(layer.keys), len(layer.rows)))
        line, position, orbit_start = self._orbits(layer, column)
        # The column's equations, kept or not.
        through = np.flatnonzero(planned.A[:, column])
        reference = line[orbit_start[:-1]]
        orbit_bytes = of_arrays((line, position, orbit_start))
        self.take(2 * orbit_bytes + of_checking(len(reference), len(layer.rows), len(through)))
        digits = self._digits(layer, layer.keys[reference])
        place_of = {int(row): number for number, row in enumerate(layer.rows)}
        key = np.full(len(reference), -int(planned.low[rows, t] @ stride))
        for row, step in zip(rows.tolist(), stride, strict=True):
            if row in place_of:
                key += step * digits[place_of[row]]
        # ... by the kept rows' sums so far.
        by_kept = planned.combination[through]
        place_of_kept = {int(row): number for number, row in enumerate(planned.kept)}
        closed = np.array(
            [number for number, row in enumerate(planned.kept) if planned.closes[row] < layer.t], dtype=int
        )
        check_axis = by_kept[:, place_of_kept[axis]] if axis >= 0 else np.zeros(len(through), np.int64)
        check = (by_kept[:, closed] @ planned.b[planned.kept[closed]])[:, None]
        check = check + by_kept[:, [place_of_kept[int(row)] for row in layer.rows]] @ digits
        check = check + check_axis[:, None] * slope * position[orbit_start[:-1]]
        check = np.ascontiguousarray(check.T)
        del digits, reference
        length = np.diff(layer.start)[line]
        source = kernel.Lines(orbit_start, position, layer.first[line] - slope * position, length, layer.start[line])
        checks = kernel.Checks(
            check,
            np.ascontiguousarray(check_axis),
            planned.A[through, column].copy(),
            planned.low[through, t],
            planned.high[through, t],
        )
        written, target_start, most = self._targets(
            source, kernel.Keys(key, int(planned.A[rows, column] @ stride), slope), checks, allowed
        )
        self.charge(PASSES * int(most[0]))
        keys, first, last, target_position = written
        start = np.concatenate([[0], np.cumsum(last - first + 1)])
        target = kernel.Lines(
            target_start, target_position, first - slope * target_position, last - first + 1, start[:-1]
        )
        return Layer(t, axis, rows, size, keys, first, start), Addition(column, kernel.Orbits(source, target), most)

    def _orbits(self, layer: Layer, column: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The lines in order of orbit and position, their positions, and where each orbit begins."""
        planned = self.plan
        n_lines = len(layer.keys)
        move = {
            int(row): int(planned.A[row, column])
            for row in planned.kept
            if planned.A[row, column] and row != layer.axis
        }
        if any(planned.opens[row] == layer.t for row in move):
            # A sum that opens here tells the lines after the step apart: every line goes its own way.
            return np.arange(n_lines), np.zeros(n_lines, np.int64), np.arange(n_lines + 1)
        digits = self._digits(layer, layer.keys)
        pivot = int(np.flatnonzero([row in move for row in layer.rows])[0])
        position = digits[pivot] // move[int(layer.rows[pivot])]
        lowest = int(position.min())
        sort = position - lowest
        size = int(sort.max()) + 1
        still = np.zeros(n_lines, np.int64)
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
        return line, position[line], np.concatenate([begins, [n_lines]])

    def _targets(
        self, lines: kernel.Lines, keys: kernel.Keys, checks: kernel.Checks, allowed: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The lines after a step, where those of each orbit begin, and what the step costs."""
        n_orbits = len(lines.start) - 1
        target_start, cost = np.empty(n_orbits + 1, np.int64), np.zeros(4, np.int64)
        longest = int(np.ptp(lines.position)) + len(allowed) + 1
        # ... and the lines from which these were made
        given_bytes = of_arrays((*lines, *keys, *checks, allowed, target_start)) + lines.position.nbytes
        room = longest + 2 * len(lines.position)
        self.take(given_bytes + WRITTEN * NUMBER * room)
        out = np.empty((WRITTEN, room), np.int64)
        orbit, n_lines = 0, 0
        while True:
            written = kernel.Written(target_start, out, cost)
            orbit, n_lines = kernel.targets(orbit, lines, keys, checks, allowed, written, n_lines)
            if orbit == n_orbits:
                break
            if self.operations + PASSES * cost[0] + LINE * n_lines > self.budget.operations:
                self._refuse()
            room = 2 * out.shape[1] + longest
            self.take(given_bytes + out.nbytes + WRITTEN * NUMBER * room)
            wider = np.empty((WRITTEN, room), np.int64)
            wider[:, :n_lines] = out[:, :n_lines]
            out = wider
        self.take(given_bytes + out.nbytes + AFTER * NUMBER * n_lines)
        target_start[-1] = n_lines
        return out[:, :n_lines].copy(), target_start, cost
