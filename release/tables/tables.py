"""Tables in any common form become one labelled array of integers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.errors import InputError, did_you_mean
from ...base.numbers import in_own_units
from .beforehand import WHAT_TO_STATE, Beforehand
from .dims import Dim
from .hierarchies import levels_from
from .integers import whole_numbers
from .table_forms import Hierarchies, axis_name, read_form, refuse_twins

if TYPE_CHECKING:
    import xarray as xr


COUNTS = "is negative; counts and magnitudes must be at least 0."
NEGATIVE = f"is negative: {WHAT_TO_STATE}, in fw.table()."
"""Why a cell below 0 is refused, where none can be taken and where some can."""


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """A labelled table: integers (in units of 10^-decimals) over the crossed dims, and who stands behind its cells."""

    values: np.ndarray
    dims: tuple[Dim, ...]
    decimals: int = 0
    contributors: np.ndarray | None = None
    """To each cell, in the order of the raveled values; `largest` and `second` are what the two largest contribute."""
    largest: np.ndarray | None = None
    second: np.ndarray | None = None
    beforehand: Beforehand | None = None
    """What everybody is assumed to know of every cell, where anything is; cells that may be negative need it."""

    @property
    def signed(self) -> bool:
        """May a cell be negative?"""
        return self.beforehand is not None and self.beforehand.signed

    def __repr__(self) -> str:
        shape = " x ".join(str(len(dim.labels)) for dim in self.dims)
        decimals = f", {self.decimals} decimal{'s' * (self.decimals > 1)}" if self.decimals else ""
        return f"<Table of {', '.join(dim.name for dim in self.dims)} ({shape}){decimals}>"

    def to_xarray(self) -> xr.DataArray:
        """The table as a DataArray, in its own units."""
        return labelled(in_own_units(self.values, self.decimals), self.dims)

    # Compared cell by cell, as the forms that a table is given in are: `where=table < 3`.
    def __lt__(self, other: Any) -> xr.DataArray:
        return self.to_xarray() < other

    def __le__(self, other: Any) -> xr.DataArray:
        return self.to_xarray() <= other

    def __gt__(self, other: Any) -> xr.DataArray:
        return self.to_xarray() > other

    def __ge__(self, other: Any) -> xr.DataArray:
        return self.to_xarray() >= other


def labelled(values: np.ndarray, dims: Sequence[Dim]) -> xr.DataArray:
    """An array over the finest labels of some dims as a DataArray."""
    import xarray as xr

    return xr.DataArray(values, dims=[dim.name for dim in dims], coords={dim.name: list(dim.labels) for dim in dims})


def check_trees(hierarchies: Any) -> None:
    """Refuse hierarchies that are not said to be of some dims."""
    if hierarchies is not None and not isinstance(hierarchies, Mapping):
        raise InputError("hierarchies= is a dict of dim to hierarchy.")


def labelled_axes(data: Any, names: Sequence[str] | None, labels: Mapping[str, Sequence[Any]] | None) -> xr.DataArray:
    """An array with the names and labels that it is given for its axes."""
    import xarray as xr

    values, own, known, _ = read_form(data)
    if names is not None and len(names) != values.ndim:
        raise InputError(f"table(dims=): {len(names)} names for a table of {values.ndim} dims.")
    called = [str(name) for name in names] if names is not None else [n or axis_name(i) for i, n in enumerate(own)]
    refuse_twins(called)
    for name, given in (labels or {}).items():
        if name not in called:
            raise InputError(f"table(labels=): there is no dim {name!r}; {did_you_mean(str(name), called)}")
        if len(given) != values.shape[called.index(name)]:
            size = values.shape[called.index(name)]
            raise InputError(f"table(labels=): {len(given)} labels for dim {name!r}, which has {size} categories.")
    shown = [(labels or {}).get(name, known[axis]) for axis, name in enumerate(called)]
    return xr.DataArray(
        values, dims=called, coords={name: list(axis) for name, axis in zip(called, shown, strict=True) if axis}
    )


def as_table(
    table: Any,
    *,
    count: str | None = None,
    hierarchies: Hierarchies | None = None,
    decimals: int = 0,
    signed: bool = False,
    profits: bool = False,
) -> Table:
    """Check a table in any accepted form and label it.

    Parameters
    ----------
    table
        A DataArray, a numpy array, a crosstab, a Series with a MultiIndex, or a long DataFrame (one row per
        cell) with a count column. Combinations that a Series or a long frame leaves out are zero.
    count
        The count column of a long frame, where its name does not say so.
    hierarchies
        For some dims, how their labels add up: a mapping of parents to children, a DataFrame of levels, a
        `.hrc` path, or the name (or names, coarse to fine) of the parent column: a further column of a long
        frame, or a coordinate along the dim of a DataArray.
    decimals
        Magnitudes are kept as whole numbers of 10^-decimals.
    signed
        Figures may be negative, as noise makes them.
    profits
        True values may be negative, where it is said what is known of them beforehand.
    """
    if isinstance(table, Table):
        return table if signed else _of_this_sign(table, profits)
    check_trees(hierarchies)
    trees = dict(hierarchies or {})
    values, given_names, labels, levels = read_form(table, count, trees)
    if values.ndim == 0 or values.size == 0:
        what = "" if isinstance(table, (list, np.ndarray, int, float)) else f" (it is a {type(table).__name__})"
        raise InputError(f"the table is empty: it needs at least one dim and one cell{what}.")
    names = [name or axis_name(i) for i, name in enumerate(given_names)]
    refuse_twins(names)
    for named in trees:
        if named not in names:
            raise InputError(f"a hierarchy is given for {named!r}; {did_you_mean(named, names)}")
    dims = []
    for name, given, size in zip(names, labels, values.shape, strict=True):
        shown = tuple(str(label) for label in given) if given else tuple(str(i + 1) for i in range(size))
        if name in levels:
            dims.append(Dim(name, shown, levels[name]))
        elif name in trees:
            dims.append(Dim(name, shown, levels_from(name, shown, trees[name])))
        else:
            dims.append(Dim(name, shown))
    checked = Table(
        whole_numbers(values, dims, decimals, signed, NEGATIVE if profits else COUNTS), tuple(dims), decimals
    )
    _refuse_margins(checked)
    level_names = [level for dim in dims for level in dim.level_names]
    for level in level_names:
        if level_names.count(level) > 1:
            raise InputError(f"{level!r} names two dims or levels; rename one, so that margins can name each.")
    return checked


def _of_this_sign(table: Table, profits: bool) -> Table:
    """The table, if it has no cell below 0, or may have."""
    if table.signed:
        if not profits:
            raise InputError(
                "this is for counts and magnitudes of at least 0, and the cells of this table may be negative."
            )
    elif (table.values < 0).any():  # as noise makes them, which only those who read noise may take
        problem = NEGATIVE if profits else COUNTS
        whole_numbers(in_own_units(table.values, table.decimals), table.dims, table.decimals, problem=problem)
    return table


def _refuse_margins(table: Table) -> None:
    """Refuse a crosstab that still has pandas' margins: its All would pass for a category."""
    for axis, dim in enumerate(table.dims):
        if "All" in dim.labels and len(dim.labels) > 1:
            position = dim.labels.index("All")
            rest = np.delete(table.values, position, axis=axis).sum(axis=axis)
            if (rest == table.values.take(position, axis=axis)).all() and rest.any():
                raise InputError(
                    f"dim {dim.name!r} has a category 'All' that is the sum of the others: leave margins out "
                    "(margins=False), or read a published crosstab with from_crosstab()."
                )


