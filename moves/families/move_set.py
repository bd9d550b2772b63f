"""What every family of moves offers: a move for the current table, all moves of a small case, and its certificate.

A *move* is an integer vector that changes no published figure, in the kernel of the equations. A chain draws one, finds how
far it can be made in either direction without a cell leaving its bounds, and picks a point of that line: hit-and-run.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.certificate import Certificate
from ...base.errors import TooLarge
from .stock import Supplier

MOST_LISTED = 200_000
"""Moves that are listed for a check."""


@dataclass(frozen=True, eq=False)
class Move:
    """The columns of a block that change, and by how much; without columns, the table stays as it is."""

    columns: np.ndarray
    steps: np.ndarray

    def on(self, table: np.ndarray, times: int = 1) -> np.ndarray:
        """The table after the move."""
        after = table.copy()
        np.add.at(after, self.columns, times * self.steps)
        return after

    def range_on(self, table: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> tuple[int, int]:
        """How many times the move can be made, backwards (0 or less) and forwards, between the bounds."""
        values, up = table[self.columns], self.steps > 0
        size = np.abs(self.steps)
        above, under = (upper[self.columns] - values) // size, (values - lower[self.columns]) // size
        forwards = np.where(up, above, under).min(initial=np.iinfo(np.int64).max)
        backwards = np.where(up, under, above).min(initial=np.iinfo(np.int64).max)
        return -int(backwards), int(forwards)


class MoveSet(ABC):
    """Moves on the columns of one block, and how one of them is drawn."""

    certificate: Certificate
    """Do the moves join all tables of the block? Why, or why that is not known."""
    words: str
    """What kind of moves these are, for people."""
    makes_lines: bool = True
    """May a move drawn here be made any number of times (a line), or once as drawn only?"""

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """How many columns the block has."""

    @abstractmethod
    def draw(self, random: np.ndarray, table: np.ndarray) -> Move:
        """One move, at random (`random` is a state of random_streams). m and -m always have the same probability."""

    def log_odds(self, move: Move, table: np.ndarray) -> float:
        """The log-probability of drawing this move at this table, up to a constant; 0: the draw does not look at the table.

        The ratio of these at y and at x enters the acceptance of a step from x to y (Metropolis and Hastings).
        """
        return 0.0

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.n_columns} cells, {self.certificate.word})"

    def supplier(self) -> Supplier | None:
        """What writes moves in advance, some thousand at a time; None: they are drawn by the table."""
        return None

    @abstractmethod
    def listed(self, most: int = MOST_LISTED) -> Any:
        """Every move that can be drawn, once up to its sign, as sparse rows; TooLarge if there are more than `most`."""

    def joined(self, tables: np.ndarray, gaps: bool = False) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Pairs of rows of `tables` (two arrays of row numbers) that one move joins, in portions.

        If x and x + t m are feasible for a move m, so are all tables between, and single steps tell all. With `gaps` some
        between may be excluded, and steps of any length are tried.
        """
        rows = sp.csr_array(self.listed())
        # The fingerprint of x + m is the sum of both fingerprints.
        prints, shifts = fingerprints(tables)[:, 0], fingerprints(rows)[:, 0]
        order = np.argsort(prints)
        in_order = prints[order]
        for move in range(rows.shape[0]):
            columns = rows.indices[rows.indptr[move] : rows.indptr[move + 1]]
            steps = rows.data[rows.indptr[move] : rows.indptr[move + 1]]
            longest = 1
            if gaps and self.makes_lines:
                longest = int((np.ptp(tables[:, columns], axis=0) // np.abs(steps)).min())
            for times in range(1, longest + 1):
                targets = prints + times * shifts[[move]]
                place = np.minimum(np.searchsorted(in_order, targets), len(order) - 1)
                before = np.flatnonzero(in_order[place] == targets)
                after = order[place[before]]
                true = (tables[after][:, columns] == tables[before][:, columns] + times * steps).all(axis=1)
                yield before[true], after[true]


def sparse_rows(moves: Iterable[tuple[Any, Any]], n_columns: int, most: int = MOST_LISTED) -> Any:
    """Moves, given as (columns, steps) one after the other, as sparse rows: each once up to its sign, empty ones left out.

    A column that is named twice gets the sum of its steps.
    """
    pairs = list(islice(moves, 20 * most + 1))
    start = np.concatenate([[0], np.cumsum([len(columns) for columns, _ in pairs])]).astype(np.int64)
    columns = np.concatenate([np.empty(0, np.int64), *(columns for columns, _ in pairs)])
    steps = np.concatenate([np.empty(0, np.int64), *(steps for _, steps in pairs)])
    if len(pairs) > 20 * most:
        raise too_many(most)
    return distinct_rows(sp.csr_array((steps, columns, start), shape=(len(pairs), n_columns)), most)


def too_many(most: int) -> TooLarge:
    """What to raise where there are more moves than can be listed."""
    return TooLarge(f"there are more than {most:,} moves, too many to be listed.")


def distinct_rows(rows: Any, most: int | None = None) -> Any:
    """Sparse rows without empty ones, each once up to its sign, the first entry positive; TooLarge beyond `most`."""
    rows = sp.csr_array(rows, copy=True).astype(np.int64)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    rows = sp.csr_array(rows[np.flatnonzero(np.diff(rows.indptr))])
    if not rows.shape[0]:
        return rows
    rows.data *= np.repeat(np.sign(rows.data[rows.indptr[:-1]]), np.diff(rows.indptr))
    prints = fingerprints(rows)
    in_order = np.lexsort(prints.T)  # stable: of rows that are the same the first comes first
    is_new = np.ones(len(in_order), dtype=bool)
    is_new[1:] = (np.diff(prints[in_order].view(np.int64), axis=0) != 0).any(axis=1)
    first_of_each = in_order[is_new]
    if most is not None and len(first_of_each) > most:
        raise too_many(most)
    return sp.csr_array(rows[np.sort(first_of_each)])


def fingerprints(rows: Any) -> np.ndarray:
    """Two sums modulo 2^64 with random weights for each row: rows that differ agree in both with probability 2^-128."""
    weights = np.random.default_rng(0).integers(0, 2**64, size=(rows.shape[1], 2), dtype=np.uint64)
    return np.asarray(rows.astype(np.uint64) @ weights)
