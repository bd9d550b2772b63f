"""table: figures with all that belongs to them, said once for every function that takes a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...base.errors import InputError, did_you_mean
from ..tables.beforehand import Statement, beforehand
from ..tables.dims import key_words
from ..tables.table_forms import COUNT_NAMES, Hierarchies, parent_columns, refuse_twins, rows_of
from ..tables.tables import Table, as_table, check_trees, labelled_axes
from .contributions import with_contributions
from .facts import NO_LIMIT

PEOPLE = "__people__"


def table(  # noqa: PLR0913  (a public verb: its keywords are its interface)
    data: Any,
    *,
    dims: Sequence[str] | str | None = None,
    labels: Mapping[str, Sequence[Any]] | None = None,
    count: str | None = None,
    hierarchies: Hierarchies | None = None,
    decimals: int = 0,
    contributors: Any = None,
    largest: Any = None,
    second: Any = None,
    at_least: float | None = None,
    at_most: float | None = None,
    known_within: float | None = None,
) -> Table:
    """A table with its names, its hierarchies and who stands behind its cells, for any function that takes a table.

    Functions also take the figures themselves, in any form that `data` may have; what else is known of them is said here.

    Parameters
    ----------
    data
        A DataArray, a numpy array, a crosstab, a Series with a MultiIndex, a long DataFrame with one row per cell and a
        column of counts, or microdata with one row per person. Cells that a frame leaves out are zero.
    dims
        Of an array the names of its axes (A, B, C, ... when left out); of a frame the columns that span the table. A frame
        whose dims are named and that has no column of counts is microdata, and its rows are counted.
    labels
        Of an array the labels of some dims: {dim: labels}; 1, 2, 3, ... when left out.
    count
        The column of counts or magnitudes of a long frame, where its name does not say so.
    hierarchies
        For some dims, how their labels add up to subtotals: {dim: hierarchy}, where a hierarchy is a mapping of parents
        to lists of children, a DataFrame with columns from coarse to fine, the path of a `.hrc` file or level table, or
        the name(s) of the parent column (of a long frame) or coordinate (of a DataArray); several of one dim are a list.
        A margin names a level by its column's name; levels without one are called "dim:1", "dim:2", ... from the top.
    decimals
        Magnitudes are kept as whole numbers of 10^-decimals.
    contributors, largest, second
        Tables of how many contribute to each cell and how much the largest and the second largest one do, for
        `audit(intruders=)`; like the truth, they are never written to a public file. From records,
        `protect.sensitivity.contributions_of` makes all of it.
    at_least, at_most
        What everybody knows of every cell beforehand, in the table's own units. Cells that may be negative, such as profits,
        need it, as nothing else bounds them; reports name it as an assumption.
    known_within
        Or so many percent of its true value to which everybody knows each cell beforehand, rounded outwards. The snooper is
        then assumed to have been told that much: the ranges give the truth away, and what leaves for readers has none.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> towns = {"North": ["Aby", "Bro"], "South": ["Cam"]}
    >>> turnover = fw.table(
    ...     [[1.5, 20.0], [0.7, 3.1], [8.2, 9.9]], dims=["town", "size"], labels={"town": ["Aby", "Bro", "Cam"]},
    ...     hierarchies={"town": towns}, decimals=1,
    ... )
    >>> turnover
    <Table of town, size (3 x 2), 1 decimal>
    >>> fw.suppress(turnover, rule="< 1", margins=["town:1,size"])
    <Release of town, size (3 x 2): 6 cells, 1 hidden, 2 known sums, with its truth>

    Of microdata:

    >>> import pandas as pd
    >>> people = pd.DataFrame({"sex": list("ffmm"), "town": ["Aby", "Bro", "Aby", "Aby"], "income": [7, 9, 4, 5]})
    >>> fw.table(people, dims="sex,town").values.tolist()
    [[1, 1], [2, 0]]

    Profits:

    >>> profits = fw.table([[-20, 35], [10, 5]], at_least=-50, at_most=100)
    >>> fw.bounds(fw.publish(profits, margins=["A", "B"])).iloc[0].to_dict()
    {'lower': -50, 'upper': 40}
    """
    if isinstance(data, Table):
        raise InputError("table(): this is such a table already; say all that belongs to it in one call.")
    named = _names(dims)
    check_trees(hierarchies)
    if labels is not None and not isinstance(labels, Mapping):
        raise InputError("table(labels=) is a dict of dim to its labels.")
    if named is not None and hasattr(data, "columns") and rows_of(data) is not False:
        if labels is not None:
            raise InputError("table(labels=) is of arrays: the rows of a frame have their labels.")
        data, count = _spanned(data, named, count, hierarchies or {})
    elif named is not None or labels is not None:
        data = labelled_axes(data, named, labels)
    bare = as_table(data, count=count, hierarchies=hierarchies, decimals=decimals, signed=True)
    bare = with_statement(bare, Statement(at_least, at_most, known_within))
    return with_contributions(bare, contributors, largest, second)


def with_statement(table: Table, known: Statement) -> Table:
    """The table with what is stated of all its cells beforehand."""
    values = table.values.ravel()
    of_cells = beforehand(
        known, values, np.ones(len(values), dtype=bool), table.decimals,
        lambda cell: key_words(np.array(np.unravel_index(cell, table.values.shape)), table.dims), NO_LIMIT,
    )  # fmt: skip
    return replace(table, beforehand=of_cells)


def _names(dims: Any) -> list[str] | None:
    if dims is None:
        return None
    given = [part.strip() for part in dims.split(",")] if isinstance(dims, str) else dims
    if not isinstance(given, Iterable) or not (names := [str(name) for name in given]) or not all(names):
        raise InputError(f"table(dims={dims!r}): the dims of the table, as 'region,age' or a list of at least one.")
    return names


def _spanned(frame: Any, dims: list[str], count: str | None, hierarchies: Mapping[str, Any]) -> tuple[Any, str]:
    """The columns of a frame that make the table, with the one of the counts; rows of microdata are counted."""
    names = [str(column) for column in frame.columns]
    refuse_twins(dims)
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"table(): two columns are called {name!r}.")
    frame = frame.set_axis(names, axis=1)
    for name in (*dims, *(() if count is None else (count,))):
        if name not in names:
            raise InputError(f"table(): the frame has no column {name!r}; {did_you_mean(name, names)}")
    parents = [name for given in hierarchies.values() for name in parent_columns(given) or () if name in names]
    wanted = list(dict.fromkeys([*parents, *dims]))
    others = [name for name in names if name not in wanted]
    counting = [name for name in others if name.lower() in COUNT_NAMES] if count is None else [count]
    if len(counting) > 1:
        raise InputError(f"table(): it is not clear which of {', '.join(counting)} holds the counts; give count=.")
    missing = frame[wanted].isna().to_numpy()
    if missing.any():
        row, column = np.argwhere(missing)[0]
        raise InputError(f"table(): row {row + 1} has no label in column {wanted[column]!r}.")
    if counting:
        return frame[[*wanted, counting[0]]], counting[0]
    return frame.groupby(wanted, sort=True).size().rename(PEOPLE).reset_index(), PEOPLE
