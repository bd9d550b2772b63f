"""Figures beside what else releases have: labels in sets, own units, linked tables, amounts, files, and chains."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import fiberwalk as fw

AGES = ("20", "21", "22")


def people(counts):
    return fw.table(np.array(counts), labels={"age": AGES, "sex": ["f", "m"]}, dims="age,sex")


COUNTS = [[2, 0], [1, 1], [0, 2]]
MIDDLE = fw.facts.median("21", "age", rounding="exact")


def in_all(most=6):
    """Every table of six people, as arrays."""
    return [np.reshape(x, (3, 2)) for x in itertools.product(range(most + 1), repeat=6) if sum(x) == 6]


def median(x):
    ages = np.repeat([20, 21, 22], x.sum(axis=1))
    return (ages[2] + ages[3]) / 2


def test_sets_of_labels():
    told = fw.publish(people(COUNTS), margins=[""]).knows({"sex": "f", "age": ["20", "21"]}, exactly=3)
    assert fw.count(told) == sum(x[0, 0] + x[1, 0] == 3 for x in in_all())
    assert told.notes[-1] == "the intruder knows of sex=f, age=20 or 21: exactly 3"


def test_own_units_are_taken_from_choices():
    told = fw.publish(people(COUNTS), margins=[""]).knows({}, MIDDLE).knows({"age": "20", "sex": "f"}, own=2)
    tables = [x for x in in_all() if x[0, 0] >= 2 and median(x) == 21]
    assert fw.count(told) == len(tables)
    others = fw.audit(told, law="hypergeometric", method="exact").pmf(age="20", sex="f")
    assert others.index.tolist() == sorted({x[0, 0] - 2 for x in tables})


def test_linked_tables_keep_choices_and_tallies():
    one = fw.publish(people(COUNTS), margins=["sex", ""]).knows({}, MIDDLE)
    other = fw.publish(people(COUNTS), margins=["age"]).knows({"sex": "m"}, fw.facts.distinct(2, "age"))
    by_sex, by_age = np.sum(COUNTS, axis=0).tolist(), np.sum(COUNTS, axis=1).tolist()
    tables = [
        x
        for x in in_all()
        if x.sum(axis=0).tolist() == by_sex and x.sum(axis=1).tolist() == by_age
        if median(x) == 21 and (x[:, 1] > 0).sum() == 2
    ]
    for linked in (fw.linked([one, other]), fw.linked([other, one], full=True)):
        assert fw.count(linked) == len(tables)


def test_means_of_amounts_beside_their_counts():
    """Two enterprises with a mean of 12.5, to one decimal, have 24.9 to 25.1 together."""
    turnover = fw.publish(fw.table([25.0, 30.0], decimals=1), margins=[""]).knows(
        {"A": "1"}, fw.facts.mean("12.5", contributors=2)
    )
    assert fw.bounds(turnover).to_numpy()[0].tolist() == [24.9, 25.1]


def test_a_file_has_no_place_for_them(tmp_path):
    told = fw.publish(people(COUNTS), margins=[""]).knows({}, MIDDLE)
    with pytest.raises(fw.InputError, match="cannot hold the median age of everybody is 21"):
        told.to_file(tmp_path / "told.csv")


def test_chains_among_choices_are_unproven_and_right():
    """Few enough for a Graver basis is proven; with more ages it is not, and chains say so."""
    ages = tuple(str(age) for age in range(20, 32))
    counts = np.zeros((12, 2), int)
    counts[[1, 4, 5, 9], [0, 1, 0, 1]] = 1, 2, 1, 1
    table = fw.table(counts, labels={"age": ages, "sex": ["f", "m"]}, dims="age,sex")
    told = fw.publish(table, margins=["", "sex"]).knows({}, fw.facts.distinct(4, "age"))
    chains = fw.audit(told, method="chains", seed=1, max_draws=2**14)
    assert chains.certificate.word == "unproven"
    assert "choice between facts" in chains.certificate.reason
    exact = fw.audit(told, method="exact")
    assert exact.method == "exact"
    apart = abs(chains.cells["mean"] - exact.cells["mean"]).max()
    assert apart < 0.2
