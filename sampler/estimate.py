"""estimate: p(x|y) of every question about a release by chains, with its error."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..base.certificate import WORDS, Certificate
from ..base.jit import own_sources
from ..moves.chooser import Moves
from ..moves.families.listed import Listed
from ..release.release import Release
from .chains.checkpoint import load, take_up
from .chains.diagnostics import Diagnosis, corrected_entropy
from .chains.memory import MOST_BYTES
from .chains.names import QuestionNames
from .chains.run import Run, new_run
from .chains.unit import Unit
from .chains.unit_run import UnitRun
from .tallies.spread import ShareErrors
from .tallies.windows import Windows, entropies, shares

SELDOM = 100.0
"""Effective visits of a value below which the error of its share is at least that of independent draws."""


@dataclass(frozen=True, eq=False)
class Marginal:
    """How probable values are: `p[k]` is the share of the `width` values from first + k * width on."""

    first: int
    width: int
    p: np.ndarray
    rhat: float
    ess: float
    entropy: float
    """In bits, corrected for its bias."""
    entropy_error: float
    mean_error: float
    p_error: np.ndarray
    """The standard error of each p."""
    converged: bool
    certificate: Certificate


@dataclass(frozen=True, eq=False)
class UnitEstimate:
    """What the chains on one unit found."""

    unit: Unit
    counted: Windows
    diagnosis: Diagnosis
    entropy: np.ndarray
    draws: int
    """Of all chains together that were counted."""
    converged: bool
    share_errors: ShareErrors | None
    joint: tuple[np.ndarray, ...]
    """Joint shares of the groups of questions that were asked for, one axis for each question, from its lower bound on."""

    def marginal(self, question: int) -> Marginal:
        """The distribution of one of the unit's questions."""
        counted, found = self.counted, self.diagnosis
        p, ess = shares(counted, question), float(found.ess[question])
        effective = min(max(ess, 1.0), float(self.draws))
        plain = np.minimum(p * (1 - p), 0.25) / effective
        variance = plain
        if self.share_errors is not None:
            variance = self.share_errors.of(counted, question, plain)
            # batches in which a value hardly ever came up say little of how its share varies
            variance = np.where(p * effective < SELDOM, np.maximum(variance, plain), variance)
        return Marginal(
            first=int(counted.origin[question] + self.unit.question_offset()[question]),
            width=1 << int(counted.shift[question]),
            p=p,
            rhat=float(found.rhat[question]),
            ess=ess,
            entropy=float(self.entropy[question]),
            entropy_error=float(found.entropy_error[question]),
            # A value that was seldom or never seen may be somewhat more probable than it looked.
            mean_error=float(np.hypot(found.mean_error[question], (1 << int(counted.shift[question])) / effective)),
            p_error=np.sqrt(variance + effective**-2.0),
            converged=self.converged,
            certificate=self.unit.certificate,
        )


@dataclass(frozen=True, eq=False)
class Estimate:
    """p(x|y) of every question: `fixed` plus independent parts, one for each unit that it concerns."""

    fixed: np.ndarray
    parts: tuple[tuple[tuple[int, int], ...], ...]
    """For each question its parts: the unit, and the question of that unit."""
    units: tuple[UnitEstimate, ...]
    certificate: Certificate
    stopped: str
    """Why the chains were stopped before they were done; empty if they were not."""

    @property
    def converged(self) -> bool:
        """Did every unit pass the stop rule?"""
        return all(one.converged for one in self.units)

    def marginals(self, question: int) -> tuple[Marginal, ...]:
        """The distributions of the parts of a question; their sum plus what is fixed is its value."""
        return tuple(self.units[unit].marginal(which) for unit, which in self.parts[question])


def estimate(  # noqa: PLR0913  (the settings of `audit`, handed on)
    moves: Moves,
    questions: Any,
    *,
    seed: int | None = 1,
    chains: int = 4,
    tolerance: float = 0.02,
    executor: Executor | None = None,
    most_draws: int | None = None,
    max_seconds: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    joint: Sequence[Sequence[int]] = (),
    progress: Callable[[str], None] | None = None,
    short: Callable[[Estimate], Iterable[int]] | None = None,
    most_bytes: int = MOST_BYTES,
) -> Estimate:
    """Run chains on every unit of a release until the stop rule is passed.

    `questions` are sparse rows over the columns of the release's system. `joint` names groups of questions of which the
    joint distribution is wanted too; the questions of a group must concern one and the same unit.
    `short` is asked when all units are done, and names those that are to go on: what they are put together to may want more.
    Chains that would take more than `most_bytes` of memory are refused before they start.
    """
    began = time.monotonic()
    mark = fingerprint(moves, questions, (seed, chains, tolerance, most_draws, joint))
    state = load(checkpoint, mark)
    run = new_run(
        moves, questions, seed=seed, chains=chains, tolerance=tolerance, most_draws=most_draws, fingerprint=mark,
        joint=joint, most_bytes=most_bytes,
    )  # fmt: skip
    take_up(run, state, checkpoint)
    solved = moves.support.solved
    fixed = questions @ np.where(solved.decided, solved.start, 0)
    return estimate_by(
        run, moves.release, fixed, executor=executor, max_seconds=_left(max_seconds, began), checkpoint=checkpoint,
        progress=progress, short=short,
    )  # fmt: skip