def cell_mask(where: Any, table: Table) -> np.ndarray:
    """Which cells a condition picks: a boolean table, a function of the table, or a list of cells.

    A boolean table with labels is matched by its labels; a numpy array by position.
    """
    if callable(where):
        where = where(table.to_xarray())
    if isinstance(where, Mapping):
        where = [where]
    if isinstance(where, (list, tuple)) and where and all(isinstance(cell, Mapping) for cell in where):
        mask = np.zeros(table.values.shape, dtype=bool)
        for cell in where:
            mask[cell_position(cell, table.dims)] = True
        return mask
    values = as_matched(where, table.dims, "where=")
    if values.dtype != bool:
        raise InputError("where= must be true or false for every cell (for instance table < 3), or a list of cells.")
    if values.shape != table.values.shape:
        raise InputError(f"where= has the shape {values.shape}, but the table has {table.values.shape}.")
    return values


def as_means(means: Any, dims: Sequence[Dim], named: str = "the expected counts") -> np.ndarray:
    """A table of real numbers over the same cells, matched by its labels where it has any."""
    matched = as_matched(means, dims, named)
    try:
        return matched.astype(float)
    except (TypeError, ValueError):
        raise InputError(f"{named} must be a table of numbers like the one released.") from None


def as_matched(table: Any, dims: Sequence[Dim], named: str) -> np.ndarray:
    """The values of a table-like object in the order of some dims and their labels."""
    values, names, labels, _ = read_form(table)
    known = [dim.name for dim in dims]
    if sorted(name or "" for name in names) == sorted(known):
        order = [names.index(name) for name in known]
        values, labels = values.transpose(order), [labels[i] for i in order]
    if values.shape != tuple(len(dim.labels) for dim in dims):
        return np.asarray(values)
    picks = []
    for dim, shown in zip(dims, labels, strict=True):
        position = {str(label): i for i, label in enumerate(shown or [])}
        if shown and set(position) != set(dim.labels):
            stranger = min(set(position) ^ set(dim.labels))
            raise InputError(f"{named} and the table do not have the same labels on dim {dim.name!r}: {stranger!r}.")
        picks.append([position[label] for label in dim.labels] if shown else list(range(len(dim.labels))))
    return np.asarray(values[np.ix_(*picks)])


def cell_position(cell: Mapping[str, Any], dims: Sequence[Dim]) -> tuple[int, ...]:
    """The position of one finest cell, given as {dim: label}."""
    key = key_of(cell, dims)
    for node, dim in zip(key, dims, strict=True):
        if node >= len(dim.labels):
            raise InputError(f"{dict(cell)} is not one cell: it needs a category of dim {dim.name!r}.")
    return key


def key_of(cell: Mapping[str, Any], dims: Sequence[Dim]) -> tuple[int, ...]:
    """The nodes of a cell or sum given as {dim: label}; dims that are left out are summed over."""
    if not isinstance(cell, Mapping):
        raise InputError(f"a cell is given as a dict of dim to label; this is {cell!r}.")
    names = [dim.name for dim in dims]
    for name in cell:
        if name not in names:
            raise InputError(f"{dict(cell)} names the dim {str(name)!r}; {did_you_mean(str(name), names)}")
    return tuple(dim.node(cell[dim.name]) if dim.name in cell else dim.total for dim in dims)
