"""One dim for all linked releases, whatever labels and levels each shows of it, and the releases over such dims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...base.errors import InputError
from ..facts.facts import Grid
from ..facts.whom import joined_labels, with_filters
from ..release import Release
from ..tables.dims import TOTAL, Dim, Level


def dim_of_all(name: str, releases: Sequence[Release]) -> Dim:
    """One dim for all releases, whether they show it, show a part of it, or are about a part of it."""
    whole = [
        dim for release in releases for dim in release.dims if dim.name == name and name not in dict(release.about)
    ]
    filters = [labels for release in releases for filtered, labels in release.about if filtered == name]
    united = _united(whole) if whole else None
    return with_filters(name, united, filters) if filters or united is None else united


def _united(versions: Sequence[Dim]) -> Dim:
    """One dim that knows the labels and levels of all its versions."""
    finest = max(versions, key=lambda dim: (len(dim.labels), len(dim.node_labels)))
    levels = {level.name: level for level in finest.levels}
    for other in versions:
        leaf_groups = _lifted(other, finest)
        if leaf_groups != finest.labels and leaf_groups not in [level.group_of for level in levels.values()]:
            levels[f"{finest.name}:{len(levels) + 1}"] = Level(f"{finest.name}:{len(levels) + 1}", leaf_groups)
        position = {label: i for i, label in enumerate(other.labels)}
        for level in other.levels:
            lifted = tuple(level.group_of[position[label]] for label in leaf_groups)
            if level.name not in levels:
                levels[level.name] = Level(level.name, lifted)
            elif levels[level.name].group_of != lifted:
                raise InputError(f"level {level.name!r} groups dim {finest.name!r} differently in two linked releases.")
    sets = {name: leaves for dim in versions for name, leaves in _lifted_sets(dim, finest)}
    return Dim(finest.name, finest.labels, tuple(levels.values()), tuple(sets.items()))


def _lifted_sets(coarse: Dim, fine: Dim) -> list[tuple[str, tuple[int, ...]]]:
    """The named sums of a dim, in terms of a finer one."""
    groups = _lifted(coarse, fine) if coarse.sets else ()
    return [
        (name, tuple(i for i, group in enumerate(groups) if coarse.labels.index(group) in leaves))
        for name, leaves in coarse.sets
    ]


def _lifted(coarse: Dim, fine: Dim) -> tuple[str, ...]:
    """For each finest label of `fine`, the label of `coarse` that contains it."""
    label_of: dict[int, str] = {}
    for label in coarse.labels:
        if label not in fine.node_labels:
            raise InputError(
                f"linked releases: dim {coarse.name!r} has the label {label!r} in one table and not in another, so "
                "its totals would not mean the same; give the hierarchy that relates the labels, or rename the dim."
            )
        for leaf in fine.leaves[fine.node(label)]:
            if label_of.setdefault(int(leaf), label) != label:
                raise InputError(
                    f"linked releases: {label!r} and {label_of[int(leaf)]!r} overlap on dim {coarse.name!r}."
                )
    missing = [label for i, label in enumerate(fine.labels) if i not in label_of]
    if missing:
        raise InputError(
            f"linked releases: one table has no {missing[0]!r} on dim {coarse.name!r}, so its totals would not mean "
            "the same; add the category (zeros will do) or rename the dim."
        )
    return tuple(label_of[i] for i in range(len(fine.labels)))


def relabelled(release: Release, dims: tuple[Dim, ...]) -> Release:
    """The same release over the united dims; one that it does not have is summed over, or the part that it is about."""
    own = {dim.name: i for i, dim in enumerate(release.dims)}
    part = {name: joined_labels(labels) for name, labels in release.about}
    everybody = [dim.node(part.get(dim.name, TOTAL)) for dim in dims]
    new_node = [
        np.array([whole if label == TOTAL else dim.node(label) for label in release.dims[own[dim.name]].node_labels])
        if dim.name in own
        else None
        for dim, whole in zip(dims, everybody, strict=True)
    ]

    def keys(old: np.ndarray) -> np.ndarray:
        columns = [
            np.full(len(old), whole) if mapped is None else mapped[old[:, own[dim.name]]]
            for dim, mapped, whole in zip(dims, new_node, everybody, strict=True)
        ]
        return np.stack(columns, axis=1) if len(old) else np.empty((0, len(dims)), dtype=np.int64)

    def grid(old: Grid) -> Grid:
        nodes, axes = [], []
        for dim, mapped, whole in zip(dims, new_node, everybody, strict=True):
            if mapped is None:
                nodes.append(np.array([whole]))
            else:
                nodes.append(mapped[old.nodes[own[dim.name]]])
                axes.append(own[dim.name])
        shape = [len(axis_nodes) for axis_nodes in nodes]
        return Grid(tuple(nodes), old.cells.transpose(axes).reshape(shape))

    relation = (release.sums.keys < 0).all(axis=1)
    sum_keys = keys(np.maximum(release.sums.keys, 0))
    sum_keys[relation] = -1
    return replace(
        release,
        dims=dims,
        grids=tuple(grid(old) for old in release.grids),
        sums=replace(release.sums, keys=sum_keys),
        evidence=tuple(
            item if item.key is None else replace(item, key=keys(item.key[None, :])[0]) for item in release.evidence
        ),
        asked=keys(release.asked.reshape(-1, len(release.dims))),
        asked_primary=keys(release.asked_primary.reshape(-1, len(release.dims))),
        shown=keys(release.shown.reshape(-1, len(release.dims))),
        sum_figures={tuple(keys(np.array([key]))[0].tolist()): figure for key, figure in release.sum_figures.items()},
    )
