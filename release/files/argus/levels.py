"""Protection levels and costs as files of tau-ARGUS write them: numbers of at least 0, some with a decimal comma."""

from __future__ import annotations

import re
from math import ceil

from ....base.errors import InputError
from ....base.numbers import LARGEST

_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]*")


def with_point(text: str) -> str:
    """A number with a decimal point: in these files a comma is never one of thousands."""
    return text.replace(",", ".") if _COMMA.fullmatch(text) else text


def number_of(text: str, where: str, called: str) -> float:
    """A number of at least 0; `called` what it is, as errors say it."""
    try:
        number = float(with_point(text))
    except ValueError:
        number = -1.0
    if not 0 <= number <= LARGEST or "_" in text:
        raise InputError(f"{where}: {text[:40]!r} cannot be {called}, which is a number of at least 0.")
    return number


def level(amount: float, decimals: int) -> int:
    """A protection level in whole units of a table, upwards: it is a least distance."""
    return ceil(amount * 10.0**decimals - 1e-6)
