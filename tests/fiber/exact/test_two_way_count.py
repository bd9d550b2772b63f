"""Two-way tables counted by splits of their rows, against all of them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import examples

import fiberwalk as fw
from fiberwalk.fiber.blocks.presolve import presolve
from fiberwalk.fiber.exact.solved import Budget
from fiberwalk.fiber.exact.two_way_count import count_two_way


def naive(rows: list[int], columns: list[int]) -> int:
    """How many tables there are, row by row."""
    if not rows:
        return int(not any(columns))

    def splits(left: int, limits: list[int]):
        if not limits:
            if left == 0:
                yield []
            return
        for x in range(min(left, limits[0]) + 1):
            for rest in splits(left - x, limits[1:]):
                yield [x, *rest]

    return sum(naive(rows[1:], [c - x for c, x in zip(columns, one, strict=True)]) for one in splits(rows[0], columns))


@given(st.integers(2, 4), st.integers(2, 4), st.data())
@examples(40)
def test_every_table_is_counted(height: int, width: int, data) -> None:
    cells = data.draw(st.lists(st.integers(0, 3), min_size=height * width, max_size=height * width))
    table = np.array(cells).reshape(height, width)
    blocks = presolve(fw.publish(table, margins=["A", "B"])).blocks
    counts = [count_two_way(block, Budget()) for block in blocks]
    if None not in counts:
        assert np.prod(counts, dtype=object) == naive(table.sum(axis=1).tolist(), table.sum(axis=0).tolist())
    assert fw.count(fw.publish(table, margins=["A", "B"])) == naive(
        table.sum(axis=1).tolist(), table.sum(axis=0).tolist()
    )


def polynomial(n: int) -> int:
    """4 x 4 tables whose row and column sums are all n: a polynomial of degree 9 (Stanley 1973), by its first values."""
    known = [1, 24, 282, 2008, 10147, 40176, 132724, 381424, 981541, 2309384]
    total = Fraction(0)
    for i, value in enumerate(known):
        term = Fraction(value)
        for j in range(len(known)):
            if j != i:
                term *= Fraction(n - j, i - j)
        total += term
    assert total.denominator == 1
    return int(total)


@pytest.mark.parametrize("n", [4, 8, 12, 120, pytest.param(320, marks=pytest.mark.slow)])
def test_large_counts_lie_on_their_polynomial(n: int) -> None:
    """The last has more tables than 64 bits hold."""
    assert fw.count(fw.publish(np.full((4, 4), n // 4), margins=["A", "B"])) == polynomial(n)


def test_bounds_of_cells_are_left_to_others() -> None:
    """What is bounded by more than its margins is not counted so."""
    release = fw.publish(np.full((4, 4), 3), margins=["A", "B"]).knows({"A": "1", "B": "1"}, at_most=4)
    (block,) = presolve(release).blocks
    assert count_two_way(block, Budget()) is None
    assert count_two_way(presolve(fw.publish(np.full((4, 5), 3), margins=["A", "B"])).blocks[0], Budget()) is None
    (free,) = presolve(fw.publish(np.full((4, 4), 300), margins=["A", "B"])).blocks
    assert count_two_way(free, Budget(operations=10**6)) is None
