"""Which groups of people the answers of a server are about, over the finest labels that they tell apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from math import prod
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from ..base.errors import InputError
from ..release.tables.dims import Dim, Level
from .cube.label_sets import Box
from .cube.whom import labels_meant

if TYPE_CHECKING:
    from .cube.hypercube import Column, Hypercube
    from .cube.request import Request
    from .protecting.making import Made

MOST_CELLS = 200_000
"""Finest cells that answers may tell apart together."""
Group = tuple[tuple[str, bytes], ...]
"""The people with some labels of some finest dims: of each of these dims which labels are meant, as bytes."""


@dataclass(frozen=True, eq=False)
class Cells:
    """The finest cells that answers tell apart: dims whose labels are classes of the cube's finest ones."""

    dims: tuple[Dim, ...]
    classes: tuple[np.ndarray, ...]
    """[label, finest label] of each dim: which finest labels of the cube each label stands for."""
    possible: np.ndarray
    """Which cells can have anybody, one after the other."""

    def of(self, group: Group) -> np.ndarray:
        """The cells of a group that can have anybody."""
        meant = dict(group)
        axes = [
            self._inside(classes, meant.get(dim.name)) for dim, classes in zip(self.dims, self.classes, strict=True)
        ]
        cells = np.ravel_multi_index(np.ix_(*axes), [len(dim.labels) for dim in self.dims]).ravel()
        return cells[self.possible[cells]]

    def key(self, group: Group) -> np.ndarray:
        """The node of each dim that a group is; -1 everywhere where it is no such crossing."""
        meant, nodes = dict(group), []
        for dim, classes in zip(self.dims, self.classes, strict=True):
            inside = self._inside(classes, meant.get(dim.name))
            same = [node for node, leaves in enumerate(dim.leaves) if np.array_equal(np.sort(leaves), inside)]
            if not same:
                return np.full(len(self.dims), -1)
            nodes.append(same[-1] if len(inside) == len(dim.labels) else same[0])
        return np.array(nodes)

    @staticmethod
    def _inside(classes: np.ndarray, meant: bytes | None) -> np.ndarray:
        if meant is None:
            return np.arange(len(classes))
        return np.flatnonzero(classes[:, np.frombuffer(meant, dtype=bool)].any(axis=1))


def groups_in(cube: Hypercube, request: Request, made: Made, named: Set[str]) -> list[Group | None]:
    """The people of every cell of a table, in the order of its figures, by the labels that somebody can have.

    So groups of the same possible people are one, as they are for the draws of empty cells. `named` are the finest dims that
    any answer names; the others tell nothing apart. None where nobody can be, and where the figure was published elsewhere
    and tells what it tells there.
    """
    known = made.possible if made.elsewhere is None else made.possible & (made.elsewhere < 0)
    shape = tuple(len(cube.labels[dim]) for dim in cube.in_order(request))
    meant = {
        name: np.broadcast_to(labels, (*shape, labels.shape[-1]))[cube.view(request)].reshape(known.size, -1)
        for name, labels in sorted(labels_meant(cube, request.whole).items(), key=itemgetter(0))
        if name in named
    }
    return [
        tuple((name, labels[cell].tobytes()) for name, labels in meant.items() if not labels[cell].all())
        if able
        else None
        for cell, able in enumerate(known.ravel().tolist())
    ]


