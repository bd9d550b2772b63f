"""Complementary (secondary) suppression: besides the sensitive cells others are withheld, so that none can be derived."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...base.numbers import scaled
from ...base.progress import Progress, shown
from ...fiber.blocks.presolve import presolve
from ...fiber.bounds.chooser import sharp_bounds
from ...release.facts.facts import Applied, Protection
from ...release.facts.knowledge import Rule
from ...release.publish import parse_margins, publish_margins
from ...release.release import Release, of_table
from ...release.tables.tables import Table, as_table, cell_mask
from ..mechanism.mechanism import SUPPORT
from .suppression import refuse_cells_as_margin, refuse_everything, with_withheld
from .suppression_pattern import Pattern, Room, Sensitive, cheapest_pattern


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
    progress
        As for `audit`.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> r = fw.protect.complementary_suppress([[1, 5, 4], [7, 20, 6], [3, 8, 9]], rule="< 3", above=2, minimise="counts")
    >>> r.published.values.tolist()
    [[nan, 5.0, nan], [7.0, 20.0, 6.0], [nan, 8.0, nan]]
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
    start = of_table(labelled)
    what = f"rule {rule!r}" if rule is not None else "the condition"
    if not primary.any():
        raise InputError(f"no cell is sensitive: {what} hits none.")
    refuse_everything(start, primary, what)
    published = parse_margins(margins, labelled.dims)
    refuse_cells_as_margin(published, labelled.dims)
    if not published:
        raise InputError(
            "complementary_suppress(margins=[]): without margins nothing can be computed back; use suppress()."
        )
    low, high, wide = (
        scaled(amount, labelled.decimals, f"complementary_suppress({name}=)")
        for name, amount in (("below", below), ("above", above), ("width", width))
    )
    sensitive = _wanted(start, np.flatnonzero(primary), low, high, wide, percent)
    task = _Task(start, primary, sensitive, published, known if rule_known else None, flags)
    room, allowed = task.room(secondary_zeros)
    _refuse_impossible(task.released(allowed | primary), sensitive, secondary_zeros or rule_known)
    n, truth = start.n_cells, task.truth
    cost = np.ones(n, dtype=np.int64) if minimise == "cells" else truth * (n + 1) + 1
    with shown(progress) as tell:
        pattern = cheapest_pattern(
            room, sensitive, allowed, cost, task.too_narrow, rounds=int(rounds), tell=tell or (lambda line: None)
        )
    return task.result(pattern, minimise)


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
    truth = table.values.ravel()
    primary = np.zeros(len(truth), dtype=bool)
    if rule is not None:
        primary |= (truth >= rule.lower) & (truth <= rule.upper)
    if where is not None:
        primary |= cell_mask(where, table).ravel()
    return primary


@dataclass(frozen=True, eq=False)
class _Task:
    """What is to be protected, and from whom."""

    start: Release
    """The table, of which nothing is published yet."""
    primary: np.ndarray
    sensitive: Sensitive
    shown: Sequence[Any]
    """The margins that are published."""
    rule: Rule | None
    """The rule, where the intruder knows it."""
    flags: bool

    @property
    def truth(self) -> np.ndarray:
        """The true table."""
        assert self.start.truth is not None
        return self.start.truth

    def released(self, hidden: np.ndarray) -> Release:
        """The release that withholds these cells."""
        release = with_withheld(self.start, hidden, self.primary)
        release = publish_margins(replace(release, flagged=self.flags), self.shown)
        return release.knows_rule(self.rule, flags=self.flags) if self.rule is not None else release

    def too_narrow(self, hidden: np.ndarray) -> np.ndarray:
        """The sensitive cells whose interval is narrower than wanted where these cells are withheld."""
        cells = self.sensitive.cells
        return cells[~_wide_enough(*_intervals(self.released(hidden), cells), self.truth, self.sensitive)]

    def room(self, zeros: bool) -> tuple[Room, np.ndarray]:
        """How far each cell can be from the truth once it is hidden, and which may be withheld to protect others."""
        truth = self.truth
        lower, upper = _hidden_range(self.start, self.primary, self.rule, self.flags)
        keys, sums = self.start.margins(self.shown)
        sums = sums[np.flatnonzero(~self.start.is_cell(keys))]
        for i in range(sums.shape[0]):
            cells = sums.indices[sums.indptr[i] : sums.indptr[i + 1]]
            upper[cells] = np.minimum(upper[cells], truth[cells].sum())
        allowed = (lower <= truth) & (truth <= upper) & ((truth > 0) | zeros)
        return Room(sums, truth - lower, upper - truth), allowed

    def result(self, pattern: Pattern, minimise: str) -> Release:
        """The release of a pattern, with what was done and the protection that was asked for."""
        start, wanted = self.start, self.sensitive
        words = f"{int(pattern.hidden.sum()):,} of {start.n_cells:,} cells are withheld"
        own_words = _words(start, pattern, self.primary, minimise)
        applied = Applied("complementary suppression", SUPPORT, words, own_words=own_words)
        release = self.released(pattern.hidden)
        levels = zip(wanted.cells, wanted.below, wanted.above, wanted.width, strict=True)
        return replace(
            release,
            protection={
                tuple(start.keys[cell].tolist()): Protection(int(under), int(over), int(broad))
                for cell, under, over, broad in levels
            },
            applied=(applied,),
            notes=(f"{applied.name}: {applied.words} (likelihood: {applied.likelihood})", *release.notes),
        )


def _wanted(
    release: Release, cells: np.ndarray, below: int, above: int, width: int, percent: float | None
) -> Sensitive:
    """What the user wants of every primary, as whole numbers."""
    if min(below, above, width) < 0:
        raise InputError("complementary_suppress(): below=, above= and width= are at least 0.")
    low, high = np.full(len(cells), below), np.full(len(cells), above)
    if percent is not None:
        number = isinstance(percent, (int, float, np.number)) and not isinstance(percent, bool)
        if not number or not 0 < percent <= 100:
            raise InputError(f"complementary_suppress(percent={percent!r}): more than 0 and at most 100.")
        assert release.truth is not None
        part = np.ceil(np.round(release.truth[cells] * (percent / 100), 9)).astype(np.int64)
        low, high = np.maximum(low, part), np.maximum(high, part)
    least = 1 if percent is None and not (below or above or width) else 0
    return Sensitive(cells, low, high, np.full(len(cells), max(width, least)))


def _hidden_range(
    release: Release, primary: np.ndarray, rule: Rule | None, flags: bool
) -> tuple[np.ndarray, np.ndarray]:
    """What an intruder takes a cell to be once she sees that it is hidden."""
    lower, upper = release.lower.copy(), release.upper.copy()
    if rule is not None:
        lower[:] = rule.lower
        if flags:
            lower[~primary], upper[primary] = rule.upper + 1, rule.upper
    return lower, upper


def _intervals(release: Release, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    bounds = sharp_bounds(presolve(release), release.picked(cells))
    return bounds.lower, bounds.upper


def _wide_enough(lower: np.ndarray, upper: np.ndarray, truth: np.ndarray, sensitive: Sensitive) -> np.ndarray:
    true = truth[sensitive.cells]
    return np.asarray(
        (lower <= true - sensitive.below) & (upper >= true + sensitive.above) & (upper - lower >= sensitive.width)
    )


def _refuse_impossible(release: Release, sensitive: Sensitive, zeros: bool) -> None:
    """Refuse an interval that no primary can have even where every cell is withheld that may be."""
    assert release.truth is not None
    lower, upper = _intervals(release, sensitive.cells)
    for i in np.flatnonzero(~_wide_enough(lower, upper, release.truth, sensitive)):
        more = "" if zeros else ", or let zeros be withheld (secondary_zeros=True)"
        raise InputError(
            f"no suppression can give cell {release.words(release.keys[sensitive.cells[i]])} the wanted interval: with "
            "every other cell withheld that may be, it still is known too well; want less, publish fewer margins "
            f"(margins=){more}."
        )


def _words(release: Release, pattern: Pattern, primary: np.ndarray, minimise: str) -> str:
    """What was done, and whether it is proven to be the cheapest."""
    assert release.truth is not None
    first, other = int(primary.sum()), int((pattern.hidden & ~primary).sum())
    words = (
        f"of {release.n_cells:,} cells {first:,} {'is' if first == 1 else 'are'} withheld as sensitive and {other:,} "
    )
    words += f"{'is' if other == 1 else 'are'} to protect {'it' if first == 1 else 'them'}; "
    kind = "number of cells" if minimise == "cells" else "sum of counts"
    if pattern.proven:
        return f"{words}proven to be the least {kind} that does"
    if minimise == "cells":
        cost, least = f"{pattern.cost:,}", f"{pattern.at_least:,}"
    else:
        cost = release.show(int(release.truth[pattern.hidden].sum()))
        least = release.show(pattern.at_least // (release.n_cells + 1))
    return (
        f"{words}not proven to be the least {kind} that does ({cost} withheld in all, no pattern has less than {least})"
    )
