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
def _term(a: int, low: int, high: int) -> Sums:
    """What a column between two bounds adds to a row."""
    if high >= INFINITE:
        return Sums(a * low, 0, 0, 1) if a > 0 else Sums(0, a * low, 1, 0)
    return Sums(a * low, a * high, 0, 0) if a > 0 else Sums(a * high, a * low, 0, 0)


@jit_inlined
def _plus(one: Sums, two: Sums) -> Sums:
    return Sums(
        one.least + two.least,
        one.most + two.most,
        one.endless_least + two.endless_least,
        one.endless_most + two.endless_most,
    )


@jit_inlined
def _without(one: Sums, two: Sums) -> Sums:
    return Sums(
        one.least - two.least,
        one.most - two.most,
        one.endless_least - two.endless_least,
        one.endless_most - two.endless_most,
    )


@jit_inlined
def _left(a: int, b: int, rest: Sums, low: int, high: int) -> tuple[int, int]:
    """The range that a row leaves a column between two bounds: a x = b - rest."""
    size = a if a > 0 else -a
    if rest.endless_least == 0:
        room = b - rest.least
        if a > 0:
            high = min(high, room // size)
        else:
            low = max(low, -(room // size))
    if rest.endless_most == 0:
        need = b - rest.most
        if a > 0:
            low = max(low, -((-need) // size))
        else:
            high = min(high, (-need) // size)
    return low, high


@jit_inlined
def _tighten_row(equations: Equations, lower: np.ndarray, upper: np.ndarray, row: int, dirty: np.ndarray) -> int:
    """Tighten the bounds of the columns of a row, and note the rows for which that may be news."""
    b = equations.b[row]
    sums = Sums(0, 0, 0, 0)
    for e in range(equations.row_start[row], equations.row_start[row + 1]):
        j = equations.columns[e]
        sums = _plus(sums, _term(equations.coefficients[e], lower[j], upper[j]))
    if (sums.endless_least == 0 and sums.least > b) or (sums.endless_most == 0 and sums.most < b):
        return CANNOT_HOLD
    news = NOTHING_NEW
    for e in range(equations.row_start[row], equations.row_start[row + 1]):
        a, j = equations.coefficients[e], equations.columns[e]
        rest = _without(sums, _term(a, lower[j], upper[j]))
        low, high = _left(a, b, rest, lower[j], upper[j])
        if low > high:
            return CANNOT_HOLD
        if low > lower[j] or high < upper[j]:
            sums = _plus(rest, _term(a, low, high))
            lower[j], upper[j] = low, high
            for f in range(equations.column_start[j], equations.column_start[j + 1]):
                dirty[equations.rows_of_column[f]] = True
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
