"""Hierarchies: how the labels of a dim add up to subtotals, in the forms people keep them in."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ...base.errors import InputError, did_you_mean
from .dims import TOTAL, Dim, Level

Tree = dict[str, list[str]]
"""Parent -> children; children may be parents themselves."""


def levels_from(dim: str, labels: Sequence[str], hierarchy: Any) -> tuple[Level, ...]:
    """The levels of a dim, coarse to fine, from any accepted form of hierarchy.

    A mapping of parents to lists of children (nested as deep as you like), a DataFrame whose columns go from
    coarse to fine, or the path of a `.hrc` file or a level table. Levels of a DataFrame bear its columns'
    names; the others are called "dim:1", "dim:2", ... from the top. A list of hierarchies are several of the same labels,
    which may cross.
    """
    checked = loaded(dim, hierarchy)
    if isinstance(checked, list):
        return _levels_of_several(dim, labels, checked)
    if hasattr(checked, "columns"):
        return _levels_from_frame(dim, labels, checked)
    return _levels_from_tree(dim, labels, checked)


def _levels_of_several(dim: str, labels: Sequence[str], hierarchies: Sequence[Any]) -> tuple[Level, ...]:
    """The levels of hierarchies that stand beside each other, each level once and under a name of its own."""
    levels: dict[tuple[str, ...], Level] = {}
    for one in hierarchies:
        for level in levels_from(dim, labels, one):
            names = [known.name for known in levels.values()]
            name = f"{dim}:{len(levels) + 1}" if level.name.startswith(f"{dim}:") or level.name in names else level.name
            levels.setdefault(level.group_of, Level(name, level.group_of))
    return tuple(levels.values())


def loaded(dim: str, hierarchy: Any) -> Any:
    """A hierarchy in one of its two plain forms: a tree of parents to children, or a frame of levels; a list of several."""
    if isinstance(hierarchy, (list, tuple)):
        if not hierarchy:
            raise InputError(f"the hierarchy of dim {dim!r} is empty.")
        return [loaded(dim, one) for one in hierarchy]
    if isinstance(hierarchy, (str, os.PathLike)):
        hierarchy = read_hierarchy(hierarchy)
    if hasattr(hierarchy, "columns"):
        if hierarchy.shape[1] < 2 or not len(hierarchy):
            raise InputError(f"the hierarchy of dim {dim!r} needs rows and at least two columns, from coarse to fine.")
        if hierarchy.isna().to_numpy().any():
            raise InputError(
                f"the hierarchy of dim {dim!r} has empty entries; every label needs a group on every level."
            )
        return hierarchy
    if isinstance(hierarchy, Mapping):
        return _as_tree(dim, hierarchy)
    raise InputError(
        f"the hierarchy of dim {dim!r} must be a mapping of parents to children, a DataFrame with columns from "
        f"coarse to fine, or the path of a .hrc file; it is a {type(hierarchy).__name__}."
    )


def hierarchy_labels(dim: str, hierarchy: Any) -> list[str]:
    """The finest labels that a hierarchy names, in its order."""
    checked = loaded(dim, hierarchy)
    if isinstance(checked, list):
        finest = dict.fromkeys(label for one in checked for label in hierarchy_labels(dim, one))
        groups = {group for one in checked for group in _groups(one)}
        return [label for label in finest if label not in groups]
    if hasattr(checked, "columns"):
        return [str(label) for label in dict.fromkeys(checked.iloc[:, -1])]
    tree: Tree = checked
    return [
        child for child in dict.fromkeys(child for children in tree.values() for child in children) if child not in tree
    ]


def _groups(checked: Any) -> set[str]:
    """The labels that a hierarchy takes apart: a label that stands for itself on a coarser level is none."""
    if not hasattr(checked, "columns"):
        return set(checked)
    levels, finest = checked.iloc[:, :-1].astype(str), checked.iloc[:, -1].astype(str)
    return {group for column in levels for group in levels[column][levels[column] != finest]}


def _as_tree(dim: str, mapping: Mapping[Any, Any]) -> Tree:
    tree: Tree = {}

    def add(parent: str, children: Any) -> None:
        if isinstance(children, (str, bytes)) or not isinstance(children, Iterable):
            raise InputError(
                f"the hierarchy of dim {dim!r} maps {parent!r} to {children!r}; give a list of its children."
            )
        tree.setdefault(parent, []).extend(str(child) for child in children)
        if isinstance(children, Mapping):
            for child, grandchildren in children.items():
                if grandchildren:
                    add(str(child), grandchildren)

    for parent, children in mapping.items():
        add(str(parent), children)
    if not tree:
        raise InputError(f"the hierarchy of dim {dim!r} is empty.")
    _parents(dim, tree)
    return tree


def _parents(dim: str, tree: Tree) -> dict[str, str]:
    """The parent of every label, after checking that each has one and that nothing runs in a circle."""
    parent_of: dict[str, str] = {}
    for parent, children in tree.items():
        for child in children:
            if parent_of.setdefault(child, parent) != parent:
                raise InputError(
                    f"the hierarchy of dim {dim!r} puts {child!r} under both {parent_of[child]!r} "
                    f"and {parent!r}; a label has one parent."
                )
    for start in tree:
        seen, label = {start}, start
        while label in parent_of:
            label = parent_of[label]
            if label in seen:
                raise InputError(f"the hierarchy of dim {dim!r} runs in a circle through {label!r}.")
            seen.add(label)
    return parent_of


def _levels_from_tree(dim: str, labels: Sequence[str], tree: Tree) -> tuple[Level, ...]:
    known = set(labels)
    for parent, children in tree.items():
        for child in children:
            if child not in known and child not in tree:
                raise InputError(
                    f"the hierarchy of dim {dim!r} puts {child!r} under {parent!r}, "
                    f"but the table has no such label; {did_you_mean(child, labels)}"
                )
    parent_of = _parents(dim, tree)
    paths = []
    for label in labels:
        path = [label]
        while path[-1] in parent_of:
            path.append(parent_of[path[-1]])
        paths.append([node for node in reversed(path) if node != TOTAL])
    depth = max(map(len, paths))
    return tuple(
        Level(f"{dim}:{k + 1}", tuple(path[min(k, len(path) - 1)] for path in paths)) for k in range(depth - 1)
    )


def _levels_from_frame(dim: str, labels: Sequence[str], frame: Any) -> tuple[Level, ...]:
    names = [str(column) for column in frame.columns]
    rows: dict[str, tuple[str, ...]] = {}
    for row in frame.astype(str).itertuples(index=False):
        if rows.setdefault(row[-1], tuple(row)) != tuple(row):
            raise InputError(
                f"the hierarchy of dim {dim!r} gives {row[-1]!r} two places: {' > '.join(rows[row[-1]])} "
                f"and {' > '.join(row)}."
            )
    missing = [label for label in labels if label not in rows]
    if missing:
        raise InputError(f"the hierarchy of dim {dim!r} has no row for {missing[0]!r} in its column {names[-1]!r}.")
    return tuple(
        Level(name if name != dim else f"{dim}:{k + 1}", tuple(rows[label][k] for label in labels))
        for k, name in enumerate(names[:-1])
    )


def read_hierarchy(path: str | os.PathLike[str], lead: str = "@") -> Any:
    """A hierarchy file: `.hrc` (levels by leading `@`), a level table (`@@,code`), or columns coarse to fine."""
    from ...base.text_files import read_rows, read_text

    name = os.fspath(path)
    if name.lower().endswith(".hrc"):
        lines = [
            (number, line.strip()) for number, line in enumerate(read_text(path).splitlines(), start=1) if line.strip()
        ]
        return _tree_from_steps(name, [(number, *_step(line, lead)) for number, line in lines])
    rows = read_rows(path)
    width = len(rows[0][1])
    if width < 2:
        raise InputError(f"{name}: a level table needs at least two columns; it has {width}.")
    for number, row in rows:
        if len(row) != width:
            raise InputError(f"{name}, row {number}: {len(row)} columns where the first row has {width}.")
        if not all(row):
            raise InputError(f"{name}, row {number}: an entry is empty.")
    table = [row for _, row in rows]
    if width == 2 and len(table) > 1 and not any(row[0].strip("@") for row in table[1:]):
        first = 1 if table[0][0].strip("@") else 0  # a header
        return _tree_from_steps(name, [(number, len(row[0]) - 1, row[1]) for number, row in rows[first:]])
    import pandas as pd

    return pd.DataFrame(table[1:], columns=table[0])


def _step(line: str, lead: str) -> tuple[int, str]:
    """How often a line begins with the leading text, and the label after it."""
    depth = 0
    while line.startswith(lead, depth * len(lead)):
        depth += 1
    return depth, line[depth * len(lead) :].strip()


def tree_of(dim: Dim) -> Tree | None:
    """The levels of a dim as a tree; None where they are no tree, or a sum belongs to no level."""
    levels = sorted(dim.levels, key=lambda level: len(set(level.group_of)))
    tree: Tree = {}
    for place, label in enumerate(dim.labels):
        path = list(dict.fromkeys([*(level.group_of[place] for level in levels), label]))
        for parent, child in pairwise(path):
            if child not in tree.setdefault(parent, []):
                tree[parent].append(child)
    if dim.sets or not _says(tree, dim):
        return None
    return tree


def _says(tree: Tree, dim: Dim) -> bool:
    """Does a tree make the same groups of the same labels?"""
    try:
        again = Dim(dim.name, dim.labels, _levels_from_tree(dim.name, dim.labels, tree) if tree else ())
    except InputError:
        return False
    both = [
        {label: tuple(leaves.tolist()) for label, leaves in zip(one.node_labels, one.leaves, strict=True)}
        for one in (dim, again)
    ]
    return both[0] == both[1]


def _tree_from_steps(name: str, steps: list[tuple[int, int, str]]) -> Tree:
    """The tree of labels that each stand so many levels deep, in the order of a file: its line, depth and label."""
    tree: Tree = {}
    path: list[str] = []
    for number, depth, label in steps:
        if not label:
            raise InputError(f"{name}, line {number}: a label is missing after the @ signs.")
        if depth > len(path):
            raise InputError(
                f"{name}, line {number}: {label!r} is {depth} levels deep, but the line before it is "
                f"only {max(len(path) - 1, 0)} deep; levels go down one at a time."
            )
        del path[depth:]
        if path:
            tree.setdefault(path[-1], []).append(label)
        path.append(label)
    if not tree:
        raise InputError(f"{name}: no label stands below another; levels go down by a leading @.")
    return tree
