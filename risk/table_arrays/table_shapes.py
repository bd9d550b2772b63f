"""Tables to be measured, in any form: one or many, whole or by the categories of some dims, with or without labels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...base.errors import InputError, did_you_mean
from ...release.tables.table_forms import axis_name, read_form, refuse_twins
from ...release.tables.tables import Table

BLOCK = 2**17
"""Cells that are looked at together, so that tables of integers need not be copied as a whole."""
STACK = "table"
"""What the axis of many tables is called where it has no name."""


@dataclass(frozen=True, eq=False)
class Axis:
    """An axis of a table; labels are None where it has none."""

    name: str
    size: int
    labels: tuple[str, ...] | None = None


@dataclass(frozen=True, eq=False)
class Tables:
    """Tables as matrices: a row for each table that is measured by itself, a column for each of its cells.

    There is one array, or two: originals, and what was published of them. Where one of two has fewer rows (one original
    of many publications, or the reverse), these are taken in turn.
    """

    arrays: tuple[np.ndarray, ...]
    axes: tuple[Axis, ...]
    """What the rows are, and so the result; none where there is one table."""
    inner: tuple[Axis, ...]
    """The dims of the table in each row."""
    by: bool
    """Is every category of some dims measured by itself? It may then be that nobody is in it."""
    labelled: bool

    @property
    def number(self) -> int:
        """How many tables are measured."""
        return max(len(array) for array in self.arrays)

    @property
    def cells(self) -> int:
        """How many cells each table has."""
        return int(self.arrays[0].shape[1])

    def blocks(self) -> Iterator[tuple[slice, list[np.ndarray]]]:
        """Block after block of rows, as floating-point numbers, with the rows it covers; a shorter array comes whole.

        They are copies, so that kernels meet arrays of one kind only.
        """
        lengths = {len(array) for array in self.arrays}
        turn = min(lengths) if len(lengths) > 1 else 1
        step = max(BLOCK // (self.cells * turn), 1) * turn
        short = [np.array(array, dtype=float, order="C") if len(array) < self.number else None for array in self.arrays]
        for first in range(0, self.number, step):
            rows = slice(first, min(first + step, self.number))
            yield (
                rows,
                [
                    np.array(array[rows], dtype=float, order="C") if all_of_it is None else all_of_it
                    for array, all_of_it in zip(self.arrays, short, strict=True)
                ],
            )

    def aligned(self, block: Sequence[np.ndarray], rows: slice) -> list[np.ndarray]:
        """The arrays of a block with a row for each of its rows: a shorter one repeated."""
        number = rows.stop - rows.start
        return [array if len(array) == number else np.tile(array, (number // len(array), 1)) for array in block]

    def pairs(self) -> Iterator[tuple[np.ndarray, ...]]:
        """The rows that belong together, one pair after the other."""
        for row in range(self.number):
            yield tuple(array[row % len(array)] for array in self.arrays)

    def of(self, *arrays: np.ndarray) -> Tables:
        """The same tables with other numbers in them."""
        return replace(self, arrays=arrays)

    def refuse_empty(self, totals: np.ndarray, name: str) -> None:
        """Refuse a table that nobody is in. A category that nobody is in is no error: it has no figure."""
        empty = np.flatnonzero(totals <= 0)
        if len(empty) and not self.by:
            which = f" (table {empty[0] + 1} of {self.number})" if self.number > 1 else ""
            raise InputError(f"{name} sums to 0{which}: nothing can be measured of an empty table.")

    def told(self, figures: np.ndarray) -> Any:
        """A figure for each row, in the form that was asked for: a number, an array, or a labelled array."""
        if not self.axes:
            return float(figures[0])
        shaped = figures.reshape([axis.size for axis in self.axes])
        if not self.labelled:
            return shaped
        import xarray as xr

        coords = {axis.name: list(axis.labels) for axis in self.axes if axis.labels is not None}
        return xr.DataArray(shaped, dims=[axis.name for axis in self.axes], coords=coords)

    def cell_words(self, row: int, cell: int) -> str:
        """The labels of a cell, for people."""
        words = []
        for axes, place in ((self.axes, row), (self.inner, cell)):
            if axes:
                positions = np.unravel_index(place, [axis.size for axis in axes])
                words += [
                    f"{axis.name}={axis.labels[i] if axis.labels else i + 1}"
                    for axis, i in zip(axes, positions, strict=True)
                ]
        return ", ".join(words)


@dataclass(frozen=True, eq=False)
class _Given:
    """One table, or many along the first axis, as the user gave it; names and labels are those of a table."""

    values: np.ndarray
    names: list[str | None]
    labels: list[tuple[str, ...] | None]
    stack: Axis | None = None

    @property
    def labelled(self) -> bool:
        """Does it have names or labels of its own?"""
        return any(name is not None for name in (*self.names, *self.labels))

    @property
    def many(self) -> int:
        """How many axes come before the dims of a table: 1 where there are many tables, else 0."""
        return 0 if self.stack is None else 1

    @property
    def axes(self) -> list[Axis]:
        """The axes of a table; A, B, C, ... where they have no names."""
        names = [name or axis_name(place) for place, name in enumerate(self.names)]
        refuse_twins(names)
        return [Axis(*axis) for axis in zip(names, self.values.shape[self.many :], self.labels, strict=True)]


def arranged(*tables: Any, stacked: bool = False, by: Any = None, names: Sequence[str] = ("F", "G")) -> Tables:
    """Check one table, or an original and what was published of it, and arrange them for a measure.

    Parameters
    ----------
    tables
        In any form. Two that have labels are matched by them, others by position.
    stacked
        The first axis is the tables. One of two may then also be a single table, which belongs to all of the other.
    by
        Dims whose categories are measured each by itself: a name, the number of an axis of a table, or a list of these.
    names
        What the tables are called in errors.
    """
    given = [_read(table, name) for table, name in zip(tables, names, strict=False)]
    if stacked:
        most = max(table.values.ndim for table in given)
        if most < 2:
            raise InputError(
                "stacked=True: the first axis is the tables, the others are their dims; there is only one."
            )
        given = [_unstacked(table) if table.values.ndim == most else table for table in given]
    if len(given) > 1:
        given[1] = _matched(given[0], given[1], names)
    source = next((table for table in given if table.labelled), given[0])
    axes = source.axes
    chosen = _chosen(by, axes)
    rest = [i for i in range(len(axes)) if i not in chosen]
    cells = math.prod(axes[i].size for i in rest)
    arrays = []
    for table in given:
        order = [*range(table.many), *(i + table.many for i in (*chosen, *rest))]
        arrays.append(table.values.transpose(order).reshape(-1, cells))
    stacks = [table.stack for table in given if table.stack is not None]
    return Tables(
        tuple(arrays),
        (*stacks[:1], *(axes[i] for i in chosen)),
        tuple(axes[i] for i in rest),
        bool(chosen),
        any(table.labelled for table in given),
    )


def _read(table: Any, name: str) -> _Given:
    if isinstance(table, Table):
        table = table.to_xarray()
    values, names, labels, _ = read_form(table)
    if values.dtype == object:
        try:
            values = values.astype(float)
        except (TypeError, ValueError):
            raise InputError(f"{name} is a table of numbers.") from None
    if values.dtype.kind not in "biuf":
        raise InputError(f"{name} is a table of numbers.")
    if not values.size or not values.ndim or not (values.min() >= 0 and values.max() < np.inf):
        raise InputError(f"{name} is a table of numbers of at least 0, none missing.")
    return _Given(values, names, [None if shown is None else tuple(map(str, shown)) for shown in labels])


def _unstacked(tables: _Given) -> _Given:
    """Many tables: the first axis counts them, and is no dim."""
    stack = Axis(tables.names[0] or STACK, len(tables.values), tables.labels[0])
    return _Given(tables.values, tables.names[1:], tables.labels[1:], stack)


def _matched(original: _Given, published: _Given, names: Sequence[str]) -> _Given:
    """The second table in the order of the first one's dims and labels."""
    both = " and ".join(names)
    if original.labelled and published.labelled:
        mine, theirs = [axis.name for axis in original.axes], [axis.name for axis in published.axes]
        if set(mine) == set(theirs):
            order = [theirs.index(name) for name in mine]
            published = _Given(
                published.values.transpose([*range(published.many), *(i + published.many for i in order)]),
                [published.names[i] for i in order],
                [published.labels[i] for i in order],
                published.stack,
            )
        elif all(original.names) and all(published.names):
            raise InputError(
                f"{both} are not the same table: their dims are {', '.join(mine)} and {', '.join(theirs)}."
            )
    lengths = {len(table.values) for table in (original, published) if table.many}
    if original.values.shape[original.many :] != published.values.shape[published.many :] or len(lengths) > 1:
        shapes = " and ".join(str(table.values.shape) for table in (original, published))
        raise InputError(f"{both} are not the same table: their shapes are {shapes}.")
    values = published.values
    for place, (ours, others) in enumerate(zip(original.labels, published.labels, strict=True)):
        if ours is None or others is None or ours == others:
            continue
        if sorted(ours) != sorted(others) or len(set(ours)) < len(ours):
            stranger = min(set(ours) ^ set(others), default=ours[0])
            raise InputError(f"{both} do not have the same labels on dim {original.axes[place].name!r}: {stranger!r}.")
        values = values.take([others.index(label) for label in ours], axis=place + published.many)
    return replace(published, values=values)


def _chosen(by: Any, axes: Sequence[Axis]) -> list[int]:
    """The axes that by= names, in its order."""
    if by is None:
        return []
    names = [axis.name for axis in axes]
    places = []
    for dim in [by] if isinstance(by, str) or not isinstance(by, Iterable) else by:
        if isinstance(dim, str):
            if dim not in names:
                raise InputError(f"by={by!r}: the table has no dim {dim!r}; {did_you_mean(dim, names)}")
            place = names.index(dim)
        elif isinstance(dim, bool) or not isinstance(dim, (int, np.integer)) or not -len(axes) <= dim < len(axes):
            raise InputError(f"by={by!r}: a dim of the table ({', '.join(names)}), the number of an axis, or a list.")
        else:
            place = int(dim) % len(axes)
        if place in places:
            raise InputError(f"by={by!r} names the dim {names[place]!r} twice.")
        places.append(place)
    return places
