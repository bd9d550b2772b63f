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
WHAT = (
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


def as_theta(given: Any) -> float | ThetaPrior:
    """A theta that is known, or what is believed of one that is not."""
    if isinstance(given, (int, float, np.integer, np.floating)) and not isinstance(given, bool):
        if not is_number(given) or not 0 <= given <= 1:
            raise InputError(
                f"theta={given!r}: the probability of moving out, from 0 (nothing moves) to 1, in every square."
            )
        return float(given)
    if isinstance(given, ThetaPrior):
        return given
    if isinstance(given, str):  # as on a command line
        given = given.split(",")
    if hasattr(given, "cdf") and hasattr(given, "ppf"):
        values, odds = _points(given)
    elif isinstance(given, Mapping) or (hasattr(given, "index") and hasattr(given, "items")):
        pairs = list(given.items())
        values, odds = _numbers([one for one, _ in pairs]), _numbers([one for _, one in pairs])
    elif isinstance(given, (list, tuple, np.ndarray)):
        values = _numbers(given)
        odds = np.ones(len(values))
    else:
        raise InputError(f"theta={given!r}: {WHAT}.")
    if not len(values) or not ((values >= 0) & (values <= 1)).all() or len(set(values.tolist())) < len(values):
        raise InputError(f"a prior of theta needs different values from 0 to 1: {WHAT}.")
    if not np.isfinite(odds).all() or (odds < 0).any() or not odds.sum() > 0:
        raise InputError("the probabilities of a prior of theta must be at least 0, and not all 0.")
    some = np.flatnonzero(odds > 0)
    some = some[np.argsort(values[some])]
    return ThetaPrior(values[some], odds[some] / odds[some].sum())


def _numbers(given: Any) -> np.ndarray:
    try:
        return np.asarray(list(given), dtype=float).ravel()
    except (TypeError, ValueError):
        raise InputError(f"theta={given!r}: {WHAT}.") from None


def _points(distribution: Any) -> tuple[np.ndarray, np.ndarray]:
    """The middles of equal parts of a continuous distribution's range, with the probability of each part."""
    first, last = (float(np.clip(distribution.ppf(p), 0.0, 1.0)) for p in (TAIL, 1 - TAIL))
    if not first < last:
        raise InputError("the prior of theta has no probability between 0 and 1.")
    ends = np.linspace(first, last, POINTS + 1)
    return (ends[1:] + ends[:-1]) / 2, np.diff(distribution.cdf(ends))
