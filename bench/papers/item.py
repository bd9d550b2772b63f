"""An item of a paper, and whether what its call gave is the figure that the paper prints."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

COMMAND = "fiberwalk "
"""A call that begins so is a command line; any other is a Python expression."""


@dataclass(frozen=True)
class Item:
    """A measure, formula, method, table, example, figure, step or proposal of a paper, and how fiberwalk does it.

    `figure` is what has to come out, as printed: numbers with their digits, True and False, in the order in which they come.
    Where the print is wrong, it is the right one, and `note` says so.
    """

    place: str
    what: str
    call: str
    figure: str = ""
    note: str = ""


def differs(result: Any, figure: str) -> str:
    """How a result differs from the printed figure, in words; empty where it does not, to the digits printed."""
    wanted, found = figure.split(), _flat(result)
    if len(found) != len(wanted):
        return f"{len(wanted)} figures are printed, and the call gives {len(found)}"
    for printed, value in zip(wanted, found, strict=True):
        if not _agree(printed, value):
            return f"{printed} is printed, and the call gives {value}"
    return ""


def _agree(printed: str, value: Any) -> bool:
    if printed in ("True", "False"):
        return isinstance(value, (bool, np.bool_)) and str(bool(value)) == printed
    if isinstance(value, (bool, np.bool_)):
        return False
    number = float(value)
    if math.isinf(float(printed)):
        return number == float(printed)
    decimals = len(printed.partition(".")[2])
    # half a unit of the last digit, and what binary fractions add to it
    return abs(number - float(printed)) <= 0.5 * 10.0**-decimals + 1e-9


def _flat(result: Any) -> list[Any]:
    """All that is in a result, one after the other."""
    if hasattr(result, "to_numpy"):
        result = result.to_numpy()
    if isinstance(result, (list, tuple)):
        return [value for one in result for value in _flat(one)]
    if isinstance(result, dict):
        return [value for one in result.values() for value in _flat(one)]
    return list(np.ravel(result))
