"""The population is any table that contains the sample and has the published margins: our chains draw it.

Margins of the population that are published say much more than the sample alone: the people outside the sample have
to make them up. Under the hypergeometric law this is the log-linear model of these margins, with the margins taken as
they are; under the law "shrunk" cells may differ from that model as far as the sample suggests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln

from ..fiber.fitting import fitted_means
from ..fiber.laws import Expected, Hypergeometric, Law, Weigh, as_law
from ..moves.chooser import choose
from ..release.errors import InputError
from ..release.release import Release
from ..sampler.drawn_tables import table_portions
from .population import PORTION, Drawing, Drawn, Each
from .sample_table import SampleTable
from .shrunk_population import believed_strengths, mean_strength

SHRUNK = "shrunk"


@dataclass(frozen=True)
class FiberPopulation:
    """Tables that agree with a release of a sample and of population margins, drawn from a law."""

    law: Any = "hypergeometric"
    name: str = "fiber"

    @property
    def words(self) -> str:
        """What is assumed."""
        besides = DirichletOutside.words if self.law == SHRUNK else as_law(self.law).words
        return f"the population has its published margins and contains the sample; besides, {besides}"

    def given(self, sample: SampleTable) -> Fiber:
        """The fiber of a release."""
        if sample.release is None:
            raise InputError(
                "model 'fiber': which margins of the population are published? Give a release in place of the sample: "
                "fw.draw_sample(population, 0.1, exact=['A', 'B']), or, as an outsider, "
                "fw.as_protected(sample, 'draw_sample', exact=[row_totals, column_totals])."
            )
        if self.law == SHRUNK:
            return Fiber(sample, _shrunk(sample), apart=True)
        law = as_law(self.law)
        # mu^F / F! times the probability of the sample is the same law of the people outside it
        return Fiber(sample, law, apart=isinstance(law, (Hypergeometric, Expected)))


@dataclass(frozen=True, eq=False)
class Fiber:
    """Populations drawn by chains, or independently where the fiber and the law allow it."""

    sample: SampleTable
    law: Law
    apart: bool
    """Is the law one of the people outside the sample, the sample itself taken into account?"""

    def each(self, function: Each, how: Drawing) -> Drawn:
        """Portion by portion, of all chains together."""
        release = self.sample.release_of_outside if self.apart else self.sample.release
        assert release is not None
        inside = self.sample.counts if self.apart else 0
        portions, facts = table_portions(
            choose(release, self.law, progress=how.progress), draws=-(-how.draws // how.chains), chains=how.chains,
            seed=how.seed, progress=how.progress, portion=max(1, PORTION // (how.chains * release.n_cells)),
        )  # fmt: skip
        found = [np.stack([function(tables + inside) for tables in some.astype(np.int64)]) for some in portions]
        return Drawn(np.concatenate(found, axis=1), facts)


@dataclass(frozen=True, eq=False)
class DirichletOutside:
    """The law of the people outside the sample where cell probabilities have a Dirichlet law, alpha given the sample."""

    alpha: np.ndarray
    name: str = SHRUNK
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


def _shrunk(sample: SampleTable) -> DirichletOutside:
    assert sample.release is not None
    means = fitted_means(sample.release)
    model = np.maximum(means, 1e-12 * means.max()) / means.sum()
    strengths, weights = believed_strengths(model, sample.counts)
    return DirichletOutside(sample.counts + mean_strength(strengths, weights, sample.n) * model)
