"""All tables of a small system, or one of them drawn at random: a depth-first search that depends on no table.

The search fills one column after the other, within what its equations leave over for the columns after it. It looks at A, b
and the bounds only, so that two tables with the same sums lead to the same search: neither a draw from it, nor giving it up
after a number of steps, favours one of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ...base.jit import jit
from ...base.random_streams import below

STEPS = 1000
"""Steps of the search for every table that may be found."""
LEAST_STEPS = 10_000_000
MOST_NUMBERS = 50_000_000
"""Tables times cells that are kept."""


class Search(NamedTuple):
    """The entries of a system, column by column: where each column begins, the rows, and the coefficients."""

    start: np.ndarray
    row: np.ndarray
    coefficient: np.ndarray


def prepare(A: Any) -> Search:
    """The entries of a matrix, column by column."""
    by_column = sp.csc_array(A)
    by_column.sort_indices()
    arrays = (by_column.indptr, by_column.indices, by_column.data)
    return Search(*(np.ascontiguousarray(array, dtype=np.int64) for array in arrays))


def every_table(A: Any, b: np.ndarray, lower: np.ndarray, upper: np.ndarray, most: int) -> np.ndarray | None:
    """All solutions, a row each, or None if there are more than `most`, or the search takes too long for so many."""
    most = min(most, MOST_NUMBERS // max(1, A.shape[1]))
    order = good_order(A)
    search = prepare(sp.csc_array(A)[:, order])
    tables = np.empty((min(most, max(10, 1_000_000 // max(1, A.shape[1]))), A.shape[1]), dtype=np.int64)
    while True:
        number = list_tables(
            search, b.astype(np.int64), lower[order], upper[order], max(LEAST_STEPS, STEPS * most), tables
        )
        if number < 0:
            return None
        if number <= len(tables):
            back = np.empty(len(order), dtype=np.int64)
            back[order] = np.arange(len(order))
            return tables[:number][:, back]
        if len(tables) >= most:
            return None
        tables = np.empty((min(most, 10 * len(tables)), A.shape[1]), dtype=np.int64)


def good_order(A: Any) -> np.ndarray:
    """Columns in an order that finishes equations early: always one of the equation with the fewest columns left."""
    by_row, by_column = sp.csr_array(A), sp.csc_array(A)
    columns_left = np.diff(by_row.indptr).astype(np.int64)
    placed = np.zeros(A.shape[1], dtype=bool)
    order: list[int] = []
    while len(order) < A.shape[1]:
        waiting = np.flatnonzero(columns_left > 0)
        if not len(waiting):
            order.extend(np.flatnonzero(~placed).tolist())
            break
        row = waiting[np.argmin(columns_left[waiting])]
        of_row = by_row.indices[by_row.indptr[row] : by_row.indptr[row + 1]]
        for column in of_row[~placed[of_row]]:
            placed[column] = True
            order.append(int(column))
            columns_left[by_column.indices[by_column.indptr[column] : by_column.indptr[column + 1]]] -= 1
    return np.array(order, dtype=np.int64)


class Course(NamedTuple):
    """Where a search stands: what is left of each row, the values so far, and the last value of each column."""

    left: np.ndarray
    x: np.ndarray
    last: np.ndarray
    least: np.ndarray
    """For each entry, the least that later columns can add to its row."""
    most: np.ndarray


@jit
def begin(search: Search, b: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> Course:
    """A search before its first step."""
    least, most = np.empty(len(search.row), dtype=np.int64), np.empty(len(search.row), dtype=np.int64)
    low, high = np.zeros(len(b), dtype=np.int64), np.zeros(len(b), dtype=np.int64)
    for j in range(len(lower) - 1, -1, -1):
        for entry in range(search.start[j], search.start[j + 1]):
            row, coefficient = search.row[entry], search.coefficient[entry]
            least[entry], most[entry] = low[row], high[row]
            at_lower, at_upper = coefficient * lower[j], coefficient * upper[j]
            low[row] += min(at_lower, at_upper)
            high[row] += max(at_lower, at_upper)
    return Course(b.copy(), np.empty(len(lower), np.int64), np.empty(len(lower), np.int64), least, most)


@jit
def _range(j: int, search: Search, course: Course, lower: np.ndarray, upper: np.ndarray) -> tuple[int, int]:
    """The values of column j that its equations leave possible."""
    low, high = lower[j], upper[j]
    for entry in range(search.start[j], search.start[j + 1]):
        coefficient, row = search.coefficient[entry], search.row[entry]
        # between these lies the coefficient times the value
        fewest, largest = course.left[row] - course.most[entry], course.left[row] - course.least[entry]
        if coefficient < 0:
            coefficient, fewest, largest = -coefficient, -largest, -fewest
        low = max(low, -((-fewest) // coefficient))
        high = min(high, largest // coefficient)
    return low, high


@jit
def next_table(search: Search, course: Course, lower: np.ndarray, upper: np.ndarray, fresh: bool, steps: int) -> int:
    """Go on from the table in the course (or begin) to the next one; the steps left over, or -1 after the last table.

    0 steps left means that the search was given up: there may be more tables.
    """
    n = len(lower)
    left, x, last = course.left, course.x, course.last
    j, down = (0, True) if fresh else (n - 1, False)
    while j >= 0 and steps > 0:
        steps -= 1
        if down:
            x[j], last[j] = _range(j, search, course, lower, upper)
            down = x[j] <= last[j]
            if not down:
                j -= 1
                continue
            for entry in range(search.start[j], search.start[j + 1]):
                left[search.row[entry]] -= search.coefficient[entry] * x[j]
        elif x[j] < last[j]:
            x[j] += 1
            for entry in range(search.start[j], search.start[j + 1]):
                left[search.row[entry]] -= search.coefficient[entry]
            down = True
        else:
            for entry in range(search.start[j], search.start[j + 1]):
                left[search.row[entry]] += search.coefficient[entry] * x[j]
            j -= 1
            continue
        j += 1
        if j == n:
            return steps + 1
    return -1 if j < 0 else 0


@jit
def list_tables(
    search: Search, b: np.ndarray, lower: np.ndarray, upper: np.ndarray, steps: int, tables: np.ndarray
) -> int:
    """Write all tables into the rows of `tables`; how many there are, one more than fit, or -1 if it was given up."""
    course = begin(search, b, lower, upper)
    number = 0
    while True:
        steps = next_table(search, course, lower, upper, number == 0, steps)
        if steps < 0:
            return number
        if steps == 0:
            return -1
        if number == len(tables):
            return number + 1
        tables[number] = course.x
        number += 1


@jit
def draw_table(
    search: Search,
    b: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    steps: int,
    random: np.ndarray,
    drawn: np.ndarray,
) -> int:
    """Write one of all tables into `drawn`, each with the same probability; how many there are, or 0 if it was given up.

    Reservoir sampling: the k-th table replaces the one before with probability 1/k.
    """
    course = begin(search, b, lower, upper)
    number = 0
    while True:
        steps = next_table(search, course, lower, upper, number == 0, steps)
        if steps < 0:
            return number
        if steps == 0:
            return 0
        number += 1
        if below(random, number) == 0:
            drawn[:] = course.x
