"""Complete two-way tables under 1/x!, each drawn anew (exact sampling)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ....base.jit import jit_lean
from ....fiber.blocks.presolve import Block
from ....moves.families.swaps import Swaps
from ...lines.weights import FACTORIAL
from ...tallies.tally import Tally, end_of_draw
from ..kernel import Fit, Place, Task
from .draw_two_way import Room, TwoWayPlan, draw_independent, two_way_plan, two_way_room
from .kernel import DIRECT, IndependentKernel


def fits(task: Task) -> Fit | None:
    """Complete two-way tables under 1/x! whose cells are bounded by nothing but the margins."""
    if not (isinstance(task.moves, Swaps) and task.alone and task.weights.kind == FACTORIAL):
        return None
    if not bounded_by_margins_only(task.block, task.moves.cell):
        return None
    return Fit((TwoWayKernel(two_way_plan(task.moves.cell, task.block.start)),), certificate=DIRECT)


def bounded_by_margins_only(block: Block, cell: np.ndarray) -> bool:
    """Do the bounds of a complete two-way table say no more than its row and column sums do?

    Swaps ask for less: an upper bound of one cell may be a lower bound of others, above which the table is free.
    """
    rows, columns = block.start[cell].sum(axis=1, keepdims=True), block.start[cell].sum(axis=0)
    least, most = np.maximum(rows + columns - rows.sum(), 0), np.minimum(rows, columns)
    return bool((block.lower[cell] <= least).all() and (block.upper[cell] >= most).all())


@dataclass(frozen=True, eq=False)
class TwoWayKernel(IndependentKernel):
    """Complete two-way tables under 1/x!."""

    plan: TwoWayPlan

    words = "independent two-way tables"

    def room(self) -> Any:
        """Room for a table's sums."""
        return two_way_room(self.plan)

    def walk(self, place: Place, tally: Tally, room: Any, draws: int, steps: int) -> int:
        """New tables."""
        return walk_two_way(self.plan, room, place, tally, draws)


@jit_lean
def walk_two_way(plan: TwoWayPlan, room: Room, place: Place, tally: Tally, draws: int) -> int:
    """So many new tables; the draws done."""
    for done in range(draws):
        draw_independent(plan, place.random, room, place.table)
        end_of_draw(tally, place.table)
        if tally.n_waiting[0] > 0:
            return done + 1
    return draws
