"""The people outside a sample fall into cells with probabilities that are known (ASE15, 6.1 and 6.2: the generated table).

What is then left to chance is who they are, not what the probabilities might be: the error of a risk that is estimated in
this way is that of sampling alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...release.tables.dims import key_words
from ...release.tables.table_forms import read_form
from ...release.tables.tables import as_means
from .log_linear_population import multinomial_outside
from .population import Populations
from .sample_table import SampleTable


@dataclass(frozen=True, eq=False)
class KnownPopulation:
    """Multinomial counts outside the sample, on probabilities that are given."""

    p: Any
    name: str = "known"
    words: str = "people outside the sample fall into cells with probabilities that are known"

    def given(self, sample: SampleTable) -> Populations:
        """Multinomial draws."""
        sample.refuse_design(self.name, "its probabilities already say who is outside the sample")
        probabilities = as_means(self.p, sample.dims, "the probabilities of known()").ravel()
        if probabilities.size != len(sample.counts):
            raise InputError(f"known(): there are {probabilities.size} probabilities, and {len(sample.counts)} cells.")
        impossible = np.flatnonzero((probabilities == 0) & (sample.counts > 0))
        if len(impossible):
            place = tuple(int(i) for i in np.unravel_index(impossible[0], sample.shape))
            raise InputError(
                f"known(): the probability of cell {key_words(place, sample.dims)} is 0, but the sample has "
                f"{int(sample.counts[impossible[0]]):,} there."
            )
        left = np.where(sample.outside_facts.shut, 0.0, probabilities)
        if not left.any():
            raise InputError("known(): every cell with a probability above 0 is known to be empty.")
        return multinomial_outside(sample, left / left.sum(), self.name)


def known(probabilities: Any) -> KnownPopulation:
    """People outside the sample fall into cells with probabilities that are known: those a population was generated with.

    Given a cell that is known to be empty and the other facts of a release, the law is that of these probabilities under the
    condition that the facts hold.

    Parameters
    ----------
    probabilities
        A table like the sample, of probabilities or expected counts: only their proportions matter.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> people = fw.examples.ase15().table
    >>> p = fw.laws.log_linear(people, ["area", "religion"])  # as the paper generates a population
    >>> sample = fw.protect.draw_sample(people, 0.1, seed=3).published
    >>> risk = fw.survey.sample_risk(sample, people=2449, model=fw.survey.populations.known(p))
    >>> risk.summary.loc["r2", ["mean", "sd"]].round(3).to_dict()
    {'mean': 0.152, 'sd': 0.004}
    """
    try:
        values = np.asarray(read_form(probabilities)[0], dtype=float)
    except (TypeError, ValueError):
        raise InputError("known(p): a table of numbers, the probabilities of the cells.") from None
    if not values.size or not np.isfinite(values).all() or (values < 0).any() or not values.any():
        raise InputError("known(p): probabilities are numbers of at least 0, and not all of them 0.")
    return KnownPopulation(probabilities)
