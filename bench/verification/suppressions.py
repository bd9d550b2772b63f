"""Suppression: is the least cost the least, and is what `until` promises true? Against every pattern and every table."""

from __future__ import annotations

import importlib.util
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import fiberwalk as fw
from fiberwalk.base.errors import InputError, TimeUp
from fiberwalk.protect.withholding.least_suppression import least_suppression
from fiberwalk.protect.withholding.problem import SuppressionProblem
from verification.parts import Check, Part, Setting, rows

WORDS = (
    "Small random problems (two- and three-way, hierarchies, linked tables, levels of all kinds, figures that must stay, "
    "contributors who are alone) against every pattern, and every table that each leaves possible; medium ones against the "
    "whole model of Fischetti and Salazar-González as one integer program of HiGHS, with a flow for every sensitive figure. "
    "Patterns until a probability are audited anew, with another seed and twice the precision, and those of small tables "
    "are compared in cost with the cheapest of all patterns, every table listed."
)
SEEDS, PROGRAMS, TARGETS, SMALL = 1000, 36, 50, 50
UNTIL, LIMIT = "p <= 0.5", 0.5
PRECISION = 0.01
"""Bits; the search asks for 0.02 where it has to."""
FOR_ONE = 30.0
"""Seconds for a pattern that reaches a probability."""
MOST_OPEN, MOST_PEOPLE = 9, 10
WITHIN = 1.1
"""Median cost until a probability, in least costs."""


def run(setting: Setting) -> Part:
    """All four, in batches."""
    seed = 10_000 * setting.seed
    least = list(setting.each(least_of, ((seed + k,) for k in range(setting.number(SEEDS))), "small problems"))
    whole = list(
        setting.each(model_of, ((seed + k,) for k in range(min(setting.number(PROGRAMS), PROGRAMS))), "programs")
    )
    until = list(setting.each(until_of, ((seed + k,) for k in range(min(setting.number(TARGETS), TARGETS))), "targets"))
    small = list(
        setting.each(cheapest_of, ((seed + k,) for k in range(min(setting.number(SMALL), SMALL))), "small targets")
    )
    return judged(least, whole, until, small)


def judged(
    least: list[tuple[str, str]],
    whole: list[tuple[int, float, bool]],
    until: list[tuple[str, float]],
    small: list[tuple[int, int]],
) -> Part:
    """What was found, as checks."""
    compared = [one for one in least if one[1] not in ("none", "large")]
    wrong = [one for one in compared if one[1] != "right"]
    other = [one for one in whole if not one[2] or abs(one[0] - one[1]) > 1e-6]
    reached = [p for word, p in until if word == "reached"]
    without = [word for word, _ in until if word != "reached"]
    beyond = [p for p in reached if p > LIMIT + 1e-9]
    ratios = [ours / cheapest for ours, cheapest in small]
    median = float(np.median(ratios)) if ratios else float("nan")
    checks = (
        Check(
            "the least cost of small problems is that of all patterns, and is said to be proven",
            bool(compared) and not wrong,
            f"{len(wrong)} of {len(compared):,} are not, or are refused though there is a pattern",
        ),
        Check(
            "... and of medium ones that of the whole model as one integer program",
            bool(whole) and not other,
            f"{len(other)} of {len(whole)} differ",
        ),
        Check(
            f"where {UNTIL} is reached, an audit with another seed and twice the precision says so, too",
            bool(reached) and not beyond,
            f"{len(beyond)} of {len(reached)} are beyond it (largest P {max(reached, default=float('nan')):.4f}); without a "
            f"pattern: {len(without)}",
        ),
        Check(
            f"the median cost until {UNTIL} is at most {WITHIN - 1:.0%} above the least of all patterns",
            bool(small) and median <= WITHIN,
            f"median {median:.3f} times the least, at most {max(ratios, default=float('nan')):.3f}, the same for "
            f"{sum(ratio <= 1 for ratio in ratios)} of {len(ratios)}",
        ),
    )
    kinds = sorted({kind for kind, _ in least})
    lines = [
        [kind, sum(one == (kind, "right") for one in least), sum(one[0] == kind and one in wrong for one in least)]
        for kind in kinds
    ]
    return Part(checks, (rows(["small problems", "least cost found", "not found"], lines),))


