"""Labels that nothing tells apart: if no table, rule or fact distinguishes two labels of a dim, they are in one class.

A dim that no table shows has one class; years of age that tables show by groups of five only are alike five by five.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...base.saved_forms import saved
from .domain import Axis, Domain, Inside


@saved("LabelClasses")
@dataclass(frozen=True, eq=False)
class LabelClasses:
    """Of one dim the class of each label, and of each class its labels."""

    of_label: np.ndarray
    members: tuple[np.ndarray, ...]

    @property
    def sizes(self) -> np.ndarray:
        """How many labels are in each class."""
        return np.array([len(labels) for labels in self.members])

    @property
    def first(self) -> np.ndarray:
        """A label of each class."""
        return np.array([labels[0] for labels in self.members])


def label_classes(
    domain: Domain, axes: Iterable[Axis], groups: Iterable[Inside], apart: Iterable[int]
) -> tuple[LabelClasses, ...]:
    """The classes of every dim; those of dims that are told `apart` are single labels."""
    marks: list[list[np.ndarray]] = [[] for _ in domain.names]
    single = set(apart)
    for axis in axes:
        if not axis.recode:
            single.add(axis.dim)
            continue
        for members in axis.members:
            mask = np.zeros(len(domain.labels[axis.dim]), dtype=bool)
            mask[members] = True
            marks[axis.dim].append(mask)
    for group in groups:
        for dim, mask in group.masks.items():
            marks[dim].append(mask)
    return tuple(
        _classes(
            np.arange(len(labels))[:, None] if dim in single else np.array([np.zeros(len(labels), bool), *marks[dim]]).T
        )
        for dim, labels in enumerate(domain.labels)
    )


def _classes(marks: np.ndarray) -> LabelClasses:
    """Rows that are the same are in one class; classes stand in the order of their first labels."""
    _, first, number = np.unique(marks, axis=0, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    of_label = rank[number.ravel()]
    order = np.argsort(of_label, kind="stable")
    return LabelClasses(of_label, tuple(np.split(order, np.flatnonzero(np.diff(of_label[order])) + 1)))
