"""Proposals of chains over tables of people: somebody comes or goes, moves, or four cells of a square change."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from .figures import Part

MOST = 200_000
"""Proposals of a kind; of more, so many are chosen at random, once and for all chains."""
SEED = 20261119


class Proposals(NamedTuple):
    """Cells that change together and with which signs; either all signs as they are, or all the other way round."""

    kinds: np.ndarray
    """Where each kind begins, with one more for the end."""
    starts: np.ndarray
    cells: np.ndarray
    signs: np.ndarray
    doublings: np.ndarray
    """Up to how many times the people of each may be doubled: there are so few in a narrow cell."""


def proposals(part: Part, keys: np.ndarray) -> Proposals:
    """The proposals for a part whose cells have these labels, one column a dim.

    One person more or fewer in a cell; one who moves to a cell with another label of one dim; a square of labels of two
    dims, which keeps the sums over either. The first alone reach every table; the others keep sums that are known exactly.
    """
    random = np.random.default_rng(SEED)
    open_cells = np.flatnonzero(part.low < part.high)
    every = [open_cells[:, None], _pairs(part, keys, open_cells, random), _squares(keys, open_cells, random)]
    signs = [np.array([1]), np.array([1, -1]), np.array([1, -1, -1, 1])]
    present = [(cells, sign) for cells, sign in zip(every, signs, strict=True) if len(cells)]
    lengths = np.concatenate([np.full(len(cells), cells.shape[1]) for cells, _ in present])
    width = (part.high - part.low).astype(float)
    narrowest = np.concatenate([width[cells].min(axis=1) for cells, _ in present])
    return Proposals(
        np.cumsum([0, *(len(cells) for cells, _ in present)]),
        np.cumsum([0, *lengths]),
        np.concatenate([cells.ravel() for cells, _ in present]).astype(np.int64),
        np.concatenate([np.tile(sign, len(cells)) for cells, sign in present]).astype(np.int64),
        np.maximum(np.floor(np.log2(np.maximum(narrowest, 1.0))) - 1, 0).astype(np.int64),
    )


def _some(rows: np.ndarray, random: np.random.Generator) -> np.ndarray:
    return rows if len(rows) <= MOST else rows[np.sort(random.choice(len(rows), MOST, replace=False))]


def _pairs(part: Part, keys: np.ndarray, cells: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """[pair, 2]: cells with the same labels but for one dim; where there are few of these, any that share a figure."""
    found = []
    for axis in range(keys.shape[1]):
        rest = np.delete(keys[cells], axis, axis=1)
        found += [
            np.stack([group[one], group[other]], axis=1)
            for group in _grouped(cells, rest)
            for one, other in [np.triu_indices(len(group), k=1)]
        ]
    pairs = np.concatenate(found) if found else np.empty((0, 2), dtype=np.int64)
    if len(pairs) < len(cells):
        shared = sp.coo_array(sp.triu(sp.csr_array(part.incidence.T @ part.incidence), k=1))
        both = np.stack(shared.coords, axis=1)
        more = both[np.isin(both, cells).all(axis=1)]
        pairs = np.unique(np.sort(np.concatenate([pairs, _some(more, random)]), axis=1), axis=0)
    return _some(pairs, random)


def _squares(keys: np.ndarray, cells: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """[square, 4]: the crossings of two labels of one dim with two of another, all else alike."""
    found, total = [], 0
    for first in range(keys.shape[1]):
        for second in range(first + 1, keys.shape[1]):
            rest = np.delete(keys[cells], [first, second], axis=1)
            for group in _grouped(cells, rest):
                place = {
                    tuple(key): cell for key, cell in zip(keys[group][:, [first, second]].tolist(), group, strict=True)
                }
                rows, columns = (np.unique(keys[group, axis]) for axis in (first, second))
                for a, b in zip(*np.triu_indices(len(rows), k=1), strict=True):
                    inside = [
                        (place[rows[a], column], place[rows[b], column])
                        for column in columns.tolist()
                        if (rows[a], column) in place and (rows[b], column) in place
                    ]
                    sides = np.array(inside, dtype=np.int64).reshape(-1, 2)
                    one, other = np.triu_indices(len(sides), k=1)
                    found.append(np.stack([sides[one, 0], sides[other, 0], sides[one, 1], sides[other, 1]], axis=1))
                    total += len(one)
                    if total > 10 * MOST:
                        return _some(np.concatenate(found), random)
    return _some(np.concatenate(found), random) if found else np.empty((0, 4), dtype=np.int64)


def _grouped(cells: np.ndarray, labels: np.ndarray) -> list[np.ndarray]:
    """The cells with the same labels, together."""
    if not labels.shape[1]:
        return [cells]
    _, group = np.unique(labels, axis=0, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    return np.split(cells[order], np.flatnonzero(np.diff(group.ravel()[order])) + 1)
