"""suppression: what is withheld so that sensitive figures are safe, by their intervals or by what would be believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..auditing import audit
from ..base.errors import InputError
from ..base.interruption import check_max_seconds, plain_interrupts, time_limit
from ..base.progress import Progress, shown
from ..protect.withholding.least_suppression import ROUNDS, Withheld, least_suppression
from ..protect.withholding.problem import SuppressionProblem, problem
from ..results.suppression_result import Suppression
from .attempts import Attempts
from .search import Search
from .targets import parse_targets


def suppression(
    tables: Any,
    *,
    until: str | Sequence[str] | None = None,
    law: Any = "uniform",
    rounds: int = ROUNDS,
    seed: int = 1,
    max_seconds: float | None = None,
    progress: Progress | bool | None = None,
    **wishes: Any,
) -> Suppression:
    """Withhold what is sensitive, and as little else as protects it: by intervals, and by probabilities.

    Every sensitive figure keeps the interval that the problem wants, before outsiders and before every contributor who is
    alone in a figure. With `until` no intruder comes to believe too much of one: what she would believe is computed for the
    patterns that are tried, not only between which values a figure lies.

    Parameters
    ----------
    tables
        What `fw.protect.problem` made; or a table, or a list of linked ones, with its keywords as `wishes`.
    until
        What is wanted of the posterior of every sensitive figure: "p <= 0.5" (no value is more probable), "bits >= 1" (so
        much entropy is left), "near 10% <= 0.2" (the probability of being within so many percent of the truth), or several
        of these, joined by "and". A sampled figure counts as safe if it is by three standard errors.
    law
        What the intruder believes beforehand, as for `audit`; with a list of laws the worst of them counts.
    rounds
        How often a pattern is improved before the search settles for one that protects, but may not be the cheapest.
    seed
        Of what is tried at random, and of chains. The same seed gives the same pattern.
    max_seconds
        After so many seconds the best pattern so far is taken; so does Ctrl-C.
    progress
        As for `audit`.
    wishes
        Keywords of `fw.protect.problem`: where, rule, percent, minimise, keep and others.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> s = fw.protect.suppression([[1, 5, 4], [7, 20, 6], [3, 8, 9]], rule="< 3")
    >>> s.cost, s.proven
    (4.0, True)
    >>> t = fw.protect.suppression([[1, 5, 4], [7, 20, 6], [3, 8, 9]], rule="< 3", until="bits >= 3")
    >>> t.cost
    6.0
    """
    if isinstance(tables, SuppressionProblem) and wishes:
        raise InputError(
            f"suppression({next(iter(wishes))}=): that is part of the problem, and said to fw.protect.problem()."
        )
    task = tables if isinstance(tables, SuppressionProblem) else problem(tables, **wishes)
    targets = () if until is None else parse_targets(until)
    laws = list(law) if isinstance(law, (list, tuple)) else [law]
    check_max_seconds(max_seconds)
    with shown(progress) as tell, plain_interrupts(), time_limit(max_seconds):
        first = least_suppression(task, rounds=rounds, seed=seed, progress=tell or False)
        if not targets:
            return Suppression(first, audit)
        return _until(first, Attempts(task, targets, laws, seed), seed, tell or (lambda line: None))


def _until(first: Withheld, attempts: Attempts, seed: int, tell: Progress) -> Suppression:
    """The pattern of intervals, with more withheld until targets are reached."""
    task = first.problem
    arrays = task.task()
    begin = np.append(first.hidden, np.ones(task.sums.shape[0], dtype=bool))
    search = Search(arrays, attempts, lambda hidden: not len(task.too_narrow(hidden)), tell)
    found = search.run(begin, seed)
    if found.hidden is None:
        worst = attempts.beyond(begin)
        figure = int(np.flatnonzero(task.primary)[int(worst.argmax())])
        ended = f"; the search ended early: {found.stopped}" if found.stopped else ""
        raise InputError(
            f"no pattern was found in which {attempts.targets[0].meaning}: what is believed of cell "
            f"{task.figures.words(figure)} stays beyond that; want less, let zeros or totals be withheld, or publish fewer "
            f"margins{ended}."
        )
    hidden = found.hidden[: len(task.figures)]
    cost = int(arrays.cost[found.hidden].sum())
    withheld = replace(first, hidden=hidden, cost=cost, proven=cost <= first.at_least, stopped=found.stopped)
    names = tuple(getattr(law, "name", law) for law in attempts.laws)
    return Suppression(withheld, audit, tuple(attempts.targets), tuple(map(str, names)), first.cost, found.thorough)
