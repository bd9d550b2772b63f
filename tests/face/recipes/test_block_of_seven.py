"""The seven people of Garfinkel, Abowd and Martindale (2019), whom their block's statistics give away."""

from __future__ import annotations

import numpy as np
import pytest

import fiberwalk as fw

PEOPLE = {
    ("8", "f", "b", "single"),
    ("18", "m", "w", "single"),
    ("24", "f", "w", "single"),
    ("30", "m", "w", "married"),
    ("36", "f", "b", "married"),
    ("66", "f", "b", "married"),
    ("84", "m", "b", "married"),
}


def test_one_population_is_left():
    audit = fw.audit(fw.examples.block_of_seven())
    assert audit.certificate.word == "exact"
    assert (audit.cells["entropy"] == 0).all()
    there = audit.cells["lower"][audit.cells["lower"] > 0]
    assert set(there.index) == PEOPLE
    assert (there == 1).all()


@pytest.mark.parametrize(("without", "populations"), [(["black females"], 2), (["females", "males"], 8)])
def test_without_some_statistics(without, populations):
    block = fw.examples.block_of_seven(without=without)
    assert fw.count(block) == populations
    bounds = fw.bounds(block, explain=True)
    assert set(bounds[["lower_by", "upper_by"]].to_numpy().ravel()) <= {"decided", "propagation", "every table"}
    certain = set(bounds.index[bounds["lower"] > 0])
    assert certain < PEOPLE
    if "females" in without:
        # four are in all eight populations, and the sex of three is open
        assert certain == {person for person in PEOPLE if person[2] == "b"}
        audit = fw.audit(block)
        assert audit.pmf(age="24", sex="f", race="w", status="single").tolist() == [0.5, 0.5]


def test_three_males_alone():
    """Ages of at least 1 of three with a median of 30 and a mean of 44: x, 30 and 102 - x."""
    ages = tuple(map(str, range(1, 126)))
    counts = np.zeros(125, int)
    counts[29] = 3
    males = fw.publish(fw.table(counts, labels={"age": ages}, dims="age"), margins=[""]).without_truth()
    told = males.knows({}, fw.facts.median(30, "age", rounding="exact"), fw.facts.mean(44, "age", rounding="exact"))
    assert fw.count(told) == 30


def test_there_is_no_such_group():
    with pytest.raises(fw.InputError, match="no group 'female' in the block of seven; did you mean 'females'?"):
        fw.examples.block_of_seven(without="female")
