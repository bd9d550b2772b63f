"""How many two-way tables of up to four rows and columns have given margins, at sizes that no elimination reaches.

A table of two columns with row sums a and first column sum c is a choice of x with 0 <= x_i <= a_i that adds up to c, and
these are counted by inclusion and exclusion. What two of four columns have together in each row splits a table into two such
tables, which are then independent: the number of tables is a sum over all splits of the product of their numbers.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...base.jit import jit
from ..blocks.presolve import Block
from .residues import from_residues
from .solved import Budget

SIDE = 4
PER_SPLIT = 64
"""Operations for each way to split the rows."""
LARGEST = 2_000_000
"""Column sums up to which binomial coefficients fit 64 bits."""


def count_two_way(block: Block, budget: Budget) -> int | None:
    """The number of tables of a complete two-way block that nothing but its margins bounds; None for others."""
    found = complete_two_way(block)
    if found is None:
        return None
    rows, columns = found.rows, found.columns
    if max(len(rows), len(columns)) > SIDE or max(rows.max(), columns.max()) > LARGEST:
        return None
    rows, columns = (np.sort(np.pad(sums, (0, SIDE - len(sums)))) for sums in (rows, columns))
    n_splits = [math.prod(int(total) + 1 for total in sums[: SIDE - 1]) for sums in (rows, columns)]
    if n_splits[1] < n_splits[0]:
        rows, columns, n_splits = columns, rows, n_splits[::-1]
    if PER_SPLIT * n_splits[0] > budget.operations:
        return None
    _, about = _sum_over_splits(rows, columns, 0)
    return from_residues(lambda prime: int(_sum_over_splits(rows, columns, prime or 0)[0]), math.log(about) + 1)


class TwoWay(NamedTuple):
    """The row and column sums of a complete two-way table, and the row and the column of each of its cells."""

    rows: np.ndarray
    columns: np.ndarray
    row: np.ndarray
    column: np.ndarray
    offset: np.ndarray
    """What is counted off each cell: its lower bound where that is below 0, else nothing."""


def complete_two_way(block: Block) -> TwoWay | None:
    """A block as a two-way table of which nothing but the margins bounds the cells, if it is one."""
    network = block.network
    if network is None:
        return None
    tails, row = np.unique(network.tail, return_inverse=True)
    heads, column = np.unique(network.head, return_inverse=True)
    n = len(block.columns)
    complete = len(tails) * len(heads) == n and len(np.unique(row * len(heads) + column)) == n
    if not complete or len(np.intersect1d(tails, heads)):
        return None
    # Cells that may be negative are counted from where they begin: what is above that is a table of counts.
    offset = np.minimum(block.lower, 0)
    rows, columns = (np.bincount(line, weights=block.start - offset).astype(np.int64) for line in (row, column))
    least = np.maximum(rows[row] + columns[column] - rows.sum(), 0)
    most = np.minimum(rows[row], columns[column])
    if (block.lower - offset > least).any() or (block.upper - offset < most).any():
        return None
    return TwoWay(rows, columns, row, column, offset)


@jit
def _splits(a: np.ndarray, c: int) -> int:
    """In how many ways four whole numbers from 0 to a add up to c."""
    number = 0
    for subset in range(16):
        remainder, sign = c, 1
        for i in range(4):
            if subset >> i & 1:
                remainder -= a[i] + 1
                sign = -sign
        if remainder >= 0:
            number += sign * ((remainder + 1) * (remainder + 2) // 2 * (remainder + 3) // 3)
    return number


@jit
def _sum_over_splits(rows: np.ndarray, columns: np.ndarray, prime: int) -> tuple[np.uint64, float]:
    """The number of tables modulo a prime below 2^31, or modulo 2^64 for 0; and about."""
    total, about = np.uint64(0), 0.0
    pair_sum = columns[0] + columns[3]  # the least and the greatest column: fewer ways than two large ones
    part, rest = np.zeros(4, dtype=np.int64), np.zeros(4, dtype=np.int64)
    for first in range(rows[0] + 1):
        for second in range(rows[1] + 1):
            for third in range(
                max(0, pair_sum - first - second - rows[3]), min(rows[2], pair_sum - first - second) + 1
            ):
                part[0], part[1], part[2], part[3] = first, second, third, pair_sum - first - second - third
                for i in range(4):
                    rest[i] = rows[i] - part[i]
                left_tables, right_tables = _splits(part, columns[0]), _splits(rest, columns[1])
                about += float(left_tables) * float(right_tables)
                if prime > 0:
                    total = (total + np.uint64(left_tables % prime) * np.uint64(right_tables % prime)) % np.uint64(
                        prime
                    )
                else:
                    total += np.uint64(left_tables) * np.uint64(right_tables)
    return total, about
