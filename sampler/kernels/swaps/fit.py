"""When swaps of complete two-way tables have their own kernels: under the uniform law, by the table's size and sparsity."""

from __future__ import annotations

from ....moves.families.swaps import Swaps
from ...lines.weights import ALIKE
from ..kernel import Fit, Kernel, Task
from .hit_and_run import SwapKernel
from .people import PersonSwapKernel, prefers_people
from .rounds import FEWEST_COLUMNS, SwapRoundsKernel


def fits(task: Task) -> Fit | None:
    """Complete two-way tables, all alike; very sparse ones take turns with swaps of two people."""
    if not (isinstance(task.moves, Swaps) and task.alone and task.weights.kind == ALIKE and task.is_small):
        return None
    block, cell = task.block, task.moves.cell
    by_rounds = cell.shape[1] >= FEWEST_COLUMNS
    kernels: tuple[Kernel, ...] = (SwapRoundsKernel(cell.shape) if by_rounds else SwapKernel(cell.shape),)
    people = int((block.start - block.lower).sum())
    if prefers_people(cell.shape, people):
        kernels = (PersonSwapKernel(cell.shape, people), *kernels)
    # Above its lower bounds the table is one whose cells are bounded by nothing but the margins.
    order = cell.ravel()
    return Fit(kernels, order, offset=block.lower[order])
