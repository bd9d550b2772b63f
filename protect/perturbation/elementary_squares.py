"""Elementary squares: two categories of one dim crossed with two of another, everything else fixed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...base.saved_forms import saved
from ...release.release import Release
from ...release.tables.dims import Dim, margin_list, parse_margin
from ...release.tables.tables import cell_position

MOST_SQUARES = 1_000_000


@saved("Squares")
@dataclass(frozen=True, eq=False)
class Squares:
    """Squares in their order: the positions of the two dims of each, and its four cells (flat numbers).

    The cells are top left, top right, bottom left and bottom right; the first dim goes down, the second across.
    """

    dims: np.ndarray
    cells: np.ndarray

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def share_cells(self) -> bool:
        """Has any cell a place in two squares?"""
        return len(np.unique(self.cells)) < self.cells.size


def chosen_squares(asked: Any, pairs: Any, release: Release) -> Squares:
    """The squares a user asks for."""
    if isinstance(asked, Squares):
        if asked.cells.max(initial=-1) >= release.n_cells or asked.dims.max(initial=-1) >= len(release.dims):
            raise InputError("squares= are those of a larger table: take those that were published with this one.")
        return asked
    if isinstance(asked, str) or asked is None:
        if asked not in ("adjacent", "all", None):
            raise InputError(f"squares={asked!r}: 'adjacent', 'all', or a list of squares.")
        return _every_square(release, _pairs(pairs, release.dims), asked != "all")
    if pairs is not None:
        raise InputError("dims= goes with squares='adjacent' or 'all'; a list of squares says its dims itself.")
    if not isinstance(asked, Iterable) or isinstance(asked, Mapping):
        raise InputError("squares= is 'adjacent', 'all', or a list of pairs of cells.")
    chosen = [_square(corners, release) for corners in asked]
    if not chosen:
        raise InputError("squares=[] moves nothing: list at least one square.")
    return Squares(np.array([square[0] for square in chosen]), np.array([square[1] for square in chosen]))


def _pairs(asked: Any, dims: tuple[Dim, ...]) -> list[tuple[int, int]]:
    wide = [i for i, dim in enumerate(dims) if len(dim.labels) > 1]
    if asked is None:
        if len(wide) < 2:
            raise InputError("a square needs two dims with at least two categories each; this table has none.")
        return list(combinations(wide, 2))
    chosen = []
    for pair in margin_list(asked, "dims="):
        shown = tuple(i for i, level in enumerate(parse_margin(pair, dims)) if level is not None)
        if len(shown) != 2 or not set(shown) <= set(wide):
            raise InputError(f"dims={pair!r}: a square lies in two dims with at least two categories each.")
        chosen.append((shown[0], shown[1]))
    return list(dict.fromkeys(chosen))


def _every_square(release: Release, pairs: list[tuple[int, int]], adjacent: bool) -> Squares:
    numbers = release.grids[0].cells
    shape = numbers.shape

    def steps(n: int) -> int:
        return n - 1 if adjacent else comb(n, 2)

    many = sum(steps(shape[a]) * steps(shape[b]) * (numbers.size // (shape[a] * shape[b])) for a, b in pairs)
    if many > MOST_SQUARES:
        raise InputError(
            f"the table has {many:,} such squares, more than {MOST_SQUARES:,}: choose dims=, or list squares."
        )
    dims, cells = [], []
    for a, b in pairs:
        planes = np.moveaxis(numbers, (a, b), (0, 1)).reshape(shape[a], shape[b], -1)
        ends = [
            [(i, i + 1) for i in range(n - 1)] if adjacent else list(combinations(range(n), 2))
            for n in (shape[a], shape[b])
        ]
        for (i, k), (j, m) in product(*ends):
            corners = np.stack([planes[i, j], planes[i, m], planes[k, j], planes[k, m]], axis=1)
            cells.append(corners)
            dims.append(np.tile([a, b], (len(corners), 1)))
    return Squares(np.concatenate(dims), np.concatenate(cells))


def _square(asked: Any, release: Release) -> tuple[tuple[int, int], tuple[int, ...]]:
    if not isinstance(asked, (tuple, list)) or len(asked) != 2:
        raise InputError(f"a square is a pair of cells, the top-left and the bottom-right one; this is {asked!r}.")
    first, last = (cell_position(cell, release.dims) for cell in asked)
    differ = [i for i, (x, y) in enumerate(zip(first, last, strict=True)) if x != y]
    if len(differ) != 2:
        raise InputError(
            f"the square {dict(asked[0])} to {dict(asked[1])}: its corners must differ in two dims, not in {len(differ)}."
        )
    down, across = differ
    corners = []
    for i, j in product((first[down], last[down]), (first[across], last[across])):
        corner = list(first)
        corner[down], corner[across] = i, j
        corners.append(int(release.grids[0].cells[tuple(corner)]))
    return (down, across), tuple(corners)
