"""Closed forms equal brute force, and are given only where they apply."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st
from support.effort import examples
from support.naive import tables as naive

import fiberwalk as fw
from fiberwalk.fiber.bounds.decomposable import DECOMPOSABLE, REDUCIBLE, components, margin_bounds

NAMES = "ABCDE"


def solve(release):
    assert release.n_cells == len(release.hidden)
    found = fw.bounds(release)
    return found["lower"].to_numpy(), found["upper"].to_numpy()


def published(values, margins):
    return fw.publish(values, [",".join(margin) for margin in margins])


def brute_force(values, margins):
    facts = []
    for margin in margins:
        groups = [[i if NAMES[axis] in margin else 0 for i in range(n)] for axis, n in enumerate(values.shape)]
        facts += naive.margin_facts(values, groups)
    try:
        tables = np.array(naive.tables(values.size, facts, most=1000))
    except naive.TooMany:
        assume(False)
    return tables.min(axis=0).tolist(), tables.max(axis=0).tolist()


@st.composite
def tables(draw, shapes, counts=(0, 0, 0, 1, 1, 2)):
    shape = draw(shapes)
    n = int(np.prod(shape))
    return np.array(draw(st.lists(st.sampled_from(counts), min_size=n, max_size=n))).reshape(shape)


SHAPES = st.sampled_from([(2,), (4,), (2, 3), (3, 3), (1, 3), (2, 1, 3), (2, 2, 2), (2, 3, 2), (3, 1, 1), (2, 2, 2, 2)])


@examples(120)
@given(tables(SHAPES), st.data())
def test_any_margins_whether_decomposable_or_not(values, data):
    dims = NAMES[: values.ndim]
    every = ["".join(part) for size in range(values.ndim) for part in itertools.combinations(dims, size)]
    margins = data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=5, unique=True))
    note(margins)
    found = margin_bounds(published(values, margins), solve)
    assume(found is not None)
    low, high = brute_force(values, margins)
    assert (found[0].tolist(), found[1].tolist()) == (low, high)


REDUCED = {
    ("AB", "AC", "BC", "CD"): (("ABC", "CD"), ("C",)),
    ("AB", "AC", "BC", "D"): (("ABC", "D"), ("",)),
    ("AB", "AC", "BC"): (("ABC",), ()),
    ("AB", "BC", "ACD"): (("ABC", "ACD"), ("AC",)),
    ("AB", "AC", "BC", "BCD", "A", ""): (("ABC", "BCD"), ("BC",)),
}


@examples(30)
@given(
    tables(st.sampled_from([(2, 2, 2, 2), (3, 2, 2, 2)]), (0, 0, 0, 0, 1, 1, 2)),
    st.sampled_from(sorted(REDUCED)),
    st.permutations("ABCD"),
)
def test_a_table_that_falls_apart_into_smaller_ones(values, margins, names):
    named = dict(zip("ABCD", names, strict=True))
    margins = ["".join(sorted(named[dim] for dim in margin)) for margin in margins]
    note(margins)
    release = published(values, margins)
    low, high = brute_force(values, margins)
    # what an outsider reads has no truth, and must say the same
    for given_release in (release, replace(release, truth=None)):
        found = margin_bounds(given_release, solve)
        assert (found[0].tolist(), found[1].tolist(), found[2]) == (low, high, REDUCIBLE)
    assert margin_bounds(release) is None


def as_letters(sets):
    return tuple("".join(NAMES[i] for i in sorted(one)) for one in sets)


@pytest.mark.parametrize("margins", list(REDUCED))
def test_components_and_separators(margins):
    found = components(published(np.ones((2, 2, 2, 2), dtype=int), margins))
    parts, separators = REDUCED[margins]
    assert sorted(as_letters(part.dims for part in found.parts)) == sorted(parts)
    assert as_letters(found.separators) == separators
    for part in found.parts:
        (name,) = as_letters([part.dims])
        assert part.complete == (name in margins)
        assert found.free == ("D" not in "".join(margins))


@pytest.mark.parametrize(
    ("margins", "parts"),
    [
        (["AB", "BC", "CD", "DE"], 4),
        (["ABC", "BCD", "CDE"], 3),
        (["A", "B", "C", "D", "E"], 5),
        (["AB", "AC", "AD", "AE"], 4),
        (["ABC", "ABD", "ABE"], 3),
    ],
)
def test_decomposable_margins_of_five_dims_agree_with_the_general_solver(margins, parts):
    release = published(np.random.default_rng(3).poisson(1.5, (2, 2, 3, 2, 2)), margins)
    found = margin_bounds(release)
    low, high = solve(release)
    assert (found[0].tolist(), found[1].tolist(), found[2]) == (low.tolist(), high.tolist(), DECOMPOSABLE)
    assert len(components(release).parts) == parts


def test_cycles_and_hollow_triangles_have_no_closed_form():
    values = np.arange(16).reshape(2, 2, 2, 2)
    for margins in (["AB", "BC", "CD", "AD"], ["ABC", "ABD", "ACD", "BCD"]):
        assert margin_bounds(published(values, margins), solve) is None
    assert margin_bounds(published(values[0], ["AB", "BC", "AC"]), solve) is None
    assert margin_bounds(published(values[0], ["AB", "BC"])) is not None


def test_the_formula_would_be_wrong_on_a_hollow_triangle():
    """Why a triangle of margins is not treated as decomposable: the least of its margins is not always attained."""
    values = np.zeros((2, 2, 2), dtype=int)
    values[0, 0, 1] = values[0, 1, 0] = values[1, 0, 0] = 1
    _, high = brute_force(values, ["AB", "AC", "BC"])
    least_margin = min(values[0, 0].sum(), values[0, :, 0].sum(), values[:, 0, 0].sum())
    assert (least_margin, high[0]) == (1, 0)


def test_other_facts_have_no_closed_form():
    values = np.array([[3, 1, 2], [2, 4, 1]])
    plain = published(values, ["A", "B"])
    assert margin_bounds(plain)[2] == DECOMPOSABLE
    assert margin_bounds(plain.knows({"A": "1", "B": "1"}, at_most=3)) is None
    assert margin_bounds(plain.knows({"A": "1", "B": "1"}, at_least=1)) is None
    assert margin_bounds(fw.suppress(values, where=values < 3)) is None
    assert margin_bounds(fw.round_to(values, 3, margins=["A", "B"])) is None
    groups = {"B": {"low": ["1", "2"], "high": ["3"]}}
    assert margin_bounds(fw.publish(fw.table(values, hierarchies=groups), ["A", "B:1"])) is None
    assert margin_bounds(fw.publish(fw.table(values, hierarchies=groups), ["A", "B"])) is not None
    evidence = fw.protect.Evidence(np.array([0]), np.array([1]), 0, np.zeros(9))
    assert margin_bounds(replace(plain, evidence=(evidence,))) is None


def without(release, fact):
    sums = release.sums
    kept = np.setdiff1d(np.arange(len(sums)), [fact])
    few = replace(
        sums, matrix=sums.matrix[kept], lower=sums.lower[kept], upper=sums.upper[kept], value=sums.value[kept],
        keys=sums.keys[kept], words=tuple(sums.words[i] for i in kept),
    )  # fmt: skip
    return replace(release, sums=few)


def test_a_margin_must_be_complete_and_agree_with_the_others():
    plain = published(np.array([[3, 1, 2], [2, 4, 1]]), ["A", "B"])
    for fact in range(5):
        assert margin_bounds(without(plain, fact)) is None
        lower = plain.sums.lower.copy()
        lower[fact] += 1
        assert margin_bounds(replace(plain, sums=replace(plain.sums, lower=lower, upper=lower))) is None
    twice = replace(plain.sums, matrix=plain.sums.matrix * 2)
    assert margin_bounds(replace(plain, sums=twice)) is None
