"""Entropy risk of a cell: the reciprocal of what the intruder still does not know (DOT02)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.errors import InputError


def entropy(pmf: Any, log_base: float = 2) -> float:
    """Shannon's entropy H = -sum p log p, in bits unless another base is given.

    Parameters
    ----------
    pmf
        Probabilities (an array, or a Series of value -> probability as `Audit.pmf` gives it).
    log_base
        Base of the logarithm: 2 for bits, `math.e` for nats.

    Examples
    --------
    >>> entropy([0.5, 0.25, 0.25])
    1.5
    """
    p = np.asarray(pmf, dtype=float).ravel()
    if not len(p) or not np.isfinite(p).all() or (p < 0).any() or abs(p.sum() - 1) > 1e-6:
        raise InputError("a pmf is a list of probabilities of at least 0 that sum to 1.")
    if not log_base > 1:
        raise InputError(f"the base of a logarithm must be above 1; it is {log_base}.")
    p = p[p > 0]
    return float(max(0.0, -(p * np.log(p)).sum() / np.log(log_base)))


def entropy_risk(pmf: Any, log_base: float = 2) -> float:
    """DOT02's risk 1 / H(X | Y = y); infinite where the value is known.

    Examples
    --------
    >>> entropy_risk([0.25, 0.25, 0.25, 0.25])
    0.5
    """
    return _reciprocal(entropy(pmf, log_base))


def uniform_risk(support: int, log_base: float = 2) -> float:
    """DOT02's risk when every one of `support` attainable values is taken as equally probable: 1 / log2 m.

    Examples
    --------
    >>> uniform_risk(16)
    0.25
    """
    if support < 1:
        raise InputError(f"support={support}: a cell has at least one attainable value.")
    if not log_base > 1:
        raise InputError(f"the base of a logarithm must be above 1; it is {log_base}.")
    return _reciprocal(float(np.log(support) / np.log(log_base)))


def understatement(entropy_risk: float, uniform_risk: float) -> float:
    """How many times the risk of the distribution exceeds the risk the number of values alone suggests.

    It is 1 for a cell that is known exactly: nothing is hidden by assuming uniformity.

    Examples
    --------
    >>> understatement(entropy_risk([0.97, 0.01, 0.01, 0.01]), uniform_risk(4))
    8.26...
    """
    if np.isinf(uniform_risk):
        return 1.0
    return float(max(1.0, entropy_risk / uniform_risk))


def _reciprocal(h: float) -> float:
    return float("inf") if h <= 0 else 1.0 / h
