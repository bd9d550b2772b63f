"""choose_moves and check_connected: steps that keep every published figure, and whether they reach everything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from .fiber.certificate import Certificate
from .fiber.presolve import Block, Presolved
from .fiber.support import Support, support
from .moves.chooser import Moves, choose
from .moves.connectivity import MOST_TABLES, Connectivity, check_block
from .moves.listed import Listed
from .moves.move_set import MoveSet, distinct_rows
from .release.errors import InputError
from .release.release import Release, as_release
from .release.tables import as_means

if TYPE_CHECKING:
    import pandas as pd

OWN = Certificate("unproven", "moves of your own, which nothing is known about")


def choose_moves(
    release: Release,
    law: Any = "uniform",
    *,
    max_seconds: float = 30.0,
    progress: Callable[[str], None] | None = None,
) -> Moves:
    """The moves that chains on a release will use, block by block, with the proof that they reach every table.

    Parameters
    ----------
    law
        What the intruder believes; values to which it gives no weight bound the tables further.
    max_seconds
        How long 4ti2 (the extra `fiberwalk[algebra]`) may look for a Markov basis where nothing else is proven.
    progress
        Called with a line of words for each block.

    Returns
    -------
    Moves
        `.certificate` has the word ("connected", "unproven", or "exact" where nothing is open), the reason and evidence;
        `.sets` one set of moves for each independent block of the release.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> moves = fw.choose_moves(fw.publish([[3, 1, 2], [2, 4, 1]], margins=["A", "B"]))
    >>> moves
    <Moves, connected: block 1: Swaps(6 cells, connected)>
    >>> moves.certificate.reason.split(" (")[0]
    'swaps in two rows and two columns join all complete two-way tables of given margins'
    """
    if not isinstance(max_seconds, (int, float)) or not 0 <= max_seconds <= 1e6:
        raise InputError(f"max_seconds={max_seconds!r}: a number of seconds, 0 for none.")
    return choose(as_release(release), law, max_seconds=max_seconds, progress=progress)


def check_connected(release: Release, moves: Any = None, *, law: Any = "uniform", most: int = MOST_TABLES) -> Reach:
    """Walk through every table of a small release, and see whether moves lead from each to every other.

    Parameters
    ----------
    moves
        What `choose_moves` gave (the default: it is called), or moves of your own: a list of tables of whole numbers in the
        shape of the release's table (positive where a cell gains, negative where it loses), or sparse rows over its cells.
        They may be made in either direction, any number of times.
    law
        With moves of your own: what the intruder believes.
    most
        Tables of a block that are walked through at most; beyond, `fw.TooLarge`.

    Examples
    --------
    Two rows and two columns at a time are not enough once the diagonal is known:

    >>> import fiberwalk as fw
    >>> release = fw.suppress([[5, 1, 1], [1, 5, 1], [1, 1, 5]], where=[[False, True, True], [True, False, True],
    ...                                                                 [True, True, False]])
    >>> fw.check_connected(release)
    <connected: 3 tables in 1 part>
    >>> around = [[0, 1, -1], [-1, 0, 1], [1, -1, 0]]
    >>> fw.check_connected(release, [around])
    <connected: 3 tables in 1 part>
    >>> fw.check_connected(release, [])
    <NOT connected: 3 tables in 3 parts>
    """
    release = as_release(release)
    if isinstance(most, bool) or not isinstance(most, (int, np.integer)) or most < 1:
        raise InputError(f"most={most!r}: a number of tables, at least 1.")
    if moves is None:
        moves = choose(release, law)
    if isinstance(moves, Moves):
        if not _same(moves.release, release):
            raise InputError("these moves belong to another release.")
        inside, blocks, sets = moves.support, moves.support.solved.blocks, moves.sets
    else:
        inside = support(release, law)
        blocks, sets = _own_moves(release, inside.solved, moves)
    checked = tuple(
        check_block(block, one, most, _allowed(inside, block.columns)) for block, one in zip(blocks, sets, strict=True)
    )
    return Reach(release, inside.solved, blocks, checked)


@dataclass(frozen=True, eq=False, repr=False)
class Reach:
    """Which tables moves lead to: the answer of `check_connected`."""

    release: Release
    solved: Presolved
    blocks: tuple[Block, ...]
    """Cells that the moves change independently of others."""
    found: tuple[Connectivity, ...]
    """The tables of each block and the part that each of them is in."""

    @property
    def connected(self) -> bool:
        """Do the moves lead from every table to every other?"""
        return self.parts == 1

    @property
    def parts(self) -> int:
        """Into how many parts the tables fall that no move leads out of."""
        return prod(one.components for one in self.found)

    @property
    def tables(self) -> int:
        """How many tables there are."""
        return prod(len(one.tables) for one in self.found)

    def apart(self) -> pd.DataFrame | None:
        """Two tables that no moves lead between, a column each, or None if there are none."""
        import pandas as pd

        broken = [k for k, one in enumerate(self.found) if not one.connected]
        if not broken:
            return None
        pair = np.stack([self.solved.start, self.solved.start])
        for block, one in zip(self.blocks, self.found, strict=True):
            pair[:, block.columns] = one.tables[0]
        one = self.found[broken[0]]
        pair[1, self.blocks[broken[0]].columns] = one.tables[np.flatnonzero(one.label != one.label[0])[0]]
        values = self.release.own_units(pair[:, : self.release.n_cells].T)
        return pd.DataFrame(values, index=self.release.index(self.release.keys), columns=["one", "other"])

    def __repr__(self) -> str:
        word = "connected" if self.connected else "NOT connected"
        return f"<{word}: {_number(self.tables, 'table')} in {_number(self.parts, 'part')}>"

    @property
    def sentence(self) -> str:
        """What was found, in a sentence."""
        told = "every one is reached" if self.connected else f"NOT all are reached: they fall into {self.parts:,} parts"
        return f"Checked by walking through all tables ({self.tables:,}): {told}."

    def _repr_html_(self) -> str | None:
        from .release.html_form import in_notebook
        from .report.notebook_form import reach_html

        return in_notebook(reach_html, self)


def _number(n: int, thing: str) -> str:
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def _allowed(inside: Support, columns: np.ndarray) -> Callable[[np.ndarray], np.ndarray] | None:
    """Which tables of a block have no excluded values, where there are gaps."""
    gaps = np.flatnonzero(inside.gaps[columns])
    if not len(gaps):
        return None

    def allowed(tables: np.ndarray) -> np.ndarray:
        good = np.ones(len(tables), dtype=bool)
        for k in gaps:
            first, last = int(tables[:, k].min()), int(tables[:, k].max())
            weights = inside.weigh(int(columns[k]), first, last)
            if weights is not None:
                good &= weights[tables[:, k] - first] > -np.inf
        return good

    return allowed


def _same(one: Release, other: Release) -> bool:
    """Do two releases say the same of the same cells?"""
    if one is other:
        return True
    if one.n_cells != other.n_cells or len(one.sums) != len(other.sums) or len(one.evidence) != len(other.evidence):
        return False
    pairs = [(one.lower, other.lower), (one.upper, other.upper), (one.sums.lower, other.sums.lower)]
    pairs.append((one.sums.upper, other.sums.upper))
    same = all(np.array_equal(a, b) for a, b in pairs) and not abs(one.sums.matrix - other.sums.matrix).sum()
    return bool(same) and all(
        np.array_equal(a.cells, b.cells) and a.first == b.first and np.array_equal(a.log_weights, b.log_weights)
        for a, b in zip(one.evidence, other.evidence, strict=True)
    )


def _own_moves(release: Release, solved: Presolved, moves: Any) -> tuple[tuple[Block, ...], tuple[MoveSet, ...]]:
    """Moves over the cells as moves of blocks, and these; blocks that a move changes together become one.

    A move that touches a decided cell can never be made.
    """
    rows = _as_rows(release, moves)
    fiber = solved.fiber
    cells, slack = sp.csr_array(fiber.A[:, : fiber.n_cells]), sp.csr_array(fiber.A[:, fiber.n_cells :])
    change = sp.csr_array(cells @ rows.T)
    with_slack = np.diff(slack.indptr) > 0
    broken = sp.coo_array(change[np.flatnonzero(~with_slack)])
    if broken.nnz:
        fact, move = np.flatnonzero(~with_slack)[broken.coords[0][0]], int(broken.coords[1][0])
        raise InputError(
            f"move {move + 1} changes a published figure: {release.fact_words(int(fact))}, by {int(broken.data[0]):+d}."
        )
    whole = sp.csr_array(sp.hstack([rows, sp.csr_array((slack.T @ -change).T)])) if slack.shape[1] else rows
    decided = np.flatnonzero(solved.decided[: fiber.n_cells])
    possible = sp.csc_array(whole[np.flatnonzero(abs(whole[:, decided]).sum(axis=1) == 0)])
    touches = sp.csr_array(
        sp.hstack([sp.csr_array(abs(possible[:, block.columns]).sum(axis=1).reshape(-1, 1)) for block in solved.blocks])
        if solved.blocks
        else (possible.shape[0], 0)
    )
    _, label = sp.csgraph.connected_components(touches.T @ touches, directed=False)
    blocks = tuple(
        _together([block for k, block in enumerate(solved.blocks) if label[k] == one]) for one in np.unique(label)
    )
    return blocks, tuple(Listed(distinct_rows(possible[:, block.columns]), OWN) for block in blocks)


def _together(blocks: list[Block]) -> Block:
    """Several blocks as one."""
    if len(blocks) == 1:
        return blocks[0]
    columns, b, lower, upper, start = (
        np.concatenate([getattr(block, name) for block in blocks])
        for name in ("columns", "b", "lower", "upper", "start")
    )
    return Block(columns, sp.csr_array(sp.block_diag([block.A for block in blocks])), b, lower, upper, start)


def _as_rows(release: Release, moves: Any) -> Any:
    """Moves in any accepted form as sparse rows over the cells."""
    if sp.issparse(moves):
        if moves.ndim != 2 or moves.shape[1] != release.n_cells:
            raise InputError(
                f"sparse moves are rows of {release.n_cells} cells each; these have the shape {moves.shape}."
            )
        rows = sp.csr_array(moves)
    else:
        if len(release.grids) != 1:
            raise InputError("moves on linked tables are given as sparse rows over the cells of the release.")
        cells = release.grids[0].cells
        if isinstance(moves, str) or not hasattr(moves, "__iter__"):
            raise InputError(f"moves= is what choose_moves gave, or a list of moves; it is a {type(moves).__name__}.")
        flat = np.zeros((0, release.n_cells))
        given = [as_means(one, release.dims, f"move {k}") for k, one in enumerate(moves, start=1)]
        for k, values in enumerate(given, start=1):
            if values.shape != cells.shape:
                raise InputError(f"move {k} has the shape {values.shape}; the table has {cells.shape}.")
        if given:
            flat = np.zeros((len(given), release.n_cells))
            flat[:, cells.ravel()] = np.stack(given).reshape(len(given), cells.size)
        rows = sp.csr_array(flat)
    if not np.isfinite(rows.data).all() or not np.array_equal(rows.data, np.rint(rows.data)):
        raise InputError("moves are whole numbers.")
    return rows.astype(np.int64)
