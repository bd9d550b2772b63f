"""The dims of a table: their finest labels, the groups these add up to, and the total."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from ...base.errors import InputError, did_you_mean
from ...base.saved_forms import saved

TOTAL = "Total"

Margin = tuple[str | None, ...]
"""One entry per dim: the level at which a margin shows the dim, or None where it sums over it."""


Key = Sequence[int] | np.ndarray
"""A cell or sum: one node per dim."""


@saved("Level")
@dataclass(frozen=True)
class Level:
    """A way to group the finest labels of a dim: for each of them, the label of its group."""

    name: str
    group_of: tuple[str, ...]


@saved("Dim")
@dataclass(frozen=True)
class Dim:
    """One dim of a table.

    Its *nodes* are the finest labels, then the groups of its levels and its named sums, then the total, numbered in
    this order. A group with the same name and the same members as a finest label or as a group of another level is one
    node with it (in ragged hierarchies a label stands for itself on the deeper levels).
    """

    name: str
    labels: tuple[str, ...]
    levels: tuple[Level, ...] = ()
    sets: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """Named sums that belong to no level (the totals of a file that lists relations only)."""

    def __post_init__(self) -> None:
        if not self.labels:
            raise InputError(f"dim {self.name!r} has no labels: a table needs at least one cell.")
        seen: set[str] = set()
        for label in self.labels:
            if label == TOTAL:
                raise InputError(
                    f"dim {self.name!r} has a category called {TOTAL!r}, the word kept for sums: "
                    "leave totals out of the table, or rename the category."
                )
            if label in seen:
                raise InputError(f"dim {self.name!r} has the label {label!r} twice; labels must differ.")
            seen.add(label)
        names = [self.name, *(level.name for level in self.levels)]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"dim {self.name!r} has two levels called {name!r}; rename one of them.")
        _ = self._nodes  # finds clashing groups now, not when they are first used

    @cached_property
    def _nodes(self) -> dict[str, tuple[int, tuple[int, ...]]]:
        nodes: dict[str, tuple[int, tuple[int, ...]]] = {label: (i, (i,)) for i, label in enumerate(self.labels)}
        for level in self.levels:
            members: dict[str, list[int]] = {}
            for leaf, group in enumerate(level.group_of):
                members.setdefault(group, []).append(leaf)
            for group, leaves in members.items():
                if group == TOTAL:
                    raise InputError(
                        f"dim {self.name!r}: a group of level {level.name!r} is called {TOTAL!r}, "
                        "the word kept for the sum of everything."
                    )
                known = nodes.get(group)
                if known is None:
                    nodes[group] = (len(nodes), tuple(leaves))
                elif known[1] != tuple(leaves):
                    raise InputError(
                        f"dim {self.name!r}: the label {group!r} stands for two different sets of categories "
                        f"({self._show(known[1])}, and on level {level.name!r} {self._show(leaves)}); "
                        "rename one."
                    )
        for label, summed in self.sets:
            nodes[label] = (len(nodes), summed)
        nodes[TOTAL] = (len(nodes), tuple(range(len(self.labels))))
        return nodes

    def _show(self, leaves: Sequence[int]) -> str:
        shown = ", ".join(self.labels[i] for i in leaves[:4])
        return f"{shown}, ..." if len(leaves) > 4 else shown

    @cached_property
    def node_labels(self) -> tuple[str, ...]:
        """The label of every node."""
        return tuple(self._nodes)

    @property
    def total(self) -> int:
        """The node that sums over the whole dim."""
        return len(self._nodes) - 1

    @cached_property
    def leaves(self) -> tuple[np.ndarray, ...]:
        """The finest labels that each node sums."""
        return tuple(np.array(leaves, dtype=np.int64) for _, leaves in self._nodes.values())

    def within(self, nodes: np.ndarray, node: int) -> np.ndarray:
        """Which of some nodes are part of another one."""
        inside = np.zeros(len(self.labels), dtype=bool)
        inside[self.leaves[node]] = True
        return np.array([inside[self.leaves[part]].all() for part in nodes], dtype=bool)

    def node(self, label: object) -> int:
        """The node with this label."""
        known = self._nodes.get(str(label))
        if known is None:
            raise InputError(f"dim {self.name!r} has no label {str(label)!r}; {did_you_mean(str(label), self._nodes)}")
        return known[0]

    @cached_property
    def level_names(self) -> tuple[str, ...]:
        """The names a margin may use for this dim: coarse levels first, the dim's own name last."""
        return tuple(level.name for level in self.levels) + (self.name,)

    def nodes_at(self, level: str | None) -> np.ndarray:
        """For each finest label the node it belongs to at a level (None: the total)."""
        if level is None:
            return np.full(len(self.labels), self.total)
        if level == self.name:
            return np.arange(len(self.labels))
        groups = next(known for known in self.levels if known.name == level).group_of
        return np.array([self._nodes[group][0] for group in groups])

    def coarsen(self, nodes: np.ndarray, level: str | None) -> np.ndarray | None:
        """The nodes at `level` that contain the given ones, or None where one of them is cut apart."""
        if level is None:
            return np.full(len(nodes), self.total)
        at_level = self.nodes_at(level)
        above = [at_level[self.leaves[node]] for node in nodes]
        targets = np.array([nodes_above[0] for nodes_above in above], dtype=np.int64)
        return targets if all((nodes_above == nodes_above[0]).all() for nodes_above in above) else None


