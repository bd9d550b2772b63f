"""Who is behind published tables: what `reconstruct` says of every record is what all populations say, one by one."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st
from support.effort import examples
from support.naive.people import World, weight

import fiberwalk as fw

AGES, SEXES, TOWNS = ("1", "2", "3"), ("f", "m"), ("A", "B")
RECODES = {"age": {"young": {"yes": ["1", "2"], "no": ["3"]}, "some": {"low": ["1", "2"], "high": ["2", "3"]}}}
RULES = {"none": [], "no old men": [({"sex": ["m"]}, {"age": ["1", "2"]})]}
AXES = ("age", "sex", "town", "young", "some")


def labels_of(world, axis):
    if axis in world.dims:
        return list(world.dims[axis])
    return list(next(recodes[axis] for recodes in world.recodes.values() if axis in recodes))


class Shown:
    """A published table: what fiberwalk is given, and whether a population agrees with it."""

    def __init__(self, world, people, axes, about, how):
        self.world, self.axes, self.about, self.how = world, axes, about, how
        shown = [labels_of(world, axis) for axis in axes]
        self.cells = list(itertools.product(*shown))
        counts = world.table(people, axes, about)
        self.counts = [counts[cell] for cell in self.cells]
        values = np.reshape(self.counts, [len(labels) for labels in shown])
        table = fw.table(values, dims=axes, labels=dict(zip(axes, shown, strict=True)))
        if how == "suppressed" and not (values == 1).any():
            self.how = how = "exact"
        if how == "rounded":
            given = fw.round_to(table, base=3, rounding="within", margins=[])
        elif how == "suppressed":
            given = fw.suppress(table, where=values == 1, margins=[""])
        else:
            given = table
        self.given = (given, about) if about else given

    def agrees(self, people):
        counts = self.world.table(people, self.axes, self.about)
        now = [counts[cell] for cell in self.cells]
        if self.how == "exact":
            return now == self.counts
        if self.how == "suppressed":
            kept = all(a == b for a, b in zip(now, self.counts, strict=True) if b != 1)
            return kept and sum(now) == sum(self.counts)
        return all(abs(a - published) < 3 for a, published in zip(now, self.published(), strict=True))

    def published(self):
        release = self.given[0] if isinstance(self.given, tuple) else self.given
        return [int(value) for value in np.asarray(release.published.values).ravel()]


@st.composite
def worlds(draw):
    dims = {"age": AGES, "sex": SEXES} | ({"town": TOWNS} if draw(st.booleans()) else {})
    rules = RULES[draw(st.sampled_from(sorted(RULES)))]
    world = World(dims, RECODES, rules)
    people = draw(st.lists(st.sampled_from(world.records), min_size=1, max_size=3))
    axes = [axis for axis in AXES if axis in dims or axis in RECODES["age"]]
    tables = []
    for _ in range(draw(st.integers(1, 3))):
        some = draw(st.lists(st.sampled_from(axes), min_size=1, max_size=2, unique=True))
        about = {"sex": [draw(st.sampled_from(SEXES))]} if "sex" not in some and draw(st.integers(0, 3)) == 0 else {}
        how = draw(st.sampled_from(("exact", "exact", "suppressed", "rounded")))
        tables.append(Shown(world, people, some, about, how))
    return world, people, tables


def told(world, people, tables):
    population = fw.population(
        world.dims, recodes={"age": RECODES["age"]}, where=[(condition, then) for condition, then in world.rules]
    )
    release = population.published({f"T{number}": table.given for number, table in enumerate(tables)})
    return release.knows({}, exactly=len(people))


def of_a_record(frame, record):
    """The row of the kind that a record is in."""
    for row in frame.to_dict("records"):
        if all(_has(row[name], label) for name, label in record.items()):
            yield row


def _has(shown, label):
    if shown == "any":
        return True
    low, _, high = shown.partition("-")
    return label in shown.split(" or ") or bool(high and low <= label <= high)


@given(worlds(), st.sampled_from(("uniform", "hypergeometric", "expected")))
@examples(60)
def test_every_record_is_as_probable_as_all_populations_say(drawn, law):
    world, people, tables = drawn
    note([(table.axes, table.about, table.how, table.counts) for table in tables])
    every = [some for some in world.populations(len(people)) if len(some) == len(people)]
    every = [some for some in every if all(table.agrees(some) for table in tables)]
    assume(law != "hypergeometric" or all(table.how == "exact" for table in tables))
    means = {"1": 0.5, "2": 1.5, "3": 4.0}
    given_law = law
    if law == "expected":
        given_law = fw.laws.expected(fw.table([5, 15, 40], dims="age", labels={"age": AGES}))
    release = told(world, people, tables)
    found = fw.reconstruct(release, given_law, method="exact", progress=False)
    if law == "uniform":
        weights = np.ones(len(every))
    elif law == "hypergeometric":
        weights = np.array([weight(some) for some in every])
    else:
        weights = np.array([weight(some, lambda record: means[record["age"]]) for some in every])
    weights /= weights.sum()
    assert found.populations == len(every)
    if law == "uniform":
        assert found.entropy == pytest.approx(math.log2(len(every)), abs=1e-9)
    names = ("age", "sex", "town")
    for record in world.records:
        number = np.array([sum(person == record for person in some) for some in every])
        where = {name: record[name] for name in names if name in record}
        assert found.probability(where, progress=False) == pytest.approx(float(weights @ (number >= 1)), abs=1e-9)
        assert found.probability(where, at_most=1, progress=False) == pytest.approx(
            float(weights @ (number == 1)), abs=1e-9
        )
        rows = list(of_a_record(found.records, record))
        if (number > 0).any():
            assert rows
        if len(rows) == 1:
            (row,) = rows
            assert row["p"] == pytest.approx(float(weights @ (number >= 1)), abs=1e-9)
            assert row["p_once"] == pytest.approx(float(weights @ (number == 1)), abs=1e-9)
            assert row["expected"] / row["records"] == pytest.approx(float(weights @ number), abs=1e-9)
    joint = [{"age": "1"}, {"sex": "m"}]
    holds = [
        any(person["age"] == "1" for person in some) and any(person["sex"] == "m" for person in some) for some in every
    ]
    assert found.probability(joint, progress=False) == pytest.approx(float(weights @ np.array(holds)), abs=1e-9)
    truth = {(person["age"], person["sex"]) for person in people}
    certain = {(row["age"], row["sex"]) for row in found.certain.to_dict("records")}
    always = {(one["age"], one["sex"]) for one in world.records if all(one in some for some in every)}
    assert certain <= truth
    if "town" not in world.dims:
        assert certain <= always


def test_drawn_populations_follow_the_law():
    people = fw.population(
        {"sex": ["f", "m"], "age": range(4)}, recodes={"age": {"old": {"no": [0, 1], "yes": [2, 3]}}}
    )
    release = people.published(
        {
            "sex": fw.table([2, 1], dims="sex", labels={"sex": ["f", "m"]}),
            "age": fw.table([2, 1], dims="old", labels={"old": ["no", "yes"]}),
        }
    )
    for law in ("uniform", "hypergeometric"):
        found = fw.reconstruct(release, law, progress=False)
        world = World({"sex": ("f", "m"), "age": ("0", "1", "2", "3")}, {}, [])
        every = [
            some
            for some in itertools.combinations_with_replacement(world.records, 3)
            if sum(one["sex"] == "f" for one in some) == 2 and sum(one["age"] in "01" for one in some) == 2
        ]
        weights = np.array([1.0 if law == "uniform" else weight(some) for some in every])
        weights /= weights.sum()
        number = 4000
        drawn = found.draw(number, seed=3, progress=False)
        keys = drawn.groupby("population")[["sex", "age"]].apply(
            lambda rows: tuple(sorted(map(tuple, rows.to_numpy().tolist())))
        )
        counts = keys.value_counts()
        expected = {
            tuple(sorted((one["sex"], one["age"]) for one in some)): p for some, p in zip(every, weights, strict=True)
        }
        assert set(counts.index) <= set(expected)
        observed = np.array([counts.get(key, 0) for key in expected])
        chi_square = ((observed - number * weights) ** 2 / (number * weights)).sum()
        # 99.9999% point of chi-square with 13 degrees of freedom: 53.6
        assert len(every) == 14
        assert chi_square < 53.6
        wrong = np.array([weight(some) if law == "uniform" else 1.0 for some in every])
        wrong /= wrong.sum()
        assert ((observed - number * wrong) ** 2 / (number * wrong)).sum() > 53.6  # the other law is told apart
