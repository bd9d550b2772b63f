"""Squares that depend on each other: they share cells, or facts about x_0 or an unknown theta tie them together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...fiber.equations.graph_parts import joined_parts
from ...fiber.laws.support import Support
from .paths import HiddenPaths

SIGNS = np.array([1, -1, -1, 1])
"""What a step of one adds to the four cells of a square."""
MANY_SQUARES = 500
"""Of more it is not worked out whether they are independent."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Sums of x_0 that are known although steps change them: sparse rows over a group's cells, their least and most."""

    start: np.ndarray
    cell: np.ndarray
    value: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    @property
    def matrix(self) -> Any:
        """The rows."""
        return sp.csr_array((self.value, self.cell, self.start))


@dataclass(frozen=True, eq=False)
class PathGroup:
    """Some squares, their cells, and what is known of x_0 there."""

    squares: np.ndarray
    """Their numbers, in the order of the steps where that is known."""
    cells: np.ndarray
    """Their cells (numbers of the release), ascending."""
    local: np.ndarray
    """[square, corner]: places in `cells`."""
    end: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    rows: Rows
    decided: bool
    """Do the facts say all of x_0, and theta is known? Then nothing is left but whether a path leads from there."""

    @cached_property
    def independent(self) -> bool:
        """Does the first table of a path tell the size of every step?"""
        if len(self.squares) > MANY_SQUARES:
            return False
        steps = incidence(self.local, len(self.cells)).toarray()
        return int(np.linalg.matrix_rank(steps)) == len(self.squares)


def incidence(squares: np.ndarray, n: int) -> Any:
    """[square, cell]: what a step of one adds to each cell."""
    where = (np.repeat(np.arange(len(squares)), 4), squares.ravel())
    return sp.csr_array((np.tile(SIGNS, len(squares)), where), shape=(len(squares), n))


def path_groups(paths: HiddenPaths, support: Support) -> list[PathGroup]:
    """The groups of a release; those of which no step can have changed anything are left out."""
    release, solved, squares = support.release, support.solved, paths.squares.cells
    n = release.n_cells
    lower, upper = solved.start.copy(), solved.start.copy()
    for block in solved.blocks:
        lower[block.columns], upper[block.columns] = block.lower, block.upper
    sums = release.sums
    changed = np.flatnonzero(abs(sums.matrix @ incidence(squares, n).T).sum(axis=1))
    matrix = sp.csr_array(sums.matrix[changed])
    group = np.zeros(len(squares), dtype=np.int64)
    if len(paths.thetas) == 1:
        group = _connected(squares, matrix, n)[squares[:, 0]]
    groups = []
    for number in np.unique(group):
        members = np.flatnonzero(group == number)
        cells, local = np.unique(squares[members], return_inverse=True)
        as_published = (lower[cells] == paths.end[cells]).all() and (upper[cells] == paths.end[cells]).all()
        if as_published and not _moved(paths.end[squares[members]]).any():
            continue
        rows, of_group = _rows_of(matrix, cells)
        # what cells that no step changes add to these sums is known
        known = matrix[rows] @ solved.start[:n] - of_group @ solved.start[cells]
        groups.append(
            PathGroup(
                members,
                cells,
                local.reshape(-1, 4).astype(np.int64),
                paths.end[cells].astype(np.int64),
                lower[cells].astype(np.int64),
                upper[cells].astype(np.int64),
                Rows(
                    of_group.indptr.astype(np.int64),
                    of_group.indices.astype(np.int64),
                    of_group.data.astype(np.int64),
                    (sums.lower[changed][rows] - known).astype(np.int64),
                    (sums.upper[changed][rows] - known).astype(np.int64),
                ),
                len(paths.thetas) == 1 and bool((lower[cells] == upper[cells]).all()),
            )
        )
    return groups


def _moved(corners: np.ndarray) -> np.ndarray:
    """Which squares can have been others before a step; their four figures are given."""
    a, b, c, d = corners.T
    return np.asarray((np.minimum(a, d) > 0) | (np.minimum(b, c) > 0))


def _connected(squares: np.ndarray, rows: Any, n: int) -> np.ndarray:
    """A number for every cell, the same for cells that squares or rows tie together."""
    touched = np.zeros(n, dtype=bool)
    touched[squares] = True
    ties = [sp.csr_array(abs(incidence(squares, n))), sp.csr_array(abs(rows) * touched)]
    tied = sp.csr_array(sp.vstack(ties))
    together = sp.coo_array(tied.T @ tied)
    return joined_parts(n, together.row, together.col)


def _rows_of(matrix: Any, cells: np.ndarray) -> tuple[np.ndarray, Any]:
    """The rows that have entries at some cells, and what they have there."""
    at_cells = sp.csr_array(sp.csc_array(matrix)[:, cells])
    rows = np.flatnonzero(np.diff(at_cells.indptr))
    return rows, sp.csr_array(at_cells[rows])
