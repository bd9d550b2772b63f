"""Several terms of risk become one figure: by weights, or without any, by their L2 norm (SAE15, section 4.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...base.errors import InputError

TOLERANCE = 1e-9
"""How far weights may be from summing to 1."""


def together(weights: Any, terms: Sequence[str]) -> Callable[[Any], np.ndarray]:
    """How terms with these names are put together: weights, or "l2" for the root of the mean of their squares."""
    if isinstance(weights, str) and weights.lower() == "l2":
        return lambda values: np.sqrt(np.square(values).mean(axis=0))
    names = ", ".join(terms)
    try:
        checked = np.array(weights, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"weights={weights!r}: give {len(terms)} numbers ({names}), or 'l2'.") from None
    if checked.shape != (len(terms),):
        raise InputError(
            f"weights={weights!r}: there are {len(terms)} terms, each with a weight ({names}); or give 'l2'."
        )
    if not np.isfinite(checked).all() or (checked < 0).any():
        raise InputError(f"weights={weights!r}: a weight is a number of at least 0.")
    if abs(checked.sum() - 1) > TOLERANCE:
        raise InputError(f"weights={weights!r}: weights sum to 1; these sum to {checked.sum():.10g}.")
    # One after the other, so that a table among many has the same figure to the last bit as by itself.
    return lambda values: sum((weight * term for weight, term in zip(checked, values, strict=True)), np.zeros(()))
