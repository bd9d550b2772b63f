"""Which columns have an upper bound of their own, beyond what the equations and the lower bounds imply."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from .presolve import Block


def upper_of_their_own(block: Block) -> np.ndarray:
    """For each column whether its upper bound may say more than the equations do.

    Above the lower bounds, an equation whose coefficients are all positive leaves no column more than its share of what is
    left. A bound that only several equations together imply counts as the column's own, which is the safe side.
    """
    A = sp.csr_array(block.A)
    left = A @ (block.start - block.lower)
    sign = np.sign(
        np.array([A.data[a:b].sum() if b > a else 0 for a, b in zip(A.indptr[:-1], A.indptr[1:], strict=True)])
    )
    one_sided = np.array(
        [(A.data[a:b] * s > 0).all() for a, b, s in zip(A.indptr[:-1], A.indptr[1:], sign, strict=True)]
    )
    implied = np.full(A.shape[1], np.iinfo(np.int64).max)
    for row in np.flatnonzero(one_sided):
        part = slice(A.indptr[row], A.indptr[row + 1])
        share = (left[row] * sign[row]) // (A.data[part] * sign[row])
        implied[A.indices[part]] = np.minimum(implied[A.indices[part]], share)
    return block.upper - block.lower < implied
