"""Figures and amounts as users name them: lists of cells, series by labels, functions of true figures, tables of cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ....base.errors import InputError
from ....base.numbers import is_number, scaled
from ....release.tables.tables import as_means, cell_mask
from .figures import Figures


def picked_figures(figures: Figures, given: Any, named: str) -> np.ndarray:
    """Which figures a condition picks, totals as well as cells.

    A list of cells and totals as {dim: label}; a Series of true and false by labels, with Total in the dims that are summed
    over; a function of the array of all true figures; or a boolean table of the finest cells, one for each table.
    """
    mask = np.zeros(len(figures), dtype=bool)
    if given is None:
        return mask
    if isinstance(given, Mapping):
        given = [given]
    if isinstance(given, (list, tuple)) and all(isinstance(cell, Mapping) for cell in given):
        for cell in given:
            mask[figures.named(cell)] = True
        return mask
    places, values = _laid_out(figures, given, named, cell_mask)
    if values.dtype != bool:
        raise InputError(f"{named}: true or false for every figure, or a list of cells as {{dim: label}}.")
    mask[places] = values
    return mask


def scaled_amounts(figures: Figures, given: Any, named: str, least: int = 0) -> np.ndarray:
    """A number for every figure, as whole numbers of the table's decimals: one for all, or in a form of `picked_figures`."""
    decimals = figures.start.decimals
    if is_number(given):
        return np.full(len(figures), _at_least(scaled(given, decimals, named), least, named))
    amounts = np.full(len(figures), least, dtype=np.int64)
    for place, amount in zip(
        *_laid_out(figures, given, named, lambda table, of: as_means(table, of.dims, named)), strict=True
    ):
        amounts[place] = _at_least(scaled(float(amount), decimals, named), least, named)
    return amounts


def numbers_of(figures: Figures, given: Any, named: str, otherwise: float) -> np.ndarray:
    """A real number for every figure, in a form of `picked_figures`; figures without one have another."""
    numbers = np.full(len(figures), otherwise, dtype=float)
    places, values = _laid_out(figures, given, named, lambda table, of: as_means(table, of.dims, named))
    numbers[places] = values
    if not np.isfinite(numbers).all() or (numbers < 0).any():
        raise InputError(f"{named}: numbers of at least 0.")
    return numbers


def _at_least(amount: int, least: int, named: str) -> int:
    if amount < least:
        raise InputError(f"{named}: at least {least}; {amount} is less.")
    return amount


def _laid_out(figures: Figures, given: Any, named: str, of_cells: Any) -> tuple[np.ndarray, np.ndarray]:
    """The figures that something says something of, and what."""
    if callable(given):
        values = np.asarray(given(np.asarray(figures.start.own_units(figures.values))))
        if values.shape != (len(figures),):
            raise InputError(
                f"{named}: the function gave the shape {values.shape}; it wants one answer for each figure."
            )
        return np.arange(len(figures)), values
    if is_series_of(figures, given):
        return by_labels(figures, given, named)
    places: list[np.ndarray] = []
    said: list[np.ndarray] = []
    for table, grid in zip(figures.of_each_table(given, named), figures.start.grids, strict=True):
        own = figures.table_of(grid)
        said.append(np.asarray(of_cells(table, own)).ravel())
        places.append(grid.cells.ravel())
    return np.concatenate(places), np.concatenate(said)


def is_series_of(figures: Figures, given: Any) -> bool:
    """Is it a Series whose index bears the name of a dim?"""
    if getattr(given, "ndim", 0) != 1 or not hasattr(getattr(given, "index", None), "names"):
        return False
    return any(name in figures.names for name in given.index.names)


def by_labels(figures: Figures, series: Any, named: str) -> tuple[np.ndarray, np.ndarray]:
    """The figures that a Series names by its index."""
    dims = list(series.index.names)
    stranger = next((str(dim) for dim in dims if dim not in figures.names), None)
    if stranger is not None:
        raise InputError(f"{named}: its index has the level {stranger!r}, which is no dim of the tables.")
    keys = ((label,) if len(dims) == 1 else label for label in series.index)
    places = [figures.named(dict(zip(dims, key, strict=True))) for key in keys]
    return np.array(places, dtype=np.int64), series.to_numpy()
