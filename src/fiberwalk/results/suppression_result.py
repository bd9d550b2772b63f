"""Suppression: what was withheld and why, what it cost, what of that is proven, and what is published."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..protect.withholding.least_suppression import Withheld
from ..release.release import Release

if TYPE_CHECKING:
    import pandas as pd

    from ..withholding.targets import Target
    from .audit_result import Audit


@dataclass(frozen=True, eq=False, repr=False)
class Suppression:
    """A solved suppression problem.

    `release` is what is published, `figures` has a row for each withheld figure, `audit()` says what an intruder learns.
    """

    withheld: Withheld
    auditor: Callable[..., Audit]
    """`fw.audit`."""
    targets: tuple[Target, ...] = ()
    laws: tuple[str, ...] = ()
    cost_of_intervals: int | None = None
    """What the pattern would cost whose intervals alone are wide enough, where there is a target."""
    thorough: bool = False

    def __repr__(self) -> str:
        return f"<Suppression: {self.words}>"

    @cached_property
    def release(self) -> Release:
        """What is published, with the truth that the agency keeps."""
        return self.withheld.release

    @property
    def cost(self) -> float:
        """What all withheld figures cost, in what is minimised."""
        return self.withheld.cost / self.withheld.problem.per

    @property
    def at_least(self) -> float:
        """No pattern that keeps the wanted intervals costs less."""
        return self.withheld.at_least / self.withheld.problem.per

    @property
    def proven(self) -> bool:
        """Is it proven that no cheaper pattern protects?"""
        return self.withheld.proven

    @property
    def words(self) -> str:
        """What was withheld, and what is proven of that."""
        if not self.targets:
            return self.withheld.words
        wanted = " and ".join(target.words for target in self.targets)
        words = self.withheld.what_was_withheld
        more = self.withheld.cost - (self.cost_of_intervals or 0)
        price = self.withheld.problem.in_words(more)
        words += f"; {wanted} for every sensitive figure under the law {', '.join(self.laws)}"
        words += (
            f", at {price} more than intervals alone would cost" if more > 0 else ", at no more than intervals cost"
        )
        if self.proven:
            return f"{words}; proven to be the cheapest"
        if self.withheld.stopped:
            return f"{words}; the search ended early: {self.withheld.stopped}"
        several = "no one or two figures can be given back or exchanged"
        return f"{words}; {several if self.thorough else 'no single figure can be given back'}"

    @cached_property
    def figures(self) -> pd.DataFrame:
        """One row per withheld cell or total: its value, why it is withheld, what it costs, and its sharp bounds."""
        import pandas as pd

        from ..fiber.blocks.presolve import presolve
        from ..fiber.bounds.chooser import sharp_bounds

        task = self.withheld.problem
        figures = task.figures
        rows = np.flatnonzero(self.withheld.hidden & figures.offered)
        bounds = sharp_bounds(presolve(task.released(self.withheld.hidden)), figures.matrix[rows])
        why = np.where(
            task.primary[rows], "sensitive", np.where(task.before[rows], "withheld before", "protects others")
        )
        units = figures.start.own_units
        columns = {
            "value": units(figures.values[rows]),
            "why": why,
            "cost": task.cost[rows] / task.per,
            "lower": units(bounds.lower),
            "upper": units(bounds.upper),
        }
        return pd.DataFrame(columns, index=figures.start.index(figures.keys[rows]))

    def audit(self, **settings: Any) -> Audit:
        """What an intruder learns of every withheld figure: `fw.audit` of the release, with its keywords."""
        return self.auditor(self.release, **settings)
