"""Random sums of the vectors of a lattice basis: moves for any block, proven but seldom quick.

Any two tables differ by an integer combination of the basis vectors, and every combination may be drawn in one go: no table
in between has to be feasible (Hara, Aoki and Takemura 2012). So the moves reach everything within any bounds and whatever
values are excluded. How soon is another matter: a far table may need a combination that is next to never drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ...base.certificate import Certificate
from ...base.jit import jit_lean
from ...base.random_streams import below
from ...fiber.blocks.presolve import Block
from ...fiber.equations.lattice import Lattice, integer_kernel, shortened
from .move_set import MOST_LISTED, Move, MoveSet
from .stock import Stock, Supplier

REASON = (
    "sums of any number of vectors of a lattice basis are drawn, so that each table can follow any other in one step (Hara, "
    "Aoki and Takemura 2012)"
)
SLOW = "reached in principle only: nothing says how soon, which the chains' own diagnostics must show"
PROVEN = Certificate("connected", REASON, (SLOW,))
SINGLE = 3
"""After each vector one draw in so many ends: the number of vectors is geometric."""


class Arrays(NamedTuple):
    """Vectors by row and by column, as the kernel takes them."""

    start: np.ndarray
    column: np.ndarray
    value: np.ndarray
    column_start: np.ndarray
    vector: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class LatticeMoves(MoveSet):
    """Sums of vectors of a basis (sparse rows); the next vector is mostly one that overlaps with the last."""

    lattice: Lattice
    certificate: Certificate = PROVEN

    words = "sums of lattice vectors"

    @property
    def n_columns(self) -> int:
        """Columns of the block."""
        return int(self.lattice.basis.shape[1])

    @cached_property
    def vectors(self) -> Any:
        """The basis in short vectors."""
        return shortened(self.lattice.basis)

    @cached_property
    def arrays(self) -> Arrays:
        """The vectors, for the kernel."""
        rows, columns = sp.csr_array(self.vectors), sp.csc_array(self.vectors)
        parts = (rows.indptr, rows.indices, rows.data, columns.indptr, columns.indices)
        return Arrays(*(part.astype(np.int64) for part in parts))

    def draw(self, random: np.ndarray, table: np.ndarray) -> Move:
        """A sum of vectors; the draw does not look at the table."""
        total, seen = np.zeros(self.n_columns, dtype=np.int64), np.zeros(self.n_columns, dtype=bool)
        columns, steps = np.empty(self.n_columns, dtype=np.int64), np.empty(self.n_columns, dtype=np.int64)
        length = draw_combination(self.arrays, random, total, seen, columns, steps)
        return Move(columns[:length], steps[:length])

    def supplier(self) -> SumSupplier:
        """For stocks of moves."""
        return SumSupplier(self)

    def listed(self, most: int = MOST_LISTED) -> Any:
        """The vectors alone: their sums are without end."""
        return self.vectors

    def joined(self, tables: np.ndarray, gaps: bool = False) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Every table with the first, if they differ by a whole combination of the basis."""
        whole = np.array([self._spans(table - tables[0]) for table in tables])
        after = np.flatnonzero(whole)
        yield np.zeros(len(after), dtype=np.int64), after

    def _spans(self, difference: np.ndarray) -> bool:
        if self.lattice.lead is not None:
            return bool((difference[self.lattice.lead] @ self.lattice.basis == difference).all())
        basis = self.lattice.basis.toarray().astype(float)
        times = np.rint(np.linalg.lstsq(basis.T, difference.astype(float), rcond=None)[0]).astype(np.int64)
        return bool((times @ self.lattice.basis == difference).all())


@jit_lean
def draw_combination(
    arrays: Arrays, random: np.ndarray, total: np.ndarray, seen: np.ndarray, columns: np.ndarray, steps: np.ndarray
) -> int:
    """Write a random sum of vectors as a move; its length. `total` and `seen` are 0 everywhere before and after.

    Half of the further vectors are any, half are one that shares a column with the vector before.
    """
    start, column = arrays.start, arrays.column
    n_vectors = len(start) - 1
    vector, length = below(random, n_vectors), 0
    while True:
        sign = 1 if below(random, 2) == 0 else -1
        for entry in range(start[vector], start[vector + 1]):
            j = column[entry]
            if not seen[j]:
                seen[j] = True
                columns[length] = j
                length += 1
            total[j] += sign * arrays.value[entry]
        if below(random, SINGLE) == 0:
            break
        if below(random, 2) == 0:
            vector = below(random, n_vectors)
        else:
            j = column[start[vector] + below(random, start[vector + 1] - start[vector])]
            first = arrays.column_start[j]
            vector = arrays.vector[first + below(random, arrays.column_start[j + 1] - first)]
    n_kept = 0
    for i in range(length):
        j = columns[i]
        if total[j] != 0:
            columns[n_kept], steps[n_kept] = j, total[j]
            n_kept += 1
        total[j], seen[j] = 0, False
    return n_kept


def lattice_moves(block: Block) -> LatticeMoves:
    """Sums of lattice vectors for any block."""
    return LatticeMoves(integer_kernel(block.A))


class SumSupplier(Supplier):
    """Writes moves into a stock, for one chain."""

    def __init__(self, moves: LatticeMoves) -> None:
        n_columns = moves.n_columns
        self.arrays, self.longest = moves.arrays, n_columns
        self.room: Any = (
            np.zeros(n_columns, dtype=np.int64),
            np.zeros(n_columns, dtype=bool),
            *(np.empty(n_columns, np.int64) for _ in range(2)),
        )

    def fill(self, stock: Stock, random: np.ndarray) -> None:
        """Write new moves."""
        arguments: Any = (self.arrays, *self.room, stock, random)
        fill_sums(*arguments)


@jit_lean
def fill_sums(
    arrays: Arrays,
    total: np.ndarray,
    seen: np.ndarray,
    columns: np.ndarray,
    steps: np.ndarray,
    stock: Stock,
    random: np.ndarray,
) -> None:
    """Sums of lattice vectors."""
    number, end = 0, 0
    while number < len(stock.start) - 1 and end + len(columns) <= len(stock.columns):
        length = draw_combination(arrays, random, total, seen, columns, steps)
        for i in range(length):
            stock.columns[end + i], stock.steps[end + i] = columns[i], steps[i]
        end += length
        number += 1
        stock.start[number] = end
    stock.state[0], stock.state[1] = 0, number
