"""Populations that may stand behind a sample table, drawn in bulk.

A model of the population takes a sample and gives `Populations`: tables F that contain the sample, drawn from what the model
says of the people outside it, given what is known of them (`sample.outside_facts`). A new model is a frozen class with
`name`, `words` and `given(sample)`; where its draws are independent of each other, `given` returns `Independent` with a
function that draws the people outside the sample.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from ...base.progress import Progress
from .sample_table import SampleTable

PORTION = 500_000
"""Numbers that a portion of drawn tables holds: what is not asked to be kept never takes more memory than some of these."""
MOST_TOGETHER = 20 * PORTION

Each = Callable[[np.ndarray], np.ndarray]
"""What is made of each portion: tables [draw, cell] -> something [draw, ...]."""
Outside = Callable[[int, np.random.Generator], np.ndarray]
"""(how many, random numbers) -> counts of the people outside the sample, [draw, cell]."""


@dataclass(frozen=True)
class Drawing:
    """How many populations are drawn, and from which seed."""

    draws: int
    seed: int | None
    chains: int = 4
    """Of models that need chains; the draws are shared among them."""
    progress: Progress | None = None


@dataclass(frozen=True, eq=False)
class Drawn:
    """What was made of the drawn tables, [chain, draw, ...], and how they were drawn, in words and figures."""

    values: np.ndarray
    facts: Mapping[str, Any] = field(default_factory=dict)


class Populations(Protocol):
    """The populations that a model holds for possible, given a sample."""

    def each(self, function: Each, how: Drawing) -> Drawn:
        """Draw populations and keep what the function makes of them."""
        ...


class PopulationModel(Protocol):
    """What is believed of the people outside a sample."""

    @property
    def name(self) -> str:
        """One or two words."""
        ...

    @property
    def words(self) -> str:
        """What is assumed, as half a sentence."""
        ...

    def given(self, sample: SampleTable) -> Populations:
        """The populations behind a sample."""
        ...


@dataclass(frozen=True, eq=False)
class Independent:
    """Populations that are drawn independently of each other: the sample, and people outside it."""

    sample: SampleTable
    outside: Outside
    facts: Mapping[str, Any] = field(default_factory=dict)
    together: int = 1
    """So many populations are drawn at a time, if they are not too large: where fewer would take longer."""

    def each(self, function: Each, how: Drawing) -> Drawn:
        """Portion by portion, each with random numbers of its own, so that threads do not change the result."""
        cells = len(self.sample.counts)
        most = max(1, PORTION // cells, min(self.together, MOST_TOGETHER // cells))
        sizes = [min(most, how.draws - first) for first in range(0, how.draws, most)]
        streams = np.random.SeedSequence(how.seed).spawn(len(sizes))

        def portion(size: int, stream: np.random.SeedSequence) -> np.ndarray:
            return function(self.outside(size, np.random.default_rng(stream)) + self.sample.counts)

        if len(sizes) == 1:
            return Drawn(portion(sizes[0], streams[0])[None], self.facts)
        portions = []
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            for values in threads.map(portion, sizes, streams):
                portions.append(values)
                if how.progress is not None:
                    how.progress(f"{sum(map(len, portions)):,} of {how.draws:,} populations")
        return Drawn(np.concatenate(portions)[None], self.facts)
