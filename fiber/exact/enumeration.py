"""Exact solving of a block by walking through all its tables: a depth-first search with bounds on every equation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.errors import TooLarge
from ...base.interruption import check_time
from ...base.jit import sparingly
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
    columns: kernel.Columns
    line: kernel.Line


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
        return Solved(0, lower, tuple(law_of_none > 0 for law_of_none in nothing), nothing, "enumeration")
    plan = _plan(A, lower, upper)
    b = np.ascontiguousarray(b, dtype=np.int64)
    probe = sparingly(kernel.probe, PROBES * len(plan.columns.row) // 2)
    guess = probe(plan.columns, plan.line.begin + 1, b, PROBES, np.zeros(len(b), np.int64))
    if guess > _hopeless_from(most_steps):
        raise FarTooLarge(n, guess)
    law, path, tallies = _begun(plan, b, log_weights)
    walk = sparingly(kernel.walk, len(plan.columns.row) * math.exp(min(guess, 700.0)))
    _walk_through(walk, plan, law, path, tallies, most_steps, progress)
    possible, weights = _laws(plan, law, tallies)
    return Solved(int(path.whole[kernel.COUNT]), lower, possible, weights, "enumeration")


def _begun(
    plan: _Plan, b: np.ndarray, log_weights: Sequence[np.ndarray | None]
) -> tuple[kernel.Law, kernel.Path, kernel.Tallies]:
    """The weights in the order of the walk, and a walk that has seen nothing yet."""
    n = len(plan.order)
    start = np.concatenate([[0], np.cumsum(plan.columns.upper - plan.columns.lower + 2)]).astype(np.int64)
    weighted = any(of_column is not None for of_column in log_weights)
    places = start[-1] if weighted else 1
    log_weight = np.zeros(places)
    for position, j in enumerate(plan.order):
        of_column = log_weights[j]
        if of_column is not None:
            log_weight[start[position] : start[position] + len(of_column)] = of_column
    path = kernel.Path(
        value=np.zeros(n, np.int64),
        last=np.zeros(n, np.int64),
        residual=b.copy(),
        log_weight=np.zeros(n + 1),
        tables=np.zeros(n, np.int64),
        weight=np.zeros(n),
        whole=np.array([0, 1, 0, 0], dtype=np.int64),
        real=np.array([-1e300 if weighted else 0.0, 0.0]),
    )
    law = kernel.Law(weighted, bool(np.isneginf(log_weight).any()), log_weight)
    return law, path, kernel.Tallies(start, np.zeros(start[-1], dtype=np.int64), np.zeros(places))


def _walk_through(
    walk: Callable[..., int],
    plan: _Plan,
    law: kernel.Law,
    path: kernel.Path,
    tallies: kernel.Tallies,
    most_steps: int,
    progress: Progress | None,
) -> None:
    """Walk until every table is seen, looking up now and then; `TooLarge` after too many steps."""
    n = len(plan.order)
    room = kernel.Room(np.zeros(n, np.int64), np.zeros(len(path.residual), np.int64))
    while True:
        pause_at = min(int(path.whole[kernel.STEPS]) + PAUSE, most_steps)
        if walk(plan.columns, plan.line, law, path, tallies, room, pause_at) == kernel.DONE:
            return
        if path.whole[kernel.STEPS] >= most_steps:
            raise TooLarge(
                f"{n} cells and sums that depend on each other are not solved after {most_steps:,} steps of enumeration"
            )
        check_time("tables were enumerated")
        if progress is not None:
            progress(f"{int(path.whole[kernel.STEPS]):,} steps of enumeration")


def _laws(
    plan: _Plan, law: kernel.Law, tallies: kernel.Tallies
) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    """Of each column, in its own order: which values it has in some table, and how probable each is."""
    possible: list[np.ndarray] = [np.empty(0)] * len(plan.order)
    weights: list[np.ndarray] = [np.empty(0)] * len(plan.order)
    for position, j in enumerate(plan.order):
        part = slice(tallies.start[position], tallies.start[position + 1] - 1)
        counts = np.cumsum(tallies.change[part])
        possible[j] = counts > 0
        share = tallies.weight[part] if law.weighted else counts.astype(float)
        weights[j] = share / share.sum() if share.sum() > 0 else share
    return tuple(possible), tuple(weights)


def _plan(A: Any, lower: np.ndarray, upper: np.ndarray) -> _Plan:
    order, deciding = _order(A, upper - lower)
    columns = _columns(A, order, lower, upper)
    sign = np.array([A[row, j] if row >= 0 else 0 for row, j in zip(deciding, order, strict=True)], dtype=np.int64)
    return _Plan(order, columns, _line(columns, np.array(deciding, dtype=np.int64), sign))


def _columns(A: Any, order: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> kernel.Columns:
    """The columns in an order, each with what those after it can still add to its equations."""
    by_column = sp.csc_array(A)
    entry_row, entry_coefficient, entry_start = [], [], [0]
    for j in order:
        part = slice(by_column.indptr[j], by_column.indptr[j + 1])
        entry_row += by_column.indices[part].tolist()
        entry_coefficient += by_column.data[part].tolist()
        entry_start.append(len(entry_row))
    least, most = np.zeros(A.shape[0], np.int64), np.zeros(A.shape[0], np.int64)
    rest_least, rest_most = np.zeros(len(entry_row), np.int64), np.zeros(len(entry_row), np.int64)
    for position in range(len(order) - 1, -1, -1):
        j = order[position]
        for entry in range(entry_start[position], entry_start[position + 1]):
            row, coefficient = entry_row[entry], entry_coefficient[entry]
            rest_least[entry], rest_most[entry] = least[row], most[row]
            least[row] += coefficient * (lower[j] if coefficient > 0 else upper[j])
            most[row] += coefficient * (upper[j] if coefficient > 0 else lower[j])
    return kernel.Columns(
        start=np.array(entry_start, dtype=np.int64),
        row=np.array(entry_row, dtype=np.int64),
        coefficient=np.array(entry_coefficient, dtype=np.int64),
        rest_least=rest_least,
        rest_most=rest_most,
        lower=lower[order],
        upper=upper[order],
    )


def _line(columns: kernel.Columns, deciding: np.ndarray, sign: np.ndarray) -> kernel.Line:
    """The line from the last free column on: how fast each column, and each row, moves with it."""
    n = len(deciding)
    undecided = np.flatnonzero(np.abs(sign) != 1)
    begin = int(undecided[-1]) if len(undecided) else 0
    step = np.zeros(n, dtype=np.int64)
    step[begin] = 1
    speed: dict[int, int] = {}
    for position in range(begin, n):
        if position > begin:
            step[position] = -speed.get(int(deciding[position]), 0) * sign[position]
        for entry in range(columns.start[position], columns.start[position + 1]):
            row = int(columns.row[entry])
            speed[row] = speed.get(row, 0) + int(columns.coefficient[entry]) * int(step[position])
    rows = sorted(speed)
    return kernel.Line(
        begin=begin,
        deciding_row=deciding,
        deciding_sign=sign,
        step=step,
        moving=begin + np.flatnonzero(step[begin:]),
        rows=np.array(rows, dtype=np.int64),
        row_step=np.array([speed[row] for row in rows], dtype=np.int64),
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
