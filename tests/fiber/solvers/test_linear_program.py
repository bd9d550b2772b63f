"""Bounds by linear programs equal brute force, and every one of them is proven."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, note
from hypothesis import strategies as st
from support.effort import examples
from support.naive import tables as naive
from support.systems import systems
from support.worlds import worlds

import fiberwalk as fw
from fiberwalk.base.interruption import time_limit
from fiberwalk.fiber.blocks.presolve import presolve
from fiberwalk.fiber.solvers import linear_program
from fiberwalk.fiber.solvers.linear_program import INTEGER, LINEAR, OUTER, PROPAGATION, Means, _Search, program_bounds
from fiberwalk.fiber.solvers.nearest_table import NearestTable
from fiberwalk.fiber.solvers.table_search import SPENT, TableSearch


def cells_of(block):
    return sp.eye_array(len(block.columns), dtype=np.int64, format="csr")


def block_bounds(block, rows, progress=None):
    return program_bounds(block.A, block.b, block.lower, block.upper, block.start, rows, progress)


def same(found, low, high) -> bool:
    return found.low.tolist() == low.tolist() and found.high.tolist() == high.tolist()


@examples(50)
@given(worlds(most_cells=9, most_count=3), st.data())
def test_bounds_of_cells_and_sums_are_those_of_all_tables(world, data):
    note(world.story)
    tables = np.array(world.tables())
    for block in presolve(world.release).blocks:
        n = len(block.columns)
        random = [data.draw(st.lists(st.integers(-2, 3), min_size=n, max_size=n)) for _ in range(2)]
        rows = sp.csr_array(np.concatenate([np.eye(n, dtype=np.int64), np.array(random, dtype=np.int64)]))
        cells = block.columns < world.release.n_cells
        rows = sp.csr_array(rows * cells)
        every = tables[:, block.columns[cells]] @ rows[:, np.flatnonzero(cells)].T
        assert same(block_bounds(block, rows), every.min(axis=0), every.max(axis=0))


@examples(150)
@given(systems())
def test_any_small_system(system):
    A, b, lower, upper, start, rows, tables = system
    every = tables @ rows.T
    found = program_bounds(sp.csr_array(A), b, lower, upper, start, sp.csr_array(rows))
    assert same(found, every.min(axis=0), every.max(axis=0))


@examples(100)
@given(systems(), st.data())
def test_a_bound_from_any_dual_is_valid(system, data):
    """Rounded, far off or huge: no dual can make a bound that a table passes."""
    A, b, lower, upper, start, rows, tables = system
    search = _Search(sp.csr_array(A), b, lower, upper, start, sp.csr_array(rows))
    size = data.draw(st.sampled_from([1.0, 1e6, 1e15, 1e40]))
    dual = size * np.array(data.draw(st.lists(st.floats(-2, 2), min_size=len(b), max_size=len(b))))
    for cost in rows:
        for denominator in (1, 12, 2**30):
            bound, reduced, least = search._dual_bound(dual, cost, denominator)
            values = cost @ (tables - lower).T
            assert bound <= values.min()
            if reduced is not None:
                # what a table is above the bound is what its cells are away from their best ends
                away = np.where(reduced > 0, tables - lower, tables - upper) @ reduced
                assert (away == denominator * values - least).all()


def test_the_only_cell_of_dfkpr01_whose_linear_bound_is_no_whole_number():
    """At most 13.5 in fractions, 13 in whole numbers: the rounded dual proves it, and no integer program is needed."""
    solved = presolve(fw.examples.dfkpr01().release)
    (block,) = solved.blocks
    found = block_bounds(block, cells_of(block))
    (cell,) = np.flatnonzero((solved.fiber.n_cells > block.columns) & (block.columns == 8))
    assert np.argwhere(found.proof != PROPAGATION).tolist() == [[cell, 1]]
    assert (found.high[cell], found.proof[cell, 1]) == (13, LINEAR)
    search = _Search(block.A, block.b, block.lower, block.upper, block.start, cells_of(block))
    side = len(block.columns) + cell
    search._bound(side)
    assert search.reached[side] == pytest.approx(-13.5)
    assert search.proven[side] == -13


ODD = (sp.csr_array([[2, 5]]), np.array([10]), np.array([0, 0]), np.array([4, 2]), np.array([0, 2]))
"""2 x + 5 y = 10 with x <= 4: in fractions x can be anything, in whole numbers only 0."""


def test_where_fractions_prove_nothing_the_integer_program_decides():
    found = program_bounds(*ODD, sp.csr_array([[1, 0]]))
    assert (found.low.tolist(), found.high.tolist()) == ([0], [0])
    assert found.proof.tolist() == [[PROPAGATION, INTEGER]]


def test_ranges_whose_products_do_not_fit_in_64_bits():
    """The bound of a sum of 6 cells of up to 10^15, with wide limits, is found and proven to the last unit."""
    values = np.array([[10**15 + 3, 10**15 + 1, 4], [7, 2, 10**15]])
    A = np.array([np.ones(3), np.zeros(3)]).astype(np.int64)
    A = sp.csr_array(np.concatenate([np.hstack([A, A[::-1]]), np.hstack([np.eye(3), np.eye(3)]).astype(np.int64)]))
    start = values.ravel()
    upper = np.full(6, 2 * 10**15)
    rows = sp.csr_array(np.array([[1, 0, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0], [1024, 0, 0, 0, 0, 1024]]))
    found = program_bounds(A, A @ start, np.zeros(6, dtype=np.int64), upper, start, rows)
    # The second row of cells sums to 10^15 + 9, the columns to 10^15 + 10, + 3 and + 4.
    assert found.low.tolist() == [1, 0, 1024]
    assert found.high.tolist() == [10**15 + 10, 2 * 10**15 + 13, 1024 * (2 * 10**15 + 14)]
    assert found.proof.tolist() == [[LINEAR, LINEAR], [PROPAGATION, LINEAR], [LINEAR, LINEAR]]


def test_a_three_way_table_needs_no_integer_program(monkeypatch):
    def refuse(*given):
        raise AssertionError("an integer program was solved")

    monkeypatch.setattr(linear_program, "optimum", refuse)
    values = np.random.default_rng(5).poisson(2, (4, 4, 5))
    (block,) = presolve(fw.publish(values, ["A,B", "A,C", "B,C"])).blocks
    told = []
    found = block_bounds(block, cells_of(block), lambda done, of: told.append((done, of)))
    assert told == sorted(told)
    assert told[-1] == (len(block.columns), len(block.columns))
    assert set(found.proof.ravel()) == {PROPAGATION}
    # Limits that say less leave more to prove, and change nothing else.
    loose = program_bounds(block.A, block.b, block.lower - 2, block.upper + 3, block.start, cells_of(block))
    outside = (loose.low < found.low) | (loose.high > found.high)
    assert outside.any()
    wide = program_bounds(block.A, block.b, block.lower, block.upper + 3, block.start, cells_of(block))
    assert same(wide, found.low, found.high)
    assert (wide.proof[:, 1] == LINEAR).all()


def test_without_the_search_for_tables_the_integer_program_gives_the_same(monkeypatch):
    values = np.random.default_rng(6).poisson(2, (3, 3, 4))
    (block,) = presolve(fw.publish(values, ["A,B", "A,C", "B,C"])).blocks
    found = block_bounds(block, cells_of(block))
    monkeypatch.setattr(TableSearch, "find", lambda *given: (SPENT, given[1]))
    assert same(block_bounds(block, cells_of(block)), found.low, found.high)
    monkeypatch.setattr(NearestTable, "find", lambda *given: None)
    slow = block_bounds(block, cells_of(block))
    assert same(slow, found.low, found.high)


def test_a_lost_table_raises_doubt(monkeypatch):
    block = presolve(fw.examples.dfkpr01().release).blocks[0]
    given_block = (block.A, block.b, block.lower, block.upper)
    with pytest.raises(fw.NumericalDoubt, match="table to start from"):
        program_bounds(*given_block, block.start + 1, cells_of(block))
    # (0, 2) is the only table: another answer, or none, cannot be right
    for wrong in (None, np.array([-3, 2])):
        monkeypatch.setattr(linear_program, "optimum", lambda *given, wrong=wrong: wrong)
        with pytest.raises(fw.NumericalDoubt, match="integer program lost a table"):
            program_bounds(*ODD, sp.csr_array([[1, 0]]))


def test_a_linear_program_that_goes_astray_costs_time_only(monkeypatch):
    """With large figures the solver may call a feasible program infeasible; its answer is then not used."""
    block = presolve(fw.examples.dfkpr01().release).blocks[0]
    right = block_bounds(block, cells_of(block))
    monkeypatch.setattr(linear_program, "solved", lambda model: "infeasible")
    astray = block_bounds(block, cells_of(block))
    assert same(astray, right.low, right.high)
    assert "linear program" not in astray.proof


def test_an_integer_program_keeps_to_the_time_and_goes_on_where_nobody_minds(monkeypatch):
    asked: list[float | None] = []

    def program(*given):
        asked.append(given[5] if len(given) > 5 else None)
        if asked[-1] is not None:
            raise fw.TimeUp("it took longer than it may")
        return np.array([0, 2])

    monkeypatch.setattr(linear_program, "optimum", program)
    with time_limit(100.0):
        found = program_bounds(*ODD, sp.csr_array([[1, 0]]))
    assert (found.low.tolist(), found.high.tolist()) == ([0], [0])
    assert 0.0 < asked[0] <= 100.0
    assert asked[1:] == [None]
    asked.clear()

    def in_time(done: int, of: int) -> None:
        if asked:
            raise fw.TimeUp("it is over")

    with time_limit(100.0), pytest.raises(fw.TimeUp, match="it is over"):
        program_bounds(*ODD, sp.csr_array([[1, 0]]), in_time)
    assert len(asked) == 1


def test_a_search_for_a_table_ends_between_two_linear_programs():
    values = np.random.default_rng(6).poisson(2, (3, 3, 4))
    (block,) = presolve(fw.publish(values, ["A,B", "A,C", "B,C"])).blocks
    nearest = NearestTable(block.A, block.b, block.lower, block.upper)
    wanted = np.array([0]), np.array([1]), int(block.start[0])

    def over() -> None:
        raise fw.TimeUp("it is over")

    with pytest.raises(fw.TimeUp, match="it is over"):
        nearest.find(block.start, *wanted, over)
    assert np.array_equal(nearest.find(block.start, *wanted), block.start)  # and nothing of it is left behind


def test_three_way_tables_with_large_figures():
    table = np.random.default_rng(2).integers(0, 10**9, (4, 4, 4))
    frame = fw.bounds(fw.publish(table, ["A,B", "A,C", "B,C"]))
    assert (frame["lower"] <= table.ravel()).all()
    assert (frame["upper"] >= table.ravel()).all()


def test_without_integer_programs_what_is_not_sharp_is_said():
    found = program_bounds(*ODD, sp.csr_array([[1, 0], [0, 1]]), means=Means(sharp=False))
    assert found.proof.tolist() == [[PROPAGATION, OUTER], [OUTER, PROPAGATION]]
    assert (found.low.tolist(), found.high.tolist()) == ([0, 1], [4, 2])


def test_a_table_that_passes_a_given_bound_raises_doubt():
    search = _Search(*ODD, sp.csr_array([[1, 0]]))
    search.proven[1] = 0  # what a wrong integer program would say of the greatest value
    search._harvest(np.array([0, 2]))
    with pytest.raises(fw.NumericalDoubt, match="passes a bound"):
        search._harvest(np.array([5, 0]))


def test_nothing_asked_and_nothing_known():
    nothing = program_bounds(*ODD, sp.csr_array((0, 2), dtype=np.int64))
    assert (len(nothing.low), len(nothing.high), nothing.proof.shape) == (0, 0, (0, 2))
    box = (sp.csr_array((0, 2), dtype=np.int64), np.empty(0, dtype=np.int64), np.array([0, -2]), np.array([4, 2]))
    found = program_bounds(*box, np.array([1, 1]), sp.csr_array([[1, -1]]))
    assert (found.low.tolist(), found.high.tolist()) == ([-2], [6])


def test_the_nearest_table_is_feasible_and_has_the_sum_or_is_none():
    values = np.array([[3, 1], [2, 4]])
    (block,) = presolve(fw.publish(values, ["A", "B"])).blocks
    search = NearestTable(block.A, block.b, block.lower, block.upper)
    every = naive.tables(4, naive.margin_facts(values, [[0, 1], "TT"]) + naive.margin_facts(values, ["TT", [0, 1]]))
    for step in range(-5, 4):
        found = search.find(block.start, np.array([0]), np.array([1]), 3 + step)
        wanted = [table for table in every if table[0] == 3 + step]
        assert ([tuple(found)] if found is not None else []) == wanted
