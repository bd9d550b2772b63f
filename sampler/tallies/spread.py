"""How far p(x|y) itself can be trusted: how the shares of each value, and of all values up to it, vary from batch to batch.

Shares are kept in the windows that an epoch began with, which stay as they are until the next. Sums and squares are of
deviations from the shares that the chain had counted by then, so that no digits are lost where a probability is large and
hardly varies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ...base.jit import jit
from .windows import Windows

MOST_COUNTERS = 2_000_000
"""Counters of a unit beyond which the spread is not kept: errors then come from the effective draws alone."""
LEAST_BATCHES = 24
"""Of all chains together: fewer say too little of how shares vary."""


class Noted(NamedTuple):
    """Of each value: what was counted up to the last batch, the share that deviations are from, the sum of these over the
    batches, and the sums of their squares and of those of all values up to this one together."""

    before: np.ndarray
    centre: np.ndarray
    sums: np.ndarray
    squares: np.ndarray
    squares_up_to: np.ndarray


class Spread:
    """What one chain notes of its batches, and the state that it needs for it."""

    def __init__(self, reference: Windows) -> None:
        n = int((reference.start + reference.size + 1).max(initial=0))
        # single precision: errors of errors are far larger, and large tables have millions of counters
        self.noted = Noted(*(np.zeros(n, dtype=np.float32) for _ in Noted._fields))
        self.batches = 0

    def state(self) -> tuple[Any, ...]:
        """All that it holds, the number of batches last."""
        return (*self.noted, self.batches)

    def begin(self, fresh: Windows, reference: Windows) -> None:
        """Batches count from now on; deviations are from the shares of what was counted so far."""
        _note(fresh, reference, fresh.credits, self.noted, _scratch(reference))
        self.noted.centre[:] = self.noted.sums
        for array in self.noted[2:]:
            array[:] = 0.0

    def note(self, fresh: Windows, reference: Windows, credits: np.ndarray) -> None:
        """Note a batch that is over, in which each question had so many credits."""
        _note(fresh, reference, credits, self.noted, _scratch(reference))
        self.batches += 1


def is_kept(reference: Windows) -> bool:
    """Is the unit small enough?"""
    return int((reference.size + 1).sum()) <= MOST_COUNTERS


def _scratch(reference: Windows) -> np.ndarray:
    return np.zeros(int(reference.size.max(initial=0)))


@jit
def _note(
    fresh: Windows,
    reference: Windows,
    credits: np.ndarray,
    noted: Noted,
    scratch: np.ndarray,
) -> None:
    before, centre, sums, squares = noted.before, noted.centre, noted.sums, noted.squares
    for q in range(len(fresh.start)):
        at, count, size = fresh.start[q], 0.0, reference.size[q]
        begin, origin, shift = reference.start[q], reference.origin[q], reference.shift[q]
        for k in range(size):
            scratch[k] = 0.0
        for k in range(fresh.size[q]):
            count += fresh.counters[at + k]
            place = (fresh.origin[q] + (k << fresh.shift[q]) - origin) >> shift
            if 0 <= place < size:
                scratch[place] += count
        per_credit = 1.0 / max(credits[q], 1e-9)
        up_to = 0.0
        for k in range(begin, begin + size):
            deviation = (scratch[k - begin] - before[k]) * per_credit - centre[k]
            up_to += deviation
            sums[k] += deviation
            squares[k] += deviation * deviation
            noted.squares_up_to[k] += up_to * up_to
            before[k] = scratch[k - begin]


@dataclass(frozen=True, eq=False)
class ShareErrors:
    """The variance of the mean share of each value, over all draws of all chains, in the windows of a look."""

    windows: Windows
    variance: np.ndarray
    """As if batches were independent."""
    variance_up_to: np.ndarray
    """The same of the share of all values up to each."""
    growth: np.ndarray
    """How many times larger it is as they are not: of each question, as seen in its mean."""

    def with_draws(self, times: float) -> ShareErrors:
        """The same after so many times as many draws."""
        return replace(self, variance=self.variance / times, variance_up_to=self.variance_up_to / times)

    def curvature(self, pooled: Windows) -> np.ndarray:
        """The bits by which the entropy of each question's shares is too small on average, if batches are independent: half
        the sum of v/p over its values, v the variance of the share p. NaN where what was counted is in other bins."""
        curvature = np.zeros(len(pooled.start))
        _curvature(self.windows, self.variance, pooled, curvature)
        return curvature

    def of(self, pooled: Windows, question: int, floor: np.ndarray, up_to: bool = False) -> np.ndarray:
        """The variances of a question's shares, or of those up to each, in other windows; `floor` where these ones do not
        reach."""
        variances, noted_variance = floor.copy(), self.variance_up_to if up_to else self.variance
        noted, q = self.windows, question
        if noted.shift[q] != pooled.shift[q]:
            return variances
        offset = int(noted.origin[q] - pooled.origin[q]) >> int(noted.shift[q])
        known = noted_variance[noted.start[q] : noted.start[q] + noted.size[q]]
        low, high = max(0, offset), min(len(variances), offset + len(known))
        if low < high:
            variances[low:high] = known[low - offset : high - offset] * self.growth[q]
        return variances


def share_errors(reference: Windows, spreads: Sequence[Spread | None], share: float) -> ShareErrors | None:
    """The errors that the batches of all chains show, as if they were independent; `share` is the part of all draws that
    these batches are. None where they are too few."""
    kept = [spread for spread in spreads if spread is not None]
    if len(kept) < len(spreads) or not kept or kept[0].batches * len(kept) < LEAST_BATCHES:
        return None
    of_chains = Noted(*map(np.stack, zip(*(spread.noted for spread in kept), strict=True)))
    variance, up_to = np.zeros((2, of_chains.sums.shape[1]))
    _variances(reference, of_chains, kept[0].batches, share, variance, up_to)
    return ShareErrors(reference, variance, up_to, np.ones(len(reference.start)))


@jit
def _variances(
    reference: Windows, of_chains: Noted, batches: int, share: float, variance: np.ndarray, variance_up_to: np.ndarray
) -> None:
    """The variance of the mean over all batches of all chains, each of which has as many, from the spread within chains and
    between them."""
    chains = len(of_chains.sums)
    scale = share / ((chains * batches - 1) * chains * batches)
    away, mean = np.empty(2), np.empty((chains, 2))
    for q in range(len(reference.start)):
        begin = reference.start[q]
        centre_up_to, away_up_to = np.zeros(chains), np.zeros(chains)
        for k in range(begin, begin + reference.size[q]):
            squares = np.zeros(2)
            for chain in range(chains):
                deviation = np.float64(of_chains.sums[chain, k]) / batches
                centre_up_to[chain] += of_chains.centre[chain, k]
                away_up_to[chain] += deviation
                away[0], away[1] = deviation, away_up_to[chain]
                mean[chain, 0] = of_chains.centre[chain, k] + deviation
                mean[chain, 1] = centre_up_to[chain] + away_up_to[chain]
                squares[0] += of_chains.squares[chain, k] - batches * away[0] ** 2
                squares[1] += of_chains.squares_up_to[chain, k] - batches * away[1] ** 2
            for kind in range(2):
                middle = mean[:, kind].mean()
                for chain in range(chains):
                    squares[kind] += batches * (mean[chain, kind] - middle) ** 2
            variance[k], variance_up_to[k] = max(squares[0], 0.0) * scale, max(squares[1], 0.0) * scale


@jit
def _curvature(noted: Windows, variance: np.ndarray, pooled: Windows, curvature: np.ndarray) -> None:
    """Values that were not noted, as they came up since, have the variance of their own credits."""
    for q in range(len(pooled.start)):
        if noted.shift[q] != pooled.shift[q] or pooled.credits[q] <= 0.0:
            curvature[q] = np.nan
            continue
        shift, begin, number = pooled.shift[q], pooled.start[q], pooled.credits[q]
        offset = (pooled.origin[q] - noted.origin[q]) >> shift
        count, most, total = 0.0, 0.0, 0.0
        for k in range(pooled.size[q]):
            count += pooled.counters[begin + k]
            most = max(most, count)
        count = 0.0
        for k in range(pooled.size[q]):
            count += pooled.counters[begin + k]
            if count <= 1e-9 * most:
                continue
            share, place = count / number, offset + k
            known = 0 <= place < noted.size[q]
            total += variance[noted.start[q] + place] / share if known else 1.0 / number
        curvature[q] = total / (2.0 * np.log(2.0))
