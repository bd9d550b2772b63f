"""An intruder who is counted in the table herself: what is left of it, and of its law, when her own units are taken out.

Of x units in a cell, `own` are hers. Any of them may be: there are x!/(x - own)! ways to pick hers in order, so that a table
weighs w(x) x!/(x - own)!. Under mu^x/x! what is left is mu^x/(x - own)!: the others follow the same law. To condition on
x >= own alone would be too weak: it tells only that the cell is not empty.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...release.facts.facts import NO_LIMIT, NO_VALUE
from ...release.release import Release

ONE_BY_ONE = 64
"""Up to so many own units factors are multiplied one by one, which is exact for counts of any size."""


def removed_units(law: Any, release: Release) -> np.ndarray | None:
    """Of each cell the units that a law takes out; None where it takes out none, as where values are amounts, no counts."""
    if release.of_magnitudes or not release.own.any() or not hasattr(law, "removes_own"):
        return None
    taken = np.where(law.removes_own(release), release.own, 0)
    return taken if taken.any() else None


def log_namings(own: int, first: int, last: int) -> np.ndarray:
    """log x!/(x - own)! for the values from first, at least `own`, to last."""
    values = np.arange(first, last + 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        if own <= ONE_BY_ONE:
            logs = sum((np.log(np.maximum(values - k, 0.0)) for k in range(own)), np.zeros(len(values)))
            return np.asarray(logs)
        from scipy.special import gammaln

        return np.where(values >= own, gammaln(values + 1.0) - gammaln(np.maximum(values - own, 0.0) + 1.0), -np.inf)


def of_the_others(release: Release) -> Release:
    """What a release says of everybody but its intruder: every figure less her own units."""
    own = release.own
    if not own.any():
        return release
    facts = release.sums
    hers = facts.matrix @ own

    def less(figures: np.ndarray, mine: np.ndarray) -> np.ndarray:
        return np.where((figures == NO_VALUE) | (figures >= NO_LIMIT), figures, figures - mine)

    return replace(
        release.without_truth(),
        lower=np.maximum(release.lower - own, 0),
        upper=less(release.upper, own),
        value=less(release.value, own),
        own=np.zeros_like(own),
        sums=replace(
            facts, lower=less(facts.lower, hers), upper=less(facts.upper, hers), value=less(facts.value, hers)
        ),
        choices=tuple(choice.less(own) for choice in release.choices),
        evidence=tuple(
            replace(item, first=item.first - int(item.coefficients @ own[item.cells])) for item in release.evidence
        ),
    )
