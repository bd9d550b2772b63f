"""Priors of one cell: beta-binomial, unimodal, log-normal, or as frequent as in another table.

A prior that is a class of its own has `name`, `words`, `call` and `log_weights(values, known, decimals)`: values are whole
numbers of 10^-decimals, and `known` is the interval that the exact figures leave the cell, for those that ask for it
(`needs_interval`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol, overload

import numpy as np

from ...base.errors import InputError
from ...base.numbers import is_number
from ...base.saved_forms import saved
from ...release.tables.tables import as_table

DENSE = 300
"""Standard deviations of a log-normal prior are more than so many values wide."""
KNOWN = "the interval that the exact figures leave it"


class KnownPrior(Protocol):
    """A prior whose weights are computed for many values at once."""

    @property
    def name(self) -> str:
        """One or two words."""
        ...

    @property
    def words(self) -> str:
        """What the intruder assumes of the cell, as half a sentence."""
        ...

    @property
    def call(self) -> str:
        """The line of Python that makes it, for reports."""
        ...

    @property
    def needs_interval(self) -> bool:
        """Does it depend on the interval that the exact figures leave the cell?"""
        ...

    def log_weights(self, values: np.ndarray, known: tuple[int, int], decimals: int) -> np.ndarray:
        """The log-weights of some values."""
        ...


@saved("BetaBinomial")
@dataclass(frozen=True)
class BetaBinomial:
    """C(n, x) B(x + a, n - x + b) / B(a, b): x of n, where the share is Beta(a, b)."""

    n: int
    a: float
    b: float

    def __call__(self, value: float) -> float:
        """The probability of a value."""
        if not 0 <= value <= self.n or value != int(value):
            return 0.0
        return math.exp(float(_log_beta_binomial(np.array([value]), self.n, self.a, self.b)[0]))

    @property
    def words(self) -> str:
        """What the intruder assumes."""
        return f"beta-binomial, x of {self.n} with a share that is Beta({self.a:g}, {self.b:g})"

    @property
    def call(self) -> str:
        """How it is made."""
        return f"fw.beta_binomial({self.n}, {self.a:g}, {self.b:g})"


@saved("BetaBinomialWithin")
@dataclass(frozen=True)
class BetaBinomialWithin:
    """x - lower is beta-binomial of upper - lower, on the interval that is known."""

    a: float
    b: float
    name: str = "beta-binomial"
    needs_interval = True

    @property
    def words(self) -> str:
        """What the intruder assumes."""
        return f"beta-binomial({self.a:g}, {self.b:g}) on {KNOWN}"

    @property
    def call(self) -> str:
        """How it is made."""
        return f"fw.beta_binomial(a={self.a:g}, b={self.b:g})"

    def log_weights(self, values: np.ndarray, known: tuple[int, int], decimals: int) -> np.ndarray:
        """Values that no feasible table has, beyond the interval, weigh as its ends do: they must not look like gaps."""
        low, high = known
        return _log_beta_binomial(np.clip(values, low, high) - low, high - low, self.a, self.b)


@saved("Unimodal")
@dataclass(frozen=True)
class Unimodal:
    """A triangle over the interval that is known: the probability falls evenly from the peak to just beyond both ends."""

    peak: float | None = None
    name: str = "unimodal"
    needs_interval = True

    @property
    def words(self) -> str:
        """What the intruder assumes."""
        where = "in the middle" if self.peak is None else f"at {self.peak:g}"
        return f"most probable {where} and evenly less so towards the ends of {KNOWN}"

    @property
    def call(self) -> str:
        """How it is made."""
        return f"fw.unimodal({'' if self.peak is None else f'peak={self.peak:g}'})"

    def log_weights(self, values: np.ndarray, known: tuple[int, int], decimals: int) -> np.ndarray:
        """One step beyond either end the probability would be 0."""
        low, high = known
        peak = (low + high) / 2 if self.peak is None else min(max(self.peak * 10**decimals, low), high)
        at = np.clip(values, low, high)
        weights: np.ndarray = np.log(np.minimum((at - low + 1) / (peak - low + 1), (high - at + 1) / (high - peak + 1)))
        return weights


@saved("LogNormal")
@dataclass(frozen=True)
class LogNormal:
    """The logarithm of the value is normal: magnitudes of which the order is known."""

    median: float
    spread: float
    name: str = "log-normal"
    needs_interval = False

    @property
    def words(self) -> str:
        """What the intruder assumes."""
        return f"log-normal around {self.median:.4g}, two times in three within a factor of {math.exp(self.spread):.3g}"

    @property
    def call(self) -> str:
        """How it is made."""
        return f"fw.log_normal({self.median:g}, {self.spread:g})"

    def log_weights(self, values: np.ndarray, known: tuple[int, int], decimals: int) -> np.ndarray:
        """The probability of what rounds to each value; where values lie dense, the density, which is nearly the same."""
        from scipy.special import log_ndtr

        middle = math.log(self.median) + decimals * math.log(10)
        edges = (np.maximum(values + shift, 1e-300) for shift in (-0.5, 0.0, 0.5))
        low, at, high = ((np.log(edge) - middle) / self.spread for edge in edges)
        # In the upper tail, where both probabilities round to 1, those of lying above are subtracted instead.
        upper = at > 0
        more, less = np.where(upper, -low, high), np.where(upper, -high, low)
        between = log_ndtr(more) + np.log1p(-np.exp(log_ndtr(less) - log_ndtr(more)))
        with_step = -0.5 * (at**2 + math.log(2 * math.pi)) - np.log(np.maximum(values, 1) * self.spread)
        weights: np.ndarray = np.where(values * self.spread > DENSE, with_step, between)
        return weights


@saved("Frequencies")
@dataclass(frozen=True, eq=False)
class Frequencies:
    """A value is as probable as it is frequent among the cells of another table."""

    values: np.ndarray
    """The values that occur there, ascending, in whole numbers of 10^-decimals."""
    times: np.ndarray
    decimals: int
    smooth: float
    name: str = "frequencies"
    needs_interval = False

    @property
    def words(self) -> str:
        """What the intruder assumes."""
        n = int(self.times.sum())
        more = f", {self.smooth:g} imaginary cells added" if self.smooth else ""
        return f"each value as probable as it is frequent among the {n} cells of a reference table{more}"

    @property
    def call(self) -> str:
        """How it is made."""
        return f"fw.frequencies_of(reference{f', smooth={self.smooth:g}' if self.smooth else ''})"

    def log_weights(self, values: np.ndarray, known: tuple[int, int], decimals: int) -> np.ndarray:
        """The logarithm of how often each value occurs, with its share of the imaginary cells."""
        if decimals < self.decimals:
            raise InputError(
                f"the reference table of frequencies_of() has {self.decimals} decimals and the release {decimals}: give the "
                "same decimals= to both."
            )
        occurring = self.values * 10 ** (decimals - self.decimals)
        place = np.minimum(np.searchsorted(occurring, values), len(occurring) - 1)
        found = np.where(occurring[place] == values, np.log(self.times[place]), -np.inf)
        if not self.smooth:
            return found
        # A geometric law with the mean of the reference, one unit being added so that the mean is not 0.
        mean = (float(occurring @ self.times) + 1) / float(self.times.sum())
        share = math.log(self.smooth) - math.log1p(mean) + values * (math.log(mean) - math.log1p(mean))
        smoothed: np.ndarray = np.logaddexp(found, share)
        return smoothed


@overload
def beta_binomial(n: int, a: float = 1, b: float = 1) -> BetaBinomial: ...


@overload
def beta_binomial(n: None = None, a: float = 1, b: float = 1) -> BetaBinomialWithin: ...


def beta_binomial(n: int | None = None, a: float = 1, b: float = 1) -> BetaBinomial | BetaBinomialWithin:
    """A prior for `prior`: x of n units are in the cell, and the share of them is Beta(a, b) distributed.

    Without n it is on the interval that is known of the cell: x - lower of upper - lower units, as Duncan, Fienberg,
    Krishnan, Padman and Roehrig (2001) have it. lower and upper are the cell's sharp bounds, as `bounds` gives them, from
    the figures that are published exactly or as ranges and from what `knows` adds; only where these leave a cell of the
    release without limit do randomly changed figures limit it as well. a = b = 1 makes every value equally probable.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> [round(fw.beta_binomial(2, 1, 1)(x), 3) for x in range(4)]
    [0.333, 0.333, 0.333, 0.0]
    >>> release = fw.publish([[2, 0], [0, 3]], margins=["A", "B"])
    >>> low = fw.prior([({"A": "1", "B": "1"}, fw.beta_binomial(a=1, b=2))])
    >>> fw.audit(release, low).pmf(A="1", B="1").round(3).to_dict()
    {0: 0.5, 1: 0.333, 2: 0.167}
    """
    if n is not None and (isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0):
        raise InputError(f"beta_binomial(n={n!r}): a whole number of at least 0.")
    for name, value in (("a", a), ("b", b)):
        if not is_probability(value) or value == 0:
            raise InputError(f"beta_binomial({name}={value!r}): a number above 0.")
    return BetaBinomialWithin(float(a), float(b)) if n is None else BetaBinomial(int(n), float(a), float(b))


def unimodal(peak: float | None = None) -> Unimodal:
    """A prior for `prior`: highest in the middle of the interval that is known of the cell, and falling to its ends.

    The probability is proportional to 1 + the distance from the nearer end (Duncan, Fienberg, Krishnan, Padman and Roehrig
    2001 suggest such a prior: values in the middle leave the other cells more freedom). The interval is the one of
    `beta_binomial` without n.

    Parameters
    ----------
    peak
        Where it is highest instead, in the table's own units: from there it falls evenly on either side. Outside the
        interval the nearer end is meant.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> release = fw.publish([[3, 1], [2, 4]], margins=["A", "B"])
    >>> law = fw.prior([({"A": "1", "B": "1"}, fw.unimodal())])
    >>> fw.audit(release, law).pmf(A="1", B="1").round(3).to_dict()
    {0: 0.111, 1: 0.222, 2: 0.333, 3: 0.222, 4: 0.111}
    """
    if peak is not None and not is_probability(peak):
        raise InputError(f"unimodal(peak={peak!r}): a number of at least 0, in the table's own units.")
    return Unimodal(None if peak is None else float(peak))


def log_normal(median: float, spread: float) -> LogNormal:
    """A prior for `prior`: a magnitude of which an intruder knows the order, but not the digits.

    Parameters
    ----------
    median
        As probably below as above, in the table's own units.
    spread
        The standard deviation of the natural logarithm: the value is two times in three within a factor of exp(spread).

    Examples
    --------
    >>> import fiberwalk as fw
    >>> release = fw.publish([[2, 2], [0, 3]], margins=["A", "B"])
    >>> law = fw.prior([({"A": "1", "B": "1"}, fw.log_normal(1, 0.5))])
    >>> fw.audit(release, law).pmf(A="1", B="1").round(3).to_dict()
    {0: 0.086, 1: 0.733, 2: 0.181}
    """
    for name, value in (("median", median), ("spread", spread)):
        if not is_probability(value) or value == 0:
            raise InputError(f"log_normal({name}={value!r}): a number above 0.")
    return LogNormal(float(median), float(spread))


def frequencies_of(reference: Any, *, smooth: float = 0.0, decimals: int = 0, count: str | None = None) -> Frequencies:
    """A prior for `prior`: each value is as probable as it is frequent among the cells of another table.

    Parameters
    ----------
    reference
        Any form of a table; its shape and labels do not matter.
    smooth
        So many imaginary cells are added to the reference, spread over all counts from 0 on by a geometric law with the
        same mean. Without them a value that does not occur in the reference is impossible.
    decimals, count
        As for `publish`.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> release = fw.publish([[3, 1], [2, 4]], margins=["A", "B"])
    >>> law = fw.prior([({"A": "1", "B": "1"}, fw.frequencies_of([[0, 1, 0], [3, 0, 9]]))])
    >>> fw.audit(release, law).pmf(A="1", B="1").round(3).to_dict()
    {0: 0.6, 1: 0.2, 3: 0.2}
    """
    if not is_probability(smooth):
        raise InputError(f"frequencies_of(smooth={smooth!r}): a number of at least 0, such as 1.")
    table = as_table(reference, decimals=decimals, count=count)
    values, times = np.unique(table.values, return_counts=True)
    return Frequencies(values, times.astype(float), table.decimals, float(smooth))


def is_probability(p: Any) -> bool:
    """A finite number of at least 0: only ratios matter."""
    return is_number(p) and p >= 0


def _log_beta_binomial(x: np.ndarray, n: int, a: float, b: float) -> np.ndarray:
    from scipy.special import betaln, gammaln

    choices = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1)
    found: np.ndarray = choices + betaln(x + a, n - x + b) - betaln(a, b)
    return found
