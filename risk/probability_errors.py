"""Joint and conditional probabilities, which users of a table estimate (DFKPR01, section 2): how far off are they?"""

from __future__ import annotations

from typing import Any

import numpy as np

from .table_arrays.table_shapes import arranged


def probability_error(F: Any, G: Any, *, stacked: bool = False, by: Any = None) -> Any:
    """The mean squared error of the probabilities of a table's cells, estimated by another table.

    Without `by` these are joint probabilities, cells over the table's total; with it, conditional ones, cells over the total
    of the category of `by` that they are in. Of a category that G leaves empty, every cell is taken to be as probable as
    the others.

    Parameters
    ----------
    F, G
        The true table, and one that a user may take for it; an array of any shape is one table.
    stacked
        Axis 0 is the tables: an array with an error for each comes back. F or G may then also be one table, that belongs to
        all of the other.
    by
        A dim (its name, or the number of its axis), or a list of dims, to condition on: an error for each of their
        categories (not a number where F has nobody in it).

    Examples
    --------
    >>> probability_error([[3, 1], [0, 4]], [[2, 2], [0, 4]])
    0.0078125
    >>> probability_error([[3, 1], [0, 4]], [[2, 2], [0, 4]], by="A").tolist()
    [0.0625, 0.0]
    """
    tables = arranged(F, G, stacked=stacked, by=by)
    errors = np.empty(tables.number)
    for rows, pair in tables.blocks():
        true, published = tables.aligned(pair, rows)
        tables.refuse_empty(true.sum(axis=1), "F")
        with np.errstate(invalid="ignore"):
            probabilities = true / true.sum(axis=1, keepdims=True)
        estimates = shares(published, published.sum(axis=1, keepdims=True), tables.cells)
        errors[rows] = ((estimates - probabilities) ** 2).mean(axis=1)
    return tables.told(errors)


def shares(counts: np.ndarray, totals: np.ndarray, cells: int) -> np.ndarray:
    """Counts as shares of their totals; where a total is 0, each of so many cells is as probable as the others."""
    return np.divide(counts, totals, out=np.full(np.shape(counts), 1.0 / cells), where=totals > 0)
