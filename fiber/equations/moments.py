"""Equations with many different coefficients, such as sums of ages, each beside the one that counts the same cells.

One equation at a time says little there: that the only one of a group is 84 years old takes the number of people and the
sum of their ages together. Of a sum of ages less c times the number of people all coefficients have one sign where c is the
least or the greatest age that is still possible, and then a sum of nought leaves nobody who is older, or younger.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

FEW_COEFFICIENTS, SMALL = 3, 2
"""Equations with fewer different coefficients, or with none that is larger, are like those of tables."""


class Moments(NamedTuple):
    """Pairs of equations, sum weight_j x_j = weight_side and sum count_j x_j = count_side, over the columns of both."""

    start: np.ndarray
    column: np.ndarray
    weights: np.ndarray
    counts: np.ndarray
    weight_side: np.ndarray
    count_side: np.ndarray
    weight_row: np.ndarray
    count_row: np.ndarray


def moments(A: Any, b: np.ndarray) -> Moments:
    """Every equation with many coefficients, with the one that counts its cells best, where there is one."""
    A = sp.csr_array(A)
    pairs = weighted_pairs(A) if may_have_moments(A) else []
    start, parts = [0], [(np.empty(0, np.int64),) * 3]
    for weighted, counting in pairs:
        both = sp.csc_array(A[[weighted, counting]])
        columns = np.flatnonzero(np.diff(both.indptr))
        dense = both[:, columns].toarray()
        parts.append((columns, dense[0], dense[1]))
        start.append(start[-1] + len(columns))
    column, weight, count = (np.concatenate(arrays).astype(np.int64) for arrays in zip(*parts, strict=True))
    rows = np.array(pairs, dtype=np.int64).reshape(-1, 2).T.copy()
    weight_side, count_side = b[rows].astype(np.int64)
    return Moments(np.array(start, dtype=np.int64), column, weight, count, weight_side, count_side, rows[0], rows[1])


def may_have_moments(A: Any) -> bool:
    """Are there coefficients that equations of tables do not have?"""
    return bool(np.abs(A.data).max(initial=0) > SMALL)


def weighted_pairs(A: Any) -> list[tuple[int, int]]:
    """Rows with many coefficients, and for each the row of ones that has most of its columns and few others."""
    lengths = np.diff(A.indptr)
    parts = [A.data[A.indptr[i] : A.indptr[i + 1]] for i in range(A.shape[0])]
    sizes = [np.abs(part).max(initial=0) for part in parts]
    weighted = [i for i, part in enumerate(parts) if sizes[i] > SMALL and len(np.unique(part)) >= FEW_COEFFICIENTS]
    counting = np.array([i for i, part in enumerate(parts) if sizes[i] == 1 and (part > 0).sum() > 1])
    if not weighted or not len(counting):
        return []
    ones = sp.csr_array((A[counting] > 0).astype(np.int64))
    shared = (ones @ (A[weighted] != 0).astype(np.int64).T).toarray()
    score = shared - 0.5 * (lengths[counting][:, None] - shared)
    best = score.argmax(axis=0)
    return [(row, int(counting[best[k]])) for k, row in enumerate(weighted) if shared[best[k], k] > 1]
