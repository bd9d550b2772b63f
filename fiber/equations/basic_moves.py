"""Basic moves of many-way tables: +1 and -1 in turn at the corners of a square, a cube, or a cube of four dims.

Which of them keep what was published is not asked of the margins but tried: so it does not matter whether cells are known,
subtotals published, or further tables linked. Of each block those are listed whose corners are all open. They are the quick
part of the moves on dense tables, and lead a cell towards its bound; they need not reach every table.
"""

from __future__ import annotations

from collections.abc import Iterator
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
ENOUGH, PARTNERS = 20, 8
"""Moves of a cell from which on no joined ones are wanted, and partners that a cube is joined with."""


def basic_moves(coordinates: np.ndarray, A: Any, seed: int = 0) -> Any:
    """The basic moves of a block as sparse rows, some of them where they are many; None where there are none.

    `coordinates` are the labels of its columns, -1 where one is no cell; `A` are its equations. Always the same list.
    """
    column = _places(coordinates)
    if column is None:
        return None
    random = np.random.default_rng(seed)
    kept: list[Any] = []
    working: list[frozenset[int]] = []
    for dims in _cubes_of(column):
        if any(smaller < frozenset(dims) for smaller in working):
            continue  # its moves are made of theirs
        rows = that_keep(_rows(_in_dims(column, dims, random), len(coordinates)), A)
        if rows.shape[0]:
            working.append(frozenset(dims))
            kept.append(rows)
    if not kept:
        return None
    rows = sp.vstack(kept, format="csr")
    if rows.shape[0] > MOST_CUBES:
        rows = rows[np.sort(random.choice(rows.shape[0], MOST_CUBES, replace=False))]
    return rows


def joined_moves(coordinates: np.ndarray, A: Any, basic: Any, seed: int = 0) -> Any:
    """Moves of two cubes that have one closed corner, and have it in common, through cells that have few basic ones.

    What the one changes there, the other undoes. They are sparse rows, the shortest few through each such cell; None where
    none are wanted, or none are found.
    """
    column, n = _places(coordinates), len(coordinates)
    if column is None:
        return None
    needy = np.flatnonzero(np.bincount(basic.indices, minlength=n) < ENOUGH)
    if not len(needy):
        return None
    random = np.random.default_rng(seed)
    working: dict[tuple[int, ...], np.ndarray] = {}
    for dims in _cubes_of(column):
        if any(set(smaller) < set(dims) for smaller in working):
            continue
        cubes = _in_dims(column, dims, random, closed=1)
        if that_keep(_pairs(cubes, n, needy, random), A).shape[0]:
            working[dims] = cubes
    kept = []
    for corners in sorted({cubes.shape[1] for cubes in working.values()}):
        together = np.concatenate([cubes for cubes in working.values() if cubes.shape[1] == corners])
        kept.append(that_keep(_pairs(together, n, needy, random), A))
    return _few_through(sp.vstack(kept, format="csr"), needy) if kept else None


def cube_moves(coordinates: np.ndarray, A: Any) -> Any:
    """Basic moves, and joined ones through cells that have few of them; None where there are none."""
    basic = basic_moves(coordinates, A)
    joined = None if basic is None else joined_moves(coordinates, A, basic)
    return basic if joined is None else sp.csr_array(sp.vstack([basic, joined]))


def that_keep(rows: Any, A: Any) -> Any:
    """Those of some sparse rows that no equation notices."""
    if not rows.shape[0]:
        return rows
    noticed = np.diff(sp.csr_array(rows @ sp.csr_array(A).T.tocsr()).astype(bool).indptr)
    return rows[np.flatnonzero(noticed == 0)]


def _places(coordinates: np.ndarray) -> np.ndarray | None:
    """The columns of a block in a table of the labels that it has; a negative number of its own where one is closed."""
    cells = np.flatnonzero((coordinates >= 0).all(axis=1)) if coordinates.size else np.empty(0, dtype=np.int64)
    if not len(cells):
        return None
    used = [np.unique(coordinates[cells, dim], return_inverse=True) for dim in range(coordinates.shape[1])]
    shape = tuple(len(labels) for labels, _ in used)
    if prod(shape) > MOST_CELLS:
        return None
    column = -1 - np.arange(prod(shape), dtype=np.int64).reshape(shape)
    column[tuple(place for _, place in used)] = cells
    return column


