"""Chains run until their answers are good enough: looked at only at fixed numbers of draws, on any executor.

Each unit has its chains and stops by itself. A look comes when batches are full, so at 1,024, 2,048, 4,096, ... draws.
Chains that do not yet agree are still on their way from their starts: all that they noted is discarded, and the count
begins anew. The answer is good enough when it passes the rule at two looks in a row.
"""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..moves.chooser import Moves
from ..moves.random_words import streams
from ..release.errors import InputError
from .chain import BATCHES, Chain, Reference
from .diagnostics import Diagnosis, diagnose, good_enough
from .kernel import LEAST_WORK, WORK_PER_CELL
from .plan import units_of
from .possible import possible_tables
from .starts import dispersed_starts
from .tuning import tuned
from .unit import Unit
from .windows import Windows, add_to, cover, entropies, first_windows, log_densities, most_counters, plain_counts

APART = 1.1
"""Chains with a larger R-hat have not yet forgotten where they started."""
MOST_DRAWS = 1 << 20
AT_A_TIME = 2e8
"""Nanoseconds of work, by stored figures, that threads do before somebody may stop them."""

Progress = Callable[[str], None]


@dataclass(eq=False)
class UnitRun:
    """Where the chains of one unit stand."""

    unit: Unit
    chains: list[Chain]
    reference: Reference | None = None
    pooled: Windows | None = None
    diagnosis: Diagnosis | None = None
    good_looks: int = 0
    discarded: int = 0
    finished: bool = False

    @property
    def draws(self) -> int:
        """Draws of one chain that count."""
        return self.chains[0].batch * self.chains[0].length

    @property
    def batches_to_look(self) -> int:
        """Batches until the next look."""
        batch = self.chains[0].batch
        return BATCHES // 2 if batch == BATCHES else BATCHES - batch

    def look(self, tolerance: float, most_draws: int) -> None:
        """Judge the chains at the end of a batch; decide whether to go on."""
        chains, unit = self.chains, self.unit
        windows = chains[0].total
        values = windows.origin
        pooled = first_windows(values, values, values)
        for chain in chains:
            pooled = cover(pooled, chain.total, most_counters(unit.n_questions))
            add_to(pooled, chain.total)
        q = unit.n_questions
        bits, seen = np.zeros(q), np.zeros(q, dtype=np.int64)
        entropies(pooled, bits, seen)
        starts, counts = np.zeros(q, dtype=np.int64), np.zeros(int(pooled.size.sum()))
        plain_counts(pooled, starts, counts)
        lower, upper = unit.question_bounds()
        whole = self.reference is not None and chains[0].batch == BATCHES
        shape = (len(chains), BATCHES // 2, q)
        batch, length = chains[0].batch, chains[0].length
        even = batch - batch % 2  # halves are compared
        self.diagnosis = diagnose(
            np.stack([chain.sums[batch - even : batch] for chain in chains]),
            np.stack([chain.squares[batch - even : batch] for chain in chains]),
            length,
            np.stack([chain.surprise for chain in chains]) if whole else np.full(shape, np.nan),
            length,
            seen.astype(float),
            lower < upper,
            len(chains) * batch * length,
            (counts, starts),
        )
        self.pooled = pooled
        rhat = self.diagnosis.rhat[~self.diagnosis.exact]
        if batch < BATCHES:
            return
        logs = np.zeros(len(pooled.counters))
        log_densities(pooled, logs)
        self.reference = Reference(pooled, logs)
        total = self.discarded + self.draws
        if total >= most_draws:
            self.finished = True
        elif rhat.max(initial=0.0) > APART:
            self.discarded = total
            for chain in chains:
                chain.forget()
                chain.length *= 2
        else:
            self.good_looks = self.good_looks + 1 if good_enough(self.diagnosis, tolerance) else 0
            self.finished = self.good_looks == 2


@dataclass(eq=False)
class Run:
    """All units of a release, and how long their chains go on. It can be saved and goes on the same after that."""

    units: list[UnitRun]
    tolerance: float
    most_draws: int
    fingerprint: str = ""
    stopped: str = ""
    """Why it ended before the answers were good enough, if it did."""
    looks: int = field(default=0)

    def go_on(
        self,
        executor: Executor | None = None,
        *,
        max_seconds: float | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Run all chains until every unit is finished, time is up, or Ctrl-C is pressed."""
        began = time.monotonic()
        self.stopped = ""
        with ExitStack() as stack:
            if executor is None:
                n = len(self.units[0].chains) if self.units else 1
                executor = stack.enter_context(ThreadPoolExecutor(max_workers=min(n, os.cpu_count() or 1)))
            while not self.stopped and any(not one.finished for one in self.units):
                try:
                    self._to_next_look(executor, began, max_seconds)
                except KeyboardInterrupt:
                    self.stopped = "it was interrupted"
                for one in self.units:
                    if not one.finished and one.chains[0].batch > 1:
                        one.look(self.tolerance, self.most_draws)
                self.looks += 1
                if checkpoint is not None and not self.stopped:
                    self.save(checkpoint)
                if progress is not None:
                    progress(self.words())

    def _to_next_look(self, executor: Executor, began: float, max_seconds: float | None) -> None:
        """Advance every unfinished unit to its next look, all chains by the same number of batches at a time."""
        going = [one for one in self.units if not one.finished]
        left = [one.batches_to_look for one in going]
        here = isinstance(executor, ThreadPoolExecutor)
        while any(left):
            some = [1 if n and here and _work(one) > AT_A_TIME / 32 else n for one, n in zip(going, left, strict=True)]
            self._advance(executor, going, some)
            left = [n - k for n, k in zip(left, some, strict=True)]
            if max_seconds is not None and any(left) and time.monotonic() - began > max_seconds:
                self.stopped = f"the time of {max_seconds:g} seconds was up"
                return
        if max_seconds is not None and time.monotonic() - began > max_seconds:
            self.stopped = f"the time of {max_seconds:g} seconds was up"

    @staticmethod
    def _advance(executor: Executor, going: list[UnitRun], batches: list[int]) -> None:
        units, references = [one.unit for one in going], [one.reference for one in going]
        n_chains = len(going[0].chains)
        tasks: list[Future[list[Chain]]] = [
            executor.submit(advance_chains, units, [one.chains[c] for one in going], references, batches)
            for c in range(n_chains)
        ]
        try:
            moved = [task.result() for task in tasks]
        except KeyboardInterrupt:
            if isinstance(executor, ThreadPoolExecutor):
                wait(tasks)  # chains that are under way finish their batch: all have the same number of draws
            raise
        for k, one in enumerate(going):
            one.chains = [chains[k] for chains in moved]

    def words(self) -> str:
        """Where the run stands."""
        open_units = [one for one in self.units if not one.finished]
        if not open_units:
            return f"all {len(self.units)} blocks done"
        worst = min(open_units, key=lambda one: float(one.diagnosis.ess.min()) if one.diagnosis is not None else 0.0)
        found = f"; worst: {worst.diagnosis.worst()}" if worst.diagnosis is not None else ""
        return f"{len(open_units)} of {len(self.units)} blocks open, {worst.draws:,} draws a chain{found}"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the run to a file, whole or not at all."""
        target = Path(path)
        beside = target.with_name(target.name + ".part")
        with beside.open("wb") as file:
            pickle.dump(self, file, protocol=5)
        beside.replace(target)


def advance_chains(
    units: Sequence[Unit], chains: list[Chain], references: Sequence[Reference | None], batches: Sequence[int]
) -> list[Chain]:
    """One chain of each unit, some batches further: what an executor is given to do."""
    for unit, chain, reference, number in zip(units, chains, references, batches, strict=True):
        for _ in range(number):
            chain.advance_batch(unit, reference)
    return chains


def _work(one: UnitRun) -> float:
    """Nanoseconds of a batch, by stored figures."""
    return one.chains[0].length * max(LEAST_WORK, WORK_PER_CELL * len(one.unit.columns))


def load_run(path: str | os.PathLike[str], fingerprint: str) -> Run | None:
    """A run that was saved, None if there is no file; refused if it belongs to other work."""
    target = Path(path)
    if not target.exists():
        return None
    try:
        with target.open("rb") as file:
            run = pickle.load(file)
    except Exception as problem:
        raise InputError(f"{target} is no checkpoint of fiberwalk: {problem}") from None
    if not isinstance(run, Run) or run.fingerprint != fingerprint:
        raise InputError(
            f"the checkpoint {target} belongs to another release, law, seed or version; remove it, or choose another file."
        )
    return run


def new_run(
    moves: Moves,
    questions: Any,
    *,
    seed: int | None,
    chains: int,
    tolerance: float,
    most_draws: int = MOST_DRAWS,
    fingerprint: str = "",
    chain_options: Callable[[int, Unit], dict[str, Any]] | None = None,
) -> Run:
    """Units with tuned kernels, and chains at their starts."""
    units = []
    whole = units_of(moves, questions)
    for number, (unit, child) in enumerate(zip(whole, np.random.SeedSequence(seed).spawn(len(whole)), strict=True)):
        states = streams(child, chains + 1)
        starts = possible_tables(unit, _starts(moves, unit, number, chains), states[-1])
        unit = tuned(unit, starts[0], states[-1])
        options = chain_options(number, unit) if chain_options is not None else {}
        units.append(UnitRun(unit, [Chain(unit, s, r, **options) for s, r in zip(starts, states[:-1], strict=True)]))
    return Run(units, tolerance, most_draws, fingerprint)


def _starts(moves: Moves, unit: Unit, number: int, chains: int) -> np.ndarray:
    """A start for each chain, in the order of the unit's columns."""
    if unit.kernels[0].independent:
        return np.tile(unit.start, (chains, 1))  # it does not matter: no draw depends on the one before
    block = moves.support.solved.blocks[number]
    in_order = np.argsort(block.columns)
    place = in_order[np.searchsorted(block.columns[in_order], unit.columns)]
    return dispersed_starts(moves.support.solved, block, moves.sets[number], chains)[:, place]
