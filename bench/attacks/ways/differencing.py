"""Differencing: the table with everybody, and the same without the people of one label, one band, or one class of a band."""

from __future__ import annotations

from collections.abc import Iterator

from ..knowledge.evidence import Evidence
from ..knowledge.outside import Ask
from .attack import OfFigures, once, others, tables


class Differencing(OfFigures):
    """What is left between two answers is a small group."""

    name = "differencing"
    words = (
        "every table with and without the people of one label; where no set of labels can be named, by levels and bands"
    )

    def requests(self, evidence: Evidence) -> Iterator[Ask]:
        """Table by table: all, one label alone, all but that label, the band that it is in."""
        return once(self._plan(evidence), evidence.world)

    def _plan(self, evidence: Evidence) -> Iterator[Ask]:
        world = evidence.world
        for dims in tables(world):
            yield Ask(dims)
            for level, (dim, _) in world.frame.levels.items():
                if dim in dims:
                    yield Ask(tuple(level if name == dim else name for name in dims))
            for name in others(world, dims):
                labels = world.frame.labels(name)
                for label in labels:
                    yield Ask(dims).with_filter(name, label)
                    yield Ask(dims).with_filter(name, *(other for other in labels if other != label))
