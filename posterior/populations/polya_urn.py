"""The population as an urn that the sample began to fill (Polya's urn; ASE15, 5.2).

The urn holds a ball for every person of the sample, coloured by her cell, and theta black balls. A coloured ball that
is drawn goes back with another of its colour; a black one goes back, and a ball of a new colour with it: a cell that
is empty in the sample and not in the population. There can be no more new colours than empty cells: with the last of
them the black balls leave the urn.

How a whole urn is drawn at once. With m coloured balls in it, the next t draws are all coloured with the probability
(m)(m + 1)...(m + t - 1) / (m + theta)(m + theta + 1)...: the wait for a new colour is geometric, its probability drawn
from Beta(theta, m). Among the balls drawn after a birth, the new colour's share against all older ones is that of a
two-colour urn begun with 1 and n + z - 1 balls (beta-binomial). Going back from the last birth to the first settles
every new colour, and the people left are Dirichlet-multinomial among the cells of the sample. The work grows with the
new colours and the cells, not with the people.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma

from ...base.errors import InputError
from .log_linear_population import cell_probabilities
from .model_parameters import at_least_0, checked_margins
from .outside_facts import Fact
from .population import Independent, Outside
from .sample_table import SampleTable
from .shrunk_population import dirichlet_multinomial

MOST_FILLED, FEWEST = 50_000, 1e-3
"""After so many urns, at least this share of them must have agreed with what is known of the population."""
TOGETHER = 100
"""Urns that are filled side by side, one birth after the other: with fewer at a time, many new colours take long."""
NEARLY_ALL = 0.99
"""Expected new colours, as a share of the people outside the sample, that no estimate exceeds: theta would be infinite."""


@dataclass(frozen=True)
class PolyaUrn:
    """Polya's urn with theta from the number of population cells that are empty, known or estimated; or theta itself."""

    zeros: int | None = None
    """How many cells of the population table are empty; None: estimated by a log-linear model."""
    theta: float | None = None
    margins: tuple[Any, ...] | None = None
    """Of the log-linear model that estimates the zeros."""
    name: str = "Polya urn"

    @property
    def words(self) -> str:
        """What is assumed."""
        if self.theta is not None:
            theta_words = f"theta {self.theta:g}"
        elif self.zeros is not None:
            theta_words = f"theta such that {self.zeros} population cells are expected to be empty"
        else:
            theta_words = (
                "theta such that as many population cells are expected to be empty as under a log-linear model"
            )
        return (
            "people outside the sample join a cell in proportion to those already in it, or open an empty one; "
            f"{theta_words}"
        )

    def given(self, sample: SampleTable) -> Independent:
        """Urns, each filled up to the size of the population; of those that break a fact, none is kept."""
        sample.refuse_design(
            "urn", "all its balls are alike; 'log-linear' and 'shrunk' take them, or ask for every stratum by itself"
        )
        facts = sample.outside_facts
        empty = np.flatnonzero((sample.counts == 0) & ~facts.shut)
        theta = self._theta(sample, len(empty))
        occupied = np.flatnonzero(sample.counts)

        def outside(draws: int, random: np.random.Generator) -> np.ndarray:
            births = birth_times(theta, sample.n, sample.outside, len(empty), draws, random)
            new, left = new_colours(births, sample.n, sample.outside, random)
            counts = np.zeros((draws, len(sample.counts)), dtype=np.int64)
            alpha = np.broadcast_to(sample.counts[occupied].astype(float), (draws, len(occupied)))
            counts[:, occupied] = dirichlet_multinomial(alpha, left, random)
            if len(empty):
                shown = np.zeros((draws, len(empty)), dtype=np.int64)
                shown[:, : new.shape[1]] = new
                # Any empty cell may be the one of a new colour.
                counts[:, empty] = random.permuted(shown, axis=1)
            return counts

        breakable = facts.for_whole_table
        return Independent(
            sample, those_that_hold(outside, sample, breakable) if breakable else outside, {"theta": theta}, TOGETHER
        )

    def _theta(self, sample: SampleTable, openable: int) -> float:
        if self.theta is not None:
            return float(self.theta)
        if self.zeros is None:
            p = cell_probabilities(sample, self.margins)[~sample.outside_facts.shut]
            with np.errstate(divide="ignore"):
                zeros = float(np.exp(sample.size * np.log1p(-p)).sum())
            return urn_theta(sample.n, sample.outside, min(openable - zeros, NEARLY_ALL * sample.outside))
        empty = int((sample.counts == 0).sum())
        opened = empty - self.zeros
        if opened < 0:
            raise InputError(
                f"zeros={self.zeros}: only {empty} cells of the sample are empty, and the population cannot have more empty "
                "cells than a sample of it."
            )
        if opened > openable:
            raise InputError(f"zeros={self.zeros}: {empty - openable} cells of the population are known to be empty.")
        if opened >= sample.outside and opened:
            raise InputError(
                f"zeros={self.zeros}: {opened} of the {empty} empty cells of the sample would then have people, but only "
                f"{sample.outside} people are outside the sample; the urn needs more."
            )
        return urn_theta(sample.n, sample.outside, opened)


