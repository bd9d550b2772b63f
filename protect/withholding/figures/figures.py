"""Every figure that some tables could publish, cells and totals alike, and the sums that tie them together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ....base.errors import InputError
from ....base.saved_forms import saved
from ....release.facts.facts import HIDDEN, NO_LIMIT, PRIMARY, Grid
from ....release.linking.link import linked
from ....release.publish import parse_margins
from ....release.release import Release, of_table
from ....release.tables.dims import Dim
from ....release.tables.tables import Table, as_table, key_of

MOST_FIGURES = 5_000_000


@saved("Figures")
@dataclass(frozen=True, eq=False)
class Figures:
    """The figures of one table or of several linked ones; the finest cells of all tables come first.

    A row of `relations` is a total with 1 and its parts with -1: the true figures make it 0, and so does whatever an
    attacker takes them to be.
    """

    start: Release
    """The tables with their truth, of which nothing is published yet."""
    keys: np.ndarray
    matrix: Any
    """Which cells each figure sums."""
    relations: Any
    offered: np.ndarray
    """Is it published unless it is withheld? Totals beside the margins that are published are not."""

    @cached_property
    def values(self) -> np.ndarray:
        """The true figures."""
        assert self.start.truth is not None
        return np.asarray(self.matrix @ self.start.truth)

    @cached_property
    def known(self) -> tuple[np.ndarray, np.ndarray]:
        """Between which values everybody knows each figure to lie, before anything is published."""
        least, most = self.start.lower, self.start.upper
        limited = np.asarray(self.matrix @ (most >= NO_LIMIT).astype(np.int64)) == 0
        upper = np.asarray(self.matrix @ np.where(most >= NO_LIMIT, 0, most))
        return np.asarray(self.matrix @ least), np.where(limited, upper, NO_LIMIT)

    @cached_property
    def place(self) -> Mapping[tuple[int, ...], int]:
        """The number of the figure with a key."""
        return {tuple(key): number for number, key in enumerate(self.keys.tolist())}

    @property
    def n_cells(self) -> int:
        """How many of the figures are finest cells."""
        return self.start.n_cells

    def __len__(self) -> int:
        return len(self.keys)

    def of_each_table(self, given: Any, named: str) -> list[Any]:
        """What is given for each table: a list where there are several, else the thing itself."""
        grids = len(self.start.grids)
        if grids == 1:
            return [given]
        if not isinstance(given, (list, tuple)) or len(given) != grids:
            raise InputError(
                f"{named}: there are {grids} tables; give a list of one for each, a list of cells, or a Series."
            )
        return list(given)

    @property
    def names(self) -> tuple[str, ...]:
        """The dims of all tables."""
        return tuple(dim.name for dim in self.start.dims)

    def table_of(self, grid: Grid) -> Table:
        """One of the tables, over its own dims and with its own labels."""
        assert self.start.truth is not None
        own = [
            (at, dim)
            for at, dim in enumerate(self.start.dims)
            if not (len(grid.nodes[at]) == 1 and grid.nodes[at][0] == dim.total)
        ]
        dims = tuple(Dim(dim.name, tuple(dim.node_labels[node] for node in grid.nodes[at])) for at, dim in own)
        shape = tuple(len(dim.labels) for dim in dims)
        return Table(self.start.truth[grid.cells].reshape(shape), dims, self.start.decimals)

    def words(self, figure: int) -> str:
        """A figure in words."""
        return self.start.words(self.keys[figure])

    def named(self, cell: Mapping[str, Any]) -> int:
        """The number of a figure that is named by its labels, {dim: label}; dims that are left out are summed over."""
        key = tuple(int(node) for node in key_of(cell, self.start.dims))
        if key not in self.place:
            raise InputError(f"{self.start.words(key)}: no table has that figure.")
        return self.place[key]

    def released(self, withheld: np.ndarray, primary: np.ndarray) -> Release:
        """The release that withholds some figures, some of them as sensitive, and publishes all others that are offered."""
        start, n = self.start, self.n_cells
        shown = np.flatnonzero(self.offered & ~withheld)
        figures = self.values[shown]
        release = start.with_facts(self.keys[shown], self.matrix[shown], figures, figures, figures)
        status = release.status.copy()
        status[np.flatnonzero(withheld[:n])] = HIDDEN
        status[np.flatnonzero(withheld[:n] & primary[:n])] = PRIMARY
        questions = withheld[n:] & self.offered[n:]
        asked = np.concatenate([release.asked.reshape(-1, len(start.dims)), self.keys[n:][questions]])
        return replace(release, status=status, asked=asked, asked_primary=self.keys[n:][questions & primary[n:]])


def figures_of(tables: Sequence[Any], margins: Iterable[Any] | None = None) -> Figures:
    """The figures of some linked tables (or of one), in any form that `publish` takes.

    `margins` names the totals that are published unless they are withheld: all of them, at every level, when left out.
    """
    releases = [of_table(as_table(table, profits=True)) for table in tables]
    start = releases[0] if len(releases) == 1 else replace(linked(releases), notes=(), applied=())
    crossed = [_Crossed.of(grid, start.dims) for grid in start.grids]
    if sum(len(one.keys) for one in crossed) > MOST_FIGURES:
        raise InputError(
            f"the tables have more than {MOST_FIGURES:,} cells and totals; protect tables with fewer dims or levels."
        )
    keys, first, number = np.unique(
        np.concatenate([start.keys, *(one.keys for one in crossed)]), axis=0, return_index=True, return_inverse=True
    )
    order = np.argsort(first, kind="stable")  # the finest cells stand first
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    numbers = np.split(rank[number.ravel()][start.n_cells :], np.cumsum([len(one.keys) for one in crossed])[:-1])
    relations = sp.vstack([one.relations(its, len(keys)) for one, its in zip(crossed, numbers, strict=True)])
    matrix = sp.csr_array(
        sp.vstack([start.picked(np.arange(start.n_cells)), *(one.sums(start.n_cells) for one in crossed)])
    )
    return Figures(
        start, keys[order], sp.csr_array(matrix[first[order]]), sp.csr_array(relations),
        _offered(start, keys[order], margins),
    )  # fmt: skip


def listed_tables(tables: Any) -> list[Any]:
    """One table, or some linked ones, as a list of tables."""
    if isinstance(tables, (list, tuple)) and len(tables) and all(_has_labels(one) for one in tables):
        return list(tables)
    return [tables]


def _has_labels(one: Any) -> bool:
    """A table with labels, which others can be linked to: no row of a table that is written as lists of numbers."""
    return not isinstance(one, (list, tuple)) and any(hasattr(one, name) for name in ("dims", "columns", "coords"))


def _offered(start: Release, keys: np.ndarray, margins: Iterable[Any] | None) -> np.ndarray:
    """Which figures are published unless they are withheld: the cells, and the totals of some margins."""
    if margins is None:
        return np.ones(len(keys), dtype=bool)
    offered = np.arange(len(keys)) < start.n_cells
    wanted = parse_margins(margins, start.dims)
    if wanted:
        shown = {tuple(key) for key in start.margins(wanted)[0].tolist()}
        offered |= np.array([tuple(key) in shown for key in keys.tolist()])
    return offered


class _Axis(NamedTuple):
    """The categories of one dim of a table: its own and all that they add up to, and how each is made of finer ones."""

    nodes: np.ndarray
    members: np.ndarray
    """[category, own category of the table]: is it a part?"""
    parts: tuple[tuple[int, np.ndarray], ...]
    """The place of a category, and the places of those that it is the sum of; one may be in several, where levels cross."""

    @classmethod
    def of(cls, own: np.ndarray, dim: Dim) -> _Axis:
        """The axis of a table that has these nodes of a dim as its finest."""
        inside = [(node, dim.within(own, node)) for node in range(len(dim.leaves))]
        size = np.array([len(leaves) for leaves in dim.leaves])
        whole = [(node, within) for node, within in inside if within.any() and size[own[within]].sum() == size[node]]
        nodes = np.array([node for node, _ in whole])
        members = np.array([within for _, within in whole])
        place = {int(node): at for at, node in enumerate(nodes)}
        levels = [
            np.array([place[int(node)] for node in coarse])
            for coarse in (*(dim.coarsen(own, name) for name in dim.level_names[:-1]), own)
            if coarse is not None
        ]
        parts = [(at, part) for at in range(len(nodes)) for part in _parts(at, members, levels)]
        return cls(nodes, members, tuple(parts))


def _parts(at: int, members: np.ndarray, levels: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The ways in which a category is the sum of finer ones: the coarsest of each hierarchy, several where these cross."""
    mine = np.flatnonzero(members[at])
    deepest = max((depth for depth, level in enumerate(levels) if at in level), default=-1)
    ways: list[np.ndarray] = []
    for depth, level in enumerate(levels):
        part = np.unique(level[mine])
        if at in part or (members[part].sum(axis=1).sum() != len(mine)) or (len(part) == 1 and depth <= deepest):
            continue
        if not any(_finer(members[part], members[way]) for way in ways):
            ways.append(part)
    return ways


