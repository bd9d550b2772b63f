"""People exchange features: a few people are taken out, and put back as other people who are together in the same figures.

Made for populations, tables of very many cells of which nearly all are empty: moves that are listed meet empty cells and
are blocked there, so that a step begins with people who are there. A few figures of one table are drawn, without a look at
the population, and one or two people of each at random; of all ways to have as many people in the same figures, one is drawn
by its weight. Those who were drawn are still in these figures, so that the way back is as probable.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations, product
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.certificate import Certificate
from ...fiber.blocks.presolve import Block
from ..families.move_set import MOST_LISTED, Move, MoveSet, sparse_rows, too_many
from .exchange_steps import MOST_FIGURES, MOST_OF_EACH, MOST_PEOPLE, Arrays, Room, exchange_alike

UNPROVEN = Certificate("unproven", "exchanges among a few people are not known to reach every population")
MOST_OF_A_FIGURE = 1_000
"""Columns of a figure of which people are taken."""
LARGEST_MEAN = 2.0
"""In tables with larger counts other moves are hardly ever blocked."""
MOST_CLASSES = 16


@dataclass(frozen=True, eq=False, repr=False)
class Exchanges(MoveSet):
    """Exchanges among the people of a block."""

    arrays: Arrays
    certificate: Certificate = UNPROVEN

    words = "exchanges among a few people"
    makes_lines = False

    @property
    def n_columns(self) -> int:
        """Columns of the block."""
        return len(self.arrays.lower)

    def room(self) -> Room:
        """Room for steps."""
        deepest = int(np.diff(self.arrays.column_start).max())
        small = np.zeros(MOST_PEOPLE, dtype=np.int64)
        return Room(
            np.zeros(len(self.arrays.row_start) - 1, dtype=np.int64),
            np.zeros(MOST_PEOPLE * deepest, dtype=np.int64),
            *(small.copy() for _ in range(7)),
        )

    def draw(self, random: np.ndarray, table: np.ndarray) -> Move:
        """People and others in their place, every way as probable as its weight among tables that count alike."""
        after, room = table.copy(), self.room()
        exchange_alike(self.arrays, room, after, random)
        changed = np.flatnonzero(after != table)
        return Move(changed, (after - table)[changed])

    def listed(self, most: int = MOST_LISTED) -> Any:
        """There is no list: what can be exchanged depends on who is there."""
        return sparse_rows((), self.n_columns, most)

    def joined(self, tables: np.ndarray, gaps: bool = False) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Tables of which one comes from the other by people of figures that are drawn together."""
        by_class = [list(self._taken_from(tables[0], row_of)) for row_of in self.arrays.row_of] if len(tables) else []
        most: dict[frozenset[int], int] = {}
        for figures, number in chain.from_iterable(by_class):
            for size in range(1, len(figures) + 1):
                for some in map(frozenset, combinations(figures, size)):
                    most[some] = max(number, most.get(some, 0))
        for first in range(len(tables)):
            after = np.arange(first + 1, len(tables))
            gone = np.maximum(tables[first] - tables[after], 0)
            linked = np.array([self._within(people, most) for people in gone], dtype=bool)
            yield np.full(int(linked.sum()), first), after[linked]

    def _within(self, people: np.ndarray, most: dict[frozenset[int], int]) -> bool:
        """Can just these people be among those who are taken?"""
        who = np.repeat(np.arange(len(people)), people)
        for row_of in self.arrays.row_of if len(who) <= MOST_PEOPLE else ():
            figures, number = np.unique(row_of[who], return_counts=True)
            if figures[0] >= 0 and number.max() <= most.get(frozenset(figures.tolist()), 0):
                return True
        return False

    def _taken_from(self, table: np.ndarray, row_of: np.ndarray) -> Iterator[tuple[frozenset[int], int]]:
        """The figures of a class that are drawn together, and how many people are taken from each at the most."""
        if len(table) * len(self.arrays.row_of) ** 2 > MOST_LISTED:
            raise too_many(MOST_LISTED)
        total = np.bincount(row_of[row_of >= 0], table[row_of >= 0])
        for one, two in product(self.arrays.row_of, repeat=2):
            places = {
                place for place in zip(one.tolist(), two.tolist(), row_of.tolist(), strict=True) if min(place) >= 0
            }
            if one is two:
                drawn = {frozenset((a[2], b[2])) for a, b in product(places, repeat=2) if a[0] == b[0]}
            else:
                drawn = _squares(places)
            for figures in drawn:
                wanted = (3, 2) if len(figures) == 1 else range(MOST_OF_EACH, 0, -1)
                enough = next((each for each in wanted if min(total[list(figures)]) >= each), 0)
                yield figures, enough


def _squares(places: set[tuple[int, int, int]]) -> set[frozenset[int]]:
    """The four figures at the corners of squares, of places by row, column and figure."""
    by_row, at = defaultdict(set), defaultdict(set)
    for row, column, figure in places:
        by_row[row].add((column, figure))
        at[row, column].add(figure)
    found = set()
    for one, other in product(by_row, repeat=2):
        for (left, a), (right, b) in product(by_row[one], repeat=2):
            for c, d in product(at.get((other, left), ()), at.get((other, right), ())):
                if len({a, b, c, d}) == MOST_FIGURES:
                    found.add(frozenset((a, b, c, d)))
    return found


def alike(ways: int) -> np.ndarray:
    """Cumulative odds that are all the same."""
    return np.arange(1, ways + 1) / ways


def exchanges(block: Block) -> Exchanges | None:
    """Exchanges in a block whose equations all count people, of which there are few for each column; else None."""
    A = sp.csr_array(block.A)
    if not A.nnz or (A.data != 1).any() or (np.diff(sp.csc_array(A).indptr) == 0).any():
        return None
    if block.start.mean() > LARGEST_MEAN or (block.lower < 0).any():
        return None
    A.sort_indices()
    by_column = sp.csc_array(A)
    by_column.sort_indices()
    classes: list[np.ndarray] = []
    order = np.argsort(-np.diff(A.indptr), kind="stable")
    for row in order:
        inside = A.indices[A.indptr[row] : A.indptr[row + 1]]
        if len(inside) > MOST_OF_A_FIGURE:
            continue
        of_class = next((one for one in classes if (one[inside] < 0).all()), None)
        if of_class is None and len(classes) == MOST_CLASSES:
            continue
        if of_class is None:
            of_class = np.full(A.shape[1], -1, dtype=np.int64)
            classes.append(of_class)
        of_class[inside] = row
    if not classes:
        return None
    arrays = Arrays(
        A.indptr.astype(np.int64), A.indices.astype(np.int64), by_column.indptr.astype(np.int64),
        by_column.indices.astype(np.int64), np.stack(classes), block.lower, block.upper, alike(len(classes) ** 3),
    )  # fmt: skip
    return Exchanges(arrays)
