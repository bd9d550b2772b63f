"""Averaging (Asghar and Kaafar 2020): a random set of labels and its complement add up to the same people, again and again.

Where a group may be asked for by any set of labels, each partition of it is a new estimate of it. Where the noise of a table
follows from all of its people, each choice of the labels that it shows is a new draw.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..knowledge.evidence import Evidence
from ..knowledge.outside import Ask
from .attack import OfFigures, once, others, tables


class Averaging(OfFigures):
    """Noise that is independent from draw to draw averages out."""

    name = "averaging"
    words = (
        "random sets of labels and their complements, of dims that the table does not show and of those that it shows"
    )

    def __init__(self, seed: int = 1) -> None:
        self.seed = seed

    def requests(self, evidence: Evidence) -> Iterator[Ask]:
        """Without an end, unless no set of labels is answered."""
        return once(self._plan(evidence), evidence.world)

    def _plan(self, evidence: Evidence) -> Iterator[Ask]:
        world, random = evidence.world, np.random.default_rng(self.seed)
        spans = list(tables(world, fewest=min(2, len(world.frame.dims))))
        for _ in range(20_000):
            dims = spans[random.integers(len(spans))]
            free = others(world, dims)
            for name in [names[random.integers(len(names))] for names in (free, dims) if names]:
                labels = world.frame.labels(name)
                inside = random.random(len(labels)) < 0.5
                for side in (inside, ~inside):
                    chosen = tuple(label for label, kept in zip(labels, side, strict=True) if kept)
                    if 0 < len(chosen) < len(labels):
                        yield Ask(dims).with_filter(name, *chosen)
