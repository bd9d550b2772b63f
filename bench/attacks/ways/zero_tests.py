"""Zero tests: the same people asked for with a dim more that does not split them, a level of the filter for one.

Where people are published alike however they are asked for, but empty cells are drawn anew for other labels, a cell that
changes is empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from ..knowledge.evidence import Evidence
from ..knowledge.outside import Ask
from .attack import OfFigures, most_dims, once


class ZeroTests(OfFigures):
    """Two requests for the same people, whose empty cells have other names."""

    name = "zero tests"
    words = "tables of one label with and without its level, or a dim of which all of its people have one label"

    def requests(self, evidence: Evidence) -> Iterator[Ask]:
        """By levels, then by dims that do not split, then by both; large tables first."""
        return once(self._plan(evidence), evidence.world)

    def _plan(self, evidence: Evidence) -> Iterator[Ask]:
        world = evidence.world
        frame = world.frame
        for number in range(most_dims(world) - 1, 0, -1):
            for level, (dim, _) in frame.levels.items():
                for dims in combinations([name for name in frame.dims if name != dim], number):
                    for label in frame.dims[dim]:
                        yield Ask(dims).with_filter(dim, label)
                        yield Ask((*dims, level)).with_filter(dim, label)
            for rule in frame.alone:
                free = [name for name in frame.dims if name not in (rule.dim, rule.other)]
                for dims in combinations(free, min(number, len(free))):
                    for label in rule.labels:
                        yield Ask(dims).with_filter(rule.dim, label)
                        yield Ask((*dims, rule.other)).with_filter(rule.dim, label)
