"""Whole tables drawn from what the end of a hidden path tells of its beginning."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.certificate import Certificate
from ...fiber.laws.support import support
from ...sampler.chains.memory import MOST_BYTES
from ...sampler.drawn_tables import WARM_UP, facts_of, kept_draws
from ...sampler.kept_tables import kept_bytes
from ..parts.sampled import Chains
from .hidden_path import paths_run
from .path_groups import path_groups
from .path_unit import REDRAWN
from .paths import HiddenPaths


def draw_first_tables(  # noqa: PLR0913  (the keywords of `sample`, handed on)
    paths: HiddenPaths,
    law: Any,
    *,
    draws: int,
    chains: int,
    seed: int | None,
    thin: int | None = None,
    executor: Executor | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Callable[[str], None] | None = None,
    most_bytes: int = MOST_BYTES,
) -> tuple[np.ndarray, dict[str, Any]]:
    """[chain, draw, cell]: tables from which paths led to the published one, and how they were drawn."""
    inside = support(paths.release, law)
    nothing = sp.csc_array((0, inside.solved.fiber.n_columns), dtype=np.int64)
    kept = kept_bytes(inside.solved, draws)
    groups = [group for group in path_groups(paths, inside) if not group.decided]
    run = paths_run(
        paths, groups, inside, nothing, Chains(seed, chains, np.inf, WARM_UP, memory=most_bytes - chains * kept)
    )
    mark = hashlib.sha256(f"{run.fingerprint} {draws} {thin}".encode()).hexdigest()
    run.fingerprint = mark
    work = kept_draws(lambda: run, mark, paths.release, draws, thin, executor, checkpoint, progress)
    return work.whole_tables(inside.solved, chains), facts_of(work, Certificate("connected", REDRAWN))
