"""What is known of the people outside a sample: which cells nobody can be in, how many there are in which cells together.

Facts that say how many people some cells have together, each within another or apart from it, cut the cells into groups of
a known number of people: strata, the totals of a dim, single cells. Within them a model can draw people independently of
each other. Whatever else is known (totals of a second dim, bounds) is kept as facts that a drawn table obeys or does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...base.errors import Contradiction, InputError
from ...release.facts.facts import NO_LIMIT
from ...release.release import Release
from ...release.tables.dims import Dim, key_words


class Group(NamedTuple):
    """Cells of which it is known how many people outside the sample they have together."""

    cells: np.ndarray
    """Without those that nobody can be in."""
    people: int
    words: str


@dataclass(frozen=True, eq=False)
class Fact:
    """A sum of cells of the population lies between two numbers; cells stand once in it, with their coefficients."""

    cells: np.ndarray
    coefficients: np.ndarray
    lower: int
    upper: int
    words: str

    def less(self, counts: np.ndarray) -> tuple[int, int]:
        """Between which numbers the sum lies of the people outside a sample."""
        in_sample = int(self.coefficients @ counts[self.cells])
        return self.lower - in_sample, self.upper if self.upper >= NO_LIMIT else self.upper - in_sample

    @property
    def counts_people(self) -> bool:
        """Does it say how many people some cells have together?"""
        return self.lower == self.upper and bool((self.coefficients == 1).all())

    def held_by(self, populations: np.ndarray) -> np.ndarray:
        """Which populations [draw, cell] obey it."""
        sums = populations[:, self.cells] @ self.coefficients
        return np.asarray((sums >= self.lower) & (sums <= self.upper))


@dataclass(frozen=True, eq=False)
class OutsideFacts:
    """What is known of the people outside a sample."""

    shut: np.ndarray
    """[cell]: is it known that nobody of the population is in it?"""
    groups: tuple[Group, ...]
    further: tuple[Fact, ...] = ()
    """Facts that can be broken although every group has its people."""
    for_whole_table: tuple[Fact, ...] = ()
    """Facts that can be broken although the table has its people, and nobody is where nobody can be."""

    def broken_by(self, populations: np.ndarray) -> str | None:
        """A fact that one of some populations [draw, cell] breaks, in words."""
        if populations[:, self.shut].any():
            return "nobody can be in some cells, and somebody is"
        return next((fact.words for fact in self.for_whole_table if not fact.held_by(populations).all()), None)

    def among(self, probable: np.ndarray, model: str) -> Iterator[Group]:
        """The groups with the cells of theirs that a model holds for possible; refused where people have no such cell."""
        for group in self.groups:
            cells = group.cells[probable[group.cells]]
            if group.people and not len(cells):
                raise InputError(
                    f"model {model!r} gives no cell of {group.words} a probability, but {group.people:,} people outside the "
                    "sample are there: give it add=, or take 'shrunk'."
                )
            yield group._replace(cells=cells)


def facts_of(
    counts: np.ndarray,
    dims: Sequence[Dim],
    outside: int,
    *,
    shut: np.ndarray | None = None,
    strata: Sequence[Group] = (),
    release: Release | None = None,
) -> OutsideFacts:
    """What is known of the people outside a sample: cells that are shut, strata, and the facts of a release."""
    facts = [] if release is None else _facts_in(release)
    closed = np.zeros(len(counts), dtype=bool) if shut is None else shut.copy()
    for fact in facts:
        if fact.upper == 0 and (fact.coefficients > 0).all():
            closed[fact.cells] = True
    _refuse_clash(counts, dims, closed, facts)
    known = [
        Group(fact.cells, fact.less(counts)[0], _place(fact.words))
        for fact in sorted((fact for fact in facts if fact.counts_people), key=lambda fact: -len(fact.cells))
    ]
    open_cells = np.flatnonzero(~closed)
    groups = _groups(open_cells, len(counts), outside, [*strata, *known])
    as_one = (Group(open_cells, outside, "the table"),)
    return OutsideFacts(
        closed, groups, tuple(_not_seen_to(facts, groups, counts)), tuple(_not_seen_to(facts, as_one, counts))
    )


def _facts_in(release: Release) -> list[Fact]:
    """The facts of a release, about cells and about sums."""
    keys, once, facts = release.keys, np.ones(1, dtype=np.int64), []
    for cell in np.flatnonzero((release.lower > 0) | (release.upper < NO_LIMIT)):
        lower, upper = int(release.lower[cell]), int(release.upper[cell])
        words = f"{release.words(keys[cell])} {release.between(lower, upper)}"
        facts.append(Fact(np.array([cell]), once, lower, upper, words))
    sums = release.sums
    for row in range(len(sums)):
        span = slice(sums.matrix.indptr[row], sums.matrix.indptr[row + 1])
        cells, coefficients = sums.matrix.indices[span], sums.matrix.data[span]
        facts.append(Fact(cells, coefficients, int(sums.lower[row]), int(sums.upper[row]), release.fact_words(row)))
    return facts


def _place(words: str) -> str:
    """What a fact is about, of its words."""
    return words.removeprefix("known: ").rpartition(" is ")[0]


def _refuse_clash(counts: np.ndarray, dims: Sequence[Dim], shut: np.ndarray, facts: Sequence[Fact]) -> None:
    """Refuse a sample with more people somewhere than the population can have there."""
    people = np.flatnonzero(shut & (counts > 0))
    if len(people):
        place = np.unravel_index(people[0], [len(dim.labels) for dim in dims])
        raise Contradiction(
            f"nobody of the population can be in cell {key_words(tuple(map(int, place)), dims)}, but the sample has "
            f"{int(counts[people[0]]):,} there."
        )
    for fact in facts:
        if (fact.coefficients > 0).all() and fact.less(counts)[1] < 0:
            in_sample = int(fact.coefficients @ counts[fact.cells])
            raise Contradiction(
                f"{fact.words} in the population, but the sample has {in_sample:,} there.", (fact.words,)
            )


def _groups(open_cells: np.ndarray, n_cells: int, outside: int, known: Sequence[Group]) -> tuple[Group, ...]:
    """All cells that are open, cut up by what is known of some of them; larger ones come first.

    What does not lie within one group is left out: it says more than groups can.
    """
    group_of = np.full(n_cells, -1)
    group_of[open_cells] = 0
    people, words = [outside], ["the table"]
    for group in known:
        cells = group.cells[group_of[group.cells] >= 0]
        homes = group_of[cells]
        if len(cells) and (homes != homes[0]).any():
            continue
        if len(cells):
            people[homes[0]] -= group.people
            words[homes[0]] = f"the rest of {words[homes[0]].removeprefix('the rest of ')}"
        group_of[cells] = len(people)
        people.append(group.people)
        words.append(group.words)
    groups = []
    order = np.argsort(group_of, kind="stable")
    ends = np.searchsorted(group_of[order], np.arange(len(people) + 1))
    for place, (number, name) in enumerate(zip(people, words, strict=True)):
        cells = order[ends[place] : ends[place + 1]]
        if number < 0 or (number and not len(cells)):
            raise Contradiction(
                f"what is known of the population does not agree: in {name}, {number:,} people outside the sample would be "
                f"left for {len(cells)} cells that can have any.",
                (name,),
            )
        if len(cells):
            groups.append(Group(cells, number, name))
    return tuple(groups)


def _not_seen_to(facts: Sequence[Fact], groups: Sequence[Group], counts: np.ndarray) -> Iterator[Fact]:
    """The facts that can be broken where all that is seen to is that every group has its people."""
    group_of = np.full(len(counts), -1)
    for place, group in enumerate(groups):
        group_of[group.cells] = place
    sizes = np.array([len(group.cells) for group in groups])
    people = np.array([group.people for group in groups])
    for fact in facts:
        can = group_of[fact.cells] >= 0
        where, coefficients = group_of[fact.cells[can]], fact.coefficients[can]
        least, most = np.full(len(groups), np.iinfo(np.int64).max), np.full(len(groups), np.iinfo(np.int64).min)
        np.minimum.at(least, where, coefficients)
        np.maximum.at(most, where, coefficients)
        partly = np.bincount(where, minlength=len(groups)) < sizes
        least[partly], most[partly] = np.minimum(least[partly], 0), np.maximum(most[partly], 0)
        held = people > 0
        lower, upper = fact.less(counts)
        if int(people[held] @ least[held]) < lower or int(people[held] @ most[held]) > upper:
            yield fact
