"""Tables and figures of every kind about small populations: what `reconstruct` says is what all populations say."""

from __future__ import annotations

import itertools
import math
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from support.effort import examples
from support.naive.people import World, weight
from support.naive.published_people import Figure, People, Shown, figures, shown, some_labels, worlds

import fiberwalk as fw
from fiberwalk.posterior.records import how_many

LAWS = ("uniform", "hypergeometric", "expected")
MOST = 1500
"""Populations that are looked at one by one."""


class Told:
    """A world, what is published of some of its people, and how many they are at most."""

    def __init__(self, world: World, most: int, counted: bool, tables: list[Shown], facts: list[Figure]):
        self.world, self.most, self.counted, self.tables, self.facts = world, most, counted, tables, facts

    def release(self):
        recodes = self.world.recodes
        population = fw.population(self.world.dims, recodes=recodes, where=self.world.rules)
        release = population.published({f"T{number}": table.given for number, table in enumerate(self.tables)})
        release = release.knows({}, exactly=self.most) if self.counted else release.knows({}, at_most=self.most)
        for one in self.facts:
            release = release.knows(one.group, *one.facts, **one.limits)
        return release

    def populations(self) -> tuple[list[People], np.ndarray]:
        """Every population that agrees, and how probable what random methods published was."""
        found, chances = [], []
        for some in self.world.populations(self.most):
            if (self.counted and len(some) < self.most) or not all(one.agrees(some) for one in self.facts):
                continue
            chance = math.prod(table.likelihood(some) for table in self.tables)
            if chance > 0:
                found.append(some)
                chances.append(chance)
        return found, np.array(chances)


@st.composite
def publications(draw):
    world = draw(worlds())
    n = len(world.records)
    most = draw(st.integers(1, max(k for k in range(1, 5) if math.comb(n + k, k) <= MOST or k == 1)))
    counted = draw(st.booleans())
    some = st.lists(st.sampled_from(world.records), min_size=most if counted else 0, max_size=most)
    people = draw(some)
    seeds = draw(st.permutations(range(3)))[: draw(st.integers(1, 3))]
    tables = [draw(shown(world, people, seed)) for seed in seeds]
    facts = draw(st.lists(figures(world, people), max_size=3))
    if draw(st.integers(0, 5)) == 0:
        facts += draw(st.lists(figures(world, draw(some)), min_size=1, max_size=2))  # of other people: it may be untrue
    return Told(world, most, counted, tables, facts)


def law_of(told: Told, name: str):
    """A law as users give it, and the mean of each record under it."""
    if name != "expected":
        return name, None
    ages = told.world.dims["age"]
    means = {age: 0.5 + 1.5 * number for number, age in enumerate(ages)}
    per = 2 if "town" not in told.world.dims else 4
    table = fw.table([per * means[age] for age in ages], dims="age", labels={"age": ages}, decimals=1)
    return fw.laws.expected(table), lambda record: means[record["age"]]


def means_of_records(found, world):
    """The means that were fitted, as they are published with the result: of each record its part of its kind's."""
    kinds = found.rebuilt.kinds
    means = {}
    for kind, mean in enumerate(found.rebuilt.law.means / kinds.multiplicity):
        for record in kinds.records[kinds.first[kind] : kinds.first[kind + 1]]:
            members = [kinds.classes[dim].members[one] for dim, one in enumerate(record)]
            for labels in itertools.product(*members):
                named = zip(kinds.domain.names, kinds.domain.labels, labels, strict=True)
                means[tuple((name, every[label]) for name, every, label in named)] = mean
    return lambda record: means.get(tuple(record.items()), 0.0)


def has(shown_labels: str, label: str, every: tuple[str, ...]) -> bool:
    """Is a label among those that a row of records shows?"""
    if shown_labels == "any":
        return True
    if "-" in shown_labels:
        low, high = map(int, shown_labels.split("-"))
        return low <= int(label) <= high
    return label in shown_labels.split(" or ")


@examples(150)
@given(publications(), st.sampled_from(LAWS), st.data())
def test_what_is_said_of_people_is_what_all_populations_say(told, name, data):
    note((told.world.dims, told.world.rules, told.most, told.counted, told.tables, told.facts))
    every, chances = told.populations()
    law, means = law_of(told, name)
    if not every:
        with pytest.raises(fw.InputError):
            fw.reconstruct(told.release(), law, method="exact", progress=False)
        return
    if leaves_nobody(told.release()):  # which is refused
        assert not any(every)
        return
    found = fw.reconstruct(told.release(), law, method="exact", progress=False)
    if name == "hypergeometric":
        means = means_of_records(found, told.world)
    weights = chances * [1.0 if name == "uniform" else weight(some, means) for some in every]
    weights /= weights.sum()
    assert found.populations == len(every)
    sizes = [len(some) for some in every]
    assert found.people[0] <= min(sizes) <= max(sizes) <= found.people[1]
    left = weights[weights > 0]
    assert found.entropy >= -(left @ np.log2(left)) - 1e-9
    if name == "uniform" and not any(table.how == "random" for table in told.tables):
        assert found.entropy == pytest.approx(math.log2(len(every)), abs=1e-9)
    for most_records in (how_many.MOST_RECORDS, 0):
        with patch.object(how_many, "MOST_RECORDS", most_records):
            least, most = how_many.bits_between(found.rebuilt)
        assert least - 1e-9 <= math.log2(len(every)) <= most + 1e-9
    of_each_record(found, told, every, weights)
    of_claims(found, told, every, weights, data)


def leaves_nobody(release) -> bool:
    """Is each record ruled out by a published zero?"""
    try:
        return not len(release.kinds)
    except fw.Contradiction as refusal:
        return "leave nobody" in str(refusal)


def of_each_record(found, told, every, weights):
    """Each record's row, if there is just one that it may be of."""
    rows = found.records.to_dict("records")
    certain = 0
    for record in told.world.records:
        number = np.array([sum(person == record for person in some) for some in every])
        mine = [row for row in rows if all(has(row[dim], record[dim], told.world.dims[dim]) for dim in told.world.dims)]
        certain += bool(number.min() >= 1)
        assert mine or number.max() == 0
        if len(mine) == 1 and number.max() > 0:
            (row,) = mine
            assert row["p"] == pytest.approx(float(weights @ (number >= 1)), abs=1e-9)
            assert row["p_once"] == pytest.approx(float(weights @ (number == 1)), abs=1e-9)
            assert row["expected"] / row["records"] == pytest.approx(float(weights @ number), abs=1e-9)
            if row["records"] == 1:
                assert (row["lower"], row["upper"]) == (number.min(), number.max())
    assert len(found.certain) == certain


def of_claims(found, told, every, weights, data):
    """Claims about groups, one or two together."""
    groups = data.draw(st.lists(some_labels(told.world, told.world.axes), min_size=1, max_size=2))
    low = data.draw(st.integers(0, 2))
    high = data.draw(st.sampled_from([None, low, low + 1]))
    numbers = [[sum(told.world.inside(person, group) for person in some) for some in every] for group in groups]
    holds = (np.array(numbers) >= low) & (np.array(numbers) <= (99 if high is None else high))
    p = found.probability(groups, at_least=low, at_most=high, progress=False)
    assert p == pytest.approx(float(weights @ holds.all(axis=0)), abs=1e-8)
