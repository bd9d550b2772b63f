"""Vectors of random lattice bases: figures stay, chances are as said, and the uniform law is kept exactly."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
import xarray as xr
from hypothesis import assume, given
from hypothesis import strategies as st
from support.effort import examples
from support.naive.chain import frequencies, walk
from support.worlds import worlds

import fiberwalk as fw
from fiberwalk.base.random_streams import streams
from fiberwalk.fiber.blocks.presolve import Block, presolve
from fiberwalk.fiber.equations.rowspace import PRIME
from fiberwalk.fiber.solvers.every_table import every_table
from fiberwalk.moves.connectivity import check_block
from fiberwalk.moves.families.adaptive_kernel import directions, draw_direction, is_drawn, shuffle, wander, write
from fiberwalk.moves.families.adaptive_lattice import BasisMove, adaptive_lattice
from fiberwalk.moves.families.lattice import lattice_moves
from fiberwalk.moves.families.mixture import Mixture
from fiberwalk.moves.families.move_set import Move

FEW = 120


def sparse_release(shape, mean, seed):
    """A table with few counts in its cells, and all margins of two dims."""
    dims = "ABCDEF"[: len(shape)]
    values = np.random.default_rng(seed).poisson(mean, shape)
    table = xr.DataArray(
        values, dims=list(dims), coords={d: [str(i + 1) for i in range(n)] for d, n in zip(dims, shape, strict=True)}
    )
    return fw.publish(table, [",".join(two) for two in itertools.combinations(dims, 2)])


@st.composite
def blocks_of_releases(draw):
    world = draw(worlds(kinds=("publish", "suppress", "round"), least_dims=2))
    blocks = presolve(world.release).blocks
    assume(blocks)
    return draw(st.sampled_from(blocks))


@st.composite
def blocks_of_numbers(draw):
    """Equations whose solutions are often fractions, which tables' equations seldom are."""
    n = draw(st.integers(3, 6))
    m = draw(st.integers(1, n - 2))
    values = st.sampled_from([0, 1, 1, 1, -1, 2, 3, 5])
    A = np.array(draw(st.lists(values, min_size=m * n, max_size=m * n))).reshape(m, n)
    start = np.array(draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)))
    return Block(np.arange(n), sp.csr_array(A), A @ start, np.zeros(n, dtype=np.int64), np.full(n, 5), start)


blocks = st.one_of(blocks_of_releases(), blocks_of_numbers())


def tables_of(block, most=FEW):
    tables = every_table(block.A, block.b, block.lower, block.upper, most)
    assume(tables is not None and len(tables) > 1)
    return tables


def moves_at(moves, basis, table):
    """All directions of a basis at a table."""
    found = []
    columns, steps = np.empty(len(table), dtype=np.int64), np.empty(len(table), dtype=np.int64)
    for f in basis.found[: directions(moves.given, basis, table)].copy():
        length = write(basis, f, 1, columns, steps)
        found.append(BasisMove(columns[:length].copy(), steps[:length].copy(), basis))
    return found


def transitions(moves, block, tables, basis, ratio=True):
    """The probabilities of going from table to table in one step along the line of a vector of this basis."""
    number = {tuple(table): i for i, table in enumerate(tables.tolist())}
    P = np.zeros((len(tables), len(tables)))
    for i, table in enumerate(tables):
        for move in moves_at(moves, basis, table):
            here = moves.log_odds(move, table)
            first, last = move.range_on(table, block.lower, block.upper)
            for times in range(first, last + 1):
                there = move.on(table, times)
                accepted = min(1.0, np.exp(moves.log_odds(move, there) - here)) if ratio else 1.0
                P[i, number[tuple(there.tolist())]] += np.exp(here) / (last - first + 1) * accepted
        assert P[i].sum() <= 1 + 1e-12
        P[i, i] += 1 - P[i].sum()
    return P


