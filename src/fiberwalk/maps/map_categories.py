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
    """The dims that by= names, and which figure stands for their categories; without dims, the table is one category."""

    dims: tuple[str, ...] = ()
    axes: tuple[int, ...] | None = None
    over: str = "worst"

    def words(self, whole: str = "") -> str:
        """Which categories the axis is of, to follow its name."""
        if not self.dims:
            return whole
        names = " and ".join(self.dims)
        if self.over == "mean":
            return f", mean over {names}"
        return f", the worst {names if len(self.dims) == 1 else f'combination of {names}'}"

    def together(self, figures: Any, *, worst: Any = np.max) -> float:
        """The worst or the mean figure of all categories; those that nobody is in have none, and are left out."""
        known = np.asarray(figures, dtype=float)
        known = known[~np.isnan(known)]
        if not known.size:
            raise InputError(f"by={list(self.dims)}: nobody is in any of their categories, as published.")
        return float(worst(known) if self.over == "worst" else known.mean())


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
