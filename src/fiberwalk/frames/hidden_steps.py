"""The hidden steps of a Markov perturbation, and theta where it is not known, as frames."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..base.errors import InputError
from ..posterior.belief import Belief
from ..posterior.parts.pmf import Pmf
from ..protect.perturbation.markov_perturbation import MarkovPerturbation

if TYPE_CHECKING:
    import pandas as pd

NO_PATH = "this release is not the end of a Markov perturbation: it has no steps, and no theta."


def steps_frame(belief: Belief) -> pd.DataFrame:
    """One row for each square, in the order of the steps where that is known."""
    import pandas as pd

    release = belief.release
    public = next((one.mechanism for one in release.applied if isinstance(one.mechanism, MarkovPerturbation)), None)
    if public is None:
        raise InputError(NO_PATH)
    corners = public.squares.cells
    laws = belief.path.steps if belief.path is not None else tuple(_alone(belief, int(one)) for one in corners[:, 0])
    rows = []
    for cells, law in zip(corners, laws, strict=True):
        row: dict[str, object] = {"to": release.words(release.keys[cells[3]])}
        if law is not None:
            low, high = law.shortest(0.9)
            row |= {"mean": law.mean, "sd": _deviation(law), "p_none": law.between(0, 0), "low90": low, "high90": high}
            row |= {"method": law.method, "ess": law.ess, "rhat": law.rhat}
        rows.append(row)
    columns = ["to", "mean", "sd", "p_none", "low90", "high90", "method", "ess", "rhat"]
    return pd.DataFrame(rows, index=release.index(release.keys[corners[:, 0]]), columns=columns)


def _alone(belief: Belief, corner: int) -> Pmf | None:
    """The step of a square that shares no cell: what is published of its corner, less the corner."""
    release = belief.release
    found = np.flatnonzero((belief.keys == release.keys[corner]).all(axis=1))
    if not len(found) or release.figures is None:
        return None
    law, published = belief.pmfs[found[0]], int(release.figures[corner])
    return replace(
        law,
        first=published - law.first - law.width * len(law.p) + 1,
        p=law.p[::-1],
        possible=law.possible[::-1],
        lower=published - law.upper,
        upper=published - law.lower,
        p_error=None if law.p_error is None else law.p_error[::-1],
    )


def _deviation(law: Pmf) -> float:
    values = law.first + law.width * (np.arange(len(law.p)) + (1 - 1 / law.width) / 2)
    mean = float(law.p @ values)
    return float(np.sqrt(max(0.0, law.p @ (values - mean) ** 2)))


def theta_frame(belief: Belief) -> pd.DataFrame:
    """Each theta that was thought possible: how probable before and after, and the standard error of that."""
    import pandas as pd

    if belief.path is None or len(belief.path.thetas) == 1:
        raise InputError(
            "theta of this release is known. Say snooper.table(release, theta=prior), with a prior, to ask what is learnt "
            "of it."
            if any(isinstance(one.mechanism, MarkovPerturbation) for one in belief.release.applied)
            else NO_PATH
        )
    path = belief.path
    index = pd.Index(path.thetas, name="theta")
    return pd.DataFrame({"prior": path.theta_prior, "posterior": path.theta, "mcse": path.theta_error}, index=index)
