"""Raking to margins, and whole tables that add up to them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import fiberwalk as fw
from fiberwalk.fiber.laws.raking import groups_of, raked
from fiberwalk.protect.perturbation.additivity import additive_table, whole_table_near
from fiberwalk.release.release import of_table
from fiberwalk.release.tables.tables import as_table


def test_raking_to_one_way_margins_gives_the_table_of_independence():
    table = np.array([[3, 1, 4], [1, 5, 9]])
    release = of_table(as_table(table))
    targets = [(group, matrix @ table.ravel()) for group, matrix in (groups_of(release, m) for m in ("A", "B"))]
    found, worked = raked(np.ones((2, 3)), targets)
    assert worked
    np.testing.assert_allclose(found, np.outer(table.sum(1), table.sum(0)) / table.sum())


def test_raking_keeps_the_odds_ratio_and_says_when_zeros_make_it_impossible():
    rows, columns = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    found, worked = raked(np.array([2.0, 1, 1, 3]), [(rows, np.array([5, 5])), (columns, np.array([4, 6]))])
    assert worked
    assert found[0] * found[3] / (found[1] * found[2]) == pytest.approx(6)
    found, worked = raked(np.array([0.0, 0, 1, 1]), [(rows, np.array([5, 5]))])
    assert not worked
    assert found.tolist() == [0, 0, 2.5, 2.5]


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_a_changed_table_adds_up_again(data):
    shape, margins = data.draw(
        st.sampled_from([((3, 4), ["A", "B"]), ((2, 3, 3), ["A,B", "A,C", "B,C"]), ((2, 2, 2, 2), ["A,B,C", "C,D"])])
    )
    rng = np.random.default_rng(data.draw(st.integers(0, 10_000)))
    truth = rng.poisson(2, shape)
    release = of_table(as_table(truth))
    found = additive_table(np.maximum(truth + rng.integers(-2, 3, shape), 0), release, margins)
    assert found.shape == shape
    assert (found >= 0).all()
    for margin in margins:
        sums = release.margin(margin)[1]
        assert (sums @ found.ravel() == sums @ truth.ravel()).all()


def test_a_table_that_adds_up_already_stays_as_it_is():
    truth, other = np.array([[1, 2, 3], [3, 0, 2]]), np.array([[2, 1, 3], [2, 1, 2]])
    assert (additive_table(other, of_table(as_table(truth)), ["A", "B"]) == other).all()
    assert (additive_table(other, of_table(as_table(truth)), []) == other).all()


def test_the_whole_table_is_the_nearest_one():
    rng = np.random.default_rng(4)
    release = of_table(as_table(np.zeros((2, 3), dtype=int)))
    matrix = sp.csr_array(sp.vstack([release.margin("A")[1], release.margin("B")[1]]))
    every = np.array(list(product(range(5), repeat=6)))
    for _ in range(5):
        truth = rng.integers(0, 3, 6)
        means = raked(rng.random(6) + 0.1, [(groups_of(release, m)[0], release.margin(m)[1] @ truth) for m in "AB"])[0]
        fits = every[(every @ matrix.T == matrix @ truth).all(axis=1)]
        found = whole_table_near(means, matrix, matrix @ truth)
        assert np.abs(found - means).sum() == pytest.approx(np.abs(fits - means).sum(axis=1).min())


def test_what_cannot_be_made_additive_is_said():
    release = of_table(as_table(np.array([[1, 2], [3, 4]])))
    with pytest.raises(fw.InputError, match="numbers of at least 0 with the cells of the true one"):
        additive_table(np.array([[1, -2], [3, 4]]), release, ["A"])
    with pytest.raises(fw.InputError, match="where the true table is known"):
        additive_table(np.ones((2, 2)), release.without_truth(), ["A"])
