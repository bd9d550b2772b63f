"""estimate: p(x|y) of every question about a release by chains, with its Monte Carlo error."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..base.certificate import ALL_DECIDED, Certificate
from ..base.jit import own_sources
from ..base.progress import Progress
from ..moves.chooser import Moves
from ..moves.families.listed import Listed
from ..release.release import Release
from .chains.checkpoint import load, take_up
from .chains.diagnostics import Diagnosis, corrected_entropy
from .chains.names import QuestionNames
from .chains.run import Run, new_run
from .chains.settings import ChainSettings
from .chains.unit import Unit
from .chains.unit_run import UnitRun
from .tallies.spread import ShareErrors
from .tallies.windows import Windows, entropies, shares

SELDOM = 100.0
"""Up to so many effective visits of a value, the error of its share is at least that of independent draws."""


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
    up_to_error: np.ndarray
    """The standard error of the sum of all p up to each."""
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
        counted, diagnosis = self.counted, self.diagnosis
        p, ess = shares(counted, question), float(diagnosis.ess[question])
        effective = min(max(ess, 1.0), float(self.draws))
        return Marginal(
            first=int(counted.origin[question] + self.unit.question_offset()[question]),
            width=1 << int(counted.shift[question]),
            p=p,
            rhat=float(diagnosis.rhat[question]),
            ess=ess,
            entropy=float(self.entropy[question]),
            entropy_error=float(diagnosis.entropy_error[question]),
            # A value that was seldom or never seen may be somewhat more probable than it looked.
            mean_error=float(np.hypot(diagnosis.mean_error[question], (1 << int(counted.shift[question])) / effective)),
            p_error=self._share_error(question, p, effective),
            up_to_error=self._share_error(question, np.minimum(np.cumsum(p), 1.0), effective, up_to=True),
            converged=self.converged,
            certificate=self.unit.certificate,
        )

    def _share_error(self, question: int, share: np.ndarray, effective: float, up_to: bool = False) -> np.ndarray:
        """The standard errors of shares, or of those of all values up to each."""
        plain = share * (1.0 - share) / effective
        variance = plain
        if self.share_errors is not None:
            variance = self.share_errors.of(self.counted, question, plain, up_to)
            # batches in which a value hardly ever came up say little of how its share varies
            seldom = np.minimum(share, 1.0 - share) * effective < SELDOM if up_to else share * effective < SELDOM
            variance = np.where(seldom, np.maximum(variance, plain), variance)
        return np.asarray(np.sqrt(variance + effective**-2.0))


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
        return all(unit.converged for unit in self.units)

    def marginals(self, question: int) -> tuple[Marginal, ...]:
        """The distributions of the parts of a question; their sum plus what is fixed is its value."""
        return tuple(self.units[number].marginal(unit_question) for number, unit_question in self.parts[question])


def estimate(
    moves: Moves,
    questions: Any,
    settings: ChainSettings,
    *,
    max_seconds: float | None = None,
    joint: Sequence[Sequence[int]] = (),
    progress: Progress | None = None,
    short: Callable[[Estimate], Iterable[int]] | None = None,
) -> Estimate:
    """Run chains on every unit of a release until the stop rule is passed.

    `questions` are sparse rows over the columns of the release's system. `joint` names groups of questions of which the
    joint distribution is wanted too; the questions of a group must concern one and the same unit.
    `short` is asked when all units are done, and names those that must go on: a sum over several units may want more draws.
    Chains that would take more memory than they may are refused before they start.
    """
    began = time.monotonic()
    mark = fingerprint(moves, questions, (*settings.decisive.values(), joint))
    state = load(settings.checkpoint, mark)
    run = new_run(moves, questions, settings, fingerprint=mark, joint=joint)
    take_up(run, state, settings.checkpoint)
    solved = moves.support.solved
    fixed = questions @ np.where(solved.decided, solved.start, 0)
    return estimate_by(run, moves.release, fixed, max_seconds=_left(max_seconds, began), progress=progress, short=short)


def _left(seconds: float | None, began: float) -> float | None:
    """What is left of a limit in seconds, since the work began."""
    return None if seconds is None else max(0.0, seconds - (time.monotonic() - began))


def estimate_by(
    run: Run,
    release: Release,
    fixed: np.ndarray,
    *,
    max_seconds: float | None,
    progress: Progress | None,
    short: Callable[[Estimate], Iterable[int]] | None,
) -> Estimate:
    """Let chains run until the stop rule is passed. `fixed` is what of each question is known already."""
    began = time.monotonic()
    while True:
        run.go_on(max_seconds=_left(max_seconds, began), progress=progress, release=release)
        result = _estimate(run, release, fixed)
        must_go_on = () if short is None or run.stopped else short(result)
        if not any([run.units[number].reopen(run.settings) for number in must_go_on]):
            return result


def _estimate(run: Run, release: Release, fixed: np.ndarray) -> Estimate:
    parts: list[list[tuple[int, int]]] = [[] for _ in range(len(fixed))]
    for number, unit_run in enumerate(run.units):
        for asked, answered in zip(unit_run.unit.asked, unit_run.unit.answered, strict=True):
            parts[asked].append((number, int(answered)))
    units = tuple(_unit_estimate(unit_run) for unit_run in run.units)
    return Estimate(
        fixed, tuple(tuple(question_parts) for question_parts in parts), units, _certificate(run, release), run.stopped
    )


def _unit_estimate(unit_run: UnitRun) -> UnitEstimate:
    assert unit_run.pooled is not None
    assert unit_run.diagnosis is not None
    bits, seen = np.zeros(unit_run.unit.n_questions), np.zeros(unit_run.unit.n_questions, dtype=np.int64)
    entropies(unit_run.pooled, bits, seen)
    # Corrected is the entropy of the counters; what a counter of several values adds to it needs no correction.
    spread = unit_run.pooled.shift.astype(float)
    entropy = (
        corrected_entropy(bits - spread, seen.astype(float), unit_run.diagnosis.shortfall)
        + spread
        - unit_run.diagnosis.excess
    )
    return UnitEstimate(
        replace(unit_run.unit, certificate=unit_run.certificate),
        unit_run.pooled,
        unit_run.diagnosis,
        np.maximum(entropy, 0.0),
        len(unit_run.chains) * unit_run.looked_at,
        unit_run.good_looks >= 2,
        unit_run.share_errors,
        unit_run.joint_shares() if unit_run.chains[0].batch > 1 else unit_run.joint_looked_at,
    )


def _certificate(run: Run, release: Release) -> Certificate:
    """The weakest of the units', with what the chains themselves showed."""
    if not run.units:
        return ALL_DECIDED
    weakest = Certificate.weakest(unit_run.certificate for unit_run in run.units)
    diagnosed = [(unit_run.diagnosis, unit_run.unit) for unit_run in run.units if unit_run.diagnosis is not None]
    seen = []
    if diagnosed:
        worst, unit = max(diagnosed, key=lambda pair: float(pair[0].rhat.max()))
        seen.append(f"chains from far apart: {worst.worst(QuestionNames(release, unit))}")
    still = sum(int(diagnosis.never_moved.sum()) for diagnosis, _ in diagnosed)
    if len(diagnosed) > 1 and still:
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
    for move_set in moves.sets:
        if isinstance(move_set, Listed):  # others follow from the release; a list may be somebody's own
            arrays += [move_set.rows.indptr, move_set.rows.indices, move_set.rows.data]
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
