"""The program that turns a table into a pattern: the problem as it is posed, and how it is solved."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..base.errors import InputError
from ..base.progress import Progress
from ..base.saved_forms import saved
from ..fiber.laws.unknown_law import UnknownLaw, on_paper
from ..protect.withholding.least_suppression import Withheld, least_suppression
from ..protect.withholding.problem import SuppressionProblem
from .attempts import Attempts
from .search import Search
from .targets import Target


class Solution(NamedTuple):
    """A solved problem."""

    withheld: Withheld
    cost_of_intervals: int
    """What the pattern costs whose intervals alone are wide enough."""
    thorough: bool
    """Can no one or two figures be given back or exchanged?"""


@saved("Program")
@dataclass(frozen=True, eq=False)
class Program:
    """Everything that decides which figures of a table are withheld, but the table and the seed."""

    problem: SuppressionProblem
    targets: tuple[Target, ...]
    laws: tuple[Any, ...]
    rounds: int

    def _saved_form_(self) -> Program:
        return replace(self, laws=tuple(on_paper(law, self.problem.figures.start) for law in self.laws))

    def check_can_be_run(self) -> None:
        """Refuse what came from a file that could not hold all of it."""
        start = "knows=: this was loaded from a file, which cannot hold"
        if self.problem.anew is None:
            raise InputError(f"{start} the functions that said what was wanted; suppress again, then ask.")
        if self.targets and any(isinstance(law, UnknownLaw) for law in self.laws):
            raise InputError(f"{start} the weights of a law of your own; suppress again with law=, then ask.")

    def solved(self, seed: int, tell: Progress | None = None) -> Solution:
        """The pattern of the problem's own table; refused where there is none."""
        return _solved(self, self.problem, seed, tell)

    def of_table(self, truth: np.ndarray, seed: int) -> Withheld | None:
        """What would be withheld if this were the table; None if it would be refused."""
        try:
            return _solved(self, self.problem.for_table(truth), seed, None).withheld
        except InputError:
            return None


def _solved(program: Program, task: SuppressionProblem, seed: int, tell: Progress | None) -> Solution:
    first = least_suppression(task, rounds=program.rounds, seed=seed, break_ties=True, progress=tell or False)
    if not program.targets:
        return Solution(first, first.cost, False)
    return _until(first, Attempts(task, program.targets, program.laws, seed), seed, tell or (lambda line: None))


def _until(first: Withheld, attempts: Attempts, seed: int, tell: Progress) -> Solution:
    """The pattern of intervals, with more withheld until targets are reached."""
    task = first.problem
    arrays = task.task().with_ties_broken(seed)
    begin = np.append(first.hidden, np.ones(task.sums.shape[0], dtype=bool))
    search = Search(arrays, attempts, lambda hidden: not len(task.too_narrow(hidden)), tell, first.settled)
    found = search.run(begin, seed)
    if found.hidden is None:
        worst = attempts.beyond(begin)
        figure = int(np.flatnonzero(task.primary)[int(worst.argmax())])
        ended = f"; the search ended early: {found.stopped}" if found.stopped else ""
        raise InputError(
            f"no pattern was found in which {attempts.targets[0].meaning}: what is believed of cell "
            f"{task.figures.words(figure)} stays beyond that; want less, let zeros or totals be withheld, or publish fewer "
            f"margins{ended}."
        )
    hidden = found.hidden[: len(task.figures)]
    cost = int(arrays.cost[found.hidden].sum()) // arrays.unit
    withheld = replace(first, hidden=hidden, cost=cost, proven=cost <= first.at_least, stopped=found.stopped)
    return Solution(withheld, first.cost, found.thorough)
