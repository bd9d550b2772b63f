"""A suppression problem as agencies have it: tables, what is sensitive, what withholding costs and what must stay."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from ...base.errors import InputError
from ...base.saved_forms import saved
from ...fiber.blocks.presolve import presolve
from ...fiber.bounds.chooser import sharp_bounds
from ...release.facts.facts import NO_LIMIT
from ...release.facts.knowledge import Rule
from ...release.release import Release
from .figures.figures import Figures
from .patterns.suppression_task import Sensitive, Task
from .patterns.ways import Room


class Posing(Protocol):
    """What poses the same problem for figures with other true values."""

    def __call__(self, figures: Figures, /) -> SuppressionProblem:
        """The problem."""

    def on_paper(self, figures: Figures, /) -> Posing | None:
        """The same as a file can hold it; None where it cannot."""


@saved("SuppressionProblem")
@dataclass(frozen=True, eq=False, repr=False)
class SuppressionProblem:
    """Which figures of some tables are sensitive, what each must keep, and what may be withheld to protect them.

    Made by `fw.protect.problem`, solved by `fw.protect.suppression`.
    """

    figures: Figures
    primary: np.ndarray
    sensitive: Sensitive
    """Figures and, behind them, sums of figures of which all are one contributor's."""
    sums: Any
    """Which cells each of these further sums is made of."""
    before: np.ndarray
    """Figures that are withheld already."""
    open: np.ndarray
    """Figures that may be withheld to protect others."""
    cost: np.ndarray
    per: int
    """Costs are whole numbers; so many are 1 of what is minimised."""
    minimise: str
    alone: tuple[np.ndarray, ...] = ()
    """For each contributor who is alone in some figures: these, and her further sum."""
    rule: Rule | None = None
    """The rule, where the intruder knows it."""
    flags: bool = False
    anew: Posing | None = None
    """None where the problem was not made by `fw.protect.problem`, or comes from a file that could not hold it."""
    fixed: tuple[str, ...] = ()
    """What was said figure by figure, and not as something that follows from a table."""

    def for_table(self, truth: np.ndarray) -> SuppressionProblem:
        """The problem that the same wishes pose for other values of the finest cells; refused where these pose none.

        What is sensitive by a rule, levels in percent, costs by value, and what functions say follow from the table. What
        was said figure by figure stays as it is, and so does who contributes to which cell.
        """
        if self.anew is None:
            raise InputError(
                "only what fw.protect.problem() made can be posed for another table, and out of a file only what was asked "
                "for without functions."
            )
        start = replace(self.figures.start, truth=np.asarray(truth, dtype=np.int64))
        return self.anew(replace(self.figures, start=start))

    def _saved_form_(self) -> SuppressionProblem:
        return replace(self, anew=None if self.anew is None else self.anew.on_paper(self.figures))

    def __repr__(self) -> str:
        open_too = int((self.open & ~self.forced).sum())
        return (
            f"<SuppressionProblem of {', '.join(self.figures.names)}: {len(self.figures):,} cells and totals, "
            f"{int(self.primary.sum()):,} sensitive, {open_too:,} may be withheld to protect them>"
        )

    @property
    def forced(self) -> np.ndarray:
        """Figures that every pattern withholds: the sensitive, those withheld before, and what is not offered at all."""
        return np.asarray(self.primary | self.before | ~self.figures.offered)

    @cached_property
    def rows(self) -> Any:
        """Which cells each figure, and each further sum, is made of."""
        return sp.csr_array(sp.vstack([self.figures.matrix, self.sums]))

    @cached_property
    def truth(self) -> np.ndarray:
        """The true figures and further sums."""
        return np.asarray(self.rows @ self.figures.start.truth)

    def released(self, hidden: np.ndarray, attacker: int = 0) -> Release:
        """The release that withholds some figures, as an outsider reads it (0), or a contributor who knows her own."""
        release = self.figures.released(hidden[: len(self.figures)], self.primary)
        if self.rule is not None:
            release = replace(release, flagged=self.flags).knows_rule(self.rule, flags=self.flags)
        if attacker:
            own = self.figures_of_attacker(attacker)
            known = self.truth[own]
            release = release.with_facts(self.figures.keys[own], self.figures.matrix[own], known, known)
        return release

    def figures_of_attacker(self, attacker: int) -> np.ndarray:
        """The figures that a contributor is alone in."""
        mine = self.alone[attacker - 1]
        return np.asarray(mine[mine < len(self.figures)])

    def too_narrow(self, hidden: np.ndarray) -> np.ndarray:
        """The sensitive figures that a pattern leaves a narrower interval than wanted, before some attacker."""
        narrow = np.zeros(len(self.sensitive), dtype=bool)
        for attacker in range(len(self.alone) + 1):
            own = self.alone[attacker - 1] if attacker else np.empty(0, dtype=np.int64)
            if attacker and not hidden[self.figures_of_attacker(attacker)].any():
                continue
            lower, upper = self.intervals(hidden, attacker)
            wide = self.sensitive.wide_enough(lower, upper, self.truth)
            narrow |= ~wide & ~np.isin(self.sensitive.figures, own)
        return self.sensitive.figures[narrow]

    def intervals(self, hidden: np.ndarray, attacker: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest value of every sensitive figure that a pattern leaves possible."""
        bounds = sharp_bounds(presolve(self.released(hidden, attacker)), self.rows[self.sensitive.figures])
        return bounds.lower, bounds.upper

    def room(self) -> Room:
        """The sums that tie the figures together, and how far each can be from the truth once it is withheld."""
        truth, wanted, n = self.truth, self.sensitive, len(self.figures)
        widest = max(int(amounts.max(initial=0)) for amounts in (wanted.below, wanted.above, wanted.width))
        far = max(int(abs(truth).max()), 4 * widest)
        lower, upper = self.figures.known
        lower = np.concatenate([lower, self.sums @ self.figures.start.lower])
        upper = np.concatenate([upper, np.full(self.sums.shape[0], NO_LIMIT)])
        down, up = np.minimum(truth - lower, far), np.minimum(upper - truth, far)
        if self.rule is not None:
            low, high = np.full(n, self.rule.lower), np.full(n, far + int(truth.max()))
            if self.flags:
                low[~self.primary], high[self.primary] = self.rule.upper + 1, self.rule.upper
            down[:n], up[:n] = truth[:n] - low, np.minimum(up[:n], high - truth[:n])
        return Room(self._relations(), down, up)

    def _relations(self) -> Any:
        """The relations among the figures, and those of the further sums: the finest cells are the first figures."""
        relations, further = self.figures.relations, self.sums.shape[0]
        if not further:
            return relations
        rows = sp.csr_array(self.sums)
        cells = sp.csr_array((-rows.data, rows.indices, rows.indptr), shape=(further, len(self.figures)))
        sums = [[relations, None], [cells, sp.eye_array(further, dtype=np.int64)]]
        return sp.csr_array(sp.block_array(sums))

    def in_words(self, cost: int) -> str:
        """A cost in what is minimised."""
        whole = cost // self.per
        return self.figures.start.show(whole) if self.minimise == "counts" else f"{whole:,}"

    def task(self) -> Task:
        """The problem as arrays; refused where no pattern can give a sensitive figure what it wants."""
        room, extra = self.room(), np.ones(self.sums.shape[0], dtype=bool)
        n = len(self.figures)
        possible = (room.down[:n] >= 0) & (room.up[:n] >= 0)
        forced, open_too = np.append(self.forced, extra), np.append(self.open & possible, ~extra)
        cost = np.append(np.where(self.figures.offered, self.cost, 0), np.zeros(len(extra), dtype=np.int64))
        known = (np.empty(0, dtype=np.int64), *self.alone)
        return Task(
            room,
            self.sensitive,
            forced,
            open_too & ~forced,
            cost,
            known,
            lambda attacker: self._reach(forced | open_too, attacker),
            self.too_narrow,
        )

    def _reach(self, most: np.ndarray, attacker: int) -> np.ndarray:
        """How far above the truth each sensitive figure can be where everything is withheld that may be."""
        figures = self.sensitive.figures
        lower, upper = self.intervals(most, attacker)
        strange = ~np.isin(figures, self.alone[attacker - 1]) if attacker else np.ones(len(figures), dtype=bool)
        for i in np.flatnonzero(strange & ~self.sensitive.wide_enough(lower, upper, self.truth)):
            raise self.impossible(int(figures[i]), attacker)
        return upper - self.truth[figures]

    def impossible(self, figure: int, attacker: int = 0) -> InputError:
        """No pattern gives a sensitive figure what it wants."""
        n, seen, zeros, inside = len(self.figures), "", ", or let zeros be withheld (secondary_zeros=True)", ""
        what = f"cell {self.figures.words(figure)}" if figure < n else "the sum of one contributor's cells"
        if attacker:
            seen = f" by the contributor who is alone in {self.figures.words(int(self.alone[attacker - 1][0]))}"
            inside = ", or protect from outsiders only (alone=False)"
        if self.rule is not None or self.open[self.truth[:n] == 0].any():
            zeros = ""
        return InputError(
            f"no suppression can give {what} the wanted interval: with every other cell withheld that may be, it still is "
            f"known too well{seen}; want less, publish fewer margins (margins=){zeros}{inside}."
        )
