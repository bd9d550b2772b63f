"""Raking (iterative proportional fitting): a table of positive numbers is made to agree with wanted sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...release.release import Release
from ...release.tables.dims import Margin

MOST_ROUNDS = 5000
CLOSE = 1e-10
"""How far, as a share of the largest target, a raked sum may be from its target."""

Target = tuple[np.ndarray, np.ndarray]
"""For every cell the number of the sum it belongs to (-1: none of them), and the value that each sum is to have."""


def raked(array: np.ndarray, targets: Sequence[Target], rounds: int = MOST_ROUNDS) -> tuple[np.ndarray, bool]:
    """The array times one factor for each sum of each target, so that all sums are on target; and did it converge?

    Zeros stay zeros. Where all cells of a positive target are zero, or targets contradict each other, no such factors exist:
    the result is then only near the targets, and the answer is no.

    Examples
    --------
    >>> rows, columns = np.array([[0, 0], [1, 1]]), np.array([[0, 1], [0, 1]])
    >>> table, worked = raked(np.ones((2, 2)), [(rows, np.array([6, 4])), (columns, np.array([5, 5]))])
    >>> table.tolist(), worked
    ([[3.0, 3.0], [2.0, 2.0]], True)
    """
    fitted = np.array(array, dtype=float).ravel()
    # what belongs to no sum of a target is a last sum, which is left as it is
    sums = [
        (np.where(group.ravel() < 0, np.size(target), group.ravel()), np.asarray(target, dtype=float).ravel())
        for group, target in targets
    ]
    near = CLOSE * max((target.max(initial=0.0) for _, target in sums), default=0.0)
    for _ in range(max(rounds, 1)):
        worst = 0.0
        for group, target in sums:
            reached = np.bincount(group, fitted, len(target) + 1)[:-1]
            worst = max(worst, float(np.abs(reached - target).max(initial=0.0)))
            fitted *= np.append(np.divide(target, reached, out=np.zeros_like(reached), where=reached > 0), 1.0)[group]
        if worst <= near:
            break
    off = [np.abs(np.bincount(group, fitted, len(target) + 1)[:-1] - target).max(initial=0.0) for group, target in sums]
    return fitted.reshape(np.shape(array)), bool(max(off, default=0.0) <= near * 100)


def groups_of(release: Release, margin: Margin | str) -> tuple[np.ndarray, Any]:
    """For every cell of a release's table the number of the sum of a margin it belongs to, and the matrix of these sums."""
    _, matrix = release.margin(margin)
    by_sum = matrix.tocoo()
    group = np.empty(release.n_cells, dtype=np.intp)
    group[by_sum.col] = by_sum.row
    return group, matrix


def members(groups: np.ndarray) -> list[np.ndarray]:
    """The cells of every group, in their order, of groups numbered from 0."""
    order = np.argsort(groups, kind="stable")
    return np.split(order, np.cumsum(np.bincount(groups))[:-1])
