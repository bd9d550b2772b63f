"""A group of people, as facts speak of one: labels of some dims, one or several of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.errors import InputError, did_you_mean
from ..tables.dims import Dim
from .whom import joined_labels

if TYPE_CHECKING:
    from ..told import Told


@dataclass(frozen=True, eq=False)
class Group:
    """The cells that a group of people is counted in."""

    cells: np.ndarray
    words: str
    told: Told

    def numbers(self, dim: str) -> list[Fraction]:
        """What a numeric dim is in each of the cells."""
        at = position(dim, self.told.dims)
        return [number_of(self.told.dims[at], int(node)) for node in self.told.keys[self.cells, at]]

    def by_label(self, dim: str) -> dict[str, np.ndarray]:
        """The cells that have each label of a dim, by the labels that are there."""
        at = position(dim, self.told.dims)
        nodes = self.told.keys[self.cells, at]
        return {self.told.dims[at].node_labels[node]: self.cells[nodes == node] for node in dict.fromkeys(nodes)}

    def other(self, where: Mapping[str, Any]) -> Group:
        """Another group among the same people."""
        return group(self.told, where)


def position(name: Any, dims: Sequence[Dim]) -> int:
    """Where a dim stands."""
    names = [dim.name for dim in dims]
    if name not in names:
        raise InputError(f"there is no dim {str(name)!r}; {did_you_mean(str(name), names)}")
    return names.index(name)


def number_of(dim: Dim, node: int) -> Fraction:
    """The number that a label is."""
    label = dim.node_labels[node]
    try:
        return Fraction(label.strip())
    except (ValueError, ZeroDivisionError):
        raise InputError(
            f"dim {dim.name!r} has the label {label!r}, which is no number: of such a dim there are no means and quantiles."
        ) from None


def group(told: Told, where: Mapping[str, Any]) -> Group:
    """The group {dim: label} or {dim: [label, label]}; dims that are left out are summed over."""
    if not isinstance(where, Mapping):
        raise InputError(f"a group is given as a dict of dim to label, or to a list of labels; this is {where!r}.")
    inside, words = [np.arange(len(dim.labels)) for dim in told.dims], []
    for name, wanted in where.items():
        at = position(name, told.dims)
        labels = _labels(wanted, name)
        dim = told.dims[at]
        inside[at] = np.unique(np.concatenate([dim.leaves[dim.node(label)] for label in labels]))
        words.append(f"{name}={joined_labels(labels)}")
    named = ", ".join(words) or "everybody"
    for grid in told.grids:
        picks = [_pick(dim, nodes, leaves) for dim, nodes, leaves in zip(told.dims, grid.nodes, inside, strict=True)]
        if all(pick is not None for pick in picks):
            return Group(np.unique(grid.cells[np.ix_(*picks)]), named, told)
    raise InputError(f"{named} is finer than the tables of this release.")


def _labels(wanted: Any, name: str) -> tuple[str, ...]:
    several = isinstance(wanted, Iterable) and not isinstance(wanted, str)
    labels = tuple(dict.fromkeys(map(str, wanted))) if several else (str(wanted),)
    if not labels:
        raise InputError(f"{name}=[]: a group has at least one label of each dim that it names.")
    return labels


def _pick(dim: Dim, nodes: np.ndarray, leaves: np.ndarray) -> np.ndarray | None:
    """The places of the nodes that make up some finest labels, or None where none do."""
    wanted = np.zeros(len(dim.labels), dtype=bool)
    wanted[leaves] = True
    within = np.array([wanted[dim.leaves[node]].all() for node in nodes], dtype=bool)
    covered = sum(len(dim.leaves[node]) for node in nodes[within])
    return np.flatnonzero(within) if covered == len(leaves) else None
