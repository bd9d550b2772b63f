"""A few people of some figures put together anew, drawn from the law given everybody else (a block Gibbs step)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.jit import jit, jit_inlined
from ...base.random_streams import fraction
from ...moves.people.exchange_steps import (
    MOST_STEPS,
    Arrays,
    Room,
    begin_exchange,
    between_bounds,
    end_exchange,
    next_way,
    put_in,
    ways_of_a_column,
)
from ...moves.people.exchanges import Exchanges
from ..lines.weights import ALIKE, Weights, log_weight
from ..tallies.tally import Tally, end_of_draw
from .kernel import Fit, Kernel, Lasting, Place, Task

if TYPE_CHECKING:
    from ..chains.unit import Unit

LESSON, EVERYWHERE = 200, 0.1
"""Steps of a trial for each way to draw figures, and the share of steps that do without what was learnt."""
WORK_PER_CELL = 400.0
"""Nanoseconds of work from one draw to the next: one step in a hundred changes anything, and looking at a whole population
takes as long as dozens."""


def fits(task: Task) -> Fit | None:
    """Exchanges, under any law."""
    return Fit((ExchangeKernel(task.moves, task.weights),)) if isinstance(task.moves, Exchanges) else None


@dataclass(frozen=True, eq=False)
class ExchangeKernel(Kernel):
    """A few people exchange features."""

    moves: Exchanges
    weights: Weights

    words = "exchanges among a few people"
    cost = 1400.0
    credits_lines = False

    def steps(self, n_columns: int) -> int:
        """More to a draw than of other kernels."""
        return max(super().steps(n_columns), ceil(WORK_PER_CELL * n_columns / self.cost))

    def work(self, n_columns: int) -> float:
        """So that a draw takes longer."""
        return self.draw_cost(n_columns)

    def learned(self, unit: Unit, start: np.ndarray, random: np.ndarray) -> Kernel:
        """With figures drawn where people are seen to change."""
        arrays = self.moves.arrays
        tried, changed = np.zeros((2, len(arrays.odds)))
        table = (start - unit.offset).astype(np.int64)
        learn(arrays, self.room(), self.weights, table, random, LESSON * len(arrays.odds), tried, changed)
        rate = np.sqrt((changed + 1.0) / (tried + LESSON))
        odds = EVERYWHERE / len(rate) + (1.0 - EVERYWHERE) * rate / rate.sum()
        cumulative = np.cumsum(odds) / odds.sum()
        return replace(self, moves=replace(self.moves, arrays=arrays._replace(odds=cumulative)))

    def room(self) -> Room:
        """Room for the search."""
        return self.moves.room()

    def lasting(self, room: Any) -> Lasting:
        """Nothing: a step leaves it as it found it."""
        return ()

    def walk(self, place: Place, tally: Tally, room: Any, draws: int, steps: int) -> int:
        """Make exchanges."""
        return walk_exchanges(self.moves.arrays, self.weights, place, tally, room, draws, steps)


@jit_inlined
def _among(columns: np.ndarray, many: int, column: int) -> bool:
    """Is a column among the first of some?"""
    for k in range(many):  # noqa: SIM110  (compiled)
        if columns[k] == column:
            return True
    return False


@jit_inlined
def _log_of_changed(weights: Weights, room: Room, people: int, table: np.ndarray) -> float:
    """The log-weight of a table once people are put in, up to what is the same for every way to do so.

    Where nobody was taken it is told by the count before, which is the table's own and possible; where somebody was, that
    count may be in a gap of the law.
    """
    log = 0.0
    if weights.kind == ALIKE:
        return log
    for k in range(people):
        column = room.taken[k]
        if not _among(room.taken, k, column):
            log += log_weight(weights, column, table[column])
    for k in range(people):
        column = room.chosen[k]
        if _among(room.chosen, k, column) or _among(room.taken, people, column):
            continue
        added = 1
        for later in range(k + 1, people):
            added += room.chosen[later] == column
        log += log_weight(weights, column, table[column]) - log_weight(weights, column, table[column] - added)
    return log


@jit
def exchange(arrays: Arrays, room: Room, weights: Weights, table: np.ndarray, random: np.ndarray) -> int:
    """One exchange; how many ways there were, 0 where all stayed.

    As many people of a column can be taken out in several ways, which counts, too: each way is weighed with how probably it
    would have been the one that was taken out.
    """
    people, n_touched = begin_exchange(arrays, room, table, random)
    if people == 0:
        return 0
    ways, top, total, depth, steps = 0, -np.inf, 0.0, 0, MOST_STEPS
    while True:
        depth, steps = next_way(arrays, room, people, n_touched, depth, steps)
        if depth < 0:
            return end_exchange(room, people, n_touched, table, ways, steps)
        log = 0.0
        for k in range(people):
            log += np.log(ways_of_a_column(room, table, k))
            table[room.chosen[k]] += 1
        possible = between_bounds(arrays, room, people, table)
        if possible:
            log += _log_of_changed(weights, room, people, table)
        put_in(room, room.chosen, people, table, -1)
        if not possible or not log > -np.inf:
            continue
        ways += 1
        if log > top:
            total, top = total * np.exp(top - log), log
        share = np.exp(log - top)
        total += share
        if fraction(random) * total < share:
            room.best[:] = room.chosen


@jit
def learn(
    arrays: Arrays,
    room: Room,
    weights: Weights,
    table: np.ndarray,
    random: np.ndarray,
    steps: int,
    tried: np.ndarray,
    changed: np.ndarray,
) -> None:
    """How often each way to draw figures was tried, and left another choice."""
    for _ in range(steps):
        ways = exchange(arrays, room, weights, table, random)
        tried[room.way[0]] += 1.0
        changed[room.way[0]] += ways > 1


@jit
def walk_exchanges(
    arrays: Arrays, weights: Weights, place: Place, tally: Tally, room: Room, draws: int, steps: int
) -> int:
    """So many exchanges for each draw; the draws done."""
    for done in range(draws):
        for _ in range(steps):
            exchange(arrays, room, weights, place.table, place.random)
        end_of_draw(tally, place.table)
        if tally.n_waiting[0] > 0:
            return done + 1
    return draws
