"""Rules about the number of contributors and the two largest of them, held to the same rules of all contributions."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import examples

import fiberwalk as fw

rules = fw.protect.sensitivity
FEW, SHARE = 2, 90


@st.composite
def firms(draw):
    amounts = st.lists(st.sampled_from([0, 1, 2, 5, 10, 20, 100]), max_size=5)
    cells = list(itertools.product("abc", "xy"))
    rows = [(*cell, amount) for cell in cells for amount in (*draw(amounts), 0)]
    return pd.DataFrame(rows, columns=["town", "kind", "turnover"])


@given(firms(), st.sampled_from([1, 5, 10, 50]), st.sampled_from([50, 100]), st.booleans())
@examples(200)
def test_cells_and_totals_are_sensitive_as_all_their_contributions_say(records, p, q, follows):
    behind = rules.contributions_of(records, ["town", "kind"], "turnover")
    if follows:  # of one and of two contributors the second largest need not be told
        behind["second"] = behind["second"].where(behind["contributors"] > 2)
    asked = dict(fewer_than=FEW, dominance=SHARE, p_percent=p, prior_posterior=(p, q))
    cells = rules.sensitive_magnitudes(*(behind[name] for name in ("data", "contributors", "largest")),
                                       second=behind["second"], **asked)  # fmt: skip
    table = fw.table(**behind)
    assert rules.sensitive_magnitudes(table, **asked).equals(cells)
    totals = rules.sensitive_totals(table, **asked)
    for town, kind in itertools.product([*"abc", "Total"], [*"xy", "Total"]):
        part = records[records["town"].isin([town] if town != "Total" else list("abc"))]
        part = part[part["kind"].isin([kind] if kind != "Total" else list("xy"))]
        each = part["turnover"].to_numpy()
        expected = (
            rules.threshold(each, FEW)
            or rules.dominance(each, 1, SHARE)
            or rules.p_percent(each, p)
            or rules.prior_posterior(each, p, q)
        )
        if "Total" in (town, kind):
            assert ((town, kind) in totals.index) == expected
        else:
            assert bool(cells.sel(town=town, kind=kind)) == expected


def test_at_the_limit_is_not_within_whatever_floats_say():
    """0.3 - 0.2 is a little less than 0.1."""
    found = rules.sensitive_magnitudes([0.3, 0.29], [3, 3], [0.2, 0.2], second=[0, 0], dominance=100, p_percent=50)
    assert found.values.tolist() == [False, True]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (dict(second=None), "The p% and the pq rule need largest= and second="),
        (dict(largest=None), "The p% and the pq rule need largest= and second="),
        (
            dict(second=[np.nan, 4]),
            "cell A=1 has more than two contributors, and its second largest contribution is not told",
        ),
        (dict(second=[1, 6]), "cell A=2 has a second largest contribution that is greater than its largest"),
        (dict(second=[5, 4], table=[12, 8]), "cell A=2 is less than its two largest contributions together"),
        (dict(p_percent=0), "p_percent=0: a percentage above 0"),
        (dict(prior_posterior=10), "prior_posterior=10: two percentages p and q, 0 < p <= q <= 100"),
        (dict(prior_posterior=(20, 10)), r"prior_posterior=\(20, 10\): two percentages"),
    ],
)
def test_what_the_rules_cannot_be_asked_of(given, words):
    stated = dict(table=[12, 10], contributors=[4, 3], largest=[6, 5], second=[5, 4], p_percent=10) | given
    with pytest.raises(fw.InputError, match=words):
        rules.sensitive_magnitudes(stated.pop("table"), **stated)
