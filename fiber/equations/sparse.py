"""Parts of a sparse matrix, at a cost that grows with the part."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp


def rows_through(by_column: Any, columns: np.ndarray) -> tuple[np.ndarray, Any]:
    """The rows that have entries in some columns, and the matrix of these rows and columns."""
    if len(columns) == 1:  # many releases have thousands of cells that are alone
        part = slice(by_column.indptr[columns[0]], by_column.indptr[columns[0] + 1])
        entries, n = by_column.data[part], int(part.stop - part.start)
        return by_column.indices[part], sp.csr_array((entries, np.zeros(n, np.int32), np.arange(n + 1)), shape=(n, 1))
    part = by_column[:, columns]
    rows, places = np.unique(part.indices, return_inverse=True)
    return rows, sp.csr_array(sp.csc_array((part.data, places, part.indptr), shape=(len(rows), len(columns))))
