"""Tables in which a sum is as small as moves can make it, found by pushing: the quickest way to a bound that is attained.

A move that lowers the sum is made as often as it can be. Where it is blocked, by a cell that is at its own bound, a move
through that cell is made first, or one that unblocks that one in turn: as in a search for an assignment that satisfies all
conditions, one that is in the way tells where to go on (Selman, Kautz and Cohen 1994). A few moves at random lead out of
places where that goes in circles.

Every table on the way is feasible, as moves change no published figure and none is made beyond a cell's range. So the least
and the greatest value that each cell had on the way are attained, too.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ...base.jit import jit_inner, jit_lean, sparingly
from ...base.random_streams import below, streams
from ..equations.lattice import integer_kernel, shortened

STEPS, AT_FIRST = 10_000, 50
"""Of a walk, unless it is to be longer; and so many before the others, as they often are enough."""
DEEPEST = 8
"""Moves that are blocked by each other, one after the other, before another one is tried."""
FAR: Any = np.int64(1 << 62)
AT_RANDOM = 20
"""One move in so many is any one."""


class MoveList(NamedTuple):
    """Moves as sparse rows, and the moves through each column."""

    start: np.ndarray
    columns: np.ndarray
    steps: np.ndarray
    start_of_column: np.ndarray
    through: np.ndarray
    step_of_column: np.ndarray


class Walk(NamedTuple):
    """Where a walk is, where it may go, and the least and the greatest that each cell has been."""

    table: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    least: np.ndarray
    greatest: np.ndarray


def to_push_along(A: Any, moves: Any = None) -> Any:
    """The moves that are known; where not every column has one, vectors of the lattice, too."""
    known = sp.csr_array((0, A.shape[1]), dtype=np.int64) if moves is None else moves
    if (np.bincount(known.indices, minlength=A.shape[1]) > 0).all():
        return known
    return sp.csr_array(sp.vstack([known, shortened(integer_kernel(A).basis)]))


class Pushing:
    """Walks in one block; the same questions in the same order have the same answers."""

    def __init__(self, moves: Any, lower: np.ndarray, upper: np.ndarray, start: np.ndarray) -> None:
        rows, columns = sp.csr_array(moves), sp.csc_array(moves)
        arrays = (rows.indptr, rows.indices, rows.data, columns.indptr, columns.indices, columns.data)
        self.moves = MoveList(*(array.astype(np.int64) for array in arrays))
        self.walk = Walk(*(array.astype(np.int64) for array in (start, lower, upper, start, start)))
        self.random = streams(0, 1)[0]

    def find(self, cells: np.ndarray, coefficients: np.ndarray, goal: int, longer: int = 1) -> bool:
        """Walk to a table in which coefficients @ table[cells] is at most the goal; was one found?

        What the cells had on the way is in `walk` in any case.
        """
        cost = np.zeros(len(self.walk.table), dtype=np.int64)
        cost[cells] = coefficients
        above = int(coefficients @ self.walk.table[cells]) - goal
        moved = np.diff(self.moves.start_of_column)[cells] > 0
        asked = cells[moved & (coefficients != 0)].astype(np.int64)
        if not len(asked):
            return above <= 0
        in_loops = 2 * DEEPEST * int(np.diff(self.moves.start).max())  # of one step
        for steps in (AT_FIRST, longer * STEPS - AT_FIRST):
            walk = sparingly(push, steps * in_loops)
            if walk(self.moves, self.walk, asked, cost, above, steps, self.random):
                return True
            above = int(coefficients @ self.walk.table[cells]) - goal
        return False


@jit_lean
def push(
    moves: MoveList, walk: Walk, cells: np.ndarray, cost: np.ndarray, above: int, steps: int, random: np.ndarray
) -> bool:
    """Lower cost @ table by moves until it is no longer `above`; False if it still is after so many steps."""
    for _ in range(steps):
        if above <= 0:
            return True
        if below(random, AT_RANDOM) == 0:
            above += _any(moves, walk, cost, random)
        else:
            above += _towards(moves, walk, cells, cost, random)
    return above <= 0


@jit_inner
def _any(moves: MoveList, walk: Walk, cost: np.ndarray, random: np.ndarray) -> int:
    """Make one move as far as it lowers the sum, or some way where it does not change it; by how much the sum changed."""
    move = below(random, len(moves.start) - 1)
    direction = 1 - 2 * below(random, 2)
    gain = direction * _gain(moves, cost, move)
    if gain > 0:
        return 0
    times, _ = _room(moves, walk, move, direction, random)
    if gain == 0:
        times = below(random, times + 1)
    _make(moves, walk, move, direction * times)
    return gain * times


@jit_inner
def _towards(moves: MoveList, walk: Walk, cells: np.ndarray, cost: np.ndarray, random: np.ndarray) -> int:
    """Make one move that lowers the sum, or one that makes room for it; by how much the sum changed."""
    cell = cells[below(random, len(cells))]
    rising = cost[cell] < 0
    for depth in range(DEEPEST):
        first = moves.start_of_column[cell]
        e = first + below(random, moves.start_of_column[cell + 1] - first)
        move, direction = moves.through[e], 1 - 2 * int((moves.step_of_column[e] > 0) != rising)
        gain = direction * _gain(moves, cost, move)
        if gain > 0 or (depth == 0 and gain == 0):
            return 0
        times, blocking = _room(moves, walk, move, direction, random)
        if times > 0:
            if gain == 0:
                times = 1 + below(random, times)
            _make(moves, walk, move, direction * times)
            return gain * times
        # a cell that cannot fall any further has to rise first, and the other way round
        cell, rising = moves.columns[blocking], direction * moves.steps[blocking] < 0
    return 0


@jit_lean
def _room(moves: MoveList, walk: Walk, move: int, direction: int, random: np.ndarray) -> tuple[Any, Any]:
    """How many times a move can be made in a direction; where not once, one entry that is in the way, at random."""
    times, blocking, in_the_way = FAR, moves.start[move], 0
    for e in range(moves.start[move], moves.start[move + 1]):
        j, step = moves.columns[e], direction * moves.steps[e]
        room = (walk.upper[j] - walk.table[j]) // step if step > 0 else (walk.table[j] - walk.lower[j]) // -step
        times = min(times, room)
        if room == 0:
            in_the_way += 1
            if below(random, in_the_way) == 0:
                blocking = e
    return times, blocking


@jit_inner
def _gain(moves: MoveList, cost: np.ndarray, move: int) -> Any:
    """What a move adds to the sum once."""
    gain = np.int64(0)
    for e in range(moves.start[move], moves.start[move + 1]):
        gain += cost[moves.columns[e]] * moves.steps[e]
    return gain


@jit_lean
def _make(moves: MoveList, walk: Walk, move: int, times: int) -> None:
    """Make a move so many times."""
    for e in range(moves.start[move], moves.start[move + 1]):
        j = moves.columns[e]
        walk.table[j] += times * moves.steps[e]
        walk.least[j] = min(walk.least[j], walk.table[j])
        walk.greatest[j] = max(walk.greatest[j], walk.table[j])
