"""Suppression: what is withheld and what that costs, against the optimal and the modular method of tau-ARGUS."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator

import numpy as np
from figures import Figure, Finding, Skipped
from peers import tau_argus_patterns
from tables.suppression_tables import CASES, HOW_TO_GET, Case

import fiberwalk as fw
from fiberwalk.protect.withholding.least_suppression import Withheld, least_suppression
from fiberwalk.protect.withholding.problem import SuppressionProblem

WORDS = (
    "What all withheld figures cost together (their values, and of patterns that have the same that of fewer figures), for "
    "the same sensitive figures, levels, costs and figures that must stay, and the processor seconds that the pattern took. "
    "Every pattern is looked through by our bounds, which are sharp, and by the audit of pytauargus. A pattern of the peer "
    "that leaves a figure less wide than wanted is no answer: how many figures is told, and costs are not compared."
)
QUICK = ("sdcTable, 168 cells", "economy, turnover by size")
METHODS = {
    tau_argus_patterns.OPTIMAL: tau_argus_patterns.optimal,
    tau_argus_patterns.MODULAR: tau_argus_patterns.modular,
}
SECONDS = 300.0
"""For our pattern; pytauargus gets a minute."""


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
            yield from _raced(case)


def _raced(case: Case) -> Iterator[Finding]:
    problem = case.make()
    begin = time.process_time()
    ours = least_suppression(problem, max_seconds=SECONDS)
    seconds = time.process_time() - begin
    assert not len(problem.too_narrow(whole(problem, ours.hidden)))
    if tau_argus_patterns.installed():
        assert not tau_argus_patterns.held(problem, whole(problem, ours.hidden)), "its audit refuses our pattern"
        for peer, method in METHODS.items():
            answer = method(problem)
            if answer.hidden is None:
                yield Skipped("suppression", f"{peer}: {case.name}", answer.why)
                continue
            yield from _compared(case, problem, ours, peer, answer.hidden)
            yield _timed(case, seconds, peer, answer.seconds)


def whole(problem: SuppressionProblem, hidden: np.ndarray) -> np.ndarray:
    """A pattern with the further sums of single contributors, which nobody publishes."""
    return np.append(hidden, np.ones(problem.sums.shape[0], dtype=bool))


def cost_of(problem: SuppressionProblem, hidden: np.ndarray) -> float:
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
            more_is_better=False, guarded=False, note=f"its own audit finds {by_itself}; "
            f"its pattern costs {cost_of(problem, other):,.0f}, ours {cost_of(problem, mine):,.0f}; {note}",
        )  # fmt: skip
        return
    yield Figure(
        "suppression", case.name, "cost of the pattern", "", cost_of(problem, mine), peer, cost_of(problem, other),
        more_is_better=False, target=1.0, guarded=False, note=f"{note}, and in its own by ours"
        + (f" (its own audit finds {by_itself} less wide than wanted)" if by_itself else ""),
    )  # fmt: skip


def _timed(case: Case, seconds: float, peer: str, theirs: float) -> Figure:
    return Figure(
        "suppression", case.name, "time for the pattern", "s", seconds, peer, theirs, more_is_better=False, guarded=False
    )  # fmt: skip
