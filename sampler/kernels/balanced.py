"""Hit-and-run along short moves in which as many columns gain as lose, all by one: the quick part on dense tables.

Basic moves of tables with known margins are of this kind: two rows by two columns by two layers, four cells gain and four
lose. For each length there is machine code of its own, in which nothing is looped over: a step takes some fifteen
nanoseconds, whether the move is blocked or not. All moves of one length stand in one array, the useful ones several times.

Every table alike, a point of the line is drawn, or its mirror image taken (overrelaxation, as in swaps/hit_and_run.py).
Under counts with expectations, lines are a few points wide, and to weigh them all costs more than it brings: a step of up
to `reach` is proposed, as often forwards as backwards, and accepted by the ratio of the weights (Metropolis).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ...base.errors import TooLarge
from ...base.jit import jit_inlined, jit_lean
from ...base.random_streams import below, fraction, next_word
from ...fiber.blocks.own_bounds import only_nought_bounds
from ...fiber.blocks.presolve import Block
from ...moves.families.listed import Listed
from ...moves.families.margins import MarginMoves
from ..lines.line import MIRRORED
from ..lines.weights import ALIKE, FACTORIAL, POISSON, Weights
from ..tallies.tally import Tally, end_of_draw, idle_tally
from .kernel import Fit, Kernel, Place, Task
from .schedule import kernel as schedule
from .stocked_moves import MoveKernel

if TYPE_CHECKING:
    from ..chains.unit import Unit

HALVES = (2, 3, 4, 5, 6, 7, 8)
"""Columns that gain, in moves that have machine code of their own."""
MOST_COLUMNS = 1 << 16
"""Columns are told by 16 bits, so that a move of eight takes a quarter of a cache line."""
FEW_COLUMNS, FEW_MOVES = 64, 30_000
"""In blocks up to this size all moves of margins are listed, if there are not too many."""
HALF, LOW_HALF = np.uint64(32), np.uint64(0xFFFFFFFF)
LESSONS, DRAWS = 48, 8
"""Tables that odds are learnt from, and draws from one to the next."""
MOST_LOOKED_AT = 2_000_000
"""Moves times tables that are looked at."""
FLOOR, OPENNESS = 0.05, 0.5
"""The part of the array that all moves share alike, as a rare one may be the only way to some tables; and the power of how
often a move is open by which it stands there."""
MOST_ENTRIES, MOST_TIMES = 32_768, 16
LARGEST_MEAN = 50.0
"""Of a block's cells under counts with expectations."""
WIDE, FARTHEST = 2.0, 8
"""How far a step reaches, in standard deviations of a line, and at most."""


_ONE_AT_A_TIME = Lock()


class BalancedMoves(NamedTuple):
    """Moves of one length: a row of columns each, those that gain first."""

    columns: np.ndarray
    tilt: np.ndarray
    """The product of mean^step over the columns of a move."""
    reach: np.ndarray
    """The longest step that is proposed."""


