"""Sub-tables redrawn as a whole: some cells, all their tables given the rest, one of these at random (block Gibbs).

Such a step makes long moves that no list holds. The sub-tables are fixed beforehand: the cells of a few labels in each dim
(2 x 2 x K, 3 x 3 x 3), and cells close to each other, grown from short lattice vectors that overlap. Where a search for all
tables takes too long the sub-table is left as it is; that depends on what is the same before and after, so it favours none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ...base.certificate import Certificate
from ...base.jit import jit
from ...base.random_streams import below, streams
from ...fiber.blocks.presolve import Block
from ...fiber.equations.rowspace import independent_rows
from ...fiber.solvers.every_table import Search, draw_table, good_order
from .move_set import MOST_LISTED, Move, MoveSet, fingerprints, sparse_rows

UNPROVEN = Certificate("unproven", "redrawing small sub-tables is not known to reach every table")
MOST_STEPS = 20_000
"""Steps of a search for all tables of a sub-table."""
MOST_CELLS = 32
PER_VECTOR, MOST_GROWN, MOST_BOXES = 3, 600, 600


class Arrays(NamedTuple):
    """Sets of columns, one after the other, with the equations that concern them, as the kernel takes them."""

    first: np.ndarray
    """Where the columns of each sub-table begin."""
    columns: np.ndarray
    entry: np.ndarray
    """Where the entries of each of these columns begin; rows are numbered within the sub-table."""
    row: np.ndarray
    coefficient: np.ndarray
    n_rows: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class SubTables(MoveSet):
    """Sub-tables of a block, one of them redrawn at a time."""

    arrays: Arrays
    certificate: Certificate = UNPROVEN

    words = "sub-tables redrawn as a whole"
    makes_lines = False

    @property
    def n_columns(self) -> int:
        """Columns of the block."""
        return len(self.arrays.lower)

    def columns_of(self, number: int) -> np.ndarray:
        """The columns of a sub-table."""
        return self.arrays.columns[self.arrays.first[number] : self.arrays.first[number + 1]]

    def draw(self, random: np.ndarray, table: np.ndarray) -> Move:
        """From this table to one of those that differ in a sub-table only, each with the same probability; made once."""
        number = below(random, len(self.arrays.n_rows))
        columns = self.columns_of(number)
        drawn = np.empty(len(columns), dtype=np.int64)
        redraw(self.arrays, number, MOST_STEPS, table, random, drawn)
        steps = drawn - table[columns]
        return Move(columns[steps != 0], steps[steps != 0])

    def listed(self, most: int = MOST_LISTED) -> Any:
        """There is no list: what a sub-table can become depends on the table."""
        return sparse_rows((), self.n_columns, most)

    def joined(self, tables: np.ndarray, gaps: bool = False) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Tables that agree outside a sub-table, where the search for all of these is not given up."""
        random = streams(0, 1)[0]
        for number in range(len(self.arrays.n_rows)):
            columns = self.columns_of(number)
            outside, drawn = tables.copy(), np.empty(len(columns), dtype=np.int64)
            outside[:, columns] = 0
            _, first, group = np.unique(fingerprints(outside)[:, 0], return_index=True, return_inverse=True)
            searched = np.array(
                [redraw(self.arrays, number, MOST_STEPS, tables[row], random, drawn) > 0 for row in first]
            )
            group = group.ravel()
            yield first[group][searched[group]], np.flatnonzero(searched[group])


@jit
def redraw(arrays: Arrays, number: int, steps: int, table: np.ndarray, random: np.ndarray, drawn: np.ndarray) -> int:
    """Write new values of a sub-table's cells; the number of possible ones, or 0 where they were left as they are."""
    columns = arrays.columns[arrays.first[number] : arrays.first[number + 1]]
    start = arrays.entry[arrays.first[number] : arrays.first[number + 1] + 1]
    rows, values = arrays.row[start[0] : start[-1]], arrays.coefficient[start[0] : start[-1]]
    b = np.zeros(arrays.n_rows[number], dtype=np.int64)
    low, high = np.empty(len(columns), dtype=np.int64), np.empty(len(columns), dtype=np.int64)
    for i in range(len(columns)):
        low[i], high[i] = arrays.lower[columns[i]], arrays.upper[columns[i]]
        drawn[i] = table[columns[i]]
        for entry in range(start[i], start[i + 1]):
            b[arrays.row[entry]] += arrays.coefficient[entry] * table[columns[i]]
    n_tables = draw_table(Search(start - start[0], rows, values), b, low, high, steps, random, drawn)
    if n_tables == 0:
        for i in range(len(columns)):
            drawn[i] = table[columns[i]]
    return n_tables


