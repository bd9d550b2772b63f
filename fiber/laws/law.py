"""What a law is: what an intruder believes of a table before she sees the release, as weights of the cells' values.

p(x) is proportional to prod_i w_i(x_i). A new law is one file with a class that has `name`, `words` and `on(release)`, which
gives a function from a cell and a range of its values to their log-weights (None: all alike).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

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
