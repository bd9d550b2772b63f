"""Sub-tables redrawn as a whole from the law given the rest (a block Gibbs step): all their tables are tried each time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.jit import jit, jit_inlined
from ...base.random_streams import below, fraction
from ...fiber.solvers.every_table import Search, begin, next_table
from ...moves.families.sub_tables import MOST_STEPS, Arrays, SubTables
from ..lines.weights import ALIKE, Weights, log_weight
from ..tallies.tally import Tally, end_of_draw
from .kernel import Fit, Kernel, Place, Task

if TYPE_CHECKING:
    from ..chains.unit import Unit

LESSON = 64
"""Sub-tables that are redrawn to see how many tables they have."""
NS_PER_REDRAW, NS_PER_TABLE = 4000.0, 200.0
"""What a search costs, and each table that it finds; one that is given up counts as having found a third of its steps."""


def fits(task: Task) -> Fit | None:
    """Small parts of any block, under any law."""
    return Fit((SubTableKernel(task.moves, task.weights),)) if isinstance(task.moves, SubTables) else None


@dataclass(frozen=True, eq=False)
class SubTableKernel(Kernel):
    """A sub-table at random, redrawn."""

    moves: SubTables
    weights: Weights

    usual_cost: float = 20_000.0

    words = "sub-tables redrawn as a whole"
    credits_lines = False

    @property
    def cost(self) -> float:  # type: ignore[override]
        """By how many tables the sub-tables have: from microseconds to a thousand times that."""
        return self.usual_cost

    def learned(self, unit: Unit, start: np.ndarray, random: np.ndarray) -> Kernel:
        """With its cost, from how many tables the sub-tables of a short walk have."""
        table, arrays, n_tables = (start - unit.offset).astype(np.int64), self.moves.arrays, 0
        for _ in range(LESSON):
            sub_table = below(random, len(arrays.n_rows))
            number = redraw_by_weight(arrays, sub_table, MOST_STEPS, self.weights, table, random)
            n_tables += number or MOST_STEPS // 3
        return replace(self, usual_cost=NS_PER_REDRAW + NS_PER_TABLE * n_tables / LESSON)

    def walk(self, place: Place, tally: Tally, room: Any, draws: int, steps: int) -> int:
        """Redraw sub-tables."""
        return walk_sub_tables(self.moves.arrays, MOST_STEPS, self.weights, place, tally, draws, steps)


@jit_inlined
def _log_weight_of(weights: Weights, columns: np.ndarray, values: np.ndarray) -> float:
    """The log-weight of values of some columns."""
    log = 0.0
    if weights.kind != ALIKE:
        for k in range(len(columns)):
            log += log_weight(weights, columns[k], values[k])
    return log


@jit
def redraw_by_weight(
    arrays: Arrays, sub_table: int, steps: int, weights: Weights, table: np.ndarray, random: np.ndarray
) -> int:
    """Replace a sub-table by one of all that fit, by their weights; how many there are, 0 where it was left as it is.

    The search, and giving it up after so many steps, look only at what a redraw does not change, so that neither favours a
    table. Each table that is found replaces the one before with its share of the weight so far (reservoir sampling).
    """
    columns = arrays.columns[arrays.first[sub_table] : arrays.first[sub_table + 1]]
    start = arrays.entry[arrays.first[sub_table] : arrays.first[sub_table + 1] + 1]
    rows, values = arrays.row[start[0] : start[-1]], arrays.coefficient[start[0] : start[-1]]
    b = np.zeros(arrays.n_rows[sub_table], dtype=np.int64)
    low, high = np.empty(len(columns), dtype=np.int64), np.empty(len(columns), dtype=np.int64)
    drawn = np.empty(len(columns), dtype=np.int64)
    for k in range(len(columns)):
        low[k], high[k] = arrays.lower[columns[k]], arrays.upper[columns[k]]
        for e in range(start[k], start[k + 1]):
            b[arrays.row[e]] += arrays.coefficient[e] * table[columns[k]]
    search = Search(start - start[0], rows, values)
    course = begin(search, b, low, high)
    number, top, total, chosen = 0, -np.inf, 0.0, False
    while True:
        steps = next_table(search, course, low, high, number == 0, steps)
        if steps < 0:
            break
        if steps == 0:
            return 0
        number += 1
        log = _log_weight_of(weights, columns, course.x)
        if log == -np.inf:
            continue
        if log > top:
            total, top = total * np.exp(top - log), log
        share = np.exp(log - top)
        total += share
        if fraction(random) * total < share:
            drawn[:] = course.x
            chosen = True
    if chosen:
        for k in range(len(columns)):
            table[columns[k]] = drawn[k]
    return number


@jit
def walk_sub_tables(
    arrays: Arrays, search_steps: int, weights: Weights, place: Place, tally: Tally, draws: int, steps: int
) -> int:
    """Redraw so many sub-tables for each draw; the draws done."""
    for done in range(draws):
        for _ in range(steps):
            redraw_by_weight(
                arrays, below(place.random, len(arrays.n_rows)), search_steps, weights, place.table, place.random
            )
        end_of_draw(tally, place.table)
        if tally.n_waiting[0] > 0:
            return done + 1
    return draws
