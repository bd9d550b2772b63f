"""Suppression: what was withheld and why, what it cost, what of that is proven, and what is published."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ..auditing import audit
from ..base.saved_file import save
from ..base.saved_forms import saved
from ..protect.withholding.least_suppression import Withheld
from ..release.release import Release
from ..results.audit_result import Audit
from ..results.informed_audit import InformedAudit
from .informed import informed_audit
from .program import Program
from .targets import Target

if TYPE_CHECKING:
    import pandas as pd


@saved("Suppression", kind="suppression")
@dataclass(frozen=True, eq=False, repr=False)
class Suppression:
    """A solved suppression problem.

    `release` is what is published, `figures` has a row for each withheld figure, `audit()` says what an intruder learns.
    """

    withheld: Withheld
    program: Program
    """What chose it."""
    seed: int
    """What decided among equally cheap patterns. Whoever knows it, and the program, learns more: it is not published."""
    cost_of_intervals: int | None = None
    """What the pattern would cost whose intervals alone are wide enough, where there is a target."""
    thorough: bool = False
    knows: str | None = None
    """What the intruder knows before whom the targets were checked, besides what is published."""

    def __post_init__(self) -> None:
        task, hidden = self.withheld.problem, self.withheld.hidden
        figures, each = task.figures, (hidden, task.primary, task.before, task.open, task.cost, task.figures.offered)
        fits = all(len(one) == len(figures) for one in each) and figures.matrix.shape == (len(figures), figures.n_cells)
        if not fits or self.program.problem is not task:
            raise ValueError("a damaged file: what it says is not all of one problem")

    def __repr__(self) -> str:
        return f"<Suppression: {self.words}>"

    @cached_property
    def release(self) -> Release:
        """What is published, with the truth that the agency keeps."""
        return self.withheld.release

    @property
    def targets(self) -> tuple[Target, ...]:
        """What no intruder may believe."""
        return self.program.targets

    @property
    def laws(self) -> tuple[str, ...]:
        """What she is taken to believe beforehand, where there is a target."""
        return tuple(str(getattr(law, "name", law)) for law in self.program.laws)

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
        words += "" if self.knows is None else f", also for who knows the {self.knows}"
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

    @overload
    def audit(self, *, knows: None = None, **settings: Any) -> Audit: ...

    @overload
    def audit(self, *, knows: str, **settings: Any) -> InformedAudit: ...

    def audit(self, *, knows: str | None = None, **settings: Any) -> Audit | InformedAudit:
        """What an intruder learns of every withheld figure: `fw.audit` of the release, with its keywords.

        With `knows="algorithm"` she also knows the program: the rule, the levels, the costs, and how it is solved. She keeps
        only tables of which it would have withheld the same figures, and an `InformedAudit` says how much more she learns.
        Its seed she does not know, and takes each for as probable as any other; with `knows="algorithm and seed"` she does.
        What the program was told figure by figure (where=, keep= and others as lists) is taken to be known to her.

        Then the settings are `law`, `seed`, `percent`, `max_seconds` and `progress` as for `fw.audit`, and

        method : "exact": the program is run for every table that agrees with what is published; "chains": for drawn ones;
            "auto": for drawn ones where there are more than `max_tables`
        seeds : over how many seeds of the program is averaged; errors are stated. Left out, 1,000 in small problems, of
            which all cheapest patterns are listed, and 50 where the program is run for each seed
        max_tables : the most tables for which the program is run, those not counted which are excluded without it
        draws : tables that are drawn by each of four chains; where fewer than 100 give the pattern, there is no answer

        Examples
        --------
        >>> import fiberwalk as fw
        >>> s = fw.protect.suppression([[1, 5, 4], [7, 2, 6], [3, 8, 9]], rule="< 3", seed=1)
        >>> informed = s.audit(knows="algorithm and seed")
        >>> informed.looked_at, informed.kept
        (7, 1)
        """
        if knows is None:
            return audit(self.release, **settings)
        return informed_audit(self.program, self.withheld, self.seed, knows=knows, **settings)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, from which `fiberwalk.load` makes it again, for you alone: with the truth and the seed.

        Functions by which wishes were said, and weights of a law of your own, no file can hold: without these it can be
        asked everything but what an intruder learns who knows the program.
        """
        save(self, path, private=True)
