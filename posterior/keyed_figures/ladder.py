"""A ladder of prices for figures that are not met: found by trials, from the dearest price on."""

from __future__ import annotations

import numpy as np

from ...sampler.kernels.kernel import Place
from ...sampler.lines.weights import Weights
from .passage import Room, Task, on_a_rung, on_the_ladder

CHEAPEST = 0.4
"""The lowest price. On servers of 48 cells and 300 figures chains are as often anew at a table that counts, for each second,
with 0.25 as with 0.5, and with 1 those of a matrix with gaps stay on one peak of the law for good."""
RUNGS = 40
"""At most."""
APART = 1.5
"""How far rungs are apart, at most: the change of the price times that of the mean cost of tables."""
FURTHEST, NEAREST = 1.5, 0.02
"""By how much the price is lowered at a time, at most; and at least, where a trial finds the next rung too far away."""
TRIAL = 500
"""Steps of a trial, for each cell."""
ROUNDS, MOST_CHANGE = 4, 2.0
"""How often the whole ladder is tried, and by how much the weight of a rung changes then at most."""
ASIDE = 16
"""Steps for each one that ends at a table which meets all figures, at most: as trials of single rungs have it,"""
SELDOM = 64
"""and as trials of the whole ladder have it."""


def laddered(task: Task, weights: Weights, room: Room, place: Place) -> Task:
    """The task with a ladder that begins at its only price; the table of the place is walked on.

    How much more often a chain would be on a rung than on the one before follows from the mean cost of tables on both (the
    logarithm of what a law sums to has the mean as its derivative); the weights of the rungs even that out.
    """
    steps = TRIAL * len(place.table)

    def tried(price: float) -> tuple[float, float]:
        """After some steps to get there."""
        on_a_rung(task, weights, room, place, price, steps // 4)
        cost, met = on_a_rung(task, weights, room, place, price, steps)
        return float(cost), float(met)

    prices, rungs, by = [float(task.prices[0])], [0.0], FURTHEST
    cost, met = tried(prices[0])
    shares = [met]
    while len(prices) < RUNGS and prices[-1] < -CHEAPEST and sum(shares) * ASIDE > len(shares):
        price, begun = min(prices[-1] + by, -CHEAPEST), place.table.copy()
        other, met = tried(price)
        if (price - prices[-1]) * (other - cost) > APART and by > NEAREST:
            place.table[:] = begun
            by /= 2
            continue
        rungs.append(rungs[-1] - (price - prices[-1]) * (cost + other) / 2)
        prices.append(price)
        shares.append(met)
        cost, by = other, min(1.5 * by, FURTHEST)
    found = task._replace(prices=np.array(prices), rungs=np.array(rungs) - max(rungs))
    return _evened(found, weights, room, place, 2 * steps)


def _evened(task: Task, weights: Weights, room: Room, place: Place, steps: int) -> Task:
    """The ladder after it was tried: rungs that were seen too often get less weight; where chains seldom come back to tables
    that count, the cheapest rungs go."""
    rung = len(task.prices) - 1
    for _ in range(ROUNDS):
        seen = np.zeros(len(task.prices))
        met, rung = on_the_ladder(task, weights, room, place, rung, steps, seen)
        if met * SELDOM < steps and len(task.prices) > 1:
            kept = max(2 * len(task.prices) // 3, 1)
            task, rung = task._replace(prices=task.prices[:kept], rungs=task.rungs[:kept]), min(rung, kept - 1)
            continue
        change = np.log((seen + 1.0) / (steps / len(seen) + 1.0))
        rungs = task.rungs - np.clip(change, -MOST_CHANGE, MOST_CHANGE)
        task = task._replace(rungs=rungs - rungs.max())
    return task
