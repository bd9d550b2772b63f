"""The same request in every form: the order of dims, a filter against a dim that is shown, a level against its labels."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from ..knowledge.evidence import Evidence
from ..knowledge.outside import Ask
from .attack import OfFigures, once, others, tables


class Forms(OfFigures):
    """Whatever is published of the same people must be the same, or it is one draw more."""

    name = "the same request in every form"
    words = "dims in another order, a label as a filter or as a part of a table, a level or the set of its labels"

    def requests(self, evidence: Evidence) -> Iterator[Ask]:
        """Table by table in all forms."""
        return once(self._plan(evidence), evidence.world)

    def _plan(self, evidence: Evidence) -> Iterator[Ask]:
        world = evidence.world
        frame = world.frame
        for dims in tables(world):
            for order in list(permutations(dims))[:3]:
                yield Ask(order)
            for name in (*dims, *others(world, dims)):
                rest = tuple(other for other in dims if other != name)
                for label in frame.labels(name):
                    for shown in {dims, rest, (*rest, name)[: len(dims)]}:
                        if shown:
                            yield Ask(shown).with_filter(name, label)
            for level, (dim, groups) in frame.levels.items():
                rest = tuple(name for name in dims if name != dim)
                for group, labels in groups.items():
                    for shown in (rest, (*rest, dim), (*rest, level)):
                        if rest:
                            yield Ask(shown).with_filter(level, group)
                            yield Ask(shown).with_filter(dim, *labels)
