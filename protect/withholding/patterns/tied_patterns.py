"""All cheapest patterns of a small problem, and which of them each of many seeds takes."""

from __future__ import annotations

import numpy as np

from .suppression_task import Task

MOST_OPEN = 18
"""Figures that may be withheld, up to which every set of them is looked at."""


def cheapest_patterns(task: Task, least: int) -> np.ndarray | None:
    """[pattern, figure]: every pattern of the least cost that protects; None where there are too many to be looked at."""
    open_ones = np.flatnonzero(task.open & ~task.forced)
    if len(open_ones) > MOST_OPEN:
        return None
    sets = np.arange(2 ** len(open_ones))
    cost = np.full(len(sets), int(task.cost[task.forced].sum()))
    for place, figure in enumerate(open_ones):
        cost += task.cost[figure] * (sets >> place & 1)
    sets = sets[cost == least]
    hidden = np.tile(task.forced, (len(sets), 1))
    hidden[:, open_ones] = sets[:, None] >> np.arange(len(open_ones)) & 1 == 1
    # a figure that is the only hidden one of a sum is known, or hidden for nothing, unless it is hidden in any case
    may_be_known = task.forced.copy()
    may_be_known[task.sensitive.figures] = False
    rows = abs(task.room.sums).sign()
    alone = (hidden @ rows.T == 1) & ((hidden & ~may_be_known) @ rows.T == 1)
    hidden = hidden[~alone.any(axis=1)]
    return hidden[[not len(task.too_narrow(one)) for one in hidden]] if len(hidden) else hidden


def taken(patterns: np.ndarray, dear: np.ndarray) -> np.ndarray:
    """Which pattern each of some seeds takes; `dear` is what each adds to the cost of every figure."""
    return np.asarray((dear @ patterns.T.astype(np.int64)).argmin(axis=1))
