"""Hit-and-run along vectors of lattice bases that wander, of which only those that the table leaves room for are drawn.

How many these are depends on the table, so a step from x to y is accepted with min(1, number at x / number at y)
(Metropolis-Hastings).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.jit import jit_lean
from ...base.random_streams import below, fraction
from ...moves.families.adaptive_kernel import Given, Tableau, directions, wander, write
from ...moves.families.adaptive_lattice import EXCHANGES, AdaptiveLattice
from ..lines.line import Line, draw_on_line, line_range
from ..lines.weights import Weights, or_none
from ..tallies.tally import Tally, end_of_draw
from .kernel import ANYTHING, Fit, Kernel, Lasting, Place, Task


def fits(task: Task) -> Fit | None:
    """Any block, under any law."""
    return Fit((AdaptiveKernel(task.moves, task.weights),)) if isinstance(task.moves, AdaptiveLattice) else None


@dataclass(frozen=True, eq=False)
class AdaptiveKernel(Kernel):
    """Vectors of bases that change a little between steps; each chain has its own basis."""

    moves: AdaptiveLattice
    weights: Weights

    words = "hit-and-run along vectors of wandering lattice bases"
    credits_lines = False

    @property
    def cost(self) -> float:  # type: ignore[override]
        """Most of it goes by the entries of the basis, all of which are looked at twice."""
        return 500.0 + 4.0 * self.moves.tableau.entry.size

    def room(self) -> Any:
        """A basis to write to, and room for a vector."""
        n = self.moves.n_columns
        return self.moves.workspace(), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)

    def lasting(self, room: Any) -> Lasting:
        """The basis, which wanders."""
        basis, n = room[0], self.moves.n_columns
        return (
            (basis.lead, 0, n - 1),
            (basis.dependent, 0, n - 1),
            (basis.entry, *ANYTHING),
            (basis.row, -1, len(basis.lead) - 1),
        )

    def walk(self, place: Place, tally: Tally, room: Any, draws: int, steps: int) -> int:
        """Steps along vectors of a basis."""
        return walk_adaptive(self.moves.given, room, EXCHANGES, or_none(self.weights), place, tally, draws, steps)


@jit_lean
def walk_adaptive(
    given: Given,
    room: tuple[Tableau, np.ndarray, np.ndarray],
    exchanges: int,
    weights: Weights | None,
    place: Place,
    tally: Tally,
    draws: int,
    steps: int,
) -> int:
    """Make so many steps for each draw; the draws done. The room is for a basis, and for one of its vectors."""
    tableau, columns, sizes = room
    table, lower, upper, random, weight = place
    for done in range(draws):
        for _ in range(steps):
            wander(tableau, random, exchanges)
            number = directions(given, tableau, table)
            if number == 0:
                continue
            length = write(tableau, tableau.found[below(random, number)], 1, columns, sizes)
            low, high = line_range(lower, upper, table, columns, sizes, 0, length)
            line = Line(table, columns, sizes, 0, length, low, high)
            times, _ = draw_on_line(weights, line, random, weight)
            if times == 0:
                continue
            for e in range(length):
                table[columns[e]] += times * sizes[e]
            number_there = directions(given, tableau, table)
            if fraction(random) * number_there >= number:
                for e in range(length):
                    table[columns[e]] -= times * sizes[e]
        end_of_draw(tally, table)
        if tally.n_waiting[0] > 0:
            return done + 1
    return draws
