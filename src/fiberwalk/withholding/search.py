"""Patterns that reach a target on probabilities: more is withheld where these are too high, and the needless given back.

Withholding more can raise the largest probability, so that no pattern is proven to be the cheapest by this search; what is
claimed is that no single figure can be given back, and in small problems no two, and none can take another's place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..base.errors import TimeUp
from ..base.interruption import INTERRUPTED, TIME_UP
from ..protect.withholding.patterns.quick_pattern import Demand, Patterns
from ..protect.withholding.patterns.suppression_task import Task
from .attempts import Attempts

WAYS = 8
"""Ways that are tried to give the worst figure more room."""
PATIENCE = 5
"""Steps in vain, one after the other, before the search gives up."""
SMALL = 40
"""Figures that may be withheld up to which a problem is small: it is also begun from everything withheld, pairs are given
back, and figures change places."""


class Found(NamedTuple):
    """The cheapest pattern that reaches the target, None if there is none; and why the search ended early."""

    hidden: np.ndarray | None
    thorough: bool
    """Can no two figures be given back, nor one take another's place?"""
    stopped: str = ""


def _far(beyond: np.ndarray) -> float:
    """How far sensitive figures are beyond the target, all together."""
    return float(np.clip(beyond, 0, 10).sum())


@dataclass(eq=False)
class Search:
    """The search for one problem, from a pattern whose intervals are wide enough."""

    task: Task
    attempts: Attempts
    protects: Callable[[np.ndarray], bool]
    """Does a pattern keep the intervals that are wanted?"""
    tell: Callable[[str], None]
    settled: bool = False
    """Is it proven that no other pattern whose intervals are wide enough is as cheap as the first one?"""
    best: np.ndarray | None = None
    """The cheapest pattern so far that reaches the target."""

    def run(self, first: np.ndarray, seed: int) -> Found:
        """The cheapest pattern that was found."""
        random, stopped = np.random.default_rng(seed), ""
        small = int(self.task.open.sum()) <= SMALL
        try:
            for start in self._starts(first, random, small):
                self._note(start)
                if self.settled and (start == first).all():
                    return Found(self.best, small)  # a target only makes it dearer
                self._given_back(start)
            if self.best is not None and small:
                self._exchanged(self.best)
        except (TimeUp, KeyboardInterrupt) as problem:
            stopped = TIME_UP if isinstance(problem, TimeUp) else INTERRUPTED
        return Found(self.best, small and not stopped, stopped)

    def _note(self, pattern: np.ndarray) -> None:
        """Keep a pattern that reaches the target, if none before it is as cheap."""
        if self.best is None or self._cost(pattern) < self._cost(self.best):
            self.best = pattern.copy()
            self.tell(f"a pattern of cost {self._cost(pattern) // self.task.unit:,} reaches the target")

    def _cost(self, hidden: np.ndarray) -> int:
        return int(self.task.cost[hidden].sum())

    def _fine(self, hidden: np.ndarray) -> bool:
        """Does a pattern keep the intervals and reach the target?"""
        return self.protects(hidden) and self.attempts.reached(hidden)

    def _starts(self, first: np.ndarray, random: np.random.Generator, small: bool) -> Iterator[np.ndarray]:
        """Patterns that reach the target: the first one with more withheld, and in small problems everything."""
        pattern = self._widened(first.copy(), random)
        if pattern is not None:
            yield pattern
        everything = self.task.forced | self.task.open
        if (small or pattern is None) and self._fine(everything):
            yield everything
        elif small and pattern is None:
            climbed = self._climbed(everything)
            if climbed is not None:
                yield climbed

    def _widened(self, hidden: np.ndarray, random: np.random.Generator) -> np.ndarray | None:
        """Withhold more around the figure that is known best, again and again; None where that leads nowhere."""
        patterns = Patterns(self.task.room, self.task.cost, self.task.open, self.task.known, lambda line: None)
        in_vain = 0
        while in_vain < PATIENCE:
            beyond = self.attempts.beyond(hidden)
            if (beyond <= 0).all():
                return hidden
            self.tell(f"{int((beyond > 0).sum()):,} sensitive figures are beyond the target; {self._words(hidden)}")
            tried = [hidden | more for more in self._more(patterns, int(beyond.argmax()), hidden, random)]
            if not tried:
                return None
            gains = [_far(beyond) - _far(self.attempts.beyond(one)) for one in tried]
            prices = [max(self._cost(one) - self._cost(hidden), self.task.unit) for one in tried]
            # A step that gains nothing by itself may be half of one that does: the least harmful is taken.
            worth = [gain / price if gain > 0 else gain * price for gain, price in zip(gains, prices, strict=True)]
            best = int(np.argmax(worth))
            in_vain = 0 if gains[best] > 0 else in_vain + 1
            hidden = tried[best]
        return None

    def _climbed(self, hidden: np.ndarray) -> np.ndarray | None:
        """Publish or withhold whichever single figure brings the sensitive ones nearest to the target, again and again."""
        left = self._left(hidden)
        while left > 0:
            near = []
            for figure in np.flatnonzero(self.task.open):
                other = hidden.copy()
                other[figure] = ~other[figure]
                near.append((self._left(other), other))
            least, best = min(near, key=lambda one: one[0])
            if least >= left:
                return None
            left, hidden = least, best
        return hidden

    def _left(self, hidden: np.ndarray) -> float:
        """How far sensitive figures are beyond the target, all together; with intervals too narrow a pattern comes last."""
        return _far(self.attempts.beyond(hidden)) if self.protects(hidden) else np.inf

    def _words(self, hidden: np.ndarray) -> str:
        return f"{int(hidden.sum()):,} figures are withheld"

    def _more(
        self, patterns: Patterns, place: int, hidden: np.ndarray, random: np.random.Generator
    ) -> Iterator[np.ndarray]:
        """Further figures whose withholding gives a sensitive one more room: other ways, by longer and longer steps."""
        room, wanted = self.task.room, self.task.sensitive
        figure, seen = int(wanted.figures[place]), set()
        step = max(int(wanted.below[place]), int(wanted.above[place]), 1)
        for number in range(WAYS):
            sign, far = 1 - 2 * (number % 2), step << (number // 2)
            far = int(min(room.up[figure] if sign > 0 else room.down[figure], far))
            way = patterns.other_way(Demand(figure, sign * far), hidden, random) if far > 0 else None
            more = np.zeros(len(hidden), dtype=bool)
            if way is not None:
                more[way.figures] = True
            more &= ~hidden
            if more.any() and more.tobytes() not in seen:
                seen.add(more.tobytes())
                yield more

    def _given_back(self, hidden: np.ndarray) -> np.ndarray:
        """Give back what is not needed, the most expensive first, until no single figure can be."""
        hidden, again = hidden.copy(), True
        while again:
            again = False
            extra = np.flatnonzero(hidden & ~self.task.forced)
            for figure in extra[np.argsort(-self.task.cost[extra], kind="stable")]:
                hidden[figure] = False
                if self._fine(hidden):
                    again = True
                    self._note(hidden)
                else:
                    hidden[figure] = True
        return hidden

    def _exchanged(self, hidden: np.ndarray) -> None:
        """Give back pairs, and let cheaper figures take the place of others, until nothing is gained."""
        again = True
        while again:
            again = False
            for other in self._neighbours(hidden):
                if self._cost(other) // self.task.unit < self._cost(hidden) // self.task.unit and self._fine(other):
                    self._note(other)
                    hidden, again = self._given_back(other), True
                    break

    def _neighbours(self, hidden: np.ndarray) -> Iterator[np.ndarray]:
        """Patterns with one or two figures fewer, and one more."""
        extra, free = np.flatnonzero(hidden & ~self.task.forced), np.flatnonzero(self.task.open & ~hidden)
        for one in extra:
            for other in free:
                changed = hidden.copy()
                changed[one], changed[other] = False, True
                yield changed
        for pair in combinations(extra, 2):
            changed = hidden.copy()
            changed[list(pair)] = False
            yield changed
            for other in free:
                with_other = changed.copy()
                with_other[other] = True
                yield with_other
