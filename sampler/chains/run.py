"""Chains run until their answers are good enough: looked at only at fixed numbers of draws, on any executor.

Each unit has its chains and stops by itself, as its `UnitRun` says.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...base.interruption import INTERRUPTED, TIME_UP, interrupts_held
from ...base.plain_file import Damaged
from ...base.progress import Progress
from ...base.random_streams import streams
from ...fiber.blocks.presolve import Presolved
from ...fiber.solvers.side_by_side import side_by_side
from ...moves.chooser import Moves
from ...release.release import Release
from .chain import Chain, Reference
from .chain_state import whole_number
from .checkpoint import save
from .memory import NUMBER, refuse_what_does_not_fit
from .settings import BATCHES, FIRST_LENGTH, ChainSettings
from .standing import Standing
from .starts import dispersed_starts, possible_tables
from .tuning import tuned
from .unit import Unit
from .unit_run import UnitRun
from .units import units_of

LONGEST_RUN = 1 << 44
"""Draws that no chain ever comes to."""
MOST_JOINT = 10_000_000
"""Combinations of values of a group of questions that are counted together."""
AT_A_TIME = 2e8
"""Nanoseconds of work, by stored figures, that threads do before somebody may stop them."""


@dataclass(eq=False)
class Run:
    """All units of a release, and how long their chains go on. It can be saved and goes on the same after that."""

    units: list[UnitRun]
    settings: ChainSettings
    fingerprint: str = ""
    stopped: str = ""
    """Why it ended before the answers were good enough; empty if it did not."""
    looks: int = field(default=0)
    possible: Callable[[Unit, np.ndarray], bool] | None = None
    """Can a chain of a unit be at this table? Asked of the tables in a checkpoint."""

    def state(self) -> dict[str, Any]:
        """What changed up to the last look."""
        return {"looks": self.looks, "units": [unit_run.state() for unit_run in self.units]}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from there."""
        self.looks = whole_number(state["looks"], 0)
        for unit_run, saved in zip(self.units, state["units"], strict=True):
            unit_run.restore(saved)
            for chain in unit_run.chains:
                table = chain.place.table + unit_run.unit.offset
                most = LONGEST_RUN if self.settings.max_draws is None else self.settings.max_draws
                longer = chain.length > FIRST_LENGTH and chain.length * BATCHES > 4 * most
                if longer or (self.possible is not None and not self.possible(unit_run.unit, table)):
                    raise Damaged

    def go_on(
        self,
        *,
        max_seconds: float | None = None,
        progress: Progress | None = None,
        release: Release | None = None,
    ) -> None:
        """Run all chains until every unit is finished, time is up, or Ctrl-C is pressed.

        With the release, progress names cells by their labels.
        """
        began = time.monotonic()
        executor, checkpoint = self.settings.executor, self.settings.checkpoint
        self.stopped = ""
        standing = Standing(self, began)

        def tell() -> None:
            if progress is not None:
                progress(standing.words(release))

        with ExitStack() as stack:
            if executor is None:
                n = len(self.units[0].chains) if self.units else 1
                executor = stack.enter_context(ThreadPoolExecutor(max_workers=min(n, os.cpu_count() or 1)))
            while not self.stopped and any(not unit_run.finished for unit_run in self.units):
                try:
                    self._to_next_look(executor, began, max_seconds, tell)
                except KeyboardInterrupt:
                    if any(unit_run.diagnosis is None and unit_run.chains[0].batch < 2 for unit_run in self.units):
                        raise  # there is nothing to tell yet
                    self.stopped = INTERRUPTED
                with interrupts_held() as interrupted:
                    look = partial(UnitRun.look, settings=self.settings, last=bool(self.stopped))
                    side_by_side(look, [unit_run for unit_run in self.units if unit_run.due])
                    self.looks += 1
                    if checkpoint is not None and not self.stopped:
                        save(self, self.fingerprint, checkpoint)
                    tell()
                if interrupted():
                    self.stopped = INTERRUPTED

    def _to_next_look(
        self, executor: Executor, began: float, max_seconds: float | None, tell: Callable[[], None]
    ) -> None:
        """Advance every unfinished unit to its next look, all chains by the same number of batches at a time."""
        going = [unit_run for unit_run in self.units if not unit_run.finished]
        left = [unit_run.to_look for unit_run in going]
        in_threads = isinstance(executor, ThreadPoolExecutor)
        while any(left):
            # Few at a time, so that it can be stopped; not one by one, as threads that are done wait for the others.
            budget = AT_A_TIME / len(going)
            portions = [
                min(n, max(1, int(budget / _work(unit_run)))) if in_threads else n
                for unit_run, n in zip(going, left, strict=True)
            ]
            self._advance(executor, going, portions)
            left = [n - k for n, k in zip(left, portions, strict=True)]
            if any(left):
                tell()
            # with less there would be nothing to tell
            looked_at = all(unit_run.chains[0].batch > 1 for unit_run in going)
            if max_seconds is not None and any(left) and looked_at and time.monotonic() - began > max_seconds:
                self.stopped = TIME_UP
                return
        if max_seconds is not None and time.monotonic() - began > max_seconds:
            self.stopped = TIME_UP

    @staticmethod
    def _advance(executor: Executor, going: list[UnitRun], batches: list[int]) -> None:
        units, references = [unit_run.unit for unit_run in going], [unit_run.reference for unit_run in going]
        n_chains = len(going[0].chains)
        tasks: list[Future[list[Chain]]] = []

        def submit_the_rest() -> None:
            while len(tasks) < n_chains:
                mine = [unit_run.chains[len(tasks)] for unit_run in going]
                tasks.append(executor.submit(advance_chains, units, mine, references, batches))

        try:
            submit_the_rest()
            moved = [task.result() for task in tasks]
        except KeyboardInterrupt:
            if isinstance(executor, ThreadPoolExecutor):
                submit_the_rest()  # all chains finish their batch, so that they have the same number of draws
                wait(tasks)
            raise
        for k, unit_run in enumerate(going):
            unit_run.chains = [chains[k] for chains in moved]


