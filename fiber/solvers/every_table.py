"""All tables of a small system, or one of them drawn at random: a search that is the same from wherever it starts.

The search fills one column after the other, each within what its equations leave over for the columns after it. It looks
at A, b and the bounds only, so two tables with the same sums lead to the same search: a draw from it, or giving it up at
a number of steps, favours neither.
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
    return Search(*(np.ascontiguousarray(one, dtype=np.int64) for one in arrays))


def every_table(A: Any, b: np.ndarray, lower: np.ndarray, upper: np.ndarray, most: int) -> np.ndarray | None:
    """All solutions, a row each, or None if there are more than `most`, or the search takes too long for so many."""
    most = min(most, MOST_NUMBERS // max(1, A.shape[1]))
    order = good_order(A)
    search = prepare(sp.csc_array(A)[:, order])
    found = np.empty((min(most, max(10, 1_000_000 // max(1, A.shape[1]))), A.shape[1]), dtype=np.int64)
    while True:
        number = list_tables(
            search, b.astype(np.int64), lower[order], upper[order], max(LEAST_STEPS, STEPS * most), found
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
        for e in range(search.start[j], search.start[j + 1]):
            r, a = search.row[e], search.coefficient[e]
            least[e], most[e] = low[r], high[r]
            one, two = a * lower[j], a * upper[j]
            low[r] += min(one, two)
            high[r] += max(one, two)
    return Course(b.copy(), np.empty(len(lower), np.int64), np.empty(len(lower), np.int64), least, most)


@jit
def _range(j: int, search: Search, course: Course, lower: np.ndarray, upper: np.ndarray) -> tuple[int, int]:
    """The values of column j that its equations leave possible."""
    low, high = lower[j], upper[j]
    for e in range(search.start[j], search.start[j + 1]):
        a, r = search.coefficient[e], search.row[e]
        fewest, largest = course.left[r] - course.most[e], course.left[r] - course.least[e]  # a * value lies between
        if a < 0:
            a, fewest, largest = -a, -largest, -fewest
        low = max(low, -((-fewest) // a))
        high = min(high, largest // a)
    return low, high


@jit
def next_table(search: Search, course: Course, lower: np.ndarray, upper: np.ndarray, fresh: bool, steps: int) -> int:
    """Go on from the table in the course (or begin) to the next one; the steps left over, or -1 after the last table.

    At 0 steps left nothing is said: the search was given up.
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
            for e in range(search.start[j], search.start[j + 1]):
                left[search.row[e]] -= search.coefficient[e] * x[j]
        elif x[j] < last[j]:
            x[j] += 1
            for e in range(search.start[j], search.start[j + 1]):
                left[search.row[e]] -= search.coefficient[e]
            down = True
        else:
            for e in range(search.start[j], search.start[j + 1]):
                left[search.row[e]] += search.coefficient[e] * x[j]
            j -= 1
            continue
        j += 1
        if j == n:
            return steps + 1
    return -1 if j < 0 else 0


@jit
def list_tables(
    search: Search, b: np.ndarray, lower: np.ndarray, upper: np.ndarray, steps: int, found: np.ndarray
) -> int:
    """Write all tables into the rows of `found`; how many there are, one more than fit, or -1 if it was given up."""
    course = begin(search, b, lower, upper)
    number = 0
    while True:
        steps = next_table(search, course, lower, upper, number == 0, steps)
        if steps < 0:
            return number
        if steps == 0:
            return -1
        if number == len(found):
            return number + 1
        found[number] = course.x
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

    The k-th table found replaces the one before with probability 1/k.
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
