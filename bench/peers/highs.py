"""Bounds by HiGHS, one program for each bound: a linear one that is kept warm, or an integer one.

Both are timed on a sample of the bounds. Time is processor time; HiGHS runs on one thread.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from fiberwalk.fiber.solvers.simplex import solved, warm_model
from peers.equations import Equations

Found = dict[int, tuple[float, float]]
"""The least and the greatest value of some cells."""


def in_runs(cells: int, most: int, length: int = 6, seed: int = 0) -> list[range]:
    """Which cells to try: all of them where they are few, else runs of neighbours at random places.

    Neighbours, as who bounds all cells one after the other goes on from a neighbour's answer, which is near.
    """
    if cells <= most:
        return [range(cells)]
    places = np.random.default_rng(seed).choice(cells // length, max(most // length, 1), replace=False)
    return [range(place * length, (place + 1) * length) for place in sorted(places.tolist())]


def warm_programs(system: Equations, runs: Sequence[range]) -> tuple[float, Found]:
    """Seconds for all bounds, and the bounds tried, by one linear program in which only the objective changes.

    By the primal simplex method, which goes on from the last answer; the dual one would have to find its way back, and is
    slower on all problems of the race. The way to a run, where runs are a sample, is not counted.
    """
    A = sp.csr_array(system.A)
    nothing = np.zeros(A.shape[1])
    begin = time.process_time()
    model = warm_model(A, system.b - A @ system.lower, system.upper - system.lower, nothing, primal=True)
    _run(model)
    first = time.process_time() - begin
    found: Found = {}
    spent = 0.0
    for run in runs:
        if len(runs) > 1:
            _extreme(model, run[0], 1.0)
        begin = time.process_time()
        for cell in run:
            low, high = _extreme(model, cell, 1.0), _extreme(model, cell, -1.0)
            found[cell] = (system.lower[cell] + low, system.lower[cell] + high)
        spent += time.process_time() - begin
    return first + spent * A.shape[1] / len(found), found


def _extreme(model, cell: int, cost: float) -> float:
    model.changeColCost(cell, cost)
    _run(model)
    value = cost * model.getInfo().objective_function_value
    model.changeColCost(cell, 0.0)
    return value


def _run(model) -> None:
    if (word := solved(model)) != "optimal":
        raise RuntimeError(f"HiGHS: {word}")


def integer_programs(system: Equations, cells: Sequence[int]) -> tuple[float, Found]:
    """Seconds for all bounds, and those of the cells tried, by one integer program for each (scipy.optimize.milp)."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    equal = LinearConstraint(sp.csc_array(system.A).astype(float), system.b, system.b)
    limits, whole = Bounds(system.lower, system.upper), np.ones(len(system.lower))
    found: Found = {}
    begin = time.process_time()
    for cell in cells:
        both = []
        for sign in (1.0, -1.0):
            cost = np.zeros(len(system.lower))
            cost[cell] = sign
            # exact bounds are asked for: by default the search ends within a share of the optimum
            answer = milp(cost, constraints=equal, bounds=limits, integrality=whole, options={"mip_rel_gap": 0.0})
            if answer.status != 0:
                raise RuntimeError(f"HiGHS: {answer.message}")
            both.append(sign * answer.fun)
        found[int(cell)] = (both[0], both[1])
    return (time.process_time() - begin) * len(system.lower) / len(found), found
