"""Bound propagation: what each single equation says about the cells in it, until nothing changes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit, jit_inlined
from ...release.facts.facts import NO_LIMIT
from .sparse_equations import Equations

INFINITE = NO_LIMIT

CANNOT_HOLD, NOTHING_NEW, TIGHTER = -1, 0, 1


class Sums(NamedTuple):
    """The least and the most of a sum over the terms that are finite, and how many have no limit on either side."""

    least: int
    most: int
    endless_least: int
    endless_most: int


@jit_inlined
def _term(coefficient: int, low: int, high: int) -> Sums:
    """What a column between two bounds adds to a row."""
    if high >= INFINITE:
        return Sums(coefficient * low, 0, 0, 1) if coefficient > 0 else Sums(0, coefficient * low, 1, 0)
    return (
        Sums(coefficient * low, coefficient * high, 0, 0)
        if coefficient > 0
        else Sums(coefficient * high, coefficient * low, 0, 0)
    )


@jit_inlined
def _plus(sums: Sums, term: Sums) -> Sums:
    return Sums(
        sums.least + term.least,
        sums.most + term.most,
        sums.endless_least + term.endless_least,
        sums.endless_most + term.endless_most,
    )


@jit_inlined
def _without(sums: Sums, term: Sums) -> Sums:
    return Sums(
        sums.least - term.least,
        sums.most - term.most,
        sums.endless_least - term.endless_least,
        sums.endless_most - term.endless_most,
    )


@jit_inlined
def _left(coefficient: int, b: int, others: Sums, low: int, high: int) -> tuple[int, int]:
    """The range that a row leaves a column between two bounds: coefficient * x = b - others."""
    size = coefficient if coefficient > 0 else -coefficient
    if others.endless_least == 0:
        room = b - others.least
        if coefficient > 0:
            high = min(high, room // size)
        else:
            low = max(low, -(room // size))
    if others.endless_most == 0:
        need = b - others.most
        if coefficient > 0:
            low = max(low, -((-need) // size))
        else:
            high = min(high, (-need) // size)
    return low, high


@jit_inlined
def _tighten_row(equations: Equations, lower: np.ndarray, upper: np.ndarray, row: int, dirty: np.ndarray) -> int:
    """Tighten the bounds of the columns of a row, and note the rows for which that may be news."""
    b = equations.b[row]
    sums = Sums(0, 0, 0, 0)
    for entry in range(equations.row_start[row], equations.row_start[row + 1]):
        column = equations.columns[entry]
        sums = _plus(sums, _term(equations.coefficients[entry], lower[column], upper[column]))
    if (sums.endless_least == 0 and sums.least > b) or (sums.endless_most == 0 and sums.most < b):
        return CANNOT_HOLD
    news = NOTHING_NEW
    for entry in range(equations.row_start[row], equations.row_start[row + 1]):
        coefficient, column = equations.coefficients[entry], equations.columns[entry]
        others = _without(sums, _term(coefficient, lower[column], upper[column]))
        low, high = _left(coefficient, b, others, lower[column], upper[column])
        if low > high:
            return CANNOT_HOLD
        if low > lower[column] or high < upper[column]:
            sums = _plus(others, _term(coefficient, low, high))
            lower[column], upper[column] = low, high
            for crossing in range(equations.column_start[column], equations.column_start[column + 1]):
                dirty[equations.rows_of_column[crossing]] = True
            news = TIGHTER
    return news


@jit
def propagate(equations: Equations, lower: np.ndarray, upper: np.ndarray, most_sweeps: int) -> int:
    """Tighten `lower` and `upper` in place; the number of a row that cannot hold, or -1.

    Stopping early is harmless: bounds are then valid but wider than they could be.
    """
    n_rows = len(equations.b)
    dirty = np.ones(n_rows, dtype=np.bool_)
    for _ in range(most_sweeps):
        changed = False
        for row in range(n_rows):
            if not dirty[row]:
                continue
            dirty[row] = False
            news = _tighten_row(equations, lower, upper, row, dirty)
            if news == CANNOT_HOLD:
                return row
            changed = changed or news == TIGHTER
        if not changed:
            break
    return -1
