"""Distributions by weighed trials: what a question is in each table, and what the tables weigh in each of some trials."""

from __future__ import annotations

import numpy as np

from ...base.certificate import Certificate
from .pmf import Pmf, bits_of


def law_by_trials(values: np.ndarray, weights: np.ndarray, possible: np.ndarray, certificate: Certificate) -> Pmf:
    """The law of a question from its value in every table and [table, trial] what tables weigh.

    Errors are found by leaving out trials; a single one is no sample, and the law exact. `possible`:
    tables that are not excluded, though they may weigh nothing.
    """
    first, last = int(values[possible].min()), int(values[possible].max())
    inside = possible & (values >= first) & (values <= last)
    places = values[inside] - first
    by_trial = np.zeros((last - first + 1, weights.shape[1]))
    np.add.at(by_trial, places, weights[inside])
    attainable = np.bincount(places, minlength=last - first + 1) > 0
    together = by_trial.sum(axis=1)
    p = together / together.sum()
    if weights.shape[1] == 1:
        return Pmf.exact(first, p, attainable, certificate)
    trials = weights.shape[1]
    without = np.maximum(together[:, None] - by_trial, 0.0)
    left = without.sum(axis=0)
    one_less = np.where(left > 0, without / np.where(left > 0, left, 1), p[:, None])
    error = np.sqrt((trials - 1) / trials * ((one_less - one_less.mean(axis=1, keepdims=True)) ** 2).sum(axis=1))
    bits = np.array([bits_of(each) for each in one_less.T])
    support, plain = int(attainable.sum()), bits_of(p)
    # the plug-in entropy is biased low; leaving out trials shows by how much
    entropy = float(np.clip(trials * plain - (trials - 1) * bits.mean(), 0.0, np.log2(support))) if support > 1 else 0.0
    modal = int(p.argmax())
    spread = error[modal] ** 2
    return Pmf(
        first, p, attainable, first, last, support, entropy,
        method="chains", certificate=certificate,
        ess=float(p[modal] * (1 - p[modal]) / spread) if spread > 0 and p[modal] < 1 else np.inf,
        entropy_error=float(np.sqrt((trials - 1) / trials * ((bits - bits.mean()) ** 2).sum())),
        mean_error=_mean_error(one_less, first), p_error=error,
    )  # fmt: skip


def _mean_error(one_less: np.ndarray, first: int) -> float:
    trials = one_less.shape[1]
    means = (first + np.arange(len(one_less))) @ one_less
    return float(np.sqrt((trials - 1) / trials * ((means - means.mean()) ** 2).sum()))
