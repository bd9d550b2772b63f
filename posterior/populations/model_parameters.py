"""Parameters that several population models take, checked."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...base.errors import InputError


def checked_margins(margins: Iterable[Any] | None) -> tuple[Any, ...] | None:
    """The margins of a log-linear model; None: those of single dims."""
    if margins is None:
        return None
    if isinstance(margins, str):
        raise InputError(f"margins={margins!r}: a list such as ['A,B', 'B,C'].")
    checked = tuple(margins)
    if not checked:
        raise InputError("margins=[]: a model needs at least one margin; [''] is the grand total alone.")
    return checked


def at_least_0(name: str, value: Any) -> float:
    """A finite number that is not negative."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 <= value < math.inf:
        raise InputError(f"{name}={value!r}: a number of at least 0.")
    return float(value)
