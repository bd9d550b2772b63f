"""The short search for a table, against trying everything."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from support.effort import examples
from support.systems import grouped_systems, systems

import fiberwalk as fw
from fiberwalk.fiber.blocks.presolve import presolve
from fiberwalk.fiber.solvers import table_search
from fiberwalk.fiber.solvers.table_search import FOUND, NONE, SPENT, TableSearch, any_table


@examples(150)
@given(systems(), st.data())
def test_a_table_is_found_exactly_where_there_is_one(system, data):
    A, b, lower, upper, _, _, tables = system
    search = TableSearch(sp.csr_array(A), b)
    wish = np.array([data.draw(st.integers(-5, 8)) for _ in lower])
    for cell in range(len(lower)):
        for value in range(lower[cell] - 1, upper[cell] + 2):
            word, table = search.find(lower, upper, wish, cell, value)
            there = (tables[:, cell] == value).any()
            assert word == (FOUND if there else NONE)
            if word == FOUND and A.shape[0]:
                open_columns = (A == 0).all(axis=0)
                assert table[cell] == value
                assert (tables[:, ~open_columns] == table[~open_columns]).all(axis=1).any()
    found = any_table(sp.csr_array(A), b, lower, upper)
    assert found is None or (tables == found).all(axis=1).any()


def test_a_search_ends_with_its_budget(monkeypatch):
    values = np.random.default_rng(1).poisson(2, (2,) * 6)
    margins = [f"{one},{two}" for i, one in enumerate("ABCDEF") for two in "ABCDEF"[i + 1 :]]
    (block,) = presolve(fw.publish(values, margins)).blocks
    monkeypatch.setattr(table_search, "MOST_WORK", 100)
    word, _ = TableSearch(block.A, block.b).find(block.lower, block.upper, block.lower, 0, 0)
    assert word == SPENT
    monkeypatch.setattr(table_search, "MOST_WORK", 10**7)
    word, table = TableSearch(block.A, block.b).find(block.lower, block.upper, block.start, 0, int(block.start[0]))
    assert word == FOUND
    assert (block.A @ table == block.b).all()


def every(A, b, lower, upper, most_work=10**9):
    parts = [tables.copy() for tables in TableSearch(sp.csr_array(A), b).every(lower, upper, most_work)]
    return np.concatenate([np.empty((0, len(lower)), int), *parts])


def assert_same_tables(found, tables):
    assert len(found) == len(tables)
    assert {tuple(row) for row in found.tolist()} == {tuple(row) for row in tables.tolist()}


@examples(150)
@given(systems())
def test_every_table_is_found_once(system):
    A, b, lower, upper, _, _, tables = system
    if A.shape[0] and not (A == 0).all(axis=0).any():
        assert_same_tables(every(A, b, lower, upper), tables)


@examples(150)
@given(grouped_systems())
def test_every_table_of_groups_of_people_is_found_once(system):
    A, b, lower, upper, tables = system
    assert_same_tables(every(A, b, lower, upper), tables)
    ranges = TableSearch(A, b).narrowed(lower, upper)
    assert (ranges is not None) or not len(tables)
    if len(tables):
        assert (ranges[0] <= tables.min(axis=0)).all()
        assert (ranges[1] >= tables.max(axis=0)).all()


def test_many_tables_come_in_several_portions(monkeypatch):
    monkeypatch.setattr(table_search, "AT_ONCE", 7)
    A, upper = np.ones((1, 4), int), np.full(4, 5)
    grid = np.indices((6,) * 4).reshape(4, -1).T
    assert_same_tables(every(A, np.array([9]), upper * 0, upper), grid[grid.sum(axis=1) == 9])


def test_a_listing_is_given_up():
    with pytest.raises(fw.TooLarge, match="all tables of 4 cells and sums are not found after 100 steps"):
        every(np.ones((1, 4), int), np.array([40]), np.zeros(4, int), np.full(4, 40), most_work=100)


def test_a_mean_of_one_is_an_age():
    """What a single equation cannot say: the only one of a group is as old as the mean."""
    ages = np.arange(126)
    A = sp.csr_array(np.array([np.ones(126, int), ages]))
    low, high = TableSearch(A, np.array([1, 84])).narrowed(np.zeros(126, int), np.ones(126, int))
    assert (low == high).all()
    assert np.flatnonzero(low).tolist() == [84]


@pytest.mark.parametrize("shape", [(4, 4, 3), (5, 4, 3), (3, 3, 4)])
def test_an_outsider_needs_no_integer_program_for_a_first_table(shape, monkeypatch):
    from fiberwalk.fiber.blocks import presolve as module

    monkeypatch.setattr(module, "optimum", lambda *_: pytest.fail("an integer program was solved"))
    values = np.random.default_rng(3).poisson(3, shape)
    release = fw.publish(values, ["A,B", "A,C", "B,C"])
    assert fw.bounds(release.without_truth()).equals(fw.bounds(release))
