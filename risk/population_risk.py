"""R1 and R2 of a sample table over the populations that may stand behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..posterior.populations.sample_table import SampleTable
from .entropy_of_tables import compared
from .table_arrays.table_shapes import arranged
from .table_arrays.weighting import together
from .whole_table import TERMS, concentration, terms_given

MEASURES = ("r1", "r2", "zeros")
"""What is kept of every population: its risk, that of the sample given it, and how many of its cells are empty."""


def measure_populations(sample: SampleTable, weights: Any) -> Callable[[np.ndarray], np.ndarray]:
    """A function of populations [draw, cell] that gives their measures, [draw, measure]."""

    combine = together(weights, TERMS)

    def measured(populations: np.ndarray) -> np.ndarray:
        tables = arranged(populations, sample.counts, stacked=True)
        comparison = compared(tables)
        given_sample = terms_given(comparison, tables.cells)
        whole = comparison.zeros / tables.cells, concentration(comparison.entropy, tables.cells), given_sample[-1]
        return np.stack([combine(whole), combine(given_sample), comparison.zeros], axis=1)

    return measured
