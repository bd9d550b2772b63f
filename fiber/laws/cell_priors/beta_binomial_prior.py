"""beta_binomial: of n units so many are in the cell, where the share of those in it is Beta distributed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import overload

import numpy as np

from ....base.errors import InputError
from ....base.saved_forms import saved
from .cell_prior import KNOWN, is_probability


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
        return f"fw.laws.beta_binomial({self.n}, {self.a:g}, {self.b:g})"


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
        return f"fw.laws.beta_binomial(a={self.a:g}, b={self.b:g})"

    def log_weights(self, values: np.ndarray, known: tuple[int, int], decimals: int) -> np.ndarray:
        """The log-weights of some values. Beyond the interval, where no table is, those of its ends: zeros would be gaps."""
        low, high = known
        return _log_beta_binomial(np.clip(values, low, high) - low, high - low, self.a, self.b)


@overload
def beta_binomial(trials: int, a: float = 1, b: float = 1) -> BetaBinomial: ...


@overload
def beta_binomial(trials: None = None, a: float = 1, b: float = 1) -> BetaBinomialWithin: ...


def beta_binomial(trials: int | None = None, a: float = 1, b: float = 1) -> BetaBinomial | BetaBinomialWithin:
    """A prior for `prior`: x of so many trials, the units, are in the cell, and the share of them is Beta(a, b) distributed.

    Without trials it is on the interval that is known of the cell: x - lower of upper - lower units, as Duncan, Fienberg,
    Krishnan, Padman and Roehrig (2001) have it. lower and upper are the cell's sharp bounds, as `bounds` gives them, from
    the figures that are published exactly or as ranges and from what `knows` adds; only where these leave a cell of the
    release without limit do randomly changed figures limit it as well. a = b = 1 makes every value equally probable.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> [round(fw.laws.beta_binomial(2, 1, 1)(x), 3) for x in range(4)]
    [0.333, 0.333, 0.333, 0.0]
    >>> release = fw.publish([[2, 0], [0, 3]], margins=["A", "B"])
    >>> low = fw.laws.prior([({"A": "1", "B": "1"}, fw.laws.beta_binomial(a=1, b=2))])
    >>> fw.audit(release, low).pmf(A="1", B="1").round(3).to_dict()
    {0: 0.5, 1: 0.333, 2: 0.167}
    """
    if trials is not None and (isinstance(trials, bool) or not isinstance(trials, (int, np.integer)) or trials < 0):
        raise InputError(f"beta_binomial(trials={trials!r}): a whole number of at least 0.")
    for name, value in (("a", a), ("b", b)):
        if not is_probability(value) or value == 0:
            raise InputError(f"beta_binomial({name}={value!r}): a number above 0.")
    return BetaBinomialWithin(float(a), float(b)) if trials is None else BetaBinomial(int(trials), float(a), float(b))


def _log_beta_binomial(x: np.ndarray, n: int, a: float, b: float) -> np.ndarray:
    from scipy.special import betaln, gammaln

    choices = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1)
    log_weights: np.ndarray = choices + betaln(x + a, n - x + b) - betaln(a, b)
    return log_weights
