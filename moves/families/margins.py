"""Complete tables of which margins are known: data swaps where they can be cut apart, known bases where they cannot.

Where a separator S cuts the dims in two, two units that agree in S may exchange all that lies on one side. These data
swaps are a Markov basis of decomposable margins (Dobra 2003). A part that cannot be cut needs a basis of its own; its moves
are lifted to the whole table by giving their units any labels outside the part, gaining and losing units alike (Dobra and
Sullivant 2004). Everything is drawn on the fly, so that large tables cost nothing. A dim that no margin shows is free: one
unit may change its label there.

All of this is about tables whose cells have no bounds but those that the margins imply. Cells that the margins decide
only block moves that can never be made anyway.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import chain, combinations, permutations, product
from math import perm, prod
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.certificate import Certificate
from ...fiber.blocks.presolve import Presolved
from ...fiber.bounds.decomposable import Component, Components, Dims, apart, cut_apart
from ..bases.part_bases import PartBasis, basis_of_part, some_moves_of_part
from .margins_kernel import Arrays, draw_margin_move, fill_margins, lift, to_columns
from .move_set import MOST_LISTED, Move, MoveSet, distinct_rows, sparse_rows, too_many
from .stock import Stock, Supplier

SWAPS = "data swaps join all tables with these margins, which are decomposable (Dobra 2003)"
LIFTED = (
    "data swaps and the lifted moves of the parts join all tables with these margins, which are reducible (Dobra and "
    "Sullivant 2004); "
)
PARTLY = "for a part of these margins no whole basis is known, only moves of smaller tables"
SWAPS_ODDS = 0.5
"""How often a data swap is drawn where parts have moves of their own too."""
NS_PER_AXIS = 22.0
"""Nanoseconds of an entry that is drawn, for each axis of the table."""


@dataclass(frozen=True, eq=False, repr=False)
class MarginMoves(MoveSet):
    """Moves of a complete table of margins, as far as they concern one block of it."""

    arrays: Arrays
    column_of: np.ndarray
    certificate: Certificate
    block_columns: int

    words = "data swaps and moves of margins"

    @property
    def n_columns(self) -> int:
        """Columns of the block."""
        return self.block_columns

    def workspace(self) -> tuple[np.ndarray, ...]:
        """Room for a draw: coordinates, mapping, columns, steps."""
        most = max(2, int(np.diff(self.arrays.start).max(initial=0)))
        mapping = np.zeros((self.arrays.used.shape[1], max(1, int(self.arrays.used.max(initial=0)))), dtype=np.int64)
        coordinates = np.zeros((2 * most, len(self.arrays.size)), dtype=np.int64)
        return coordinates, mapping, np.empty(2 * most, dtype=np.int64), np.empty(2 * most, dtype=np.int64)

    def draw(self, random: np.ndarray, table: np.ndarray) -> Move:
        """A data swap, a lifted move, or a change in a free dim; nothing where it meets a decided cell."""
        coordinates, mapping, columns, steps = self.workspace()
        length = draw_margin_move(self.arrays, self.column_of, random, coordinates, mapping, columns, steps)
        return Move(columns[:length], steps[:length])

    def supplier(self) -> MarginSupplier:
        """For stocks of moves."""
        return MarginSupplier(self)

    def listed(self, most: int = MOST_LISTED) -> Any:
        """All of them, each once: whole patterns at a time where no dim lies outside of them, else one by one."""
        alike = self._alike()
        if sum(len(patterns) * self._ways(patterns[0]) for patterns in alike) > 20 * most:
            raise too_many(most)
        one_by_one = sparse_rows(
            self._others({pattern for patterns in alike for pattern in patterns}), self.n_columns, most
        )
        return distinct_rows(sp.vstack([one_by_one, *map(self._embedded, alike)], format="csr"), most)

    def _alike(self) -> list[list[int]]:
        """The patterns that take up all dims, those together that are of the same size."""
        alike: dict[tuple[int, ...], list[int]] = {}
        for pattern, part in enumerate(self.arrays.part.tolist()):
            if (self.arrays.role[part] >= -1).all():
                degree = int(self.arrays.start[pattern + 1] - self.arrays.start[pattern])
                alike.setdefault((part, degree, *self.arrays.used[pattern].tolist()), []).append(pattern)
        return list(alike.values())

    def _ways(self, pattern: int) -> int:
        """In how many ways labels can be given to a pattern."""
        part = self.arrays.part[pattern]
        common = self.arrays.size[self.arrays.role[part] == -1]
        of_dims = map(perm, self.arrays.room[part].tolist(), self.arrays.used[pattern].tolist())
        return prod(of_dims) * prod(common.tolist())

    def _embedded(self, patterns: list[int]) -> Any:
        """Every move (embedding) of some patterns that take up all dims and are of the same size."""
        arrays, part, used = self.arrays, self.arrays.part[patterns[0]], self.arrays.used[patterns[0]]
        degree = int(arrays.start[patterns[0] + 1] - arrays.start[patterns[0]])
        units = arrays.start[patterns][:, None] + np.arange(degree)
        labels = np.concatenate([arrays.plus[units], arrays.minus[units]], axis=1)  # [pattern, unit, merged dim]
        cells = np.full((len(patterns), 1, 2 * degree), arrays.base, dtype=np.int64)
        for dim in np.flatnonzero(used):
            injections = np.array(list(permutations(range(arrays.room[part, dim]), int(used[dim]))))
            merged_labels = injections[:, labels[:, :, dim]].transpose(1, 0, 2)  # [pattern, way, unit]
            shift = np.zeros_like(merged_labels)
            for axis in np.flatnonzero(arrays.role[part] == dim):
                shift += arrays.offset[axis, merged_labels // arrays.radix[part, axis] % arrays.size[axis]]
            cells = (cells[:, :, None] + shift[:, None]).reshape(len(patterns), -1, 2 * degree)
        for axis in np.flatnonzero(arrays.role[part] == -1):
            shift = arrays.offset[axis, : arrays.size[axis]]
            cells = (cells[:, :, None] + shift[:, None]).reshape(len(patterns), -1, 2 * degree)
        n_moves = cells.size // (2 * degree)
        steps, start = np.tile(np.repeat([1, -1], degree), n_moves), np.arange(n_moves + 1) * (2 * degree)
        rows = sp.csr_array((steps, cells.ravel(), start), shape=(n_moves, len(self.column_of)))
        rows.sum_duplicates()
        rows.eliminate_zeros()
        rows = rows[np.flatnonzero(abs(rows) @ (self.column_of == -1) == 0)]  # the others can never be made
        columns = self.column_of[rows.indices]
        rows.data[columns < 0] = 0  # cells of other blocks, which move by themselves
        return sp.csr_array((rows.data, np.maximum(columns, 0), rows.indptr), shape=(rows.shape[0], self.n_columns))

    def _others(self, without: Collection[int] = ()) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Data swaps, changes in free dims, and the moves of all patterns but some, one by one."""
        coordinates, mapping, columns, steps = self.workspace()
        of_units = chain(self._swaps_and_changes(coordinates), self._lifted(coordinates, mapping, without))
        for degree in of_units:
            length = to_columns(self.arrays, self.column_of, coordinates, degree, columns, steps)
            yield columns[:length].copy(), steps[:length].copy()

    def _swaps_and_changes(self, coordinates: np.ndarray) -> Iterator[int]:
        """Write the units of data swaps and of changes in free dims, one by one; how many gain."""
        arrays = self.arrays
        everywhere = (
            [np.array(cell) for cell in product(*map(range, arrays.size.tolist()))]
            if len(arrays.stays) or arrays.free.any()
            else []
        )
        for stays, swaps in zip(arrays.stays, arrays.swaps, strict=True):
            for cell, other in combinations(everywhere, 2):
                if (cell == other)[stays].all():
                    coordinates[:2] = cell, other
                    coordinates[2:4] = np.where(swaps, other, cell), np.where(swaps, cell, other)
                    yield 2
        for cell, other in combinations(everywhere, 2) if arrays.free.any() else ():
            if (cell == other)[~arrays.free].all():
                coordinates[:2] = cell, other
                yield 1

    def _lifted(self, coordinates: np.ndarray, mapping: np.ndarray, without: Collection[int]) -> Iterator[int]:
        """Write the units of the moves of all patterns but some, one by one; how many gain."""
        arrays, sizes = self.arrays, self.arrays.size.tolist()
        for pattern, part in enumerate(arrays.part):
            if pattern in without:
                continue
            degree = int(arrays.start[pattern + 1] - arrays.start[pattern])
            used, room, role = arrays.used[pattern], arrays.room[part], arrays.role[part]
            common, outside = np.flatnonzero(role == -1), np.flatnonzero(role < -1)
            alike = list(product(*(range(sizes[axis]) for axis in common)))
            elsewhere = list(product(*(range(sizes[axis]) for axis in outside)))
            for maps in product(
                *(
                    permutations(range(n_labels), n_used)
                    for n_labels, n_used in zip(room.tolist(), used.tolist(), strict=True)
                )
            ):
                for dim, labels in enumerate(maps):
                    mapping[dim, : len(labels)] = labels
                for common_labels in alike:
                    for outside_labels in product(elsewhere, repeat=degree):
                        coordinates[:degree, common] = common_labels
                        coordinates[:degree, outside] = outside_labels
                        lift(arrays, pattern, mapping, coordinates)
                        yield degree


