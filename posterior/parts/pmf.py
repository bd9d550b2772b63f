"""Pmf: how probable each value of a cell or sum is, and how well that is known."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...base.certificate import Certificate
from ...base.saved_forms import saved

EXACT = Certificate("exact", "every table was counted")
COVERED = 0.995
"""The confidence of `limits`: how often a limit is not below the probability."""
SMOOTH = 16
"""Bins from which on a curve through them tells more than the bins themselves."""
FINER = 16
"""Parts of a bin to which a range of values is told."""


@saved("Pmf")
@dataclass(frozen=True, eq=False)
class Pmf:
    """The distribution of a cell or sum, and the evidence behind it.

    `p[k]` is the probability of the `width` values from `first + k * width` on; `width` is above 1 only for cells with very
    many values, and what lies inside such a bin is told by a smooth curve through the bins. `possible[k]` says whether any
    table has such a value: proven where the method is exact, not excluded where it is chains.
    """

    first: int
    p: np.ndarray
    possible: np.ndarray
    lower: int
    upper: int
    """Bounds of the cell; what chains have not seen in between has no place in `p`."""
    support: int
    """How many values are attainable; for a sampled cell, how many between the bounds are not excluded."""
    entropy: float
    """In bits; for a sampled cell corrected for its bias."""
    width: int = 1
    method: str = "exact"
    certificate: Certificate = field(default=EXACT)
    ess: float = np.inf
    rhat: float = np.nan
    entropy_error: float = 0.0
    mean_error: float = 0.0
    p_error: np.ndarray | None = None
    """The standard error of each p; none where the method is exact."""
    up_to_error: np.ndarray | None = None
    """The standard error of the sum of all p up to each; none where it is only known by the effective draws."""
    converged: bool = True
    sharp: bool = True
    """Are the bounds known to be attained?"""

    @classmethod
    def exact(cls, first: int, p: np.ndarray, possible: np.ndarray, certificate: Certificate = EXACT) -> Pmf:
        """A distribution that was solved for: `p[k]` is the probability of `first + k`."""
        places = np.flatnonzero(possible)
        return cls(
            first, p, possible, first + int(places[0]), first + int(places[-1]), len(places), bits_of(p),
            certificate=certificate,
        )  # fmt: skip

    @property
    def values(self) -> np.ndarray:
        """The values that are listed, ascending; the least of each bin where `width` is above 1."""
        return self.first + self.width * np.flatnonzero(self.possible)

    @property
    def probabilities(self) -> np.ndarray:
        """The probabilities of `values`."""
        return self.p[self.possible]

    @property
    def errors(self) -> np.ndarray:
        """The standard errors of `probabilities`."""
        return self.every_error[self.possible]

    @property
    def every_error(self) -> np.ndarray:
        """The standard error of each p."""
        return np.zeros(len(self.p)) if self.p_error is None else self.p_error

    @property
    def every_error_up_to(self) -> np.ndarray:
        """The standard error of the sum of all p up to each; by as many independent draws as are effective where no other is
        known."""
        if self.method == "exact":
            return np.zeros(len(self.p))
        return self._by_draws(np.cumsum(self.p)) if self.up_to_error is None else self.up_to_error

    def _by_draws(self, share: Any) -> Any:
        """The standard error of a probability from as many independent draws as are effective."""
        draws = max(self.ess, 1.0)
        return np.sqrt(np.maximum(share * (1 - share), 1 / draws) / draws)

    @property
    def limits(self) -> np.ndarray:
        """Upper confidence limits of `probabilities`, wrong in one case in two hundred; of values that were never met, too.

        They are those of as many independent draws as the error of each probability stands for (Garwood 1936).
        """
        p = self.probabilities
        if self.p_error is None or not np.isfinite(self.ess):
            return p
        from scipy.special import gammaincinv

        most = max(self.ess, 1.0)
        variance = np.maximum(self.errors**2 - most**-2.0, 0.0)
        draws = np.divide(p * (1 - p), variance, out=np.full(len(p), most), where=variance > 0)
        draws = np.clip(draws, 1.0, most)
        return np.minimum(gammaincinv(p * draws + 1.0, COVERED) / draws, 1.0)

    @property
    def mean(self) -> float:
        """The expected value."""
        begin, end = self._bins()
        return float(self.first + (((begin - self.first) + (end - self.first)) / 2 * self.p).sum())

    @property
    def deviation(self) -> float:
        """The standard deviation."""
        return float(np.sqrt(self._moment(2)))

    @property
    def deviation_error(self) -> float:
        """The standard error of that, by the effective draws."""
        variance = self._moment(2)
        if self.method == "exact" or variance == 0:
            return 0.0
        return float(np.sqrt(max(self._moment(4) - variance**2, 0.0) / (4.0 * variance * self.ess)))

    def _moment(self, power: int) -> float:
        """The second or fourth central moment; values lie evenly in a bin."""
        begin, end = self._bins()
        away, width = (begin - self.first + end - self.first) / 2 - (self.mean - self.first), end - begin + 1.0
        within = (width**2 - 1.0) / 12.0
        return float(
            (self.p * (away**2 + within if power == 2 else away**4 + 6 * away**2 * within + 1.8 * within**2)).sum()
        )

    @property
    def modal(self) -> tuple[int, float]:
        """The most probable value and its probability (of one value, also where they are counted in bins)."""
        begin, end = self._bins()
        k = int(self.p.argmax())
        return int(begin[k] + end[k]) // 2, float(self.p[k] / (end[k] - begin[k] + 1))

    def between(self, low: int, high: int) -> float:
        """P(low <= x <= high)."""
        if self.width == 1:
            first, last = max(low - self.first, 0), min(high - self.first + 1, len(self.p))
            return float(self.p[first:last].sum()) if first < last else 0.0
        ends = self.up_to(np.array([low - 1, high]))
        return float(max(ends[1] - ends[0], 0.0))

    def up_to(self, values: np.ndarray) -> np.ndarray:
        """P(x <= value) for some values: the cumulative distribution function."""
        begin, end = self._bins()
        edges, cdf = np.append(begin[:1] - 1, end), np.concatenate([[0.0], np.cumsum(self.p)])
        clipped = np.clip(values, edges[0], edges[-1])
        if self.width == 1 or len(self.p) < SMOOTH:
            return np.asarray(np.interp(clipped, edges, cdf))
        from scipy.interpolate import PchipInterpolator

        # a bin that the bounds leave nothing of has no place on the curve
        kept = np.concatenate([[True], np.diff(edges) > 0])
        return np.asarray(PchipInterpolator((edges - edges[0])[kept].astype(float), cdf[kept])(clipped - edges[0]))

    def in_values(self, most: int) -> Pmf:
        """The same with a probability for every single value, where these are at most `most`."""
        number = self.width * len(self.p)
        if self.width == 1 or number > most:
            return self
        begin, end = self._bins()
        values = np.arange(begin[0], end[-1] + 1)
        p = np.diff(self.up_to(np.append(begin[0] - 1, values)))
        bin_of = np.minimum((values - self.first) // self.width, len(self.p) - 1)
        error = None if self.p_error is None else self.p_error[bin_of] / self.width
        up_to = None if self.up_to_error is None else self._error_up_to(values)
        possible = self.possible[bin_of]
        return replace(self, first=int(begin[0]), p=p, possible=possible, width=1, p_error=error, up_to_error=up_to)

    def _bins(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest value of each bin, those at the ends as far as the bounds reach."""
        places = self.first + self.width * np.arange(len(self.p))
        begin = np.clip(places, self.lower, self.upper)
        return begin, np.clip(places + self.width - 1, begin, self.upper)

    def between_error(self, low: int, high: int) -> float:
        """The standard error of `between`: no larger than that of its two ends together, nor than by the effective draws."""
        if self.method == "exact":
            return 0.0
        if self.width == 1 and low == high and self.p_error is not None and 0 <= low - self.first < len(self.p):
            return float(self.p_error[low - self.first])
        inside = [end for end in (low - 1, high) if self.lower <= end < self.upper]
        by_ends = float(self._error_up_to(np.array(inside)).sum())
        return min(by_ends, float(self._by_draws(self.between(low, high)))) if inside else 1 / max(self.ess, 1.0)

    def _error_up_to(self, values: np.ndarray) -> np.ndarray:
        """The standard error of `up_to` of values between the bounds; in a bin as at its ends, straight between them."""
        begin, end = self._bins()
        beyond = 1 / max(self.ess, 1.0)
        edges, errors = np.append(begin[:1] - 1, end), np.append(beyond, self.every_error_up_to)
        return np.asarray(np.interp(values, edges, errors, right=beyond))

    def end_error(self, value: int) -> float:
        """The standard error of an end of a range (a quantile): that of the probability up to it, over the density there."""
        if self.method == "exact":
            return 0.0
        step = max(self.width, int(self.deviation / 16))
        density = self.between(value - step, value + step) / (2 * step + 1)
        error = float(self._error_up_to(np.array([value]))[0])
        return float(min(error / density if density > 0 else np.inf, self.upper - self.lower))

    def shortest(self, share: float = 0.9) -> tuple[int, int]:
        """The shortest range of values with at least this probability (a credible interval), to a part of a bin."""
        if self.width > 1:
            begin, end = self._bins()
            step = max(1, self.width // FINER)
            edges = np.append(np.arange(begin[0] - 1, end[-1], step), end[-1])
            p = np.diff(self.up_to(edges))
        else:
            edges, p = np.arange(self.first - 1, self.first + len(self.p)), self.p
        places = np.flatnonzero(p > 0)
        cdf = np.concatenate([[0.0], np.cumsum(p[places])])
        wanted = min(share, cdf[-1]) - 1e-12
        stop = np.searchsorted(cdf, cdf[:-1] + wanted)  # the first end that holds enough, for each begin
        able = stop < len(cdf)
        low, high = edges[places[able]] + 1, edges[places[stop[able] - 1] + 1]
        k = int(np.argmin(high - low))
        return max(int(low[k]), self.lower), min(int(high[k]), self.upper)

    def shifted(self, by: int) -> Pmf:
        """The same distribution, of the value less `by`."""
        return replace(self, first=self.first - by, lower=self.lower - by, upper=self.upper - by) if by else self


def bits_of(p: np.ndarray, width: int = 1) -> float:
    """Shannon's entropy in bits of bins of so many equally probable values each."""
    positive = p[p > 0]
    return float(max(0.0, -(positive * np.log2(positive / width)).sum()))
