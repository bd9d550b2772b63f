"""The hypergeometric law: respondents fall into cells independently, as the published figures suggest."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from ...base.saved_forms import saved
from ...release.facts.facts import NO_VALUE
from ...release.release import Release
from .fitting import fitted_means
from .law import Poisson, Weigh, refuse_linked, warn_of_units


@saved("Hypergeometric")
@dataclass(frozen=True)
class Hypergeometric:
    """The log-linear model of the published figures: w(x) = 1/x!, or mu^x/x! where figures are ranges.

    Where every published figure is exact, the expected counts cancel given the release. Where some are ranges they do
    not, and come from an iterative proportional fit to the published figures. What a random method published is evidence,
    weighed by itself: only cells that no fact speaks of take their expected count from it.
    """

    name: str = "hypergeometric"
    words: str = (
        "respondents fall into cells independently, as in the log-linear model of the published figures; "
        "a table x is then as probable as the product of mu^x / x!, where the expected counts mu cancel if all are exact"
    )

    def on(self, release: Release) -> Weigh:
        """Weights 1/x!, with means where the published figures do not settle them."""
        facts = release.sums
        ranged = (facts.value != NO_VALUE) & (facts.lower < facts.upper)
        ranged_cells = (release.value != NO_VALUE) & (release.lower < release.upper)
        if ranged.any() or ranged_cells.any() or (_loose(release) & _with_evidence(release)).any():
            return self.with_means(release)
        self._check(release)
        return Poisson(np.ones(release.n_cells))

    def with_means(self, release: Release) -> Poisson:
        """Weights mu^x/x!, also where the means would cancel if nothing but this law weighed the cells."""
        self._check(release)
        return Poisson(fitted_means(release))

    def _check(self, release: Release) -> None:
        warn_of_units(release, self.name)
        refuse_linked(release, self.name)
        loose = _loose(release) & ~_with_evidence(release)
        if loose.any():
            first = release.words(release.keys[np.flatnonzero(loose)[0]])
            warnings.warn(
                f"law 'hypergeometric': no published figure settles the expected count of {int(loose.sum())} cells, first "
                f"{first}; it is taken as 1. Give expected counts with fw.expected(mu) instead.",
                stacklevel=6,
            )


def _loose(release: Release) -> np.ndarray:
    """The cells whose expected count no published fact settles."""
    facts = release.sums
    settled = facts.matrix[np.flatnonzero((facts.value != NO_VALUE) | (facts.lower == facts.upper))]
    loose = np.ones(release.n_cells, dtype=bool)
    loose[settled.indices] = False
    return np.asarray(loose & (release.value == NO_VALUE) & (release.lower < release.upper))


def _with_evidence(release: Release) -> np.ndarray:
    """The cells that a random method published something of, by themselves or in a sum."""
    seen = np.zeros(release.n_cells, dtype=bool)
    for item in release.evidence:
        seen[item.cells] = seen[item.cells] | (item.figure != NO_VALUE)
    return seen
