"""Linked releases: several publications about the same people, read together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.errors import Contradiction, InputError
from .facts.choice import Choice, joined_tallies
from .facts.facts import HIDDEN, NO_LIMIT, NO_VALUE, PRIMARY, PUBLISHED, UNSHOWN, Evidence, Grid, Sums
from .facts.whom import about_words, joined_labels, with_filters
from .release import Release, unpublished
from .shared_draws import methods_of, seen_once
from .tables.dims import TOTAL, Dim, Level

_RANK = np.argsort([PRIMARY, HIDDEN, PUBLISHED, UNSHOWN])
"""Which status a cell keeps that several tables show: the lowest in this order."""


def linked(releases: Sequence[Release], *, full: bool = False) -> Release:
    """Read several releases together.

    Cells whose labels agree are one cell, and totals that two tables have in common are equal, published or not.
    With `full=True` all are margins of the one table that crosses every dim, and its cells are what is hidden.

    A dim of the same name must cover the same categories in each release, at the same or at different levels of
    its hierarchy. Releases about a part of the people (`restricted_to`, or answers of a server to a request with a filter)
    are completed where `full=True`: what they say is said of these, and all others are a category of their own. Side by
    side with others they are refused.

    Examples
    --------
    Two tables of the same people by town: the totals of the one narrow down the cells of the other.

    >>> import fiberwalk as fw
    >>> by_size = fw.publish(fw.table([[1, 9], [8, 2]], dims=["town", "size"]), ["size"])
    >>> by_age = fw.publish(fw.table([[4, 6], [7, 3]], dims=["town", "age"]), ["town"])
    >>> fw.bounds(by_size).loc[("1", "2")].tolist()
    [0, 11]
    >>> fw.bounds(fw.linked([by_size, by_age])).loc[("1", "2", "Total")].tolist()
    [1, 10]
    """
    releases = [] if isinstance(releases, Release) else list(releases)
    if not releases or not all(isinstance(release, Release) for release in releases):
        raise InputError("linked() needs a list of releases.")
    if len({release.decimals for release in releases}) > 1:
        raise InputError("linked releases must have the same number of decimals.")
    common = tuple(part for part in releases[0].about if all(part in other.about for other in releases))
    releases = [
        replace(release, about=tuple(part for part in release.about if part not in common)) for release in releases
    ]
    for release in releases:
        if release.about and not full:
            raise InputError(
                f"linked releases: one is about {about_words(release.about)} only, another is not, and their totals do not "
                "mean the same; link them with full=True."
            )
    _refuse_signed(releases, full)
    names = list(dict.fromkeys([*(dim.name for release in releases for dim in release.dims), *_filtered(releases)]))
    dims = tuple(_dim_of_all(name, releases) for name in names)
    tables = [_relabelled(release, dims) for release in releases]
    notes = (*(note for release in releases for note in release.notes), f"{len(releases)} releases are read together")
    applied = methods_of(tables)
    joined = _crossed(tables, dims) if full else _side_by_side(tables, dims)
    return replace(
        joined,
        beforehand="; ".join(dict.fromkeys(release.beforehand for release in releases if release.beforehand)),
        notes=notes,
        applied=applied,
        # What one table does not show must not be read in another's flags.
        flagged=any(release.flagged for release in releases)
        and all(release.flagged or not (release.status == PRIMARY).any() for release in releases),
        about=common,
    )


def _refuse_signed(releases: Sequence[Release], full: bool) -> None:
    """Refuse what is known beforehand where it cannot be carried over."""
    if full and any(release.signed for release in releases):
        raise InputError(
            "linked(full=True): cells of one table may be negative, and nothing is known of the cells of the crossed one."
        )
    if any(release.told is not None for release in releases):
        raise InputError(
            "linked releases: known_within= is about the cells of one table; say what is known with at_least= and at_most=."
        )


def _filtered(releases: Sequence[Release]) -> list[str]:
    """The dims on which some release has a filter."""
    return [name for release in releases for name, _ in release.about]


def _dim_of_all(name: str, releases: Sequence[Release]) -> Dim:
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


def _relabelled(release: Release, dims: tuple[Dim, ...]) -> Release:
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
        shown=keys(release.shown.reshape(-1, len(release.dims))),
        sum_figures={tuple(keys(np.array([key]))[0].tolist()): figure for key, figure in release.sum_figures.items()},
    )


def _side_by_side(tables: Sequence[Release], dims: tuple[Dim, ...]) -> Release:
    """The cells of all tables, those with equal labels taken as one, and the totals they share as equations."""
    all_keys = np.concatenate([table.keys for table in tables])
    distinct, number = np.unique(all_keys, axis=0, return_inverse=True)
    number, n = number.ravel(), len(distinct)
    offsets = np.cumsum([0, *(table.n_cells for table in tables)])
    numbers = [number[a:b] for a, b in pairwise(offsets)]

    # every cell is in some table, which knows whether it may be negative
    lower, upper = np.full(n, -NO_LIMIT, np.int64), np.full(n, NO_LIMIT, np.int64)
    value, status = np.full(n, NO_VALUE, np.int64), np.full(n, UNSHOWN, np.uint8)
    own = np.zeros(n, np.int64)
    truth: np.ndarray | None = np.full(n, NO_VALUE, np.int64)
    if_flagged, if_guessed = (_readings(tables, numbers, n, name) for name in ("if_flagged", "if_guessed"))
    evidence: list[Evidence] = []
    for table, places in zip(tables, numbers, strict=True):
        np.maximum.at(lower, places, table.lower)
        np.minimum.at(upper, places, table.upper)
        value[places] = np.where(table.value != NO_VALUE, table.value, value[places])
        # What one table withholds stays listed even where another publishes it: that is the disclosure.
        status[places] = np.where(_RANK[table.status] < _RANK[status[places]], table.status, status[places])
        own[places] = np.maximum(own[places], table.own)
        if truth is not None and table.truth is not None:
            clash = np.flatnonzero((truth[places] != NO_VALUE) & (truth[places] != table.truth))
            if len(clash):
                raise Contradiction(
                    f"linked releases: the tables disagree on cell {table.words(table.keys[clash[0]])}."
                )
            truth[places] = table.truth
        else:
            truth = None
        evidence += [replace(item, cells=places[item.cells]) for item in table.evidence]
    status[(own > 0) & (status == PUBLISHED)] = HIDDEN
    wrong = np.flatnonzero(lower > upper)
    if len(wrong):
        raise Contradiction(
            f"linked releases contradict each other on cell {tables[0].words(distinct[wrong[0]])}: at least "
            f"{tables[0].show(int(lower[wrong[0]]))} in one, at most {tables[0].show(int(upper[wrong[0]]))} in another."
        )
    grids = [
        Grid(grid.nodes, places[grid.cells])
        for table, places in zip(tables, numbers, strict=True)
        for grid in table.grids
    ]
    joined = Release(
        dims, _without_repeats(grids), lower, upper, value, status, own, Sums.none(n, len(dims)),
        seen_once(evidence, tables[0]), tables[0].decimals,
        np.unique(np.concatenate([table.asked for table in tables]), axis=0),
        np.concatenate([table.shown for table in tables]),
        truth=truth,
        if_flagged=if_flagged,
        if_guessed=if_guessed,
        contributors=_joined([table.contributors for table in tables], numbers, n),
        largest=_joined([table.largest for table in tables], numbers, n),
        second=_joined([table.second for table in tables], numbers, n),
        figures=_joined([table.figures for table in tables], numbers, n),
        sum_figures={key: figure for table in tables for key, figure in table.sum_figures.items()},
    )  # fmt: skip
    choices: list[Choice] = []
    for table, places in zip(tables, numbers, strict=True):
        columns = sp.csr_array(
            (np.ones(table.n_cells, np.int64), (np.arange(table.n_cells), places)), shape=(table.n_cells, n)
        )
        facts = table.sums
        joined = joined.with_facts(
            facts.keys, facts.matrix @ columns, facts.lower, facts.upper, facts.value, facts.words, facts.stated
        )
        choices += [choice.over(columns) for choice in table.choices]
    joined = replace(
        joined, choices=tuple(choices), tallies=joined_tallies((one.choices, one.tallies) for one in tables)
    )
    return _shared_totals(joined)


def _readings(
    tables: Sequence[Release], numbers: Sequence[np.ndarray], n: int, name: str
) -> tuple[np.ndarray, np.ndarray] | None:
    """The bounds by a reading of that name, over the cells of all tables; a table without it is read as it is."""
    if all(getattr(table, name) is None for table in tables):
        return None
    lower, upper = np.full(n, -NO_LIMIT, np.int64), np.full(n, NO_LIMIT, np.int64)
    for table, places in zip(tables, numbers, strict=True):
        low, high = getattr(table, name) or (table.lower, table.upper)
        np.maximum.at(lower, places, low)
        np.minimum.at(upper, places, high)
    return lower, upper


def _joined(parts: Sequence[np.ndarray | None], numbers: Sequence[np.ndarray], n: int) -> np.ndarray | None:
    """Figures that some tables have for their cells, laid over the cells of all."""
    if all(part is None for part in parts):
        return None
    joined = np.full(n, NO_VALUE, np.int64)
    for part, places in zip(parts, numbers, strict=True):
        if part is not None:
            joined[places] = np.where(part != NO_VALUE, part, joined[places])
    return joined


def _without_repeats(grids: Sequence[Grid]) -> tuple[Grid, ...]:
    kept: list[Grid] = []
    for grid in grids:
        if not any(np.array_equal(grid.cells, other.cells) for other in kept):
            kept.append(grid)
    return tuple(kept)


def _shared_totals(release: Release) -> Release:
    """Equate the finest sums that each pair of tables has in common."""
    for i, first in enumerate(release.grids):
        for second in release.grids[i + 1 :]:
            groups = [
                _common_groups(dim, a, b) for dim, a, b in zip(release.dims, first.nodes, second.nodes, strict=True)
            ]
            rows = first.summed([group[0] for group in groups], release.n_cells)
            rows = sp.csr_array(rows - second.summed([group[1] for group in groups], release.n_cells))
            rows.eliminate_zeros()
            real = np.flatnonzero(np.diff(rows.indptr) > 0)
            rows = rows[real]
            if release.truth is not None and (rows @ release.truth).any():
                gap = rows @ release.truth
                worst = int(np.flatnonzero(gap)[0])
                raise Contradiction(
                    "linked releases: two tables have a total in common but differ on it by "
                    f"{release.show(abs(int(gap[worst])))}: {_group_words(release, groups, int(real[worst]))}."
                )
            zero = np.zeros(len(real), dtype=np.int64)
            release = release.with_facts(
                np.full((len(real), len(release.dims)), -1),
                rows,
                zero,
                zero,
                words=[
                    f"the gap between two linked tables at {_group_words(release, groups, int(row))}" for row in real
                ],
            )
    return release


def _common_groups(dim: Dim, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """The finest grouping of categories that both tables can sum to: group of each node, and the groups' words."""
    places = [np.empty(len(dim.labels), dtype=np.int64) for _ in range(2)]
    for place, nodes in zip(places, (first, second), strict=True):
        for i, node in enumerate(nodes):
            place[dim.leaves[node]] = i
    edges = sp.csr_array(
        (np.ones(len(dim.labels)), (places[0], len(first) + places[1])), shape=(len(first) + len(second),) * 2
    )
    _, group = sp.csgraph.connected_components(edges, directed=False)
    _, group = np.unique(group, return_inverse=True)
    of_first, of_second = group[: len(first)], group[len(first) :]
    words = []
    for number in range(int(group.max()) + 1):
        for side, nodes in ((of_first, first), (of_second, second)):
            inside = nodes[side == number]
            if len(inside) == 1:
                words.append(dim.node_labels[inside[0]])
                break
        else:
            words.append("+".join(dim.node_labels[node] for node in first[of_first == number]))
    return of_first, of_second, words