def parse_margin(margin: str | Iterable[str | None], dims: Sequence[Dim]) -> Margin:
    """A margin as users write it ("I,J", ("I", "J"), "" for the grand total), one entry per dim."""
    if isinstance(margin, str):
        whole = margin.strip()
        names = (
            [whole] if any(whole in dim.level_names for dim in dims) else [part.strip() for part in whole.split(",")]
        )
        if names == [""]:
            names = []
    elif not isinstance(margin, Iterable):
        raise InputError(f"a margin is named by its dims, as 'A,B' or ('A', 'B'); this is {margin!r}.")
    else:
        names = [str(part) for part in margin if part is not None]
    shown: list[str | None] = [None] * len(dims)
    for name in names:
        for position, dim in enumerate(dims):
            if name in dim.level_names:
                if shown[position] is not None:
                    raise InputError(
                        f"margin {margin!r} names dim {dim.name!r} twice; a margin shows a dim at one level."
                    )
                shown[position] = name
                break
        else:
            known = [level for dim in dims for level in reversed(dim.level_names)]
            raise InputError(
                f"margin {margin!r} names {name!r}, which is no dim of this table; {did_you_mean(name, known)}"
            )
    return tuple(shown)


def margin_list(margins: Any, named: str) -> list[Any]:
    """A list of margins as users write them: a single name is a list of one."""
    if margins is None:
        return []
    if isinstance(margins, str):
        return [margins]
    if not isinstance(margins, Iterable):
        raise InputError(f"{named} is a list of margins such as ['I,J', 'K']; it is {margins!r}.")
    listed = list(margins)
    for margin in listed:
        if not isinstance(margin, (str, tuple, list)):
            raise InputError(f"{named}: a margin is a text such as 'I,J' or a tuple of dims; this is {margin!r}.")
    return listed


def every_margin(dims: Sequence[Dim]) -> list[Margin]:
    """Every margin at every level, the grand total included and the table itself left out."""
    choices = [(dim.name, *reversed(dim.level_names[:-1]), None) for dim in dims]
    return [margin for margin in product(*choices) if margin != tuple(dim.name for dim in dims)]


def key_words(key: Key, dims: Sequence[Dim]) -> str:
    """A cell or sum in words: 'activity=5, size=Total'."""
    if all(node == dim.total for node, dim in zip(key, dims, strict=True)):
        return "the grand total"
    return ", ".join(
        f"{dim.name}={dim.node_labels[node]}"
        for node, dim in zip(key, dims, strict=True)
        if node != dim.total or len(dims) <= 3
    )
