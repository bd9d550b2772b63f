"""Suppression as an intruder who knows the program redoes it: every table, every pattern, by its definition."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from .suppression import tables_of


def rows_of(shape):
    """Which cells each figure of a table of two dims sums: cells, totals of rows, of columns, and the grand total."""
    cells = np.arange(shape[0] * shape[1]).reshape(shape)
    groups = [[cell] for cell in cells.ravel()] + [list(row) for row in cells] + [list(column) for column in cells.T]
    groups.append(list(cells.ravel()))
    rows = np.zeros((len(groups), cells.size), dtype=np.int64)
    for number, group in enumerate(groups):
        rows[number, group] = 1
    return rows


class NaiveProgram:
    """Least cost so that no figure of 1 to `below` - 1 is known, with costs 1 ("cells") or the value ("counts")."""

    def __init__(self, shape, total, below, minimise):
        self.rows, self.below, self.minimise = rows_of(shape), below, minimise
        self.tables = tables_of(total, shape[0] * shape[1])
        self.figures = self.tables @ self.rows.T

    def posed(self, true):
        """What must be withheld, what may, and what it costs, by the figures."""
        sensitive = (true > 0) & (true < self.below)
        may = (true > 0) & ~sensitive
        may[-1] = False
        cost = np.ones(len(true), dtype=np.int64) if self.minimise == "cells" else true * (len(true) + 1) + 1
        return sensitive, may, cost

    def cheapest(self, true):
        """All patterns of least cost."""
        sensitive, may, cost = self.posed(true)
        if not sensitive.any():
            return []
        best, found, others = None, [], np.flatnonzero(may)
        for size in range(len(others) + 1):
            for some in combinations(others, size):
                hidden = sensitive.copy()
                hidden[list(some)] = True
                total = int(cost[hidden].sum())
                if (best is not None and total > best) or not self.protects(true, hidden, sensitive):
                    continue
                found = [hidden] if best is None or total < best else [*found, hidden]
                best = total
        return found

    def protects(self, true, hidden, sensitive):
        """Has no sensitive figure one value only?"""
        left = self.figures[(self.figures[:, ~hidden] == true[~hidden]).all(axis=1)][:, sensitive]
        return bool((left.min(axis=0) < left.max(axis=0)).all())

    def shares(self, true, dear):
        """{pattern: the share of seeds that take it}; `dear` is what each of some seeds adds to the cost of every figure."""
        patterns = self.cheapest(true)
        if not patterns:
            return {}
        taken = np.argmin([dear[:, hidden].sum(axis=1) for hidden in patterns], axis=0)
        return {hidden.tobytes(): float((taken == number).mean()) for number, hidden in enumerate(patterns)}

    def posterior(self, true, hidden, dear, weigh=lambda table: 1.0):
        """Tables that agree with what is published, and how probable each is to whoever knows the program."""
        agree = np.flatnonzero((self.figures[:, ~hidden] == true[~hidden]).all(axis=1))
        same = [self.shares(self.figures[one], dear).get(hidden.tobytes(), 0.0) for one in agree]
        p = np.array(same) * [weigh(self.tables[one]) for one in agree]
        return agree, p / p.sum()
