"""Presolve: what is already decided, and the independent blocks into which the rest falls apart.

As in integer programming, bounds are propagated, columns that can have one value only are fixed, and rows that say nothing
new are dropped; the system then splits into the connected parts of what is left.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.errors import InputError
from ...release.facts.facts import NO_LIMIT
from ...release.release import Release
from ..equations.graph_parts import joined_parts
from ..equations.network import Network, as_network
from ..equations.propagation import tighten
from ..equations.rowspace import affordable, independent_rows, reduced
from ..equations.sparse import rows_through
from ..equations.system import Fiber, fiber_of
from ..solvers.flow import feasible_flow, moving_parts
from ..solvers.integer_program import optimum
from ..solvers.table_search import any_table, narrowed
from .contradiction import explain
from .decided import FEW, MANY, decided_together


@dataclass(frozen=True, eq=False)
class Block:
    """Columns that depend on each other and on nothing else: A x = b, lower <= x <= upper, one feasible `start`."""

    columns: np.ndarray
    A: Any
    b: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    start: np.ndarray
    every_row: Any = None
    """All equations among the columns, where some of them are not in A because others imply them."""

    @cached_property
    def network(self) -> Network | None:
        """The block as a flow in a graph, if it is one."""
        return as_network(self.A)


def with_every_row(block: Block) -> Block:
    """The block with the equations that others imply, too."""
    if block.every_row is None:
        return block
    return replace(block, A=block.every_row, b=block.every_row @ block.start)


@dataclass(frozen=True, eq=False)
class Presolved:
    """A fiber after presolve: a feasible table, and the blocks of columns that are still open.

    Columns that are in no block are decided: they have the value of `start` in every feasible table.
    """

    fiber: Fiber
    start: np.ndarray
    blocks: tuple[Block, ...]

    @cached_property
    def decided(self) -> np.ndarray:
        """Which columns have one value in every feasible table."""
        decided = np.ones(self.fiber.n_columns, dtype=bool)
        for block in self.blocks:
            decided[block.columns] = False
        return decided


def presolve(release: Release) -> Presolved:
    """Find what the facts decide, a feasible table, and the blocks; refuse what is unbounded or contradictory."""
    _refuse_bottomless(release)
    fiber = fiber_of(release)
    lower, upper = fiber.lower.copy(), fiber.upper.copy()
    if (lower > upper).any() or tighten(fiber.A, fiber.b, lower, upper) >= 0:
        raise explain(release, fiber)
    _refuse_unbounded(release, fiber, upper)
    if not narrowed(fiber.A, fiber.b, lower, upper):
        raise explain(release, fiber)
    start = fiber.start
    if start is not None and not _holds(fiber, start):
        raise InputError("the table does not satisfy the facts of its own release.")
    if start is None:
        start = _feasible(fiber, lower, upper)
    if start is None:
        raise explain(release, fiber)
    blocks: list[Block] = []
    rows = _binding_rows(fiber, lower, upper)
    # The slack of a row that says nothing would count as a free column: it follows from the cells.
    A = sp.csr_array(fiber.A[rows])
    idle = np.arange(fiber.n_columns) >= fiber.n_cells
    idle[A.indices] = False
    lower[idle] = upper[idle] = start[idle]
    _split(np.arange(fiber.n_columns), A, fiber.b[rows], lower, upper, start, blocks)
    return Presolved(fiber, start, tuple(blocks))


def _refuse_bottomless(release: Release) -> None:
    bottomless = np.flatnonzero(release.lower <= -NO_LIMIT)
    if len(bottomless):
        raise InputError(
            f"cell {release.words(release.keys[bottomless[0]])} has no lower limit: it may be negative, and nobody told the "
            "reader how low it can be; say what is known with knows(..., at_least=...)."
        )


def _refuse_unbounded(release: Release, fiber: Fiber, upper: np.ndarray) -> None:
    endless = np.flatnonzero(upper[: fiber.n_cells] >= NO_LIMIT)
    if len(endless):
        more = f" (nor have {len(endless) - 1} others)" if len(endless) > 1 else ""
        raise InputError(
            f"cell {release.words(release.keys[endless[0]])} has no upper limit{more}: no published figure bounds it. "
            "Publish a margin that includes it, or say what is known with knows(..., at_most=...)."
        )


def _holds(fiber: Fiber, table: np.ndarray) -> bool:
    return bool((fiber.A @ table == fiber.b).all() and (table >= fiber.lower).all() and (table <= fiber.upper).all())


def _binding_rows(fiber: Fiber, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """The rows that say something: a range that the cells' own bounds imply would only tie blocks together."""
    n, plain = fiber.n_cells, fiber.n_plain_rows
    slack = sp.csr_array(fiber.A[:plain, n:])
    if not slack.nnz:
        return np.arange(fiber.A.shape[0])
    has_slack = np.diff(slack.indptr) > 0
    column = np.zeros(plain, dtype=np.int64)
    column[has_slack] = slack.indices + n
    cells = fiber.A[:plain, :n]
    plus, minus = cells.maximum(0), cells.minimum(0)
    least = plus @ lower[:n] + minus @ upper[:n]
    most = plus @ upper[:n] + minus @ lower[:n]
    with_evidence = np.isin(column, [where for where, _ in fiber.evidence])
    implied = has_slack & ~with_evidence & (fiber.lower[column] <= least) & (most <= fiber.upper[column])
    return np.concatenate([np.flatnonzero(~implied), np.arange(plain, fiber.A.shape[0])])


