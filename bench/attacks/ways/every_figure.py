"""The benchmark: every distinct table that the rules allow, asked once. No noise is seen twice."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from ..knowledge.evidence import Evidence
from ..knowledge.outside import Ask
from .attack import OfFigures, most_dims, once, others

ONCE = "every distinct figure, once"
APART = "... as if each were a draw of its own"


class EveryFigure(OfFigures):
    """No attack: what all answers together are bound to tell."""

    words = "all tables that the rules allow, in one form each"

    def __init__(self, name: str = ONCE) -> None:
        self.name = name

    def requests(self, evidence: Evidence) -> Iterator[Ask]:
        """All dims and levels, all filters."""
        return once(self._plan(evidence), evidence.world)

    def _plan(self, evidence: Evidence) -> Iterator[Ask]:
        world = evidence.world
        frame = world.frame
        ways = [[None, dim, *(level for level in frame.levels if frame.dim_of(level) == dim)] for dim in frame.dims]
        for names in product(*ways):
            dims = tuple(name for name in names if name is not None)
            if not 0 < len(dims) <= most_dims(world):
                continue
            yield Ask(dims)
            for number in range(1, (world.rules.max_filters or 0) + 1):
                for filtered in combinations(others(world, dims), number):
                    for chosen in product(
                        *(self._sets(world.rules.max_labels, frame.labels(name)) for name in filtered)
                    ):
                        yield Ask(dims, tuple(zip(filtered, chosen, strict=True)))

    @staticmethod
    def _sets(most: int | None, labels: tuple[str, ...]) -> list[tuple[str, ...]]:
        """The sets of labels that a filter may name."""
        largest = min(len(labels) - 1, most or len(labels))
        return [chosen for size in range(1, largest + 1) for chosen in combinations(labels, size)]
