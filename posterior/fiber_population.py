"""The population is any table that contains the sample and has the published margins: our chains draw it.

Margins of the population that are published say much more than the sample alone: the people outside the sample have to make
them up. Under the hypergeometric law this is the log-linear model of these margins with the margins taken as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..fiber.laws import Expected, Hypergeometric, as_law
from ..moves.chooser import choose
from ..release.errors import InputError
from ..sampler.drawn_tables import table_portions
from .population import PORTION, Drawing, Drawn, Each
from .sample_table import SampleTable


@dataclass(frozen=True)
class FiberPopulation:
    """Tables that agree with a release of a sample and of population margins, drawn from a law."""

    law: Any = "hypergeometric"
    name: str = "fiber"

    @property
    def words(self) -> str:
        """What is assumed."""
        return f"the population has its published margins and contains the sample; besides, {as_law(self.law).words}"

    def given(self, sample: SampleTable) -> Fiber:
        """The fiber of a release."""
        if sample.release is None:
            raise InputError(
                "model 'fiber': which margins of the population are published? Give a release in place of the sample: "
                "fw.draw_sample(population, 0.1, exact=['A', 'B']), or, as an outsider, "
                "fw.as_protected(sample, 'draw_sample', exact=[row_totals, column_totals])."
            )
        return Fiber(sample, self.law)


@dataclass(frozen=True, eq=False)
class Fiber:
    """Populations drawn by chains, or independently where the fiber and the law allow it."""

    sample: SampleTable
    law: Any

    def each(self, function: Each, how: Drawing) -> Drawn:
        """Portion by portion, of all chains together."""
        law = as_law(self.law)
        apart = isinstance(law, (Hypergeometric, Expected))
        release = self.sample.release_of_outside if apart else self.sample.release
        assert release is not None
        add = self.sample.counts if apart else 0
        draws = -(-how.draws // how.chains)
        portions, facts = table_portions(
            choose(release, law, progress=how.progress), draws=draws, chains=how.chains, seed=how.seed,
            progress=how.progress, portion=max(1, PORTION // (how.chains * release.n_cells)),
        )  # fmt: skip
        found = [[function(tables + add) for tables in portion.astype(np.int64)] for portion in portions]
        return Drawn(np.concatenate([np.stack(one) for one in found], axis=1), facts)
