"""Intruders with units of their own, held to all labelled people: exact solving is checked against these in the tests."""

from __future__ import annotations

import numpy as np

import fiberwalk as fw

from .case import Case, exactly

SEEDS = 2


def case(rng: np.random.Generator) -> Case | None:
    """A small table of which she is a part, in one cell or in two."""
    table = rng.poisson(2.0, (int(rng.integers(2, 4)), int(rng.integers(2, 4)))) + 1
    release = fw.publish(table, margins=["A", "B"])
    for _ in range(int(rng.integers(1, 3))):
        i, j = (int(rng.integers(n)) for n in table.shape)
        if not release.own.reshape(table.shape)[i, j]:
            own = int(rng.integers(1, table[i, j] + 1))
            release = release.knows({"A": str(i + 1), "B": str(j + 1)}, own=own)
    law = rng.choice(["hypergeometric", "expected", "dirichlet", "uniform"])
    believed = {
        "expected": lambda: fw.laws.expected(np.exp(rng.normal(0, 1, table.shape))),
        "dirichlet": lambda: fw.laws.dirichlet(float(rng.uniform(0.5, 20))),
    }.get(str(law), lambda: str(law))()
    known = exactly(release, believed)
    return None if known is None else Case(f"insider, {law}", release, believed, known, seconds=30.0)
