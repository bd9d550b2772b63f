"""Columns that equations decide together, against all tables and against a linear program for each column."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linprog

from fiberwalk.fiber.blocks.decided import decided_together
from fiberwalk.fiber.solvers.every_table import every_table


@st.composite
def systems(draw):
    """A few equations about small counts, and a table that satisfies them."""
    n, m = draw(st.integers(3, 9)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    A = rng.choice([0, 0, 1, draw(st.sampled_from([-1, 1, 2]))], (m, n)).astype(np.int64)
    upper = rng.integers(1, 4, n)
    start = np.where(rng.random(n) < 0.5, 0, rng.integers(0, upper + 1))
    return A, np.zeros(n, dtype=np.int64), upper, start


@given(systems())
def test_what_is_decided_is_the_same_in_every_table(system) -> None:
    A, lower, upper, start = system
    decided = decided_together(sp.csr_array(A), lower, upper, start)
    tables = every_table(sp.csr_array(A), A @ start, lower, upper, 100_000)
    assume(tables is not None)
    assert (tables[:, decided] == start[decided]).all()


@given(systems())
def test_all_that_is_at_an_end_in_every_fraction_is_found(system) -> None:
    A, lower, upper, start = system
    decided = decided_together(sp.csr_array(A), lower, upper, start)
    for column in np.flatnonzero((start == lower) | (start == upper)):
        inwards = np.zeros(len(start))
        inwards[column] = -1.0 if start[column] == lower[column] else 1.0
        best = linprog(inwards, A_eq=A, b_eq=A @ start, bounds=np.stack([lower, upper], axis=1))
        assert best.status == 0
        assert decided[column] == (abs(best.fun - inwards @ start) < 1e-9)


def test_two_equations_decide_what_neither_does() -> None:
    """a + b = 1 and a + b + c - d = 1, so c = d; c + d + e = c + e, so d = 0, and e = 2."""
    A = sp.csr_array(np.array([[1, 1, 0, 0, 0], [1, 1, 1, -1, 0], [0, 0, 1, 1, 1], [0, 0, 1, 0, 1]]))
    start = np.array([1, 0, 0, 0, 2])
    decided = decided_together(A, np.zeros(5, dtype=np.int64), np.array([1, 1, 2, 2, 2]), start)
    assert decided.tolist() == [False, False, True, True, True]
