"""The units of a release: its blocks, each with the kernels that walk it and its part of the questions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ...base.certificate import Certificate
from ...fiber.blocks.presolve import Block
from ...fiber.equations.sparse import rows_through
from ...fiber.laws.support import Support
from ...moves.chooser import Moves
from ...moves.families.move_set import MoveSet
from ..kernels.kernel import Kernel, Task, WholeTask
from ..kernels.registry import fitting, fitting_whole
from ..lines.weights import Weights, weights_on
from .unit import Unit


def units_of(moves: Moves, questions: Any) -> tuple[Unit, ...]:
    """The units of a release; `questions` are the sums that are asked about, rows over all columns."""
    by_column = sp.csc_array(questions)
    unit = _whole_table(moves, by_column)
    if unit is not None:
        return (unit,)
    return tuple(
        unit_of(moves.support, block, move_set, by_column)
        for block, move_set in zip(moves.support.solved.blocks, moves.sets, strict=True)
    )


def _whole_table(moves: Moves, questions: Any) -> Unit | None:
    """All blocks as one unit, where their tables can be drawn directly."""
    task = WholeTask(moves)
    fit = fitting_whole(task)
    if fit is None:
        return None
    assert fit.certificate is not None
    start = moves.support.solved.start[task.columns]
    walked = Walked(task.columns, *task.bounds, start)
    return unit_asked(walked, task.weights, fit.kernels, fit.certificate, questions)


def unit_of(support: Support, block: Block, moves: MoveSet, questions: Any) -> Unit:
    """A block with its kernels."""
    weights = weights_on(support.weigh, block.columns, block.lower, block.upper, tails=True)
    fit = fitting(Task(block, moves, weights))
    order = np.arange(len(block.columns)) if fit.order is None else fit.order
    walked = Walked(block.columns[order], block.lower[order], block.upper[order], block.start[order])
    certificate = fit.certificate or moves.certificate
    return unit_asked(walked, weights, fit.kernels, certificate, questions, fit.offset)


class Walked(NamedTuple):
    """The columns that are walked on, their bounds, and where they are at the start."""

    columns: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    start: np.ndarray


def unit_asked(
    walked: Walked,
    weights: Weights,
    kernels: tuple[Kernel, ...],
    certificate: Certificate,
    questions: Any,
    offset: np.ndarray | None = None,
    further: tuple[str, ...] = (),
) -> Unit:
    """A unit with its part of the questions; `further` names columns after those of the release, for which bounds follow."""
    columns, lower, upper, start = walked
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


def with_weights(unit: Unit, weights: Weights) -> Unit:
    """The same unit under another law, for the search of a first table that is possible."""
    kernels = tuple(
        replace(kernel, weights=weights) if hasattr(kernel, "weights") else kernel  # type: ignore[type-var]
        for kernel in unit.kernels
    )
    return replace(unit, weights=weights, kernels=kernels)
