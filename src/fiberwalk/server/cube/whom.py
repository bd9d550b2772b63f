"""By which number it is known whom a cell is about, however a table says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...protect.mechanism.cell_keys import CellNumbers
from ...protect.mechanism.keyed_hash import from_0_to_1, secret_key, siphash
from .keys_of_people import label_numbers
from .label_sets import Family, families

if TYPE_CHECKING:
    from .hypercube import Hypercube
    from .request import Request


def numbers_of_labels(cube: Hypercube, request: Request) -> CellNumbers:
    """A number in [0, 1) for every cell that follows from whom it is about, however the table says it."""
    return from_0_to_1(hashes_of_labels(cube, request)).view(CellNumbers)


def hashes_of_labels(cube: Hypercube, request: Request) -> np.ndarray:
    """64 bits for every cell by which it is known whom it is about.

    Age 31 is the same with and without its told ten-year band beside it, as a row and as a filter; a dim all of whose
    labels are meant says nothing. Where children can have no job, children are the same as children without a job.
    """
    summed = np.zeros([len(cube.labels[dim]) for dim in cube.in_order(request)], dtype=np.uint64)
    for name, meant in labels_meant(cube, request).items():
        numbers = label_numbers(cube.seed, name, cube.labels[name])
        of_labels = np.where(meant, numbers, np.uint64(0)).sum(axis=-1, dtype=np.uint64)
        summed = summed + np.where(meant.all(axis=-1), np.uint64(0), of_labels)
    return siphash([summed], secret_key(cube.seed, "empty cells"))


def labels_meant(cube: Hypercube, request: Request) -> dict[str, np.ndarray]:
    """Of each finest dim, which of its labels each cell means and somebody can have: [cell, label]."""
    ones = (1,) * len(request.dims)
    meant = {family.finest.name: _labels_of(family) for family in families(cube, request)}
    for box in cube.impossible:
        for name in box:
            meant.setdefault(name, np.ones((*ones, len(cube.labels[name])), dtype=bool))
    narrower = bool(cube.impossible)
    while narrower:
        narrower = False
        for box in cube.impossible:
            for name, labels in box.items():
                inside = np.ones(ones, dtype=bool)
                for other, others in box.items():
                    if other != name:
                        inside = inside & ~(meant[other] & ~others).any(axis=-1)
                left = meant[name] & ~(inside[..., None] & labels)
                narrower |= int(left.sum()) * meant[name].size != int(meant[name].sum()) * left.size
                meant[name] = left
    return meant


def _labels_of(family: Family) -> np.ndarray:
    """Which labels of its finest dim each cell means, by the columns of one family."""
    every = np.eye(len(family.finest.labels), dtype=bool)
    return np.stack([family.summed(label) for label in every], axis=-1)
