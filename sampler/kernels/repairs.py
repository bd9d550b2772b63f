"""Rounds of replaced people: each mends what the last one broke, until all figures hold; the law decides what is kept."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from ...base.jit import jit, jit_inlined
from ...base.random_streams import fraction
from ...moves.people.repair_steps import RepairRoom, Replacements, find_round, take_back
from ...moves.people.repairs import Repairs
from ..lines.weights import ALIKE, Weights, log_weight
from ..tallies.tally import Tally, end_of_draw
from .exchanges import WORK_PER_CELL
from .kernel import Fit, Kernel, Lasting, Place, Task

COST = 600.0
"""Nanoseconds for each other by whom somebody may be replaced."""


def fits(task: Task) -> Fit | None:
    """Repairs, under any law."""
    return Fit((RepairKernel(task.moves, task.weights),)) if isinstance(task.moves, Repairs) else None


@dataclass(frozen=True, eq=False)
class RepairKernel(Kernel):
    """People are replaced until all figures hold again."""

    moves: Repairs
    weights: Weights

    words = "rounds of replaced people"
    credits_lines = False

    @property
    def cost(self) -> float:  # type: ignore[override]
        """By how many others somebody may be replaced."""
        return COST * max(1.0, len(self.moves.arrays.source) / self.moves.n_columns)

    def steps(self, n_columns: int) -> int:
        """As much work to a draw as of exchanges."""
        return max(super().steps(n_columns), ceil(WORK_PER_CELL * n_columns / self.cost))

    def work(self, n_columns: int) -> float:
        """So that a draw takes longer."""
        return self.draw_cost(n_columns)

    def longest(self) -> int:
        """Two columns of everybody."""
        return 2 * self.moves.arrays.longest

    def room(self) -> RepairRoom:
        """Room for a round."""
        return self.moves.room()

    def lasting(self, room: Any) -> Lasting:
        """Nothing: a step leaves it as it found it."""
        return ()

    def walk(self, place: Place, tally: Tally, room: Any, draws: int, steps: int) -> int:
        """Make rounds."""
        return walk_repairs(self.moves.arrays, self.weights, place, tally, room, draws, steps)


@jit_inlined
def _log_of_round(to: Replacements, room: RepairRoom, weights: Weights, table: np.ndarray, many: int) -> float:
    """The log-weight of a table after a round, less that before it, which is possible though on the way it may not be."""
    log = 0.0
    if weights.kind == ALIKE:
        return log
    for k in range(many):
        room.net[to.source[room.path[k]]] -= 1
        room.net[to.target[room.path[k]]] += 1
    for k in range(2 * many):
        edge = room.path[k // 2]
        column = to.source[edge] if k % 2 == 0 else to.target[edge]
        if room.net[column] != 0:
            log += log_weight(weights, column, table[column])
            log -= log_weight(weights, column, table[column] - room.net[column])
            room.net[column] = 0
    return log


@jit
def repair(to: Replacements, room: RepairRoom, weights: Weights, table: np.ndarray, random: np.ndarray) -> int:
    """One round; how many people were replaced, 0 where all stayed."""
    many, log = find_round(to, room, table, random)
    if many == 0:
        return 0
    log += _log_of_round(to, room, weights, table, many)
    if log < 0.0 and not fraction(random) < np.exp(log):
        take_back(to, room, table, many)
        return 0
    return many


@jit
def walk_repairs(
    to: Replacements, weights: Weights, place: Place, tally: Tally, room: Any, draws: int, steps: int
) -> int:
    """So many rounds for each draw; the draws done."""
    for done in range(draws):
        for _ in range(steps):
            repair(to, room, weights, place.table, place.random)
        end_of_draw(tally, place.table)
        if tally.n_waiting[0] > 0:
            return done + 1
    return draws
