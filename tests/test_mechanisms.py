"""Every mechanism that calls its likelihood exact: what it publishes, and what follows from it, are as it claims."""

from collections import Counter
from dataclasses import replace

import naive
import numpy as np
import pytest
from mechanisms import COLUMNS, ROWS, SHAPE, cases, claimed
from scipy import stats

import fiberwalk as fw

CASES = {case.name: case for case in cases()}
UNLIKELY = 1e-6
PUBLICATIONS = 4000


def truths():
    """Every table with the totals of the protocol."""
    margins = [[list("ab"), [""] * 3], [[""] * 2, list("xyz")]]
    some = np.zeros(SHAPE, int)
    some[0], some[1] = (3, 1, 1), (1, 2, 1)
    assert tuple(some.sum(1)) == ROWS
    assert tuple(some.sum(0)) == COLUMNS
    return np.array(naive.tables(6, [fact for groups in margins for fact in naive.margin_facts(some, groups)]))


def chi_square(seen, expected):
    """The p-value of counts against expectations, rare outcomes taken together."""
    order = np.argsort(expected)
    group = np.cumsum(expected[order]) // 10
    seen, expected = (np.bincount(group.astype(int), one[order]) for one in (seen, expected))
    seen, expected = seen[expected > 0], expected[expected > 0]
    return stats.chi2.sf(((seen - expected) ** 2 / expected).sum(), len(seen) - 1)


@pytest.mark.parametrize("name", CASES)
def test_what_is_published_has_the_distribution_that_the_evidence_claims(name):
    case, rng = CASES[name], np.random.default_rng(20)
    for truth in truths()[:: len(truths()) // 2]:
        found = Counter(map(tuple, case.draw(truth, PUBLICATIONS, rng).tolist()))
        claims = np.array([case.constant * claimed(case.read(np.array(one)), truth) for one in found])
        assert (claims > 0).all(), "what was published is impossible, says its evidence"
        assert claims.sum() < 1 + 1e-9
        # What was never seen, all together, is one more outcome.
        seen = np.array([*found.values(), 0])
        expected = PUBLICATIONS * np.array([*claims, max(1 - claims.sum(), 0)])
        assert chi_square(seen, expected) > UNLIKELY
        wrong = PUBLICATIONS * np.full(len(claims), 1 / len(claims))
        assert len(claims) < 3 or chi_square(seen[:-1], wrong) < UNLIKELY


def ranks(case, rng, read):
    """The rank of the truth in the posterior of one cell, ties broken at random, over many publications."""
    known, found = {}, []
    for truth in truths():
        for published in case.draw(truth, PUBLICATIONS // len(truths()), rng):
            key = published.tobytes()
            if key not in known:
                known[key] = fw.audit(read(published)).pmf(A="1", B="1")
            pmf = known[key]
            below, at = pmf[pmf.index < truth[0]].sum(), pmf.get(truth[0], 0.0)
            found.append(below + rng.random() * at)
    return np.histogram(found, bins=10, range=(0, 1))[0]


@pytest.mark.parametrize("name", CASES)
def test_the_truth_ranks_evenly_in_the_posterior(name):
    case = CASES[name]
    counts = ranks(case, np.random.default_rng(21), case.read)
    assert stats.chisquare(counts).pvalue > UNLIKELY


def test_the_ranks_betray_evidence_that_is_counted_twice():
    case = CASES["random rounding"]

    def twice(published):
        release = case.read(published)
        return replace(release, evidence=release.evidence * 2)

    counts = ranks(case, np.random.default_rng(21), twice)
    assert stats.chisquare(counts).pvalue < UNLIKELY
