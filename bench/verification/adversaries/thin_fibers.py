"""Small, thin and sparse fibers, with means spread over decades: rare values and moves that are seldom possible."""

from __future__ import annotations

import numpy as np

import fiberwalk as fw

from .case import Case, exactly

SEEDS = 2


def case(rng: np.random.Generator) -> Case | None:
    """Tables with many zeros; margins of several kinds, hidden patterns, bounds."""
    shape = tuple(rng.integers(2, 5, rng.integers(2, 4)).tolist())
    if np.prod(shape) > 27:
        return None
    table = rng.poisson(np.exp(rng.normal(-0.3, 1.4, shape)))
    kind = rng.choice(["margins", "hidden", "rounded"])
    if kind == "margins":
        names = "ABC"[: len(shape)]
        margins = [names[0], ",".join(names[1:])] if len(shape) == 3 and rng.random() < 0.3 else None
        margins = margins or ([",".join(names.replace(one, "")) for one in names])
        release = fw.publish(table, margins=margins)
    elif kind == "hidden":
        mask = rng.random(shape) < 0.7
        if not mask.any() or mask.all():
            return None
        release = fw.suppress(table, where=mask)
    else:
        release = fw.round_to(table, base=3)
    law = rng.choice(["uniform", "hypergeometric", "expected"])
    believed = fw.laws.expected(10.0 ** rng.uniform(-2, 2, shape)) if law == "expected" else str(law)
    known = exactly(release, believed)
    return None if known is None else Case(f"{kind}, {law}", release, believed, known, seconds=30.0)
