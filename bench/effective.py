"""Effective draws a second: of a chain of ours as an audit would run it, and of a chain of single steps on the same block.

Chains start in stationarity, from tables that ours has come to; of each, tables are kept so far apart that a draw is worth
a fair part of an independent one but not all of it, so that nothing is hidden by the spacing. Effective draws are ArviZ'
bulk figure of four chains: of every watched cell, and of the chi-square distance to the mean table. They are divided by the
processor time of one thread, the best of several rounds in which both chains take turns. What ours credits to p(x|y) on the
way is left out on both sides.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from figures import best_of
from peers.plus_minus_one import SingleSteps, chain_for

import fiberwalk as fw
from fiberwalk.base.random_streams import streams
from fiberwalk.fiber.laws.support import support
from fiberwalk.moves.chooser import Moves, choose
from fiberwalk.sampler.chains.chain import Chain
from fiberwalk.sampler.chains.run import new_run
from fiberwalk.sampler.chains.settings import ChainSettings
from fiberwalk.sampler.chains.unit import Unit
from fiberwalk.sampler.kernels.kernel import Kernel
from fiberwalk.sampler.lines.weights import FACTORIAL

CHAINS = 4
SINGLE = "+-1 chain"
WATCHED = 200
"""Cells that are watched in larger blocks."""
FAIR = 0.1
"""The part of an independent draw that a kept table of the slowest cell should be worth at least; at most thrice it."""
PARTS = 16
"""Of a draw: chains with several kernels are looked at several times between draws, where a draw is worth too much."""
PILOT = 120
"""Tables of a chain from which the spacing is found."""


@dataclass(frozen=True, eq=False)
class Walker:
    """A chain: `keep(chain, tables, apart)` gives every cell of tables so far apart.

    `walk(tables, apart)` only walks, as far as from one such table to the next so many times, or nearly; it gives how many
    times it was.
    """

    name: str
    words: str
    keep: Callable[[int, int, int], np.ndarray]
    walk: Callable[[int, int], float]
    first_apart: int
    counted: str = "steps"
    """What lies between tables: steps, draws, or parts of draws."""


@dataclass(frozen=True, eq=False)
class Rates:
    """Effective draws a second, and what they were counted from."""

    cells: np.ndarray
    chi_square: float
    seconds_per_table: float
    """From one kept table to the next."""
    seen: float
    """Effective draws of the slowest cell that were seen."""

    @property
    def slowest(self) -> float:
        """Of the slowest cell."""
        return float(self.cells.min())

    @property
    def median(self) -> float:
        """Of the median cell."""
        return float(np.median(self.cells))

    @property
    def first(self) -> float:
        """Of the first cell."""
        return float(self.cells[0])


class Spaced(Kernel):
    """A kernel with so many steps to a draw as one likes."""

    def __init__(self, inner: Kernel, apart: int) -> None:
        self.inner, self.apart = inner, apart
        self.words, self.cost, self.credits_lines = inner.words, inner.cost, inner.credits_lines

    def steps(self, n_columns: int) -> int:
        """As it was told."""
        return self.apart

    def longest(self) -> int:
        """The inner kernel's."""
        return self.inner.longest()

    def room(self) -> Any:
        """The inner kernel's."""
        return self.inner.room()

    def walk(self, place: Any, tally: Any, room: Any, draws: int, steps: int) -> int:
        """The inner kernel's."""
        return self.inner.walk(place, tally, room, draws, steps)


@dataclass(frozen=True, eq=False)
class Course:
    """The largest block of a release under a law, with both chains ready to start."""

    unit: Unit
    ours: Walker
    peer: Walker

    @property
    def n_cells(self) -> int:
        """Cells of the block."""
        return len(self.unit.columns)


@dataclass(frozen=True, eq=False)
class Ready:
    """The largest block of a release under a law, and tables that its chains have come to."""

    moves: Moves
    which: int
    unit: Unit
    starts: list[np.ndarray]


