"""Which kernels walk which block: the quickest that is right for its moves, its bounds and its law."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.certificate import Certificate
from ...base.errors import TooLarge
from ...fiber.blocks.presolve import Block
from ...fiber.bounds.decomposable import components
from ...fiber.equations.sparse import rows_through
from ...fiber.laws.support import Support
from ...moves.chooser import Moves
from ...moves.families.adaptive_lattice import AdaptiveLattice
from ...moves.families.listed import Listed
from ...moves.families.margins import MarginMoves
from ...moves.families.mixture import Mixture
from ...moves.families.move_set import MoveSet
from ...moves.families.row_pairs import RowPairs
from ...moves.families.sub_tables import SubTables
from ...moves.families.swaps import Swaps
from ..kernels.adaptive_lattice import AdaptiveKernel
from ..kernels.independent import DecomposableKernel, TwoWayKernel
from ..kernels.independent_decomposable import decomposable_plan
from ..kernels.independent_two_way import two_way_plan
from ..kernels.kernel import Kernel, MoveKernel, SwapKernel
from ..kernels.row_pairs import row_pair_kernel
from ..kernels.schedule.kernel import MOST_COLUMNS, ScheduleKernel
from ..kernels.schedule.walk import listed_arrays
from ..kernels.signed_list import listed_kernel
from ..kernels.sub_tables import SubTableKernel
from ..kernels.swap_rounds import FEWEST_COLUMNS, SwapRoundsKernel
from ..kernels.unit_swaps import UnitSwapKernel, prefers_units
from ..lines.weights import ALIKE, FACTORIAL, Weights, weights_on
from .unit import Unit

FEW_COLUMNS, FEW_MOVES = 64, 120_000
"""In blocks up to this size moves of margins are listed rather than drawn, if there are not too many; in larger ones the
shortest are."""
FEW_SWAPS = 20_000
"""Swaps up to this number are listed where no kernel of their own is right for the law."""
LARGEST = 2**31
"""Figures up to this are moved by the quickest kernels."""


DIRECT = "every draw is a new table, independent of the last, drawn from the law itself"


def units_of(moves: Moves, questions: Any) -> tuple[Unit, ...]:
    """The units of a release; `questions` are the sums that are asked about, rows over all columns."""
    by_column = sp.csc_array(questions)
    whole = _whole_table(moves, by_column)
    if whole is not None:
        return (whole,)
    return tuple(
        unit_of(moves.support, block, one, by_column)
        for block, one in zip(moves.support.solved.blocks, moves.sets, strict=True)
    )


def _whole_table(moves: Moves, questions: Any) -> Unit | None:
    """All blocks as one unit, where tables of decomposable margins can be drawn directly."""
    inside = moves.support
    solved = inside.solved
    # Where every block is two-way by itself, each is drawn on its own.
    if not any(isinstance(one, MarginMoves) for one in moves.sets):
        return None
    columns = np.flatnonzero(~solved.decided)
    lower = np.concatenate([block.lower for block in solved.blocks])
    upper = np.concatenate([block.upper for block in solved.blocks])
    in_order = np.argsort(np.concatenate([block.columns for block in solved.blocks]))
    lower, upper = lower[in_order], upper[in_order]
    weights = weights_on(inside.weigh, columns, lower, upper)
    found = components(inside.release) if weights.kind == FACTORIAL else None
    plan = decomposable_plan(found) if found is not None else None
    if plan is None:
        return None
    kernel = DecomposableKernel(plan, columns, solved.fiber.n_cells)
    certificate = Certificate("connected", DIRECT)
    return unit_asked(columns, lower, upper, solved.start[columns], weights, (kernel,), certificate, questions)


def unit_of(inside: Support, block: Block, moves: MoveSet, questions: Any) -> Unit:
    """A block with its kernels."""
    weights = weights_on(inside.weigh, block.columns, block.lower, block.upper)
    certificate = moves.certificate
    order, offset = np.arange(len(block.columns)), None
    kernels: tuple[Kernel, ...]
    if isinstance(moves, Swaps) and weights.kind == ALIKE and block.upper.max() < LARGEST:
        # Above its lower bounds the table is one whose cells are bounded by nothing but the margins.
        order = moves.cell.ravel()
        offset = block.lower[order]
        by_rounds = moves.cell.shape[1] >= FEWEST_COLUMNS
        kernels = (SwapRoundsKernel(moves.cell.shape) if by_rounds else SwapKernel(moves.cell.shape),)
        units = int((block.start - block.lower).sum())
        if prefers_units(moves.cell.shape, units):
            kernels = (UnitSwapKernel(moves.cell.shape, units), *kernels)
    elif isinstance(moves, Swaps) and weights.kind == FACTORIAL and _bounded_by_margins_only(block, moves.cell):
        kernels, certificate = (TwoWayKernel(two_way_plan(moves.cell, block.start)),), Certificate("connected", DIRECT)
    else:
        kernels = kernels_for(moves, weights, block)
    columns, lower, upper, start = (one[order] for one in (block.columns, block.lower, block.upper, block.start))
    return unit_asked(columns, lower, upper, start, weights, kernels, certificate, questions, offset)


def _bounded_by_margins_only(block: Block, cell: np.ndarray) -> bool:
    """Do the bounds of a complete two-way table say no more than its row and column sums do?

    Swaps ask for less: an upper bound of one cell may be a lower bound of others, above which the table is free.
    """
    rows, columns = block.start[cell].sum(axis=1, keepdims=True), block.start[cell].sum(axis=0)
    least, most = np.maximum(rows + columns - rows.sum(), 0), np.minimum(rows, columns)
    return bool((block.lower[cell] <= least).all() and (block.upper[cell] >= most).all())


def unit_asked(
    columns: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    start: np.ndarray,
    weights: Weights,
    kernels: tuple[Kernel, ...],
    certificate: Certificate,
    questions: Any,
    offset: np.ndarray | None = None,
    further: tuple[str, ...] = (),
) -> Unit:
    """A unit with its part of the questions; `further` names columns after those of the release, for which bounds follow."""
    asked, parts = rows_through(questions, columns)
    columns = np.concatenate([columns, np.full(len(further), -1, dtype=columns.dtype)])
    parts.resize(parts.shape[0], len(columns))
    plain = np.diff(parts.indptr) == 1
    plain[plain] = parts.data[parts.indptr[:-1][plain]] == 1
    answered = np.empty(len(asked), dtype=np.int64)
    answered[plain] = parts.indices[parts.indptr[:-1][plain]]
    answered[~plain] = len(columns) + np.arange(int((~plain).sum()))
    if offset is None:
        offset = np.zeros(len(columns), dtype=np.int64)
    return Unit(
        columns=columns,
        offset=offset,
        lower=lower - offset,
        upper=upper - offset,
        start=start,
        weights=weights,
        kernels=kernels,
        certificate=certificate,
        sums=sp.csr_array(parts[np.flatnonzero(~plain)]).astype(np.int64),
        asked=asked,
        answered=answered,
        shares=(1 << 40,) if len(kernels) == 1 else (1,) * len(kernels),
        further=further,
    )


def kernels_for(moves: MoveSet, weights: Weights, block: Block) -> tuple[Kernel, ...]:
    """The kernels of a family of moves, one for each part of a mixture."""
    if isinstance(moves, Mixture):
        return tuple(one for part in moves.parts for one in kernels_for(part, weights, block))
    if isinstance(moves, RowPairs) and block.upper.max() < LARGEST:
        return (row_pair_kernel(moves, weights, block.lower, block.upper, block.start),)
    if isinstance(moves, Swaps) and len(block.columns) <= MOST_COLUMNS:
        with suppress(TooLarge):
            return kernels_for(Listed(moves.listed(FEW_SWAPS), moves.certificate), weights, block)
    if isinstance(moves, MarginMoves):
        if len(block.columns) <= FEW_COLUMNS:
            with suppress(TooLarge):
                return kernels_for(Listed(moves.listed(FEW_MOVES), moves.certificate), weights, block)
        if len(block.columns) <= MOST_COLUMNS and (short := moves.shortest(FEW_MOVES)).shape[0]:
            # The shortest do most of the work; all the others are drawn besides.
            some = kernels_for(Listed(short, moves.certificate), weights, block)
            return (*some, MoveKernel(moves, weights))
    if isinstance(moves, Listed):
        if len(block.columns) <= MOST_COLUMNS:
            return (ScheduleKernel(listed_arrays(moves, block, weights), weights),)
        quick = listed_kernel(moves, weights, block) if block.upper.max() < LARGEST else None
        return (quick or MoveKernel(moves, weights),)
    if isinstance(moves, SubTables):
        return (SubTableKernel(moves, weights),)
    if isinstance(moves, AdaptiveLattice):
        return (AdaptiveKernel(moves, weights),)
    return (MoveKernel(moves, weights),)


def with_weights(unit: Unit, weights: Weights) -> Unit:
    """The same unit under another law; for a search of a first table that is possible at all."""
    kernels = tuple(replace(one, weights=weights) if hasattr(one, "weights") else one for one in unit.kernels)  # type: ignore[type-var]
    return replace(unit, weights=weights, kernels=kernels)
