"""The classical audit: is every value of a wanted range still possible? (DFKPR01, section 3.3)"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..release.errors import InputError


def protection_range(values: Any, lower: float, upper: float, unit: float = 1) -> tuple[bool, float | None]:
    """Whether every value from `lower` to `upper` is attainable, and the first one that is not.

    Parameters
    ----------
    values
        The attainable values of the cell (the index of a pmf).
    unit
        The distance between neighbouring values: 1 for counts, 10^-decimals for magnitudes.
    """
    if lower > upper:
        raise InputError(f"the wanted range ends ({upper}) before it begins ({lower}).")
    attainable = set(np.round(np.asarray(values, dtype=float) / unit).astype(np.int64).tolist())
    first, last = int(np.ceil(lower / unit - 1e-9)), int(np.floor(upper / unit + 1e-9))
    for k in range(first, last + 1):
        if k not in attainable:
            return False, k if unit == 1 else k * unit
    return True, None
