"""Functions of the user's own: what they are called, and what becomes of their answers and failures."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..base.errors import FiberwalkError, InputError


def called(function: Any) -> str:
    """Its name, as people would write it."""
    name = getattr(function, "__name__", type(function).__name__)
    return "a function of your own" if name == "<lambda>" else str(name).replace("_", " ")


def number_from(ask: Callable[[], Any], where: str) -> float:
    """What a measure of the user's gives, which must have a place on a map."""
    value = in_words(ask, f"{where}: your function failed, ")
    try:
        found = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{where}: your function must return a number; it returned {value!r}.") from None
    if math.isnan(found) or found == -math.inf:
        raise InputError(f"{where}: your function returned {found}, which has no place on a map.")
    return found


def in_words(call: Callable[[], Any], before: str = "") -> Any:
    """What a function of the user's gives; where it fails, that is no failure of ours."""
    try:
        return call()
    except FiberwalkError:
        raise
    except Exception as problem:
        raise InputError(f"{before}{type(problem).__name__}: {problem}") from problem
