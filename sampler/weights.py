"""A law as kernels take it: the log-weight of every value of every column, by a formula or from a list of values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..fiber.jit import jit

ALIKE, FACTORIAL, POISSON, MIXED = 0, 1, 2, 3
"""What kind of law: none; 1/x! for every column; mu^x/x! for every column; anything else."""


class Weights(NamedTuple):
    """log w_j(x) = [counted: x log_mean - ln x!] + [start >= 0: value[start + x - first]], for each column j of a unit."""

    kind: int
    counted: np.ndarray
    log_mean: np.ndarray
    start: np.ndarray
    first: np.ndarray
    value: np.ndarray
    log_factorials: np.ndarray


@jit
def log_factorial(log_factorials: np.ndarray, x: int) -> float:
    """ln x!, from the list or by Stirling's series."""
    if x < len(log_factorials):
        return log_factorials[x]
    y = x + 1.0
    inverse = 1.0 / y
    square = inverse * inverse
    series = inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680)))
    return (y - 0.5) * np.log(y) - y + 0.9189385332046727 + series


@jit
def log_weight(weights: Weights, j: int, x: int) -> float:
    """The log-weight of one value of a column."""
    found = 0.0
    if weights.counted[j]:
        found = x * weights.log_mean[j] - log_factorial(weights.log_factorials, x)
    if weights.start[j] >= 0:
        found += weights.value[weights.start[j] + x - weights.first[j]]
    return found
