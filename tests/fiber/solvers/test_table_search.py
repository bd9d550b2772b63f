"""The short search for a table, against trying everything."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from support.effort import examples
from support.systems import systems

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


@pytest.mark.parametrize("shape", [(4, 4, 3), (5, 4, 3), (3, 3, 4)])
def test_an_outsider_needs_no_integer_program_for_a_first_table(shape, monkeypatch):
    from fiberwalk.fiber.blocks import presolve as module

    monkeypatch.setattr(module, "optimum", lambda *_: pytest.fail("an integer program was solved"))
    values = np.random.default_rng(3).poisson(3, shape)
    release = fw.publish(values, ["A,B", "A,C", "B,C"])
    assert fw.bounds(release.without_truth()).equals(fw.bounds(release))
