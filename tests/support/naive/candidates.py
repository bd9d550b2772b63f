"""What is believed after a small table was suppressed, merged or rounded: by its definition, from a list of all tables."""

from __future__ import annotations

from itertools import combinations, pairwise, product

import numpy as np


def figures_of(shape):
    """Every cell and total of a two-way table: which cells each sums, a row each, by the labels of both dims."""
    rows = {}
    for where in product(*([*[(i,) for i in range(n)], tuple(range(n))] for n in shape)):
        inside = np.zeros(shape, dtype=int)
        inside[np.ix_(*where)] = 1
        rows[
            tuple(str(one[0] + 1) if len(one) == 1 and n > 1 else "Total" for one, n in zip(where, shape, strict=True))
        ] = inside.ravel()
    return rows


def tables_between(lower, upper):
    """Every table with each cell between two values."""
    return np.array(list(product(*(range(low, high + 1) for low, high in zip(lower, upper, strict=True)))))


def merged_rows(shape, groups):
    """Which cells each cell and total of a merged table sums; `groups` has, for each dim, tuples of places."""
    rows = []
    for where in product(*([*parts, tuple(range(n))] for parts, n in zip(groups, shape, strict=True))):
        inside = np.zeros(shape, dtype=int)
        inside[np.ix_(*where)] = 1
        rows.append(inside.ravel())
    return np.unique(np.array(rows), axis=0)


def neighbours_together(n):
    """Every way to put neighbours of n categories together."""
    for size in range(n):
        for cuts in combinations(range(1, n), size):
            ends = (0, *cuts, n)
            yield tuple(tuple(range(a, b)) for a, b in pairwise(ends))


def merges_losing(shape, lost):
    """Every merge of neighbours that loses so many categories of all dims together."""
    for groups in product(*(list(neighbours_together(n)) for n in shape)):
        if sum(n - len(parts) for n, parts in zip(shape, groups, strict=True)) == lost:
            yield groups


def largest_probability(values, weights):
    """Of any value."""
    return np.bincount(values - values.min(), weights=weights).max() / weights.sum()


def rounded_at_random(value, figure, base):
    """How probable random rounding makes a figure."""
    return np.maximum(0.0, 1 - abs(value - figure) / base)


def hellinger(true, shown):
    """1 less the Hellinger distance of a table to another, as a share of the largest one."""
    distance = np.sqrt(((np.sqrt(true) - np.sqrt(shown)) ** 2).sum() / 2)
    return 1 - distance / np.sqrt(true.sum())
