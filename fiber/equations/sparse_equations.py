"""A x = b as kernels take it: sparse, by rows and by columns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp


class Equations(NamedTuple):
    """A x = b by rows and by columns."""

    row_start: np.ndarray
    columns: np.ndarray
    coefficients: np.ndarray
    b: np.ndarray
    column_start: np.ndarray
    rows_of_column: np.ndarray
    by_column: np.ndarray
    """The coefficients once more, column by column."""


def sparse_equations(A: Any, b: np.ndarray) -> Equations:
    """The equations of a sparse matrix by rows, in whole numbers of 64 bits."""
    by_column = sp.csc_array(A)
    return Equations(
        A.indptr.astype(np.int64),
        A.indices.astype(np.int64),
        A.data.astype(np.int64),
        np.ascontiguousarray(b, dtype=np.int64),
        by_column.indptr.astype(np.int64),
        by_column.indices.astype(np.int64),
        by_column.data.astype(np.int64),
    )
