"""Tables of decomposable margins under 1/x!, each drawn anew (exact sampling), all blocks at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ....base.jit import jit_lean
from ....fiber.bounds.decomposable import components
from ...lines.weights import FACTORIAL
from ...tallies.tally import Tally, end_of_draw
from ..kernel import Fit, Place, WholeTask
from .draw_decomposable import (
    DecomposablePlan,
    DecomposableRoom,
    decomposable_plan,
    decomposable_room,
    draw_decomposable,
)
from .kernel import DIRECT, IndependentKernel


def fits(task: WholeTask) -> Fit | None:
    """Complete tables of decomposable margins under 1/x!."""
    support = task.moves.support
    # Where every block is two-way by itself, each is drawn on its own.
    if not task.moves.chosen or all(block.network is not None for block in support.solved.blocks):
        return None
    if task.weights.kind != FACTORIAL:
        return None
    margins = components(support.narrowed)
    plan = decomposable_plan(margins) if margins is not None else None
    if plan is None:
        return None
    return Fit((DecomposableKernel(plan, task.columns, support.solved.fiber.n_cells),), certificate=DIRECT)


@dataclass(frozen=True, eq=False)
class DecomposableKernel(IndependentKernel):
    """Tables of decomposable margins under 1/x!; `columns` are the cells that are open."""

    plan: DecomposablePlan
    columns: np.ndarray
    n_cells: int

    words = "independent tables of decomposable margins"

    def room(self) -> Any:
        """Room for the margins on the way, and for the whole table."""
        return decomposable_room(self.plan), np.zeros(self.n_cells, dtype=np.int64)

    def walk(self, place: Place, tally: Tally, room: Any, draws: int, steps: int) -> int:
        """New tables."""
        drawing_room, whole_table = room
        return walk_decomposable(self.plan, drawing_room, whole_table, self.columns, place, tally, draws)


@jit_lean
def walk_decomposable(
    plan: DecomposablePlan,
    room: DecomposableRoom,
    whole_table: np.ndarray,
    columns: np.ndarray,
    place: Place,
    tally: Tally,
    draws: int,
) -> int:
    """So many new tables, of which the open cells are kept; the draws done."""
    for done in range(draws):
        draw_decomposable(plan, place.random, room, whole_table)
        for k in range(len(columns)):
            place.table[k] = whole_table[columns[k]]
        end_of_draw(tally, place.table)
        if tally.n_waiting[0] > 0:
            return done + 1
    return draws
