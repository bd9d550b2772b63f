"""Who comes nearest to a hidden cell: everybody, or one of the respondents? One row for each cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..base.errors import InputError
from ..posterior.belief import Belief
from ..release.facts.facts import PRIMARY
from ..risk.nearness import within_percent
from .cell_frame import true_values
from .largest_other import p_near_other
from .respondents import SINGLE, Respondent

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("sensitive", "truth", "everybody", "respondent", "who", "worst", "other")


def exposure_frame(base: Belief, seen: Mapping[Respondent, Belief], *, percent: float) -> pd.DataFrame:
    """See `Audit.exposure`; probabilities are of being within `percent` of the truth, 0 percent: of the truth itself."""
    import pandas as pd

    release, truth = base.release, true_values(base)
    if truth is None:
        raise InputError("exposure() needs a release that carries the truth.")
    everybody = _near(base, truth, percent)
    respondent, who = np.full(len(everybody), np.nan), np.full(len(everybody), "", dtype=object)
    other = np.full(len(everybody), np.nan)
    for contributor, hers in seen.items():
        others = true_values(hers)
        assert others is not None
        near = _near(hers, others, percent)
        if contributor.kind == SINGLE:
            near[release.hidden == contributor.cell] = np.nan  # of her own cell there is nothing to learn
        better = ~np.isnan(near) & ~(near <= respondent)
        respondent[better], who[better] = near[better], contributor.named(release)
        if contributor.other > 0:
            row = int(np.flatnonzero(release.hidden == contributor.cell)[0])
            other[row] = np.fmax(other[row], p_near_other(hers.pmfs[row], contributor.other, percent))
    sensitive = np.zeros(len(everybody), dtype=bool)
    sensitive[: len(release.hidden)] = release.status[release.hidden] == PRIMARY
    shown = release.own_units(truth)
    columns = (sensitive, shown, everybody, respondent, who, np.fmax(everybody, respondent), other)
    frame = pd.DataFrame(dict(zip(COLUMNS, columns, strict=True)), index=release.index(base.keys))
    order = np.lexsort((-frame["worst"].round(12).to_numpy(), ~sensitive))
    return frame.iloc[order]


def _near(belief: Belief, truth: np.ndarray, percent: float) -> np.ndarray:
    rows = zip(belief.pmfs, truth.tolist(), strict=True)
    return np.array([pmf.between(*within_percent(true, percent)) for pmf, true in rows], dtype=float)
