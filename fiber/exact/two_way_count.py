"""How many two-way tables of up to four rows and columns have given margins, at sizes that no elimination reaches.

A table of two columns with row sums a and first column sum c is a choice of x with 0 <= x_i <= a_i that adds up to c, and
these are counted by inclusion and exclusion. What two of four columns have together in each row splits a table into two such
tables: their number is a sum over all splits.
"""

from __future__ import annotations

import math

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
    margins = _margins(block)
    if margins is None:
        return None
    rows, columns = margins
    if max(len(rows), len(columns)) > SIDE or max(rows.max(), columns.max()) > LARGEST:
        return None
    rows, columns = (np.sort(np.pad(one, (0, SIDE - len(one)))) for one in (rows, columns))
    ways = [math.prod(int(one) + 1 for one in side[: SIDE - 1]) for side in (rows, columns)]
    if ways[1] < ways[0]:
        rows, columns, ways = columns, rows, ways[::-1]
    if PER_SPLIT * ways[0] > budget.operations:
        return None
    _, about = _sum_over_splits(rows, columns, 0)
    return from_residues(lambda prime: int(_sum_over_splits(rows, columns, prime or 0)[0]), math.log(about) + 1)


def _margins(block: Block) -> tuple[np.ndarray, np.ndarray] | None:
    """The row and column sums of a complete two-way table, less what its lower bounds take, if it is one."""
    network = block.network
    if network is None:
        return None
    tails, row = np.unique(network.tail, return_inverse=True)
    heads, column = np.unique(network.head, return_inverse=True)
    n = len(block.columns)
    complete = len(tails) * len(heads) == n and len(np.unique(row * len(heads) + column)) == n
    if not complete or len(np.intersect1d(tails, heads)):
        return None
    rows, columns = (np.bincount(which, weights=block.start).astype(np.int64) for which in (row, column))
    least = np.maximum(rows[row] + columns[column] - rows.sum(), 0)
    if (block.lower > least).any() or (block.upper < np.minimum(rows[row], columns[column])).any():
        return None
    return rows, columns


@jit
def _splits(a: np.ndarray, c: int) -> int:
    """In how many ways four whole numbers from 0 to a add up to c."""
    found = 0
    for some in range(16):
        left, sign = c, 1
        for i in range(4):
            if some >> i & 1:
                left -= a[i] + 1
                sign = -sign
        if left >= 0:
            found += sign * ((left + 1) * (left + 2) // 2 * (left + 3) // 3)
    return found


@jit
def _sum_over_splits(rows: np.ndarray, columns: np.ndarray, prime: int) -> tuple[np.uint64, float]:
    """The number of tables modulo a prime below 2^31, or modulo 2^64 for 0; and about."""
    total, about = np.uint64(0), 0.0
    both = columns[0] + columns[3]  # the least and the greatest column: fewer ways than two large ones
    a, rest = np.zeros(4, dtype=np.int64), np.zeros(4, dtype=np.int64)
    for one in range(rows[0] + 1):
        for two in range(rows[1] + 1):
            for three in range(max(0, both - one - two - rows[3]), min(rows[2], both - one - two) + 1):
                a[0], a[1], a[2], a[3] = one, two, three, both - one - two - three
                for i in range(4):
                    rest[i] = rows[i] - a[i]
                left, right = _splits(a, columns[0]), _splits(rest, columns[1])
                about += float(left) * float(right)
                if prime > 0:
                    total = (total + np.uint64(left % prime) * np.uint64(right % prime)) % np.uint64(prime)
                else:
                    total += np.uint64(left) * np.uint64(right)
    return total, about
