"""Levels of dims: told by hierarchies, or found, where a column's label follows from another's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...base.errors import InputError, did_you_mean
from ...release.tables.hierarchies import levels_from
from ...release.tables.table_forms import parent_columns
from .hypercube import Column, Hypercube


def with_levels(cube: Hypercube, hierarchies: dict[str, Any]) -> Hypercube:
    """The cube with the levels that hierarchies give its dims; columns that follow from others are found to be levels."""
    cube, told = _with_told_levels(cube, hierarchies)
    follows = _levels_found(cube.columns)

    def placed(column: Column) -> Column:
        if column.name in told:
            finest, group = _told(cube, told, column)
            column = replace(column, told_level_of=finest, told_group=group, level_of=finest, group=group)
        finer = follows[column.name]
        if finer is None or finer == column.told_level_of:
            return column
        return replace(column, level_of=finer, group=_group(column, cube.column[finer]))

    return replace(cube, columns=tuple(placed(column) for column in cube.columns))


def _with_told_levels(cube: Hypercube, hierarchies: dict[str, Any]) -> tuple[Hypercube, dict[str, str]]:
    """The cube with the levels that hierarchies spell out; for each level that was told, its dim."""
    told: dict[str, str] = {}
    for dim, spec in hierarchies.items():
        if dim not in cube.labels:
            raise InputError(f"a hierarchy is given for {dim!r}; {did_you_mean(str(dim), cube.labels)}")
        parents = parent_columns(spec)
        for parent in parents or ():
            if parent not in cube.labels:
                raise InputError(f"the hierarchy of dim {dim!r} names {parent!r}; {did_you_mean(parent, cube.labels)}")
            _refuse_other_groups(cube.column[parent], cube.column[dim])
            _refuse_unseen(cube.column[parent], cube.column[dim])
            told[parent] = dim
        if parents is None:
            for level in levels_from(dim, cube.labels[dim], spec):
                cube = with_level(cube, dim, level.name, level.group_of)
                told[level.name] = dim
    return cube, told


def _told(cube: Hypercube, told: dict[str, str], column: Column) -> tuple[str, np.ndarray]:
    """The finest dim that a column was said to be a level of, at first or second hand, and which label each of its has."""
    finest = told[column.name]
    group = _group(column, cube.column[finest]) if column.told_group is None else column.told_group
    while finest in told:
        level = cube.column[finest]
        finest = told[finest]
        group = group[_group(level, cube.column[finest]) if level.told_group is None else level.told_group]
    return finest, group


def _levels_found(columns: Sequence[Column]) -> dict[str, str | None]:
    """For each column the finest that it is a level of; None where it is one of these itself."""
    follows = {column.name: column.level_of for column in columns}
    plain = [column for column in columns if column.level_of is None]
    for place, coarse in enumerate(plain):
        for other, fine in enumerate(plain):
            if other == place or not follows_from(coarse, fine) or (other > place and follows_from(fine, coarse)):
                continue
            follows[coarse.name] = fine.name
    for name in follows:  # a level of a level is one of the finest
        while (finer := follows[name]) is not None and follows[finer] is not None:
            follows[name] = follows[finer]
    return follows


def _group(coarse: Column, fine: Column) -> np.ndarray:
    """For each label of the fine column, a label of the coarse one that stands beside it."""
    group = np.zeros(len(fine.labels), dtype=np.int64)
    group[fine.codes] = coarse.codes
    return group


def follows_from(coarse: Column, fine: Column) -> bool:
    """Does every label of the fine column go with one label of the coarse one, in all cells?"""
    if len(coarse.labels) > len(fine.labels):
        return False
    return bool((_group(coarse, fine)[fine.codes] == coarse.codes).all())


def _refuse_other_groups(coarse: Column, fine: Column) -> None:
    """Refuse a column that is said to be a level of another where one label of that has several of its own."""
    group = _group(coarse, fine)
    wrong = np.flatnonzero(group[fine.codes] != coarse.codes)
    if len(wrong):
        label = fine.labels[fine.codes[wrong[0]]]
        both = coarse.labels[coarse.codes[wrong[0]]], coarse.labels[group[fine.codes[wrong[0]]]]
        raise InputError(
            f"{coarse.name!r} is said to be a level of {fine.name!r}, but {fine.name}={label} has {both[0]!r} and "
            f"{both[1]!r}."
        )


def _refuse_unseen(coarse: Column, fine: Column) -> None:
    """Refuse a column as a level where a declared label of the dim has no row that says its group."""
    unseen = np.setdiff1d(np.arange(len(fine.labels)), fine.codes)
    if len(unseen):
        raise InputError(
            f"labels= of dim {fine.name!r} has {fine.labels[unseen[0]]!r}, which nobody has, so that the column "
            f"{coarse.name!r} does not say its group: give the hierarchy as a mapping of groups to labels."
        )


def with_level(cube: Hypercube, dim: str, name: str, group_of: Sequence[str]) -> Hypercube:
    """The cube with a further level of a dim."""
    if name in cube.labels:
        raise InputError(f"{name!r} names two dims or levels; rename one, so that requests can name each.")
    labels = tuple(dict.fromkeys(group_of))
    group = np.array([labels.index(label) for label in group_of])
    level = Column(
        name, labels, group[cube.column[dim].codes], level_of=dim, group=group, told_level_of=dim, told_group=group,
        declared=True,
    )  # fmt: skip
    return replace(cube, columns=(*cube.columns, level))
