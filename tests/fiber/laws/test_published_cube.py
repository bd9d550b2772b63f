"""A hypercube from published tables: against a plain fit, cell by cell; what contradicts itself ends in a sentence."""

from __future__ import annotations

import re
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import fiberwalk as fw

LABELS = {"a": ["x", "y"], "b": ["1", "2", "3"], "c": ["p", "q"]}
CUBES = hnp.arrays(int, (2, 3, 2), elements=st.integers(1, 30))


def named(values, dims="abc"):
    return xr.DataArray(values, {dim: LABELS[dim] for dim in dims}, dims=list(dims))


def tables_of(cube, *margins):
    return [cube.sum([dim for dim in cube.dims if dim not in margin]) for margin in margins]


def slow_fit(start, cube, margins, rounds=400):
    """Iterative proportional fitting in loops: all sums of all margins, one after the other."""
    cells = {place: float(start[place]) for place in product(*map(range, cube.shape))}
    for _ in range(rounds):
        for margin in margins:
            axes = ["abc".index(dim) for dim in margin]
            for key in product(*(range(cube.shape[i]) for i in axes)):
                inside = [place for place in cells if tuple(place[i] for i in axes) == key]
                now = sum(cells[place] for place in inside)
                for place in inside:
                    cells[place] *= sum(cube[place] for place in inside) / now if now else 0.0
    return np.array([cells[place] for place in product(*map(range, cube.shape))]).reshape(cube.shape)


@settings(max_examples=15)
@given(CUBES)
def test_against_plain_loops(values):
    cube = named(values)
    for margins in (["a", "b", "c"], ["ab", "bc"], ["ab", "c"]):
        found = fw.laws.fitted_cube(tables_of(cube, *margins))
        assert found.dims == ("a", "b", "c")
        assert found.values == pytest.approx(slow_fit(np.ones(cube.shape), values, margins), rel=1e-6)
        assert found.values == pytest.approx(
            fw.laws.log_linear(cube, [",".join(one) for one in margins]).values, rel=1e-6
        )
    start = np.random.default_rng(1).integers(1, 9, cube.shape)
    found = fw.laws.fitted_cube(tables_of(cube, "ab", "c"), start=named(start))
    assert found.values == pytest.approx(slow_fit(start, values, ["ab", "c"]), rel=1e-6)


def test_the_published_tables_are_its_margins_whatever_their_order_and_form():
    cube = named(np.random.default_rng(2).poisson(4, (2, 3, 2)) + 1)
    ab, bc, ac = tables_of(cube, "ab", "bc", "ac")
    forms = [
        ab.sel(b=["3", "1", "2"]).T,
        bc.to_series(),
        ac.to_series().rename("count").reset_index(),
    ]
    found = fw.laws.fitted_cube(forms)
    assert set(found.dims) == {"a", "b", "c"}
    for table in (ab, bc, ac):
        away = [dim for dim in found.dims if dim not in table.dims]
        xr.testing.assert_allclose(found.sum(away).transpose(*table.dims).sel(table.coords), table.astype(float))
    crosstab = pd.DataFrame(ab.values, pd.Index(LABELS["a"], name="a"), pd.Index(LABELS["b"], name="b"))
    assert fw.laws.fitted_cube([crosstab, bc]).values == pytest.approx(fw.laws.fitted_cube([ab, bc]).values)


def test_shares_of_different_populations():
    cube = named(np.arange(1, 13).reshape(2, 3, 2))
    ab, c = tables_of(cube, "ab", "c")
    found = fw.laws.fitted_cube([ab / 7, c * 1000], people=1_500_000)
    assert float(found.sum()) == pytest.approx(1_500_000)
    assert found.values / 1_500_000 == pytest.approx(fw.laws.fitted_cube([ab, c]).values / cube.values.sum())


def test_a_census_cube_from_its_tables():
    """SAE15, 5.1: shares of published tables, crossed and multiplied by 1.5 million, most cells of which are empty."""
    census = fw.examples.hypercube()
    tables = [
        census.sum([dim for dim in census.dims if dim not in shown])
        for shown in (
            ("age", "activity"), ("region", "sex", "age"), ("activity", "occupation"), ("occupation", "education"),
            ("region", "citizenship"),
        )
    ]  # fmt: skip
    found = fw.laws.fitted_cube([table / table.sum() for table in tables], people=1_500_000)
    assert found.size == 245_700
    for table in tables:
        shown = found.sum([dim for dim in found.dims if dim not in table.dims]).transpose(*table.dims)
        assert shown.values == pytest.approx(table.values, rel=1e-6, abs=1e-3)
    assert 0.88 < float((np.rint(found.values) == 0).mean()) < 0.94


def test_margins_that_leave_cells_empty():
    """No margin has a zero, and yet two cells cannot be filled: plain fitting never comes to rest."""
    values = np.array([[[0, 5], [5, 5]], [[5, 5], [5, 0]]])
    labels = {"a": ["x", "y"], "b": ["1", "2"], "c": ["p", "q"]}
    cube = xr.DataArray(values, labels)
    found = fw.laws.fitted_cube([cube.sum(one) for one in "abc"])
    assert found.values == pytest.approx(values, abs=1e-6)


