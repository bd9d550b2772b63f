"""Which categories are merged: neighbours, one more at a time, so that as few categories as possible are lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from ..protect.withholding.redesign import merge
from ..release.publish import parse_margins
from ..release.release import Release
from ..release.tables.dims import Dim
from ..release.tables.tables import Table

WIDEST = 60
"""Merges with the same number of categories that are audited, and that others are made of by merging one category more."""

Joins = frozenset[tuple[int, int]]
"""Which neighbours are together: (dim, place of the first of two)."""


@dataclass(frozen=True)
class Merge:
    """Neighbouring categories that are published together."""

    table: Table
    joins: Joins

    @property
    def groups(self) -> dict[str, dict[str, list[str]]]:
        """As `fw.merge` takes them."""
        groups: dict[str, dict[str, list[str]]] = {}
        for axis, dim in enumerate(self.table.dims):
            for members in together(axis, dim, self.joins):
                if len(members) > 1:
                    labels = [dim.labels[place] for place in members]
                    groups.setdefault(dim.name, {})[_name(labels, dim)] = labels
        return groups

    @property
    def words(self) -> str:
        """What is merged, as people read it."""
        return "; ".join(f"{dim}: {', '.join(groups)}" for dim, groups in self.groups.items())

    def release(self, margins: Any) -> Release:
        """What is published: the merged table, and of the wanted totals those that no merged category is cut apart by."""
        groups = self.groups
        wanted = []
        for margin in parse_margins(margins, self.table.dims):
            shown = [
                level if level is None else self._level(axis, dim, level, dim.name in groups)
                for axis, (dim, level) in enumerate(zip(self.table.dims, margin, strict=True))
            ]
            if "" not in shown:
                wanted.append(tuple(level for level in shown if level is not None))
        return merge(self.table, groups, margins=wanted)

    def _level(self, axis: int, dim: Dim, level: str, merged: bool) -> str:
        """A level as it can still be shown; empty where a merged category would be cut apart by it."""
        if not merged:
            return level
        if level == dim.name:
            return f"{dim.name}:merged"
        nodes = dim.nodes_at(level)
        whole = all(len(set(nodes[list(members)].tolist())) == 1 for members in together(axis, dim, self.joins))
        return level if whole else ""


@dataclass(frozen=True)
class Level:
    """Merges that lose the same number of categories."""

    lost: int
    merges: Sequence[Merge]
    """Those that publish no sensitive figure as it is; at most as many as are audited."""
    nearest: Merge
    """The one that publishes the fewest."""
    given_away: Sequence[str]
    """What that one publishes."""
    looked_at: int
    complete: bool
    """Are these all merges of neighbours that may reach a target and lose so many categories, or were some left out?"""


def levels(table: Table, given_away: Callable[[Merge], Sequence[str]]) -> Iterator[Level]:
    """Merges by the number of categories that they lose, from one upward.

    Only neighbours are merged, as categories of sizes, ages and codes are in order, and no merged category crosses the
    groups of a hierarchy, unless these are merged as a whole.
    """
    neighbours = [(axis, place) for axis, dim in enumerate(table.dims) for place in range(len(dim.labels) - 1)]
    allowed: dict[tuple[int, Joins], bool] = {}
    frontier: list[Joins] = [frozenset()]
    complete = True
    for lost in range(1, len(neighbours) + 1):
        found = dict.fromkeys(joins | {one} for joins, one in product(frontier, neighbours) if one not in joins)
        merges = [Merge(table, joins) for joins in found if _allowed(table, joins, allowed)]
        if not merges:
            return
        away = [given_away(one) for one in merges]
        order = np.argsort([len(one) for one in away], kind="stable").tolist()
        audited = [merges[at] for at in order if not away[at]]
        nearest = order[0]
        yield Level(
            lost, audited[:WIDEST], merges[nearest], away[nearest], len(merges), complete and len(audited) <= WIDEST
        )
        complete = complete and len(merges) <= WIDEST
        frontier = [merges[at].joins for at in order[:WIDEST]]


def _allowed(table: Table, joins: Joins, known: dict[tuple[int, Joins], bool]) -> bool:
    """Do the merged categories of every dim keep to its hierarchies?"""
    for axis, dim in enumerate(table.dims):
        mine = axis, frozenset(one for one in joins if one[0] == axis)
        if mine not in known:
            known[mine] = within_hierarchy(axis, dim, joins)
        if not known[mine]:
            return False
    return True


def together(axis: int, dim: Dim, joins: Joins) -> list[tuple[int, ...]]:
    """The categories of a dim once some neighbours are joined, each with the places of its labels."""
    parts: list[list[int]] = []
    for place in range(len(dim.labels)):
        if place and (axis, place - 1) in joins:
            parts[-1].append(place)
        else:
            parts.append([place])
    return [tuple(part) for part in parts]


def within_hierarchy(axis: int, dim: Dim, joins: Joins) -> bool:
    """Is each merged category within one group of every level, or made of whole ones?"""
    for level in dim.level_names[:-1]:
        nodes = dim.nodes_at(level)
        size = {int(node): int((nodes == node).sum()) for node in np.unique(nodes)}
        for members in together(axis, dim, joins):
            inside = nodes[list(members)].tolist()
            if len(set(inside)) > 1 and any(inside.count(node) < size[node] for node in set(inside)):
                return False
    return True


def _name(labels: Sequence[str], dim: Dim) -> str:
    """A name for a merged category that no other group of the dim has."""
    name = "+".join(labels) if len(labels) <= 3 else f"{labels[0]}+...+{labels[-1]}"
    while name in dim.node_labels:
        name += " merged"
    return name
