"""Zeros on a server: kept unless noise on them is asked for; likelihoods are those of what is done."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from support.mechanisms import PTABLE

import fiberwalk as fw

RULES = fw.server.ServerRules(max_dims=None, max_filters=None, max_labels=None)
NOISE = {-2: 0.15, -1: 0.2, 0: 0.3, 1: 0.2, 2: 0.15}
NOISY = [[0.5, 0.3, 0.2], [0.25, 0.5, 0.25], [0.2, 0.3, 0.5]]
METHODS = {
    "random_round": {"base": 4},
    "add_noise": {"noise": NOISE},
    "perturb": {"matrix": PTABLE},
}


def records(n=120, seed=1):
    random = np.random.default_rng(seed)
    age = random.integers(0, 8, n)
    return pd.DataFrame(
        {
            "age": age.astype(str),
            "band": np.where(age < 4, "young", "old"),
            "region": random.choice(list("NSE"), n, p=[0.8, 0.15, 0.05]),
            "trade": random.choice(list("abcde"), n, p=[0.6, 0.3, 0.05, 0.03, 0.02]),
        }
    )


def served(method, data=None, **options):
    chosen = {"parameters": METHODS[method], "hierarchies": {"age": "band"}} | options
    return fw.server.TableServer(
        records() if data is None else data, rules=RULES, mechanism=method, **{"seed": 3} | chosen
    )


@pytest.mark.parametrize("method", METHODS)
def test_an_empty_cell_is_published_as_nobody_in_every_form(method):
    server = served(method)
    became_zero = 0
    for dims in [*permutations(("age", "region", "trade"), 2), ("age", "band", "trade"), ("age", "region", "trade")]:
        for where in (None, {"band": "old"}, {"trade": ["d", "e"]}):
            answer = server.tabulate(dims, where)
            table = answer.table if answer.released else answer.withheld
            assert (table.where(answer.original == 0, 0) == 0).all()
            assert (table >= 0).all()
            became_zero += int(((table == 0) & (answer.original > 0)).sum())
    assert became_zero > 20  # so that a published 0 is no proof


@pytest.mark.parametrize(
    ("method", "options"),
    [*((method, {}) for method in METHODS), ("add_noise", {"noisy_zeros": True}),
     ("add_noise", {"noisy_zeros": True, "parameters": {"noise": NOISE, "floor": True}}),
     ("perturb", {"noisy_zeros": True, "parameters": {"matrix": NOISY}})],
)  # fmt: skip
def test_the_likelihood_of_an_audit_is_that_of_what_is_done(method, options):
    """Brute force: every true count, published by every number that decides, as often as these probabilities want."""
    answer = served(method, **options).tabulate("age,region")
    release = answer.release()
    mechanism = release.applied[0].mechanism
    steps = (np.arange(1200) + 0.5) / 1200  # the probabilities are multiples of 1/60
    values = np.arange(12)
    shown = np.array([mechanism.publish(np.full(len(steps), value), steps) for value in values])
    assert len(release.evidence) == answer.table.size
    for item in release.evidence:
        cell = int(item.cells[0])
        assert item.figure == release.figures[cell]
        likely = np.zeros(max(len(values), item.first + len(item.log_weights)))
        likely[item.first : item.first + len(item.log_weights)] = np.exp(item.log_weights)
        np.testing.assert_allclose(likely[: len(values)], (shown == item.figure).mean(axis=1), atol=1e-9)
        assert likely[release.truth[cell]] > 0
    true = answer.original.transpose(*release.published.dims).values.ravel()
    numbers = np.asarray(answer.tables.made.numbers).ravel()
    assert (mechanism.publish(true, numbers) == release.figures).all()


def test_a_perturbation_table_of_an_office_works_on_a_server(tmp_path):
    path = tmp_path / "ptable.csv"
    rows = [f"{i};{j};{p};{j - i}" for i, row in enumerate(PTABLE) for j, p in enumerate(row) if p]
    path.write_text("\n".join(["i;j;p;v", *rows]))
    by_file, by_matrix = (
        served("perturb", parameters={"matrix": matrix}).tabulate("age,region").table
        for matrix in (path, np.array(PTABLE))
    )
    xr.testing.assert_equal(by_file, by_matrix)
    by_keys = tmp_path / "keys.csv"
    by_keys.write_text("pcv,ckey,pvalue\n1,0,-1\n1,1,0\n1,2,1\n1,3,0\n")
    table = served("perturb", parameters={"matrix": str(by_keys)}).tabulate("age,region")
    assert set((table.table - table.original).values.ravel()) == {-1, 0, 1}


def test_a_server_says_what_the_agency_should_know():
    notes = {
        name: " ".join(served(method, **options).notes)
        for name, (method, options) in {
            "noisy": ("add_noise", {"noisy_zeros": True}),
            "kept": ("perturb", {}),
            "upwards": ("add_noise", {"parameters": {"noise": {0: 0.5, 1: 0.5}}}),
            "sticky": ("perturb", {"parameters": {"matrix": [[1, 0, 0], [0, 0.5, 0.5], [0, 0.5, 0.5]]}}),
            "found": ("random_round", {"hierarchies": None}),
        }.items()
    }
    assert notes["kept"] == (
        "labels of age, band, region, trade are those that somebody has, and so tell that somebody does: "
        "declare all that there can be by labels="
    )
    assert notes["noisy"].startswith("zeros are changed by noise, each by its labels")
    assert notes["upwards"] == notes["sticky"]
    assert notes["sticky"].startswith("no count becomes 0: a published 0 is a true one")
    assert notes["found"].startswith("'band' follows from 'age' in these data, but nobody said that it is a level")
    assert fw.server.TableServer(records(), seed=1).notes[0].startswith("tables are published as they are")


# --- noise on zeros, where it is asked for ------------------------------------------------------------------------------


def test_an_empty_cell_draws_by_whom_it_is_about_however_that_is_said():
    server = served("add_noise", noisy_zeros=True, parameters={"noise": {5: 0.5, 7: 0.5}})
    plain = server.tabulate("age,trade")
    for dims, where in ((("trade", "age"), None), (("age", "trade", "band"), None)):
        other = server.tabulate(dims, where)
        seen = other.table.where(other.table > 0).max("band") if "band" in dims else other.table
        assert (seen.transpose("age", "trade") == plain.table).all()
    assert {5, 7} <= set(plain.table.values[plain.original.values == 0])
    for label in "abcde":
        by_filter = server.tabulate("age", {"trade": label}).table
        assert (by_filter == plain.table.sel(trade=label)).all()
    some = server.tabulate("trade", {"age": list("0123")}).table
    assert (some == server.tabulate("band,trade").table.sel(band="young")).all()
    assert (server.tabulate("trade", {"age": list("01234567")}).table == server.tabulate("trade").table).all()


def test_the_price_of_noise_on_zeros_and_that_there_is_none_without():
    """Refining by dims that do not split the people: occupied cells repeat, empty ones are drawn anew (issue 33)."""
    found = {}
    for noisy in (False, True):
        server = served("add_noise", noisy_zeros=noisy, parameters={"noise": NOISE, "floor": True})
        coarse = server.tabulate("age,region")
        fine = {dim: server.tabulate(["age", "region", dim]) for dim in ("trade",)}
        repeats = np.zeros(coarse.table.shape, dtype=bool)
        for dim, answer in fine.items():
            shown = answer.table.where(answer.table != 0)
            repeats |= ((shown == coarse.table) | (coarse.table == 0)).any(dim).transpose(*coarse.table.dims).values
        empty = (coarse.original == 0).values
        found[noisy] = int((~repeats & empty).sum())
    assert found[False] == 0
    assert found[True] > 0


def test_a_cube_that_is_protected_beforehand_can_have_noise_on_zeros():
    server = served("add_noise", noisy_zeros=True, when="before", parameters={"noise": {5: 1.0}})
    table = server.tabulate("age,region,trade").table
    assert (table == server.tabulate("age,region,trade").original + 5).all()
    xr.testing.assert_equal(server.tabulate("age,region").table, table.sum("trade"))


# --- structural zeros ---------------------------------------------------------------------------------------------------


def test_impossible_combinations_are_published_as_0_and_everybody_knows_it():
    data = records(2000)
    data = data[~((data["band"] == "young") & data["trade"].isin(["a", "b"]))]
    impossible = [{"band": "young", "trade": ["a", "b"]}]
    options = {"noisy_zeros": True, "parameters": {"noise": {5: 0.5, 7: 0.5}}, "impossible": impossible}
    server = served("add_noise", data, **options)
    young = list("0123")
    answer = server.tabulate("age,trade")
    assert (answer.table.sel(age=young, trade=["a", "b"]) == 0).all()
    assert int((answer.table == 0).sum()) == 8
    assert (server.tabulate("band,trade").table.sel(band="young", trade=["a", "b"]) == 0).all()
    assert (server.tabulate("region", {"age": "2", "trade": "a"}).withheld == 0).all()
    assert (server.tabulate("region", {"trade": "a"}).table > 0).all()
    both = server.tabulate("age,band,region").table  # a dim and its level: most labels never meet
    assert int((both > 0).sum()) == int((both.max("band") > 0).sum())
    release = answer.release()
    cells = fw.bounds(release)
    assert len(cells) == answer.table.size - 8
    assert (cells["lower"] <= answer.original.to_series().loc[cells.index]).all()
    before = served("add_noise", data, when="before", **options)
    assert (before.tabulate("age,trade,region").table.sel(age=young, trade=["a", "b"]) == 0).all()


def test_cells_that_nobody_can_be_in_do_not_make_small_ones_rare():
    data = pd.DataFrame({"a": list("xxyy"), "b": list("pqpp"), "count": [1, 1, 1, 0]})
    rules = fw.server.ServerRules(max_small_share=0.8)
    plain, told = (
        fw.server.TableServer(data, rules=rules, impossible=impossible, seed=1).tabulate("a,b")
        for impossible in (None, [{"a": "y", "b": "q"}])
    )
    assert (plain.released, told.released) == (True, False)
    assert "100% of its 3 figures are 1 to 2" in told.reason


def test_children_are_children_without_a_job_where_children_can_have_none():
    """The same empty group has the same draw with and without what everybody knows of it."""
    random = np.random.default_rng(4)
    frame = pd.DataFrame(
        {"region": random.choice(list("NESW"), 60), "age": random.choice(["child", "adult", "old"], 60)}
    )
    frame["job"] = np.where(frame.age == "child", "none", random.choice(["none", "farm", "trade"], 60))
    frame = frame[~((frame.region == "N") & (frame.age == "child"))]
    labels = {"region": list("NESW"), "age": ["child", "adult", "old"], "job": ["none", "farm", "trade"]}
    impossible = [{"age": "child", "job": "farm"}, {"job": "trade", "age": "child"}]
    alike = []
    for declared in (impossible, None):
        same = 0
        for seed in range(30):
            server = fw.server.TableServer(
                frame, mechanism="add_noise", parameters={"noise": dict.fromkeys(range(1, 21), 0.05)}, noisy_zeros=True,
                seed=seed, labels=labels, impossible=declared, rules=fw.server.ServerRules(max_filters=2),
            )  # fmt: skip
            children = server.tabulate("region", {"age": "child"}).table
            jobless = server.tabulate("region,job", {"age": "child"}).table
            assert (children == server.tabulate("region", {"age": "child", "job": "none"}).table).all() or not declared
            same += int(children.sel(region="N") == jobless.sel(region="N", job="none"))
            np.testing.assert_array_equal(  # occupied cells have the keys of their people, declared or not
                children.sel(region=list("ESW")), jobless.sel(region=list("ESW"), job="none")
            )
        alike.append(same)
    assert alike[0] == 30
    assert alike[1] < 8