def ready(release: fw.Release, law: Any, seed: int = 1) -> Ready:
    """Chains that have forgotten where they started."""
    moves = choose(support(release, law))
    none = sp.csr_array((0, moves.support.solved.fiber.n_columns), dtype=np.int64)
    run = new_run(moves, none, ChainSettings(seed, CHAINS))
    which = int(np.argmax([len(one.unit.columns) for one in run.units]))
    unit, chains = run.units[which].unit, run.units[which].chains
    for chain in chains:
        chain.counts = False
        chain.advance(unit, 2000 if len(unit.columns) < 2000 else 400)
    return Ready(moves, which, unit, [chain.place.table + unit.offset for chain in chains])


def alone(release: fw.Release, law: Any, seed: int = 1) -> Walker:
    """Our chain by itself, where the other's moves would take minutes to write down."""
    here = ready(release, law, seed)
    return walker(here.unit, here.starts)


def course(release: fw.Release, law: Any, seed: int = 1) -> Course:
    """Both chains on the largest block of a release."""
    here = ready(release, law, seed)
    moves, unit, starts = here.moves, here.unit, here.starts
    block = moves.support.solved.blocks[here.which]
    single = chain_for(moves.sets[here.which], block, unit.weights.kind == FACTORIAL)
    place = np.argsort(unit.columns)[np.searchsorted(np.sort(unit.columns), block.columns[single.order])]
    return Course(unit, walker(unit, starts, seed + 4), _single_steps(single, starts, place, seed + 5))


def walker(unit: Unit, starts: list[np.ndarray], seed: int = 5) -> Walker:
    """Our chain with its kernels and shares.

    Tables may be closer than its draws: steps apart where it has one kernel, else parts of draws, in which all kernels
    make fewer steps.
    """
    n = len(unit.columns)
    steps = [kernel.steps(n) for kernel in unit.kernels]
    if unit.kernels[0].independent:
        whole, counted = 1, "draws"
    elif len(steps) == 1:
        whole, counted = steps[0], "steps"
    else:
        whole = 1 << min(PARTS, min(steps)).bit_length() - 1  # each kernel has a step in each part
        counted = f"parts of draws, {whole} to one," if whole > 1 else "draws"
    states = streams(seed, CHAINS + 1)
    every = np.arange(n)
    chains: dict[tuple[int, int], tuple[Unit, Chain]] = {}

    def chain(number: int, apart: int) -> tuple[Unit, Chain, int]:
        """The chain whose draws are so far apart, or as far as they may be; and how many of them that takes."""
        closer = counted == "steps" or apart < whole
        key = (number, apart if closer else 0)
        if key not in chains:
            kernels = unit.kernels
            if closer:
                parts = [max(1, round(one * apart / whole)) for one in steps]
                kernels = tuple(Spaced(one, part) for one, part in zip(kernels, parts, strict=True))
            here = replace(unit, kernels=kernels)
            one = Chain(here, starts[number % CHAINS], states[number].copy())
            one.counts = False
            chains[key] = here, one
        return *chains[key], 1 if closer else apart // whole

    def keep(number: int, tables: int, apart: int) -> np.ndarray:
        here, one, thin = chain(number, apart)
        return one.keep(here, every, tables, thin)

    def walk(tables: int, apart: int) -> float:
        # In whole draws, as an audit makes them: what is noted at the end of a draw is not noted of its parts.
        here, one, _ = chain(CHAINS, whole)
        draws = max(1, round(tables * apart / whole))
        one.advance(here, draws)
        return draws * whole / apart

    return Walker("fiberwalk", unit.words, keep, walk, whole, counted)


def _single_steps(single: SingleSteps, starts: list[np.ndarray], place: np.ndarray, seed: int) -> Walker:
    """The chain of single steps, from the same tables; `place` is where our chain has its cells."""
    states = streams(seed, CHAINS + 1)
    back = np.argsort(place)
    tables = [start[place].astype(np.int64) for start in [*starts, starts[0]]]

    def keep(number: int, n: int, apart: int) -> np.ndarray:
        kept = np.empty((n, len(back)), dtype=np.int64)
        for k in range(n):
            single.steps(tables[number], states[number], apart)
            kept[k] = tables[number]
        return kept[:, back]

    def walk(n: int, apart: int) -> float:
        single.steps(tables[CHAINS], states[CHAINS], n * apart)
        return float(n)

    return Walker(SINGLE, single.words, keep, walk, len(back))


