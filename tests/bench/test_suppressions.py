"""The contest and the verification of suppression: what is right passes, what is wrong does not."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from support.places import BENCH

sys.path.append(str(BENCH))

from contests import beliefs, suppression
from peers import tau_argus_patterns
from verification import suppressions

import fiberwalk as fw
from fiberwalk.protect.withholding.least_suppression import least_suppression

TABLE = [[1, 5, 4], [7, 20, 6], [3, 8, 9]]


def test_answers_that_are_wrong_fail():
    right = [("2-way", "right")], [(5, 5.0, True)], [("reached", 0.5)], [(10, 10), (11, 10)]
    assert all(check.passed for check in suppressions.judged(*right).checks)
    wrong = [("2-way", "wrong")], [(6, 5.0, True)], [("reached", 0.51)], [(12, 10), (12, 10)]
    assert not any(check.passed for check in suppressions.judged(*wrong).checks)
    assert not suppressions.judged([("2-way", "refused")], *right[1:]).checks[0].passed
    assert not suppressions.judged(right[0], [(5, 5.0, False)], *right[2:]).checks[1].passed
    assert not any(check.passed for check in suppressions.judged([], [], [], []).checks)


def test_each_kind_is_tried():
    assert suppressions.least_of(120_007) == ("linked", "right")
    ours, least, proven = suppressions.model_of(120_000)
    assert (ours, proven) == (least, True)
    ours, least = suppressions.cheapest_of(120_001)
    assert ours >= least


def test_the_cheapest_pattern_until_a_probability():
    """In a line the sum of two cells is left, any part of it as probable; in a square wide intervals may not be enough."""
    assert suppressions.cheapest_until(fw.protect.problem([1, 2, 2], rule="< 2")) == 2
    square = [[3, 3, 0], [0, 0, 1]]
    problem = fw.protect.problem(square, rule="< 2", minimise="counts", secondary_zeros=True)
    least = suppressions.cheapest_until(problem)
    assert least > least_suppression(problem).cost
    assert fw.protect.suppression(problem, until="p <= 0.5").withheld.cost == least


def test_the_whole_model_needs_more_where_more_is_wanted():
    costs = [
        suppressions.whole_model(fw.protect.problem(TABLE, rule="< 2", above=above, keep="totals", minimise="counts"))
        for above in (1, 6)
    ]
    assert costs[0][1]
    assert costs[1][1]
    for (cost, _), above in zip(costs, (1, 6), strict=True):
        problem = fw.protect.problem(TABLE, rule="< 2", above=above, keep="totals", minimise="counts")
        assert least_suppression(problem).cost == cost


def test_patterns_are_held_to_what_is_wanted():
    problem = fw.protect.problem(TABLE, rule="< 2", above=1, minimise="counts")
    text = tau_argus_patterns.jj_text(problem, problem.forced)
    lines = text.splitlines()
    assert lines[:2] == ["0", "16"]
    assert [line.split()[3] for line in lines[2:18]].count("u") == 1
    assert lines[2].split()[6:] == ["0", "1", "0"]
    assert suppression.cost_of(problem, problem.forced) == pytest.approx(1, abs=0.1)
    single = problem.forced
    assert len(problem.too_narrow(suppression.whole(problem, single)))
    assert beliefs.too_likely(problem, single) == 1
    everything = problem.forced | problem.open
    assert beliefs.too_likely(problem, everything) == 0
    if tau_argus_patterns.installed():
        answer = tau_argus_patterns.optimal(problem)
        assert answer.hidden is not None
        assert np.flatnonzero(answer.hidden).size == 4
        assert tau_argus_patterns.held(problem, single) == 1