def _feasible(fiber: Fiber, lower: np.ndarray, upper: np.ndarray) -> np.ndarray | None:
    """A feasible table, component by component."""
    table = lower.copy()
    remainder = fiber.b - fiber.A @ np.where(lower == upper, lower, 0)
    by_column = sp.csc_array(fiber.A)
    for columns in components(fiber.A, np.flatnonzero(lower < upper)):
        rows, inside = rows_through(by_column, columns)
        network = as_network(inside)
        if network is not None:
            part = feasible_flow(network, inside, remainder[rows], lower[columns], upper[columns])
        else:
            part = any_table(inside, remainder[rows], lower[columns], upper[columns])
            if part is None:
                part = optimum(inside, remainder[rows], lower[columns], upper[columns])
        if part is None:
            return None
        table[columns] = part
    return table if (fiber.A @ table == fiber.b).all() else None


def components(A: Any, columns: np.ndarray) -> list[np.ndarray]:
    """Some columns, in groups that hang together through equations (connected components)."""
    if not len(columns):
        return []
    label = _labels(sp.csr_array(A[:, columns]))
    order = np.argsort(label, kind="stable")
    begins = np.flatnonzero(np.diff(label[order])) + 1
    return [columns[group] for group in np.split(order, begins)]


def _labels(A: Any) -> np.ndarray:
    """The connected component of each column in the bipartite graph of rows and columns."""
    n_rows, n = A.shape
    row = np.repeat(np.arange(n_rows), np.diff(A.indptr))
    return joined_parts(n_rows + n, row, A.indices + n_rows)[n_rows:]


