"""Integer programs say when they took longer than they may, and never pass what they have by then for an answer."""

from __future__ import annotations

import types

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp

import fiberwalk as fw
from fiberwalk.fiber.solvers.integer_program import optimum

SUM_OF_TWO = (sp.csr_array([[1, 1]]), np.array([3]), np.array([0, 0]), np.array([2, 3]))


def test_the_least_table():
    assert optimum(*SUM_OF_TWO, np.array([-1, 0]), 1000.0).tolist() == [2, 1]
    assert optimum(*SUM_OF_TWO, np.array([1, 0])).tolist() == [0, 3]


def test_a_limit_of_time_is_no_answer(monkeypatch):
    given = []

    def stopped(*arguments, options, **others):
        given.append(options)
        return types.SimpleNamespace(status=1, x=np.array([0.0, 3.0]), message="time limit reached")

    monkeypatch.setattr(scipy.optimize, "milp", stopped)
    with pytest.raises(fw.TimeUp, match="the integer program took longer than it may"):
        optimum(*SUM_OF_TWO, None, 2.5)
    with pytest.raises(fw.NumericalDoubt, match="could not be solved"):
        optimum(*SUM_OF_TWO)
    assert [options.get("time_limit") for options in given] == [2.5, None]
