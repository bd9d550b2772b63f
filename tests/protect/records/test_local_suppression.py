"""Local suppression against every table that could have left what was published."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from support.effort import examples

import fiberwalk as fw

TRUE = np.array([[1, 4], [3, 0], [2, 2]])


def possible_tables(published, blanks):
    """Every table of which so many records of each column are blank."""
    columns = [
        [left + np.array(more) for more in product(range(blank + 1), repeat=len(left)) if sum(more) == blank]
        for left, blank in zip(published.T, blanks, strict=True)
    ]
    return [np.array(one).T for one in product(*columns)]


@pytest.mark.parametrize("rate", [None, 0.3, 0.6])
def test_an_audit_against_every_table(rate):
    how = {"rule": "< 3"} if rate is None else {"rate": rate, "seed": 5}
    release = fw.protect.local_suppress(TRUE, "A", **how)
    published = release.published.values.astype(int)
    assert release.likelihood == ("support only" if rate is None else "exact")
    tables = possible_tables(published, (TRUE - published).sum(axis=0))
    if rate is None:
        weights = np.ones(len(tables))
    else:
        weights = np.array([
            np.prod([
                comb(x, y) * (1 - rate) ** y * rate ** (x - y) for x, y in zip(one.ravel(), published.ravel(), strict=True)
            ])
            for one in tables
        ])  # fmt: skip
    weights = weights / weights.sum()
    audit = fw.audit(release)
    for a, b in np.ndindex(TRUE.shape):
        wanted = np.bincount([one[a, b] for one in tables], weights=weights)
        if (a, b) in [(int(i) - 1, int(j) - 1) for i, j in audit.cells.index]:
            found = audit.pmf(A=str(a + 1), B=str(b + 1))
            for value in set(found.index) | set(range(len(wanted))):
                assert found.get(value, 0.0) == pytest.approx(wanted[value] if value < len(wanted) else 0.0, abs=1e-9)


@given(hnp.arrays(int, (2, 3, 2), elements=st.integers(0, 9)), st.sampled_from("ABC"), st.floats(0.01, 0.99))
@examples(25)
def test_blanks_are_counted_beside_the_lines_and_an_outsider_reads_the_same(table, dim, rate):
    release = fw.protect.local_suppress(table, dim, rate=rate, seed=3)
    published = release.published
    assert (published.values <= table).all()
    others = published.sum(dim) * 0 + table.sum(axis="ABC".index(dim))
    outside = fw.protect.as_protected(published, "local_suppress", dim=dim, rate=rate, exact=[others])
    assert [one.first for one in outside.evidence] == [one.first for one in release.evidence]
    for one, other in zip(outside.evidence, release.evidence, strict=True):
        assert (one.log_weights == other.log_weights).all()
    assert outside.likelihood == "exact"


def test_rare_combinations_are_blanked_by_a_rule():
    release = fw.protect.local_suppress(TRUE, "A", rule="< 3")
    assert release.published.values.tolist() == [[0, 4], [3, 0], [0, 0]]
    assert release.applied[0].seed is None
    bounds = fw.bounds(release.without_truth())
    # three of the first column are blank, two of the second: any of its cells may be theirs
    assert bounds["lower"].tolist() == release.published.values.ravel().tolist()
    assert (bounds["upper"] - bounds["lower"]).tolist() == [3, 2, 3, 2, 3, 2]


def test_on_a_map_users_expect_some_of_the_blanks_in_every_cell():
    release = fw.protect.local_suppress(TRUE, "A", rate=0.3, seed=5)
    means = fw.audit(release).cells["mean"].sort_index().to_numpy().reshape(TRUE.shape)
    assert means.sum() == pytest.approx(TRUE.sum())
    found = fw.ru_map(TRUE, {"it": release}, utility="hellinger", original=False).frame["utility"].iloc[0]
    assert found == pytest.approx(fw.risk.hellinger_utility(TRUE, means))
    assert found > fw.risk.hellinger_utility(TRUE, release.published.values)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fw.protect.local_suppress(TRUE, "C", rate=0.3), "blanks the values of 'C', which is no dim"),
        (lambda: fw.protect.local_suppress(TRUE, "A"), "needs rule= .* or rate=: which values are blanked"),
        (lambda: fw.protect.local_suppress(TRUE, "A", rate=0.3, rule="< 3"), "takes rule= or rate=, one of them"),
        (lambda: fw.protect.local_suppress(TRUE, "A", rate=1), "rate=1.: the probability that a value is blanked"),
        (lambda: fw.protect.local_suppress(TRUE, "A", rule="< 3", seed=1), "nothing is random; leave out seed="),
        (lambda: fw.protect.local_suppress(TRUE + 9, "A", rule="< 3"), "no record is blanked: rule '< 3' hits no cell"),
        (lambda: fw.protect.local_suppress(TRUE, "A", rule="few"), "rule 'few' is not understood"),
        (
            lambda: fw.protect.as_protected(TRUE, "local_suppress", dim="A", rate=0.3),
            "how many A are blank. Give the table of all other dims with exact=",
        ),
    ],
)
def test_wrong_parameters(call, words):
    with pytest.raises(fw.InputError, match=words):
        call()
