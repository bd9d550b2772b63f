"""Figures that cannot be: each is refused in a sentence that names it."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import fiberwalk as fw

AGES = ("10", "20", "30")


def people(n=4, margins=("",)):
    """So many people of three ages and two sexes, of whom only that is known."""
    counts = np.zeros((3, 2), int)
    counts[0, 0] = n
    table = fw.table(counts, labels={"age": AGES, "sex": ["f", "m"]}, dims="age,sex")
    return fw.publish(table, margins=list(margins)).without_truth()


@pytest.mark.parametrize(
    ("n", "group", "fact", "words"),
    [
        (
            2,
            {},
            fw.facts.mean("16.7", "age"),
            "the mean age of everybody is 16.7: no 2 whole numbers have a mean that is",
        ),
        (4, {}, fw.facts.mean("36.7", "age"), "is 36.7, outside of the labels that the dim 'age' has there, 10 to 30"),
        (4, {}, fw.facts.median(9, "age"), "the median age of everybody is 9, outside of the labels"),
        (3, {}, fw.facts.median(17, "age", rounding="exact"), "median age of everybody is 17: no 3 labels of 'age'"),
        (4, {}, fw.facts.median(17, "aeg"), "there is no dim 'aeg'; did you mean 'age'?"),
        (4, {}, fw.facts.distinct(1, "aeg"), "there is no dim 'aeg'; did you mean 'age'?"),
        (4, {"sx": "f"}, fw.facts.median(17, "age"), "there is no dim 'sx'; did you mean 'sex'?"),
        (4, {"sex": ["f", "x"]}, fw.facts.median(17, "age"), "dim 'sex' has no label 'x'"),
        (4, {"sex": []}, fw.facts.median(17, "age"), "a group has at least one label of each dim that it names"),
        (4, {}, fw.facts.median(17, "sex"), "dim 'sex' has the label 'f', which is no number"),
        (4, {"sex": "f"}, fw.facts.share(33, of={}), "sex=f is 33% of everybody: no whole number is rounded to that"),
        (4, {"sex": "f"}, fw.facts.share(33, of={"sex": "m"}), "the one is no part of the other; a ratio says that"),
        (0, {}, fw.facts.mean(20, "age"), "the mean age of everybody is 20, and there is nobody of that kind"),
        (0, {}, fw.facts.median(20, "age"), "the median age of everybody is 20, and there is nobody of that kind"),
        (4, {}, fw.facts.distinct(7, "age"), "7 labels of age occur in everybody, but there are only 3"),
        (4, {}, fw.facts.largest(25, "age"), "which is no label of the dim 'age' there"),
        (4, {}, 7, "7 is no fact; make one by fw.facts, such as fw.facts.mean"),
    ],
)
def test_of_a_group(n, group, fact, words):
    with pytest.raises(fw.InputError) as refusal:
        people(n).knows(group, fact)
    assert words in str(refusal.value)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fw.facts.mean(3), r"mean\(\) is of a dim, as mean\(38, 'age'\), or of amounts"),
        (lambda: fw.facts.mean("x", "age"), r"mean\(\): 'x' is not a number"),
        (lambda: fw.facts.mean(float("nan"), "age"), r"mean\(\): nan is not a number"),
        (lambda: fw.facts.mean(3, "age", rounding="bankers"), "rounding is one of 'nearest', 'down', 'up', 'exact'"),
        (lambda: fw.facts.mean("3.25", "age", decimals=1), "'3.25' has more than 1 decimals"),
        (lambda: fw.facts.mean(3, "age", decimals=-1), "decimals must be a whole number from 0 to 12; it is -1"),
        (lambda: fw.facts.quantile(3, "age", at=1.5), "at=1.5 must lie between 0 and 1"),
        (lambda: fw.facts.mean(3, contributors=0), "contributors=0: a whole number of at least 1"),
        (lambda: fw.facts.ratio(3, to={}, per=0), "per=0: a whole number of at least 1"),
        (lambda: fw.facts.distinct(1.5, "age"), r"distinct\(\): 1.5 must be a whole number of at least 0"),
        (lambda: fw.facts.withheld(fewer_than=1), "fewer than 1 is nobody"),
    ],
)
def test_of_a_figure(make, words):
    with pytest.raises(fw.InputError, match=words):
        make()


@pytest.mark.parametrize(
    "fact", [fw.facts.smallest(12, "turnover"), fw.facts.largest(40, "size"), fw.facts.median(20, "size")]
)
def test_amounts_tell_nothing_of_single_contributors(fact):
    """The smallest turnover among five firms: a table of amounts does not tell; of a population of firms it is exact."""
    amounts = fw.publish(fw.table([1.5, 2.5], decimals=1, labels={"size": ["1", "2"]}, dims="size"), margins=[""])
    with pytest.raises(fw.InputError, match="about single ones, and this is a table of amounts; .* a population"):
        amounts.without_truth().knows({}, fact)


def test_the_smallest_and_the_largest_of_five_firms():
    firms = fw.population({"region": ["N", "S"], "turnover": range(41)})
    tables = [fw.table([5, 3], dims="region", labels={"region": ["N", "S"]})]
    figures = fw.facts.smallest(12, "turnover"), fw.facts.largest(40, "turnover"), fw.facts.mean(20.2, "turnover")
    found = fw.reconstruct(firms.published(tables).knows({"region": "N"}, *figures), progress=False)
    three = itertools.combinations_with_replacement(range(12, 41), 3)
    north = sum(abs(sum(some) + 12 + 40 - 5 * 20.2) <= 0.25 + 1e-9 for some in three)
    assert found.populations == north * math.comb(3 + 40, 3)
    assert found.probability({"region": "N", "turnover": 12}, progress=False) == 1


def test_amounts_are_not_withheld_for_being_few():
    with pytest.raises(fw.InputError, match="that is about how many there are, and this is a table of amounts"):
        fw.publish(fw.table([2.5, 3.0], decimals=1), margins=[""]).knows({}, fw.facts.withheld(fewer_than=3))


def test_nothing_bounds_a_group():
    told = people(margins=()).knows({}, fw.facts.median(20, "age"))
    with pytest.raises(fw.InputError, match="the median age of everybody is 20: nothing bounds how many they are"):
        fw.count(told)


def test_too_many_branches():
    ages = fw.table(np.ones(5000, int), labels={"age": [str(i) for i in range(5000)]}, dims="age")
    with pytest.raises(fw.InputError, match="pairs of labels have that middle, more than the 2,000"):
        fw.publish(ages, margins=[""]).knows({}, fw.facts.median(2500, "age"))


def exact(value):
    return fw.facts.mean(value, "age", rounding="exact")


@pytest.mark.parametrize(
    ("told", "facts"),
    [
        (
            lambda: people().knows({}, exact(15), fw.facts.median(30, "age", rounding="exact")),
            ["the grand total is 4", "the mean age of everybody is 15", "the median age of everybody is 30"],
        ),
        (
            lambda: (
                people().knows({}, fw.facts.median(25, "age", rounding="exact")).knows({"age": AGES[1:]}, exactly=1)
            ),
            ["the grand total is 4", "the median age of everybody is 25", "known: age=20 or 30 is 1"],
        ),
        (
            lambda: people().knows({}, fw.facts.distinct(3, "age"), fw.facts.largest(20, "age")),
            ["3 labels of age occur in everybody", "the largest age of everybody is 20"],
        ),
    ],
)
def test_contradictions_name_figures(told, facts):
    with pytest.raises(fw.Contradiction) as refusal:
        fw.count(told())
    assert set(refusal.value.facts) == set(facts)


def test_two_means_of_a_group():
    with pytest.raises(fw.Contradiction, match="the mean age of everybody is 15, and the mean age of everybody is 20"):
        people().knows({}, exact(15), exact(20))


def test_what_is_not_true():
    truth = fw.publish([1, 2, 0], margins=[""])
    with pytest.raises(fw.InputError, match="it is said that 3 labels of A occur in everybody, but in the true table"):
        truth.knows({}, fw.facts.distinct(3, "A"))


def test_the_report_says_what_is_known(tmp_path):
    told = people().knows({"sex": "f"}, fw.facts.median("20", "age"), fw.facts.share(50, of={}))
    assert told.notes[-2:] == ("the median age of sex=f is 20", "sex=f is 50% of everybody")
    fw.audit(told).to_html(tmp_path / "told.html")
    assert "the median age of sex=f is 20" in (tmp_path / "told.html").read_text()


def count_by_hand():
    """Two women and two men of 1, 2 or 3 years whose median is 2, every combination of counts looked at."""
    number = 0
    for counts in itertools.product(range(3), repeat=6):
        if sum(counts[:3]) == sum(counts[3:]) == 2:
            ages = sorted(age for age in (1, 2, 3) for _ in range(counts[age - 1] + counts[age + 2]))
            number += ages[1] + ages[2] == 4
    return number


def test_how_many_are_in_a_group_follows_from_sums_that_do_not_overlap():
    """Nobody published how many there are; a table by sex says it, and so does one with a decided cell."""
    labels = {"sex": ["f", "m"], "age": ["1", "2", "3"]}
    ages = fw.table([[1, 0, 1], [0, 2, 0]], dims=list(labels), labels=labels)
    by_sex = fw.publish(ages, margins=["sex"]).without_truth()
    stated = by_sex.knows({}, exactly=4)
    median = fw.facts.median("2", "age", rounding="exact")
    by_sums, by_word = by_sex.knows({}, median), stated.knows({}, median)
    assert (by_sums.choices[0].lower == by_word.choices[0].lower).all()  # without limits where the number is not known
    assert fw.count(by_sums) == fw.count(by_word) == count_by_hand()
    with pytest.raises(fw.InputError, match="no 4 whole numbers have a mean that is rounded to that"):
        by_sex.knows({}, fw.facts.mean("1.6", "age", rounding="exact"))
    unknown = fw.publish(ages, margins=["age"]).without_truth().knows({"sex": "f"}, at_most=3)
    unknown.knows({"sex": "f"}, fw.facts.mean("1.6", "age", rounding="exact"))  # of five
