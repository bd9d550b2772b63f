"""Markov bases of the parts of a table that cannot be cut apart, as patterns that may be laid over any labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import prod
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...fiber.bounds.decomposable import Component, Dims, maximal
from ...fiber.equations.lattice import integer_kernel
from ...release.facts.facts import NO_LIMIT
from .algebra import markov_basis
from .graver import graver_basis
from .known_bases import fitting_moves, known_basis

MOST_CELLS, MOST_PATTERNS, GRAVER_BUDGET = 100, 5000, 200_000_000
"""How large a part may be for a basis of its own to be computed, and how large the basis."""


@dataclass(frozen=True, eq=False)
class PartBasis:
    """Patterns over *merged* dims: dims that the same margins show count as one, a label of each for every combination.

    `plus[k]` and `minus[k]` are the cells, one per row, that gain and lose one. Dims that every margin of the part shows are
    in no merged dim: the moves of a part stay within one label of them.
    """

    merged: tuple[tuple[int, ...], ...]
    plus: tuple[np.ndarray, ...]
    minus: tuple[np.ndarray, ...]
    reason: str


def basis_of_part(part: Component, sizes: list[int], max_seconds: float | None = None) -> PartBasis | None:
    """A Markov basis of the marginal table of a part, known or (unless `max_seconds` is None) computed, or None."""
    merged, shape, known = _merged(part, sizes)
    basis = known_basis(shape, known)
    if basis is not None:
        return PartBasis(merged, basis.plus, basis.minus, basis.reason)
    return None if max_seconds is None else _computed(merged, shape, known, max_seconds)


def _computed(
    merged: tuple[tuple[int, ...], ...], shape: list[int], known: set[Dims], max_seconds: float
) -> PartBasis | None:
    """The Graver basis of a small part, or a Markov basis by 4ti2."""
    if prod(shape) > MOST_CELLS:
        return None
    A = margin_matrix(shape, known)
    rows = graver_basis(integer_kernel(A), np.full(A.shape[1], NO_LIMIT), GRAVER_BUDGET, MOST_PATTERNS)
    reason = "the Graver basis of a part"
    if rows is None:
        computed = markov_basis(A, None, max_seconds)
        rows, reason = computed.moves, f"a Markov basis of a part ({computed.words})"
    if rows is None or rows.shape[0] > MOST_PATTERNS:
        return None
    pairs: dict[bytes, tuple[np.ndarray, np.ndarray]] = {}
    for begin, end in pairwise(rows.indptr):
        cells = np.repeat(
            np.array(np.unravel_index(rows.indices[begin:end], shape)).T, np.abs(rows.data[begin:end]), axis=0
        )
        gains = np.repeat(rows.data[begin:end] > 0, np.abs(rows.data[begin:end]))
        labels = np.stack([np.unique(column, return_inverse=True)[1] for column in cells.T], axis=1)
        pairs.setdefault(labels.tobytes() + gains.tobytes(), (labels[gains], labels[~gains]))
    return PartBasis(
        merged, tuple(gain for gain, _ in pairs.values()), tuple(loss for _, loss in pairs.values()), reason
    )


def margin_matrix(shape: Sequence[int], known: Iterable[Iterable[int]]) -> Any:
    """The sums that some margins of a complete table are, as sparse rows over its cells in C order."""
    cells = np.indices(tuple(shape)).reshape(len(shape), -1)
    parts = []
    for axes in known:
        chosen = sorted(axes)
        sizes = tuple(shape[axis] for axis in chosen)
        row = np.ravel_multi_index(tuple(cells[chosen]), sizes) if chosen else np.zeros(cells.shape[1], dtype=np.int64)
        ones = np.ones(cells.shape[1], dtype=np.int64)
        parts.append(sp.csr_array((ones, (row, np.arange(cells.shape[1]))), shape=(prod(sizes), cells.shape[1])))
    return sp.csr_array(sp.vstack(parts))


def some_moves_of_part(part: Component, sizes: list[int]) -> list[PartBasis]:
    """Moves that keep the margins of a part, without a claim to be enough: known ones on any choice of its dims.

    In the other dims all units of such a move have the same label.
    """
    merged, shape, known = _merged(part, sizes)
    bases = []
    for size in range(2, len(merged) + 1):
        for chosen in combinations(range(len(merged)), size):
            place = {dim: number for number, dim in enumerate(chosen)}
            inside = frozenset(maximal(frozenset(place[dim] for dim in margin if dim in place) for margin in known))
            moves = fitting_moves(tuple(shape[dim] for dim in chosen), inside)
            if moves is not None:
                bases.append(PartBasis(tuple(merged[dim] for dim in chosen), moves.plus, moves.minus, moves.reason))
    return bases


def _merged(part: Component, sizes: list[int]) -> tuple[tuple[tuple[int, ...], ...], list[int], set[Dims]]:
    """The merged dims of a part, how many labels they have, and the margins in terms of them."""
    in_all = frozenset.intersection(*part.known)
    together: dict[tuple[bool, ...], list[int]] = {}
    for axis in sorted(part.dims - in_all):
        together.setdefault(tuple(axis in margin for margin in part.known), []).append(axis)
    merged = tuple(tuple(axes) for axes in together.values())
    shape = [prod(sizes[axis] for axis in axes) for axes in merged]
    known: set[Dims] = {frozenset(dim for dim, axes in enumerate(merged) if axes[0] in margin) for margin in part.known}
    return merged, shape, known
