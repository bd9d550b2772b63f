"""How far the mean of a chain can be trusted, told from its batches alone (the method of batch means).

Chains keep no draws. For each column (cell) they keep, batch by batch, the sum and the sum of squares of x - centre.
From these come the exact spread of the draws and the series of batch means, and from the series the variance of the
overall mean, with the correlation that is left between batches:

* Each chain is cut into halves, as ArviZ does, so that a drift counts as a difference between chains. Of an odd number
  of batches the middle one is left out; a single batch is not cut.
* Batches as long as one draw are the draws themselves, and the estimate is ArviZ's own: Geyer's initial monotone
  sequence over all chains (Geyer 1992; Vehtari et al. 2021).
* For longer batches the same sum is taken only where the first lags show positive correlation beyond chance. Elsewhere
  its terms would be noise: with 4 chains of 64 batches they alone scatter the effective number of draws by 20%, and a
  stop rule that looks at the worst of 20,000 columns sees nothing but that noise. The correlation that stays below
  notice is filled in from the batches' own variance, as of a chain that forgets exponentially.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

NOTICED = 1.5
"""Sums of lag correlations count as real beyond this many standard deviations of those of independent batches."""

LAGS = (1, 2, 4, 8)
"""The lags up to which they are summed for that: the longer sums notice a slow component that is small at each lag."""

_ROUNDING = 8 * np.finfo(float).eps


class HalfChains(NamedTuple):
    """The batch means of each half chain and how they and the draws vary; `D[half, batch, column]`."""

    length: int
    deviations: np.ndarray
    """Batch means less the mean of their half chain."""
    means: np.ndarray
    """`[half, column]`, relative to the first batch of the first chain."""
    within: np.ndarray
    """`[column]`: mean over the half chains of the variance of the draws (divided by n, not n - 1)."""
    between: np.ndarray
    """`[column]`: variance of the means of the half chains; 0 where there is only one."""

    @property
    def draws(self) -> int:
        """The draws in one half chain."""
        return self.deviations.shape[1] * self.length


def half_chains(sums: np.ndarray, squares: np.ndarray | None, length: int) -> HalfChains:
    """Cut chains in halves; without `squares` the spread of the draws is that of the batch means."""
    means = halves(sums / length)
    first = means[:, 0].copy()
    means -= first[:, None]  # each half chain from its own start: one that stands still deviates by exactly 0
    centres = means.mean(axis=1)
    means -= centres[:, None]
    centres += first - first[0]
    within = np.einsum("hbj,hbj->j", means, means) / (means.shape[0] * means.shape[1])
    if squares is not None:
        within = within + halves(inside_batches(sums, squares, length)).mean(axis=(0, 1)) / length
    between = centres.var(axis=0, ddof=1) if len(centres) > 1 else np.zeros(centres.shape[1])
    return HalfChains(length, means, centres, within, between)


def inside_batches(sums: np.ndarray, squares: np.ndarray, length: int) -> np.ndarray:
    """Sums of squared deviations of the draws from their batch's mean; exactly 0 where only rounding is left."""
    inside = squares - sums * sums / length
    inside[inside <= _ROUNDING * squares] = 0.0
    return inside


def halves(batches: np.ndarray) -> np.ndarray:
    """`[chain, batch, column]` to twice the chains of half the batches."""
    number = batches.shape[1]
    half = number // 2
    if half == 0:
        return batches.copy()
    return np.concatenate([batches[:, :half], batches[:, number - half :]])


