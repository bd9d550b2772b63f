"""The rungs of a ladder: powers of the weights (inverse temperatures) from 1 down to where no valley is left, each near
enough to the next."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

MOST_RUNGS = 24
FAR, STEEPEST = 1.5, 4.0
"""How far a rung is from the next at first: so many standard deviations of log-weights, or so many times its power."""
ROUNDS = 3
LEAST_ACCEPTED = 0.2
"""Of the trades between two rungs; where they are fewer there is a rung in between."""


def choose_powers(
    least: float, spread: Callable[[float], float], accepted: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """The powers of all rungs, by trials: `spread` gives the standard deviation of the log-weights under one power,
    `accepted` the shares of trades that are made between neighbours."""
    powers = [1.0]
    while powers[-1] > least and len(powers) < MOST_RUNGS // 2:
        step = FAR / max(spread(powers[-1]), 1e-3)
        powers.append(max(least, powers[-1] / STEEPEST, powers[-1] - step))
    for _ in range(ROUNDS):
        seldom = np.flatnonzero(accepted(np.array(powers)) < LEAST_ACCEPTED)
        if not len(seldom) or len(powers) + len(seldom) > MOST_RUNGS:
            break
        between = [float(np.sqrt(powers[k] * powers[k + 1])) for k in seldom]
        powers = sorted([*powers, *between], reverse=True)
    return np.array(powers)
