"""Whole tables drawn from a law on a fiber: chains are warmed up until they agree (burn-in), then thinned draws are kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.certificate import Certificate
from ..base.progress import Progress
from ..moves.chooser import Moves
from ..release.release import Release
from .chains.checkpoint import State, load, take_up
from .chains.run import Run, new_run
from .chains.settings import ChainSettings
from .estimate import fingerprint
from .kept_tables import Stored, kept_bytes

WARM_UP = 1 << 17
"""Draws of a chain after which a warm-up is given up, and the draws are kept with a warning."""


def until_they_agree(settings: ChainSettings, warm_up: int = WARM_UP) -> ChainSettings:
    """Settings of a warm-up: chains go on until they agree, however well an entropy is known, or give up."""
    return replace(settings, tolerance=np.inf, max_draws=warm_up)


def draw_tables(
    moves: Moves,
    settings: ChainSettings,
    *,
    draws: int,
    thin: int | None = None,
    progress: Progress | None = None,
    warm_up: int = WARM_UP,
) -> tuple[np.ndarray, dict[str, Any]]:
    """[chain, draw, cell]: tables of the law of the moves' support, and how they were drawn, in words and figures."""
    nothing = sp.csr_array((0, moves.support.solved.fiber.n_columns), dtype=np.int64)
    mark = fingerprint(moves, nothing, ("sample", settings.seed, settings.chains, draws, thin, warm_up))
    state = load(settings.checkpoint, mark)
    kept = kept_bytes(moves.support.solved, draws)
    run = new_run(moves, nothing, until_they_agree(settings, warm_up), fingerprint=mark, kept_bytes=kept)
    work = kept_draws(run, state, moves.release, draws, thin, progress)
    return work.whole_tables(moves.support.solved), facts_of(work, moves.certificate)


def table_portions(
    moves: Moves,
    settings: ChainSettings,
    *,
    draws: int,
    portion: int,
    progress: Progress | None = None,
) -> tuple[Iterator[np.ndarray], dict[str, Any]]:
    """The tables of `draw_tables`, [chain, some draws, cell] at a time: for what needs each of them once and keeps none."""
    nothing = sp.csr_array((0, moves.support.solved.fiber.n_columns), dtype=np.int64)
    run = new_run(moves, nothing, until_they_agree(settings))
    work = kept_draws(run, None, moves.release, 0, None, progress)

    def portions() -> Iterator[np.ndarray]:
        for first in range(0, draws, portion):
            work.begin_anew(min(portion, draws - first))
            work.go_on()
            yield work.whole_tables(moves.support.solved)
            if progress is not None:
                progress(f"{first + work.draws:,} of {draws:,} tables of each chain")

    return portions(), facts_of(work, moves.certificate)


def kept_draws(
    run: Run, state: State | None, release: Release, draws: int, thin: int | None, progress: Progress | None
) -> Stored:
    """Warm chains up until they agree, and keep draws after that; from what a checkpoint holds of it, if there is one."""
    if state is not None and "kept" in state:
        work = Stored.begun(run)
        take_up(work, state, run.settings.checkpoint)
    else:
        take_up(run, state, run.settings.checkpoint)
        run.go_on(progress=progress, release=release)
        if run.stopped:
            raise KeyboardInterrupt
        work = Stored.after(run, draws, thin)
    work.go_on(progress)
    return work


def facts_of(work: Stored, certificate: Certificate) -> dict[str, Any]:
    """How the tables were drawn, in words and figures that files can hold."""
    units = work.run.units
    diagnoses = [unit_run.diagnosis for unit_run in units if unit_run.diagnosis is not None]
    return {
        "kernels": "; ".join(dict.fromkeys(unit_run.unit.words for unit_run in units)),
        "warm_up_draws": max((unit_run.discarded + unit_run.draws for unit_run in units), default=0),
        "thin": max(work.thin, default=1),
        "rhat": float(max((diagnosis.rhat.max(initial=1.0) for diagnosis in diagnoses), default=1.0)),
        "ess": float(min((diagnosis.ess.min(initial=np.inf) for diagnosis in diagnoses), default=np.inf)),
        "never_moved": sum(int(diagnosis.never_moved.sum()) for diagnosis in diagnoses),
        "converged": "yes" if all(unit_run.good_looks >= 2 for unit_run in units) else "no",
        "certificate": certificate.word,
        "certificate_reason": certificate.reason,
        "certificate_evidence": "; ".join(certificate.evidence),
    }
