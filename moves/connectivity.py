"""check_connected: do moves join all tables of a small block? By walking through every one of them.

The tables are the nodes of the *fiber graph* and the moves its edges: the question is whether it is connected.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..base.errors import InputError, TooLarge
from ..fiber.blocks.presolve import Block
from ..fiber.equations.graph_parts import joined_parts
from ..fiber.laws.support import NO_TABLE
from ..fiber.solvers.every_table import every_table
from .families.move_set import MoveSet

MOST_TABLES = 200_000


@dataclass(frozen=True, eq=False)
class Connectivity:
    """The tables of a block (a row each, over its columns), and which of them the moves join."""

    tables: np.ndarray
    label: np.ndarray

    @property
    def components(self) -> int:
        """How many connected components the fiber graph has: parts that no move leads out of."""
        return int(self.label.max(initial=-1)) + 1

    @property
    def connected(self) -> bool:
        """Do the moves join all tables?"""
        return self.components <= 1


def check_block(
    block: Block,
    moves: MoveSet,
    most: int = MOST_TABLES,
    allowed: Callable[[np.ndarray], np.ndarray] | None = None,
) -> Connectivity:
    """Walk through all tables of a block (those that are `allowed`) and count the parts into which the moves leave them."""
    tables = every_table(block.A, block.b, block.lower, block.upper, most)
    if tables is None:
        raise TooLarge(
            f"a block of {len(block.columns):,} cells has more than {most:,} tables, or so many ways to look for them: too "
            "many for a check."
        )
    if allowed is not None:
        tables = tables[allowed(tables)]
        if not len(tables):
            raise InputError(NO_TABLE + "every feasible one has probability zero.")
    pairs = list(moves.joined(tables, allowed is not None))
    before = np.concatenate([np.empty(0, np.int64), *(from_tables for from_tables, _ in pairs)])
    after = np.concatenate([np.empty(0, np.int64), *(to_tables for _, to_tables in pairs)])
    return Connectivity(tables, joined_parts(len(tables), before, after))
