"""Short moves of any equations: those of four columns are all there are, and variants are moves as long."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import scipy.sparse as sp
from hypothesis import given, note
from support.effort import examples
from support.worlds import worlds

import fiberwalk as fw
from fiberwalk.fiber.blocks.presolve import presolve
from fiberwalk.fiber.equations.lattice import integer_kernel, shortened
from fiberwalk.moves.families.short_moves import four_cell_moves, short_moves, two_cell_moves, variants


def naive(A: np.ndarray) -> set[frozenset[tuple[int, int]]]:
    """Every move with two columns that gain and two that lose one, none of them alike, once up to its sign."""
    found = set()
    for four in combinations(range(A.shape[1]), 4):
        for plus in combinations(four[1:], 1):
            move = np.full(4, -1)
            move[[0, four.index(plus[0])]] = 1
            ups, downs = np.array(four)[move > 0], np.array(four)[move < 0]
            falls_apart = any((A[:, up] == A[:, down]).all() for up in ups for down in downs)
            if not (A[:, four] @ move).any() and not falls_apart:
                found.add(frozenset(zip(four, move.tolist(), strict=True)))
    return found


def as_sets(rows) -> list[frozenset[tuple[int, int]]]:
    dense = sp.csr_array(rows).toarray()
    signs = [row[np.flatnonzero(row)[0]] for row in dense]
    return [
        frozenset((int(j), int(sign * row[j])) for j in np.flatnonzero(row))
        for row, sign in zip(dense, signs, strict=True)
    ]


@examples(60)
@given(worlds(most_cells=10, most_count=4))
def test_all_moves_of_four_columns_are_found(world):
    note(world.story)
    for block in presolve(world.release).blocks:
        dense = block.A.toarray()
        assert set(as_sets(four_cell_moves(block.A, 10**6))) == naive(dense)
        of_two = two_cell_moves(block.A, 10**6)
        assert not (block.A @ of_two.T).count_nonzero()
        assert of_two.shape[0] == dense.shape[1] - len(np.unique(dense, axis=1).T)


def linked_tables() -> fw.Release:
    people = np.random.default_rng(11).poisson(2, (8, 6, 5))
    parts = []
    for axis, dims in ((2, ["A", "B"]), (1, ["A", "C"])):
        table = people.sum(axis=axis)
        parts.append(fw.suppress(fw.table(table, dims=dims), where=table < np.quantile(table, 0.4)))
    return fw.linked(parts, full=True)


def test_variants_are_moves_of_the_same_length_and_each_is_there_once():
    block = max(presolve(linked_tables()).blocks, key=lambda some: len(some.columns))
    vectors, four = shortened(integer_kernel(block.A).basis), four_cell_moves(block.A, 10**6)
    six = vectors[np.flatnonzero(np.diff(vectors.indptr) == 6)]
    assert six.shape[0] > 0
    found = variants(six, four, 10**6)
    assert found.shape[0] > 5 * six.shape[0]
    assert not (block.A @ found.T).count_nonzero()
    assert set(np.diff(found.indptr).tolist()) == {6}
    assert len(set(as_sets(found))) == found.shape[0]
    assert set(as_sets(six)) <= set(as_sets(found))
    # a variant of a variant is one, too: there is nothing further to find
    assert set(as_sets(variants(found, four, 10**6))) == set(as_sets(found))
    assert variants(six, four, 3).shape[0] == 3
    assert variants(six, four[:0], 10**6).shape[0] == six.shape[0]


def test_of_too_many_some_are_listed_and_always_the_same():
    block = presolve(fw.publish(np.full((6, 6), 4), ["A", "B"])).blocks[0]
    few = four_cell_moves(block.A, 50)
    assert few.shape[0] == 50
    assert set(as_sets(few)) <= naive(block.A.toarray())
    assert (few != four_cell_moves(block.A, 50)).nnz == 0


def test_a_block_without_any_has_none():
    block = presolve(fw.publish(np.full((3, 3, 3), 4), ["A,B", "A,C", "B,C"])).blocks[0]
    nothing = sp.csr_array((0, len(block.columns)), dtype=np.int64)
    assert four_cell_moves(block.A, 100).shape[0] == 0
    assert short_moves(block.A, nothing, None) is None
