"""What a pattern of suppressions has to do: what it protects, from whom, what withholding costs, and what decides ties."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....base.saved_forms import saved
from .quick_pattern import Demand
from .ways import Room

FINE, MOST_COST = 4096, 10**10
"""Steps by which a seed tells equally cheap figures apart, and what all costs come to then; beyond it steps are fewer."""


@saved("Sensitive")
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
