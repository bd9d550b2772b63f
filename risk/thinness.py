"""Attribute disclosure as offices count it: rows and columns with only one or two occupied cells (SAE15, section 4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.errors import InputError
from .table_arrays.table_shapes import arranged

MOST = 2


def thin_lines(F: Any, G: Any = None, *, few: int = MOST, stacked: bool = False, by: Any = None) -> Any:
    """The share of rows and columns in which only one or two cells are occupied, the rest being zeros.

    Whoever knows that a person is in such a row learns the person's column, or that it is one of two (attribute
    disclosure). In more dims a line runs along one dim, the others fixed. The Office for National Statistics chose methods
    for the census of 2011 by this share.

    Conventions: lines that nobody is in are left out, as there is nobody to learn of, and so are dims of one label. A line
    without a zero is not thin, however short. The share is of all lines of all dims together; a table that sums to 0 is an
    error, and with `by` a category that nobody is in has none (not a number).

    Parameters
    ----------
    F
        The table, in any form; an array of any shape is one table.
    G
        What is published of it, if it is protected: then a line counts where it is thin in F and G shows the same cells
        of it as occupied, so that what is read off is true. The share is never larger than that of F.
    few
        The largest number of occupied cells that a thin line has.
    stacked, by
        As for `r2`.

    Examples
    --------
    >>> table = [[4, 0, 0], [2, 3, 0], [1, 5, 2]]
    >>> thin_lines(table)  # the first two rows, and the last two columns, of 6 lines
    0.6666666666666666
    >>> thin_lines(table, [[3, 0, 0], [3, 3, 3], [0, 6, 3]])  # the first row and the second column
    0.3333333333333333
    """
    if isinstance(few, bool) or not isinstance(few, (int, np.integer)) or few < 1:
        raise InputError(f"few={few!r}: the largest number of occupied cells of a thin line, a whole number from 1 on.")
    tables = arranged(F, *([] if G is None else [G]), stacked=stacked, by=by)
    shape = [axis.size for axis in tables.inner]
    shares = np.empty(tables.number)
    for row, pair in enumerate(tables.pairs()):
        occupied, *published = (array.reshape(shape) > 0 for array in pair)
        shares[row] = _share(occupied, published[0] if published else occupied, int(few))
    tables.refuse_empty(np.nan_to_num(np.array([pair[0].sum() for pair in tables.pairs()], dtype=float)), "F")
    return tables.told(shares)


def _share(occupied: np.ndarray, shown: np.ndarray, most: int) -> float:
    """Of the lines that are not empty, the share that is thin and shown as it is; not a number where all are empty."""
    lines = thin = 0
    for axis, size in enumerate(occupied.shape):
        if size > 1:
            number = occupied.sum(axis=axis)
            as_it_is = (occupied == shown).all(axis=axis)
            lines += int((number > 0).sum())
            thin += int(((number > 0) & (number <= min(most, size - 1)) & as_it_is).sum())
    if not occupied.any():
        return np.nan
    return thin / lines if lines else 0.0
