"""Laws of the people outside a sample, as weights of single cells: for populations that our chains draw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from ...fiber.laws.law import Poisson, Weigh
from ...release.release import Release


@dataclass(frozen=True, eq=False)
class MultinomialOutside:
    """People fall into cells with given probabilities, independently of each other: weights p^x / x!."""

    probabilities: np.ndarray
    name: str = "multinomial"
    words: str = "people outside the sample fall into cells with known probabilities"

    def on(self, release: Release) -> Weigh:
        """Weights as of Poisson counts; only proportions matter, as their sum is known."""
        return Poisson(self.probabilities)

    @property
    def possible(self) -> np.ndarray:
        """Which cells somebody may be in."""
        return self.probabilities > 0


@dataclass(frozen=True, eq=False)
class DirichletOutside:
    """The law of the people outside the sample where cell probabilities have a Dirichlet law, alpha given the sample."""

    alpha: np.ndarray
    name: str = "shrunk"
    words: str = (
        "cell probabilities lie between the sample's own shares and the log-linear model of the published margins, as the "
        "sample suggests"
    )

    def on(self, release: Release) -> Weigh:
        """Weights Gamma(alpha + x) / x!."""

        def weigh(cell: int, first: int, last: int) -> np.ndarray:
            values = np.arange(first, last + 1)
            weights: np.ndarray = gammaln(self.alpha[cell] + values) - gammaln(values + 1.0)
            return weights

        return weigh

    @property
    def possible(self) -> np.ndarray:
        """Which cells somebody may be in."""
        return self.alpha > 0
