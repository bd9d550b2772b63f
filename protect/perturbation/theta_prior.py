"""What an intruder believes of theta where it is not published: some values, and how probable each is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...base.numbers import is_number
from ...base.saved_forms import saved

POINTS, TAIL = 40, 1e-4
"""Values that stand for a continuous distribution, and what of its probability may lie beyond them at either end."""
FORMS = (
    "theta is a number from 0 to 1; where it is not known, a list of equally probable values, a mapping of value to "
    "probability, or a distribution of scipy.stats"
)


@saved("ThetaPrior")
@dataclass(frozen=True, eq=False)
class ThetaPrior:
    """Values of theta, ascending, and their probabilities."""

    values: np.ndarray
    probabilities: np.ndarray

    @property
    def words(self) -> str:
        """Where theta lies, in words."""
        return f"theta one of {len(self.values)} values from {self.values[0]:.3g} to {self.values[-1]:.3g}"


def as_theta(theta: Any) -> float | ThetaPrior:
    """A theta that is known, or what is believed of one that is not."""
    if isinstance(theta, (int, float, np.integer, np.floating)) and not isinstance(theta, bool):
        if not is_number(theta) or not 0 <= theta <= 1:
            raise InputError(
                f"theta={theta!r}: the probability of moving out, from 0 (nothing moves) to 1, in every square."
            )
        return float(theta)
    if isinstance(theta, ThetaPrior):
        return theta
    if isinstance(theta, str):  # as on a command line
        theta = theta.split(",")
    if hasattr(theta, "cdf") and hasattr(theta, "ppf"):
        values, odds = _points(theta)
    elif isinstance(theta, Mapping) or (hasattr(theta, "index") and hasattr(theta, "items")):
        pairs = list(theta.items())
        values, odds = _numbers([value for value, _ in pairs]), _numbers([weight for _, weight in pairs])
    elif isinstance(theta, (list, tuple, np.ndarray)):
        values = _numbers(theta)
        odds = np.ones(len(values))
    else:
        raise InputError(f"theta={theta!r}: {FORMS}.")
    if not len(values) or not ((values >= 0) & (values <= 1)).all() or len(set(values.tolist())) < len(values):
        raise InputError(f"a prior of theta needs different values from 0 to 1: {FORMS}.")
    if not np.isfinite(odds).all() or (odds < 0).any() or not odds.sum() > 0:
        raise InputError("the probabilities of a prior of theta must be at least 0, and not all 0.")
    possible = np.flatnonzero(odds > 0)
    possible = possible[np.argsort(values[possible])]
    return ThetaPrior(values[possible], odds[possible] / odds[possible].sum())


def _numbers(numbers: Any) -> np.ndarray:
    try:
        return np.asarray(list(numbers), dtype=float).ravel()
    except (TypeError, ValueError):
        raise InputError(f"theta={numbers!r}: {FORMS}.") from None


def _points(distribution: Any) -> tuple[np.ndarray, np.ndarray]:
    """The middles of equal parts of a continuous distribution's range, with the probability of each part."""
    first, last = (float(np.clip(distribution.ppf(p), 0.0, 1.0)) for p in (TAIL, 1 - TAIL))
    if not first < last:
        raise InputError("the prior of theta has no probability between 0 and 1.")
    ends = np.linspace(first, last, POINTS + 1)
    return (ends[1:] + ends[:-1]) / 2, np.diff(distribution.cdf(ends))
