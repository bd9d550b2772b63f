"""Iterative proportional fitting: expected counts that agree with published figures and assume nothing else."""

from __future__ import annotations

import numpy as np

from ..release.facts import NO_LIMIT, NO_VALUE
from ..release.release import Release

MOST_ROUNDS = 500
CLOSE = 1e-10
LEAST = 0.01
"""No cell that may be positive gets a smaller expected count: rounded figures need not agree with each other, and a fit
to them must not declare possible tables impossible."""


def fitted_means(release: Release) -> np.ndarray:
    """Expected counts of all cells, from the published figures of the release.

    A cell with a figure of its own, exact or rounded, has it for its expected count. The others are raked to the figures
    of the sums they are part of, less what is known of the rest. Where a figure is 0 but stands for a range, or leaves
    nothing for cells that may be positive, the middle of the range is taken.
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


def _target(value: np.ndarray | float, lower: np.ndarray | int, upper: np.ndarray | int) -> np.ndarray:
    middle = (np.asarray(lower) + np.minimum(upper, NO_LIMIT // 2)) / 2
    return np.where(np.asarray(value) > 0, value, middle)
