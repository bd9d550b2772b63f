"""Histograms of groups: further columns that follow from the others, and pairs of equations that speak of one group."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from support.effort import examples
from support.systems import AGES, grouped_systems

from fiberwalk.fiber.equations.moments import may_have_moments, moments
from fiberwalk.fiber.solvers.histograms import with_histograms


@examples(60)
@given(grouped_systems())
def test_every_table_has_one_set_of_further_columns(system):
    A, b, _, _, tables = system
    wider = with_histograms(A, b)
    own, n_further = A.shape[1], wider.sums.shape[0]
    assert wider.A.shape[1] == own + n_further
    for table in tables:
        assert (wider.A @ np.concatenate([table, wider.sums @ table]) == wider.b).all()
    # ... and no other: they follow from the cells
    further = wider.A.toarray()[:, own:]
    assert not n_further or np.linalg.matrix_rank(further) == n_further


def test_differences_of_groups_are_groups():
    """Of two men and all three people, one woman is left, and her age."""
    age = np.tile(AGES, 2)
    men = np.repeat([1, 0], 4)
    A = sp.csr_array(np.array([np.ones(8, int), age, men, men * age]))
    wider = with_histograms(A, np.array([3, 17, 2, 8]))
    pairs = moments(wider.A, wider.b)
    assert (1, 9) in set(zip(pairs.count_side.tolist(), pairs.weight_side.tolist(), strict=True))


def test_tables_have_no_moments():
    A = sp.csr_array(np.array([[1, 1, -1, 2], [0, 1, 1, -2]]))
    assert not may_have_moments(A)
    assert len(moments(A, np.zeros(2, int)).weight_side) == 0
    assert with_histograms(A, np.zeros(2, int)).A.shape == A.shape


def test_a_row_may_weigh_without_a_row_that_counts():
    A = sp.csr_array(np.array([[1, 3, 5], [1, -1, 0]]))
    assert len(moments(A, np.array([9, 0])).weight_side) == 0