def _group_words(release: Release, groups: Sequence[tuple[np.ndarray, np.ndarray, list[str]]], number: int) -> str:
    position = np.unravel_index(number, [len(words) for _, _, words in groups])
    return ", ".join(
        f"{dim.name}={words[int(i)]}" for dim, (_, _, words), i in zip(release.dims, groups, position, strict=True)
    )


def _crossed(tables: Sequence[Release], dims: tuple[Dim, ...]) -> Release:
    """Every table as a margin of the one table that crosses all dims."""
    whole = unpublished(dims, tables[0].decimals)
    whole = replace(whole, asked=np.unique(np.concatenate([table.asked for table in tables]), axis=0))
    evidence: list[Evidence] = []
    choices: list[Choice] = []
    for table in tables:
        if table.own.any():
            raise InputError("linked(full=True) takes releases without own=; add that afterwards.")
        cells = sp.csr_array(sp.vstack([whole.row(key) for key in table.keys]))
        bounded = np.flatnonzero((table.lower > 0) | (table.upper < NO_LIMIT))
        whole = whole.with_facts(
            table.keys[bounded], cells[bounded], table.lower[bounded], table.upper[bounded], table.value[bounded]
        )
        facts = table.sums
        whole = whole.with_facts(
            facts.keys, facts.matrix @ cells, facts.lower, facts.upper, facts.value, facts.words, facts.stated
        )
        choices += [choice.over(cells) for choice in table.choices]
        evidence += [_crossed_evidence(item, cells) for item in table.evidence]
    kept = seen_once(evidence, whole)
    figures = {
        tuple(item.key.tolist()): item.figure for item in kept if item.key is not None and item.figure != NO_VALUE
    }
    of_cells = np.array([figures.pop(tuple(key), NO_VALUE) for key in whole.keys.tolist()], dtype=np.int64)
    return replace(
        whole, evidence=kept, figures=of_cells if (of_cells != NO_VALUE).any() else None, sum_figures=figures,
        choices=tuple(choices), tallies=joined_tallies((table.choices, table.tallies) for table in tables),
    )  # fmt: skip


def _crossed_evidence(item: Evidence, cells: Any) -> Evidence:
    """Evidence on cells of one table, as evidence on those sums of the crossed table that the cells are."""
    row = sp.csr_array(sp.csr_array(item.coefficients[None, :]) @ cells[item.cells])
    return replace(item, cells=row.indices.astype(np.int64), coefficients=row.data.astype(np.int64))