def _finer(fine: np.ndarray, coarse: np.ndarray) -> bool:
    """Is each of some sets within one of some others?"""
    return all((coarse[:, one].all(axis=1)).any() for one in fine)


class _Crossed(NamedTuple):
    """The figures of one table: the categories of all dims crossed."""

    grid: Grid
    axes: tuple[_Axis, ...]
    keys: np.ndarray

    @classmethod
    def of(cls, grid: Grid, dims: Sequence[Dim]) -> _Crossed:
        """The figures of a table."""
        axes = tuple(_Axis.of(own, dim) for own, dim in zip(grid.nodes, dims, strict=True))
        return cls(grid, axes, Grid(tuple(axis.nodes for axis in axes), np.empty(0)).keys())

    def sums(self, n_cells: int) -> Any:
        """Which cells each figure sums."""
        members = [sp.csr_array(axis.members.astype(np.int64)) for axis in self.axes]
        crossed = sp.csr_array(reduce(lambda left, right: sp.kron(left, right, format="csr"), members))
        cells = self.grid.cells.ravel()[crossed.indices]
        summed = sp.csr_array((crossed.data, cells, crossed.indptr), shape=(crossed.shape[0], n_cells))
        summed.sort_indices()
        return summed

    def relations(self, number: np.ndarray, n_figures: int) -> Any:
        """The totals of the table and their parts, along one dim at a time."""
        figure = number.reshape([len(axis.nodes) for axis in self.axes])
        rows, columns, signs, begun = [], [], [], 0
        for at, axis in enumerate(self.axes):
            for total, parts in axis.parts:
                totals = figure.take(total, axis=at).ravel()
                below = np.moveaxis(figure.take(parts, axis=at), at, 0).reshape(len(parts), -1)
                here = np.arange(begun, begun + len(totals))
                rows += [here, np.tile(here, len(parts))]
                columns += [totals, below.ravel()]
                signs += [np.ones(len(totals), np.int64), np.full(below.size, -1, dtype=np.int64)]
                begun += len(totals)
        if not begun:
            return sp.csr_array((0, n_figures), dtype=np.int64)
        entries = np.concatenate(signs), (np.concatenate(rows), np.concatenate(columns))
        return sp.csr_array(entries, shape=(begun, n_figures))
