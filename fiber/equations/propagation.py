"""Bound propagation on a sparse system."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .propagation_kernel import propagate

MOST_SWEEPS = 1000


def tighten(A: Any, b: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> int:
    """Propagate bounds in place; the number of a row that cannot hold, or -1."""
    by_column = sp.csc_array(A)
    return int(
        propagate(
            A.indptr.astype(np.int64),
            A.indices.astype(np.int64),
            A.data.astype(np.int64),
            np.ascontiguousarray(b, dtype=np.int64),
            by_column.indptr.astype(np.int64),
            by_column.indices.astype(np.int64),
            lower,
            upper,
            MOST_SWEEPS,
        )
    )
