"""Totals beside the cells of a table: each published alike in all tables, or sums of what the table shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from .cube.request import Request

Kept = tuple[str, ...]
"""The dims that a total is not a sum over."""


def requests_of_totals(request: Request, dims: Sequence[str]) -> Iterator[tuple[Kept, Request]]:
    """The tables that show the consistent totals of a table: those of fewer dims, down to the grand total."""
    for number in reversed(range(len(dims))):
        for kept in combinations(dims, number):
            where = tuple((dim, labels) for dim, labels in request.where if dim not in dims or dim in kept)
            yield kept, replace(request, dims=kept, where=where, totals="")


def beside(shown: np.ndarray, dims: Sequence[str], totals: Mapping[Kept, np.ndarray]) -> np.ndarray:
    """The figures of a table with a further last place of every dim for its total, as other tables show it."""
    whole = _with_room(shown)
    for kept, figures in totals.items():
        whole[tuple(slice(-1) if dim in kept else -1 for dim in dims)] = figures
    return _whole_numbers(whole, shown)


def added(shown: np.ndarray) -> np.ndarray:
    """The same with totals that are the sums of the figures that are shown."""
    whole = _with_room(shown)
    for axis, size in enumerate(shown.shape):
        cells = whole.take(range(size), axis)
        place = tuple(size if other == axis else slice(None) for other in range(shown.ndim))
        whole[place] = np.where(np.isnan(cells).all(axis), np.nan, np.nansum(cells, axis))
    return _whole_numbers(whole, shown)


def _with_room(shown: np.ndarray) -> np.ndarray:
    whole = np.full([size + 1 for size in shown.shape], np.nan)
    whole[tuple(slice(size) for size in shown.shape)] = shown
    return whole


def _whole_numbers(whole: np.ndarray, shown: np.ndarray) -> np.ndarray:
    """Counts stay whole numbers, unless some are withheld."""
    counts = np.issubdtype(shown.dtype, np.integer) and not np.isnan(whole).any()
    return whole.astype(np.int64) if counts else whole
