"""Figures that follow from who is in a cell: the exact law held to all tables, one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.effort import cases
from support.keyed_figures.cases import METHODS, WEIGH, a_case, some_cases
from support.keyed_figures.twin import law_of_sum

import fiberwalk as fw
from fiberwalk.base.errors import Contradiction
from fiberwalk.posterior.belief import QUICK, believe
from fiberwalk.posterior.keyed_figures.figures import KeyedFigures
from fiberwalk.posterior.keyed_figures.same_people import with_somebody


def cells_at(release, key):
    """The cells that a key sums."""
    sizes = [len(dim.labels) for dim in release.dims]
    return [
        cell
        for cell, place in enumerate(np.ndindex(*sizes))
        if all(node in (own, dim.total) for node, own, dim in zip(key, place, release.dims, strict=True))
    ]


def assert_exact(release, law, tables):
    belief = believe(release, law, method="exact", hidden_margins=["", "A"])
    for key, pmf in zip(belief.keys.tolist(), belief.pmfs, strict=True):
        want = law_of_sum(tables, cells_at(release, key))
        assert list(want) == pmf.values.tolist()
        assert pmf.probabilities == pytest.approx(list(want.values()), abs=1e-9)
        assert (pmf.lower, pmf.upper) == (min(want), max(want))
    assert belief.tables == len(tables)
    assert belief.certificate.word == "exact"


@pytest.mark.parametrize("law", WEIGH)
@pytest.mark.parametrize("method", METHODS)
def test_the_exact_law_is_that_of_all_tables(method, law):
    for case in some_cases(method, cases(25)):
        assert_exact(case.release, case.law(law), case.tables(law))


def test_what_is_known_besides_is_kept_to():
    for case in some_cases("noise", cases(20)):
        some_table = list(case.tables("uniform"))[-1]
        cells = cells_at(case.release, [0, *(dim.total for dim in case.release.dims[1:])])
        there = sum(some_table[cell] for cell in cells)
        known = case.release.knows({"A": "1"}, at_least=there)
        tables = case.tables("uniform", fits=lambda table, of=tuple(cells), n=there: sum(table[c] for c in of) >= n)
        assert_exact(known, "uniform", tables)


@pytest.mark.parametrize("method", METHODS)
def test_cells_that_are_known_count_once(method):
    """Somebody is known to be in a cell: it is in its groups all the same, and in sums once."""
    for case in some_cases(method, cases(20)):
        some_table = max(case.tables("uniform"))
        cell = int(np.argmax(some_table))
        key = dict(zip("ABC", case.release.words(case.release.keys[cell]).split(", "), strict=False))
        where = {dim: words.partition("=")[2] for dim, words in key.items()}
        known = case.release.knows(where, exactly=some_table[cell])
        tables = case.tables("uniform", fits=lambda table, cell=cell, n=some_table[cell]: table[cell] == n)
        assert_exact(known, "uniform", tables)


def test_where_figures_differ_somebody_is_in_the_rest():
    """What is said for certain holds in every table, and is sharper than the figures by themselves."""
    sharper = 0
    for method in METHODS:
        for case in some_cases(method, cases(20)):
            plain, known = fw.bounds(case.release), fw.bounds(with_somebody(case.release))
            tables = np.array(list(case.tables("uniform")))
            assert (known["lower"].to_numpy() <= tables.min(axis=0)).all()
            assert (known["upper"].to_numpy() >= tables.max(axis=0)).all()
            sharper += int((known != plain).to_numpy().sum())
    assert sharper > 3


def test_independent_draws_would_tell_something_else():
    """A negative control: taken for independent, the same figures make another law in most cases."""
    apart = []
    for case in some_cases("random rounding", cases(25)):
        joint = case.tables("uniform")
        product = {table: np.prod([case.chance(one.figure, sum(table[c] for c in one.cells)) for one in case.shown])
                   for table in np.ndindex(*(most + 1 for most in case.highest))}  # fmt: skip
        total = sum(product.values())
        apart.append(sum(abs(p / total - joint.get(table, 0.0)) for table, p in product.items()) / 2)
    assert np.median(apart) > 0.05


def test_what_costs_too_much_is_left_to_chains():
    case = a_case(3, "noise")
    with pytest.raises(fw.TooLarge, match="leave it to chains"):
        believe(case.release, method="exact", budget=QUICK.given(1000, 10**9))


def test_figures_that_no_table_could_have_are_refused():
    """The same group once more, with another figure that some of its counts would allow, too."""
    case = next(iter(some_cases("random rounding", 1)))
    method = case.release.applied[0]
    first = next(item for item in method.mechanism.figures if item.figure > 0)
    figures = (*method.mechanism.figures, replace(first, figure=first.figure + 3))
    twice = replace(case.release, applied=(replace(method, mechanism=KeyedFigures(figures)),))
    with pytest.raises(Contradiction):
        believe(twice, method="exact")
