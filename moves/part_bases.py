"""Bases of the parts of a table that cannot be cut apart, as patterns that may be laid over any labels."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np

from ..fiber.decomposable import Component, Dims, maximal
from .known_bases import fitting_moves, known_basis


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


def basis_of_part(part: Component, sizes: list[int]) -> PartBasis | None:
    """A Markov basis of the marginal table of a part, or None where none is known."""
    merged, shape, known = _merged(part, sizes)
    found = known_basis(shape, known)
    return None if found is None else PartBasis(merged, found.plus, found.minus, found.reason)


def some_moves_of_part(part: Component, sizes: list[int]) -> list[PartBasis]:
    """Moves that keep the margins of a part, without a claim to be enough: known ones on any choice of its dims.

    In the other dims all units of such a move have the same label.
    """
    merged, shape, known = _merged(part, sizes)
    found = []
    for size in range(2, len(merged) + 1):
        for chosen in combinations(range(len(merged)), size):
            place = {q: k for k, q in enumerate(chosen)}
            inside = frozenset(maximal(frozenset(place[q] for q in one if q in place) for one in known))
            moves = fitting_moves(tuple(shape[q] for q in chosen), inside)
            if moves is not None:
                found.append(PartBasis(tuple(merged[q] for q in chosen), moves.plus, moves.minus, moves.reason))
    return found


def _merged(part: Component, sizes: list[int]) -> tuple[tuple[tuple[int, ...], ...], list[int], set[Dims]]:
    """The merged dims of a part, how many labels they have, and the margins in terms of them."""
    in_all = frozenset.intersection(*part.known)
    together: dict[tuple[bool, ...], list[int]] = {}
    for axis in sorted(part.dims - in_all):
        together.setdefault(tuple(axis in one for one in part.known), []).append(axis)
    merged = tuple(tuple(axes) for axes in together.values())
    shape = [prod(sizes[axis] for axis in axes) for axes in merged]
    known: set[Dims] = {frozenset(q for q, axes in enumerate(merged) if axes[0] in one) for one in part.known}
    return merged, shape, known
