"""Equations recognised as networks, and bounds by flows, against every table and against linear algebra."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from support.effort import examples

from fiberwalk.fiber.equations import network as networks
from fiberwalk.fiber.equations.network import Network, as_network
from fiberwalk.fiber.equations.propagation import tighten
from fiberwalk.fiber.equations.rowspace import reduced
from fiberwalk.fiber.solvers import flow as flows
from fiberwalk.release.facts.facts import NO_LIMIT

OFTEN = examples(100)
MOST_TRIES = 10_000


def every_point(lower, upper):
    """All integer points of a box, one per row."""
    sizes = upper - lower + 1
    assume(np.prod(sizes.astype(float)) <= MOST_TRIES)
    return np.indices(sizes, dtype=np.int64).reshape(len(lower), -1).T + lower


def rank(A):
    return np.linalg.matrix_rank(A) if A.size else 0


def incidence(tail, head, n_nodes):
    """From the definition, arc by arc."""
    matrix = np.zeros((n_nodes, len(tail)), dtype=np.int64)
    for arc, (u, v) in enumerate(zip(tail, head, strict=True)):
        matrix[v, arc] += 1
        matrix[u, arc] -= 1
    return matrix[: n_nodes - 1]


def check_recognition(A, network):
    """The nodes' equations are combinations of the rows and say just as much."""
    matrix = incidence(network.tail, network.head, network.n_nodes)
    assert (network.combine @ A == matrix).all()
    assert (network.incidence.toarray() == matrix).all()
    assert rank(A) == rank(matrix)


def partition(labels):
    """Labels up to their names."""
    return {frozenset(np.flatnonzero(labels == one).tolist()) for one in set(labels.tolist()) - {-1}}


def several(n, values):
    return st.lists(values, min_size=n, max_size=n).map(lambda drawn: np.array(drawn, dtype=np.int64))


@st.composite
def limits(draw, x):
    """Limits that x keeps."""
    return x - draw(several(len(x), st.integers(0, 2))), x + draw(several(len(x), st.integers(0, 2)))


