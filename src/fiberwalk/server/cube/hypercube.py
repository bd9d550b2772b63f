"""The hypercube behind the server: its occupied cells, how many people each has, and the sum of their keys.

Only occupied cells are held: a census cube is nine tenths empty, and columns that are levels of each other (age in years and
in bands) then cost nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from types import EllipsisType
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ...base.errors import InputError
from ...protect.mechanism.cell_keys import CellNumbers, cell_numbers
from ...protect.mechanism.keyed_hash import secret_number
from ...release.tables.table_forms import MOST_CELLS
from .keys_of_people import keys_by_content
from .magnitudes import Amounts
from .request import Request

if TYPE_CHECKING:
    from .label_sets import Box

View: TypeAlias = "tuple[np.ndarray, ...] | EllipsisType"
"""A part of a table, by the places of the labels that are shown of each dim."""


@dataclass(frozen=True, eq=False)
class Column:
    """One dim of the cube: its labels, and which of them each occupied cell has.

    A column may be a level of another: its label follows from the other's. Where that was said everybody may know it, and no
    single record can change it; where it only is found to be so, it may hang on one person.
    """

    name: str
    labels: tuple[str, ...]
    codes: np.ndarray
    level_of: str | None = None
    """The finest dim that it follows from, said or found."""
    group: np.ndarray | None = None
    """Which of its labels each label of that dim has."""
    told_level_of: str | None = None
    """The finest dim that it was said to be a level of."""
    told_group: np.ndarray | None = None
    """Which of its labels each label of that dim has."""
    declared: bool = False
    """Were its labels said, or only found among people?"""

    def group_in(self, finest: Column) -> np.ndarray:
        """For each label of the finest dim of its family, its own label."""
        if finest.name == self.name:
            return np.arange(len(self.labels))
        group = self.told_group if finest.name == self.told_level_of else self.group
        assert group is not None
        return group

    @cached_property
    def place(self) -> dict[str, int]:
        """Where each label stands."""
        return {label: place for place, label in enumerate(self.labels)}


@dataclass(frozen=True, eq=False)
class Counted:
    """A table that was cut out of the cube: counts, and the sums of keys of those who are in each cell."""

    counts: np.ndarray
    keys: np.ndarray
    weights: np.ndarray | None = None
    """Sums of sampling weights, where people of a sample have any."""
    amounts: Amounts | None = None
    """Sums of the magnitude that was asked for."""

    def part(self, view: View) -> Counted:
        """A part of the table."""
        weights = None if self.weights is None else self.weights[view]
        return Counted(
            self.counts[view], self.keys[view], weights, None if self.amounts is None else self.amounts.picked(view)
        )


@dataclass(frozen=True, eq=False)
class Hypercube:
    """Occupied cells of a table of many dims."""

    columns: tuple[Column, ...]
    counts: np.ndarray
    keys: np.ndarray
    seed: int
    impossible: tuple[Box, ...] = ()
    """Combinations of labels that nobody can have."""
    weights: np.ndarray | None = None
    """Of a sample: how many people of the population those in each cell stand for; None: everybody for as many."""
    amounts: Mapping[str, Amounts] = field(default_factory=dict)
    """Sums of magnitudes in each cell."""

    def __repr__(self) -> str:
        shape = ", ".join(f"{column.name} ({len(column.labels)})" for column in self.columns)
        return f"<Hypercube of {self.population:,} people in {len(self.counts):,} occupied cells: {shape}>"

    @cached_property
    def population(self) -> int:
        """How many people there are."""
        return int(self.counts.sum())

    @cached_property
    def labels(self) -> Mapping[str, tuple[str, ...]]:
        """The labels of every dim."""
        return {column.name: column.labels for column in self.columns}

    @cached_property
    def column(self) -> Mapping[str, Column]:
        """Columns by their names."""
        return {column.name: column for column in self.columns}

    # --- cutting out a table ----------------------------------------------------------------------------------

    def in_order(self, request: Request) -> tuple[str, ...]:
        """The dims of a request in the order of the cube: a table and its transpose are one."""
        return tuple(name for name in self.column if name in request.dims)

    def shown(self, request: Request) -> dict[str, tuple[str, ...]]:
        """The labels of the table, by dims in the order of the cube."""
        return {name: request.chosen.get(name, self.labels[name]) for name in self.in_order(request)}

    def cells(self, request: Request) -> int:
        """The number of cells of the table, whatever labels are chosen."""
        return prod(len(self.labels[name]) for name in request.dims)

    def cut(self, request: Request) -> Counted:
        """Count the table that is asked for, its dims in the order of the cube.

        Every occupied cell of the cube is looked at, also where a filter leaves few: how long it takes tells nothing.
        """
        size = self.cells(request)
        if size > MOST_CELLS:
            raise InputError(
                f"the table {request.words} has {size:.3g} cells, more than the {MOST_CELLS:,} that are held; ask for fewer "
                "dims."
            )
        cell = np.zeros(len(self.counts), dtype=np.int64)
        shape = tuple(len(self.labels[name]) for name in self.in_order(request))
        for name, labels in zip(self.in_order(request), shape, strict=True):
            cell = cell * labels + self.column[name].codes
        for name, chosen in request.whole.where:
            column = self.column[name]
            inside = np.zeros(len(column.labels), dtype=bool)
            inside[[column.place[label] for label in chosen]] = True
            cell = np.where(inside[column.codes], cell, size)  # those outside are counted in a cell that is not shown
        table = Counted(np.zeros(size + 1, dtype=np.int64), np.zeros(size + 1, dtype=np.uint64))
        np.add.at(table.counts, cell, self.counts)
        np.add.at(table.keys, cell, self.keys)
        weights = None if self.weights is None else np.bincount(cell, self.weights, size + 1)[:size].reshape(shape)
        amounts = None
        if request.of:
            summed = self.amounts[request.of].of_rows(cell, size + 1)
            amounts = Amounts(*(sums[:size].reshape(shape) for sums in summed))
        whole = Counted(table.counts[:size].reshape(shape), table.keys[:size].reshape(shape), weights, amounts)
        return whole.part(self.view(request))

    def view(self, request: Request) -> View:
        """Which part of the whole table shows the labels that are chosen."""
        if not request.chosen:
            return ...
        shown = self.shown(request).items()
        return np.ix_(*([self.column[name].place[label] for label in labels] for name, labels in shown))

    # --- random numbers ---------------------------------------------------------------------------------------

    def numbers(self, keys: np.ndarray) -> CellNumbers:
        """A number in [0, 1) for every cell, from the keys of who is in it."""
        return cell_numbers(keys, self.seed).view(CellNumbers)

    def table_seed(self, keys: np.ndarray) -> int:
        """The seed of a table, for methods that treat it as a whole.

        It follows from who is in its cells: another request for the same people brings no second draw.
        """
        return secret_number(self.seed, "table", keys[keys != 0].tobytes().hex(), size=16)

    # --- the whole cube ---------------------------------------------------------------------------------------

    @property
    def spanning(self) -> tuple[str, ...]:
        """The dims that span the cube: those that are no level of another."""
        return tuple(column.name for column in self.columns if column.level_of is None)

    def whole(self) -> Request:
        """The request for the cube itself."""
        return Request(self.spanning)

    def occupied(self) -> Hypercube:
        """The cube without its empty cells; labels that nobody has are kept."""
        kept = np.flatnonzero(self.counts)
        columns = tuple(replace(column, codes=column.codes[kept]) for column in self.columns)
        weights = None if self.weights is None else self.weights[kept]
        amounts = {name: sums.picked(kept) for name, sums in self.amounts.items()}
        return replace(
            self, columns=columns, counts=self.counts[kept], keys=self.keys[kept], weights=weights, amounts=amounts
        )

    def weighted(self, weights: np.ndarray) -> Hypercube:
        """The cube of a sample whose people stand for others, so many in each occupied cell."""
        return replace(self, weights=weights)

    def with_counts(self, counts: np.ndarray) -> Hypercube:
        """The cube with other counts, given for all cells that its dims span."""
        places = np.nonzero(counts)
        codes = dict(zip(self.spanning, places, strict=True))
        columns = []
        for column in self.columns:
            if column.level_of is None or column.group is None:
                columns.append(replace(column, codes=codes[column.name]))
            else:
                columns.append(replace(column, codes=column.group[codes[column.level_of]]))
        kept = counts[places]
        empty = np.zeros(len(kept), dtype=np.uint64)
        return Hypercube(tuple(columns), kept, empty, self.seed, self.impossible).keyed_by_content()

    def keyed_by_content(self) -> Hypercube:
        """The cube with keys that follow from its labels and counts."""
        return replace(self, keys=keys_by_content(self))


def gathered(
    columns: Sequence[Column], counts: np.ndarray, keys: np.ndarray, seed: int, weights: np.ndarray | None = None,
    amounts: Mapping[str, Amounts] | None = None,
) -> Hypercube:  # fmt: skip
    """The cube of some rows, of which several may be of the same cell."""
    places = np.zeros(len(counts), dtype=np.int64)
    size = 1
    for column in columns:
        if size * len(column.labels) >= 2**62:
            distinct, places = np.unique(places, return_inverse=True)
            size = len(distinct)
        places = places * len(column.labels) + column.codes
        size *= len(column.labels)
    if size <= MOST_CELLS:  # one pass instead of sorting
        row_of_place = np.full(size, -1)
        row_of_place[places] = np.arange(len(places))
        first = row_of_place[row_of_place >= 0]
        row_of_place[places[first]] = np.arange(len(first))
        cell = row_of_place[places]
    else:
        _, first, cell = np.unique(places, return_index=True, return_inverse=True)
    summed, total = np.zeros(len(first), dtype=np.int64), np.zeros(len(first), dtype=np.uint64)
    np.add.at(summed, cell, counts)
    np.add.at(total, cell, keys)
    summed_weights = None if weights is None else np.bincount(cell, weights, len(first))
    summed_amounts = {name: sums.of_rows(cell, len(first)) for name, sums in (amounts or {}).items()}
    kept = tuple(replace(column, codes=column.codes[first]) for column in columns)
    return Hypercube(kept, summed, total, seed, weights=summed_weights, amounts=summed_amounts)
