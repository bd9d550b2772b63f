"""Hit-and-run along moves that are drawn without looking at the table, whatever family they come from.

A family writes some thousand moves into a `Stock`; this kernel makes them one after the other, each as often as the law
along its line says. So families know nothing of laws and tallies, and this kernel nothing of families.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...base.jit import jit_lean
from ...base.random_streams import streams
from ...moves.families.move_set import MoveSet
from ...moves.families.stock import Stock, Supplier, empty_stock
from ..lines.line import Line, draw_on_line, line_range
from ..lines.weights import ALIKE, Weights, or_none
from ..tallies.tally import BY_STEPS, Tally, credit_step, end_of_draw
from .kernel import ANYTHING, Fit, Kernel, Lasting, Place, Task


def fits(task: Task) -> Fit:
    """Any family that draws without looking at the table, under any law."""
    return Fit((MoveKernel(task.moves, task.weights),))


LEAST_WAITING = 100_000
"""Credits for which there is room to wait, whatever the table."""


@dataclass(frozen=True, eq=False)
class MoveKernel(Kernel):
    """Hit-and-run along the moves of any family that draws without looking at the table."""

    moves: MoveSet
    weights: Weights

    @property
    def words(self) -> str:  # type: ignore[override]
        """The family's."""
        return f"hit-and-run along {self.moves.words}"

    @cached_property
    def cost(self) -> float:  # type: ignore[override]
        """By the usual length of a move: drawing it, its range, its credits; more for weights that are no constant."""
        source = supplier_of(self.moves)
        stock = empty_stock(source.longest)
        source.fill(stock, streams(0, 1)[0])
        usual = stock.start[stock.state[1]] / stock.state[1]
        made = 40.0 + 45.0 * usual if self.weights.kind == ALIKE else 100.0 + 90.0 * usual
        return float(made + source.ns_per_entry * usual)

    def longest(self) -> int:
        """The family's longest move."""
        return supplier_of(self.moves).longest

    def most_credits(self, n_columns: int) -> int:
        """A few for each column: a draw seldom has more, as the longest moves are rare, and waits where it does."""
        return min(super().most_credits(n_columns), max(LEAST_WAITING, 4 * n_columns) + self.longest())

    def room(self) -> Any:
        """The family's own room, and an empty stock."""
        source = supplier_of(self.moves)
        return source, empty_stock(source.longest)

    def lasting(self, room: Any) -> Lasting:
        """The stock; what a supplier has to work with is as good as new whenever a stock is written."""
        return lasting_of(room[1], self.moves.n_columns)

    def walk(self, place: Place, tally: Tally, room: Any, draws: int, steps: int) -> int:
        """Moves from the stock, filled whenever it is empty."""
        source, stock = room
        done = 0
        while done < draws and not tally.n_waiting[0]:
            if stock.state[0] == stock.state[1]:
                source.fill(stock, place.random)
            done += walk_moves(stock, or_none(self.weights), place, tally, draws - done, steps, source.longest)
        return done


def supplier_of(moves: MoveSet) -> Supplier:
    """What writes the moves of a family in advance."""
    source = moves.supplier()
    if source is None:
        raise TypeError(f"{type(moves).__name__} draws moves by the table; they cannot be written in advance")
    return source


def lasting_of(stock: Stock, n_columns: int) -> Lasting:
    """What a stock of moves of so many columns has to keep."""
    return (
        (stock.start, 0, len(stock.columns)),
        (stock.columns, 0, n_columns - 1),
        (stock.steps, *ANYTHING),
        (stock.state[:2], 0, len(stock.start) - 1),
        (stock.state[2:], 0, np.inf),
    )


@jit_lean
def walk_moves(
    stock: Stock, weights: Weights | None, place: Place, tally: Tally, draws: int, steps: int, longest: int
) -> int:
    """Make moves until so many draws of `steps` steps are done, the stock is empty, or credits wait; the draws done.

    It stops within a draw too, where the credits of one more move and those of the draw's end might find no room to wait.
    """
    table, lower, upper, random, weight = place
    columns, sizes = stock.columns, stock.steps
    by_steps = tally.by_steps[0] == BY_STEPS
    move, number, step = stock.state[0], stock.state[1], stock.state[2]
    done, full = 0, len(tally.waiting) - longest - len(tally.centre)
    while done < draws:
        while step < steps and move < number and tally.n_waiting[0] <= full:
            begin, end = stock.start[move], stock.start[move + 1]
            move += 1
            step += 1
            if begin == end:
                continue
            low, high = line_range(lower, upper, table, columns, sizes, begin, end)
            line = Line(table, columns, sizes, begin, end, low, high)
            times, total = 0, 0.0
            if low < high:
                times, total = draw_on_line(weights, line, random, weight)
                if weights is not None and weights.kind != ALIKE and total == 0.0:
                    total = -1.0
            if by_steps:
                credit_step(tally, line, times, weight, total)
            if times != 0:
                for e in range(begin, end):
                    table[columns[e]] += times * sizes[e]
        if step < steps:
            break
        end_of_draw(tally, table)
        step = 0
        done += 1
        if tally.n_waiting[0] > 0:
            break
    stock.state[0], stock.state[2] = move, step
    return done
