"""Would the program have suppressed another table in the same way? Most tables are ruled out without running it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..base.errors import InputError
from ..base.interruption import check_time
from ..base.progress import Progress
from ..fiber.blocks.presolve import presolve
from ..fiber.bounds.chooser import sharp_bounds
from ..protect.withholding.least_suppression import Withheld
from ..protect.withholding.patterns.suppression_task import by_chance
from ..protect.withholding.patterns.tied_patterns import cheapest_patterns, taken
from ..protect.withholding.problem import SuppressionProblem
from .program import Program

AS_KNOWN = (
    "she is an outsider who knows the program; what it was told figure by figure ({}) is taken as known to her, and as the "
    "same for every table"
)


@dataclass(eq=False)
class Published:
    """What a program has published, and the question whether it would have withheld the same figures of another table."""

    program: Program
    hidden: np.ndarray
    tell: Progress
    programs: int = 0
    """How often the program was run."""
    _known: dict[tuple[bytes, int], bool] = field(default_factory=dict)
    _first: dict[bytes, Withheld | None] = field(default_factory=dict)
    _chances: np.ndarray | None = None

    @property
    def caveats(self) -> tuple[str, ...]:
        """What she is taken to know besides the program."""
        said = self.program.problem.fixed
        return (AS_KNOWN.format(", ".join(f"{name}=" for name in said)),) if said else ()

    @cached_property
    def _intervals(self) -> tuple[np.ndarray, np.ndarray]:
        """Between which values every figure lies: the same for whatever table agrees with what is published."""
        problem = self.program.problem
        bounds = sharp_bounds(presolve(problem.released(self.hidden)), problem.figures.matrix)
        return bounds.lower, bounds.upper

    def may_be(self, truth: np.ndarray) -> bool:
        """Could the program withhold these figures of a table, by what must, what may, and what would be wide enough?"""
        task = self._posed(truth)
        if task is None:
            return False
        offered = task.figures.offered
        if (task.forced & ~self.hidden).any() or (self.hidden & offered & ~(task.forced | task.open)).any():
            return False
        if task.flags and (task.primary != self.program.problem.primary).any():
            return False
        if task.sums.shape[0] or task.alone:
            return True
        lower, upper = self._intervals
        places = task.sensitive.figures
        return bool(task.sensitive.wide_enough(lower[places], upper[places], task.truth).all())

    def gives(self, truth: np.ndarray, seed: int) -> bool:
        """Does the program withhold exactly these figures of a table?"""
        mark = truth.tobytes(), seed
        if mark not in self._known:
            self._known[mark] = self.may_be(truth) and self._same(self.run(truth, seed))
        return self._known[mark]

    def never(self, truth: np.ndarray, seed: int) -> bool:
        """Is it proven that the program withholds other figures of a table, whatever its seed?

        Of a pattern that is proven to be the cheapest it is enough to know what it costs, if the published one costs more.
        """
        if not self.may_be(truth):
            return True
        if self.program.targets:
            return False
        found = self._first[truth.tobytes()] = self.run(truth, seed)
        self._known[truth.tobytes(), seed] = self._same(found)
        return found is None or (found.proven and self._cost(truth) > found.cost)

    def run(self, truth: np.ndarray, seed: int) -> Withheld | None:
        """What the program withholds of a table; None if it refuses the table."""
        self.programs += 1
        return self.program.of_table(truth, seed)

    def shares(self, truth: np.ndarray, seeds: Sequence[int]) -> np.ndarray:
        """For each seed: does it withhold these figures of a table that `never` has looked at?

        Of a small problem all cheapest patterns are listed, among which a seed chooses; else the program is run for each.
        """
        first = self._first.get(truth.tobytes())
        if len(seeds) > 1 and first is not None and first.settled:
            task = first.problem.task()
            patterns = cheapest_patterns(task, first.cost)
            if patterns is not None:
                n = len(task.cost)
                if self._chances is None or self._chances.shape != (len(seeds), n):
                    self._chances = np.array([by_chance(seed, n) for seed in seeds])
                mine = np.flatnonzero((patterns[:, : len(self.hidden)] == self.hidden).all(axis=1))
                return np.isin(taken(patterns, task.dear(self._chances)), mine)
        return np.array([self.gives(truth, seed) for seed in seeds])

    def sensitive(self, tables: np.ndarray) -> np.ndarray:
        """Of each withheld cell and total, in the order of an audit: is it sensitive in any of some tables?"""
        figures = self.program.problem.figures
        primary = np.any([self.program.problem.for_table(table).primary for table in tables], axis=0)
        shown = figures.released(self.hidden, self.program.problem.primary)
        keys = [tuple(key) for key in shown.listed(())[0].tolist()]
        return np.array([bool(primary[figures.place[key]]) for key in keys])

    def _same(self, found: Withheld | None) -> bool:
        return found is not None and bool((found.hidden == self.hidden).all())

    def _cost(self, truth: np.ndarray) -> int:
        """What the published pattern costs in a table."""
        task = self.program.problem.for_table(truth)
        return int(task.cost[self.hidden & task.figures.offered].sum())

    def _posed(self, truth: np.ndarray) -> SuppressionProblem | None:
        try:
            return self.program.problem.for_table(truth)
        except InputError:
            return None


def same_pattern(ask: Published, tables: np.ndarray, seeds: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """[table, seed]: is the pattern the same? And which tables are not proven to have another."""
    same, possible = np.zeros((len(tables), len(seeds))), np.ones(len(tables), dtype=bool)
    for number, table in enumerate(tables):
        check_time("tables were suppressed one by one")
        possible[number] = not ask.never(table, seeds[0])
        if possible[number]:
            same[number] = ask.shares(table, seeds)
        ask.tell(f"{number + 1:,} of {len(tables):,} tables: {int(same.any(axis=1).sum()):,} give the same pattern")
    if len(seeds) == 1:
        possible &= same[:, 0] > 0
    return same, possible
