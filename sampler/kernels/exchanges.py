"""People of two figures put together anew, drawn from the law given everybody else (a block Gibbs step)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.jit import jit, jit_inlined
from ...base.random_streams import fraction
from ...moves.families.exchanges import (
    MOST_STEPS,
    Arrays,
    Exchanges,
    Room,
    between_bounds,
    forget_need,
    next_way,
    note_need,
    put_in,
    rarest,
    take_people,
    ways_of_a_column,
)
from ..lines.weights import ALIKE, Weights, log_weight
from ..tallies.tally import Tally, end_of_draw
from .kernel import Fit, Kernel, Lasting, Place, Task


def fits(task: Task) -> Fit | None:
    """Exchanges, under any law."""
    return Fit((ExchangeKernel(task.moves, task.weights),)) if isinstance(task.moves, Exchanges) else None


@dataclass(frozen=True, eq=False)
class ExchangeKernel(Kernel):
    """A few people exchange features."""

    moves: Exchanges
    weights: Weights

    words = "exchanges among a few people"
    cost = 3000.0
    credits_lines = False

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
    people = take_people(arrays, room, table, random)
    if people <= 0:
        put_in(room, room.taken, -people - 1 if people < 0 else 0, table, 1)
        return 0
    n_touched = note_need(arrays, room, people)
    room.of_row[0] = rarest(arrays, room, n_touched)
    room.place[0] = arrays.row_start[room.of_row[0]]
    number, top, total, depth, steps = 0, -np.inf, 0.0, 0, MOST_STEPS
    while True:
        depth, steps = next_way(arrays, room, people, n_touched, depth, steps)
        if depth < 0:
            break
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
        number += 1
        if log > top:
            total, top = total * np.exp(top - log), log
        share = np.exp(log - top)
        total += share
        if fraction(random) * total < share:
            room.best[:] = room.chosen
    if steps <= 0 or number == 0:
        room.best[:] = room.taken
        number = 0
    put_in(room, room.best, people, table, 1)
    forget_need(room, n_touched)
    return number


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
