"""What cannot be a population, or cannot be published of one, is refused in one sentence that says what to do."""

from __future__ import annotations

import numpy as np
import pytest

import fiberwalk as fw

DIMS = {"sex": ["f", "m"], "age": range(6)}
RECODES = {"age": {"old": {"no": [0, 1, 2], "yes": [3, 4, 5]}}}
PEOPLE = fw.population(DIMS, recodes=RECODES, where=[({"sex": "m"}, {"age": range(5)})])
BY_SEX = fw.table([3, 2], dims="sex", labels={"sex": ["f", "m"]})
BY_AGE = fw.table([1, 1, 1, 1, 0, 1], dims="age", labels={"age": list("012345")})
OLD = fw.table([4, 1], dims="old", labels={"old": ["no", "yes"]})

REFUSED = {
    "no dims": (lambda: fw.population({}), "dims are a dict of dim to its labels"),
    "labels that are a text": (lambda: fw.population({"sex": "fm"}), "the labels of 'sex' are a list"),
    "a label twice": (lambda: fw.population({"sex": ["f", "f"]}), "'sex' has the label 'f' twice"),
    "no labels": (lambda: fw.population({"sex": []}), "'sex' has no labels"),
    "recodes of no dim": (lambda: fw.population(DIMS, recodes={"agr": {}}), "recodes of 'agr'"),
    "a recode with an unknown label": (
        lambda: fw.population(DIMS, recodes={"age": {"old": {"yes": [6]}}}),
        "recode 'old': 'age' has no label '6'",
    ),
    "an empty group": (lambda: fw.population(DIMS, recodes={"age": {"old": {"yes": []}}}), "has nobody in 'yes'"),
    "a recode named as a dim": (
        lambda: fw.population(DIMS, recodes={"age": {"sex": {"a": [1]}}}),
        "names two dims or recodes",
    ),
    "a rule that is no pair": (lambda: fw.population(DIMS, where=[{"sex": "m"}]), "a rule is a pair of groups"),
    "a rule on no dim": (lambda: fw.population(DIMS, where=[({"sax": "m"}, {"age": 1})]), "no dim or recode 'sax'"),
    "no tables": (lambda: PEOPLE.published([]), "published() takes tables"),
    "a table of another dim": (lambda: PEOPLE.published([fw.table([1, 2], dims="town")]), "no dim or recode 'town'"),
    "a label that the domain does not have": (
        lambda: PEOPLE.published({"S": fw.table([1, 2, 0], dims="sex", labels={"sex": ["f", "m", "d"]})}),
        "table 'S': 'sex' has no label 'd'",
    ),
    "a label that the table leaves out": (
        lambda: PEOPLE.published({"A": fw.table([1, 2], dims="age", labels={"age": ["0", "1"]})}),
        "table 'A' shows 'age', but not its label '2': give the zeros, or say whom the table is about",
    ),
    "cells that may be negative": (
        lambda: PEOPLE.published(
            {"S": fw.publish(fw.table([3, -2], dims="sex", labels={"sex": ["f", "m"]}, at_least=-5, at_most=9), [""])}
        ),
        "table 'S' has cells that may be negative; the tables of a population count people",
    ),
    "amounts": (
        lambda: PEOPLE.published([fw.table([1.5, 2.0], dims="sex", labels={"sex": ["f", "m"]}, decimals=1)]),
        "is one of amounts",
    ),
    "nothing that bounds a record": (
        lambda: fw.reconstruct(PEOPLE.published([(BY_SEX_OF_F, {"sex": "f"})]), progress=False),
        "has no upper limit",
    ),
    "tables that leave nobody": (
        lambda: fw.reconstruct(
            PEOPLE.published([fw.table([0, 0], dims="sex", labels={"sex": ["f", "m"]})]), progress=False
        ),
        "these tables leave nobody",
    ),
    "a figure on people who cannot be": (
        lambda: fw.reconstruct(
            PEOPLE.published(
                {"S": BY_SEX, "A": fw.table([0, 0, 0, 0, 0, 5], dims="age", labels={"age": list("012345")})}
            ),
            progress=False,
        ),
        "table 'S' (sex=m) is 2, but nobody can be of that kind",
    ),
    "two figures on one record": (
        lambda: fw.reconstruct(
            PEOPLE.published({"S": BY_SEX, "A": BY_AGE, "O": OLD}).knows({"sex": "f", "age": 5}, exactly=0),
            progress=False,
        ),
        "two facts contradict each other: 'A' (age=5) is 1, and known: sex=f, age=5 is 0",
    ),
    "tables that contradict each other": (
        lambda: fw.reconstruct(PEOPLE.published({"A": BY_AGE, "O": OLD}), progress=False),
        "these 4 facts contradict each other: 'A' (age=0) is 1; 'A' (age=1) is 1; 'A' (age=2) is 1; 'O' (old=no) is 4.",
    ),
    "a mean that no whole numbers have": (
        lambda: fw.reconstruct(
            PEOPLE.published({"S": BY_SEX}).knows({"sex": "m"}, fw.facts.mean("2.3", "age", rounding="exact")),
            progress=False,
        ),
        "no 2 whole numbers have a mean",
    ),
    "a median outside": (
        lambda: fw.reconstruct(
            PEOPLE.published({"S": BY_SEX}).knows({"sex": "m"}, fw.facts.median(9, "age")), progress=False
        ),
        "outside of the labels",
    ),
    "a mean of contributors": (
        lambda: PEOPLE.published([BY_SEX]).knows({}, fw.facts.mean(2, contributors=3)),
        "the tables of a population count people, who contribute no amounts",
    ),
    "a mean of a recode whose groups overlap": (
        lambda: fw.reconstruct(
            fw.population(DIMS, recodes={"age": {"about": {"1": [0, 1, 2], "2": [1, 2, 3]}}})
            .published([BY_SEX])
            .knows({}, fw.facts.mean(2, "about")),
            progress=False,
        ),
        "the recode 'about' has people in several of its groups, or in none",
    ),
    "more groups of a recode than there are": (
        lambda: fw.reconstruct(PEOPLE.published([BY_SEX]).knows({}, fw.facts.distinct(3, "old")), progress=False),
        "3 labels of old occur in everybody, but there are only 2",
    ),
    "a figure that is withheld and published": (
        lambda: fw.reconstruct(
            PEOPLE.published({"S": BY_SEX}).knows({"sex": "f"}, fw.facts.withheld(fewer_than=3)), progress=False
        ),
        "'S' (sex=f) is 3, and a figure on sex=f is withheld, since fewer than 3 are behind it",
    ),
    "people that are no whole number": (
        lambda: PEOPLE.published([BY_SEX]).knows({"sex": "f"}, exactly=2.5),
        "a number of people is a whole number",
    ),
    "a share of no group": (lambda: fw.facts.share(10, of=None), "share(of=): a group is a dict of dim to label"),
    "a mean of nobody": (
        lambda: fw.reconstruct(
            PEOPLE.published([BY_SEX]).knows({"sex": "m", "age": 5}, fw.facts.mean(5, "age")), progress=False
        ),
        "nobody can be of that kind",
    ),
    "a share of nobody": (
        lambda: fw.reconstruct(
            PEOPLE.published([BY_SEX]).knows({"sex": "m", "age": 5}, fw.facts.share(20, of={})), progress=False
        ),
        "sex=m, age=5 is 20% of everybody",
    ),
    "a number of people below 0": (lambda: PEOPLE.published([BY_SEX]).knows({"sex": "f"}, at_least=-1), "at least 0"),
    "at least more than at most": (
        lambda: PEOPLE.published([BY_SEX]).knows({"sex": "f"}, at_least=3, at_most=2),
        "at least 3 and at most 2 cannot both be",
    ),
    "a table that is not there": (lambda: PEOPLE.published({"S": BY_SEX}).without("T"), "there is no table 'T'"),
    "a plain release": (lambda: fw.reconstruct(fw.publish([1, 2], [""])), "needs the tables of a population"),
    "a region that is no dim": (lambda: fw.reconstruct(PEOPLE.published([BY_SEX]), region="town"), "no such dim"),
    "a law of tables": (
        lambda: fw.reconstruct(PEOPLE.published([BY_SEX]), "dirichlet", progress=False),
        "'uniform', 'hypergeometric'",
    ),
    "means over no dim": (
        lambda: fw.reconstruct(PEOPLE.published([BY_SEX]), fw.laws.expected([1.0, 2.0]), progress=False),
        "no dim or recode",
    ),
}
BY_SEX_OF_F = fw.table([1, 1], dims="old", labels={"old": ["no", "yes"]})


