"""The cell probabilities of the population lie between the sample's own shares and a log-linear model of it.

They have a Dirichlet prior around the fitted probabilities pi of the model, with the strength of s people: given the
sample f, they are Dirichlet(f + s pi), and the people outside it Dirichlet-multinomial. As s grows this is the
log-linear model; as it goes to 0, a sample that repeats itself. Where s is not given, the sample tells: its share s /
(s + n) is uniform beforehand, and weighed by the probability of the sample (with pi taken as known, although it is
fitted to the same sample).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln

from ...base.errors import InputError
from .fiber_draws import ModelGivenFacts
from .log_linear_population import cell_probabilities, probability_words
from .model_parameters import at_least_0, checked_margins
from .outside_laws import DirichletOutside
from .population import Independent, Populations
from .sample_table import SampleTable

LEAST, MOST = 1e-3, 1e4
"""The model counts for at least so many people, and for at most so many times those of the sample."""
STEPS = 100
"""Strengths that are told apart: between these, and then once more where the sample does not rule them out."""
RULED_OUT = 30.0
"""By how much their log-probability is below the highest."""
BY_CHAINS = 4
"""Strengths that are told apart where chains have to draw."""


@dataclass(frozen=True)
class ShrunkPopulation:
    """Dirichlet-multinomial counts outside the sample: a Bayesian compromise of the sample and a log-linear model."""

    margins: tuple[Any, ...] | None = None
    add: float | None = None
    """None: one person for each category of the longest dim, so that what a small sample missed is not ruled out."""
    strength: float | None = None
    """How many people the model counts for; None: as the sample tells."""
    name: str = "shrunk"

    @property
    def words(self) -> str:
        """What is assumed."""
        much = "as many people as the sample suggests" if self.strength is None else f"{self.strength:g} people"
        return (
            f"cell probabilities are shrunk from the sample's own shares towards {probability_words(self.margins)} of the "
            f"sample, which count for {much}"
        )

    def given(self, sample: SampleTable) -> Populations:
        """Dirichlet-multinomial draws, with a strength for each."""
        shut = sample.outside_facts.shut
        add = max(sample.shape) / (len(shut) - shut.sum()) if self.add is None else self.add
        model = cell_probabilities(sample, self.margins, add)
        open_cells = np.flatnonzero((model > 0) | (sample.counts > 0))
        strengths, weights = (
            believed_strengths(model[open_cells], sample.shares[open_cells])
            if self.strength is None
            else _sure(self.strength)
        )
        facts = sample.outside_facts
        if facts.further:
            chosen = some_strengths(strengths, weights) if len(strengths) > 1 else strengths
            laws = [DirichletOutside(sample.shares + strength * model) for strength in chosen]
            return ModelGivenFacts(sample, laws, self.name)
        groups = list(facts.among((model > 0) | (sample.shares > 0), self.name))

        def outside(draws: int, random: np.random.Generator) -> np.ndarray:
            s = strengths[np.searchsorted(np.cumsum(weights)[:-1], random.random(draws), side="right")]
            counts = np.zeros((draws, len(sample.counts)), dtype=np.int64)
            for cells, people, _ in groups:
                alpha = sample.shares[cells] + s[:, None] * model[cells]
                counts[:, cells] = dirichlet_multinomial(alpha, people, random)
            return counts

        return Independent(sample, outside, {"strength": mean_strength(strengths, weights, sample.n)})


def shrunk(
    margins: Iterable[Any] | None = None, *, strength: float | None = None, add: float | None = None
) -> ShrunkPopulation:
    """Cell probabilities between the sample's own and those of a log-linear model: a Dirichlet prior around the model.

    Cells that are known to be empty in the population are no part of the model, and all other facts of a release are kept
    to, as by `log_linear`; how much the model counts for is told by the sample alone. Of a sample with weights, people
    count in proportion to those outside it whom they stand for, as many in all as the sample has (a pseudo-posterior).

    Parameters
    ----------
    margins
        Of the model, as for `log_linear`.
    strength
        How many people the model counts for. Left out: what the sample tells of it, averaged over.
    add
        Added to every sample cell before the fit. Left out: as much as gives every category of the longest dim one person,
        so that categories which a small sample missed are not ruled out.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> model = fw.survey.populations.shrunk(strength=5)  # the model counts for five people, the sample for eleven
    >>> sample = [[3, 0, 1], [2, 5, 0]]
    >>> fw.survey.sample_risk(sample, people=100, model=model, draws=200).summary["mean"].round(1).to_dict()
    {'r1': 0.2, 'r2': 0.2, 'zeros': 0.7}
    """
    if strength is not None and at_least_0("strength", strength) == 0:
        raise InputError("shrunk(strength=0): the model must count for something; a number above 0.")
    return ShrunkPopulation(checked_margins(margins), None if add is None else at_least_0("add", add), strength)


def believed_strengths(model: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Strengths s of a Dirichlet prior around a model, and how probable each is given the sample.

    They are laid out by log s: a large sample can tell that the model counts for a few people only.
    """
    n, seen = counts.sum(), counts > 0
    odds = np.linspace(np.log(LEAST / n), np.log(MOST), STEPS)
    for last in (False, True):
        likelihood = [
            log_dirichlet_multinomial(counts[seen], s * model[seen], s * model.sum()) for s in n * np.exp(odds)
        ]
        # beforehand the share s / (s + n) is uniform; from one step to the next it changes by share (1 - share)
        logs = np.array(likelihood) + odds - 2 * np.logaddexp(0, odds)
        if not last:
            near = np.flatnonzero(logs > logs.max() - RULED_OUT)
            odds = np.linspace(odds[max(near[0] - 1, 0)], odds[min(near[-1] + 1, STEPS - 1)], STEPS)
    weights = np.exp(logs - logs.max())
    return n * np.exp(odds), weights / weights.sum()


def some_strengths(strengths: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """A few strengths, laid out so that each stands for as much of what the sample suggests."""
    middles = (np.arange(BY_CHAINS) + 0.5) / BY_CHAINS
    return np.asarray(strengths[np.searchsorted(np.cumsum(weights)[:-1], middles)])


def mean_strength(strengths: np.ndarray, weights: np.ndarray, n: int) -> float:
    """The strength with the mean share s / (s + n); that of s itself would be one of its largest values."""
    left = float(weights @ (n / (strengths + n)))
    return n * (1 - left) / left


def _sure(strength: float) -> tuple[np.ndarray, np.ndarray]:
    return np.array([float(strength)]), np.ones(1)


def dirichlet_multinomial(alpha: np.ndarray, size: Any, random: np.random.Generator) -> np.ndarray:
    """Counts that sum to `size` (one number, or one for each row), a draw for each row of alpha; alpha may have zeros.

    A row of zeros has nothing to give, and `size` must be 0 there.
    """
    shares = random.standard_gamma(alpha)
    total = shares.sum(axis=1, keepdims=True)
    # Tiny alphas can give gammas that are 0 in floating point, all of them: then the likeliest takes everything.
    none = np.flatnonzero(total[:, 0] <= 0)
    shares[none, alpha[none].argmax(axis=1)] = 1.0
    total[none] = 1.0
    return random.multinomial(size, shares / total)


def log_dirichlet_multinomial(counts: np.ndarray, alpha: np.ndarray, total: float) -> float:
    """The log-probability of counts, up to what does not depend on alpha, of which cells without people may be left out.

    `total` is that of all alpha; those of cells with people are above 0.
    """
    log_p = gammaln(total) - gammaln(counts.sum() + total)
    return float(log_p + (gammaln(counts + alpha) - gammaln(alpha)).sum())
