"""Percentages and ratios of groups that are published or hidden."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ...base.errors import InputError
from ...base.numbers import check_whole
from ...base.saved_forms import saved
from ..facts.fact import Fact, Meaning, Row
from ..facts.groups import Group
from ..facts.whom import joined_labels
from .rounded import Rounded, rounded
from .rows import as_many, between, counted


@saved("Share")
@dataclass(frozen=True)
class Share:
    """What part of another group a group is, times so many: percent, for a hundred."""

    figure: Rounded
    of: Mapping[str, tuple[str, ...]]
    times: int
    within: bool
    """Is the group to be a part of the other?"""

    of_nobody = True
    """Can it be said of a group in which nobody can be?"""

    def words(self, whom: str) -> str:
        """The figure in words."""
        of = ", ".join(f"{dim}={joined_labels(labels)}" for dim, labels in self.of.items()) or "everybody"
        if self.within and self.times == 100:
            return f"{whom} is {self.figure.written}% of {of}"
        return f"{whom} for every {self.times if self.times > 1 else 'one'} of {of} is {self.figure.written}"

    def means(self, whom: Group) -> Meaning:
        """What it says of the cells."""
        other = whom.other(self.of)
        if self.within and not np.isin(whom.cells, other.cells).all():
            raise InputError(
                f"{self.words(whom.words)}: the one is no part of the other; a ratio says that of any two."
            )
        n = counted(other)
        if n == 0:
            raise InputError(f"{self.words(whom.words)}, and there is nobody in {other.words}.")
        if n is not None:
            low, high = self.figure.whole(Fraction(n, self.times))
            if low > high:
                raise InputError(f"{self.words(whom.words)}: no whole number is rounded to that share of {n}.")
            return Meaning((Row(whom.cells, np.ones(len(whom.cells), dtype=np.int64), low, high),))
        cells = np.union1d(whom.cells, other.cells)
        sizes = [Fraction(self.times * int(inside)) for inside in np.isin(cells, whom.cells)]
        weights = [Fraction(int(inside)) for inside in np.isin(cells, other.cells)]
        return Meaning((*between(cells, sizes, weights, self.figure), *as_many(other, None)))


def share(
    figure: float | str, of: Mapping[str, Any], *, decimals: int | None = None, rounding: str = "nearest"
) -> Fact:
    """What percentage of a larger group a group is; how many are in either may be hidden.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> r = fw.publish([3, 4], margins=[""]).without_truth()
    >>> fw.bounds(r.knows({"A": "1"}, fw.facts.share(43, of={})))["lower"].tolist()
    [3, 4]
    """
    return Share(rounded(figure, decimals, rounding, "share()"), _group(of, "share(of=)"), 100, within=True)


def ratio(
    figure: float | str,
    to: Mapping[str, Any],
    *,
    per: int = 1,
    decimals: int | None = None,
    rounding: str = "nearest",
) -> Fact:
    """How many there are in a group for every one, or for every `per`, of another one.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> r = fw.publish([3, 4], margins=[""]).without_truth()
    >>> fw.bounds(r.knows({"A": "1"}, fw.facts.ratio(0.75, to={"A": "2"})))["lower"].tolist()
    [3, 4]
    """
    check_whole(per=per)
    return Share(rounded(figure, decimals, rounding, "ratio()"), _group(to, "ratio(to=)"), int(per), within=False)


def _group(given: Any, where: str) -> dict[str, tuple[str, ...]]:
    """A group {dim: label or labels}, with all labels as texts."""
    if not isinstance(given, Mapping):
        raise InputError(f"{where}: a group is a dict of dim to label, or to labels; this is {given!r}.")
    several = {dim: isinstance(labels, Iterable) and not isinstance(labels, str) for dim, labels in given.items()}
    return {str(dim): tuple(map(str, own)) if several[dim] else (str(own),) for dim, own in given.items()}
