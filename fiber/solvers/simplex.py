"""One linear program kept warm in HiGHS: passed once, then asked again with another objective or other limits."""

from __future__ import annotations

from typing import Any

import numpy as np

MOST_STEPS = 20_000
"""The most simplex steps for one answer: whoever asks must be able to do without it."""


def warm_model(A: Any, rest: np.ndarray, span: np.ndarray, cost: np.ndarray, *, primal: bool) -> Any:
    """The program of least cost with A x = rest and 0 <= x <= span, in a silent solver on one thread.

    The primal simplex method goes on from the last answer when the objective changes, the dual one when limits do.
    """
    import highspy

    program = highspy.HighsLp()
    program.num_row_, program.num_col_ = A.shape
    program.col_cost_ = cost.astype(float)
    program.col_lower_ = np.zeros(A.shape[1])
    program.col_upper_ = span.astype(float)
    program.row_lower_ = program.row_upper_ = rest.astype(float)
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_ = A.indptr.astype(np.int32)
    program.a_matrix_.index_ = A.indices.astype(np.int32)
    program.a_matrix_.value_ = A.data.astype(float)
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("threads", 1)
    model.setOptionValue("solver", "simplex")
    # Presolve would throw the last basis away.
    model.setOptionValue("presolve", "off")
    model.setOptionValue("simplex_strategy", 4 if primal else 1)
    model.setOptionValue("simplex_iteration_limit", MOST_STEPS)
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
