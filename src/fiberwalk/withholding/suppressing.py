"""suppression: what is withheld so that sensitive figures are safe, by their intervals or by what would be believed."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from ..base.errors import InputError
from ..base.interruption import check_max_seconds, plain_interrupts, time_limit
from ..base.numbers import check_seed
from ..base.progress import Progress, shown
from ..protect.withholding.least_suppression import ROUNDS
from ..protect.withholding.posing import problem
from ..protect.withholding.problem import SuppressionProblem
from .informed import check_knows
from .informed_targets import check_before_informed
from .program import Program
from .suppression_result import Suppression
from .targets import parse_targets

SECRET = 62
"""Bits of a seed that nobody chose."""


def suppression(
    tables: Any,
    *,
    until: str | Sequence[str] | None = None,
    law: Any = "uniform",
    knows: str | None = None,
    rounds: int = ROUNDS,
    seed: int | None = None,
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
    knows
        "algorithm": what `until` wants must hold before an outsider who knows the program, too (`Suppression.audit`), of
        every figure that would be sensitive in any table that she keeps. For small problems, of which every table is run
        through the program. It is a check, and no further search: a pattern that fails is refused, and where others are
        tried until one passes (another seed, other wishes), she may conclude from that, too.
    rounds
        How often a pattern is improved before the search settles for one that protects, but may not be the cheapest.
    seed
        Of what is tried at random, and of which of equally cheap patterns is taken. The same seed gives the same pattern;
        left out, a new one that nobody knows, so that it cannot be told from the pattern which tables would have another.
        `Suppression.seed` is for you alone.
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
    >>> t = fw.protect.suppression([[1, 5, 4], [7, 20, 6], [3, 8, 9]], rule="< 3", until="bits >= 3", seed=1)
    >>> t.cost
    6.0
    """
    if isinstance(tables, SuppressionProblem) and wishes:
        raise InputError(
            f"suppression({next(iter(wishes))}=): that is part of the problem, and said to fw.protect.problem()."
        )
    check_seed(seed)
    task = tables if isinstance(tables, SuppressionProblem) else problem(tables, **wishes)
    targets = () if until is None else parse_targets(until)
    laws = tuple(law) if isinstance(law, (list, tuple)) else (law,)
    check_max_seconds(max_seconds)
    if knows is not None:
        check_knows(knows, bool(targets))
    program, own_seed = Program(task, targets, laws, rounds), secrets.randbits(SECRET) if seed is None else int(seed)
    with shown(progress) as tell, plain_interrupts(), time_limit(max_seconds):
        found = program.solved(own_seed, tell)
        if knows is not None:
            check_before_informed(program, found.withheld, own_seed, knows, tell)
    return Suppression(found.withheld, program, own_seed, found.cost_of_intervals, found.thorough, knows)
