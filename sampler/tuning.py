"""How often each kernel of a unit is used: by how quickly each moves every cell in a short trial.

Draws of all kernels cost about the same by stored figures, so no clock is looked at and the same seed gives the same
shares. What counts is the cell that mixes most slowly: the shares that make it quickest are a small linear program.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil

import numpy as np

from .chain import Chain
from .kernel import LEAST_WORK, WORK_PER_CELL
from .unit import Unit

TRIAL, WATCHED = 256, 200
"""Draws of a trial, and cells that are watched in it."""
ROUNDS = 256
"""Draws of each kernel in turn before that."""
LAGS = (1, 4, 16, 64)
LEAST_SHARE = 0.04
"""Of every kernel: the one that is proven to reach everything must stay, and a trial is short."""
VISIT = 100_000.0
"""Nanoseconds of work of one round of all kernels, at least."""


def tuned(unit: Unit, start: np.ndarray, random: np.ndarray) -> Unit:
    """The unit with shares for its kernels, and odds for moves where a kernel learns these."""
    together = Chain(unit, start, random)
    together.counts = False
    together.advance(unit, ROUNDS * len(unit.kernels))  # away from the start first, which is a corner
    start = together.place.table + unit.offset
    unit = replace(unit, kernels=tuple(kernel.learned(unit, start, random) for kernel in unit.kernels))
    if len(unit.kernels) == 1:
        return unit
    return replace(unit, shares=_as_draws(unit, best_shares(_rates(unit, start, random))))


def _rates(unit: Unit, start: np.ndarray, random: np.ndarray) -> np.ndarray:
    """[kernel, cell]: about how many effective draws a draw is worth, from how fast the cell forgets."""
    n = len(unit.columns)
    watched = np.unique(np.linspace(0, n - 1, min(n, WATCHED)).astype(np.int64))
    seen = []
    for kernel in unit.kernels:
        alone = replace(unit, kernels=(kernel,), shares=(1 << 40,))
        chain = Chain(alone, start, random)
        chain.counts = False
        chain.advance(alone, TRIAL // 4)
        seen.append(chain.keep(alone, watched, TRIAL).astype(float))
        start = chain.place.table + unit.offset  # the next kernel goes on from here
    # What a cell varies by, whoever moved it; one that nobody moved tells nothing.
    variance = np.concatenate(seen).var(axis=0)
    moved = variance > 0
    rates = np.ones((len(seen), int(moved.sum())))
    for k, values in enumerate(seen):
        for lag in LAGS:
            jump = ((values[lag:] - values[:-lag]) ** 2).mean(axis=0)[moved] / (2.0 * variance[moved])
            kept = np.clip(1.0 - jump, 0.0, 1.0) ** (1.0 / lag)
            rates[k] = np.minimum(rates[k], (1.0 - kept) / (1.0 + kept))
    return rates


def best_shares(rates: np.ndarray) -> np.ndarray:
    """The shares of kernels under which the slowest cell is quickest."""
    from scipy.optimize import linprog

    kernels = len(rates)
    least = min(LEAST_SHARE, 0.5 / kernels)
    scale = rates.max(axis=0, initial=0.0)
    if not scale.any():  # nothing moved while it was watched
        return np.full(kernels, 1.0 / kernels)
    scaled = rates[:, scale > 0] / rates.max()
    cost = np.concatenate([-np.full(kernels, 1e-6) * scaled.mean(axis=1), [-1.0]])
    found = linprog(
        cost,
        A_ub=np.hstack([-scaled.T, np.ones((scaled.shape[1], 1))]),
        b_ub=np.zeros(scaled.shape[1]),
        A_eq=[[1.0] * kernels + [0.0]],
        b_eq=[1.0],
        bounds=[(least, 1.0)] * kernels + [(0.0, None)],
    )
    return np.asarray(found.x[:kernels]) if found.success else np.full(kernels, 1.0 / kernels)


def _as_draws(unit: Unit, shares: np.ndarray) -> tuple[int, ...]:
    """Whole numbers of draws in turn; enough that changing from one kernel to the next costs little."""
    work = max(LEAST_WORK, WORK_PER_CELL * len(unit.columns))
    whole = max(1.0 / shares.min(), ceil(VISIT / work))
    return tuple(max(1, round(float(share) * whole)) for share in shares)
