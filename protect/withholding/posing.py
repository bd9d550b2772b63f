"""Posing a suppression problem: what was asked for, in the user's words, as arrays over all figures of the tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...base.numbers import is_number
from ...base.saved_forms import saved
from ...release.facts.facts import PRIMARY
from ...release.facts.knowledge import Rule
from ...release.release import Release, true_table
from ...release.tables.tables import Table
from .figures.figures import Figures, figures_of, listed_tables
from .figures.lone_contributors import lone_contributors, own_sums
from .figures.naming_figures import numbers_of, picked_figures, scaled_amounts
from .figures.on_paper import amounts_on_paper, costs_on_paper, is_function, named_on_paper, names_on_paper
from .patterns.suppression_task import Sensitive
from .problem import SuppressionProblem

MINIMISE = ("cells", "counts", "logs", "entropy")
TOTALS = "totals"
PREFERRED = 10
"""How many times less a preferred figure costs."""
_NAMED, _AMOUNTS = ("where", "keep", "prefer", "withheld"), ("below", "above", "width")
_FINE = 1000
"""Steps of a cost that is no whole number."""
_SAFE = 10**12
"""Sums of costs up to this leave solvers room to tell a difference of 1."""


@saved("Wishes")
@dataclass(frozen=True, eq=False, repr=False)
class Wishes:
    """What `problem` was asked for, so that the same can be asked of another table: called with its figures."""

    where: Any = None
    rule: str | None = None
    zeros_hidden: bool = False
    below: Any = 0
    above: Any = 0
    width: Any = 0
    percent: float | None = None
    minimise: Any = "cells"
    keep: Any = None
    prefer: Any = None
    withheld: Any = None
    secondary_zeros: bool = False
    alone: Any = None

    @property
    def fixed(self) -> tuple[str, ...]:
        """What was said figure by figure, and not as something that follows from a table."""
        said = {name: getattr(self, name) for name in ("where", *_AMOUNTS, "minimise", "keep", "prefer", "withheld")}
        said |= {"alone": None if self.alone is False else self.alone}
        plain = (str, int, float, np.integer, np.floating)
        return tuple(
            name
            for name, one in said.items()
            if one is not None and not isinstance(one, plain) and not is_function(one)
        )

    def __call__(self, figures: Figures) -> SuppressionProblem:
        """The problem that they pose for other true figures."""
        return _posed(figures, self)

    def on_paper(self, figures: Figures) -> Wishes | None:
        """The same in forms that a file can hold; None where a function of the user's own is among them."""
        if any(is_function(getattr(self, one.name)) for one in fields(self)):
            return None
        named = {name: named_on_paper(figures, getattr(self, name), f"{name}=") for name in _NAMED}
        amounts = {name: amounts_on_paper(figures, getattr(self, name), f"{name}=") for name in _AMOUNTS}
        minimise = costs_on_paper(figures, self.minimise, "minimise=")
        return replace(self, **named, **amounts, minimise=minimise, alone=names_on_paper(figures, self.alone))


