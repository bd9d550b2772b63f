"""Separate peaks (modes) of a law: does the weight of any column go far down and up again between two of its values?

Chains in different combinations of such peaks may never meet, and chains in the same agree on what is wrong.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from ...lines.weights import Weights

DEPTH = 3.0
"""How far below both peaks a valley has to lie, as a difference of log-weights."""
COUNTS = 25.0
"""Peaks whose log-weight is so much below the highest are none."""
BELOW = 10.0
"""How far below everything that counts excluded values are on the higher rungs."""
NO_VALLEY = 1e6
"""The depth of a valley of excluded values, for which any large number will do."""


def has_separate_peaks(weights: Weights, lower: np.ndarray, upper: np.ndarray) -> bool:
    """Do the weights of any column have peaks with a valley in between?"""
    return any(_deepest(_curve(weights, j, lower, upper)) > DEPTH for j in _listed(weights))


def least_power(weights: Weights, lower: np.ndarray, upper: np.ndarray) -> float:
    """The power of the weights under which no valley is deeper than 1."""
    curves = (_softened(_curve(weights, j, lower, upper)) for j in _listed(weights))
    return 1.0 / max(1.0, *(_deepest(curve) for curve in curves))


def without_gaps(weights: Weights) -> Weights:
    """The weights with nothing excluded: what was is far less probable than all that counts."""
    value = weights.value.copy()
    for j in _listed(weights):
        begin = int(weights.start[j])
        part = slice(begin, begin + int(weights.listed[j]))
        value[part] = _softened(value[part])
    return weights._replace(value=value)


def _listed(weights: Weights) -> list[int]:
    """The columns whose weights are all listed: those that have a formula have one peak."""
    return [int(j) for j in np.flatnonzero((weights.start >= 0) & (weights.tail[:, 0] == 0))]


def _curve(weights: Weights, j: int, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """The log-weights of all values of a column."""
    low, high = int(lower[j]), int(upper[j])
    begin = int(weights.start[j]) + low - int(weights.first[j])
    curve = weights.value[begin : begin + high - low + 1]
    if not weights.counted[j]:
        return curve
    values = np.arange(low, high + 1.0)
    return np.asarray(curve + values * weights.log_mean[j] - gammaln(values + 1.0))


def _deepest(curve: np.ndarray) -> float:
    """The depth of the deepest valley between two values that count: what a walk along the values goes down and up."""
    if len(curve) < 3:
        return 0.0
    peaks = np.where(curve >= curve.max() - COUNTS, curve, -np.inf)
    before, after = np.maximum.accumulate(peaks), np.maximum.accumulate(peaks[::-1])[::-1]
    both = np.minimum(before, after)
    counts = both > -np.inf
    return float((both[counts] - np.maximum(curve[counts], both[counts] - NO_VALLEY)).max(initial=0.0))


def _softened(curve: np.ndarray) -> np.ndarray:
    """Log-weights in which nothing is excluded."""
    finite = curve[curve > -np.inf]
    return np.maximum(curve, max(finite.min(), finite.max() - COUNTS) - BELOW) if len(finite) else curve
