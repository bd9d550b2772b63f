"""Separate peaks: are there any, what ladder crosses between them, and how often that was done.

A cell's weights have separate peaks where one of its values weighs far more than some value on the way to another that does.
Chains in different combinations of peaks may never meet, and chains in the same agree on what is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...base.certificate import Certificate
from ..kernels.ladder import Ladder, Rung
from ..lines.weights import Weights, log_weight_of
from .chain import Chain
from .unit import Unit
from .units import with_weights

DEPTH = 3.0
"""How far below both peaks a valley has to lie, as a difference of log-weights."""
COUNTS = 25.0
"""Peaks whose log-weight is so much below the highest are none."""
BELOW = 10.0
"""How far below everything that is possible excluded values are on the higher rungs."""
MOST_RUNGS = 24
FAR, STEEPEST = 1.5, 4.0
"""How far a rung is from the next at first: so many standard deviations of log-weights, or so many times its power."""
TRIAL, ROUNDS = 192, 3
LEAST_ACCEPTED = 0.2
"""Of the trades between two rungs; where they are fewer there is a rung in between."""
TRIPS, TRIPS_EACH = 40, 4
"""Round trips of all chains together, and of each, before they may agree."""


def has_separate_peaks(unit: Unit) -> bool:
    """Do the weights of any column have peaks with a valley in between?"""
    weights = unit.weights
    return any(_deepest(_curve(weights, j, unit)) > DEPTH for j in np.flatnonzero(weights.start >= 0).tolist())


def _curve(weights: Weights, j: int, unit: Unit) -> np.ndarray:
    """The log-weights of all values of a column."""
    low, high = int(unit.lower[j]), int(unit.upper[j])
    begin = int(weights.start[j]) + low - int(weights.first[j])
    curve = weights.value[begin : begin + high - low + 1]
    if not weights.counted[j]:
        return curve
    values = np.arange(low, high + 1.0)
    from scipy.special import gammaln

    return np.asarray(curve + values * weights.log_mean[j] - gammaln(values + 1.0))


def _deepest(curve: np.ndarray) -> float:
    """The depth of the deepest valley between two values that count: what a walk along the values has to go down and up."""
    if len(curve) < 3:
        return 0.0
    peaks = np.where(curve >= curve.max() - COUNTS, curve, -np.inf)
    before, after = np.maximum.accumulate(peaks), np.maximum.accumulate(peaks[::-1])[::-1]
    both = np.minimum(before, after)
    counts = both > -np.inf
    return float((both[counts] - np.maximum(curve[counts], both[counts] - 1e6)).max(initial=0.0))


def on_a_ladder(unit: Unit, start: np.ndarray, random: np.ndarray) -> Unit:
    """The unit with its kernels on a ladder, whose rungs are found in short trials."""
    powers = [1.0]
    table, least = start, _least_power(unit)
    while powers[-1] > least and len(powers) < MOST_RUNGS // 2:
        energies, table = _trial(unit, powers[-1], table, random)
        step = FAR / max(float(np.std(energies)), 1e-3)
        powers.append(max(least, powers[-1] / STEEPEST, powers[-1] - step))
    for _ in range(ROUNDS):
        ladder = _ladder(unit, powers, start)
        chain = Chain(replace(unit, kernels=(ladder,), shares=(1 << 40,)), start, random)
        chain.counts = False
        chain.advance(replace(unit, kernels=(ladder,), shares=(1 << 40,)), 8 * TRIAL)
        counts = chain.rooms[0].counts
        accepted = counts[3:] / max(1.0, counts[2] / 2.0)
        seldom = np.flatnonzero(accepted < LEAST_ACCEPTED)
        if not len(seldom) or len(powers) + len(seldom) > MOST_RUNGS:
            break
        between = [float(np.sqrt(powers[k] * powers[k + 1])) for k in seldom]
        powers = sorted([*powers, *between], reverse=True)
    return replace(unit, kernels=(_ladder(unit, powers, start),), shares=(1 << 40,))


def _least_power(unit: Unit) -> float:
    """The power under which no valley is deeper than 1."""
    weights = unit.weights
    deepest = 1.0
    for j in np.flatnonzero(weights.start >= 0):
        soft = _softened(_curve(weights, int(j), unit))
        deepest = max(deepest, _deepest(soft))
    return 1.0 / deepest


def _softened(curve: np.ndarray) -> np.ndarray:
    """Log-weights in which nothing is excluded."""
    finite = curve[curve > -np.inf]
    return np.maximum(curve, max(finite.min(), finite.max() - COUNTS) - BELOW) if len(finite) else curve


def _tempered(unit: Unit, power: float) -> Weights:
    """The weights with a power of what is listed value by value, nothing being excluded."""
    weights = unit.weights
    value = weights.value.copy()
    for j in np.flatnonzero(weights.start >= 0):
        begin = int(weights.start[j])
        part = slice(begin, begin + int(unit.upper[j] - weights.first[j]) + 1)
        value[part] = power * _softened(value[part])
    return weights._replace(value=value)


def _ladder(unit: Unit, powers: Sequence[float], start: np.ndarray) -> Ladder:
    rungs = []
    for power in powers:
        weights = _tempered(unit, power) if power < 1.0 else unit.weights
        rungs.append(Rung(power, weights, with_weights(unit, weights).kernels))
    return Ladder(tuple(rungs), unit.shares, unit.lower, unit.upper, (start - unit.offset).astype(np.int64))


def _trial(unit: Unit, power: float, start: np.ndarray, random: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How the listed log-weights of tables vary under a power of them; and the last table."""
    walked = with_weights(unit, _tempered(unit, power))
    listed = _tempered(unit, 1.0)._replace(counted=np.zeros_like(unit.weights.counted))
    chain = Chain(walked, start, random)
    chain.counts = False
    chain.advance(walked, TRIAL // 4)
    energies = np.empty(TRIAL)
    for k in range(TRIAL):
        chain.advance(walked, 1)
        energies[k] = log_weight_of(listed, chain.place.table)
    return energies, chain.place.table + unit.offset


def round_trips(unit: Unit, chains: Sequence[Chain]) -> np.ndarray | None:
    """How often each chain went from one end of its ladder to the other and back; None where there is no ladder."""
    if not isinstance(unit.kernels[0], Ladder):
        return None
    return np.array([int(chain.rooms[0].counts[0]) for chain in chains])


def crossed(unit: Unit, chains: Sequence[Chain]) -> Certificate:
    """The certificate of a unit, which is about the peaks that were found where there are separate ones."""
    trips = round_trips(unit, chains)
    if trips is None:
        return unit.certificate
    said = (
        f"its law has separate peaks, and this is about those that were found: by a ladder of {len(unit.kernels[0].rungs)} "  # type: ignore[attr-defined]
        f"powers of the weights, on which chains went {int(trips.sum()):,} times from one end to the other and back"
    )
    return replace(unit.certificate, reason=f"{unit.certificate.reason}; {said}")
