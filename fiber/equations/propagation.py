"""Bound propagation on a sparse system (feasibility-based bound tightening; for tables, the shuttle algorithm)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .propagation_kernel import propagate
from .sparse_equations import sparse_equations

MOST_SWEEPS = 1000


def tighten(A: Any, b: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> int:
    """Propagate bounds in place; the number of a row that cannot hold, or -1."""
    return int(propagate(sparse_equations(A, b), lower, upper, MOST_SWEEPS))
