"""A server whose offered tables are rounded at once: whatever is asked of them adds up and agrees."""

from __future__ import annotations

import re
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import fiberwalk as fw

DIMS = ("sex", "age", "region")
RULES = fw.server.ServerRules(max_filters=None, max_labels=None, max_dims=None)


def records(n=400, seed=1):
    """People, with bands that follow from their ages."""
    random = np.random.default_rng(seed)
    ages = random.integers(1, 7, n)
    return pd.DataFrame(
        {
            "sex": random.choice(["f", "m"], n),
            "age": ages.astype(str),
            "band": np.where(ages < 4, "young", "old"),
            "region": random.choice(list("NSE"), n, p=[0.9, 0.07, 0.03]),
        }
    )


def served(data=None, parameters=None, **settings):
    given = {"base": 3, "max_dims": 2} if parameters is None else parameters
    people = records() if data is None else data
    return fw.server.TableServer(
        people, mechanism="round_lattice", parameters=given, seed=settings.pop("seed", 7), rules=RULES, **settings
    )


def test_all_offered_tables_add_up_and_agree():
    server = served()
    assert repr(server.lattice) == "<RoundedTables: 10 tables of 60 figures>"
    offered = {}
    for n in (1, 2):
        for dims in combinations(("sex", "age", "band", "region"), n):
            answer = server.tabulate(dims[::-1])
            assert answer.after is server.after
            assert (answer.table % 3 == 0).all()
            assert (abs(answer.table - answer.original) < 3).all()
            assert (answer.table != answer.original).any()
            offered[dims] = answer.table
    for (dims, table), (others, coarse) in product(offered.items(), repeat=2):
        if set(others) < set(dims):
            xr.testing.assert_equal(table.sum(set(dims) - set(others)).transpose(*coarse.dims), coarse)
    band = xr.DataArray(["young"] * 3 + ["old"] * 3, coords={"age": list("123456")}, name="band")
    for dim in ("sex", "region"):
        by_age, by_band = (server.tabulate([one, dim]).table for one in ("age", "band"))
        summed = by_age.groupby(band).sum().sel(band=by_band["band"])
        xr.testing.assert_equal(summed.transpose(*by_band.dims), by_band)


def test_filters_show_parts_of_offered_tables():
    server = served()
    whole = server.tabulate("age,region").table
    for label in "NSE":
        xr.testing.assert_equal(
            server.tabulate("age", {"region": label}).table, whole.sel(region=label, drop=True).rename("count")
        )
    some = server.tabulate("region", {"age": ["2", "5", "6"]})
    xr.testing.assert_equal(some.table, whole.sel(age=["2", "5", "6"]).sum("age"))
    assert (some.table != some.original).any()
    shown = server.tabulate("age,region", {"age": ["2", "5"]}).table
    xr.testing.assert_equal(shown, whole.sel(age=["2", "5"]))
    # A dim beside its own level: the cells where they meet are those of the dim.
    both = server.tabulate("age,band").table
    xr.testing.assert_equal(both.sum("band"), server.tabulate("age").table)
    assert int((both > 0).sum()) <= 6


def test_asking_for_groups_at_will_tells_nothing_more():
    """Every answer within what is offered follows from it, so that overlapping groups average nothing out."""
    server = served(seed=3)
    figures = server.tabulate("age,sex").table
    random = np.random.default_rng(2)
    for _ in range(20):
        ages = [age for age in "123456" if random.random() < 0.5] or ["1"]
        asked = server.tabulate("sex", {"age": ages}).table
        xr.testing.assert_equal(asked, figures.sel(age=ages).sum("age"))


def test_what_is_not_offered_is_rounded_by_the_same_keys_and_does_not_add_up():
    server = served()
    keyed = fw.server.TableServer(records(), mechanism="random_round", parameters={"base": 3}, seed=7, rules=RULES)
    outside = server.tabulate(DIMS)
    differs = (outside.table != keyed.tabulate(DIMS).table).mean()  # where the same people are in an offered figure
    assert 0 <= differs < 0.2
    assert outside.after.words == "random-round base=3"
    assert (outside.table.sum("region") != server.tabulate("sex,age").table).any()
    assert (outside.release().published.values == outside.table.transpose(*outside.release().published.dims)).all()
    assert outside.release().likelihood == "cellwise approximation"
    assert "rounded as they are there" in outside.release().applied[0].words
    assert keyed.tabulate(DIMS).release().likelihood == "exact"
    assert "Protected by round-lattice base=3 max_dims=2" in server.tabulate("sex").summary()
    # The figures themselves mostly stay as the keys make them.
    same = (server.tabulate("age,region").table == keyed.tabulate("age,region").table).mean()
    assert 0.5 < same < 1


