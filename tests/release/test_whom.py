"""Releases about a part of the people: linked with others, they are completed or refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import fiberwalk as fw


@pytest.fixture
def people() -> pd.DataFrame:
    random = np.random.default_rng(0)
    return pd.DataFrame(
        {name: random.choice(labels, 58) for name, labels in
         (("sex", ["f", "m"]), ("band", ["a", "b"]), ("region", ["N", "S", "T"]))}
    )  # fmt: skip


def server(people: pd.DataFrame, **method: object) -> fw.server.TableServer:
    rules = fw.server.ServerRules(min_population=None, max_small_share=None, max_labels=2)
    return fw.server.TableServer(people, seed=3, rules=rules, **method)


def true_counts(people: pd.DataFrame, both: fw.Release) -> np.ndarray:
    """The truth of a crossed table, in the order of its cells."""
    found = []
    named = {label for dim in both.dims if dim.name == "region" for label in dim.labels}
    for key in both.keys:
        inside = np.ones(len(people), dtype=bool)
        for dim, node in zip(both.dims, key, strict=True):
            label = dim.node_labels[node]
            there = people[dim.name] == label
            if label == "all others":
                there = ~people[dim.name].isin(named)
            inside &= there.to_numpy()
        found.append(int(inside.sum()))
    return np.array(found)


@pytest.mark.parametrize(
    "method",
    [
        {},
        {"mechanism": "random_round", "parameters": {"base": 5}},
        {"mechanism": "add_noise", "parameters": {"noise": fw.protect.geometric_noise(1.0)}},
    ],
    ids=["as it is", "rounded", "noise"],
)
def test_answers_with_and_without_a_filter(people: pd.DataFrame, method: dict) -> None:
    """Figures of 58 and of 20 people are no two readings of one cell: the truth stays possible, whatever is linked."""
    ask = server(people, **method)
    requests = [
        ("sex,band", None),
        ("sex,band", {"region": "N"}),
        ("sex", {"region": ["N", "S"]}),
        ("sex,region", {"region": ["S", "N"]}),
    ]
    releases = [ask.tabulate(dims, where).release() for dims, where in requests]
    assert [one.about for one in releases[:2]] == [(), (("region", ("N",)),)]
    both = fw.linked(releases, full=True)
    (region,) = (dim for dim in both.dims if dim.name == "region")
    assert region.labels == ("N", "S", "all others")
    truth = true_counts(people, both)
    sums = both.sums.matrix @ truth
    assert (both.sums.lower <= sums).all()
    assert (sums <= both.sums.upper).all()
    for item in both.evidence:
        value = int(truth[item.cells] @ item.coefficients) - item.first
        assert 0 <= value < len(item.log_weights)
        assert item.log_weights[value] > -np.inf
    bounds = fw.bounds(both)
    assert (bounds["lower"].to_numpy() <= truth[both.hidden]).all()
    assert (truth[both.hidden] <= bounds["upper"].to_numpy()).all()


def test_tables_that_show_the_dim_need_no_others(people: pd.DataFrame) -> None:
    ask = server(people, mechanism="random_round", parameters={"base": 3})
    whole, part = ask.tabulate("sex,region").release(), ask.tabulate("sex,band", {"region": "N"}).release()
    both = fw.linked([whole, part], full=True)
    (region,) = (dim for dim in both.dims if dim.name == "region")
    assert region.labels == ("N", "S", "T")


def test_side_by_side_they_are_refused(people: pd.DataFrame) -> None:
    ask = server(people, mechanism="random_round", parameters={"base": 3})
    releases = [ask.tabulate("sex,band", where).release() for where in (None, {"region": "N"})]
    with pytest.raises(fw.InputError, match=r"one is about region=N only.*full=True"):
        fw.linked(releases)
    same = [ask.tabulate(dims, {"region": "N"}).release() for dims in ("sex,band", "sex")]
    assert fw.linked(same).about == (("region", ("N",)),)


def test_what_is_written_says_who_is_meant(people: pd.DataFrame, tmp_path) -> None:
    """Linked with another, a file that was read again is refused and not taken for everybody."""
    ask = server(people, mechanism="random_round", parameters={"base": 3})
    part = ask.tabulate("sex,band", {"region": ["N", "S"]}).release()
    part.to_file(tmp_path / "part.csv")
    written = (tmp_path / "part.csv").read_text().splitlines()
    assert written[0] == "sex,band,region,value,status"
    assert all(line.split(",")[2] == "N or S" for line in written[1:])
    again = fw.read_release(tmp_path / "part.csv", perturbed=True)
    assert [dim.name for dim in again.dims] == ["sex", "band", "region"]
    assert "about region=N or S only" in part._repr_html_()


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("N", "a dict of dim to label"),
        ({}, "a dict of dim to label"),
        ({"region": []}, "is about nobody"),
        ({"A": "1"}, "the table shows A=2, so that it is not only about A=1"),
    ],
)
def test_whom_in_words(where: object, words: str) -> None:
    with pytest.raises(fw.InputError, match=words):
        fw.publish([7, 5], margins=["A"]).restricted_to(where)


def test_a_label_that_another_table_does_not_have() -> None:
    shows = fw.publish(pd.Series([3, 4], index=pd.Index(["S", "T"], name="region")), margins=["region"])
    part = fw.publish([1, 2], margins=["A"]).restricted_to({"region": "N"})
    with pytest.raises(fw.InputError, match="one is about region=N, and another shows the dim 'region' without"):
        fw.linked([shows, part], full=True)
