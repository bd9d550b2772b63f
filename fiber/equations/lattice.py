"""All whole-number changes of a table that no equation notices: the integer kernel of a matrix, and short bases of it.

Every move is in this *lattice*, so that a lattice basis generates all moves; to join all tables by steps that stay feasible
takes a Markov basis, which is larger as a rule.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.errors import TooLarge
from .lattice_kernel import Rows, shorten

SHORTENING = 2_000_000_000
"""Entries that `shortened` may look at before it is content with what it has."""

Row = dict[int, int]
"""A sparse vector in Python's integers, which never overflow."""


@dataclass(frozen=True, eq=False)
class Lattice:
    """Every integer z with A z = 0: the integer combinations of the rows of `basis`, each in one way.

    On the columns `lead` the basis is the identity matrix. So z is the combination that its own entries there name,
    which proves that nothing is missing. `lead` is None where no such columns were found; the basis is complete even so.
    """

    basis: Any
    lead: np.ndarray | None


def integer_kernel(A: Any) -> Lattice:
    """The lattice of all integer z with A z = 0.

    Equations are solved for a column with coefficient 1 or -1 as long as there is one: that column is then a whole number
    whatever the other columns are. Of the equations of tables nothing or little remains, whose kernel is found by column
    operations as for the Hermite normal form (Cohen, A Course in Computational Algebraic Number Theory, 2.4).
    """
    A = sp.csr_array(A)
    A.sum_duplicates()
    A.eliminate_zeros()
    solved_rows, unsolved = _eliminate(_rows(A))
    expressed = _back_substituted(solved_rows)
    used = {j for row in unsolved for j in row}
    free = [j for j in range(A.shape[1]) if j not in expressed and j not in used]
    basis: list[Row] = [{j: 1} for j in free] + _combinations(unsolved, sorted(used))
    _append_solved(basis, expressed)
    if unsolved:
        identity_form = _identity_form(basis)
        if identity_form is None:
            return Lattice(_matrix(basis, A.shape[1]), None)
        free, basis = list(identity_form), list(identity_form.values())
    return Lattice(_matrix(basis, A.shape[1]), np.array(free, dtype=np.int64))


def shortened(basis: Any, budget: int = SHORTENING) -> Any:
    """Another basis of the same lattice, with rows that no other row can shorten by being added or subtracted once.

    The length of a row is the sum of its absolute values. Where the budget ends the search, rows may stay longer. This is
    pairwise reduction: weaker than the LLL algorithm, but sparse rows stay sparse.
    """
    basis = sp.csr_array(basis, copy=True)
    basis.eliminate_zeros()
    lengths = abs(basis).astype(float).sum(axis=1)
    if basis.shape[0] < 2 or lengths.max() >= 2**60:  # two rows together must fit 64 bits
        return basis
    # A row never grows longer, hence it never has more entries than its length.
    room = np.minimum(lengths.astype(np.int64), basis.shape[1])
    start = np.concatenate([[0], np.cumsum(room)])
    columns, values = np.zeros(start[-1], dtype=np.int64), np.zeros(start[-1], dtype=np.int64)
    size = np.diff(basis.indptr).astype(np.int64)
    place = np.repeat(start[:-1] - basis.indptr[:-1], size) + np.arange(basis.nnz)
    columns[place], values[place] = basis.indices, basis.data
    shorten(Rows(start, size, columns, values), basis.shape[1], budget)
    place = np.repeat(start[:-1] - np.cumsum(size) + size, size) + np.arange(size.sum())
    pointers = np.concatenate([[0], np.cumsum(size)])
    result = sp.csr_array((values[place], columns[place], pointers), shape=basis.shape)
    result.sort_indices()
    return result


def _rows(matrix: Any) -> list[Row]:
    columns, values = matrix.indices.tolist(), matrix.data.tolist()
    return [
        dict(zip(columns[begin:end], values[begin:end], strict=True)) for begin, end in pairwise(matrix.indptr.tolist())
    ]


def _matrix(rows: Sequence[Row], n: int) -> Any:
    """Rows as a sparse matrix of 64-bit integers."""
    values = [row[j] for row in rows for j in sorted(row)]
    if max(map(abs, values), default=0) >= 2**63:
        raise TooLarge("the equations of this release have no solutions in numbers of ordinary size.")
    columns = np.array([j for row in rows for j in sorted(row)], dtype=np.int64)
    pointers = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)])
    return sp.csr_array((np.array(values, dtype=np.int64), columns, pointers), shape=(len(rows), n))


