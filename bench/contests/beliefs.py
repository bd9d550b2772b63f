"""What is believed of sensitive figures after suppression, and the price of mending that with a target on it."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator

import numpy as np
from figures import Figure, Finding, Skipped
from peers import tau_argus_patterns
from tables.suppression_tables import CASES, HOW_TO_GET, Case

import fiberwalk as fw
from contests.suppression import METHODS, cost_of, whole
from fiberwalk.base.errors import FiberwalkError
from fiberwalk.protect.withholding.least_suppression import least_suppression
from fiberwalk.protect.withholding.problem import SuppressionProblem

WORDS = (
    "Tables of counts, with the patterns of the contest before: under the uniform law, the sensitive figures of which one "
    "value has more than half of the probability although their intervals are as wide as wanted; and what a pattern costs "
    "that mends that, found with `until='p <= 0.5'`."
)
QUICK = ("sdcTable, 168 cells",)
UNTIL, MOST_LIKELY = "p <= 0.5", 0.5
SECONDS, FOR_MENDING = 10.0, 40.0
"""For a pattern or an audit, and for the search for a pattern that reaches the probability."""
SLACK = 0.01
"""What chains may be wrong by."""
SMALL = 460
"""Figures of the tables that are taken."""


def run(quick: bool) -> Iterator[Finding]:
    """Table after table."""
    warnings.simplefilter("ignore")
    if not tau_argus_patterns.installed():
        yield Skipped("beliefs", tau_argus_patterns.OPTIMAL, tau_argus_patterns.HOW_TO_GET)
    cases = [case for case in CASES if case.counts and (not quick or case.name in QUICK)]
    if any(not case.there for case in cases):
        yield Skipped("beliefs", "tables of other projects", HOW_TO_GET)
    for case in cases:
        problem = case.make() if case.there else None
        if problem is not None and len(problem.figures) <= SMALL:
            yield from _believed(case, problem)


def _believed(case: Case, problem: SuppressionProblem) -> Iterator[Finding]:
    """How many sensitive figures each pattern leaves with a value that is more probable than not, and the price of none."""
    ours = least_suppression(problem, max_seconds=SECONDS)
    patterns = {"ours": ours.hidden}
    for peer, method in METHODS.items() if tau_argus_patterns.installed() else ():
        hidden = method(problem).hidden
        if hidden is not None and not len(problem.too_narrow(hidden)):
            patterns[peer] = hidden
    left = {name: too_likely(problem, hidden) for name, hidden in patterns.items()}
    first, *others = left.items()
    for peer, number in others or [("", None)]:
        yield Figure(
            "beliefs", case.name, f"sensitive figures with P above {MOST_LIKELY}", "figures", float(first[1]), peer,
            None if number is None else float(number), more_is_better=False, guarded=False,
            note=f"of {int(problem.primary.sum())}, all of them as wide as wanted in both patterns",
        )  # fmt: skip
    begin = time.process_time()
    try:
        mended = fw.protect.suppression(problem, until=UNTIL, max_seconds=FOR_MENDING)
    except FiberwalkError as why:
        yield Skipped("beliefs", f"{case.name}, until {UNTIL}", str(why))
        return
    hidden = mended.withheld.hidden
    yield Figure(
        "beliefs", case.name, f"cost of the pattern until {UNTIL}", "", mended.cost, "ours for intervals",
        cost_of(problem, ours.hidden), more_is_better=False, guarded=False,
        note=f"{time.process_time() - begin:.0f} s; {int(hidden.sum())} figures withheld against "
        f"{int(ours.hidden.sum())}; with P above {MOST_LIKELY} by another seed: {too_likely(problem, hidden)}"
        + (f"; {mended.withheld.stopped}" if mended.withheld.stopped else ""),
    )  # fmt: skip


def too_likely(problem: SuppressionProblem, hidden: np.ndarray) -> int:
    """Of how many sensitive figures one value has more than half of the probability."""
    release = problem.released(whole(problem, hidden[: len(problem.figures)]))
    audit = fw.audit(release, law="uniform", seed=7, max_seconds=SECONDS)
    dims, number = problem.figures.start.dims, 0
    for key in problem.figures.keys[problem.primary].tolist():
        labels = {dim.name: dim.node_labels[node] for node, dim in zip(key, dims, strict=True) if node != dim.total}
        number += audit.pmf(**labels).max() > MOST_LIKELY + SLACK
    return number
