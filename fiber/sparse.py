"""Parts of a sparse matrix, at a cost that grows with the part."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp


def rows_through(by_column: Any, columns: np.ndarray) -> tuple[np.ndarray, Any]:
    """The rows that have entries in some columns, and the matrix of these rows and columns."""
    part = by_column[:, columns]
    rows, places = np.unique(part.indices, return_inverse=True)
    return rows, sp.csr_array(sp.csc_array((part.data, places, part.indptr), shape=(len(rows), len(columns))))
