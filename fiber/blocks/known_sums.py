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


def known_sums(release: Release, presolved: Presolved, rows: Any) -> np.ndarray:
    """Which sums of cells have one value in every feasible table, because they are published or equations imply it.

    Blocks too large for elimination are looked up among the published sums only.
    """
    rows = sp.csr_array(rows, copy=True)
    known = _published(release, rows)
    rows.resize(rows.shape[0], presolved.fiber.n_columns)
    open_rows = np.flatnonzero(~known)
    implied = np.ones(len(open_rows), dtype=bool)
    by_column = sp.csc_array(rows[open_rows])
    for block in presolved.blocks:
        through, inside = rows_through(by_column, block.columns)
        if len(through):
            implied[through] &= _implied(block.A, inside)
    known[open_rows] = implied
    return known


def _published(release: Release, rows: sp.csr_array) -> np.ndarray:
    """Which rows are, as they stand, sums that are published exactly."""
    facts = release.sums
    told = sp.csr_array(facts.matrix[np.flatnonzero(facts.lower == facts.upper)])
    contents = []
    for matrix in (told, rows):
        matrix.sort_indices()
        ends = matrix.indptr
        contents.append([
            (matrix.indices[begin:end].astype(np.int64).tobytes(), matrix.data[begin:end].astype(np.int64).tobytes())
            for begin, end in pairwise(ends)
        ])  # fmt: skip
    equations = set(contents[0])
    return np.array([content in equations for content in contents[1]], dtype=bool)


def _implied(A: Any, rows: Any) -> np.ndarray:
    """Which rows are combinations of the rows of A, by exact elimination."""
    whole = sp.csr_array(sp.vstack([A, rows]))
    if not affordable(whole.shape):
        return np.zeros(rows.shape[0], dtype=bool)
    independent, combination = relations(whole.toarray())
    n_equations = A.shape[0]
    return ~(combination[n_equations:, independent >= n_equations] != 0).any(axis=1)
