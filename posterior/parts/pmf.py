"""Pmf: how probable each value of a cell or sum is, and how well that is known."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ...base.certificate import Certificate
from ...base.saved_forms import saved

EXACT = Certificate("exact", "every table was counted")


@saved("Pmf")
@dataclass(frozen=True, eq=False)
class Pmf:
    """The distribution of a cell or sum, and the evidence behind it.

    `p[k]` is the probability of the `width` values from `first + k * width` on, which are taken to be equally probable;
    `width` is above 1 only for sampled cells with very many values. `possible[k]` says whether any table has such a
    value: proven where the method is exact, not excluded where it is chains.
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
        return np.zeros(int(self.possible.sum())) if self.p_error is None else self.p_error[self.possible]

    @property
    def mean(self) -> float:
        """The expected value."""
        begin, end = self._bins()
        return float(self.first + (((begin - self.first) + (end - self.first)) / 2 * self.p).sum())

    @property
    def modal(self) -> tuple[int, float]:
        """The most probable value and its probability (of one value, also where they are counted in bins)."""
        begin, end = self._bins()
        k = int(self.p.argmax())
        return int(begin[k] + end[k]) // 2, float(self.p[k] / (end[k] - begin[k] + 1))

    def between(self, low: int, high: int) -> float:
        """P(low <= x <= high); a bin that lies partly inside counts by its part (of what is within the bounds)."""
        begin, end = self._bins()
        inside = np.minimum(high, end) - np.maximum(low, begin) + 1
        return float((self.p * np.maximum(inside, 0) / (end - begin + 1)).sum())

    def _bins(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest value of each bin, those at the ends as far as the bounds reach."""
        places = self.first + self.width * np.arange(len(self.p))
        begin = np.clip(places, self.lower, self.upper)
        return begin, np.clip(places + self.width - 1, begin, self.upper)

    def between_error(self, low: int, high: int) -> float:
        """The standard error of `between`, by the effective draws; what whole lines were credited for makes it smaller."""
        p = self.between(low, high)
        return 0.0 if self.method == "exact" else float(np.sqrt(max(p * (1 - p), 1 / max(self.ess, 1.0)) / self.ess))

    def shortest(self, share: float = 0.9) -> tuple[int, int]:
        """The shortest range of values with at least this probability; bounds of bins where there are bins."""
        places = np.flatnonzero(self.p > 0)
        whole = np.concatenate([[0.0], np.cumsum(self.p[places])])
        wanted = min(share, whole[-1]) - 1e-12
        end = np.searchsorted(whole, whole[:-1] + wanted)  # the first end that holds enough, for each begin
        able = end < len(whole)
        first, last = places[able], places[end[able] - 1]
        k = int(np.argmin(last - first))
        low, high = self.first + self.width * int(first[k]), self.first + self.width * (int(last[k]) + 1) - 1
        return max(low, self.lower), min(high, self.upper)

    def shifted(self, by: int) -> Pmf:
        """The same distribution, of the value less `by`."""
        return replace(self, first=self.first - by, lower=self.lower - by, upper=self.upper - by) if by else self


def bits_of(p: np.ndarray, width: int = 1) -> float:
    """Shannon's entropy in bits of bins of so many equally probable values each."""
    some = p[p > 0]
    return float(max(0.0, -(some * np.log2(some / width)).sum()))
