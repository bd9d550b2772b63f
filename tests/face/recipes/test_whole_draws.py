"""Whole numbers from a seed: the same everywhere, within their limits, in proportion to their weights."""

from __future__ import annotations

import numpy as np
import pytest

from fiberwalk.recipes.whole_draws import WholeDraws


def test_the_numbers_of_a_seed_are_these():
    """PCG64's words and integer arithmetic: no machine and no NumPy may give others."""
    draws = WholeDraws(1)
    assert draws.below(100, 8).tolist() == [51, 95, 14, 94, 31, 42, 82, 40]
    assert draws.chosen(np.tile([5, 3, 2], (8, 1))).tolist() == [1, 0, 1, 1, 0, 1, 0, 0]
    assert WholeDraws(2).below(2**32, 2).tolist() == [1123615560, 1282009699]


@pytest.mark.parametrize("limit", [1, 2, 7, 2**31, 2**32])
def test_all_lie_below_the_limit(limit):
    found = WholeDraws(3).below(limit, 5000)
    assert found.min() >= 0
    assert found.max() < limit
    assert abs(found.mean() - (limit - 1) / 2) < 6 * limit / np.sqrt(12 * 5000)


def test_each_row_has_its_own_weights():
    weights = np.array([[1, 0, 3], [0, 1, 0], [0, 0, 9]] * 4000)
    found = WholeDraws(4).chosen(weights).reshape(-1, 3)
    assert set(found[:, 0]) == {0, 2}
    assert abs((found[:, 0] == 2).mean() - 0.75) < 6 * np.sqrt(0.75 * 0.25 / 4000)
    assert set(found[:, 1]) == {1}
    assert set(found[:, 2]) == {2}
