"""Markov bases of complete tables with published margins that are known: proven, or computed once and stored.

A move of a complete table stays one when the labels of a dim are exchanged, so a few *representatives* (one of each orbit
under these exchanges) stand for a whole basis. An *embedding* of a representative gives different labels of the table to the
different labels that it uses in a dim, and the basis is all embeddings of all representatives. The basis of a smaller table
is the embeddings that fit into it, because a fiber of the smaller table is one of the larger, with zeros elsewhere.

Stored are bases computed by 4ti2 (`bench/studies/known_bases.py` writes the file). 4ti2 gives one of several smallest bases,
not always a symmetric one; all embeddings of all its moves are a basis too. By theory are known:

3 x 3 x K with its two-way margins: the moves use at most five of the K labels (Aoki and Takemura 2003), so the basis for
K = 5 serves any K.

n dims, all margins of n-1 dims, at most two dims with more than two labels: two tables with the same margins differ in a
two-way table y with zero row and column sums, once with + and once with - for the labels of the dims of two (with a
single such dim, this is the Lawrence lifting of the two-way table). The fiber is that of y with a lower and an upper limit
on each cell, and those are connected by the cycles of the complete bipartite graph, the Graver basis of two-way tables.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import scipy.sparse as sp

from .algebra import one_of_each_pair

Margins = frozenset[frozenset[int]]

Pair = tuple[np.ndarray, np.ndarray]
"""The cells of +1 and of -1 of a representative."""

FORM = 1
"""Of the file, raised when its entries are made of something else."""

CYCLES = "cycles of two dims, with + and - in the dims of two labels, join all tables with these margins (circuits)"


@dataclass(frozen=True, eq=False)
class KnownBasis:
    """Representatives of a Markov basis: cells of +1 and of -1, one per row and as often as they count; and its source."""

    plus: tuple[np.ndarray, ...]
    minus: tuple[np.ndarray, ...]
    reason: str


@dataclass(frozen=True, eq=False)
class Stored:
    """A basis in the file; `any_length` is the dim that may be longer without more representatives, if there is one."""

    shape: tuple[int, ...]
    margins: Margins
    any_length: int | None
    representatives: tuple[Pair, ...]
    moves: int
    reason: str

    def holds(self, shape: tuple[int, ...]) -> bool:
        """Is a table of this shape, dims in this order, part of the one whose basis is stored?"""
        return all(
            length <= stored_length or dim == self.any_length
            for dim, (length, stored_length) in enumerate(zip(shape, self.shape, strict=True))
        )


def known_basis(shape: Collection[int], margins: Collection[Collection[int]]) -> KnownBasis | None:
    """Representatives of a Markov basis of tables of this shape with these margins (sets of axes), or None.

    Expanding them by labels alone gives the whole basis: images under exchange of dims are among them.
    """
    lengths, sets = tuple(shape), frozenset(frozenset(axes) for axes in margins)
    axes = frozenset(range(len(lengths)))
    if not sets or frozenset().union(*sets) != axes or any(length < 2 for length in lengths):
        raise ValueError(
            f"every dim of {lengths} has two labels or more and is in a margin, all dims in {_in_order(sets)}"
        )
    if any(margin < other for margin in sets for other in sets):
        raise ValueError(f"a margin that is part of another says nothing: {_in_order(sets)}")
    return _known(lengths, sets)


def expand(plus: Collection[np.ndarray], minus: Collection[np.ndarray], shape: Collection[int]) -> Any:
    """All different embeddings of representatives into a table, up to sign; a move per row over the cells in C order."""
    lengths = tuple(shape)
    n_cells = int(np.prod(lengths))
    moves = [sp.csr_array((0, n_cells), dtype=np.int64)]
    for gains, losses in zip(plus, minus, strict=True):
        codes = np.unique(_embedded(_relabelled(gains, losses), len(gains), lengths), axis=0)
        signs = np.repeat([1, -1], len(gains))
        where = (np.repeat(np.arange(len(codes)), codes.shape[1]), codes.ravel())
        moves.append(sp.csr_array((np.tile(signs, len(codes)), where), shape=(len(codes), n_cells)))
    return one_of_each_pair(sp.vstack(moves))


@cache
def _known(shape: tuple[int, ...], margins: Margins) -> KnownBasis | None:
    n_dims = len(shape)
    if n_dims >= 3 and margins == _all_margins(n_dims, n_dims - 1) and sum(length > 2 for length in shape) <= 2:
        by_length = sorted(range(n_dims), key=lambda axis: -shape[axis])
        return KnownBasis(*_columns(_cycles(shape, *by_length[:2])), CYCLES)
    for basis in sorted(stored_bases(), key=lambda basis: np.prod(basis.shape)):
        orders = [
            order
            for order in same_model(basis.margins, margins, n_dims)
            if basis.holds(tuple(shape[order.index(dim)] for dim in range(n_dims)))
        ]
        if orders:
            pairs = images(basis.representatives, orders)
            fitting = [pair for pair in pairs if (np.concatenate(pair).max(axis=0) < shape).all()]
            return KnownBasis(*_columns(fitting), basis.reason)
    return None


def _cycles(shape: tuple[int, ...], first: int, second: int) -> list[Pair]:
    """The cycles of two dims, once with each sign for two labels of each of the others."""
    others = [axis for axis in range(len(shape)) if axis not in (first, second)]
    pairs = []
    for half in range(2, min(shape[first], shape[second]) + 1):
        sides: tuple[list[list[int]], list[list[int]]] = ([], [])
        for step, labels in product(range(half), product(range(2), repeat=len(others))):
            for turn in range(2):
                cell = [0] * len(shape)
                cell[first], cell[second] = step, (step + turn) % half
                for axis, label in zip(others, labels, strict=True):
                    cell[axis] = label
                sides[(turn + sum(labels)) % 2].append(cell)
        pairs.append((np.array(sides[0]), np.array(sides[1])))
    return pairs


@cache
def fitting_moves(shape: tuple[int, ...], margins: Margins) -> KnownBasis | None:
    """Representatives of moves that keep these margins, as many as are known of tables of any size: no whole basis."""
    n_dims = len(shape)
    pairs: list[Pair] = []
    if margins == _all_margins(n_dims, n_dims - 1):
        pairs += [pair for axes in combinations(range(n_dims), 2) for pair in _cycles(shape, *axes)]
    for basis in stored_bases():
        # The same move may come out of several orders, which costs less than to notice.
        orders = list(same_model(basis.margins, margins, n_dims))
        pairs += [(gains[:, order], losses[:, order]) for gains, losses in basis.representatives for order in orders]
    fitting = [pair for pair in pairs if (np.concatenate(pair).max(axis=0) < shape).all()]
    return KnownBasis(*_columns(fitting), "moves that are known of smaller tables") if fitting else None


@cache
def stored_bases() -> tuple[Stored, ...]:
    """What is in the file."""
    content = json.loads(files(__package__).joinpath("known_bases.json").read_text(encoding="utf-8"))
    if content.get("form") != FORM:
        raise ValueError(f"known_bases.json is not of form {FORM}: write it anew by bench/studies/known_bases.py")
    return tuple(
        Stored(
            tuple(entry["shape"]),
            frozenset(frozenset(map(int, axes)) for axes in entry["margins"]),
            entry.get("any_length"),
            tuple((_cells(pair["plus"]), _cells(pair["minus"])) for pair in entry["representatives"]),
            entry["moves"],
            entry["reason"],
        )
        for entry in content["bases"]
    )


def same_model(margins: Margins, others: Margins, n_dims: int) -> Iterator[tuple[int, ...]]:
    """Every order of dims that turns one set of margins into the other: dim d of the others is dim order[d] of the first."""
    if sorted(map(len, margins)) != sorted(map(len, others)) or n_dims != len(frozenset().union(*margins)):
        return
    for order in permutations(range(n_dims)):
        if all(frozenset(order[dim] for dim in margin) in margins for margin in others):
            yield order


def images(representatives: Collection[Pair], orders: Collection[tuple[int, ...]]) -> list[Pair]:
    """The representatives with their dims in each of the orders, those that are not the same but for labels and sign."""
    distinct: dict[tuple[bytes, tuple[int, ...]], Pair] = {}
    for gains, losses in representatives:
        for order in orders:
            _add(distinct, gains[:, order], losses[:, order])
    return list(distinct.values())


def _add(distinct: dict[tuple[bytes, tuple[int, ...]], Pair], plus: np.ndarray, minus: np.ndarray) -> None:
    """Add a representative in its least form over all names of its labels, unless it is there."""
    labels = _relabelled(plus, minus)
    used = tuple(int(label) + 1 for label in labels.max(axis=0))
    form = _least(_embedded(labels, len(plus), used))
    cells = np.array(np.unravel_index(form, used), dtype=np.int64).T
    distinct.setdefault((form.tobytes(), used), (cells[: len(plus)], cells[len(plus) :]))


def _relabelled(plus: np.ndarray, minus: np.ndarray) -> np.ndarray:
    """All cells, with the labels that are used in each dim renumbered as 0, 1, ..."""
    cells = np.concatenate([plus, minus])
    return np.array([np.unique(labels, return_inverse=True)[1] for labels in cells.T]).T


def _embedded(labels: np.ndarray, degree: int, shape: tuple[int, ...]) -> np.ndarray:
    """The cells of every embedding, in C order within each side; the side with the first of all cells is the first."""
    codes = np.zeros((1, len(labels)), dtype=np.int64)
    for axis, length in enumerate(shape):
        places = _injections(length, int(labels[:, axis].max()) + 1)[:, labels[:, axis]]
        codes = (codes[:, None] * length + places[None]).reshape(len(codes) * len(places), len(labels))
    sides = np.sort(codes.reshape(len(codes), 2, degree), axis=2)
    swapped = sides[:, 1, 0] < sides[:, 0, 0]
    sides[swapped] = sides[swapped, ::-1]
    return sides.reshape(len(codes), 2 * degree)


@cache
def _injections(length: int, used: int) -> np.ndarray:
    return np.array(list(permutations(range(length), used)), dtype=np.int64).reshape(-1, used)


def _least(rows: np.ndarray) -> np.ndarray:
    """The first of some rows in lexicographic order."""
    for column in range(rows.shape[1]):
        rows = rows[rows[:, column] == rows[:, column].min()]
    return rows[0]


def _cells(text: str) -> np.ndarray:
    return np.array([[int(label) for label in cell] for cell in text.split()], dtype=np.int64)


def _columns(
    pairs: Collection[Pair],
) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    return tuple(gains for gains, _ in pairs), tuple(losses for _, losses in pairs)


def _all_margins(n_dims: int, size: int) -> Margins:
    return frozenset(map(frozenset, combinations(range(n_dims), size)))


def _in_order(sets: Margins) -> list[list[int]]:
    return sorted(sorted(margin) for margin in sets)
