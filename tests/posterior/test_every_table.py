"""Every table one by one, against an enumeration by definition; distributions of weighed trials, against repetitions."""

from __future__ import annotations

import itertools
from math import factorial

import numpy as np
import pytest

import fiberwalk as fw
from fiberwalk.base.certificate import Certificate
from fiberwalk.fiber.laws.support import support
from fiberwalk.posterior.every_table import every_table
from fiberwalk.posterior.parts.trials import law_by_trials

WORDS = Certificate("unproven", "by trials")


@pytest.mark.parametrize("law", ["uniform", "hypergeometric"])
def test_every_table_and_its_weight(law):
    """All tables with the same margins, listed by definition."""
    table = np.array([[2, 1, 0, 3], [1, 2, 4, 1]])
    hidden = [{"A": a, "B": b} for a in "12" for b in "1234"]
    release = fw.suppress(table, where=hidden, margins=["A", "B"])
    found = every_table(support(release, law), 10_000)
    wanted = {}
    for top in itertools.product(*(range(total + 1) for total in table.sum(axis=0))):
        if sum(top) == table[0].sum():
            cells = np.array([top, table.sum(axis=0) - top]).ravel()
            weight = 1.0 if law == "uniform" else 1 / np.prod([float(factorial(int(one))) for one in cells])
            wanted[tuple(cells.tolist())] = weight
    assert set(map(tuple, found.cells.tolist())) == set(wanted)
    assert len(found.cells) == len(wanted)
    p = np.exp(found.log_weights)
    total = sum(wanted.values())
    for cells, mine in zip(found.cells.tolist(), p / p.sum(), strict=True):
        assert mine == pytest.approx(wanted[tuple(cells)] / total)


def test_blocks_are_put_together_and_cells_without_sums_listed():
    """A block-diagonal pattern has the products of its blocks' tables; a cell that is only bounded has every value."""
    table = np.array([[1, 2, 5, 5], [2, 1, 5, 5], [5, 5, 3, 1], [5, 5, 1, 1]])
    hidden = [{"A": a, "B": b} for pair in ("12", "34") for a in pair for b in pair]
    release = fw.suppress(table, where=hidden)
    found = every_table(support(release, "uniform"), 1000)
    assert len(found.cells) == fw.count(release) == 4 * 3
    assert len(np.unique(found.cells, axis=0)) == 12
    bounded = fw.suppress([[1, 5], [7, 2]], rule="< 3", margins=[]).knows_rule("< 3")
    assert sorted(every_table(support(bounded, "uniform"), 100).cells[:, 0].tolist()) == [1, 1, 2, 2]


def test_too_many_tables_are_refused():
    hidden = [{"A": a, "B": b} for a in "12" for b in "12"]
    release = fw.suppress([[50, 40], [30, 20]], where=hidden)
    with pytest.raises(fw.TooLarge, match="more than 20 tables agree with what was published"):
        every_table(support(release, "uniform"), 20)
    bounded = fw.suppress([[1, 5], [7, 2]], rule="< 3", margins=[]).knows_rule("< 3")
    with pytest.raises(fw.TooLarge, match="more than 3 tables"):
        every_table(support(bounded, "uniform"), 3)


def test_one_trial_is_exact():
    values, weights = np.array([3, 5, 3, 7]), np.array([[1.0], [2.0], [1.0], [0.0]])
    pmf = law_by_trials(values, weights, weights[:, 0] > 0, Certificate("exact", "counted"))
    assert pmf.method == "exact"
    assert pmf.values.tolist() == [3, 5]
    assert pmf.probabilities == pytest.approx([0.5, 0.5])
    assert (pmf.lower, pmf.upper, pmf.support) == (3, 5, 2)


def test_errors_of_trials_are_those_of_the_same_work_done_again():
    """The standard deviation over many repetitions; what is possible and never came up is still listed."""
    random = np.random.default_rng(1)
    values, odds = np.array([0, 1, 1, 4, 6]), np.array([0.5, 0.2, 0.7, 0.3, 0.0])
    found = []
    for _ in range(400):
        weights = (random.random((5, 80)) < odds[:, None]) * np.array([[1.0], [1], [2], [1], [1]])
        found.append(law_by_trials(values, weights, np.ones(5, dtype=bool), WORDS))
    assert found[0].values.tolist() == [0, 1, 4, 6]
    assert found[0].support == 4
    p = np.array([pmf.probabilities for pmf in found])
    stated = np.mean([pmf.errors for pmf in found], axis=0)
    assert p.std(axis=0)[:3] == pytest.approx(stated[:3], rel=0.15)
    bits = np.array([pmf.entropy for pmf in found])
    true = np.array([0.5, 1.6, 0.3]) / 2.4
    assert bits.mean() == pytest.approx(-(true * np.log2(true)).sum(), abs=5 * bits.std() / 20)
    assert bits.std() == pytest.approx(np.mean([pmf.entropy_error for pmf in found]), rel=0.15)
    means = np.array([pmf.mean for pmf in found])
    assert means.std() == pytest.approx(np.mean([pmf.mean_error for pmf in found]), rel=0.15)
    assert np.mean([pmf.ess for pmf in found]) == pytest.approx((p * (1 - p)).mean(axis=0)[1] / p[:, 1].var(), rel=0.3)
