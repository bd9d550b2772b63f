"""Basic moves of many-way tables: +1 and -1 in turn at the corners of a square, a cube, or a cube of four dims.

Which of them keep what was published is not asked of the margins but tried: so it does not matter whether cells are known,
subtotals published, or further tables linked. Of each block those are listed whose corners are all open. They are the quick
part of the moves on dense tables, and lead a cell towards its bound; they need not reach every table.
"""

from __future__ import annotations

from itertools import combinations
from math import comb, prod
from typing import Any

import numpy as np
import scipy.sparse as sp

MOST_DIMS = 4
"""Dims of a cube: its corners are 2 to this power."""
MOST_CELLS = 4_000_000
"""Cells of a table in which cubes are looked for."""
MOST_CUBES = 60_000
"""Cubes that are listed: more would not fit into the cache, and each cell has many of them by then."""
MOST_TRIED = 20_000_000
"""Cubes that are looked at."""


def basic_moves(coordinates: np.ndarray, A: Any, seed: int = 0) -> Any:
    """The basic moves of a block as sparse rows, some of them where they are many; None where there are none.

    `coordinates` are the labels of its columns, -1 where one is no cell; `A` are its equations. Always the same list.
    """
    cells = np.flatnonzero((coordinates >= 0).all(axis=1)) if coordinates.size else np.empty(0, dtype=np.int64)
    if not len(cells):
        return None
    used = [np.unique(coordinates[cells, dim], return_inverse=True) for dim in range(coordinates.shape[1])]
    shape = tuple(len(labels) for labels, _ in used)
    if prod(shape) > MOST_CELLS:
        return None
    column = np.full(shape, -1, dtype=np.int64)
    column[tuple(place for _, place in used)] = cells
    wide = [dim for dim, length in enumerate(shape) if length > 1]
    equations, random = sp.csr_array(A).T.tocsr(), np.random.default_rng(seed)
    kept: list[Any] = []
    working: list[frozenset[int]] = []
    for size in range(2, MOST_DIMS + 1):
        for dims in combinations(wide, size):
            if any(smaller < frozenset(dims) for smaller in working):
                continue  # its moves are made of theirs
            moves = _in_dims(column, dims, random)
            rows = _rows(moves, len(coordinates))
            rows = (
                rows[np.flatnonzero(np.diff(sp.csr_array(rows @ equations).astype(bool).indptr) == 0)]
                if len(moves)
                else rows
            )
            if rows.shape[0]:
                working.append(frozenset(dims))
                kept.append(rows)
    if not kept:
        return None
    rows = sp.vstack(kept, format="csr")
    if rows.shape[0] > MOST_CUBES:
        rows = rows[np.sort(random.choice(rows.shape[0], MOST_CUBES, replace=False))]
    return rows


def _in_dims(column: np.ndarray, dims: tuple[int, ...], random: np.random.Generator) -> np.ndarray:
    """[cube, corner]: the columns at the corners of cubes in some dims, those that gain first, all of them open."""
    others = [dim for dim in range(column.ndim) if dim not in dims]
    lengths = [column.shape[dim] for dim in dims]
    table = column.transpose(*dims, *others).reshape(*lengths, -1)
    number = prod(comb(length, 2) for length in lengths) * table.shape[-1]
    pairs = [np.array(list(combinations(range(length), 2))) for length in lengths]
    first = pairs[0]
    if number > MOST_TRIED:  # those of some pairs of labels of the first dim, and of some at the other places
        few = max(1, int(len(first) * MOST_TRIED / number))
        first = first[random.choice(len(first), few, replace=False)]
    found, left = [], MOST_CUBES
    for chosen in random.permutation(first):
        corners = [table[label] for label in chosen]
        is_open = (corners[0] >= 0) & (corners[1] >= 0)
        for axis, of_dim in enumerate(pairs[1:]):
            is_open = np.take(is_open, of_dim[:, 0], axis=axis) & np.take(is_open, of_dim[:, 1], axis=axis)
        where = np.argwhere(is_open)
        if len(where) > MOST_CUBES // 8:
            where = where[random.choice(len(where), MOST_CUBES // 8, replace=False)]
        if len(where):
            found.append(
                _corners(corners, [of_dim[where[:, axis]] for axis, of_dim in enumerate(pairs[1:])], where[:, -1])
            )
            left -= len(where)
        if left < 0 and number > 8 * MOST_CUBES:
            break
    return np.concatenate(found) if found else np.empty((0, 2 ** len(dims)), dtype=np.int64)


def _corners(corners: list[np.ndarray], labels: list[np.ndarray], rest: np.ndarray) -> np.ndarray:
    """[cube, corner] in the two slices of the first dim, by two labels of each further dim; even corners first."""
    gains: list[np.ndarray] = []
    loses: list[np.ndarray] = []
    for corner in np.ndindex(*(2,) * (len(labels) + 1)):
        place = tuple(pair[:, side] for pair, side in zip(labels, corner[1:], strict=True))
        (loses if sum(corner) % 2 else gains).append(corners[corner[0]][(*place, rest)])
    return np.stack([*gains, *loses], axis=1)


def _rows(moves: np.ndarray, n_columns: int) -> Any:
    number, corners = moves.shape
    steps = np.tile(np.repeat([1, -1], corners // 2), number)
    return sp.csr_array((steps, moves.ravel(), np.arange(number + 1) * corners), shape=(number, n_columns))
