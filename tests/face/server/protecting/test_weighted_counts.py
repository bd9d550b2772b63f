"""Weighted counts: how many people of the population stand behind a cell, changed as its count is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import fiberwalk as fw


def sample(n=300, seed=1):
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "sex": random.choice(["f", "m"], n),
            "age": random.choice(["0-29", "30-59", "60-74", "75+"], n, p=[0.5, 0.3, 0.18, 0.02]),
            "weight": random.uniform(2, 50, n).round(3),
        }
    )


def served(base=3, weighted_base=10, seed=7, data=None, **options):
    return fw.server.TableServer(
        sample() if data is None else data, mechanism="random_round", parameters={"base": base}, seed=seed,
        sampling_weights="weight", weighted_base=weighted_base, **options,
    )  # fmt: skip


def test_a_weighted_count_is_the_published_count_at_the_mean_weight():
    frame = sample()
    answer = served().tabulate("sex,age")
    plain = fw.server.TableServer(
        frame.drop(columns="weight"), mechanism="random_round", parameters={"base": 3}, seed=7
    ).tabulate("sex,age")
    mean = frame.pivot_table("weight", "sex", "age", "mean", fill_value=0)
    np.testing.assert_array_equal(answer.table, np.rint(plain.table * mean / 10) * 10)
    assert answer.table.dtype == np.int64
    assert answer.public().shows == "weighted count"
    sums = frame.pivot_table("weight", "sex", "age", "sum", fill_value=0)
    np.testing.assert_allclose(answer.original, sums, atol=1e-3)


def test_the_order_of_people_changes_nothing():
    frame = sample(5000)
    tables = [
        served(weighted_base=1, data=data).tabulate("sex,age").table
        for data in (frame, frame.sample(frac=1, random_state=1), frame[::-1])
    ]
    for table in tables[1:]:
        np.testing.assert_array_equal(tables[0], table)


def test_few_people_are_withheld_by_their_published_count():
    plain = fw.server.TableServer(
        sample().drop(columns="weight"), mechanism="random_round", parameters={"base": 3}, seed=7
    )
    counts = plain.tabulate("sex,age").table
    answer = served(rules=fw.server.ServerRules(min_contributors=9)).tabulate("sex,age")
    np.testing.assert_array_equal(np.isnan(answer.table), (counts > 0) & (counts < 9))
    assert np.isnan(answer.table).any()


@pytest.mark.parametrize("seed", range(4))
def test_the_release_holds_the_number_of_people_who_were_asked(seed):
    server = served(seed=seed, data=sample(60, seed), rules=fw.server.ServerRules(min_contributors=6))
    answer = server.tabulate("sex,age")
    bounds = fw.bounds(answer.release())
    people = answer.tables.made.counted.counts.ravel()
    names = [dim.name for dim in answer.tables.dims]
    assert list(bounds.index.names) == names
    by_label = dict(
        zip([(s, a) for s in server.offered[names[0]] for a in server.offered[names[1]]], people, strict=True)
    )
    for cell, row in bounds.iterrows():
        assert row["lower"] <= by_label[cell] <= row["upper"]
        assert row["lower"] >= 1 or by_label[cell] <= 3


def test_what_makes_no_sense_is_refused():
    with pytest.raises(fw.InputError, match="weighted_base= shows weighted counts: say which weights people have"):
        fw.server.TableServer(sample(), weighted_base=10, columns=["sex", "age"])
    with pytest.raises(
        fw.InputError, match="sampling_weights= is about data that are a sample: it goes with risk='sample'"
    ):
        fw.server.TableServer(sample(), sampling_weights="weight")
    with pytest.raises(
        fw.InputError, match="weighted_base= goes with tables that are protected after they were counted"
    ):
        served(when="before")
    with pytest.raises(fw.InputError, match="weighted_base"):
        served(weighted_base=0)
