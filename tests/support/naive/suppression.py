"""Suppression by its definition: every pattern is tried, and what it leaves possible is seen in a list of all tables."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def tables_of(total, n_cells):
    """Every table of so many cells that adds up to a total."""
    if n_cells == 1:
        return np.array([[total]])
    parts = []
    for first in range(total + 1):
        rest = tables_of(total - first, n_cells - 1)
        parts.append(np.column_stack([np.full(len(rest), first), rest]))
    return np.concatenate(parts)


class EveryTable:
    """All tables with the same grand total as the true one, and what every figure is in them."""

    def __init__(self, truth, rows, among=None):
        """`rows`: a line for each figure, 1 where it has a cell; `among` says which tables are possible at all."""
        tables = tables_of(int(truth.sum()), len(truth)) if among is None else among
        self.figures = tables @ rows.T
        self.true = rows @ truth

    def interval(self, hidden, figure, known=()):
        """The least and the greatest value of a figure where some are withheld, for one who knows some of these."""
        shown = ~hidden
        shown[list(known)] = True
        left = self.figures[(self.figures[:, shown] == self.true[shown]).all(axis=1), figure]
        return left.min(), left.max()

    def protects(self, hidden, wanted, contributors=()):
        """Has every sensitive figure what it wants, {figure: (below, above, width)}, before an outsider and contributors?"""
        for known in ((), *contributors):
            for figure, (below, above, width) in wanted.items():
                if figure in known:
                    continue
                low, high = self.interval(hidden.copy(), figure, known)
                true = self.true[figure]
                if low > true - below or high < true + above or high - low < width:
                    return False
        return True


def least_cost(every, forced, may, cost, wanted, contributors=()):
    """The least cost of a pattern that protects; None where there is none."""
    best = None
    others = np.flatnonzero(may & ~forced)
    for size in range(len(others) + 1):
        for some in combinations(others, size):
            hidden = forced.copy()
            hidden[list(some)] = True
            total = int(cost[hidden].sum())
            if (best is None or total < best) and every.protects(hidden, wanted, contributors):
                best = total
    return best
