"""Weights of counts of any size, against whole numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import examples

import fiberwalk as fw
from fiberwalk.fiber.laws.law import Poisson, log_factorial_ratio


@examples(200)
@given(st.integers(0, 10**16), st.integers(0, 60))
def test_log_factorial_ratio(n, most):
    naive = [math.fsum(math.log(n + k) for k in range(1, steps + 1)) for steps in range(most + 1)]
    assert log_factorial_ratio(n, np.arange(most + 1.0)) == pytest.approx(naive, rel=1e-13, abs=1e-13)


def test_weights_less_that_of_the_first_are_the_weights():
    law = Poisson(np.array([1.0, 3.5, 0.0]))
    for cell in (0, 1):
        absolute = law(cell, 4, 30)
        assert law.relative(cell, 4, 30) == pytest.approx(absolute - absolute[0], abs=1e-12)
    assert law.relative(2, 0, 2).tolist() == [0, -np.inf, -np.inf]


@pytest.mark.parametrize("large", [10, 10**6, 10**9, 10**12, 10**15])
def test_a_cell_beside_counts_of_any_size(large):
    """Ten units among two columns of so many: the cell is hypergeometric, and was far off where log n! has no decimals."""
    audit = fw.audit(fw.publish([[5, 5], [large, large]], ["A", "B"]), "hypergeometric", method="exact")
    ways = [math.comb(5 + large, x) * math.comb(5 + large, 10 - x) for x in range(11)]
    exact = [float(Fraction(one, sum(ways))) for one in ways]
    assert audit.pmf(A="1", B="1").to_numpy() == pytest.approx(exact, rel=1e-9)
