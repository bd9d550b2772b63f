"""What any pattern of suppressions must withhold (conditions), and the cheapest pattern that fulfils all known so far.

The attacker's linear programs find the interval that a pattern leaves to every sensitive figure. Where it is too narrow,
their dual says what any pattern must withhold to make it wider, a new condition (a cut) on the next proposal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ....base.errors import NumericalDoubt
from ....base.interruption import check_time
from ....fiber.solvers.integer_program import least_cost
from ....fiber.solvers.simplex import solved, warm_model
from .suppression_task import Task

MOST_NODES = 2000
"""Nodes of the branch and bound for one proposal."""
LONGEST = 100
"""Sums of more figures say too little about single ones to be worth a condition for each."""
DENOMINATOR = 2520
"""Duals of tables are mostly fractions of small numbers. Rounded ones give true conditions, too."""
CLOSE, _CLEAR = 1e-6, 1e-4
"""Differences that the solvers do not see, and those that they surely do."""


class Conditions:
    """The conditions on patterns so far. Each is coefficients @ hidden >= wanted, all of them whole numbers."""

    def __init__(self, task: Task) -> None:
        self.room, self.sensitive, self.cost, self.known = task.room, task.sensitive, task.cost, task.known
        self.open, self.forced = task.open & ~task.forced, task.forced
        self.sums = sp.csr_array(task.room.sums)
        self._transposed = sp.csr_array(self.sums.T)
        self._coefficients: list[Any] = []
        self._wanted: list[int] = []
        self._columns = np.arange(len(self.cost), dtype=np.int32)
        nothing = np.zeros(len(self.cost))
        self._model = warm_model(self.sums, np.zeros(self.sums.shape[0]), nothing, nothing, primal=True)
        self._lately: set[tuple[int, int]] = set()
        self._pairs = self._never_alone()

    def _never_alone(self) -> Any:
        """No figure is the only hidden one of a sum: sensitive ones must not be, and others would be hidden for nothing."""
        wanted = (self.sensitive.below + self.sensitive.above + self.sensitive.width) > 0
        needy = np.zeros(len(self.cost), dtype=bool)
        needy[self.sensitive.figures[wanted]] = True
        data, columns, sizes = [], [], []
        for start, end in zip(self.sums.indptr[:-1], self.sums.indptr[1:], strict=True):
            cells = self.sums.indices[start:end]
            others, always = cells[self.open[cells]], cells[self.forced[cells]]
            if len(always) == 1 and needy[always[0]]:
                self._add(others, np.ones(len(others), dtype=np.int64), 1)
            elif not len(always) and 0 < len(others) <= LONGEST:
                data.append((np.ones((len(others),) * 2) - 2 * np.eye(len(others))).ravel())
                columns.append(np.tile(others, len(others)))
                sizes += [len(others)] * len(others)
        if not sizes:
            return sp.csr_array((0, len(self.cost)))
        parts = np.concatenate(data), np.concatenate(columns), np.concatenate([[0], np.cumsum(sizes)])
        return sp.csr_array(parts, shape=(len(sizes), len(self.cost)))

    def _add(self, figures: np.ndarray, coefficients: np.ndarray, wanted: int) -> None:
        self._coefficients.append((figures, coefficients))
        self._wanted.append(wanted)

    # --- the proposals ----------------------------------------------------------------------------------------

    def _program(self, kept: np.ndarray) -> tuple[np.ndarray, Any, np.ndarray]:
        """The figures still to be decided, and the conditions on them, each divided by what it wants."""
        free = np.flatnonzero(self.open & ~kept)
        place = np.full(len(kept), -1)
        place[free] = np.arange(len(free))
        data, columns, sizes = [], [], []
        for (figures, coefficients), wanted in zip(self._coefficients, self._wanted, strict=True):
            rest = wanted - int(coefficients[kept[figures]].sum())
            if rest > 0:
                here = place[figures] >= 0
                data.append(np.minimum(coefficients[here], rest) / rest)
                columns.append(place[figures[here]])
                sizes.append(int(here.sum()))
        if sizes:
            parts = np.concatenate(data), np.concatenate(columns), np.concatenate([[0], np.cumsum(sizes)])
            conditions = sp.csr_array(parts, shape=(len(sizes), len(free)))
        else:
            conditions = sp.csr_array((0, len(free)))
        low = np.concatenate([np.ones(len(sizes)), -(self._pairs @ kept.astype(float))])
        return free, sp.csr_array(sp.vstack([conditions, self._pairs[:, free]])), low

    def proposal(self, kept: np.ndarray) -> tuple[np.ndarray, bool]:
        """The cheapest pattern that fulfils the conditions and hides what is kept; and is it proven to be?"""
        free, A, low = self._program(kept)
        found, proven = least_cost(
            self.cost[free], A, low - CLOSE, np.full(len(low), np.inf), np.ones(len(free)), nodes=MOST_NODES
        )
        if found is None:
            raise NumericalDoubt("no pattern of suppressions was found, though there is one; use a coarser unit.")
        hidden = kept.copy()
        hidden[free[found > 0]] = True
        return hidden, proven

    def relaxed(self, kept: np.ndarray) -> np.ndarray:
        """The cheapest pattern where figures may be hidden in part."""
        from scipy.optimize import linprog

        check_time("a pattern of suppressions was looked for")
        free, A, low = self._program(kept)
        shares = kept.astype(float)
        if len(free):
            solution = linprog(self.cost[free], A_ub=-A, b_ub=-low, bounds=(0, 1), method="highs")
            if solution.x is None:
                raise NumericalDoubt("no pattern of suppressions was found, though there is one; use a coarser unit.")
            shares[free] = np.clip(solution.x, 0, 1)
        return shares

    # --- the attacker -----------------------------------------------------------------------------------------

    def _limits(self, figure: int, sign: int) -> np.ndarray:
        """What each hidden figure adds to how far another can go up (or down); for the pattern in hand this is sharp."""
        cost = np.zeros(len(self.cost))
        cost[figure] = -sign
        self._model.changeColsCost(len(cost), self._columns, cost)
        if solved(self._model) != "optimal":
            self._model.clearSolver()
            if solved(self._model) != "optimal":
                raise NumericalDoubt("the interval of a sensitive figure could not be computed; use a coarser unit.")
        dual = np.rint(np.array(self._model.getSolution().row_dual) * DENOMINATOR).astype(np.int64)
        gain = self._transposed @ dual
        gain[figure] += sign * DENOMINATOR
        return np.maximum(gain, 0) * self.room.up + np.maximum(-gain, 0) * self.room.down

    def attack(self, shares: np.ndarray, *, every: bool) -> int:
        """Look for sensitive figures that a pattern leaves too narrow, and add what they want; how many were there?

        Those that were too narrow before are looked at first, and the others only where these have what they want, or
        where `every` one is asked for.
        """
        narrow = self._attack_some(shares, lambda which: every or which in self._lately)
        return narrow if every or narrow else self._attack_some(shares, lambda which: which not in self._lately)

    def _attack_some(self, shares: np.ndarray, chosen: Callable[[tuple[int, int]], bool]) -> int:
        """Look at some sensitive figures, each before every attacker: (attacker, figure)."""
        narrow = 0
        for attacker, own in enumerate(self.known):
            if attacker and not shares[own].any():
                continue  # she sees what an outsider sees
            wishes = [wish for wish in self._each() if wish[0] not in own and chosen((attacker, wish[0]))]
            if not wishes:
                continue
            strange = np.ones(len(shares))
            strange[own] = 0
            visible = shares * strange
            self._model.changeColsBounds(len(shares), self._columns, -self.room.down * visible, self.room.up * visible)
            short = [wish[0] for wish in wishes if self._condition(wish, visible, strange)]
            self._lately.update((attacker, figure) for figure in short)
            narrow += len(short)
        return narrow

    def _condition(self, wish: tuple[int, int, int, int], visible: np.ndarray, strange: np.ndarray) -> bool:
        """Add what a sensitive figure wants before an attacker; did it want anything?"""
        check_time("a pattern of suppressions was looked for")
        figure, below, above, width = wish
        over, under = self._limits(figure, 1) * strange, self._limits(figure, -1) * strange
        before = len(self._wanted)
        for coefficients, wanted in ((over, above), (under, below), (over + under, width)):
            if coefficients @ visible < wanted * DENOMINATOR * (1 - _CLEAR):
                some = np.flatnonzero(coefficients)
                self._add(some, coefficients[some].astype(np.int64), wanted * DENOMINATOR)
        return len(self._wanted) > before

    def _each(self) -> list[tuple[int, int, int, int]]:
        """The sensitive figures that want something: each with how far below and above, and how wide."""
        one = self.sensitive
        parts = (one.figures, one.below, one.above, one.width)
        return [wish for wish in zip(*(part.tolist() for part in parts), strict=True) if any(wish[1:])]

    def one_more(self, hidden: np.ndarray) -> None:
        """Rule out a pattern and every part of it: one more figure must be hidden."""
        others = np.flatnonzero(self.open & ~hidden)
        self._add(others, np.ones(len(others), dtype=np.int64), 1)
