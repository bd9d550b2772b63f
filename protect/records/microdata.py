"""Microdata, one row a person: their columns checked, and the table that they count up to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...base.errors import InputError, did_you_mean
from ...release.facts.given_table import table
from ...release.tables.tables import Table

MOST_CELLS = 10_000_000


def read_microdata(frame: Any, columns: Any, method: str, household: Any = None) -> tuple[Any, list[str]]:
    """The microdata with texts for labels, and the columns that are dims; where none are named, all but `household`."""
    if type(frame).__module__.split(".")[0] != "pandas" or not hasattr(frame, "columns"):
        of = "household" if household is not None else "columns"
        raise InputError(f"{method}({of}=) is of microdata: a DataFrame with one row a person.")
    people = frame.set_axis([str(name) for name in frame.columns], axis=1).reset_index(drop=True)
    dims = _dims_of(list(people.columns), columns, method, household)
    _check_people(people, dims, method)
    return people.astype(str), dims


def _dims_of(names: list[str], columns: Any, method: str, household: Any) -> list[str]:
    """The columns that are dims of the table."""
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two columns are called {name!r}.")
    if isinstance(columns, str):
        columns = [name.strip() for name in columns.split(",")]
    if columns is not None and not isinstance(columns, Iterable):
        raise InputError(
            f"{method}(columns={columns!r}): the columns that are dims of the table, as 'region,age' or a list."
        )
    apart = [] if household is None else [str(household)]
    for column in (*apart, *map(str, columns or ())):
        if column not in names:
            raise InputError(f"{method}(): the microdata have no column {column!r}; {did_you_mean(column, names)}")
    dims = [str(name) for name in columns] if columns is not None else [name for name in names if name not in apart]
    if not dims:
        raise InputError(f"{method}(columns=) are dims of the table; name at least one.")
    if apart and apart[0] in dims:
        raise InputError(f"{method}(columns=) are dims of the table, and {apart[0]!r} says who belongs together.")
    return dims


def _check_people(people: Any, dims: list[str], method: str) -> None:
    """Every person has every label, and the table is not too large."""
    if not len(people):
        raise InputError(f"{method}(): the microdata have no rows.")
    missing = people.isna().to_numpy()
    if missing.any():
        row, column = np.argwhere(missing)[0]
        raise InputError(f"row {row + 1} of the microdata has no label in column {people.columns[column]!r}.")
    cells = float(np.prod([people[dim].nunique() for dim in dims], dtype=float))
    if cells > MOST_CELLS:
        raise InputError(
            f"{method}(): the table would have {cells:,.0f} cells; name fewer columns=, {MOST_CELLS:,} cells at most."
        )


def counted(people: Any) -> Table:
    """The true table of microdata, all columns of which are its dims."""
    return table(people, dims=list(people.columns))
