"""Tables in any common form (xarray, pandas, numpy) become one labelled array of integers."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .dims import Dim, Level, did_you_mean
from .errors import InputError
from .hierarchies import levels_from

if TYPE_CHECKING:
    import xarray as xr

Hierarchies = Mapping[str, Any]
COUNT_NAMES = ("count", "counts", "freq", "frequency", "n", "value")
LARGEST = 2**53
MOST_CELLS = 20_000_000
MOST_DIMS = 32


@dataclass(frozen=True)
class Table:
    """A labelled table: integers (in units of 10^-decimals) over the crossed dims."""

    values: np.ndarray
    dims: tuple[Dim, ...]
    decimals: int = 0

    def to_xarray(self) -> xr.DataArray:
        """The table as a DataArray, in its own units."""
        import xarray as xr

        return xr.DataArray(
            in_own_units(self.values, self.decimals),
            dims=[dim.name for dim in self.dims],
            coords={dim.name: list(dim.labels) for dim in self.dims},
        )


def in_own_units(values: Any, decimals: int) -> Any:
    """Scaled integers back in the units of the table: integers stay integers when there are no decimals."""
    return values if decimals == 0 else np.round(np.asarray(values) / 10.0**decimals, decimals)


def scaled(value: Any, decimals: int, where: str) -> int:
    """One number in the user's units as an integer number of 10^-decimals."""
    check_decimals(decimals)
    if isinstance(value, str):
        value = value.strip()
        if re.fullmatch(r"[+-]?[0-9]+", value):
            value = int(value)
        elif "_" in value:
            raise InputError(f"{where}: {value!r} is not a number.")
    if isinstance(value, (int, np.integer)):
        if abs(int(value)) * 10**decimals > LARGEST:
            raise InputError(f"{where}: {value} is too large to be held exactly with {decimals} decimals.")
        return int(value) * 10**decimals
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{where}: {value!r} is not a number.") from None
    if not np.isfinite(number):
        raise InputError(f"{where}: {value!r} where a number must be.")
    big = number * 10.0**decimals
    if abs(big) > LARGEST:
        raise InputError(f"{where}: {value} is too large to be held exactly with {decimals} decimals.")
    if abs(big - round(big)) > max(1e-6, 4 * np.spacing(abs(big))):
        raise InputError(f"{where}: {value} {_not_whole(decimals)}")
    return round(big)


def _not_whole(decimals: int) -> str:
    if decimals == 0:
        return "is not a whole number; for magnitudes give decimals=, the number of decimals they are kept to."
    return f"has more than {decimals} decimals; raise decimals= or round the table first."


