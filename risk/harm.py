"""The risk of a cell as expected harm: sum over k of r(k) p(k) (DFKPR01, section 2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..base.errors import InputError


def expected_harm(pmf: Any, r: Callable[[int], float] | Mapping[int, float]) -> float:
    """Sum over k of r(k) p(k): how bad it is that the intruder holds this belief.

    Parameters
    ----------
    pmf
        A Series of value -> probability, as `Audit.pmf` gives it (or a mapping).
    r
        How bad it is for an intruder to know that the value is k: a function of k, or a mapping that leaves out the
        harmless values. Usually decreasing in k.

    Examples
    --------
    >>> expected_harm({0: 0.5, 1: 0.3, 2: 0.2}, {1: 1.0, 2: 0.5})
    0.4
    """
    if not callable(r) and not isinstance(r, Mapping):
        raise InputError(f"r= is a function of the value, or a mapping of value to harm; it is {r!r}.")
    pairs = list(pmf.items())
    try:
        harm = [float(r.get(k, 0.0) if isinstance(r, Mapping) else r(k)) for k, _ in pairs]
    except (TypeError, ValueError):
        harm = [float("nan")]
    if not np.isfinite(harm).all():
        raise InputError("r(k) must be a number for every attainable value k.")
    return float(np.dot(harm, [p for _, p in pairs]))