def problem(  # noqa: PLR0913  (a public verb: its keywords are its interface)
    tables: Any,
    where: Any = None,
    *,
    rule: str | None = None,
    zeros_hidden: bool = False,
    below: Any = 0,
    above: Any = 0,
    width: Any = 0,
    percent: float | None = None,
    minimise: Any = "cells",
    keep: Any = None,
    prefer: Any = None,
    withheld: Any = None,
    secondary_zeros: bool = False,
    margins: Iterable[Any] | None = None,
    alone: Any = None,
) -> SuppressionProblem:
    """What suppression has to solve: some tables, what is sensitive in them, what withholding costs and what must stay.

    Cells and totals are named alike: by a list of {dim: label} (dims that are left out are summed over), by a Series of true
    and false by labels (with `Total`, as frames of results have them), by a function of the array of all true figures, or by
    a boolean table of the finest cells (for linked tables a list of these).

    Parameters
    ----------
    tables
        One table, or a list of linked ones: cells and totals whose labels agree are the same. Any form that `publish` takes;
        `fw.table` gives it hierarchies, decimals and who stands behind its cells. A release has its statuses, too.
    where
        Which figures are sensitive (primary suppressions).
    rule
        A threshold such as "< 3": the cells and totals that it hits are sensitive, too. Zeros only with `zeros_hidden`.
    below, above, width
        The wanted interval: it must reach so far below and above the true value, and be so wide (a sliding level). A number,
        or one for each figure in the forms above. Where nothing is wanted, nothing sensitive may be known exactly.
    percent
        So many percent of the true value, rounded up, below and above it.
    minimise
        What withheld figures cost: "cells" (each the same), "counts" (the value), "logs" (its logarithm), "entropy" (what it
        adds to the entropy of its table), or numbers of your own in the forms above.
    keep
        Figures that must be published, or "totals": all of these (in a list of cells, too). The grand total is kept unless
        it is sensitive.
    prefer
        Figures that are rather withheld than others: they cost a tenth.
    withheld
        Figures that are withheld in any case, as they were last year.
    secondary_zeros
        Zeros may be withheld to protect others. Left out, zeros that are not sensitive are published.
    margins
        The totals that are published unless they are withheld: all of them, at every level, when left out.
    alone
        Who is alone in a cell: a table of names, empty where there are none or several, or of true and false where each is
        another one, or a Series of these by labels. Left out, the cells with one contributor that `fw.table` knows; False:
        nobody. Every sensitive figure is protected from each of them, too, and so is the sum of the withheld cells of each.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> p = fw.protect.problem([[1, 5, 4], [7, 20, 6], [3, 8, 9]], rule="< 3", above=2, minimise="counts")
    >>> p
    <SuppressionProblem of A, B: 16 cells and totals, 1 sensitive, 14 may be withheld to protect them>
    """
    if where is None and rule is None:
        tables, where = _statuses(tables)
    else:
        tables = [_plain(table) for table in listed_tables(tables)]
    figures = figures_of(tables, margins)
    return _posed(
        figures,
        Wishes(
            where,
            rule,
            zeros_hidden,
            below,
            above,
            width,
            percent,
            minimise,
            keep,
            prefer,
            withheld,
            secondary_zeros,
            alone,
        ),
    )


def _posed(figures: Figures, wishes: Wishes) -> SuppressionProblem:
    """The problem that some wishes pose for the true figures."""
    primary, values = _primary(figures, wishes), figures.values
    before, kept = picked_figures(figures, wishes.withheld, "withheld="), _kept(figures, wishes.keep)
    for figure in np.flatnonzero(kept & (primary | before)):
        why = "sensitive" if primary[figure] else "withheld already"
        raise InputError(f"keep=: {figures.words(int(figure))} is {why}, and cannot be published.")
    grand = [dim.total for dim in figures.start.dims]
    kept |= (figures.keys == grand).all(axis=1) & ~before
    sums, behind = own_sums(figures, lone_contributors(figures, wishes.alone), primary)
    open_too = figures.offered & ~kept & ((values != 0) | wishes.secondary_zeros)
    levels = [
        scaled_amounts(figures, amount, f"{name}=")
        for name, amount in (("below", wishes.below), ("above", wishes.above), ("width", wishes.width))
    ]
    minimise = wishes.minimise
    return SuppressionProblem(
        figures, primary, _sensitive(figures, primary, sums, levels, wishes.percent), sums, before, open_too,
        *_costs(figures, minimise, wishes.prefer), minimise if isinstance(minimise, str) else "own costs", behind,
        anew=wishes, fixed=wishes.fixed,
    )  # fmt: skip


def _primary(figures: Figures, wishes: Wishes) -> np.ndarray:
    """Which figures are sensitive, as they were named or by the rule."""
    where, rule, values = wishes.where, wishes.rule, figures.values
    primary = picked_figures(figures, where, "where=") if where is not None else np.zeros(len(figures), dtype=bool)
    if rule is not None:
        if figures.start.signed:
            raise InputError("a threshold rule is about figures of at least 0; say which are sensitive with where=.")
        known = Rule.parse(rule, zeros_hidden=wishes.zeros_hidden, decimals=figures.start.decimals)
        primary |= (values >= known.lower) & (values <= known.upper)
    elif wishes.zeros_hidden:
        raise InputError("zeros_hidden= goes with rule=; for zeros as secondaries give secondary_zeros=True.")
    primary &= figures.offered
    _check_primary(figures, primary, rule)
    return primary


def _kept(figures: Figures, keep: Any) -> np.ndarray:
    """The figures that must be published: those that are named, and all totals where "totals" is among them."""
    if isinstance(keep, str):
        keep = [keep]
    stranger = next((one for one in keep if isinstance(one, str) and one != TOTALS), None) if _listed(keep) else None
    if stranger is not None:
        raise InputError(f"keep={stranger!r}: 'totals', or figures by their labels.")
    if not _listed(keep) or TOTALS not in keep:
        return picked_figures(figures, keep, "keep=")
    others = [one for one in keep if not isinstance(one, str)]
    return picked_figures(figures, others or None, "keep=") | (np.arange(len(figures)) >= figures.n_cells)


