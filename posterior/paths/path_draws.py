"""Whole tables drawn from what the end of a hidden path tells of its beginning."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.certificate import Certificate
from ...base.progress import Progress
from ...fiber.laws.support import Support
from ...sampler.chains.checkpoint import load
from ...sampler.chains.settings import ChainSettings
from ...sampler.drawn_tables import facts_of, kept_draws, until_they_agree
from ...sampler.kept_tables import kept_bytes
from .hidden_path import new_paths_run, paths_mark
from .path_groups import path_groups
from .path_unit import REDRAWN, path_unit
from .paths import HiddenPaths


def draw_first_tables(
    paths: HiddenPaths,
    support: Support,
    settings: ChainSettings,
    *,
    draws: int,
    thin: int | None = None,
    progress: Progress | None = None,
) -> tuple[np.ndarray, dict[str, Any]]:
    """[chain, draw, cell]: tables from which paths led to the published one, and how they were drawn."""
    settings = until_they_agree(settings)
    nothing = sp.csc_array((0, support.solved.fiber.n_columns), dtype=np.int64)
    groups = [group for group in path_groups(paths, support) if not group.decided]
    units = [path_unit(paths, group, support, nothing) for group in groups]
    mark = hashlib.sha256(f"{paths_mark(units, settings)} {draws} {thin}".encode()).hexdigest()
    state = load(settings.checkpoint, mark)
    run = new_paths_run(paths, groups, units, settings, mark, kept_bytes(support.solved, draws))
    work = kept_draws(run, state, paths.release, draws, thin, progress)
    return work.whole_tables(support.solved), facts_of(work, Certificate("connected", REDRAWN))
