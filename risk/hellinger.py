"""Hellinger's distance between a table and what was published of it, and the utility that follows (SAE15, section 4.3)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .table_arrays.table_shapes import Tables, arranged


def hellinger_distance(F: Any, G: Any, *, stacked: bool = False, by: Any = None) -> Any:
    """HD = sqrt(sum (sqrt F - sqrt G)^2 / 2): how far two tables of counts are apart.

    It is 0 where they are equal and sqrt((N + M) / 2) where no cell is occupied in both, N and M being their totals.
    Differences in small cells weigh more than the same differences in large ones.

    Parameters
    ----------
    F, G
        The original and the published table; an array of any shape is one table.
    stacked, by
        As for `hellinger_utility`.

    Examples
    --------
    >>> hellinger_distance([[4, 1], [0, 4]], [[4, 0], [1, 4]])
    1.0
    """
    tables = arranged(F, G, stacked=stacked, by=by)
    return tables.told(_distance(tables)[0])


def hellinger_utility(F: Any, G: Any, *, stacked: bool = False, by: Any = None) -> Any:
    """1 - HD/sqrt(N): how much of a table of counts is left in what was published of it (SAE15).

    HD is `hellinger_distance` and N the sum of F. It is 1 where nothing was changed and 0 where the two tables have the same
    total and no occupied cell in common; a published total far above N can make it negative.

    Parameters
    ----------
    F, G
        The original and the published table; an array of any shape is one table.
    stacked
        Axis 0 is the tables: an array with a utility for each comes back. F or G may then also be one table, that belongs to
        all of the other.
    by
        A dim (its name, or the number of its axis), or a list of dims: each of their categories is a table by itself, and
        has a utility (not a number where F has nobody in it). Of a labelled table, a DataArray.

    Examples
    --------
    >>> hellinger_utility([[4, 1], [0, 4]], [[4, 0], [1, 4]])
    0.6666666666666667
    >>> hellinger_utility([4, 1], [[4, 1], [9, 1]], stacked=True).round(3).tolist()
    [1.0, 0.684]
    >>> hellinger_utility([[4, 1], [0, 4]], [[4, 0], [0, 4]], by="A").round(3).tolist()
    [0.684, 1.0]
    """
    tables = arranged(F, G, stacked=stacked, by=by)
    distance, total = _distance(tables)
    tables.refuse_empty(total, "F")
    return tables.told(1 - distance / np.sqrt(np.where(total > 0, total, np.nan)))


def _distance(tables: Tables) -> tuple[np.ndarray, np.ndarray]:
    """The distances, and the totals of F."""
    distance, total = np.empty((2, tables.number))
    for rows, pair in tables.blocks():
        original, published = tables.aligned(pair, rows)
        distance[rows] = np.sqrt(((np.sqrt(original) - np.sqrt(published)) ** 2).sum(axis=1) / 2)
        total[rows] = original.sum(axis=1)
    return distance, total
