"""All tables of a small system, or one of them drawn at random: a search that is the same from wherever it starts.

The search fills one column after the other, each within what its equations leave over for the columns after it. It looks
at A, b and the bounds only, so two tables with the same sums lead to the same search: a draw from it, or giving it up at
a number of steps, favours neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..fiber.jit import jit
from .random_words import below

STEPS = 1000
"""Steps of the search for every table that may be found."""


@dataclass(frozen=True, eq=False)
class Search:
    """A system prepared for the search: its entries by column, and what the later columns of a row can hold at most."""

    start: np.ndarray
    row: np.ndarray
    coefficient: np.ndarray
    n_rows: int


def prepare(A: Any) -> Search:
    """The entries of a matrix, column by column."""
    by_column = sp.csc_array(A)
    by_column.sort_indices()
    arrays = (by_column.indptr, by_column.indices, by_column.data)
    start, row, coefficient = (np.ascontiguousarray(one, dtype=np.int64) for one in arrays)
    return Search(start, row, coefficient, A.shape[0])


def every_table(A: Any, b: np.ndarray, lower: np.ndarray, upper: np.ndarray, most: int) -> np.ndarray | None:
    """All solutions, a row each, or None if there are more than `most`, or the search takes too long for so many."""
    order = good_order(A)
    search = prepare(sp.csc_array(A)[:, order])
    found = np.empty((min(most, 1000), A.shape[1]), dtype=np.int64)
    while True:
        number = list_tables(
            search.start,
            search.row,
            search.coefficient,
            b.astype(np.int64),
            lower[order],
            upper[order],
            STEPS * most,
            found,
        )
        if number < 0:
            return None
        if number <= len(found):
            back = np.empty(len(order), dtype=np.int64)
            back[order] = np.arange(len(order))
            return found[:number][:, back]
        if len(found) >= most:
            return None
        found = np.empty((min(most, 10 * len(found)), A.shape[1]), dtype=np.int64)


def good_order(A: Any) -> np.ndarray:
    """Columns in an order that finishes equations early: always one of the equation with the fewest columns left."""
    by_row, by_column = sp.csr_array(A), sp.csc_array(A)
    left = np.diff(by_row.indptr).astype(np.int64)
    placed = np.zeros(A.shape[1], dtype=bool)
    order: list[int] = []
    while len(order) < A.shape[1]:
        waiting = np.flatnonzero(left > 0)
        if not len(waiting):
            order.extend(np.flatnonzero(~placed).tolist())
            break
        row = waiting[np.argmin(left[waiting])]
        mine = by_row.indices[by_row.indptr[row] : by_row.indptr[row + 1]]
        for column in mine[~placed[mine]]:
            placed[column] = True
            order.append(int(column))
            left[by_column.indices[by_column.indptr[column] : by_column.indptr[column + 1]]] -= 1
    return np.array(order, dtype=np.int64)


@jit
def _rest(start, row, coefficient, lower, upper, n_rows, least, most):  # type: ignore[no-untyped-def]
    """For each entry, the least and the most that later columns can add to its row."""
    low, high = np.zeros(n_rows, dtype=np.int64), np.zeros(n_rows, dtype=np.int64)
    for j in range(len(lower) - 1, -1, -1):
        for e in range(start[j], start[j + 1]):
            r, a = row[e], coefficient[e]
            least[e], most[e] = low[r], high[r]
            one, two = a * lower[j], a * upper[j]
            low[r] += min(one, two)
            high[r] += max(one, two)


@jit
def _range(j, start, row, coefficient, left, least, most, lower, upper):  # type: ignore[no-untyped-def]
    """The values of column j that its equations leave possible."""
    low, high = lower[j], upper[j]
    for e in range(start[j], start[j + 1]):
        a, r = coefficient[e], row[e]
        fewest, most_of_it = left[r] - most[e], left[r] - least[e]  # a * value lies between
        if a < 0:
            a, fewest, most_of_it = -a, -most_of_it, -fewest
        low = max(low, -((-fewest) // a))
        high = min(high, most_of_it // a)
    return low, high


@jit
def next_table(start, row, coefficient, left, least, most, lower, upper, x, last, fresh, steps):  # type: ignore[no-untyped-def]
    """Go on from the table in `x` (or begin) to the next one; the steps left over, or -1 after the last table.

    At 0 steps left nothing is said: the search was given up.
    """
    n = len(lower)
    j, down = (0, True) if fresh else (n - 1, False)
    while j >= 0 and steps > 0:
        steps -= 1
        if down:
            x[j], last[j] = _range(j, start, row, coefficient, left, least, most, lower, upper)
            down = x[j] <= last[j]
            if not down:
                j -= 1
                continue
            for e in range(start[j], start[j + 1]):
                left[row[e]] -= coefficient[e] * x[j]
        elif x[j] < last[j]:
            x[j] += 1
            for e in range(start[j], start[j + 1]):
                left[row[e]] -= coefficient[e]
            down = True
        else:
            for e in range(start[j], start[j + 1]):
                left[row[e]] += coefficient[e] * x[j]
            j -= 1
            continue
        j += 1
        if j == n:
            return steps + 1
    return -1 if j < 0 else 0


@jit
def list_tables(
    start: np.ndarray,
    row: np.ndarray,
    coefficient: np.ndarray,
    b: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    steps: int,
    found: np.ndarray,
) -> int:
    """Write all tables into the rows of `found`; how many there are, one more than fit, or -1 if it was given up."""
    n = len(lower)
    least, most = np.empty(len(row), dtype=np.int64), np.empty(len(row), dtype=np.int64)
    _rest(start, row, coefficient, lower, upper, len(b), least, most)
    left = b.copy()
    x, last = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    number = 0
    while True:
        steps = next_table(start, row, coefficient, left, least, most, lower, upper, x, last, number == 0, steps)
        if steps < 0:
            return number
        if steps == 0:
            return -1
        if number == len(found):
            return number + 1
        found[number] = x
        number += 1


@jit
def draw_table(
    start: np.ndarray,
    row: np.ndarray,
    coefficient: np.ndarray,
    b: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    steps: int,
    random: np.ndarray,
    drawn: np.ndarray,
) -> int:
    """Write one of all tables into `drawn`, each with the same probability; how many there are, or 0 if it was given up.

    The k-th table found replaces the one before with probability 1/k.
    """
    n = len(lower)
    least, most = np.empty(len(row), dtype=np.int64), np.empty(len(row), dtype=np.int64)
    _rest(start, row, coefficient, lower, upper, len(b), least, most)
    left = b.copy()
    x, last = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    number = 0
    while True:
        steps = next_table(start, row, coefficient, left, least, most, lower, upper, x, last, number == 0, steps)
        if steps < 0:
            return number
        if steps == 0:
            return 0
        number += 1
        if below(random, number) == 0:
            drawn[:] = x
