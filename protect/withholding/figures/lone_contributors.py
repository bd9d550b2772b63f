"""Contributors who are alone in a cell: each knows its value, and so sees more than an outsider does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ....base.errors import InputError
from ....release.facts.facts import NO_VALUE
from ....release.tables.table_forms import read_form
from .figures import Figures
from .naming_figures import by_labels, is_series_of


def lone_contributors(figures: Figures, alone: Any) -> tuple[np.ndarray, ...]:
    """For each contributor who is alone in some figures, which these are; the largest group first.

    Of cells it is told who is alone (`alone`, or the number of contributors that a table knows); in a total she is alone if
    she is in some of its cells, and all others of them are empty.
    """
    names = names_of_cells(figures, alone)
    if names is None:
        return ()
    groups = []
    truth = figures.start.truth
    assert truth is not None
    others = np.asarray(figures.matrix @ (truth != 0).astype(np.int64))
    for name in sorted(set(names[names != ""].tolist())):
        hers = (names == name).astype(np.int64)
        inside = np.asarray(figures.matrix @ (hers * (truth != 0)))
        mine = np.flatnonzero((inside > 0) & (inside == others))
        if len(mine):
            groups.append(mine)
    return tuple(sorted(groups, key=lambda mine: (-len(mine), mine[0])))


def own_sums(figures: Figures, alone: Sequence[np.ndarray], primary: np.ndarray) -> tuple[Any, tuple[np.ndarray, ...]]:
    """The sum of the sensitive cells of each contributor who is alone in several, where no figure is that sum.

    Which cells these sums have, and what each contributor knows: her figures and her sum, which are numbered on.
    """
    rows: list[np.ndarray] = []
    known = list(alone)
    for number, mine in enumerate(alone):
        cells = mine[(mine < figures.n_cells) & primary[mine]]
        if len(cells) < 2:
            continue
        totals = figures.matrix[mine[mine >= figures.n_cells]]
        hers = np.zeros(figures.n_cells, dtype=np.int64)
        hers[cells] = 1
        assert figures.start.truth is not None
        occupied = (figures.start.truth != 0).astype(np.int64)
        if not ((totals @ hers == len(cells)) & (totals @ occupied == len(cells))).any():
            known[number] = np.append(mine, len(figures) + len(rows))
            rows.append(hers)
    return sp.csr_array(np.array(rows, dtype=np.int64).reshape(-1, figures.n_cells)), tuple(known)


def names_of_cells(figures: Figures, alone: Any) -> np.ndarray | None:
    """The name of who is alone in each cell, empty where nobody is; None where nothing is known of that."""
    names = np.full(figures.n_cells, "", dtype=object)
    if alone is False:
        return None
    if alone is None:
        known = figures.start.contributors
        if known is None:
            return None
        for cell in np.flatnonzero((known == 1) & (known != NO_VALUE)):
            names[cell] = f"cell {cell}"
        return names
    if is_series_of(figures, alone):
        places, values = by_labels(figures, alone, "alone=")
        for place, value in zip(places.tolist(), values, strict=True):
            if place < figures.n_cells:
                names[place] = _name_of(place, value)
        return names
    for table, grid in zip(figures.of_each_table(alone, "alone="), figures.start.grids, strict=True):
        values = np.asarray(read_form(table).values, dtype=object)
        own = figures.table_of(grid)
        if values.shape != own.values.shape:
            raise InputError(f"alone=: a table of the shape {values.shape} for one of {own.values.shape}.")
        for cell, value in zip(grid.cells.ravel().tolist(), values.ravel(), strict=True):
            names[cell] = _name_of(cell, value) or names[cell]
    return names


def _name_of(cell: int, value: Any) -> str:
    """Who is alone in a cell: a name, or yes, which is a name of its own."""
    if isinstance(value, (bool, np.bool_)):
        return f"cell {cell}" if value else ""
    return value if isinstance(value, str) else ""
