"""Repairs: one person is replaced, then others, each to mend a figure that the last one broke, until all figures hold.

Who is tied to many places can change only if several places change at once: in one block somebody takes another's race, in
the next block somebody must make up for it at the same age, and so on until the first age is reached again. Such rounds are
walked person by person: whom to replace next is drawn by how few people are too many or too few after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.certificate import Certificate
from ...fiber.blocks.presolve import Block
from ..families.move_set import MOST_LISTED, Move, MoveSet, sparse_rows
from .exchanges import LARGEST_MEAN, MOST_OF_A_FIGURE
from .repair_ends import ends_of_rounds
from .repair_steps import MOST_APART, MOST_WAYS, RepairRoom, Replacements, repair_alike

UNPROVEN = Certificate("unproven", "rounds of replaced people are not known to reach every population")
NEAR, FAR = 5, 12
"""Others by whom somebody may be replaced: those who are in most of the same figures, and as many again who are as near.
With few of them a round is quickly found; with many, rounds are found that others do not have."""
LONGEST = 24
"""People of a round."""
MOST_PAIRS = 200_000_000
"""Pairs of columns that meet in a row, of which the nearest are found."""


@dataclass(frozen=True, eq=False, repr=False)
class Repairs(MoveSet):
    """Rounds of replaced people of a block."""

    arrays: Replacements
    certificate: Certificate = UNPROVEN

    words = "rounds of replaced people"
    makes_lines = False

    @property
    def n_columns(self) -> int:
        """Columns of the block."""
        return len(self.arrays.lower)

    def room(self) -> RepairRoom:
        """Room for steps."""
        arrays = self.arrays
        most = int(np.diff(arrays.change_start).max(initial=1))
        sizes = len(arrays.row_start) - 1, self.n_columns, arrays.longest, MOST_WAYS, MOST_WAYS, most
        return RepairRoom(*(np.zeros(size, dtype=np.int64) for size in sizes))

    def draw(self, random: np.ndarray, table: np.ndarray) -> Move:
        """A round, kept so that all tables count alike."""
        after = table.copy()
        repair_alike(self.arrays, self.room(), after, random)
        changed = np.flatnonzero(after != table)
        return Move(changed, (after - table)[changed])

    def listed(self, most: int = MOST_LISTED) -> Any:
        """There is no list: who can be replaced depends on who is there."""
        return sparse_rows((), self.n_columns, most)

    def joined(self, tables: np.ndarray, gaps: bool = False) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Tables of which one comes from the other by a round."""
        place = {tuple(table): row for row, table in enumerate(tables.tolist())}
        for row, table in enumerate(tables):
            ends = (place.get(tuple(end), -1) for end in ends_of_rounds(self.arrays, table).tolist())
            after = np.array([end for end in ends if end > row], dtype=np.int64)
            yield np.full(len(after), row), after


def repairs(block: Block, number: int = NEAR, longest: int = LONGEST) -> Repairs | None:
    """Rounds in a block whose equations all count people, of which there are few for each column; else None."""
    A = sp.csr_array(block.A)
    if not A.nnz or (A.data != 1).any() or (np.diff(sp.csc_array(A).indptr) == 0).any():
        return None
    if block.start.mean() > LARGEST_MEAN or (block.start < 0).any():
        return None
    pairs = nearest(A, number)
    if pairs is None or not len(pairs[0]):
        return None
    A.sort_indices()
    source, target = pairs
    n = A.shape[1]
    by_column = sp.csc_array(A).astype(np.int64)
    changes = sp.csc_array(by_column[:, target] - by_column[:, source])
    changes.eliminate_zeros()
    changes.sort_indices()
    arrays = Replacements(
        A.indptr.astype(np.int64), A.indices.astype(np.int64), np.searchsorted(source, np.arange(n + 1)), source, target,
        np.lexsort((source, target)), changes.indptr.astype(np.int64), changes.indices.astype(np.int64), changes.data,
        block.lower, block.upper, 1.0 / np.maximum(np.diff(A.indptr), 1), np.exp(-np.arange(float(MOST_APART))), longest,
    )  # fmt: skip
    return Repairs(arrays)


def nearest(A: Any, number: int) -> tuple[np.ndarray, np.ndarray] | None:
    """Pairs of columns of which either is among the nearest to the other, both ways, in order.

    The nearest differ in the fewest rows; None where too many would have to be compared."""
    size = np.diff(sp.csc_array(A).indptr)
    short = sp.csr_array(A[np.flatnonzero(np.diff(A.indptr) <= MOST_OF_A_FIGURE)]).astype(np.int32)
    if (np.diff(short.indptr).astype(float) ** 2).sum() > MOST_PAIRS:
        return None
    common = sp.csr_array(short.T @ short)
    one, other = [], []
    for column in range(A.shape[1]):
        part = slice(common.indptr[column], common.indptr[column + 1])
        beside = common.indices[part]
        away = size[column] + size[beside] - 2 * common.data[part]
        beside, away = beside[beside != column], away[beside != column]
        if len(beside) > number:
            limit = np.partition(away, number - 1)[number - 1]
            if (away <= limit).sum() > 2 * number:  # many are as near as the last
                limit -= 1
            beside = beside[away <= limit]
        one.append(np.full(len(beside), column))
        other.append(beside)
    ends = np.concatenate(one), np.concatenate(other)
    either = sp.coo_array(
        (np.ones(2 * len(ends[0])), (np.concatenate(ends), np.concatenate(ends[::-1]))), shape=(A.shape[1],) * 2
    )
    both = sp.csr_array(either)
    both.sort_indices()
    return np.repeat(np.arange(A.shape[1]), np.diff(both.indptr)), both.indices.astype(np.int64)
