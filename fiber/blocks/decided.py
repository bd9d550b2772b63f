"""Columns that several equations together decide, though none of them does by itself, proven in whole numbers.

From one feasible table the others differ by directions that change no equation, in which columns at an end of their range
only go one way. One linear program looks for a direction in which as many of these as possible do go; its dual is a
combination of equations in which no column at an end appears with the wrong sign and none in between appears at all. As
every direction gives zero there, whatever appears is decided. The combination is rounded and checked in whole numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..solvers.simplex import MOST_STEPS, silent_model, solved

FEW, MANY = 200, 200_000
"""Columns of smaller systems are bounded one by one anyway; in larger ones the program takes too long."""
MULTIPLES = (1, 2, 6, 12, 60, 2520)
"""Combinations of equations are mostly in fractions of small numbers."""
LARGEST = 2.0**40
"""Coefficients of a combination beyond which it is not looked at."""


def decided_together(A: Any, lower: np.ndarray, upper: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Which columns have the value of `start`, a feasible table, in all feasible tables, as far as equations prove it."""
    sign = np.where(start == lower, 1, np.where(start == upper, -1, 0)).astype(np.int64)
    decided = np.zeros(len(start), dtype=bool)
    dual = _dual(sp.csc_array(A), sign)
    if dual is None or not np.abs(dual).max(initial=0.0) * MULTIPLES[-1] < LARGEST:
        return decided
    transposed = sp.csr_array(A.T).astype(np.int64)
    for multiple in MULTIPLES:
        sums = transposed @ np.rint(dual * multiple).astype(np.int64)
        if (sums[sign == 0] == 0).all() and (sums * sign >= 0).all():  # a proof, however it was rounded
            decided |= sums != 0
    return decided


def _dual(A: Any, sign: np.ndarray) -> np.ndarray | None:
    """A combination of equations, nearly, in which as many columns as possible appear with their sign alone.

    Each column at an end goes up to 1 for the objective, and on from there for nothing, so that a direction may have any
    length.
    """
    at_end = np.flatnonzero(sign)
    between = np.flatnonzero(sign == 0)
    inwards = sp.csc_array(A[:, at_end] * sign[at_end])
    everything = sp.csr_array(sp.hstack([inwards, inwards, A[:, between]]))
    n, free, none = len(at_end), len(between), np.zeros(A.shape[0])
    cost = np.concatenate([-np.ones(n), np.zeros(n + free)])
    low = np.concatenate([np.zeros(2 * n), np.full(free, -np.inf)])
    high = np.concatenate([np.ones(n), np.full(n + free, np.inf)])
    model = silent_model(cost, everything, none, none, low, high)
    model.setOptionValue("solver", "simplex")
    model.setOptionValue("simplex_iteration_limit", MOST_STEPS)
    if solved(model) != "optimal":
        return None
    return -np.array(model.getSolution().row_dual)
