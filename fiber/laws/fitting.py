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


def fitted_means(release: Release) -> np.ndarray:
    """Expected counts of all cells, from the published figures of the release.

    A cell with a figure of its own, exact or rounded, has it for its expected count. The others are raked to the figures
    of the sums they are part of, less what is known of the rest. Where a figure is 0 but stands for a range, or leaves
    nothing for cells that may be positive, the middle of the range is taken. What a random method published counts only
    for cells that no fact speaks of.
    """
    facts = release.sums
    told = release.value != NO_VALUE
    means = np.where(told, _target(release.value, release.lower, release.upper), 1.0)
    low = np.where(told, release.lower, 0)
    high = np.where(told, np.minimum(release.upper, NO_LIMIT // 2), 0)
    rows, targets = [], []
    for i in np.flatnonzero(facts.value != NO_VALUE):
        part = slice(facts.matrix.indptr[i], facts.matrix.indptr[i + 1])
        cells = facts.matrix.indices[part]
        open_cells = cells[~told[cells]]
        if (facts.matrix.data[part] != 1).any() or not len(open_cells):
            continue
        known = cells[told[cells]]
        rest = float(facts.value[i] - means[known].sum())
        least, most = max(0, facts.lower[i] - high[known].sum()), facts.upper[i] - low[known].sum()
        rows.append(open_cells)
        targets.append(float(_target(np.clip(rest, least, max(least, most)), least, most)))
    rows, targets = _with_random_figures(release, told, rows, targets, means)
    for _ in range(MOST_ROUNDS):
        worst = 0.0
        for cells, target in zip(rows, targets, strict=True):
            now = means[cells].sum()
            if now > 0:
                means[cells] *= target / now
                worst = max(worst, abs(target - now) / now)
        if worst < CLOSE:
            break
    return np.where(release.upper > 0, np.maximum(means, LEAST), 0.0)


def _with_random_figures(
    release: Release, told: np.ndarray, rows: list[np.ndarray], targets: list[float], means: np.ndarray
) -> tuple[list[np.ndarray], list[float]]:
    """The sums to be raked to, and those that a random method published of cells which no fact speaks of.

    What the figure of such a cell by itself stands for is its mean at once.
    """
    silent = ~told
    for cells in rows:
        silent[cells] = False
    known = {int(i) for item in release.evidence if len(item.cells) == 1 for i in item.cells if item.figure != NO_VALUE}
    sums: list[np.ndarray] = []
    figures: list[float] = []
    for item in release.evidence:
        if item.figure == NO_VALUE or not silent[item.cells].all() or (item.coefficients != 1).any():
            continue
        if len(item.cells) == 1:
            means[item.cells] = _stands_for(item)
        elif not known.issuperset(item.cells.tolist()):
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
