"""Figures and amounts as a file holds them, in whatever form users named them: by their labels, or one for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....base.numbers import is_number
from ....base.saved_forms import saved
from .figures import Figures
from .lone_contributors import names_of_cells
from .naming_figures import numbers_of, picked_figures, scaled_amounts


@saved("ByFigure")
@dataclass(frozen=True, eq=False)
class ByFigure:
    """A number for each figure, whatever its true value is: a function of true figures, as wishes may be."""

    numbers: np.ndarray

    def __call__(self, truth: np.ndarray) -> np.ndarray:
        """The numbers."""
        return self.numbers


def is_function(given: Any) -> bool:
    """Is it a function of the user's own, which no file can hold?"""
    return callable(given) and not isinstance(given, ByFigure)


def named_on_paper(figures: Figures, given: Any, named: str) -> Any:
    """Figures that were named in a form of `picked_figures`, or by a word, as a list of {dim: label} and words."""
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, (list, tuple)) and all(isinstance(one, (str, Mapping)) for one in given):
        return [one if isinstance(one, str) else dict(one) for one in given]
    dims = figures.start.dims
    return [
        {dim.name: dim.node_labels[node] for dim, node in zip(dims, key, strict=True)}
        for key in figures.keys[picked_figures(figures, given, named)].tolist()
    ]


def amounts_on_paper(figures: Figures, given: Any, named: str) -> Any:
    """Amounts that were given in a form of `scaled_amounts`: one for all, or one for each figure."""
    if is_number(given) or isinstance(given, ByFigure):
        return given
    return ByFigure(np.asarray(figures.start.own_units(scaled_amounts(figures, given, named))))


def costs_on_paper(figures: Figures, given: Any, named: str) -> Any:
    """Costs that were given by a word, or in a form of `numbers_of`."""
    return given if isinstance(given, (str, ByFigure)) else ByFigure(numbers_of(figures, given, named, 1.0))


def names_on_paper(figures: Figures, alone: Any) -> Any:
    """Who is alone in which cell, as a table of names for each table of figures."""
    if alone is None or alone is False:
        return alone
    names = names_of_cells(figures, alone)
    assert names is not None
    tables = [names[grid.cells].reshape(figures.table_of(grid).values.shape) for grid in figures.start.grids]
    return tables if len(tables) > 1 else tables[0]
