"""A feasible table near a known one, in which a sum has a wanted value.

The corners of a linear program over tables of three or more ways are hardly ever whole numbers, so its optimum is seldom
a table. But the *change* of least size that leads from a known table to the wanted sum is sparse, and mostly made of
whole moves. Where it is not, it is rounded, and the feasible point nearest to the rounded one is looked for, and so on (a
feasibility pump). What is found is checked in whole numbers; what is not found may exist all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from .simplex import solved, warm_model, whole_table

ROUNDS = 20
"""How often a point is rounded and searched from again."""
MOST_STEPS, MOST_WORK = 10_000, 3_000_000
"""The most simplex steps in one search, and the most steps times rows: where more are needed, there is little hope."""
NUDGE = 0.2
"""Fractions are moved by up to this before they are rounded, lest the search goes in circles."""


class NearestTable:
    """The search in one block; the same questions in the same order have the same answers."""

    def __init__(self, A: Any, b: np.ndarray, lower: np.ndarray, upper: np.ndarray):
        self.A, self.b, self.lower, self.upper = A, b, lower, upper
        self.random = np.random.default_rng(0)
        n_rows, n = A.shape
        # The columns are how far each cell goes up, then how far it goes down.
        self._columns, self._rows = np.arange(2 * n, dtype=np.int32), np.arange(n_rows + 1, dtype=np.int32)
        up_and_down = sp.csr_array(sp.hstack([A, -A]))
        self._model = warm_model(up_and_down, np.zeros(n_rows), np.zeros(2 * n), np.ones(2 * n), primal=False)

    def find(
        self,
        base: np.ndarray,
        cells: np.ndarray,
        coefficients: np.ndarray,
        value: int,
        before_each: Callable[[], None] = lambda: None,
    ) -> np.ndarray | None:
        """A table near `base` in which coefficients @ table[cells] is the value, or None.

        What is called before each round may end the search.
        """
        n = len(base)
        where = np.concatenate([cells, cells + n]).astype(np.int32)
        self._model.addRow(0.0, 0.0, len(where), where, np.concatenate([coefficients, -coefficients]).astype(float))
        try:
            steps, most = 0, min(MOST_STEPS, MOST_WORK // len(self._rows))
            for attempt in range(ROUNDS):
                before_each()
                self._model.setOptionValue("simplex_iteration_limit", most - steps)
                costs = 1 + self.random.random(2 * n) if attempt else np.ones(2 * n)
                missing = np.append(self.b - self.A @ base, value - coefficients @ base[cells])
                change = self._change(base, missing.astype(float), costs)
                steps += self._model.getInfo().simplex_iteration_count
                if change is None:
                    return None
                found = whole_table(change, base, self.A, self.b, self.lower, self.upper)
                # Rounding keeps all equations of a table, but maybe not the wanted sum.
                if found is not None and coefficients @ found[cells] == value:
                    return found
                if steps >= most:
                    return None
                fraction = np.abs(change - np.rint(change)) > 1e-6
                nudged = change + fraction * self.random.uniform(-NUDGE, NUDGE, n)
                base = np.clip(base + np.rint(nudged).astype(np.int64), self.lower, self.upper)
            return None
        finally:
            self._model.deleteRows(1, np.array([self.A.shape[0]], dtype=np.int32))

    def _change(self, base: np.ndarray, missing: np.ndarray, costs: np.ndarray) -> np.ndarray | None:
        """The cheapest change of a point, in fractions, that adds what is missing to each sum."""
        n = len(base)
        room = np.concatenate([self.upper - base, base - self.lower]).astype(float)
        self._model.changeColsBounds(2 * n, self._columns, np.zeros(2 * n), room)
        self._model.changeColsCost(2 * n, self._columns, costs)
        self._model.changeRowsBounds(len(missing), self._rows, missing, missing)
        # The way from "nothing changes" is shorter than the way from the last answer.
        self._model.clearSolver()
        if solved(self._model) != "optimal":
            return None
        values = np.array(self._model.getSolution().col_value)
        return np.asarray(values[:n] - values[n:])