def mean_variance(series: HalfChains, growth: np.ndarray | None = None) -> np.ndarray:
    """The variance of the mean over all half chains, per column, by the integrated autocorrelation time of the batch means.

    `growth` is how many times larger the variance of a batch mean is than for independent draws. It is computed where
    the spread of the draws is known; it may be 1 where nothing is known.
    """
    half, batches, _ = series.deviations.shape
    correlation, spread = correlations(series)
    if growth is None:
        total = series.within + series.between
        growth = np.divide(series.length * spread, total, out=np.ones_like(total), where=total > 0)
    like_arviz = series.length == 1 and batches > 4
    time = initial_monotone_sum(correlation, like_arviz)
    if not like_arviz:
        hidden = forgotten_between_batches(growth, series.length)
        time = np.where(noticed(correlation, half * batches), np.maximum(time, hidden), hidden)
    return spread * np.maximum(time, 0.0) / (half * batches)


def correlations(series: HalfChains) -> tuple[np.ndarray, np.ndarray]:
    """Autocorrelations of the batch means, `[lag, column]`, and the variance they are relative to.

    The variance has the differences between half chains in it (`var_plus`): chains that disagree look like chains that
    hardly move.
    """
    half, batches, columns = series.deviations.shape
    covariance = np.empty((batches, columns))
    for lag in range(batches):
        ahead, behind = series.deviations[:, lag:], series.deviations[:, : batches - lag]
        covariance[lag] = np.einsum("hbj,hbj->j", ahead, behind)
    covariance /= half * batches
    spread = covariance[0] + series.between
    unbiased = covariance[0] * (batches / (batches - 1)) if batches > 1 else covariance[0]
    difference = unbiased - covariance
    correlation = 1.0 - np.divide(difference, spread, out=np.zeros_like(difference), where=spread > 0)
    correlation[0] = 1.0
    return correlation, spread


def initial_monotone_sum(correlation: np.ndarray, like_arviz: bool) -> np.ndarray:
    """1 + twice the autocorrelations up to where pairs of them first add to less than 0 (Geyer 1992).

    ArviZ never looks at the last lags, and counts the last pair it looks at by half of its even term alone. That does
    not matter for its hundreds of draws, and would for our few batches: there (`like_arviz` false) every pair counts.
    """
    lags = len(correlation)
    pairs = lags // 2 - (1 - lags % 2 if like_arviz else 0)
    if pairs == 0:
        return np.ones(correlation.shape[1])
    even, odd = correlation[0 : 2 * pairs : 2], correlation[1 : 2 * pairs : 2]
    pair = even + odd
    kept = np.logical_and.accumulate(pair > 0, axis=0)
    if like_arviz:
        kept[-1] = False
    total = 2.0 * np.where(kept, np.minimum.accumulate(pair, axis=0), 0.0).sum(axis=0) - 1.0
    last = np.minimum(kept.sum(axis=0), pairs - 1)[None]
    one_more = np.take_along_axis(even, last, axis=0)[0]
    counts = ~np.take_along_axis(kept, last, axis=0)[0]
    counts &= (one_more > 0) | (np.take_along_axis(pair, last, axis=0)[0] >= 0)
    return total + np.where(counts, one_more, 0.0)


def noticed(correlation: np.ndarray, number: int) -> np.ndarray:
    """Columns whose first lags add up to more than chance allows for `number` independent batches."""
    beyond = np.zeros(correlation.shape[1], dtype=bool)
    sums = np.cumsum(correlation[1:], axis=0)
    for lag in LAGS:
        if 2 * lag <= len(correlation):
            beyond |= sums[lag - 1] > NOTICED * np.sqrt(lag / number)
    return beyond


def forgotten_between_batches(growth: np.ndarray, length: int) -> np.ndarray:
    """1 + twice the correlation of neighbouring batches if autocorrelations fall off as phi^t (AR(1)).

    Then, with tau = (1 + phi) / (1 - phi), the variance of a batch mean grows by r = tau - (tau^2 - 1) / (2 length) up
    to terms in phi^length, and the limit for long batches is tau = r + (tau^2 - 1) / (2 length). One step from r; for
    phi towards -1 the factor ends at 1/2, for batches of two draws.
    """
    growth = np.maximum(growth, 1e-9)
    return np.maximum(1.0 + (growth - 1.0 / growth) / (2.0 * length), 0.5)
