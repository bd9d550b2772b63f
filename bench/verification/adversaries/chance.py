"""Figures published by chance, with totals that are exact, under laws that take them one way or another."""

from __future__ import annotations

import warnings

import numpy as np

import fiberwalk as fw

from .case import Case, exactly

SEEDS = 2


def case(rng: np.random.Generator) -> Case | None:
    """Random rounding, noise, a transition matrix or a sample."""
    table = rng.poisson(np.exp(rng.normal(1.0, 1.0, (2, int(rng.integers(2, 4))))))
    exact = [[""], ["A"], []][rng.integers(3)]
    kind = rng.choice(["rounded", "noise", "matrix", "sample"])
    seed = int(rng.integers(2**31))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if kind == "rounded":
            release = fw.protect.random_round(table, base=int(rng.choice([3, 5])), exact=exact, seed=seed)
        elif kind == "noise":
            release = fw.protect.add_noise(
                table, fw.protect.geometric_noise(float(rng.uniform(0.5, 2.0))), exact=exact, seed=seed
            )
        elif kind == "matrix":
            matrix = fw.protect.window_matrix(stay=[0.5] * 2 + [0.8] * 8, window=[3] * 10)
            release = fw.protect.perturb(table, matrix, exact=exact, seed=seed)
        else:
            if table.sum() < 4:
                return None
            release = fw.protect.draw_sample(table, size=int(table.sum() // 2), seed=seed)
        law = rng.choice(["uniform", "hypergeometric", "dirichlet"])
        believed = fw.laws.dirichlet(float(rng.uniform(0.5, 20))) if law == "dirichlet" else str(law)
        known = exactly(release, believed)
    return None if known is None else Case(f"{kind}, {law}", release, believed, known, seconds=30.0)
