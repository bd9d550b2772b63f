"""A system with further columns: how many of each group of people are of each age, and how many up to each age.

A *group* is what an equation counts while another one adds up the ages of the same cells. All that is published of its ages,
means and medians alike, is about its histogram, and histograms of groups that make up another add up to that one's. Few
people have few histograms, so that a search for tables that settles these first, the smallest groups before all others, ends
soon; over the cells alone it would settle everybody's sex, race and age at once. The further columns follow from the others:
as many tables are found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..equations.moments import weighted_pairs

MOST_GROUPS = 40
MOST_COLUMNS = 5_000
"""Of larger systems not all tables are listed anyway."""


@dataclass(frozen=True, eq=False)
class Group:
    """Columns, what each weighs, how many there are in all, and what they weigh together (None where that is not said)."""

    columns: np.ndarray
    weights: np.ndarray
    number: int
    total: int | None

    @property
    def content(self) -> tuple[bytes, bytes]:
        """Alike for groups of the same columns and weights."""
        return self.columns.tobytes(), self.weights.tobytes()


class Wider(NamedTuple):
    """A system with further columns behind its own: sums of these, `sums @ x`."""

    A: Any
    b: np.ndarray
    sums: Any


def with_histograms(A: Any, b: np.ndarray) -> Wider:
    """The system with the histograms of its groups; as it is where it has none."""
    A, b = sp.csr_array(A), np.asarray(b, dtype=np.int64)
    known = sorted(_groups(A, b), key=lambda group: group.number) if A.shape[1] <= MOST_COLUMNS else []
    further = _Further(A.shape[1])
    for group in known:
        further.add(group)
    for parts, whole in _unions(known):
        further.add_up([known[i] for i in parts], known[whole])
    names = further.names()
    rows = [_renamed(A.indices[part], A.data[part], names) for part in map(slice, A.indptr[:-1], A.indptr[1:])]
    everything = further.rows + [(columns, values, int(side)) for (columns, values), side in zip(rows, b, strict=True)]
    lengths = [len(columns) for columns, _, _ in everything]
    matrix = sp.csr_array(
        (
            np.concatenate([values for _, values, _ in everything] or [np.empty(0, np.int64)]),
            np.concatenate([columns for columns, _, _ in everything] or [np.empty(0, np.int64)]),
            np.concatenate([[0], np.cumsum(lengths)]),
        ),
        shape=(len(everything), further.n_columns),
    )
    return Wider(matrix, np.array([side for _, _, side in everything], dtype=np.int64), further.sums(A.shape[1]))


def _groups(A: Any, b: np.ndarray) -> list[Group]:
    """The groups that equations speak of, and what is left of one without another."""
    known: dict[tuple[bytes, bytes], Group] = {}
    for weighted, counting in weighted_pairs(A):
        ones, weighs = _entries(A, counting), _entries(A, weighted)
        if set(ones.values()) != {1}:
            continue
        columns = np.array(sorted(ones), dtype=np.int64)
        weights = np.array([weighs.get(int(j), 0) for j in columns], dtype=np.int64)
        total = int(b[weighted]) if set(weighs) <= set(ones) else None
        group = Group(columns, weights, int(b[counting]), total)
        known.setdefault(group.content, group)
    waiting = list(known.values())
    while waiting and len(known) < MOST_GROUPS:
        new = waiting.pop(0)
        for other in list(known.values()):
            for whole, part in ((new, other), (other, new)):
                rest = _rest(whole, part)
                if rest is not None and rest.content not in known:
                    known[rest.content] = rest
                    waiting.append(rest)
    return list(known.values())


def _entries(A: Any, row: int) -> dict[int, int]:
    part = slice(A.indptr[row], A.indptr[row + 1])
    return dict(zip(A.indices[part].tolist(), A.data[part].tolist(), strict=True))


def _rest(whole: Group, part: Group) -> Group | None:
    """Those of a group who are not in a smaller one; None where that is no part of it."""
    if len(part.columns) >= len(whole.columns):
        return None
    inside = np.isin(whole.columns, part.columns)
    if inside.sum() < len(part.columns) or not np.array_equal(whole.weights[inside], part.weights):
        return None
    total = None if whole.total is None or part.total is None else whole.total - part.total
    return Group(whole.columns[~inside], whole.weights[~inside], whole.number - part.number, total)


def _unions(groups: list[Group]) -> Iterator[tuple[tuple[int, int], int]]:
    """Pairs of groups that make up another one."""
    place = {group.content: i for i, group in enumerate(groups)}
    for whole, part in permutations(range(len(groups)), 2):
        rest = _rest(groups[whole], groups[part])
        if rest is not None and rest.content in place and part < place[rest.content]:
            yield (part, place[rest.content]), whole


class Histogram(NamedTuple):
    """A group's weights in order, and the columns of how many have each, and of how many have at most each."""

    group: Group
    weights: np.ndarray
    each: np.ndarray
    upto: np.ndarray


