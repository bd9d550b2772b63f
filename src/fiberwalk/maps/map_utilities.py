"""The horizontal axis of an R-U map: utilities by name, or a function of the user's own.

A new utility has its file in `risk/` and one line in `UTILITIES`.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..base.errors import InputError
from ..base.numbers import in_own_units
from ..release.tables.tables import Table
from ..risk.entropy_of_tables import conditional_entropy, table_entropy
from ..risk.hellinger import hellinger_utility
from ..risk.table_change import chi_square_change, cramers_v_change, margin_variance_change
from ..risk.utility import reciprocal, share_published
from .map_axis import Measure, known_name
from .map_categories import Categories
from .map_probabilities import CONDITIONAL_ONLY, OfProbabilities
from .map_seen import Seen
from .own_functions import called, number_from


@dataclass(frozen=True)
class OfCells:
    """How well the cells are known, or which are published: what it is in words, and how it is computed."""

    words: str
    """With a gap for the cells that are chosen, where it is of these."""
    of: Callable[[Seen], float]

    def asked(self, name: str, which: str, table: Table, parts: Categories) -> Measure:
        """The axis of a map that asks for it."""
        return Measure(name, self.words.format(which=which), self.of)


@dataclass(frozen=True)
class Kept:
    """How much of a table is kept in another one: what it is in words, and how it is computed from both."""

    words: str
    of: Callable[..., Any]
    by_category: bool = False
    """Does it take by=? Otherwise it is of the table as a whole in any case."""

    def asked(self, name: str, which: str, table: Table, parts: Categories) -> Measure:
        """The axis of a map that asks for it, if it can be measured on this table."""
        original = in_own_units(table.values, table.decimals)
        try:
            self.of(original, original)
        except InputError as problem:
            raise InputError(f"utility={name!r}: {problem}") from None
        words = self.words + (parts.words() if self.by_category else "")
        return Measure(name, words, partial(self.compared, parts=parts))

    def compared(self, seen: Seen, parts: Categories) -> float:
        """The utility of what was published."""
        if not self.by_category:
            return float(self.of(seen.original, seen.shown))
        return parts.together(self.of(seen.original, seen.shown, by=parts.axes), worst=np.min)


def _precision(seen: Seen, cells: np.ndarray | None) -> float:
    errors = seen.squared_errors
    return reciprocal(float((errors if cells is None else errors[cells]).mean()))


def _entropy_told(original: np.ndarray, shown: np.ndarray, by: Any = None) -> np.ndarray:
    """The share of a table's entropy that another takes away, 1 - H(X|Y)/H(X), as in R2; 1 where there is no entropy.

    It is 0 in a category that is published as if nobody were in it.
    """
    entropy = np.asarray(table_entropy(original, by=by))
    left = np.asarray(conditional_entropy(original, shown, by=by))
    told = np.divide(entropy - left, entropy, out=np.ones_like(entropy), where=entropy != 0)
    return np.where(np.isnan(left) & ~np.isnan(entropy), 0.0, told)


UTILITIES: dict[str, OfCells | Kept | OfProbabilities] = {
    "mean squared precision": OfCells("mean squared precision, {which}", lambda seen: _precision(seen, seen.chosen)),
    "overall precision": OfCells("mean squared precision, all cells", lambda seen: _precision(seen, None)),
    "joint probability": OfProbabilities("1 / mean squared error of the joint probabilities", conditional=False),
    "conditional probability": OfProbabilities(
        "1 / mean squared error of the probabilities given {given}", conditional=True
    ),
    "published": OfCells("share of cells published as they are", lambda seen: share_published(seen.release)),
    "hellinger": Kept("1 - Hellinger distance / sqrt(N)", hellinger_utility, by_category=True),
    "conditional entropy": Kept("share of the entropy told, 1 - H(X|Y)/H(X)", _entropy_told, by_category=True),
    "chi-square": Kept(
        "1 - relative change of chi-square",
        lambda original, shown: 1 - abs(chi_square_change(original, shown, relative=True)),
    ),
    "cramer's v": Kept("1 - change of Cramer's V", lambda original, shown: 1 - abs(cramers_v_change(original, shown))),
    "margins": Kept(
        "1 - relative change of the margins' variance",
        lambda original, shown: 1 - margin_variance_change(original, shown),
    ),
}


def utility_measure(utility: Any, which: str, table: Table, parts: Categories, given: tuple[int, ...] = ()) -> Measure:
    """The horizontal axis; `which` says in words which cells are chosen, `parts` of which categories it is, if it can be.

    `given` are the axes of the dims to condition on.
    """
    if callable(utility):
        if given:
            raise InputError(CONDITIONAL_ONLY)
        return Measure(called(utility), called(utility), _own_utility(utility), _error_of_audited)
    name = known_name("utility", utility, UTILITIES)
    kind = UTILITIES[name]
    if isinstance(kind, OfProbabilities):
        return kind.asked(name, table, given)
    if given:
        raise InputError(CONDITIONAL_ONLY)
    return replace(kind.asked(name, which, table, parts), error=_error_of_audited)


def _error_of_audited(seen: Seen) -> float:
    """0 where no audit was needed, or where it is exact."""
    return 0.0 if seen.audited is None or seen.audited.method == "exact" else math.nan


def _own_utility(utility: Callable[..., Any]) -> Callable[[Seen], float]:
    try:
        inspect.signature(utility).bind(None, None, None)
        takes_audit = True
    except (TypeError, ValueError):
        takes_audit = False

    def of(seen: Seen) -> float:
        arguments = (seen.table.to_xarray(), seen.release, *([seen.audit] if takes_audit else []))
        return number_from(lambda: utility(*arguments), "utility=")

    return of
