"""Sums of independent parts (convolutions): what is asked of several blocks at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...base.certificate import Certificate
from ...base.errors import TooLarge
from .pmf import Pmf, bits_of

MOST_PRODUCTS = 20_000_000_000
"""Products of probabilities that one convolution may take (some seconds)."""
_LN2 = float(np.log(2.0))


def added(fixed: int, parts: Sequence[Pmf]) -> Pmf:
    """The law of a constant plus independent parts, with the weakest of their evidence."""
    if len(parts) == 1:
        return parts[0].shifted(-fixed)
    first, width, p, possible = _convolved(fixed, parts)
    sampled = [part for part in parts if part.method != "exact"]
    if not sampled:
        return Pmf.exact(first, p, possible)
    ess = min(part.ess for part in sampled)
    least = max((int((part.p > 0).sum()) - 1 for part in sampled), default=0) / (2 * _LN2 * max(ess, 1.0))
    return Pmf(
        first,
        p,
        possible,
        lower=first,
        upper=first + width * len(p) - 1,
        support=width * int(possible.sum()),
        entropy=bits_of(p, width),
        width=width,
        method="chains",
        certificate=Certificate.weakest(part.certificate for part in parts),
        ess=ess,
        rhat=max(part.rhat for part in sampled),
        # What each part adds to the variance is at most that of the whole sum's surprise (Efron and Stein 1981).
        entropy_error=float(np.sqrt(_varentropy(p) / max(ess, 1.0) + least**2)),
        mean_error=float(np.sqrt(sum(part.mean_error**2 for part in sampled))),
        p_error=np.sqrt(p * (1 - p) / max(ess, 1.0) + max(ess, 1.0) ** -2.0),
        converged=all(part.converged for part in sampled),
    )


class _Bins(NamedTuple):
    """The law of a sum so far: the least value of its first bin, the width of the bins, and what they hold."""

    first: int
    width: int
    p: np.ndarray
    possible: np.ndarray


def _convolved(fixed: int, parts: Sequence[Pmf]) -> _Bins:
    """The convolution of all parts, summed directly: a Fourier transform would be faster, but its rounding error drowns
    small probabilities.

    Narrow bins come first, so that what they add up to is known as finely as they are.
    """
    total = _Bins(fixed, 1, np.ones(1), np.ones(1, dtype=bool))
    for part in sorted(parts, key=lambda part: (part.width, len(part.p))):
        if len(total.p) * len(part.p) > MOST_PRODUCTS:
            raise TooLarge("a hidden margin has too many values to convolve; leave it out, or use a coarser unit.")
        total = _plus(total, _Bins(part.first, part.width, part.p, part.possible))
    trimmed = np.flatnonzero(total.possible)
    span = slice(trimmed[0], trimmed[-1] + 1)
    p = np.where(total.possible[span], total.p[span], 0)
    return _Bins(total.first + total.width * int(trimmed[0]), total.width, p / p.sum(), total.possible[span])


def _plus(narrow: _Bins, wide: _Bins) -> _Bins:
    """The law of a sum in the bins of the wider part, which each value of the other moves up.

    Where that is no whole number of bins, what is left over moves the same fraction of each bin into the next one, so that
    the mean stays true.
    """
    places = np.arange(len(narrow.p))
    up = (narrow.width * places + (narrow.width - 1) / 2) / wide.width
    bins_up = up.astype(np.int64)
    rest = up - bins_up
    moved, able = np.zeros(int(bins_up[-1]) + 2), np.zeros(int(bins_up[-1]) + 2)
    np.add.at(moved, bins_up, narrow.p * (1 - rest))
    np.add.at(moved, bins_up + 1, narrow.p * rest)
    able[bins_up[narrow.possible]] = 1
    able[bins_up[narrow.possible & (rest > 0)] + 1] = 1
    possible = np.convolve(able, wide.possible.astype(float)) > 0.5
    return _Bins(narrow.first + wide.first, wide.width, np.convolve(moved, wide.p), possible)


def _varentropy(p: np.ndarray) -> float:
    positive = p[p > 0]
    bits = -np.log2(positive)
    return float(max(0.0, (positive * bits**2).sum() - (positive * bits).sum() ** 2))
