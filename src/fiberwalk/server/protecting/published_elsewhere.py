"""Tables that were published elsewhere before: who are a cell or total there are the same figure in every table of a server.

These are known by their labels, not by who they are: where a smaller group happened to have the same people, and were
answered by the figure from elsewhere, it would be told that nobody else is in the larger one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...base.errors import InputError, did_you_mean
from ...release.facts.facts import HIDDEN, NO_LIMIT, NO_VALUE, PRIMARY
from ...release.facts.statuses import RANDOM
from ...release.public_rows import public_rows
from ...release.public_view import PublicView, public_view
from ...release.publish import publish
from ...release.release import Release
from ...release.tables.dims import Dim
from ...release.tables.tables import as_table
from ..cube.hypercube import Hypercube
from ..cube.request import Request
from ..cube.whom import hashes_of_labels


class Told(NamedTuple):
    """What a figure tells of a count: between which it lies, and how probable it made the figure."""

    lower: int
    upper: int
    weights: tuple[int, np.ndarray] | None = None
    """The first count that it can come from, and log P(figure | count) from there on."""


UNKNOWN = Told(0, -1)
"""It is not known how the figure came about."""


@dataclass(frozen=True, eq=False)
class Elsewhere:
    """The figures that were published elsewhere, by whom they are about."""

    groups: np.ndarray
    """The hashes of labels of each, sorted."""
    figures: np.ndarray
    told: Sequence[Told]
    """What each of them tells of the truth."""
    differing: int
    """How many of the same groups were published elsewhere as different figures; the first stands."""
    repeated: bool
    """Are these figures answered again, or only compared?"""

    def places(self, groups: np.ndarray) -> np.ndarray:
        """Which of the figures each cell of a table is; -1: it was not published elsewhere."""
        place = np.minimum(np.searchsorted(self.groups, groups), len(self.groups) - 1)
        return np.where(self.groups[place] == groups, place, -1)

    @property
    def words(self) -> str:
        """What the agency should know of them."""
        true = sum(told.lower == told.upper for told in self.told)
        words = f"{len(self.groups):,} figures were published elsewhere, {true:,} of them true counts"
        if self.repeated:
            words += "; the same groups are answered as there, and tables of a part of them tell more beside these"
        else:
            words += "; this method does not repeat them, and an answer says how many of its figures differ"
        if self.differing:
            words += f"; {self.differing:,} groups were published as two figures, of which the first is taken"
        return words


def as_elsewhere(cube: Hypercube, tables: Any, *, repeated: bool) -> Elsewhere | None:
    """Tables or releases that were published elsewhere, as users give them: one, or a list of them."""
    if tables is None:
        return None
    several = tables if isinstance(tables, (list, tuple)) else [tables]
    groups: list[np.ndarray] = []
    figures: list[np.ndarray] = []
    told: list[Told] = []
    for number, table in enumerate(several, start=1):
        named = f"published_before={'' if len(several) == 1 else f', table {number}'}"
        release = table if isinstance(table, Release) else _as_it_is(table)
        for part in _parts(public_view(release), named):
            request = _request(cube, part, named)
            order = [part.dims.index(dim) for dim in cube.in_order(request)]
            places = tuple(
                np.array([cube.column[part.dims[axis]].place[label] for label in part.labels[axis]]) for axis in order
            )
            if not isinstance(table, Release) and (cube.cut(request).counts[places] != part.figures).any():
                part = part._replace(told=[UNKNOWN] * len(part.figures))
            groups.append(np.reshape(hashes_of_labels(cube, request)[places], -1))
            figures.append(part.figures)
            told += part.told
    kept, first, same = np.unique(np.concatenate(groups), return_index=True, return_inverse=True)
    every = np.concatenate(figures)
    differing = int((every != every[first][same]).sum())
    return Elsewhere(kept, every[first], [told[row] for row in first], differing, repeated)


def _as_it_is(table: Any) -> Release:
    """A table whose figures are shown as they are."""
    shown = as_table(table)
    return publish(shown, margins=[tuple(dim.name for dim in shown.dims)])


class Part(NamedTuple):
    """Figures that are sums over the same dims."""

    dims: tuple[str, ...]
    labels: Sequence[Sequence[str]]
    """By dim, of every figure."""
    figures: np.ndarray
    told: Sequence[Told]


def _request(cube: Hypercube, part: Part, named: str) -> Request:
    """The table of a server that has these figures."""
    for dim, labels in zip(part.dims, part.labels, strict=True):
        if dim not in cube.labels:
            raise InputError(f"{named}: there is no dim {dim!r}; {did_you_mean(dim, cube.labels)}")
        for label in labels:
            if label not in cube.column[dim].place:
                raise InputError(
                    f"{named}: dim {dim!r} has no label {label!r}; {did_you_mean(label, cube.labels[dim])}"
                )
    return Request(part.dims)


def _parts(public: PublicView, named: str) -> Iterator[Part]:
    """The figures that a release shows, by the dims that they are not sums over."""
    rows = public_rows(public, named, "a server")
    shown = (rows.value != NO_VALUE) & ~np.isin(rows.status, (PRIMARY, HIDDEN))
    if rows.decimals or not shown.any():
        raise InputError(f"{named}: {'its figures have decimals' if rows.decimals else 'it shows no figure'}.")
    evidence = {tuple(item.key.tolist()): item for item in public.evidence if item.key is not None}
    keys, values = rows.keys[shown], rows.value[shown]
    own_dims = len(public.dims)
    told = []
    for row in np.flatnonzero(shown):
        lower, upper, figure = int(rows.lower[row]), int(rows.upper[row]), int(rows.value[row])
        if rows.status[row] == RANDOM:
            item = evidence.get(tuple(rows.keys[row][:own_dims].tolist()))
            told.append(UNKNOWN if item is None else Told(0, NO_LIMIT, (item.first, item.log_weights)))
        elif NO_VALUE in (lower, upper) and (lower != NO_VALUE or upper != NO_VALUE):
            told.append(Told(max(lower, 0), NO_LIMIT if upper == NO_VALUE else upper))
        else:
            told.append(Told(figure, figure) if lower == NO_VALUE else Told(lower, upper))
    levels = np.stack(
        [[_level(dim, node) for node in nodes] for dim, nodes in zip(rows.dims, keys.T, strict=True)], axis=1
    )
    for pattern in dict.fromkeys(map(tuple, levels.tolist())):
        mine = np.flatnonzero((levels == np.array(pattern)).all(axis=1))
        axes = [axis for axis, level in enumerate(pattern) if level]
        labels = [[rows.dims[axis].node_labels[node] for node in keys[mine, axis]] for axis in axes]
        yield Part(tuple(pattern[axis] for axis in axes), labels, values[mine], [told[row] for row in mine])


def _level(dim: Dim, node: int) -> str:
    """The dim or level that a node is a label of; empty: it is the total."""
    if node == dim.total:
        return ""
    if node < len(dim.labels):
        return dim.name
    return next(level.name for level in dim.levels if dim.node_labels[node] in level.group_of)
