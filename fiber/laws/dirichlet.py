"""dirichlet: an intruder who does not know how people are shared out over the cells, and lets the published figures tell."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...base.errors import InputError
from ...base.numbers import is_number
from ...base.saved_forms import saved
from ...release.facts.facts import NO_VALUE
from ...release.release import Release
from .fitting import fitted_means
from .law import GammaRatio, Law, Weigh, refuse_linked, warn_of_units
from .own_units import of_the_others

FACTOR = 4.0
"""How many times smaller and larger c is taken besides, to show what depends on it."""


@saved("Dirichlet")
@dataclass(frozen=True)
class Dirichlet:
    """The cells' shares are unknown, Dirichlet with weights c pi: given the release w(x) = Gamma(x + c pi) / x!.

    The counts are then Dirichlet-multinomial, as drawn from a Polya urn.

    pi is fitted to the exact facts alone. Figures that were published by chance enter as evidence, and would be used twice
    if pi came from them too.
    """

    c: float | None = None
    name: str = "dirichlet"

    @property
    def words(self) -> str:
        """What the intruder assumes."""
        much = "one imaginary respondent for each open cell" if self.c is None else f"{self.c:g} imaginary respondents"
        return (
            "she does not know which share of all respondents each cell has: shares are Dirichlet distributed, around those "
            f"that the exact figures suggest, and weigh as much as {much}"
        )

    @property
    def call(self) -> str:
        """How it is made, for reports."""
        return f"fw.laws.dirichlet({'' if self.c is None else f'{self.c:g}'})"

    def on(self, release: Release) -> Weigh:
        """Weights Gamma(x + a) / x!."""
        warn_of_units(release, self.name)
        refuse_linked(release, self.name)
        return GammaRatio(self.weights(release))

    def removes_own(self, release: Release) -> np.ndarray:
        """Every cell counts people: an intruder's own units are taken out of it."""
        return np.ones(release.n_cells, dtype=bool)

    def weights(self, release: Release) -> np.ndarray:
        """c pi of every cell; they add up to c over the cells that are not published as they are."""
        means = fitted_means(replace(of_the_others(release).without_truth(), evidence=()))
        is_open = (release.lower < release.upper) & (means > 0)
        if not is_open.any():
            return np.ones(release.n_cells)
        told = release.value != NO_VALUE
        settled = release.sums.matrix[np.flatnonzero(release.sums.value != NO_VALUE)].indices
        told[settled] = True
        # what no exact fact speaks of is as large as the others are on average
        if (is_open & told).any():
            means[is_open & ~told] = means[is_open & told].mean()
        weights = np.ones(release.n_cells)
        weights[is_open] = self.in_all(release) * means[is_open] / means[is_open].sum()
        return weights

    def in_all(self, release: Release) -> float:
        """c as it is used for a release."""
        return float(max(1, int((release.lower < release.upper).sum()))) if self.c is None else self.c

    def variants(self, release: Release) -> dict[str, Law]:
        """The same with other weights, by the words that tell them apart."""
        c = self.in_all(release)
        return {f"c were {other:g}": Dirichlet(other) for other in (c / FACTOR, FACTOR * c)}


def dirichlet(c: float | None = None) -> Dirichlet:
    """An intruder who does not know how people are shared out over the cells.

    For tables that were published by chance: a sample, noise, random rounding. Every cell's share of the population is
    unknown, and the published figures are evidence of it. Beforehand shares are Dirichlet distributed with weights c pi,
    where pi is fitted to the exact figures alone (all shares alike if there is only a total). The law of the table is then
    Dirichlet-multinomial, a product of Gamma(x + c pi) / x!. An audit shows what follows from c / 4 and 4 c as well
    (`Audit.readings`).

    Parameters
    ----------
    c
        How many imaginary respondents the first opinion weighs. Left out: as many as there are cells that are not published
        as they are; with a total alone, every table is then as probable as any other beforehand.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> sample = fw.protect.as_protected([90, 10], "draw_sample", exact=[1000])  # of 1,000 people
    >>> fw.audit(sample, "dirichlet").cells["mean"].round().tolist()
    [893.0, 107.0]
    """
    if c is not None and (not is_number(c) or c <= 0):
        raise InputError(f"dirichlet(c={c!r}): how many respondents the first opinion weighs, a number above 0.")
    return Dirichlet(None if c is None else float(c))
