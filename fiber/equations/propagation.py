"""Bound propagation on a sparse system (feasibility-based bound tightening; for tables, the shuttle algorithm)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.jit import sparingly
from .propagation_kernel import propagate
from .sparse_equations import sparse_equations

MOST_SWEEPS, USUAL_SWEEPS = 1000, 10


def tighten(A: Any, b: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> int:
    """Propagate bounds in place; the number of a row that cannot hold, or -1."""
    equations = sparse_equations(A, b)
    kernel = sparingly(propagate, USUAL_SWEEPS * len(equations.columns))
    return int(kernel(equations, lower, upper, MOST_SWEEPS))
