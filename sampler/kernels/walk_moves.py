"""Hit-and-run along moves that are drawn without looking at the table, whatever family they come from.

A family writes some thousand moves into a `Stock`; this kernel makes them one after the other, each as often as the law
along its line says. So families know nothing of laws and tallies, and this kernel nothing of families.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit_lean
from ..lines.line import draw_on_line, line_range
from ..lines.weights import ALIKE, Weights
from ..tallies.tally import BY_STEPS, Tally, credit_step, end_of_draw


class Place(NamedTuple):
    """Where a chain is: its table, the bounds of its columns, and its random stream."""

    table: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    random: np.ndarray
    weight: np.ndarray
    """Room for the weights of a line."""


class Stock(NamedTuple):
    """Moves waiting to be made, as sparse rows."""

    start: np.ndarray
    columns: np.ndarray
    steps: np.ndarray
    state: np.ndarray
    """[0] the next move, [1] how many there are, [2] steps made of the current draw."""


@jit_lean
def walk_moves(stock: Stock, weights: Weights, place: Place, tally: Tally, draws: int, steps: int) -> int:
    """Make moves until so many draws of `steps` steps are done, the stock is empty, or credits wait; the draws done."""
    table, lower, upper, random, weight = place
    columns, sizes = stock.columns, stock.steps
    by_steps = tally.by_steps[0] == BY_STEPS
    move, number, step = stock.state[0], stock.state[1], stock.state[2]
    done = 0
    while done < draws:
        while step < steps and move < number:
            begin, end = stock.start[move], stock.start[move + 1]
            move += 1
            step += 1
            if begin == end:
                continue
            low, high = line_range(lower, upper, table, columns, sizes, begin, end)
            times, total = 0, 0.0
            if low < high:
                times, total = draw_on_line(weights, table, columns, sizes, begin, end, low, high, random, weight)
                if weights.kind != ALIKE and total == 0.0:
                    total = -1.0
            if by_steps:
                credit_step(tally, table, columns, sizes, begin, end, low, high, times, weight, total)
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
