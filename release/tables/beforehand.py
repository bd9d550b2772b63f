"""What everybody is assumed to know of every cell beforehand: nothing else bounds cells that may be negative."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ...base.errors import InputError
from ...base.numbers import is_number, scaled, written

WHAT_TO_STATE = (
    "say between which values everybody knows the cells to lie with at_least= and at_most=, or known_within="
)
"""What is missing where a cell is negative, or may be."""

MOST_PERCENT = 1000


class Statement(NamedTuple):
    """What a user states of all cells, as given: `known_within` is percent of the true value."""

    at_least: float | None = None
    at_most: float | None = None
    known_within: float | None = None

    def __bool__(self) -> bool:
        return any(part is not None for part in self)


NOTHING_STATED = Statement()


@dataclass(frozen=True, eq=False)
class Beforehand:
    """Between which values each cell is known to lie, in whole numbers of 10^-decimals, and how this is said."""

    lower: np.ndarray
    upper: np.ndarray
    words: str
    around_truth: bool = False
    """Do the ranges lie around true values? These would be read off them: no reader may see the ranges."""

    @property
    def signed(self) -> bool:
        """May a cell be negative? Whether one is within some percent of the truth is not to be seen."""
        return self.around_truth or bool((self.lower < 0).any())


def beforehand(
    statement: Statement,
    values: np.ndarray,
    known: np.ndarray,
    decimals: int,
    named: Callable[[int], str],
    no_limit: int,
) -> Beforehand | None:
    """What a statement says of each cell; `values` are true ones where `known`, and none may contradict it."""
    if not statement:
        return None
    if statement.known_within is None:
        found = _between(statement, len(values), decimals, no_limit)
    else:
        if statement.at_least is not None or statement.at_most is not None:
            raise InputError("give known_within=, or at_least= and at_most=, not both.")
        found = _around(statement.known_within, values, known, named)
    outside = np.flatnonzero(known & ((values < found.lower) | (values > found.upper)))
    if len(outside):
        cell = int(outside[0])
        raise InputError(
            f"cell {named(cell)} is {written(int(values[cell]), decimals)}, and it is said that {found.words}; "
            "state what is true of all."
        )
    return found


def _between(statement: Statement, n_cells: int, decimals: int, no_limit: int) -> Beforehand:
    """The same range for all cells; without a least value they are not negative."""
    low = 0 if statement.at_least is None else scaled(statement.at_least, decimals, "at_least=")
    high = no_limit if statement.at_most is None else scaled(statement.at_most, decimals, "at_most=")
    if low > high:
        raise InputError(
            f"at_least= and at_most= leave the cells nothing: at least {written(low, decimals)} and at most "
            f"{written(high, decimals)}."
        )
    ends = f"between {written(low, decimals)} and {written(high, decimals)}"
    words = f"every cell is {ends if high < no_limit else f'at least {written(low, decimals)}'}"
    return Beforehand(np.full(n_cells, low, dtype=np.int64), np.full(n_cells, high, dtype=np.int64), words)


def _around(percent: Any, values: np.ndarray, known: np.ndarray, named: Callable[[int], str]) -> Beforehand:
    """So many percent around each true value, rounded outwards: who knows less than a unit knows the unit."""
    if not is_number(percent) or not 0 <= percent <= MOST_PERCENT:
        raise InputError(f"known_within={percent!r}: a percentage from 0 to {MOST_PERCENT}.")
    missing = np.flatnonzero(~known)
    if len(missing):
        raise InputError(
            f"known_within={percent:g}: the true value of cell {named(int(missing[0]))} is not known here; say what is "
            "known of the cells with at_least= and at_most=."
        )
    part = Fraction(repr(float(percent))) / 100
    away = np.array([-(-abs(value) * part.numerator // part.denominator) for value in values.tolist()], dtype=np.int64)
    words = f"every cell is known to within {percent:g} % of its true value"
    return Beforehand(values - away, values + away, words, around_truth=True)
