"""One linear program kept warm in HiGHS: passed once, then asked again with another objective or other limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

MOST_STEPS = 20_000
"""The most simplex steps for one answer: whoever asks must be able to do without it."""


def warm_model(A: Any, rest: np.ndarray, span: np.ndarray, cost: np.ndarray, *, primal: bool) -> Any:
    """The program of least cost with A x = rest and 0 <= x <= span, in a silent solver on one thread.

    The primal simplex method goes on from the last answer when the objective changes, the dual one when limits do.
    """
    model = silent_model(cost, A, rest, rest, np.zeros(A.shape[1]), span)
    model.setOptionValue("solver", "simplex")
    # Presolve would throw the last basis away.
    model.setOptionValue("presolve", "off")
    model.setOptionValue("simplex_strategy", 4 if primal else 1)
    model.setOptionValue("simplex_iteration_limit", MOST_STEPS)
    return model


def silent_model(
    cost: np.ndarray,
    A: Any,
    row_low: np.ndarray,
    row_high: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    whole: np.ndarray | None = None,
) -> Any:
    """A solver that says nothing, on one thread, with the program of least cost of x with row_low <= A x <= row_high and
    low <= x <= high; where `whole` is 1, x is a whole number."""
    import highspy

    by_rows = sp.csr_array(A)
    program = highspy.HighsLp()
    program.num_row_, program.num_col_ = by_rows.shape
    program.col_cost_ = cost.astype(float)
    program.col_lower_, program.col_upper_ = low.astype(float), high.astype(float)
    program.row_lower_, program.row_upper_ = row_low.astype(float), row_high.astype(float)
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_ = by_rows.indptr.astype(np.int32)
    program.a_matrix_.index_ = by_rows.indices.astype(np.int32)
    program.a_matrix_.value_ = by_rows.data.astype(float)
    if whole is not None:
        program.integrality_ = [highspy.HighsVarType(int(one)) for one in whole]
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("threads", 1)
    model.passModel(program)
    return model


def solved(model: Any) -> str:
    """Solve, and say how it ended: "optimal", "infeasible", "stopped" at the limit of steps, or the solver's own word."""
    import highspy

    statuses = highspy.HighsModelStatus
    model.run()
    status = model.getModelStatus()
    words = {statuses.kOptimal: "optimal", statuses.kInfeasible: "infeasible", statuses.kIterationLimit: "stopped"}
    return words.get(status) or str(model.modelStatusToString(status))


def whole_table(
    values: np.ndarray, base: np.ndarray, A: Any, b: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> Any:
    """The table `base` + values, rounded, if it is feasible when checked in whole numbers, else None."""
    table = base + np.rint(values).astype(np.int64)
    holds = (table >= lower).all() and (table <= upper).all() and (A @ table == b).all()
    return table if holds else None
