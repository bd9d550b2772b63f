"""Sums of independent parts: what is asked of several blocks at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..fiber.certificate import WORDS
from ..release.errors import TooLarge
from .pmf import Pmf, bits_of

MOST_PRODUCTS = 20_000_000_000
"""Products of probabilities that one convolution may take (some seconds)."""
_LN2 = float(np.log(2.0))


def added(fixed: int, parts: Sequence[Pmf]) -> Pmf:
    """The law of a constant plus independent parts, with the weakest of their evidence."""
    if len(parts) == 1:
        return parts[0].shifted(-fixed)
    width = max((one.width for one in parts), default=1)
    first, p, possible = _convolved(fixed, [_in_bins(one, width) for one in parts], width)
    total = Pmf.exact(first, p, possible)
    sampled = [one for one in parts if one.method != "exact"]
    if not sampled:
        return total
    ess = min(one.ess for one in sampled)
    least = max((int((one.p > 0).sum()) - 1 for one in sampled), default=0) / (2 * _LN2 * max(ess, 1.0))
    return Pmf(
        first,
        p,
        possible,
        lower=total.lower,
        upper=total.upper + width - 1,
        support=total.support * width,
        entropy=bits_of(p, width),
        width=width,
        method="chains",
        certificate=max((one.certificate for one in parts), key=lambda one: WORDS.index(one.word)),
        ess=ess,
        rhat=max(one.rhat for one in sampled),
        # What each part adds to the variance is at most that of the whole sum's surprise (Efron and Stein 1981).
        entropy_error=float(np.sqrt(_varentropy(p) / max(ess, 1.0) + least**2)),
        mean_error=float(np.sqrt(sum(one.mean_error**2 for one in sampled))),
        p_error=np.sqrt(p * (1 - p) / max(ess, 1.0) + max(ess, 1.0) ** -2.0),
        converged=all(one.converged for one in sampled),
    )


def _in_bins(part: Pmf, width: int) -> tuple[int, np.ndarray, np.ndarray]:
    """The first value, probabilities and possibilities of a part in bins of a width."""
    if part.width == width:
        return part.first, part.p, part.possible
    begin = part.first // width * width
    place = (part.first - begin + part.width * np.arange(len(part.p))) // width
    p, possible = np.zeros(int(place[-1]) + 1), np.zeros(int(place[-1]) + 1, dtype=bool)
    np.add.at(p, place, part.p)
    np.logical_or.at(possible, place, part.possible)
    return begin, p, possible


def _convolved(
    fixed: int, parts: Sequence[tuple[int, np.ndarray, np.ndarray]], width: int
) -> tuple[int, np.ndarray, np.ndarray]:
    """Summed directly: a transform would be faster, but drowns small probabilities in its rounding error."""
    first, p, possible = fixed, np.ones(1), np.ones(1, dtype=bool)
    for number, (begin, more, able) in enumerate(sorted(parts, key=lambda one: len(one[1]))):
        if len(p) * len(more) > MOST_PRODUCTS:
            raise TooLarge("a hidden margin has too many values to convolve; leave it out, or use a coarser unit.")
        possible = np.convolve(possible.astype(float), able.astype(float)) > 0.5
        first, p = first + begin, np.convolve(p, more)
        if width > 1 and number:
            # Two values in the bins i and j add up to one in the bin i + j or the next, by halves.
            p = np.convolve(p, (0.5, 0.5))
            possible = np.append(possible, False) | np.append(False, possible)
    trimmed = np.flatnonzero(possible)
    whole = slice(trimmed[0], trimmed[-1] + 1)
    p = np.where(possible[whole], p[whole], 0)
    return first + width * int(trimmed[0]), p / p.sum(), possible[whole]


def _varentropy(p: np.ndarray) -> float:
    some = p[p > 0]
    bits = -np.log2(some)
    return float(max(0.0, (some * bits**2).sum() - (some * bits).sum() ** 2))
