"""All tables of a small release and how probable each is, from the published facts and the definition of the law.

Nothing of the product's solvers is used: neither its presolving into blocks, nor its bounds, nor its listing of tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import gammaln, xlogy

import fiberwalk as fw

FEWEST_TABLES, MOST_TABLES = 5, 4000
MOST_BEGINNINGS = 200_000
"""Beginnings of tables that are kept while the cells are filled one after the other."""


@dataclass(frozen=True)
class Believed:
    """A law in its own words for the product, and as the weights that define it."""

    name: str
    law: Any
    means: np.ndarray | None = None
    """Weights mu^x / x!, a mean for each cell; None: every value weighs the same."""
    priors: Mapping[int, Mapping[int, float]] = field(default_factory=dict)
    """Cells that have weights of their own: value -> weight."""


@dataclass(frozen=True, eq=False)
class ExactLaw:
    """All tables that are possible, a row each over the cells of the release, and their probabilities."""

    tables: np.ndarray
    p: np.ndarray

    def places(self, tables: np.ndarray) -> np.ndarray:
        """The row of each of some tables; -1 where there is no such table."""
        row = {tuple(table): k for k, table in enumerate(self.tables.tolist())}
        distinct, which = np.unique(tables, axis=0, return_inverse=True)
        return np.array([row.get(tuple(one), -1) for one in distinct.tolist()])[which.ravel()]


def exact_law(release: fw.Release, believed: Believed) -> ExactLaw | None:
    """The tables and their law; None where there are too many, or next to none."""
    tables = every_table(release)
    if tables is None or len(tables) < FEWEST_TABLES:
        return None
    logs = _log_weights(release, believed, tables)
    possible = logs > -np.inf
    if possible.sum() < FEWEST_TABLES:
        return None
    weights = np.exp(logs[possible] - logs.max())
    return ExactLaw(tables[possible], weights / weights.sum())


def every_table(release: fw.Release) -> np.ndarray | None:
    """Every table that satisfies all facts, by filling cell after cell; None where there are too many."""
    matrix = release.sums.matrix.toarray()
    low, high = release.sums.lower, release.sums.upper
    lower, upper = np.maximum(release.lower, 0), release.upper.copy()
    counted = (matrix >= 0).all(axis=1)
    for cell in range(release.n_cells):
        through = counted & (matrix[:, cell] > 0)
        upper[cell] = min([int(upper[cell]), *(high[through] // matrix[through, cell]).tolist()])
    if (upper > 10**7).any():
        return None
    # The least and the most that cells after the k-th can add to each sum.
    least, most = (
        np.concatenate([np.cumsum((matrix * one)[:, ::-1], axis=1)[:, ::-1][:, 1:], np.zeros((len(matrix), 1))], axis=1)
        for one in (np.where(matrix >= 0, lower, upper), np.where(matrix >= 0, upper, lower))
    )
    tables, sums = np.zeros((1, 0), dtype=np.int64), np.zeros((1, len(matrix)), dtype=np.int64)
    for cell in range(release.n_cells):
        values = np.arange(lower[cell], upper[cell] + 1)
        if len(tables) * len(values) > 20 * MOST_BEGINNINGS:
            return None
        value = np.tile(values, len(tables))
        which = np.repeat(np.arange(len(tables)), len(values))
        new = sums[which] + value[:, None] * matrix[:, cell]
        fits = ((new + least[:, cell] <= high) & (new + most[:, cell] >= low)).all(axis=1)
        tables, sums = np.column_stack([tables[which[fits]], value[fits]]), new[fits]
        if len(tables) > MOST_BEGINNINGS:
            return None
    return tables if len(tables) <= MOST_TABLES else None


def _log_weights(release: fw.Release, believed: Believed, tables: np.ndarray) -> np.ndarray:
    """The logarithm of each table's weight: the law's, times what a random method says of what it published."""
    logs = np.zeros(len(tables))
    for cell, x in enumerate(tables.T):
        if cell in believed.priors:
            own = believed.priors[cell]
            with np.errstate(divide="ignore"):
                logs += np.log([own.get(int(one), 0.0) for one in x])
        elif believed.means is not None:
            logs += xlogy(x, believed.means[cell]) - gammaln(x + 1.0)
        else:
            continue
        hers = int(release.own[cell])  # of those counted: there are x!/(x - own)! ways to say which of them she is
        logs += gammaln(x + 1.0) - gammaln(x - hers + 1.0)
    for item in release.evidence:
        place = tables[:, item.cells] @ item.coefficients - item.first
        inside = (place >= 0) & (place < len(item.log_weights))
        logs += np.where(inside, item.log_weights[np.clip(place, 0, len(item.log_weights) - 1)], -np.inf)
    return logs
