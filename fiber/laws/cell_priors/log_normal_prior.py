"""log_normal: a magnitude of which the order is known, but not the digits."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ....base.errors import InputError
from ....base.saved_forms import saved
from ..law import LOG_NORMAL, Tail
from .cell_prior import is_probability

DENSE = 300
"""Values lie dense where a standard deviation of the prior is wider than so many of them."""


@saved("LogNormal")
@dataclass(frozen=True)
class LogNormal:
    """The logarithm of the value is normal: magnitudes of which the order is known."""

    median: float
    spread: float
    name: str = "log-normal"
    needs_interval = False
    always_positive = True

    @property
    def words(self) -> str:
        """What the intruder assumes."""
        return f"log-normal around {self.median:.4g}, two times in three within a factor of {math.exp(self.spread):.3g}"

    @property
    def call(self) -> str:
        """How it is made."""
        return f"fw.laws.log_normal({self.median:g}, {self.spread:g})"

    def tail(self, decimals: int) -> Tail:
        """Its formula where values lie dense."""
        middle = math.log(self.median) + decimals * math.log(10)
        return Tail(LOG_NORMAL, int(DENSE / self.spread) + 1, middle, self.spread)

    def log_weights(self, values: np.ndarray, known: tuple[int, int], decimals: int) -> np.ndarray:
        """The probability of what rounds to each value; where values lie dense, the density, which is nearly the same."""
        from scipy.special import log_ndtr

        middle = math.log(self.median) + decimals * math.log(10)
        dense = values * self.spread > DENSE
        if dense.all():
            standardised = (np.log(values) - middle) / self.spread
            return np.asarray(-0.5 * (standardised**2 + math.log(2 * math.pi)) - np.log(values * self.spread))
        edges = (np.maximum(values + shift, 1e-300) for shift in (-0.5, 0.0, 0.5))
        low, standardised, high = ((np.log(edge) - middle) / self.spread for edge in edges)
        # In the upper tail, where both probabilities round to 1, those of lying above are subtracted instead.
        upper = standardised > 0
        more, less = np.where(upper, -low, high), np.where(upper, -high, low)
        between = log_ndtr(more) + np.log1p(-np.exp(log_ndtr(less) - log_ndtr(more)))
        with_step = -0.5 * (standardised**2 + math.log(2 * math.pi)) - np.log(np.maximum(values, 1) * self.spread)
        weights: np.ndarray = np.where(dense, with_step, between)
        return weights


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
    >>> law = fw.laws.prior([({"A": "1", "B": "1"}, fw.laws.log_normal(1, 0.5))])
    >>> fw.audit(release, law).pmf(A="1", B="1").round(3).to_dict()
    {0: 0.086, 1: 0.733, 2: 0.181}
    """
    for name, value in (("median", median), ("spread", spread)):
        if not is_probability(value) or value == 0:
            raise InputError(f"log_normal({name}={value!r}): a number above 0.")
    return LogNormal(float(median), float(spread))
