"""The figures so far: which cells each sums, and what was published, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .chances import Chances, Rows


class Told(NamedTuple):
    """Groups of cells with their figures."""

    of_start: np.ndarray
    """Where the groups of each cell begin in `of_cell`; with one more for the end."""
    of_cell: np.ndarray
    row: np.ndarray
    """The row of each group's figure."""
    rows: Rows
    marks: np.ndarray
    """A random number of each cell; those of occupied cells, put together, are a number for the people in a group."""
    shared: bool
    """Are the same people one draw in all groups? (False is the wrong law that tests hold against this one.)"""


def told(groups: np.ndarray, figures: Sequence[int], chances: Chances, marks: np.ndarray, shared: bool = True) -> Told:
    """Groups [group, cell] with their figures."""
    of_start, of_cell = by_cells(groups)
    distinct, row = np.unique(np.asarray(figures, dtype=np.int64), return_inverse=True)
    return Told(of_start, of_cell, row.astype(np.int64), chances.rows(distinct.tolist()), marks, shared)


def by_cells(groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each cell the groups [group, cell] that it is in, one after the other, and where they begin."""
    cell, group = np.nonzero(groups.T)
    begins = np.searchsorted(cell, np.arange(groups.shape[1] + 1))
    return begins.astype(np.int64), group.astype(np.int64)
