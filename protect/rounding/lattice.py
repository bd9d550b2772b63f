"""A lattice of tables: those that are offered together, every sum of them, and how figures of one add up to another's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np
import scipy.sparse as sp

Levels = tuple[np.ndarray, ...]
"""The levels of a dim: for each the group of every finest label. The finest level is the first, the total is the last."""
Shown = tuple[int, ...]
"""A table: the level at which it shows each dim."""


@dataclass(frozen=True, eq=False)
class Lattice:
    """Tables over the same dims, with every table that is a sum of another one of them.

    Their figures are numbered table after table, each table row by row.
    """

    dims: tuple[Levels, ...]
    tables: tuple[Shown, ...]

    @cached_property
    def shapes(self) -> dict[Shown, tuple[int, ...]]:
        """How many groups each table shows on each dim; one where it sums over the dim."""
        return {
            table: tuple(_size(levels[level]) for levels, level in zip(self.dims, table, strict=True))
            for table in self.tables
        }

    @cached_property
    def starts(self) -> dict[Shown, int]:
        """The number of the first figure of each table."""
        ends = np.cumsum([self.size(table) for table in self.tables]).tolist()
        return dict(zip(self.tables, [0, *ends[:-1]], strict=True))

    @property
    def n_figures(self) -> int:
        """How many figures all tables have."""
        return sum(map(self.size, self.tables))

    def size(self, table: Shown) -> int:
        """How many figures a table has."""
        return prod(self.shapes[table])

    def part(self, table: Shown) -> slice:
        """The figures of a table."""
        return slice(self.starts[table], self.starts[table] + self.size(table))

    @cached_property
    def finest(self) -> tuple[Shown, ...]:
        """The tables that are no sum of a larger one."""
        sums = {coarse for fine in self.tables for coarse, _ in self._next(fine)}
        return tuple(table for table in self.tables if table not in sums)

    def _next(self, fine: Shown) -> list[tuple[Shown, int]]:
        """The tables that show one dim of a table a level more coarsely, and which dim that is."""
        return [
            ((*fine[:axis], level, *fine[axis + 1 :]), axis)
            for axis, own_level in enumerate(fine)
            for level in self._coarser[axis][own_level]
        ]

    @cached_property
    def below(self) -> list[list[set[int]]]:
        """For each level of each dim those that follow from it, itself among them."""
        return [follows(levels) for levels in self.dims]

    @cached_property
    def _coarser(self) -> list[list[list[int]]]:
        """For each level of each dim the next coarser ones."""
        return [[_next_levels(levels, level) for level in range(len(levels))] for levels in self.dims]

    @cached_property
    def additions(self) -> Any:
        """The equations of additive tables: for every figure, and every dim that a table next to its own shows more
        finely, a row with 1 for the figures that it sums and -1 for itself."""
        rows: list[np.ndarray] = []
        columns: list[np.ndarray] = []
        entries: list[np.ndarray] = []
        n = 0
        for fine in self.tables:
            for coarse, axis in self._next(fine):
                above, itself = self._within(fine, coarse, axis), np.arange(self.size(coarse))
                rows += [n + above, n + itself]
                columns += [self.starts[fine] + np.arange(len(above)), self.starts[coarse] + itself]
                entries += [np.ones(len(above), np.int64), np.full(len(itself), -1)]
                n += len(itself)
        if not rows:
            return sp.csr_array((0, self.n_figures), dtype=np.int64)
        places = (np.concatenate(rows), np.concatenate(columns))
        return sp.csr_array((np.concatenate(entries), places), shape=(n, self.n_figures))

    def _within(self, fine: Shown, coarse: Shown, axis: int) -> np.ndarray:
        """For each figure of a table the place of the one of a coarser table that it is part of."""
        levels = self.dims[axis]
        group = between(levels[fine[axis]], levels[coarse[axis]])
        places = [np.arange(size) for size in self.shapes[fine]]
        places[axis] = group
        return np.ravel_multi_index(np.ix_(*places), self.shapes[coarse]).ravel()


def lattice_of(dims: Sequence[Sequence[np.ndarray]], wanted: Iterable[Shown]) -> Lattice:
    """The lattice of some tables: these, and all that are sums of them."""
    levels = tuple(tuple(dim) for dim in dims)
    below = [follows(dim_levels) for dim_levels in levels]
    tables: dict[Shown, None] = {}
    for table in wanted:
        for coarser in product(*(sorted(below[axis][level]) for axis, level in enumerate(table))):
            tables[coarser] = None
    return Lattice(levels, tuple(sorted(tables)))


def follows(levels: Levels) -> list[set[int]]:
    """For each level of a dim those that follow from it, itself among them."""
    return [{i for i, coarse in enumerate(levels) if _follows(fine, coarse)} for fine in levels]


def between(fine: np.ndarray, coarse: np.ndarray) -> np.ndarray:
    """For each group of a level the group of a coarser level that it is part of."""
    groups = np.zeros(_size(fine), dtype=np.int64)
    groups[fine] = coarse
    return groups


def _follows(fine: np.ndarray, coarse: np.ndarray) -> bool:
    return bool((between(fine, coarse)[fine] == coarse).all())


def _next_levels(levels: Levels, fine: int) -> list[int]:
    """The levels that follow from one with none between; of two that are the same, the later from the earlier."""
    sizes = [len(np.unique(level)) for level in levels]
    below = follows(levels)
    return [
        coarse
        for coarse in sorted(below[fine])
        if coarse != fine
        and (sizes[coarse] < sizes[fine] or coarse > fine)
        and not any(coarse in below[mid] and sizes[coarse] < sizes[mid] < sizes[fine] for mid in below[fine])
    ]


def _size(level: np.ndarray) -> int:
    return int(level.max()) + 1
