"""What a publication is still good for: larger is better."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.errors import InputError
from ..release.release import as_release


def mean_squared_precision(pmf: Any, truth: float) -> float:
    """1 / E(X - truth)^2: how near to the truth of a cell a user comes who has this distribution (DFKPR01, section 5).

    It is infinite where the truth is certain.

    Parameters
    ----------
    pmf
        A Series of value -> probability, as `Audit.pmf` gives it (or a mapping).
    truth
        The true value, in the same units.

    Examples
    --------
    >>> mean_squared_precision({1: 0.5, 3: 0.5}, truth=1)
    0.5
    """
    try:
        pairs = np.array(list(pmf.items()), dtype=float).reshape(-1, 2)
    except (AttributeError, TypeError, ValueError):
        raise InputError("a pmf is a Series or dict of value -> probability.") from None
    values, p = pairs[:, 0], pairs[:, 1]
    if not len(p) or not np.isfinite(pairs).all() or (p < 0).any() or abs(p.sum() - 1) > 1e-6:
        raise InputError("a pmf has probabilities of at least 0 that sum to 1.")
    return reciprocal(float(p @ (values - float(truth)) ** 2))


def share_published(release: Any) -> float:
    """The share of the cells that are published as they are.

    Figures that went through a method count as not published, even where they happen to be right: nobody can tell.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> share_published(fw.suppress([[1, 5], [7, 9]], where=[{"A": "1", "B": "1"}]))
    0.75
    """
    release = as_release(release)
    return 1.0 - len(release.hidden) / release.n_cells


def as_counts(table: Any, name: str) -> np.ndarray:
    """A table as an array of numbers of at least 0."""
    try:
        values = np.asarray(table, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{name} is a table of numbers.") from None
    if not values.size or not np.isfinite(values).all() or (values < 0).any():
        raise InputError(f"{name} is a table of numbers of at least 0, none missing.")
    return values


def reciprocal(loss: float) -> float:
    """1/loss, infinite where nothing is lost."""
    return float("inf") if loss <= 0 else 1.0 / loss
