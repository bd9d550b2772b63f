"""An axis of an R-U map by the categories of some dims: a figure of each, of which the worst or the mean is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.errors import InputError
from ..release.tables.tables import Table
from ..risk.table_arrays.table_shapes import arranged


@dataclass(frozen=True)
class Categories:
    """The dims by= names, and what is shown of their categories; without dims, the table is looked at as a whole."""

    dims: tuple[str, ...] = ()
    axes: tuple[int, ...] | None = None
    over: str = "worst"

    def words(self, whole: str = "") -> str:
        """Of what the axis is, to follow its name."""
        if not self.dims:
            return whole
        names = " and ".join(self.dims)
        if self.over == "mean":
            return f", mean over {names}"
        return f", the worst {names if len(self.dims) == 1 else f'combination of {names}'}"

    def one(self, figures: Any, *, worst: Any = np.max) -> float:
        """The figure that is shown; categories that nobody is in have none, and are left out."""
        found = np.asarray(figures, dtype=float)
        found = found[~np.isnan(found)]
        if not found.size:
            raise InputError(f"by={list(self.dims)}: nobody is in any of their categories, as published.")
        return float(worst(found) if self.over == "worst" else found.mean())


def categories(by: Any, over: str, table: Table) -> Categories:
    """The categories of a table that by= asks for."""
    if by is None:
        return Categories()
    names = [dim.name for dim in table.dims]
    dims = tuple(axis.name for axis in arranged(table, by=by).axes)
    if not dims:
        raise InputError(f"by={by!r} names no dim; the table has {', '.join(names)}.")
    return Categories(dims, tuple(names.index(name) for name in dims), over)


def given_axes(given: Any, table: Table) -> tuple[int, ...]:
    """The axes of the dims that given= names, in the order of the table."""
    if given is None:
        return ()
    try:
        return tuple(sorted(categories(given, "worst", table).axes or ()))
    except InputError as problem:
        raise InputError(str(problem).replace("by=", "given=", 1)) from None
