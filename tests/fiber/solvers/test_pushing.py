"""Pushing along moves: every table on the way is feasible, and bounds that moves can reach are found."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, note
from support.effort import examples
from support.worlds import worlds

import fiberwalk as fw
from fiberwalk.fiber.blocks.presolve import presolve
from fiberwalk.fiber.equations.basic_moves import basic_moves
from fiberwalk.fiber.equations.lattice import integer_kernel, shortened
from fiberwalk.fiber.solvers.linear_program import Means, program_bounds
from fiberwalk.fiber.solvers.pushing import Pushing


def pushing_of(block, moves=None) -> Pushing:
    moves = shortened(integer_kernel(block.A).basis) if moves is None else moves
    return Pushing(moves, block.lower, block.upper, block.start)


@examples(60)
@given(worlds(most_cells=10, most_count=4))
def test_what_cells_had_on_the_way_some_table_has(world):
    note(world.story)
    tables = np.array(world.tables())
    for block in presolve(world.release).blocks:
        pushing = pushing_of(block)
        cells = np.flatnonzero(block.columns < world.release.n_cells)
        moved = np.bincount(pushing.moves.columns, minlength=len(block.columns)) > 0
        for cell in cells[moved[cells]]:
            for sign in (1, -1):
                pushing.find(np.array([cell]), np.array([sign]), -(10**6))  # further than there is
                walk = pushing.walk
                assert (block.A @ walk.table == block.b).all()
                assert ((walk.table >= block.lower) & (walk.table <= block.upper)).all()
        every = tables[:, block.columns[cells]]
        assert (pushing.walk.least[cells] >= every.min(axis=0)).all()
        assert (pushing.walk.greatest[cells] <= every.max(axis=0)).all()


def dense_four_way():
    table = np.random.default_rng(2).poisson(4, (4, 4, 3, 3))
    return presolve(fw.publish(table, [",".join(pair) for pair in combinations("ABCD", 2)]))


def test_a_cell_of_a_dense_table_is_pushed_to_both_of_its_bounds():
    solved = dense_four_way()
    (block,) = solved.blocks
    pushing = pushing_of(block, basic_moves(solved.fiber.coordinates[block.columns], block.A))
    for cell in (0, 50, 143):
        for sign, end in ((1, block.lower), (-1, -block.upper)):
            assert pushing.find(np.array([cell]), np.array([sign]), int(end[cell]), 10)
            assert sign * pushing.walk.table[cell] == end[cell]
    # a sum of two cells as well, and never beyond what is possible
    assert pushing.find(np.array([0, 1]), np.array([-1, -1]), -int(block.upper[:2].min()), 10)
    assert not pushing.find(np.array([0]), np.array([1]), -1)


def test_blocked_moves_are_unblocked():
    """In a sparse table the moves through a cell are all blocked by others, which must be moved out of the way first."""
    table = np.random.default_rng(5).poisson(0.7, (5, 5, 5))
    solved = presolve(fw.publish(table, ["A,B", "A,C", "B,C"]))
    block = max(solved.blocks, key=lambda some: len(some.columns))
    rows = sp.csr_array(sp.eye_array(len(block.columns), dtype=np.int64))
    moves = basic_moves(solved.fiber.coordinates[block.columns], block.A)
    right = program_bounds(block.A, block.b, block.lower, block.upper, block.start, rows)
    pushing, found = pushing_of(block, sp.vstack([moves, shortened(integer_kernel(block.A).basis)])), 0
    for cell in range(len(block.columns)):
        found += pushing.find(np.array([cell]), np.array([-1]), -int(right.high[cell]), 10)
    assert found > 0.8 * len(block.columns)


def test_bounds_are_the_same_with_and_without_moves_that_are_named():
    table = np.random.default_rng(3).poisson(1.5, (4, 3, 3))
    solved = presolve(fw.publish(table, ["A,B", "A,C", "B,C"]))
    for block in solved.blocks:
        rows = sp.csr_array(sp.eye_array(len(block.columns), dtype=np.int64))
        given_block = (block.A, block.b, block.lower, block.upper, block.start, rows)
        moves = basic_moves(solved.fiber.coordinates[block.columns], block.A)
        plain, pushed = program_bounds(*given_block), program_bounds(*given_block, means=Means(moves=moves))
        assert plain.low.tolist() == pushed.low.tolist()
        assert plain.high.tolist() == pushed.high.tolist()


def test_rows_that_are_no_moves_are_refused():
    (block,) = dense_four_way().blocks
    rows = sp.csr_array(sp.eye_array(len(block.columns), dtype=np.int64))
    with pytest.raises(fw.NumericalDoubt, match="what should be moves of a block changes its published figures"):
        program_bounds(block.A, block.b, block.lower, block.upper, block.start, rows, means=Means(moves=rows))