def as_table(
    table: Any,
    *,
    count: str | None = None,
    hierarchies: Hierarchies | None = None,
    decimals: int = 0,
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
    """
    if isinstance(table, Table):
        return table
    if hierarchies is not None and not isinstance(hierarchies, Mapping):
        raise InputError("hierarchies= is a dict of dim to hierarchy.")
    hierarchies = dict(hierarchies or {})
    parents = {dim: parent_columns(spec) for dim, spec in hierarchies.items()}
    kind = type(table).__module__.split(".")[0]
    if kind == "xarray":
        values, names, labels, levels = _from_xarray(table, hierarchies, parents)
    elif kind == "pandas":
        if count is not None and not hasattr(table, "columns"):
            raise InputError("count= goes with a long DataFrame; this is a Series.")
        if count is not None or _is_long(table):
            table, levels = _long_series(table, count, hierarchies, parents)
        else:
            levels = {}
        values, names, labels = _from_pandas(table)
    else:
        values = _plain_array(table)
        names, labels, levels = [None] * values.ndim, [None] * values.ndim, {}
    if values.ndim == 0 or values.size == 0:
        what = "" if isinstance(table, (list, np.ndarray, int, float)) else f" (it is a {type(table).__name__})"
        raise InputError(f"the table is empty: it needs at least one dim and one cell{what}.")
    names = [name or axis_name(i) for i, name in enumerate(names)]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two dims are called {name!r}; dims need different names.")
    for dim in hierarchies:
        if dim not in names:
            raise InputError(f"a hierarchy is given for {dim!r}; {did_you_mean(dim, names)}")
    dims = []
    for name, given, size in zip(names, labels, values.shape, strict=True):
        shown = tuple(str(one) for one in given) if given else tuple(str(i + 1) for i in range(size))
        if name in levels:
            dims.append(Dim(name, shown, levels[name]))
        elif name in hierarchies:
            dims.append(Dim(name, shown, levels_from(name, shown, hierarchies[name])))
        else:
            dims.append(Dim(name, shown))
    table_of = Table(_whole_numbers(values, dims, decimals), tuple(dims), decimals)
    _refuse_margins(table_of)
    level_names = [level for dim in dims for level in dim.level_names]
    for level in level_names:
        if level_names.count(level) > 1:
            raise InputError(f"{level!r} names two dims or levels; rename one, so that margins can name each.")
    return table_of


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


def _whole_numbers(values: np.ndarray, dims: Sequence[Dim], decimals: int) -> np.ndarray:
    """The values as scaled integers, or a sentence that names the first cell that cannot be one."""
    check_decimals(decimals)
    if values.dtype == object:
        try:
            values = values.astype(float)
        except (TypeError, ValueError):
            raise InputError("the table has entries that are not numbers.") from None
    if not (np.issubdtype(values.dtype, np.integer) or np.issubdtype(values.dtype, np.floating)):
        raise InputError(f"the table holds {values.dtype} values; it must hold numbers.")

    def refuse(bad: np.ndarray, problem: str) -> None:
        if bad.any():
            position = tuple(np.argwhere(bad)[0])
            cell = ", ".join(f"{dim.name}={dim.labels[i]}" for dim, i in zip(dims, position, strict=True))
            more = f" ({int(bad.sum())} cells in all)" if bad.sum() > 1 else ""
            raise InputError(f"cell {cell}: {values[position]} {problem}{more}")

    refuse(~np.isfinite(values), "where a number must be; a hidden cell is given by suppress(), not by NaN.")
    refuse(values < 0, "is negative; counts and magnitudes must be at least 0.")
    refuse(values > LARGEST / 10.0**decimals, f"is too large to be held exactly with {decimals} decimals.")
    if np.issubdtype(values.dtype, np.integer):
        return values.astype(np.int64) * 10**decimals
    # What a float of this precision cannot tell from a whole number is one.
    blur = 4 * np.spacing(values).astype(float) * 10.0**decimals
    big = values.astype(float) * 10.0**decimals
    whole = np.round(big)
    refuse(np.abs(big - whole) > np.maximum(1e-6, blur), _not_whole(decimals))
    return whole.astype(np.int64)


def check_decimals(decimals: Any) -> int:
    """The number of decimals, if it can be one."""
    if isinstance(decimals, bool) or not isinstance(decimals, (int, np.integer)) or not 0 <= decimals <= 12:
        raise InputError(f"decimals must be a whole number from 0 to 12; it is {decimals!r}.")
    return int(decimals)


def axis_name(position: int) -> str:
    """What an axis without a name is called: A, B, ..., Z, A2, B2, ..."""
    letter = string.ascii_uppercase[position % 26]
    return letter if position < 26 else f"{letter}{position // 26 + 1}"


def _plain_array(given: Any) -> np.ndarray:
    if np.ma.is_masked(given):
        raise InputError("the array is masked; a hidden cell is given by suppress(), not by a mask.")
    try:
        return np.asarray(given)
    except ValueError:
        raise InputError("the rows of the table have different lengths.") from None


def parent_columns(spec: Any) -> list[str] | None:
    """The parent column(s) a hierarchy names, or None when it is given in another form."""
    if isinstance(spec, str) and not re.search(r"\.(hrc|csv|tsv|txt)$", spec.lower()):
        return [spec]
    if isinstance(spec, (list, tuple)) and all(isinstance(part, str) for part in spec):
        return list(spec)
    return None


def _from_xarray(table: Any, hierarchies: Hierarchies, parents: Mapping[str, list[str] | None]) -> Any:
    names = [None if re.fullmatch(r"dim_\d+", str(dim)) else str(dim) for dim in table.dims]
    labels = [list(table[dim].values) if dim in table.coords else None for dim in table.dims]
    levels: dict[str, tuple[Level, ...]] = {}
    for dim in hierarchies:
        columns = parents[dim]
        if columns is None or dim not in table.dims:
            continue
        for column in columns:
            if column not in table.coords or table[column].dims != (dim,):
                along = [str(c) for c in table.coords if table[c].dims == (dim,) and c != dim]
                raise InputError(
                    f"the hierarchy of dim {dim!r} names {column!r}, which is no coordinate along it; "
                    f"{did_you_mean(column, along)}"
                )
        levels[dim] = tuple(Level(column, tuple(map(str, table[column].values))) for column in columns)
    return np.asarray(table.values), names, labels, levels


def _is_long(frame: Any) -> bool:
    """A DataFrame is read as a long one if it has a column of labels or a column with a count's name."""
    if not hasattr(frame, "columns") or frame.columns.nlevels > 1:
        return False
    import pandas as pd

    if any(not pd.api.types.is_numeric_dtype(frame[column]) for column in frame.columns):
        return True
    unnamed = frame.index.name is None and frame.index.nlevels == 1 and frame.columns.name is None
    return unnamed and any(str(column).lower() in COUNT_NAMES for column in frame.columns)


def _long_series(
    frame: Any, count: str | None, hierarchies: Hierarchies, parents: Mapping[str, list[str] | None]
) -> tuple[Any, dict[str, tuple[Level, ...]]]:
    import pandas as pd

    columns = list(frame.columns)
    if count is None:
        named = [c for c in columns if str(c).lower() in COUNT_NAMES]
        numeric = [c for c in columns if pd.api.types.is_numeric_dtype(frame[c])]
        found = named if len(named) == 1 else numeric
        if len(found) != 1:
            raise InputError(
                f"it is not clear which of the columns {', '.join(map(str, columns))} holds the counts; give count=."
            )
        count = found[0]
    elif count not in columns:
        raise InputError(f"the frame has no column {count!r}; {did_you_mean(str(count), map(str, columns))}")
    levels: dict[str, tuple[Level, ...]] = {}
    parent_columns: list[str] = []
    for dim in hierarchies:
        if parents[dim] is None or dim not in columns:
            continue
        for column in parents[dim] or []:
            if column not in columns:
                raise InputError(
                    f"the hierarchy of dim {dim!r} names {column!r}; {did_you_mean(column, map(str, columns))}"
                )
        parent_columns += parents[dim] or []
    dims = [c for c in columns if c != count and c not in parent_columns]
    if not dims:
        raise InputError(f"the frame has only the count column {count!r}; it needs a column per dim.")
    missing = frame[dims].isna()
    if missing.to_numpy().any():
        row, column = np.argwhere(missing.to_numpy())[0]
        raise InputError(f"row {row + 1} of the frame has no label in column {dims[column]!r}.")
    series = frame.set_index([frame[d].astype(str).rename(d) for d in dims])[count]
    for dim, columns_of in parents.items():
        if columns_of and dim in dims:
            rows = frame[[*columns_of, dim]].astype(str).drop_duplicates()
            labels = list(dict.fromkeys(rows[dim]))
            levels[dim] = levels_from(dim, labels, rows)
    return series, levels


def _from_pandas(table: Any) -> Any:
    """A crosstab or a Series as an array; combinations that a Series leaves out are zero."""
    import pandas as pd

    if isinstance(table, pd.DataFrame):
        for axis, index in (("rows", table.index), ("columns", table.columns)):
            if not index.is_unique:
                twice = index[index.duplicated()][0]
                raise InputError(f"the {axis} of the table have the label {str(twice)!r} twice.")
            if index.hasnans if index.nlevels == 1 else index.to_frame().isna().to_numpy().any():
                raise InputError(f"one of the {axis} of the table has no label.")
        if table.index.nlevels == 1 and table.columns.nlevels == 1:
            names = [None if n is None else str(n) for n in (table.index.name, table.columns.name)]
            return _numbers(table), names, [list(table.index), list(table.columns)]
        given = [*table.index.names, *table.columns.names]
        names = [str(n) if n is not None else axis_name(i) for i, n in enumerate(given)]
        row_names, column_names = names[: table.index.nlevels], names[table.index.nlevels :]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"two dims are called {name!r}; dims need different names.")
        rows = table.index.set_names(row_names).to_frame(index=False)
        parts = []
        for position, column in enumerate(table.columns):
            part = rows.copy()
            for name, label in zip(column_names, np.atleast_1d(np.asarray(column, object)), strict=True):
                part[name] = label
            part["\0value"] = table.iloc[:, position].to_numpy()
            parts.append(part)
        table = pd.concat(parts).set_index(row_names + column_names)["\0value"]
    index = table.index
    for level in range(index.nlevels):
        if index.get_level_values(level).isna().any():
            raise InputError(f"a row of the table has no label on dim {index.names[level] or axis_name(level)!r}.")
    if not index.is_unique:
        twice = index[index.duplicated()][0]
        twice = twice if isinstance(twice, tuple) else (twice,)
        cell = ", ".join(f"{n}={v}" for n, v in zip(index.names, twice, strict=True))
        raise InputError(f"cell {cell} is given twice; every cell needs one row.")
    if index.nlevels == 1:
        return _numbers(table), [None if index.name is None else str(index.name)], [list(index)]
    labels = [list(dict.fromkeys(index.get_level_values(i))) for i in range(index.nlevels)]
    sizes = [len(one) for one in labels]
    if np.prod([float(size) for size in sizes]) > MOST_CELLS:
        raise InputError(
            f"the dims {', '.join(map(str, index.names))} cross to {np.prod([float(s) for s in sizes]):.3g} cells, "
            f"more than the {MOST_CELLS:,} that are held; leave out a dim."
        )
    codes = [pd.Categorical(index.get_level_values(i), categories=one).codes for i, one in enumerate(labels)]
    raw = _numbers(table)
    values = np.zeros(sizes, dtype=raw.dtype)
    values[tuple(codes)] = raw
    return values, [None if n is None else str(n) for n in index.names], labels


