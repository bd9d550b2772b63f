"""Rounding that adds up: adjacent multiples for every cell and margin, the nearest ones or right on average."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fiberwalk as fw
from fiberwalk.protect.mechanism.mechanism import figures_of
from fiberwalk.protect.rounding.controlled_rounding import unbiased_rounding
from fiberwalk.release.publish import parse_margins

TREE = {"A": {"x": ["1", "2"], "y": ["3"]}}
SHAPES = [((3, 4), None), ((3, 2), TREE), ((3, 2, 2), None), ((3, 2, 2), TREE), ((2, 2, 2, 2), None), ((5,), None)]


def adjacent(true, published, base):
    """Next to the truth on either side; multiples stay."""
    return (published % base == 0).all() and (np.abs(true - published) < base).all()


def figures(release, margins=None):
    """The true and published values of every cell and margin."""
    _, matrix = figures_of(release, parse_margins(margins, release.dims))
    return matrix @ release.truth, matrix @ release.figures


@given(st.sampled_from(SHAPES), st.sampled_from([2, 3, 5]), st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_every_cell_and_margin_is_a_multiple_next_to_its_truth(case, base, seed):
    shape, tree = case
    table = np.random.default_rng(seed).poisson(3, shape)
    margins = None
    try:
        release = fw.protect.controlled_round(fw.table(table, hierarchies=tree), base, seed=seed)
    except fw.InputError:
        assert len(shape) > 2  # in two dims there always is one
        margins = ["A", "B"]
        release = fw.protect.controlled_round(fw.table(table, hierarchies=tree), base, seed=seed, margins=margins)
    assert adjacent(*figures(release, margins), base)
    assert (release.published.values.ravel() == release.figures).all()
    assert (release.lower == np.maximum(release.figures - base + 1, 0)).all()
    assert (release.upper == release.figures + base - 1).all()
    assert (release.sums.matrix @ release.figures == release.sums.value).all()


def test_dfkpr01_table_2():
    """Its cells are the print's, and so are its margins, which are the sums of the cells."""
    printed = [[3, 87, 69, 72], [6, 9, 81, 3], [3, 3, 6, 108], [63, 6, 57, 6]]
    release = fw.protect.controlled_round(fw.examples.dfkpr01().table.sum("K"), base=3, seed=1)
    assert release.published.values.tolist() == printed
    totals = {tuple(key): value for key, value in zip(release.sums.keys.tolist(), release.sums.value, strict=True)}
    assert [totals[i, 4] for i in range(5)] == [231, 99, 120, 132, 582]
    assert [totals[4, j] for j in range(4)] == [75, 105, 213, 189]
    assert release.likelihood == "support only"


@pytest.mark.parametrize(("shape", "base"), [((2, 3), 4), ((2, 2, 2), 3)])
def test_no_rounding_is_nearer(shape, base):
    rng = np.random.default_rng(7)
    for _ in range(6):
        table = rng.integers(0, 9, shape)
        release = fw.protect.controlled_round(table, base, seed=3)
        matrix = figures_of(release, parse_margins(None, release.dims))[1]
        true, n = matrix @ table.ravel(), table.size
        best = min(
            (int(np.abs(true - rounded)[:n].sum()), int(np.abs(true - rounded)[n:].sum()))
            for up in product((0, 1), repeat=n)
            if adjacent(true, rounded := matrix @ ((table.ravel() // base + up) * base), base)
        )
        change = np.abs(np.subtract(*figures(release)))
        assert (change[:n].sum(), change[n:].sum()) == best


def expected_rounding(values, base, fair=False):
    """The exact mean of the unbiased rounding over every sequence of its random choices."""
    mean, todo = np.zeros(values.shape, dtype=object), [()]
    while todo:
        script = todo.pop()
        weight, taken = Fraction(1), 0

        def chance(some, of, script=script):
            nonlocal weight, taken
            up = script[taken] if taken < len(script) else True
            taken += 1
            share = Fraction(1, 2) if fair else Fraction(some, of)
            weight *= share if up else 1 - share
            return up

        rounded = unbiased_rounding(values, base, chance)
        todo += [(*script, *(True,) * (later - len(script)), False) for later in range(len(script), taken)]
        mean = mean + weight * rounded.astype(object)
    return mean


@pytest.mark.parametrize(("values", "base"), [([[1, 2], [4, 3]], 3), ([[1, 3, 0], [2, 2, 5]], 4), ([[1], [1], [2]], 5)])
def test_unbiased_rounding_is_right_on_average(values, base):
    values = np.array(values)
    assert (expected_rounding(values, base) == values).all()
    assert (expected_rounding(values, base, fair=True) != values).any()  # a fair coin would not do


@given(st.integers(1, 6), st.integers(1, 6), st.sampled_from([2, 3, 7]), st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_unbiased_rounding_is_controlled_rounding(rows, columns, base, seed):
    table = np.random.default_rng(seed).poisson(3, (rows, columns))
    assert adjacent(*figures(fw.protect.controlled_round(table, base, unbiased=True, seed=seed)), base)


def test_magnitudes_are_rounded_in_their_own_units():
    release = fw.protect.controlled_round(fw.table([[1.2, 0.4], [2.5, 3.1]], decimals=1), base=0.5, seed=1)
    assert release.published.values.ravel().tolist() == [1.0, 0.5, 2.5, 3.0]


def test_one_seed_one_rounding():
    table = np.arange(1, 26).reshape(5, 5)
    seen = [fw.protect.controlled_round(table, 3, unbiased=True, seed=seed).published.values for seed in (1, 1, 2)]
    assert (seen[0] == seen[1]).all()
    assert (seen[0] != seen[2]).any()


def test_what_cannot_be_rounded_is_said():
    cube = [[[0, 1], [1, 0]], [[0, 1], [1, 1]]]
    with pytest.raises(fw.InputError, match=r"no rounding exists in which .*; publish fewer margins \(margins=\)"):
        fw.protect.controlled_round(cube, 2, seed=1)
    fw.protect.controlled_round(cube, 2, margins=["A", "B", "C"], seed=1)
    with pytest.raises(fw.InputError, match="for tables of two dims; this one has 3"):
        fw.protect.controlled_round(cube, 3, unbiased=True)
    with pytest.raises(fw.InputError, match="not the level 'A:1' of 'A': leave it out of margins="):
        fw.protect.controlled_round(fw.table([[1, 2], [3, 4], [5, 6]], hierarchies=TREE), 3, unbiased=True)
    with pytest.raises(fw.InputError, match="the base must be positive"):
        fw.protect.controlled_round([[1, 2]], 0)
