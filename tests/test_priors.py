"""Priors on cells: exact audits against every table weighed one by one, chains, and what is refused."""

from __future__ import annotations

import math

import naive
import numpy as np
import pytest
from effort import examples
from hypothesis import assume, given, note
from hypothesis import strategies as st
from worlds import worlds

import fiberwalk as fw

CORNER = {"A": "1", "B": "1"}


@examples(35)
@given(worlds(most_cells=9), st.sampled_from(["uniform", "expected"]), st.data())
def test_priors_weigh_every_table(world, law, data):
    note(world.story)
    n = world.values.size
    means = [1.0] * n
    cells = sorted(data.draw(st.sets(st.sampled_from(world.hidden), min_size=1, max_size=2)))
    odds = {cell: data.draw(st.lists(st.sampled_from([0.0, 0.1, 1.0, 2.5]), min_size=3, max_size=9)) for cell in cells}
    if law == "expected":
        means = data.draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=n, max_size=n))

    def weight(table):
        found = 1.0
        for cell, x in enumerate(table):
            if cell in odds:
                found *= odds[cell][x] if x < len(odds[cell]) else 0.0
            elif law == "expected":
                found *= means[cell] ** x / math.factorial(x)
        return found

    found = [table for table in world.tables() if weight(table) > 0]
    assume(found)
    names = [dim.name for dim in world.release.dims]
    pairs = []
    for number, cell in enumerate(cells):
        listed = dict(enumerate(odds[cell]))
        one = listed if number == 0 and any(odds[cell]) else lambda x, listed=listed: listed.get(x, 0.0)
        pairs.append((dict(zip(names, world.labels(cell), strict=True)), one))
    otherwise = "uniform" if law == "uniform" else fw.expected(np.array(means).reshape(world.values.shape))
    audit = fw.audit(world.release, fw.prior(pairs, otherwise))
    assert audit.tables == len(found)
    for cell in world.hidden:
        mine = world.own.get(cell, 0)
        expected = {value - mine: p for value, p in naive.pmf(found, [cell], weight).items()}
        pmf = audit.pmf(dict(zip(names, world.labels(cell), strict=True)))
        assert pmf.index.tolist() == list(expected)
        assert pmf.to_numpy() == pytest.approx(np.array(list(expected.values())), abs=1e-12, rel=1e-9)


def test_expected_counts_of_the_log_linear_model_do_not_cancel_beside_a_prior():
    release = fw.publish([[3, 1], [2, 4]], ["A", "B"])
    means = np.array(naive.raked((2, 2), [4, 6], [5, 5])).ravel()
    found = naive.tables(4, naive.margin_facts(np.array([[3, 1], [2, 4]]), [[0, 1], [0, 0]]) + naive.margin_facts(
        np.array([[3, 1], [2, 4]]), [[0, 0], [0, 1]]))  # fmt: skip

    def weight(table):
        return 0.5 ** table[0] * math.prod(means[c] ** table[c] / math.factorial(table[c]) for c in (1, 2, 3))

    audit = fw.audit(release, fw.prior([(CORNER, lambda x: 0.5**x)], otherwise="hypergeometric"))
    expected = naive.pmf(found, [0], weight)
    assert audit.pmf(CORNER).to_dict() == pytest.approx(expected)


def test_a_prior_that_is_the_law_changes_nothing():
    release = fw.publish([[3, 1], [2, 4]], ["A", "B"])
    poisson = fw.prior([(CORNER, lambda x: 2.0**x / math.factorial(x))], "hypergeometric")  # its fitted mean is 2
    before = fw.audit(release, "hypergeometric").pmf(CORNER)
    assert fw.audit(release, poisson).pmf(CORNER).to_numpy() == pytest.approx(before.to_numpy())


