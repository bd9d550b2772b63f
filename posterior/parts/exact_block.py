"""One block solved exactly: the law of every question about it."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.errors import InputError
from ...base.progress import Progress
from ...fiber.blocks.presolve import Block
from ...fiber.exact.chooser import solve_exactly
from ...fiber.exact.one_line import line_of
from ...fiber.exact.solved import Budget, Solved, refuse_wide
from ...fiber.exact.two_way_count import count_two_way
from ...fiber.laws.law import Weigh, relative_weights

SHORT = 9
"""Up to so many cells of a table, other methods count as quickly."""
FEW = 1_000_000
"""Up to so many tables on a line, walking through them is as good."""


def counted_directly(block: Block, budget: Budget) -> int | None:
    """How many tables a block has whose values all count, where that takes neither a walk nor an elimination."""
    tables = count_two_way(block, budget) if len(block.columns) > SHORT else None
    if tables is None and int((block.upper - block.lower).max()) > FEW:
        line = line_of(block)
        tables = None if line is None else line.tables
    return tables


def solve_block(
    block: Block,
    weigh: Weigh,
    questions: Any,
    budget: Budget | None = None,
    *,
    count_only: bool = False,
    progress: Progress | None = None,
) -> Solved:
    """The exact law of the questions about a block, value by value: single columns, or sums of several."""
    refuse_wide(block.lower, block.upper)
    n, extra = len(block.columns), questions.shape[0]
    single = np.diff(questions.indptr) == 1
    of_column = questions.indices[questions.indptr[:-1][single]]
    windows = zip(block.columns.tolist(), block.lower.tolist(), block.upper.tolist(), strict=True)
    weights = [relative_weights(weigh, *window) for window in windows]
    sums = sp.csr_array(questions[np.flatnonzero(~single)])
    solved = solve_exactly(block, weights, sums, budget, count_only=count_only, progress=progress)
    if solved.tables == 0:
        raise InputError("the law and the evidence leave no possible table: every feasible one has probability zero.")
    chosen = np.empty(extra, dtype=np.int64)
    chosen[single], chosen[~single] = of_column, n + np.arange(sums.shape[0])
    return Solved(
        solved.tables,
        solved.lower[chosen],
        tuple(solved.possible[j] for j in chosen),
        tuple(solved.weights[j] for j in chosen),
        solved.method,
    )
