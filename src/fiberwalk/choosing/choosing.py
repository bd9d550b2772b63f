"""cheapest: which mechanism, and how strong, keeps most of a table among those that reach a target on probabilities."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from ..auditing import audit
from ..base.errors import InputError
from ..base.interruption import check_max_seconds, plain_interrupts
from ..base.numbers import check_seed
from ..base.progress import Progress, shown
from ..fiber.laws.by_name import as_law
from ..maps.map_categories import Categories
from ..maps.map_utilities import utility_measure
from ..protect.withholding.posing import problem
from ..release.tables.tables import as_table
from ..results.cheapest_result import Cheapest
from ..withholding.targets import parse_targets
from .ladders import SUPPRESSION, Ladder, ladders
from .outlook import Judge
from .trials import Trials

SECRET = 128
"""Bits of a seed that nobody chose."""
ONLY_SUPPRESSION = ("keep", "withheld")
"""Wishes that other mechanisms cannot keep to."""


def cheapest(
    table: Any,
    mechanisms: Any,
    *,
    until: str | Sequence[str],
    utility: Any = "hellinger",
    law: Any = "uniform",
    seed: int | None = None,
    max_seconds: float | None = None,
    progress: Progress | bool | None = None,
    **wishes: Any,
) -> Cheapest:
    """Find the mechanism, and its strength, that keeps most of a table among those that reach a target on probabilities.

    Each mechanism that is allowed is applied in growing strength, and every candidate is audited as `suppression` audits
    its patterns: what would be believed of each sensitive figure, cell or total, before outsiders and before every
    contributor who is alone in a figure. All candidates stand on one map of risk and utility.

    Parameters
    ----------
    table
        One table, in any form; `fw.table` gives it hierarchies, decimals and who stands behind its cells.
    mechanisms
        What is allowed, a list of names. "suppression": the cheapest pattern of `fw.protect.suppression`. "merge":
        neighbouring categories are published together, one more at a time, until one of the merges that lose so many
        categories reaches the target; the best of these by utility counts. The rule holds for figures of merged categories,
        too; what is named by `where` is looked for in the table's own figures only. "round_to", "random_round",
        "semi_controlled_round", "controlled_round": to base 3, 5, 10, 25 and so on. "add_noise": by cell keys, of growing
        variance. A strength that reaches the target ends these. Or a dict of names and mechanisms as for `ru_map`, with your
        own values, all of which are tried: {"rounded": ("random_round", {"base": [3, 4, 5]}), "suppression": "suppression"}.
    until
        What is wanted of the posterior of every sensitive figure: "p <= 0.5", "bits >= 1", "near 10% <= 0.2", or several,
        as for `suppression`. A sampled figure counts if it reaches that by three standard errors, and where chains do not
        settle nothing counts.
    utility
        What users keep of the cells, by a name or a function as for `ru_map` (without `given=`); the largest is the
        cheapest. Totals are not part of it.
    law
        What intruders believe beforehand, as for `audit`; with a list of laws the worst of them counts, and a user who
        estimates withheld cells believes the first.
    seed
        From which the seeds of random mechanisms, and ties of suppression, follow. The same seed gives the same releases;
        left out, a new one that nobody knows. Whoever can guess it undoes what is random.
    max_seconds
        After so many seconds the best so far is taken; so does Ctrl-C.
    progress
        As for `audit`.
    wishes
        Keywords of `fw.protect.problem`. Every mechanism keeps to: where, rule, zeros_hidden, alone, margins (the totals
        that are published) and below, above, width, percent (intervals that are wanted besides). Only suppression can keep
        to: minimise, prefer, secondary_zeros; and with others beside it keep and withheld are refused.

    Notes
    -----
    Which mechanism and strength was chosen follows from the true table, and no audit counts what that tells. A random
    mechanism is applied once in each strength: draws are not repeated until one pleases, as the published figures would no
    longer have the probabilities that the audit counts with. Likelihoods that are "support only" (suppression, controlled
    rounding) or a cellwise approximation leave out how the method chose; `Cheapest.frame` says which are.

    Contributors who are alone in figures are intruders before every candidate. That the sum of one contributor's cells
    keeps an interval, too, only suppression sees to.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> table = [[1, 5, 4], [7, 20, 6], [3, 8, 9]]
    >>> found = fw.protect.cheapest(table, ["suppression", "merge", "round_to"], until="p <= 0.3", rule="< 3", seed=1)
    >>> found.frame[["reached", "best", "utility", "risk"]].round(2)
                                   reached   best  utility  risk
    mechanism   setting
    suppression                       True   True     0.91  0.14
    merge       categories lost=1     True  False     0.84  0.14
    round_to    base=3               False  False     0.90  0.75
                base=5               False  False     0.89  0.41
                base=10               True  False     0.72  0.27
    >>> found.release
    <Release of A, B (3 x 3): 9 cells, 4 hidden, 7 known sums, with its truth>
    >>> found.by_mechanism["merge"].what
    'B: 1+2'
    """
    check_seed(seed)
    check_max_seconds(max_seconds)
    targets = parse_targets(until)
    laws = list(law) if isinstance(law, (list, tuple)) else [law]
    names = tuple(as_law(one).name for one in laws)
    true = as_table(table, profits=True)
    allowed = ladders(mechanisms, true, table, wishes.get("margins"))
    _refuse_wishes(wishes, allowed)
    task = problem(true, **wishes)
    measure = utility_measure(utility, "all cells", true, Categories())
    own_seed = secrets.randbits(SECRET) if seed is None else int(seed)
    with shown(progress) as tell, plain_interrupts():
        judge = Judge(task, targets, laws, wishes, tell)
        trials = Trials(true, judge, measure, wishes.get("margins"), own_seed, tell or (lambda line: None))
        stopped = trials.all_of(allowed, max_seconds)
    tried = tuple(trials.tried)
    if all(one.release is None for one in tried):
        raise InputError(f"no mechanism can be applied: {tried[0].name}: {tried[0].why_not}")
    return Cheapest(
        tried, trials.original(), " and ".join(one.words for one in targets), names, judge.risk_words, judge.most,
        measure.words, measure.name, audit, own_seed, trials.suppressed, stopped,
    )  # fmt: skip


def _refuse_wishes(wishes: Mapping[str, Any], allowed: Sequence[Ladder]) -> None:
    """Refuse to promise what only suppression can keep, where others are allowed."""
    others = [ladder.name for ladder in allowed if ladder.kind != SUPPRESSION]
    for name in ONLY_SUPPRESSION:
        if wishes.get(name) is not None and others:
            raise InputError(
                f"cheapest({name}=): only suppression publishes some figures as they are and withholds others, "
                f"{', '.join(others)} {'does' if len(others) == 1 else 'do'} not; allow that alone, or leave it out."
            )