@dataclass
class _Further:
    """Columns and rows that are added to a system."""

    n_columns: int
    members: list[np.ndarray] = field(default_factory=list)
    rows: list[tuple[np.ndarray, np.ndarray, int]] = field(default_factory=list)
    of_group: dict[tuple[bytes, bytes], Histogram] = field(default_factory=dict)

    def column(self, members: np.ndarray) -> int:
        """A further column: the sum of some."""
        self.members.append(members)
        self.n_columns += 1
        return self.n_columns - 1

    def sums(self, own: int) -> Any:
        """What each is the sum of, a row each."""
        columns = np.concatenate([np.empty(0, np.int64), *self.members])
        start = np.concatenate([[0], np.cumsum([len(members) for members in self.members])]).astype(np.int64)
        return sp.csr_array((np.ones(len(columns), np.int64), columns, start), shape=(len(self.members), own))

    def row(self, columns: Any, coefficients: Any, side: int) -> None:
        self.rows.append((np.asarray(columns, dtype=np.int64), np.asarray(coefficients, dtype=np.int64), side))

    def add(self, group: Group) -> None:
        """The histogram of a group: how many there are of each weight and up to each, and what they weigh together."""
        weights = np.unique(group.weights)
        each = np.array([self.column(group.columns[group.weights == weight]) for weight in weights])
        upto = np.array([self.column(group.columns[group.weights <= weight]) for weight in weights])
        self.row([upto[0], each[0]], [1, -1], 0)
        for i in range(1, len(weights)):
            self.row([upto[i], upto[i - 1], each[i]], [1, -1, -1], 0)
        self.row(each, np.ones(len(each)), group.number)
        self.row([upto[-1]], [1], group.number)
        if group.total is not None:
            self.row(each[weights != 0], weights[weights != 0], group.total)
        for weight, column in zip(weights, each, strict=True):
            inside = group.columns[group.weights == weight]
            self.row([column, *inside], [1, *-np.ones(len(inside))], 0)
        self.of_group[group.content] = Histogram(group, weights, each, upto)

    def add_up(self, parts: list[Group], whole: Group) -> None:
        """The histograms of two groups add up to that of a third."""
        total, of_parts = self.of_group[whole.content], [self.of_group[part.content] for part in parts]
        for i, weight in enumerate(total.weights):
            each, upto = [], []
            for part in of_parts:
                at = int(np.searchsorted(part.weights, weight, side="right")) - 1
                if at >= 0:
                    upto.append(part.upto[at])
                if at >= 0 and part.weights[at] == weight:
                    each.append(part.each[at])
            self.row([total.each[i], *each], [1, *-np.ones(len(each))], 0)
            self.row([total.upto[i], *upto], [1, *-np.ones(len(upto))], 0)

    def names(self) -> dict[bytes, int]:
        """Sets of columns that have a column of their own: all of a weight, or up to a weight, in a group."""
        names: dict[bytes, int] = {}
        for group, weights, each, upto in self.of_group.values():
            for weight, one, all_below in zip(weights, each, upto, strict=True):
                names.setdefault(group.columns[group.weights <= weight].tobytes(), int(all_below))
                names.setdefault(group.columns[group.weights == weight].tobytes(), int(one))
        return names


def _renamed(columns: np.ndarray, values: np.ndarray, names: dict[bytes, int]) -> tuple[np.ndarray, np.ndarray]:
    """A row in which columns of the same coefficient that have a column of their own are replaced by it."""
    parts: list[tuple[np.ndarray, np.ndarray]] = []
    for value in np.unique(values):
        same = np.sort(columns[values == value]).astype(np.int64)
        name = names.get(same.tobytes()) if len(same) > 1 else None
        parts.append((same if name is None else np.array([name]), np.full(len(same) if name is None else 1, value)))
    empty = np.empty(0, np.int64)
    return (
        np.concatenate([empty, *(part for part, _ in parts)]),
        np.concatenate([empty, *(part for _, part in parts)]),
    )