@examples(40)
@given(blocks, st.integers(0, 1000))
def test_moves_change_no_figure_and_can_be_made(block, seed):
    moves = adaptive_lattice(block)
    assume(moves is not None)
    random = streams(seed, 1)[0]
    for _ in range(30):
        move = moves.draw(random, block.start)
        assert not (block.A @ move.on(np.zeros_like(block.start))).any()
        if len(move.columns):
            assert len(np.unique(move.columns)) == len(move.columns)
            assert move.steps.all()
            first, last = move.range_on(block.start, block.lower, block.upper)
            assert first < last
            assert np.gcd.reduce(move.steps) == 1


@examples(60)
@given(blocks, st.integers(0, 1000))
def test_a_tableau_stays_a_basis_whatever_is_exchanged(block, seed):
    moves = adaptive_lattice(block)
    assume(moves is not None)
    basis, random = moves.workspace(), streams(seed, 1)[0]
    A = block.A.toarray()
    for step in range(10):
        if step % 2:
            shuffle(moves.given, basis, random)
        else:
            wander(basis, random, 3)
        vectors = np.zeros((len(basis.lead), len(block.start)), dtype=np.int64)
        vectors[:, basis.dependent] = basis.entry
        vectors[np.arange(len(vectors)), basis.lead] = 1
        assert not (vectors @ A.T % PRIME).any()
        assert sorted([*basis.lead, *basis.dependent]) == list(range(len(block.start)))
        assert (basis.row[basis.lead] == np.arange(len(vectors))).all()
        assert (basis.row[basis.dependent] == -1).all()


@examples(20)
@given(blocks, st.integers(0, 1000))
def test_log_odds_are_the_frequencies_of_draws(block, seed):
    moves = adaptive_lattice(block)
    assume(moves is not None)
    random = streams(seed, 1)[0]
    basis = moves.draw(random, block.start).basis
    columns, steps = np.empty(moves.n_columns, dtype=np.int64), np.empty(moves.n_columns, dtype=np.int64)
    drawn, times = {}, 2000
    for _ in range(times):
        length = draw_direction(moves.given, basis, random, block.start, columns, steps)
        vector = Move(columns[:length], steps[:length]).on(np.zeros_like(block.start))
        drawn[tuple(vector.tolist())] = drawn.get(tuple(vector.tolist()), 0) + 1
    total = 0.0
    for move in moves_at(moves, basis, block.start):
        chance = np.exp(moves.log_odds(move, block.start))
        total += chance
        twice = BasisMove(move.columns, -2 * move.steps, basis)
        assert moves.log_odds(twice, block.start) == moves.log_odds(move, block.start)
        for sign in (1, -1):  # forwards and backwards are drawn alike
            seen = drawn.pop(tuple(move.on(np.zeros_like(block.start), sign).tolist()), 0)
            assert abs(seen - times * chance / 2) <= 6 * np.sqrt(times * chance / 2)
    assert drawn in ({}, {(0,) * moves.n_columns: times})
    assert total == pytest.approx(1.0 if not drawn else 0.0)


def test_a_direction_of_another_basis_or_without_room_is_not_drawn():
    block = presolve(sparse_release((3, 3, 3), 1.0, 1)).blocks[0]
    moves = adaptive_lattice(block)
    random = streams(0, 1)[0]
    drawn = [moves.draw(random, block.start) for _ in range(200)]
    one = next(move for move in drawn if len(move.columns))
    others = [BasisMove(move.columns, move.steps, one.basis) for move in drawn if len(move.columns)]
    odds = {moves.log_odds(move, block.start) for move in others}
    assert -np.inf in odds
    assert len(odds) == 2
    empty = np.zeros_like(block.start)
    assert moves.log_odds(one, empty) == -np.inf
    assert moves.log_odds(Move(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)), empty) == 0
    with pytest.raises(TypeError, match="basis"):
        moves.log_odds(Move(one.columns, one.steps), block.start)


@examples(40)
@given(blocks, st.integers(0, 1000))
def test_the_uniform_law_is_kept_exactly(block, seed):
    moves = adaptive_lattice(block)
    assume(moves is not None)
    tables, random = tables_of(block), streams(seed, 1)[0]
    for _ in range(3):
        P = transitions(moves, block, tables, moves.draw(random, block.start).basis)
        assert np.abs(P - P.T).max() <= 1e-12


