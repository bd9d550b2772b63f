"""Populations drawn from what an intruder believes: one person a row.

Blocks of few tables are drawn from a list of all of them, others by chains.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.errors import TooLarge
from ...base.progress import Progress
from ...fiber.blocks.presolve import Block
from ...fiber.laws.law import relative_weights
from ...fiber.laws.support import Support, support
from ...fiber.solvers.table_search import TableSearch
from ...moves.chooser import choose
from ...release.population.kinds import Kinds
from ...sampler.chains.settings import ChainSettings
from ...sampler.drawn_tables import draw_tables
from .among_records import fallen
from .rebuilt import Rebuilt

MOST_LISTED, MOST_WORK = 100_000, 200_000_000
"""Tables of a block that are listed, and steps of the search for them."""


def drawn(
    rebuilt: Rebuilt, number: int, seed: int | None, chains: int, progress: Progress | None
) -> Iterator[np.ndarray]:
    """The people of so many populations: [person, dim], numbers of labels."""
    rng = np.random.default_rng(seed)
    counts, _ = drawn_counts(rebuilt, number, rng, chains, progress)
    for population in counts:
        yield people_of(rebuilt.kinds, population, rebuilt.alike, rng)


def drawn_counts(
    rebuilt: Rebuilt, number: int, rng: np.random.Generator, chains: int, progress: Progress | None
) -> tuple[np.ndarray, dict[str, Any]]:
    """How many there are of each kind in so many populations, and how chains drew them."""
    inside = support(rebuilt.kinds.release, rebuilt.law)
    n = len(rebuilt.kinds)
    tables = np.tile(inside.solved.start[:n], (number, 1))
    left: list[Block] = []
    for block in inside.solved.blocks:
        listed = _listed(block, inside, number, rng)
        if listed is None:
            left.append(block)
            continue
        own = block.columns < n
        tables[:, block.columns[own]] = listed[:, own]
    how: dict[str, Any] = {"converged": "yes"}
    if left:
        settings = ChainSettings(int(rng.integers(2**31)), chains)
        walked, how = draw_tables(
            choose(inside.only(left), progress=progress), settings, draws=-(-number // chains), progress=progress
        )
        open_columns = np.concatenate([block.columns for block in left])
        open_columns = open_columns[open_columns < n]
        tables[:, open_columns] = walked.reshape(-1, walked.shape[2])[:number, open_columns]
    return tables, how


def _listed(block: Block, inside: Support, number: int, rng: np.random.Generator) -> np.ndarray | None:
    """Tables of a block drawn from all of them, by their weights; None where there are too many."""
    if not block.A.shape[0] or (np.diff(block.A.tocsc().indptr) == 0).any():
        return None
    found, every = 0, []
    try:
        for some in TableSearch(block.A, block.b).every(block.lower, block.upper, MOST_WORK):
            every.append(some.copy())
            found += len(some)
            if found > MOST_LISTED:
                return None
    except TooLarge:
        return None
    tables = np.concatenate(every)
    log_weight = np.zeros(len(tables))
    for place, (column, low, high) in enumerate(zip(block.columns, block.lower, block.upper, strict=True)):
        weights = relative_weights(inside.weigh, int(column), int(low), int(high))
        if weights is not None:
            log_weight += weights[tables[:, place] - low]
    p = np.exp(log_weight - log_weight.max())
    return np.asarray(tables[rng.choice(len(tables), number, p=p / p.sum())])


def people_of(kinds: Kinds, counts: np.ndarray, alike: bool, rng: np.random.Generator) -> np.ndarray:
    """One person a row: the people of each kind fall among its records, and these among the labels of their classes."""
    rows = []
    for kind in np.flatnonzero(counts):
        sizes = kinds.sizes[kinds.first[kind] : kinds.first[kind + 1]]
        upto = np.cumsum(sizes)
        for place in fallen(int(counts[kind]), int(upto[-1]), alike, rng):
            record = int(np.searchsorted(upto, place, side="right"))
            inside = int(place - (upto[record] - sizes[record]))
            person = []
            for dim, of_class in enumerate(kinds.records[kinds.first[kind] + record]):
                members = kinds.classes[dim].members[of_class]
                inside, label = divmod(inside, len(members))
                person.append(int(members[label]))
            rows.append(person)
    return np.array(rows, dtype=np.int64).reshape(-1, len(kinds.domain.names))
