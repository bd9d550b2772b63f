"""Rounds of replaced people: figures and bounds hold, ways back are as there, and rounds join what exchanges do not."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from support.effort import examples
from support.naive.kernels import rounds_from

from fiberwalk.base.random_streams import streams
from fiberwalk.fiber.blocks.presolve import Block
from fiberwalk.fiber.solvers.every_table import every_table
from fiberwalk.moves.people.exchanges import exchanges
from fiberwalk.moves.people.repair_ends import ends_of_rounds
from fiberwalk.moves.people.repairs import nearest, repairs


def block_of(A: np.ndarray, start: np.ndarray, upper: np.ndarray) -> Block:
    return Block(np.arange(len(start)), sp.csr_array(A), A @ start, np.zeros(len(start), dtype=np.int64), upper, start)


@st.composite
def blocks(draw) -> Block:
    """Figures of a few people: every column is in one at least."""
    n, m = draw(st.integers(4, 10)), draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    A = (rng.random((m, n)) < 0.5).astype(np.int64)
    A[rng.integers(0, m, n), np.arange(n)] = 1
    A = A[A.any(axis=1)]
    start = rng.poisson(0.7, n)
    return block_of(A, start, start + rng.integers(0, 3, n))


@given(blocks(), st.integers(0, 2**32))
def test_figures_and_bounds_hold(block: Block, seed: int) -> None:
    moves = repairs(block)
    assume(moves is not None)
    random, table = streams(seed, 1)[0], block.start.copy()
    for _ in range(50):
        table = moves.draw(random, table).on(table)
        assert (block.A @ table == block.b).all()
        assert (block.lower <= table).all()
        assert (table <= block.upper).all()


@given(blocks(), st.integers(0, 2**32))
def test_draws_lead_where_tables_are_said_to_be_joined(block: Block, seed: int) -> None:
    moves = repairs(block, longest=3)
    tables = every_table(block.A, block.b, block.lower, block.upper, 60)
    assume(moves is not None)
    assume(tables is not None and len(tables) > 1)
    joined = {(a, b) for one, other in moves.joined(tables) for a, b in zip(one.tolist(), other.tolist(), strict=True)}
    assert all(a < b for a, b in joined)
    place = {tuple(table): row for row, table in enumerate(tables.tolist())}
    random = streams(seed, 1)[0]
    for row, table in enumerate(tables):
        for _ in range(20):
            end = place[tuple(moves.draw(random, table).on(table).tolist())]
            assert end == row or (min(row, end), max(row, end)) in joined


@examples(100)
@given(blocks())
def test_all_rounds_side_by_side_lead_where_each_leads_by_itself(block: Block) -> None:
    moves = repairs(block, longest=3)
    assume(moves is not None)
    to, start = moves.arrays, tuple(block.start.tolist())
    edges = list(zip(to.source.tolist(), to.target.tolist(), strict=True))
    wanted = set()
    for round_, _, _ in rounds_from(start, block.A.toarray(), edges, partial(between, block), to.longest):
        end = np.array(start)
        for one, other in round_:
            end[one] -= 1
            end[other] += 1
        wanted.add(tuple(end.tolist()))
    found = [tuple(end) for end in ends_of_rounds(to, block.start).tolist()]
    assert len(found) == len(set(found))
    assert set(found) == wanted


def between(block: Block, table: list[int]) -> bool:
    return bool((block.lower <= table).all() and (table <= block.upper).all())


def hexagon() -> Block:
    """Three blocks of two people each, of three ages: who is black is published by block, by block and age, and by age."""
    # columns: [block, race] of the two ages that a block has: block k has ages k and k + 1
    names = [(block, age % 3, race) for block in range(3) for age in (block, block + 1) for race in range(2)]
    figures = [lambda n, b=b, a=a: n[:2] == (b, a) for b in range(3) for a in {b, (b + 1) % 3}]
    figures += [lambda n, b=b, r=r: (n[0], n[2]) == (b, r) for b in range(3) for r in range(2)]
    figures += [lambda n, a=a, r=r: n[1:] == (a, r) for a in range(3) for r in range(2)]
    A = np.array([[int(inside(name)) for name in names] for inside in figures])
    start = np.array([int(race == (age != block)) for block, age, race in names])
    return block_of(A, start, np.ones(len(names), dtype=np.int64))


@pytest.mark.parametrize("longest", [5, 6])
def test_three_blocks_change_together_or_not_at_all(longest: int) -> None:
    """Both tables differ in all six people: rounds of six join them, shorter ones and exchanges between blocks do not."""
    block = hexagon()
    tables = every_table(block.A, block.b, block.lower, block.upper, 100)
    assert len(tables) == 2
    assert (tables[0] != tables[1]).all()
    moves = repairs(block, longest=longest)
    assert sum(len(one) for one, _ in moves.joined(tables)) == (longest == 6)
    random, table, seen = streams(3, 1)[0], block.start, set()
    for _ in range(2000):
        table = moves.draw(random, table).on(table)
        seen.add(tuple(table.tolist()))
    assert len(seen) == (2 if longest == 6 else 1)
    assert exchanges(block) is not None


def test_the_nearest_differ_in_the_fewest_rows() -> None:
    A = sp.csr_array(np.array([[1, 1, 1, 0], [1, 1, 0, 1], [1, 0, 0, 1]]))
    one, other = nearest(A, 1)
    assert list(zip(one.tolist(), other.tolist(), strict=True)) == [(0, 1), (0, 3), (1, 0), (1, 2), (2, 1), (3, 0)]
