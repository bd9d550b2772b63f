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
    """How many are in a group, where that is published, or follows from its cells and published sums that do not overlap."""
    told = whom.told
    matrix, left = told.sums.matrix, np.zeros(told.n_cells, dtype=bool)
    left[whom.cells] = True
    outside = matrix @ (~left).astype(np.int64)
    inside = (outside == 0) & (told.sums.lower == told.sums.upper) & (np.diff(matrix.indptr) > 0)
    decided = left & (told.lower == told.upper)
    number, left = int(told.lower[decided].sum()), left & ~decided
    # Larger sums first: the group itself, where it is published, and else the parts of one table.
    for one in sorted(np.flatnonzero(inside), key=lambda one: int(matrix.indptr[one] - matrix.indptr[one + 1])):
        part = slice(matrix.indptr[one], matrix.indptr[one + 1])
        cells = matrix.indices[part]
        known = cells[decided[cells]]
        if (matrix.data[part] == 1).all() and left[cells].sum() + len(known) == len(cells) > len(known):
            number += int(told.sums.lower[one]) - int(told.lower[known].sum())
            left[cells] = False
    return None if left.any() else number


def as_many(whom: Group, n: int | None) -> tuple[Row, ...]:
    """How many are in the group as a row of its own, so that searches look at it beside their ages: n, or at least one, as a
    figure of nobody is not published."""
    ones = np.ones(len(whom.cells), dtype=np.int64)
    return (Row(whom.cells, ones, 1, NO_LIMIT) if n is None else Row(whom.cells, ones, n, n),)


def row(cells: np.ndarray, numbers: Sequence[Fraction], low: int = 0, high: int = NO_LIMIT) -> Row:
    """A row of coefficients in fractions, made whole; its limits are multiples of that already, or 0."""
    scale = math.lcm(*(number.denominator for number in numbers)) if numbers else 1
    return Row(cells, np.array([int(number * scale) for number in numbers], dtype=np.int64), low, high)


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


def refuse_amounts(whom: Group, said: str) -> None:
    """Cells of amounts do not say how many people or firms are behind them, and what each has."""
    if whom.told.decimals:
        raise InputError(
            f"{said}: that is about single ones, and this is a table of amounts; where single ones matter, they are a "
            "population with the amount as a dim, as fw.population({'region': ..., 'turnover': range(1000)})."
        )


def refuse_outside(numbers: Sequence[Fraction], figure: Rounded, said: str, of: str) -> None:
    """A figure between labels must lie between them."""
    least, most = min(numbers), max(numbers)
    if figure.high < least or figure.low > most:
        raise InputError(
            f"{said}, outside of the labels that the dim {of!r} has there, {plain(least)} to {plain(most)}."
        )
