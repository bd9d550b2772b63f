"""Moves that somebody else gives: in the forms they come in, checked against the release, with what can be known of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.certificate import Certificate
from ..base.errors import InputError, TooLarge
from ..base.progress import Progress
from ..fiber.blocks.presolve import Block
from ..fiber.equations.graph_parts import joined_parts
from ..fiber.laws.support import Support
from ..release.release import Release
from ..release.tables.tables import as_means
from .chooser import Moves, choose
from .connectivity import Connectivity, check_block
from .families.listed import Listed
from .families.move_set import distinct_rows

OWN = Certificate("unproven", "moves of your own, which nothing is known about")
APART = "moves of your own, which do NOT connect all tables"
MOST_TABLES, MOST_LOOKS = 10_000, 5_000_000
"""Tables of a block, and tables times moves, up to which moves of one's own are tried out before chains use them."""
LARGEST_MOVE = 2.0**53
"""What a move may change in all: beyond, whole numbers are not exact in floating point, and sums of them overflow."""


def moves_for(inside: Support, moves: Any = None, progress: Progress | None = None) -> Moves:
    """The moves that chains are to use within a support: chosen here, those of `choose_moves`, or somebody's own.

    Moves of one's own come with what a walk through every table tells, where there are few.
    """
    if moves is None:
        return choose(inside, progress=progress)
    if not isinstance(moves, Moves):
        return _tried_out(own_moves(inside, moves))
    refuse_others(moves, inside.release)
    if not _same_support(moves.support, inside):
        raise InputError("these moves are for another law, which allows other tables: choose_moves(release, law).")
    return replace(moves, support=inside)


def own_moves(inside: Support, moves: Any) -> Moves:
    """Moves over the cells as moves of blocks; blocks that a move changes together become one.

    A move that changes what is decided can never be made.
    """
    release, presolved = inside.release, inside.solved
    rows = _as_rows(release, moves)
    fiber = presolved.fiber
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
    decided = np.flatnonzero(presolved.decided[: fiber.n_cells])
    never = abs(whole[:, decided]).sum(axis=1)
    for block in presolved.blocks:  # a sum may be decided though a range is published: an equation of its block
        never = never + abs(block.A @ sp.csc_array(whole)[:, block.columns].T).sum(axis=0)
    possible = sp.csc_array(whole[np.flatnonzero(never == 0)])
    touches = sp.csr_array(
        sp.hstack(
            [sp.csr_array(abs(possible[:, block.columns]).sum(axis=1).reshape(-1, 1)) for block in presolved.blocks]
        )
        if presolved.blocks
        else (possible.shape[0], 0)
    )
    together = sp.coo_array(touches.T @ touches)
    label = joined_parts(len(presolved.blocks), together.row, together.col)
    blocks = tuple(
        _together([block for number, block in enumerate(presolved.blocks) if label[number] == component])
        for component in np.unique(label)
    )
    sets = tuple(Listed(distinct_rows(possible[:, block.columns]), OWN) for block in blocks)
    return Moves(inside.only(blocks), sets)


