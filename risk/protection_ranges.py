"""The classical audit of protection levels: is every value of a wanted range still attainable? (DFKPR01, section 3.3)"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.errors import InputError
from ..posterior.parts.pmf import Pmf


def protection_range(values: Any, lower: float, upper: float, unit: float = 1) -> tuple[bool, float | None]:
    """Whether every value from `lower` to `upper` is attainable, and the first one that is not.

    Parameters
    ----------
    values
        The attainable values of the cell (the index of a pmf).
    unit
        The distance between neighbouring values: 1 for counts, 10^-decimals for magnitudes.

    Examples
    --------
    >>> protection_range([0, 2, 4], 0, 4)
    (False, 1)
    """
    if lower > upper:
        raise InputError(f"the wanted range ends ({upper}) before it begins ({lower}).")
    attainable = np.unique(np.round(np.asarray(values, dtype=float) / unit).astype(np.int64))
    first, last = int(np.ceil(lower / unit - 1e-9)), int(np.floor(upper / unit + 1e-9))
    missing = first_missing((attainable, attainable), first, last)
    return missing is None, missing if missing is None or unit == 1 else missing * unit


def first_missing(runs: tuple[np.ndarray, np.ndarray], lower: int, upper: int) -> int | None:
    """The first whole number from `lower` to `upper` that is in none of the runs (begins and ends, ascending)."""
    begins, ends = runs
    reached = ends >= lower
    begins, ends = begins[reached], ends[reached]
    if not len(begins) or begins[0] > lower:
        return lower if lower <= upper else None
    gaps = np.flatnonzero(begins[1:] > ends[:-1] + 1)
    missing = int(ends[gaps[0]] if len(gaps) else ends[-1]) + 1
    return missing if missing <= upper else None


def attainable_runs(pmf: Pmf) -> tuple[np.ndarray, np.ndarray]:
    """The values a cell can take, as runs of neighbours: where they begin and where they end.

    What chains have not seen is not impossible: of a sampled cell, every value between its bounds counts unless it is
    excluded.
    """
    excluded = np.flatnonzero(~pmf.possible)
    gap_begins = pmf.first + pmf.width * excluded
    begins = np.concatenate([[pmf.lower], gap_begins + pmf.width])
    ends = np.concatenate([gap_begins - 1, [pmf.upper]])
    real = (begins <= ends) & (ends >= pmf.lower) & (begins <= pmf.upper)
    return np.maximum(begins[real], pmf.lower), np.minimum(ends[real], pmf.upper)
