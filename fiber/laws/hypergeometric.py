"""The hypergeometric law: respondents fall into cells independently, as the published figures suggest."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from ...base.saved_forms import saved
from ...release.facts.facts import NO_VALUE, Evidence
from ...release.release import Release
from .fitting import fitted_means
from .law import Poisson, Weigh, refuse_linked, warn_of_units
from .own_units import of_the_others

FAR = 3.0
"""Figures farther apart than so many standard deviations of like counts do not come from these."""


@saved("Hypergeometric")
@dataclass(frozen=True)
class Hypergeometric:
    """The log-linear model of the published figures: w(x) = 1/x!, or mu^x/x! where figures are ranges.

    Given margins this is the (generalised) hypergeometric distribution, the one of exact tests on tables.

    Where every published figure is exact, the expected counts cancel given the release. Where some are ranges they do
    not, and come from an iterative proportional fit to the published figures. What a random method published is evidence,
    weighed by itself: only cells that no fact speaks of take their expected count from it.
    """

    name: str = "hypergeometric"
    words: str = (
        "respondents fall into cells independently, as in the log-linear model of the published figures; "
        "a table x is then as probable as the product of mu^x / x!, where the expected counts mu cancel if all are exact"
    )

    def on(self, release: Release) -> Weigh:
        """Weights 1/x!, with means where the published figures do not settle them."""
        facts = release.sums
        ranged = (facts.value != NO_VALUE) & (facts.lower < facts.upper)
        ranged_cells = (release.value != NO_VALUE) & (release.lower < release.upper)
        if ranged.any() or ranged_cells.any() or (_loose(release) & _with_evidence(release)).any():
            return self.with_means(release)
        self._check(release)
        for caveat in self.caveats(release):
            warnings.warn(caveat, stacklevel=6)
        return Poisson(np.ones(release.n_cells))

    def caveats(self, release: Release) -> tuple[str, ...]:
        """A warning where it expects the same of cells whose randomly changed figures are far apart."""
        far_apart = _taken_alike(release)
        if far_apart is None:
            return ()
        number, low, high = far_apart
        (low_cell, low_figure), (high_cell, high_figure) = (
            (release.words(release.keys[cell]), release.show(figure)) for cell, figure in (low, high)
        )
        return (
            f"law 'hypergeometric' has the same expected count for {number} cells beforehand, as the exact figures do not "
            f"tell them apart, although those published by chance do ({low_cell}: {low_figure}, {high_cell}: {high_figure})"
            "; it draws them together. law='dirichlet' leaves it open how people are shared out.",
        )

    def removes_own(self, release: Release) -> np.ndarray:
        """Every cell counts people: an intruder's own units are taken out of it."""
        return np.ones(release.n_cells, dtype=bool)

    def with_means(self, release: Release) -> Poisson:
        """Weights mu^x/x!, also where the means would cancel if nothing but this law weighed the cells."""
        self._check(release)
        return Poisson(fitted_means(of_the_others(release)))

    def _check(self, release: Release) -> None:
        warn_of_units(release, self.name)
        refuse_linked(release, self.name)
        loose = _loose(release) & ~_with_evidence(release)
        if loose.any():
            first_words = release.words(release.keys[np.flatnonzero(loose)[0]])
            warnings.warn(
                f"law 'hypergeometric': no published figure settles the expected count of {int(loose.sum())} cells, first "
                f"{first_words}; it is taken as 1. Give expected counts with fw.laws.expected(mu) instead.",
                stacklevel=6,
            )


def _loose(release: Release) -> np.ndarray:
    """The cells whose expected count no published fact settles."""
    facts = release.sums
    settled = facts.matrix[np.flatnonzero((facts.value != NO_VALUE) | (facts.lower == facts.upper))]
    loose = np.ones(release.n_cells, dtype=bool)
    loose[settled.indices] = False
    return np.asarray(loose & (release.value == NO_VALUE) & (release.lower < release.upper))


def _with_evidence(release: Release) -> np.ndarray:
    """The cells that a random method published something of, by themselves or in a sum."""
    has_figure = np.zeros(release.n_cells, dtype=bool)
    for item in release.evidence:
        has_figure[item.cells] = has_figure[item.cells] | (item.figure != NO_VALUE)
    return has_figure


def _taken_alike(release: Release) -> tuple[int, tuple[int, int], tuple[int, int]] | None:
    """Cells that no exact figure tells apart, but whose own random figures are too far apart to come from like counts.

    How many there are, and the two that are farthest apart: each a cell and its figure. None where there are none.
    """
    of_cells = [item for item in release.evidence if len(item.cells) == 1 and item.figure != NO_VALUE]
    facts = release.sums
    if len(of_cells) < 2:
        return None
    exact = facts.matrix[np.flatnonzero((facts.value != NO_VALUE) & (facts.lower == facts.upper))]
    # cells in the same exact sums have the same mark: a sum of random numbers, one for each exact sum
    marks = exact.T @ np.random.default_rng(0).random(exact.shape[0])
    groups: dict[float, list[tuple[int, float, int]]] = {}
    for item in of_cells:
        cell = int(item.cells[0])
        if release.lower[cell] < release.upper[cell] and marks[cell] > 0:
            groups.setdefault(round(float(marks[cell]), 9), []).append((item.figure, _noise(item), cell))
    n_cells, widest, ends = 0, 0.0, None
    for group in groups.values():
        low, high = min(group), max(group)
        # like counts differ as Poisson ones do, and then by what the method added
        chance = np.sqrt(abs(low[0]) + abs(high[0]) + low[1] + high[1] + 1.0)
        if high[0] - low[0] > FAR * chance:
            n_cells += len(group)
            if high[0] - low[0] > widest:
                widest, ends = high[0] - low[0], (low, high)
    return None if ends is None else (n_cells, (ends[0][2], ends[0][0]), (ends[1][2], ends[1][0]))


def _noise(item: Evidence) -> float:
    """The variance of the counts that a figure may stand for; none where more is always as probable, as in a sample."""
    if int(item.log_weights.argmax()) == len(item.log_weights) - 1:
        return 0.0
    weights = np.exp(item.log_weights - item.log_weights.max())
    weights /= weights.sum()
    places = np.arange(len(weights))
    return float(max(0.0, places**2 @ weights - (places @ weights) ** 2))