@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused_in_one_sentence(case):
    call, words = REFUSED[case]
    with pytest.raises(fw.InputError) as caught:
        call()
    sentence = str(caught.value)
    assert words in sentence
    assert sentence[-1] in ".?'"
    assert "\n" not in sentence


def test_a_large_domain_is_never_crossed():
    """Four million records of which few may exist: memory would not hold what crossing them takes many times over."""
    people = fw.population({"block": range(1000), "sex": ["f", "m"], "age": range(100), "race": range(20)})
    by_block = np.zeros((1000, 20), dtype=int)
    by_block[3, 4], by_block[17, 0] = 2, 1
    release = people.published(
        {
            "race": fw.table(
                by_block,
                dims="block,race",
                labels={"block": [str(b) for b in range(1000)], "race": [str(r) for r in range(20)]},
            ),
            "age": fw.table(
                np.eye(100, dtype=int)[[5, 7, 7]].sum(axis=0), dims="age", labels={"age": [str(a) for a in range(100)]}
            ),
        }
    )
    kinds = release.kinds
    assert len(kinds.records) == 4  # two blocks and races by two ages; nothing tells the sexes apart
    assert kinds.multiplicity.tolist() == [2, 2, 2, 2]
    found = fw.reconstruct(release, progress=False)
    assert found.people == (3, 3)