def test_without_the_ratio_the_law_is_not_kept():
    """On many fibers, so the test above does notice."""
    wrong, tried = 0, 0
    for seed in range(12):
        for block in presolve(sparse_release((3, 3, 3), 0.7, seed)).blocks:
            tables = every_table(block.A, block.b, block.lower, block.upper, 300)
            if tables is None:
                continue
            moves, random = adaptive_lattice(block), streams(seed, 1)[0]
            basis = moves.draw(random, block.start).basis
            right = transitions(moves, block, tables, basis)
            assert np.abs(right - right.T).max() <= 1e-12
            P = transitions(moves, block, tables, basis, ratio=False)
            tried += 1
            wrong += np.abs(P - P.T).max() > 1e-3
    assert tried >= 5
    assert wrong >= 3


@pytest.mark.slow
def test_a_chain_with_lattice_sums_visits_all_tables_alike():
    visited = 0
    for seed in range(12):
        for block in presolve(sparse_release((3, 3, 3), 0.7, seed)).blocks:
            tables = every_table(block.A, block.b, block.lower, block.upper, 40)
            if tables is None or len(tables) < 8:
                continue
            mixture = Mixture((adaptive_lattice(block), lattice_moves(block)), (1.0, 1.0))
            assert mixture.certificate.word == "connected"
            chain = walk(mixture, block, streams(seed, 1)[0], 300 * len(tables))
            seen = frequencies(chain, tables, 1)
            assert seen.min() > 150
            assert seen.max() < 600
            visited += 1
    assert visited >= 2


@examples(40)
@given(blocks)
def test_joined_is_what_steps_lead_to(block):
    moves = adaptive_lattice(block)
    assume(moves is not None)
    tables, A = tables_of(block, 60), block.A.toarray()
    together = np.eye(len(tables), dtype=bool)
    basis = moves.workspace()
    for one, two in itertools.combinations(range(len(tables)), 2):
        difference = tables[two] - tables[one]
        inside = np.flatnonzero(difference)
        vector = difference[inside] // np.gcd.reduce(difference[inside])
        circuit = np.linalg.matrix_rank(A[:, inside]) == len(inside) - 1 and np.abs(vector).min() == 1
        assert is_drawn(moves.given, basis, difference) == circuit
        together[one, two] = circuit
    parts = sp.csgraph.connected_components(sp.csr_array(together), directed=False)[0]
    check = check_block(block, moves)
    assert len(check.tables) == len(tables)
    assert check.components == parts


def test_a_check_that_is_too_large_is_left_to_the_proven_part(monkeypatch):
    block = presolve(sparse_release((3, 3, 3), 1.0, 1)).blocks[0]
    moves = adaptive_lattice(block)
    monkeypatch.setattr("fiberwalk.moves.families.adaptive_lattice.MOST_ROUNDS", 0)
    monkeypatch.setattr("fiberwalk.moves.families.adaptive_lattice.MOST_PAIRS", 0)
    monkeypatch.setattr(type(moves), "_on_one_line", lambda *_: (np.empty(0, dtype=np.int64),) * 2)
    with pytest.raises(fw.TooLarge, match="too many"):
        check_block(block, moves)
    with pytest.raises(fw.TooLarge, match="too many"):
        check_block(block, Mixture((moves, moves), (1.0, 1.0)))
    assert check_block(block, Mixture((moves, lattice_moves(block)), (1.0, 1.0))).connected


def test_blocks_that_are_too_large_are_left_to_others():
    n = 600
    A = sp.csr_array(np.kron(np.eye(n // 2, dtype=np.int64), np.ones((1, 2), dtype=np.int64)))
    start = np.ones(n, dtype=np.int64)
    assert adaptive_lattice(Block(np.arange(n), A, A @ start, 0 * start, 2 * start, start)) is None
    block = presolve(sparse_release((3, 3, 3), 1.0, 1)).blocks[0]
    moves = adaptive_lattice(block)
    assert moves.listed().shape == (0, len(block.columns))
    assert moves.certificate.word == "unproven"
