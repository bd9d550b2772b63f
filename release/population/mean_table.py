"""Expected counts over some dims and recodes of a population, spread evenly over what they do not show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from .domain import Axis, Domain
from .label_classes import LabelClasses


@dataclass(frozen=True, eq=False)
class MeanTable:
    """Expected counts."""

    axes: tuple[Axis, ...]
    values: np.ndarray

    def of_records(self, records: np.ndarray, classes: Sequence[LabelClasses], domain: Domain) -> np.ndarray:
        """The mean of each record: that of its cell over the records in the cell. Groups of a recode must not overlap."""
        place: list[np.ndarray] = []
        share = np.full(len(records), 1.0)
        for axis in self.axes:
            label = np.full(len(classes[axis.dim].members), -1, dtype=np.int64)
            size = np.ones(len(axis.labels))
            for number, members in enumerate(axis.members):
                label[np.unique(classes[axis.dim].of_label[members])] = number
                size[number] = len(members)
            own = label[records[:, axis.dim]]
            share = np.where(own >= 0, share / size[own], 0.0)
            place.append(np.maximum(own, 0))
        unseen = prod(
            len(labels) for dim, labels in enumerate(domain.labels) if dim not in {axis.dim for axis in self.axes}
        )
        return np.asarray(self.values[tuple(place)] * share / unseen)
