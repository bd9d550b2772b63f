"""The people outside a sample fall into cells with the probabilities of a log-linear model of the sample (ASE15, 5.1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...fiber.laws.log_linear_model import fit
from ...release.tables.tables import Table
from .fiber_draws import ModelGivenFacts
from .model_parameters import at_least_0, checked_margins
from .outside_laws import MultinomialOutside
from .population import Independent, Populations
from .sample_table import SampleTable


@dataclass(frozen=True)
class LogLinearPopulation:
    """Multinomial counts outside the sample, on the fitted probabilities of a hierarchical log-linear model."""

    margins: tuple[Any, ...] | None = None
    """The margins of the model; None: those of single dims, independence."""
    add: float = 0.0
    name: str = "log-linear"

    @property
    def words(self) -> str:
        """What is assumed."""
        probabilities = f"{probability_words(self.margins)} of the sample and taken as known"
        return f"people outside the sample fall into cells with {probabilities}"

    def given(self, sample: SampleTable) -> Populations:
        """Multinomial draws."""
        return multinomial_outside(sample, cell_probabilities(sample, self.margins, self.add), self.name)


def log_linear(margins: Iterable[Any] | None = None, *, add: float = 0.0) -> LogLinearPopulation:
    """People outside the sample fall into cells with the probabilities of a log-linear model (ASE15, 5.1).

    The fitted probabilities are taken as known. What is drawn varies less than what is not known of the population, and
    the true risk is often outside the range of the risks drawn, most of all for small samples; `shrunk` doubts the model.

    A cell that is known to be empty in the population (`release.knows(cell, exactly=0)`) is no part of the model, which
    would otherwise fill it; all other facts of a release are kept to: the law of the people outside the sample is that of
    the model given these facts. Of a sample with weights the model is fitted to the people whom those in it stand for.

    Parameters
    ----------
    margins
        What the model keeps of the sample, such as ["A,B", "B,C"]; left out: all dims independent.
    add
        Added to every sample cell before the fit; without it, a category that is empty in the sample stays so in the
        population.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> model = fw.survey.populations.log_linear(["A", "B"])
    >>> fw.survey.sample_risk([[3, 0], [2, 5]], people=100, model=model, draws=200).summary["mean"].round(1).to_dict()
    {'r1': 0.1, 'r2': 0.1, 'zeros': 0.0}
    """
    return LogLinearPopulation(checked_margins(margins), at_least_0("add", add))


def cell_probabilities(sample: SampleTable, margins: tuple[Any, ...] | None, add: float = 0.0) -> np.ndarray:
    """The probability of each cell under the log-linear model of some margins of the sample; 0 of those that are shut."""
    wanted = [dim.name for dim in sample.dims] if margins is None else list(margins)
    expected = fit(
        Table(sample.shares.reshape(sample.shape), sample.dims), wanted, add=add,
        shut=sample.outside_facts.shut.reshape(sample.shape),
    ).expected.ravel()  # fmt: skip
    return np.asarray(expected / expected.sum())


def multinomial_outside(sample: SampleTable, probabilities: np.ndarray, model: str) -> Populations:
    """Populations whose people outside the sample fall into cells with given probabilities, given all that is known."""
    facts = sample.outside_facts
    if facts.further:
        return ModelGivenFacts(sample, [MultinomialOutside(probabilities)], model)
    groups = [group for group in facts.among(probabilities > 0, model) if group.people]

    def outside(draws: int, random: np.random.Generator) -> np.ndarray:
        if len(facts.groups) == 1:
            return random.multinomial(sample.outside, probabilities, size=draws)
        counts = np.zeros((draws, len(probabilities)), dtype=np.int64)
        for cells, people, _ in groups:
            shares = probabilities[cells] / probabilities[cells].sum()
            counts[:, cells] = random.multinomial(people, shares, size=draws)
        return counts

    return Independent(sample, outside)


def probability_words(margins: tuple[Any, ...] | None) -> str:
    """Which probabilities, in words."""
    if margins is None:
        return "the probabilities of independent dims, fitted to the margins"
    shown = "; ".join(margin if isinstance(margin, str) else ",".join(margin) for margin in margins)
    return f"the probabilities of the log-linear model of {shown}, fitted to the margins"
