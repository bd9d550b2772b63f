"""A program of least cost over whole numbers, by the branch and bound of HiGHS: what it says, and whether it proved it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...base.interruption import time_left, time_up
from .simplex import silent_model

OPTIMAL, INFEASIBLE, LIMIT = "optimal", "infeasible", "at a limit"


class Program(NamedTuple):
    """The least cost' x with row_low <= A x <= row_high and low <= x <= high, whole where `whole` is 1."""

    cost: np.ndarray
    A: Any
    row_low: np.ndarray
    row_high: np.ndarray
    low: np.ndarray
    high: np.ndarray
    whole: np.ndarray


class Outcome(NamedTuple):
    """How it ended: "optimal", "infeasible", "at a limit" of nodes or seconds, or the solver's own word."""

    status: str
    x: np.ndarray | None
    """The best that was found, which need not be the best there is."""
    cost: float
    gap: float
    """How much less than this, as a share of it, the least cost may be."""


def branch_and_bound(
    program: Program, *, gap: float = 0.0, nodes: int | None = None, seconds: float | None = None
) -> Outcome:
    """Solve, until the least cost is known within the share `gap`, or as long as so many nodes or seconds allow.

    Where the time that the user gave is up, `TimeUp` is raised.
    """
    import highspy

    model = silent_model(*program)
    model.setOptionValue("mip_rel_gap", gap)
    if nodes is not None:
        model.setOptionValue("mip_max_nodes", nodes)
    left = time_left()
    allowed = [limit for limit in (seconds, left) if limit is not None]
    if allowed:
        model.setOptionValue("time_limit", min(allowed))
    model.run()
    statuses, status = highspy.HighsModelStatus, model.getModelStatus()
    if status == statuses.kTimeLimit and left is not None and left == min(allowed):
        raise time_up("an integer program was solved")
    words = {
        statuses.kOptimal: OPTIMAL,
        statuses.kInfeasible: INFEASIBLE,
        statuses.kTimeLimit: LIMIT,
        statuses.kSolutionLimit: LIMIT,
        statuses.kIterationLimit: LIMIT,
    }
    found = model.getInfo()
    feasible = found.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible.value
    x = np.array(model.getSolution().col_value) if feasible else None
    return Outcome(
        words.get(status) or str(model.modelStatusToString(status)), x, found.objective_function_value, found.mip_gap
    )
