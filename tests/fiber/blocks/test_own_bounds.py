"""Which bounds a walk has to look at: those that say more than the equations and 0 do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, note
from support.effort import examples
from support.worlds import worlds

import fiberwalk as fw
from fiberwalk.fiber.blocks.own_bounds import only_nought_bounds
from fiberwalk.fiber.blocks.presolve import Block, presolve

MOST_TABLES = 300_000
BEYOND = 2
"""Values above a column's upper bound that are tried."""


def strays(block: Block) -> np.ndarray | None:
    """Tables without negative cells in which the equations hold, and that are outside the bounds; None: too many to try."""
    sizes = block.upper + 1 + BEYOND
    if np.prod(sizes.astype(float)) > MOST_TABLES:
        return None
    tables = np.indices(sizes).reshape(len(sizes), -1)
    holds = (block.A @ tables == block.b[:, None]).all(axis=0)
    inside = ((tables >= block.lower[:, None]) & (tables <= block.upper[:, None])).all(axis=0)
    return tables[:, holds & ~inside].T


@given(worlds())
@examples(100)
def test_no_table_without_negative_cells_is_outside_bounds_that_only_nought_makes(world):
    blocks = [block for block in presolve(world.release).blocks if only_nought_bounds(block)]
    tried = [found for block in blocks if (found := strays(block)) is not None]
    assume(tried)
    for found in tried:
        note(f"{found}")
        assert not len(found)


def the_block(release: fw.Release) -> Block:
    (block,) = presolve(release).blocks
    return block


def test_what_somebody_knows_of_a_cell_is_no_bound_of_the_equations():
    """The negative control: a table outside is found where the answer is no, too."""
    table = np.array([[3, 2], [1, 4]])
    free = fw.publish(table, ["A", "B"])
    assert only_nought_bounds(the_block(free))
    for known in ({"at_most": 3}, {"at_least": 1}):
        block = the_block(free.knows({"A": "1", "B": "1"}, **known))
        assert not only_nought_bounds(block)
        assert len(strays(block))


def test_a_lower_bound_that_follows_from_the_sums_is_one_that_only_nought_makes():
    block = the_block(fw.publish(np.array([[9, 1], [2, 1]]), ["A", "B"]))
    assert block.lower.any()
    assert only_nought_bounds(block)


@pytest.mark.parametrize("seed", range(3))
def test_bounds_by_rows_that_were_dropped_as_others_imply_them_count_too(seed):
    rng = np.random.default_rng(seed)
    table = rng.poisson(2.0, (5, 5, 5)) * (rng.random((5, 5, 5)) < 0.6)
    release = fw.suppress(table, where=table > 0, margins=["A,B", "A,C", "B,C"])
    blocks = presolve(release).blocks
    assert any(block.every_row is not None for block in blocks)
    assert all(only_nought_bounds(block) for block in blocks)