def _tried_out(moves: Moves) -> Moves:
    """Moves of one's own with certificates: a walk through every table of a small block tells whether they join them."""
    sets = []
    for block, listed in zip(moves.support.solved.blocks, moves.sets, strict=True):
        assert isinstance(listed, Listed)
        try:
            most = min(MOST_TABLES, MOST_LOOKS // max(1, listed.rows.shape[0]))
            checked = check_block(block, listed, most, allowed(moves.support, block.columns))
        except TooLarge:
            sets.append(replace(listed, certificate=replace(OWN, evidence=_untouched(moves, block, listed))))
        else:
            sets.append(replace(listed, certificate=_walked(checked)))
    return replace(moves, sets=tuple(sets))


def _walked(checked: Connectivity) -> Certificate:
    n_tables = f"{len(checked.tables):,} table{'' if len(checked.tables) == 1 else 's'}"
    if checked.connected:
        return Certificate(
            "connected", f"moves of your own; a walk through all {n_tables} found that they reach every one"
        )
    sizes = np.sort(np.bincount(checked.label))[::-1]
    shown = ", ".join(f"{size:,}" for size in sizes[:5]) + (", ..." if len(sizes) > 5 else "")
    return Certificate(
        "unproven",
        f"{APART}: a walk through all {n_tables} found {len(sizes):,} parts that no move leads out of",
        (f"tables in each part: {shown}",),
    )


def _untouched(moves: Moves, block: Block, listed: Listed) -> tuple[str, ...]:
    """What is seen without a walk: cells that no move changes."""
    changed = np.bincount(listed.rows.indices, minlength=len(block.columns)) > 0
    still = block.columns[~changed]
    still = still[still < moves.release.n_cells]
    if not len(still):
        return ()
    name = moves.release.words(moves.release.keys[still[0]])
    more = f" and {len(still) - 1:,} more" if len(still) > 1 else ""
    return (f"no move changes {name}{more}, which the published figures leave open",)


def refuse_others(moves: Moves, release: Release) -> None:
    """Refuse moves that were chosen for another release."""
    if not _same(moves.release, release):
        raise InputError("these moves belong to another release.")


def _same_support(support: Support, other: Support) -> bool:
    """Do two laws leave the same blocks, with the same bounds and gaps?"""
    blocks = support.solved.blocks, other.solved.blocks
    return (
        len(blocks[0]) == len(blocks[1])
        and np.array_equal(support.gaps, other.gaps)
        and all(
            np.array_equal(getattr(block, name), getattr(other_block, name))
            for block, other_block in zip(*blocks, strict=True)
            for name in ("columns", "lower", "upper")
        )
    )


def allowed(inside: Support, columns: np.ndarray) -> Callable[[np.ndarray], np.ndarray] | None:
    """Which tables of a block have no excluded values, where there are gaps."""
    gaps = np.flatnonzero(inside.gaps[columns])
    if not len(gaps):
        return None

    def possible(tables: np.ndarray) -> np.ndarray:
        good = np.ones(len(tables), dtype=bool)
        for place in gaps:
            first, last = int(tables[:, place].min()), int(tables[:, place].max())
            weights = inside.weigh(int(columns[place]), first, last)
            if weights is not None:
                good &= weights[tables[:, place] - first] > -np.inf
        return good

    return possible


def _same(release: Release, other: Release) -> bool:
    """Do two releases say the same of the same cells?"""
    if release is other:
        return True
    if (
        release.n_cells != other.n_cells
        or len(release.sums) != len(other.sums)
        or len(release.evidence) != len(other.evidence)
        or release.choices
        or other.choices
    ):
        return False
    pairs = [(release.lower, other.lower), (release.upper, other.upper), (release.sums.lower, other.sums.lower)]
    pairs.append((release.sums.upper, other.sums.upper))
    same = all(np.array_equal(a, b) for a, b in pairs) and not abs(release.sums.matrix - other.sums.matrix).sum()
    return bool(same) and all(
        np.array_equal(a.cells, b.cells) and a.first == b.first and np.array_equal(a.log_weights, b.log_weights)
        for a, b in zip(release.evidence, other.evidence, strict=True)
    )


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
        tables = [as_means(move, release.dims, f"move {number}") for number, move in enumerate(moves, start=1)]
        for number, values in enumerate(tables, start=1):
            if values.shape != cells.shape:
                raise InputError(f"move {number} has the shape {values.shape}; the table has {cells.shape}.")
        if tables:
            flat = np.zeros((len(tables), release.n_cells))
            flat[:, cells.ravel()] = np.stack(tables).reshape(len(tables), cells.size)
        rows = sp.csr_array(flat)
    if not np.isfinite(rows.data).all() or not np.array_equal(rows.data, np.rint(rows.data)):
        raise InputError("moves are whole numbers.")
    changed = abs(sp.csr_array(rows, dtype=np.float64)).sum(axis=1)
    if len(too_large := np.flatnonzero(changed >= LARGEST_MOVE)):
        raise InputError(
            f"move {too_large[0] + 1} changes cells by {changed[too_large[0]]:.1e} in all: no table is so large."
        )
    return rows.astype(np.int64)
