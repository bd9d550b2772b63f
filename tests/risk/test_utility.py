"""What a publication is still good for, against slow and obvious twins."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import chi2_contingency
from scipy.stats.contingency import association

import fiberwalk as fw
from fiberwalk import risk

TABLES = hnp.arrays(int, (3, 2), elements=st.integers(0, 9)).filter(lambda table: table.sum() > 0)


def slow_hellinger(F, G):
    """SAE15's formula, a cell at a time."""
    distance = 0.0
    for f, g in zip(np.ravel(F), np.ravel(G), strict=True):
        distance += (math.sqrt(f) - math.sqrt(g)) ** 2 / 2
    return 1 - math.sqrt(distance) / math.sqrt(np.sum(F))


@given(TABLES, TABLES)
def test_hellinger(F, G):
    assert risk.hellinger_utility(F, G) == pytest.approx(slow_hellinger(F, G), abs=1e-12)
    assert risk.hellinger_utility(F, F) == 1
    stack = risk.hellinger_utility(np.stack([F, F, G]), np.stack([G, F, F]), stacked=True)
    assert stack == pytest.approx([slow_hellinger(F, G), 1, slow_hellinger(G, F)], abs=1e-12)
    of_one = risk.hellinger_utility(F, np.stack([G, F]), stacked=True)
    assert of_one == pytest.approx([slow_hellinger(F, G), 1], abs=1e-12)


def test_hellinger_has_its_ends():
    assert risk.hellinger_utility([5, 0], [0, 5]) == 0
    assert risk.hellinger_utility([5, 0], [0, 50]) < 0


@given(st.dictionaries(st.integers(0, 20), st.floats(0.01, 1), min_size=1), st.integers(0, 20))
def test_mean_squared_precision(weights, truth):
    total = sum(weights.values())
    pmf = {value: weight / total for value, weight in weights.items()}
    loss = sum(p * (value - truth) ** 2 for value, p in pmf.items())
    assert risk.mean_squared_precision(pmf, truth) == pytest.approx(math.inf if loss == 0 else 1 / loss)


def test_share_published():
    table = [[1, 5, 4], [7, 2, 6]]
    assert risk.share_published(fw.publish(table, margins=["A,B"])) == 1
    assert (
        risk.share_published(fw.protect.random_round(table, base=3, seed=1)) == 0
    )  # the 6 is shown as it is; nobody can tell
    assert risk.share_published(fw.merge(table, {"B": {"1 or 2": ["1", "2"]}})) == pytest.approx(1 / 3)


@given(TABLES.filter(lambda table: table.sum(axis=0).all() and table.sum(axis=1).all()))
def test_association_of_two_dims_is_that_of_scipy(table):
    assert risk.chi_square(table) == pytest.approx(chi2_contingency(table, correction=False).statistic, abs=1e-9)
    assert risk.cramers_v(table) == pytest.approx(association(table, method="cramer"), abs=1e-9)


def slow_chi_square(table):
    total, found = table.sum(), 0.0
    for place in product(*map(range, table.shape)):
        expected = total
        for axis, label in enumerate(place):
            expected *= table.take(label, axis=axis).sum() / total
        found += (table[place] - expected) ** 2 / expected
    return found


def test_association_of_three_dims():
    F = np.random.default_rng(1).integers(1, 9, (2, 3, 4))
    G = F.copy()
    G[0, 0] += 9
    assert risk.chi_square(F) == pytest.approx(slow_chi_square(F))
    assert risk.chi_square_change(F, G) == pytest.approx(slow_chi_square(G) - slow_chi_square(F))
    assert risk.chi_square_change(F, G, relative=True) == pytest.approx(slow_chi_square(G) / slow_chi_square(F) - 1)
    changes = [risk.cramers_v(G.sum(axis=k)) - risk.cramers_v(F.sum(axis=k)) for k in range(3)]
    assert risk.cramers_v_change(F, G) == pytest.approx(max(changes, key=abs))


def test_rows_that_nobody_is_in_do_not_count():
    assert risk.cramers_v([[3, 0], [0, 4], [0, 0]]) == pytest.approx(1)
    assert risk.cramers_v([[3, 1], [0, 0]]) == 0


def test_a_published_table_of_zeros_has_lost_all_association():
    F, nothing = [[3, 1], [0, 4]], np.zeros((2, 2))
    assert risk.chi_square_change(F, nothing, relative=True) == -1
    assert risk.cramers_v_change(F, nothing) == -risk.cramers_v(F)
    assert risk.margin_variance_change([[3, 1], [1, 4]], nothing) == 1


def test_variance_of_margins():
    F = np.array([[1, 5], [2, 9]])
    G = np.array([[2, 5], [2, 8]])
    rows = np.var([7, 10]) / np.var([6, 11]) - 1
    columns = np.var([4, 13]) / np.var([3, 14]) - 1
    assert risk.margin_variance_change(F, G) == pytest.approx((abs(rows) + abs(columns)) / 2)
    alike = np.array([[1, 5], [5, 1]])
    assert risk.margin_variance_change(np.vstack([alike, alike]) * [[1], [1], [2], [2]], np.ones((4, 2))) == 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: risk.hellinger_utility([1, 2], [1, 2, 3]), "not the same table"),
        (lambda: risk.hellinger_utility([[1, 2]], [1, 2]), "not the same table"),
        (lambda: risk.hellinger_utility(np.ones((2, 3)), np.ones((4, 3)), stacked=True), "not the same table"),
        (lambda: risk.hellinger_utility([0, 0], [1, 2]), "F sums to 0"),
        (lambda: risk.hellinger_utility([1, 2], [1, -2]), "G is a table of numbers of at least 0"),
        (lambda: risk.hellinger_utility([1, 2], ["a", 2]), "G is a table of numbers"),
        (lambda: risk.hellinger_utility([1, 2], [1, math.nan]), "none missing"),
        (lambda: risk.mean_squared_precision({1: 0.4}, 1), "sum to 1"),
        (lambda: risk.mean_squared_precision([0.4, 0.6], 1), "value -> probability"),
        (lambda: risk.share_published([[1]]), "needs a release"),
        (lambda: risk.chi_square([1, 2]), "between two dims or more, and the table has 1"),
        (lambda: risk.cramers_v(np.ones((2, 2, 2))), "two dims; this one has 3"),
        (lambda: risk.chi_square_change([[0, 0]], [[1, 1]]), "original table, F, is empty"),
        (lambda: risk.chi_square_change(np.ones((2, 2)), np.ones((2, 3))), "not the same table"),
        (lambda: risk.chi_square_change(np.ones((2, 2)), [[1, 2], [2, 1]], relative=True), "shows no association"),
        (lambda: risk.margin_variance_change(np.ones((2, 2)), [[1, 2], [2, 1]]), "all equal"),
    ],
)  # fmt: skip
def test_errors(call, words):
    with pytest.raises(fw.InputError, match=words):
        call()
