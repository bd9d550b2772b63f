"""Totals: the same figure wherever it is asked for, or sums of what is shown."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pandas as pd
import pytest

import fiberwalk as fw

DIMS = ("sex", "age", "region")
METHODS = {
    "random_round": {"base": 3},
    "add_noise": {"noise": {-1: 0.25, 0: 0.5, 1: 0.25}},
    "perturb": {"matrix": [[1, 0, 0], [0.3, 0.4, 0.3], [0, 0.4, 0.6]]},
    "round_to": {"base": 5},
    "round_lattice": {"base": 3},
    None: None,
}


def served(method="random_round", n=160, **options):
    random = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "sex": random.choice(["f", "m"], n),
            "age": random.choice(["0-29", "30-59", "60+"], n),
            "region": random.choice(list("NESW"), n, p=[0.6, 0.2, 0.15, 0.05]),
        }
    )
    return fw.server.TableServer(frame, mechanism=method, parameters=METHODS[method], seed=5, **options)


@pytest.mark.parametrize("method", METHODS)
def test_a_consistent_total_is_the_figure_of_the_table_without_the_dim(method):
    server = served(method)
    table = server.tabulate(DIMS, totals="consistent").table
    for number in (1, 2, 3):
        for shown in itertools.combinations(DIMS, number):
            cut = table.sel({dim: "Total" for dim in DIMS if dim not in shown})
            cut = cut.isel({dim: slice(-1) for dim in shown})
            np.testing.assert_array_equal(cut, server.tabulate(shown).table)
    assert table.sizes == {"sex": 3, "age": 4, "region": 5}


@pytest.mark.parametrize("method", METHODS)
def test_added_totals_add_up(method):
    server = served(method)
    plain, table = server.tabulate("age,sex").table, server.tabulate("age,sex", totals="added").table
    np.testing.assert_array_equal(table[:-1, :-1], plain)
    np.testing.assert_array_equal(table.sel(age="Total")[:-1], plain.sum("age"))
    np.testing.assert_array_equal(table.sel(sex="Total")[:-1], plain.sum("sex"))
    assert table.sel(age="Total", sex="Total") == plain.sum()
    assert table.dtype == np.int64


def test_the_two_kinds_of_totals_differ():
    server = served()
    consistent, added = (server.tabulate(DIMS, totals=way).table for way in ("consistent", "added"))
    assert (consistent != added).any()
    np.testing.assert_array_equal(consistent[:-1, :-1, :-1], added[:-1, :-1, :-1])


def test_a_view_has_totals_of_everybody_or_of_what_it_shows():
    server = served()
    whole = server.tabulate("age,sex", totals="consistent").table
    answer = server.tabulate("age,sex", {"age": ["0-29", "60+"]}, totals="consistent")
    np.testing.assert_array_equal(answer.table, whole.sel(age=["0-29", "60+", "Total"]))
    assert answer.notice == "totals are about all labels of age"
    added = server.tabulate("age,sex", {"age": ["0-29", "60+"]}, totals="added").table
    np.testing.assert_array_equal(added.sel(age="Total"), added.sel(age=["0-29", "60+"]).sum("age"))


def test_a_total_that_the_rules_refuse_by_itself_is_withheld():
    """An area may be just large enough in one table, and just not in the other: each is decided on its own figures."""
    left_out = withheld = 0
    for fewest in range(6, 40):
        server = served(rules=fw.server.ServerRules(areas="region", min_population=fewest))
        table = server.tabulate("sex,region", totals="consistent").table
        alone = server.tabulate("region").table
        left_out += table.sizes["region"] < 5
        for label in table.region.values[:-1]:
            total = table.sel(sex="Total", region=label)
            if label in alone.region.values:
                assert total == alone.sel(region=label)
            else:
                withheld += 1
                assert np.isnan(total)
    assert left_out
    assert withheld


@pytest.mark.parametrize("method", [name for name in METHODS if name])
@pytest.mark.parametrize("filters", [{}, {"region": "N"}, {"age": ["0-29", "60+"]}])
def test_the_release_tells_what_is_shown(method, filters):
    """Its figures are those of the answer, totals too, and the truth agrees with it."""
    server = served(method)
    answer = server.tabulate("age,sex", filters, totals="consistent")
    release = answer.release()
    bounds = fw.bounds(release)
    about = {dim: labels for dim, labels in filters.items() if dim not in ("age", "sex")}
    true = server.tabulate("age,sex", about).original.transpose(*bounds.index.names).to_series()
    for cell, row in bounds.iterrows():
        assert row["lower"] <= true[cell] <= row["upper"]
    if method in ("random_round", "add_noise", "perturb"):
        order = [dim.name for dim in release.dims]
        table = server.tabulate(order, about, totals="consistent").table
        for key, figure in release.sum_figures.items():
            labels = {dim.name: dim.node_labels[node] for dim, node in zip(release.dims, key, strict=True)}
            assert int(table.sel(labels)) == figure
        assert len(release.sum_figures) == 3 + 2 + 1


def test_totals_are_public_and_written(tmp_path):
    public = served().tabulate("age,sex", totals="added").public()
    frame = public.to_frame()
    assert len(frame) == 12
    assert frame[(frame.age == "Total") & (frame.sex == "Total")]["count"].item() == public.table[-1, -1]
    assert public.request.words == "age x sex, with totals added up"


def test_what_makes_no_sense_is_refused():
    with pytest.raises(fw.InputError, match=re.escape("totals='all': 'consistent' or 'added', or None.")):
        served().tabulate("sex", totals="all")