def margin_moves(
    margins: Components, presolved: Presolved, block_number: int, *, proven: bool = True, max_seconds: float = 0.0
) -> MarginMoves | None:
    """The moves of a block of a table of which complete margins are known; None where a part has no known basis.

    Without `proven`, such a part gets the moves that are known of smaller tables, and the certificate says so. A part that
    is not the whole table may have its basis computed, by 4ti2 in at most `max_seconds`.
    """
    cells = margins.release.grids[0].cells
    block = presolved.blocks[block_number]
    column_of = np.full(margins.release.n_cells, -2, dtype=np.int64)
    column_of[presolved.decided[: margins.release.n_cells]] = -1
    column_of[block.columns] = np.arange(len(block.columns))
    labels = _open_labels(margins, column_of[cells])
    axes = [axis for axis, open_here in enumerate(labels) if len(open_here) > 1]
    place = {axis: number for number, axis in enumerate(axes)}
    known = [frozenset(place[axis] for axis in shown if axis in place) for shown in margins.published]
    parts, separators = cut_apart(known)
    sizes = [len(labels[axis]) for axis in axes]
    bases: list[tuple[Component, PartBasis]] = []
    whole = True
    for part in parts:
        # The whole table is better left to what looks at its block, decided cells and all.
        seconds = max_seconds if len(parts) > 1 else None
        basis = None if part.complete else basis_of_part(part, sizes, seconds)
        if basis is not None:
            bases.append((part, basis))
        elif not part.complete:
            if proven:
                return None
            whole = False
            bases.extend((part, basis) for basis in some_moves_of_part(part, sizes))
    arrays = _arrays(sizes, known, separators, bases)
    if not len(arrays.ends):
        return None
    stride = np.array([int(np.prod(cells.shape[axis + 1 :])) for axis in range(cells.ndim)])
    offset = np.zeros((len(axes), max(sizes, default=1)), dtype=np.int64)
    for number, axis in enumerate(axes):
        offset[number, : sizes[number]] = labels[axis] * stride[axis]
    base = int(sum(labels[axis][0] * stride[axis] for axis in range(cells.ndim) if axis not in place))
    reasons = "; ".join(dict.fromkeys(basis.reason for _, basis in bases))
    certificate = Certificate("connected", (LIFTED if len(parts) > 1 else "") + reasons if bases else SWAPS)
    if not whole:
        certificate = Certificate("unproven", PARTLY)
    in_order = column_of[cells.ravel()]
    return MarginMoves(arrays._replace(offset=offset, base=base), in_order, certificate, len(block.columns))


