"""The protocol: draws that are well spaced must follow the exact law of whole tables, by a chi-square test."""

from __future__ import annotations

import numpy as np
from scipy import stats

from support.kernels import Target

LEAST_P = 1e-6
MOST_THIN = 2048


def chi_square(counts: np.ndarray, p: np.ndarray) -> float:
    """The p-value of counts under a law; tables of which fewer than 5 are expected are taken together."""
    expected = p * counts.sum()
    few = expected < 5
    if few.any():
        # The rare ones together, and where even these are too few, with the rarest of the others.
        order = np.argsort(expected)
        number = max(int(few.sum()), int(np.searchsorted(np.cumsum(expected[order]), 5.0)) + 1)
        rare, rest = order[:number], order[number:]
        counts = np.append(counts[rest], counts[rare].sum())
        expected = np.append(expected[rest], expected[rare].sum())
    if len(expected) < 2:
        return 1.0
    statistic = ((counts - expected) ** 2 / expected).sum()
    return float(stats.chi2.sf(statistic, len(expected) - 1))


def clinging(values: np.ndarray) -> float:
    """The largest correlation of any column with itself one draw earlier, in standard errors of independent draws."""
    centred = values - values.mean(axis=0)
    variance = (centred**2).mean(axis=0)
    moved = variance > 1e-12
    if not moved.any():
        return 0.0
    lagged = (centred[1:] * centred[:-1]).mean(axis=0)[moved] / variance[moved]
    return float(np.abs(lagged).max() * np.sqrt(len(values)))


def spaced_draws(target: Target, seed: int, number: int, spacing: float = 4.5) -> np.ndarray:
    """Rows of the target's tables, drawn far enough apart that they look independent: in cells, in their logs of p, and
    in numbers that mean nothing but tell tables apart."""
    rng = np.random.default_rng(0)
    marks = rng.normal(size=(len(target.p), 3))
    thin = 1
    # A fifth of the draws tell which spacings are far too close.
    for few, near in ((number // 5, 0.75 * spacing), (number, spacing)):
        while True:
            rows = target.places(target.draws(seed, few, thin))
            assert (rows >= 0).all(), f"{target.words}: a table that is impossible was drawn"
            seen = np.column_stack([target.tables[rows], np.log(target.p[rows]), marks[rows]])
            if clinging(seen) < near:
                break
            thin *= 2
            assert thin <= MOST_THIN, f"{target.words}: draws do not come apart"
    return rows


def p_value(target: Target, seed: int, number: int) -> float:
    """How probable draws this far from the law are, if the kernel is right."""
    rows = spaced_draws(target, seed, number)
    return chi_square(np.bincount(rows, minlength=len(target.p)), target.p)
