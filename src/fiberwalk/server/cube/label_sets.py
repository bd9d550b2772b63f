"""Which labels of the finest dims the cells of a table stand for: how levels, filters and impossible combinations meet.

A dim and its levels are a family: each cell of a table, whatever columns show it and whatever filters it has, stands for
some labels of the family's finest dim.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.errors import InputError, did_you_mean
from ...protect.mechanism.cell_keys import CellNumbers
from ...protect.mechanism.keyed_hash import from_0_to_1, secret_key, siphash
from .keys_of_people import label_numbers

if TYPE_CHECKING:
    from .hypercube import Column, Hypercube
    from .request import Request

Box = Mapping[str, np.ndarray]
"""A combination of labels: of some finest dims, those that are in it."""


@dataclass(frozen=True, eq=False)
class Family:
    """The columns of a finest dim that a request names."""

    finest: Column
    shown: tuple[Column, ...]
    inside: np.ndarray
    """Which labels of the finest dim the filters leave."""
    shape: tuple[int, ...]
    """Of what is summed over the finest dim, so that it fits the table."""

    def summed(self, values: np.ndarray) -> np.ndarray:
        """The sum of the values of those labels that each cell stands for."""
        if not self.shown:
            return np.asarray(values[self.inside].sum(dtype=values.dtype)).reshape(self.shape)
        total = np.zeros([len(column.labels) for column in self.shown], dtype=values.dtype)
        places = tuple(groups_of(column, self.finest)[self.inside] for column in self.shown)
        np.add.at(total, places, values[self.inside])
        return total.reshape(self.shape)


def families(cube: Hypercube, request: Request, *, found_too: bool = False) -> Iterator[Family]:
    """The families that a table of whole dims shows, or that its filters name.

    A column that nobody said is a level, but that is found to follow from another, is a dim of its own: whether it follows
    may hang on a single person. With `found_too` it is a level, for those who may see the truth.
    """
    order, filters = cube.in_order(request), dict(request.where)
    finer = {column.name: column.level_of if found_too else column.told_level_of for column in cube.columns}
    for name in (column.name for column in cube.columns if finer[column.name] is None):
        finest = cube.column[name]
        of_family = [column for column in cube.columns if name in (column.name, finer[column.name])]
        shown = tuple(cube.column[dim] for dim in order if cube.column[dim] in of_family)
        named = [column for column in of_family if column.name in filters]
        if not shown and not named:
            continue
        inside = np.ones(len(finest.labels), dtype=bool)
        for column in named:
            chosen = [column.place[label] for label in filters[column.name]]
            inside &= np.isin(groups_of(column, finest), chosen)
        shape = tuple(len(cube.labels[dim]) if cube.column[dim] in shown else 1 for dim in order)
        yield Family(finest, shown, inside, shape)


def can_be(cube: Hypercube, request: Request) -> np.ndarray:
    """Which cells can have anybody, as far as levels were said to be such and impossible combinations were declared."""
    possible = np.ones([len(cube.labels[dim]) for dim in cube.in_order(request)], dtype=bool)
    if not cube.impossible and _meet_always(cube, request):
        return possible
    named = list(families(cube, request))
    for family in named:
        possible &= family.summed(np.ones(len(family.finest.labels), dtype=np.int64)) > 0
    for box in cube.impossible:
        outside = np.zeros(possible.shape, dtype=bool)
        inside_of = {family.finest.name: family for family in named}
        for name, labels in box.items():
            if name in inside_of:
                outside |= inside_of[name].summed((~labels).astype(np.int64)) > 0
            elif not labels.all():
                outside[...] = True
        possible &= outside
    return possible


def measured(cube: Hypercube, request: Request) -> list[np.ndarray]:
    """The cells whose risk the agency is told: those that can have anybody.

    Of a dim and its level only some labels meet, and the other cells would make small ones look rare. But a column that
    nobody said is a level may follow from another by chance, where people are few: then its empty cells are what
    discloses. There both are looked at, and the worse counts.
    """
    possible = can_be(cube, request)
    if _meet_always(cube, request):
        return [possible]
    meeting = possible.copy()
    for family in families(cube, request, found_too=True):
        meeting &= family.summed(np.ones(len(family.finest.labels), dtype=np.int64)) > 0
    return [possible] if (meeting == possible).all() else [meeting, possible]


def _meet_always(cube: Hypercube, request: Request) -> bool:
    """Is no dim named twice, by itself or by its levels?"""
    named = [*request.dims, *(dim for dim, _ in request.where)]
    finest = [cube.column[dim].level_of or dim for dim in named]
    return len(set(finest)) == len(finest)


def numbers_of_labels(cube: Hypercube, request: Request) -> CellNumbers:
    """A number in [0, 1) for every cell that follows from whom it is about, however the table says it.

    Age 31 is the same with and without its told ten-year band beside it, as a row and as a filter; a dim all of whose
    labels are meant says nothing.
    """
    shape = [len(cube.labels[dim]) for dim in cube.in_order(request)]
    summed = np.zeros(shape, dtype=np.uint64)
    for family in families(cube, request):
        labels = family.finest.labels
        whole = family.summed(np.ones(len(labels), dtype=np.int64)) == len(labels)
        summed = summed + np.where(
            whole, np.uint64(0), family.summed(label_numbers(cube.seed, family.finest.name, labels))
        )
    return from_0_to_1(siphash([summed], secret_key(cube.seed, "empty cells"))).view(CellNumbers)


def as_boxes(cube: Hypercube, impossible: Any) -> tuple[Box, ...]:
    """Combinations that nobody can have, as users write them: [{"age": "0-4", "status": ["married", "widowed"]}, ...]."""
    if impossible is None:
        return ()
    if isinstance(impossible, Mapping) or not isinstance(impossible, Sequence) or isinstance(impossible, str):
        raise InputError("impossible= is a list of combinations, each a dict of dim to label, or to a list of labels.")
    return tuple(_box(cube, combination) for combination in impossible)


def _box(cube: Hypercube, combination: Any) -> Box:
    if not isinstance(combination, Mapping) or not combination:
        raise InputError(f"impossible= has {combination!r}: a combination is a dict of dim to label, or to labels.")
    box: dict[str, np.ndarray] = {}
    people = np.ones(len(cube.counts), dtype=bool)
    for dim, labels in combination.items():
        if dim not in cube.labels:
            raise InputError(f"impossible= names the dim {str(dim)!r}; {did_you_mean(str(dim), cube.labels)}")
        column = cube.column[dim]
        wanted = [str(label) for label in ([labels] if isinstance(labels, (str, int)) else labels)]
        for label in wanted:
            if label not in column.place:
                raise InputError(
                    f"impossible= names the label {label!r} of dim {dim!r}; {did_you_mean(label, column.labels)}"
                )
        chosen = np.isin(np.arange(len(column.labels)), [column.place[label] for label in wanted])
        people &= chosen[column.codes]
        finest = column if column.told_level_of is None else cube.column[column.told_level_of]
        mask = chosen[groups_of(column, finest)]
        box[finest.name] = box.get(finest.name, np.ones(len(mask), dtype=bool)) & mask
    found = int(cube.counts[people].sum())
    if found:
        words = " and ".join(f"{dim}={labels}" for dim, labels in combination.items())
        raise InputError(f"impossible= has {words}, and {found:,} {'person is' if found == 1 else 'people are'} there.")
    return box


def groups_of(column: Column, finest: Column) -> np.ndarray:
    """For each label of the finest dim, the label of a column of its family."""
    return np.arange(len(finest.labels)) if column.group is None or column is finest else column.group