def cells_told(cube: Hypercube, groups: Sequence[Group], names: Iterable[str]) -> Cells:
    """The finest cells of some groups; `names` are the dims and levels that the answers name."""
    meant: dict[str, dict[bytes, np.ndarray]] = {}
    for group in groups:
        for name, inside in group:
            meant.setdefault(name, {})[inside] = np.frombuffer(inside, dtype=bool)
    if not meant:
        raise InputError("the answers tell of all people together only; there is no cell to be believed anything of.")
    boxes = [box for box in cube.impossible if all(name in meant or labels.all() for name, labels in box.items())]
    for box in boxes:
        for name, labels in box.items():
            if name in meant:
                meant[name][labels.tobytes()] = labels
    finest = [cube.column[name] for name in cube.labels if name in meant]
    classes = [_classes(list(meant[column.name].values())) for column in finest]
    if prod(map(len, classes)) > MOST_CELLS:
        raise InputError(
            f"the answers tell {prod(map(len, classes)):,} cells apart, more than the {MOST_CELLS:,} that are believed "
            "something of at a time; ask about fewer answers, or tables of fewer dims."
        )
    covered = _told_of(finest, classes, groups)
    for axis in range(len(classes)):  # labels that no answer tells of by any figure
        kept = np.flatnonzero(covered.any(axis=tuple(other for other in range(covered.ndim) if other != axis)))
        classes[axis], covered = classes[axis][kept], covered.take(kept, axis)
    levels = [column for column in cube.columns if column.name in set(names) and column.told_level_of is not None]
    dims = tuple(_dim(column, of_dim, levels) for column, of_dim in zip(finest, classes, strict=True))
    possible = _can_be(finest, classes, boxes)
    missing = np.argwhere(possible & ~covered)
    if len(missing):
        where = ", ".join(f"{dim.name}={dim.labels[place]}" for dim, place in zip(dims, missing[0], strict=True))
        raise InputError(
            f"no figure of the answers counts the people with {where}, who may be any number: add an answer that does, or "
            "ask about the answers one by one."
        )
    return Cells(dims, tuple(classes), possible.ravel())


def _classes(masks: Sequence[np.ndarray]) -> np.ndarray:
    """[class, finest label]: labels that every mask treats alike are one class, in the order of their first labels."""
    _, first, of_label = np.unique(np.stack(masks), axis=1, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return np.stack([of_label.ravel() == kind for kind in order])


def _told_of(finest: Sequence[Column], classes: Sequence[np.ndarray], groups: Sequence[Group]) -> np.ndarray:
    """Which cells are in some group."""
    covered = np.zeros([len(of_dim) for of_dim in classes], dtype=bool)
    for group in groups:
        meant = dict(group)
        axes = [Cells._inside(of_dim, meant.get(column.name)) for column, of_dim in zip(finest, classes, strict=True)]
        covered[np.ix_(*axes)] = True
    return covered


def _can_be(finest: Sequence[Column], classes: Sequence[np.ndarray], boxes: Sequence[Box]) -> np.ndarray:
    """Which cells can have anybody, as far as impossible combinations were declared."""
    possible = np.ones([len(of_dim) for of_dim in classes], dtype=bool)
    for box in boxes:
        axes = [
            np.flatnonzero(~(of_dim & ~box[column.name]).any(axis=1)) if column.name in box else np.arange(len(of_dim))
            for column, of_dim in zip(finest, classes, strict=True)
        ]
        possible[np.ix_(*axes)] = False
    return possible


def _dim(finest: Column, classes: np.ndarray, levels: Sequence[Column]) -> Dim:
    """A dim whose labels are classes of finest labels: called by their label, by that of a level, or one by one."""
    own = [level for level in levels if level.told_level_of == finest.name]
    known: dict[bytes, str] = {}
    for level in own:
        group = level.group_in(finest)
        known |= {(group == place).tobytes(): label for place, label in enumerate(level.labels)}
    labels = []
    for inside in classes:
        alone = [finest.labels[place] for place in np.flatnonzero(inside)]
        labels.append(alone[0] if len(alone) == 1 else known.get(inside.tobytes(), " or ".join(alone)))
    kept = []
    for level in own:
        group = level.group_in(finest)
        inside_of = [np.unique(group[inside]) for inside in classes]
        if all(len(places) == 1 for places in inside_of):
            named = tuple(level.labels[places[0]] for places in inside_of)
            if _goes_with(named, labels):
                kept.append(Level(level.name, named))
    return Dim(finest.name, tuple(labels), tuple(kept))


def _goes_with(groups: Sequence[str], labels: Sequence[str]) -> bool:
    """Is no group called like a label that is not the whole of it?"""
    members: Mapping[str, list[str]] = {
        group: [label for label, own in zip(labels, groups, strict=True) if own == group] for group in groups
    }
    return all(group not in labels or inside == [group] for group, inside in members.items())
