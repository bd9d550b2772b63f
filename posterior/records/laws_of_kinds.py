"""What an intruder believes of kinds of people beforehand, from what she believes of single records.

A kind is k records that no figure tells apart. Where every population counts alike (people are not told apart, so that a
population is how many there are of each record), X people fall among k records in C(X + k - 1, k - 1) ways; where counts of
records are Poisson, that of the kind is, too, with the sum of their means.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...base.saved_forms import saved
from ...fiber.laws.expected_counts import Expected
from ...fiber.laws.fitting import fitted_means
from ...fiber.laws.law import GammaRatio, Poisson, Weigh, alike
from ...release.population.domain import Axis, Domain
from ...release.population.kinds import Kinds
from ...release.population.mean_table import MeanTable
from ...release.release import Release
from ...release.tables.table_forms import read_form

LAWS = ("uniform", "hypergeometric")
WORDS = {
    "uniform": "every population that agrees with the tables is equally probable; people are not told apart",
    "hypergeometric": "people have the published features independently of each other, as in the log-linear model of the "
    "published figures; a record that no figure tells from another is as probable as that",
    "expected counts": "counts of records are Poisson around expected counts that the intruder has from elsewhere",
}


@saved("LawOfKinds")
@dataclass(frozen=True, eq=False)
class LawOfKinds:
    """A law as it weighs kinds."""

    name: str
    kinds: Kinds
    means: np.ndarray | None = None
    """The mean of each kind, where counts are Poisson beforehand; None: all populations count alike."""

    @property
    def words(self) -> str:
        """What the intruder assumes."""
        return WORDS[self.name]

    def on(self, release: Release) -> Weigh:
        """The weights of the counts of kinds."""
        if self.means is not None:
            return Poisson(self.means)
        sizes = self.kinds.multiplicity
        return alike if (sizes == 1).all() else GammaRatio(sizes.astype(float))


def mean_table(law: Any, domain: Domain) -> MeanTable | None:
    """The expected counts of a law that has them, over dims and recodes of a population; None of other laws."""
    if not isinstance(law, Expected):
        return None
    values, names, labels, _ = read_form(law.means)
    axes: list[Axis] = []
    for name, own, size in zip(names, labels, np.shape(values), strict=True):
        axis = domain.axis(name or "", "expected(mu)")
        shown = tuple(map(str, own)) if own is not None else axis.labels
        if len(shown) != size or sorted(shown) != sorted(axis.labels):
            raise InputError(
                f"expected(mu): the dim {axis.name!r} must have the labels of the population, all of them."
            )
        members = tuple(axis.members[axis.labels.index(label)] for label in shown)
        axes.append(replace(axis, labels=shown, members=members))
    means = np.asarray(values, dtype=float)
    if not np.isfinite(means).all() or (means < 0).any() or not means.any():
        raise InputError("expected(mu) takes numbers of at least 0, not all of them 0.")
    return MeanTable(tuple(axes), means)


def portable_law(law: Any, domain: Domain) -> Any:
    """A law as files hold it: expected counts, in whatever form they were given, as a table with all its labels."""
    means = mean_table(law, domain)
    if means is None:
        return law
    from xarray import DataArray

    labels = {axis.name: list(axis.labels) for axis in means.axes}
    return replace(law, means=DataArray(means.values, dims=list(labels), coords=labels))


def law_of_kinds(law: Any, kinds: Kinds, means: MeanTable | None, published: Kinds | None = None) -> LawOfKinds:
    """The law as users name it, on the kinds of a population.

    Where the kinds are finer than those that are told apart by what is published, as for a question, means are fitted to the
    latter: a question changes nothing of what is believed.
    """
    if means is not None:
        return LawOfKinds("expected counts", kinds, kinds.means_by(means))
    if law == "uniform":
        return LawOfKinds("uniform", kinds)
    if law == "hypergeometric":
        if published is None:
            return LawOfKinds("hypergeometric", kinds, _fitted(kinds))
        part_of = kinds.among(published)
        shares = kinds.multiplicity / published.multiplicity[part_of]
        return LawOfKinds("hypergeometric", kinds, _fitted(published)[part_of] * shares)
    name = law if isinstance(law, str) else getattr(law, "name", type(law).__name__)
    raise InputError(
        f"law={name!r}: of a population these are known: 'uniform', 'hypergeometric' and fw.laws.expected(mu)."
    )


def _fitted(kinds: Kinds) -> np.ndarray:
    """Means as in the log-linear model; where every figure is exact they cancel, and those of like records remain."""
    release, sizes = kinds.release, kinds.multiplicity.astype(float)
    facts = release.sums
    ranged = (facts.lower < facts.upper).any() or bool(release.evidence)
    return np.asarray(fitted_means(release, start=sizes)) if ranged else sizes
