"""The frame of an audit: what an intruder learns of each hidden cell, one row each, the riskiest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.numbers import largest_first
from ..posterior.belief import Belief
from ..posterior.parts.pmf import Pmf
from ..release.facts.facts import NO_VALUE
from ..release.release import Release
from ..risk.cell_entropy import understatement, uniform_risk
from ..risk.nearness import within_percent

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "lower", "upper", "support", "entropy", "risk", "uniform_risk", "understatement", "mean", "modal", "p_modal",
    "ess", "rhat", "entropy_mcse", "method", "certificate", "converged",
)  # fmt: skip
MOST_OF_IT = 0.9
"""The probability of the shortest interval, from `low90` to `high90` (highest posterior density)."""


def cell_frame(belief: Belief, *, magnitude: bool, percent: float) -> pd.DataFrame:
    """See `Audit.cells`."""
    import pandas as pd

    release, pmfs = belief.release, belief.pmfs
    frame = pd.DataFrame([_row(pmf, release) for pmf in pmfs], index=release.index(belief.keys), columns=list(COLUMNS))
    if not pmfs:
        frame = frame.astype(
            {column: float for column in COLUMNS if column not in ("method", "certificate", "converged")}
        )
    figures = published_figures(belief)
    if (figures != NO_VALUE).any():
        shown = release.own_units(figures)
        frame["published"] = shown if (figures != NO_VALUE).all() else np.where(figures != NO_VALUE, shown, np.nan)
    if release.own.any():
        # what the intruder contributed: these rows speak of the others' part
        mine = np.concatenate([release.own[release.hidden], np.zeros(len(pmfs) - len(release.hidden), np.int64)])
        frame["own"] = release.own_units(mine)
    truth = true_values(belief)
    if truth is not None:
        frame["truth"] = release.own_units(truth)
        frame["p_truth"] = [pmf.between(true, true) for pmf, true in zip(pmfs, truth.tolist(), strict=True)]
    if not magnitude:
        for value in (0, 1):
            frame[f"p{value}"] = np.array([pmf.between(value, value) for pmf in pmfs], dtype=float)
    ranges = np.array([pmf.shortest(MOST_OF_IT) for pmf in pmfs], dtype=np.int64).reshape(-1, 2)
    frame["low90"], frame["high90"] = release.own_units(ranges[:, 0]), release.own_units(ranges[:, 1])
    if magnitude and truth is not None:
        near = [pmf.between(*within_percent(true, percent)) for pmf, true in zip(pmfs, truth.tolist(), strict=True)]
        frame["p_near"] = np.array(near, dtype=float)
    return frame.iloc[largest_first(frame["risk"])]


def published_figures(belief: Belief) -> np.ndarray:
    """What was published of every row, though not as it is, in scaled integers; NO_VALUE where nothing was."""
    release = belief.release
    sums = [release.sum_figures.get(tuple(key), NO_VALUE) for key in belief.keys[len(release.hidden) :].tolist()]
    return np.concatenate([release.cell_figures[release.hidden], np.array(sums, dtype=np.int64)])


def true_values(belief: Belief) -> np.ndarray | None:
    """The truth of every row in scaled integers, less the intruder's own part; None where it is not known."""
    release = belief.release
    if release.truth is None:
        return None
    hidden = release.truth[release.hidden] - release.own[release.hidden]
    sums = [int((release.row(key) @ release.truth)[0]) for key in belief.keys[len(hidden) :]]
    return np.concatenate([hidden, np.array(sums, dtype=np.int64)])


def _row(pmf: Pmf, release: Release) -> dict[str, Any]:
    interval_risk = uniform_risk(pmf.support)  # every value equally probable
    risk = 1 / pmf.entropy if pmf.entropy > 0 else np.inf
    modal, p_modal = pmf.modal
    own_units = release.own_units
    return dict(
        lower=own_units(pmf.lower),
        upper=own_units(pmf.upper),
        support=pmf.support,
        entropy=pmf.entropy,
        risk=risk,
        uniform_risk=interval_risk,
        understatement=understatement(risk, interval_risk),
        mean=pmf.mean / 10**release.decimals,
        modal=own_units(modal),
        p_modal=p_modal,
        ess=pmf.ess,
        rhat=pmf.rhat,
        entropy_mcse=pmf.entropy_error,
        method=pmf.method,
        certificate=pmf.certificate.word,
        converged=pmf.converged,
    )
