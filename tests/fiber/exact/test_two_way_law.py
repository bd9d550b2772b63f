"""Laws of two-way tables by sums over simplices, against all tables and against an elimination."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.effort import examples

import fiberwalk as fw
from fiberwalk.fiber.blocks.presolve import presolve
from fiberwalk.fiber.exact import chooser
from fiberwalk.fiber.exact.elimination import eliminate_block
from fiberwalk.fiber.exact.enumeration import enumerate_block
from fiberwalk.fiber.exact.solved import Budget
from fiberwalk.fiber.exact.two_way_law import added, two_way_law


def naive_sum(before: np.ndarray, total: int) -> np.ndarray:
    after = np.zeros_like(before)
    for place in np.ndindex(*before.shape):
        for y in product(range(total + 1), repeat=3):
            source = tuple(s - t for s, t in zip(place, y, strict=True))
            if sum(y) <= total and min(source) >= 0:
                after[place] = (int(after[place]) + int(before[source])) % 2**64
    return after


@examples(60)
@given(st.tuples(*[st.integers(1, 5)] * 3), st.integers(0, 6), st.integers(0, 2**32))
def test_sums_over_a_simplex_are_those_of_its_definition(shape, total, seed):
    before = np.random.default_rng(seed).integers(0, 2**64, shape, dtype=np.uint64)  # they wrap around as they do
    assert np.array_equal(added(before, total), naive_sum(before, total))


@examples(60)
@given(st.integers(2, 4), st.integers(2, 4), st.data())
def test_the_law_is_that_of_all_tables(height, width, data):
    cells = data.draw(st.lists(st.integers(0, 4), min_size=height * width, max_size=height * width))
    release = fw.publish(np.array(cells).reshape(height, width), ["A", "B"])
    answered = 0
    for block in presolve(release).blocks:
        found = two_way_law(block, Budget())
        if found is None:
            continue
        right = enumerate_block(block.A, block.b, block.lower, block.upper)
        assert found.tables == right.tables
        for mine, other in zip(found.weights, right.weights, strict=True):
            assert np.allclose(mine, other, rtol=1e-12, atol=0)
        for mine, other in zip(found.possible, right.possible, strict=True):
            assert np.array_equal(mine, other)
        answered += 1
    assume(answered)


def dense(people: int, shape: tuple[int, int] = (4, 4)):
    cells = np.random.default_rng(3).multinomial(people, np.full(shape[0] * shape[1], 1 / (shape[0] * shape[1])))
    return presolve(fw.publish(cells.reshape(shape), ["A", "B"])).blocks[0]


@pytest.mark.parametrize("shape", [(4, 4), (3, 4), (2, 4), (4, 3), (3, 3)])
def test_the_law_is_that_of_an_elimination(shape):
    block = dense(90, shape)
    found = two_way_law(block, Budget())
    right = eliminate_block(block.A, block.b, block.lower, block.upper, [None] * len(block.columns), Budget())
    assert found.tables == right.tables
    for mine, other in zip(found.weights, right.weights, strict=True):
        assert np.allclose(mine, other, rtol=1e-9, atol=1e-15)


def test_other_blocks_and_too_large_ones_are_left_to_others():
    assert two_way_law(dense(90, (5, 4)), Budget()) is None
    assert two_way_law(dense(90), Budget(operations=1000)) is None
    assert two_way_law(dense(90), Budget(bytes=1000)) is None
    assert two_way_law(dense(10**7, (2, 2)), Budget(10**18, 10**18)) is None  # counts may not fit into 64 bits
    bounded = presolve(
        fw.suppress(np.arange(1, 17).reshape(4, 4), where=np.arange(16).reshape(4, 4) % 5 > 0, margins=["A", "B"])
    )
    assert all(two_way_law(block, Budget()) is None for block in bounded.blocks)


def test_it_is_chosen_where_an_enumeration_takes_too_long(monkeypatch):
    monkeypatch.setattr(chooser, "eliminate_block", None)  # not reached
    block = dense(200)
    solved = chooser.solve_exactly(block, [None] * 16, budget=Budget(4_000_000_000))
    assert solved.method == "two-way counts"
    assert (
        abs(
            sum(float(np.arange(len(law)) @ law) + low for law, low in zip(solved.weights, solved.lower, strict=True))
            - 200
        )
        < 1e-9
    )