def advance_chains(
    units: Sequence[Unit], chains: list[Chain], references: Sequence[Reference | None], batches: Sequence[int]
) -> list[Chain]:
    """One chain of each unit, some batches further: what an executor is given to do."""
    for unit, chain, reference, number in zip(units, chains, references, batches, strict=True):
        for _ in range(number):
            chain.advance_batch(unit, reference)
    return chains


def _work(unit_run: UnitRun) -> float:
    """Nanoseconds of a batch, by stored figures."""
    return unit_run.chains[0].length * max(kernel.work(len(unit_run.unit.columns)) for kernel in unit_run.unit.kernels)


def new_run(
    moves: Moves,
    questions: Any,
    settings: ChainSettings,
    *,
    fingerprint: str = "",
    joint: Sequence[Sequence[int]] = (),
    kept_bytes: int = 0,
) -> Run:
    """Units with tuned kernels, and chains at their starts; `TooLarge` where these would take too much memory.

    `kept_bytes` are what will be kept of the draws of each chain.
    """
    units = units_of(moves, questions)
    _refuse_joint(joint, units)
    counted = sum(_combinations(unit, group) for unit in units for group in _groups(unit, joint))
    refuse_what_does_not_fit(units, settings, NUMBER * int(counted) + kept_bytes)
    seeds = np.random.SeedSequence(settings.seed).spawn(len(units))

    def ready(number: int) -> UnitRun:
        unit, states = units[number], streams(seeds[number], settings.chains + 1)
        starts = possible_tables(unit, _starts(moves, unit, number, settings.chains), states[-1])
        unit = tuned(unit, starts, states[-1])
        groups = _groups(unit, joint)
        chains = [Chain(unit, start, state, joint=groups) for start, state in zip(starts, states[:-1], strict=True)]
        return UnitRun(unit, chains, groups)

    unit_runs = side_by_side(ready, range(len(units)))
    return Run(unit_runs, settings, fingerprint, possible=partial(_is_in_fiber, moves.support.solved))


def _is_in_fiber(solved: Presolved, unit: Unit, table: np.ndarray) -> bool:
    """Does a table of a unit agree with what was published, whatever stands in the other units?"""
    whole = solved.start.copy()
    whole[unit.columns] = table
    return bool(np.array_equal(solved.fiber.A @ whole, solved.fiber.b))


def _starts(moves: Moves, unit: Unit, number: int, chains: int) -> np.ndarray:
    """A start for each chain, in the order of the unit's columns."""
    if unit.kernels[0].independent:
        return np.tile(unit.start, (chains, 1))  # it does not matter: no draw depends on the one before
    block = moves.support.solved.blocks[number]
    in_order = np.argsort(block.columns)
    place = in_order[np.searchsorted(block.columns[in_order], unit.columns)]
    return dispersed_starts(moves.support.solved, block, moves.sets[number], chains)[:, place]


def _refuse_joint(joint: Sequence[Sequence[int]], units: Sequence[Unit]) -> None:
    """Refuse joint counts of questions that are not all of one block."""
    where: dict[int, set[int]] = {}
    for number, unit in enumerate(units):
        for question in unit.asked.tolist():
            where.setdefault(question, set()).add(number)
    for group in joint:
        blocks = [where.get(question, set()) for question in group]
        if not all(blocks):
            raise InputError("a joint distribution is asked of a cell that the published figures decide; leave it out.")
        if len(set.union(*blocks)) > 1:
            raise InputError("joint counts are for cells of one block; cells of different blocks are independent.")


def _groups(unit: Unit, joint: Sequence[Sequence[int]]) -> list[list[int]]:
    """The groups of questions that concern a unit, as questions of the unit."""
    answered = dict(zip(unit.asked.tolist(), unit.answered.tolist(), strict=True))
    groups = []
    for group in joint:
        if group[0] not in answered:
            continue
        in_unit = [answered[question] for question in group]
        if _combinations(unit, in_unit) > MOST_JOINT:
            raise InputError(f"the joint distribution of these cells has more than {MOST_JOINT:,} values.")
        groups.append(in_unit)
    return groups


def _combinations(unit: Unit, group: Sequence[int]) -> float:
    """How many combinations of values a group of a unit's questions has."""
    lower, upper = unit.question_bounds()
    return float(np.prod((upper - lower + 1)[list(group)].astype(float)))
