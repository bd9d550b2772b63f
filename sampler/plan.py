"""Which kernels walk which block: the quickest that is right for its moves, its bounds and its law."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..fiber.presolve import Block
from ..fiber.sparse import rows_through
from ..fiber.support import Support
from ..moves.adaptive_lattice import AdaptiveLattice
from ..moves.chooser import Moves
from ..moves.mixture import Mixture
from ..moves.move_set import MoveSet
from ..moves.sub_tables import SubTables
from ..moves.swaps import Swaps
from .kernel import Kernel, MoveKernel, SwapKernel
from .unit import Unit
from .walk_adaptive import AdaptiveKernel
from .walk_sub_tables import SubTableKernel
from .weights import ALIKE, Weights, weights_on

LARGEST = 2**31
"""Figures up to this are moved by the quickest kernels."""


def units_of(moves: Moves, questions: Any) -> tuple[Unit, ...]:
    """One unit for each block of a release; `questions` are the sums that are asked about, rows over all columns."""
    by_column = sp.csc_array(questions)
    return tuple(
        unit_of(moves.support, block, one, by_column)
        for block, one in zip(moves.support.solved.blocks, moves.sets, strict=True)
    )


def unit_of(inside: Support, block: Block, moves: MoveSet, questions: Any) -> Unit:
    """A block with its kernels."""
    n = len(block.columns)
    order, offset = np.arange(n), np.zeros(n, dtype=np.int64)
    weights = weights_on(inside.weigh, block.columns, block.lower, block.upper)
    kernels: tuple[Kernel, ...]
    if isinstance(moves, Swaps) and weights.kind == ALIKE and block.upper.max() < LARGEST:
        # Above its lower bounds the table is one whose cells are bounded by nothing but the margins.
        order = moves.cell.ravel()
        offset = block.lower[order]
        kernels = (SwapKernel(moves.cell.shape),)
    else:
        kernels = kernels_for(moves, weights)
    columns = block.columns[order]
    _, sums = rows_through(questions, columns)
    several = np.flatnonzero(np.diff(sums.indptr) > 1)
    return Unit(
        columns=columns,
        offset=offset,
        lower=block.lower[order] - offset,
        upper=block.upper[order] - offset,
        start=block.start[order],
        weights=weights,
        kernels=kernels,
        certificate=moves.certificate,
        sums=sp.csr_array(sums[several]).astype(np.int64),
        shares=(1 << 40,) if len(kernels) == 1 else (1,) * len(kernels),
    )


def kernels_for(moves: MoveSet, weights: Weights) -> tuple[Kernel, ...]:
    """The kernels of a family of moves, one for each part of a mixture."""
    if isinstance(moves, Mixture):
        return tuple(one for part in moves.parts for one in kernels_for(part, weights))
    if isinstance(moves, SubTables):
        return (SubTableKernel(moves, weights),)
    if isinstance(moves, AdaptiveLattice):
        return (AdaptiveKernel(moves, weights),)
    return (MoveKernel(moves, weights),)


def with_weights(unit: Unit, weights: Weights) -> Unit:
    """The same unit under another law; for a search of a first table that is possible at all."""
    kernels = tuple(replace(one, weights=weights) if hasattr(one, "weights") else one for one in unit.kernels)  # type: ignore[type-var]
    return replace(unit, weights=weights, kernels=kernels)
