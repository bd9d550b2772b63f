"""Complementary (secondary) suppression: besides the sensitive cells others are withheld, so that none can be derived."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...base.progress import Progress
from ...release.facts.knowledge import Rule
from ...release.publish import parse_margins
from ...release.release import Release, of_table
from ...release.tables.tables import Table, as_table, cell_mask
from .least_suppression import least_suppression
from .posing import problem
from .suppression import refuse_cells_as_margin, refuse_everything


def complementary_suppress(  # noqa: PLR0913  (a public verb: its keywords are its interface)
    table: Any,
    where: Any = None,
    *,
    rule: str | None = None,
    below: float = 0,
    above: float = 0,
    width: float = 0,
    percent: float | None = None,
    minimise: str = "cells",
    rule_known: bool = False,
    flags: bool = False,
    zeros_hidden: bool = False,
    secondary_zeros: bool = False,
    rounds: int = 25,
    margins: Iterable[Any] | None = None,
    max_seconds: float | None = None,
    progress: Progress | bool | None = None,
) -> Release:
    """Withhold the sensitive cells of a table and as few others as protect them; publish the rest and every margin.

    The sensitive cells (primary suppressions) are those of `rule` and `where`. The others (secondary ones) are chosen so
    that every primary keeps the wanted interval, as `bounds` computes it in whole numbers, at the least cost. The words of
    `release.applied` say whether the pattern is proven to be the cheapest. An intruder is taken to know the figures that
    are published, and the rule if it says so, but not how the secondaries were chosen: the likelihood is "support only".

    Parameters
    ----------
    table
        Any form of table that `publish` takes.
    where
        Sensitive cells: a boolean table, a function of the table, or a list of cells as {dim: label}.
    rule
        A threshold such as "< 3": the cells it hits are sensitive. Zeros are not, unless `zeros_hidden`.
    below, above, width
        The wanted interval: it must reach at least so far below and above the true value, and be so wide. Where nothing is
        wanted, no primary may be known exactly (width=1 in the last decimal).
    percent
        So many percent of the true value, rounded up, below and above it.
    minimise
        What withheld cells cost: "cells" (each one the same) or "counts" (its value; ties go to fewer cells).
    rule_known, flags
        The intruder knows the rule, and with `flags` also sees which cells are primary: see `suppress`. The intervals are
        those of this intruder.
    zeros_hidden
        The rule hits zeros, too.
    secondary_zeros
        Zeros may be withheld to protect others. Left out, zeros that are not sensitive are published.
    rounds
        How often a pattern is improved before the search settles for one that protects, but may not be the cheapest.
    margins
        The margins to publish (all of them, at every level, when left out); none of their figures is withheld.
    max_seconds
        After so many seconds the best pattern so far is taken; so does Ctrl-C.
    progress
        As for `audit`.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> r = fw.protect.complementary_suppress([[1, 6, 4], [7, 20, 6], [3, 8, 9]], rule="< 3", above=2, minimise="counts")
    >>> r.published.values.tolist()
    [[nan, 6.0, nan], [7.0, 20.0, 6.0], [nan, 8.0, nan]]
    >>> fw.bounds(r).iloc[0].to_dict()
    {'lower': 0, 'upper': 4}
    >>> r.applied[0].own_words
    'of 9 cells 1 is withheld as sensitive and 3 are to protect it; proven to be the least sum of counts that does'
    """
    _check_rule(
        where, rule, rule_known=rule_known, flags=flags, zeros_hidden=zeros_hidden, secondary_zeros=secondary_zeros
    )
    _check_search(minimise, rounds)
    labelled = as_table(table)
    known = None if rule is None else Rule.parse(rule, zeros_hidden=zeros_hidden, decimals=labelled.decimals)
    primary = _primary(labelled, where, known)
    what = f"rule {rule!r}" if rule is not None else "the condition"
    if not primary.any():
        raise InputError(f"no cell is sensitive: {what} hits none.")
    refuse_everything(of_table(labelled), primary.ravel(), what)
    published = parse_margins(margins, labelled.dims)
    refuse_cells_as_margin(published, labelled.dims)
    if not published:
        raise InputError(
            "complementary_suppress(margins=[]): without margins nothing can be computed back; use suppress()."
        )
    task = problem(
        labelled, primary, below=below, above=above, width=width, percent=percent, minimise=minimise, keep="totals",
        secondary_zeros=secondary_zeros, margins=published, alone=False,
    )  # fmt: skip
    if rule_known:
        task = replace(task, rule=known, flags=flags)
    return least_suppression(task, rounds=rounds, max_seconds=max_seconds, progress=progress).release


def _check_rule(
    where: Any, rule: str | None, *, rule_known: bool, flags: bool, zeros_hidden: bool, secondary_zeros: bool
) -> None:
    """Refuse words about the rule that contradict each other."""
    if where is None and rule is None:
        raise InputError("complementary_suppress() needs where= or rule= (such as '< 3'): which cells are sensitive.")
    if (rule_known or flags) and (rule is None or where is not None):
        raise InputError("rule_known= and flags= go with rule= alone, without where=.")
    if flags and not rule_known:
        raise InputError("flags= says what an intruder who knows the rule can see: give rule_known=True with it.")
    if zeros_hidden and rule is None:
        raise InputError("zeros_hidden= goes with rule=; for zeros as secondaries give secondary_zeros=True.")
    if secondary_zeros and rule_known:
        raise InputError(
            "secondary_zeros=True: an intruder who knows the rule knows that it hides no zeros; leave one out."
        )


def _check_search(minimise: str, rounds: Any) -> None:
    if minimise not in ("cells", "counts"):
        raise InputError(f"complementary_suppress(minimise={minimise!r}): 'cells' or 'counts'.")
    if isinstance(rounds, bool) or not isinstance(rounds, (int, np.integer)) or rounds < 1:
        raise InputError(f"complementary_suppress(rounds={rounds!r}): a whole number of at least 1.")


def _primary(table: Table, where: Any, rule: Rule | None) -> np.ndarray:
    """The sensitive cells: those that the rule hits, and those that are named."""
    truth = table.values
    primary = np.zeros(truth.shape, dtype=bool)
    if rule is not None:
        primary |= (truth >= rule.lower) & (truth <= rule.upper)
    if where is not None:
        primary |= cell_mask(where, table)
    return primary
