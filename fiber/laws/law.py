"""What a law is: what an intruder believes of a table before she sees the release, as weights of the cells' values.

p(x) is proportional to prod_i w_i(x_i). A new law is one file with a class that has `name`, `words` and `on(release)`, which
gives a function from a cell and a range of its values to their log-weights (None: all alike). Laws of counts have no weights
below 0; one that has says so by `below_zero = True`, and is then asked about profits, too.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...base.errors import InputError
from ...release.release import Release

Weigh = Callable[[int, int, int], np.ndarray | None]
"""(cell, first value, last value) -> log-weights of the values, or None where all weigh the same."""


def alike(cell: int, first: int, last: int) -> None:
    """All values weigh the same."""


@dataclass(frozen=True, eq=False)
class Poisson:
    """Weights mu^x / x!, one mean for each cell. Samplers know this form and need no list of weights for it."""

    means: np.ndarray

    def __call__(self, cell: int, first: int, last: int) -> np.ndarray:
        """The log-weights of some values of a cell."""
        from scipy.special import gammaln, xlogy

        values = np.arange(first, last + 1)
        weights: np.ndarray = xlogy(values, self.means[cell]) - gammaln(values + 1.0)
        return weights

    def relative(self, cell: int, first: int, last: int) -> np.ndarray:
        """The log-weights of some values of a cell, less that of the first: as exact for counts of 10^15 as for small ones.

        At such sizes log n! itself would not do: the floats next to it are several units away.
        """
        from scipy.special import xlogy

        steps = np.arange(last - first + 1.0)
        weights: np.ndarray = xlogy(steps, self.means[cell]) - log_factorial_ratio(first, steps)
        return weights


LOG_NORMAL, GAMMA_RATIO = 1, 2


class Tail(NamedTuple):
    """From some value on the log-weights of a cell have a formula, so that nobody has to list billions of them.

    LOG_NORMAL: the density of (log(x - c) - a) / b; GAMMA_RATIO: Gamma(x + a) / x!.
    """

    kind: int
    begins: int
    a: float
    b: float = 0.0
    c: float = 0.0


@dataclass(frozen=True, eq=False)
class GammaRatio:
    """Weights Gamma(x + a) / x!, one a for each cell: those of a Dirichlet-multinomial law."""

    shapes: np.ndarray

    def __call__(self, cell: int, first: int, last: int) -> np.ndarray:
        """The log-weights of some values of a cell."""
        a, values = float(self.shapes[cell]), np.arange(first, last + 1.0)
        # log Gamma(x + a) - log Gamma(x + 1); where both are large and close, by a series for their difference
        from scipy.special import gammaln

        large = values >= STIRLING_FROM
        log_weights: np.ndarray = gammaln(values + a) - gammaln(values + 1.0)
        if large.any():
            log_weights[large] = log_gamma_ratio(values[large], a)
        return log_weights

    def tail(self, cell: int) -> Tail:
        """Its formula for large values."""
        return Tail(GAMMA_RATIO, STIRLING_FROM, float(self.shapes[cell]))


STIRLING_FROM = 256
"""From here on the series of Stirling's formula, cut off after two terms, is exact to the last digit."""


def log_factorial_ratio(n: int, steps: np.ndarray) -> np.ndarray:
    """log (n + k)! - log n! for some k >= 0."""
    from scipy.special import gammaln

    if n < STIRLING_FROM:
        return np.asarray(gammaln(n + steps + 1.0) - gammaln(n + 1.0))
    return np.asarray(log_gamma_ratio(float(n), steps + 1.0))


def log_gamma_ratio(x: Any, a: Any) -> Any:
    """log Gamma(x + a) - log x! for x from `STIRLING_FROM` on: the difference of two series, and of no large numbers.

    Kernels compile the same lines.
    """
    top, bottom = x + a, x + 1.0
    powers = (x + 0.5) * np.log1p((a - 1.0) / bottom) + (a - 1.0) * (np.log(top) - 1.0)
    return powers + (1 / 12 - 1 / (360 * top * top)) / top - (1 / 12 - 1 / (360 * bottom * bottom)) / bottom


def relative_weights(weigh: Weigh, cell: int, first: int, last: int) -> np.ndarray | None:
    """Log-weights of some values of a cell up to a constant, which is enough where all weights are of the same values."""
    relative = getattr(weigh, "relative", weigh)
    log_weights: np.ndarray | None = relative(cell, first, last)
    return log_weights


class Law(Protocol):
    """An intruder's belief: `name` for tables, `words` for reports."""

    @property
    def name(self) -> str:
        """One or two words."""
        ...

    @property
    def words(self) -> str:
        """What the intruder assumes, as half a sentence."""
        ...

    def on(self, release: Release) -> Weigh:
        """The weights of the law on the cells of a release."""
        ...


def warn_of_units(release: Release, law: str) -> None:
    """Say so where a law of counts is asked about magnitudes."""
    if release.of_magnitudes:
        unit = f"10^-{release.decimals}" if release.decimals else "1"
        warnings.warn(
            f"law {law!r} counts units: on a magnitude table its answer depends on the unit (here {unit}).",
            stacklevel=6,
        )


def refuse_linked(release: Release, law: str) -> None:
    """Weights belong to the finest cells of one table: side by side, linked tables would weigh the same people twice."""
    if len(release.grids) != 1:
        raise InputError(
            f"law {law!r} weighs the cells of one table, and these are {len(release.grids)} linked ones; "
            "link them with full=True, as margins of the one crossed table, or use law='uniform'."
        )
