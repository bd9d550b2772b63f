"""Whom each figure is about: of every finest dim the labels that are meant, as a number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..cube.whom import labels_meant

if TYPE_CHECKING:
    from ..cube.hypercube import Hypercube
    from ..cube.request import Request

Group = tuple[int, ...]
"""Of each finest dim a number for the labels that are meant; 0: all."""


class Groups:
    """The numbers of sets of labels, taken as they come."""

    def __init__(self, cube: Hypercube) -> None:
        self.cube = cube
        self.dims = tuple(column.name for column in cube.columns if column.told_level_of is None)
        self.sizes = tuple(len(cube.labels[name]) for name in self.dims)
        self._meant = [[np.ones(size, dtype=bool)] for size in self.sizes]
        self._numbers = [{every[0].tobytes(): 0} for every in self._meant]

    def number(self, dim: int, meant: np.ndarray) -> int:
        """The number of a set of labels of a dim."""
        text = meant.tobytes()
        if text not in self._numbers[dim]:
            self._numbers[dim][text] = len(self._meant[dim])
            self._meant[dim].append(np.array(meant))
        return self._numbers[dim][text]

    def meant(self, dim: int, number: int) -> np.ndarray:
        """The labels that a number of a dim means."""
        return self._meant[dim][number]

    def of(self, request: Request) -> list[Group]:
        """Whom each figure of a table is about, one after the other."""
        shape = tuple(len(self.cube.labels[dim]) for dim in self.cube.in_order(request))
        numbers = np.zeros((*shape, len(self.dims)), dtype=np.int64)
        for name, meant in labels_meant(self.cube, request.whole).items():
            dim = self.dims.index(name)
            rows = np.ascontiguousarray(meant.reshape(-1, self.sizes[dim]))
            own = np.array([self.number(dim, row) for row in rows]).reshape(meant.shape[:-1])
            numbers[..., dim] = own
        shown = numbers[self.cube.view(request)]
        return list(map(tuple, shown.reshape(-1, len(self.dims)).tolist()))

    def words(self, group: Group) -> str:
        """A group as people read it."""
        parts = []
        for dim, number in enumerate(group):
            if number:
                parts.append(f"{self.dims[dim]}={self.label(dim, number)}")
        return ", ".join(parts) or "everybody"

    def label(self, dim: int, number: int) -> str:
        """The labels that a number means, by that of a level where one is the same."""
        meant = self.meant(dim, number)
        for column in self.cube.columns:
            if column.told_level_of == self.dims[dim] and column.told_group is not None:
                places = np.unique(column.told_group[meant])
                if len(places) == 1 and ((column.told_group == places[0]) == meant).all() and meant.sum() > 1:
                    return column.labels[places[0]]
        labels = self.cube.labels[self.dims[dim]]
        return " or ".join(labels[place] for place in np.flatnonzero(meant))
