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

NO_PATH = "this release does not come from Markov perturbation: it has no steps, and no theta."


def steps_frame(belief: Belief) -> pd.DataFrame:
    """One row for each square, in the order of the steps where that is known."""
    import pandas as pd

    release = belief.release
    mechanisms = (applied.mechanism for applied in release.applied)
    perturbation = next((mechanism for mechanism in mechanisms if isinstance(mechanism, MarkovPerturbation)), None)
    if perturbation is None:
        raise InputError(NO_PATH)
    corners = perturbation.squares.cells
    top_left = corners[:, 0]
    laws = belief.path.steps if belief.path is not None else tuple(_alone(belief, int(cell)) for cell in top_left)
    rows = []
    for cells, law in zip(corners, laws, strict=True):
        row: dict[str, object] = {"to": release.words(release.keys[cells[3]])}
        if law is not None:
            low, high = law.shortest(0.9)
            row |= {"mean": law.mean, "sd": _deviation(law), "p_none": law.between(0, 0), "low90": low, "high90": high}
            row |= {"method": law.method, "ess": law.ess, "rhat": law.rhat}
        rows.append(row)
    columns = ["to", "mean", "sd", "p_none", "low90", "high90", "method", "ess", "rhat"]
    return pd.DataFrame(rows, index=release.index(release.keys[top_left]), columns=columns)


def _alone(belief: Belief, corner: int) -> Pmf | None:
    """The step of a square that shares no cell: the published figure of its top-left cell less the true one."""
    release = belief.release
    places = np.flatnonzero((belief.keys == release.keys[corner]).all(axis=1))
    if not len(places) or release.figures is None:
        return None
    law, published = belief.pmfs[places[0]], int(release.figures[corner])
    return replace(
        law,
        first=published - law.first - law.width * len(law.p) + 1,
        p=law.p[::-1],
        possible=law.possible[::-1],
        lower=published - law.upper,
        upper=published - law.lower,
        p_error=None if law.p_error is None else law.p_error[::-1],
        # what is up to a value here is what was from a value on there
        up_to_error=None if law.up_to_error is None else np.append(law.up_to_error[-2::-1], law.up_to_error[-1]),
    )


def _deviation(law: Pmf) -> float:
    values = law.first + law.width * (np.arange(len(law.p)) + (1 - 1 / law.width) / 2)
    mean = float(law.p @ values)
    return float(np.sqrt(max(0.0, law.p @ (values - mean) ** 2)))


def theta_frame(belief: Belief) -> pd.DataFrame:
    """Each value of theta: its prior and posterior probability, and the standard error of the latter."""
    import pandas as pd

    if belief.path is None or len(belief.path.thetas) == 1:
        raise InputError(
            "theta of this release is known. To ask what is learnt of it, give a prior: snooper.table(release, theta=prior)."
            if any(isinstance(applied.mechanism, MarkovPerturbation) for applied in belief.release.applied)
            else NO_PATH
        )
    path = belief.path
    index = pd.Index(path.thetas, name="theta")
    return pd.DataFrame({"prior": path.theta_prior, "posterior": path.theta, "mcse": path.theta_error}, index=index)
