"""Suppression: what is withheld and what that costs, against the optimal and the modular method of tau-ARGUS."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator

import numpy as np
from figures import Figure, Finding, Skipped
from peers import tau_argus_patterns
from suppression_tables import CASES, HOW_TO_GET, Case

import fiberwalk as fw
from fiberwalk.base.errors import FiberwalkError
from fiberwalk.protect.withholding.least_suppression import Withheld, least_suppression
from fiberwalk.protect.withholding.problem import SuppressionProblem

WORDS = (
    "What all withheld figures cost together (their values, and of patterns that have the same that of fewer figures), for "
    "the same sensitive figures, levels, costs and figures that must stay, and the processor seconds that the pattern took. "
    "Every pattern is looked through by our bounds, which are sharp, and by the audit of pytauargus. A pattern of the peer "
    "that leaves a figure less wide than wanted is no answer: how many figures is told, and costs are not compared. Of "
    "counts, the patterns are audited under the uniform law: sensitive figures of which one value has more than half of the "
    "probability, and what it costs to mend that with `until='p <= 0.5'`."
)
QUICK = ("sdcTable, 168 cells", "economy, turnover by size")
METHODS = {tau_argus_patterns.OPTIMAL: tau_argus_patterns.optimal, tau_argus_patterns.MODULAR: tau_argus_patterns.modular}
UNTIL, MOST_LIKELY = "p <= 0.5", 0.5
SECONDS = 60.0
"""For our pattern, as pytauargus gets a minute."""
MENDED = 90.0
"""Seconds for the pattern that reaches the probability."""
SMALL = 400
"""Figures up to which that is looked for."""


def run(quick: bool) -> Iterator[Finding]:
    """Table after table, method after method."""
    warnings.simplefilter("ignore")
    if not tau_argus_patterns.installed():
        yield Skipped("suppression", tau_argus_patterns.OPTIMAL, tau_argus_patterns.HOW_TO_GET)
    cases = [case for case in CASES if not quick or case.name in QUICK]
    if any(not case.there for case in cases):
        yield Skipped("suppression", "tables of other projects", HOW_TO_GET)
    least_suppression(fw.protect.problem([[1, 5, 4], [7, 20, 6], [3, 8, 9]], rule="< 3"))  # compiles
    for case in cases:
        if case.there:
            yield from _raced(case, quick)


def _raced(case: Case, quick: bool) -> Iterator[Finding]:
    problem = case.make()
    begin = time.process_time()
    ours = least_suppression(problem, max_seconds=SECONDS)
    seconds = time.process_time() - begin
    assert not len(problem.too_narrow(_whole(problem, ours.hidden)))
    patterns = {"ours": ours.hidden}
    if tau_argus_patterns.installed():
        assert not tau_argus_patterns.held(problem, _whole(problem, ours.hidden)), "its audit refuses our pattern"
        for peer, method in METHODS.items():
            answer = method(problem)
            if answer.hidden is None:
                yield Skipped("suppression", f"{peer}: {case.name}", answer.why)
                continue
            yield from _compared(case, problem, ours, peer, answer.hidden)
            yield _timed(case, seconds, peer, answer.seconds)
            patterns[peer] = answer.hidden[: len(problem.figures)]
    if case.counts and not quick:
        yield from _believed(case, problem, ours, patterns)


def _whole(problem: SuppressionProblem, hidden: np.ndarray) -> np.ndarray:
    """A pattern with the further sums of single contributors, which nobody publishes."""
    return np.append(hidden, np.ones(problem.sums.shape[0], dtype=bool))


def _cost(problem: SuppressionProblem, hidden: np.ndarray) -> float:
    """What a pattern costs, in what is minimised."""
    return float(np.where(problem.figures.offered, problem.cost, 0)[hidden[: len(problem.figures)]].sum()) / problem.per


def _compared(
    case: Case, problem: SuppressionProblem, ours: Withheld, peer: str, theirs: np.ndarray
) -> Iterator[Figure]:
    """The costs of two patterns, if the peer's gives every figure what it wants; else how many it does not."""
    narrow, by_itself = problem.too_narrow(theirs), tau_argus_patterns.held(problem, theirs)
    mine, other = ours.hidden, theirs[: len(problem.figures)]
    proven = "proven least" if ours.proven else f"within {ours.cost / max(ours.at_least, 1) - 1:.1%} of the least"
    note = (
        f"{int(mine.sum())} figures withheld against {int(other.sum())}, {int(problem.primary.sum())} of them sensitive; "
        f"ours {proven}; all levels held in ours by both audits"
    )
    if len(narrow):
        yield Figure(
            "suppression", case.name, "sensitive figures less wide than wanted", "figures", 0.0, peer, float(len(narrow)),
            more_is_better=False, guarded=False, note=f"its own audit finds {by_itself}; cost {_cost(problem, other):,.0f} "
            f"against {_cost(problem, mine):,.0f}; {note}",
        )  # fmt: skip
        return
    yield Figure(
        "suppression", case.name, "cost of the pattern", "", _cost(problem, mine), peer, _cost(problem, other),
        more_is_better=False, target=1.0, guarded=False, note=f"{note}, and in its own by ours"
        + (f" (its own audit finds {by_itself} less wide than wanted)" if by_itself else ""),
    )  # fmt: skip


