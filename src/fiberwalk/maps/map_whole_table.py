"""Risks of a table as a whole, as the vertical axis of an R-U map: no cell is chosen, and none is looked at by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..base.errors import InputError
from ..base.numbers import in_own_units
from ..protect.count_changes import CHANGES, changes_in
from ..release.facts.facts import NO_VALUE
from ..release.tables.tables import Table
from ..risk.table_risks import TABLE_RISKS, TableRisk
from .map_categories import Categories

if TYPE_CHECKING:
    from .map_seen import Seen


def whole_table_risk(name: str, table: Table, weights: Any, parts: Categories) -> Callable[[Seen], float]:
    """One of these risks of this table, if it can be measured."""
    risk = TABLE_RISKS[name]
    if table.decimals:
        raise InputError(f"risk={name!r} is of tables of counts, and this one has decimals.")
    try:
        risk.before(in_own_units(table.values, table.decimals), weights, parts.axes)
    except InputError as problem:
        raise InputError(f"risk={name!r}: {problem}") from None
    of = _by_changes if risk.by_changes else _as_shown
    return lambda seen: parts.together(of(name, risk, seen, weights, parts.axes))


def risk_words(name: str, parts: Categories) -> str:
    """What the axis is called."""
    return TABLE_RISKS[name].words.format(parts.words(" of the whole table"))


def _as_shown(name: str, risk: TableRisk, seen: Seen, weights: Any, by: Any) -> Any:
    """The risk by the table that a user works with."""
    return risk.after(seen.original, seen.shown, (), weights, by)


def _by_changes(name: str, risk: TableRisk, seen: Seen, weights: Any, by: Any) -> Any:
    """After protection, as the release says that its counts were changed; before it, where all is published."""
    if not len(seen.release.hidden):
        return risk.before(seen.original, weights, by)
    changes, figures = changes_in(seen.release), seen.figures
    if changes is None or (figures == NO_VALUE).any():
        names = " and ".join(method.name for method in seen.release.applied) or "what it publishes"
        raise InputError(
            f"risk={name!r} is of counts that were changed with known probabilities, which {names} does not tell; the "
            f"methods that do are {', '.join(CHANGES)}. risk='r2' is of any method."
        )
    if (figures < 0).any():
        raise InputError(
            f"risk={name!r} is of counts, and some published figures are below 0: add noise with floor=True."
        )
    return risk.after(seen.original, figures.reshape(seen.original.shape), (changes,), weights, by)
