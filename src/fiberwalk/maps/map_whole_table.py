"""Risks of a table as a whole, as the vertical axis of an R-U map: no cell is chosen, and none is looked at by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..base.errors import InputError
from ..base.numbers import in_own_units
from ..protect.count_changes import CHANGES, changes_in
from ..release.facts.facts import NO_VALUE
from ..release.tables.tables import Table
from ..risk import split_entropy, whole_table
from .map_categories import Categories

if TYPE_CHECKING:
    from .map_seen import Seen


@dataclass(frozen=True)
class WholeTableRisk:
    """A risk by its name: what it is in words, its usual weights, and how it is worked out before and after protection."""

    words: str
    """With a gap for whose risk it is."""
    weights: tuple[float, ...]
    before: Callable[..., Any]
    after: Callable[[Seen, Any, Any], Any]
    """Of what was published, with weights and by=."""

    def in_words(self, parts: Categories) -> str:
        """What the axis is called."""
        return self.words.format(parts.words(" of the whole table"))


def whole_table_risk(name: str, table: Table, weights: Any, parts: Categories) -> Callable[[Seen], float]:
    """One of these risks of this table, if it can be measured."""
    risk = RISKS[name]
    if table.decimals:
        raise InputError(f"risk={name!r} is of tables of counts: leave out decimals=.")
    weights = risk.weights if weights is None else weights
    try:
        risk.before(in_own_units(table.values, table.decimals), weights, by=parts.axes)
    except InputError as problem:
        raise InputError(f"risk={name!r}: {problem}") from None
    return lambda seen: parts.one(risk.after(seen, weights, parts.axes))


def _r1(seen: Seen, weights: Any, by: Any) -> Any:
    return whole_table.r1(seen.shown, weights, by=by)


def _r2(seen: Seen, weights: Any, by: Any) -> Any:
    return whole_table.r2(seen.original, seen.shown, weights, by=by)


def _split(seen: Seen, weights: Any, by: Any) -> Any:
    """After protection, as the release says that its counts were changed; before it, where all is published."""
    if not len(seen.release.hidden):
        return split_entropy.split_risk(seen.original, weights, by=by)
    changes, figures = changes_in(seen.release), seen.figures
    if changes is None or (figures == NO_VALUE).any():
        how = " and ".join(one.name for one in seen.release.applied) or "what it publishes"
        raise InputError(
            f"risk='split' is of counts that were changed with known probabilities, which {how} does not tell; the methods "
            f"that do are {', '.join(CHANGES)}. risk='r2' is of any method."
        )
    if (figures < 0).any():
        raise InputError(
            "risk='split' is of counts, and some published figures are below 0: add noise with floor=True."
        )
    published = figures.reshape(seen.original.shape)
    return split_entropy.perturbed_risk(seen.original, published, changes, weights, by=by)


RISKS = {
    "r1": WholeTableRisk(
        "R1{} as published, ignoring the protection (Antal, Shlomo and Elliot)",
        whole_table.WEIGHTS,
        whole_table.r1,
        _r1,
    ),
    "r2": WholeTableRisk("R2{} (Antal, Shlomo and Elliot)", whole_table.WEIGHTS, whole_table.r1, _r2),
    "split": WholeTableRisk(
        "risk{}, small counts apart (Shlomo, Antal and Elliot)", split_entropy.WEIGHTS, split_entropy.split_risk, _split
    ),
}
