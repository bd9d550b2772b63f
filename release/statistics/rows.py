"""Rows that figures are made of, and how many are in a group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ...base.errors import InputError
from ..facts.fact import Row
from ..facts.facts import NO_LIMIT
from ..facts.groups import Group
from .rounded import Rounded


def counted(whom: Group) -> int | None:
    """How many are in a group, where that is published or follows from its cells one by one."""
    told = whom.told
    if (told.lower[whom.cells] == told.upper[whom.cells]).all():
        return int(told.lower[whom.cells].sum())
    matrix = told.sums.matrix
    for row in np.flatnonzero((np.diff(matrix.indptr) == len(whom.cells)) & (told.sums.lower == told.sums.upper)):
        part = slice(matrix.indptr[row], matrix.indptr[row + 1])
        if (matrix.data[part] == 1).all() and np.array_equal(np.sort(matrix.indices[part]), whom.cells):
            return int(told.sums.lower[row])
    return None


def row(cells: np.ndarray, numbers: Sequence[Fraction], low: int = 0, high: int = NO_LIMIT) -> Row:
    """A row of coefficients in fractions, made whole; its limits are multiples of that already, or 0."""
    scale = math.lcm(*(number.denominator for number in numbers)) if numbers else 1
    return Row(cells, np.array([int(number * scale) for number in numbers], dtype=np.int64), low, high)


def somebody(whom: Group) -> Row:
    """There is at least one in the group: a mean of nobody is not published."""
    return Row(whom.cells, np.ones(len(whom.cells), dtype=np.int64), 1, NO_LIMIT)


def between(
    cells: np.ndarray, sizes: Sequence[Fraction], weights: Sequence[Fraction], figure: Rounded
) -> tuple[Row, Row]:
    """The sum of sizes is from low to high times the sum of weights."""
    above = [size - figure.low * weight for size, weight in zip(sizes, weights, strict=True)]
    below = [figure.high * weight - size for size, weight in zip(sizes, weights, strict=True)]
    return row(cells, above, int(figure.without_low)), row(cells, below, int(figure.without_high))


def plain(number: Fraction) -> str:
    """A number as people write it."""
    return str(number.numerator) if number.denominator == 1 else f"{float(number):g}"


def refuse_outside(numbers: Sequence[Fraction], figure: Rounded, said: str, of: str) -> None:
    """A figure between labels must lie between them."""
    least, most = min(numbers), max(numbers)
    if figure.high < least or figure.low > most:
        raise InputError(
            f"{said}, outside of the labels that the dim {of!r} has there, {plain(least)} to {plain(most)}."
        )
