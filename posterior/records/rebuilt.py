"""What published tables tell of the people behind them: the law of every kind, and how many populations there may be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...base.progress import Progress
from ...base.saved_forms import saved
from ...fiber.exact.solved import Budget
from ...release.population.kinds import Kinds
from ...release.population.population import PopulationRelease
from ...release.population.possible_records import Places
from ...sampler.chains.settings import ChainSettings
from ..belief import Belief, believe
from ..parts.pmf import Pmf
from .among_records import bits_of_falling, of_one_record
from .laws_of_kinds import LawOfKinds, law_of_kinds, mean_table


@saved("Rebuilt")
@dataclass(frozen=True, eq=False)
class Rebuilt:
    """A population release, a law, and what follows for each kind of people."""

    release: PopulationRelease
    kinds: Kinds
    law: LawOfKinds
    belief: Belief

    @property
    def alike(self) -> bool:
        """Does every population count alike?"""
        return self.law.means is None

    @cached_property
    def figures(self) -> dict[str, np.ndarray]:
        """Of each kind: the least and greatest number of people, probabilities, and the expected number."""
        pmfs, sizes = self.belief.pmfs, self.kinds.multiplicity
        met = np.array([float(pmf.probabilities[pmf.values >= 1].sum()) for pmf in pmfs])
        is_open = np.array([_is_open(pmf) for pmf in pmfs], dtype=bool)
        usual = float(met[is_open].mean()) if is_open.any() else 0.0
        somebody = np.array([_open(pmf, p, usual) for pmf, p in zip(pmfs, met, strict=True)])
        one = np.array([float(pmf.probabilities[pmf.values == 1].sum()) for pmf in pmfs])
        error = np.array([_error(pmf) for pmf in pmfs])
        of_one = np.array(
            [
                tuple(_open(pmf, p, usual) for p in of_one_record(pmf.first, pmf.p, int(k), self.alike))
                if k > 1
                else (some, single)
                for pmf, k, some, single in zip(pmfs, sizes, somebody, one, strict=True)
            ]
        ).reshape(-1, 2)
        return {
            "records": sizes,
            "lower": np.array([pmf.lower for pmf in pmfs], dtype=np.int64),
            "upper": np.array([pmf.upper for pmf in pmfs], dtype=np.int64),
            "expected": np.array([pmf.mean for pmf in pmfs]),
            "p_somebody": np.clip(somebody, 0.0, 1.0),
            "p_one": np.clip(one, 0.0, 1.0),
            "p_record": np.clip(of_one[:, 0], 0.0, 1.0),
            "p_record_once": np.clip(of_one[:, 1], 0.0, 1.0),
            "p_error": error,
        }

    def bits_among(self, kinds: np.ndarray) -> float:
        """The bits that tell how the people of some kinds fall among the records of each, on average."""
        bits = 0.0
        for kind in kinds:
            pmf, k = self.belief.pmfs[kind], int(self.kinds.multiplicity[kind])
            if k > 1:
                people = pmf.first + pmf.width * np.arange(len(pmf.p))
                bits += float(pmf.p @ bits_of_falling(people, k, self.alike))
        return bits

    @cached_property
    def people(self) -> tuple[int, int]:
        """The least and the greatest number of people that the tables allow: by bounds of kinds, and by any table that has
        everybody in one of its cells."""
        low, high = (sum(int(getattr(pmf, end)) for pmf in self.belief.pmfs) for end in ("lower", "upper"))
        for table in self.release.tables:
            layers = Places(table, self.kinds.classes).of(self.kinds.records)
            if len(layers) == 1 and (layers[0] >= 0).all():
                low, high = (
                    max(low, int(table.release.lower.sum())),
                    min(high, int(np.minimum(table.release.upper, 10**12).sum())),
                )
        sums = self.kinds.release.sums
        everybody = np.diff(sums.matrix.indptr) == len(self.kinds)
        everybody &= np.asarray(sums.matrix.sum(axis=1)).ravel() == len(self.kinds)
        low, high = max([low, *sums.lower[everybody].tolist()]), min([high, *sums.upper[everybody].tolist()])
        return low, high


def _is_open(pmf: Pmf) -> bool:
    """Do bounds leave it open whether there is somebody, and chains tell?"""
    return pmf.method != "exact" and pmf.upper > 0 and pmf.lower < 1


def _open(pmf: Pmf, p: float, usual: float) -> float:
    """What chains never met is not impossible, nor what they always met certain, where bounds leave both: one effective draw
    is added, of what is usual among the kinds that are open."""
    if not _is_open(pmf):
        return p
    draws = max(pmf.ess, 1.0) if np.isfinite(pmf.ess) else 1.0
    return float(np.clip(p, usual / (draws + 1.0), (draws + usual) / (draws + 1.0)))


def _error(pmf: Pmf) -> float:
    """The standard error of the probability of somebody."""
    if pmf.method == "exact":
        return 0.0
    nobody = np.flatnonzero(pmf.values == 0)
    return float(pmf.errors[nobody[0]]) if len(nobody) else 0.0


def rebuild(
    release: PopulationRelease,
    law: Any = "uniform",
    *,
    method: str = "auto",
    budget: Budget | None = None,
    settings: ChainSettings | None = None,
    progress: Progress | None = None,
) -> Rebuilt:
    """What the tables of a population tell of its people, under a law."""
    means = mean_table(law, release.population.domain)
    if progress is not None:
        progress("which people may exist")
    kinds = release.kinds if means is None else release.kinds_apart((), means)
    of_kinds = law_of_kinds(law, kinds, means)
    belief = believe(kinds.release, of_kinds, method=method, budget=budget, settings=settings, progress=progress)
    return Rebuilt(release, kinds, of_kinds, belief)
