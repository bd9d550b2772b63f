"""What squares keep: the figures that no step within them can change."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import numpy as np
import scipy.sparse as sp

from ...release.release import Release
from .elementary_squares import Squares


def with_what_stays(release: Release, squares: Squares, figures: np.ndarray) -> Release:
    """The figures that no step can change, as facts: untouched cells, and sums of touched ones.

    They are the same in the true and in the published table, so that either gives them. Squares that share cells change a
    group of cells together. Within a group, a sum over all labels of some dims stays if every square of the group lies
    along at least one of them.
    """
    n = release.n_cells
    corner, others = np.repeat(squares.cells[:, 0], 3), squares.cells[:, 1:].ravel()
    joined = sp.csr_array((np.ones(len(others)), (corner, others)), shape=(n, n))
    group = sp.csgraph.connected_components(joined, directed=False)[1]
    touched = np.zeros(n, dtype=bool)
    touched[squares.cells] = True
    still = np.flatnonzero(~touched)
    if len(still):
        same = figures[still]
        release = release.with_facts(release.keys[still], release.picked(still), same, same, same)
    ties: dict[int, set[tuple[int, int]]] = {}
    for number, (a, b) in zip(group[squares.cells[:, 0]].tolist(), np.sort(squares.dims, axis=1).tolist(), strict=True):
        ties.setdefault(number, set()).add((a, b))
    staying: dict[tuple[int, ...], list[int]] = {}
    for number, pairs in ties.items():
        for margin in kept_margins(len(release.dims), frozenset(pairs)):
            staying.setdefault(margin, []).append(number)
    for margin, groups in staying.items():
        among = np.where(np.isin(group, groups), group, -1)
        release = _sums_within(release, among, touched, margin, figures)
    return release


@lru_cache
def kept_margins(n_dims: int, pairs: frozenset[tuple[int, int]]) -> list[tuple[int, ...]]:
    """The largest sets of dims that hold at most one dim of every pair (maximal independent sets)."""
    ties = [set(pair) for pair in pairs]
    tied = sorted(set().union(*ties))
    free = [i for i in range(n_dims) if i not in tied]
    kept: list[set[int]] = []
    for size in range(len(tied), -1, -1):
        for dims in combinations(tied, size):
            chosen = set(dims)
            if not any(tie <= chosen for tie in ties) and not any(chosen <= larger for larger in kept):
                kept.append(chosen)
    return [tuple(sorted([*free, *dims])) for dims in kept]


def _sums_within(
    release: Release, group: np.ndarray, touched: np.ndarray, margin: tuple[int, ...], figures: np.ndarray
) -> Release:
    """The sums, within each group (-1: none), of cells that share their labels on some dims, as facts."""
    keys, matrix = release.margin([release.dims[i].name for i in margin])
    line = sp.csc_array(matrix).indices
    cells = np.flatnonzero(group >= 0)
    which, row = np.unique(np.stack([line[cells], group[cells]], axis=1), axis=0, return_inverse=True)
    row = row.ravel()
    # Where no other group has a cell with these labels, the sum of the margin stays, and has a place in the table.
    alone = np.bincount(line[touched], minlength=len(keys))[which[:, 0]] == np.bincount(row)
    named, parts = which[alone, 0], np.flatnonzero(~alone)
    sums = matrix[named] @ figures
    release = release.with_facts(keys[named], matrix[named], sums, sums, sums)
    if not len(parts):
        return release
    matrix = sp.csr_array((np.ones(len(cells), np.int64), (row, cells)), shape=(len(which), release.n_cells))[parts]
    sums = matrix @ figures
    words = []
    for i in range(len(parts)):
        cells = matrix.indices[matrix.indptr[i] : matrix.indptr[i + 1]]
        shown = " + ".join(f"({release.words(release.keys[cell])})" for cell in cells[:4])
        words.append(shown + (f" + {len(cells) - 4} more" if len(cells) > 4 else ""))
    nowhere = np.full((len(parts), len(release.dims)), -1, dtype=np.int64)
    return release.with_facts(nowhere, matrix, sums, sums, sums, words)
