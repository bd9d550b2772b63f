"""Solving a suppression problem: what is withheld, what it costs, and what of that is proven."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...base.interruption import check_max_seconds, plain_interrupts, time_limit
from ...base.numbers import check_seed, check_whole
from ...base.progress import Progress, shown
from ...base.saved_forms import saved
from ...release.facts.facts import Applied, Protection
from ...release.release import Release
from ..mechanism.mechanism import SUPPORT
from .patterns.suppression_pattern import Pattern, cheapest_pattern
from .problem import SuppressionProblem

ROUNDS = 25
"""How often a pattern is improved."""


@saved("WithheldFigures")
@dataclass(frozen=True, eq=False)
class Withheld:
    """Which figures a solved problem withholds."""

    problem: SuppressionProblem
    hidden: np.ndarray
    """Of all figures: the sensitive ones, and those that protect them."""
    proven: bool
    """Is no cheaper pattern possible?"""
    cost: int
    at_least: int
    """No pattern costs less."""
    stopped: str
    settled: bool = False
    """Is it proven that among the cheapest patterns the seed alone decided?"""

    @property
    def release(self) -> Release:
        """What is published, with what was done and the levels that were asked for."""
        task, figures = self.problem, self.problem.figures
        release, wanted = task.released(self.hidden), task.sensitive
        shown_too = figures.offered & self.hidden
        words = f"{int(shown_too.sum()):,} of {int(figures.offered.sum()):,} cells and totals are withheld"
        applied = Applied("complementary suppression", SUPPORT, words, own_words=self.words)
        levels = {
            tuple(figures.keys[figure].tolist()): Protection(int(under), int(over), int(broad))
            for figure, under, over, broad in zip(wanted.figures, wanted.below, wanted.above, wanted.width, strict=True)
            if figure < len(figures)
        }
        note = f"{applied.name}: {applied.words} (likelihood: {applied.likelihood})"
        return replace(release, protection=levels, applied=(applied,), notes=(note, *release.notes))

    @property
    def totals_too(self) -> bool:
        """Could totals have been withheld?"""
        task = self.problem
        return bool((task.figures.offered & (task.open | task.forced))[task.figures.n_cells :].any())

    @property
    def what_was_withheld(self) -> str:
        """How much is withheld, as sensitive and to protect that."""
        task, offered = self.problem, self.problem.figures.offered
        first, other = int(task.primary.sum()), int((self.hidden & offered & ~task.primary).sum())
        of = f"{int(offered.sum()):,} cells and totals" if self.totals_too else f"{task.figures.n_cells:,} cells"
        return (
            f"of {of} {first:,} {'is' if first == 1 else 'are'} withheld as sensitive and {other:,} "
            f"{'is' if other == 1 else 'are'} to protect {'it' if first == 1 else 'them'}"
        )

    @property
    def words(self) -> str:
        """What was done, and whether it is proven to be the cheapest."""
        task, words = self.problem, f"{self.what_was_withheld}; "
        counted = "number of figures" if self.totals_too else "number of cells"
        kind = {"cells": counted, "counts": "sum of counts"}.get(task.minimise, "cost")
        if self.proven:
            return f"{words}proven to be the least {kind} that does"
        cost, least = task.in_words(self.cost), task.in_words(self.at_least)
        ended = f"; the search ended early: {self.stopped}" if self.stopped else ""
        return (
            f"{words}not proven to be the least {kind} that does ({cost} withheld in all, no pattern has less than "
            f"{least}){ended}"
        )


def least_suppression(
    problem: SuppressionProblem,
    *,
    rounds: int = ROUNDS,
    seed: int = 1,
    break_ties: bool = False,
    max_seconds: float | None = None,
    progress: Progress | bool | None = None,
) -> Withheld:
    """The cheapest pattern that gives every sensitive figure what it wants, or the best that so much work finds.

    With `break_ties` the seed decides among equally cheap ones.
    """
    check_whole(rounds=rounds)
    check_max_seconds(max_seconds)
    check_seed(seed)
    with shown(progress) as tell, plain_interrupts(), time_limit(max_seconds):
        task = problem.task().with_ties_broken(seed) if break_ties else problem.task()
        pattern = cheapest_pattern(task, rounds=int(rounds), seed=seed, tell=tell or (lambda line: None))
    if pattern.unmet is not None:
        raise problem.impossible(pattern.unmet.figure, pattern.unmet.attacker)
    return _result(problem, pattern)


def _result(problem: SuppressionProblem, pattern: Pattern) -> Withheld:
    hidden: Any = pattern.hidden[: len(problem.figures)]
    if (problem.primary & ~hidden).any():
        raise InputError("a sensitive figure would be published.")
    return Withheld(problem, hidden, pattern.proven, pattern.cost, pattern.at_least, pattern.stopped, pattern.settled)
