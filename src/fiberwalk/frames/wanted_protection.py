"""Intervals against the protection an agency wants, cell by cell: the classical question of cell suppression."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..base.errors import InputError
from ..base.numbers import scaled
from ..posterior.belief import Belief
from ..posterior.parts.pmf import Pmf
from ..release.facts.facts import Protection
from ..release.release import Release
from ..risk.nearness import check_percent
from ..risk.protection_ranges import attainable_runs, first_missing
from .cell_frame import true_values

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "wanted_lower", "wanted_upper", "wanted_width", "lower", "upper", "protected", "first_missing", "p_inside", "by"
)  # fmt: skip


class Wanted(NamedTuple):
    """What must stay possible of a cell: every value from `lower` to `upper`, and a range of at least `width`."""

    lower: int
    upper: int
    width: int = 0

    def first_missing(self, pmf: Pmf) -> int | None:
        """The first wanted value that is not attainable."""
        return first_missing(attainable_runs(pmf), self.lower, self.upper)

    def met(self, pmf: Pmf) -> bool:
        """Does the cell have this protection?"""
        return pmf.upper - pmf.lower >= self.width and self.first_missing(pmf) is None


def protection_frame(belief: Belief, percent: float | None, lower: float | None, upper: float | None) -> pd.DataFrame:
    """See `Audit.protection`."""
    import pandas as pd

    show = belief.release.own_units
    rows = []
    for pmf, wanted in zip(belief.pmfs, _wanted(belief, percent, lower, upper), strict=True):
        missing = wanted.first_missing(pmf)
        rows.append((
            show(wanted.lower), show(wanted.upper), show(wanted.width), show(pmf.lower), show(pmf.upper),
            wanted.met(pmf), None if missing is None else show(missing), pmf.between(wanted.lower, wanted.upper), _by(pmf),
        ))  # fmt: skip
    frame = pd.DataFrame(rows, index=belief.release.index(belief.keys), columns=list(COLUMNS))
    return frame.sort_values("protected", kind="stable")


def stated_levels(belief: Belief) -> list[Wanted | None]:
    """The protection that the release itself asks for, of each row; None where it asks for none."""
    release, truth = belief.release, true_values(belief)
    if truth is None or release.protection is None:
        return [None] * len(belief.keys)
    levels = [release.protection.get(tuple(key.tolist()), Protection()) for key in belief.keys]
    return [
        None
        if level == Protection()
        else Wanted(_floored(release, true - level.below), true + level.above, level.width)
        for true, level in zip(truth.tolist(), levels, strict=True)
    ]


def _floored(release: Release, value: int) -> int:
    """The value, or 0 where cells are not negative."""
    return value if release.signed else max(0, value)


def _by(pmf: Pmf) -> str:
    """What says which values are attainable."""
    if pmf.method == "exact":
        return "every table"
    return "bounds" if pmf.sharp else "bounds that may be too wide"


def _wanted(belief: Belief, percent: float | None, lower: float | None, upper: float | None) -> list[Wanted]:
    release = belief.release
    if percent is not None and (lower is not None or upper is not None):
        raise InputError("protection(): give percent=, or lower= and upper=, not both.")
    if lower is not None or upper is not None:
        if lower is None or upper is None:
            raise InputError("protection() needs both lower= and upper=.")
        same = Wanted(scaled(lower, release.decimals, "lower="), scaled(upper, release.decimals, "upper="))
        if same.lower > same.upper:
            raise InputError(f"the wanted range ends ({upper}) before it begins ({lower}).")
        return [same] * len(belief.keys)
    truth = true_values(belief)
    if truth is None:
        raise InputError("protection() around the truth needs a release that carries it; give lower= and upper=.")
    if percent is not None:
        part = check_percent(percent, "protection") / 100
        away = [abs(true) * part for true in truth.tolist()]
        return [
            Wanted(_floored(release, int(np.floor(true - far + 1e-9))), int(np.ceil(true + far - 1e-9)))
            for true, far in zip(truth.tolist(), away, strict=True)
        ]
    if release.protection is None:
        raise InputError("protection() needs percent=, or lower= and upper=: the release states no protection levels.")
    return [level or Wanted(true, true) for true, level in zip(truth.tolist(), stated_levels(belief), strict=True)]