@dataclass(frozen=True, eq=False)
class BalancedKernel(Kernel):
    """Short moves of one length."""

    moves: BalancedMoves
    weights: Weights
    bounded: bool
    """Must bounds other than 0 be looked at?"""
    number: int
    """Different moves."""

    credits_lines = False

    @property
    def half(self) -> int:
        """Columns of a move that gain."""
        return self.moves.columns.shape[1] // 2

    @property
    def words(self) -> str:  # type: ignore[override]
        """How many moves there are."""
        return f"hit-and-run along {self.number:,} moves of {2 * self.half} cells"

    @property
    def cost(self) -> float:  # type: ignore[override]
        """By the length of a move."""
        usual = 6.0 + 2.6 * self.half if self.weights.kind == ALIKE else 12.0 + 4.0 * self.half
        return usual * 3.0 if self.bounded else usual

    def learned(self, unit: Unit, start: np.ndarray, random: np.ndarray) -> Kernel:
        """With the useful moves several times, and steps as long as lines are wide."""
        n, tables = len(start), min(LESSONS, max(2, MOST_LOOKED_AT // max(1, self.number)))
        place = Place((start - unit.offset).astype(np.int64), unit.lower, unit.upper, random, np.empty(0))
        seen, uncounted = np.empty((tables, n), dtype=np.int64), idle_tally(n, n)
        for k in range(tables):
            self.walk(place, uncounted, None, DRAWS, self.steps(n))
            seen[k] = place.table
        return replace(self, moves=learnt_moves(self.moves, self.weights, seen, unit.lower, unit.upper))

    def walk(self, place: Place, tally: Tally, room: Any, draws: int, steps: int) -> int:
        """Moves from the array."""
        walk = walk_of(self.half, self.weights.kind != ALIKE, self.bounded)
        return walk(self.moves, place, tally, draws, steps)


@jit_inlined
def _range(columns, k, place, half, bounded):  # type: ignore[no-untyped-def]
    """How many times a move can be made: backwards (0 or more) and forwards."""
    table, lower, upper = place.table, place.lower, place.upper
    if not bounded:
        back, ahead = table[columns[k, np.uint64(0)]], table[columns[k, np.uint64(half)]]
        for e in range(1, half):
            back = min(back, table[columns[k, np.uint64(e)]])
            ahead = min(ahead, table[columns[k, np.uint64(half + e)]])
        return back, ahead
    back = ahead = np.int64(1 << 62)
    for e in range(half):
        gains, loses = columns[k, np.uint64(e)], columns[k, np.uint64(half + e)]
        back = min(back, table[gains] - lower[gains], upper[loses] - table[loses])
        ahead = min(ahead, upper[gains] - table[gains], table[loses] - lower[loses])
    return back, ahead


@jit_inlined
def _evenly(moves, k, place, word, half, bounded):  # type: ignore[no-untyped-def]
    """How often a move is made, every point of its line alike, by the lower half of a word."""
    back, ahead = _range(moves.columns, k, place, half, bounded)
    n = np.uint64(back + ahead + 1)
    product = (word & LOW_HALF) * n
    times = np.int64(product >> HALF)
    if (product & LOW_HALF) < n and (product & LOW_HALF) < np.uint64(0x100000000) % n:
        # These words would favour some lengths: then and only then the length gets a word of its own.
        times = below(place.random, back + ahead + 1)
    return times - back


@jit_inlined
def _mirrored(moves, k, place, half, bounded):  # type: ignore[no-untyped-def]
    """How often a move is made to come as far from the other end of its line as the table is from this one."""
    back, ahead = _range(moves.columns, k, place, half, bounded)
    return ahead - back


@jit_inlined
def _by_ratio(moves, k, place, word, half, bounded):  # type: ignore[no-untyped-def]
    """How often a move is made: a step that is proposed, or 0 where it is refused."""
    table, columns = place.table, moves.columns
    forwards = (word & np.uint64(1)) == np.uint64(0)
    reach = np.uint64(moves.reach[k])
    step = np.int64((((word >> np.uint64(1)) & np.uint64(0xFFFF)) * reach) >> np.uint64(16)) + 1
    gains, loses = (0, half) if forwards else (half, 0)
    ratio, tilt = 1.0, moves.tilt[k] if forwards else 1.0 / moves.tilt[k]
    for i in range(step):
        gain, loss = tilt, 1.0
        for e in range(half):
            gain *= max(table[columns[k, np.uint64(loses + e)]] - i, 0)
            loss *= table[columns[k, np.uint64(gains + e)]] + i + 1
        ratio *= gain / loss
    if bounded:
        back, ahead = _range(columns, k, place, half, bounded)
        if step > (ahead if forwards else back):
            ratio = 0.0
    # without a branch: whether a step is accepted cannot be foretold
    return np.int64(fraction(place.random) < ratio) * (step if forwards else -step)


def walk_of(half: int, weighs: bool, bounded: bool) -> Callable[..., int]:
    """The walk along moves of so many gaining columns, the same for all threads: two would be compiled twice."""
    with _ONE_AT_A_TIME:
        return _new_walk(half, weighs, bounded)


@cache
def _new_walk(half: int, weighs: bool, bounded: bool) -> Callable[..., int]:
    """The walk along moves of so many gaining columns: its loops have constant ends, so that none is left of them.

    It closes over plain numbers alone: a kernel that closes over another one is compiled anew by every process.
    """

    @jit_lean
    def walk(moves, place, tally, draws, steps):  # type: ignore[no-untyped-def]
        """Make so many draws of `steps` steps, or fewer if credits have to wait; the draws done."""
        table, random, columns = place.table, place.random, moves.columns
        number, mirrored = np.uint64(len(columns)), np.uint64(MIRRORED)
        for done in range(draws):
            for _ in range(steps):
                word = next_word(random)
                k = ((word >> HALF) * number) >> HALF
                if weighs:
                    times = _by_ratio(moves, k, place, word, half, bounded)
                elif (word >> HALF) & mirrored == np.uint64(0):
                    times = _evenly(moves, k, place, word, half, bounded)
                else:
                    times = _mirrored(moves, k, place, half, bounded)
                for e in range(half):
                    table[columns[k, np.uint64(e)]] += times
                    table[columns[k, np.uint64(half + e)]] -= times
            end_of_draw(tally, table)
            if tally.n_waiting[0] > 0:
                return done + 1
        return draws

    return walk


def learnt_moves(
    moves: BalancedMoves,
    weights: Weights,
    tables: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
) -> BalancedMoves:
    """The moves by how far they lead in some tables: those that lead far several times."""
    number, half = len(moves.columns), moves.columns.shape[1] // 2
    gains, loses = moves.columns[:, :half].astype(np.int64), moves.columns[:, half:].astype(np.int64)
    jump, is_open, precision = np.zeros(number), np.zeros(number), np.zeros(number)
    for table in tables:
        room = table - lower, upper - table
        back = np.minimum(room[0][gains].min(axis=1), room[1][loses].min(axis=1))
        ahead = np.minimum(room[1][gains].min(axis=1), room[0][loses].min(axis=1))
        length = back + ahead
        is_open += length > 0
        square = length * (length + 2.0) / 6.0  # the mean square of the difference of two points
        if weights.kind != ALIKE:
            parts = 1.0 / (table + 0.5)
            curved = parts[gains].sum(axis=1) + parts[loses].sum(axis=1)
            precision += curved
            square = np.minimum(square, 2.0 / curved)
        jump += square
    usual, how_often = (jump + 1e-3) / (is_open + 1.0), (is_open + 0.5) / (len(tables) + 1.0)
    odds = usual * how_often**OPENNESS
    odds = (1.0 - FLOOR) * odds / odds.sum() + FLOOR / number
    entries = min(MOST_TIMES * number, max(MOST_ENTRIES // half * 2, number))
    times = np.maximum(1, np.round(entries * odds)).astype(np.int64)
    order = np.repeat(np.arange(number), times)
    reach = moves.reach
    if weights.kind != ALIKE:
        deviation = np.sqrt(len(tables) / np.maximum(precision, 1e-9))
        reach = np.clip(np.rint(WIDE * deviation), 1, FARTHEST).astype(np.int64)
    return BalancedMoves(np.ascontiguousarray(moves.columns[order]), moves.tilt[order], reach[order])


def fits(task: Task) -> Fit | None:
    """Lists with moves of this kind, and margins of which such moves can be listed, if no value is weighed by a list."""
    n, kind = task.n_columns, task.weights.kind
    if kind not in (ALIKE, FACTORIAL, POISSON) or n >= MOST_COLUMNS or not task.is_small:
        return None
    if kind != ALIKE and float(task.block.start.mean()) > LARGEST_MEAN:
        return None  # lines are so wide that short steps would take long
    if isinstance(task.moves, Listed):
        return _walked(task, sp.csr_array(task.moves.rows))
    if isinstance(task.moves, MarginMoves) and n <= FEW_COLUMNS:
        with suppress(TooLarge):
            return _walked(task, task.moves.listed(FEW_MOVES))
    return None


def _walked(task: Task, rows: Any) -> Fit | None:
    """Kernels for the moves of each length that has one, and a schedule or a stock of all others."""
    kernels, others = by_length(rows, task.weights, task.block)
    if not kernels:
        return None
    several = len(kernels) > 1 or others.shape[0]
    gathered = task.moves.certificate.word == "unproven" and task.block.network is None
    if several and gathered and task.n_columns <= schedule.MOST_COLUMNS:
        return None  # a schedule weighs moves of all lengths against each other: there, few of them move what is slow
    if task.weights.kind != ALIKE and task.n_columns <= FEW_COLUMNS:
        return None
    if not others.shape[0]:
        return Fit(tuple(kernels))
    rest = Listed(others, task.moves.certificate)
    fit = schedule.fits(replace(task, moves=rest))
    return Fit((*kernels, *((MoveKernel(rest, task.weights),) if fit is None else fit.kernels)))


def by_length(rows: Any, weights: Weights, block: Block) -> tuple[list[BalancedKernel], Any]:
    """A kernel for the moves of each length that has machine code of its own; and all other moves."""
    length, plus = np.diff(rows.indptr), np.asarray((rows > 0).sum(axis=1)).ravel()
    ones = np.asarray(abs(rows).max(axis=1).todense()).ravel() == 1
    balanced = ones & (2 * plus == length) & np.isin(plus, HALVES)
    bounded = not only_nought_bounds(block)
    kernels = [
        _kernel(rows[these], half, weights, bounded)
        for half in HALVES
        if len(these := np.flatnonzero(balanced & (plus == half)))
    ]
    return kernels, rows[np.flatnonzero(~balanced)]


def _kernel(rows: Any, half: int, weights: Weights, bounded: bool) -> BalancedKernel:
    """The kernel for moves of one length, before it learnt how often each is worth its turn."""
    order = np.lexsort([rows.indices, -rows.data, np.repeat(np.arange(rows.shape[0]), 2 * half)])
    columns = rows.indices[order].astype(np.uint16).reshape(-1, 2 * half)
    tilt = np.exp(weights.log_mean[columns[:, :half]].sum(axis=1) - weights.log_mean[columns[:, half:]].sum(axis=1))
    reach = np.ones(len(columns), dtype=np.int64)
    return BalancedKernel(BalancedMoves(columns, tilt, reach), weights, bounded, len(columns))