def test_zeros_of_the_start_stay():
    cube = named(np.random.default_rng(3).poisson(4, (2, 3, 2)) + 1)
    start = named(np.ones((2, 3, 2)))
    start[0, 0, 0] = 0
    found = fw.laws.fitted_cube(tables_of(cube, "ab", "c"), start=start)
    assert found.values[0, 0, 0] == 0
    for ours, theirs in zip(tables_of(found, "ab", "c"), tables_of(cube, "ab", "c"), strict=True):
        assert ours.values == pytest.approx(theirs.values)


def test_a_release_is_read_by_its_margins_and_not_by_its_truth():
    cube = named(np.random.default_rng(4).poisson(4, (2, 3, 2)) + 1)
    other = cube.copy()
    other[0, 0] += np.array([1, -1])
    other[1, 1] -= np.array([1, -1])
    one, two = (fw.laws.fitted_cube(fw.publish(truth, ["a,b", "c"])).values for truth in (cube, other))
    assert (one == two).all()
    assert one == pytest.approx(fw.laws.fitted_cube(tables_of(cube, "ab", "c")).values)
    hidden = fw.suppress(cube, where=cube <= cube.min(), margins=["a,b", "b,c"])
    assert fw.laws.fitted_cube(hidden).values == pytest.approx(fw.laws.fitted_cube(tables_of(cube, "ab", "bc")).values)
    whole = fw.publish(cube, ["a,b,c"])
    assert fw.laws.fitted_cube(whole).values == pytest.approx(cube.values)


def test_all_pairs_that_agree_and_yet_have_no_table():
    """x = y, y = z, and x is not z: each pair of margins is possible, all three are not."""
    alike, unlike = np.array([[5, 0], [0, 5]]), np.array([[0, 5], [5, 0]])
    labels = ["0", "1"]
    tables = [
        xr.DataArray(values, {one: labels, other: labels})
        for (one, other), values in zip(combinations("xyz", 2), (alike, unlike, alike), strict=True)
    ]
    with pytest.raises(fw.Contradiction, match="agree where they overlap, and yet no table has all of them"):
        fw.laws.fitted_cube(tables)
    tables[1] = xr.DataArray(alike, {"x": labels, "z": labels})
    assert fw.laws.fitted_cube(tables).values.ravel() == pytest.approx([5, 0, 0, 0, 0, 0, 0, 5], abs=1e-6)


CUBE = named(np.arange(1, 13).reshape(2, 3, 2))
AB, BC = tables_of(CUBE, "ab", "bc")


@pytest.mark.parametrize(
    ("tables", "options", "words"),
    [
        (lambda: [AB, BC + 1], {}, "table 1 and table 2 contradict each other: b=1 is 18 in one and 20 in the other"),
        (
            lambda: [AB, tables_of(CUBE, "c")[0] * 2],
            {},
            "contradict each other: the grand total is 78 in one and 156 in the other; people= takes tables for shares.",
        ),
        (lambda: [AB, BC.sel(b=["1", "2"])], {}, "do not have the same labels on dim 'b': '3'"),
        (lambda: [AB.values, BC], {}, "table 1 has no names for its dims"),
        (lambda: [], {}, "needs at least one published table"),
        (lambda: AB, {}, "takes a list of published tables with named dims, or a release"),
        (lambda: [AB - 9, BC], {}, "table 1 has a figure that is no number of at least 0"),
        (lambda: [AB * 0, BC], {}, "table 1 sums to 0"),
        (lambda: [AB, BC], {"people": 0}, "fitted_cube(people=0): how many there are in all, a number above 0."),
        (lambda: [AB, BC], {"start": AB}, "start= crosses all dims of the tables, a, b, c; it has a, b."),
        (
            lambda: [AB, BC],
            {"start": CUBE.where(CUBE > 5, 0)},
            "and yet no table with the zeros of start= has all of them for its margins.",
        ),
        (lambda: fw.protect.random_round(CUBE, seed=1), {}, "no complete margin with exact figures that shows 'a'"),
    ],
)
def test_errors(tables, options, words):
    with pytest.raises(fw.InputError, match=re.escape(words)):
        fw.laws.fitted_cube(tables(), **options)


def test_a_list_of_tables_is_no_table():
    """Taken for the rows of a 2 x 2 table, two margins of a 2 x 2 table would be fitted without a word."""
    margins = [xr.DataArray([6, 4], {"a": ["x", "y"]}), xr.DataArray([7, 3], {"c": ["p", "q"]})]
    with pytest.raises(
        fw.InputError, match=re.escape("log_linear() takes one table, and this is a list of 2; fitted_cube()")
    ):
        fw.laws.log_linear(margins, ["A", "B"])
    with pytest.raises(fw.InputError, match="this is a list of 2"):
        fw.laws.log_linear([one.to_series() for one in margins], ["A", "B"])
    with pytest.raises(fw.InputError, match="this is a list of 2"):
        fw.laws.log_linear([one.values for one in margins], ["A", "B"])
    assert fw.laws.fitted_cube(margins).values == pytest.approx(np.array([[4.2, 1.8], [2.8, 1.2]]))
