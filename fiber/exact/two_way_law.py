"""The law of every cell of a two-way table of up to four rows and columns, all tables alike: also where it has 901 people.

How many tables there are with some columns and given row sums is found column by column. A column of sum c can be any four
whole numbers that add up to c, so that each number after a column is the sum of those before it over a simplex of size c.
Such sums need no loop over the simplex: one that is moved by a unit gains a face and loses a face, whose sums are found in
the same way from lines. So a column takes a few steps for each state, however large its sum is.

All is counted in 64-bit numbers that wrap around. It is exact where what is asked for fits into them; where it may not,
nothing is answered. Of the four row sums three make up the state, as the fourth follows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.interruption import check_time
from ...base.jit import jit, jit_inlined
from ..blocks.presolve import Block
from ..solvers.side_by_side import side_by_side
from .elimination_bytes import one_large_at_a_time
from .solved import Budget, Solved
from .two_way_count import SIDE, complete_two_way, count_two_way

ARRAYS = 5
"""Numbers for each state that are held at once."""
PER_STATE = 120
"""Operations for each state and column: few, but they wait for memory."""
COLUMNS = 6
"""Columns that are added in all: two of each half, and each of the others to these."""


class ColumnLaws(NamedTuple):
    """For each row how many tables have each value in a column; and how many there are, modulo 2^64."""

    tables: int
    laws: list[np.ndarray]


def two_way_law(block: Block, budget: Budget) -> Solved | None:
    """The exact law of every cell; None where the block is another, or too large."""
    found = complete_two_way(block)
    if found is None or max(len(found.rows), len(found.columns)) > SIDE:
        return None
    # the widest row is the one that follows from the others
    order = np.argsort(found.rows, kind="stable")
    rows, columns = (np.pad(sums, (SIDE - len(sums), 0)) for sums in (found.rows[order], found.columns))
    states = float(np.prod(rows[:3].astype(float) + 1))
    if states * COLUMNS * PER_STATE > budget.operations or 8 * ARRAYS * states > budget.bytes:
        return None
    if _most_tables(columns) >= 2.0**63:
        return None
    halves, bytes_of_half = (([2, 3], [0, 1]), ([0, 1], [2, 3])), int(8 * ARRAYS * states)
    at_once = len(halves) if len(halves) * bytes_of_half <= budget.bytes else 1
    with one_large_at_a_time() as claim:
        claim(at_once * bytes_of_half)
        of_halves = [
            half
            for first in range(0, len(halves), at_once)
            for half in side_by_side(lambda half: _laws_of_two(rows, columns, *half), halves[first : first + at_once])
        ]
    of_columns = [laws for two in of_halves for laws in two]
    tables = _total(block, of_columns[0], budget)
    if tables is None:
        return None
    place = np.empty(len(order), dtype=np.int64)
    place[order] = SIDE - len(order) + np.arange(len(order))
    weights = []
    for cell in range(len(block.columns)):
        law = of_columns[SIDE - len(found.columns) + found.column[cell]].laws[place[found.row[cell]]]
        share = law[block.lower[cell] - found.offset[cell] : block.upper[cell] - found.offset[cell] + 1]
        weights.append(share / share.sum())
    return Solved(tables, block.lower, tuple(law > 0 for law in weights), tuple(weights), "two-way counts")


def _total(block: Block, of_column: ColumnLaws, budget: Budget) -> int | None:
    """The number of tables: as it was counted with the law where it fits, else by splits."""
    return of_column.tables if of_column.laws[0].sum() < 2.0**63 else count_two_way(block, budget)


def _most_tables(columns: np.ndarray) -> float:
    """No fewer than the tables that three of the columns have with any row sums: two are at will, the third follows."""
    ways = np.sort([(c + 1.0) * (c + 2.0) * (c + 3.0) / 6.0 for c in columns])
    return float(ways[-2] * ways[-3])


def _laws_of_two(rows: np.ndarray, columns: np.ndarray, others: list[int], two: list[int]) -> list[ColumnLaws]:
    """For each of two columns and each row how many tables have each value there: those that the other three columns have
    with what it leaves of the rows."""
    places = np.indices(tuple(int(total) + 1 for total in rows[:3]), sparse=True)
    of_one = (sum(places) <= columns[others[0]]).astype(np.uint64)
    check_time("tables were counted")
    of_others = added(of_one, int(columns[others[1]]))
    answers = []
    for k, beside in zip(two, two[::-1], strict=True):
        check_time("tables were counted")
        counts = added(of_others, int(columns[beside]))
        laws = [np.zeros(int(total) + 1) for total in rows]
        tables = left_over(counts, rows, int(columns[k]), *laws)
        answers.append(ColumnLaws(int(tables), laws))
    return answers


@jit
def left_over(
    counts: np.ndarray,
    rows: np.ndarray,
    total: int,
    first_law: np.ndarray,
    second_law: np.ndarray,
    third_law: np.ndarray,
    last_law: np.ndarray,
) -> np.uint64:
    """Add up, for all columns of a total, the tables that the other columns have with what is left of the rows."""
    all_tables = np.uint64(0)
    for a in range(min(rows[0], total) + 1):
        for b in range(min(rows[1], total - a) + 1):
            for c in range(max(0, total - a - b - rows[3]), min(rows[2], total - a - b) + 1):
                number = counts[rows[0] - a, rows[1] - b, rows[2] - c]
                all_tables += number
                tables = float(number)
                first_law[a] += tables
                second_law[b] += tables
                third_law[c] += tables
                last_law[total - a - b - c] += tables
    return all_tables


@jit
def added(before: np.ndarray, total: int) -> np.ndarray:
    """after[s]: the sum of before[s - y] over all y >= 0 whose sum is at most `total`, in a few steps for each s.

    A simplex at s less that at s - e1 is a triangle of its first face (y1 = 0) less one of its slanted face (sum `total`).
    """
    of_23 = _diagonals(before)
    slanted = _slanted_faces(before, of_23, total)
    first, second, third = before.shape
    after = np.zeros_like(before)
    triangle, line = np.zeros((second, third), before.dtype), np.zeros(third, before.dtype)
    for a in range(first):
        for b in range(second):
            running = np.uint64(0)
            for c in range(third):
                running += before[a, b, c]
                if c - total - 1 >= 0:
                    running -= before[a, b, c - total - 1]
                line[c] = running
            for c in range(third):
                value = line[c]
                if b > 0:
                    value += triangle[b - 1, c] - _segment(of_23, a, b - 1, c, total)
                triangle[b, c] = value
                if a > 0:
                    value += after[a - 1, b, c] - slanted[a - 1, b, c]
                after[a, b, c] = value
    return after


@jit
def _diagonals(before: np.ndarray) -> np.ndarray:
    """out[a, b, c]: the sum of before[a, b - t, c + t] over t >= 0."""
    out = before.copy()
    first, second, third = before.shape
    for a in range(first):
        for b in range(1, second):
            for c in range(third - 1):
                out[a, b, c] += out[a, b - 1, c + 1]
    return out


@jit_inlined
def _from(diagonals: np.ndarray, a: int, b: int, c: int) -> np.uint64:
    """The sum along a diagonal from a place on, which need not be in the table."""
    if c < 0:
        b, c = b + c, 0
    if b < 0 or c >= diagonals.shape[2]:
        return np.uint64(0)
    return diagonals[a, b, c]


@jit_inlined
def _segment(diagonals: np.ndarray, a: int, b: int, c: int, total: int) -> np.uint64:
    """The sum over all y2 + y3 = total of what stands at (a, b - y2, c - y3)."""
    return _from(diagonals, a, b, c - total) - _from(diagonals, a, b - total - 1, c + 1)


@jit
def _slanted_faces(before: np.ndarray, of_23: np.ndarray, total: int) -> np.ndarray:
    """out[s]: the sum of before[s - y] over all y >= 0 whose sum is `total`.

    Moved by e1 - e3, such a triangle gains a segment with y1 = 0 and loses one beyond y3 = 0. That leads through places
    beyond the third row sum, where nothing stands but from where triangles reach back.
    """
    first, second, third = before.shape
    of_12 = _diagonals(before.transpose(2, 0, 1).copy())
    out = np.zeros_like(before)
    for b in range(second):
        for diagonal in range(first + third - 1):
            running = np.uint64(0)
            for a in range(min(first, diagonal + 1)):
                c = diagonal - a
                running += _segment(of_23, a, b, c, total)
                if a > 0 and c + 1 < third:
                    running -= _segment(of_12, c + 1, a - 1, b, total)
                if c < third:
                    out[a, b, c] = running
    return out
