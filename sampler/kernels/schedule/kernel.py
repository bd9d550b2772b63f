"""The kernel of small blocks with a list of moves: a schedule that is learnt, and masks that skip what is blocked."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ....base.errors import TooLarge
from ....base.jit import jit_lean
from ....moves.families.listed import Listed
from ....moves.families.margins import MarginMoves
from ....moves.families.swaps import Swaps
from ...lines.weights import ALIKE, Weights, has_tails
from ...tallies.tally import Tally, end_of_draw
from ..kernel import Fit, Kernel, Lasting, Place, Task
from .odds import entry_cost, learn_odds
from .walk import RUN, ListedArrays, Room, listed_arrays, room_for, walk_entries

if TYPE_CHECKING:
    from ...chains.unit import Unit

MOST_COLUMNS = 256
"""In larger blocks masks grow long and seldom tell anything."""
FEW_COLUMNS, FEW_MOVES = 64, 30_000
"""In blocks up to this size moves of margins are listed rather than drawn, if there are not too many."""
FEW_SWAPS = 20_000
"""Swaps up to this number are listed where no kernel of their own is right for the law."""
FITS, LONG = 6_000, 50_000
"""Moves of a list that fits into the cache, and for each of which lists beyond that cost as much again."""
LESSON, LONGEST_LESSON = 400, 2_000_000
"""Entries for each move, and in all, that a schedule is learnt from."""


def fits(task: Task) -> Fit | None:
    """Lists of moves in small blocks, and families there that can be listed; under any law."""
    moves, n = task.moves, task.n_columns
    if n > MOST_COLUMNS or has_tails(task.weights):
        return None
    if isinstance(moves, Listed):
        return Fit((scheduled_kernel(task, moves.rows),))
    if isinstance(moves, Swaps):
        with suppress(TooLarge):
            return Fit((scheduled_kernel(task, moves.listed(FEW_SWAPS)),))
    if isinstance(moves, MarginMoves) and n <= FEW_COLUMNS:
        with suppress(TooLarge):
            return Fit((scheduled_kernel(task, moves.listed(FEW_MOVES)),))
    return None


def scheduled_kernel(task: Task, rows: Any) -> ScheduleKernel:
    """The kernel for moves given as sparse rows, before it learnt how often each is worth its turn."""
    listed = Listed(rows, task.moves.certificate)
    return ScheduleKernel(listed_arrays(listed, task.block, task.weights), task.weights)


@dataclass(frozen=True, eq=False)
class ScheduleKernel(Kernel):
    """Moves of a list in a schedule; a step is one entry of it, blocked or not."""

    arrays: ListedArrays
    weights: Weights
    seen_cost: float = 0.0
    """Nanoseconds of a step, as a walk showed; 0: not known yet."""

    credits_lines = False

    @property
    def words(self) -> str:  # type: ignore[override]
        """How many moves there are."""
        n = len(self.arrays.middle)
        return f"hit-and-run along a schedule of {n:,} move{'' if n == 1 else 's'}"

    @property
    def cost(self) -> float:  # type: ignore[override]
        """Most entries are blocked or short; long lists do not fit into the cache."""
        usual, n = 20.0 if self.weights.kind == ALIKE else 25.0, len(self.arrays.middle)
        return usual if n <= FITS else usual * (1.0 + n / LONG)

    def learned(self, unit: Unit, start: np.ndarray, random: np.ndarray) -> Kernel:
        """With a schedule learnt from a walk."""
        steps = min(LESSON * len(self.arrays.middle), LONGEST_LESSON)
        table = start - unit.offset
        arrays = learn_odds(self.arrays, self.weights, unit.lower, unit.upper, table, random, steps)
        seen = entry_cost(arrays, self.weights, unit.lower, unit.upper, table, random)
        return replace(self, arrays=arrays, seen_cost=seen)

    def draw_cost(self, n_columns: int) -> float:
        """As it was seen: where moves are open, an entry takes many times as long as where they are blocked."""
        return self.steps(n_columns) * (self.seen_cost or self.cost)

    def room(self) -> Room:
        """Where the walk is in the schedule."""
        return room_for(self.arrays)

    def lasting(self, room: Any) -> Lasting:
        """The place in the schedule, and the entries left before the next jump."""
        return (room.at[:1], 0, max(0, len(self.arrays.order) - 1)), (room.at[1:], 0, RUN)

    def walk(self, place: Place, tally: Tally, room: Any, draws: int, steps: int) -> int:
        """Entries of the schedule."""
        return walk_schedule(self.arrays, self.weights, room, place, tally, draws, steps)


@jit_lean
def walk_schedule(
    arrays: ListedArrays, weights: Weights, room: Room, place: Place, tally: Tally, draws: int, steps: int
) -> int:
    """So many draws of `steps` entries each; the draws done."""
    for done in range(draws):
        walk_entries(arrays, weights, place.lower, place.upper, place.table, place.random, steps, room)
        end_of_draw(tally, place.table)
        if tally.n_waiting[0] > 0:
            return done + 1
    return draws
