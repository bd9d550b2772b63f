"""Levels of one dim: only those that are nested are offered together."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import fiberwalk as fw

AGES = [str(age) for age in range(20, 40)]
TENS = {"20s": AGES[:10], "30s": AGES[10:]}
SHIFTED = {"20-24": AGES[:5], "25-34": AGES[5:15], "35-39": AGES[15:]}
FIVES = {"20-24": AGES[:5], "25-29": AGES[5:10], "30-34": AGES[10:15], "35-39": AGES[15:]}
WORDS = "are levels of 'age' that cross: neither is nested in the other, so that tables by both tell of smaller groups"


def records(**levels):
    random = np.random.default_rng(4)
    ages = random.choice(AGES, 400)
    data = {"age": ages, "sex": random.choice(["f", "m"], 400)}
    for name, groups in levels.items():
        of = {age: label for label, those in groups.items() for age in those}
        data[name] = [of[age] for age in ages]
    return pd.DataFrame(data)


def served(data, **options):
    return fw.server.TableServer(data, seed=1, mechanism="random_round", **options)


def test_bands_that_begin_in_different_years_are_refused_however_they_come():
    cube = records().groupby(["age", "sex"]).size().to_xarray().fillna(0).astype(int)
    for data, options in (
        (records(tens=TENS, shifted=SHIFTED), {}),
        (records(tens=TENS, shifted=SHIFTED), {"hierarchies": {"age": ["tens", "shifted"]}}),
        (cube.assign_coords(tens=("age", ["20s"] * 10 + ["30s"] * 10),
                            shifted=("age", ["a"] * 5 + ["b"] * 10 + ["c"] * 5)),
         {"hierarchies": {"age": ["tens", "shifted"]}}),
    ):  # fmt: skip
        with pytest.raises(fw.InputError, match=f"'tens' and 'shifted' {WORDS}"):
            served(data, **options)
        one = served(data, rules=fw.server.ServerRules(dims=["age", "sex", "tens"]), **options)
        assert list(one.offered) in (["age", "sex", "tens"], ["sex", "age", "tens"])
        with pytest.raises(fw.InputError, match="there is no dim 'shifted'"):
            one.tabulate("shifted")
        both = served(data, crossing=True, **options)
        assert both.tabulate("tens,shifted").released


def test_nested_levels_are_offered():
    server = served(records(fives=FIVES, tens=TENS))
    assert set(server.offered) == {"age", "sex", "fives", "tens"}
    assert served(records(fives=FIVES, shifted=SHIFTED)).tabulate("fives,sex").released


def test_what_follows_by_chance_among_a_few_people_is_no_crossing():
    few = pd.DataFrame({"age": list("123"), "sex": list("ffm"), "town": list("xyx")})
    assert set(served(few).offered) == {"age", "sex", "town"}


def test_a_level_is_the_same_people_as_their_ages():
    server = served(records(tens=TENS), rules=fw.server.ServerRules(max_labels=None))
    by_level = server.tabulate("sex", {"tens": "20s"}).table
    xr.testing.assert_equal(by_level, server.tabulate("sex", {"age": TENS["20s"]}).table)
    xr.testing.assert_equal(by_level, server.tabulate("sex,tens").table.sel(tens="20s", drop=True))
