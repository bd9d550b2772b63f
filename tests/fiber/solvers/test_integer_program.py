"""Integer programs say when they took longer than they may, and never pass what they have by then for an answer."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import fiberwalk as fw
from fiberwalk.base.errors import TimeUp
from fiberwalk.base.interruption import time_limit
from fiberwalk.fiber.solvers import integer_program
from fiberwalk.fiber.solvers.branch_and_bound import INFEASIBLE, LIMIT, OPTIMAL, Program, branch_and_bound
from fiberwalk.fiber.solvers.integer_program import optimum

SUM_OF_TWO = (sp.csr_array([[1, 1]]), np.array([3]), np.array([0, 0]), np.array([2, 3]))
_SEVERAL = np.random.default_rng(3).integers(1, 40, (3, 30))
HARD = (sp.csr_array(_SEVERAL), _SEVERAL.sum(axis=1) + 7, np.zeros(30, np.int64), np.full(30, 9))
"""Three sums with many coefficients: nothing that the solver sees before it branches."""


def as_program(A, b, lower, upper):
    return Program(np.arange(A.shape[1]), A, b, b, lower, upper, np.ones(A.shape[1]))


def test_the_least_table():
    assert optimum(*SUM_OF_TWO, np.array([-1, 0]), 1000.0).tolist() == [2, 1]
    assert optimum(*SUM_OF_TWO, np.array([1, 0])).tolist() == [0, 3]


def test_a_limit_of_time_is_no_answer(monkeypatch):
    given = []

    def stopped(program, *, seconds):
        given.append(seconds)
        return branch_and_bound(program, seconds=0.0)

    monkeypatch.setattr(integer_program, "branch_and_bound", stopped)
    with pytest.raises(fw.TimeUp, match="the integer program took longer than it may"):
        optimum(*HARD, None, 2.5)
    with pytest.raises(fw.NumericalDoubt, match="could not be solved .at a limit."):
        optimum(*HARD)
    assert given == [2.5, None]


def test_nodes_are_a_limit_too():
    program = as_program(*HARD)
    assert branch_and_bound(program).status == OPTIMAL
    few = branch_and_bound(program, nodes=0)
    assert few.status == LIMIT
    assert few.x is None or few.cost >= branch_and_bound(program).cost


@settings(max_examples=50)
@given(
    arrays(np.int64, (2, 4), elements=st.integers(-2, 3)),
    arrays(np.int64, 4, elements=st.integers(0, 3)),
    arrays(np.int64, 4, elements=st.integers(-3, 3)),
    st.integers(0, 1),
)
def test_least_costs_are_those_of_all_tables(A, table, cost, off):
    """Against every vector of the box."""
    box = np.array(list(product(range(4), repeat=4)))
    b = A @ table + [off, 0]
    costs = (box @ cost)[(box @ A.T == b).all(axis=1)]
    answer = branch_and_bound(Program(cost, sp.csr_array(A), b, b, np.zeros(4), np.full(4, 3), np.ones(4)))
    if len(costs):
        assert answer.status == OPTIMAL
        assert answer.cost == pytest.approx(costs.min())
        assert answer.gap <= 1e-9
        assert (A @ np.rint(answer.x).astype(int) == b).all()
    else:
        assert (answer.status, answer.x) == (INFEASIBLE, None)


def test_it_ends_when_the_time_of_the_user_is_up():
    with (
        time_limit(1e-9),
        pytest.raises(TimeUp, match="while an integer program was solved, and there is no result yet"),
    ):
        optimum(*HARD)
