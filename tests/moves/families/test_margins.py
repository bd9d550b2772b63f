"""Moves of complete tables of margins: which they are, the shortest, and what large tables cost."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from support.move_families import TWO_WAY, basis_of, check_protocol

import fiberwalk as fw
from fiberwalk.base.random_streams import streams
from fiberwalk.fiber.blocks.presolve import presolve
from fiberwalk.fiber.bounds.decomposable import components
from fiberwalk.moves.bases import part_bases
from fiberwalk.moves.bases.algebra import Algebra
from fiberwalk.moves.connectivity import check_block
from fiberwalk.moves.families.margins import margin_moves
from fiberwalk.moves.families.move_set import sparse_rows


def as_cells(moves, block, shape):
    """Listed moves over the cells of a complete table, as a set up to sign."""
    listed = sp.csr_array(moves.listed())
    whole = np.zeros((listed.shape[0], int(np.prod(shape))), dtype=np.int64)
    whole[:, block.columns] = listed.toarray()
    return {min(tuple(row.tolist()), tuple((-row).tolist())) for row in whole}


def test_dims_that_the_same_margins_show_are_one():
    """A dim of 4 labels or two dims of 2: the same cells, the same moves."""
    table = np.ones((2, 2, 3, 3), dtype=int)
    apart = fw.publish(table, ["A,B,C", "A,B,D", "C,D"])
    merged = fw.publish(table.reshape(4, 3, 3), TWO_WAY)
    found = []
    for release in (apart, merged):
        solved = presolve(release)
        moves = margin_moves(components(release), solved, 0)
        found.append(as_cells(moves, solved.blocks[0], (36,)))
    assert found[0] == found[1]
    assert len(found[0]) == 450


def test_the_basis_of_a_part_may_be_computed(monkeypatch):
    rng = np.random.default_rng(3)
    release = fw.publish(rng.poisson(0.6, (2, 3, 2, 2)), ["A,B", "B,C", "A,C", "C,D"])
    solved = presolve(release)
    monkeypatch.setattr(part_bases, "known_basis", lambda shape, margins: None)
    computed = margin_moves(components(release), solved, 0)
    assert "the Graver basis of a part" in computed.certificate.reason
    block = solved.blocks[0]
    check_protocol(computed, block, streams(1, 1)[0])
    assert check_block(block, computed).connected
    monkeypatch.setattr(part_bases, "graver_basis", lambda *arguments: None)
    rows = part_bases.margin_matrix([2, 3, 2], [{0, 1}, {0, 2}, {1, 2}])
    basis = basis_of((2, 3, 2))
    assert not abs(rows @ basis.T).sum()
    monkeypatch.setattr(part_bases, "markov_basis", lambda *arguments: Algebra(basis, "computed by a test"))
    by_algebra = margin_moves(components(release), solved, 0)
    assert "a Markov basis of a part (computed by a test)" in by_algebra.certificate.reason
    check_protocol(by_algebra, block, streams(1, 1)[0])
    assert check_block(block, by_algebra).connected


def test_a_dim_that_every_margin_shows_cuts_the_table():
    release = fw.publish(np.ones((3, 2, 3, 3), dtype=int), ["A,B,C", "A,B,D", "B,C,D"])
    solved = presolve(release)
    assert len(solved.blocks) == 2
    for number in range(2):
        moves = margin_moves(components(release), solved, number)
        assert moves.listed().shape == (81, 27)


@pytest.mark.parametrize(
    ("values", "margins"),
    [
        (np.ones((3, 3, 4), int), ["A,B", "A,C", "B,C"]),
        (np.random.default_rng(1).poisson(0.4, (3, 3, 4)), ["A,B", "A,C", "B,C"]),  # some cells are decided
        (np.ones((2, 2, 2, 3), int), ["A,B", "A,C", "A,D", "B,C", "B,D", "C,D"]),
        (np.ones((3, 2, 3, 3), int), ["A,B,C", "A,B,D", "B,C,D"]),
        (np.ones((2, 2, 3, 2), int), ["A,B", "B,C", "A,C", "C,D"]),  # dims outside of the part
        (np.ones((2, 2, 2), int), ["A,B"]),  # a free dim
    ],
    ids=["complete", "decided", "four dims", "slices", "outside", "free"],
)
def test_whole_patterns_give_the_moves_that_one_by_one_does(values, margins):
    release = fw.publish(values, margins)
    moves = margin_moves(components(release), presolve(release), 0)
    whole, single = moves.listed(), sparse_rows(moves._others(), moves.n_columns)
    assert {tuple(row) for row in whole.toarray()} == {tuple(row) for row in single.toarray()}
    assert whole.shape == single.shape
    less = whole.shape[0] - 1
    with pytest.raises(fw.TooLarge, match=f"there are more than {less:,} moves, too many to be listed"):
        moves.listed(less)


def test_margin_moves_of_large_tables_cost_nothing():
    release = fw.publish(np.ones((30, 20, 3, 3), int), ["A,B", "B,C", "C,D", "B,D"])
    solved = presolve(release)
    moves = margin_moves(components(release), solved, 0)
    assert moves.certificate.word == "connected"
    assert "Dobra and Sullivant" in moves.certificate.reason
    random = streams(1, 1)[0]
    block = solved.blocks[0]
    for _ in range(200):
        move = moves.draw(random, block.start)
        assert not (block.A @ (move.on(block.start) - block.start)).any()


def test_the_known_bases_are_not_claimed_for_bounded_cells():
    release = fw.publish(np.ones((3, 3, 3), int), TWO_WAY)
    assert components(release) is not None
    assert components(release.knows({"A": "1", "B": "1", "C": "1"}, at_most=1)) is None
