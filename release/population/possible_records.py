"""The records that may exist: combinations of labels that no published zero and no rule of the population excludes.

They are found dim by dim, as a database joins tables: to the combinations of some dims that are left come the labels of one
dim more, and what any table then shows to be empty is dropped at once. All dims together are never crossed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from ...base.errors import TooLarge
from .domain import Inside
from .label_classes import LabelClasses
from .published_table import PublishedTable

MOST = 20_000_000
"""Combinations that are looked at together."""
Rule = tuple[Inside, Inside]
"""Who is in the first group is in the second."""


class Places:
    """Where records lie in a table: for each of its layers the place of the cell, -1 where the table says nothing."""

    def __init__(self, table: PublishedTable, classes: Sequence[LabelClasses]) -> None:
        self.table = table
        self.layers = [_layers(axis.members, classes[axis.dim]) for axis in table.axes]
        self.about = {dim: mask[classes[dim].first] for dim, mask in table.about.masks.items()}

    def ruled_out(self, records: np.ndarray, known: Sequence[int]) -> np.ndarray:
        """Which records the table shows to be empty, by those dims of theirs that are known."""
        excluded = np.zeros(len(records), dtype=bool)
        axes = [number for number, axis in enumerate(self.table.axes) if axis.dim in known]
        if not axes or not set(self.about) <= set(known):
            return excluded
        others = tuple(number for number in range(len(self.table.axes)) if number not in axes)
        possible = self.table.possible.any(axis=others)
        if possible.all():
            return excluded
        shape, flat = possible.shape, np.append(possible.ravel(), True)  # place -1: nothing is said
        for place in self._places(records, axes, shape):
            excluded |= ~flat[place]
        return excluded

    def of(self, records: np.ndarray) -> list[np.ndarray]:
        """For each layer the places of whole records."""
        return list(self._places(records, range(len(self.table.axes)), self.table.shape))

    def _places(self, records: np.ndarray, axes: Sequence[int], shape: Sequence[int]) -> list[np.ndarray]:
        outside = np.zeros(len(records), dtype=bool)
        for dim, mask in self.about.items():
            outside |= ~mask[records[:, dim]]
        found = []
        for layers in product(*(self.layers[axis] for axis in axes)):
            place, nowhere = np.zeros(len(records), dtype=np.int64), outside.copy()
            for layer, axis, size in zip(layers, axes, shape, strict=True):
                label = layer[records[:, self.table.axes[axis].dim]]
                nowhere |= label < 0
                place = place * size + label
            place[nowhere] = -1
            found.append(place)
        return found


def _layers(members: Sequence[np.ndarray], classes: LabelClasses) -> list[np.ndarray]:
    """Labels that overlap, in layers that do not: for each class its label in the layer, or -1."""
    layers: list[np.ndarray] = []
    for number, labels in enumerate(members):
        inside = np.unique(classes.of_label[labels])
        layer = next((layer for layer in layers if (layer[inside] < 0).all()), None)
        if layer is None:
            layer = np.full(len(classes.members), -1, dtype=np.int64)
            layers.append(layer)
        layer[inside] = number
    return layers


def possible_records(classes: Sequence[LabelClasses], places: Sequence[Places], rules: Sequence[Rule]) -> np.ndarray:
    """The classes of labels of every record that may exist, one row each, in the order of the labels."""
    n = len(classes)
    records, known = np.zeros((1, n), dtype=np.int64), list[int]()
    while len(known) < n:
        left = {dim: len(records) * len(classes[dim].members) for dim in range(n) if dim not in known}
        affordable = [dim for dim, size in left.items() if size <= MOST]
        if not affordable:
            raise TooLarge(
                f"{min(left.values()):,} kinds of people may exist by what is published, more than the {MOST:,} that can be "
                "looked at: take a smaller region, or tables with more zeros."
            )
        wider = [(dim, _with_dim(records, known, dim, classes, places, rules)) for dim in affordable]
        dim, records = min(wider, key=lambda option: len(option[1]))
        known.append(dim)
    return records[np.lexsort(records.T[::-1])]


def _with_dim(
    records: np.ndarray,
    known: Sequence[int],
    dim: int,
    classes: Sequence[LabelClasses],
    places: Sequence[Places],
    rules: Sequence[Rule],
) -> np.ndarray:
    """The records with a further dim, without those that are ruled out."""
    size = len(classes[dim].members)
    wider = np.repeat(records, size, axis=0)
    wider[:, dim] = np.tile(np.arange(size), len(records))
    now = [*known, dim]
    left = np.ones(len(wider), dtype=bool)
    for one in places:
        if any(axis.dim == dim for axis in one.table.axes) or dim in one.about:
            left[left] = ~one.ruled_out(wider[left], now)
    for condition, consequence in rules:
        named = condition.dims | consequence.dims
        if dim in named and named <= set(now):
            part = wider[left]
            left[left] = ~inside(condition, part, classes) | inside(consequence, part, classes)
    return wider[left]


def inside(group: Inside, records: np.ndarray, classes: Sequence[LabelClasses]) -> np.ndarray:
    """Which records are in a group."""
    found = np.ones(len(records), dtype=bool)
    for dim, mask in group.masks.items():
        found &= mask[classes[dim].first][records[:, dim]]
    return found
