"""The walk on a ladder: moves on every rung, and trades between neighbours after each draw."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....base.jit import jit_inlined, jit_inner, jit_lean
from ....base.random_streams import fraction
from ....moves.families.stock import Stock
from ...lines.weights import Weights, log_weight_of
from ...tallies.tally import Tally
from ..kernel import Place
from ..stocked_moves import walk_moves

BOTTOM, TOP = 1, 2
"""Which end of the ladder a table was at last."""
RUNG, TRADES, TRIPS, ACCEPTED = 0, 1, 2, 3
"""What is noted: the rung whose turn it is, trades offered, round trips, and from here on trades made, by the lower rung."""


@jit_inner
def on_rung(soft: Weights, power: float) -> Weights:
    """The weights of a higher rung."""
    kind, counted, log_mean, start, first, value, log_factorials, listed, tail, _ = soft
    return Weights(kind, counted, log_mean, start, first, value, log_factorials, listed, tail, power)


class Rungs(NamedTuple):
    """The rungs of a ladder, and the tables on all but the lowest."""

    soft: Weights
    """The weights of which higher rungs have powers."""
    powers: np.ndarray
    tables: np.ndarray
    unnoted: Tally
    """For draws that do not count."""
    ends: np.ndarray
    """At which end the table of each rung was last."""
    noted: np.ndarray


@jit_lean
def climb(
    stock: Stock, weights: Weights, rungs: Rungs, place: Place, tally: Tally, draws: int, steps: int, longest: int
) -> int:
    """Make draws on all rungs until there are so many of the lowest, the stock is empty, or credits wait; the draws done."""
    table, lower, upper, random, weight = place
    noted, powers, done = rungs.noted, rungs.powers, 0
    while done < draws and tally.n_waiting[0] == 0:
        k = noted[RUNG]
        if k == 0:
            made = walk_moves(stock, weights, place, tally, 1, steps, longest)
            done += made
        else:
            there = Place(rungs.tables[k - 1], lower, upper, random, weight)
            made = walk_moves(stock, on_rung(rungs.soft, powers[k]), there, rungs.unnoted, 1, steps, longest)
        if made == 0:
            break
        noted[RUNG] = k + 1
        if noted[RUNG] == len(powers):
            noted[RUNG] = 0
            trade(weights, rungs, table, random)
    return done


@jit_inlined
def trade(weights: Weights, rungs: Rungs, table: np.ndarray, random: np.ndarray) -> None:
    """Offer trades to every other pair of neighbours, accepted by the Metropolis rule, and to the other pairs next time;
    note who came down from the top."""
    soft, powers, tables, _, ends, noted = rungs
    number = len(powers)
    if number == 1:
        return
    for low in range(noted[TRADES] % 2, number - 1, 2):
        here, there = (table if low == 0 else tables[low - 1]), tables[low]
        cold, warm = on_rung(soft, powers[low]), on_rung(soft, powers[low + 1])
        gain = log_weight_of(warm, here) - log_weight_of(warm, there)
        if low == 0:
            gain += log_weight_of(weights, there) - log_weight_of(weights, here)
        else:
            gain += log_weight_of(cold, there) - log_weight_of(cold, here)
        if gain >= np.log(1.0 - fraction(random)):
            for j in range(len(table)):
                here[j], there[j] = there[j], here[j]
            ends[low], ends[low + 1] = ends[low + 1], ends[low]
            noted[ACCEPTED + low] += 1
    noted[TRADES] += 1
    noted[TRIPS] += ends[0] == TOP
    ends[0], ends[number - 1] = BOTTOM, TOP
