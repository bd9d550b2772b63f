"""Which cells and totals are sensitive, from records: holdings, weights, waivers and requests; figure by figure."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import examples
from support.naive.sensitive_figures import seen_of_figures

import fiberwalk as fw
from fiberwalk.protect.withholding import sensitive_figures

rules = fw.protect.sensitivity

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


@st.composite
def firms(draw):
    """Records whose amounts add up without rounding, under an index that says nothing."""
    rows = st.tuples(
        st.sampled_from("abcd"), st.sampled_from("sl"), st.sampled_from([1, 9, 10, 2]), st.sampled_from([0, 1, 2.5, 40]),
        st.sampled_from([1, 1, 2.25, 4]), st.booleans(), st.booleans(),
    )  # fmt: skip
    told = draw(st.lists(rows, max_size=25)) + [(town, size, 1, 0, 1, False, False) for town in "abcd" for size in "sl"]
    return pd.DataFrame(told, columns=list(FIRMS), index=np.arange(len(told)) % 5)


@given(
    firms(), st.sampled_from(range(4)), st.lists(st.booleans(), min_size=4, max_size=4), st.sampled_from([1, 7, 1000])
)
@examples(200)
def test_every_figure_is_as_it_is_by_itself(records, rule, columns, at_once):
    rule = [
        few,
        lambda c: rules.p_percent(c, 10),
        lambda c: rules.dominance(c, 1, 60),
        lambda c: c[0] > c[-1],  # in the order of their names
    ][rule]
    named = dict(holding="owner", sampling_weights="weight", waived="agrees", requested="asks")
    asked = {name: column for (name, column), is_asked in zip(named.items(), columns, strict=True) if is_asked}
    labels = {
        "town": {**{town: [town] for town in "abcd"}, "west": ["a", "b"], "Total": list("abcd")},
        "size": {"s": ["s"], "l": ["l"], "Total": ["s", "l"]},
    }
    expected = seen_of_figures(records, labels, "turnover", rule, **asked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sensitive_figures, "MOST_AT_ONCE", at_once)
        frame = rules.sensitive_figures(
            records, ["town", "size"], "turnover", rule, hierarchies={"town": {"west": ["a", "b"]}}, **asked
        )
    assert {key: tuple(row) for key, row in zip(frame.index, frame.itertuples(index=False), strict=True)} == expected


def test_whoever_is_alone_is_named():
    frame = rules.sensitive_figures(FIRMS, ["town", "size"], "turnover", few, holding="owner")
    assert frame.loc[("a", "l"), "alone"] == "y"
    assert frame.loc[("a", "Total"), "alone"] == ""


def test_weights_stand_for_so_many_at_the_most():
    with pytest.raises(fw.InputError, match="weights stand for more than 1,000,000 contributions to one figure"):
        rules.sensitive_figures(FIRMS.assign(weight=4e5), ["town"], "turnover", few, sampling_weights="weight")


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
    for words, parts in {
        "there is no column 'twon'; did you mean 'town'": (FIRMS, ["twon"], "turnover", few),
        "needs a DataFrame with one row": ([1, 2], ["town"], "turnover", few),
        "must hold numbers of at least 0": (FIRMS.assign(turnover=-1), ["town"], "turnover", few),
    }.items():
        with pytest.raises(fw.InputError, match=words):
            of(*parts)
    with pytest.raises(fw.InputError, match="there is no column 'holder'"):
        of(FIRMS, ["town"], "turnover", few, holding="holder")
