"""Crosstabs as pandas prints them become releases."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import fiberwalk as fw


def test_a_crosstab_with_margins_and_missing_cells():
    people = pd.DataFrame({"sex": list("ffmmmff"), "age": list("yoyyoyo"), "city": list("pqpqppq")})
    plain = pd.crosstab(people["sex"], people["age"], margins=True).astype(float)
    plain.loc["f", "o"] = plain.loc["m", "o"] = plain.loc["f", "y"] = plain.loc["m", "y"] = np.nan
    release = fw.from_crosstab(plain)
    assert [dim.name for dim in release.dims] == ["sex", "age"]
    assert fw.count(release) == 4
    several = pd.crosstab(people["sex"], [people["age"], people["city"]], margins=True, dropna=False)
    assert len(fw.from_crosstab(several).dims) == 3
    with pytest.raises(fw.InputError, match="needs a DataFrame"):
        fw.from_crosstab([[1, 2]])
    wrong = plain.copy()
    wrong.loc["All", "All"] = 99
    wrong = wrong.fillna(1)
    with pytest.raises(fw.InputError, match="the crosstab, row .*but its cells sum to"):
        fw.from_crosstab(wrong)


def test_crosstabs_with_unclear_names():
    frame = pd.DataFrame([[1, 2, 3], [3, 4, 7], [4, 6, 10]], index=["a", "b", "All"], columns=["x", "y", "All"])
    with pytest.raises(fw.InputError, match="two dims of the crosstab are called 'q'"):
        fw.from_crosstab(frame.rename_axis(index="q", columns="q"))
    with pytest.raises(fw.InputError, match="has no margin called 'All'; say what its margins are called"):
        fw.from_crosstab(frame.rename(index={"All": "Sum"}, columns={"All": "Sum"}))
    with pytest.raises(fw.InputError, match="if its totals are called so, say total='Total'"):
        fw.from_crosstab(frame.rename(index={"All": "Total"}, columns={"All": "Total"}))
