"""Numbers as users write them, held as whole numbers of 10^-decimals."""

from __future__ import annotations

import math
import re
from typing import Any, TypeGuard

import numpy as np

from .errors import InputError

LARGEST = 2**53
"""Floats hold every whole number up to this one exactly."""
MOST_DIGITS = 40
"""A number that is written with more is refused unread."""


def is_number(value: Any) -> TypeGuard[float]:
    """A finite number, as parameters of methods and priors are."""
    real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    return real and math.isfinite(value)


def check_whole(**given: Any) -> None:
    """Refuse what is not a whole number of at least 1."""
    for name, value in given.items():
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
            raise InputError(f"{name}={value!r}: a whole number of at least 1.")


def check_seed(seed: Any) -> None:
    """Refuse what no random numbers can begin with; None: a new seed each time."""
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0):
        raise InputError(f"seed={seed!r}: a whole number of at least 0, or None.")


def in_own_units(values: Any, decimals: int) -> Any:
    """Scaled integers back in the units of the table: integers stay integers when there are no decimals."""
    return values if decimals == 0 else np.round(np.asarray(values) / 10.0**decimals, decimals)


def largest_first(values: Any) -> np.ndarray:
    """The order from the largest to the smallest, missing ones last.

    What is equal in nine digits keeps the order it came in: the digits after them are rounding, which differs from one
    processor to another.
    """
    numbers = np.asarray(values, dtype=float)
    size = np.abs(np.where(np.isfinite(numbers) & (numbers != 0), numbers, 1.0))
    step = 10.0 ** (np.floor(np.log10(size)) - 8)
    return np.argsort(-np.where(np.isfinite(numbers), np.rint(numbers / step) * step, numbers), kind="stable")


def written(value: int, decimals: int) -> str:
    """One scaled integer in the units of the table, as people read it."""
    return str(value) if decimals == 0 else f"{value / 10**decimals:.{decimals}f}"


def check_decimals(decimals: Any) -> int:
    """The number of decimals, if it can be one."""
    if isinstance(decimals, bool) or not isinstance(decimals, (int, np.integer)) or not 0 <= decimals <= 12:
        raise InputError(f"decimals must be a whole number from 0 to 12; it is {decimals!r}.")
    return int(decimals)


def scaled(value: Any, decimals: int, where: str) -> int:
    """One number in the user's units as an integer number of 10^-decimals."""
    check_decimals(decimals)
    if isinstance(value, str):
        value = value.strip()
        if re.fullmatch(r"[+-]?[0-9]+", value) and len(value) <= MOST_DIGITS:
            value = int(value)
        elif "_" in value:
            raise InputError(f"{where}: {value!r} is not a number.")
    if isinstance(value, (int, np.integer)):
        if abs(int(value)) * 10**decimals > LARGEST:
            raise InputError(f"{where}: {_short(value)} is too large to be held exactly with {decimals} decimals.")
        return int(value) * 10**decimals
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{where}: {_short(value)!r} is not a number.") from None
    if not np.isfinite(number):
        if isinstance(value, str) and len(value) > MOST_DIGITS:
            raise InputError(f"{where}: {_short(value)} is too large to be held exactly with {decimals} decimals.")
        raise InputError(f"{where}: {value!r} where a number must be.")
    big = number * 10.0**decimals
    if abs(big) > LARGEST:
        raise InputError(f"{where}: {_short(value)} is too large to be held exactly with {decimals} decimals.")
    if abs(big - round(big)) > max(1e-6, 4 * np.spacing(abs(big))):
        raise InputError(f"{where}: {value} {not_whole(decimals)}")
    return round(big)


def _short(value: Any) -> str:
    """A value as errors say it: Python itself refuses to write, or read, whole numbers of thousands of digits."""
    if isinstance(value, (int, np.integer)) and abs(int(value)) > 10**MOST_DIGITS:
        return f"a number of more than {MOST_DIGITS} digits"
    text = str(value)
    return text if len(text) <= MOST_DIGITS else f"{text[:MOST_DIGITS]}..."


def not_whole(decimals: int) -> str:
    """The end of an error sentence on a number with more decimals than are kept."""
    if decimals == 0:
        return "is not a whole number; for magnitudes give decimals=, the number of decimals they are kept to."
    return f"has more than {decimals} decimals; raise decimals= or round the table first."


READ = 30
"""A number of tables is written out up to so many digits."""


def number_of_tables(tables: int) -> str:
    """A number of tables as people read it: all digits, or the order of magnitude of a very large one."""
    return f"{tables:,}" if tables < 10**READ else f"about 10^{math.log10(tables):.0f}"