def test_beta_binomial_and_values_in_own_units():
    counts = fw.beta_binomial(4, 2.0, 0.5)
    p = [counts(x) for x in range(5)]
    assert sum(p) == pytest.approx(1)
    assert sum(x * one for x, one in enumerate(p)) == pytest.approx(4 * 2.0 / 2.5)
    assert (counts(-1), counts(5), counts(1.5)) == (0, 0, 0)
    release = fw.publish([[0.3, 0.1], [0.2, 0.4]], ["A", "B"], decimals=1)
    audit = fw.audit(release, fw.prior([(CORNER, {0.1: 1, 0.4: 3})]))
    assert audit.pmf(CORNER).to_dict() == pytest.approx({0.1: 0.25, 0.4: 0.75})
    same = fw.audit(release, fw.prior([(CORNER, lambda x: {0.1: 1, 0.4: 3}.get(x, 0))]))
    assert same.pmf(CORNER).equals(audit.pmf(CORNER))


def test_chains_follow_a_prior():
    release = fw.publish([[2, 1, 1], [1, 2, 1]], ["A", "B"])
    law = fw.prior([(CORNER, {0: 0.2, 1: 0.1, 2: 0.5, 3: 0.2})], "hypergeometric")
    exact, sampled = (fw.audit(release, law, method=method) for method in ("exact", "chains"))
    assert sampled.method == "chains"
    for one, other in zip(exact.belief.pmfs, sampled.belief.pmfs, strict=True):
        assert other.values.tolist() == one.values.tolist()
        assert other.probabilities == pytest.approx(one.probabilities, abs=0.03)


def test_a_saved_prior_is_loaded_with_its_weights(tmp_path):
    release = fw.publish([[3, 1], [2, 4]], ["A", "B"])
    cells = [(CORNER, lambda x: 1 / (1 + x)), ({"A": "1", "B": "2"}, fw.beta_binomial(9, 1, 2))]
    audit = fw.audit(release, fw.prior(cells, otherwise=fw.expected([[1, 2], [3, 4]])))
    audit.save(tmp_path / "audit.fw")
    loaded = fw.load(tmp_path / "audit.fw")
    assert loaded.cells.equals(audit.cells)
    assert loaded.belief.law.words == audit.belief.law.words
    assert fw.audit(loaded.release, loaded.belief.law).cells.equals(audit.cells)


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ({"A": 1}, "takes a list of pairs"),
        ([CORNER], "takes pairs of a cell"),
        ([], "needs at least one cell"),
        ([(CORNER, {0: -0.5, 1: 1})], "gives -0.5 for 0; a probability is a finite number of at least 0"),
        ([(CORNER, {0: math.inf})], "gives inf for 0"),
        ([(CORNER, {0: 0.0})], "gives no value a probability above 0"),
        ([(CORNER, [0.5, 0.5])], "must be a dict of value -> probability, a function"),
        ([(CORNER, lambda x: math.nan)], "prior on A=1, B=1 gives nan for 0"),
        ([(CORNER, {9: 1})], "the prior on A=1, B=1 gives no probability to what .* possible: 0 to 4"),
        ([(CORNER, {1: 1}), (dict(CORNER), {2: 1})], "A=1, B=1 has two priors"),
        ([({"A": "1"}, {1: 1})], "A=1, B=Total is a sum of several"),
        ([({"A": "1", "B": "x"}, {1: 1})], "dim 'B' has no label 'x'"),
        ([(CORNER, {0.5: 1})], "the prior on A=1, B=1: 0.5 is not a whole number"),
        ([(CORNER, {0: 1}), ({"A": "1", "B": "2"}, {0: 1})], "leave no possible table"),
    ],
)
def test_what_is_refused(cells, words):
    release = fw.publish([[3, 1], [2, 4]], ["A", "B"])
    with pytest.raises(fw.InputError, match=words):
        fw.audit(release, fw.prior(cells))


def test_wrong_beta_binomials():
    with pytest.raises(fw.InputError, match=r"beta_binomial\(n=-1\)"):
        fw.beta_binomial(-1, 1, 1)
    with pytest.raises(fw.InputError, match=r"beta_binomial\(b=0\): a number above 0"):
        fw.beta_binomial(3, 1, 0)
