"""memory= is kept by eliminations: what is allocated, counted by Python itself, stays within it, done or refused."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import fiberwalk as fw
from fiberwalk.fiber.blocks.presolve import presolve
from fiberwalk.fiber.exact.elimination import Elimination, eliminate_block
from fiberwalk.fiber.exact.elimination_layout import Addition
from fiberwalk.fiber.exact.solved import Budget

TWO_WAY = ["A,B", "B,C", "A,C"]
RING = ["A,B", "B,C", "C,D", "D,E", "A,E"]
CASES = [(3, (4, 4, 4), TWO_WAY), (1, (3, 4, 5), TWO_WAY), (2, (3, 4, 4), TWO_WAY), (6, (3, 3, 4), TWO_WAY),
         (20, (4, 5), ["A", "B"]), (8, (5, 6), ["A", "B"]), (1, (2, 2, 2, 2, 2), RING)]  # fmt: skip
OBJECTS = 1_000_000
"""Bytes for what is no array: the block, the plan, Python's own."""


def block_of(mean, shape, margins):
    counts = np.random.default_rng(1).poisson(mean, shape)
    return presolve(fw.publish(counts, margins)).blocks[0]


def eliminated(block, memory, law=None):
    law = [None] * len(block.lower) if law is None else law
    return eliminate_block(block.A, block.b, block.lower, block.upper, law, Budget(2_000_000_000, memory))


def most_allocated(work):
    """The most bytes that Python and numpy had at any time, and what came of it."""
    tracemalloc.start()
    try:
        try:
            found = work()
        except fw.TooLarge as problem:
            found = problem
        return tracemalloc.get_traced_memory()[1], found
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """The kernels are compiled before anything is counted."""
    small = block_of(1, (3, 3, 3), TWO_WAY)
    eliminated(small, 10**8)
    eliminated(small, 10**8, weights(small))


def weights(block):
    return [np.linspace(0.0, -1.0, int(width) + 1) for width in block.upper - block.lower]


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_memory_is_kept(case, weighted):
    block = block_of(*case)
    law = weights(block) if weighted else None
    for memory in (3_000_000, 10_000_000, 30_000_000, 100_000_000):
        peak, found = most_allocated(lambda limit=memory: eliminated(block, limit, law))
        assert peak <= memory + OBJECTS, (memory, peak, found)


def test_what_fits_is_not_refused_and_what_was_counted_is_what_there_is():
    block = block_of(1, (3, 4, 5), TWO_WAY)
    allowed = [np.ones(int(width) + 1, dtype=bool) for width in block.upper - block.lower]
    laid_out = Elimination(block.A, block.b, block.lower, allowed, Budget())
    arrays = [
        one for layer in laid_out.layers for one in (layer.rows, layer.size, layer.keys, layer.first, layer.start)
    ]
    for step in laid_out.steps:
        arrays += [*step.orbits.source, *step.orbits.target] if isinstance(step, Addition) else [step.place]
    in_layers = {id(one if one.base is None else one.base): one.nbytes for one in arrays}
    assert laid_out.held <= sum(one.nbytes for one in arrays) <= 1.2 * laid_out.held
    assert sum(in_layers.values()) <= laid_out.held
    assert eliminated(block, 2 * laid_out.bytes).tables == eliminated(block, 10**9).tables
    with pytest.raises(fw.TooLarge, match="for an elimination"):
        eliminated(block, laid_out.bytes // 2)