def bulk(draws: np.ndarray) -> np.ndarray:
    """ArviZ' bulk effective draws, [chain, draw, quantity]; nan where a quantity never changes."""
    import arviz as az

    found = np.full(draws.shape[2], np.nan)
    moved = np.flatnonzero(np.ptp(draws, axis=(0, 1)) > 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for q in moved:
            found[q] = float(az.ess(draws[:, :, q].astype(float), method="bulk"))
    return found


def rates(
    some: Course, tables: int = 1000, most_seconds: float = 20.0, rounds: int = 7
) -> tuple[Rates, Rates, dict[str, int]]:
    """Effective draws a second of ours and of the chain of single steps; and how far apart the tables kept were.

    `tables` of each chain are kept; `most_seconds` is what the walk of one kind may take by itself.
    """
    n = some.n_cells
    watched = np.unique(np.linspace(0, n - 1, min(n, WATCHED)).astype(np.int64))
    pilot = [some.ours.keep(k, PILOT, some.ours.first_apart).mean(axis=0) for k in range(CHAINS)]
    mean = np.maximum(np.mean(pilot, axis=0), 0.1)
    made = CHAINS * tables
    apart, found = {}, {}
    for one in (some.ours, some.peer):
        apart[one.name], closer = spacing(one, watched, tables, most_seconds), False
        while True:
            cells, distance = [], []
            for k in range(CHAINS):
                kept = one.keep(k, tables, apart[one.name])
                cells.append(kept[:, watched])
                distance.append(((kept - mean) ** 2 / mean).sum(axis=1))
            ess = bulk(np.stack(cells))
            found[one.name] = ess, bulk(np.stack(distance)[:, :, None])[0]
            # The pilot is short: a cell that seldom changes may not have shown in it, and it makes most look slower.
            share = np.nanmin(ess) / made
            if share < FAIR / 3 and 4 * made * seconds_apart(one, apart[one.name]) <= most_seconds and not closer:
                apart[one.name] *= 4
            elif share > 3 * FAIR and apart[one.name] > 1:
                apart[one.name], closer = apart[one.name] // 2, True
            else:
                break
    jobs, times = {}, {}
    for one in (some.ours, some.peer):
        walked = max(1, round(0.03 / seconds_apart(one, apart[one.name])))
        times[one.name] = one.walk(walked, apart[one.name])
        jobs[one.name] = lambda one=one, walked=walked: one.walk(walked, apart[one.name])
    best = best_of(jobs, rounds, time.thread_time)
    moved = np.any([~np.isnan(ess) for ess, _ in found.values()], axis=0)
    each = []
    for one in (some.ours, some.peer):
        seconds, (cells, chi) = best[one.name] / times[one.name], found[one.name]
        # A cell that never changed is left out where neither chain changed it; else it had no effective draw.
        cells = np.nan_to_num(cells[moved])
        each.append(Rates(cells / made / seconds, chi / made / seconds, seconds, float(cells.min())))
    return each[0], each[1], apart


def seconds_apart(one: Walker, apart: int) -> float:
    """About how long a chain takes from one table to the next, once it is set up for tables so far apart."""
    tables = 1
    one.walk(tables, apart)
    while True:
        begin = time.thread_time()
        walked = one.walk(tables, apart)
        spent = time.thread_time() - begin
        if spent > 0.002:
            return spent / walked
        tables *= 4


def spacing(
    one: Walker, watched: np.ndarray, tables: int, most_seconds: float, of: Callable[[np.ndarray], Any] = np.nanmin
) -> int:
    """How far apart tables are kept: until the slowest cell's are worth a fair part of a draw, or time is up.

    With `of=np.nanmedian` it is the median cell that counts: spaced for the slowest, its tables may be nearly independent,
    and how quickly they become so is hidden.
    """
    apart = one.first_apart
    while True:
        share = of(bulk(np.stack([one.keep(k, PILOT, apart)[:, watched] for k in range(CHAINS)]))) / (CHAINS * PILOT)
        seconds = seconds_apart(one, apart)
        if share > 3 * FAIR and apart > 1:
            apart //= 2
            if apart == 1:
                return apart
            continue
        if share >= FAIR or 2 * seconds * CHAINS * tables > most_seconds:
            return apart
        apart *= 2
