"""What an attacker has seen so far, figure by figure: which people it is about, and which draws of it came back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from .outside import Ask, Seen
from .population import Box
from .world import OF_TABLES, World


@dataclass(frozen=True, eq=False)
class Figure:
    """What is known of the number of people in a group from the figures that were published of it."""

    box: Box
    lower: int
    upper: int
    first: int
    """The count that `logs` begins with."""
    logs: np.ndarray
    """log P(what was published | count)."""
    published: int | None
    """The figure, where the group has a single one; None: it was drawn several times."""


@dataclass(eq=False)
class Evidence:
    """All answers."""

    world: World
    answers: list[Seen] = field(default_factory=list)
    draws: dict[Box, list[int]] = field(default_factory=dict)
    """Of every group the figures that came back for it, from tables of different people in different cells."""
    told: dict[Box, tuple[int, int]] = field(default_factory=dict)
    """What was learned of groups in another way than from their figures: the least and the largest count."""
    contradictions: int = 0
    """Figures that cannot be, if the server does as its code says."""
    of: dict[Ask, Seen] = field(default_factory=dict)
    """The answers by their requests."""
    _tables: set[frozenset[Box]] = field(default_factory=set)

    def add(self, seen: Seen) -> list[tuple[Box, int]]:
        """Take an answer in; its figures."""
        self.answers.append(seen)
        self.of[seen.ask] = seen
        if not seen.released:
            return []
        boxes = list(seen.boxes(self.world.frame))
        table = frozenset(box for box, _ in boxes)
        if self._only_sums(seen) or (self.world.draws == OF_TABLES and table in self._tables):
            return boxes
        self._tables.add(table)
        for box, figure in boxes:
            self.draws.setdefault(box, []).append(figure)
        return boxes

    def _only_sums(self, seen: Seen) -> bool:
        """Is the table made by adding up figures of others?"""
        if self.world.sums_of is None:
            return False
        dim_of = self.world.frame.dim_of
        shown = {dim_of(name) for name in seen.ask.dims}
        filters = {dim_of(name): labels for name, labels in seen.ask.filters}
        several = any(len(labels) > 1 and dim not in shown for dim, labels in filters.items())
        return several and len(shown | set(filters)) <= self.world.sums_of

    def tell(self, box: Box, lower: int, upper: int) -> None:
        """Note what was learned of a group in another way."""
        before = self.told.get(box, (0, self.world.people * 2))
        self.told[box] = max(before[0], lower), min(before[1], upper)

    def figures(self, first_only: bool = False) -> list[Figure]:
        """All figures; or each as it was seen first, and nothing that was told besides."""
        self.contradictions = 0
        found = [self._figure(box, draws[:1] if first_only else draws) for box, draws in self.draws.items()]
        if first_only:
            return found
        without = [box for box in self.told if box not in self.draws]
        return [*(self._with_told(figure, self.told) for figure in found), *map(self._told, without)]

    def _figure(self, box: Box, draws: list[int]) -> Figure:
        law, world = self.world.law, self.world
        distinct = set(draws)
        if world.consistent and len(distinct) > 1:
            if world.empties_redrawn:  # only where nobody is does the code draw anew
                return Figure(box, 0, 0, 0, np.zeros(1), None)
            self.contradictions += 1
        used = draws[:1] if world.consistent and len(distinct) == 1 else draws
        windows = [law.logs(figure) for figure in used]
        first = max(window[0] for window in windows)
        last = min(window[0] + len(window[1]) for window in windows)
        if last <= first:
            self.contradictions += 1
            return Figure(box, 0, 2 * world.people, 0, np.zeros(1), None)
        logs = sum(window[1][first - window[0] : last - window[0]] for window in windows)
        fits = np.flatnonzero(np.isfinite(logs))
        if not len(fits):
            self.contradictions += 1
            return Figure(box, 0, 2 * world.people, 0, np.zeros(1), None)
        lower, upper = first + int(fits[0]), first + int(fits[-1])
        published = used[0] if len(used) == 1 else None
        return Figure(box, lower, upper, lower, np.asarray(logs)[fits[0] : fits[-1] + 1], published)

    def _told(self, box: Box) -> Figure:
        """What was learned of a group that no table showed."""
        lower, upper = self.told[box]
        return Figure(box, lower, upper, lower, np.zeros(upper - lower + 1), None)

    @staticmethod
    def _with_told(figure: Figure, told: Mapping[Box, tuple[int, int]]) -> Figure:
        if figure.box not in told:
            return figure
        lower = max(figure.lower, told[figure.box][0])
        upper = min(figure.upper, told[figure.box][1])
        if lower > upper:
            return figure
        logs = figure.logs[lower - figure.first : upper + 1 - figure.first] if len(figure.logs) > 1 else figure.logs
        return Figure(figure.box, lower, upper, lower, logs, figure.published)
