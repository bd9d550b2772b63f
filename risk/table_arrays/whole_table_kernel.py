"""Two tables beside each other, cell by cell: totals, zeros, entropy and conditional entropy (ASE15, section 3)."""

from __future__ import annotations

from math import log

import numpy as np

from ...base.jit import jit

TOTAL, OTHER_TOTAL, ZEROS, ALL_ZEROS, SHARED_ZEROS, ENTROPY, CONDITIONAL = range(7)
"""The measures of a pair of tables F and G, in this order: their totals N and M; the zeros of F, of either table and of
both; H(X) and H(X|Y), in nats, which are 0 where a table is empty."""


@jit
def compare(F: np.ndarray, G: np.ndarray, measures: np.ndarray) -> None:
    """Fill a row of `measures` for each pair of tables; where there are fewer of one kind, they are taken in turn.

    With p = F/N and q = G/M, as many people as possible are in the same cell of both tables, m = min(p, q), and the rest,
    d = p - m and e = q - m, is spread evenly over all pairs of cells. No cell has both a d and an e, so that

        H(X|Y) = -sum m ln m - sum d ln d - sum e ln e + S ln S + sum q ln q,   S = sum d;

    of a cell with p >= q, m ln m and q ln q cancel.
    """
    cells = F.shape[1]
    for table in range(measures.shape[0]):
        f, g = table % F.shape[0], table % G.shape[0]
        n = m = 0.0
        zeros = all_zeros = shared_zeros = 0
        for i in range(cells):
            x, y = F[f, i], G[g, i]
            n += x
            m += y
            zeros += x == 0
            all_zeros += x == 0 or y == 0
            shared_zeros += x == 0 and y == 0
        entropy = conditional = moved = 0.0
        if n > 0 and m > 0:
            for i in range(cells):
                p, q = F[f, i] / n, G[g, i] / m
                if p == 0:
                    continue  # e ln e and q ln q cancel
                own = p * log(p)
                entropy -= own
                if p > q:
                    d = p - q
                    moved += d
                    conditional -= d * log(d) if q > 0 else own
                elif p < q:
                    e = q - p
                    conditional += q * log(q) - own - e * log(e)
            if moved > 0:
                conditional += moved * log(moved)
        measures[table, TOTAL] = n
        measures[table, OTHER_TOTAL] = m
        measures[table, ZEROS] = zeros
        measures[table, ALL_ZEROS] = all_zeros
        measures[table, SHARED_ZEROS] = shared_zeros
        measures[table, ENTROPY] = entropy
        measures[table, CONDITIONAL] = min(max(conditional, 0.0), entropy)
