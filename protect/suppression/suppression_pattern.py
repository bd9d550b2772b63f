"""The cheapest set of cells to hide so that every sensitive one keeps a wanted interval.

An integer program and an attacker take turns (Fischetti and Salazar-González 2000, a Benders decomposition). The program
proposes the cheapest pattern that meets all conditions so far; linear programs find the interval that the pattern leaves to
every sensitive cell; and where it is too narrow, their dual says what any pattern must hide to make it wider, a new
condition (a cut) on the next proposal. A proposal that passes is the cheapest there is. Where only whole numbers make an
interval too narrow, no part of the pattern will do, and one more cell must be hidden.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.errors import NumericalDoubt
from ...base.progress import Progress
from ...fiber.solvers.integer_program import least_cost
from ...fiber.solvers.simplex import solved, warm_model

MOST_NODES = 2000
"""Nodes of the branch and bound for one proposal."""
LONGEST = 100
"""Sums of more cells say too little about single ones to be worth a condition for each."""
DENOMINATOR = 2520
"""Duals of tables are mostly fractions of small numbers. Rounded ones give true conditions, too."""
_CLOSE, _CLEAR = 1e-6, 1e-4
"""Differences that the solvers do not see, and those that they surely do."""


@dataclass(frozen=True, eq=False)
class Sensitive:
    """The cells that must keep an interval: how far each must reach below and above its true value, and how wide."""

    cells: np.ndarray
    below: np.ndarray
    above: np.ndarray
    width: np.ndarray


@dataclass(frozen=True, eq=False)
class Room:
    """What an attacker knows before she looks at the pattern: the published sums, and how far a hidden cell may go.

    `down` and `up` are how far each cell may be below and above its true value if it is hidden.
    """

    sums: Any
    down: np.ndarray
    up: np.ndarray


@dataclass(frozen=True, eq=False)
class Pattern:
    """Which cells to hide; is their cost proven to be the least, what is it, and what is a lower bound of the least?"""

    hidden: np.ndarray
    proven: bool
    cost: int
    at_least: int


def cheapest_pattern(
    room: Room,
    sensitive: Sensitive,
    allowed: np.ndarray,
    cost: np.ndarray,
    too_narrow: Callable[[np.ndarray], np.ndarray],
    *,
    rounds: int,
    tell: Progress,
) -> Pattern:
    """The cheapest pattern of allowed cells, besides the sensitive ones, that protects these.

    `cost` are positive whole numbers. `too_narrow` has the last word: which sensitive cells a pattern leaves too narrow
    an interval, in whole numbers; the pattern of all allowed cells must pass. After so many rounds the best pattern so far
    is taken, proven to be the cheapest or not.
    """
    search = _Search(room, sensitive, allowed, cost)
    forced = np.zeros(len(cost), dtype=bool)
    forced[sensitive.cells] = True
    at_least = int(cost[forced].sum())
    for done in range(rounds):
        share = search.relaxed(forced)
        at_least = max(at_least, int(np.ceil(cost @ share - _CLOSE)))
        narrow = search.conditions(share)
        tell(
            f"round {done + 1} in fractions: the least cost is at least {at_least:,}; {narrow} intervals are too narrow"
        )
        if not narrow:
            break
    best: np.ndarray | None = None
    for done in range(rounds):
        hidden, optimal = search.proposal(forced)
        if optimal:
            at_least = max(at_least, int(cost[hidden].sum()))
        tell(f"round {done + 1}: the least cost is at least {at_least:,}")
        if search.conditions(hidden.astype(float)):
            hidden = search.pruned(search.completed(hidden))
        while len(short := too_narrow(hidden)):
            search.one_more(hidden)
            hidden = search.completed_in_whole_numbers(hidden, short)
        if best is None or cost[hidden].sum() < cost[best].sum():
            best = hidden
            tell(f"round {done + 1}: a pattern of cost {int(cost[best].sum()):,} protects")
        if cost[best].sum() <= at_least:
            break
    assert best is not None
    total = int(cost[best].sum())
    return Pattern(best, total <= at_least, total, at_least)


class _Search:
    """The conditions on patterns so far. Each is coefficients @ hidden >= wanted, all of them whole numbers."""

    def __init__(self, room: Room, sensitive: Sensitive, allowed: np.ndarray, cost: np.ndarray) -> None:
        self.room, self.sensitive, self.cost = room, sensitive, cost
        self.open = allowed.copy()
        self.open[sensitive.cells] = False
        self.sums = sp.csr_array(room.sums)
        self._transposed = sp.csr_array(self.sums.T)
        self._coefficients: list[np.ndarray] = []
        self._wanted: list[int] = []
        self._columns = np.arange(len(cost), dtype=np.int32)
        nothing = np.zeros(len(cost))
        self._model = warm_model(self.sums, np.zeros(self.sums.shape[0]), nothing, nothing, primal=False)
        self._both = sp.csr_array(sp.hstack([self.sums, -self.sums]))
        none = np.zeros(2 * len(cost))
        self._ways = warm_model(self._both, np.zeros(self.sums.shape[0]), none, none, primal=False)
        self._pairs = self._never_alone()

    def _never_alone(self) -> Any:
        """No cell is the only hidden one of a sum: sensitive ones must not be, and others would be hidden for nothing."""
        forced = np.zeros(len(self.cost), dtype=bool)
        needy = (self.sensitive.below + self.sensitive.above + self.sensitive.width) > 0
        forced[self.sensitive.cells[needy]] = True
        either = self.open.copy()
        either[self.sensitive.cells] = True
        rows = []
        for start, end in zip(self.sums.indptr[:-1], self.sums.indptr[1:], strict=True):
            cells = self.sums.indices[start:end]
            cells = cells[either[cells]]
            alone = cells[forced[cells]]
            others = cells[self.open[cells]]
            if len(alone) == 1 and len(cells) - len(others) == 1:
                row = np.zeros(len(self.cost), dtype=np.int64)
                row[others] = 1
                self._add(row, 1)
            elif len(cells) == len(others) and 0 < len(cells) <= LONGEST:
                block = np.ones((len(cells), len(cells))) - 2 * np.eye(len(cells))
                places = np.repeat(cells, len(cells)).reshape(len(cells), -1).T
                rows.append((block, places))
        if not rows:
            return sp.csr_array((0, len(self.cost)))
        data = np.concatenate([block.ravel() for block, _ in rows])
        columns = np.concatenate([places.ravel() for _, places in rows])
        sizes = np.concatenate([np.full(len(block), len(block)) for block, _ in rows])
        return sp.csr_array(
            (data, columns, np.concatenate([[0], np.cumsum(sizes)])), shape=(len(sizes), len(self.cost))
        )

    def _add(self, coefficients: np.ndarray, wanted: int) -> None:
        self._coefficients.append(coefficients)
        self._wanted.append(wanted)

    # --- the proposals ----------------------------------------------------------------------------------------

    def _program(self, kept: np.ndarray) -> tuple[np.ndarray, Any, np.ndarray]:
        """The cells still to be decided, and the conditions on them, each divided by what it wants."""
        free = np.flatnonzero(self.open & ~kept)
        rows, low = [], []
        for coefficients, wanted in zip(self._coefficients, self._wanted, strict=True):
            rest = wanted - int(coefficients[kept].sum())
            if rest > 0:
                rows.append(np.minimum(coefficients[free], rest) / rest)
                low.append(1.0)
        pairs = self._pairs[:, free]
        low += (-(self._pairs @ kept.astype(float))).tolist()
        conditions = sp.vstack([sp.csr_array(np.array(rows).reshape(len(rows), len(free))), pairs])
        return free, sp.csr_array(conditions), np.array(low)

    def proposal(self, kept: np.ndarray) -> tuple[np.ndarray, bool]:
        """The cheapest pattern that fulfils the conditions and hides what is kept; and is it proven to be?"""
        free, A, low = self._program(kept)
        found, proven = least_cost(
            self.cost[free], A, low - _CLOSE, np.full(len(low), np.inf), np.ones(len(free)), nodes=MOST_NODES
        )
        if found is None:
            raise NumericalDoubt("no pattern of suppressions was found, though there is one; use a coarser unit.")
        hidden = kept.copy()
        hidden[free[found > 0]] = True
        return hidden, proven

    def relaxed(self, kept: np.ndarray) -> np.ndarray:
        """The cheapest pattern where cells may be hidden in part."""
        from scipy.optimize import linprog

        free, A, low = self._program(kept)
        shares = kept.astype(float)
        if len(free):
            solution = linprog(self.cost[free], A_ub=-A, b_ub=-low, bounds=(0, 1), method="highs")
            if solution.x is None:
                raise NumericalDoubt("no pattern of suppressions was found, though there is one; use a coarser unit.")
            shares[free] = np.clip(solution.x, 0, 1)
        return shares

    # --- the attacker -----------------------------------------------------------------------------------------

    def _attack(self, shares: np.ndarray) -> None:
        """Let the attacker see a pattern; cells may be hidden in part."""
        self._model.changeColsBounds(len(shares), self._columns, -self.room.down * shares, self.room.up * shares)

    def _reach(self, cell: int, sign: int) -> float:
        """How far a cell can go up (or down)."""
        cost = np.zeros(len(self.cost))
        cost[cell] = -sign
        self._model.changeColsCost(len(cost), self._columns, cost)
        if solved(self._model) != "optimal":
            self._model.clearSolver()
            if solved(self._model) != "optimal":
                raise NumericalDoubt("the interval of a sensitive cell could not be computed; use a coarser unit.")
        return sign * float(self._model.getSolution().col_value[cell])

    def _limits(self, cell: int, sign: int) -> np.ndarray:
        """What each hidden cell adds to how far another can go up (or down); for the pattern in hand that limit is sharp."""
        self._reach(cell, sign)
        dual = np.rint(np.array(self._model.getSolution().row_dual) * DENOMINATOR).astype(np.int64)
        gain = self._transposed @ dual
        gain[cell] += sign * DENOMINATOR
        return np.maximum(gain, 0) * self.room.up + np.maximum(-gain, 0) * self.room.down

    def conditions(self, shares: np.ndarray) -> int:
        """Look for sensitive cells that a pattern leaves too narrow, and add what they want; how many were there?"""
        self._attack(shares)
        narrow = 0
        for cell, below, above, width in self._each():
            over, under = self._limits(cell, 1), self._limits(cell, -1)
            before = len(self._wanted)
            for coefficients, wanted in ((over, above), (under, below), (over + under, width)):
                if coefficients @ shares < wanted * DENOMINATOR * (1 - _CLEAR):
                    self._add(coefficients, wanted * DENOMINATOR)
            narrow += len(self._wanted) > before
        return narrow

    def _each(self) -> list[tuple[int, int, int, int]]:
        """The sensitive cells that want something: each with how far below and above, and how wide."""
        parts = (self.sensitive.cells, self.sensitive.below, self.sensitive.above, self.sensitive.width)
        return [wish for wish in zip(*(part.tolist() for part in parts), strict=True) if any(wish[1:])]

    def completed(self, hidden: np.ndarray) -> np.ndarray:
        """A pattern with more cells hidden, for one sensitive cell after the other, until all have what they want."""
        hidden = hidden.copy()
        everything = self.open | hidden
        for cell, below, above, width in self._each():
            self._attack(everything.astype(float))
            most = self._reach(cell, 1)
            self._attack(hidden.astype(float))
            high, low = self._reach(cell, 1), self._reach(cell, -1)
            up = max(above, min(most, width - max(low, below)))
            for sign, now, wanted in ((1, high, up), (-1, low, max(below, width - max(high, up)))):
                if now < wanted - _CLOSE:
                    hidden |= self._way(cell, sign * wanted, hidden)
        return hidden

    def completed_in_whole_numbers(self, hidden: np.ndarray, cells: np.ndarray) -> np.ndarray:
        """A pattern with more cells hidden, so that some cells have what they want in tables of whole numbers."""
        more = hidden.copy()
        everything = self.open | hidden
        for cell, below, above, width in self._each():
            if cell in cells:
                self._attack(everything.astype(float))
                up = max(above, min(int(self._reach(cell, 1) + _CLOSE), width - below))
                for change in (up, -max(below, width - up)):
                    more |= self._way(cell, change, more, whole=True) if change else False
        return more if (more != hidden).any() else everything

    def _way(self, cell: int, change: float, hidden: np.ndarray, whole: bool = False) -> np.ndarray:
        """The cells that change on the cheapest way to change one by so much; hidden ones cost next to nothing."""
        n = len(hidden)
        allowed = self.open | hidden
        room = np.concatenate([self.room.up * allowed, self.room.down * allowed])
        cost = np.tile(np.where(hidden, 0.001 * self.cost.min(), self.cost), 2)
        # The change itself is given, and so is no part of the program.
        room[[cell, cell + n]] = 0
        wanted = -change * self._transposed[[cell]].toarray().ravel()
        if whole:
            flow, _ = least_cost(cost, self._both, wanted, wanted, room, nodes=MOST_NODES)
        else:
            columns, rows = np.arange(2 * n, dtype=np.int32), np.arange(len(wanted), dtype=np.int32)
            self._ways.changeColsBounds(2 * n, columns, np.zeros(2 * n), room.astype(float))
            self._ways.changeColsCost(2 * n, columns, cost)
            self._ways.changeRowsBounds(len(wanted), rows, wanted.astype(float), wanted.astype(float))
            self._ways.clearSolver()
            optimal = solved(self._ways) == "optimal"
            flow = np.array(self._ways.getSolution().col_value) if optimal else None
        if flow is None:
            return np.asarray(allowed)  # as a last resort, everything
        return np.asarray((flow[:n] > _CLOSE) | (flow[n:] > _CLOSE))

    def pruned(self, hidden: np.ndarray) -> np.ndarray:
        """A pattern that protects without those cells, the most expensive first, that it can do without."""
        hidden, waiting = hidden.copy(), self._each()
        extra = np.flatnonzero(hidden & self.open)
        for other in extra[np.argsort(-self.cost[extra], kind="stable")]:
            hidden[other] = False
            self._attack(hidden.astype(float))
            for position, (cell, below, above, width) in enumerate(waiting):
                high, low = self._reach(cell, 1), self._reach(cell, -1)
                if high < above - _CLOSE or low < below - _CLOSE or high + low < width - _CLOSE:
                    hidden[other] = True
                    waiting.insert(0, waiting.pop(position))  # who objected once is asked first
                    break
        return hidden

    def one_more(self, hidden: np.ndarray) -> None:
        """Rule out a pattern and every part of it: one more cell must be hidden."""
        self._add((self.open & ~hidden).astype(np.int64), 1)