def from_sets(block: Block, sets: Iterable[np.ndarray]) -> SubTables | None:
    """Sub-tables of given sets of columns; sets in which nothing can change are left out, None if all are."""
    by_column = sp.csc_array(block.A)
    distinct: dict[bytes, np.ndarray] = {}
    for columns in sets:
        cells = np.unique(columns)
        distinct.setdefault(cells.tobytes(), cells)
    parts = []
    for cells in distinct.values():
        part = sp.csr_array(by_column[:, cells])
        part = part[np.flatnonzero(np.diff(part.indptr))]
        if len(independent_rows(part.toarray())) < len(cells):
            order = good_order(part)
            parts.append((cells[order], sp.csc_array(sp.csc_array(part)[:, order])))
    if not parts:
        return None
    counts = np.concatenate([np.diff(part.indptr) for _, part in parts])
    arrays = Arrays(
        first=np.concatenate([[0], np.cumsum([len(cells) for cells, _ in parts])]).astype(np.int64),
        columns=np.concatenate([cells for cells, _ in parts]).astype(np.int64),
        entry=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        row=np.concatenate([part.indices for _, part in parts]).astype(np.int64),
        coefficient=np.concatenate([part.data for _, part in parts]).astype(np.int64),
        n_rows=np.array([part.shape[0] for _, part in parts], dtype=np.int64),
        lower=block.lower,
        upper=block.upper,
    )
    return SubTables(arrays)


def grown_sets(vectors: Any, seed: int = 0) -> Iterator[np.ndarray]:
    """Columns of a short lattice vector and of some that overlap with it, until there are enough."""
    vectors = sp.csr_array(vectors)
    supports = [vectors.indices[begin:end] for begin, end in zip(vectors.indptr[:-1], vectors.indptr[1:], strict=True)]
    by_column = sp.csc_array(vectors)
    rng = np.random.default_rng(seed)
    times = max(1, min(PER_VECTOR, MOST_GROWN // max(1, len(supports))))
    starts = np.repeat(np.arange(len(supports)), times)
    if len(starts) > MOST_GROWN:
        starts = rng.choice(starts, MOST_GROWN, replace=False)
    for vector in starts:
        cells = set(supports[vector].tolist())
        if len(cells) > MOST_CELLS:
            continue  # no search would get to its end
        for _ in range(8):
            j = rng.choice(sorted(cells))
            near = by_column.indices[by_column.indptr[j] : by_column.indptr[j + 1]]
            wider = cells | set(supports[rng.choice(near)].tolist())
            if len(wider) > MOST_CELLS:
                break
            cells = wider
        yield np.array(sorted(cells), dtype=np.int64)


def boxes(coordinates: np.ndarray, seed: int = 0) -> Iterator[np.ndarray]:
    """Columns with a few labels in each dim, at random: 3 x 3 x 3, 2 x 2 x K, 2 x 2 x 2 x 3 and one label elsewhere.

    `coordinates[j]` are the labels of column j, -1 where it is no cell.
    """
    cells = np.flatnonzero((coordinates >= 0).all(axis=1))
    labels = [np.unique(coordinates[cells, axis]) for axis in range(coordinates.shape[1])]
    rng = np.random.default_rng(seed)
    for _ in range(min(MOST_BOXES, 10 * len(cells))):
        shape = _box_shape([len(of_dim) for of_dim in labels], rng)
        inside = np.ones(len(cells), dtype=bool)
        for axis, size in enumerate(shape):
            inside &= np.isin(coordinates[cells, axis], rng.choice(labels[axis], size, replace=False))
        if inside.any():
            yield cells[inside]


def _box_shape(sizes: Sequence[int], rng: np.random.Generator) -> list[int]:
    """As many labels as there is room for (which is random too): one more at a time, in a dim at random."""
    room = rng.integers(8, MOST_CELLS + 1)
    shape = [1] * len(sizes)
    while True:
        wider = [
            axis
            for axis, size in enumerate(sizes)
            if shape[axis] < size and prod(shape) // shape[axis] * (shape[axis] + 1) <= room
        ]
        if not wider:
            return shape
        shape[rng.choice(wider)] += 1
