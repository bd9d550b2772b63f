"""Risks of a table as a whole by their names, before and after protection: for maps, servers and studies.

A new one has its file in this room and one line in `TABLE_RISKS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from ..base.errors import InputError
from ..protect.count_changes import CountChanges
from . import split_entropy, whole_table
from .split_entropy import SMALL, perturbed_risk, split_risk
from .thinness import thin_lines
from .whole_table import r1, r2


@dataclass(frozen=True)
class TableRisk:
    """A risk by its name: what it is in words, and how it is worked out before and after protection."""

    words: str
    """What it is, with a gap, {}, for whose risk it is."""
    of: Callable[[Any, Any, Any], Any]
    """The risk of the unprotected table F, with weights and `by`."""
    left: Callable[[Any, Any, Sequence[CountChanges], Any, Any], Any]
    """The risk that is left of F when G is published; also given: how counts were changed, method after method."""
    weights: tuple[float, ...] | None
    """Of its terms, unless others are given; None: it is a share, without terms."""
    by_changes: bool = False
    """Does it ask how counts were changed?"""
    may_rise: str = ""
    """What must be said where it is larger after protection than before."""

    def before(self, F: Any, weights: Any = None, by: Any = None) -> Any:
        """The risk of the table as it is."""
        return self.of(F, self._weighed(weights), by)

    def after(self, F: Any, G: Any, changes: Sequence[CountChanges] = (), weights: Any = None, by: Any = None) -> Any:
        """The risk that protection leaves."""
        return self.left(F, G, changes, self._weighed(weights), by)

    def _weighed(self, weights: Any) -> Any:
        if self.weights is None and weights is not None:
            raise InputError("weights= belong to risks with several terms, and this one is a share: leave them out.")
        return self.weights if weights is None else weights


def _split(means: bool) -> Callable[[Any, Any, Sequence[CountChanges], Any, Any], Any]:
    def left(F: Any, G: Any, changes: Sequence[CountChanges], weights: Any, by: Any) -> Any:
        return perturbed_risk(F, G, changes[-1], weights, multiplier=_through(changes), means=means, by=by)

    return left


def _through(changes: Sequence[CountChanges]) -> tuple[float, float] | None:
    """The probabilities that a small and that a large count is kept by all of several methods; None for one method."""
    if len(changes) < 2:
        return None
    small, large = (prod(change.kept(*part) for change in changes) for part in ((0, SMALL), (SMALL + 1, None)))
    return small, large


TABLE_RISKS = {
    "r1": TableRisk(
        "R1{} as published, ignoring the protection (Antal, Shlomo and Elliot)",
        lambda F, weights, by: r1(F, weights, by=by),
        lambda F, G, changes, weights, by: r1(G, weights, by=by),
        whole_table.WEIGHTS,
    ),
    "r2": TableRisk(
        "R2{} (Antal, Shlomo and Elliot)",
        lambda F, weights, by: r1(F, weights, by=by),
        lambda F, G, changes, weights, by: r2(F, G, weights, by=by),
        whole_table.WEIGHTS,
    ),
    "split": TableRisk(
        "risk{}, small counts apart (Shlomo, Antal and Elliot)",
        lambda F, weights, by: split_risk(F, weights, by=by),
        _split(means=False),
        split_entropy.WEIGHTS,
        by_changes=True,
        may_rise=split_entropy.MAY_RISE,
    ),
    "split mean": TableRisk(
        "risk{}, small counts apart, by the mean true count of each figure",
        lambda F, weights, by: split_risk(F, weights, by=by),
        _split(means=True),
        split_entropy.WEIGHTS,
        by_changes=True,
    ),
    "thin lines": TableRisk(
        "share of rows and columns{} with one or two occupied cells",
        lambda F, weights, by: thin_lines(F, by=by),
        lambda F, G, changes, weights, by: thin_lines(F, G, by=by),
        None,
    ),
}
