"""What the columns of rows are for: dims, counts, record keys, weights and magnitudes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...base.errors import InputError, did_you_mean
from ...release.tables.table_forms import COUNT_NAMES, Hierarchies
from .keys_of_people import STORED
from .magnitudes import Magnitude

MOST_DIMS = 200
"""Columns among which levels of each other are looked for."""
NO_ROWS = "the data have no rows."


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


@dataclass(frozen=True)
class Layout:
    """The columns of some rows, by what each is for."""

    dims: tuple[str, ...]
    count: str | None
    """None: one row a person."""
    keys: tuple[str, ...]
    """One of numbers, two of halves, or none."""
    weights: str | None


def layout_of(names: Sequence[str], roles: Roles) -> Layout:
    """What each column is for, or one sentence that says what is amiss."""
    columns, count, weighted = roles.columns, roles.count, roles.sampling_weights
    if isinstance(columns, str):
        columns = [name.strip() for name in columns.split(",")]
    if weighted is not None and not isinstance(weighted, str):
        raise InputError("sampling_weights= of a long frame or file is the name of a column.")
    key_columns = _key_columns(names, roles.keys)
    _check_names(names, (count, *key_columns, weighted, *(columns or ()), *roles.summed))
    count = count_column(names, columns or ()) if count is None else count
    _refuse_counts_where_records_are_meant(count, key_columns, roles.summed)
    taken = (count, *key_columns, weighted, *roles.summed)
    dims = tuple(name for name in (columns or names) if name not in taken)
    if not dims:
        raise InputError("no column is left for a dim.")
    if len(dims) > MOST_DIMS:
        raise InputError(f"{len(dims):,} columns would be dims; say which of them are (columns=).")
    return Layout(dims, count, key_columns, weighted)


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
