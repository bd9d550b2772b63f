"""The cells that an auditor watches, and which of them the figures of a request sum; labels alone decide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...release.tables.dims import Dim
from ..cube.hypercube import Hypercube
from ..cube.label_sets import families
from ..cube.request import Request, as_request
from ..cube.whom import labels_meant

MOST_CELLS = 2000
"""Cells that are watched together."""


@dataclass(frozen=True, eq=False)
class SubCube:
    """Finest cells, all that some labels cross to."""

    dims: tuple[Dim, ...]
    inside: tuple[np.ndarray, ...]
    """Of each dim: which of the cube's finest labels are in it."""
    possible: np.ndarray
    """Which cells can have anybody, in the shape of the dims."""

    def groups(self, cube: Hypercube, request: Request) -> tuple[np.ndarray, np.ndarray] | None:
        """[group, cell] and the places of these figures in the table, of all that sum cells of the sub-cube.

        None: a figure sums cells of the sub-cube and others besides.
        """
        shape = tuple(len(cube.labels[name]) for name in cube.in_order(request))
        of_cells = labels_meant(cube, request)
        touching, beyond = np.ones(shape, dtype=bool), np.zeros(shape, dtype=bool)
        meant = []
        for dim, inside in zip(self.dims, self.inside, strict=True):
            every = np.ones(len(inside), dtype=bool)
            labels = np.moveaxis(np.broadcast_to(of_cells.get(dim.name, every), (*shape, len(inside))), -1, 0)
            meant.append(labels[inside])
            touching &= labels[inside].any(axis=0)
            beyond |= labels[~inside].any(axis=0)
        if (touching & beyond).any():
            return None
        places = np.flatnonzero(touching)
        rows = [labels.reshape(len(labels), -1)[:, places].T for labels in meant]
        groups = reduce(_crossed, rows) & self.possible.ravel()
        somebody = groups.any(axis=1)
        return groups[somebody], places[somebody]


def sub_cube(cube: Hypercube, offered: Iterable[str], filters: Mapping[str, Any] | None) -> SubCube:
    """All cells of the finest dims that can be asked for, or those with some labels."""
    finest = {_finest(cube, name) for name in offered}
    names = tuple(name for name in cube.labels if name in finest)
    asked = as_request(
        names, filters, {name: cube.labels[name] for name in cube.labels if _finest(cube, name) in names}
    )
    inside = {family.finest.name: family.inside for family in families(cube, asked)}
    if (cells := prod(int(inside[name].sum()) for name in names)) > MOST_CELLS or not cells:
        raise InputError(
            f"Auditor(filters={filters!r}): the cells to be watched are {cells:,}, and 1 to {MOST_CELLS:,} can be watched "
            "together; name labels of some dims, or offer fewer dims (ServerRules, dims)."
        )
    dims = tuple(Dim(name, tuple(np.array(cube.labels[name], dtype=object)[inside[name]])) for name in names)
    possible = np.ones([len(dim.labels) for dim in dims], dtype=bool)
    for box in cube.impossible:
        if all(name in names or labels.all() for name, labels in box.items()):
            axes = [box.get(name, np.ones(len(inside[name]), dtype=bool))[inside[name]] for name in names]
            possible[np.ix_(*axes)] = False
    return SubCube(dims, tuple(inside[name] for name in names), possible)


def _crossed(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """[group, cell]: of the cells of two dims those that have the labels of both."""
    return (one[:, :, None] & other[:, None, :]).reshape(len(one), one.shape[1] * other.shape[1])


def _finest(cube: Hypercube, name: str) -> str:
    return cube.column[name].told_level_of or name
