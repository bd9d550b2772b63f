"""Iterative proportional fitting: expected counts that agree with published figures and assume nothing else."""

from __future__ import annotations

import numpy as np

from ...release.facts.facts import NO_LIMIT, NO_VALUE, Evidence
from ...release.release import Release

MOST_ROUNDS = 500
CLOSE = 1e-10
LEAST = 0.01
"""No cell that may be positive gets a smaller expected count: rounded figures need not agree with each other, and a fit
to them must not declare possible tables impossible."""


def fitted_means(release: Release, start: np.ndarray | float = 1.0) -> np.ndarray:
    """Expected counts of all cells, from the published figures of the release; `start` is what they are before any is known.

    A cell with a figure of its own, exact or rounded, has it for its expected count. The others are raked to the figures
    of the sums they are part of, less the figures of the cells that have one. Where what is left is 0 although cells may be
    positive, because figures stand for ranges, the middle of the range is taken. What a random method published counts only
    for cells that no fact speaks of.
    """
    facts = release.sums
    told = release.value != NO_VALUE
    means = np.where(told, _target(release.value, release.lower, release.upper), start)
    low = np.where(told, release.lower, 0)
    high = np.where(told, np.minimum(release.upper, NO_LIMIT // 2), 0)
    rows, targets = [], []
    for i in np.flatnonzero(facts.value != NO_VALUE):
        part = slice(facts.matrix.indptr[i], facts.matrix.indptr[i + 1])
        cells = facts.matrix.indices[part]
        open_cells = cells[~told[cells]]
        if (facts.matrix.data[part] != 1).any() or not len(open_cells):
            continue
        told_cells = cells[told[cells]]
        remainder = float(facts.value[i] - means[told_cells].sum())
        least, most = max(0, facts.lower[i] - high[told_cells].sum()), facts.upper[i] - low[told_cells].sum()
        rows.append(open_cells)
        targets.append(float(_target(np.clip(remainder, least, max(least, most)), least, most)))
    rows, targets = _with_random_figures(release, told, rows, targets, means)
    for _ in range(MOST_ROUNDS):
        worst = 0.0
        for cells, target in zip(rows, targets, strict=True):
            total = means[cells].sum()
            if total > 0:
                means[cells] *= target / total
                worst = max(worst, abs(target - total) / total)
        if worst < CLOSE:
            break
    return np.where(release.upper > 0, np.maximum(means, LEAST), 0.0)


def _with_random_figures(
    release: Release, told: np.ndarray, rows: list[np.ndarray], targets: list[float], means: np.ndarray
) -> tuple[list[np.ndarray], list[float]]:
    """The sums to rake to, with those that a random method published of cells which no fact speaks of.

    Where such a cell has a random figure of its own, that decides its mean, in place.
    """
    silent = ~told
    for cells in rows:
        silent[cells] = False
    single_cells = {
        int(i) for item in release.evidence if len(item.cells) == 1 for i in item.cells if item.figure != NO_VALUE
    }
    sums: list[np.ndarray] = []
    figures: list[float] = []
    for item in release.evidence:
        if item.figure == NO_VALUE or not silent[item.cells].all() or (item.coefficients != 1).any():
            continue
        if len(item.cells) == 1:
            means[item.cells] = _stands_for(item)
        elif not single_cells.issuperset(item.cells.tolist()):
            sums.append(item.cells)
            figures.append(_stands_for(item))
    return [*rows, *sums], [*targets, *figures]


def _stands_for(item: Evidence) -> float:
    """The mean of the values that a figure may stand for, each as probable as it makes the figure."""
    weights = np.exp(item.log_weights - item.log_weights.max())
    return float(item.first + np.arange(len(weights)) @ weights / weights.sum())


def _target(value: np.ndarray | float, lower: np.ndarray | int, upper: np.ndarray | int) -> np.ndarray:
    middle = (np.asarray(lower) + np.minimum(upper, NO_LIMIT // 2)) / 2
    return np.where(np.asarray(value) > 0, value, middle)
