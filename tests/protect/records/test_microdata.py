"""Microdata, one row a person, are the same to a method as the table that they count up to."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import fiberwalk as fw

METHODS = {
    "pram": lambda given, **more: fw.protect.pram(given, "sex", stay=0.7, seed=3, **more),
    "local_suppress": lambda given, **more: fw.protect.local_suppress(given, "sex", rate=0.4, seed=3, **more),
}


@pytest.fixture
def people() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame({
        "sex": rng.choice(["f", "m"], 40), "area": rng.choice(["N", "S", "W"], 40), "income": rng.normal(size=40)
    })  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_people_are_counted_by_the_columns_that_are_dims(people, method):
    counts = pd.crosstab(people["sex"], people["area"])
    by_people, by_counts = METHODS[method](people, columns="sex,area"), METHODS[method](counts)
    assert by_people.truth.tolist() == by_counts.truth.tolist() == counts.to_numpy().ravel().tolist()
    assert by_people.published.equals(by_counts.published)
    assert by_people.likelihood == by_counts.likelihood


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ("sex,region", r"\(\): the microdata have no column 'region'"),
        ([], r"\(columns=\) are dims of the table; name at least one"),
        (7, r"\(columns=7\): the columns that are dims of the table, as 'region,age' or a list"),
    ],
)
def test_columns_that_make_no_sense_are_refused(people, method, columns, words):
    with pytest.raises(fw.InputError, match=method + words):
        METHODS[method](people, columns=columns)


@pytest.mark.parametrize("method", METHODS)
def test_microdata_are_a_frame_without_counts(people, method):
    with pytest.raises(
        fw.InputError, match=method + r"\(columns=\) is of microdata: a DataFrame with one row a person"
    ):
        METHODS[method]([[1, 2], [3, 4]], columns="sex,area")
    with pytest.raises(fw.InputError, match="is of microdata, one row a person: leave out count="):
        METHODS[method](people, columns="sex,area", count="income")
