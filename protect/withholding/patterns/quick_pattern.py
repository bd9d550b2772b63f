"""A pattern of suppressions that protects, found quickly: cheap ways for one sensitive figure after the other, then pruned.

Every demand (a sensitive figure, so far up or down, before an attacker) keeps a way in whole numbers that proves it. What
no way needs is given back, the most expensive first; a figure that some ways need is given back if they find others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ....base.interruption import check_time
from ....base.progress import Progress
from .narrowing import Narrowing, Needed
from .ways import Room, Way, Ways


class Demand(NamedTuple):
    """A sensitive figure must be able to be so much more (or less) than it is, as an attacker sees it."""

    figure: int
    change: int
    attacker: int = 0
    """0 is an outsider; the others are contributors, who know their own figures."""


class Patterns:
    """Patterns and the ways that prove them."""

    def __init__(
        self, room: Room, cost: np.ndarray, may_be_withheld: np.ndarray, known: Sequence[np.ndarray], tell: Progress
    ) -> None:
        self.cost, self.open, self.known, self.tell = cost, may_be_withheld, known, tell
        self._price = cost
        self._ways = Ways(room)
        self._narrowing = Narrowing(self._ways.by_row, room.down, room.up)
        self._needed = Needed.of((), len(cost))
        self.proof: dict[Demand, Way] = {}
        self._served: defaultdict[Way, set[Demand]] = defaultdict(set)
        self._through: defaultdict[int, set[Way]] = defaultdict(set)
        """The ways through each figure: these are long, and each serves many demands."""

    def protect(self, hidden: np.ndarray, demands: Sequence[Demand]) -> Demand | None:
        """Withhold more until every demand is met; the first that cannot be met whatever is withheld, None if all are.

        Demands are met largest first, as their ways serve smaller ones.
        """
        order = sorted(demands, key=_largest_first)
        unmet = _by_figure(demands)
        self._needed = Needed.of(((one.figure, one.change) for one in demands), len(hidden))
        for done, demand in enumerate(order):
            if demand in unmet[demand.figure] and not self._still_proven(demand, hidden):
                way = self._way(demand, hidden, self.open, thorough=True)
                if way is None:
                    return demand
                for met, its in self._met_by(way, unmet):
                    self._keep(met, its)
                    unmet[met.figure].discard(met)
                hidden[way.figures] = True
            check_time("a pattern of suppressions was looked for")
            if done % 100 == 99:
                self.tell(f"{done + 1:,} of {len(order):,} demands are met; {int(hidden.sum()):,} figures are withheld")
        return None

    def shaken(
        self, hidden: np.ndarray, forced: np.ndarray, demands: Sequence[Demand], random: Any
    ) -> np.ndarray | None:
        """Another pattern that protects: what protects others around a figure is given back, and looked for anew.

        None where that finds no pattern.
        """
        other = hidden.copy()
        extra = np.flatnonzero(other & ~forced)
        if not len(extra):
            return None
        near = self._ways.around(int(random.choice(extra)), hidden | self.open)
        other[near] = forced[near]
        self._price = np.maximum(self.cost * random.uniform(0.5, 1.5, len(self.cost)), 1)
        unmet = self.protect(other, demands)
        self._price = self.cost
        if unmet is not None:
            return None
        touched = other & ~hidden
        touched[near] = True
        self.prune(other, forced | ~touched)
        return other

    def other_way(self, demand: Demand, hidden: np.ndarray, random: Any) -> Way | None:
        """Another way for a demand: at random prices, at which withheld figures are not for free."""
        price = np.maximum(self.cost * random.uniform(0.5, 1.5, len(self.cost)), 1)
        nothing = np.zeros(len(hidden), dtype=bool)
        return self._ways.cheapest(demand.figure, demand.change, price, nothing, hidden | self.open)

    def prune(self, hidden: np.ndarray, kept: np.ndarray, *, thorough: bool = False) -> None:
        """Give figures back that are not needed and need not be kept, the most expensive first.

        Where that is `thorough`, also those whose demands have other ways that are hard to find.
        """
        extra = np.flatnonzero(hidden & ~kept)
        for done, figure in enumerate(extra[np.argsort(-self.cost[extra], kind="stable")].tolist()):
            others = self._ways_without(figure, hidden, thorough)
            if others is not None:  # whenever this is interrupted, the pattern protects
                for demand, way in others.items():
                    self._keep(demand, way)
                hidden[figure] = False
            check_time("a pattern of suppressions was looked for")
            if done % 100 == 99:
                self.tell(
                    f"{done + 1:,} of {len(extra):,} withheld figures are looked at, whether they can be given back"
                )

    def _ways_without(self, figure: int, hidden: np.ndarray, thorough: bool) -> dict[Demand, Way] | None:
        """Other ways for all demands that need a figure; None where one of them has no other."""
        if self._narrowing.stuck(figure, hidden, self._needed):
            return None
        without, nothing = hidden.copy(), np.zeros(len(hidden), dtype=bool)
        without[figure] = False
        others: dict[Demand, Way] = {}
        order = sorted(set().union(*(self._served[way] for way in self._through[figure])), key=_largest_first)
        unmet = _by_figure(order)
        for demand in order:
            if demand in others:
                continue
            way = self._way(demand, without, nothing, thorough=thorough)
            if way is None:
                return None
            others.update(self._met_by(way, unmet))
        return others

    def _met_by(self, way: Way, unmet: Mapping[int, Collection[Demand]]) -> list[tuple[Demand, Way]]:
        """The demands that a way meets, or that it meets backwards, and the way for each: a long one is one for many."""
        back = Way(way.figures, -way.changes)
        found = []
        for one in (way, back) if self._ways.possible(back) else (way,):
            for figure, change in zip(one.figures.tolist(), one.changes.tolist(), strict=True):
                for demand in unmet.get(figure, ()):
                    if change / demand.change >= 1 and not np.isin(one.figures, self.known[demand.attacker]).any():
                        found.append((demand, one))
        return found

    def _way(self, demand: Demand, hidden: np.ndarray, open_too: np.ndarray, *, thorough: bool) -> Way | None:
        """A way that meets a demand. What the attacker knows does not change in it."""
        own = self.known[demand.attacker]
        if len(own):
            hidden, open_too = hidden.copy(), open_too.copy()
            hidden[own] = open_too[own] = False
        return self._ways.cheapest(demand.figure, demand.change, self._price, hidden, open_too, thorough=thorough)

    def _still_proven(self, demand: Demand, hidden: np.ndarray) -> bool:
        """Is there a way already, perhaps that of the same demand before an outsider?"""
        for same in (demand, demand._replace(attacker=0)):
            way = self.proof.get(same)
            if way is None or not hidden[way.figures].all():
                continue
            if not np.isin(way.figures, self.known[demand.attacker]).any():
                self._keep(demand, way)
                return True
        return False

    def _keep(self, demand: Demand, way: Way) -> None:
        before = self.proof.get(demand)
        if before is not None:
            self._served[before].discard(demand)
            if not self._served[before]:
                del self._served[before]
                for figure in before.figures.tolist():
                    self._through[figure].discard(before)
        if way not in self._served:
            for figure in way.figures.tolist():
                self._through[figure].add(way)
        self.proof[demand] = way
        self._served[way].add(demand)


def _largest_first(demand: Demand) -> tuple[int, Demand]:
    return -abs(demand.change), demand


def _by_figure(demands: Iterable[Demand]) -> dict[int, set[Demand]]:
    """The demands of each figure."""
    found: defaultdict[int, set[Demand]] = defaultdict(set)
    for demand in demands:
        found[demand.figure].add(demand)
    return dict(found)
