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
from ...base.random_streams import streams
from ...fiber.blocks.presolve import Presolved
from ...moves.chooser import Moves
from ...release.release import Release
from .chain import BATCHES, FIRST_LENGTH, Chain, Reference
from .chain_state import whole_number
from .checkpoint import save
from .memory import MOST_BYTES, NUMBER, refuse_what_does_not_fit
from .possible import possible_tables
from .standing import Standing
from .starts import dispersed_starts
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

Progress = Callable[[str], None]


@dataclass(eq=False)
class Run:
    """All units of a release, and how long their chains go on. It can be saved and goes on the same after that."""

    units: list[UnitRun]
    tolerance: float
    most_draws: int | None
    fingerprint: str = ""
    stopped: str = ""
    """Why it ended before the answers were good enough, if it did."""
    looks: int = field(default=0)
    possible: Callable[[Unit, np.ndarray], bool] | None = None
    """Can a chain of a unit be at this table? Asked of tables that a file tells of."""

    def state(self) -> dict[str, Any]:
        """What changed up to the last look."""
        return {"looks": self.looks, "units": [one.state() for one in self.units]}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from there."""
        self.looks = whole_number(state["looks"], 0)
        for one, saved in zip(self.units, state["units"], strict=True):
            one.restore(saved)
            for chain in one.chains:
                table = chain.place.table + one.unit.offset
                most = LONGEST_RUN if self.most_draws is None else self.most_draws
                longer = chain.length > FIRST_LENGTH and chain.length * BATCHES > 4 * most
                if longer or (self.possible is not None and not self.possible(one.unit, table)):
                    raise Damaged

    def go_on(
        self,
        executor: Executor | None = None,
        *,
        max_seconds: float | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: Progress | None = None,
        release: Release | None = None,
    ) -> None:
        """Run all chains until every unit is finished, time is up, or Ctrl-C is pressed.

        With the release, progress names cells by their labels.
        """
        began = time.monotonic()
        self.stopped = ""
        standing = Standing(self, began)

        def tell() -> None:
            if progress is not None:
                progress(standing.words(release))

        with ExitStack() as stack:
            if executor is None:
                n = len(self.units[0].chains) if self.units else 1
                executor = stack.enter_context(ThreadPoolExecutor(max_workers=min(n, os.cpu_count() or 1)))
            while not self.stopped and any(not one.finished for one in self.units):
                try:
                    self._to_next_look(executor, began, max_seconds, tell)
                except KeyboardInterrupt:
                    if any(one.diagnosis is None and one.chains[0].batch < 2 for one in self.units):
                        raise  # there is nothing to tell yet
                    self.stopped = INTERRUPTED
                with interrupts_held() as interrupted:
                    for one in self.units:
                        # what was looked at already must not count as a second look
                        if not one.finished and one.chains[0].batch > 1 and one.made != one.made_then:
                            one.look(self.tolerance, self.most_draws, last=bool(self.stopped))
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
        going = [one for one in self.units if not one.finished]
        left = [one.batches_to_look for one in going]
        here = isinstance(executor, ThreadPoolExecutor)
        while any(left):
            # Few at a time, so that it can be stopped; not one by one, as threads that are done wait for the others.
            each = AT_A_TIME / len(going)
            some = [min(n, max(1, int(each / _work(one)))) if here else n for one, n in zip(going, left, strict=True)]
            self._advance(executor, going, some)
            left = [n - k for n, k in zip(left, some, strict=True)]
            if any(left):
                tell()
            looked_at = all(one.chains[0].batch > 1 for one in going)  # with less there would be nothing to tell
            if max_seconds is not None and any(left) and looked_at and time.monotonic() - began > max_seconds:
                self.stopped = TIME_UP
                return
        if max_seconds is not None and time.monotonic() - began > max_seconds:
            self.stopped = TIME_UP

    @staticmethod
    def _advance(executor: Executor, going: list[UnitRun], batches: list[int]) -> None:
        units, references = [one.unit for one in going], [one.reference for one in going]
        n_chains = len(going[0].chains)
        tasks: list[Future[list[Chain]]] = []

        def submit_the_rest() -> None:
            while len(tasks) < n_chains:
                mine = [one.chains[len(tasks)] for one in going]
                tasks.append(executor.submit(advance_chains, units, mine, references, batches))

        try:
            submit_the_rest()
            moved = [task.result() for task in tasks]
        except KeyboardInterrupt:
            if isinstance(executor, ThreadPoolExecutor):
                submit_the_rest()  # all chains finish their batch, so that they have the same number of draws
                wait(tasks)
            raise
        for k, one in enumerate(going):
            one.chains = [chains[k] for chains in moved]


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
    return one.chains[0].length * max(kernel.work(len(one.unit.columns)) for kernel in one.unit.kernels)


def new_run(  # noqa: PLR0913  (the settings of `audit`, handed on)
    moves: Moves,
    questions: Any,
    *,
    seed: int | None,
    chains: int,
    tolerance: float,
    most_draws: int | None = None,
    fingerprint: str = "",
    joint: Sequence[Sequence[int]] = (),
    most_bytes: int = MOST_BYTES,
    kept_bytes: int = 0,
) -> Run:
    """Units with tuned kernels, and chains at their starts; `TooLarge` where these would take too much memory.

    `kept_bytes` are what will be kept of the draws of each chain.
    """
    units = []
    whole = units_of(moves, questions)
    _refuse_joint(joint, whole)
    counted = sum(_combinations(unit, group) for unit in whole for group in _groups(unit, joint))
    refuse_what_does_not_fit(whole, chains, most_bytes, NUMBER * int(counted) + kept_bytes)
    for number, (unit, child) in enumerate(zip(whole, np.random.SeedSequence(seed).spawn(len(whole)), strict=True)):
        states = streams(child, chains + 1)
        starts = possible_tables(unit, _starts(moves, unit, number, chains), states[-1])
        unit = tuned(unit, starts[0], states[-1])
        groups = _groups(unit, joint)
        ready = [Chain(unit, start, state, joint=groups) for start, state in zip(starts, states[:-1], strict=True)]
        units.append(UnitRun(unit, ready, groups))
    return Run(units, tolerance, most_draws, fingerprint, possible=partial(_is_in_fiber, moves.support.solved))


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
        inside = [answered[question] for question in group]
        if _combinations(unit, inside) > MOST_JOINT:
            raise InputError(f"the joint distribution of these cells has more than {MOST_JOINT:,} values.")
        groups.append(inside)
    return groups


def _combinations(unit: Unit, group: Sequence[int]) -> float:
    """How many combinations of values a group of a unit's questions has."""
    lower, upper = unit.question_bounds()
    return float(np.prod((upper - lower + 1)[list(group)].astype(float)))
