"""Exact solving of a block by walking through all its tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.errors import TooLarge
from ...base.interruption import check_time
from ...base.progress import Progress
from . import enumeration_kernel as kernel
from .solved import Budget, Solved, refuse_wide

STEP = 500
"""What a step of the walk costs, in operations of a budget."""
PAUSE = 20_000_000
PROBES = 300
MOST_TIED = 100
"""Equations that are compared by their ranges when the next column is chosen."""
HOPELESS = 10
"""Give up before the start where the estimate is that many times over the budget."""


class FarTooLarge(TooLarge):
    """An enumeration that is not worth beginning; `log_steps` is about what it would take."""

    def __init__(self, n: int, log_steps: float) -> None:
        super().__init__(
            f"{n} cells and sums that depend on each other would take about 10^{log_steps / np.log(10):.0f} steps of "
            "enumeration"
        )
        self.log_steps = log_steps

    @property
    def operations(self) -> float:
        """About what it would cost, in operations of a budget."""
        return STEP * math.exp(min(self.log_steps, 700.0))

    def even_with(self, budget: Budget) -> bool:
        """Would a larger budget be too small as well?"""
        return bool(self.log_steps > _hopeless_from(budget.operations // STEP))


def _hopeless_from(most_steps: int) -> float:
    return float(np.log(HOPELESS * max(1, most_steps)))


@dataclass(frozen=True, eq=False)
class _Plan:
    """The order of the walk, and what the kernel needs to know of each position."""

    order: np.ndarray
    line: int
    entry_start: np.ndarray
    entry_row: np.ndarray
    entry_coefficient: np.ndarray
    rest_least: np.ndarray
    rest_most: np.ndarray
    deciding_row: np.ndarray
    deciding_sign: np.ndarray
    step: np.ndarray
    moving: np.ndarray
    line_rows: np.ndarray
    line_row_step: np.ndarray


def enumerate_block(
    A: Any,
    b: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    log_weights: Sequence[np.ndarray | None] | None = None,
    budget: Budget | None = None,
    *,
    progress: Progress | None = None,
) -> Solved:
    """Tally every integer table with A x = b and lower <= x <= upper.

    Parameters
    ----------
    log_weights
        For each column its log-weights over lower..upper, or None where it has none. Without any, tables count alike.
    budget
        The walk is given up with `TooLarge` where it takes more, and not begun where it would take far more.
    """
    most_steps = (budget or Budget()).operations // STEP
    n = len(lower)
    sizes = upper - lower + 1
    refuse_wide(lower, upper)
    log_weights = [None] * n if log_weights is None else list(log_weights)
    A = sp.csr_array(A)
    if (b[np.diff(A.indptr) == 0] != 0).any():  # 0 = something else: no table
        nothing = tuple(np.zeros(int(size)) for size in sizes)
        return Solved(0, lower, tuple(one > 0 for one in nothing), nothing, "enumeration")
    plan = _plan(A, lower, upper)
    low, high = lower[plan.order], upper[plan.order]
    guess = kernel.probe(
        plan.line, plan.entry_start, plan.entry_row, plan.entry_coefficient, plan.rest_least, plan.rest_most,
        low, high, np.ascontiguousarray(b, dtype=np.int64), PROBES,
    )  # fmt: skip
    if guess > _hopeless_from(most_steps):
        raise FarTooLarge(n, guess)
    tally_start = np.concatenate([[0], np.cumsum(sizes[plan.order] + 1)]).astype(np.int64)
    any_weight = any(given is not None for given in log_weights)
    flat = np.zeros(tally_start[-1] if any_weight else 1)
    for position, j in enumerate(plan.order):
        given = log_weights[j]
        if given is not None:
            flat[tally_start[position] : tally_start[position] + len(given)] = given
    whole, real = np.array([0, 1, 0, 0], dtype=np.int64), np.array([-np.inf, 0.0])
    real[kernel.REFERENCE] = -1e300 if any_weight else 0.0
    count_change = np.zeros(tally_start[-1], dtype=np.int64)
    weight_tally = np.zeros(tally_start[-1] if any_weight else 1)
    state = (
        np.zeros(n, np.int64), np.zeros(n, np.int64), np.ascontiguousarray(b, dtype=np.int64).copy(), np.zeros(n + 1),
        np.zeros(n, np.int64), np.zeros(n), whole, real, count_change, weight_tally,
        np.zeros(n, np.int64), np.zeros(len(b), np.int64),
    )  # fmt: skip
    while True:
        pause_at = min(int(whole[kernel.STEPS]) + PAUSE, most_steps)
        status = kernel.walk(
            plan.line, plan.entry_start, plan.entry_row, plan.entry_coefficient, plan.rest_least, plan.rest_most,
            low, high, plan.deciding_row, plan.deciding_sign, plan.step, plan.moving, plan.line_rows, plan.line_row_step,
            tally_start, any_weight, bool(np.isneginf(flat).any()), flat, *state, pause_at,
        )  # fmt: skip
        if status == kernel.DONE:
            break
        if whole[kernel.STEPS] >= most_steps:
            raise TooLarge(
                f"{n} cells and sums that depend on each other are not solved after {most_steps:,} steps of enumeration"
            )
        check_time("tables were enumerated")
        if progress is not None:
            progress(f"{int(whole[kernel.STEPS]):,} steps of enumeration")
    possible: list[np.ndarray] = [np.empty(0)] * n
    weights: list[np.ndarray] = [np.empty(0)] * n
    for position, j in enumerate(plan.order):
        part = slice(tally_start[position], tally_start[position + 1] - 1)
        counts = np.cumsum(count_change[part])
        possible[j] = counts > 0
        share = weight_tally[part] if any_weight else counts.astype(float)
        weights[j] = share / share.sum() if share.sum() > 0 else share
    return Solved(int(whole[kernel.COUNT]), lower, tuple(possible), tuple(weights), "enumeration")


def _plan(A: Any, lower: np.ndarray, upper: np.ndarray) -> _Plan:
    rows, n = A.shape
    order, deciding = _order(A, upper - lower)
    position = np.empty(n, dtype=np.int64)
    position[order] = np.arange(n)
    by_column = sp.csc_array(A)
    entry_row, entry_coefficient, entry_start = [], [], [0]
    for j in order:
        part = slice(by_column.indptr[j], by_column.indptr[j + 1])
        entry_row += by_column.indices[part].tolist()
        entry_coefficient += by_column.data[part].tolist()
        entry_start.append(len(entry_row))
    # What the columns after an entry can still add to its row, going backwards.
    least, most = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    rest_least, rest_most = np.zeros(len(entry_row), np.int64), np.zeros(len(entry_row), np.int64)
    for k in range(n - 1, -1, -1):
        j = order[k]
        for e in range(entry_start[k], entry_start[k + 1]):
            row, a = entry_row[e], entry_coefficient[e]
            rest_least[e], rest_most[e] = least[row], most[row]
            least[row] += a * (lower[j] if a > 0 else upper[j])
            most[row] += a * (upper[j] if a > 0 else lower[j])
    sign = np.array([A[deciding[k], order[k]] if deciding[k] >= 0 else 0 for k in range(n)], dtype=np.int64)
    undecided = np.flatnonzero(np.abs(sign) != 1)
    line = int(undecided[-1]) if len(undecided) else 0
    step = np.zeros(n, dtype=np.int64)
    step[line] = 1
    speed = {int(entry_row[e]): int(entry_coefficient[e]) for e in range(entry_start[line], entry_start[line + 1])}
    for k in range(line + 1, n):
        step[k] = -speed.get(int(deciding[k]), 0) * sign[k]
        for e in range(entry_start[k], entry_start[k + 1]):
            speed[entry_row[e]] = speed.get(entry_row[e], 0) + entry_coefficient[e] * int(step[k])
    line_rows = np.array(sorted(speed), dtype=np.int64)
    return _Plan(
        order=order,
        line=line,
        entry_start=np.array(entry_start, dtype=np.int64),
        entry_row=np.array(entry_row, dtype=np.int64),
        entry_coefficient=np.array(entry_coefficient, dtype=np.int64),
        rest_least=rest_least,
        rest_most=rest_most,
        deciding_row=np.array(deciding, dtype=np.int64),
        deciding_sign=sign,
        step=step,
        moving=line + np.flatnonzero(step[line:]),
        line_rows=line_rows,
        line_row_step=np.array([speed[int(row)] for row in line_rows], dtype=np.int64),
    )


def _order(A: Any, span: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """An order of columns in which equations close early, and for each the row that decides it (-1: it is free).

    A column that some equation leaves alone comes at once. Otherwise the next one is from the equation with the fewest
    open columns, narrow ranges first, so that dead ends show early and the last free column has a long line.
    """
    rows, n = A.shape
    by_column = sp.csc_array(A)
    open_in_row = np.diff(A.indptr).astype(np.int64)
    is_open = np.ones(n, dtype=bool)
    order: list[int] = []
    deciding: list[int] = []
    columns_of = [A.indices[A.indptr[i] : A.indptr[i + 1]] for i in range(rows)]
    rows_of = [by_column.indices[by_column.indptr[j] : by_column.indptr[j + 1]] for j in range(n)]
    started = np.zeros(rows, dtype=bool)

    def take(j: int, row: int) -> None:
        order.append(j)
        deciding.append(row)
        is_open[j] = False
        open_in_row[rows_of[j]] -= 1
        started[rows_of[j]] = True

    while len(order) < n:
        alone = np.flatnonzero(open_in_row == 1)
        if len(alone):
            row = int(alone[0])
            candidates = columns_of[row]
            take(int(candidates[is_open[candidates]][0]), row)
            continue
        live = np.flatnonzero(open_in_row > 0)
        if not len(live):
            for j in np.flatnonzero(is_open):
                take(int(j), -1)
            break
        urgency = open_in_row[live] + n * ~started[live]
        tied = live[urgency == urgency.min()][:MOST_TIED]
        widths = np.array([span[columns_of[i][is_open[columns_of[i]]]].sum() for i in tied], dtype=float)
        row = int(tied[widths.argmin()])
        candidates = columns_of[row][is_open[columns_of[row]]]
        tightness = [open_in_row[rows_of[j]].min(initial=n) for j in candidates]
        degree = [-len(rows_of[j]) for j in candidates]
        take(int(candidates[np.lexsort((tightness, span[candidates], np.array(degree) >= -1))[0]]), -1)
    return np.array(order, dtype=np.int64), deciding
