"""Graver bases against their definition, tried on every vector of a box, and against known sizes."""

from __future__ import annotations

import itertools
from math import comb, factorial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from support.effort import examples

from fiberwalk.fiber.equations.lattice import integer_kernel
from fiberwalk.moves.bases.graver import graver_basis
from fiberwalk.moves.bases.graver_kernel import LARGEST, TOO_LARGE, add_column

MOST_TRIES = 20_000
WIDE = 1_000_000


def margins(shape):
    """All sums along one axis of a table."""
    cells = np.arange(np.prod(shape)).reshape(shape)
    lines = [line for axis in range(len(shape)) for line in np.moveaxis(cells, axis, -1).reshape(-1, shape[axis])]
    return np.array([np.isin(cells.ravel(), line) for line in lines], dtype=np.int64)


def by_definition(A, width):
    """All z of the box with A z = 0 that have no part but themselves and 0, the first entry positive."""
    box = np.indices(2 * width + 1).reshape(len(width), -1).T - width
    kernel = [z for z in box[(box @ A.T == 0).all(axis=1)] if z.any()]

    def part(y, z):
        return (y * z >= 0).all() and (np.abs(y) <= np.abs(z)).all()

    minimal = [z for z in kernel if not any(part(y, z) for y in kernel if (y != z).any())]
    return {tuple(z.tolist()) for z in minimal if z[np.flatnonzero(z)[0]] > 0}


def found(A, width, **limits):
    moves = graver_basis(integer_kernel(sp.csr_array(A)), width, **limits)
    if moves is None:
        return None
    rows = [tuple(row) for row in moves.toarray().tolist()]
    assert rows == sorted(set(rows), key=lambda row: (sum(map(abs, row)), row))
    return set(rows)


@st.composite
def blocks(draw):
    """A small matrix and widths; columns are few where they are wide."""
    n = draw(st.integers(1, 6))
    m = draw(st.integers(1, min(n, 3)))
    values = st.sampled_from([0, 1, 1, -1, -1, 2, -2, 3])
    A = np.array(draw(st.lists(values, min_size=m * n, max_size=m * n))).reshape(m, n)
    width = np.array(draw(st.lists(st.integers(0, 6), min_size=n, max_size=n)))
    assume(np.prod(2.0 * width + 1) <= MOST_TRIES)
    return A, width


@pytest.mark.slow
@examples(150)
@given(blocks())
def test_moves_are_those_of_the_definition(block):
    A, width = block
    moves = found(A, width)
    if moves is None:
        assert integer_kernel(sp.csr_array(A)).lead is None
        return
    assert moves == by_definition(A, width)


@examples(100)
@given(blocks())
def test_widths_only_cut(block):
    A, width = block
    moves, everything = found(A, width), found(A, np.full(len(width), WIDE), most=5000)
    if everything is not None:
        assert moves == {z for z in everything if (np.abs(z) <= width).all()}


def test_large_elements_may_cancel_in_a_narrow_column():
    """What is wider than a column on the way, and whether it is a sum or an element, is needed until the column is done."""
    # (1, 1, 1) -> 3 + 3 - 5 = 1 in the column of width 1
    A, width = np.array([[3, 3, -5, -1]]), np.array([5, 5, 5, 1])
    moves = found(A, width)
    assert moves == by_definition(A, width)
    assert (1, 1, 1, 1) in moves


def test_the_oracle_notices_one_move_too_few_or_too_many():
    A, width = margins((3, 3)), np.full(9, 1)
    moves = graver_basis(integer_kernel(sp.csr_array(A)), width).toarray()
    right = by_definition(A, width)
    assert {tuple(z) for z in moves.tolist()} == right
    for gone in range(len(moves)):
        assert {tuple(z) for z in np.delete(moves, gone, axis=0).tolist()} != right
    basic = [z for z in moves if np.abs(z).sum() == 4]
    sums = {tuple((y + z).tolist()) for y, z in itertools.combinations(basic, 2) if (y * z >= 0).all()}
    assert sums.isdisjoint(right)


def cycles(i, j):
    """The simple cycles of the complete bipartite graph, which are the Graver basis of a two-way table."""
    return sum(comb(i, k) * comb(j, k) * factorial(k) * factorial(k - 1) // 2 for k in range(2, min(i, j) + 1))


@pytest.mark.parametrize(
    ("shape", "size"),
    [
        ((3, 3), cycles(3, 3)),
        ((3, 4), cycles(3, 4)),
        ((4, 4), cycles(4, 4)),
        ((2, 40), cycles(2, 40)),  # more columns than a word has bits
        ((3, 3, 2), 15),
        ((3, 3, 3), 795),
        pytest.param((3, 3, 4), 19_722, marks=pytest.mark.slow),
    ],
)
def test_sizes_of_complete_tables(shape, size):
    """Cycles for two-way tables; 15, 795 and 19,722 are the known sizes for 3 x 3 x 2, 3 and 4 with all two-way margins."""
    A = margins(shape)
    moves = graver_basis(integer_kernel(sp.csr_array(A)), np.full(A.shape[1], WIDE), budget=10**11)
    assert moves.shape == (size, A.shape[1])
    assert not (A @ moves.T).any()


@examples(20)
@given(st.permutations(range(18)), st.lists(st.booleans(), min_size=18, max_size=18))
def test_the_order_of_columns_does_not_matter(order, hidden):
    order = np.array(order)
    A = margins((2, 3, 3))[:, hidden]
    order = order[order < A.shape[1]]
    width = np.full(A.shape[1], WIDE)
    if A.shape[1]:
        moved = found(A[:, order], width)
        back = np.argsort(order)
        moved = {tuple(np.array(z)[back].tolist()) for z in moved}
        assert {max(z, tuple(-x for x in z)) for z in moved} == found(A, width)


def test_what_is_too_much_is_refused():
    A = margins((3, 3, 3))
    lattice, width = integer_kernel(sp.csr_array(A)), np.full(27, WIDE)
    assert graver_basis(lattice, width, most=795).shape[0] == 795
    assert graver_basis(lattice, width, most=794) is None
    assert graver_basis(lattice, width, most=7) is None
    assert graver_basis(lattice, width, budget=10_000) is None
    assert graver_basis(integer_kernel(sp.csr_array(np.array([[2, 3]]))), np.array([5, 5])) is None
    large = integer_kernel(sp.csr_array(np.array([[1, 2**31]])))
    assert graver_basis(large, np.array([WIDE, WIDE])) is None


@pytest.mark.slow
def test_a_waiting_column_that_grows_too_large_is_refused():
    entries = np.array([[1, 0, 1, LARGEST], [0, 1, 2, -LARGEST]], dtype=np.int32)
    codes = np.array([3, 5])
    assert add_column(entries, codes, np.array([9, 9]), 2, 2, 100, 10**6)[0] == TOO_LARGE
    entries[1, 3] = LARGEST
    assert add_column(entries, codes, np.array([9, 9]), 2, 2, 100, 10**6)[0] == 4


def test_nothing_moves():
    assert found(np.eye(3, dtype=np.int64), np.full(3, 5)) == set()
    assert found(margins((3, 3)), np.zeros(9, dtype=np.int64)) == set()
    assert found(np.zeros((1, 2), dtype=np.int64), np.array([0, 7])) == {(0, 1)}
