"""Kinds of people: the records that are in the same published figures, taken as one, and the release about these.

k records of which no figure tells one from another are one count: how its people fall among them is up to the law.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.errors import Contradiction, InputError
from ...base.saved_forms import saved
from ..facts.choice import joined_tallies
from ..facts.facts import NO_LIMIT, NO_VALUE, Evidence, Sums
from ..facts.groups import Group, number_of
from ..facts.knowledge import with_fact
from ..release import Release, unpublished
from ..shared_draws import methods_of, seen_once
from ..tables.dims import Dim
from ..told import Told
from .domain import Axis, Domain, Inside, shortly
from .label_classes import LabelClasses, label_classes
from .mean_table import MeanTable
from .possible_records import Places, Rule, inside, possible_records
from .published_table import PublishedTable

PEOPLE = "people"
"""The one dim of the release about kinds."""


@saved("Known")
@dataclass(frozen=True, eq=False)
class Known:
    """What is known of a group besides the tables: figures of fw.facts, or how many there are."""

    group: Inside
    facts: tuple[Any, ...]
    at_least: int | None = None
    at_most: int | None = None


@saved("Kinds")
@dataclass(frozen=True, eq=False)
class Kinds:
    """All kinds of people that may exist, the records of each, and what is published of them as a release."""

    domain: Domain
    classes: tuple[LabelClasses, ...]
    records: np.ndarray
    """[record, dim]: classes of labels; the records of a kind stand together."""
    first: np.ndarray
    """Where the records of each kind begin."""
    release: Release
    """Its cells are the kinds."""

    def __len__(self) -> int:
        return len(self.first) - 1

    @cached_property
    def sizes(self) -> np.ndarray:
        """How many labels each record stands for: those of classes are alike."""
        return _sizes(self.records, self.classes)

    @cached_property
    def multiplicity(self) -> np.ndarray:
        """How many records of the domain are in each kind."""
        return np.add.reduceat(self.sizes, self.first[:-1]) if len(self) else np.empty(0, dtype=np.int64)

    def labels(self, kind: int, dim: int) -> tuple[str, ...]:
        """The labels of a dim that people of a kind may have."""
        own = np.unique(self.records[self.first[kind] : self.first[kind + 1], dim])
        places = np.sort(np.concatenate([self.classes[dim].members[number] for number in own]))
        return tuple(self.domain.labels[dim][place] for place in places)

    def first_labels(self, dim: int) -> np.ndarray:
        """A label of a dim, by its number, that people of each kind may have."""
        return self.classes[dim].first[self.records[self.first[:-1], dim]]

    def of_people(self, people: np.ndarray) -> np.ndarray:
        """The kind of each person [person, dim], told by the numbers of labels; -1 where nobody can be like that."""
        classes = np.stack([self.classes[dim].of_label[column] for dim, column in enumerate(people.T)], axis=1)
        _, number = np.unique(np.concatenate([self.records, classes]), axis=0, return_inverse=True)
        number = number.ravel()
        kind_of = np.full(int(number.max(initial=-1)) + 1, -1, dtype=np.int64)
        kind_of[number[: len(self.records)]] = np.repeat(np.arange(len(self)), np.diff(self.first))
        return kind_of[number[len(self.records) :]]

    def among(self, coarser: Kinds) -> np.ndarray:
        """Of each kind the kind of a coarser division that it is a part of."""
        some = [self.first_labels(dim) for dim in range(len(self.domain.names))]
        return coarser.of_people(np.stack(some, axis=1))

    def means_by(self, means: MeanTable) -> np.ndarray:
        """The expected count of each kind."""
        of_records = means.of_records(self.records, self.classes, self.domain) * self.sizes
        return np.add.reduceat(of_records, self.first[:-1])

    def of_group(self, group: Inside) -> np.ndarray:
        """How many records of each kind are in a group, which no class of labels straddles."""
        counted = np.where(inside(group, self.records, self.classes), self.sizes, 0)
        return np.add.reduceat(counted, self.first[:-1]) if len(self) else np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class KindGroup(Group):
    """A group of kinds; of a dim or recode that a figure is about all people of a kind have the same labels."""

    kinds: Any = None

    def numbers(self, dim: str) -> list[Fraction]:
        """What a numeric dim is in each of the kinds."""
        axis = self.kinds.domain.axis(dim, "knows()")
        whole, inside = Dim(axis.name, axis.labels), np.array([*self._inside(axis).values()])
        if (inside.sum(axis=0) != 1).any():
            raise InputError(
                f"the recode {axis.name!r} has people in several of its groups, or in none: of such a recode there are no "
                "means and quantiles."
            )
        return [number_of(whole, int(place)) for place in inside.argmax(axis=0)]

    def by_label(self, dim: str) -> dict[str, np.ndarray]:
        """The kinds that have each label of a dim or recode, by the labels that are there."""
        inside = self._inside(self.kinds.domain.axis(dim, "knows()"))
        return {label: self.cells[there] for label, there in inside.items() if there.any()}

    def _inside(self, axis: Axis) -> dict[str, np.ndarray]:
        """Of each label which of the kinds have it."""
        own = self.kinds.first_labels(axis.dim)[self.cells]
        return {label: np.isin(own, members) for label, members in zip(axis.labels, axis.members, strict=True)}

    def other(self, where: Mapping[str, Any]) -> Group:
        """Another group among the same people."""
        return group_of_kinds(self.kinds, self.kinds.domain.inside(where, "knows()"), self.told)


def group_of_kinds(kinds: Kinds, whom: Inside, told: Told) -> KindGroup:
    """A group, as facts speak of one."""
    there = inside(whom, kinds.records[kinds.first[:-1]], kinds.classes)
    return KindGroup(np.flatnonzero(there), whom.words, told, kinds)


def kinds_of(
    domain: Domain,
    tables: Sequence[PublishedTable],
    rules: Sequence[Rule],
    known: Sequence[Known],
    apart: Sequence[Inside] = (),
    means: MeanTable | None = None,
    every_record: bool = False,
) -> Kinds:
    """What may exist by what is published, with each record by itself if that is wanted.

    In any case who is in one of the groups `apart` and who is not are never of one kind, nor are records of different
    expected counts.
    """
    of_facts = [[domain.axis(fact.of, "knows()") for fact in one.facts if isinstance(_of(fact), str)] for one in known]
    others = [
        domain.inside(fact.of, "knows()") for one in known for fact in one.facts if isinstance(_of(fact), Mapping)
    ]
    apart = [*apart, *others]
    groups = [*(one.group for one in known), *apart, *(side for rule in rules for side in rule)]
    axes = [axis for own in ([table.axes for table in tables], of_facts) for part in own for axis in part]
    axes += () if means is None else means.axes
    alone = range(len(domain.names)) if every_record else ()
    classes = label_classes(domain, axes, [*groups, *(table.about for table in tables)], alone)
    places = [Places(table, classes) for table in tables]
    records = possible_records(classes, places, rules)
    if not len(records):
        raise Contradiction(
            "these tables leave nobody: each record is ruled out by a zero of one of them, or by a rule."
        )
    marks = [
        np.where(np.append(one.table.speaking.ravel(), False)[place], place, -1)
        for one in places
        for place in one.of(records)
    ]
    for one, of_one in zip(known, of_facts, strict=True):
        within = inside(one.group, records, classes)
        marks += [within.astype(np.int64), *(np.where(within, _alike(axis, records, classes), -1) for axis in of_one)]
    marks += [inside(group, records, classes).astype(np.int64) for group in apart]
    if means is not None:
        marks.append(np.unique(means.of_records(records, classes, domain), return_inverse=True)[1].ravel())
    if every_record:
        marks = [np.arange(len(records))]
    distinct, number = _numbered(np.stack(marks, axis=1) if marks else np.zeros((len(records), 1), np.int64))
    order = np.argsort(number, kind="stable")
    first = np.searchsorted(number[order], np.arange(distinct + 1))
    kinds = Kinds(domain, classes, records[order], first, _nothing_said(distinct))
    kinds = replace(kinds, release=_nothing_said(distinct, tuple(_words(kinds))))
    release = _with_tables(kinds, tables, [one.of(kinds.records[first[:-1]]) for one in places])
    return replace(kinds, release=_with_known(kinds, release, known))


def _numbered(marks: np.ndarray) -> tuple[int, np.ndarray]:
    """Rows that are the same have the same number, in the order in which they first come."""
    _, first, number = np.unique(marks, axis=0, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return len(first), rank[number.ravel()]


def _alike(axis: Axis, records: np.ndarray, classes: Sequence[LabelClasses]) -> np.ndarray:
    """A number for each record, the same where they have the same labels of a dim or recode."""
    of_class = classes[axis.dim].first
    shown = np.array([np.isin(of_class, members) for members in axis.members]).T
    return np.asarray(np.unique(shown, axis=0, return_inverse=True)[1].ravel()[records[:, axis.dim]])


def _of(fact: Any) -> Any:
    """What a figure is of besides its group: a dim, another group, or nothing."""
    return getattr(fact, "of", None)


def _sizes(records: np.ndarray, classes: Sequence[LabelClasses]) -> np.ndarray:
    sizes = np.ones(len(records), dtype=np.int64)
    for dim, of_dim in enumerate(classes):
        sizes *= of_dim.sizes[records[:, dim]]
    return sizes


def _nothing_said(number: int, labels: tuple[str, ...] = ()) -> Release:
    return unpublished((Dim(PEOPLE, labels or tuple(map(str, range(number)))),), source="the population")


def _words(kinds: Kinds) -> Iterator[str]:
    """Each kind in words; a number follows where two would read the same."""
    seen: dict[str, int] = {}
    for kind in range(len(kinds)):
        parts = []
        for dim, name in enumerate(kinds.domain.names):
            labels = kinds.labels(kind, dim)
            if len(labels) < len(kinds.domain.labels[dim]):
                parts.append(f"{name} {shortly(labels)}")
        words = ", ".join(parts) or "anybody"
        seen[words] = seen.get(words, 0) + 1
        yield words if seen[words] == 1 else f"{words} ({seen[words]})"


def _with_tables(kinds: Kinds, tables: Sequence[PublishedTable], places: Sequence[list[np.ndarray]]) -> Release:
    """The release about kinds, with what the tables say."""
    release, n = kinds.release, len(kinds)
    rows, low, high, value, words = list[Any](), list[Any](), list[Any](), list[Any](), list[str]()
    evidence: list[Evidence] = []
    choices: list[Any] = []
    for table, of_layers in zip(tables, places, strict=True):
        told, cells = table.release, table.cells.ravel()
        where = [(cells[layer[layer >= 0]], np.flatnonzero(layer >= 0)) for layer in of_layers]
        at, kind = (np.concatenate([pair[side] for pair in where]) for side in (0, 1))
        people = sp.csr_array((np.ones(len(at), dtype=np.int64), (at, kind)), shape=(told.n_cells, n))
        empty = np.diff(people.indptr) == 0
        impossible = np.flatnonzero(empty & (told.lower > 0))
        if len(impossible):
            cell = int(impossible[0])
            said = told.between(int(told.lower[cell]), int(told.upper[cell]))
            raise Contradiction(
                f"table {table.words(cell)} {said}, but nobody can be of that kind: a zero elsewhere, or a rule, forbids it."
            )
        speaking = np.flatnonzero(~empty & ((told.lower > 0) | (told.upper < NO_LIMIT)))
        rows += [people[speaking], told.sums.matrix @ people]
        low += [told.lower[speaking], told.sums.lower]
        high += [told.upper[speaking], told.sums.upper]
        value += [told.value[speaking], told.sums.value]
        words += [
            f"{table.words(int(cell))} {told.between(int(told.lower[cell]), int(told.upper[cell]))}"
            for cell in speaking
        ]
        words += [f"{table.name!r}: {told.fact_words(number)}" for number in range(len(told.sums))]
        choices += [replace(choice, words=f"{table.name!r}: {choice.words}").over(people) for choice in told.choices]
        evidence += [_of_kinds(item, people, told) for item in told.evidence]
    matrix = sp.csr_array(sp.vstack(rows)) if rows else sp.csr_array((0, n), dtype=np.int64)
    matrix.sum_duplicates()
    lower, upper, figure = (np.concatenate(side) if side else np.empty(0, np.int64) for side in (low, high, value))
    release = _stated(release, matrix, lower, upper, figure, words)
    return replace(
        release,
        evidence=seen_once([item for item in evidence if len(item.cells)], release),
        choices=tuple(choices),
        tallies=joined_tallies((table.release.choices, table.release.tallies) for table in tables),
        applied=methods_of([table.release for table in tables]),
    )


def _of_kinds(item: Evidence, people: Any, told: Release) -> Evidence:
    """Evidence on cells of a table, as evidence on the kinds that are in these; the place in the table stays in words."""
    row = sp.csr_array(sp.csr_array(item.coefficients[None, :]) @ people[item.cells])
    row.eliminate_zeros()
    return replace(
        item,
        cells=row.indices.astype(np.int64),
        coefficients=row.data.astype(np.int64),
        words=told.evidence_words(item),
        key=None,
    )


def _stated(
    release: Release, matrix: Any, lower: np.ndarray, upper: np.ndarray, figure: np.ndarray, words: Sequence[str]
) -> Release:
    """The release with rows about its kinds, each said in words."""
    # a figure on one kind is kept as a row, too: as a bound it would lose its name
    keys = np.full((len(lower), 1), -1)
    more = Sums(matrix, lower, upper, figure, keys, tuple(words), (True,) * len(words))
    return replace(release, sums=release.sums.joined(more, release.between))


def _with_known(kinds: Kinds, release: Release, known: Sequence[Known]) -> Release:
    """The release with what else is known of groups."""
    for one in known:
        cells = group_of_kinds(kinds, one.group, release).cells
        low, high = one.at_least or 0, NO_LIMIT if one.at_most is None else one.at_most
        if low > 0 and not len(cells):
            raise Contradiction(f"{one.group.words} are at least {low}, but nobody can be of that kind.")
        if len(cells) and (low > 0 or high < NO_LIMIT):
            row = sp.csr_array((np.ones(len(cells), np.int64), cells, [0, len(cells)]), shape=(1, len(kinds)))
            said = f"{one.group.words} {release.between(low, high)}"
            release = _stated(release, row, np.array([low]), np.array([high]), np.array([NO_VALUE]), [f"known: {said}"])
        for fact in one.facts:
            if not len(cells) and not getattr(fact, "of_nobody", False):
                raise Contradiction(f"{fact.words(one.group.words)}, but nobody can be of that kind.")
            release = with_fact(release, group_of_kinds(kinds, one.group, release), fact, named=True)
    return release


def by_name(tables: Mapping[str, Any] | Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Tables with their names; "table 1", "table 2", ... where they have none."""
    if isinstance(tables, Mapping):
        yield from ((str(name), given) for name, given in tables.items())
    else:
        yield from ((f"table {number + 1}", given) for number, given in enumerate(tables))
