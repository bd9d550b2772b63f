"""Every mechanism that calls its likelihood exact: what it publishes, and what follows from it, are as it claims."""

import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from support.mechanisms import COLUMNS, ROWS, cases, claimed

import fiberwalk as fw

CASES = {case.name: case for case in cases()}
UNLIKELY = 1e-6
PUBLICATIONS = 4000


def truths():
    """Every table with the totals of the protocol."""
    least = max(0, ROWS[0] + COLUMNS[0] - sum(ROWS))
    corner = np.arange(least, min(ROWS[0], COLUMNS[0]) + 1)
    return np.stack([corner, ROWS[0] - corner, COLUMNS[0] - corner, ROWS[1] - COLUMNS[0] + corner], axis=1)


def chi_square(seen, probability):
    """The p-value of how often outcomes were seen against their probabilities; all rare ones are one outcome."""
    usual = probability * PUBLICATIONS >= 10
    seen = np.array([*seen[usual], PUBLICATIONS - seen[usual].sum()])
    expected = PUBLICATIONS * np.array([*probability[usual], 1 - probability[usual].sum()])
    return stats.chi2.sf(((seen - expected) ** 2 / np.maximum(expected, 1e-9)).sum(), len(seen) - 1)


@pytest.mark.parametrize("name", CASES)
def test_what_is_published_has_the_distribution_that_the_evidence_claims(name):
    case, rng = CASES[name], np.random.default_rng(20)
    for truth in truths()[1::2]:
        found = Counter(map(tuple, case.draw(truth, PUBLICATIONS, rng).tolist()))
        claims = np.array([case.constant * claimed(case.read(np.array(one)), truth) for one in found])
        assert (claims > 0).all(), "what was published is impossible, says its evidence"
        assert claims.sum() < 1 + 1e-9
        seen = np.array(list(found.values()))
        assert chi_square(seen, claims) > UNLIKELY
        twice = claims**2 / (claims**2).sum()
        assert chi_square(seen, twice) < UNLIKELY


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


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_truth_ranks_evenly_in_the_posterior(name):
    case = CASES[name]
    counts = ranks(case, np.random.default_rng(21), case.read)
    assert stats.chisquare(counts).pvalue > UNLIKELY


@pytest.mark.slow
def test_the_ranks_betray_evidence_that_is_counted_twice():
    case = CASES["random rounding"]

    def twice(published):
        release = case.read(published)
        return replace(release, evidence=release.evidence * 2)

    counts = ranks(case, np.random.default_rng(21), twice)
    assert stats.chisquare(counts).pvalue < UNLIKELY


def seen_by_a_reader(release):
    """All that a reader sees of a release."""
    figures = np.nan_to_num(release.published.values, nan=-1).ravel()
    sums = [*release.sums.lower, *release.sums.upper, *release.sum_figures.values()]
    return (*figures.tolist(), *map(int, sums), *release.status.tolist())


@pytest.mark.parametrize(
    ("method", "most"),
    [
        (
            lambda table: fw.round_to(table, 3, margins=[""]),
            7,
        ),  # a total of 8 looks like 9 and 10, which are not listed
        (lambda table: fw.merge(table, {"A": {"12": ["1", "2"]}}), 8),
        (lambda table: fw.suppress(table, rule="< 3", rule_known=True, flags=True, margins=[""]), 8),
    ],
    ids=["rounding", "redesign", "suppression by a known rule"],
)
def test_without_chance_exact_means_all_tables_that_would_be_published_alike(method, most):
    """P(published | table) is 1 for these and 0 for others: the fiber is that set, no table more or less."""
    alike, some = Counter(), {}
    for counts in itertools.product(range(9), repeat=3):
        if sum(counts) > 8:
            continue
        try:
            release = method(np.array(counts).reshape(3, 1))
        except fw.InputError:  # nothing to hide, or everything
            continue
        assert release.likelihood == "exact"
        alike[seen_by_a_reader(release)] += 1
        if sum(counts) <= most:
            some[seen_by_a_reader(release)] = release
    checked = 0
    for seen, release in list(some.items())[:: max(len(some) // 25, 1)]:
        assert fw.count(release.without_truth()) == alike[seen]
        checked += alike[seen] > 1
    assert checked >= 3
