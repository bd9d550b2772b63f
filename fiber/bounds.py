"""Sharp integer bounds of cells and sums, each attained by a feasible table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..release.errors import NumericalDoubt
from .integer_program import optimum
from .presolve import Block, Presolved


def sharp_bounds(
    solved: Presolved, rows: Any, progress: Callable[[int, int], None] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest value of each sum (a row over the cells) in any feasible table.

    A sum falls apart along the blocks, and each block's part is bounded by itself. An integer program is solved only
    where no table seen so far attains what propagation allows.
    """
    rows = sp.csr_array(rows)
    rows = sp.csr_array((rows.data, rows.indices, rows.indptr), shape=(rows.shape[0], solved.fiber.n_columns))
    fixed = rows @ np.where(solved.decided, solved.start, 0)
    lower, upper = fixed.copy(), fixed.copy()
    parts = [sp.csr_array(rows[:, block.columns]) for block in solved.blocks]
    left = [np.flatnonzero(np.diff(part.indptr)) for part in parts]
    done, of = 0, sum(map(len, left))
    for block, part, asked in zip(solved.blocks, parts, left, strict=True):
        before = done

        def tell(row: int, before: int = before) -> None:
            if progress is not None:
                progress(before + row, of)

        low, high = _bounds_in_block(block, sp.csr_array(part[asked]), tell)
        lower[asked] += low
        upper[asked] += high
        done += len(asked)
    return lower, upper


def _bounds_in_block(block: Block, rows: Any, tell: Callable[[int], None]) -> tuple[np.ndarray, np.ndarray]:
    plus, minus = rows.maximum(0), rows.minimum(0)
    limit_low = plus @ block.lower + minus @ block.upper
    limit_high = plus @ block.upper + minus @ block.lower
    seen_low = seen_high = rows @ block.start
    for i in range(rows.shape[0]):
        for sign, limit in ((1, limit_low), (-1, limit_high)):
            seen = seen_low if sign == 1 else seen_high
            if seen[i] == limit[i]:
                continue
            table = optimum(block.A, block.b, block.lower, block.upper, sign * rows[[i]].toarray().ravel())
            if table is None:
                raise NumericalDoubt(
                    "the integer program lost a table that is known to be feasible; use a coarser unit."
                )
            values = rows @ table
            seen_low, seen_high = np.minimum(seen_low, values), np.maximum(seen_high, values)
        tell(i + 1)
    return seen_low, seen_high
