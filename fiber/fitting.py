"""Iterative proportional fitting: expected counts that agree with published figures and assume nothing else."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ..release.facts import NO_LIMIT, NO_VALUE
from ..release.release import Release

MOST_ROUNDS = 500
CLOSE = 1e-10


def fitted_means(release: Release) -> np.ndarray:
    """Expected counts of all cells, raked to every published figure of the release.

    A figure of 0 that stands for a range (a rounded cell) is taken as the middle of its range: an expected count of
    exactly 0 would declare the other values of the range impossible.
    """
    told = np.flatnonzero(release.value != NO_VALUE)
    facts = release.sums
    summed = np.flatnonzero((facts.value != NO_VALUE) & (facts.matrix.min(axis=1).toarray().ravel() >= 0))
    rows = sp.csr_array(sp.vstack([facts.matrix[summed], release.picked(told)]))
    targets = np.concatenate([
        _targets(facts.value[summed], facts.lower[summed], facts.upper[summed]),
        _targets(release.value[told], release.lower[told], release.upper[told]),
    ])  # fmt: skip
    means = np.ones(release.n_cells)
    for _ in range(MOST_ROUNDS):
        worst = 0.0
        for i, target in enumerate(targets):
            cells = rows.indices[rows.indptr[i] : rows.indptr[i + 1]]
            now = means[cells].sum()
            if now > 0:
                means[cells] *= target / now
                worst = max(worst, abs(target - now) / max(now, 1e-300))
        if worst < CLOSE:
            break
    return means


def _targets(value: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    middle = (lower + np.minimum(upper, NO_LIMIT // 2)) / 2
    return np.where(value > 0, value, middle)
