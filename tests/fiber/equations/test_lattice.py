"""Integer kernels and short bases, against Hermite normal forms in exact arithmetic and against small vectors."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from support.effort import examples

from fiberwalk.base.errors import TooLarge
from fiberwalk.fiber.equations.lattice import integer_kernel, shortened


def hermite(rows):
    """The Hermite normal form of integer rows, without rows of zeros: the same for all generators of one lattice."""
    rows = [[int(x) for x in row] for row in rows]
    form, n = [], len(rows[0]) if rows else 0
    for j in range(n):
        while len(live := [row for row in rows if row[j]]) > 1:
            least = min(live, key=lambda row: abs(row[j]))
            for row in live:
                if row is not least:
                    times = row[j] // least[j]
                    row[:] = [x - times * y for x, y in zip(row, least, strict=True)]
        if live:
            rows.remove(live[0])
            lead = live[0] if live[0][j] > 0 else [-x for x in live[0]]
            form = [[x - row[j] // lead[j] * y for x, y in zip(row, lead, strict=True)] for row in form]
            form.append(lead)
    return form


def missing(basis):
    """Into how many classes the basis splits the integer vectors of its span: 1 if it lacks none; 0 if it is no basis."""
    by_columns = hermite(basis.T)
    if len(by_columns) < len(basis):
        return 0
    return int(np.prod([row[i] for i, row in enumerate(by_columns)], dtype=object))


def small_kernel_vectors(A, size):
    box = np.array(list(itertools.product(range(-size, size + 1), repeat=A.shape[1])))
    return box[(box @ A.T == 0).all(axis=1)]


def check_kernel(A):
    lattice = integer_kernel(sp.csr_array(A))
    basis = lattice.basis.toarray()
    assert basis.dtype == np.int64
    assert basis.shape == (A.shape[1] - len(hermite(A)), A.shape[1])
    assert not (A @ basis.T).any()
    assert missing(basis) == 1
    if lattice.lead is not None:
        assert (basis[:, lattice.lead] == np.eye(len(basis))).all()
    return lattice


@st.composite
def matrices(draw, largest=3, most_rows=4, most_columns=6):
    m, n = draw(st.integers(1, most_rows)), draw(st.integers(1, most_columns))
    values = st.integers(-largest, largest)
    return np.array(draw(st.lists(values, min_size=m * n, max_size=m * n))).reshape(m, n)


def margins(shape):
    """All sums along one axis of a table."""
    cells = np.arange(np.prod(shape)).reshape(shape)
    lines = [line for axis in range(len(shape)) for line in np.moveaxis(cells, axis, -1).reshape(-1, shape[axis])]
    return np.array([np.isin(cells.ravel(), line) for line in lines], dtype=np.int64)


@st.composite
def hidden_cells(draw, shape):
    A = margins(shape)
    hidden = draw(st.lists(st.booleans(), min_size=A.shape[1], max_size=A.shape[1]).filter(any))
    return A[:, hidden]


@examples(200)
@given(matrices())
def test_the_kernel_of_any_matrix_is_whole(A):
    check_kernel(A)


@examples(40)
@given(matrices(most_columns=4))
def test_every_small_vector_is_a_combination(A):
    """The same by trying vectors, which also tries the oracle."""
    basis = check_kernel(A).basis.toarray()
    for z in small_kernel_vectors(A, 3):
        assert hermite([*basis, z]) == hermite(basis)
    if len(basis):
        assert missing(2 * basis) == 2 ** len(basis)
        assert missing(np.vstack([basis, basis[0]])) == 0


@examples(60)
@given(st.sampled_from([(3, 4), (2, 3, 3), (3, 3, 3)]).flatmap(hidden_cells))
def test_the_kernel_of_a_table_is_whole(A):
    lattice = check_kernel(A)
    assert lattice.lead is not None or A.shape[0] > 20  # nearly always; two-way tables are totally unimodular


def test_without_units_there_is_still_a_basis():
    assert check_kernel(np.array([[2, 3]])).lead is None
    assert check_kernel(np.array([[2, 3, 7], [3, 5, 11]])).lead is not None  # no unit is left, but a unit determinant
    assert check_kernel(np.array([[6, 10, 15, 0], [1, 2, 0, -1]])).lead is None
    assert check_kernel(np.array([[4, 6, 0, 0], [0, 0, 0, 2]])).basis.shape == (2, 4)


def test_edges():
    assert check_kernel(np.zeros((2, 3), dtype=np.int64)).lead.tolist() == [0, 1, 2]
    nothing = check_kernel(np.eye(3, dtype=np.int64))
    assert nothing.basis.shape == (0, 3)
    assert nothing.lead.tolist() == []
    assert shortened(nothing.basis).shape == (0, 3)
    repeated = sp.csr_array((np.array([1, 1, 2]), np.array([0, 0, 1]), np.array([0, 3])), shape=(1, 2))
    assert abs(integer_kernel(repeated).basis).toarray().tolist() == [[1, 1]]


def test_entries_that_64_bits_do_not_hold_are_refused():
    p, q = 2**40 - 1, 2**40 + 1
    with pytest.raises(TooLarge, match="ordinary size"):
        integer_kernel(sp.csr_array(np.array([[p, -q, 0], [0, p, -q]])))


def nothing_shortens(rows):
    return all(
        np.abs(y + sign * z).sum() >= np.abs(y).sum() for y, z in itertools.permutations(rows, 2) for sign in (1, -1)
    )


@examples(100)
@given(matrices(2, 6, 6))
def test_shortened_is_a_shorter_basis_of_the_same_lattice(rows):
    assume(len(hermite(rows)) == len(rows))
    basis = sp.csr_array(rows)
    short = shortened(basis).toarray()
    assert (basis.toarray() == rows).all()
    assert hermite(short) == hermite(rows)
    assert (np.abs(short).sum(axis=1) <= np.abs(rows).sum(axis=1)).all()
    assert nothing_shortens(short)
    assert hermite(shortened(basis, budget=5).toarray()) == hermite(rows)


def test_a_larger_table():
    """4 x 4 x 4: the basis of the eight-cell moves, mixed up, becomes short again, and nothing is overlooked on the way."""
    A = margins((4, 4, 4))
    lattice = integer_kernel(sp.csr_array(A))
    basis = lattice.basis.toarray()
    assert basis.shape == (27, 64)
    assert (basis[:, lattice.lead] == np.eye(27)).all()
    for seed in range(10):
        random = np.random.default_rng(seed)
        mixed = basis.copy()
        for _ in range(200):
            i, k = random.choice(27, 2, replace=False)
            mixed[i] += random.choice([-1, 1]) * mixed[k]
        assert not nothing_shortens(mixed)
        short = shortened(sp.csr_array(mixed)).toarray()
        assert hermite(short) == hermite(basis)
        assert np.abs(short).sum() < np.abs(mixed).sum() / 2
        assert nothing_shortens(short)


def test_a_row_that_changed_is_compared_with_rows_it_did_not_meet_before():
    """The first row becomes (0, 0, 0, 1, 1, 0) by the third; only then it meets the second, and shortens it."""
    rows = np.array([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1], [-1, -1, -1, 1, 1, 0]])
    short = shortened(sp.csr_array(rows)).toarray()
    assert nothing_shortens(short)
    assert np.abs(short).sum() == 6
