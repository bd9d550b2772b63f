"""The share of rows and columns with one or two occupied cells, against plain loops; risks of whole tables by name."""

from __future__ import annotations

import re

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import fiberwalk as fw
from fiberwalk.risk.table_risks import TABLE_RISKS

CUBES = hnp.arrays(int, (3, 2, 4), elements=st.integers(0, 2)).filter(lambda table: table.sum() > 0)


def slow(F, G, most):
    """Line by line."""
    thin = lines = 0
    for axis in range(F.ndim):
        for place in np.ndindex(*[size for i, size in enumerate(F.shape) if i != axis]):
            index = (*place[:axis], slice(None), *place[axis:])
            true, shown = F[index].tolist(), G[index].tolist()
            if len(true) == 1 or not any(true):
                continue
            lines += 1
            inside = [x > 0 for x in true]
            thin += sum(inside) <= most and not all(inside) and inside == [x > 0 for x in shown]
    return thin / lines


@given(CUBES, CUBES, st.integers(1, 3))
def test_against_plain_loops(F, G, most):
    before, after = fw.risk.thin_lines(F, few=most), fw.risk.thin_lines(F, G, few=most)
    assert before == slow(F, F, most)
    assert after == slow(F, G, most)
    assert after <= before
    assert fw.risk.thin_lines(F[0], few=most) == slow(F[0], F[0], most) if F[0].any() else True


def test_by_hand():
    """A row that is full is not thin, however short; one that nobody is in counts for nothing."""
    assert fw.risk.thin_lines([[1, 2], [3, 4]]) == 0
    assert fw.risk.thin_lines([[1, 2, 0], [0, 0, 0], [5, 5, 5]]) == 1 / 5 + 3 / 5
    assert fw.risk.thin_lines([[1, 2, 0], [0, 0, 0], [5, 5, 5]], few=1) == 1 / 5
    assert fw.risk.thin_lines([7, 0, 0, 0]) == 1
    assert fw.risk.thin_lines([[7]]) == 0


def test_many_tables_and_their_rows():
    table = xr.DataArray(
        [[4, 0, 0], [2, 3, 1], [0, 0, 0]], dims=("A", "B"), coords={"A": list("xyz"), "B": list("123")}
    )
    found = fw.risk.thin_lines(table, by="A")
    assert found.coords["A"].values.tolist() == ["x", "y", "z"]
    assert found.values == pytest.approx([1, 0, np.nan], nan_ok=True)
    many = np.random.default_rng(1).poisson(0.4, (5, 3, 4))
    many[:, 0, 0] += 1
    assert fw.risk.thin_lines(many, stacked=True).tolist() == [fw.risk.thin_lines(one) for one in many]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fw.risk.thin_lines([[0, 0]]), "F sums to 0"),
        (lambda: fw.risk.thin_lines([[1, 0]], few=0), "few=0: the largest number of occupied cells of a thin line"),
        (lambda: fw.risk.thin_lines([[1, 0]], [1, 0]), "F and G are not the same table"),
        (
            lambda: TABLE_RISKS["thin lines"].before([[1, 0]], (0.5, 0.5)),
            "weights= belong to risks with several terms, and this one is a share: leave them out.",
        ),
    ],
)
def test_errors(call, words):
    with pytest.raises(fw.InputError, match=re.escape(words)):
        call()


# --- on a map, and from a server ------------------------------------------------------------------------------------

TABLE = np.array([[4, 0, 0, 3], [2, 3, 0, 0], [1, 5, 2, 6]])
EVEN = np.full((4, 5), 5)
SWAP = {"swapping": ("swap", {"dim": "A", "rate": 0.3})}


@pytest.mark.parametrize("risk", ["split", "split mean", "thin lines"])
def test_on_a_map(risk):
    found = fw.ru_map(TABLE, {"RR": ("random_round", {"base": 3})}, risk, "hellinger", seeds=[1, 2, 3])
    changes = fw.risk.changes_of("random_round", {"base": 3})
    runs = found.runs.set_index("seed")["risk"]
    for seed in (1, 2, 3):
        published = fw.protect.random_round(TABLE, base=3, seed=seed).published.values
        if risk == "thin lines":
            assert runs[seed] == fw.risk.thin_lines(TABLE, published)
        else:
            assert runs[seed] == fw.risk.perturbed_risk(TABLE, published, changes, means=risk == "split mean")
    assert found.risk == TABLE_RISKS[risk].words.format(" of the whole table")


def test_a_map_and_a_server_say_that_the_risk_rose():
    found = fw.ru_map(EVEN, SWAP, "split", "hellinger", seeds=2)
    assert "In 2 runs of swapping the risk is larger than before: this measure may rise" in found.sentence
    by_means = fw.ru_map(EVEN, SWAP, "split mean", "hellinger", seeds=2)
    assert "larger than before" not in by_means.sentence
    alone = fw.ru_map(EVEN, SWAP, "split", "hellinger", seeds=2, original=False)
    assert "larger than before" not in alone.sentence
    settings = {"mechanism": "swap", "parameters": {"dim": "A", "rate": 0.3}, "seed": 1, "when": "before"}
    answer = fw.server.tabulate(EVEN, "A,B", **settings)
    assert answer.risk_after > answer.risk_before
    assert "after; this measure may rise when a table is protected (see `risk.perturbed_risk`)" in answer.summary()
    answer = fw.server.tabulate(EVEN, "A,B", risk="split mean", **settings)
    assert answer.risk_after <= answer.risk_before + 1e-12
    assert "may rise" not in answer.summary()


def test_where_nothing_needs_protection():
    found = fw.ru_map(EVEN, {"RR": ("random_round", {"base": [3, 4]})}, "thin lines", "hellinger", seeds=2)
    assert found.sentence == "By this risk, none of the 2 points is safer than the table as it is."


def test_from_a_server():
    answer = fw.server.tabulate(TABLE, "A,B", mechanism="random_round", risk="thin lines", seed=3)
    assert answer.risk_before == fw.risk.thin_lines(TABLE)
    assert answer.risk_after == fw.risk.thin_lines(TABLE, answer.table.values)
    with pytest.raises(fw.InputError, match="weights= belong to risks with several terms"):
        fw.server.tabulate(TABLE, "A,B", risk="thin lines", weights=(0.5, 0.5), seed=3)