def _cubes_of(column: np.ndarray) -> Iterator[tuple[int, ...]]:
    """The dims that cubes may have, fewest first."""
    wide = [dim for dim, length in enumerate(column.shape) if length > 1]
    for size in range(2, MOST_DIMS + 1):
        yield from combinations(wide, size)


def _in_dims(column: np.ndarray, dims: tuple[int, ...], random: np.random.Generator, closed: int = 0) -> np.ndarray:
    """[cube, corner]: the columns at the corners of cubes in some dims, those that gain first, so many of them closed."""
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
        are_closed = (corners[0] < 0).astype(np.uint8) + (corners[1] < 0)
        for axis, of_dim in enumerate(pairs[1:]):
            are_closed = np.take(are_closed, of_dim[:, 0], axis=axis) + np.take(are_closed, of_dim[:, 1], axis=axis)
        where = np.argwhere(are_closed == closed)
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


def _pairs(cubes: np.ndarray, n_columns: int, needy: np.ndarray, random: np.random.Generator) -> Any:
    """Cubes with a needy cell, each less some others that have the same closed corner; steps of one alone."""
    nothing = sp.csr_array((0, n_columns), dtype=np.int64)
    if not len(cubes):
        return nothing
    half = cubes.shape[1] // 2
    at = np.argmax(cubes < 0, axis=1)
    # the closed corner gains in all of them
    cubes = np.where((at >= half)[:, None], np.roll(cubes, half, axis=1), cubes)
    closed = cubes[np.arange(len(cubes)), at % half]
    cubes = cubes[order := np.argsort(closed, kind="stable")]
    _, begins, sizes = np.unique(closed[order], return_index=True, return_counts=True)
    group = np.repeat(np.arange(len(begins)), sizes)
    wanted = np.zeros(n_columns + 1, dtype=bool)  # the last place is for what is closed
    wanted[needy] = True
    asked = np.flatnonzero(wanted[np.maximum(cubes, -1)].any(axis=1) & (sizes[group] > 1))
    if len(asked) > MOST_CUBES // PARTNERS:
        asked = random.choice(asked, MOST_CUBES // PARTNERS, replace=False)
    one = np.repeat(asked, PARTNERS)
    other = begins[group[one]] + random.integers(0, sizes[group[one]])
    columns = np.concatenate([cubes[one], cubes[other]], axis=1)
    steps = np.tile(np.repeat([1, -1, -1, 1], half), len(one)).reshape(columns.shape)
    used = columns >= 0
    ends = np.concatenate([[0], np.cumsum(used.sum(axis=1))])
    rows = sp.csr_array((steps[used], columns[used], ends), shape=(len(one), n_columns))
    rows.sum_duplicates()
    rows.eliminate_zeros()
    if not len(one):
        return nothing
    most = np.asarray(abs(rows).max(axis=1).todense()).ravel()
    # two that have a face in common make up a third cube; and what is found twice, or turned around, counts once
    marks = np.abs(rows @ random.integers(1, 2**40, n_columns))
    once = np.zeros(len(one), dtype=bool)
    once[np.unique(marks, return_index=True)[1]] = True
    return rows[np.flatnonzero((most == 1) & (np.diff(rows.indptr) > 2 * half) & once)]


def _few_through(rows: Any, needy: np.ndarray) -> Any:
    """The shortest rows through each of some columns, as many as are enough."""
    rows = rows[np.argsort(np.diff(rows.indptr), kind="stable")]
    by_column = sp.csc_array(rows)
    by_column.sort_indices()
    kept = [by_column.indices[by_column.indptr[j] : by_column.indptr[j + 1]][:ENOUGH] for j in needy]
    return rows[np.unique(np.concatenate(kept))]


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
