"""One integer program at a time, by branch and bound (HiGHS); every table is checked in integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.errors import NumericalDoubt, TimeUp
from ...release.facts.facts import NO_LIMIT
from .branch_and_bound import INFEASIBLE, LIMIT, OPTIMAL, Program, branch_and_bound

WIDEST = 100_000
"""With coefficients other than 1 and -1, optima over wider ranges are not safe from the solver's rounding."""
_BLUR = 1e-5
"""What the solver may leave of a condition with coefficients in fractions."""
_NO_GAP = 1e-9
_DOUBT = (
    f"bounds cannot be proven: relations with coefficients other than 1 over ranges wider than {WIDEST:,} are beyond "
    "what the integer program solves reliably; use fewer decimals or a coarser unit."
)


def optimum(
    A: Any,
    b: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    objective: np.ndarray | None = None,
    seconds: float | None = None,
) -> np.ndarray | None:
    """The integer table of least objective with A x = b and lower <= x <= upper, or None if there is none.

    `TimeUp` where that is not known after so many seconds. Solved relative to `lower`, so that only the ranges, not the
    values, have to fit in a float.
    """
    span = np.where(upper >= NO_LIMIT, np.inf, upper - lower)
    remainder = b - A @ lower
    if A.shape[0] == 0:
        if objective is not None and ((objective < 0) & ~np.isfinite(span)).any():
            raise NumericalDoubt("the sum that is asked about has no upper limit.")
        step = np.zeros(len(lower)) if objective is None else np.where(objective < 0, span, 0)
        return np.asarray(lower + step.astype(np.int64))
    cost = np.zeros(len(lower)) if objective is None else objective.astype(float)
    whole = np.ones(len(lower))
    answer = branch_and_bound(
        Program(cost, A, remainder, remainder, np.zeros(len(lower)), span, whole), seconds=seconds
    )
    if answer.status == LIMIT and seconds is not None:
        raise TimeUp("the integer program took longer than it may.")
    finite = span[np.isfinite(span)]
    doubtful = (np.abs(A.data) > 1).any() and finite.max(initial=0) > WIDEST
    if answer.status == INFEASIBLE:
        if doubtful:
            raise NumericalDoubt(_DOUBT)
        return None
    if doubtful and objective is not None:
        raise NumericalDoubt(_DOUBT)
    if answer.status != OPTIMAL or answer.x is None:
        raise NumericalDoubt(f"the integer program could not be solved ({answer.status}).")
    table = lower + np.round(answer.x).astype(np.int64)
    if (A @ table != b).any() or (table < lower).any() or (table > upper).any():
        raise NumericalDoubt(
            "the integer program's answer did not hold up when checked in whole numbers; if the values are large, use "
            "fewer decimals or a coarser unit."
        )
    return np.asarray(table)


def least_cost(
    cost: np.ndarray, A: Any, low: np.ndarray, high: np.ndarray, most: np.ndarray, *, nodes: int, gap: float = 0.0
) -> tuple[np.ndarray | None, bool]:
    """Integers 0 <= x <= most with low <= A x <= high, of least cost; and is that proven?

    The branch and bound ends after so many nodes, or when the cost is proven to be within the share `gap` of the least one.
    None and proven means that there are no such integers.
    """
    if len(cost) == 0:
        fits = (low <= 0).all() and (high >= 0).all()
        return np.empty(0, dtype=np.int64) if fits else None, True
    program = Program(cost, A, low, high, np.zeros(len(cost)), most, np.ones(len(cost)))
    answer = branch_and_bound(program, gap=gap, nodes=nodes)
    if answer.status == INFEASIBLE:
        return None, True
    if answer.x is None:
        return None, False
    x = np.round(answer.x).astype(np.int64)
    sums = A @ x
    if (sums < low - _BLUR).any() or (sums > high + _BLUR).any() or (x < 0).any() or (x > most).any():
        raise NumericalDoubt(
            "the integer program's answer did not hold up when checked in whole numbers; if the values are large, use "
            "fewer decimals or a coarser unit."
        )
    return x, answer.status == OPTIMAL and answer.gap <= _NO_GAP