def urn(
    zeros: int | None = None, *, black_balls: float | None = None, margins: Iterable[Any] | None = None
) -> PolyaUrn:
    """Polya's urn: people join cells in proportion to those already there, or open an empty one (ASE15, 5.2).

    A cell that is known to be empty in the population is no colour of the urn. Other facts of a release are kept to by
    filling urns until enough of them agree (rejection sampling); where hardly any does, as with published margins, this is
    refused, and the fact is named.

    Parameters
    ----------
    zeros
        How many cells of the population table are empty, where that is known. Left out: as many as the log-linear model of
        `margins` expects.
    black_balls
        The number of black balls, which open new cells; otherwise it follows from the zeros.
    margins
        Of the log-linear model; left out: all dims independent.

    Examples
    --------
    One of the six cells is expected to be empty in the population, too:

    >>> import fiberwalk as fw
    >>> model = fw.survey.populations.urn(zeros=1)
    >>> sample = [[3, 0, 1], [2, 5, 0]]
    >>> fw.survey.sample_risk(sample, people=100, model=model, draws=200).summary["mean"].round(1).to_dict()
    {'r1': 0.3, 'r2': 0.2, 'zeros': 1.1}
    """
    if zeros is not None and black_balls is not None:
        raise InputError("urn(): black_balls= follows from zeros=; give one of them.")
    if zeros is not None and (isinstance(zeros, bool) or not isinstance(zeros, (int, np.integer)) or zeros < 0):
        raise InputError(f"urn(zeros={zeros!r}): a number of cells, at least 0.")
    return PolyaUrn(
        None if zeros is None else int(zeros),
        None if black_balls is None else at_least_0("black_balls", black_balls),
        checked_margins(margins),
    )


def those_that_hold(outside: Outside, sample: SampleTable, facts: Sequence[Fact]) -> Outside:
    """Only urns that agree with some facts (rejection sampling): the law of the urn given these, whatever they are."""

    def kept(draws: int, random: np.random.Generator) -> np.ndarray:
        agreeing: list[np.ndarray] = []
        filled, agree = 0, np.zeros(len(facts))
        while sum(map(len, agreeing)) < draws:
            urns = outside(max(draws, TOGETHER), random)
            held = np.stack([fact.held_by(urns + sample.counts) for fact in facts], axis=1)
            agreeing.append(urns[held.all(axis=1)])
            filled, agree = filled + len(urns), agree + held.sum(axis=0)
            if filled >= MOST_FILLED and sum(map(len, agreeing)) < FEWEST * filled:
                worst = facts[int(agree.argmin())]
                raise InputError(
                    f"model 'urn' cannot keep to the facts of the release, above all that {worst.words}: of {filled:,} urns "
                    f"{sum(map(len, agreeing)):,} agree with all of them; 'shrunk', 'log-linear' and 'fiber' can."
                )
        return np.concatenate(agreeing)[:draws]

    return kept


def urn_theta(n: int, outside: int, new: float) -> float:
    """The number of black balls with which `outside` draws are expected to bring `new` colours: ASE15 (5) and (6).

    Sum over z of theta / (n + theta + z - 1) is theta (digamma(n + theta + outside) - digamma(n + theta)), which grows with
    theta from 0 to `outside`. 0 where no new colour is expected.
    """
    if new <= 0 or not outside:
        return 0.0

    def short(log_theta: float) -> float:
        theta = np.exp(log_theta)
        return float(theta * (digamma(n + theta + outside) - digamma(n + theta)) - new)

    low = high = np.log(new)
    while short(low) > 0:
        low -= 2.0
    while short(high) < 0:
        high += 2.0
    return float(np.exp(brentq(short, low, high, xtol=1e-14, rtol=1e-14)))


def birth_times(theta: float, n: int, outside: int, most: int, draws: int, random: np.random.Generator) -> np.ndarray:
    """[draw, colour]: the numbers (from 1) of the draws that bring new colours, at most `most`; beyond the last: none."""
    over = outside + 1
    births: list[np.ndarray] = []
    now = np.zeros(draws, dtype=np.int64)
    while len(births) < most and theta > 0:
        black = random.beta(theta, n + now)
        with np.errstate(divide="ignore"):  # never, or at once
            wait = np.maximum(np.ceil(random.standard_exponential(draws) / -np.log1p(-black)), 1.0)
        in_time = wait <= outside - now
        now = np.where(in_time, now + np.where(in_time, wait, 0).astype(np.int64), over)
        if not in_time.any():
            break
        births.append(now)
    return np.stack(births, axis=1) if births else np.empty((draws, 0), dtype=np.int64)


def new_colours(births: np.ndarray, n: int, outside: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """[draw, colour]: the balls of each new colour in the end, and how many draws are left for the colours of the sample."""
    balls = np.zeros(births.shape, dtype=np.int64)
    later = np.zeros(len(births), dtype=np.int64)
    following = np.full(len(births), outside + 1)
    for j in range(births.shape[1] - 1, -1, -1):
        born = births[:, j]
        is_born = born <= outside
        older = np.where(is_born, n + born - 1, 1)
        among = np.where(is_born, following - 1 - born + later, 0)
        share = -np.expm1(np.log1p(-random.random(len(born))) / older)  # beta(1, older)
        joined = random.binomial(among, share)
        balls[:, j] = np.where(is_born, 1 + joined, 0)
        later = np.where(is_born, among - joined, later)
        following = np.where(is_born, born, following)
    return balls, following - 1 + later
