"""A name for a system of equations that does not depend on the order its cells and rows are written in.

Cells and rows are the two sides of a graph whose edges are the coefficients. Colours are refined (as in the test of
Weisfeiler and Leman) until cells of one colour see the same colours through the same coefficients; while colours are shared,
one cell of the smallest shared colour is made different from the rest, and the refinement goes on. Where the cells of a
colour can be exchanged by a symmetry of the system it does not matter which is taken. Where they cannot (regular systems
without symmetry), the same system may get several names: whoever looks something up by its name then misses it, and nothing
else happens.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

FORM = b"fiberwalk system 1"
"""Part of every name; to be changed with the way that systems are brought to their form."""


@dataclass(frozen=True, eq=False)
class Canonical:
    """A system in its canonical order: `order[i]` is the given column that stands at place i."""

    matrix: Any
    flags: np.ndarray
    order: np.ndarray

    @property
    def name(self) -> str:
        """A hash of the whole system."""
        digest = hashlib.sha256(FORM)
        for part in (self.matrix.shape, self.matrix.indptr, self.matrix.indices, self.matrix.data, self.flags):
            digest.update(np.asarray(part, dtype="<i8").tobytes())
            digest.update(b"|")
        return digest.hexdigest()[:32]

    def same_as(self, matrix: Any, flags: np.ndarray) -> bool:
        """Is this exactly that system?"""
        return (
            matrix.shape == self.matrix.shape
            and np.array_equal(flags, self.flags)
            and np.array_equal(matrix.indptr, self.matrix.indptr)
            and np.array_equal(matrix.indices, self.matrix.indices)
            and np.array_equal(matrix.data, self.matrix.data)
        )


def canonical(A: Any, flags: np.ndarray) -> Canonical:
    """The canonical form of the equations A x = b for every b, with a flag on each column.

    Rows without entries, repeated rows and common factors of a row say nothing about the moves and are left out.
    """
    matrix = _plain(A)
    order = np.argsort(_column_colours(sp.coo_array(matrix), np.asarray(flags, dtype=np.int64)), kind="stable")
    dense = matrix.toarray()[:, order]
    dense = np.unique(dense, axis=0)[::-1]
    form = sp.csr_array(dense)
    form.sort_indices()
    return Canonical(form, np.asarray(flags, dtype=bool)[order], order)


def _plain(A: Any) -> Any:
    """The rows divided by the greatest common divisor of their entries, most of these positive, each row once."""
    dense = sp.csr_array(A, dtype=np.int64).toarray()
    dense = dense[(dense != 0).any(axis=1)]
    dense = dense // np.gcd.reduce(dense, axis=1, keepdims=True, initial=0).clip(1)
    dense *= np.where((dense > 0).sum(axis=1) < (dense < 0).sum(axis=1), -1, 1)[:, None]
    return sp.csr_array(np.unique(dense, axis=0))


def _column_colours(matrix: Any, flags: np.ndarray) -> np.ndarray:
    """A different colour 0, 1, ... for every column."""
    rows, columns = matrix.coords
    weights = matrix.data.astype(np.int64).view(np.uint64)
    of_columns, of_rows = _ranks(flags), np.zeros(matrix.shape[0], dtype=np.int64)
    while True:
        of_columns, of_rows = _refined(of_columns, of_rows, rows, columns, weights)
        sizes = np.bincount(of_columns)
        shared = np.flatnonzero(sizes > 1)
        if not len(shared):
            return of_columns
        colour = shared[sizes[shared].argmin()]
        of_columns = 2 * of_columns + 1
        of_columns[(of_columns == 2 * colour + 1).argmax()] -= 1
        of_columns = _ranks(of_columns)


def _refined(
    of_columns: np.ndarray, of_rows: np.ndarray, rows: np.ndarray, columns: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Split colours by what is seen from a column or row until nothing more splits.

    What is seen is summed up in hashes: two that happen to agree leave a colour unsplit, whatever the order of cells.
    """
    while True:
        before = of_columns.max(initial=-1), of_rows.max(initial=-1)
        seen = np.zeros(len(of_rows), dtype=np.uint64)
        np.add.at(seen, rows, _mixed(of_columns[columns], weights))
        of_rows = _ranks(of_rows, seen)
        seen = np.zeros(len(of_columns), dtype=np.uint64)
        np.add.at(seen, columns, _mixed(of_rows[rows], weights))
        of_columns = _ranks(of_columns, seen)
        if before == (of_columns.max(initial=-1), of_rows.max(initial=-1)):
            return of_columns, of_rows


def _mixed(colours: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """A number with no pattern for each pair (the finisher of splitmix64: Steele, Lea and Flood 2014)."""
    z: np.ndarray = colours.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + weights * np.uint64(0xD1B54A32D192ED03)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _ranks(colours: np.ndarray, seen: np.ndarray | None = None) -> np.ndarray:
    """The places of the pairs (colour, what it sees) among the different pairs, in their order."""
    if not len(colours):
        return colours
    keys = (colours,) if seen is None else (seen, colours)
    order = np.lexsort(keys)
    new = np.zeros(len(colours), dtype=bool)
    for key in keys:
        new[1:] |= key[order[1:]] != key[order[:-1]]
    ranks = np.empty(len(colours), dtype=np.int64)
    ranks[order] = np.cumsum(new)
    return ranks
