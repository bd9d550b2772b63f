"""One published table about a population: its cells over dims and recodes, what is said of them, and whom it is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...base.saved_forms import saved
from ..facts.facts import NO_LIMIT
from ..publish import publish
from ..release import Release
from ..tables.tables import as_table
from .domain import Axis, Domain, Inside, number_of


@saved("PublishedTable")
@dataclass(frozen=True, eq=False)
class PublishedTable:
    """A table and how its cells lie in the domain."""

    name: str
    release: Release
    axes: tuple[Axis, ...]
    """Of each dim of the table how it shows a dim of the population, labels in the table's own order."""
    about: Inside

    @property
    def shape(self) -> tuple[int, ...]:
        """How many labels each of its dims has."""
        return tuple(len(axis.labels) for axis in self.axes)

    @cached_property
    def cells(self) -> np.ndarray:
        """The cell of the release at each place of the table."""
        return self.release.grids[0].cells.reshape(self.shape)

    @cached_property
    def possible(self) -> np.ndarray:
        """Which cells, by their place, may have people in them: those that neither they nor a total of theirs rule out."""
        told = self.release
        upper = told.upper > 0
        sums = told.sums
        for row in np.flatnonzero(sums.upper == 0):
            part = slice(sums.matrix.indptr[row], sums.matrix.indptr[row + 1])
            if (sums.matrix.data[part] > 0).all():
                upper[sums.matrix.indices[part]] = False
        return np.asarray(upper[self.cells])

    @cached_property
    def speaking(self) -> np.ndarray:
        """Which cells, by their place, something is said of."""
        told = self.release
        said = (told.lower > 0) | (told.upper < NO_LIMIT)
        said[told.sums.matrix.indices] = True
        for item in told.evidence:
            said[item.cells] = True
        for choice in told.choices:
            said[choice.matrix.indices] = True
        return np.asarray(said[self.cells])

    def words(self, cell: int) -> str:
        """A cell in words."""
        return f"{self.name!r} ({self.release.words(self.release.keys[cell])})"


def published_table(name: str, given: Any, domain: Domain) -> PublishedTable:
    """Read a table, a release, or one of these with a filter, as published of a population."""
    where = f"table {name!r}"
    about: Mapping[str, Any] = {}
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], Mapping):
        given, about = given
    if isinstance(given, Release):
        release = given
    else:
        release = publish(table := as_table(given), [",".join(dim.name for dim in table.dims)])
    _refuse_what_cannot_be_read(release, where)
    release = release.without_truth()
    inside = domain.inside({**about, **{dim: list(labels) for dim, labels in release.about}}, where)
    axes = []
    for dim in release.dims:
        axis = domain.axis(dim.name, where)
        members = tuple(axis.members[number_of(label, axis.labels, axis.name, where)] for label in dim.labels)
        _refuse_left_out(axis, dim.labels, inside, where)
        axes.append(replace(axis, labels=dim.labels, members=members))
    return PublishedTable(name, release, tuple(axes), inside)


def _refuse_what_cannot_be_read(release: Release, where: str) -> None:
    if release.decimals or release.of_magnitudes:
        raise InputError(f"{where} is one of amounts; the tables of a population count people.")
    if release.signed:
        raise InputError(f"{where} has cells that may be negative; the tables of a population count people.")
    if release.own.any():
        raise InputError(f"{where} is read by somebody who is in it (own=); say so of the population, with knows().")
    if len(release.grids) != 1 or not release.is_cell(release.keys).all():
        raise InputError(f"{where} is several tables that are linked; give them one by one.")
    if any(method.beyond_evidence for method in release.applied):
        raise InputError(
            f"{where} was changed as a whole, by a method that is no noise of single figures: audit it by itself."
        )


def _refuse_left_out(axis: Axis, shown: tuple[str, ...], inside: Inside, where: str) -> None:
    """A label that a table leaves out may have nobody, or may not be its subject: which of the two must be said."""
    wanted = inside.masks.get(axis.dim)
    for label, members in zip(axis.labels, axis.members, strict=True):
        if label not in shown and (wanted is None or wanted[members].any()):
            raise InputError(
                f"{where} shows {axis.name!r}, but not its label {label!r}: give the zeros, or say whom the table is about, "
                f"as (table, {{{axis.name!r}: [...]}})."
            )
