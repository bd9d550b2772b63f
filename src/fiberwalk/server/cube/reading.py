"""Data in any form become a hypercube: records, one row a person, or counts of cells."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base.errors import InputError, did_you_mean
from ...posterior.populations.sampling_design import numbers_in, refuse_below_1, summed_weights
from ...release.tables.table_forms import COUNT_NAMES, Hierarchies, rows_of
from ...release.tables.tables import as_table, check_trees
from .coded_columns import coded, declared_labels, refuse_names, refuse_numbers
from .data_files import read_frame
from .finding_levels import with_level, with_levels
from .hypercube import Column, Hypercube, gathered
from .keys_of_people import STORED, keys_of_numbers, stored_keys
from .magnitudes import Magnitude, amounts_of

MOST_DIMS = 200
"""Columns among which levels of each other are looked for."""
WEIGHT_UNIT = 2.0**-20
"""Sampling weights are whole numbers of these, so that their sums do not depend on any order."""


@dataclass(frozen=True)
class Roles:
    """What the columns of data are for (see `TableServer`)."""

    count: str | None = None
    keys: str | Sequence[str] | None = None
    columns: Sequence[str] | None = None
    hierarchies: Hierarchies | None = None
    sampling_weights: Any = None
    labels: Mapping[str, Sequence[Any]] | None = None
    summed: Mapping[str, Magnitude] = field(default_factory=dict)


ALL_DIMS = Roles()
"""Every column is a dim, but those whose names say otherwise."""


def as_hypercube(data: Any, seed: int, roles: Roles = ALL_DIMS) -> Hypercube:
    """The cube of microdata or counts (see `TableServer` for the forms they may have)."""
    check_trees(roles.hierarchies)
    if isinstance(data, (str, os.PathLike)):
        try:
            return as_hypercube(read_frame(data), seed, roles)
        except InputError as problem:
            name = os.fspath(data)
            raise problem if str(problem).startswith(name) else InputError(f"{name}: {problem}") from None
    if _is_long(data):
        return _of_rows(data, seed, roles)
    for name in ("count", "keys", "columns", "labels", "summed"):
        if getattr(roles, name):
            raise InputError(f"{name}= goes with a long frame or file, one row a person or cell.")
    return _of_table(data, roles.hierarchies, seed, roles.sampling_weights)


def _is_long(data: Any) -> bool:
    """One row a person or cell; where nothing tells microdata from a crosstab, a server takes it for microdata."""
    is_frame = type(data).__module__.split(".")[0] == "pandas" and hasattr(data, "columns")
    return is_frame and rows_of(data) is not False


# --- rows ---------------------------------------------------------------------------------------------------------


def _of_rows(frame: Any, seed: int, roles: Roles) -> Hypercube:
    names = [str(name) for name in frame.columns]
    columns, count, weighted = roles.columns, roles.count, roles.sampling_weights
    if isinstance(columns, str):
        columns = [name.strip() for name in columns.split(",")]
    if weighted is not None and not isinstance(weighted, str):
        raise InputError("sampling_weights= of a long frame or file is the name of a column.")
    key_columns = _key_columns(names, roles.keys)
    _check_names(names, (count, *key_columns, weighted, *(columns or ()), *roles.summed))
    if not len(frame):
        raise InputError("the data have no rows.")
    frame = frame.set_axis(names, axis=1)
    count = count_column(names, columns or ()) if count is None else count
    _refuse_counts_where_records_are_meant(count, key_columns, roles.summed)
    taken = (count, *key_columns, weighted, *roles.summed)
    dims = [name for name in (columns or names) if name not in taken]
    if not dims:
        raise InputError("no column is left for a dim.")
    if len(dims) > MOST_DIMS:
        raise InputError(f"{len(dims):,} columns would be dims; say which of them are (columns=).")
    declared = declared_labels(roles.labels, dims)
    found = [coded(frame[name], name, declared.get(name), sort=count is None) for name in dims]
    record_keys = np.zeros(len(frame), dtype=np.uint64)
    if count is None:
        refuse_names(found, len(frame))
        counts = np.ones(len(frame), dtype=np.int64)
        if len(key_columns) == 1:
            record_keys = keys_of_numbers(frame[key_columns[0]], key_columns[0], seed)
        elif key_columns:
            record_keys = stored_keys(frame, key_columns)
    else:
        refuse_numbers(found, len(frame))
        counts = _counts(frame[count], count)
    if not counts.any():
        raise InputError("all counts are zero: there is nobody to be counted.")
    weights = None if weighted is None else _weights(frame[weighted], weighted, counts)
    amounts = {
        name: amounts_of(frame[name], name, magnitude, record_keys, weights, seed)
        for name, magnitude in roles.summed.items()
    }
    cube = gathered(found, counts, record_keys, seed, weights, amounts)
    cube = with_levels(cube, dict(roles.hierarchies or {})).occupied()
    return cube if key_columns else cube.keyed_by_content()


def _refuse_counts_where_records_are_meant(
    count: str | None, key_columns: Sequence[str], magnitudes: Mapping[str, Magnitude]
) -> None:
    if count is not None and (key_columns or magnitudes):
        option = "keys" if key_columns else "summed"
        raise InputError(f"{option}= belongs to records, one row a person; these data have a column of counts.")
    if magnitudes and not key_columns:
        raise InputError(
            "summed= needs record keys, because the value of a record is changed by its own key: store them with the "
            "data (`fiberwalk keys`, fw.server.record_keys), or name a column of numbers that every record has (keys=)."
        )


def _key_columns(names: Sequence[str], keys: str | Sequence[str] | None) -> tuple[str, ...]:
    """The columns of record keys: one of numbers, or the two of stored keys, which are known by their names."""
    if keys is None:
        return STORED if set(STORED) <= set(names) else ()
    columns = (keys,) if isinstance(keys, str) else tuple(keys)
    if len(columns) not in (1, 2) or not all(isinstance(name, str) for name in columns):
        raise InputError(f"keys= names a column of numbers, or the two of stored keys, {STORED}; it is {keys!r}.")
    return columns


def _check_names(names: Sequence[str], asked: Iterable[str | None]) -> None:
    """Every column has a name of its own, and those that are asked for are there."""
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two columns are called {name!r}.")
    for given in asked:
        if given is not None and given not in names:
            raise InputError(f"there is no column {given!r}; {did_you_mean(str(given), names)}")


def count_column(names: Sequence[str], dims: Collection[str]) -> str | None:
    """The column of counts by its name; None where there is none: one row a person."""
    named = [one for one in names if one.lower() in COUNT_NAMES and one not in dims]
    if len(named) > 1:
        raise InputError(f"it is not clear which of {', '.join(named)} holds the counts; give count=.")
    return named[0] if named else None


def _counts(column: Any, name: str) -> np.ndarray:
    import pandas as pd

    values = pd.to_numeric(column.astype(object), errors="coerce").to_numpy(float)
    for wrong, problem in (
        (~np.isfinite(values), "is no number"),
        (values < 0, "is negative"),
        (values != np.round(values), "is not a whole number"),
        (values > 2**53, "is too large"),
    ):
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise InputError(f"row {row + 1}: the count {str(column.iloc[row])!r} in column {name!r} {problem}.")
    return values.astype(np.int64)


def _weights(column: Any, name: str, counts: np.ndarray) -> np.ndarray:
    """Sums of the sampling weights of the people in every row."""
    per_person = numbers_in(column, f"column {name!r}")
    refuse_below_1(per_person[counts > 0])
    return np.asarray(counts * np.rint(per_person / WEIGHT_UNIT) * WEIGHT_UNIT)


# --- tables -------------------------------------------------------------------------------------------------------


def _of_table(data: Any, hierarchies: Hierarchies | None, seed: int, sampling_weights: Any) -> Hypercube:
    table = as_table(data, hierarchies=hierarchies)
    places = np.nonzero(table.values)
    if not len(places[0]):
        raise InputError("all counts are zero: there is nobody to be counted.")
    columns = [
        Column(dim.name, dim.labels, codes, declared=True) for dim, codes in zip(table.dims, places, strict=True)
    ]
    counts = table.values[places]
    cube = Hypercube(tuple(columns), counts, np.zeros(len(counts), dtype=np.uint64), seed)
    if sampling_weights is not None:
        weights = summed_weights(sampling_weights, table.values.ravel(), table.dims)
        cube = cube.weighted(weights.reshape(table.values.shape)[places])
    for dim in table.dims:
        for level in dim.levels:
            cube = with_level(cube, dim.name, level.name, level.group_of)
    return cube.keyed_by_content()
