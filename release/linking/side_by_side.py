"""Linked releases side by side: their cells, of which some are the same, and the totals that they have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from ...base.errors import Contradiction
from ..facts.choice import Choice, joined_tallies
from ..facts.facts import HIDDEN, NO_LIMIT, NO_VALUE, PRIMARY, PUBLISHED, UNSHOWN, Evidence, Grid, Sums
from ..release import Release
from ..shared_draws import seen_once
from ..tables.dims import Dim

_RANK = np.argsort([PRIMARY, HIDDEN, PUBLISHED, UNSHOWN])
"""Which status a cell keeps that several tables show: the lowest in this order."""


def side_by_side(tables: Sequence[Release], dims: tuple[Dim, ...]) -> Release:
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
        asked_primary=np.unique(np.concatenate([table.asked_primary for table in tables]), axis=0),
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