@st.composite
def tables(draw, most_sides=3):
    """A two-way table with a hierarchy of rows, of which some cells and some sums are hidden or only ranges.

    Cells come first, then the sums that are ranges: the equations, a table, and limits that it keeps.
    """
    n, m = draw(st.integers(1, most_sides)), draw(st.integers(1, most_sides))
    groups = [set(range(n)), *({i} for i in range(n))]
    for _ in range(draw(st.integers(0, 2))):  # cut one group in two, so that groups nest
        inside = sorted(draw(st.sampled_from(groups)))
        groups += [set(inside[: len(inside) // 2]) or {inside[0]}, set(inside[len(inside) // 2 :])]
    sums = [(g, {j}) for g in groups for j in range(m)] + [(g, set(range(m))) for g in groups]
    published = draw(st.lists(st.sampled_from(sums), min_size=1, max_size=len(sums)))
    shown = draw(several(n * m, st.integers(0, 2))) == 0
    hidden = [cell for cell, is_shown in zip(itertools.product(range(n), range(m)), shown, strict=True) if not is_shown]
    assume(hidden)
    rows = np.array([[i in g and j in h for i, j in hidden] for g, h in published], dtype=np.int64)
    slack = draw(several(len(published), st.booleans())) == 1
    A = np.hstack([rows, -np.eye(len(published), dtype=np.int64)[:, slack]])
    A *= draw(several(len(published), st.sampled_from([1, -1])))[:, None]
    cells = draw(several(len(hidden), st.integers(0, 3)))
    start = np.concatenate([cells, rows[slack] @ cells])
    return A, start, *draw(limits(start)), len(hidden)


@st.composite
def graphs(draw, most_nodes=5, most_arcs=7):
    """Any directed graph with loops, parallel arcs and dead ends; a flow, and limits that it keeps."""
    n, m = draw(st.integers(1, most_nodes)), draw(st.integers(1, most_arcs))
    tail, head = draw(several(m, st.integers(0, n - 1))), draw(several(m, st.integers(0, n - 1)))
    x = draw(several(m, st.integers(-3, 5)))
    return Network(tail, head, n, sp.eye_array(n - 1, dtype=np.int64)), x, *draw(limits(x))


def all_flows(network, x, lower, upper):
    matrix = incidence(network.tail, network.head, network.n_nodes)
    points = every_point(lower, upper)
    return points[(points @ matrix.T == matrix @ x).all(axis=1)]


@OFTEN
@given(tables(most_sides=6))
def test_a_two_way_table_with_a_hierarchy_is_a_network(table):
    A = table[0]
    network = as_network(sp.csr_array(A))
    assert network is not None
    check_recognition(A, network)


def test_a_network_is_recognised_in_the_margins_it_should_be():
    cells = np.arange(27).reshape(3, 3, 3)

    def margins(*axes):
        groups = [np.moveaxis(cells, kept, range(len(kept))).reshape(3 ** len(kept), -1) for kept in axes]
        return np.array([np.isin(np.arange(27), group) for margin in groups for group in margin], dtype=np.int64)

    for good in (
        margins((0, 1), (1, 2)),
        margins((0, 1), (2,)),
        margins((0, 1), (1, 2), (1,), ()),
        margins((0,), (1,)),
    ):
        network = as_network(sp.csr_array(good))
        assert network is not None
        check_recognition(good, network)
    for bad in (margins((0, 1), (1, 2), (0, 2)), margins((0,), (1,), (2,))):
        assert as_network(sp.csr_array(bad)) is None


def test_linked_tables_are_networks():
    """Two tables whose column sums agree, published or not, each with its row sums and its total."""
    x, y = np.arange(6).reshape(2, 3), 6 + np.arange(9).reshape(3, 3)
    rows = [(group, []) for group in (*x, x.ravel(), *y, y.ravel())] + [(x[:, j], y[:, j]) for j in range(3)]
    A = np.zeros((len(rows), 15), dtype=np.int64)
    for row, (plus, minus) in zip(A, rows, strict=True):
        row[plus], row[minus] = 1, -1
    network = as_network(sp.csr_array(A))
    assert network is not None
    check_recognition(A, network)
    chain = np.array([[1, -1, 0], [0, 1, -1], [-1, 0, 1]])  # crosses all round, but each column is in two rows only
    beside = sp.block_diag([sp.coo_array(chain), A]).toarray()
    for both in (chain, beside):
        network = as_network(sp.csr_array(both))
        assert network is not None
        check_recognition(both, network)


def test_what_is_no_network_is_refused(monkeypatch):
    triangle = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    assert as_network(sp.csr_array(triangle)) is None
    assert as_network(sp.csr_array(np.array([[1, 2]]))) is None
    fine = sp.csr_array(triangle[:2])
    assert as_network(fine) is not None
    monkeypatch.setattr(networks, "MOST_PAIRS", 5)
    assert as_network(fine) is None


@examples(250)
@given(st.integers(0, 5), st.integers(0, 6), st.data())
def test_whatever_is_called_a_network_is_one(n_rows, n_columns, data):
    A = data.draw(several(n_rows * n_columns, st.sampled_from([0, 0, 1, 1, -1]))).reshape(n_rows, n_columns)
    network = as_network(sp.csr_array(A))
    if network is not None:
        check_recognition(A, network)


@OFTEN
@given(tables(), st.booleans())
def test_bounds_of_tables_are_those_of_all_tables(table, tightened):
    A, start, lower, upper, n_cells = table
    points = every_point(lower[:n_cells], upper[:n_cells])
    points = np.hstack([points, points @ A[:, :n_cells].T @ -A[:, n_cells:]])  # a slack is its row's sum
    fits = (points @ A.T == A @ start).all(axis=1) & (points >= lower).all(axis=1) & (points <= upper).all(axis=1)
    network = as_network(sp.csr_array(A))
    if tightened:
        tighten(sp.csr_array(A), A @ start, lower, upper)
    low, high = flows.flow_bounds(network, start, lower, upper, np.arange(len(start)))
    assert (low == points[fits].min(axis=0)).all()
    assert (high == points[fits].max(axis=0)).all()


@examples(250)
@given(graphs(), st.data())
def test_bounds_and_decided_arcs_are_those_of_all_flows(world, data):
    network, x, lower, upper = world
    every = all_flows(network, x, lower, upper)
    x = every[data.draw(st.integers(0, len(every) - 1))]  # whichever flow is known
    wanted = np.array(data.draw(st.lists(st.integers(0, len(x) - 1), min_size=1)))
    low, high = flows.flow_bounds(network, x, lower, upper, wanted)
    least, most = every.min(axis=0), every.max(axis=0)
    assert (low == least[wanted]).all()
    assert (high == most[wanted]).all()
    assert ((flows.moving_parts(network, x, lower, upper) < 0) == (least == most)).all()
    arc = int(wanted[0])
    for sign, bound in ((1, most[arc]), (-1, least[arc])):
        extreme = flows.extreme_flow(network, x, lower, upper, arc, sign)
        assert extreme[arc] == bound
        assert (every == extreme).all(axis=1).any()


def test_an_arc_is_no_way_back_for_itself():
    """A lone arc between two cycles has room both ways and still cannot move; a parallel arc frees it."""
    tail, head = np.array([0, 1, 1, 2, 3]), np.array([1, 0, 2, 3, 2])
    x, lower, upper = np.ones(5, dtype=np.int64), np.zeros(5, dtype=np.int64), np.full(5, 2)
    bridge = np.array([False, False, True, False, False])
    assert ((flows.moving_parts(Network(tail, head, 4, None), x, lower, upper) < 0) == bridge).all()
    tail, head = np.append(tail, 1), np.append(head, 2)
    freed = (
        flows.moving_parts(Network(tail, head, 4, None), np.append(x, 1), np.append(lower, 0), np.append(upper, 2)) < 0
    )
    assert not freed.any()


@OFTEN
@given(graphs(most_nodes=7, most_arcs=12), st.data())
def test_parts_are_those_of_the_row_space(world, data):
    network = world[0]
    is_open = data.draw(several(len(network.tail), st.booleans())) == 1
    matrix = incidence(network.tail, network.head, network.n_nodes)[:, is_open]
    form = reduced(matrix)[0]
    _, labels = sp.csgraph.connected_components(sp.csr_array((form != 0).T.astype(int) @ (form != 0).astype(int)))
    found = flows.independent_parts(network, is_open)
    assert (found[~is_open] == -1).all()
    assert (found[is_open] >= 0).all()
    assert partition(found[is_open]) == partition(labels)


@OFTEN
@given(tables(), st.integers(0, 3), st.data())
def test_a_feasible_flow_is_found_if_there_is_one(table, shift, data):
    A, start, lower, upper, n_cells = table
    b = A @ start
    if data.draw(st.booleans()):  # facts that may contradict the limits, or each other
        b[data.draw(st.integers(0, len(b) - 1))] += shift
        lower, upper = lower + shift, upper + shift
    network = as_network(sp.csr_array(A))
    found = flows.feasible_flow(network, A, b, lower, upper)
    cells = every_point(lower[:n_cells], upper[:n_cells])
    rest = b - cells @ A[:, :n_cells].T  # what the slack of each row, if it has one, must make up for
    has_slack = A[:, n_cells:].any(axis=1)
    sums = rest @ A[:, n_cells:]
    fits = (rest[:, ~has_slack] == 0).all(axis=1)
    fits &= ((sums >= lower[n_cells:]) & (sums <= upper[n_cells:])).all(axis=1)
    assert (found is not None) == fits.any()
    if found is not None:
        assert (A @ found == b).all()
        assert ((lower <= found) & (found <= upper)).all()


def test_limits_that_contradict_each_other_have_no_flow():
    A, ones = sp.csr_array(np.array([[1, 1]])), np.ones(2, dtype=np.int64)
    assert flows.feasible_flow(as_network(A), A, A @ ones, ones, ones).tolist() == [1, 1]
    assert flows.feasible_flow(as_network(A), A, A @ ones, ones + [1, 0], ones) is None


def two_way(shape, hidden):
    i, j = np.nonzero(hidden)
    where = (np.concatenate([i, shape[0] + j]), np.tile(np.arange(len(i)), 2))
    return sp.csr_array((np.ones(2 * len(i), dtype=np.int64), where), shape=(sum(shape), len(i)))


def test_a_larger_table_start_unknown_and_with_interruptions(monkeypatch):
    """Bounds do not depend on the flow they start from, nor on where the work is interrupted."""
    random = np.random.default_rng(5)
    hidden = random.random((30, 30)) < 0.3
    A = two_way((30, 30), hidden)
    x = random.poisson(3, hidden.sum())
    lower, upper = np.maximum(x - 2, 0), x + random.integers(0, 9, len(x))
    network = as_network(A)
    wanted = np.arange(len(x))
    low, high = flows.flow_bounds(network, x, lower, upper, wanted)
    other = flows.feasible_flow(network, A, A @ x, lower, upper)
    assert (other != x).any()
    monkeypatch.setattr(flows, "WORK_PER_CALL", 1000)
    told = []
    again = flows.flow_bounds(network, other, lower, upper, wanted, lambda done, of: told.append((done, of)))
    assert (again[0] == low).all()
    assert (again[1] == high).all()
    assert len(told) > 10
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1]


@pytest.mark.parametrize("first", [0, NO_LIMIT // 2])
def test_cells_without_limit_are_bounded_only_by_their_sums(first):
    """x + y = 7 and nothing else bounds; z - w = 0 is bounded by nothing."""
    A = sp.csr_array(np.array([[1, 1, 0, 0], [0, 0, 1, -1]]))
    lower, upper = np.array([0, 0, 0, 0]), np.full(4, NO_LIMIT)
    start = np.array([3, 4, first, first])
    low, high = flows.flow_bounds(as_network(A), start, lower, upper, np.arange(4))
    assert low.tolist() == [0, 0, 0, 0]
    assert high.tolist() == [7, 7, NO_LIMIT, NO_LIMIT]
    with pytest.raises(ValueError, match="limits"):
        flows.flow_bounds(as_network(A), start, lower + 4, upper, np.arange(4))