def _numbers(table: Any) -> np.ndarray:
    """The values of a Series or DataFrame; missing ones (pd.NA, None) become NaN, nullable booleans plain ones."""
    raw = table.to_numpy()
    if raw.dtype != object:
        return np.asarray(raw)
    flat = [one for one in raw.ravel().tolist()]
    if all(isinstance(one, bool) for one in flat):
        return raw.astype(bool)
    try:
        numbers = [float("nan") if one is None or repr(one) == "<NA>" else float(one) for one in flat]
    except (TypeError, ValueError):
        raise InputError("the table has entries that are not numbers.") from None
    return np.array(numbers).reshape(raw.shape)


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
    values = _matched(where, table.dims, "where=")
    if values.dtype != bool:
        raise InputError("where= must be true or false for every cell (for instance table < 3), or a list of cells.")
    if values.shape != table.values.shape:
        raise InputError(f"where= has the shape {values.shape}, but the table has {table.values.shape}.")
    return values


def as_means(means: Any, dims: Sequence[Dim]) -> np.ndarray:
    """A table of real numbers over the same cells, matched by its labels where it has any."""
    matched = _matched(means, dims, "the expected counts")
    try:
        return matched.astype(float)
    except (TypeError, ValueError):
        raise InputError("expected counts must be a table of numbers like the one released.") from None


def _matched(given: Any, dims: Sequence[Dim], named: str) -> np.ndarray:
    """The values of a table-like object in the order of some dims and their labels."""
    kind = type(given).__module__.split(".")[0]
    if kind == "xarray":
        values, names, labels, _ = _from_xarray(given, {}, {})
    elif kind == "pandas":
        values, names, labels = _from_pandas(given)
    else:
        return _plain_array(given)
    known = [dim.name for dim in dims]
    if all(names) and sorted(names) == sorted(known):
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
