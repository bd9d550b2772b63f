"""Chains of uniform swaps on complete two-way tables, ready to be timed."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from problems import problem

import fiberwalk as fw
from fiberwalk.base.random_streams import streams
from fiberwalk.sampler.chains.chain import Chain
from fiberwalk.sampler.chains.unit import Unit
from fiberwalk.sampler.chains.units import units_of
from fiberwalk.sampler.kernels.kernel import Kernel
from fiberwalk.sampler.kernels.swaps.rounds import SwapRoundsKernel


def stationary(name: str, seed: int = 1) -> tuple[Unit, Chain]:
    """The unit of a complete two-way table under the uniform law, and a chain that has forgotten its start."""
    moves = fw.moves.choose_moves(problem(name).release)
    n = moves.support.solved.fiber.n_columns
    (unit,) = units_of(moves, sp.csr_array((0, n), dtype=np.int64))
    chain = Chain(unit, unit.start, streams(seed, 1)[0])
    chain.advance(unit, 400_000_000 // (12 * n) if n > 100 else 100_000)
    chain.forget()
    return unit, chain


def swaps_in_a_step(kernel: Kernel) -> int:
    """How many swaps a step makes; in a round the column at the cut may stay out."""
    return kernel.shape[1] // 2 if isinstance(kernel, SwapRoundsKernel) else 1
