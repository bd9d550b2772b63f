"""Between which values a figure lay before it was rounded."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...base.errors import InputError
from ...base.numbers import MOST_DIGITS, is_number
from ...base.saved_forms import saved

ROUNDINGS = ("nearest", "down", "up", "exact")
MOST_DECIMALS = 12


@saved("Rounded")
@dataclass(frozen=True)
class Rounded:
    """A figure as it is written, and the values it may have been before: from `low` to `high`.

    Rounding would have taken an end elsewhere that it is `without`.
    """

    written: str
    low: Fraction
    high: Fraction
    without_low: bool = False
    without_high: bool = False

    def whole(self, times: int | Fraction = 1) -> tuple[int, int]:
        """The least and the greatest whole number that is so many times such a value; they cross where there is none."""
        low, high = self.low * times, self.high * times
        least, most = math.ceil(low), math.floor(high)
        return least + (self.without_low and least == low), most - (self.without_high and most == high)

    def holds(self, value: Fraction) -> bool:
        """Is it one of these values?"""
        above = value > self.low or (value == self.low and not self.without_low)
        below = value < self.high or (value == self.high and not self.without_high)
        return above and below


def rounded(value: Any, decimals: int | None, rounding: str, named: str) -> Rounded:
    """A figure that was rounded to so many decimals; left out: to as many as it is written with.

    "nearest" says nothing of which way a figure goes that lies exactly between two: both ends are possible.
    """
    if rounding not in ROUNDINGS:
        raise InputError(f"{named}: rounding is one of {', '.join(map(repr, ROUNDINGS))}; it is {rounding!r}.")
    text = value.strip() if isinstance(value, str) else repr(float(value)) if is_number(value) else ""
    try:
        exact = Fraction(text) if len(text) <= MOST_DIGITS and "/" not in text and "_" not in text else None
    except (ValueError, ZeroDivisionError):
        exact = None
    if exact is None:
        raise InputError(f"{named}: {value!r} is not a number.")
    places = _places(value, text) if decimals is None else decimals
    if isinstance(places, bool) or not isinstance(places, int) or not 0 <= places <= MOST_DECIMALS:
        raise InputError(f"{named}: decimals must be a whole number from 0 to {MOST_DECIMALS}; it is {decimals!r}.")
    written = text if isinstance(value, str) else f"{float(exact):.{places}f}"
    if rounding == "exact":
        return Rounded(text.removesuffix(".0"), exact, exact)
    step = Fraction(1, 10**places)
    if exact % step:
        raise InputError(f"{named}: {value!r} has more than {places} decimals.")
    if rounding == "nearest":
        return Rounded(written, exact - step / 2, exact + step / 2)
    if rounding == "down":
        return Rounded(written, exact, exact + step, without_high=True)
    return Rounded(written, exact - step, exact, without_low=True)


def _places(value: Any, text: str) -> int:
    """The decimals that a figure is written with."""
    digits = text.lower().partition("e")[0].partition(".")[2]
    whole = not isinstance(value, str) and float(value).is_integer()
    return 0 if whole else len(digits)