def _split(
    columns: np.ndarray,
    A: Any,
    b: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    start: np.ndarray,
    blocks: list[Block],
) -> None:
    """Append the independent blocks of a consistent system, dropping what is decided on the way."""
    lower, upper = lower.copy(), upper.copy()
    tighten(A, b, lower, upper)
    open_columns = np.flatnonzero(lower < upper)
    by_column = sp.csc_array(A)
    everything = sp.csr_array(by_column[:, open_columns])
    pieces = _moving_pieces(everything, start[open_columns], lower[open_columns], upper[open_columns])
    if pieces is not None:
        for piece in pieces:
            _append_block(columns, by_column, open_columns[piece], lower, upper, start, blocks)
        return
    for part in components(A, open_columns):
        _, inside = rows_through(by_column, part)
        if len(part) < len(open_columns):  # else it is what was looked at already
            pieces = _moving_pieces(inside, start[part], lower[part], upper[part])
        if pieces is not None:
            for piece in pieces:
                _append_block(columns, by_column, part[piece], lower, upper, start, blocks)
            continue
        if FEW < len(part) <= MANY:
            decided = part[decided_together(inside, lower[part], upper[part], start[part])]
            if len(decided):
                lower[decided] = upper[decided] = start[decided]
                _split(
                    columns[part],
                    sp.csr_array(inside),
                    inside @ start[part],
                    lower[part],
                    upper[part],
                    start[part],
                    blocks,
                )
                continue
        form = reduced(inside.toarray()) if affordable(inside.shape) else None
        pieces = _connected_pieces(form[0]) if form is not None else [np.arange(len(part))]
        if len(pieces) == 1 and len(pieces[0]) == len(part) == len(columns):
            _append_block(columns, by_column, part, lower, upper, start, blocks)
            continue
        for piece in pieces:
            inner = part[piece]
            # What a row says about one piece is a fact by itself: the same number in every feasible table.
            rows_here = sp.csr_array(inside[:, piece])
            _split(
                columns[inner], rows_here, rows_here @ start[inner], lower[inner], upper[inner], start[inner], blocks
            )


def _append_block(
    columns: np.ndarray,
    by_column: Any,
    inner: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    start: np.ndarray,
    blocks: list[Block],
) -> None:
    """One block of some columns, its bounds tightened by the equations among them."""
    _, part = rows_through(by_column, inner)
    low, high = lower[inner], upper[inner]
    if part.shape[0] == 0:
        blocks.append(Block(columns[inner], part, np.empty(0, dtype=np.int64), low, high, start[inner]))
        return
    A, b = _useful_rows(part, part @ start[inner])
    tighten(A, b, low, high)
    every_row = part if A.shape[0] < part.shape[0] else None
    blocks.append(Block(columns[inner], A, b, low, high, start[inner], every_row))


def _moving_pieces(A: Any, start: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> list[np.ndarray] | None:
    """The columns of a network that can change, in pieces that change together; None where it is no network.

    Paths and cycles decide this completely: the pieces need no further splitting.
    """
    network = as_network(A)
    if network is None:
        return None
    label = moving_parts(network, start, lower, upper)
    order = np.argsort(label, kind="stable")
    begins = np.flatnonzero(np.concatenate([[True], np.diff(label[order]) != 0]))
    return [piece for piece in np.split(order, begins[1:]) if len(piece) and label[piece[0]] >= 0]


def _connected_pieces(form: np.ndarray) -> list[np.ndarray]:
    """The columns of an echelon form that share rows; a column that is alone in its row is decided and left out."""
    pattern = sp.csr_array(form != 0)
    label = _labels(pattern[np.flatnonzero(np.diff(pattern.indptr) > 1)])
    alone = np.zeros(form.shape[1], dtype=bool)
    single = (form != 0).sum(axis=1) == 1
    alone[(form[single] != 0).argmax(axis=1)] = True
    return [np.flatnonzero((label == component) & ~alone) for component in np.unique(label[~alone])]


def _useful_rows(A: Any, b: np.ndarray) -> tuple[Any, np.ndarray]:
    """The equations without empty and repeated rows, and without long rows that shorter ones imply.

    Repeated rows slow the search; short redundant rows stay, because they sharpen bound propagation.
    """
    if not affordable(A.shape):
        return A, b
    dense = A.toarray()
    length = (dense != 0).sum(axis=1)
    order = [i for i in np.argsort(length, kind="stable") if length[i]]
    seen: set[bytes] = set()
    distinct = []
    for i in order:
        sign = 1 if dense[i][dense[i] != 0][0] > 0 else -1
        content = (sign * dense[i]).tobytes()
        if content not in seen:
            seen.add(content)
            distinct.append(i)
    independent = independent_rows(dense[distinct])
    longest = max((length[distinct[i]] for i in independent), default=0)
    useful = np.array(
        [i for place, i in enumerate(distinct) if length[i] <= longest or place in set(independent)], dtype=int
    )
    return sp.csr_array(A[useful]), b[useful]
