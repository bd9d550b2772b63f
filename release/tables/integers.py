"""The values of a table as whole numbers of 10^-decimals, or which cell cannot be one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...base.errors import InputError
from ...base.numbers import LARGEST, check_decimals, not_whole
from .dims import Dim


def whole_numbers(
    values: np.ndarray,
    dims: Sequence[Dim],
    decimals: int,
    signed: bool = False,
    problem: str = "is negative; counts and magnitudes must be at least 0.",
) -> np.ndarray:
    """The values as scaled integers, or a sentence that names the first cell that cannot be one.

    Unless `signed`, none is negative; `problem` says why.
    """
    check_decimals(decimals)
    if values.dtype == object:
        try:
            values = values.astype(float)
        except (TypeError, ValueError):
            raise InputError("the table has entries that are not numbers.") from None
    if not (np.issubdtype(values.dtype, np.integer) or np.issubdtype(values.dtype, np.floating)):
        raise InputError(f"the table holds {values.dtype} values; it must hold numbers.")

    def refuse(bad: np.ndarray, why: str) -> None:
        if bad.any():
            position = tuple(np.argwhere(bad)[0])
            cell = ", ".join(f"{dim.name}={dim.labels[i]}" for dim, i in zip(dims, position, strict=True))
            more = f" ({int(bad.sum())} cells in all)" if bad.sum() > 1 else ""
            raise InputError(f"cell {cell}: {values[position]} {why}{more}")

    refuse(~np.isfinite(values), "where a number must be; a hidden cell is given by suppress(), not by NaN.")
    refuse((values < 0) & (not signed), problem)
    refuse(np.abs(values) > LARGEST / 10.0**decimals, f"is too large to be held exactly with {decimals} decimals.")
    if np.issubdtype(values.dtype, np.integer):
        return values.astype(np.int64) * 10**decimals
    # What a float of this precision cannot tell from a whole number is one.
    blur = 4 * np.spacing(np.abs(values)).astype(float) * 10.0**decimals
    big = values.astype(float) * 10.0**decimals
    whole = np.round(big)
    refuse(np.abs(big - whole) > np.maximum(1e-6, blur), not_whole(decimals))
    return whole.astype(np.int64)
