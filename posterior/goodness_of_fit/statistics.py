"""How far a table is from what a model expects: one number, larger for a worse fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.errors import InputError, did_you_mean

Contribution = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""What cells add to a statistic, from their counts and their expected counts, which are positive."""
ROUNDING = 1e-9
"""Statistics that differ by no more, relative to the observed one, are taken as equal: they may be in exact arithmetic."""


def _chi_square(x: np.ndarray, mu: np.ndarray) -> np.ndarray:
    return np.asarray((x - mu) ** 2 / mu)


def _likelihood_ratio(x: np.ndarray, mu: np.ndarray) -> np.ndarray:
    from scipy.special import xlogy

    return np.asarray(2.0 * (xlogy(x, x / mu) - (x - mu)))


def _freeman_tukey(x: np.ndarray, mu: np.ndarray) -> np.ndarray:
    return np.asarray(4.0 * (np.sqrt(x) - np.sqrt(mu)) ** 2)


def _improbability(x: np.ndarray, mu: np.ndarray) -> np.ndarray:
    from scipy.special import gammaln

    return np.asarray(gammaln(x + 1.0))


NAMED: dict[str, Contribution] = {
    "chi-square": _chi_square,
    "likelihood-ratio": _likelihood_ratio,
    "freeman-tukey": _freeman_tukey,
    "probability": _improbability,
}
HAS_CHI_SQUARE_LIMIT = ("chi-square", "likelihood-ratio", "freeman-tukey")


@dataclass(frozen=True, eq=False)
class Statistic:
    """A statistic of whole tables: a sum over cells, or a function of one's own."""

    name: str
    expected: np.ndarray
    shape: tuple[int, ...]
    contribution: Contribution | None = None
    function: Callable[[np.ndarray], float] | None = None

    def of(self, tables: np.ndarray) -> np.ndarray:
        """[..., cell] to the statistic of each table."""
        if self.contribution is not None:
            filled = np.flatnonzero(self.expected > 0)
            return self.contribution(tables[..., filled].astype(float), self.expected[filled]).sum(axis=-1)
        assert self.function is not None
        values = [self._of_one(self.function, table) for table in tables.reshape(-1, tables.shape[-1])]
        return np.array(values).reshape(tables.shape[:-1])

    def _of_one(self, function: Callable[[np.ndarray], float], cells: np.ndarray) -> float:
        result = function(cells.reshape(self.shape).astype(np.int64))
        try:
            value = float(result)
        except (TypeError, ValueError):
            value = np.nan
        if not np.isfinite(value):
            raise InputError(f"statistic=: the function gave {result!r} for a table; it must give one finite number.")
        return value

    def least(self, observed: float) -> float:
        """From here on a statistic counts as at least the observed one."""
        return observed - ROUNDING * max(1.0, abs(observed))


def statistic_of(wanted: Any, expected: np.ndarray, shape: tuple[int, ...]) -> Statistic:
    """A statistic by its name, or a function of one's own."""
    if callable(wanted):
        return Statistic(getattr(wanted, "__name__", "a function"), expected, shape, function=wanted)
    if not isinstance(wanted, str) or wanted not in NAMED:
        raise InputError(
            f"statistic={wanted!r}: a function that takes a table and gives a number, larger for a worse fit, or a name: "
            f"{did_you_mean(str(wanted), NAMED)}"
        )
    return Statistic(wanted, expected, shape, NAMED[wanted])
