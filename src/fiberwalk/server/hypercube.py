"""The hypercube behind the server: its occupied cells, how many people each has, and the sum of their keys.

Only occupied cells are held: a census cube is nine tenths empty, and columns that are levels of each other (age in years and
in bands) then cost nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from types import EllipsisType

import numpy as np

from ..base.errors import InputError
from ..release.tables.table_forms import MOST_CELLS
from .record_keys import from_0_to_1, label_numbers, mixed, secret_number
from .request import Request


@dataclass(frozen=True, eq=False)
class Column:
    """One dim of the cube: its labels, and which of them each occupied cell has.

    A column may be a level of another: its label follows from the other's.
    """

    name: str
    labels: tuple[str, ...]
    codes: np.ndarray
    level_of: str | None = None
    group: np.ndarray | None = None
    """Which of its labels each label of the other has."""
    sure: bool = False
    """Was it said to be a level, or only found to follow from the other?"""

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


@dataclass(frozen=True, eq=False)
class Hypercube:
    """Occupied cells of a table of many dims."""

    columns: tuple[Column, ...]
    counts: np.ndarray
    keys: np.ndarray
    seed: int
    weights: np.ndarray | None = None
    """Of a sample: how many people of the population those in each cell stand for; None: everybody for as many."""

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
        chosen = dict(request.where)
        return {name: chosen.get(name, self.labels[name]) for name in self.in_order(request)}

    def cut(self, request: Request) -> Counted:
        """Count the table that is asked for, its dims in the order of the cube."""
        shape = tuple(len(labels) for labels in self.shown(request).values())
        if prod(shape) > MOST_CELLS:
            raise InputError(
                f"the table {request.words} has {prod(shape):.3g} cells, more than the {MOST_CELLS:,} that are held; ask "
                "for fewer dims."
            )
        inside: np.ndarray | slice = slice(None)
        renamed: dict[str, np.ndarray] = {}
        if request.where:
            chosen = np.ones(len(self.counts), dtype=bool)
            for name, labels in request.where:
                column = self.column[name]
                new = np.full(len(column.labels), -1)
                new[[column.place[label] for label in labels]] = np.arange(len(labels))
                chosen &= (new >= 0)[column.codes]
                renamed[name] = new
            inside = np.flatnonzero(chosen)
        counts, keys = self.counts[inside], self.keys[inside]
        cell = np.zeros(len(counts), dtype=np.int64)
        for name, size in zip(self.in_order(request), shape, strict=True):
            codes = self.column[name].codes[inside]
            cell = cell * size + (renamed[name][codes] if name in renamed else codes)
        table = Counted(np.zeros(prod(shape), dtype=np.int64), np.zeros(prod(shape), dtype=np.uint64))
        np.add.at(table.counts, cell, counts)
        np.add.at(table.keys, cell, keys)
        weights = None
        if self.weights is not None:
            weights = np.bincount(cell, self.weights[inside], prod(shape)).reshape(shape)
        return Counted(table.counts.reshape(shape), table.keys.reshape(shape), weights)

    def cuts(self, request: Request) -> list[np.ndarray | EllipsisType]:
        """The cells that rules and risk look at: all; where dims follow from each other, those that can be occupied.

        Of a dim and its level only some labels meet, and the other cells would make small ones look rare. But a column that
        nobody said is a level may follow from another by chance, where people are few: then its empty cells are what
        discloses. There both are looked at, and the worse counts.
        """
        families: dict[str, list[Column]] = {}
        for name in self.in_order(request):
            families.setdefault(self.column[name].level_of or name, []).append(self.column[name])
        if all(len(family) == 1 for family in families.values()):
            return [...]
        shown = self.shown(request)
        possible = np.ones(tuple(len(labels) for labels in shown.values()), dtype=bool)
        for finest, family in families.items():
            meet = np.zeros([len(column.labels) for column in family], dtype=bool)
            every = np.arange(len(self.labels[finest]))
            meet[tuple(every if column.group is None else column.group for column in family)] = True
            meet = meet[np.ix_(*([column.place[label] for label in shown[column.name]] for column in family))]
            names = [column.name for column in family]
            possible &= meet.reshape([len(labels) if name in names else 1 for name, labels in shown.items()])
        sure = all(
            column.sure for family in families.values() if len(family) > 1 for column in family if column.level_of
        )
        return [possible] if sure else [possible, ...]

    # --- random numbers ---------------------------------------------------------------------------------------

    def numbers(self, request: Request, keys: np.ndarray) -> np.ndarray:
        """A number in [0, 1) for every cell: from the keys of who is in it, or from its labels where nobody is."""
        empty = keys == 0
        if empty.any():
            keys = np.where(empty, self._keys_of_labels(request), keys)
        return from_0_to_1(keys)

    def _keys_of_labels(self, request: Request) -> np.ndarray:
        """Keys that follow from labels, those of the filter included: a cell has the same in every table."""
        dims = self.in_order(request)
        filters = (
            secret_number(self.seed, name, "\x1e".join(labels)) for name, labels in request.where if name not in dims
        )
        summed = np.array(sum(filters) % 2**64, dtype=np.uint64)
        for name, labels in self.shown(request).items():
            numbers = self._label_numbers[name]
            if len(labels) < len(numbers):
                numbers = numbers[[self.column[name].place[label] for label in labels]]
            summed = summed[..., None] + numbers
        return mixed(summed)

    @cached_property
    def _label_numbers(self) -> Mapping[str, np.ndarray]:
        return _Numbers(self)

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
        return replace(self, columns=columns, counts=self.counts[kept], keys=self.keys[kept], weights=weights)

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
        return Hypercube(tuple(columns), kept, np.zeros(len(kept), dtype=np.uint64), self.seed)


class _Numbers(dict[str, np.ndarray]):
    """The secret numbers of labels, made for a dim when it is first asked for."""

    def __init__(self, cube: Hypercube) -> None:
        super().__init__()
        self.cube = cube

    def __missing__(self, name: str) -> np.ndarray:
        self[name] = label_numbers(self.cube.seed, name, self.cube.labels[name])
        return self[name]


def gathered(
    columns: Sequence[Column], counts: np.ndarray, keys: np.ndarray, seed: int, weights: np.ndarray | None = None
) -> Hypercube:
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
    kept = tuple(replace(column, codes=column.codes[first]) for column in columns)
    return Hypercube(kept, summed, total, seed, summed_weights)
