"""Which cells and totals are sensitive, from records: holdings, weights, waivers, requests; held to rules by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import fiberwalk as fw

FIRMS = pd.DataFrame({
    "town": list("aaaabbbb"),
    "size": list("sslsslls"),
    "owner": list("xxyzwwvu"),
    "turnover": [50, 40, 10, 3, 5, 4, 100, 1],
    "weight": [1.0, 1.0, 2.6, 1.0, 1.0, 1.0, 1.0, 3.0],
    "agrees": [False, False, True, False, False, False, True, False],
    "asks": [True, True, False, False, False, False, False, False],
})  # fmt: skip


def few(contributions):
    return fw.protect.sensitivity.threshold(contributions, 3)


def by_hand(records, rule):
    """Every cell and total, its contributions added up by owner."""
    found = {}
    for town, size in itertools.product(["a", "b", "Total"], ["s", "l", "Total"]):
        part = records[(records["town"] == town) | (town == "Total")]
        part = part[(part["size"] == size) | (size == "Total")]
        each = part.groupby("owner")["turnover"].sum()
        if len(each):
            found[town, size] = (part["turnover"].sum(), len(each), each.max(), rule(each.to_numpy()))
    return found


@pytest.mark.parametrize(
    "rule",
    [few, lambda c: fw.protect.sensitivity.p_percent(c, 10), lambda c: fw.protect.sensitivity.dominance(c, 1, 60)],
)
def test_holdings_contribute_as_one(rule):
    frame = fw.protect.sensitivity.sensitive_figures(FIRMS, ["town", "size"], "turnover", rule, holding="owner")
    expected = by_hand(FIRMS, rule)
    assert len(frame) == len(expected)
    for key, (value, contributors, largest, sensitive) in expected.items():
        assert tuple(frame.loc[key][["value", "contributors", "largest", "sensitive"]]) == (
            value,
            contributors,
            largest,
            sensitive,
        )
    assert frame.loc[("a", "l"), "alone"] == "y"
    assert frame.loc[("a", "Total"), "alone"] == ""


def test_weights_waivers_and_requests():
    def of(rule=few, **columns):
        return fw.protect.sensitivity.sensitive_figures(FIRMS, ["town", "size"], "turnover", rule, **columns)

    weighted = of(sampling_weights="weight")
    assert weighted.loc[("a", "l"), "value"] == 26
    assert weighted.loc[("a", "l"), "contributors"] == 3
    assert not weighted.loc[("a", "l"), "sensitive"]
    assert of().loc[("a", "l"), "sensitive"]
    assert not of(waived="agrees").loc[("a", "l"), "sensitive"]
    assert of(waived="agrees").loc[("a", "s"), "sensitive"] == of().loc[("a", "s"), "sensitive"]
    asked = of(lambda c: True, requested="asks")
    assert asked["sensitive"].to_dict() == {
        key: (key[0] in ("a",) and key[1] != "l") or key == ("Total", "s") for key in asked.index
    }
    one = fw.protect.sensitivity.sensitive_figures(FIRMS, "town", "turnover", few, holding="owner")
    assert one["contributors"].tolist() == [3, 3, 6]
    grouped = fw.protect.sensitivity.sensitive_figures(
        FIRMS, ["owner"], "turnover", few, hierarchies={"owner": {"all x to z": ["x", "y", "z"]}}
    )
    assert grouped.loc["all x to z", "contributors"] == 4


def test_from_records_to_a_pattern():
    """Totals that are sensitive are withheld, too, and whoever is alone is kept from the others."""
    random = np.random.default_rng(4)
    records = pd.DataFrame({
        "town": random.choice(list("abcd"), 60), "kind": random.choice(list("xyz"), 60),
        "owner": random.integers(0, 25, 60), "turnover": random.integers(1, 90, 60),
    })  # fmt: skip
    frame = fw.protect.sensitivity.sensitive_figures(records, ["town", "kind"], "turnover", few, holding="owner")
    table = fw.table(records.groupby(["town", "kind"])["turnover"].sum())
    problem = fw.protect.problem(table, where=frame["sensitive"], alone=frame["alone"], percent=10, minimise="counts")
    found = fw.protect.suppression(problem, rounds=2)
    bounds = found.figures
    sensitive = frame.index[frame["sensitive"]]
    assert len(sensitive) > 0
    for key in sensitive:
        value = frame.loc[key, "value"]
        assert bounds.loc[key, "lower"] <= value - np.ceil(value / 10)
        assert bounds.loc[key, "upper"] >= value + np.ceil(value / 10)


def test_what_cannot_be_read_is_said():
    of = fw.protect.sensitivity.sensitive_figures
    for words, given in {
        "there is no column 'twon'; did you mean 'town'": (FIRMS, ["twon"], "turnover", few),
        "needs a DataFrame with one row": ([1, 2], ["town"], "turnover", few),
        "must hold numbers of at least 0": (FIRMS.assign(turnover=-1), ["town"], "turnover", few),
    }.items():
        with pytest.raises(fw.InputError, match=words):
            of(*given)
    with pytest.raises(fw.InputError, match="there is no column 'holder'"):
        of(FIRMS, ["town"], "turnover", few, holding="holder")
