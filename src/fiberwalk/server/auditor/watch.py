"""What an auditor makes of the answers so far. It is given labels, groups of cells and past figures, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...base.errors import InputError
from ...posterior.particles.answering import Judged
from ...posterior.particles.chances import Chances
from ...posterior.particles.pool import Pool, TableLaw, drawn_pool, poisson_law
from ...protect.mechanism.mechanism import Mechanism
from ...release.tables.dims import Dim
from ...release.tables.tables import as_means
from .auditor import LEAST_PRIOR, TAIL, Auditor


@dataclass(frozen=True, eq=False)
class Watch:
    """The state of an auditor: it follows from the parameters and from the answers in their order."""

    auditor: Auditor
    pool: Pool
    judged: Judged
    known: frozenset[bytes] = frozenset()
    """The groups that were answered."""
    answers: int = 0
    """How many answers told something new."""
    risked: float = 0.0
    """The estimated probabilities of a breach of all answers so far, added up."""
    spent: int = 0
    """Steps of the pool."""
    blind: str = ""
    """Why nothing new can be judged any more."""

    def allows(self, groups: np.ndarray) -> bool:
        """Is a request for these groups [group, cell] answered?"""
        new = self._new(groups)
        if not len(new):
            return True
        allowed = self._allowed
        if self.blind or self._too_many(len(new)) or allowed < 0:
            return False
        return self._breaches(groups[new], allowed) <= allowed

    def after(self, groups: np.ndarray, figures: np.ndarray) -> Watch:
        """The state when these groups were answered by these figures."""
        new = self._new(groups)
        if self.blind or not len(new):
            return self
        if self._too_many(len(new)):
            return replace(self, blind="its budget is used up by what was answered")
        pool, breaches = self.pool, self._breaches(groups[new], self.auditor.imagined)
        for group in new:
            pool = pool.with_figure(groups[group], int(figures[group]))
        return replace(
            self,
            pool=pool,
            known=self.known | {groups[group].tobytes() for group in new},
            answers=self.answers + 1,
            risked=self.risked + (breaches + 1) / (self.auditor.imagined + 1),
            spent=self.spent + len(new) * pool.cost,
            blind="too few draws speak for what was answered" if pool.lost else "",
        )

    def blinded(self, why: str) -> Watch:
        """The state when there are answers that cannot be taken into account."""
        return replace(self, blind=self.blind or why)

    def _new(self, groups: np.ndarray) -> list[int]:
        """The groups that were not answered, each once, in an order that does not depend on how they are asked for."""
        first: dict[bytes, int] = {}
        for place, group in enumerate(groups):
            first.setdefault(group.tobytes(), place)
        return [first[group] for group in sorted(first) if group not in self.known]

    @property
    def _allowed(self) -> int:
        """How many of the imagined answers to one request may be breaches, so that half of what is left stays left."""
        left = self.auditor.breach_share - self.risked
        return int(left / 2 * (self.auditor.imagined + 1)) - 1

    def _breaches(self, groups: np.ndarray, allowed: int) -> int:
        """Of the imagined answers about new groups, how many are breaches; it stops above what is allowed."""
        return self.pool.telling_too_much(groups, self.judged, self.auditor.imagined, allowed)

    def _too_many(self, figures: int) -> bool:
        return self.spent + figures * self.pool.cost > self.auditor.budget


def watch(auditor: Auditor, dims: tuple[Dim, ...], possible: np.ndarray, mechanism: Mechanism) -> Watch:
    """The state before any answer; of a sub-cube its labels, and which cells can have anybody."""
    law = _law(auditor, dims, possible)
    highest = law.logs.shape[1] - 1
    holds = np.stack([np.isin(np.arange(highest + 1), counts) for counts in auditor.predicates], axis=1)
    prior = law.probabilities @ holds
    judged = Judged(
        holds.astype(float),
        np.where(prior >= LEAST_PRIOR, auditor.least_ratio * prior, 0.0),
        prior / auditor.least_ratio,
    )
    chances = Chances(mechanism, int((law.logs > -np.inf).cumsum(axis=1).max(axis=1).sum()))
    steps = auditor.sweeps * possible.size
    return Watch(auditor, drawn_pool(law, chances, auditor.draws, steps, auditor.seed), judged)


def _law(auditor: Auditor, dims: tuple[Dim, ...], possible: np.ndarray) -> TableLaw:
    """What is believed of the cells beforehand."""
    from scipy.stats import poisson

    named = "Auditor(mu=...)"
    single = np.ndim(auditor.mu) == 0 and not isinstance(auditor.mu, str)
    means = np.full(possible.shape, auditor.mu, dtype=float) if single else as_means(auditor.mu, dims, named)
    if means.shape != possible.shape:
        raise InputError(f"{named}: one number, or a table of {' x '.join(dim.name for dim in dims)}.")
    if not (np.isfinite(means) & (means >= 0)).all():
        raise InputError(f"{named}: expected counts are finite and at least 0.")
    means = np.where(possible, means, 0.0)
    most = auditor.at_most or max(int(poisson.isf(TAIL, means.max())), 1)
    return poisson_law(means, most)
