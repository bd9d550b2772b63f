"""Exact solving of a block by the cheapest method: a short enumeration, an elimination, or a long enumeration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.errors import TooLarge
from ...base.progress import Progress
from ..blocks.presolve import Block, with_every_row
from ..equations.propagation import tighten
from .elimination import eliminate_block
from .elimination_plan import planned_operations
from .enumeration import FarTooLarge, enumerate_block
from .listing import list_block
from .solved import Budget, Solved, refuse_wide
from .two_way_law import two_way_law

SHORT = 250_000_000
"""Operations that are spent on an enumeration before an elimination is looked at."""

DEARER, AT_MOST = 8, 4
"""Plans of eliminations are far too high at times. So one that is planned to cost more than an enumeration is tried all the
same, at 1/DEARER of the enumeration's cost; the enumeration may then cost AT_MOST times its estimate."""

LISTED, MOST_LISTED = 4, 4_000_000_000
"""The part of a budget that listing all tables may cost where there are sums of ages and the like, and the most: some
seconds. Many people are left to other methods."""

LogWeights = Sequence[np.ndarray | None]


def solve_exactly(
    block: Block,
    log_weights: LogWeights,
    sums: Any = None,
    budget: Budget | None = None,
    *,
    count_only: bool = False,
    progress: Progress | None = None,
) -> Solved:
    """The exact law of every column of a block, then of some sums of them; `TooLarge`, with its cost, if over budget."""
    budget = budget or Budget()
    if len(block.columns) == 1 and not len(block.b) and (sums is None or sums.shape[0] == 0):
        refuse_wide(block.lower, block.upper)
        return _alone(block, log_weights[0])
    system, weights = _with_sums(block, sums), [*log_weights, *([None] * (0 if sums is None else sums.shape[0]))]
    refuse_wide(system[2], system[3])
    # of few people all equations are of use, also those that others imply
    listed = list_block(
        *_with_sums(with_every_row(block), sums),
        weights,
        replace(budget, operations=min(budget.operations // LISTED, MOST_LISTED)),
        progress,
    )
    if listed is not None:
        return listed
    short = replace(budget, operations=min(budget.operations, SHORT))
    hopeless = budget.operations <= SHORT
    try:
        return enumerate_block(*system, weights, short, progress=progress)
    except TooLarge as problem:
        enumeration_refusal = str(problem)
        hopeless = hopeless or (isinstance(problem, FarTooLarge) and problem.even_with(budget))
        # Weights are looked up for every table, which an estimate of the steps does not tell.
        alike = all(given is None for given in weights)
        likely = problem.operations if alike and isinstance(problem, FarTooLarge) else math.inf
    if alike and (sums is None or sums.shape[0] == 0) and (of_two_way := two_way_law(block, budget)) is not None:
        return of_two_way
    if likely <= budget.operations and planned_operations(block.A, block.b, block.lower, block.upper) > likely:
        few, enough = max(1, int(likely) // DEARER), min(AT_MOST * int(likely), budget.operations)
        try:
            return _eliminated(block, log_weights, sums, replace(budget, operations=few), count_only, progress)
        except TooLarge:
            pass
        try:
            return enumerate_block(*system, weights, replace(budget, operations=enough), progress=progress)
        except TooLarge as problem:
            enumeration_refusal, hopeless = str(problem), enough == budget.operations
    try:
        return _eliminated(block, log_weights, sums, budget, count_only, progress)
    except TooLarge as problem:
        elimination_refusal = str(problem)
    if not hopeless:
        try:
            return enumerate_block(*system, weights, budget, progress=progress)
        except TooLarge as problem:
            enumeration_refusal = str(problem)
    raise TooLarge(
        f"this release cannot be solved exactly with {budget.operations:,} operations and {budget.bytes:,} bytes: "
        f"{elimination_refusal}; {enumeration_refusal}. Raise limit= (--limit) or memory= (--memory) if you can wait, or "
        "ask for bounds only; an audit by method='chains' (--method chains) samples tables of any size."
    )


def _alone(block: Block, log_weights: np.ndarray | None) -> Solved:
    """A cell that depends on no other: its weights are its law."""
    of_values = np.zeros(int(block.upper[0] - block.lower[0]) + 1) if log_weights is None else log_weights
    possible = of_values > -np.inf
    law = np.exp(of_values - of_values.max()) if possible.any() else np.zeros(len(of_values))
    return Solved(int(possible.sum()), block.lower, (possible,), (law / max(law.sum(), 1.0),), "enumeration")


def _with_sums(block: Block, sums: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
    """The system of a block with one more column for each sum that is asked about."""
    if sums is None or sums.shape[0] == 0:
        return block.A, block.b, block.lower, block.upper
    minus = sp.csr_array(-sp.eye_array(sums.shape[0], dtype=np.int64))
    A = sp.csr_array(sp.block_array([[block.A, None], [sums, minus]]))
    b = np.concatenate([block.b, np.zeros(sums.shape[0], dtype=np.int64)])
    plus, less = sums.maximum(0), sums.minimum(0)
    lower = np.concatenate([block.lower, plus @ block.lower + less @ block.upper])
    upper = np.concatenate([block.upper, plus @ block.upper + less @ block.lower])
    tighten(A, b, lower, upper)
    return A, b, lower, upper


def _eliminated(
    block: Block, log_weights: LogWeights, sums: Any, budget: Budget, count_only: bool, progress: Progress | None
) -> Solved:
    """By elimination, with a run of its own for each sum: each sum that is open makes for many more states."""

    def run(system: tuple[Any, np.ndarray, np.ndarray, np.ndarray], more: LogWeights = ()) -> Solved:
        return eliminate_block(*system, [*log_weights, *more], budget, count_only=count_only, progress=progress)

    of_columns = run(_with_sums(block, None))
    of_sums = [run(_with_sums(block, sums[[i]]), (None,)) for i in range(0 if sums is None else sums.shape[0])]
    return Solved(
        of_columns.tables,
        np.concatenate([of_columns.lower, *(solved.lower[-1:] for solved in of_sums)]),
        (*of_columns.possible, *(solved.possible[-1] for solved in of_sums)),
        (*of_columns.weights, *(solved.weights[-1] for solved in of_sums)),
        of_columns.method,
    )
