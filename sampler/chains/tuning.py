"""How often each kernel of a unit is used: by how quickly each moves every cell in trials.

What draws cost is known from stored figures, so no clock is looked at and the same seed gives the same shares. Each kernel
is tried alone. Ways to share the time between kernels follow from that, and race: the half in which effective draws of the
slowest cells take longest leaves, the others go on for four times as long, until a trial has seen enough of these cells. So
trials take a small part of the time that the run will need for the slowest cells, and where none is slow they are short.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import ceil
from typing import NamedTuple

import numpy as np

from ...base.random_streams import next_word, streams
from ...fiber.solvers.side_by_side import side_by_side
from .chain import Chain
from .unit import Unit

ROUNDS = 256
"""Draws of each kernel in turn before any trial: starts are corners."""
STARTS = 2
"""Tables from which every trial begins: from one alone, a way that hardly leaves it would look quick."""
TRIAL, WATCHED = 256, 200
"""Draws of a kernel alone, and cells that are watched."""
PIECES = 16
"""Parts of a trial, whose means are compared; the same number from each start."""
PATIENCE, LONGEST, LONGER = 2e7, 4096, 4
"""Nanoseconds of work of the first trial of a way, but at least TRIAL draws of the quickest and at most so many of the
slowest; and how much longer the next trial is."""
ENOUGH, MOST_WORK = 50.0, 3e9
"""Effective draws of the slowest cell that a trial must have seen, and nanoseconds of all trials after which it need not."""
SLOWNESS = 4
"""The power in which waits are averaged over the cells: a run ends with its slowest cell, but in a short trial it is chance
which one that seems to be."""
LEAST_SHARE = 0.04
"""The least share of the time of every kernel: the one that is proven to reach every table must keep its turn, and a trial
is too short to show its worth."""
ITERATIONS = 200
LONGEST_ROUND = 4096
"""Draws of one round of all kernels, at most: a kernel whose draws take very long gets more than its share of time."""
VISIT = 400_000.0
"""Nanoseconds of work of one round of all kernels, at least: to change from one to the next takes more than ten thousand."""


class Turns(NamedTuple):
    """How many draws each kernel makes in its turn, and how many times its usual steps each of them takes."""

    draws: tuple[int, ...]
    stretch: tuple[int, ...]


def tuned(unit: Unit, starts: np.ndarray, random: np.ndarray) -> Unit:
    """The unit with shares for its kernels, and odds for moves where a kernel learns these."""
    first = _away(unit, starts[0], random)
    unit = replace(unit, kernels=tuple(kernel.learned(unit, first, random) for kernel in unit.kernels))
    if len(unit.kernels) == 1:
        return unit
    tables = [first, *(_away(unit, start, random) for start in starts[1:STARTS])]
    costs = np.array([kernel.draw_cost(len(unit.columns)) for kernel in unit.kernels])
    alone = _trials(unit, tables, [_alone(len(costs), k) for k in range(len(costs))], costs, random)
    side_by_side(lambda trial: trial.go_on(TRIAL), alone)
    rates = effective_rates(alone)
    shares = [best_shares(rates / costs[:, None]), np.full(len(costs), 1.0 / len(costs)), *_mostly(len(costs))]
    ways = [_as_turns(of_time, costs, rates) for of_time in shares]
    usual = np.array([np.multiply(*turns) @ costs / sum(turns.draws) for turns in ways])
    won = race(_trials(unit, tables, ways, usual, random)).turns
    return replace(unit, shares=won.draws, stretch=won.stretch)


def _away(unit: Unit, start: np.ndarray, random: np.ndarray) -> np.ndarray:
    """A table some way from a start."""
    together = Chain(unit, start, random)
    together.counts = False
    together.advance(unit, ROUNDS * len(unit.kernels))
    return together.place.table + unit.offset


class Trial:
    """A way to take turns on trial: walks from several tables, and what was seen of them since they last went on."""

    def __init__(self, unit: Unit, tables: Sequence[np.ndarray], turns: Turns, cost: float, random: np.ndarray) -> None:
        n = len(unit.columns)
        self.unit, self.tables, self.turns, self.cost, self.random = unit, list(tables), turns, cost, random
        self.watched = np.unique(np.linspace(0, n - 1, min(n, WATCHED)).astype(np.int64))
        self.origin = tables[0][self.watched]
        self.piece = 0
        """Draws of a part."""
        self.means, self.squares = np.zeros((2, PIECES, len(self.watched)))
        """[part, cell]: the mean of what the cell differs by from the first table, and of its square."""

    @property
    def draws(self) -> int:
        """Draws that were seen."""
        return PIECES * self.piece

    def go_on(self, draws: int) -> None:
        """About so many draws more, from where the walks have come."""
        begun, walks = self.piece > 0, len(self.tables)
        self.piece = max(1, draws // PIECES)
        unit = self._in_short(draws // (4 * walks))
        for k, parts in enumerate(np.array_split(np.arange(PIECES), walks)):
            chain = Chain(unit, self.tables[k], self.random)
            chain.counts = False
            if not begun:
                chain.advance(unit, draws // (4 * walks))
            for part in parts:
                values = (chain.keep(unit, self.watched, self.piece) - self.origin).astype(float)
                self.means[part], self.squares[part] = values.mean(axis=0), (values**2).mean(axis=0)
            self.tables[k] = chain.place.table + unit.offset

    def _in_short(self, most: int) -> Unit:
        """The unit with turns in a round of about so many draws: a walk must see more than one."""
        draws, stretch = in_short(self.turns, most)
        used = [k for k, times in enumerate(draws) if times]
        return replace(
            self.unit,
            kernels=tuple(self.unit.kernels[k] for k in used),
            shares=tuple(draws[k] for k in used),
            stretch=tuple(stretch[k] for k in used),
        )


def _trials(
    unit: Unit, tables: Sequence[np.ndarray], ways: Sequence[Turns], costs: np.ndarray, random: np.ndarray
) -> list[Trial]:
    """A trial of each way, with the nanoseconds that a draw of it usually costs."""
    own = streams(int(next_word(random)), len(ways))
    return [Trial(unit, tables, *way) for way in zip(ways, costs.tolist(), own, strict=True)]


def race(trials: Sequence[Trial]) -> Trial:
    """The one in which an effective draw of the slowest cells takes least time; the same time for each that still runs."""
    costs = [trial.cost for trial in trials]
    work, spent = min(max(PATIENCE, TRIAL * min(costs)), LONGEST * max(costs)), 0.0
    while True:
        side_by_side(partial(_go_on_for, work), trials)
        spent += work * len(trials)
        rates = effective_rates(trials)
        seen = np.array([[trial.draws] for trial in trials])
        waits = ((1.0 / np.maximum(rates, 1.0 / seen)) ** SLOWNESS).mean(axis=1) if rates.size else np.ones(len(trials))
        waits = waits ** (1 / SLOWNESS) * [trial.cost for trial in trials]
        best = int(np.argmin(waits))
        if len(trials) <= 2 or spent >= MOST_WORK or (rates[best] * seen[best]).min(initial=np.inf) >= ENOUGH:
            return trials[best]
        trials = [trials[k] for k in np.sort(np.argsort(waits, kind="stable")[: (len(trials) + 1) // 2])]
        work *= LONGER


def _go_on_for(work: float, trial: Trial) -> None:
    trial.go_on(max(4 * PIECES, int(work / trial.cost)))


def effective_rates(trials: Sequence[Trial]) -> np.ndarray:
    """[trial, cell]: about how many effective draws a draw is worth, by how far means of parts are from the mean of all.

    A cell that nobody moved tells nothing and is left out. What it varies by is the same for all, whoever moved it.
    """
    means = np.array([trial.means for trial in trials])
    mean = means.mean(axis=(0, 1))
    variance = np.array([trial.squares for trial in trials]).mean(axis=(0, 1)) - mean**2
    moved = variance > 0
    apart = ((means - mean) ** 2).mean(axis=1)[:, moved] * np.array([[trial.piece] for trial in trials])
    return np.minimum(1.0, variance[moved] / np.maximum(apart, np.finfo(float).tiny))


def _alone(kernels: int, kernel: int) -> Turns:
    """Everything is left to one kernel."""
    return Turns(tuple((1 << 40) * (k == kernel) for k in range(kernels)), (1,) * kernels)


def _mostly(kernels: int) -> np.ndarray:
    """Shares of time in which all kernels but one, or two, have the least."""
    least = min(LEAST_SHARE, 0.5 / kernels)
    alone = np.eye(kernels)
    pairs = [(alone[i] + alone[j]) / 2.0 for i, j in combinations(range(kernels), 2)] if kernels > 2 else []
    return least + (1.0 - kernels * least) * np.array([*alone, *pairs])


def in_short(turns: Turns, most: int) -> Turns:
    """Turns in a round of about so many draws; a kernel that has less than one of them is left out, unless all have."""
    factor = max(1.0, min(sum(turns.draws) / max(1, most), max(turns.draws)))
    return Turns(tuple(int(times / factor) for times in turns.draws), turns.stretch)


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
