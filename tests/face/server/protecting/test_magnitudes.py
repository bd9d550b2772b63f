"""Sums and means of magnitudes: every value is changed once, by its key, and a few people are never shown."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import fiberwalk as fw
from fiberwalk.server.cube.magnitudes import Magnitude, factors_of

DIMS = ["sex", "age", "region"]
ROUNDING = {"mechanism": "random_round", "parameters": {"base": 3}, "seed": 11}


def people(n=400, seed=1):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "sex": random.choice(["f", "m"], n),
            "age": random.choice(["0-29", "30-59", "60+"], n),
            "region": random.choice(list("NESW"), n),
            "income": random.lognormal(10, 1, n).round(2),
            "weight": random.uniform(2, 50, n).round(3),
        }
    )
    return frame.join(fw.server.record_keys(frame, seed=4))


def served(frame=None, **options):
    frame = people() if frame is None else frame
    options = {**ROUNDING, "columns": DIMS, "summed": {"income": fw.server.Magnitude(step=1)}, **options}
    return fw.server.TableServer(frame, **options)


def test_factors_have_their_law_and_follow_from_keys():
    magnitude = Magnitude(changed_by=(0.1, 0.25))
    keys = np.random.default_rng(2).integers(0, 2**64, 100_000, dtype=np.uint64)
    factors = factors_of(magnitude, keys, "income", 7)
    share = np.abs(factors - 1)
    assert share.min() >= 0.1
    assert share.max() <= 0.25
    fall = stats.triang(c=0, loc=0.1, scale=0.15)
    assert stats.kstest(share, fall.cdf).pvalue > 1e-6
    assert stats.binomtest(int((factors > 1).sum()), len(factors)).pvalue > 1e-6
    assert stats.pearsonr(factors, factors_of(magnitude, keys, "wealth", 7)).pvalue > 1e-6
    np.testing.assert_array_equal(factors[::-1], factors_of(magnitude, keys[::-1], "income", 7))
    wrong = stats.uniform(0.1, 0.15)
    assert stats.kstest(share, wrong.cdf).pvalue < 1e-6


def test_every_sum_is_one_of_the_same_changed_values():
    """In any order of rows, dims and filters; and no comparison of tables gives more than they are."""
    frame = people()
    server = served(frame)
    again = served(frame.sample(frac=1, random_state=3))
    whole = server.tabulate("sex,age,region", sum_of="income").table
    for table in (
        again.tabulate("sex,age,region", sum_of="income").table,
        server.tabulate("region,sex,age", sum_of="income").table.transpose("sex", "age", "region"),
    ):
        np.testing.assert_array_equal(whole, table)
    women = server.tabulate("age,region", {"sex": "f"}, sum_of="income").table
    np.testing.assert_array_equal(women, whole.sel(sex="f"))
    keys = frame["record_key_high"].to_numpy(np.uint64) << np.uint64(32) | frame["record_key_low"].to_numpy(np.uint64)
    changed = frame.assign(y=frame["income"] * factors_of(Magnitude(), keys, "income", ROUNDING["seed"]))
    sums = changed.groupby(DIMS)["y"].sum()
    for labels, figure in whole.to_series().dropna().items():
        assert figure == pytest.approx(sums[labels], abs=0.6)


def test_a_change_of_one_record_changes_only_sums_that_it_is_in():
    frame = people()
    other = frame.copy()
    other.loc[0, "income"] *= 3
    before, after = (served(data).tabulate("sex,age", sum_of="income").table for data in (frame, other))
    differ = (before != after).values
    assert differ.sum() == 1
    assert bool(before.sel(sex=frame.sex[0], age=frame.age[0]) != after.sel(sex=frame.sex[0], age=frame.age[0]))


def test_figures_of_few_are_withheld_by_what_is_published():
    """A table of counts that is published alike withholds the same figures, whatever the true counts are."""
    rules = fw.server.ServerRules(min_contributors=18)
    server = served(rules=rules)
    counts = server.tabulate("sex,age,region").table
    for asked in ({"sum_of": "income"}, {"mean_of": "income"}):
        answer = server.tabulate("sex,age,region", **asked)
        np.testing.assert_array_equal(np.isnan(answer.table), counts < 18)
        assert answer.notice == "figures are withheld where too few people are counted"
    assert 0 < (counts < 18).values.sum() < counts.size
    assert not np.isnan(answer.original).any()
    without = served().tabulate("sex,age,region", sum_of="income").table
    assert not np.isnan(without).any()


def test_nobody_is_shown_as_a_figure_beside_a_published_count_of_0():
    few = people(30)
    server = served(few)
    counts = server.tabulate("sex,age,region")
    sums = server.tabulate("sex,age,region", sum_of="income").table
    there = (counts.table == 0) & (counts.original > 0)
    assert there.any()
    assert np.isnan(sums.values[there.values]).all()


def test_a_mean_is_the_quotient_of_what_may_be_asked_for():
    server = served(rules=fw.server.ServerRules(min_contributors=3))
    count, total, mean = (
        server.tabulate("sex,age", **asked).table for asked in ({}, {"sum_of": "income"}, {"mean_of": "income"})
    )
    np.testing.assert_allclose(mean, total / count)
    weighted = served(sampling_weights="weight", weighted_base=10)
    count, total, mean = (
        weighted.tabulate("sex,age", **asked).table for asked in ({}, {"sum_of": "income"}, {"mean_of": "income"})
    )
    np.testing.assert_allclose(mean, total / count)
    frame = people()
    true = frame.assign(both=frame.income * frame.weight).pivot_table("both", "sex", "age", "sum")
    np.testing.assert_allclose(total, true, rtol=0.12)


def test_the_release_of_sums_holds_the_truth():
    for seed in range(5):
        server = served(people(120, seed), seed=seed, rules=fw.server.ServerRules(min_contributors=6))
        answer = server.tabulate("sex,age,region", sum_of="income")
        bounds = fw.bounds(answer.release())
        true = answer.original.transpose(*bounds.index.names).values.ravel()
        assert (bounds["lower"] <= np.ceil(true)).all()
        assert (bounds["upper"] >= np.floor(true)).all()
        shown = ~np.isnan(answer.table.transpose(*bounds.index.names).values.ravel())
        assert (bounds["upper"][shown] < 2 * true[shown]).all()


REFUSED = {
    "sum_of='incone': there is no such magnitude; did you mean 'income'?": lambda: served().tabulate(
        "sex", sum_of="incone"
    ),
    "mean_of='age': there is no such magnitude; this server has none (summed=).": lambda: served(summed=None).tabulate(
        "sex", mean_of="age"
    ),
    "sum_of= and mean_of=: a table shows one of them.": lambda: served().tabulate(
        "sex", sum_of="income", mean_of="income"
    ),
    "totals='added': means do not add up; take totals='consistent'.": lambda: served().tabulate(
        "sex", mean_of="income", totals="added"
    ),
    "summed= needs record keys, because the value of a record is changed by its own key: store them with the data "
    "(`fiberwalk keys`, fw.server.record_keys), or name a column of numbers that every record has (keys=).": lambda: (
        served(people().drop(columns=["record_key_high", "record_key_low"]))
    ),
    "summed= belongs to records, one row a person; these data have a column of counts.": lambda: served(
        people().drop(columns=["record_key_high", "record_key_low"]).assign(count=2)
    ),
    "summed= goes with tables that are protected after they were counted, not with before=.": lambda: served(
        when="before"
    ),
    "row 3: 'much' in column 'income' is no number.": lambda: served(
        people().assign(income=lambda frame: frame.income.astype(object).where(frame.index != 2, "much"))
    ),
    "column 'income': its sum is too large to be held exactly; give it in thousands or millions.": lambda: served(
        people().assign(income=1e15)
    ),
    "Magnitude(changed_by=(0.3, 0.1)): the least and largest share by which a value is changed, as (0.1, 0.25).": (
        lambda: fw.server.Magnitude(changed_by=(0.3, 0.1))
    ),
    "Magnitude(step=0): a number above 0; sums are published as multiples of it.": lambda: fw.server.Magnitude(step=0),
    "income has negative values, which cancel, so that a sum says nothing for certain of the true one.": lambda: (
        served(people().assign(income=lambda frame: frame.income - 30_000)).tabulate("sex", sum_of="income").release()
    ),
    "a mean is the published sum divided by the published count: audit the table of sums (sum_of=).": lambda: (
        served().tabulate("sex", mean_of="income").release()
    ),
    "there is no column 'wage';": lambda: served(summed="wage"),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_makes_no_sense_is_refused(words):
    with pytest.raises(fw.InputError, match=re.escape(words)):
        REFUSED[words]()


def test_whoever_compares_all_sums_learns_the_changed_values_and_no_more():
    """The attack: solve for the value of everybody who is alone somewhere. Each is off by the least change or more."""
    frame = people(60, seed=9)
    server = served(frame, rules=fw.server.ServerRules(max_filters=3, max_labels=None), mechanism=None, parameters=None)
    sums = server.tabulate("sex,age,region", sum_of="income").table.to_series()
    alone = frame.groupby(DIMS).filter(lambda group: len(group) == 1).set_index(DIMS)["income"]
    assert len(alone) >= 2
    share = (sums[alone.index] / alone - 1).abs()
    assert share.between(0.1 - 1e-3, 0.25 + 1e-3).all()
    by_difference = server.tabulate("age,region", sum_of="income").table.to_series()
    for (sex, age, region), value in alone.items():
        others = sums.get(("m" if sex == "f" else "f", age, region))
        left = by_difference[age, region] - (0 if np.isnan(others) else others)
        assert abs(left / value - 1) >= 0.1 - 1e-3
