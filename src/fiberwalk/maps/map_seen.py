"""What the measures of an R-U map look at: one protected table beside its truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..base.numbers import in_own_units
from ..protect.records.local_suppression import LocalSuppression
from ..protect.records.sample_drawing import Sampling
from ..release.facts.facts import NO_VALUE
from ..release.tables.tables import Table

if TYPE_CHECKING:
    from ..posterior.parts.pmf import Pmf
    from ..release.release import Release
    from ..results.audit_result import Audit


@dataclass(frozen=True, eq=False)
class Seen:
    """One protected table beside its truth: what an intruder, and a user, learn of every cell."""

    table: Table
    release: Release
    """What was published."""
    chosen: np.ndarray | None
    """The cells that the map is about, flat and true or false; None where none are chosen."""
    look: Callable[[], Audit]
    """Audits the release, which may take long."""
    probability_errors: dict[tuple[int, ...], tuple[float, float]] = field(default_factory=dict)
    """By the dims that are given, the mean squared error of the probabilities, and its standard error."""

    @cached_property
    def audit(self) -> Audit:
        """What an intruder learns: computed where a measure asks for it."""
        return self.look()

    @property
    def audited(self) -> Audit | None:
        """The audit, if any measure has asked for it."""
        return self.__dict__.get("audit")

    @cached_property
    def numbers(self) -> np.ndarray:
        """For each cell of the table, its number in the release."""
        return self.release.grids[0].cells.ravel()

    @cached_property
    def pmfs(self) -> list[Pmf | None]:
        """The distribution of every cell of the table; None where it is published as it is."""
        place = np.full(self.release.n_cells, -1)
        place[self.release.hidden] = np.arange(len(self.release.hidden))
        return [self.audit.belief.pmfs[row] if row >= 0 else None for row in place[self.numbers].tolist()]

    @cached_property
    def truth(self) -> np.ndarray:
        """The true values in scaled integers, less what is the intruder's own."""
        return self.table.values.ravel() - self.release.own[self.numbers]

    @property
    def at_risk(self) -> np.ndarray:
        """The cells whose risk is looked at: the chosen ones; else the hidden ones, or all where nothing is hidden."""
        if self.chosen is not None:
            return np.flatnonzero(self.chosen)
        hidden = np.array([pmf is not None for pmf in self.pmfs])
        return np.flatnonzero(hidden if hidden.any() else ~hidden)

    @cached_property
    def known(self) -> int:
        """How many of these are known exactly."""
        return sum(bits_left(self.pmfs[cell]) <= 0 for cell in self.at_risk)

    @cached_property
    def squared_errors(self) -> np.ndarray:
        """E(x - truth)^2 of every cell, in the table's own units; 0 where it is published."""
        errors = np.zeros(len(self.pmfs))
        for cell, pmf in enumerate(self.pmfs):
            if pmf is not None:
                middle = pmf.values + (pmf.width - 1) / 2 - self.truth[cell]
                errors[cell] = pmf.probabilities @ (middle**2 + (pmf.width**2 - 1) / 12)
        return errors / 100.0**self.table.decimals

    @cached_property
    def figures(self) -> np.ndarray:
        """What was published of every cell, flat; NO_VALUE where nothing was."""
        return self.release.cell_figures[self.numbers]

    @property
    def estimated(self) -> np.ndarray:
        """The cells for which a user takes the expected value: those withheld, and all where values of records are blank."""
        blank = any(method.name == LocalSuppression.name for method in self.release.applied)
        return np.flatnonzero(self.figures == NO_VALUE) if not blank else np.arange(len(self.figures))

    @cached_property
    def shown(self) -> np.ndarray:
        """The table as a user works with it: published figures, and for withheld cells their expected values.

        A negative figure, as noise makes them, stands for 0; sample counts are grossed up to the population, whose total
        is published; blank values of records are shared out among the cells as expected.
        """
        figures = self.figures.astype(float)
        for cell in self.estimated:
            pmf = self.pmfs[cell]
            figures[cell] = (
                self.table.values.flat[cell] if pmf is None else pmf.mean + self.release.own[self.numbers[cell]]
            )
        figures = np.maximum(figures, 0)
        if any(method.name == Sampling.name for method in self.release.applied) and figures.any():
            figures *= self.table.values.sum() / figures.sum()
        return figures.reshape(self.table.values.shape) / 10.0**self.table.decimals

    @property
    def original(self) -> np.ndarray:
        """The true table in its own units."""
        return in_own_units(self.table.values, self.table.decimals)


def bits_left(pmf: Pmf | None) -> float:
    """The entropy that is left of a cell: none where it is published as it is."""
    return 0.0 if pmf is None else pmf.entropy
