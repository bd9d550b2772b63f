"""How far p(x|y) itself can be trusted: how the shares of each value vary from batch to batch.

Shares are kept in the windows of the last look, which stay as they are until the next. Sums and squares are of
deviations from the shares that the chain had counted by then, so that no digits are lost where a probability is large and
hardly varies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...base.jit import jit
from .windows import Windows

MOST_COUNTERS = 2_000_000
"""Counters of a unit beyond which the spread is not kept: errors then come from the effective draws alone."""


class Spread:
    """What one chain notes of its batches, and the state that it needs for it."""

    def __init__(self, reference: Windows) -> None:
        n = int((reference.start + reference.size + 1).max(initial=0))
        # single precision: errors of errors are far larger, and large tables have millions of counters
        self.before, self.centre, self.sums, self.squares = (np.zeros(n, dtype=np.float32) for _ in range(4))
        self.batches = 0

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
            variances[low:high] = known[low - offset : high - offset]
        return variances


def share_errors(
    reference: Windows, spreads: Sequence[Spread | None], share: float, growth: np.ndarray
) -> ShareErrors | None:
    """The errors that the batches of all chains show.

    `share` is the part of all draws that these batches are; `growth` is, for each question, how many times larger the
    variance is than that of independent batches, as seen in its mean.
    """
    noted = [spread for spread in spreads if spread is not None]
    if len(noted) < len(spreads) or not noted or noted[0].batches < 2:
        return None
    variance = np.zeros(len(noted[0].sums))
    centre, sums, squares = (
        np.stack([getattr(spread, name) for spread in noted]) for name in ("centre", "sums", "squares")
    )
    _variances(reference, centre, sums, squares, noted[0].batches, share, growth, variance)
    return ShareErrors(reference, variance)


@jit
def _variances(
    reference: Windows,
    centre: np.ndarray,
    sums: np.ndarray,
    squares: np.ndarray,
    batches: int,
    share: float,
    growth: np.ndarray,
    variance: np.ndarray,
) -> None:
    """The variance of the mean over all batches of all chains, each of which has as many, from the spread within chains and
    between them."""
    chains = len(sums)
    for q in range(len(reference.start)):
        begin = reference.start[q]
        scale = share * growth[q] / ((chains * batches - 1) * chains * batches)
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
