"""The cheapest set of figures to withhold so that every sensitive one keeps a wanted interval.

A pattern that protects is found quickly first (`quick_pattern`). Then an integer program and an attacker take turns
(Fischetti and Salazar-González 2000, a Benders decomposition). The program proposes the cheapest pattern that meets all
conditions so far; linear programs find the interval that the pattern leaves to every sensitive figure; and where it is too
narrow, their dual says what any pattern must withhold to make it wider, a new condition (a cut) on the next proposal. A
proposal that passes is the cheapest there is. Where only whole numbers make an interval too narrow, no part of the pattern
will do, and one more figure must be withheld.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.errors import NumericalDoubt, TimeUp
from ...base.interruption import INTERRUPTED, TIME_UP, check_time
from ...base.progress import Progress
from ...fiber.solvers.integer_program import least_cost
from ...fiber.solvers.simplex import solved, warm_model
from .quick_pattern import Demand, Patterns
from .ways import Room

MOST_NODES = 2000
"""Nodes of the branch and bound for one proposal."""
MOST_ATTACKS = 6_000_000
"""Figures times demands: above this the pattern that was found quickly is not improved."""
PATIENCE, LEAST_PATIENCE = 2_000, 3
"""Rounds in vain times figures after which there are no more, and the fewest rounds for that."""
FRACTIONS = 4
"""Times as many rounds with figures that are withheld in part: these are quick."""
LONGEST = 100
"""Sums of more figures say too little about single ones to be worth a condition for each."""
DENOMINATOR = 2520
"""Duals of tables are mostly fractions of small numbers. Rounded ones give true conditions, too."""
FINE, MOST_COST = 4096, 10**10
"""Steps by which a seed tells equally cheap figures apart, and what all costs come to then; beyond it steps are fewer."""
TO_THE_END = 60
"""Figures that may be withheld, up to which the search goes on until the seed alone decides among the cheapest patterns."""
_CLOSE, _CLEAR = 1e-6, 1e-4
"""Differences that the solvers do not see, and those that they surely do."""


@dataclass(frozen=True, eq=False)
class Sensitive:
    """The figures that must keep an interval: how far each must reach below and above its true value, and how wide."""

    figures: np.ndarray
    below: np.ndarray
    above: np.ndarray
    width: np.ndarray

    def __len__(self) -> int:
        return len(self.figures)

    def wide_enough(self, lower: np.ndarray, upper: np.ndarray, truth: np.ndarray) -> np.ndarray:
        """Which of them have what they want, by the least and the greatest value of each."""
        true = truth[self.figures]
        wide = (lower <= true - self.below) & (upper >= true + self.above) & (upper - lower >= self.width)
        return np.asarray(wide)


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be protected, from whom, and what it costs."""

    room: Room
    sensitive: Sensitive
    forced: np.ndarray
    """Figures that are withheld in every pattern, the sensitive ones among them."""
    open: np.ndarray
    """Figures that may be withheld to protect others."""
    cost: np.ndarray
    """Whole numbers, at least 1 where it is open."""
    known: Sequence[np.ndarray]
    """The figures that each attacker knows by herself; the first attacker is an outsider, who knows none."""
    reach: Callable[[int], np.ndarray]
    """How far above its true value each sensitive figure can be before an attacker, where everything is withheld that may
    be. What is impossible even then is refused."""
    too_narrow: Callable[[np.ndarray], np.ndarray]
    """The last word: which sensitive figures a pattern leaves too narrow an interval, in whole numbers."""
    unit: int = 1
    """Costs that differ by less than this are the same to whoever pays them; a seed tells these patterns apart."""

    def with_ties_broken(self, seed: int) -> Task:
        """The same with costs to which a seed adds less than a unit in all: it decides among equally cheap patterns.

        Otherwise the solver would, always in the same way, and the pattern would tell of the table to whoever runs it too.
        """
        fine = self.fine
        if fine < 2:
            return self
        unit = fine * int((self.open & ~self.forced).sum())
        return replace(self, cost=self.cost * unit + self.dear(by_chance(seed, len(self.cost))), unit=unit)

    @property
    def fine(self) -> int:
        """In how many steps a seed tells equally cheap figures apart."""
        open_ones = int((self.open & ~self.forced).sum())
        return min(FINE, MOST_COST // max(int(self.cost[self.open | self.forced].sum()) * open_ones, 1))

    def dear(self, chance: np.ndarray) -> np.ndarray:
        """What seeds add to the cost of every figure, in steps, from a number between 0 and 1 for each."""
        return np.asarray(np.where(self.open & ~self.forced, (chance * self.fine).astype(np.int64), 0))

    def demands(self, reach: Mapping[int, np.ndarray]) -> list[Demand]:
        """What is wanted of every sensitive figure before every attacker.

        Where a figure may be wide on either side, as much as possible is above: as far as it reaches, where that is known.
        """
        one, found = self.sensitive, []
        for attacker, own in enumerate(self.known):
            far = reach.get(attacker, self.room.up[one.figures])
            up = np.maximum(one.above, np.minimum(one.width - one.below, far))
            down = np.maximum(one.below, one.width - up)
            for figure, over, under in zip(one.figures.tolist(), up.tolist(), down.tolist(), strict=True):
                if figure not in own:
                    found += [Demand(figure, change, attacker) for change in (over, -under) if change]
        return found


def by_chance(seed: int, figures: int) -> np.ndarray:
    """A number between 0 and 1 for each figure."""
    return np.random.default_rng([seed, 1]).random(figures)


@dataclass(frozen=True, eq=False)
class Pattern:
    """Which figures to withhold; is that proven to be the cheapest, what does it cost, and what does any at least?"""

    hidden: np.ndarray
    proven: bool
    cost: int
    at_least: int
    unmet: Demand | None = None
    """A demand that cannot be met, whatever is withheld: there is no pattern."""
    stopped: str = ""
    """Why the search ended before it was done."""
    settled: bool = False
    """Is it proven that the seed alone decided among the cheapest?"""


def cheapest_pattern(task: Task, *, rounds: int, seed: int, tell: Progress) -> Pattern:
    """The cheapest pattern that protects, or after so many rounds the best so far, proven to be the cheapest or not."""
    at_least, stopped = int(task.cost[task.forced].sum()), ""
    reach: dict[int, np.ndarray] = {}
    while True:
        patterns, demands, best = (
            Patterns(task.room, task.cost, task.open, task.known, tell),
            task.demands(reach),
            task.forced.copy(),
        )
        unmet = patterns.protect(best, demands)
        if unmet is None:
            break
        if unmet.attacker in reach:
            return Pattern(best, False, 0, 0, unmet)
        reach[unmet.attacker] = task.reach(unmet.attacker)
    unit = 1 if task.open.sum() <= TO_THE_END else task.unit
    found = _Found(best, int(task.cost[best].sum()), at_least, unit)
    try:
        patterns.prune(best, task.forced)
        found.total = int(task.cost[best].sum())
        if len(demands) * len(best) <= MOST_ATTACKS:
            _improve(task, patterns, demands, found, rounds, tell)
        _shake(task, patterns, demands, found, rounds, np.random.default_rng(seed), tell)
        _give_back(task, patterns, demands, found)
    except (TimeUp, KeyboardInterrupt) as problem:
        stopped = TIME_UP if isinstance(problem, TimeUp) else INTERRUPTED
    # whatever the seed adds to a pattern is below a unit, so that both are whole units rounded down
    total, at_least = int(task.cost[found.hidden].sum()) // task.unit, found.at_least // task.unit
    settled = task.unit > 1 and int(task.cost[found.hidden].sum()) <= found.at_least
    return Pattern(found.hidden, total <= at_least, total, min(at_least, total), stopped=stopped, settled=settled)


@dataclass
class _Found:
    """The best pattern so far, what it costs, and what any costs at least."""

    hidden: np.ndarray
    total: int
    at_least: int
    unit: int = 1
    """A difference below this is not worth looking for."""

    @property
    def proven(self) -> bool:
        return self.total // self.unit <= self.at_least // self.unit


def _give_back(task: Task, patterns: Patterns, demands: Sequence[Demand], found: _Found) -> None:
    """At the end, look thoroughly for figures that can be given back."""
    if found.proven:
        return
    other = found.hidden.copy()
    if patterns.protect(other, demands) is not None:  # ways are looked for with limits, and one may not be found again
        return
    patterns.prune(other, task.forced, thorough=len(demands) * len(other) <= MOST_ATTACKS)
    total = int(task.cost[other].sum())
    if total < found.total:
        found.hidden, found.total = other, total


def _shake(
    task: Task, patterns: Patterns, demands: Sequence[Demand], found: _Found, times: int, random: Any, tell: Progress
) -> None:
    """Look for cheaper patterns near the one that was found."""
    for done in range(times):
        if found.proven:
            return
        other = patterns.shaken(found.hidden, task.forced, demands, random)
        if other is None:
            continue
        total = int(task.cost[other].sum())
        if total < found.total:
            tell(f"attempt {done + 1:,} of {times:,}: a pattern of cost {total // task.unit:,} protects")
        if total <= found.total:
            found.hidden, found.total = other, total


def _improve(
    task: Task, patterns: Patterns, demands: Sequence[Demand], found: _Found, rounds: int, tell: Progress
) -> None:
    """Look for cheaper patterns, until none can be, or for so many rounds."""
    search, cost, forced = _Search(task), task.cost, task.forced
    for done in range(FRACTIONS * rounds):
        if found.proven:
            return
        share = search.relaxed(forced)
        found.at_least = max(found.at_least, int(np.ceil(cost @ share - _CLOSE)))
        narrow = search.conditions(share, every=False)
        words = f"{narrow} intervals are too narrow" if narrow else "no interval is too narrow"
        tell(f"round {done + 1} in fractions: the least cost is at least {found.at_least // task.unit:,}; {words}")
        if not narrow:
            break
    in_vain = 0
    for done in range(rounds):
        if found.proven or in_vain == max(LEAST_PATIENCE, PATIENCE // len(cost)):
            return
        before = found.at_least, found.total
        hidden, optimal = search.proposal(forced)
        if optimal:
            found.at_least = max(found.at_least, int(cost[hidden].sum()))
        tell(f"round {done + 1}: the least cost is at least {found.at_least // task.unit:,}")
        short = bool(search.conditions(hidden.astype(float), every=True))
        if not short and len(task.too_narrow(hidden)):
            search.one_more(hidden)
            short = True
        protects = not short or patterns.protect(hidden, demands) is None
        if short and protects:
            patterns.prune(hidden, forced)
        if protects and cost[hidden].sum() < found.total:
            found.hidden, found.total = hidden, int(cost[hidden].sum())
            tell(f"round {done + 1}: a pattern of cost {found.total // task.unit:,} protects")
        in_vain = in_vain + 1 if (found.at_least, found.total) == before else 0


class _Search:
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
            self.cost[free], A, low - _CLOSE, np.full(len(low), np.inf), np.ones(len(free)), nodes=MOST_NODES
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

    def conditions(self, shares: np.ndarray, *, every: bool) -> int:
        """Look for sensitive figures that a pattern leaves too narrow, and add what they want; how many were there?

        Those that were too narrow before are looked at first, and the others only where these have what they want, or
        where `every` one is asked for.
        """
        narrow = self._attacks(shares, lambda which: every or which in self._lately)
        return narrow if every or narrow else self._attacks(shares, lambda which: which not in self._lately)

    def _attacks(self, shares: np.ndarray, chosen: Callable[[tuple[int, int]], bool]) -> int:
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
