"""Exponential tilting: the same law on a fiber, with weights under which its tables are not far out in the tails.

Given A x = b, the factor exp(theta . A x) is the same for every table. So each column's weights may be tilted by
exp(value * (A' theta)) without changing the law on the fiber. The best theta makes the columns' means add up to b, as in a
saddlepoint approximation; it minimises the convex function log sum of tilted weights - theta . b. Products of weights then
stay far from underflow even where, like 1/x!, they fall off by hundreds of orders of magnitude.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...base.jit import jit

MOST_ROUNDS = 400
MOST_DAMPING = 1e12
NEAR = 0.5  # standard deviations from the mean: near enough to be centred


@jit
def _moments(start: np.ndarray, log_weight: np.ndarray, tilt: np.ndarray, out: np.ndarray) -> None:
    """Of each column under its tilted weights: the log of their sum, the mean and the variance."""
    for j in range(len(tilt)):
        top = -np.inf
        for i in range(start[j], start[j + 1]):
            top = max(top, log_weight[i] + tilt[j] * (i - start[j]))
        mass, mean, square = 0.0, 0.0, 0.0
        for i in range(start[j], start[j + 1]):
            weight = np.exp(log_weight[i] + tilt[j] * (i - start[j]) - top)
            mass += weight
            mean += weight * (i - start[j])
        mean /= mass
        for i in range(start[j], start[j + 1]):
            weight = np.exp(log_weight[i] + tilt[j] * (i - start[j]) - top)
            square += weight * (i - start[j] - mean) ** 2
        out[0, j], out[1, j], out[2, j] = top + np.log(mass), mean, square / mass


def centred(A: Any, b: np.ndarray, log_weights: Sequence[np.ndarray]) -> tuple[list[np.ndarray], float]:
    """Weights of each column that sum to one, and the log of the factor by which all tables' products are too small.

    A x = b with every column counted from 0. Where no theta centres the law (a sum is at the edge of what it can be) the
    best one found is used: it costs numerical range, not correctness.
    """
    start = np.concatenate([[0], np.cumsum([len(of_column) for of_column in log_weights])]).astype(np.int64)
    flat = np.concatenate(log_weights).astype(float)
    theta = np.zeros(A.shape[0])
    moments = np.empty((3, A.shape[1]))

    def level(trial_theta: np.ndarray) -> float:
        _moments(start, flat, A.T @ trial_theta, moments)
        return float(moments[0].sum() - trial_theta @ b)

    # Levenberg and Marquardt's way: the less a full step helps, the more it is shortened towards the steepest descent.
    lowest, damping = level(theta), 1e-6
    for _ in range(MOST_ROUNDS):
        gap = A @ moments[1] - b
        spread = (A * moments[2]) @ A.T
        spread = spread.toarray() if hasattr(spread, "toarray") else spread
        scale = np.diag(spread)
        if (gap**2 <= NEAR**2 * scale + 1e-12).all() or damping > MOST_DAMPING:
            break
        along = np.linalg.solve(spread + damping * max(scale.max(), 1.0) * np.eye(len(b)), gap)
        trial = level(theta - along)
        if trial < lowest - 0.1 * float(along @ gap):
            theta, lowest, damping = theta - along, trial, max(damping / 10, 1e-9)
        else:
            damping *= 10
            level(theta)
    tilt = A.T @ theta
    level(theta)
    weights = [
        np.exp(flat[begin:end] + tilt[j] * np.arange(end - begin) - moments[0, j])
        for j, (begin, end) in enumerate(pairwise(start))
    ]
    return weights, lowest