def _timed(case: Case, seconds: float, peer: str, theirs: float) -> Figure:
    return Figure(
        "suppression", case.name, "time for the pattern", "s", seconds, peer, theirs, more_is_better=False, guarded=False
    )  # fmt: skip


def _believed(
    case: Case, problem: SuppressionProblem, ours: Withheld, patterns: dict[str, np.ndarray]
) -> Iterator[Finding]:
    """How many sensitive figures each pattern leaves with a value that is more probable than not, and the price of none."""
    left = {name: _too_likely(problem, hidden) for name, hidden in patterns.items()}
    told = "; ".join(f"{name}: {number}" for name, number in left.items())
    what, unit = f"sensitive figures with P above {MOST_LIKELY}", "figures"
    for peer, number in list(left.items())[1:] or [("", None)]:
        yield Figure(
            "suppression", case.name, what, unit, float(left["ours"]), peer, None if number is None else float(number),
            more_is_better=False, guarded=False, note=f"of {int(problem.primary.sum())}; patterns for intervals only: {told}",
        )  # fmt: skip
    if len(problem.figures) > SMALL:
        return
    begin = time.process_time()
    try:
        mended = fw.protect.suppression(problem, until=UNTIL, max_seconds=MENDED)
    except FiberwalkError as problem_found:
        yield Skipped("suppression", f"{case.name}, until {UNTIL!r}", str(problem_found))
        return
    yield Figure(
        "suppression", case.name, f"cost of the pattern until {UNTIL}", "", mended.cost, "ours for intervals",
        ours.cost / problem.per, more_is_better=False, guarded=False,
        note=f"{time.process_time() - begin:.0f} s; {int(mended.withheld.hidden.sum())} figures withheld against "
        f"{int(ours.hidden.sum())}; {_too_likely(problem, mended.withheld.hidden)} with P above {MOST_LIKELY}"
        + (f"; {mended.withheld.stopped}" if mended.withheld.stopped else ""),
    )  # fmt: skip


def _too_likely(problem: SuppressionProblem, hidden: np.ndarray) -> int:
    """Of how many sensitive figures one value has more than half of the probability."""
    whole = _whole(problem, hidden[: len(problem.figures)])
    cells = fw.audit(problem.released(whole), law="uniform", seed=7, max_seconds=SECONDS).cells
    keys = [tuple(key) for key in problem.figures.keys[problem.primary].tolist()]
    dims = problem.figures.start.dims
    names = [tuple(dim.node_labels[node] for node, dim in zip(key, dims, strict=True)) for key in keys]
    likely = cells["p_modal"]
    flat = {(one if isinstance(one, tuple) else (one,)): value for one, value in likely.items()}
    return sum(flat[name] > MOST_LIKELY + 1e-9 for name in names)
