"""Kernels that need no chain: every draw is a new table, independent of the last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.jit import jit_lean
from ..tallies.tally import Tally, end_of_draw
from .independent_decomposable import DecomposablePlan, DecomposableRoom, decomposable_room, draw_decomposable
from .independent_two_way import Room, TwoWayPlan, draw_independent, two_way_room
from .kernel import Kernel
from .walk_moves import Place


class IndependentKernel(Kernel):
    """One table a draw, whatever that costs."""

    cost = 1.0
    credits_lines = False
    independent = True

    def steps(self, n_columns: int) -> int:
        """One."""
        return 1


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
        own, whole = room
        return walk_decomposable(self.plan, own, whole, self.columns, place, tally, draws)


@jit_lean
def walk_two_way(plan: TwoWayPlan, room: Room, place: Place, tally: Tally, draws: int) -> int:
    """So many new tables; the draws done."""
    for done in range(draws):
        draw_independent(plan, place.random, room, place.table)
        end_of_draw(tally, place.table)
        if tally.n_waiting[0] > 0:
            return done + 1
    return draws


@jit_lean
def walk_decomposable(
    plan: DecomposablePlan,
    room: DecomposableRoom,
    whole: np.ndarray,
    columns: np.ndarray,
    place: Place,
    tally: Tally,
    draws: int,
) -> int:
    """So many new tables, of which the open cells are kept; the draws done."""
    for done in range(draws):
        draw_decomposable(plan, place.random, room, whole)
        for k in range(len(columns)):
            place.table[k] = whole[columns[k]]
        end_of_draw(tally, place.table)
        if tally.n_waiting[0] > 0:
            return done + 1
    return draws
