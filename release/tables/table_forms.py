"""The forms a table comes in (xarray, pandas, numpy), read into values, names, labels and parent levels."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...base.errors import InputError, did_you_mean
from .dims import Level
from .hierarchies import levels_from

Hierarchies = Mapping[str, Any]
COUNT_NAMES = ("count", "counts", "freq", "frequency", "n", "value")
MOST_CELLS = 20_000_000


class Plain(NamedTuple):
    """A table as it was given: an array, names and labels of its axes (None where it has none), levels by parent column."""

    values: np.ndarray
    names: list[str | None]
    labels: Sequence[list[Any] | None]
    levels: dict[str, tuple[Level, ...]]


def read_form(table: Any, count: str | None = None, hierarchies: Hierarchies | None = None) -> Plain:
    """Read a table in any accepted form."""
    trees = dict(hierarchies or {})
    parents = {dim: columns for dim, spec in trees.items() if (columns := parent_columns(spec)) is not None}
    kind = type(table).__module__.split(".")[0]
    if kind == "fiberwalk" and hasattr(table, "to_xarray"):  # a table that was read before
        kind, table = "xarray", table.to_xarray()
    if kind == "xarray":
        return _from_xarray(table, parents)
    if kind == "pandas":
        if count is not None and not hasattr(table, "columns"):
            raise InputError("count= goes with a long DataFrame; this is a Series.")
        rows = hasattr(table, "columns") and rows_of(table)
        if rows is None and count is None:
            raise InputError(
                "this DataFrame may be a crosstab or microdata: its rows are only numbered. Give the rows of a crosstab "
                "labels; for microdata say which columns are dims, fw.table(frame, dims=[...])."
            )
        if count is not None or rows:
            series, levels = _long_series(table, count, parents)
            return _from_pandas(series)._replace(levels=levels)
        return _from_pandas(table)
    values = _plain_array(table)
    return Plain(values, [None] * values.ndim, [None] * values.ndim, {})


def axis_name(position: int) -> str:
    """What an axis without a name is called: A, B, ..., Z, A2, B2, ..."""
    letter = string.ascii_uppercase[position % 26]
    return letter if position < 26 else f"{letter}{position // 26 + 1}"


def parent_columns(spec: Any) -> list[str] | None:
    """The parent column(s) a hierarchy names, or None when it is given in another form."""
    given = [spec] if isinstance(spec, str) else spec
    if not isinstance(given, (list, tuple)) or not all(isinstance(part, str) for part in given):
        return None
    return None if any(re.search(r"\.(hrc|csv|tsv|txt)$", part.lower()) for part in given) else list(given)


def refuse_twins(names: list[str]) -> None:
    """Refuse two dims of the same name."""
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two dims are called {name!r}; dims need different names.")


def _plain_array(table: Any) -> np.ndarray:
    if np.ma.is_masked(table):
        raise InputError("the array is masked; a hidden cell is given by suppress(), not by a mask.")
    try:
        return np.asarray(table)
    except ValueError:
        raise InputError("the rows of the table have different lengths.") from None


def _from_xarray(table: Any, parents: Mapping[str, list[str]]) -> Plain:
    names = [None if re.fullmatch(r"dim_\d+", str(dim)) else str(dim) for dim in table.dims]
    labels = [list(table[dim].values) if dim in table.coords else None for dim in table.dims]
    levels: dict[str, tuple[Level, ...]] = {}
    for dim, columns in parents.items():
        if dim not in table.dims:
            continue
        for column in columns:
            if column not in table.coords or table[column].dims != (dim,):
                along = [str(c) for c in table.coords if table[c].dims == (dim,) and c != dim]
                raise InputError(
                    f"the hierarchy of dim {dim!r} names {column!r}, which is no coordinate along it; "
                    f"{did_you_mean(column, along)}"
                )
        levels[dim] = tuple(Level(column, tuple(map(str, table[column].values))) for column in columns)
    return Plain(np.asarray(table.values), names, labels, levels)


def rows_of(frame: Any) -> bool | None:
    """Has a DataFrame one row per cell or person (a long frame, microdata), and not one per category (a crosstab)?

    One row per cell or person if any column holds labels, or one has a count's name. A crosstab if its rows have labels, or
    its rows or columns a name. None where nothing tells: numbers under named columns, in rows that are only numbered.
    """
    import pandas as pd

    if frame.columns.nlevels > 1:
        return False
    if any(not pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes):
        return True
    if frame.columns.name is not None or frame.index.nlevels > 1 or frame.index.name is not None:
        return False
    if any(str(column).lower() in COUNT_NAMES for column in frame.columns):
        return True
    numbered = pd.api.types.is_integer_dtype(frame.index)
    return None if numbered and not pd.api.types.is_integer_dtype(frame.columns) else False


def _long_series(
    frame: Any, count: str | None, parents: Mapping[str, list[str]]
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
    for dim, named in parents.items():
        for column in named:
            if column not in columns:
                raise InputError(
                    f"the hierarchy of dim {dim!r} names {column!r}; {did_you_mean(column, map(str, columns))}"
                )
    grouping = {column for named in parents.values() for column in named}
    dims = [c for c in columns if c != count and c not in grouping]
    if not dims:
        raise InputError(f"the frame has only the count column {count!r}; it needs a column per dim.")
    missing = frame[dims].isna()
    if missing.to_numpy().any():
        row, column = np.argwhere(missing.to_numpy())[0]
        raise InputError(f"row {row + 1} of the frame has no label in column {dims[column]!r}.")
    series = frame.set_index([frame[d].astype(str).rename(d) for d in dims])[count]
    levels = {}
    for dim, named in parents.items():
        if dim in dims:
            rows = frame[[*named, dim]].astype(str).drop_duplicates()
            levels[dim] = levels_from(dim, list(dict.fromkeys(rows[dim])), rows)
    return series, levels


def _from_pandas(table: Any) -> Plain:
    """A crosstab or a Series as an array; combinations that a Series leaves out are zero."""
    import pandas as pd

    if isinstance(table, pd.DataFrame):
        _check_crosstab(table)
        if table.index.nlevels == 1 and table.columns.nlevels == 1:
            names = [None if n is None else str(n) for n in (table.index.name, table.columns.name)]
            return Plain(_numbers(table), names, [list(table.index), list(table.columns)], {})
        table = _stacked(table)
    _check_series(table)
    index = table.index
    if index.nlevels == 1:
        return Plain(_numbers(table), [None if index.name is None else str(index.name)], [list(index)], {})
    labels = [list(dict.fromkeys(index.get_level_values(i))) for i in range(index.nlevels)]
    sizes = [len(axis) for axis in labels]
    if np.prod([float(size) for size in sizes]) > MOST_CELLS:
        raise InputError(
            f"the dims {', '.join(map(str, index.names))} cross to {np.prod([float(s) for s in sizes]):.3g} cells, "
            f"more than the {MOST_CELLS:,} that are held; leave out a dim."
        )
    codes = [pd.Categorical(index.get_level_values(i), categories=axis).codes for i, axis in enumerate(labels)]
    raw = _numbers(table)
    values = np.zeros(sizes, dtype=raw.dtype)
    values[tuple(codes)] = raw
    return Plain(values, [None if n is None else str(n) for n in index.names], labels, {})


def _check_crosstab(table: Any) -> None:
    """Every row and every column has a label of its own."""
    for axis, index in (("rows", table.index), ("columns", table.columns)):
        if not index.is_unique:
            twice = index[index.duplicated()][0]
            raise InputError(f"the {axis} of the table have the label {str(twice)!r} twice.")
        if index.hasnans if index.nlevels == 1 else index.to_frame().isna().to_numpy().any():
            raise InputError(f"one of the {axis} of the table has no label.")


def _stacked(table: Any) -> Any:
    """A crosstab with several dims in its rows or columns as a Series, one row a cell."""
    import pandas as pd

    given = [*table.index.names, *table.columns.names]
    said = [str(n) if n is not None else axis_name(i) for i, n in enumerate(given)]
    refuse_twins(said)
    row_names, column_names = said[: table.index.nlevels], said[table.index.nlevels :]
    rows = table.index.set_names(row_names).to_frame(index=False)
    parts = []
    for position, column in enumerate(table.columns):
        part = rows.copy()
        for name, label in zip(column_names, np.atleast_1d(np.asarray(column, object)), strict=True):
            part[name] = label
        part["\0value"] = table.iloc[:, position].to_numpy()
        parts.append(part)
    return pd.concat(parts).set_index(row_names + column_names)["\0value"]


def _check_series(table: Any) -> None:
    """Every cell has a label on each dim, and one row."""
    index = table.index
    for level in range(index.nlevels):
        if index.get_level_values(level).isna().any():
            raise InputError(f"a row of the table has no label on dim {index.names[level] or axis_name(level)!r}.")
    if not index.is_unique:
        twice = index[index.duplicated()][0]
        twice = twice if isinstance(twice, tuple) else (twice,)
        cell = ", ".join(f"{n}={v}" for n, v in zip(index.names, twice, strict=True))
        raise InputError(f"cell {cell} is given twice; every cell needs one row.")


def _numbers(table: Any) -> np.ndarray:
    """The values of a Series or DataFrame; missing ones (pd.NA, None) become NaN, nullable booleans plain ones."""
    raw = table.to_numpy()
    if raw.dtype != object:
        return np.asarray(raw)
    flat = raw.ravel().tolist()
    if all(isinstance(value, bool) for value in flat):
        return raw.astype(bool)
    try:
        numbers = [float("nan") if value is None or repr(value) == "<NA>" else float(value) for value in flat]
    except (TypeError, ValueError):
        raise InputError("the table has entries that are not numbers.") from None
    return np.array(numbers).reshape(raw.shape)