def test_the_same_people_have_the_same_count_whatever_they_are_called():
    random = np.random.default_rng(4)
    rows = pd.DataFrame({dim: random.choice(list("abcdef"), 40) for dim in ("sex", "age", "region", "trade")})
    server = served(rows, seed=2)
    counts: dict[tuple[int, ...], set[int]] = {}
    seen = 0
    for n in (1, 2, 3, 4):
        for dims in combinations(rows.columns, n):
            table = server.tabulate(dims).table
            for labels, who in rows.groupby(list(dims)).indices.items():
                place = dict(zip(dims, labels if isinstance(labels, tuple) else (labels,), strict=True))
                counts.setdefault(tuple(who.tolist()), set()).add(int(table.sel(place)))
                seen += 1
    assert seen > 2 * len(counts)  # most groups are seen more than once
    assert all(len(shown) == 1 for shown in counts.values())


def test_tables_by_name_and_the_same_for_counts():
    cube = records().groupby(list(DIMS)).size().to_xarray().fillna(0).astype(int)
    server = served(cube, {"margins": ["sex,age"], "base": 5})
    assert server.tabulate("sex,age").after is server.after
    assert server.tabulate("region").after.name == "random_round"
    again = served(cube, {"margins": [("age", "sex")], "base": 5})
    xr.testing.assert_equal(again.tabulate("sex,age").table, server.tabulate("sex,age").table)
    total = served(cube, {"margins": [""]})
    assert total.lattice.lattice.n_figures == 1
    whole = served(cube, {})
    xr.testing.assert_equal(whole.tabulate(DIMS).table.sum("age"), whole.tabulate("sex,region").table)
    before = fw.server.TableServer(cube, mechanism="round_lattice", when="before", seed=7, rules=RULES)
    xr.testing.assert_equal(before.tabulate(DIMS).table.sum("age"), before.tabulate("sex,region").table)


def test_the_release_of_an_answer_knows_its_sums_too():
    server = served()
    answer = server.tabulate("region,sex")
    release = answer.release()
    assert (release.published.transpose(*answer.table.dims).values == answer.table.values).all()
    assert len(release.sums) == 3 + 2 + 1
    truth = release.sums.matrix @ release.truth
    assert (np.abs(release.sums.value - truth) < 3).all()
    assert ((release.sums.lower <= truth) & (truth <= release.sums.upper)).all()
    assert (release.sums.upper == release.sums.value + 2).all()
    bounds = fw.bounds(release)
    assert ((bounds["lower"] <= release.truth) & (release.truth <= bounds["upper"])).all()
    assert release.applied[0].seed == 7
    assert release.without_truth().applied[0].own_words == ""
    # Two figures in one are each less than 3 away.
    summed = server.tabulate("region", {"age": ["2", "5"]}).release()
    assert (summed.upper == summed.figures + 4).all()
    assert summed.about == (("age", ("2", "5")),)
    assert len(fw.bounds(server.tabulate("sex").release(exact=[""]))) == 2


def test_a_table_in_which_figures_had_to_go_further_says_so():
    cube = xr.DataArray(
        [[[5, 3], [2, 3]], [[3, 5], [3, 2]]],
        dims=DIMS,
        coords={"sex": list("fm"), "age": list("12"), "region": list("NS")},
    )
    server = served(cube, {"base": 2})
    assert "figures of sex x age x region are known to less than 4" in server.lattice.applied.words
    release = server.tabulate(DIMS).release()
    assert (release.upper == release.figures + 3).all()
    assert ((release.lower <= release.truth) & (release.truth <= release.upper)).all()


def test_labels_of_a_level_that_nobody_can_have():
    data = records()
    data["age"] = pd.Categorical(data["age"], categories=list("1234567"))
    data["band"] = pd.Categorical(data["band"], categories=["young", "old", "none"], ordered=True)
    server = served(data)
    assert server.tabulate("band").table.sum() == server.tabulate("age").table.sum()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"parameters": {"decimals": 1}},
            "round_lattice has no parameter 'decimals'",
        ),
        ({"parameters": {"max_dims": 0}}, "round_lattice(max_dims=0): a whole number of at least 1"),
        (
            {"data": xr.DataArray(np.ones((400, 400), int), dims=["a", "b"]), "parameters": {}},
            "4 tables of 160,801 figures",
        ),
        ({"parameters": {"base": -3}}, "round_lattice(base=-3): the base must be positive"),
        ({"parameters": {"margins": ["age,band"]}}, "shows 'age' and 'band', of which one is enough"),
        ({"parameters": {"margins": ["agee"]}}, "there is no dim 'agee'"),
        ({"before": ("swap", {"dim": "region"})}, "rounds the tables that are offered from the true counts"),
        ({"when": "before"}, "round_lattice: the cells of the table are not among the tables that are offered"),
    ],
)
def test_errors(settings, words):
    with pytest.raises(fw.InputError, match=re.escape(words)):
        served(**settings)
