"""How often each kernel of a unit is used: by how quickly each moves every cell in a short trial.

What draws cost is known from stored figures, so no clock is looked at and the same seed gives the same shares. The shares
minimise the time that an effective draw takes, in the mean over the cells: slow cells weigh more than quick ones, and one
that a kernel never moves weighs most. The slowest cell alone would leave the shares to chance, as a trial is short.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import ceil
from typing import NamedTuple

import numpy as np

from ...base.random_streams import next_word, streams
from ...fiber.solvers.side_by_side import side_by_side
from .chain import Chain
from .unit import Unit

TRIAL, LONGEST_TRIAL, WATCHED = 256, 4096, 200
"""Draws of a trial, at least and at most, and cells that are watched in it."""
PATIENCE = 5e7
"""Nanoseconds of work of a trial: the longer it is, the slower cells it can tell from each other."""
ROUNDS = 256
"""Draws of each kernel in turn before that."""
LAGS = (1, 4, 16, 64, 256, 1024)
"""Draws between two looks at a cell, up to a quarter of a trial."""
LEAST_SHARE = 0.04
"""The least share of the time of every kernel: the one that is proven to reach every table must keep its turn, and a trial
is too short to show its worth."""
ITERATIONS = 200
LONGEST_ROUND = 4096
"""Draws of one round of all kernels, at most: a kernel whose draws take very long gets more than its share of time."""
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
    costs = _costs(unit)
    seen = _trials(unit, start, random, [_alone(len(costs), k) for k in range(len(costs))], TRIAL)
    rates = _rates(seen)
    shares = best_shares(rates / costs[:, None])
    # Kernels do more together than one by one: where cells wait for one that is seldom needed, little of it is enough.
    alike = np.full(len(costs), 1.0 / len(costs))
    mixed = [_as_turns(time_shares, costs, rates) for time_shares in (shares, alike, *_mostly(len(costs)))]
    usual = np.array([np.multiply(*turns) @ costs / sum(turns.draws) for turns in mixed])
    draws = int(np.clip(PATIENCE / usual.max(), TRIAL, LONGEST_TRIAL))
    seen = _trials(unit, start, random, [_in_short(turns, draws // 4) for turns in mixed], draws)
    waits = (1.0 / np.maximum(_rates(seen), 1.0 / draws)).mean(axis=1) * usual
    return _by_turns(unit, mixed[int(np.argmin(waits))])


class Turns(NamedTuple):
    """How many draws each kernel makes in its turn, and how many times its usual steps each of them takes."""

    draws: tuple[int, ...]
    stretch: tuple[int, ...]


def _by_turns(unit: Unit, turns: Turns) -> Unit:
    return replace(unit, shares=turns.draws, stretch=turns.stretch)


def _alone(kernels: int, kernel: int) -> Turns:
    """Everything is left to one kernel."""
    return Turns(tuple((1 << 40) * (k == kernel) for k in range(kernels)), (1,) * kernels)


def _mostly(kernels: int) -> np.ndarray:
    """Shares of time in which all kernels but one, or two, have the least."""
    least = min(LEAST_SHARE, 0.5 / kernels)
    alone = np.eye(kernels)
    pairs = [(alone[i] + alone[j]) / 2.0 for i, j in combinations(range(kernels), 2)] if kernels > 2 else []
    return least + (1.0 - kernels * least) * np.array([*alone, *pairs])


def _costs(unit: Unit) -> np.ndarray:
    """Nanoseconds of a draw of each kernel."""
    n = len(unit.columns)
    return np.array([kernel.draw_cost(n) for kernel in unit.kernels])


def _in_short(turns: Turns, most: int) -> Turns:
    """Turns in a round of about so many draws; a kernel that has less than one of them is left out."""
    factor = max(1.0, sum(turns.draws) / most)
    return Turns(tuple(int(times / factor) for times in turns.draws), turns.stretch)


def _trials(unit: Unit, start: np.ndarray, random: np.ndarray, ways: Sequence[Turns], draws: int) -> np.ndarray:
    """[way, draw, cell]: some cells in a walk of so many draws in each of these ways, side by side."""
    n = len(unit.columns)
    watched = np.unique(np.linspace(0, n - 1, min(n, WATCHED)).astype(np.int64))

    def walked(way: tuple[Turns, np.ndarray]) -> np.ndarray:
        turns, own_random = way
        used = [k for k, times in enumerate(turns.draws) if times]
        trial_unit = replace(
            unit,
            kernels=tuple(unit.kernels[k] for k in used),
            shares=tuple(turns.draws[k] for k in used),
            stretch=tuple(turns.stretch[k] for k in used),
        )
        chain = Chain(trial_unit, start, own_random)
        chain.counts = False
        chain.advance(trial_unit, draws // 4)
        return chain.keep(trial_unit, watched, draws).astype(float)

    own = streams(int(next_word(random)), len(ways))
    return np.array(side_by_side(walked, list(zip(ways, own, strict=True))))


def _rates(seen: np.ndarray) -> np.ndarray:
    """[walk, cell]: about how many effective draws a draw is worth, from how fast the cell's autocorrelation falls."""
    # What a cell varies by, whoever moved it; one that nobody moved tells nothing.
    variance = seen.reshape(-1, seen.shape[2]).var(axis=0)
    moved = variance > 0
    rates = np.ones((len(seen), int(moved.sum())))
    for k, values in enumerate(seen):
        for lag in (lag for lag in LAGS if 4 * lag <= len(values)):
            jump = ((values[lag:] - values[:-lag]) ** 2).mean(axis=0)[moved] / (2.0 * variance[moved])
            kept = np.clip(1.0 - jump, 0.0, 1.0) ** (1.0 / lag)
            rates[k] = np.minimum(rates[k], (1.0 - kept) / (1.0 + kept))
    return rates


def best_shares(rates: np.ndarray) -> np.ndarray:
    """The shares of time under which an effective draw takes least, in the mean over cells; by [kernel, cell].

    The sum of 1 / (shares @ rates) is least where no kernel's derivative is above the others'. Shares that are multiplied by
    the roots of these derivatives come there, and the sum never rises on the way (the multiplicative algorithm for A-optimal
    designs: Silvey, Titterington and Torsney 1978).
    """
    kernels = len(rates)
    least = min(LEAST_SHARE, 0.5 / kernels)
    shares = np.full(kernels, 1.0 / kernels)
    rates = rates[:, rates.any(axis=0)]
    if not rates.size:  # nothing moved while it was watched
        return shares
    for _ in range(ITERATIONS):
        shares = shares * np.sqrt((rates / (shares @ rates) ** 2).sum(axis=1))
        shares /= shares.sum()
    return least + (1.0 - kernels * least) * shares


def _as_turns(shares: np.ndarray, costs: np.ndarray, rates: np.ndarray) -> Turns:
    """Whole numbers of draws in turn, from shares of time; enough that changing from one kernel to the next costs little.

    Draws of a kernel that are worth little are made fewer and longer, until they are worth as much as those of the best.
    """
    draws = shares / costs
    draws /= draws.sum()
    in_round = min(LONGEST_ROUND, max(1.0 / draws.min(), ceil(VISIT / float(draws @ costs))))
    usual = np.maximum(rates.mean(axis=1), 1e-6) if rates.size else np.ones(len(costs))
    whole = [max(1, round(float(share) * in_round)) for share in draws]
    stretch = [min(n, max(1, round(float(usual.max() / rate)))) for n, rate in zip(whole, usual, strict=True)]
    return Turns(tuple(round(n / k) for n, k in zip(whole, stretch, strict=True)), tuple(stretch))