def _listed(keep: Any) -> bool:
    """Are figures given one by one, some of them perhaps by a word?"""
    return isinstance(keep, (list, tuple)) and any(isinstance(one, str) for one in keep)


def _plain(table: Any) -> Any:
    """A table; a release that knows its truth stands for its own."""
    return _table_of(table) if isinstance(table, Release) else table


def _table_of(release: Release) -> Table:
    table = true_table(release)
    if table is None:
        raise InputError("a release stands for its table only where it is one table and has its truth.")
    return table


def _statuses(tables: Any) -> tuple[list[Any], list[np.ndarray]]:
    """Tables whose statuses say which cells are sensitive, and these."""
    listed = list(tables) if isinstance(tables, (list, tuple)) else [tables]
    if not listed or not all(isinstance(one, Release) for one in listed):
        raise InputError("problem() needs where= or rule= (such as '< 3'): which cells are sensitive?")
    masks = [(one.status == PRIMARY)[one.grids[0].cells] for one in listed]
    return [_table_of(one) for one in listed], masks


def _check_primary(figures: Figures, primary: np.ndarray, rule: str | None) -> None:
    """Refuse a rule that hits nothing, or everything."""
    what = f"rule {rule!r}" if rule is not None else "the condition"
    if not primary.any():
        raise InputError(f"no cell is sensitive: {what} hits none.")
    if primary[: figures.n_cells].all():
        raise InputError(
            f"{what} hides everything, from cell {figures.words(0)} to {figures.words(figures.n_cells - 1)}: no cell is "
            "left to publish; choose a weaker rule, merge categories, or publish() margins only."
        )


def _sensitive(
    figures: Figures, primary: np.ndarray, sums: Any, levels: Sequence[np.ndarray], percent: float | None
) -> Sensitive:
    """What is wanted of every sensitive figure, and of the sums of one contributor's, as whole numbers."""
    places = np.flatnonzero(primary)
    truth = np.concatenate([figures.values[places], sums @ figures.start.truth])
    below, above, width = (
        np.concatenate([amounts[places], np.full(sums.shape[0], amounts[places].max(initial=0))]) for amounts in levels
    )
    if percent is not None:
        if not is_number(percent) or not 0 < percent <= 100:
            raise InputError(f"percent={percent!r}: more than 0 and at most 100.")
        part = np.ceil(np.round(abs(truth) * (percent / 100), 9)).astype(np.int64)
        below, above = np.maximum(below, part), np.maximum(above, part)
    nothing = (below == 0) & (above == 0) & (width == 0)
    further = len(figures) + np.arange(sums.shape[0])
    return Sensitive(np.concatenate([places, further]), below, above, np.where(nothing, 1, width))


def _costs(figures: Figures, minimise: Any, prefer: Any) -> tuple[np.ndarray, int]:
    """What it costs to withhold each figure, as whole numbers, and how many of them are 1 of what is meant."""
    values = abs(figures.values)
    if not isinstance(minimise, str):
        own = numbers_of(figures, minimise, "minimise=", 1.0)
        whole = np.rint(own).astype(np.int64)
        per = 1 if (whole == own).all() else _FINE
        cost = np.maximum(np.rint(own * per).astype(np.int64), 1)
    elif minimise == "cells":
        cost, per = np.ones(len(figures), dtype=np.int64), 1
    elif minimise == "counts":  # of patterns with the same sum that of fewer figures
        per = len(figures) + 1 if float(values.sum()) * (len(figures) + 1) < _SAFE else 1
        cost = values * per + 1 if per > 1 else np.maximum(values, 1)
    elif minimise == "logs":
        cost, per = np.maximum(np.rint(_FINE * np.log2(1 + values)).astype(np.int64), 1), _FINE
    elif minimise == "entropy":
        share = values / max(int(values.max()), 1)
        bits = -share * np.log2(np.where(share > 0, share, 1)) * len(figures)
        cost, per = np.maximum(np.rint(_FINE * bits).astype(np.int64), 1), _FINE * len(figures)
    else:
        raise InputError(f"minimise={minimise!r}: {', '.join(map(repr, MINIMISE))}, or numbers of your own.")
    preferred = picked_figures(figures, prefer, "prefer=")
    if preferred.any():
        cost, per = np.where(preferred, cost, cost * PREFERRED), per * PREFERRED
    return cost, per