def test_names_and_filters_are_in_what_contradicts():
    first = (fw.table([3, 0, 0, 0, 0, 0], dims="age", labels={"age": list("012345")}), {"sex": "f"})
    release = PEOPLE.published({"women": first, "S": fw.table([2, 2], dims="sex", labels={"sex": ["f", "m"]})})
    with pytest.raises(fw.Contradiction) as caught:
        fw.reconstruct(release.knows({"sex": "m", "age": [1, 2]}, exactly=2), progress=False)
    assert caught.value.facts == ("'women' (age=0) is 3", "'S' (sex=f) is 2")


def test_a_number_of_labels_may_be_of_a_recode():
    """Two people, both of them young or both of them old: 2 x C(4, 2) ways, of the six ages of a sex that nobody shows."""
    both = PEOPLE.published({"N": fw.table([2, 0], dims="sex", labels={"sex": ["f", "m"]})})
    found = fw.reconstruct(both.knows({}, fw.facts.distinct(1, "old")), progress=False)
    assert found.populations == 2 * 6
    assert fw.reconstruct(both.knows({}, fw.facts.distinct(1, "age")), progress=False).populations == 6
    assert fw.reconstruct(both.knows({}, fw.facts.distinct(2, "old")), progress=False).populations == 9


def test_of_nobody_it_may_be_said_that_they_are_no_part_of_anybody():
    told = PEOPLE.published([BY_SEX])
    old_men = {"sex": "m", "age": 5}
    plain = fw.reconstruct(told, progress=False).populations
    nothing = fw.facts.share(0, of={}), fw.facts.ratio(0, to={"sex": "f"}), fw.facts.distinct(0, "age")
    for fact in (*nothing, fw.facts.withheld(fewer_than=3, zeros_hidden=True)):
        assert fw.reconstruct(told.knows(old_men, fact), progress=False).populations == plain
    with pytest.raises(fw.Contradiction):
        fw.reconstruct(told.knows(old_men, fw.facts.withheld(fewer_than=3)), progress=False)


def test_how_many_there_are_may_be_known_by_a_total_alone():
    only = fw.population(DIMS).published({"N": fw.publish(BY_SEX, [""])})
    assert fw.reconstruct(only, progress=False).people == (5, 5)
    assert fw.reconstruct(fw.population(DIMS).published([BY_SEX]).knows({}, exactly=5), progress=False).people == (5, 5)