def pictures(values: dict[str, Any], home: Path) -> Iterator[tuple[Path, str]]:
    """None."""
    yield from ()


# --- the least cost -----------------------------------------------------------------------------------------------------


@cache
def small_problems() -> Any:
    """The small problems of the tests, and their answers by hand, by path: folders of the tests are named as rooms."""
    tests = Path(__file__).parents[2] / "tests"
    if str(tests) not in sys.path:
        sys.path.append(str(tests))
    path = tests / "protect" / "withholding" / "test_least_suppression.py"
    spec = importlib.util.spec_from_file_location("small_suppressions", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def least_of(seed: int) -> tuple[str, str]:
    """What kind of problem it is, and whether the least cost is found: "right", "wrong", or why it was not asked."""
    by_hand, random, linked = small_problems(), np.random.default_rng(seed), seed % 4 == 3
    problem = by_hand.linked_problem(random) if linked else by_hand.random_problem(random)
    if problem is None:
        return "no problem", "none"
    kind = "linked" if linked else f"{len(problem.figures.start.dims)}-way"
    kind += ", with contributors who are alone" if problem.alone else ""
    twin = by_hand.by_hand(problem, by_hand.linked_tables(problem) if linked else None)
    if twin is None:
        return kind, "large"
    every, wanted, contributors, least = twin
    try:
        found = least_suppression(problem)
    except InputError:
        return kind, "right" if least is None else "refused"
    hidden = np.append(found.hidden, np.ones(problem.sums.shape[0], dtype=bool))
    right = found.proven and found.cost == least and every.protects(hidden, wanted, contributors)
    return kind, "right" if right else "wrong"


def model_of(seed: int) -> tuple[int, float, bool]:
    """Our cost of a two-way table with groups, that of the whole model, and whether both are proven."""
    random = np.random.default_rng(seed)
    problem = None
    while problem is None:
        table = fw.table(random.poisson(4, (6, 4)), hierarchies={"A": {"x": ["1", "2", "3"], "y": ["4", "5", "6"]}})
        try:
            problem = fw.protect.problem(table, rule="< 2", above=2, below=1, minimise="counts", keep="totals")
            ours = least_suppression(problem)
        except InputError:
            problem = None
    least, proven = whole_model(problem)
    return ours.cost, least, ours.proven and proven


def whole_model(problem: SuppressionProblem) -> tuple[float, bool]:
    """The least cost by one integer program: a figure changes in a flow only if it is withheld, and every sensitive one has
    a flow in which it goes as far up as wanted, and one in which it goes as far down.

    In a table of two dims, one of them with groups, flows are those of a network: none needs more of any figure than is
    wanted of the sensitive one, and whole numbers are no narrower than fractions.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    task, n = problem.task(), len(problem.truth)
    sums, one = sp.csr_array(task.room.sums), task.sensitive
    flows = [(at, int(up)) for at, up in zip(one.figures, one.above, strict=True) if up]
    flows += [(at, -int(down)) for at, down in zip(one.figures, one.below, strict=True) if down]
    least, most = np.zeros(n * (1 + len(flows))), np.zeros(n * (1 + len(flows)))
    least[:n], most[:n] = task.forced, task.forced | task.open
    conditions = []
    for number, (figure, change) in enumerate(flows, start=1):
        here = slice(number * n, (number + 1) * n)
        up, down = np.minimum(task.room.up, abs(change)), np.minimum(task.room.down, abs(change))
        least[here], most[here] = -down, up
        least[number * n + figure] = most[number * n + figure] = change
        place = sp.csr_array(([1], ([0], [number])), shape=(1, 1 + len(flows)))
        own, first = sp.kron(place, sp.eye_array(n)), sp.kron(sp.eye_array(1, 1 + len(flows)), sp.eye_array(n))
        conditions.append(LinearConstraint(sp.csr_array(sp.kron(place, sums)), 0, 0))
        conditions.append(LinearConstraint(sp.csr_array(own - sp.diags_array(up.astype(float)) @ first), -np.inf, 0))
        conditions.append(LinearConstraint(sp.csr_array(own + sp.diags_array(down.astype(float)) @ first), 0, np.inf))
    cost, whole = np.zeros(len(least)), np.zeros(len(least))
    cost[:n], whole[:n] = task.cost, 1
    answer = milp(
        cost,
        constraints=conditions,
        bounds=Bounds(least, most),
        integrality=whole,
        options={"mip_rel_gap": 0, "time_limit": 120},
    )
    return (float(np.rint(answer.fun)), answer.status == 0) if answer.x is not None else (float("nan"), False)


# --- until a probability ------------------------------------------------------------------------------------------------


def until_of(seed: int) -> tuple[str, float]:
    """The largest probability of a value of a sensitive figure, by an audit of its own; or why there is no pattern."""
    warnings.simplefilter("ignore")
    random = np.random.default_rng(seed)
    shape = ((4, 4), (4, 3), (3, 3, 2), (5, 3))[seed % 4]
    table = random.poisson(3, shape)
    try:
        problem = fw.protect.problem(table, rule="< 2", keep="totals" if len(shape) == 2 else None, minimise="counts")
        found = fw.protect.suppression(problem, until=UNTIL, seed=seed, max_seconds=FOR_ONE)
    except (InputError, TimeUp) as why:
        return type(why).__name__, float("nan")
    audit = fw.audit(found.release, law="uniform", seed=seed + 1, tolerance=PRECISION)
    return "reached", max(audit.pmf(**labels).max() for labels in sensitive_labels(problem))


def sensitive_labels(problem: SuppressionProblem) -> Iterator[dict[str, str]]:
    """The sensitive figures, each as {dim: label}."""
    dims = problem.figures.start.dims
    for key in problem.figures.keys[problem.primary].tolist():
        yield {dim.name: dim.node_labels[node] for node, dim in zip(key, dims, strict=True) if node != dim.total}


def cheapest_of(seed: int) -> tuple[int, int]:
    """The cost until a probability, and the least of all patterns; tables without such a pattern are passed over."""
    random = np.random.default_rng(seed)
    while True:
        problem = small_problem(random)
        least = None if problem is None else cheapest_until(problem)
        if problem is None or least is None:
            continue
        try:
            return fw.protect.suppression(problem, until=UNTIL, seed=1).withheld.cost, least
        except InputError:
            return 10 * least, least  # none was found, though there is one


def small_problem(random: np.random.Generator) -> SuppressionProblem | None:
    """A table so small that all patterns and all tables can be listed."""
    shape = ((2, 3), (3, 3), (2, 2, 2))[random.integers(3)]
    table = random.poisson(1.3, shape)
    if not 3 <= table.sum() <= MOST_PEOPLE:
        return None
    try:
        problem = fw.protect.problem(
            table,
            rule="< 2",
            minimise=str(random.choice(["cells", "counts"])),
            secondary_zeros=bool(random.random() < 0.5),
        )
    except InputError:
        return None
    return problem if (problem.open & ~problem.forced).sum() <= MOST_OPEN else None


def cheapest_until(problem: SuppressionProblem) -> int | None:
    """The least cost of a pattern in which no value of a sensitive figure has more than half of all tables; None: there
    is none."""
    every = small_problems().EveryTable(problem.figures.start.truth, problem.rows.toarray())
    others = np.flatnonzero(problem.open & ~problem.forced)
    patterns = (np.arange(2 ** len(others))[:, None] >> np.arange(len(others))) & 1 > 0
    costs = patterns @ problem.cost[others]
    base = int(problem.cost[problem.forced].sum())
    for number in np.argsort(costs, kind="stable"):
        hidden = problem.forced.copy()
        hidden[others[patterns[number]]] = True
        shown = ~hidden
        left = every.figures[(every.figures[:, shown] == every.true[shown]).all(axis=1)]
        if all(np.bincount(left[:, at]).max() <= LIMIT * len(left) for at in np.flatnonzero(problem.primary)):
            return base + int(costs[number])
    return None
