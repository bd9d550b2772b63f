"""The p-value of a statistic over all tables with the same sums, each as probable as 1 / prod x!."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import gammaln

from ...base.errors import TooLarge
from ...base.interruption import check_time
from ...base.jit import jit
from ...fiber.blocks.presolve import Presolved
from ...fiber.solvers.every_table import Course, Search, begin, every_table, good_order, next_table, prepare
from .statistics import Statistic

STEPS = 20_000_000
"""Steps of the walk through all tables before it is given up: some seconds."""
AT_A_TIME = 2_000_000
"""Tables from one look at the time to the next."""
MOST_VALUES = 10_000_000
"""Values of all cells together that statistics are listed for."""
MOST_CALLS = 20_000
"""Tables for which a function of one's own is called."""


class Exact(NamedTuple):
    """A p-value over all tables, and how many these are."""

    p: float
    tables: int


class Listed(NamedTuple):
    """What each value of a column adds to a number, from `start` of the column on."""

    start: np.ndarray
    value: np.ndarray


def over_all_tables(
    solved: Presolved, statistic: Statistic, observed: float, *, all_of_them: bool = False
) -> Exact | None:
    """P(statistic is at least the observed one). Where there are too many tables: None, or `TooLarge` if it must be all."""
    if not solved.blocks:
        return Exact(1.0, 1)
    way = _by_calls if statistic.contribution is None else _by_walk
    exact = way(solved, statistic, observed)
    if exact is None and all_of_them:
        raise TooLarge(
            "there are too many tables with these sums to list them all; method='chains' draws some of them."
        )
    return exact


def _by_walk(solved: Presolved, statistic: Statistic, observed: float) -> Exact | None:
    columns, A, b, lower, upper = _together(solved)
    sizes = (upper - lower + 1).astype(np.int64)
    if sizes.sum() > MOST_VALUES:
        return None
    order = good_order(A)
    columns, lower, upper, sizes = columns[order], lower[order], upper[order], sizes[order]
    values = [np.arange(low, high + 1.0) for low, high in zip(lower, upper, strict=True)]
    start = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    log_weight = Listed(start, np.concatenate([-gammaln(cell_values + 1.0) for cell_values in values]))
    assert statistic.contribution is not None
    contributions = [
        statistic.contribution(cell_values, np.full(len(cell_values), statistic.expected[column]))
        for cell_values, column in zip(values, columns, strict=True)
    ]
    adds = Listed(start, np.concatenate(contributions))
    settled = solved.start[: solved.fiber.n_cells].copy()
    settled[columns] = 0
    decided = np.where(solved.decided[: solved.fiber.n_cells], statistic.expected, 0.0)
    of_decided = float(Statistic(statistic.name, decided, statistic.shape, statistic.contribution).of(settled))
    search = prepare(sp.csc_array(A)[:, order])
    course = begin(search, b.astype(np.int64), lower, upper)
    sums = np.array([-np.inf, 0.0, 0.0])
    tested = Tested(log_weight, adds, statistic.least(observed) - of_decided)
    tables, steps = 0, STEPS
    while steps > 0:
        check_time("all tables were listed")
        walked, steps = walk_on(search, course, lower, upper, tested, tables == 0, steps, sums)
        tables += walked
    return Exact(float(sums[2] / sums[1]), tables) if steps < 0 else None


def _by_calls(solved: Presolved, statistic: Statistic, observed: float) -> Exact | None:
    columns, A, b, lower, upper = _together(solved)
    tables = every_table(A, b, lower, upper, MOST_CALLS)
    if tables is None:
        return None
    full_tables = np.tile(solved.start[: solved.fiber.n_cells], (len(tables), 1))
    full_tables[:, columns] = tables
    log_weights = -gammaln(tables + 1.0).sum(axis=1)
    weights = np.exp(log_weights - log_weights.max())
    return Exact(
        float(weights[statistic.of(full_tables) >= statistic.least(observed)].sum() / weights.sum()), len(tables)
    )


def _together(solved: Presolved) -> tuple[np.ndarray, sp.csc_array, np.ndarray, np.ndarray, np.ndarray]:
    """All blocks as one system: a table of it is one of each."""
    blocks = solved.blocks
    return (
        np.concatenate([block.columns for block in blocks]),
        sp.csc_array(sp.block_diag([block.A for block in blocks])),
        np.concatenate([block.b for block in blocks]),
        np.concatenate([block.lower for block in blocks]).astype(np.int64),
        np.concatenate([block.upper for block in blocks]).astype(np.int64),
    )


class Tested(NamedTuple):
    """What a table adds up to: its log-weight and its statistic; and the statistic from which on it counts."""

    log_weight: Listed
    adds: Listed
    least: float


@jit
def walk_on(
    search: Search,
    course: Course,
    lower: np.ndarray,
    upper: np.ndarray,
    tested: Tested,
    fresh: bool,
    steps: int,
    sums: np.ndarray,
) -> tuple[int, int]:
    """Add some tables up: how many, and the steps that are left, -1 after the last table and 0 if it was given up.

    `sums` are the largest log-weight so far, and relative to it the weights of all tables and of those whose statistic is at
    least as large as the observed one.
    """
    log_weight, adds, least = tested
    tables = 0
    while tables < AT_A_TIME:
        steps = next_table(search, course, lower, upper, fresh, steps)
        if steps <= 0:
            return tables, steps
        fresh = False
        tables += 1
        weight, statistic = 0.0, 0.0
        for j in range(len(lower)):
            k = course.x[j] - lower[j]
            weight += log_weight.value[log_weight.start[j] + k]
            statistic += adds.value[adds.start[j] + k]
        if weight > sums[0]:
            shrink = np.exp(sums[0] - weight)
            sums[0], sums[1], sums[2] = weight, sums[1] * shrink, sums[2] * shrink
        share = np.exp(weight - sums[0])
        sums[1] += share
        if statistic >= least:
            sums[2] += share
    return tables, steps
