"""Sums that the facts decide, although nobody may have published them: those that equations imply."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...release.release import Release
from ..equations.rowspace import affordable, relations
from ..equations.sparse import rows_through
from .presolve import Presolved


def known_sums(release: Release, solved: Presolved, rows: Any) -> np.ndarray:
    """Which sums of cells have one value in every feasible table, because they are published or equations imply it.

    Blocks too large for elimination are looked up among the published sums only.
    """
    rows = sp.csr_array(rows, copy=True)
    known = _published(release, rows)
    rows.resize(rows.shape[0], solved.fiber.n_columns)
    asked = np.flatnonzero(~known)
    implied = np.ones(len(asked), dtype=bool)
    by_column = sp.csc_array(rows[asked])
    for block in solved.blocks:
        through, inside = rows_through(by_column, block.columns)
        if len(through):
            implied[through] &= _implied(block.A, inside)
    known[asked] = implied
    return known


def _published(release: Release, rows: sp.csr_array) -> np.ndarray:
    """Which rows are sums that an equation gives."""
    facts = release.sums
    told = sp.csr_array(facts.matrix[np.flatnonzero(facts.lower == facts.upper)])
    contents = []
    for matrix in (told, rows):
        matrix.sort_indices()
        ends = matrix.indptr
        contents.append([
            (matrix.indices[a:z].astype(np.int64).tobytes(), matrix.data[a:z].astype(np.int64).tobytes())
            for a, z in pairwise(ends)
        ])  # fmt: skip
    equations = set(contents[0])
    return np.array([one in equations for one in contents[1]], dtype=bool)


def _implied(A: Any, rows: Any) -> np.ndarray:
    """Which rows are combinations of the rows of A, by exact elimination."""
    whole = sp.csr_array(sp.vstack([A, rows]))
    if not affordable(whole.shape):
        return np.zeros(rows.shape[0], dtype=bool)
    kept, combination = relations(whole.toarray())
    n = A.shape[0]
    return ~(combination[n:, kept >= n] != 0).any(axis=1)
