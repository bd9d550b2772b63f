"""Secondary suppressions: every primary keeps its interval, and nothing cheaper would do."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import fiberwalk as fw
from fiberwalk.release.facts.facts import PRIMARY

TREE = {"A": {"x": ["1", "2"], "y": ["3", "4"]}}


def kept(release, below=0, above=0, width=0):
    """Has every primary the wanted interval, by `fw.bounds`?"""
    bounds = fw.bounds(release)[release.status[release.hidden] == PRIMARY]
    true = release.truth[release.status == PRIMARY]
    lower, upper = bounds["lower"].to_numpy(), bounds["upper"].to_numpy()
    return bool(((lower <= true - below) & (upper >= true + above) & (upper - lower >= width)).all())


def least_by_hand(table, rule, hierarchies=None, **wanted):
    """The least number of cells, and the least sum of counts, over every set that may be withheld besides the primaries."""
    values, costs = np.asarray(table).ravel(), []
    primary = fw.suppress(table, rule=rule).status == PRIMARY
    others = np.flatnonzero(~primary & (values > 0))
    for size in range(len(others) + 1):
        for some in combinations(others, size):
            hidden = primary.copy()
            hidden[list(some)] = True
            cost = hidden.sum(), values[hidden].sum()
            if any(cost[0] >= one[0] and cost[1] >= one[1] for one in costs):
                continue
            release = fw.suppress(
                fw.table(table, hierarchies=hierarchies), rule=rule, where=hidden.reshape(np.shape(table))
            )
            if kept(release, **wanted):
                costs.append(cost)
    return np.min(costs, axis=0).tolist()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "tree", "wanted"),
    [
        ([[1, 5, 4], [3, 8, 2], [7, 2, 6]], None, {"width": 1}),
        ([[1, 5, 4], [3, 8, 1], [7, 2, 6]], None, {"below": 1, "above": 3}),
        ([[1, 5], [3, 8], [7, 3], [2, 6]], TREE, {"above": 2}),
        ([[[1, 4], [6, 2]], [[5, 3], [4, 9]]], None, {"width": 3}),
    ],
)
def test_no_cheaper_pattern_protects(table, tree, wanted):
    found = []
    for minimise in ("cells", "counts"):
        release = fw.protect.complementary_suppress(
            fw.table(table, hierarchies=tree), rule="< 2", minimise=minimise, **wanted
        )
        assert kept(release, **wanted)
        assert "proven to be the least" in release.applied[0].own_words
        assert "not proven" not in release.applied[0].own_words
        found.append(len(release.hidden) if minimise == "cells" else release.truth[release.hidden].sum())
    assert found == least_by_hand(table, "< 2", tree, **wanted)
    assert not kept(
        fw.suppress(fw.table(table, hierarchies=tree), rule="< 2"), **wanted
    )  # without secondaries it is not protected


KNOWN, FLAGGED = {"rule_known": True}, {"rule_known": True, "flags": True}


@pytest.mark.parametrize(
    ("shape", "known"),
    [((6, 7), {}), ((12, 12), KNOWN), ((9, 9), FLAGGED), ((3, 4, 5), {}), ((3, 4, 5), FLAGGED), ((2, 3, 3, 3), KNOWN)],
)
def test_random_tables_keep_the_wanted_intervals(shape, known):
    table = np.random.default_rng(sum(shape)).poisson(6, shape)
    release = fw.protect.complementary_suppress(table, rule="< 3", width=1, **known)
    assert kept(release, width=1)
    assert (release.published.values[table >= 3] == table[table >= 3]).any()
    if not known:
        assert kept(fw.protect.complementary_suppress(table, rule="< 3", above=3, below=1), above=3, below=1)


@pytest.mark.parametrize(
    ("name", "summed", "rule", "percent", "more"),
    [
        ("dfkpr01", "", "< 3", None, {"width": 2, "secondary_zeros": True}),
        ("dfkpr01", "K", "< 5", 100, {}),
        ("ase15", "", "< 3", 100, {}),
        ("dfkpr01_square", "", "< 4", 50, {}),
    ],
)
def test_the_built_in_examples_are_protected(name, summed, rule, percent, more):
    table = fw.examples.load(name).table
    table = table.sum(summed) if summed else table
    release = fw.protect.complementary_suppress(table, rule=rule, percent=percent, **more)
    part = np.ceil(release.truth[release.status == PRIMARY] * (percent or 0) / 100)
    assert len(part) > 0
    assert kept(release, below=part, above=part, width=more.get("width", 0))
    wanted = {tuple(key) for key in release.keys[release.status == PRIMARY].tolist()}
    assert set(release.protection) == wanted


def test_where_decimals_and_counts():
    table = np.array([[1.5, 20.0, 3.0], [8.0, 9.5, 7.0], [2.5, 30.0, 4.0]])
    release = fw.protect.complementary_suppress(
        fw.table(table, decimals=1), where=[{"A": "1", "B": "1"}], above=1.5, below=0.5, minimise="counts"
    )
    bounds = fw.bounds(release).loc[("1", "1")]
    assert bounds["lower"] <= 1.0
    assert bounds["upper"] >= 3.0
    assert np.isnan(release.published.values).sum() == 4
    assert np.nansum(release.published.values) == table.sum() - (1.5 + 3.0 + 2.5 + 4.0)
    assert release.likelihood == "support only"


def test_a_search_that_was_cut_short_still_protects_and_says_so():
    lines = []
    table = np.random.default_rng(1).poisson(8, (30, 30))
    release = fw.protect.complementary_suppress(
        table, rule="< 4", rule_known=True, flags=True, rounds=1, progress=lines.append
    )
    assert kept(release, width=1)
    assert "not proven to be the least number of cells that does (" in release.applied[0].own_words
    assert lines[0].startswith("round 1 in fractions: the least cost is at least")


def test_what_cannot_be_protected_is_said():
    table = [[1, 5, 4], [7, 20, 6], [3, 8, 9]]
    with pytest.raises(fw.InputError, match=r"rule '< 30' hides everything, from cell A=1, B=1 to A=3, B=3"):
        fw.protect.complementary_suppress(table, rule="< 30")
    with pytest.raises(fw.InputError, match=r"rule '< 30' hides everything, from cell A=1, B=1 to A=3, B=3"):
        fw.suppress(table, rule="< 30")
    with pytest.raises(fw.InputError, match=r"no suppression can give cell A=1, B=1 the wanted interval: with every"):
        fw.protect.complementary_suppress(table, rule="< 3", below=2)
    with pytest.raises(
        fw.InputError, match=r"with every other cell withheld that may be, it still is known too well; want less"
    ):
        fw.protect.complementary_suppress(table, rule="< 3", width=11)
    with pytest.raises(fw.InputError, match=r"is known too well; .* let zeros be withheld \(secondary_zeros=True\)"):
        fw.protect.complementary_suppress([[1, 0], [4, 5]], rule="< 3")
    where = fw.protect.complementary_suppress([[1, 0], [4, 5]], where=[{"A": "1", "B": "1"}], secondary_zeros=True)
    assert len(where.hidden) == 4
    for words, wrong in {
        "needs where= or rule=": {},
        "hits none": {"rule": "< 1", "zeros_hidden": True},
        "go with rule= alone": {"where": np.array(table) == 1, "rule": "< 3", "rule_known": True},
        "give rule_known=True with it": {"rule": "< 3", "flags": True},
        "for zeros as secondaries give secondary_zeros=True": {"where": np.array(table) == 1, "zeros_hidden": True},
        "knows that it hides no zeros": {"rule": "< 3", "rule_known": True, "secondary_zeros": True},
        "'cells' or 'counts'": {"rule": "< 3", "minimise": "money"},
        "without margins nothing can be computed back": {"rule": "< 3", "margins": []},
        "more than 0 and at most 100": {"rule": "< 3", "percent": 150},
        "above=: at least 0; -1 is less": {"rule": "< 3", "above": -1},
        "a whole number of at least 1": {"rule": "< 3", "rounds": 0},
    }.items():
        with pytest.raises(fw.InputError, match=words):
            fw.protect.complementary_suppress(table, **wrong)
