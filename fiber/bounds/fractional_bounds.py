"""Bounds over tables of any numbers, whole or not: the linear programming relaxation of a release.

Auditing programs that stop at linear programming give these. Tables of whole numbers stay within them, but perhaps none
attains them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.errors import NumericalDoubt
from ...release.facts.facts import NO_LIMIT
from ..equations.system import Fiber
from ..solvers.simplex import solved, warm_model

DIGITS = 6
"""After the point: the solver's own tolerance is 1e-7."""


def fractional_bounds(fiber: Fiber, rows: Any) -> tuple[np.ndarray, np.ndarray]:
    """The least and greatest value of each sum (a row over the columns), by two linear programs for each."""
    span = np.where(fiber.upper >= NO_LIMIT, np.inf, fiber.upper - fiber.lower)
    model = warm_model(sp.csr_array(fiber.A), fiber.b - fiber.A @ fiber.lower, span, np.zeros(len(span)), primal=True)
    rows, columns = sp.csr_array(rows), np.arange(len(span), dtype=np.int32)
    ends = np.empty((rows.shape[0], 2))
    for i in range(rows.shape[0]):
        part = slice(rows.indptr[i], rows.indptr[i + 1])
        cost = np.zeros(len(span))
        cost[rows.indices[part]] = rows.data[part]
        for side, sign in enumerate((1, -1)):
            model.changeColsCost(len(span), columns, sign * cost)
            status = solved(model)
            if status != "optimal":
                raise NumericalDoubt(f"a linear program for bounds in fractions could not be solved ({status}).")
            ends[i, side] = cost @ np.array(model.getSolution().col_value)
    ends += (rows @ fiber.lower)[:, None]
    return np.round(ends[:, 0], DIGITS) + 0.0, np.round(ends[:, 1], DIGITS) + 0.0
