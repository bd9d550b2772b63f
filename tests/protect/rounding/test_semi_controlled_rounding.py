"""The number of cells that go up is fixed: what that keeps, and what the cellwise approximation leaves out."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fiberwalk as fw
from fiberwalk.protect.rounding.semi_controlled_rounding import number_up, rounded_by_number


@given(st.sampled_from([2, 3, 5, 6]), st.sampled_from([None, "A", "B"]), st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_the_numbers_that_go_up_are_those_expected(base, within, seed):
    table = np.random.default_rng(seed).poisson(4, (4, 6))
    published = fw.protect.semi_controlled_round(table, base, within=within, seed=seed).published.values
    assert (published % base == 0).all()
    assert (np.abs(published - table) < base).all()
    parts = {None: [...], "A": list(range(4)), "B": [(slice(None), j) for j in range(6)]}[within]
    for part in parts:
        true, shown = table[part], published[part]
        for remainder in range(1, base):
            ups = (shown > true)[true % base == remainder]
            assert abs(int(ups.sum()) * base - len(ups) * remainder) * 2 <= base
        off = abs(int(shown.sum()) - int(true.sum()))
        assert off <= (base - 1) * (base // 2)
        assert base != 3 or off < base


def joint_likelihood(truth, published, base):
    """P(published | truth), straight from the description."""
    chance = 1.0
    for remainder in range(base):
        part = truth % base == remainder
        rise = published[part] - (truth[part] - remainder)
        if not np.isin(rise, [0, base] if remainder else [0]).all():
            return 0.0
        cells, ups = int(part.sum()), int((rise == base).sum())
        expected = int(np.floor(cells * remainder / base + 0.5))
        chance *= (ups == expected) / comb(cells, expected)
    return chance


def test_tables_come_out_as_often_as_the_joint_likelihood_says():
    truth, base, draws = np.array([1, 4, 2, 1, 3]), 3, 4000
    random, groups = np.random.default_rng(5), np.zeros(5, dtype=int)
    seen = Counter(tuple(rounded_by_number(truth, base, groups, random.random(5)).tolist()) for _ in range(draws))
    chances = {p: joint_likelihood(truth, np.array(p), base) for p in product((0, 3, 6), repeat=5)}
    possible = {p: chance for p, chance in chances.items() if chance}
    assert sum(possible.values()) == pytest.approx(1)
    assert set(seen) == set(possible)
    chi_square = sum((seen[p] - draws * chance) ** 2 / (draws * chance) for p, chance in possible.items())
    assert chi_square < 40  # 2 degrees of freedom
    assert number_up(np.array([1, 3, 3]), np.array([1, 1, 2]), 2 * base).tolist() == [0, 1, 1]  # a half goes up


def gap(cells, base=3, most=5):
    """Total variation between the approximate and the true posterior of a cell, on average over what is published."""
    truths = np.array(list(product(range(most + 1), repeat=cells)))
    by_published: dict = {}
    for truth in truths:
        choices = [(x,) if x % base == 0 else (x - x % base, x - x % base + base) for x in truth.tolist()]
        for published in product(*choices):
            by_published.setdefault(published, []).append(truth)
    total = weight = 0.0
    for published, possible in by_published.items():
        shown, tables = np.array(published), np.array(possible)
        true = np.array([joint_likelihood(truth, shown, base) for truth in possible])
        if true.sum() == 0:
            continue
        apart = np.prod(1 - np.abs(tables - shown) / base, axis=1)
        first = np.arange(most + 1)[:, None] == tables[:, 0]
        total += true.sum() * np.abs(first @ true / true.sum() - first @ apart / apart.sum()).sum() / 2
        weight += true.sum()
    return total / weight


def test_the_gap_of_the_approximation_is_the_one_in_the_docstring():
    said = re.findall(r"0\.\d{3}", fw.protect.semi_controlled_round.__doc__)
    assert [f"{gap(2):.3f}", f"{gap(3):.3f}"] == said


def test_the_evidence_is_random_roundings_and_exact_margins_are_facts():
    table = [[1, 4, 7], [2, 5, 3]]
    release = fw.protect.semi_controlled_round(table, 3, exact=["A"], seed=2)
    assert release.likelihood == "cellwise approximation"
    assert len(release.evidence) == 6
    assert release.sums.value.tolist() == [12, 10]
    pmf = fw.audit(fw.protect.semi_controlled_round([[3, 3, 3]], 3)).pmf(A="1", B="1")
    assert pmf.to_dict() == pytest.approx({1: 1 / 9, 2: 2 / 9, 3: 3 / 9, 4: 2 / 9, 5: 1 / 9})


def test_bad_input_is_said():
    with pytest.raises(fw.InputError, match="every category has one cell"):
        fw.protect.semi_controlled_round([[1, 2], [3, 4]], within="A,B")
    with pytest.raises(fw.InputError, match="the base must be positive"):
        fw.protect.semi_controlled_round([[1, 2], [3, 4]], base=-1)
    with pytest.raises(fw.InputError, match="names 'Z', which is no dim"):
        fw.protect.semi_controlled_round([[1, 2], [3, 4]], within="Z")
