"""Means, quantiles, shares and the like: what agrees with them is what brute force over all populations finds."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st
from support.effort import examples
from support.methods import methods, only
from support.naive import statistics as naive
from support.naive import tables as naive_tables

import fiberwalk as fw

ROUNDINGS = ("nearest", "down", "up")
HALF = Fraction(1, 2)


class Told:
    """A figure: how the release is told, and which populations agree with it."""

    def __init__(self, where, fact, agrees, story):
        self.where, self.fact, self.agrees, self.story = where, fact, agrees, story


class Population:
    """A few people by age and sex, and a release that knows nothing of them but how many they are, or at most are."""

    def __init__(self, ages, counts, counted):
        self.ages, self.sexes = ages, ("f", "m")
        self.kinds = [{"age": age, "sex": sex} for age in ages for sex in self.sexes]
        self.counts, self.counted = counts, counted
        table = fw.table(np.reshape(counts, (len(ages), 2)), labels={"age": ages, "sex": self.sexes}, dims="age,sex")
        self.most = sum(counts) if counted else sum(counts) + 1
        self.release = fw.publish(table, margins=[""] if counted else []).without_truth()
        if not counted:
            self.release = self.release.knows({}, at_most=self.most)

    def tables(self):
        """Every table that the release alone leaves possible."""
        every = itertools.product(range(self.most + 1), repeat=len(self.kinds))
        return [x for x in every if (sum(x) == self.most if self.counted else sum(x) <= self.most)]

    def numbers(self, counts, where):
        """The ages of a group, each as often as it occurs."""
        return [
            Fraction(kind["age"])
            for kind, n in zip(self.kinds, counts, strict=True)
            for _ in range(n)
            if naive.matches(kind, where)
        ]

    def distinct(self, counts, where, dim):
        there = [kind[dim] for kind, n in zip(self.kinds, counts, strict=True) if n and naive.matches(kind, where)]
        return len(set(there))

    def size(self, counts, where):
        return sum(n for kind, n in zip(self.kinds, counts, strict=True) if naive.matches(kind, where))


@st.composite
def populations(draw):
    step = draw(st.sampled_from(["1", "0.5", "7"]))
    first = draw(st.integers(0, 3))
    ages = [f"{float((first + i) * Fraction(step)):g}" for i in range(draw(st.integers(2, 4)))]
    counts = draw(st.lists(st.integers(0, 2), min_size=2 * len(ages), max_size=2 * len(ages)))
    assume(1 <= sum(counts) <= 4)
    return Population(ages, counts, draw(st.booleans()))


@st.composite
def groups(draw, population):
    where = {}
    sex = draw(st.sampled_from(["any", "f", "m", ["f", "m"]]))
    if sex != "any":
        where["sex"] = sex
    if draw(st.booleans()):
        where["age"] = draw(st.lists(st.sampled_from(population.ages), min_size=1, unique=True))
    return where


@st.composite
def figures(draw, population):
    """A figure that is true of the population."""
    where = draw(groups(population))
    kind = draw(
        st.sampled_from(["mean", "median", "quantile", "share", "ratio", "smallest", "largest", "distinct", "withheld"])
    )
    rounding, decimals = draw(st.sampled_from([*ROUNDINGS, "exact"])), draw(st.integers(0, 1))
    truth = population.counts
    if kind == "withheld":
        fewer, zeros = draw(st.integers(2, 4)), draw(st.booleans())
        assume((0 if zeros else 1) <= population.size(truth, where) < fewer)
        agrees = lambda x: (0 if zeros else 1) <= population.size(x, where) < fewer  # noqa: E731
        return Told(where, fw.facts.withheld(fewer_than=fewer, zeros_hidden=zeros), agrees, (kind, where, fewer, zeros))
    if kind == "distinct":
        dim = draw(st.sampled_from(["age", "sex"]))
        number = population.distinct(truth, where, dim)
        agrees = lambda x: population.distinct(x, where, dim) == number  # noqa: E731
        return Told(where, fw.facts.distinct(number, dim), agrees, (kind, where, dim, number))
    if kind in ("share", "ratio"):
        other = (
            {dim: labels for dim, labels in where.items() if draw(st.booleans())}
            if kind == "share"
            else draw(groups(population))
        )
        times = 100 if kind == "share" else draw(st.sampled_from([1, 10]))
        value = lambda x: Fraction(times * population.size(x, where), n) if (n := population.size(x, other)) else None  # noqa: E731
    elif kind in ("smallest", "largest"):
        choose = min if kind == "smallest" else max
        value = lambda x: choose(population.numbers(x, where), default=None)  # noqa: E731
        rounding = "exact"
    else:
        q = draw(st.sampled_from([Fraction(1, 4), Fraction(1, 3), Fraction(2, 3)])) if kind == "quantile" else HALF
        q = Fraction(repr(float(q))).limit_denominator(10_000)
        statistic = naive.mean if kind == "mean" else lambda numbers: naive.quantile(numbers, q)
        value = lambda x: statistic(numbers) if (numbers := population.numbers(x, where)) else None  # noqa: E731
    true = value(truth)
    assume(true is not None)
    if rounding == "exact":
        assume(true == Fraction(repr(float(true))))
        shown = repr(float(true))
    else:
        shown = naive.written(true, decimals, rounding)
    how = {"decimals": decimals, "rounding": rounding}
    if kind in ("smallest", "largest"):
        fact = getattr(fw.facts, kind)(shown, "age")
    elif kind in ("share", "ratio"):
        fact = getattr(fw.facts, kind)(shown, other, **how, **({} if kind == "share" else {"per": times}))
    elif kind == "quantile":
        fact = fw.facts.quantile(shown, "age", at=float(q), **how)
    else:
        fact = getattr(fw.facts, kind)(shown, "age", **how)

    def agrees(x):
        there = value(x)
        return there is not None and naive.may_be_written(there, shown, decimals, rounding)

    return Told(where, fact, agrees, (kind, where, shown, how))


@examples(400)
@given(st.data(), methods)
def test_what_agrees_with_figures(data, method):
    population = data.draw(populations())
    told = data.draw(st.lists(figures(population), min_size=1, max_size=3))
    note([population.ages, population.counts, population.counted, *(one.story for one in told)])
    release = population.release
    for one in told:
        release = release.knows(one.where, one.fact)
    tables = [x for x in population.tables() if all(one.agrees(x) for one in told)]
    assert population.counts in map(list, tables)
    with only(method):
        assert fw.count(release) == len(tables)
        audit = fw.audit(release, law=fw.laws.expected(np.full((len(population.ages), 2), 0.7)), method="exact")
    bounds = fw.bounds(release)
    weight = naive_tables.poisson([0.7] * len(population.kinds))
    for place, kind in enumerate(population.kinds):
        labels = (kind["age"], kind["sex"])
        if labels not in bounds.index:
            continue
        values = [x[place] for x in tables]
        assert bounds.loc[labels].tolist() == [min(values), max(values)]
        expected = naive_tables.pmf(tables, [place], weight)
        found = audit.pmf(kind)
        assert found.index.tolist() == list(expected)
        assert found.to_numpy() == pytest.approx(list(expected.values()), abs=1e-12, rel=1e-9)
