"""Whole tables drawn from a law on a fiber: chains are warmed up until they agree, then draws are kept."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.certificate import Certificate
from ..moves.chooser import Moves
from ..release.release import Release
from .chains.checkpoint import load, take_up
from .chains.memory import MOST_BYTES
from .chains.run import Run, new_run
from .estimate import fingerprint
from .kept_tables import Stored, kept_bytes

WARM_UP = 1 << 17
"""Draws of a chain after which a warm-up is given up, and the draws are kept with a warning."""


def draw_tables(  # noqa: PLR0913  (the keywords of `sample`, handed on)
    moves: Moves,
    *,
    draws: int,
    chains: int,
    seed: int | None,
    thin: int | None = None,
    executor: Executor | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] | None = None,
    warm_up: int = WARM_UP,
    most_bytes: int = MOST_BYTES,
) -> tuple[np.ndarray, dict[str, Any]]:
    """[chain, draw, cell]: tables of the law of the moves' support, and how they were drawn, in words and figures."""
    nothing = sp.csr_array((0, moves.support.solved.fiber.n_columns), dtype=np.int64)
    mark = fingerprint(moves, nothing, ("sample", seed, chains, draws, thin, warm_up))

    def begin() -> Run:
        return new_run(
            moves, nothing, seed=seed, chains=chains, tolerance=np.inf, most_draws=warm_up, fingerprint=mark,
            most_bytes=most_bytes, kept_bytes=kept_bytes(moves.support.solved, draws),
        )  # fmt: skip

    work = kept_draws(begin, mark, moves.release, draws, thin, executor, checkpoint, progress)
    return work.whole_tables(moves.support.solved, chains), facts_of(work, moves.certificate)


def table_portions(
    moves: Moves,
    *,
    draws: int,
    chains: int,
    seed: int | None,
    portion: int,
    progress: Callable[[str], None] | None = None,
) -> tuple[Iterator[np.ndarray], dict[str, Any]]:
    """The tables of `draw_tables`, [chain, some draws, cell] at a time: for what needs each of them once and keeps none."""
    nothing = sp.csr_array((0, moves.support.solved.fiber.n_columns), dtype=np.int64)
    run = new_run(moves, nothing, seed=seed, chains=chains, tolerance=np.inf, most_draws=WARM_UP, fingerprint="")
    work = kept_draws(lambda: run, "", moves.release, 0, None, None, None, progress)

    def portions() -> Iterator[np.ndarray]:
        for first in range(0, draws, portion):
            work.begin_anew(min(portion, draws - first))
            work.go_on()
            yield work.whole_tables(moves.support.solved, chains)
            if progress is not None:
                progress(f"{first + work.draws:,} of {draws:,} tables of each chain")

    return portions(), facts_of(work, moves.certificate)


def kept_draws(
    begin: Callable[[], Run],
    mark: str,
    release: Release,
    draws: int,
    thin: int | None,
    executor: Executor | None,
    checkpoint: str | os.PathLike[str] | None,
    progress: Callable[[str], None] | None,
) -> Stored:
    """Warm chains up until they agree, and keep draws after that; from a checkpoint if there is one."""
    state = load(checkpoint, mark)
    run = begin()
    if state is not None and "kept" in state:
        work = Stored.begun(run)
        take_up(work, state, checkpoint)
    else:
        take_up(run, state, checkpoint)
        run.go_on(executor, checkpoint=checkpoint, progress=progress, release=release)
        if run.stopped:
            raise KeyboardInterrupt
        work = Stored.after(run, draws, thin)
    work.go_on(executor, checkpoint=checkpoint, progress=progress)
    return work


def facts_of(work: Stored, certificate: Certificate) -> dict[str, Any]:
    """How the tables were drawn, in words and figures that files can hold."""
    units = work.run.units
    found = [one.diagnosis for one in units if one.diagnosis is not None]
    return {
        "kernels": "; ".join(dict.fromkeys(one.unit.words for one in units)),
        "warm_up_draws": max((one.discarded + one.draws for one in units), default=0),
        "thin": max(work.thin, default=1),
        "rhat": float(max((one.rhat.max(initial=1.0) for one in found), default=1.0)),
        "ess": float(min((one.ess.min(initial=np.inf) for one in found), default=np.inf)),
        "never_moved": sum(int(one.never_moved.sum()) for one in found),
        "converged": "yes" if all(one.good_looks >= 2 for one in units) else "no",
        "certificate": certificate.word,
        "certificate_reason": certificate.reason,
        "certificate_evidence": "; ".join(certificate.evidence),
    }
