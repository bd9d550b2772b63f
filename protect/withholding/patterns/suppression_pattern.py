"""The cheapest set of figures to withhold so that every sensitive one keeps a wanted interval.

A pattern that protects is found quickly first (`quick_pattern`). Then an integer program and an attacker take turns
(Fischetti and Salazar-González 2000, a Benders decomposition): the program proposes the cheapest pattern that meets all
conditions so far, and the attacker adds a condition where it leaves too narrow an interval (`suppression_conditions`). A
proposal that passes is the cheapest there is. Where only whole numbers make an interval too narrow, no part of the pattern
will do, and one more figure must be withheld.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....base.errors import TimeUp
from ....base.interruption import INTERRUPTED, TIME_UP
from ....base.progress import Progress
from .quick_pattern import Demand, Patterns
from .suppression_conditions import CLOSE, Conditions
from .suppression_task import Task

MOST_ATTACKS = 6_000_000
"""Figures times demands: above this the pattern that was found quickly is not improved."""
PATIENCE, LEAST_PATIENCE = 2_000, 3
"""Rounds in vain times figures after which there are no more, and the fewest rounds for that."""
FRACTIONS = 4
"""Times as many rounds with figures that are withheld in part: these are quick."""
TO_THE_END = 60
"""Figures that may be withheld, up to which the search goes on until the seed alone decides among the cheapest patterns."""


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
    """At the end, look thoroughly for figures that can be given back, unless there are too many for that."""
    if found.proven or len(demands) * len(found.hidden) > MOST_ATTACKS:
        return
    other = found.hidden.copy()
    if patterns.protect(other, demands) is not None:  # ways are looked for with limits, and one may not be found again
        return
    patterns.prune(other, task.forced, thorough=True)
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
    conditions, cost, forced = Conditions(task), task.cost, task.forced
    for done in range(FRACTIONS * rounds):
        if found.proven:
            return
        share = conditions.relaxed(forced)
        found.at_least = max(found.at_least, int(np.ceil(cost @ share - CLOSE)))
        narrow = conditions.attack(share, every=False)
        words = f"{narrow} intervals are too narrow" if narrow else "no interval is too narrow"
        tell(f"round {done + 1} in fractions: the least cost is at least {found.at_least // task.unit:,}; {words}")
        if not narrow:
            break
    in_vain = 0
    for done in range(rounds):
        if found.proven or in_vain == max(LEAST_PATIENCE, PATIENCE // len(cost)):
            return
        before = found.at_least, found.total
        hidden, optimal = conditions.proposal(forced)
        if optimal:
            found.at_least = max(found.at_least, int(cost[hidden].sum()))
        tell(f"round {done + 1}: the least cost is at least {found.at_least // task.unit:,}")
        short = bool(conditions.attack(hidden.astype(float), every=True))
        if not short and len(task.too_narrow(hidden)):
            conditions.one_more(hidden)
            short = True
        protects = not short or patterns.protect(hidden, demands) is None
        if short and protects:
            patterns.prune(hidden, forced)
        if protects and cost[hidden].sum() < found.total:
            found.hidden, found.total = hidden, int(cost[hidden].sum())
            tell(f"round {done + 1}: a pattern of cost {found.total // task.unit:,} protects")
        in_vain = in_vain + 1 if (found.at_least, found.total) == before else 0
