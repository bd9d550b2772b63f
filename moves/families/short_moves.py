"""Short moves of any equations: all of four columns, and the variants of longer ones.

Where one unit goes from column i to column j, some sums change, unless the two are in the same equations. Any other pair of
columns with the same change can undo it: i, j and these two make up a move. So the pairs are sorted by what they change,
told by random fingerprints.

A move of a lattice basis is one of many that do the same: in a table of which two margins are known in part, each step
around a cycle of the one margin can be made at any label of the other. Such variants differ by a move of four columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.certificate import Certificate
from ...fiber.equations.basic_moves import that_keep
from .listed import Listed
from .move_set import distinct_rows

SHORT, FOUR_CELLS, VARIANTS = 8, 30_000, 10_000
"""Columns of vectors of a lattice basis that are walked as they are; how many moves of four columns, and variants, are."""
UNPROVEN = Certificate("unproven", "a list of short moves does not reach every table")
MOST_COLUMNS = 3000
"""Columns of a block whose pairs are compared."""
MOST_TRIED = 200_000
"""Variants that are looked at in one go."""


def short_moves(A: Any, vectors: Any, basic: Any) -> Listed | None:
    """Basic moves where there are any, all of four columns, short vectors of a lattice basis and their variants."""
    vectors = sp.csr_array(vectors)
    few = vectors[np.flatnonzero(np.diff(vectors.indptr) <= SHORT)]
    of_ones = np.asarray(abs(few).max(axis=1).todense()).ravel() <= 1
    four = four_cell_moves(A, FOUR_CELLS)
    parts = [
        two_cell_moves(A, FOUR_CELLS),
        four,
        few[np.flatnonzero(~of_ones)],
        variants(few[np.flatnonzero(of_ones)], four, VARIANTS),
    ]
    rows = distinct_rows(sp.vstack([*([] if basic is None else [basic]), *parts], format="csr"))
    return Listed(rows, UNPROVEN) if rows.shape[0] else None


def four_cell_moves(A: Any, most: int, seed: int = 0) -> Any:
    """Moves of four columns as sparse rows, some of them where there are more than `most`; always the same ones.

    Columns that are in the same equations have moves of two; what falls apart into these is left out.
    """
    A = sp.csr_array(A)
    n = A.shape[1]
    nothing = sp.csr_array((0, n), dtype=np.int64)
    if not 4 <= n <= MOST_COLUMNS:
        return nothing
    random = np.random.default_rng(seed)
    marks = random.integers(0, 2**64, A.shape[0], dtype=np.uint64) @ A.toarray().astype(np.uint64)
    first, second = np.triu_indices(n, 1)
    differ = marks[first] != marks[second]
    first, second = first[differ], second[differ]
    change = marks[first] - marks[second]
    # i to j or j to i, whichever has the smaller mark: a pair and its reverse are one
    turned = change > -change
    first, second = np.where(turned, second, first), np.where(turned, first, second)
    change = np.minimum(change, -change)
    order = np.argsort(change, kind="stable")
    begins = np.flatnonzero(np.concatenate([[True], np.diff(change[order]) != 0]))
    sizes = np.diff(np.append(begins, len(order)))
    alike = sizes > 1
    begins, sizes = begins[alike], sizes[alike]
    in_all = (sizes * (sizes - 1)) // 2
    total = int(in_all.sum())
    if not total:
        return nothing
    chosen = np.arange(total) if total <= most else np.sort(random.choice(total, most, replace=False))
    one, other = _pairs_within(begins, sizes, in_all, chosen)
    one, other = order[one], order[other]
    columns = np.stack([first[one], second[other], second[one], first[other]], axis=1)
    steps = np.tile(np.array([1, 1, -1, -1], dtype=np.int64), len(columns))
    rows = sp.csr_array((steps, columns.ravel(), 4 * np.arange(len(columns) + 1)), shape=(len(columns), n))
    rows.sum_duplicates()
    rows.eliminate_zeros()
    # a column that two pairs share leaves a shorter move; and fingerprints are checked
    return that_keep(rows[np.flatnonzero(np.diff(rows.indptr) == 4)], A)


def two_cell_moves(A: Any, most: int) -> Any:
    """One unit from a column to another that is in the same equations: each column and the next such one."""
    A = sp.csc_array(A)
    n = A.shape[1]
    marks = np.random.default_rng(0).integers(0, 2**63, A.shape[0]) @ A.toarray()
    order = np.argsort(marks, kind="stable")
    alike = np.flatnonzero(np.diff(marks[order]) == 0)[:most]
    columns = np.stack([order[alike], order[alike + 1]], axis=1)
    steps = np.tile(np.array([1, -1], dtype=np.int64), len(columns))
    rows = sp.csr_array((steps, columns.ravel(), 2 * np.arange(len(columns) + 1)), shape=(len(columns), n))
    return that_keep(rows, A)


def _pairs_within(
    begins: np.ndarray, sizes: np.ndarray, in_all: np.ndarray, chosen: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Two places of the same group for each of some numbers, which count all pairs of all groups."""
    ends = np.cumsum(in_all)
    group = np.searchsorted(ends, chosen, side="right")
    within = chosen - (ends[group] - in_all[group])
    # the pairs of a group are numbered row by row of a triangle: (0, 1), (0, 2), (1, 2), (0, 3), ...
    later = ((1 + np.sqrt(1 + 8 * within.astype(float))) // 2).astype(np.int64)
    later = np.where(later * (later - 1) // 2 > within, later - 1, later)
    later = np.where((later + 1) * later // 2 <= within, later + 1, later)
    earlier = within - later * (later - 1) // 2
    return begins[group] + earlier, begins[group] + later


def variants(moves: Any, short: Any, most: int) -> Any:
    """Moves, and all that are as long and differ from one of them by short ones, up to about `most`; entries 1 and -1."""
    known, frontier = distinct_rows(moves), sp.csr_array(moves)
    if not short.shape[0]:
        return known
    both = sp.csr_array(sp.vstack([short, -short]))
    while frontier.shape[0] and known.shape[0] < most:
        overlap = sp.coo_array(frontier @ both.T)
        alike = np.flatnonzero(overlap.data == 2)[:MOST_TRIED]
        changed = sp.csr_array(frontier[overlap.row[alike]] - both[overlap.col[alike]])
        changed.eliminate_zeros()
        changed = changed[np.flatnonzero(np.asarray(abs(changed).max(axis=1).todense()).ravel() == 1)]
        together = distinct_rows(sp.vstack([known, changed], format="csr"))
        frontier = together[known.shape[0] :]
        known = together
    return known[:most]
