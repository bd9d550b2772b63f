"""Parts of graphs are those of scipy's csgraph, in its order; what a few rounds show does not need it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from fiberwalk.fiber.equations import graph_parts
from fiberwalk.fiber.equations.graph_parts import joined_parts, strong_parts

EDGES = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=24)


def ends(edges):
    away, towards = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    return away, towards


def by_csgraph(n_nodes, away, towards, directed):
    graph = sp.coo_array((np.ones(len(away)), (away, towards)), shape=(n_nodes, n_nodes))
    return sp.csgraph.connected_components(graph, directed=directed, connection="strong")[1]


def together(label):
    return label[:, None] == label


@given(EDGES, st.integers(8, 10))
def test_joined_parts_in_the_order_of_their_first_nodes(edges, n_nodes):
    away, towards = ends(edges)
    assert joined_parts(n_nodes, away, towards).tolist() == by_csgraph(n_nodes, away, towards, False).tolist()


@given(EDGES, st.integers(8, 10))
def test_strong_parts(edges, n_nodes):
    away, towards = ends(edges)
    expected = by_csgraph(n_nodes, away, towards, True)
    assert (together(strong_parts(n_nodes, away, towards)) == together(expected)).all()


@pytest.mark.parametrize("length", [graph_parts.ROUNDS, graph_parts.ROUNDS + 1, 50])
def test_long_ways_are_one_part_too(length):
    along = np.arange(length)
    assert set(joined_parts(length + 1, along, along + 1).tolist()) == {0}
    assert len(set(strong_parts(length + 1, along, along + 1).tolist())) == length + 1
    assert set(strong_parts(length, along, (along + 1) % length).tolist()) == {0}


def test_no_nodes():
    nothing = np.empty(0, dtype=np.int64)
    assert len(joined_parts(0, nothing, nothing)) == len(strong_parts(0, nothing, nothing)) == 0
    assert joined_parts(3, nothing, nothing).tolist() == [0, 1, 2]
