"""Which column of a long file is what: named by the user, or found by its name and content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...base.errors import InputError, did_you_mean
from ...base.text_files import Rows
from ..tables.table_forms import COUNT_NAMES, parent_columns
from .long_checks import DASH, is_number
from .reading_options import ReadingOptions

NO_FIGURE = ("", "na", "nan", "none", "null", "..", ":", "x", "*", DASH)
"""What stands where no figure is told, in small letters."""
CONTRIBUTORS_NAME, LARGEST_NAME, SECOND_NAME = "n_obs", "max", "max2"
STATUS_NAMES = ("status", "sdcstatus", "sdc_status", "flag")
FLAG_NAMES = ("primary", "suppressed")
"""Columns of GaussSuppression, true or false: is a cell sensitive, and is it withheld?"""
CELL_NAMES = ("strid",)
"""A name that sdcTable gives each cell, besides its labels."""
TRUE, FALSE, UNSAID = ("true", "t", "1"), ("false", "f", "0"), ("na", "")
TAKEN_NAMES = (*COUNT_NAMES, *STATUS_NAMES, CONTRIBUTORS_NAME, LARGEST_NAME, SECOND_NAME, "lower", "upper")
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
    second: str | None
    flags: dict[str, str]
    """By what they say, primary or suppressed: columns of true and false in place of a status."""

    @property
    def figures(self) -> list[str]:
        """The columns of numbers."""
        behind = [column for column in (self.contributors, self.largest, self.second) if column is not None]
        return [self.value, *(["lower", "upper"] if self.limits else []), *behind]


def find_columns(source: str, names: list[str], rows: Rows, options: ReadingOptions) -> Columns:
    """The columns of a file, or a sentence that says what is unclear about them."""
    _check_names(source, names, options)
    dims, value = options.dims, options.value
    free = [column for column in names if column not in (dims or [])]
    parents = _parents(source, names, free, options.hierarchies)
    status = options.status or next((column for column in free if column.lower() in STATUS_NAMES), None)
    limits = "lower" in free and "upper" in free
    about = [column for column in free if column != value]
    flags = {} if status is not None else _flags(names, free, rows)
    contributors = options.contributors or _called(CONTRIBUTORS_NAME, about)
    largest = options.largest or _called(LARGEST_NAME, about)
    second = _second(source, largest, about, options)
    taken = {contributors, largest, second, status, *(column for columns in parents.values() for column in columns)}
    taken |= {"lower", "upper"} if limits else set()
    taken |= {*_flags(names, free, rows).values(), *(column for column in free if column.lower() in CELL_NAMES)}
    free = [column for column in free if column not in taken]
    if value is None:
        value = _figures(source, names, free, rows, options, contributors)
        contributors = None if value == contributors else contributors
    chosen = list(dims) if dims is not None else [column for column in free if column != value]
    if not chosen:
        raise InputError(f"{source}: no column is left for a dim (columns: {', '.join(names)}).")
    groups = {dim: given for dim, given in parents.items() if dim in chosen}
    for named_dim in options.hierarchies:
        if named_dim not in chosen:
            raise InputError(f"{source}: a hierarchy is given for {named_dim!r}; {did_you_mean(named_dim, chosen)}")
    return Columns(chosen, value, status, limits, groups, contributors, largest, second, flags)


def _check_names(source: str, names: list[str], options: ReadingOptions) -> None:
    """Every column has a name of its own, and those that are asked for are there."""
    if "" in names:
        raise InputError(
            f"{source}: column {names.index('') + 1} has no name; are these row numbers? Leave the column out, or give "
            "it a name and choose the columns with dims= and value=."
        )
    if len(set(names)) < len(names):
        twice = next(column for column in names if names.count(column) > 1)
        raise InputError(f"{source}: two columns are called {twice!r}.")
    asked = [
        *(options.dims or []),
        options.value,
        options.status,
        options.contributors,
        options.largest,
        options.second,
    ]
    for given in asked:
        if given is not None and given not in names:
            raise InputError(f"{source}: there is no column {given!r}; {did_you_mean(str(given), names)}")


def _called(name: str, columns: Sequence[str]) -> str | None:
    return next((column for column in columns if column.lower() == name), None)


def _second(source: str, largest: str | None, about: Sequence[str], options: ReadingOptions) -> str | None:
    """The column of the second largest contribution; it says nothing without one of the largest."""
    if largest is not None:
        return options.second or _called(SECOND_NAME, about)
    if options.second is not None:
        raise InputError(
            f"{source}: a column of the second largest contribution is given, and none of the largest; name it with "
            "largest=."
        )
    return None


def _flags(names: list[str], free: list[str], rows: Rows) -> dict[str, str]:
    """The columns of true and false that are called primary and suppressed."""
    found = {}
    for column in free:
        if column.lower() in FLAG_NAMES:
            said = {row[names.index(column)].lower() for _, row in rows}
            if said <= {*TRUE, *FALSE, *UNSAID}:
                found[column.lower()] = column
    return found


def _figures(
    source: str, names: list[str], free: list[str], rows: Rows, options: ReadingOptions, contributors: str | None
) -> str:
    """The column that holds the figures: by its name, or as the only one with numbers."""
    named = [column for column in free if column.lower() in COUNT_NAMES]
    cells = {column: [row[names.index(column)] for _, row in rows] for column in free}
    numeric = [column for column in free if _all_numbers(cells[column])]
    numeric = numeric or [column for column in free if _all_numbers(cells[column], commas=True)]
    found = named if len(named) == 1 else numeric if options.dims is not None or len(numeric) == 1 else []
    if contributors and not found and not numeric:  # who are counted are the figures
        return contributors
    if len(found) != 1:
        raise InputError(
            f"{source}: it is not clear which column holds the figures (columns: {', '.join(names)}); give value= "
            "and dims= (on the command line --value and --dims), or crosstab=True where a dim lies across."
        )
    return found[0]


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


def _all_numbers(cells: Sequence[str], commas: bool = False) -> bool:
    """Are all of them numbers, some with decimal commas?"""
    any_number = False
    for cell in cells:
        if cell.lower() in NO_FIGURE:
            continue
        try:
            float(cell)
        except ValueError:
            if not (commas and is_number(cell)):
                return False
        any_number = True
    return any_number