def _open_labels(margins: Components, column_of: np.ndarray) -> list[np.ndarray]:
    """For each dim the labels at which some cell is open; in dims that every margin shows, some cell of this block.

    Such a dim cuts the table into slices that have nothing to do with each other.
    """
    in_all = frozenset.intersection(*margins.published)
    labels = []
    for axis in range(column_of.ndim):
        others = tuple(other for other in range(column_of.ndim) if other != axis)
        is_open = column_of >= 0 if axis in in_all else column_of != -1
        labels.append(np.flatnonzero(is_open.any(axis=others)))
    return labels


def _arrays(
    sizes: list[int], known: list[Dims], separators: tuple[Dims, ...], bases: list[tuple[Component, PartBasis]]
) -> Arrays:
    n_axes = len(sizes)
    everything = frozenset(range(n_axes))
    free = everything - frozenset().union(*known)
    cuts = [
        (separator, side)
        for separator in dict.fromkeys(separators)
        for side in apart(everything - free - separator, known)
    ]
    patterns = [
        (part_number, pattern) for part_number, (_, basis) in enumerate(bases) for pattern in range(len(basis.plus))
    ]
    outside = [_outside(part, everything - free, known) for part, _ in bases]
    n_merged = max((len(basis.merged) for _, basis in bases), default=1)
    n_outside = max((len(groups) for groups in outside), default=0) + 1
    role = np.full((len(bases), n_axes), -1, dtype=np.int64)
    radix = np.ones((len(bases), n_axes), dtype=np.int64)
    room = np.ones((len(bases), n_merged), dtype=np.int64)
    touches = np.zeros((len(bases), n_outside, n_axes), dtype=bool)
    for part_number, ((_, basis), groups) in enumerate(zip(bases, outside, strict=True)):
        for dim, merged in enumerate(basis.merged):
            for axis in merged:
                role[part_number, axis], radix[part_number, axis] = dim, room[part_number, dim]
                room[part_number, dim] *= sizes[axis]
        # Free dims come with the units like an outside component that touches nothing.
        for component, (group, near) in enumerate([*groups, (free, frozenset())]):
            role[part_number, sorted(group)] = -2 - component
            touches[part_number, component, sorted(near)] = True
    degrees = [len(bases[part_number][1].plus[pattern]) for part_number, pattern in patterns]
    plus, minus = (np.zeros((sum(degrees), n_merged), dtype=np.int64) for _ in range(2))
    used = np.zeros((len(patterns), n_merged), dtype=np.int64)
    start = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
    for row, (part_number, pattern) in enumerate(patterns):
        basis = bases[part_number][1]
        width = len(basis.merged)
        plus[start[row] : start[row + 1], :width], minus[start[row] : start[row + 1], :width] = (
            basis.plus[pattern],
            basis.minus[pattern],
        )
        used[row, :width] = basis.plus[pattern].max(axis=0) + 1
    return Arrays(
        size=np.array(sizes, dtype=np.int64),
        offset=np.zeros((0, 0), dtype=np.int64),
        base=0,
        ends=_odds(len(cuts), bool(free), degrees),
        stays=np.array([[axis in separator for axis in range(n_axes)] for separator, _ in cuts], dtype=bool).reshape(
            -1, n_axes
        ),
        swaps=np.array([[axis in side for axis in range(n_axes)] for _, side in cuts], dtype=bool).reshape(-1, n_axes),
        free=np.array([axis in free for axis in range(n_axes)], dtype=bool),
        start=start,
        plus=plus,
        minus=minus,
        part=np.array([part_number for part_number, _ in patterns], dtype=np.int64),
        used=used,
        room=room,
        role=role,
        radix=radix,
        touches=touches,
    )


