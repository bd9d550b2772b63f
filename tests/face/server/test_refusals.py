"""Refusals tell at most what the refused protected table would have told."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

import fiberwalk as fw
from fiberwalk.server.rules import TOO_THIN

DIMS = ("sex", "age", "region")
LABELS = {"sex": ["f", "m"], "age": ["0-4", "5-9", "10-14"], "region": ["N", "S"]}
THIN = {"min_population": 20, "max_small_share": 0.3, "min_mean_cell": 2.0}


def served(counts, seed=1, rules=None, **options):
    cube = xr.DataArray(counts, dims=DIMS, coords=LABELS)
    rules = fw.server.ServerRules(**(THIN if rules is None else rules))
    chosen = {"mechanism": "random_round", "parameters": {"base": 3}} | options
    return fw.server.TableServer(cube, seed=seed, rules=rules, **chosen)


REQUESTS = [(dims, None) for n in (1, 2, 3) for dims in combinations(DIMS, n)]
REQUESTS += [((dim,), {other: label}) for dim in DIMS for other in DIMS if dim != other for label in LABELS[other]]
counts_of = st.lists(st.integers(0, 12), min_size=12, max_size=12).filter(any).map(lambda c: np.reshape(c, (2, 3, 2)))


@settings(max_examples=12, deadline=None)
@given(counts_of, st.integers(0, 1000))
def test_rules_see_published_figures_alone(counts, seed):
    """By hand, from what would be published: the same verdict."""
    server = served(counts, seed)
    for dims, where in REQUESTS:
        answer = server.tabulate(dims, where)
        shown = (answer.table if answer.released else answer.withheld).values
        fine = shown.sum() >= 20 and ((shown > 0) & (shown <= 3)).mean() <= 0.3 and shown.mean() >= 2
        assert answer.released == fine
        assert answer.notice == ("" if fine else TOO_THIN)


def test_two_truths_that_are_protected_alike_are_answered_alike():
    """All that whoever asked is told of a refusal follows from the protected table, not from the true one."""
    told: dict[bytes, set[tuple[bool, str, str]]] = {}
    truths: dict[bytes, set[bytes]] = {}
    random = np.random.default_rng(2)
    for seed in range(120):
        counts = np.zeros((2, 3, 2), dtype=int)
        counts[:, 0] = random.integers(0, 6, (2, 2))
        answer = served(counts, seed, rules={"max_small_share": 0.5, "min_population": 6}).tabulate("sex,region")
        shown = (answer.table if answer.released else answer.withheld).values.tobytes()
        told.setdefault(shown, set()).add((answer.released, answer.notice, repr(answer)))
        truths.setdefault(shown, set()).add(counts.tobytes())
    assert all(len(words) == 1 for words in told.values())
    assert {released for words in told.values() for released, *_ in words} == {True, False}
    assert sum(len(alike) > 1 for alike in truths.values()) > 10


@settings(max_examples=6, deadline=None)
@given(counts_of, st.data())
def test_a_choice_of_shown_labels_is_a_part_of_the_whole_table(counts, data):
    server = served(counts, max_risk=0.0)
    for dims in combinations(DIMS, 2):
        whole = server.tabulate(dims)
        for _ in range(4):
            chosen = {
                dim: data.draw(st.lists(st.sampled_from(LABELS[dim]), min_size=1, unique=True).map(sorted))
                for dim in dims
            }
            part = server.tabulate(dims, chosen)
            assert (part.released, part.notice, part.reason) == (whole.released, whole.notice, whole.reason)
            if part.released:
                there = {dim: [label for label in LABELS[dim] if label in chosen[dim]] for dim in dims}
                xr.testing.assert_equal(part.table, whole.table.sel(there))
                assert (part.original == whole.original.sel(there)).all()
                assert (part.release().published.transpose(*part.table.dims).values == part.table.values).all()
            else:
                xr.testing.assert_equal(part.withheld, whole.withheld)


def test_a_refused_table_is_audited_as_if_it_had_been_answered():
    counts = np.random.default_rng(3).poisson(2, (2, 3, 2))
    refused, free = (served(counts, rules=rules).tabulate("sex,age", {"region": "N"}) for rules in (THIN, {}))
    assert not refused.released
    assert free.released
    xr.testing.assert_equal(refused.withheld, free.table)
    pd.testing.assert_frame_equal(fw.audit(refused.release()).cells, fw.audit(free.release()).cells)
    by_request = served(counts, rules={"max_dims": 1}).tabulate("sex,age")
    assert by_request.withheld is None
    with pytest.raises(fw.InputError, match="there is no table: it was refused, because the table has 2 dims"):
        by_request.release()


def test_the_true_risk_decides_nothing():
    counts = np.random.default_rng(3).poisson(2, (2, 3, 2))
    for dims, where in REQUESTS:
        free, strict = (served(counts, rules={}, max_risk=risk).tabulate(dims, where) for risk in (None, 0.0))
        xr.testing.assert_equal(free.table, strict.table)
        assert strict.released
        assert free.too_risky is None


def test_what_is_small_follows_the_method():
    counts = np.array([[[1, 2], [4, 5], [50, 60]], [[70, 80], [90, 50], [60, 40]]])
    for mechanism, parameters, small in (
        ("random_round", {"base": 3}, 3), ("random_round", {"base": 5}, 5), ("add_noise", {"noise": {0: 1.0}}, 2),
        ("round_to", {"base": 2}, 2), (None, None, 2),
    ):  # fmt: skip
        answer = served(counts, rules={"max_small_share": 0.0}, mechanism=mechanism, parameters=parameters).tabulate(
            DIMS
        )
        shown = (answer.table if answer.released else answer.withheld).values
        assert answer.released == (not ((shown > 0) & (shown <= small)).any())


# --- areas --------------------------------------------------------------------------------------------------------------


def test_areas_that_are_too_thin_are_left_out():
    counts = np.full((2, 3, 2), 20)
    counts[..., 1] = 1
    server = served(
        counts, rules={"min_mean_cell": 5, "areas": "region"}, mechanism="add_noise", parameters={"noise": {0: 1.0}}
    )
    answer = server.tabulate("sex,region")
    assert answer.table.coords["region"].values.tolist() == ["N"]
    assert answer.notice == f"without region=S, where {TOO_THIN}"
    assert answer.reason == ""
    assert (answer.release().published.values == 60).all()
    assert answer.public().to_frame()["region"].unique().tolist() == ["N"]
    assert server.tabulate("region,sex,age", {"region": "N"}).notice == ""
    refused = server.tabulate("sex,region", {"region": "S"})
    assert (refused.released, refused.notice) == (False, TOO_THIN)
    assert refused.reason == "region=S: its figures are 3 on average; at least 5 are needed"
    assert server.tabulate("sex").released  # that does not show areas
    assert refused.withheld.shape == (2, 2)


# --- rules as data ------------------------------------------------------------------------------------------------------


def test_rules_from_a_file(tmp_path):
    path = tmp_path / "rules.toml"
    path.write_text(
        'dims = ["sex", "region"]\nmax_dims = 2\nmax_filters = 0\nmax_cells = 100\nmin_population = 10\n'
        'max_small_share = 0.5\nmin_mean_cell = 1.5\nareas = "region"\n'
    )
    rules = fw.server.ServerRules.read(path)
    assert rules == fw.server.ServerRules(
        dims="sex,region", max_dims=2, max_filters=0, max_cells=100, min_population=10, max_small_share=0.5,
        min_mean_cell=1.5, areas="region",
    )  # fmt: skip
    server = fw.server.TableServer(xr.DataArray(np.ones((2, 3, 2), int), dims=DIMS, coords=LABELS), rules=rules, seed=1)
    assert list(server.offered) == ["sex", "region"]
    with pytest.raises(fw.InputError, match="there is no dim 'age'; known: 'sex', 'region'"):
        server.tabulate("age")
    with pytest.raises(fw.InputError, match="filters= names the dim 'age'; known: 'sex', 'region'"):
        server.tabulate("sex", {"age": "0-4"})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("max_dims = 3\nmax_dim = 2\n", ", line 2: there is no rule 'max_dim'; did you mean 'max_dims'?"),
        ('max_dims = "three"\n', ", line 1: max_dims = 'three': a whole number of at least 1."),
        (
            "\n\nmax_small_share = 10\n",
            ", line 3: max_small_share = 10: a share of cells, from 0 to 1; 0.1 is ten percent.",
        ),
        ("dims = 3\n", ", line 1: dims = 3: a list of names."),
        ("[figures]\nmin_population = 3\n", ", line 1: there is no rule 'figures'"),
        ("max_dims = \n", ": not a well-formed TOML file (Invalid value (at line 1, column 12))."),
    ],
)
def test_a_wrong_rule_of_a_file_is_named_with_its_line(text, problem, tmp_path):
    path = tmp_path / "rules.toml"
    path.write_text(text)
    with pytest.raises(fw.InputError) as found:
        fw.server.ServerRules.read(path)
    assert f"{path}{problem}" in str(found.value)
