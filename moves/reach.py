"""choose_moves, basic_moves, check_connected: steps that keep every published figure, and whether they reach everything."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from math import comb, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import InputError, TooLarge
from ..base.html import doubt, in_notebook, remark, sentence
from ..base.numbers import number_of_tables
from ..base.progress import Progress, shown
from ..fiber.blocks.presolve import Block, Presolved
from ..fiber.laws.support import support
from ..release.release import Release, as_release
from ..release.tables.tables import labelled
from .bases.algebra import MOST_SECONDS
from .chooser import Moves, choose
from .connectivity import MOST_TABLES, Connectivity, check_block
from .own_moves import allowed, own_moves, refuse_others

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

MOST_NUMBERS = 20_000_000
"""Moves times cells that are listed."""


def choose_moves(
    release: Release,
    law: Any = "uniform",
    *,
    max_seconds: float = MOST_SECONDS,
    progress: Progress | bool | None = None,
) -> Moves:
    """The moves that chains on a release will use, block by block, with the proof that they reach every table.

    Parameters
    ----------
    law
        What the intruder believes; values to which it gives no weight bound the tables further.
    max_seconds
        How long 4ti2 (the extra `fiberwalk[algebra]`) may look for a Markov basis where nothing else is proven; 0: it is not
        asked. It is asked only of blocks small enough for it, by their equations. Where it is not done in time that is an
        error, never another set of moves; what it finds is kept, and later calls need not wait for it.
    progress
        Called with a line of text for each block. By default it is shown on a terminal and in a notebook; False: not at all.

    Returns
    -------
    Moves
        `.certificate` has the word ("connected", or "exact" where nothing is open), the reason and evidence: read them, as
        some tables may be reached in principle only. `.sets` has one set of moves for each independent block of the release.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> moves = fw.moves.choose_moves(fw.publish([[3, 1, 2], [2, 4, 1]], margins=["A", "B"]))
    >>> moves
    <Moves, connected: block 1: Swaps(6 cells, connected)>
    >>> moves.certificate.reason.split(" (")[0]
    'swaps in two rows and two columns join all complete two-way tables of given margins'
    """
    if not isinstance(max_seconds, (int, float)) or not 0 <= max_seconds <= 1e6:
        raise InputError(f"max_seconds={max_seconds!r}: a number of seconds, 0 for none.")
    with shown(progress) as tell:
        return choose(support(as_release(release), law), max_seconds=max_seconds, progress=tell)


def basic_moves(release: Release) -> list[xr.DataArray]:
    """The basic moves, in two labels of every dim: +1 and -1 in turn at the corners of a square, a cube, ...

    They keep every margin of fewer dims. Those that would change another published figure, such as a subtotal of a
    hierarchy, are left out; those that meet a known cell are not, and can never be made. In a complete two-way table they
    are a Markov basis and lead from each table to every other (Diaconis and Sturmfels 1998); with the two-way margins of
    three dims, or with cells missing, they need not:
    `check_connected(release, basic_moves(release))` tells for a small release, and `choose_moves` has what is proven.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> release = fw.publish([[3, 1, 2], [2, 4, 1]], margins=["A", "B"])
    >>> moves = fw.moves.basic_moves(release)
    >>> len(moves), moves[0].values.tolist()
    (3, [[1, -1, 0], [-1, 1, 0]])
    """
    release = as_release(release)
    if len(release.grids) != 1:
        raise InputError("basic_moves is for one table; linked ones have no squares or cubes in common.")
    shape = release.grids[0].cells.shape
    n_moves = prod(comb(length, 2) for length in shape if length > 1)
    if n_moves * prod(shape) > MOST_NUMBERS:
        raise TooLarge(f"there are {n_moves:,} basic moves, too many to be listed.")
    sums = release.sums
    exact = sums.matrix[np.flatnonzero(sums.lower == sums.upper)][:, release.grids[0].cells.ravel()]
    moves = []
    for labels in product(*(combinations(range(length), min(length, 2)) for length in shape)):
        values = np.zeros(shape, dtype=np.int64)
        for corner in product(*(range(len(pair)) for pair in labels)):
            values[tuple(pair[side] for pair, side in zip(labels, corner, strict=True))] = (-1) ** sum(corner)
        if not (exact @ values.ravel()).any():
            moves.append(labelled(values, release.dims))
    return moves


def check_connected(
    release: Release, moves: Any = None, *, law: Any = "uniform", max_tables: int = MOST_TABLES
) -> Reach:
    """Walk through every table of a small release, and see whether moves lead from each to every other.

    Parameters
    ----------
    moves
        What `choose_moves` gave (the default: it is called), or moves of your own: a list of tables of whole numbers in the
        shape of the release's table (positive where a cell gains, negative where it loses), or sparse rows over its cells.
        They may be made in either direction, any number of times.
    law
        With moves of your own: what the intruder believes.
    max_tables
        Tables of a block that are walked through at most; beyond, `fw.TooLarge`.

    Examples
    --------
    Two rows and two columns at a time are not enough once the diagonal is known:

    >>> import fiberwalk as fw
    >>> release = fw.suppress([[5, 1, 1], [1, 5, 1], [1, 1, 5]], where=[[False, True, True], [True, False, True],
    ...                                                                 [True, True, False]])
    >>> fw.moves.check_connected(release)
    <connected: 3 tables in 1 part>
    >>> around = [[0, 1, -1], [-1, 0, 1], [1, -1, 0]]
    >>> fw.moves.check_connected(release, [around])
    <connected: 3 tables in 1 part>
    >>> fw.moves.check_connected(release, [])
    <NOT connected: 3 tables in 3 parts>
    """
    release = as_release(release)
    if isinstance(max_tables, bool) or not isinstance(max_tables, (int, np.integer)) or max_tables < 1:
        raise InputError(f"max_tables={max_tables!r}: a number of tables, at least 1.")
    if moves is None:
        moves = choose(support(release, law))
    if isinstance(moves, Moves):
        refuse_others(moves, release)
    else:
        moves = own_moves(support(release, law), moves)
    inside = moves.support
    checked = tuple(
        check_block(block, move_set, max_tables, allowed(inside, block.columns))
        for block, move_set in zip(inside.solved.blocks, moves.sets, strict=True)
    )
    return Reach(release, inside.solved, inside.solved.blocks, checked)


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
        """How many parts there are that no move leads out of: connected components of the fiber graph."""
        return prod(block.components for block in self.found)

    @property
    def tables(self) -> int:
        """How many tables there are."""
        return prod(len(block.tables) for block in self.found)

    def apart(self) -> pd.DataFrame | None:
        """Two tables that no moves lead between, a column each, or None if there are none.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> release = fw.publish([[1, 0], [0, 1]], margins=["A", "B"])
        >>> fw.moves.check_connected(release, []).apart().T.values.tolist()
        [[0, 1, 1, 0], [1, 0, 0, 1]]
        """
        import pandas as pd

        broken = [number for number, checked in enumerate(self.found) if not checked.connected]
        if not broken:
            return None
        pair = np.stack([self.solved.start, self.solved.start])
        for block, checked in zip(self.blocks, self.found, strict=True):
            pair[:, block.columns] = checked.tables[0]
        checked = self.found[broken[0]]
        pair[1, self.blocks[broken[0]].columns] = checked.tables[np.flatnonzero(checked.label != checked.label[0])[0]]
        values = self.release.own_units(pair[:, : self.release.n_cells].T)
        return pd.DataFrame(values, index=self.release.index(self.release.keys), columns=["one", "other"])

    def __repr__(self) -> str:
        word = "connected" if self.connected else "NOT connected"
        return f"<{word}: {_number(self.tables, 'table')} in {_number(self.parts, 'part')}>"

    @property
    def sentence(self) -> str:
        """What was found, in a sentence."""
        told = "every one is reached" if self.connected else f"NOT all are reached: they fall into {self.parts:,} parts"
        if len(self.found) > 1:
            walked = sum(len(block.tables) for block in self.found)
            return (
                f"Checked by walking through all tables of each of {len(self.found)} independent blocks ({walked:,}, which "
                f"make up {number_of_tables(self.tables)}): {told}."
            )
        return f"Checked by walking through all tables ({self.tables:,}): {told}."

    def _repr_html_(self) -> str | None:
        return in_notebook(reach_html, self)


def reach_html(reach: Reach) -> str:
    """Do the moves reach every table?"""
    if reach.connected:
        return sentence(reach.sentence)
    return doubt("NOT connected", reach.sentence) + remark("`.apart()` gives two tables that no moves lead between.")


def _number(n: int, thing: str) -> str:
    return f"{n:,} {thing}{'' if n == 1 else 's'}"
