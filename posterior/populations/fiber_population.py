"""The population is any table that contains the sample and has the published margins: our chains draw it.

Margins of the population that are published say much more than the sample alone: the people outside the sample have
to make them up. Under the hypergeometric law this is the log-linear model of these margins, with the margins taken as
they are; under the law "shrunk" cells may differ from that model as far as the sample suggests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...fiber.laws.by_name import as_law
from ...fiber.laws.expected_counts import Expected
from ...fiber.laws.fitting import fitted_means
from ...fiber.laws.hypergeometric import Hypergeometric
from .fiber_draws import Fiber
from .outside_laws import DirichletOutside
from .sample_table import SampleTable
from .shrunk_population import believed_strengths, some_strengths

SHRUNK = DirichletOutside.name


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
        sample.refuse_design(
            "fiber", "it takes all samples of a size for equally probable; give the sizes of strata as population totals, "
            "fw.protect.as_protected(sample, 'draw_sample', exact=[totals])"
        )  # fmt: skip
        if sample.release is None:
            raise InputError(
                "model 'fiber': which margins of the population are published? Give a release in place of the sample: "
                "fw.protect.draw_sample(population, 0.1, exact=['A', 'B']), or, as an outsider, "
                "fw.protect.as_protected(sample, 'draw_sample', exact=[row_totals, column_totals])."
            )
        if self.law == SHRUNK:
            return Fiber(sample, _shrunk(sample), apart=True)
        law = as_law(self.law)
        # mu^F / F! times the probability of the sample is the same law of the people outside it
        return Fiber(sample, [law], apart=isinstance(law, (Hypergeometric, Expected)))


def fiber(law: Any = "shrunk") -> FiberPopulation:
    """Tables that contain the sample and have the margins of the population that are published, drawn by our chains.

    The sample is given as a release: `fw.protect.draw_sample(population, 0.1, exact=["A", "B"])`, or as an outsider has it,
    `fw.protect.as_protected(sample, "draw_sample", exact=[row_totals, column_totals])`.

    Parameters
    ----------
    law
        "shrunk": cells may differ from the log-linear model of the published margins as far as the sample suggests. Or what
        is believed beforehand as for `audit`: "hypergeometric" is that model itself, and often far too sure.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> release = fw.protect.draw_sample([[30, 10, 8], [12, 40, 0]], 0.1, exact=["A", "B"], seed=1)
    >>> model = fw.survey.populations.fiber("hypergeometric")
    >>> fw.survey.sample_risk(release, model=model, draws=200).summary["mean"].round(1).to_dict()
    {'r1': 0.1, 'r2': 0.1, 'zeros': 0.0}
    """
    if law != SHRUNK:
        as_law(law)
    return FiberPopulation(law)


def _shrunk(sample: SampleTable) -> list[DirichletOutside]:
    """Laws of some strengths of the model, laid out so that each stands for as much of what the sample suggests."""
    assert sample.release is not None
    means = fitted_means(sample.release)
    model = np.maximum(means, 1e-12 * means.max()) / means.sum()
    chosen = some_strengths(*believed_strengths(model, sample.counts))
    return [DirichletOutside(sample.counts + strength * model) for strength in chosen]
