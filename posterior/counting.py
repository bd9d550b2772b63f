"""How many tables agree with a release, exactly."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ..base.progress import Progress
from ..fiber.blocks.presolve import Block, presolve
from ..fiber.exact.solved import Budget
from ..fiber.laws.law import alike
from ..fiber.laws.support import WithEvidence, refuse_impossible, with_evidence
from ..release.release import Release
from .keyed_figures.figures import refuse_keyed
from .parts.exact_block import counted_directly, solve_block


def number_of_tables(release: Release, budget: Budget, progress: Progress | None = None) -> int:
    """The number of all tables; `TooLarge` where counting them would cost more than the budget."""
    refuse_keyed(release, "the number of tables")
    solved = presolve(release)
    weigh = with_evidence(alike, solved)
    if release.evidence:
        refuse_impossible(release, solved, weigh)
    total = 1
    for block in solved.blocks:
        total *= number_in_block(block, weigh, budget, progress)
    return total


def number_in_block(block: Block, weigh: WithEvidence, budget: Budget, progress: Progress | None = None) -> int:
    """The number of tables of a block to which weights give any chance."""
    known = counted_directly(block, budget) if all(map(weigh.excludes_nothing, block.columns.tolist())) else None
    no_sums = sp.csr_array((0, len(block.columns)), dtype=np.int64)
    return known or solve_block(block, weigh, no_sums, budget, count_only=True, progress=progress).tables
