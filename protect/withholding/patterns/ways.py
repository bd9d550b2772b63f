"""Ways in which figures may change together without a published one changing: what an attacker cannot exclude.

A way in whole numbers that changes a withheld figure by so much proves that the figure can be so far from its true value,
whatever else she computes. It is looked for near the figure first, as most totals far away do not change.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ....fiber.solvers.integer_program import least_cost
from ....fiber.solvers.simplex import silent_model, solved

NEAR, WIDER = 400, 6
"""Figures that are looked at first, and how many times as many where these allow no way."""
FEW = 2_500
"""Up to so many figures an integer program is tried before more figures are looked at."""
MOST_NODES = 200
"""Nodes of the branch and bound for one way in whole numbers."""
UNITS = (1, 12, 2520)
"""Ways are looked for in these units, one after the other, where the one before gave fractions."""
_WHOLE = 1e-6
_LITTLE = 1e-3
"""What withheld figures cost of what the cheapest other one does: of ways that withhold no more, the shortest is taken."""


@dataclass(frozen=True, eq=False)
class Way:
    """Figures that change, and by how much."""

    figures: np.ndarray
    changes: np.ndarray


@dataclass(frozen=True, eq=False)
class Room:
    """What an attacker knows before she looks at what is withheld: the sums, and how far a withheld figure may go.

    `down` and `up` are how far each figure may be below and above its true value if it is withheld.
    """

    sums: sp.csr_array
    down: np.ndarray
    up: np.ndarray


class Ways:
    """Looks for ways among the figures of a room."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.by_row = sp.csr_array(room.sums)
        self._by_figure = sp.csc_array(room.sums)
        self._mark = np.zeros(room.sums.shape[0], dtype=bool)

    def cheapest(
        self,
        figure: int,
        change: int,
        cost: np.ndarray,
        withheld: np.ndarray,
        open_too: np.ndarray,
        *,
        thorough: bool = True,
    ) -> Way | None:
        """A cheap way to change a figure by so much; what is withheld costs next to nothing. None where there is none.

        Only figures that are withheld or `open_too` change. If the search need not be `thorough`, ways through many figures
        and those that only an integer program finds are not looked for.
        """
        may = withheld | open_too
        if change > self.room.up[figure] or -change > self.room.down[figure]:
            return None
        for near, last in self._around(figure, may):
            if not thorough and len(near) > FEW:
                return None
            whole_too = thorough and (last or len(near) <= FEW)
            way = self._within(near, figure, change, cost, withheld, whole_too=whole_too)
            if way is not None:
                return way
        return None

    def possible(self, way: Way) -> bool:
        """Can all figures of a way go so far?"""
        up, down = self.room.up[way.figures], self.room.down[way.figures]
        return bool((way.changes <= up).all() and (-way.changes <= down).all())

    def around(self, figure: int, may: np.ndarray) -> np.ndarray:
        """Some figures near one that may change with it."""
        return next(self._around(figure, may))[0]

    def _around(self, figure: int, may: np.ndarray) -> Iterator[tuple[np.ndarray, bool]]:
        """More and more of the figures that may change around one, and whether these are all."""
        inside = np.zeros(len(may), dtype=bool)
        inside[figure] = True
        edge, most = np.array([figure]), NEAR
        seen = self._mark.copy()
        while True:
            rows = np.unique(_slices(self._by_figure, edge))
            rows = rows[~seen[rows]]
            seen[rows] = True
            edge = np.unique(_slices(self.by_row, rows))
            edge = edge[may[edge] & ~inside[edge]]
            inside[edge] = True
            if not len(edge):
                yield np.flatnonzero(inside), True
                return
            if inside.sum() >= most:
                most = int(inside.sum()) * WIDER
                yield np.flatnonzero(inside), False

    def _within(
        self, near: np.ndarray, figure: int, change: int, cost: np.ndarray, withheld: np.ndarray, whole_too: bool
    ) -> Way | None:
        """A way among some figures; in whole numbers where simplex finds one, or the integer program if it is wanted.

        Where simplex finds halves or thirds it is asked for a way in units of 12, of which these are whole numbers.
        """
        for unit in UNITS:
            program = self._program(near, figure, change, cost, withheld, unit)
            if program is None:
                break
            found = program.simplex()
            if found is None and unit == 1:
                return None
            way = None if found is None else program.way(found)
            if way is not None:
                return way
        whole = self._program(near, figure, change, cost, withheld, 1) if whole_too else None
        found = whole.whole() if whole is not None else None
        return None if whole is None or found is None else whole.way(found.astype(float))

    def _program(
        self, near: np.ndarray, figure: int, change: int, cost: np.ndarray, withheld: np.ndarray, unit: int
    ) -> _Program | None:
        """What to solve for a way among some figures in a unit; None where the figure cannot change so far."""
        up, down = self.room.up[near] // unit, self.room.down[near] // unit
        at, amount = int(np.searchsorted(near, figure)), -(-abs(change) // unit)
        if amount > (up if change > 0 else down)[at]:
            return None
        sums = sp.csr_array(self._by_figure[:, near])
        sums = sums[np.flatnonzero(np.diff(sums.indptr))]
        # The change itself is given, and so is no part of the program.
        up[at] = down[at] = 0
        given = amount if change > 0 else -amount
        least = max(float(cost.min()), 1.0)
        each = np.where(withheld[near], _LITTLE * least, cost[near])
        price = np.concatenate([each / np.clip(np.minimum(room, amount), 1, None) for room in (up, down)])
        wanted = (-given * sums[:, [at]].toarray()).ravel()
        return _Program(near, at, given, unit, price, sums, wanted, np.concatenate([up, down]))


class _Program(NamedTuple):
    """The cheapest flow that makes up for the change of a figure: how far each goes up, and then how far each goes down."""

    near: np.ndarray
    at: int
    given: int
    unit: int
    price: np.ndarray
    sums: Any
    wanted: np.ndarray
    most: np.ndarray

    @property
    def both(self) -> Any:
        """The sums of what goes up and of what goes down."""
        return sp.csr_array(sp.hstack([self.sums, -self.sums]))

    def simplex(self) -> np.ndarray | None:
        """The cheapest flow, perhaps in fractions."""
        model = silent_model(self.price, self.both, self.wanted, self.wanted, np.zeros(len(self.most)), self.most)
        model.setOptionValue("presolve", "off")  # it takes four times as long as it saves
        return np.array(model.getSolution().col_value) if solved(model) == "optimal" else None

    def whole(self) -> np.ndarray | None:
        """A flow in whole numbers."""
        return least_cost(self.price, self.both, self.wanted, self.wanted, self.most, nodes=MOST_NODES)[0]

    def way(self, flow: np.ndarray) -> Way | None:
        """The changes that a flow means, if they are whole numbers."""
        flow = flow * self.unit
        if np.abs(flow - np.rint(flow)).max(initial=0) > _WHOLE * self.unit:
            return None
        up, down = np.split(np.rint(flow).astype(np.int64), 2)
        changes = up - down
        if (self.sums @ changes != self.wanted * self.unit).any():
            return None
        changes[self.at] = self.given * self.unit
        moved = np.flatnonzero(changes)
        return Way(self.near[moved], changes[moved])


def _slices(matrix: sp.csr_array | sp.csc_array, lines: np.ndarray) -> np.ndarray:
    """The entries of some rows (or columns) one after the other."""
    begin, end = matrix.indptr[lines], matrix.indptr[lines + 1]
    sizes = end - begin
    places = np.repeat(begin - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes) + np.arange(int(sizes.sum()))
    return np.asarray(matrix.indices[places])
