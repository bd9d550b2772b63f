"""R1 and R2 of a sample table over the populations that may stand behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..posterior.sample_table import SampleTable
from .whole_table import r1, r2

MEASURES = ("r1", "r2", "zeros")
"""What is kept of every population: its risk, that of the sample given it, and how many of its cells are empty."""


def measure_populations(sample: SampleTable, weights: Any) -> Callable[[np.ndarray], np.ndarray]:
    """A function of populations [draw, cell] that gives their measures, [draw, measure]."""

    def measured(populations: np.ndarray) -> np.ndarray:
        found = np.empty((len(populations), len(MEASURES)))
        found[:, 0] = r1(populations, weights, stacked=True)
        found[:, 1] = r2(populations, sample.counts, weights, stacked=True)
        found[:, 2] = (populations == 0).sum(axis=1)
        return found

    return measured
