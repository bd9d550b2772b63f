"""How far p(x|y) itself can be trusted: how the shares of each value vary from batch to batch.

Shares are kept in the windows that an epoch began with, which stay as they are until the next. Sums and squares are of
deviations from the shares that the chain had counted by then, so that no digits are lost where a probability is large and
hardly varies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...base.jit import jit
from .windows import Windows

MOST_COUNTERS = 2_000_000
"""Counters of a unit beyond which the spread is not kept: errors then come from the effective draws alone."""
LEAST_BATCHES = 24
"""Of all chains together: fewer say too little of how shares vary."""


class Spread:
    """What one chain notes of its batches, and the state that it needs for it."""

    def __init__(self, reference: Windows) -> None:
        n = int((reference.start + reference.size + 1).max(initial=0))
        # single precision: errors of errors are far larger, and large tables have millions of counters
        self.before, self.centre, self.sums, self.squares = (np.zeros(n, dtype=np.float32) for _ in range(4))
        self.batches = 0

    def state(self) -> tuple[Any, ...]:
        """All that it holds, the number of batches last."""
        return (self.before, self.centre, self.sums, self.squares, self.batches)

    def begin(self, fresh: Windows, reference: Windows) -> None:
        """Batches count from now on; deviations are from the shares of what was counted so far."""
        _note(fresh, reference, fresh.credits, self.before, self.centre, self.sums, self.squares, _scratch(reference))
        self.centre, self.sums = self.sums, self.centre
        self.squares[:] = 0.0

    def note(self, fresh: Windows, reference: Windows, credits: np.ndarray) -> None:
        """Note a batch that is over, in which each question had so many credits."""
        _note(fresh, reference, credits, self.before, self.centre, self.sums, self.squares, _scratch(reference))
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
    before: np.ndarray,
    centre: np.ndarray,
    sums: np.ndarray,
    squares: np.ndarray,
    scratch: np.ndarray,
) -> None:
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
        for k in range(begin, begin + size):
            deviation = (scratch[k - begin] - before[k]) * per_credit - centre[k]
            sums[k] += deviation
            squares[k] += deviation * deviation
            before[k] = scratch[k - begin]


@dataclass(frozen=True, eq=False)
class ShareErrors:
    """The variance of the mean share of each value, over all draws of all chains, in the windows of a look."""

    windows: Windows
    variance: np.ndarray
    """As if batches were independent."""
    growth: np.ndarray
    """How many times larger it is as they are not: of each question, as seen in its mean."""

    def with_draws(self, times: float) -> ShareErrors:
        """The same after so many times as many draws."""
        return replace(self, variance=self.variance / times)

    def curvature(self, pooled: Windows) -> np.ndarray:
        """The bits by which the entropy of each question's shares is too small on average, if batches are independent: half
        the sum of v/p over its values, v the variance of the share p. NaN where what was counted is in other bins."""
        curvature = np.zeros(len(pooled.start))
        _curvature(self.windows, self.variance, pooled, curvature)
        return curvature

    def of(self, pooled: Windows, question: int, floor: np.ndarray) -> np.ndarray:
        """The variances of a question's shares in other windows; `floor` where these ones do not reach."""
        variances = floor.copy()
        noted, q = self.windows, question
        if noted.shift[q] != pooled.shift[q]:
            return variances
        offset = int(noted.origin[q] - pooled.origin[q]) >> int(noted.shift[q])
        known = self.variance[noted.start[q] : noted.start[q] + noted.size[q]]
        low, high = max(0, offset), min(len(variances), offset + len(known))
        if low < high:
            variances[low:high] = known[low - offset : high - offset] * self.growth[q]
        return variances


def share_errors(reference: Windows, spreads: Sequence[Spread | None], share: float) -> ShareErrors | None:
    """The errors that the batches of all chains show, as if they were independent; `share` is the part of all draws that
    these batches are. None where they are too few."""
    noted = [spread for spread in spreads if spread is not None]
    if len(noted) < len(spreads) or not noted or noted[0].batches * len(noted) < LEAST_BATCHES:
        return None
    variance = np.zeros(len(noted[0].sums))
    centre, sums, squares = (
        np.stack([getattr(spread, name) for spread in noted]) for name in ("centre", "sums", "squares")
    )
    _variances(reference, centre, sums, squares, noted[0].batches, share, variance)
    return ShareErrors(reference, variance, np.ones(len(reference.start)))


@jit
def _variances(
    reference: Windows,
    centre: np.ndarray,
    sums: np.ndarray,
    squares: np.ndarray,
    batches: int,
    share: float,
    variance: np.ndarray,
) -> None:
    """The variance of the mean over all batches of all chains, each of which has as many, from the spread within chains and
    between them."""
    chains = len(sums)
    for q in range(len(reference.start)):
        begin = reference.start[q]
        scale = share / ((chains * batches - 1) * chains * batches)
        for k in range(begin, begin + reference.size[q]):
            within = mean = square = 0.0
            for chain in range(chains):
                deviation = np.float64(sums[chain, k]) / batches
                within += squares[chain, k] - batches * deviation * deviation
                mean += (centre[chain, k] + deviation) / chains
            for chain in range(chains):
                from_mean = centre[chain, k] + np.float64(sums[chain, k]) / batches - mean
                square += from_mean * from_mean
            variance[k] = max(within + batches * square, 0.0) * scale


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
