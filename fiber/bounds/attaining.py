"""Tables that attain bounds: the evidence that a bound is sharp, and places far apart for chains to start from."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.errors import NumericalDoubt, TooLarge
from ...base.progress import Progress
from ..blocks.presolve import Block, Presolved
from ..equations.sparse import rows_through
from ..solvers.flow import extreme_flow
from ..solvers.integer_program import optimum
from ..solvers.nearest_table import NearestTable
from .chooser import SharpBounds, as_rows, sharp_bounds

MOST_NUMBERS = 200_000_000
"""Cells times tables that are kept."""


def attaining_tables(
    presolved: Presolved, rows: Any, bounds: SharpBounds, most: int | None = None, progress: Progress | None = None
) -> np.ndarray:
    """Feasible tables, one per row, that together attain the lower and the upper bound of every sum.

    With `most`, only that many. Each table is made to attain the first bound that none before it does, in every block.
    """
    rows = as_rows(rows, presolved.fiber.n_columns)
    room = MOST_NUMBERS // max(1, presolved.fiber.n_columns)
    by_column = sp.csc_array(rows)
    ends = np.stack([bounds.lower, bounds.upper], axis=1)
    parts = [rows_through(by_column, block.columns) for block in presolved.blocks]
    blocks_of = np.zeros(rows.shape[0], dtype=np.int64)
    for through, _ in parts:
        blocks_of[through] += 1
    makers = []
    for block, (through, part) in zip(presolved.blocks, parts, strict=True):
        if len(through):
            ends_here = ends[through] - (rows[through] @ presolved.start - part @ block.start)[:, None]
            shared = np.flatnonzero(blocks_of[through] > 1)
            if len(shared):
                ends_here[shared] = _ends_within(presolved, block, sp.csr_array(part[shared]))
            makers.append(_Maker(block, part, ends_here))
    attained = ends == (rows @ presolved.start)[:, None]
    tables: list[np.ndarray] = [presolved.start] if attained.any() else []
    while not attained.all() and (most is None or len(tables) < most):
        table = presolved.start.copy()
        new = [maker.next(table) for maker in makers]
        if not any(new):
            # What is left are sums over several blocks: at one end in all of them at once.
            row, side = (int(index[0]) for index in np.nonzero(~attained))
            for maker in makers:
                maker.reach(table, sp.csr_array(rows[[row]]), side)
        tables.append(table)
        attained |= ends == (rows @ table)[:, None]
        needed = most if most is not None else len(tables) / attained.mean()
        if (len(tables) >= 100 and needed > 1.2 * room) or len(tables) > room:
            raise TooLarge(
                f"it would take some {needed:,.0f} tables to attain every bound, and only {room:,} can be kept; ask for at "
                "most so many (tables=)."
            )
        if progress is not None:
            progress(f"tables that attain bounds: {attained.sum():,} of {attained.size:,} bounds")
    return np.array(tables[:most], dtype=np.int64).reshape(-1, presolved.fiber.n_columns)


def _ends_within(presolved: Presolved, block: Block, rows: Any) -> np.ndarray:
    """The least and the greatest value that a block's own part of each sum can have."""
    alone = Presolved(presolved.fiber, presolved.start, (block,))
    shape = (rows.shape[0], presolved.fiber.n_columns)
    whole = sp.csr_array((rows.data, block.columns[rows.indices], rows.indptr), shape=shape)
    bounds = sharp_bounds(alone, whole)
    return np.stack([bounds.lower, bounds.upper], axis=1)


class _Maker:
    """Makes tables of one block that attain the ends of its parts of the sums, one after the other."""

    def __init__(self, block: Block, rows: Any, ends: np.ndarray) -> None:
        self.block, self.rows, self.bounds = block, rows, ends
        self.attained = ends == (rows @ block.start)[:, None]
        self._last = block.start
        self._nearest: NearestTable | None = None

    def next(self, table: np.ndarray) -> bool:
        """Put a table of the block that attains something new into a whole table; False where nothing is left."""
        missing = np.argwhere(~self.attained)
        if not len(missing):
            return False
        row, side = missing[0]
        part = self._table(sp.csr_array(self.rows[[row]]), int(self.bounds[row, side]), side)
        table[self.block.columns] = part
        self.attained |= self.bounds == (self.rows @ part)[:, None]
        return True

    def reach(self, table: np.ndarray, row: Any, side: int) -> None:
        """Put a table of the block in which its part of a sum is at one of its ends into a whole table."""
        part = sp.csr_array(sp.csc_array(row)[:, self.block.columns])
        same = np.flatnonzero(abs(self.rows - sp.vstack([part] * self.rows.shape[0])).sum(axis=1) == 0)
        if part.nnz and len(same):
            table[self.block.columns] = self._table(part, int(self.bounds[same[0], side]), side)

    def _table(self, row: Any, value: int, side: int) -> np.ndarray:
        block = self.block
        if block.network is not None and row.nnz == 1 and row.data[0] == 1:
            sign = 1 if side else -1
            column = int(row.indices[0])
            self._last = extreme_flow(block.network, self._last, block.lower, block.upper, column, sign)
            return self._last
        if self._nearest is None:
            self._nearest = NearestTable(block.A, block.b, block.lower, block.upper)
        part = self._nearest.find(block.start, row.indices, row.data, value)
        if part is None:
            system = sp.csr_array(sp.vstack([block.A, row]))
            part = optimum(system, np.append(block.b, value), block.lower, block.upper)
        if part is None:
            raise NumericalDoubt("the integer program lost a table that is known to be feasible; use a coarser unit.")
        return part
