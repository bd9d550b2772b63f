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
    """What a measure of the user's own returns, which must have a place on a map."""
    value = in_words(ask, f"{where}: your function failed, ")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{where}: your function must return a number; it returned {value!r}.") from None
    if math.isnan(number) or number == -math.inf:
        raise InputError(f"{where}: your function returned {number}, which has no place on a map.")
    return number


def in_words(call: Callable[[], Any], prefix: str = "") -> Any:
    """What a function of the user's own returns; where it fails, an error that says so."""
    try:
        return call()
    except FiberwalkError:
        raise
    except Exception as problem:
        raise InputError(f"{prefix}{type(problem).__name__}: {problem}") from problem