def _outside(part: Component, dims: Dims, known: list[Dims]) -> list[tuple[Dims, Dims]]:
    """The groups of dims outside a part that no margin connects, each with the dims of the part it shares margins with."""
    groups = apart(dims - part.dims, known)
    return [(group, part.dims & frozenset().union(*(margin for margin in known if margin & group))) for group in groups]


def _odds(n_cuts: int, free: bool, degrees: list[int]) -> np.ndarray:
    """Cumulative odds. Small moves are made more often than large ones, which can seldom be made at all."""
    swaps = np.ones(n_cuts + free)
    weights = 1.0 / np.array(degrees, dtype=float) ** 2 if degrees else np.ones(0)
    share = SWAPS_ODDS if len(swaps) and len(weights) else float(len(swaps) > 0)
    odds = np.concatenate([swaps * share / max(1, len(swaps)), weights * (1.0 - share) / max(weights.sum(), 1e-300)])
    ends = np.cumsum(odds / odds.sum()) if len(odds) else odds
    ends[-1:] = 1.0
    return ends


class MarginSupplier(Supplier):
    """Writes moves into a stock, for one chain."""

    def __init__(self, moves: MarginMoves) -> None:
        self.moves = moves
        self.room: Any = moves.workspace()
        self.longest = len(self.room[2])
        self.ns_per_entry = NS_PER_AXIS * len(moves.arrays.size)

    def fill(self, stock: Stock, random: np.ndarray) -> None:
        """Write new moves."""
        arguments: Any = (self.moves.arrays, self.moves.column_of, *self.room, stock, random)
        fill_margins(*arguments)
