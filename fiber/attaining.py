"""Tables that attain bounds: the evidence that a bound is sharp, and places far apart for chains to start from."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..release.errors import NumericalDoubt, TooLarge
from .bounds import SharpBounds, as_rows, sharp_bounds
from .flow_bounds import extreme_flow
from .integer_program import optimum
from .nearest_table import NearestTable
from .presolve import Block, Presolved

MOST_NUMBERS = 200_000_000
"""Cells times tables that are kept."""


def attaining_tables(solved: Presolved, rows: Any, bounds: SharpBounds, most: int | None = None) -> np.ndarray:
    """Feasible tables, one per row, that together attain the lower and the upper bound of every sum.

    With `most`, only that many. Each table is made to attain the first bound that none before it does, in every block.
    """
    rows = as_rows(rows, solved.fiber.n_columns)
    room = MOST_NUMBERS // max(1, solved.fiber.n_columns)
    by_column = sp.csc_array(rows)
    tables: list[np.ndarray] = []
    makers = []
    for block in solved.blocks:
        part = sp.csr_array(by_column[:, block.columns])
        asked = np.flatnonzero(np.diff(part.indptr))
        if len(asked):
            makers.append(_Maker(solved, block, sp.csr_array(part[asked])))
    attained = np.stack([bounds.lower, bounds.upper], axis=1) == (rows @ solved.start)[:, None]
    if attained.any():
        tables.append(solved.start)
    while not attained.all() and (most is None or len(tables) < most):
        table = solved.start.copy()
        made = [maker.next(table) for maker in makers]
        if not any(made):
            # What is left are sums over several blocks: both ends at once in all of them.
            row, side = (int(one[0]) for one in np.nonzero(~attained))
            for maker in makers:
                maker.reach(table, sp.csr_array(rows[[row]]), side)
        tables.append(table)
        attained |= np.stack([bounds.lower, bounds.upper], axis=1) == (rows @ table)[:, None]
        if len(tables) > room:
            raise TooLarge(
                f"the tables that attain every bound would be more than {room:,}, too many to keep; ask for some of them."
            )
    return np.array(tables[:most], dtype=np.int64).reshape(-1, solved.fiber.n_columns)


class _Maker:
    """Makes tables of one block that attain the bounds of its parts of the sums, one after the other."""

    def __init__(self, solved: Presolved, block: Block, rows: Any) -> None:
        self.block, self.rows = block, rows
        alone = Presolved(solved.fiber, solved.start, (block,))
        whole = sp.csr_array(
            (rows.data, block.columns[rows.indices], rows.indptr), shape=(rows.shape[0], solved.fiber.n_columns)
        )
        found = sharp_bounds(alone, whole)
        away = whole @ np.where(alone.decided, solved.start, 0)
        self.bounds = np.stack([found.lower - away, found.upper - away], axis=1)
        self.attained = self.bounds == (rows @ block.start)[:, None]
        self._nearest: NearestTable | None = None

    def next(self, table: np.ndarray) -> bool:
        """Put a table of the block that attains something new into a whole table; False where nothing is left."""
        left = np.argwhere(~self.attained)
        if not len(left):
            return False
        row, side = left[0]
        here = self._table(sp.csr_array(self.rows[[row]]), int(self.bounds[row, side]), side)
        table[self.block.columns] = here
        self.attained |= self.bounds == (self.rows @ here)[:, None]
        return True

    def reach(self, table: np.ndarray, row: Any, side: int) -> None:
        """Put a table of the block into a whole table in which a sum is at one of its ends."""
        part = sp.csr_array(sp.csc_array(row)[:, self.block.columns])
        same = np.flatnonzero(abs(self.rows - sp.vstack([part] * self.rows.shape[0])).sum(axis=1) == 0)
        if part.nnz and len(same):
            table[self.block.columns] = self._table(part, int(self.bounds[same[0], side]), side)

    def _table(self, row: Any, value: int, side: int) -> np.ndarray:
        block = self.block
        if block.network is not None and row.nnz == 1 and row.data[0] == 1:
            sign = 1 if side else -1
            return extreme_flow(block.network, block.start, block.lower, block.upper, int(row.indices[0]), sign)
        if self._nearest is None:
            self._nearest = NearestTable(block.A, block.b, block.lower, block.upper)
        found = self._nearest.find(block.start, row.indices, row.data, value)
        if found is None:
            system = sp.csr_array(sp.vstack([block.A, row]))
            found = optimum(system, np.append(block.b, value), block.lower, block.upper)
        if found is None:
            raise NumericalDoubt("the integer program lost a table that is known to be feasible; use a coarser unit.")
        return found
