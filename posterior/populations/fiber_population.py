"""The population is any table that contains the sample and has the published margins: our chains draw it.

Margins of the population that are published say much more than the sample alone: the people outside the sample have
to make them up. Under the hypergeometric law this is the log-linear model of these margins, with the margins taken as
they are; under the law "shrunk" cells may differ from that model as far as the sample suggests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import gammaln

from ...base.errors import InputError
from ...fiber.laws.by_name import as_law
from ...fiber.laws.expected_counts import Expected
from ...fiber.laws.fitting import fitted_means
from ...fiber.laws.hypergeometric import Hypergeometric
from ...fiber.laws.law import Law, Weigh
from ...moves.chooser import choose
from ...release.release import Release
from ...sampler.drawn_tables import table_portions
from .population import PORTION, Drawing, Drawn, Each
from .sample_table import SampleTable
from .shrunk_population import believed_strengths

SHRUNK = "shrunk"
STRENGTHS = 4
"""Strengths of the model that are told apart."""


@dataclass(frozen=True)
class FiberPopulation:
    """Tables that agree with a release of a sample and of population margins, drawn from a law."""

    law: Any = SHRUNK
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
        return Fiber(sample, [law], apart=isinstance(law, (Hypergeometric, Expected)))


def fiber(law: Any = "shrunk") -> FiberPopulation:
    """Tables that contain the sample and have the margins of the population that are published, drawn by our chains.

    The sample is given as a release: `fw.draw_sample(population, 0.1, exact=["A", "B"])`, or as an outsider has it,
    `fw.as_protected(sample, "draw_sample", exact=[row_totals, column_totals])`.

    Parameters
    ----------
    law
        "shrunk": cells may differ from the log-linear model of the published margins as far as the sample suggests. Or what
        is believed beforehand as for `audit`: "hypergeometric" is that model itself, and often far too sure.
    """
    if law != SHRUNK:
        as_law(law)
    return FiberPopulation(law)


@dataclass(frozen=True, eq=False)
class Fiber:
    """Populations drawn by chains, or independently where the fiber and the law allow it."""

    sample: SampleTable
    laws: Sequence[Law]
    """Each is as probable as the others."""
    apart: bool
    """Are the laws of the people outside the sample, the sample itself taken into account?"""

    def each(self, function: Each, how: Drawing) -> Drawn:
        """As many draws from each law, one after the other."""
        draws = -(-how.draws // (how.chains * len(self.laws)))
        seeds = [how.seed] if len(self.laws) == 1 else _seeds(how.seed, len(self.laws))
        found, facts = [], []
        for law, seed in zip(self.laws, seeds, strict=True):
            values, how_drawn = self._drawn(law, function, replace(how, draws=draws, seed=seed))
            found.append(values)
            facts.append(how_drawn)
        return Drawn(np.stack(found, axis=2).reshape(how.chains, -1, *found[0].shape[2:]), _together(facts))

    def _drawn(self, law: Law, function: Each, how: Drawing) -> tuple[np.ndarray, dict[str, Any]]:
        """Portion by portion, of all chains together."""
        release = self.sample.release_of_outside if self.apart else self.sample.release
        assert release is not None
        inside = self.sample.counts if self.apart else 0
        portions, facts = table_portions(
            choose(release, law, progress=how.progress), draws=how.draws, chains=how.chains, seed=how.seed,
            progress=how.progress, portion=max(1, PORTION // (how.chains * release.n_cells)),
        )  # fmt: skip
        found = [np.stack([function(tables + inside) for tables in some.astype(np.int64)]) for some in portions]
        return np.concatenate(found, axis=1), facts


def _seeds(seed: int | None, number: int) -> list[int]:
    return [int(one.generate_state(1, np.uint64)[0]) for one in np.random.SeedSequence(seed).spawn(number)]


def _together(facts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How tables were drawn from several laws: the worst of each figure."""
    return {
        **facts[0],
        "rhat": max(one["rhat"] for one in facts),
        "ess": min(one["ess"] for one in facts),
        "never_moved": max(one["never_moved"] for one in facts),
        "converged": min(one["converged"] for one in facts),  # "no" comes before "yes"
    }


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


def _shrunk(sample: SampleTable) -> list[DirichletOutside]:
    """Laws of some strengths of the model, laid out so that each stands for as much of what the sample suggests."""
    assert sample.release is not None
    means = fitted_means(sample.release)
    model = np.maximum(means, 1e-12 * means.max()) / means.sum()
    strengths, weights = believed_strengths(model, sample.counts)
    middles = (np.arange(STRENGTHS) + 0.5) / STRENGTHS
    chosen = strengths[np.searchsorted(np.cumsum(weights)[:-1], middles)]
    return [DirichletOutside(sample.counts + strength * model) for strength in chosen]
