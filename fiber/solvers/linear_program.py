"""Sharp integer bounds in a block by linear programs, proven in whole numbers.

A bound is proven from two sides. A table that attains it is checked in whole numbers. That no table passes it follows
from the cells' own ranges, or from the dual of a linear program, rounded and then evaluated in whole numbers: by weak
duality any dual, however rounded, gives a valid bound. Only where the two do not meet is an integer program solved; that
no table is better than the one it finds rests on the solver's word.

Tables that attain a bound are mostly found by pushing, along moves that whoever asks may name and along short vectors of the
lattice; where that leads to none, they are searched for by linear programs and in other ways.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ...base.errors import NumericalDoubt, TimeUp
from ...base.interruption import time_left
from ...base.progress import Counted
from .integer_program import optimum
from .nearest_table import NearestTable
from .pushing import Pushing, to_push_along
from .simplex import solved, warm_model, whole_table
from .table_search import FOUND, NONE, TableSearch

PROPAGATION, LINEAR, INTEGER, OUTER = "propagation", "linear program", "integer program", "not sharp"
DENOMINATORS = (1, 2, 6, 12, 60, 2520, 2**30)
"""Duals of tables are mostly fractions of small numbers; the last one is for all others."""
SWEEPS, MOST_SWEEPS, WORTH = 3, 20, 0.8
"""How often a table is searched, each time from another one, before an integer program is solved; more often, up to the
most, as long as a sweep leaves no more than this share of the sides open."""
ENOUGH = 20
"""So many attempts say whether a kind of attempt is worth while in a block."""
SOON = 4
"""A search costs little: so many attempts say enough."""
FARTHER = 3
"""A bound that is proven by a linear program is mostly attained: it is worth a walk of so many times the usual length."""
SELDOM = 0.05
"""A table that is searched for by linear programs takes so much less than an integer program."""
_SAFE = 2.0**62
_CLOSE = 1e-6


@dataclass(frozen=True, eq=False)
class Bounds:
    """The least and greatest value of each sum; `proof` says per sum and side (least, greatest) what proved it."""

    low: np.ndarray
    high: np.ndarray
    proof: np.ndarray


class Means(NamedTuple):
    """What bounds are found by, besides linear programs."""

    sharp: bool = True
    """Are integer programs solved for what only they would settle?"""
    moves: Any = None
    """Moves, as sparse rows, to push along."""


def program_bounds(
    A: Any,
    b: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    start: np.ndarray,
    rows: Any,
    progress: Counted | None = None,
    means: Means | None = None,
) -> Bounds:
    """Sharp bounds of the sums `rows` over the tables with A x = b and lower <= x <= upper, of which `start` is one.

    A side that only an integer program would settle, where none is solved, gets the best bound that is proven, which no
    table passes and perhaps none attains, and "not sharp" for its proof.
    """
    means = means or Means()

    def tell() -> None:
        if progress is not None:
            progress(int((~search.open).reshape(2, -1).all(axis=0).sum()), n_sums)

    search = _Search(sp.csr_array(A), b, lower, upper, start, sp.csr_array(rows), means.moves, tell)
    n_sums = search.rows.shape[0]
    if whole_table(np.zeros(len(start)), start, search.A, b, lower, upper) is None:
        raise NumericalDoubt("the table to start from does not satisfy the equations and limits of its block.")

    left = len(search.open)
    for sweep in range(MOST_SWEEPS):
        before, left = left, int(search.open.sum())
        if not left or (sweep >= SWEEPS and left > WORTH * before):
            break
        if sweep:
            search.look_again()
        for ask in search.order():
            if search.is_open(ask):
                search.by_linear_programs(ask)
                tell()
    for ask in search.order() if means.sharp else ():
        if search.is_open(ask):
            search.by_integer_program(ask)
            tell()
    tell()
    proof = np.where(search.proven == search.limit, PROPAGATION, np.where(search.by_program, INTEGER, LINEAR))
    proof[search.open] = OUTER
    return Bounds(search.proven[:n_sums], -search.proven[n_sums:], proof.reshape(2, n_sums).T)


class _Luck:
    """How often a kind of attempt succeeded of late."""

    def __init__(self, enough: int = ENOUGH, least: float = 0.2) -> None:
        self.share, self.attempts, self.enough, self.least = 0.5, 0, enough, least

    def count(self, success: bool) -> None:
        self.share += (success - self.share) / self.enough
        self.attempts += 1

    @property
    def poor(self) -> bool:
        """Is the next attempt likely to fail?"""
        return self.attempts >= self.enough and self.share < self.least


class _Search:
    """What is known of each side of each sum. Every side is a minimum: first all sums, then all of them negated.

    `limit` is what the cells' ranges allow, `proven` the best proven bound, `seen` the least value of a table seen so
    far, `reached` that of a solution in fractions. Before whatever may take a second, `tell` says how far it is; it may
    end the search.
    """

    def __init__(
        self,
        A: Any,
        b: np.ndarray,
        lower: np.ndarray,
        upper: np.ndarray,
        start: np.ndarray,
        rows: Any,
        moves: Any = None,
        tell: Callable[[], None] = lambda: None,
    ):
        self.A, self.b, self.lower, self.upper, self.rows = A, b, lower, upper, rows
        self._moves, self._tell = moves, tell
        self.table = start
        self.span, self.rest = upper - lower, b - A @ lower
        plus, minus = rows.maximum(0), rows.minimum(0)
        self.limit = np.concatenate([plus @ lower + minus @ upper, -(plus @ upper + minus @ lower)])
        self.proven = self.limit.copy()
        self.seen = _both_signs(rows @ start)
        self.reached = self.seen.astype(float)
        self.by_program = np.zeros(len(self.limit), dtype=bool)
        self._solved = np.zeros(len(self.limit), dtype=bool)
        self.bounding, self.finding = _Luck(), _Luck(least=SELDOM)
        self.searching, self.following = _Luck(SOON), _Luck(2 * SOON)
        self.pushing_to_limits, self.pushing_to_bounds = _Luck(2 * SOON), _Luck(2 * SOON)
        self._tables: TableSearch | None = None
        self._pushing: Pushing | None = None
        self._none = np.zeros(len(self.limit), dtype=bool)
        self._dual: tuple[np.ndarray, int, int] | None = None
        self._floats = (rows.astype(float), rows @ lower)
        self._model: Any = None
        self._nearest: NearestTable | None = None
        self._hopeless = False
        self._columns = np.arange(A.shape[1], dtype=np.int32)
        self._zero = np.zeros(A.shape[1])
        self._is_cell = np.diff(rows.indptr) == 1
        self._is_cell[self._is_cell] = np.abs(rows.data[rows.indptr[:-1][self._is_cell]]) == 1
        self._transposed = sp.csr_array(A.T)
        self._column_size = float(abs(A).sum(axis=0).max(initial=0)) + 1
        self._size = float(self.span.sum(dtype=float) + np.abs(self.rest).sum(dtype=float))

    @property
    def open(self) -> np.ndarray:
        """The sides that are not settled."""
        return self.seen > self.proven

    def is_open(self, ask: int) -> bool:
        """Is a side not settled?"""
        return bool(self.seen[ask] > self.proven[ask])

    def order(self) -> list[int]:
        """Both sides of a sum one after the other: neighbours share equations, and so most of an answer."""
        n_sums = self.rows.shape[0]
        return [side * n_sums + i for i in range(n_sums) for side in (0, 1)]

    def look_again(self) -> None:
        """Begin another sweep. What one leaves are the hard cases, which say little about how the next will do."""
        self._hopeless = self._hopeless or self.finding.poor
        self.finding = _Luck(least=SELDOM)

    def objective(self, ask: int) -> tuple[np.ndarray, np.ndarray]:
        """The cells of a side and their coefficients."""
        n_sums = self.rows.shape[0]
        part = slice(self.rows.indptr[ask % n_sums], self.rows.indptr[ask % n_sums + 1])
        return self.rows.indices[part], self.rows.data[part] * (1 if ask < n_sums else -1)

    def by_linear_programs(self, ask: int) -> None:
        """Find a table that attains the proven bound of a side, and a better bound if need be."""
        self._push(ask)
        if self.is_open(ask) and self.proven[ask] == self.limit[ask] and not self._none[ask]:
            self._look(ask)
        # Where the cells' ranges have so far been as good as a dual, a table that attains them is looked for first.
        if self.is_open(ask) and (self._none[ask] or not self.bounding.poor):
            self._improve(ask)
        if self.is_open(ask):
            self._attain(ask)
        if self.is_open(ask) and self._improve(ask) and self.is_open(ask):
            self._attain(ask)

    def _improve(self, ask: int) -> bool:
        """Solve for a better bound, once, unless a solution in fractions attains the bound there is."""
        if self._solved[ask] or self.reached[ask] <= self.proven[ask] + _CLOSE:
            return False
        before = self.proven[ask]
        self._solved[ask] = True
        self._none[ask] = False
        values = self._bound(ask)
        self.bounding.count(bool(self.proven[ask] > before))
        if values is not None and self.is_open(ask):
            self._push(ask, FARTHER)
        if values is not None and self.is_open(ask):
            self._follow(ask, values)
        return bool(self.proven[ask] > before)

    def _push(self, ask: int, longer: int = 1) -> None:
        """Push a side along moves towards its proven bound; what other cells had on the way is attained as well."""
        luck = self.pushing_to_limits if self.proven[ask] == self.limit[ask] else self.pushing_to_bounds
        if luck.poor:
            return
        if self._pushing is None:
            self._pushing = Pushing(self._to_push_along(), self.lower, self.upper, self.table)
        found = self._pushing.find(*self.objective(ask), int(self.proven[ask]), longer)
        luck.count(found)
        walk = self._pushing.walk
        table = whole_table(self._zero, walk.table, self.A, self.b, self.lower, self.upper)
        if table is None:
            raise NumericalDoubt("moves have led to a table that is not feasible.")
        cells = self.rows.indices[self.rows.indptr[:-1][self._is_cell]]
        signs = self.rows.data[self.rows.indptr[:-1][self._is_cell]]
        ends = np.where(signs > 0, walk.least[cells], -walk.greatest[cells])
        other_ends = np.where(signs > 0, -walk.greatest[cells], walk.least[cells])
        seen = self.seen.reshape(2, -1)
        seen[:, self._is_cell] = np.minimum(seen[:, self._is_cell], [ends, other_ends])
        self._harvest(table)

    def _to_push_along(self) -> Any:
        """The moves that are known, and others through cells that have none."""
        moves = to_push_along(self.A, self._moves)
        if (self.A @ moves.T).count_nonzero():
            raise NumericalDoubt("what should be moves of a block changes its published figures.")
        return moves

    def _look(self, ask: int) -> None:
        """Search for a table that attains the end of a cell's range, and as many other ends as it can on the way."""
        if self.searching.poor or not self._is_cell[ask % self.rows.shape[0]]:
            return
        wish = self.table.copy()
        for side, ends in ((1, self.upper), (0, self.lower)):
            still = self.open.reshape(2, -1)[side] & self._is_cell
            cells = self.rows.indices[self.rows.indptr[:-1][still]]
            wish[cells] = ends[cells]
        self.searching.count(self._search(ask, self.lower, self.upper, wish))

    def _follow(self, ask: int, values: np.ndarray) -> None:
        """Search for a table that attains a bound near the solution in fractions that proved it.

        The dual leaves little room: what a cell adds beyond the bound cannot exceed what the bound was rounded by.
        """
        if self.following.poor or self._dual is None or not self._is_cell[ask % self.rows.shape[0]]:
            return
        reduced, least, denominator = self._dual
        slack = denominator * int(self.proven[ask]) - least
        room = np.where(reduced == 0, self.span, slack // np.maximum(np.abs(reduced), 1))
        lower = np.where(reduced < 0, np.maximum(self.lower, self.upper - room), self.lower)
        upper = np.where(reduced > 0, np.minimum(self.upper, self.lower + room), self.upper)
        self.following.count(self._search(ask, lower, upper, self.lower + np.rint(values).astype(np.int64)))

    def _search(self, ask: int, lower: np.ndarray, upper: np.ndarray, wish: np.ndarray) -> bool:
        if self._tables is None:
            self._tables = TableSearch(self.A, self.b)
        cells, coefficients = self.objective(ask)
        value = int(self.proven[ask] * coefficients[0])
        word, table = self._tables.find(lower, upper, wish, int(cells[0]), value)
        self._none[ask] = word == NONE
        found = word == FOUND and whole_table(self._zero, table, self.A, self.b, self.lower, self.upper) is not None
        if found:
            self._harvest(table)
        return found

    def _attain(self, ask: int) -> None:
        """Look for a table that attains the proven bound."""
        if self._hopeless or self.finding.poor or self._none[ask]:
            return
        if self._nearest is None:
            self._nearest = NearestTable(self.A, self.b, self.lower, self.upper)
        found = self._nearest.find(self.table, *self.objective(ask), int(self.proven[ask]), self._tell)
        self.finding.count(found is not None)
        if found is not None:
            self._harvest(found)

    def by_integer_program(self, ask: int) -> None:
        """Settle a side for good."""
        cells, coefficients = self.objective(ask)
        cost = np.zeros(self.A.shape[1], dtype=np.int64)
        cost[cells] = coefficients
        try:
            table = optimum(self.A, self.b, self.lower, self.upper, cost, time_left())
        except TimeUp:
            self._tell()  # where whoever asked does not mind, it goes on
            table = optimum(self.A, self.b, self.lower, self.upper, cost)
        value = None if table is None else int(cost @ table)
        if table is None or value is None or not self.proven[ask] <= value <= self.seen[ask]:
            raise NumericalDoubt("the integer program lost a table that is known to be feasible; use a coarser unit.")
        self._harvest(table)
        self.by_program[ask] = value > self.proven[ask]
        self.proven[ask] = value

    def _bound(self, ask: int) -> np.ndarray | None:
        """Solve a linear program, and prove what its dual says; the solution, in fractions and from `lower` on."""
        self._tell()
        if self._model is None:
            self._model = warm_model(self.A, self.rest, self.span, np.zeros(len(self.span)), primal=True)
        cells, coefficients = self.objective(ask)
        cost = np.zeros(len(self.span), dtype=np.int64)
        cost[cells] = coefficients
        self._model.changeColsCost(len(cost), self._columns, cost.astype(float))
        if solved(self._model) != "optimal":
            # With large figures a warm basis may go astray; without an answer a side is only left to others.
            self._model.clearSolver()
            if solved(self._model) != "optimal":
                return None
        answer = self._model.getSolution()
        values = np.array(answer.col_value)
        rows, offset = self._floats
        self.reached = np.minimum(self.reached, _both_signs(rows @ values + offset))
        table = whole_table(values, self.lower, self.A, self.b, self.lower, self.upper)
        if table is not None:
            self._harvest(table)
        shift = int(cost @ self.lower)
        goal = int(np.ceil(float(cost @ values) - _CLOSE)) + shift
        dual, self._dual = np.array(answer.row_dual), None
        for denominator in _likely(dual):
            bound, reduced, least = self._dual_bound(dual, cost, denominator)
            if bound + shift >= self.proven[ask]:
                self._dual = None if reduced is None else (reduced, least + denominator * shift, denominator)
                self.proven[ask] = bound + shift
            if self.proven[ask] >= min(goal, self.seen[ask]):
                break
        return values

    def _dual_bound(self, dual: np.ndarray, cost: np.ndarray, denominator: int) -> tuple[int, np.ndarray | None, int]:
        """A lower bound of cost @ (x - lower) over all tables, from a dual in fractions of one denominator.

        For any y, cost x = y A x + (cost - y A) x, where A x is given and the rest is least at an end of each range. With
        it cost - y A and the bound before it is rounded, both times the denominator; None where these are too large.
        """
        scaled = dual * denominator
        # The sizes are added up in floats, far from where 64-bit integers end.
        weight = float(np.abs(scaled).max(initial=0) + 1) * self._column_size + denominator * float(np.abs(cost).max())
        if not weight < _SAFE:
            scaled, weight = np.zeros(len(dual)), denominator * float(np.abs(cost).max())
        y = np.rint(scaled).astype(np.int64)
        reduced = denominator * cost - self._transposed @ y
        negative = np.minimum(reduced, 0)
        if weight * self._size < _SAFE:
            total = int(y @ self.rest) + int(negative @ self.span)
            return -(-total // denominator), reduced, total
        total = sum(map(int.__mul__, y.tolist(), self.rest.tolist()))
        total += sum(map(int.__mul__, negative.tolist(), self.span.tolist()))
        return -(-total // denominator), None, total

    def _harvest(self, table: np.ndarray) -> None:
        """A feasible table has a value of every sum."""
        self.table = table
        self.seen = np.minimum(self.seen, _both_signs(self.rows @ table))
        if (self.seen < self.proven).any():
            raise NumericalDoubt("a table passes a bound that the integer program gave; use a coarser unit.")
        self.reached = np.minimum(self.reached, self.seen)


def _both_signs(values: np.ndarray) -> np.ndarray:
    return np.concatenate([values, -values])


def _likely(dual: np.ndarray) -> list[int]:
    """The denominators to try, first the smallest of which all duals are fractions."""
    scaled = np.array(DENOMINATORS[:-1])[:, None] * dual
    fits = (np.abs(scaled - np.rint(scaled)) < _CLOSE).all(axis=1)
    first = int(fits.argmax()) if fits.any() else 0
    return [*DENOMINATORS[first:], *DENOMINATORS[:first]]
