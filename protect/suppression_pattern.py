"""The cheapest set of cells to hide so that every sensitive one keeps a wanted interval.

A program over which cells to hide meets an attacker (Fischetti and Salazar-González 2000). It proposes the cheapest pattern
that nothing yet speaks against; linear programs find the interval the pattern leaves to every sensitive cell; and where
it is too narrow, their dual says what any pattern must hide to make it wider, a new condition on the next proposal. A
proposal that passes is the cheapest there is. Where only whole numbers make an interval too narrow, no part of the pattern
will do, and one more cell must be hidden.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..fiber.integer_program import least_cost
from ..fiber.simplex import solved, warm_model
from ..release.errors import NumericalDoubt

MOST_NODES = 20_000
"""Of the search for one proposal."""
LONGEST = 100
"""Sums of more cells say too little about single ones to be worth a condition for each."""
DENOMINATOR = 2520
"""Duals of tables are mostly fractions of small numbers. Rounded ones give true conditions, too."""
_CLOSE = 1e-6


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
    """Which cells to hide, and what is known of its cost: is it proven to be the least, and what is the least at least?"""

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
    tell: Callable[[str], None],
) -> Pattern:
    """The cheapest pattern of allowed cells, besides the sensitive ones, that protects these.

    `cost` are positive whole numbers. `too_narrow` has the last word: which sensitive cells a pattern leaves too narrow
    an interval, in whole numbers; the pattern of all allowed cells must pass. After so many rounds what was hidden once
    stays hidden, so that the search ends; the result is then not proven to be the cheapest.
    """
    search = _Search(room, sensitive, allowed, cost)
    forced = np.zeros(len(cost), dtype=bool)
    forced[sensitive.cells] = True
    at_least = int(cost[forced].sum())
    for done in range(rounds):
        share = search.relaxed(forced)
        at_least = max(at_least, int(np.ceil(cost @ share - _CLOSE)))
        found = search.conditions(share)
        tell(
            f"round {done + 1} in fractions: the least cost is at least {at_least:,}; {found} intervals are too narrow"
        )
        if not found:
            break
    kept, proven, done = forced, True, 0
    while True:
        hidden, optimal = search.proposal(kept)
        proven = proven and optimal and kept is forced
        if proven:
            at_least = max(at_least, int(cost[hidden].sum()))
        found = search.conditions(hidden.astype(float))
        if not found:
            short = too_narrow(hidden)
            if not len(short):
                total = int(cost[hidden].sum())
                return Pattern(hidden, proven or total == at_least, total, at_least)
            search.one_more(hidden)
            found = len(short)
        done += 1
        tell(f"round {done}: the least cost is at least {at_least:,}; {found} intervals are too narrow")
        if done >= rounds:
            kept = hidden


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
                where = np.repeat(cells, len(cells)).reshape(len(cells), -1).T
                rows.append((block, where))
        if not rows:
            return sp.csr_array((0, len(self.cost)))
        data = np.concatenate([block.ravel() for block, _ in rows])
        columns = np.concatenate([where.ravel() for _, where in rows])
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
            found = linprog(self.cost[free], A_ub=-A, b_ub=-low, bounds=(0, 1), method="highs")
            if found.x is None:
                raise NumericalDoubt("no pattern of suppressions was found, though there is one; use a coarser unit.")
            shares[free] = np.clip(found.x, 0, 1)
        return shares

    # --- the attacker -----------------------------------------------------------------------------------------

    def conditions(self, shares: np.ndarray) -> int:
        """Look for sensitive cells that a pattern leaves too narrow, and add what they want; how many were there?"""
        down, up = self.room.down * shares, self.room.up * shares
        self._model.changeColsBounds(len(shares), self._columns, -down, up)
        found = 0
        for cell, below, above, width in zip(
            self.sensitive.cells, self.sensitive.below, self.sensitive.above, self.sensitive.width, strict=True
        ):
            if below == above == width == 0:
                continue
            high, over = self._reach(cell, 1)
            low, under = self._reach(cell, -1)
            short = False
            for reach, coefficients, wanted in (
                (high, over, above),
                (low, under, below),
                (high + low, over + under, width),
            ):
                if reach < wanted * (1 - _CLOSE) - _CLOSE and coefficients @ shares < wanted * DENOMINATOR * (
                    1 - _CLOSE
                ):
                    self._add(coefficients, int(wanted) * DENOMINATOR)
                    short = True
            found += short
        return found

    def _reach(self, cell: int, sign: int) -> tuple[float, np.ndarray]:
        """How far a cell can go up (or down), and coefficients such that no pattern lets it further than their sum."""
        cost = np.zeros(len(self.cost), dtype=np.int64)
        cost[cell] = -sign
        self._model.changeColsCost(len(cost), self._columns, cost.astype(float))
        if solved(self._model) != "optimal":
            self._model.clearSolver()
            if solved(self._model) != "optimal":
                raise NumericalDoubt("the interval of a sensitive cell could not be computed; use a coarser unit.")
        answer = self._model.getSolution()
        dual = np.rint(np.array(answer.row_dual) * DENOMINATOR).astype(np.int64)
        gain = -cost * DENOMINATOR + self._transposed @ dual
        coefficients = np.maximum(gain, 0) * self.room.up + np.maximum(-gain, 0) * self.room.down
        return sign * float(answer.col_value[cell]), coefficients

    def one_more(self, hidden: np.ndarray) -> None:
        """A pattern will not do, and neither will any part of it."""
        self._add((self.open & ~hidden).astype(np.int64), 1)
