"""The elimination order of the columns of a block, which sums to keep track of, and what that will cost.

The best order is hard to find (as a tree of least width is); greedy ones from several starts are compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ...base.jit import jit, jit_inlined, sparingly
from ..equations.rowspace import relations

MOST_WORK = 100_000_000
"""Steps spent on looking for a good order."""
FIRST, FAR = 3, 10 * np.log(10)
"""Orders after which more are looked at only if the best of them costs less than this over what may be spent."""
MOST_ENTRIES = 10_000_000
"""Rows times columns of a block that is looked at at all."""


@dataclass(frozen=True, eq=False)
class Plan:
    """An order of the columns, and the *kept* rows, whose open sums make up a state.

    Rows are sums of columns counted from 0. After t columns the sum of a row so far lies in low[row, t] .. high[row, t].
    The rows that are not kept follow from those that are: row = combination @ A[kept].
    """

    A: np.ndarray
    b: np.ndarray
    span: np.ndarray
    order: np.ndarray
    kept: np.ndarray
    combination: np.ndarray
    opens: np.ndarray
    closes: np.ndarray
    low: np.ndarray
    high: np.ndarray
    log_states: np.ndarray

    @property
    def log_operations(self) -> float:
        """The natural log of the states that could be met, times the values that could be added to them: an upper bound."""
        return float(np.logaddexp.reduce(self.log_states[:-1] + np.log1p(self.span[self.order])))

    def open_rows(self, t: int) -> np.ndarray:
        """The kept rows that are open after t columns."""
        rows = self.kept
        return rows[(self.opens[rows] < t) & (self.closes[rows] >= t)]


def plan(A: Any, b: np.ndarray, span: np.ndarray, most: float = np.inf) -> Plan | None:
    """The plan with the best of some greedy orders, or None where the block is too large to look for one.

    Where the first orders cost far more than `most`, in logarithms, no further ones are looked at: those of other starts
    are seldom better by a few powers of ten.
    """
    A = sp.csr_array(A)
    if A.shape[0] * A.shape[1] > MOST_ENTRIES:
        return None
    dense = A.toarray()
    by_column = sp.csc_array(A)
    pattern = Pattern(
        A.indptr.astype(np.int64), A.indices.astype(np.int64),
        by_column.indptr.astype(np.int64), by_column.indices.astype(np.int64),
    )  # fmt: skip
    room = np.log1p(np.minimum(abs(A) @ span, np.maximum(abs(b), 1)).astype(float))
    rows_met = int((np.diff(by_column.indptr).astype(np.int64) ** 2).sum())
    work = A.shape[0] * (rows_met + 50 * A.shape[1])
    tries = int(np.clip(MOST_WORK // max(1, work), 1, A.shape[0]))
    best: Plan | None = None
    for number, first in enumerate(np.argsort(room, kind="stable")[:: max(1, A.shape[0] // tries)][:tries]):
        if best is not None and number >= FIRST and best.log_operations > most + FAR:
            break
        order = sparingly(_row_by_row, work / 10)(pattern, Sizes(room, np.log1p(span.astype(float))), int(first))
        candidate = _along(dense, b, span, order)
        if best is None or candidate.log_operations < best.log_operations:
            best = candidate
    return best


def planned_operations(A: Any, b: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> float:
    """What an elimination is planned to cost, mostly too high; 0 where there is no plan for the columns as they are."""
    if (np.diff(sp.csc_array(A).indptr) == 0).any():
        return 0.0
    best = plan(A, b - A @ lower, upper - lower)
    return 0.0 if best is None else float(np.exp(min(best.log_operations, 700.0)))


class Pattern(NamedTuple):
    """Which columns each row has, and which rows each column."""

    row_start: np.ndarray
    columns: np.ndarray
    column_start: np.ndarray
    rows: np.ndarray


class Sizes(NamedTuple):
    """How wide the sum of a row can be, and a column."""

    room: np.ndarray
    width: np.ndarray


class Open(NamedTuple):
    """What is left after some columns."""

    left: np.ndarray
    """Columns of each row that are not yet taken."""
    is_open: np.ndarray
    """Has the row some that are taken, and some that are not?"""
    taken: np.ndarray
    gone: np.ndarray
    """Scratch: columns of a row that completing another one takes."""
    met: np.ndarray


@jit_inlined
def _rows_met(pattern: Pattern, state: Open, i: int) -> int:
    """Count for each row how many of its columns completing row i takes; how many rows have any."""
    n_met = 0
    for entry in range(pattern.row_start[i], pattern.row_start[i + 1]):
        j = pattern.columns[entry]
        if not state.taken[j]:
            for crossing in range(pattern.column_start[j], pattern.column_start[j + 1]):
                row = pattern.rows[crossing]
                if state.gone[row] == 0:
                    state.met[n_met] = row
                    n_met += 1
                state.gone[row] += 1
    return n_met


@jit_inlined
def _change_by_row(pattern: Pattern, sizes: Sizes, state: Open, i: int, begun: bool) -> float:
    """By how much more is open after a row was completed, in logarithms."""
    change, touches = 0.0, False
    for k in range(_rows_met(pattern, state, i)):
        row = state.met[k]
        touches = touches or state.is_open[row]
        if state.is_open[row] and state.left[row] == state.gone[row]:
            change -= sizes.room[row]
        elif not state.is_open[row] and state.left[row] > state.gone[row]:
            change += sizes.room[row]
        state.gone[row] = 0
    if not touches and begun:
        change += 1e6  # begin elsewhere only where nothing is open
    return change


@jit_inlined
def _next_row(pattern: Pattern, sizes: Sizes, state: Open, begun: bool) -> int:
    """The row whose completion leaves the least open; -1 where all are complete."""
    chosen, least = -1, np.inf
    for i in range(len(state.left)):
        if state.left[i] > 0:
            change = _change_by_row(pattern, sizes, state, i, begun)
            if change < least:
                chosen, least = i, change
    return chosen


@jit_inlined
def _next_column(pattern: Pattern, sizes: Sizes, state: Open, row: int) -> int:
    """Within a row: first what opens nothing or little, so that wide sums open late."""
    chosen, least = -1, np.inf
    for entry in range(pattern.row_start[row], pattern.row_start[row + 1]):
        j = pattern.columns[entry]
        if state.taken[j]:
            continue
        change = 1e-3 * sizes.width[j]
        for crossing in range(pattern.column_start[j], pattern.column_start[j + 1]):
            other = pattern.rows[crossing]
            if not state.is_open[other] and state.left[other] > 1:
                change += sizes.room[other]
            elif state.is_open[other] and state.left[other] == 1:
                change -= sizes.room[other]
        if change < least:
            chosen, least = j, change
    return chosen


@jit_inlined
def _take(pattern: Pattern, state: Open, j: int) -> None:
    """Take a column."""
    state.taken[j] = True
    for crossing in range(pattern.column_start[j], pattern.column_start[j + 1]):
        row = pattern.rows[crossing]
        state.left[row] -= 1
        state.is_open[row] = state.left[row] > 0


@jit
def _row_by_row(pattern: Pattern, sizes: Sizes, first: int) -> np.ndarray:
    """Complete one row after the other, always the one that leaves the least open, starting with `first`."""
    m, n = len(pattern.row_start) - 1, len(pattern.column_start) - 1
    state = Open(
        np.empty(m, np.int64),
        np.zeros(m, np.bool_),
        np.zeros(n, np.bool_),
        np.zeros(m, np.int64),
        np.empty(m, np.int64),
    )
    for i in range(m):
        state.left[i] = pattern.row_start[i + 1] - pattern.row_start[i]
    order = np.empty(n, np.int64)
    n_done = 0
    row = first if state.left[first] > 0 else -1
    while row >= 0:
        while state.left[row] > 0:
            j = _next_column(pattern, sizes, state, row)
            _take(pattern, state, j)
            order[n_done] = j
            n_done += 1
        row = _next_row(pattern, sizes, state, n_done > 0)
    for j in range(n):  # columns that are in no row
        if not state.taken[j]:
            order[n_done] = j
            n_done += 1
    return order


def _along(A: np.ndarray, b: np.ndarray, span: np.ndarray, order: np.ndarray) -> Plan:
    """The plan of an order: when the sum of each row opens and closes, and between which values it lies on the way."""
    m, n = A.shape
    ordered = A[:, order] != 0
    opens = np.where(ordered.any(axis=1), ordered.argmax(axis=1), n)
    closes = np.where(ordered.any(axis=1), n - 1 - ordered[:, ::-1].argmax(axis=1), -1)
    reach = A[:, order] * span[order]
    zero = np.zeros((m, 1), dtype=np.int64)
    most = np.concatenate([zero, np.cumsum(np.maximum(reach, 0), axis=1)], axis=1)
    least = np.concatenate([zero, np.cumsum(np.minimum(reach, 0), axis=1)], axis=1)
    low = np.maximum(least, b[:, None] - (most[:, -1:] - most))
    high = np.minimum(most, b[:, None] - (least[:, -1:] - least))
    t = np.arange(n + 1)
    is_open = (opens[:, None] < t) & (closes[:, None] >= t)
    width = np.where(is_open, np.log(np.maximum(high - low, 0) + 1.0), 0)
    # Short-lived and narrow rows first, so that what depends on them, lives long and is wide need not be kept: a line
    # is as long as the narrower of its axis and of what makes up for it in a row that is not kept.
    sequence = np.argsort((width**2).sum(axis=1), kind="stable")
    kept, combination = relations(A[sequence])
    combination_of = np.zeros((m, len(kept)), dtype=np.int64)
    combination_of[sequence] = combination
    kept = sequence[kept]
    return Plan(A, b, span, order, kept, combination_of, opens, closes, low, high, width[kept].sum(axis=0))
