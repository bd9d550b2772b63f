"""Draws so far apart that they are as good as independent, and how far they are from the exact law."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import stats

from verification.exact_laws.exact_law import ExactLaw

DRAWS = 2000
CLINGING = 4.5
"""Standard errors by which two successive draws of a trial may correlate; the draws that count are four times as far
apart, where what is left of such a correlation is nothing."""
FURTHER = 4
MOST_APART = 32
LEAST_EXPECTED = 25
"""Draws expected in each bin: fewer, and the smallest p-values would not be what they say."""
BINS = 60

Draw = Callable[[int, int], np.ndarray]
"""(how many in all, how far apart) -> [chain, draw, cell]."""


class NotApart(Exception):
    """Draws that cling to each other however far apart they are."""


def spaced_rows(law: ExactLaw, draw: Draw, number: int = DRAWS) -> np.ndarray:
    """The rows of drawn tables in the list of all; -1: a table that is impossible."""
    marks = np.random.default_rng(0).normal(size=(len(law.p), 3))  # mean nothing, but tell tables apart
    apart = 1
    while True:
        drawn = draw(number // 2, apart)
        chains, each, _ = drawn.shape
        rows = law.places(drawn.reshape(chains * each, -1))
        if (rows < 0).any():
            return rows
        seen = np.column_stack([law.tables[rows], np.log(law.p[rows]), marks[rows]])
        if _clinging(seen.reshape(chains, each, -1)) < CLINGING:
            break
        apart *= 2
        if apart > MOST_APART:
            raise NotApart
    drawn = draw(number, FURTHER * apart)
    return law.places(drawn.reshape(-1, drawn.shape[-1]))


def _clinging(values: np.ndarray) -> float:
    """The largest correlation of successive draws, in standard errors of independent ones."""
    centred = values - values.mean(axis=(0, 1))
    variance = (centred**2).mean(axis=(0, 1))
    moved = variance > 1e-12
    lagged = (centred[:, 1:] * centred[:, :-1]).mean(axis=(0, 1))[moved] / variance[moved]
    return float(np.abs(lagged).max(initial=0.0) * np.sqrt(values.shape[0] * values.shape[1]))


def p_value(law: ExactLaw, rows: np.ndarray, rng: np.random.Generator) -> float:
    """A chi-square test of drawn tables; where tables are many, those next to each other in a random direction together.

    A random direction, so that tables which have cells in common share a bin: whatever is wrong with some cells shows.
    """
    order = np.argsort(law.tables @ rng.normal(size=law.tables.shape[1]), kind="stable")
    least = max(LEAST_EXPECTED / len(rows), 1 / BINS if len(order) > BINS else 0.0)
    bins, mass = np.zeros(len(order), dtype=np.int64), 0.0
    current = 0
    for place in order:
        if mass >= least:
            current, mass = current + 1, 0.0
        bins[place] = current
        mass += law.p[place]
    if mass < least and current > 0:  # the last ones are too few for a bin of their own
        bins[bins == current] = current - 1
    expected = np.bincount(bins, law.p) * len(rows)
    if len(expected) < 2:
        return float("nan")
    counts = np.bincount(bins[rows], minlength=len(expected))
    return float(stats.chi2.sf(((counts - expected) ** 2 / expected).sum(), len(expected) - 1))
