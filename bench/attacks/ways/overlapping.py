"""Overlapping filters: groups of neighbouring labels that begin and end one later than the last, and filters that cross."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from ..knowledge.evidence import Evidence
from ..knowledge.outside import Ask
from .attack import OfFigures, once, others, tables


class Overlapping(OfFigures):
    """Each answer shares most of its people with the next."""

    name = "overlapping filters"
    words = (
        "runs of labels that overlap in all but one, of dims that the table shows or does not; two filters that cross"
    )

    def requests(self, evidence: Evidence) -> Iterator[Ask]:
        """Runs of every length; then pairs of filters."""
        return once(self._plan(evidence), evidence.world)

    def _plan(self, evidence: Evidence) -> Iterator[Ask]:
        world = evidence.world
        runs = {
            name: [labels[i:j] for i, j in combinations(range(len(labels) + 1), 2) if j - i < len(labels)]
            for name in (*world.frame.dims, *world.frame.levels)
            for labels in [world.frame.labels(name)]
        }
        for dims in tables(world):
            free = others(world, dims)
            for name in (*free, *dims):
                for run in runs[name]:
                    yield Ask(dims).with_filter(name, *run)
            for one, two in combinations(free, 2):
                for first in runs[one]:
                    for second in runs[two]:
                        yield Ask(dims).with_filter(one, *first).with_filter(two, *second)
