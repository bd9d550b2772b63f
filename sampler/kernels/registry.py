"""Which kernels walk a block: the first that is right for its moves, its bounds and its law.

A kernel is one file here (a large one: a folder) with its walk, its class, what a step costs and `fits`, which tells when
it is right; and one line below, before those that are slower where both are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...moves.families.mixture import Mixture
from ...moves.families.move_set import MoveSet
from . import adaptive_lattice, balanced, exchanges, repairs, signed_list, stocked_moves, sub_tables
from .independent import decomposable, two_way
from .kernel import Fit, Kernel, Task, WholeTask
from .ladder import kernel as ladder
from .row_pairs import kernel as row_pairs
from .schedule import kernel as schedule
from .swaps import fit as swaps

KERNELS: tuple[Callable[[Task], Fit | None], ...] = (
    swaps.fits,
    two_way.fits,
    row_pairs.fits,
    balanced.fits,
    schedule.fits,
    signed_list.fits,
    sub_tables.fits,
    exchanges.fits,
    repairs.fits,
    adaptive_lattice.fits,
    stocked_moves.fits,
)
"""From the quickest on; the last fits every family that draws without looking at the table."""

WHOLE_TABLES: tuple[Callable[[WholeTask], Fit | None], ...] = (decomposable.fits,)
"""Kernels that draw all blocks of a release at once; they go before the others."""


def fitting(task: Task) -> Fit:
    """The kernels for a block: a ladder where its law has separate peaks, else one or more for each part of a mixture."""

    def others(part: MoveSet) -> tuple[Kernel, ...]:
        return _by_moves(replace(task, moves=part, alone=False)).kernels

    return ladder.fits(task, others) or _by_moves(task)


def _by_moves(task: Task) -> Fit:
    if isinstance(task.moves, Mixture):
        parts = [_by_moves(replace(task, moves=part, alone=False)) for part in task.moves.parts]
        return Fit(tuple(kernel for part in parts for kernel in part.kernels))
    return next(fit for fits in KERNELS if (fit := fits(task)) is not None)


def fitting_whole(task: WholeTask) -> Fit | None:
    """The kernels that draw all blocks of a release at once, if there are any."""
    return next((fit for fits in WHOLE_TABLES if (fit := fits(task)) is not None), None)
