"""Which column of a long file is what: named by the user, or found by its name and content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...base.errors import InputError, did_you_mean
from ...base.text_files import Rows
from ..tables.table_forms import COUNT_NAMES, parent_columns
from .reading_options import ReadingOptions

NO_FIGURE = ("", "na", "nan", "none", "null", "..", ":", "x", "*")
"""What stands where no figure is told, in small letters."""
CONTRIBUTORS_NAME, LARGEST_NAME = "n_obs", "max"
STATUS_NAMES = ("status", "sdcstatus", "sdc_status", "flag")
TAKEN_NAMES = (*COUNT_NAMES, *STATUS_NAMES, CONTRIBUTORS_NAME, LARGEST_NAME, "lower", "upper")
"""Names by which columns are found, in small letters: no dim of a written file can have one."""


@dataclass(frozen=True)
class Columns:
    """Which column is what; `parents` are the columns that name the groups of a dim's labels, coarse to fine."""

    dims: list[str]
    value: str
    status: str | None
    limits: bool
    parents: dict[str, list[str]]
    contributors: str | None
    largest: str | None


def find_columns(source: str, names: list[str], rows: Rows, options: ReadingOptions) -> Columns:
    """The columns of a file, or a sentence that says what is unclear about them."""
    dims, value, status = options.dims, options.value, options.status
    contributors, largest = options.contributors, options.largest
    if "" in names:
        raise InputError(
            f"{source}: column {names.index('') + 1} has no name; are these row numbers? Leave the column out, or give "
            "it a name and choose the columns with dims= and value=."
        )
    if len(set(names)) < len(names):
        twice = next(one for one in names if names.count(one) > 1)
        raise InputError(f"{source}: two columns are called {twice!r}.")
    for given in [*(dims or []), value, status, contributors, largest]:
        if given is not None and given not in names:
            raise InputError(f"{source}: there is no column {given!r}; {did_you_mean(str(given), names)}")
    free = [one for one in names if one not in (dims or [])]
    parents = _parents(source, names, free, options.hierarchies)
    if status is None:
        status = next((one for one in free if one.lower() in STATUS_NAMES), None)
    limits = "lower" in free and "upper" in free
    if contributors is None:
        contributors = next((one for one in free if one.lower() == CONTRIBUTORS_NAME and one != value), None)
    if largest is None:
        largest = next((one for one in free if one.lower() == LARGEST_NAME and one != value), None)
    taken = {contributors, largest}
    taken |= {status, *(c for columns in parents.values() for c in columns), *(("lower", "upper") if limits else ())}
    free = [one for one in free if one not in taken]
    if value is None:
        named = [one for one in free if one.lower() in COUNT_NAMES]
        numeric = [one for one in free if _all_numbers([row[names.index(one)] for _, row in rows])]
        found = named if len(named) == 1 else numeric if dims is not None or len(numeric) == 1 else []
        if contributors and not found and not numeric:  # who are counted are the figures
            found, contributors = [contributors], None
        if len(found) != 1:
            raise InputError(
                f"{source}: it is not clear which column holds the figures (columns: {', '.join(names)}); give value= "
                "and dims= (on the command line --value and --dims)."
            )
        value = found[0]
    chosen = list(dims) if dims is not None else [one for one in free if one != value]
    if not chosen:
        raise InputError(f"{source}: no column is left for a dim (columns: {', '.join(names)}).")
    groups = {dim: given for dim, given in parents.items() if dim in chosen}
    for named_dim in options.hierarchies:
        if named_dim not in chosen:
            raise InputError(f"{source}: a hierarchy is given for {named_dim!r}; {did_you_mean(named_dim, chosen)}")
    return Columns(chosen, value, status, limits, groups, contributors, largest)


def _parents(source: str, names: list[str], free: list[str], hierarchies: Mapping[str, Any]) -> dict[str, list[str]]:
    """The columns that hold the groups of a dim: those its hierarchy names, and any called "dim:..."."""
    parents = {dim: columns for dim, spec in hierarchies.items() if (columns := parent_columns(spec)) is not None}
    for dim, columns in parents.items():
        for column in columns:
            if column not in names:
                raise InputError(f"{source}: the hierarchy of {dim!r} names {column!r}; {did_you_mean(column, names)}")
    for column in free:
        owner = column.partition(":")[0]
        if ":" in column and owner in names and owner not in hierarchies:
            parents.setdefault(owner, []).append(column)
    return parents


def _all_numbers(cells: Sequence[str]) -> bool:
    any_number = False
    for cell in cells:
        if cell.lower() in NO_FIGURE:
            continue
        try:
            float(cell)
        except ValueError:
            return False
        any_number = True
    return any_number
