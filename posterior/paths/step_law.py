"""The law of one step of Markov perturbation, compiled: how probable it is that the corner of a square went from w to M.

The corner after the step is a sum of two binomials: those who stay and those who come in.

`protect.markov_perturbation` says what the law is; this is the same for loops that ask for it millions of times.
"""

from __future__ import annotations

import numpy as np

from ...base.jit import jit_inlined, jit_inner
from ...sampler.lines.weights import log_factorial

FEW_TERMS = 12
"""Sums of more terms begin at the largest of them; shorter ones at the first."""
NEGLIGIBLE = 1e-18


@jit_inner
def corner_ends(top_left: int, top_right: int, bottom_left: int, bottom_right: int) -> tuple[int, int]:
    """The least and the most that the corner of a square can be, with the totals that it has now."""
    return top_left - min(top_left, bottom_right), top_left + min(top_right, bottom_left)


@jit_inlined
def _who_may_stay(inside: int, outside: int, seen: int, theta: float, come: float) -> tuple[int, int]:
    """How many of those inside may have stayed, at least and at most, if so many are seen; theta leave, and `come` come."""
    least, most = max(0, seen - outside), min(inside, seen)
    if theta == 0.0:
        least = max(least, inside)  # nobody leaves
    if theta == 1.0:
        most = min(most, 0)  # nobody stays
    if come == 0.0:
        least = max(least, seen)  # nobody comes
    if come == 1.0:
        most = min(most, seen - outside)  # everybody does
    return least, most


@jit_inlined
def _largest_term(least: int, most: int, inside: int, outside: int, seen: int, odds: float) -> int:
    """Where the terms of a long sum, which rise and then fall, are largest; of a short one the first."""
    first, last = least, most
    if most - least <= FEW_TERMS:
        return first
    while first < last:
        middle = (first + last) >> 1
        if (inside - middle) * float(seen - middle) * odds > (middle + 1) * float(outside - seen + middle + 1):
            first = middle + 1
        else:
            last = middle
    return first


@jit_inlined
def _sum_of_terms(first: int, least: int, most: int, inside: int, outside: int, seen: int, odds: float) -> float:
    """The sum of all terms over the one at `first`; infinite where terms outgrow it."""
    total, term = 1.0, 1.0
    for stay in range(first, most):
        term *= (inside - stay) * float(seen - stay) * odds / ((stay + 1) * float(outside - seen + stay + 1))
        total += term
        if term > 1e250:  # only where the sum begins at its first term
            return np.inf
        if term < NEGLIGIBLE * total:
            break
    term = 1.0
    for stay in range(first, least, -1):
        term *= stay * float(outside - seen + stay) / ((inside - stay + 1) * float(seen - stay + 1) * odds)
        total += term
        if term < NEGLIGIBLE * total:
            break
    return total


@jit_inner
def log_step(
    after: int, before: int, low: int, high: int, column: int, theta: float, factorials: np.ndarray, capped: bool
) -> float:
    """log P(the corner is `after` | it was `before`); `column` is the larger of the top row and the left column total."""
    never = -np.inf
    if not capped and high - 1 >= max(low, 1) and theta * (high - 1) > column - (high - 1):
        return never  # theta would have been refused
    inside, outside, seen = before - low, high - before, after - low
    if inside < 0 or outside < 0 or seen < 0 or after > high:
        return never
    f = 0.0 if outside == 0 else min(1.0, before * theta / (column - before))
    least, most = _who_may_stay(inside, outside, seen, theta, f)
    if least > most:
        return never
    stay_odds, come_odds = 1.0, 1.0
    if most > least:  # then no probability is 0 or 1
        stay_odds, come_odds = (1.0 - theta) / theta, (1.0 - f) / f
    odds = stay_odds * come_odds
    first = _largest_term(least, most, inside, outside, seen, odds)
    total = _sum_of_terms(first, least, most, inside, outside, seen, odds)
    if total == np.inf:
        return _log_sum(least, most, inside, outside, seen, theta, f, factorials)
    return _log_term(first, inside, outside, seen, theta, f, factorials) + np.log(total)


@jit_inner
def _log_term(stay: int, inside: int, outside: int, seen: int, theta: float, f: float, factorials: np.ndarray) -> float:
    """log of the probability that so many stay and the others come."""
    come = seen - stay
    log_p = (
        log_factorial(factorials, inside) - log_factorial(factorials, stay) - log_factorial(factorials, inside - stay)
    )
    log_p += log_factorial(factorials, outside)
    log_p -= log_factorial(factorials, come) + log_factorial(factorials, outside - come)
    if stay > 0:
        log_p += stay * np.log1p(-theta)
    if inside > stay:
        log_p += (inside - stay) * np.log(theta)
    if come > 0:
        log_p += come * np.log(f)
    if outside > come:
        log_p += (outside - come) * np.log1p(-f)
    return log_p


@jit_inner
def _log_sum(
    least: int, most: int, inside: int, outside: int, seen: int, theta: float, f: float, factorials: np.ndarray
) -> float:
    """The same sum in logarithms, for terms of very different size."""
    largest, total = -np.inf, 0.0
    for stay in range(least, most + 1):
        log_term = _log_term(stay, inside, outside, seen, theta, f, factorials)
        if log_term > largest:
            total = total * np.exp(largest - log_term) + 1.0
            largest = log_term
        else:
            total += np.exp(log_term - largest)
    return largest + np.log(total)
