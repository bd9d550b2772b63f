"""Every table that agrees with a release, one by one, and its weight: for questions that no sum of cells answers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ..base.errors import TooLarge
from ..fiber.blocks.presolve import Block
from ..fiber.laws.support import Support
from ..fiber.solvers.table_search import TableSearch

WORK = 50_000_000
"""Entries of equations that the search for all tables of a block may look at."""
MOST_NUMBERS = 50_000_000


class WeighedTables(NamedTuple):
    """Some tables, a row of finest cells each, and the logarithm of what the law weighs them, up to a constant."""

    cells: np.ndarray
    log_weights: np.ndarray


def every_table(support: Support, most: int) -> WeighedTables:
    """All tables that the facts, the law and the evidence leave possible; `TooLarge` where these are more than `most`."""
    solved = support.solved
    n_cells = support.release.n_cells
    values, logs = solved.start[None, :].astype(np.int64), np.zeros(1)
    for block in solved.blocks:
        of_block = _of_block(block, most)
        weights = _weighed(support, block, of_block)
        of_block, weights = of_block[weights > -np.inf], weights[weights > -np.inf]
        both = len(values) * len(of_block)
        if both > most or both * values.shape[1] > MOST_NUMBERS:
            raise TooLarge(f"more than {most:,} tables agree with what was published.")
        values = np.repeat(values, len(of_block), axis=0)
        values[:, block.columns] = np.tile(of_block, (len(logs), 1))
        logs = np.repeat(logs, len(of_block)) + np.tile(weights, len(logs))
    return WeighedTables(values[:, :n_cells], logs)


def _of_block(block: Block, most: int) -> np.ndarray:
    """All tables of a block, a row of its columns each."""
    if not block.A.shape[0]:
        sizes = block.upper - block.lower + 1
        if float(np.prod(sizes.astype(float))) > most:
            raise TooLarge(f"more than {most:,} tables agree with what was published.")
        return np.indices(tuple(sizes.tolist())).reshape(len(sizes), -1).T + block.lower
    found: list[np.ndarray] = []
    number = 0
    for tables in TableSearch(sp.csr_array(block.A), block.b).every(block.lower, block.upper, WORK):
        found.append(tables.copy())
        number += len(tables)
        if number > most:
            raise TooLarge(f"more than {most:,} tables agree with what was published.")
    return np.concatenate(found) if found else np.empty((0, len(block.columns)), dtype=np.int64)


def _weighed(support: Support, block: Block, tables: np.ndarray) -> np.ndarray:
    """The log-weights of a block's tables."""
    logs = np.zeros(len(tables))
    for at, column in enumerate(block.columns.tolist()):
        low, high = int(block.lower[at]), int(block.upper[at])
        weights = support.weigh.relative(column, low, high)
        if weights is not None:
            logs += weights[tables[:, at] - low]
    return logs
