"""The interval that is known of a cell before any randomly changed figure is looked at: what priors rest on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...release.facts.facts import NO_LIMIT
from ...release.release import Release
from ..blocks.presolve import presolve
from ..equations.propagation import tighten
from ..equations.system import fiber_of
from .chooser import cell_bounds, sharp_bounds


def known_intervals(release: Release, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sharp bounds of some cells by the facts of a release.

    Evidence is left out, since a prior that rested on it would count it twice. Only where the facts leave some cell of the
    release without limit do the bounds use the evidence too.
    """
    facts = replace(release, evidence=())
    if release.evidence and _unlimited(facts):
        facts = release
    if 2 * len(cells) >= len(release.hidden):
        of_all = cell_bounds(facts)
        return of_all.lower[cells], of_all.upper[cells]
    of_these = sharp_bounds(presolve(facts), facts.picked(cells))
    return of_these.lower, of_these.upper


def _unlimited(release: Release) -> bool:
    fiber = fiber_of(release)
    lower, upper = fiber.lower.copy(), fiber.upper.copy()
    tighten(fiber.A, fiber.b, lower, upper)
    return bool((upper[: fiber.n_cells] >= NO_LIMIT).any())