def _left(seconds: float | None, began: float) -> float | None:
    """What is left of some seconds since a moment."""
    return None if seconds is None else max(0.0, seconds - (time.monotonic() - began))


def estimate_by(
    run: Run,
    release: Release,
    fixed: np.ndarray,
    *,
    executor: Executor | None,
    max_seconds: float | None,
    checkpoint: str | os.PathLike[str] | None,
    progress: Callable[[str], None] | None,
    short: Callable[[Estimate], Iterable[int]] | None,
) -> Estimate:
    """Let chains run until the stop rule is passed. `fixed` is what of each question is known already."""
    began = time.monotonic()
    while True:
        run.go_on(
            executor, max_seconds=_left(max_seconds, began), checkpoint=checkpoint, progress=progress, release=release
        )
        found = _estimate(run, release, fixed)
        more = () if short is None or run.stopped else short(found)
        if not any([run.units[unit].reopen(run.most_draws, run.tolerance) for unit in more]):
            return found


def _estimate(run: Run, release: Release, fixed: np.ndarray) -> Estimate:
    parts: list[list[tuple[int, int]]] = [[] for _ in range(len(fixed))]
    for number, one in enumerate(run.units):
        for asked, answered in zip(one.unit.asked, one.unit.answered, strict=True):
            parts[asked].append((number, int(answered)))
    units = tuple(_unit_estimate(one) for one in run.units)
    return Estimate(fixed, tuple(tuple(one) for one in parts), units, _certificate(run, release), run.stopped)


def _unit_estimate(one: UnitRun) -> UnitEstimate:
    assert one.pooled is not None
    assert one.diagnosis is not None
    bits, seen = np.zeros(one.unit.n_questions), np.zeros(one.unit.n_questions, dtype=np.int64)
    entropies(one.pooled, bits, seen)
    # The correction is for the counters; what a counter of several values adds is the same with it and without.
    spread = one.pooled.shift.astype(float)
    entropy = corrected_entropy(bits - spread, seen.astype(float), one.diagnosis.ess) + spread - one.diagnosis.excess
    return UnitEstimate(
        replace(one.unit, certificate=one.certificate),
        one.pooled,
        one.diagnosis,
        np.maximum(entropy, 0.0),
        len(one.chains) * one.looked_at,
        one.good_looks >= 2,
        one.share_errors,
        one.joint_shares() if one.chains[0].batch > 1 else one.joint_looked_at,
    )


def _certificate(run: Run, release: Release) -> Certificate:
    """The weakest of the units', with what the chains themselves showed."""
    if not run.units:
        return Certificate("exact", "the published figures decide every cell")
    weakest = max((one.certificate for one in run.units), key=lambda one: WORDS.index(one.word))
    found = [(one.diagnosis, one.unit) for one in run.units if one.diagnosis is not None]
    seen = []
    if found:
        worst, unit = max(found, key=lambda one: float(one[0].rhat.max()))
        seen.append(f"chains from far apart: {worst.worst(QuestionNames(release, unit))}")
    still = sum(int(one.never_moved.sum()) for one, _ in found)
    if len(found) > 1 and still:
        seen.append(f"in all blocks together {still} cells never moved though bounds allow it")
    return replace(weakest, evidence=(*weakest.evidence, *seen))


def fingerprint(moves: Moves, questions: Any, settings: Any) -> str:
    """A name for one piece of work: the same release, law, moves, questions, settings and sources, and nothing else."""
    fiber, weigh = moves.support.solved.fiber, moves.support.weigh
    digest = hashlib.sha256(repr((settings, own_sources())).encode())
    arrays = [fiber.A.indptr, fiber.A.indices, fiber.A.data, fiber.b, fiber.lower, fiber.upper]
    arrays += [questions.indptr, questions.indices, questions.data]
    for block in moves.support.solved.blocks:
        arrays += weigh.signature(block.columns, block.lower, block.upper)
    for one in moves.sets:
        if isinstance(one, Listed):  # others follow from the release; a list may be somebody's own
            arrays += [one.rows.indptr, one.rows.indices, one.rows.data]
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
