"""Crosstabs with margins and missing cells, as pandas prints them."""

from __future__ import annotations

from typing import Any

from ..base.errors import InputError
from ..base.numbers import scaled
from .facts.facts import HIDDEN, PUBLISHED
from .figures import from_figures
from .files.publication import Figure, Publication
from .release import Release
from .tables.beforehand import Statement
from .tables.dims import TOTAL, Dim
from .tables.table_forms import axis_name


def from_crosstab(
    frame: Any,
    *,
    total: str = "All",
    decimals: int = 0,
    slack: float = 0,
    at_least: float | None = None,
    at_most: float | None = None,
) -> Release:
    """Read a `pd.crosstab(..., margins=True)` whose hidden cells (or totals) are missing (NaN).

    Parameters
    ----------
    frame
        The crosstab; its index and columns may have several levels.
    total
        The label of its margins (`margins_name`).
    slack
        How far totals may be from the sum of their cells because they were rounded.
    at_least, at_most
        What everybody knows of every cell beforehand, which cells that may be negative need.

    Examples
    --------
    >>> import fiberwalk as fw, pandas as pd
    >>> frame = pd.DataFrame(
    ...     [[None, None, 5], [None, None, 7], [4, 8, 12]], index=["a", "b", "All"], columns=["x", "y", "All"]
    ... )
    >>> fw.from_crosstab(frame)
    <Release of A, B (2 x 2): 4 cells, 4 hidden, 5 known sums, as an outsider reads it>
    """
    if not hasattr(frame, "columns"):
        raise InputError("from_crosstab() needs a DataFrame.")
    parts: list[tuple[str | None, list[str]]] = []
    labels: list[list[tuple[str, ...]]] = []
    for axis in (frame.index, frame.columns):
        if not axis.is_unique:
            raise InputError(f"the crosstab has the label {axis[axis.duplicated()][0]!r} twice.")
        rows = [tuple(map(str, label)) if isinstance(label, tuple) else (str(label),) for label in axis]
        # pandas writes the total of a MultiIndex as ("All", "", ...): the empty parts are totals too
        rows = [tuple(total if part == "" and total in row else part for part in row) for row in rows]
        labels.append(rows)
        for level in range(axis.nlevels):
            name = axis.names[level]
            seen = [label for label in dict.fromkeys(row[level] for row in rows) if label != total]
            parts.append((None if name is None else str(name), seen))
    names = [name if name is not None else axis_name(i) for i, (name, _) in enumerate(parts)]
    for name, (_, seen) in zip(names, parts, strict=True):
        if names.count(name) > 1:
            raise InputError(f"two dims of the crosstab are called {name!r}; rename its index or its columns.")
        if TOTAL in seen:
            raise InputError(f"the crosstab has the label {TOTAL!r}; if its totals are called so, say total={TOTAL!r}.")
    if not any(total in row for rows in labels for row in rows):
        raise InputError(f"the crosstab has no margin called {total!r}; say what its margins are called with total=.")
    dims = [Dim(name, tuple(seen)) for name, (_, seen) in zip(names, parts, strict=True)]
    figures = []
    values, absent = frame.to_numpy(), frame.isna().to_numpy()
    for i, row in enumerate(labels[0]):
        for j, column in enumerate(labels[1]):
            key = tuple(
                dim.total if part == total else dim.node(part) for dim, part in zip(dims, (*row, *column), strict=True)
            )
            where = f"row {', '.join(row)}, column {', '.join(column)}"
            hidden = bool(absent[i, j])
            figure = None if hidden else scaled(values[i, j], decimals, f"the crosstab, {where}")
            figures.append(Figure(key, figure, HIDDEN if hidden else PUBLISHED, where=where))
    slack = scaled(slack, decimals, "slack=")
    known = Statement(at_least, at_most)
    return from_figures(Publication(dims, figures, "the crosstab", decimals=decimals, slack=slack, known=known))
