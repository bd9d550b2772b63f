"""R1, R2, the entropies they are made of, and Hellinger's distance: the papers' figures, slow twins, forms, errors."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import fiberwalk as fw
from fiberwalk import risk

AREAS = fw.examples.ase15().table
F = AREAS.values
WEIGHTS = (0.1, 0.8, 0.1)
TABLES = hnp.arrays(int, (2, 3), elements=st.integers(0, 6)).filter(lambda table: table.sum() > 0)
close = pytest.approx


# --- the papers -----------------------------------------------------------------------------------------------------


def test_the_figures_of_antal_shlomo_and_elliot():
    assert (F.sum(), F.size, (F == 0).sum()) == (2449, 90, 25)
    assert risk.r1(AREAS) == close(0.231461, abs=5e-7)
    assert risk.r2(AREAS, AREAS // 10, sampled=True) == close(0.19042665, abs=5e-9)
    assert risk.r2(AREAS, AREAS // 2) == close(0.21281314, abs=5e-9)
    assert risk.r2(AREAS, AREAS) == risk.r1(AREAS)
    sizes = [int(fw.protect.draw_sample(AREAS, share, seed=1).published.sum()) for share in (0.1, 0.05, 0.01)]
    assert sizes == [245, 122, 24]


def test_the_example_of_zeros_of_shlomo_antal_and_elliot():
    """A tenth of the cells are zero, and after perturbation a fifth, these among them: 0.10 becomes 0.01."""
    before, after = np.ones((2, 10))
    before[0] = after[:2] = 0
    assert risk.r1(before, (1, 0, 0)) == close(0.1)
    assert risk.r2(before, after, (1, 0, 0)) == close(0.01)
    assert risk.perturbed_risk(before, after, np.eye(2), (1, 0, 0, 0)) == close(0.01)


@pytest.mark.parametrize(
    ("people", "term"), [(854_539, 0.008469), (645_461, 0.009570), (736_355, 0.009037), (96_656, 0.021678)]
)
def test_the_size_terms_of_shlomo_antal_and_elliot(people, term):
    assert risk.r1([people, 0, 0], weights=(0, 0, 1)) == close(term, abs=5e-7)
    assert risk.split_risk([people, 0, 0], weights=(0, 0, 0, 1)) == close(term, abs=5e-7)


# --- slow twins -----------------------------------------------------------------------------------------------------


def plogp(p):
    return p * math.log(p) if p > 0 else 0.0


def slow_conditional_entropy(F, G):
    """By the K x K matrix of P(X=i | Y=j) that papers define it with."""
    p, q = np.ravel(F) / np.sum(F), np.ravel(G) / np.sum(G)
    m = np.minimum(p, q)
    d, e = p - m, q - m
    left = sum(d)
    found = 0.0
    for j in range(len(q)):
        for i in range(len(p)):
            if q[j] > 0:
                both = (m[j] if i == j else 0.0) + (d[i] * e[j] / left if left > 0 else 0.0)
                found -= q[j] * plogp(both / q[j])
    return found


def slow_r2(F, G, weights):
    F, G = np.ravel(F), np.ravel(G)
    K, N = len(F), sum(F)
    D, E = {i for i in range(K) if F[i] == 0}, {i for i in range(K) if G[i] == 0}
    zeros = (len(D) / K) ** (len(D | E) / len(D & E)) if D & E else 0.0
    H = -sum(plogp(x / N) for x in F)
    even = H / math.log(K) if K > 1 else 0.0
    left = slow_conditional_entropy(F, G) / H if H > 0 else 0.0
    size = -1 / math.sqrt(N) * math.log(1 / (math.e * math.sqrt(N)))
    return weights[0] * zeros + weights[1] * (1 - even) * (1 - left) + weights[2] * size


@given(TABLES, TABLES)
def test_against_slow_twins(F, G):
    assert risk.conditional_entropy(F, G) == close(slow_conditional_entropy(F, G), abs=1e-12)
    assert risk.r2(F, G) == close(slow_r2(F, G, WEIGHTS), abs=1e-12)
    assert risk.r1(F) == close(slow_r2(F, F, WEIGHTS), abs=1e-12)
    assert risk.table_entropy(F) == close(-sum(plogp(x / F.sum()) for x in F.ravel()), abs=1e-12)
    terms = [slow_r2(F, G, one) for one in np.eye(3)]
    assert risk.r2(F, G, "l2") == close(math.sqrt(sum(x**2 for x in terms) / 3), abs=1e-12)


@given(TABLES, TABLES, st.permutations(range(6)), st.integers(2, 9))
def test_what_changes_nothing(F, G, order, times):
    shuffled = [table.ravel()[order] for table in (F, G)]
    assert risk.r2(*shuffled) == close(risk.r2(F, G), abs=1e-12)
    assert risk.table_entropy(times * F) == risk.table_entropy(F)
    assert risk.conditional_entropy(F, times * F) == 0
    assert risk.conditional_entropy(F, times * G) == risk.conditional_entropy(F, G)
    assert risk.r2(F, times * F) == close(risk.r1(F), abs=1e-12)
    assert 0 <= risk.conditional_entropy(F, G) <= risk.table_entropy(F)
    assert 0 <= risk.r2(F, G) <= risk.r1(F) + 1e-12 <= 1 + 1e-12


# --- conventions ----------------------------------------------------------------------------------------------------


def test_tables_of_one_cell_and_one_occupied_cell():
    size = (1 + math.log(3)) / 3
    assert risk.r1([9]) == close(0.8 + 0.1 * size)
    assert risk.r2([9], [2]) == close(0.8 + 0.1 * size)
    assert risk.r1([9, 0]) == close(0.1 / 2 + 0.8 + 0.1 * size)
    assert risk.r2([9, 0], [1, 3]) == close(0.8 + 0.1 * size)  # H(X) = 0: the sample can hide nothing of it
    assert risk.r1([1, 0]) == close(0.05 + 0.8 + 0.1)
    assert risk.r1([0.25, 0.25]) == risk.r1([0.5, 0.5]) == 0.1  # shares: there is no less than one person


def test_zeros_that_are_not_shared_do_not_count():
    assert risk.r2([0, 3, 3], [3, 0, 3], (1, 0, 0)) == 0
    assert risk.r2([0, 3, 3, 3], [0, 0, 3, 3], (1, 0, 0)) == close((1 / 4) ** 2)


# --- many tables, and their parts -----------------------------------------------------------------------------------


def test_many_tables_are_as_one_by_one():
    rng = np.random.default_rng(1)
    many, others = rng.integers(0, 9, (2, 7, 2, 3))
    for stack in (many, many.astype(np.int32), many.astype(np.uint8), many.astype(float), np.asfortranarray(many)):
        assert risk.r2(stack, others, stacked=True).tolist() == [
            risk.r2(*pair) for pair in zip(many, others, strict=True)
        ]
    assert risk.r2(many, others[0], stacked=True).tolist() == [risk.r2(one, others[0]) for one in many]
    assert risk.r2(many[0], others, stacked=True).tolist() == [risk.r2(many[0], one) for one in others]
    assert risk.r1(many, stacked=True).tolist() == [risk.r1(one) for one in many]
    distances = [risk.hellinger_distance(many[0], one) for one in others]
    assert risk.hellinger_distance(many[0], others, stacked=True).tolist() == distances
    by = risk.r2(many, others[0], stacked=True, by="B")
    assert by.tolist() == [[risk.r2(one[:, j], others[0][:, j]) for j in range(3)] for one in many]


def test_more_tables_than_are_looked_at_together(monkeypatch):
    many = np.random.default_rng(1).integers(0, 9, (50, 6))
    found = (
        risk.r2(many, many[0], stacked=True),
        risk.hellinger_utility(many[:20].reshape(10, 2, 6), many[:2], stacked=True, by=0),
    )
    monkeypatch.setattr("fiberwalk.risk.table_arrays.table_shapes.BLOCK", 13)
    assert (risk.r2(many, many[0], stacked=True) == found[0]).all()
    again = risk.hellinger_utility(many[:20].reshape(10, 2, 6), many[:2], stacked=True, by=0)
    assert (again == found[1]).all()


MEASURES = [
    lambda F, G, **how: risk.r1(F, **how),
    lambda F, G, **how: risk.r2(F, G, **how),
    lambda F, G, **how: risk.table_entropy(F, **how),
    lambda F, G, **how: risk.conditional_entropy(F, G, **how),
    lambda F, G, **how: risk.hellinger_distance(F, G, **how),
    lambda F, G, **how: risk.hellinger_utility(F, G, **how),
    lambda F, G, **how: risk.split_risk(F, **how),
    lambda F, G, **how: risk.perturbed_risk(F, G, risk.changes_of("swap", {"rate": 0.2}), **how),
]


@pytest.mark.parametrize("measure", MEASURES)
def test_by_dims(measure):
    original, published = F[:4, :5], np.maximum(F[:4, :5] - 1, 0)
    rows = [measure(f, g) for f, g in zip(original, published, strict=True)]
    columns = [measure(original[:, j], published[:, j]) for j in range(5) if published[:, j].any()]
    assert measure(original, published, by="A").tolist() == rows == measure(original, published, by=0).tolist()
    found = measure(original, published, by=-1)
    assert [one for j, one in enumerate(found) if published[:, j].any()] == columns
    many = np.stack([published, original])
    of_all = measure(np.stack([original, original]), many, by=[0], stacked=True)
    assert of_all.tolist() == [rows, measure(original, original, by=0).tolist()]
    cube = measure(original.reshape(2, 2, 5), published.reshape(2, 2, 5), by=["B", "A"])
    assert cube.tolist() == np.reshape(rows, (2, 2)).T.tolist()


def test_a_category_that_nobody_is_in_has_no_figure():
    one, other = [[3, 4], [0, 0], [2, 0]], [[3, 4], [1, 0], [0, 0]]
    assert np.isnan(risk.r1(one, by="A")).tolist() == [False, True, False]
    assert np.isnan(risk.split_risk(one, by="A")).tolist() == [False, True, False]
    assert np.isnan(risk.r2(one, other, by="A")).tolist() == [False, True, True]
    assert np.isnan(risk.conditional_entropy(one, other, by="A")).tolist() == [False, True, True]
    assert np.isnan(risk.hellinger_utility(one, other, by="A")).tolist() == [False, True, False]
    assert risk.hellinger_distance(one, other, by="A").tolist() == [0, math.sqrt(0.5), 1]


# --- forms ----------------------------------------------------------------------------------------------------------


def test_labelled_tables_give_labelled_figures():
    found = risk.r1(AREAS, by="religion")
    assert isinstance(found, xr.DataArray)
    assert (found.dims, found.religion.values.tolist()) == (("religion",), [str(j + 1) for j in range(9)])
    assert found.values.tolist() == risk.r1(F, by=1).tolist()
    frame = pd.DataFrame(
        F, index=pd.Index(AREAS.area.values, name="area"), columns=pd.Index(range(1, 10), name="religion")
    )
    cells = AREAS.to_series()
    for form in (frame, cells, cells.rename("count").reset_index(), AREAS.transpose()):
        assert (risk.r1(form, by="area") == risk.r1(AREAS, by="area")).all()
        assert risk.r1(form) == close(risk.r1(F), abs=1e-12)
    many = xr.concat([AREAS, AREAS // 2], pd.Index(["before", "after"], name="when"))
    told = risk.r2(AREAS, many, stacked=True, by="area")
    assert told.dims == ("when", "area")
    assert told.sel(when="after", area="3").item() == risk.r2(F[2], F[2] // 2)
    assert risk.r2(AREAS, np.stack([F, F // 2]), stacked=True).dims == ("table",)


def test_labels_decide_what_belongs_together():
    other = (AREAS // 2).transpose().isel(religion=slice(None, None, -1), area=[3, 1, 2, 0, *range(4, 10)])
    assert risk.r2(AREAS, other) == close(risk.r2(F, F // 2), abs=1e-12)
    assert risk.hellinger_utility(AREAS, other) == close(risk.hellinger_utility(F, F // 2), abs=1e-12)
    assert risk.r2(AREAS, F // 2) == risk.r2(F, F // 2)


# --- errors ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: risk.r1([0, 0]), "F sums to 0: nothing can be measured of an empty table"),
        (lambda: risk.r2([1, 2], [0, 0]), "G sums to 0"),
        (lambda: risk.r1([[1, 2], [0, 0]], stacked=True), r"F sums to 0 \(table 2 of 2\)"),
        (lambda: risk.r1([1, -2]), "F is a table of numbers of at least 0, none missing"),
        (lambda: risk.r2([1, 2], [1, math.nan]), "G is a table of numbers of at least 0, none missing"),
        (lambda: risk.r2([1, 2], [1, math.inf]), "G is a table of numbers of at least 0"),
        (lambda: risk.r1(["a", "b"]), "F is a table of numbers"),
        (lambda: risk.r1([]), "F is a table of numbers of at least 0"),
        (lambda: risk.r2([1, 2], [1, 2, 3]), r"F and G are not the same table: their shapes are \(2,\) and \(3,\)"),
        (lambda: risk.r2(np.ones((3, 2)), np.ones((4, 2)), stacked=True), "not the same table"),
        (lambda: risk.r2(AREAS, AREAS.rename(area="zone")), "their dims are area, religion and zone, religion"),
        (lambda: risk.r2(AREAS, AREAS.assign_coords(area=list("abcdefghij"))), "labels on dim 'area': '1'"),
        (lambda: risk.r1([1, 2], stacked=True), "the first axis is the tables"),
        (lambda: risk.r1([1, 2], weights=(0.5, 0.5)), r"there are 3 terms, each with a weight \(zeros, entropy, size\)"),
        (lambda: risk.r1([1, 2], weights=(-0.1, 1, 0.1)), "a weight is a number of at least 0"),
        (lambda: risk.r1([1, 2], weights=(0.1, 0.8, 0.2)), "weights sum to 1; these sum to 1.1"),
        (lambda: risk.r1([1, 2], weights="l1"), "give 3 numbers .* or 'l2'"),
        (lambda: risk.r1(AREAS, by="aera"), "the table has no dim 'aera'; did you mean 'area'"),
        (lambda: risk.r1(F, by=2), r"a dim of the table \(A, B\), the number of an axis"),
        (lambda: risk.r1(F, by=0.5), "by=0.5: a dim of the table"),
        (lambda: risk.r1(F, by=["A", 0]), "names the dim 'A' twice"),
        (lambda: risk.r2([1, 2], [2, 2], sampled=True), "the sample G sums to 4 and the population F to 3"),
        (
            lambda: risk.r2(AREAS, AREAS.where(AREAS > 0, 1) // 100 + (AREAS == 0), sampled=True),
            "the sample G has 1 in cell area=1, religion=2, and the population F 0: G is no sample of F",
        ),
        (lambda: risk.r2([5, 2], [1, 3], sampled=True), "the sample G has 3 in cell A=2, and the population F 2"),
        (lambda: risk.r2([5, 2], [[1, 1], [5, 3]], sampled=True, stacked=True), r"sums to 8 and .* to 7 \(table 2\)"),
        (lambda: risk.hellinger_utility([0, 0], [1, 2]), "F sums to 0"),
    ],
)  # fmt: skip
def test_errors(call, words):
    with pytest.raises(fw.InputError, match=words):
        call()
