"""Data in any form become a hypercube: records, one row a person, or counts of cells."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...posterior.populations.sampling_design import numbers_in, refuse_below_1, summed_weights
from ...release.tables.table_forms import Hierarchies, rows_of
from ...release.tables.tables import as_table, check_trees
from .coded_columns import coded, declared_labels, refuse_names, refuse_numbers
from .data_files import read_frame
from .finding_levels import with_level, with_levels
from .hypercube import Column, Hypercube, gathered
from .keys_of_people import keys_of_numbers, stored_keys
from .magnitudes import amounts_of
from .roles import ALL_DIMS, NO_ROWS, Roles, layout_of

WEIGHT_UNIT = 2.0**-20
"""Sampling weights are whole numbers of these, so that their sums do not depend on any order."""


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
    layout = layout_of(names, roles)
    if not len(frame):
        raise InputError(NO_ROWS)
    frame = frame.set_axis(names, axis=1)
    count, key_columns, weighted, dims = layout.count, layout.keys, layout.weights, layout.dims
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
