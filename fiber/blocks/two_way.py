"""Blocks that are a two-way table, complete or with cells missing: no slacks, no subtotals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .presolve import Block


@dataclass(frozen=True, eq=False)
class TwoWay:
    """The row and the column in which each of a block's columns stands."""

    row: np.ndarray
    column: np.ndarray
    shape: tuple[int, int]


def as_two_way(block: Block) -> TwoWay | None:
    """A block as a two-way table of at least two rows and two columns, if its network runs from rows to columns."""
    network = block.network
    if network is None:
        return None
    rows, row = np.unique(network.tail, return_inverse=True)
    columns, column = np.unique(network.head, return_inverse=True)
    shape = (len(rows), len(columns))
    if len(np.intersect1d(rows, columns)) or min(shape) < 2:
        return None
    if len(np.unique(row * len(columns) + column)) < len(row):
        return None
    return TwoWay(row, column, shape)
