"""Chains run until their answers are good enough: looked at only at fixed numbers of draws, on any executor.

Each unit has its chains and stops by itself. A look comes when batches are full, so at 1,024, 2,048, 4,096, ... draws.
Chains that do not yet agree are still on their way from their starts: all that they noted is discarded, and the count
begins anew. The answer is good enough when it passes the rule at two looks in a row.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, field, fields, replace
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
from ..tallies.resolution import Reading, read, where_the_mass_is
from ..tallies.spread import ShareErrors, share_errors
from ..tallies.windows import Windows, add_to, cover, entropies, first_windows, log_densities, plain_counts
from .chain import BATCHES, FIRST_LENGTH, Chain, Reference
from .chain_state import checked, state_of, whole_number, windows_of, windows_state
from .chain_state import restore as restore_chain
from .checkpoint import save
from .diagnostics import LARGEST_RHAT, LEAST_DRAWS, Diagnosis, diagnose, effective_draws, good_enough
from .memory import MOST_BYTES, NUMBER, refuse_what_does_not_fit
from .peaks import TRIPS, TRIPS_EACH, round_trips
from .possible import possible_tables
from .standing import Standing
from .starts import dispersed_starts
from .tuning import tuned
from .unit import Unit
from .units import units_of

APART = 1.1
"""Chains with a larger R-hat have not yet forgotten where they started."""
COARSE, MOST_PLACED = 0.1, 8
"""What bins may cost, as a share of the tolerance, before windows are placed anew; and how often that is done."""
PATIENT, HOPELESS = 1 << 20, 16.0
"""Without a limit, chains that have made so many draws are given up where they would need so many times as many."""
LONGEST_RUN = 1 << 44
"""Draws that no chain ever comes to."""
USUAL_VARENTROPY = 1.0
"""Of -log2 p(x), in bits squared: that of a normal law, about."""
MOST_JOINT = 10_000_000
"""Combinations of values of a group of questions that are counted together."""
AT_A_TIME = 2e8
"""Nanoseconds of work, by stored figures, that threads do before somebody may stop them."""

COUNTED = ("good_looks", "discarded", "placed", "warm", "looked_at", "made_then", "finished")
TUNED_OTHERWISE = (
    "the checkpoint was begun on a machine where the same chains were tuned otherwise (another processor, perhaps): finish "
    "it there, or begin anew with another file."
)

Progress = Callable[[str], None]


@dataclass(eq=False)
class UnitRun:
    """Where the chains of one unit stand."""

    unit: Unit
    chains: list[Chain]
    joint: Sequence[Sequence[int]] = ()
    """Groups of the unit's questions that are counted together."""
    reference: Reference | None = None
    pooled: Windows | None = None
    diagnosis: Diagnosis | None = None
    share_errors: ShareErrors | None = None
    good_looks: int = 0
    discarded: int = 0
    warm: bool = False
    """Are the first draws gone, which tell more of where chains start than of where they dwell?"""
    looked_at: int = 0
    """Draws of one chain that the last look was at, and its joint shares where these were discarded after it."""
    joint_looked_at: tuple[np.ndarray, ...] = ()
    placed: int = 0
    """How often windows were placed anew because they were too coarse."""
    made_then: int = 0
    """All draws of one chain at the last look."""
    finished: bool = False

    @property
    def draws(self) -> int:
        """Draws of one chain that count."""
        return self.chains[0].batch * self.chains[0].length

    @property
    def made(self) -> int:
        """Draws of one chain in all."""
        return self.discarded + self.draws

    @property
    def batches_to_look(self) -> int:
        """Batches until the next look."""
        batch = self.chains[0].batch
        return BATCHES // 2 if batch == BATCHES else BATCHES - batch

    def joint_shares(self) -> tuple[np.ndarray, ...]:
        """How often each combination of values of a group came up, from the lower bounds on."""
        lower, upper = self.unit.question_bounds()
        counts = np.sum([chain.tally.joint_counts for chain in self.chains], axis=0)
        found = []
        for k, group in enumerate(self.joint):
            first = self.chains[0].tally.joint_first[k : k + 2]
            shape = [int(upper[q] - lower[q] + 1) for q in group]
            here = counts[first[0] : first[1]].reshape(shape)
            found.append(here / max(1, here.sum()))
        return tuple(found)

    def state(self) -> dict[str, Any]:
        """What changed up to the last look."""
        found, errors, reference = self.diagnosis, self.share_errors, self.reference
        return {
            "tuned": self.unit.digest(),
            **{name: getattr(self, name) for name in COUNTED},
            "chains": [state_of(self.unit, chain) for chain in self.chains],
            "reference": None if reference is None else (windows_state(reference.windows), reference.logs),
            "pooled": windows_state(self.pooled),
            "diagnosis": None if found is None else tuple(getattr(found, one.name) for one in fields(found)),
            "share_errors": None if errors is None else (windows_state(errors.windows), errors.variance),
            "joint_looked_at": self.joint_looked_at,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from there."""
        if state["tuned"] != self.unit.digest():
            raise InputError(TUNED_OTHERWISE)
        q = self.unit.n_questions

        def windows(arrays: Any) -> Windows | None:
            return None if arrays is None else windows_of(arrays, q)

        for name in COUNTED:
            given = state[name]
            setattr(self, name, bool(given) if name in ("warm", "finished") else whole_number(given, 0))
        for chain, saved in zip(self.chains, state["chains"], strict=True):
            restore_chain(self.unit, chain, saved)
            if (chain.batch, chain.length) != (self.chains[0].batch, self.chains[0].length):
                raise Damaged
        self.pooled = windows(state["pooled"])
        shapes = [one.shape for one in self.joint_shares()] if state["joint_looked_at"] else []
        self.joint_looked_at = tuple(map(checked, state["joint_looked_at"], shapes))
        self.reference = self.diagnosis = self.share_errors = None
        if state["reference"] is not None:
            arrays, logs = state["reference"]
            self.reference = Reference(windows_of(arrays, q), checked(logs, arrays[4].shape))
        if state["diagnosis"] is not None:
            kinds = [bool if one.name in ("exact", "never_moved") else float for one in fields(Diagnosis)]
            told = zip(state["diagnosis"], kinds, strict=True)
            self.diagnosis = Diagnosis(*(checked(one, (q,), kind) for one, kind in told))
        if state["share_errors"] is not None:
            arrays, variance = state["share_errors"]
            self.share_errors = ShareErrors(windows_of(arrays, q), checked(variance, variance.shape[:1]))

    def reopen(self, most_draws: int | None, tolerance: float) -> bool:
        """Go on to another look, although this one was good enough; False where there are no draws left for it."""
        self.finished = self._at_the_end(most_draws, tolerance)
        return not self.finished

    def _at_the_end(self, most_draws: int | None, tolerance: float) -> bool:
        """Is the limit reached; or, without one, are chains not on their way to a good enough answer?"""
        if most_draws is not None:
            return self.made >= most_draws
        return self.made >= PATIENT and self.times_needed(tolerance) > HOPELESS

    def times_needed(self, tolerance: float) -> float:
        """How many times as many draws the stop rule wants, if errors go on shrinking as they should."""
        if self.diagnosis is None or not self.draws:
            return 1.0
        of, found = ~self.diagnosis.exact, self.diagnosis
        if not of.any():
            return 1.0
        ess, rhat = float(found.ess[of].min()), float(found.rhat[of].max())
        error = float(found.entropy_error[of].max())
        if self.reference is None:  # a first look: an error is not known yet, but from the effective draws
            error = float(np.sqrt(USUAL_VARENTROPY / max(ess, 1.0)))
        further = (rhat**2 - 1.0) / (LARGEST_RHAT**2 - 1.0) if np.isfinite(rhat) else np.inf
        return max((3.0 * error / tolerance) ** 2, LEAST_DRAWS / max(ess, 1.0), further, self.trips_needed, 1.0)

    @property
    def trips_needed(self) -> float:
        """How many times as many trips between separate peaks the stop rule wants; at most 1 where there are enough."""
        trips = round_trips(self.unit, self.chains)
        if trips is None:
            return 0.0
        return max(TRIPS / max(float(trips.sum()), 0.5), TRIPS_EACH / max(float(trips.min()), 0.5))

    def look(self, tolerance: float, most_draws: int | None, last: bool = False) -> None:
        """Judge the chains at the end of a batch; decide whether to go on, and unless it is the last look, from where."""
        chains, unit = self.chains, self.unit
        values = chains[0].tally.windows.origin
        pooled = first_windows(values, values, values)
        for chain in chains:
            pooled = cover(pooled, chain.tally.windows, chain.most)
            add_to(pooled, chain.tally.windows)
        q = unit.n_questions
        batch, length = chains[0].batch, chains[0].length
        even = batch - batch % 2  # halves are compared
        sums = np.stack([chain.sums[batch - even : batch] for chain in chains])
        squares = np.stack([chain.squares[batch - even : batch] for chain in chains])
        counted = pooled
        pooled, excess, doubt = self._read(counted, sums, squares)
        bits, seen = np.zeros(q), np.zeros(q, dtype=np.int64)
        entropies(pooled, bits, seen)
        starts, counts = np.zeros(q, dtype=np.int64), np.zeros(int(pooled.size.sum()))
        plain_counts(pooled, starts, counts)
        lower, upper = unit.question_bounds()
        whole = self.reference is not None and chains[0].batch == BATCHES
        shape = (len(chains), BATCHES // 2, q)
        before = self.diagnosis
        self.diagnosis = diagnose(
            sums,
            squares,
            length,
            np.stack([chain.surprise for chain in chains]) if whole else np.full(shape, np.nan),
            length,
            seen.astype(float),
            lower < upper,
            len(chains) * batch * length,
            (counts, starts),
            np.stack([chain.means for chain in chains]) if whole else None,
        )
        if whole and self.reference is not None:
            part = BATCHES // 2 / batch
            spreads = [chain.spread for chain in chains]
            self.share_errors = share_errors(self.reference.windows, spreads, part, self.diagnosis.growth)
        if not whole and before is not None and self.draws >= self.looked_at:
            # Stopped between two looks: surprises are not complete, and more draws have made no error larger.
            self.diagnosis = replace(
                self.diagnosis, entropy_error=before.entropy_error, mean_error=before.mean_error, growth=before.growth
            )
        error = np.hypot(self.diagnosis.entropy_error, np.where(self.diagnosis.exact, 0.0, doubt))
        error[unit.aside] = 0.0
        self.diagnosis = replace(self.diagnosis, entropy_error=error, excess=excess)
        self.pooled, self.looked_at, self.made_then = pooled, self.draws, self.made
        rhat = self.diagnosis.rhat[~self.diagnosis.exact]
        if batch < BATCHES:
            return
        logs = np.zeros(len(pooled.counters))
        log_densities(pooled, logs)
        self.reference = Reference(pooled, logs)
        total = self.made
        apart = rhat.max(initial=0.0) > APART
        good = not apart and good_enough(self.diagnosis, tolerance) and self.trips_needed <= 1.0
        self.good_looks = self.good_looks + 1 if good else 0
        windows, centre = self._placed_anew(counted, sums, squares)
        finer = windows.shift < counted.shift
        coarse = bool((finer & (doubt > tolerance * COARSE)).any()) and self.placed < MOST_PLACED
        if self.good_looks >= 2 or self._at_the_end(most_draws, tolerance):
            self.finished = True
        elif (apart or coarse or not self.warm) and not last:
            self.discarded, self.joint_looked_at, self.warm = total, self.joint_shares(), True
            self.placed += coarse
            for chain in chains:
                chain.forget(windows, centre)
                chain.length *= 2 if apart else 1

    def _read(self, counted: Windows, sums: np.ndarray, squares: np.ndarray) -> Reading:
        """What was counted in bins as wide as they may be; exact values stay as they are."""
        stride = np.gcd.reduce([chain.stride for chain in self.chains], axis=0)
        effective = np.zeros(len(stride))
        if counted.shift.any():
            effective = effective_draws(sums, squares, self.chains[0].length)
        _, deviation = self._moments(sums, squares)
        unit = self.unit
        upper = unit.question_bounds()[1]
        return read(counted, unit.weights, upper, effective, deviation, stride, unit.first_values())

    def _placed_anew(self, counted: Windows, sums: np.ndarray, squares: np.ndarray) -> tuple[Windows, np.ndarray]:
        """Empty windows where the newer half of the draws was, and the middle of these."""
        late = slice(sums.shape[1] // 2, None)
        mean, deviation = self._moments(sums[:, late], squares[:, late])
        bounds = self.unit.question_bounds()
        return where_the_mass_is(counted, mean, deviation, *bounds, self.chains[0].most), np.rint(mean)

    def _moments(self, sums: np.ndarray, squares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The mean and the standard deviation of all questions in some batches."""
        draws = sums.shape[0] * sums.shape[1] * self.chains[0].length
        mean = sums.sum(axis=(0, 1)) / draws
        variance = np.maximum(squares.sum(axis=(0, 1)) / draws - mean**2, 0.0)
        return self.chains[0].tally.centre + mean, np.sqrt(variance)


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


def new_run(
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
