"""A plain chain for tests: hit-and-run under the uniform law, written from the definition and slow."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fiberwalk.fiber.blocks.presolve import Block
from fiberwalk.moves.families.mixture import Mixture
from fiberwalk.moves.families.move_set import MoveSet


def walk(moves: MoveSet, block: Block, random: np.ndarray, steps: int, seed: int = 1) -> Iterator[np.ndarray]:
    """The tables of a chain, one for each step, whether or not it moved."""
    rng = np.random.default_rng(seed)
    table = block.start.copy()
    for _ in range(steps):
        part = moves.pick(random) if isinstance(moves, Mixture) else moves
        move = part.draw(random, table)
        if len(move.columns):
            times = 1
            if part.makes_lines:
                low, high = move.range_on(table, block.lower, block.upper)
                times = int(rng.integers(low, high + 1))
            after = move.on(table, times)
            if np.log(rng.random()) < part.log_odds(move, after) - part.log_odds(move, table):
                table = after
        yield table


def frequencies(tables: Iterator[np.ndarray], every: np.ndarray, thin: int) -> np.ndarray:
    """How often each table was seen, looking at one step in `thin`."""
    place = {tuple(row): k for k, row in enumerate(every.tolist())}
    counts = np.zeros(len(every))
    for step, table in enumerate(tables):
        if step % thin == thin - 1:
            counts[place[tuple(table.tolist())]] += 1
    return counts
