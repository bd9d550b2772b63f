"""How far p(x|y) itself can be trusted: how the shares of each value vary from batch to batch.

Shares are kept in the windows of the last look, which stay as they are until the next. Sums and squares are about the
shares of what the chain had counted by then, so that nothing is lost where a probability is large and hardly varies.
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
        """What comes from now on counts; what was counted so far tells about which shares."""
        _note(fresh, reference, fresh.credits, self.before, self.centre, self.sums, self.squares, _scratch(reference))
        self.centre, self.sums = self.sums, self.centre
        self.squares[:] = 0.0

    def note(self, fresh: Windows, reference: Windows, credits: np.ndarray) -> None:
        """A batch is over, in which each question had so many credits."""
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
        at, here, size = fresh.start[q], 0.0, reference.size[q]
        begin, origin, shift = reference.start[q], reference.origin[q], reference.shift[q]
        for k in range(size):
            scratch[k] = 0.0
        for k in range(fresh.size[q]):
            here += fresh.counters[at + k]
            place = (fresh.origin[q] + (k << fresh.shift[q]) - origin) >> shift
            if 0 <= place < size:
                scratch[place] += here
        each = 1.0 / max(credits[q], 1e-9)
        for k in range(begin, begin + size):
            apart = (scratch[k - begin] - before[k]) * each - centre[k]
            sums[k] += apart
            squares[k] += apart * apart
            before[k] = scratch[k - begin]


@dataclass(frozen=True, eq=False)
class ShareErrors:
    """The variance of the mean share of each value, over all draws of all chains, in the windows of a look."""

    windows: Windows
    variance: np.ndarray

    def of(self, pooled: Windows, question: int, floor: np.ndarray) -> np.ndarray:
        """The variances of a question's shares in other windows; `floor` where these ones do not reach."""
        found = floor.copy()
        mine, q = self.windows, question
        if mine.shift[q] != pooled.shift[q]:
            return found
        offset = int(mine.origin[q] - pooled.origin[q]) >> int(mine.shift[q])
        here = self.variance[mine.start[q] : mine.start[q] + mine.size[q]]
        low, high = max(0, offset), min(len(found), offset + len(here))
        if low < high:
            found[low:high] = here[low - offset : high - offset]
        return found


def share_errors(
    reference: Windows, spreads: Sequence[Spread | None], share: float, growth: np.ndarray
) -> ShareErrors | None:
    """The errors that the batches of all chains show.

    `share` is the part of all draws that these batches are; `growth` is, for each question, how many times larger the
    variance is than that of independent batches, as seen in its mean.
    """
    noted = [one for one in spreads if one is not None]
    if len(noted) < len(spreads) or not noted or noted[0].batches < 2:
        return None
    variance = np.zeros(len(noted[0].sums))
    centre, sums, squares = (np.stack([getattr(one, part) for one in noted]) for part in ("centre", "sums", "squares"))
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
            inside = mean = square = 0.0
            for one in range(chains):
                apart = np.float64(sums[one, k]) / batches
                inside += squares[one, k] - batches * apart * apart
                mean += (centre[one, k] + apart) / chains
            for one in range(chains):
                away = centre[one, k] + np.float64(sums[one, k]) / batches - mean
                square += away * away
            variance[k] = max(inside + batches * square, 0.0) * scale
