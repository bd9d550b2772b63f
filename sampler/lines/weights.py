"""A law as kernels take it: the log-weight of every value of every column, most of them by a formula and not from a list."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit_inner, jit_lean
from ...fiber.laws.law import LOG_NORMAL, Poisson, alike, log_gamma_ratio
from ...fiber.laws.support import WithEvidence
from .hypergeometric import log_factorial as computed

ALIKE, FACTORIAL, POISSON, MIXED = 0, 1, 2, 3
"""What kind of law: uniform; 1/x! for every column; mu^x/x! for every column (Poisson); anything else."""
LISTED = 16_384
"""ln k! is looked up for k below this, and computed beyond."""
LOG_TWO_PI = float(np.log(2.0 * np.pi))
MANY = 4096
"""Values of a column that are always listed, whatever formula there is for some of them."""


compiled_gamma_ratio = jit_lean(log_gamma_ratio)


class Weights(NamedTuple):
    """log w_j(x) = [counted: x log_mean - ln x!] + [start >= 0: power * (value[start + x - first] or by the tail)].

    That is for each column j of a unit; only its first `listed` values are in the list.
    """

    kind: int
    counted: np.ndarray
    log_mean: np.ndarray
    start: np.ndarray
    first: np.ndarray
    value: np.ndarray
    log_factorials: np.ndarray
    listed: np.ndarray
    tail: np.ndarray
    """[column]: kind, a, b, c of the formula for what is not listed."""
    power: float = 1.0
    """Below 1 only where a law is tempered (on the rungs of a ladder)."""


def or_none(weights: Weights) -> Weights | None:
    """The weights, or None where every table counts alike."""
    return None if weights.kind == ALIKE else weights


def weights_on(
    weigh: WithEvidence, columns: np.ndarray, lower: np.ndarray, upper: np.ndarray, *, tails: bool = False
) -> Weights:
    """The weights of some columns between their bounds. Whatever is not of the form mu^x/x! is listed value by value, but
    with `tails` only as far as there is no formula."""
    n = len(columns)
    is_poisson, is_cell = isinstance(weigh.law, Poisson), columns < weigh.n_cells
    counted = is_cell if is_poisson else np.zeros(n, dtype=bool)
    log_mean = np.zeros(n)
    if isinstance(weigh.law, Poisson):
        with np.errstate(divide="ignore"):  # a mean of 0 leaves only the value 0, and no column of a block has only one
            log_mean[is_cell] = np.log(weigh.law.means[columns[is_cell]])
    listed = np.isin(columns, [column for column, _ in weigh.evidence])
    if weigh.own is not None:
        listed[is_cell] |= weigh.own[columns[is_cell]] > 0
    if not is_poisson and weigh.law is not alike:
        listed |= is_cell
    other_factors = WithEvidence(alike, weigh.n_cells, weigh.evidence, weigh.own) if is_poisson else weigh
    start, values, length = np.full(n, -1, dtype=np.int64), [np.empty(0)], 0
    number, formulas = (upper - lower + 1).astype(np.int64), np.zeros((n, 4))
    for j in np.flatnonzero(listed):
        formula = other_factors.tail(int(columns[j])) if tails and number[j] > MANY else None
        if formula is not None:
            formulas[j] = formula.kind, formula.a, formula.b, formula.c
            number[j] = min(number[j], max(MANY, formula.begins - int(lower[j])))
        log_weights = other_factors(int(columns[j]), int(lower[j]), int(lower[j] + number[j]) - 1)
        if log_weights is not None and (formula is not None or (log_weights != log_weights[0]).any()):
            start[j], length = length, length + len(log_weights)
            values.append(log_weights)
    kind = MIXED
    if (start < 0).all() and (counted.all() or not counted.any()):
        kind = ALIKE if not counted.any() else POISSON if log_mean.any() else FACTORIAL
    listed_factorials = log_factorials(int(upper.max(initial=0)) + 2 if counted.any() else 1)
    first = lower.astype(np.int64)
    return Weights(
        kind, counted, log_mean, start, first, np.concatenate(values), listed_factorials, number, formulas
    )  # fmt: skip


def has_tails(weights: Weights) -> bool:
    """Are weights of some values not listed?"""
    return bool(weights.tail[:, 0].any())


def log_factorials(largest: int) -> np.ndarray:
    """ln k! for k up to this, or to as many as are looked up."""
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, min(largest, LISTED) + 1)))])


@jit_lean
def log_factorial(log_factorials: np.ndarray, x: int) -> float:
    """ln x!, from the list or computed."""
    if x < len(log_factorials):
        return log_factorials[x]
    return computed(x)


@jit_lean
def log_weight(weights: Weights, j: int, x: int) -> float:
    """The log-weight of one value of a column."""
    log_w = 0.0
    if weights.counted[j]:
        log_w = x * weights.log_mean[j] - log_factorial(weights.log_factorials, x)
    if weights.start[j] >= 0:
        k = x - weights.first[j]
        if k < weights.listed[j]:
            log_w += weights.power * weights.value[weights.start[j] + k]
        else:
            log_w += weights.power * in_tail(weights.tail, j, x)
    return log_w


@jit_inner
def in_tail(tail: np.ndarray, j: int, x: int) -> float:
    """The log-weight of a value that is not listed."""
    a, b, c = tail[j, 1], tail[j, 2], tail[j, 3]
    if tail[j, 0] == LOG_NORMAL:
        z = (np.log(x - c) - a) / b
        return -0.5 * (z * z + LOG_TWO_PI) - np.log((x - c) * b)
    return compiled_gamma_ratio(x, a)


@jit_lean
def log_weight_of(weights: Weights, table: np.ndarray) -> float:
    """The log-weight of a whole table; -inf if the law excludes it."""
    total = 0.0
    if weights.kind != ALIKE:
        for j in range(len(table)):
            total += log_weight(weights, j, table[j])
    return total