def _eliminate(rows: list[Row]) -> tuple[list[tuple[int, Row]], list[Row]]:
    """Solve rows for columns with coefficient 1 or -1: (column, row) in this order, and the rows that have no such column.

    A solved row has none of the columns that were solved before it. The shortest row is next, and in it the column that
    the fewest other rows have, so that few entries appear where there was none (Markowitz 1957).
    """
    rows = [dict(row) for row in rows]
    having: dict[int, set[int]] = {}
    for i, row in enumerate(rows):
        for j in row:
            having.setdefault(j, set()).add(i)
    queue = [(len(row), i) for i, row in enumerate(rows)]
    heapq.heapify(queue)
    solved = []
    while queue:
        length, i = heapq.heappop(queue)
        row = rows[i]
        if length != len(row) or not row:  # an entry of the queue that a later one replaces
            continue
        divisor = math.gcd(*row.values())
        for j in row:
            row[j] //= divisor
        units = [j for j, value in row.items() if value in (1, -1)]
        if not units:
            continue
        pivot = min(units, key=lambda j: (len(having[j]), j))
        for j in row:
            having[j].discard(i)
        for k in sorted(having[pivot]):
            other = rows[k]
            factor = other[pivot] * row[pivot]
            for j, value in row.items():
                entry = other.get(j, 0) - factor * value
                if entry:
                    other[j] = entry
                    having[j].add(k)
                else:
                    del other[j]
                    having[j].discard(k)
            heapq.heappush(queue, (len(other), k))
        solved.append((pivot, row))
        rows[i] = {}
    return solved, [row for row in rows if row]


def _back_substituted(solved_rows: list[tuple[int, Row]]) -> dict[int, Row]:
    """Each solved column as a combination of unsolved ones, on the kernel, where every row gives 0."""
    expressed: dict[int, Row] = {}
    for pivot, row in reversed(solved_rows):
        total: Row = {}
        for j, value in row.items():
            if j == pivot:
                continue
            factor = -value * row[pivot]
            for column, coefficient in expressed.get(j, {j: 1}).items():
                total[column] = total.get(column, 0) + factor * coefficient
        expressed[pivot] = {j: value for j, value in total.items() if value}
    return expressed


def _combinations(rows: list[Row], columns: list[int]) -> list[Row]:
    """A basis of the integer vectors on some columns whose product with every row is 0.

    Row by row, Euclid's algorithm on the products of the row with the vectors so far: one vector ends with their greatest
    common divisor and is dropped, the others end with 0.
    """
    vectors: list[Row] = [{j: 1} for j in columns]
    for row in rows:
        products = [sum(row.get(j, 0) * entry for j, entry in vector.items()) for vector in vectors]
        while len(live := [i for i, product in enumerate(products) if product]) > 1:
            least = min(live, key=lambda i: abs(products[i]))
            for i in live:
                if i == least:
                    continue
                # to the nearest: entries stay small
                times = (2 * products[i] + products[least]) // (2 * products[least])
                products[i] -= times * products[least]
                for j, entry in vectors[least].items():
                    vectors[i][j] = vectors[i].get(j, 0) - times * entry
        vectors = [
            {j: entry for j, entry in vector.items() if entry} for i, vector in enumerate(vectors) if i not in live
        ]
    return vectors


def _append_solved(basis: list[Row], expressed: dict[int, Row]) -> None:
    """Add to each vector on the unsolved columns the entries of the solved columns that it implies, in place."""
    having: dict[int, list[tuple[Row, int]]] = {}
    for row in basis:
        for j, value in row.items():
            having.setdefault(j, []).append((row, value))
    for pivot, combination in expressed.items():
        met = []
        for j, coefficient in combination.items():
            for row, value in having.get(j, []):
                row[pivot] = row.get(pivot, 0) + coefficient * value
                met.append(row)
        for row in met:
            if row.get(pivot) == 0:
                del row[pivot]


def _identity_form(basis: list[Row]) -> dict[int, Row] | None:
    """Another basis of the same lattice, each row by a column that has a 1 there and 0 in all others, if one is found."""
    solved_rows, unsolved = _eliminate(basis)
    if unsolved:
        return None
    expressed = _back_substituted(solved_rows)
    return {lead: {lead: 1} | {j: -value for j, value in expressed[lead].items()} for lead in sorted(expressed)}
