"""Quantiles: for some numbers of people the middle between two, which is a choice between facts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from ...base.errors import InputError
from ...base.numbers import is_number
from ...base.saved_forms import saved
from ..facts.choice import Choice
from ..facts.fact import Fact, Meaning, Row
from ..facts.facts import NO_LIMIT
from ..facts.groups import Group
from .rounded import Rounded, rounded
from .rows import as_many, counted, plain, refuse_amounts, refuse_outside

MOST_BRANCHES = 2_000
"""A choice between more is refused: a system with one column for each would be too large to be solved."""


@saved("Quantile")
@dataclass(frozen=True)
class Quantile:
    """A quantile of a numeric dim: where just the share q lies below, the middle between the two that meet there."""

    figure: Rounded
    of: str
    q: Fraction

    def words(self, whom: str) -> str:
        """The figure in words."""
        name = "median" if self.q == Fraction(1, 2) else f"{plain(self.q)} quantile of"
        return f"the {name} {self.of} of {whom} is {self.figure.written}"

    def means(self, whom: Group) -> Meaning:
        """What it says of the cells."""
        refuse_amounts(whom, self.words(whom.words))
        numbers = whom.numbers(self.of)
        refuse_outside(numbers, self.figure, self.words(whom.words), self.of)
        labels = sorted(set(numbers))
        n = counted(whom)
        if n == 0:
            raise InputError(f"{self.words(whom.words)}, and there is nobody of that kind.")
        branches = sorted(self._branches(labels, n), key=lambda pair: (pair[0], -pair[1]))
        if not branches:
            raise InputError(
                f"{self.words(whom.words)}: no {'' if n is None else f'{n} '}labels of {self.of!r} have that."
            )
        if len(branches) > MOST_BRANCHES:
            raise InputError(
                f"{self.words(whom.words)}: {len(branches):,} pairs of labels have that middle, more than the "
                f"{MOST_BRANCHES:,} between which a choice is solved; give the figure with more decimals, or merge labels."
            )
        # where a branch lies: below its first label fewer than the share, up to its second just the share, then more
        first, last = min(i for i, _ in branches), max(j for _, j in branches)
        below = [np.array([number <= labels[t] for number in numbers]) for t in range(max(first - 1, 0), last + 1)]
        places = range(max(first - 1, 0), last + 1)
        sides = np.array([[np.sign((t >= i) + (t >= j) - 1) for t in places] for i, j in branches])
        matrix, low, high = self._limits(whom, np.array(below), sides, n)
        if len(branches) == 1:
            rows = [
                _upwards(whom.cells, row, int(a), int(b)) for row, a, b in zip(matrix, low[0], high[0], strict=True)
            ]
            return Meaning((*(row for row in rows if row.coefficients.any()), *as_many(whom, n)))
        wide = sp.csr_array(
            (matrix.ravel(), (np.repeat(np.arange(len(matrix)), len(whom.cells)), np.tile(whom.cells, len(matrix)))),
            shape=(len(matrix), whom.told.n_cells),
        )
        wide.eliminate_zeros()
        return Meaning(as_many(whom, n), (Choice(wide, low, high, self.words(whom.words)),))

    def _branches(self, labels: Sequence[Fraction], n: int | None) -> list[tuple[int, int]]:
        """The pairs of labels that may meet there; a label with itself where the share is inside of it."""
        place = {label: i for i, label in enumerate(labels)}
        found = [(i, i) for i, label in enumerate(labels) if self.figure.holds(label)]
        if n is not None and (self.q * n).denominator != 1:
            return found
        if self.figure.low == self.figure.high:
            opposite = ((i, place.get(2 * self.figure.low - a, -1)) for i, a in enumerate(labels))
            return found + [(i, j) for i, j in opposite if j > i]
        for i, a in enumerate(labels):
            near = range(
                max(i + 1, bisect_left(labels, 2 * self.figure.low - a)), bisect_right(labels, 2 * self.figure.high - a)
            )
            found += [(i, j) for j in near if self.figure.holds((a + labels[j]) / 2)]
            if len(found) > 100 * MOST_BRANCHES:
                break
        return found

    def _limits(
        self, whom: Group, below: np.ndarray, sides: np.ndarray, n: int | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows on how many lie below, and their limits in each branch: fewer than the share, just that, or more."""
        parts, whole = self.q.numerator, self.q.denominator
        if n is None:
            matrix = whole * below.astype(np.int64) - parts
            low = np.where(sides < 0, -NO_LIMIT, np.where(sides > 0, 1, 0))
            return matrix, low, np.where(sides < 0, -1, np.where(sides > 0, NO_LIMIT, 0))
        exactly, under, over = parts * n // whole, (parts * n - 1) // whole, parts * n // whole + 1
        low = np.where(sides < 0, 0, np.where(sides > 0, over, exactly))
        return below.astype(np.int64), low, np.where(sides < 0, under, np.where(sides > 0, n, exactly))


def _upwards(cells: np.ndarray, coefficients: np.ndarray, low: int, high: int) -> Row:
    """A row that has a lower limit, whichever way it is written."""
    return Row(cells, coefficients, low, high) if low > -NO_LIMIT else Row(cells, -coefficients, -high, NO_LIMIT)


def median(figure: float | str, dim: str, *, decimals: int | None = None, rounding: str = "nearest") -> Fact:
    """The median of a numeric dim in a group: of an even number of people the middle between two of them.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> ages = fw.publish(fw.table([1, 0, 1], labels={"age": ["30", "40", "50"]}, dims="age"), margins=[""]).without_truth()
    >>> fw.count(ages.knows({}, fw.facts.median(40, "age", rounding="exact")))
    2
    """
    return quantile(figure, dim, 0.5, decimals=decimals, rounding=rounding)


def quantile(
    figure: float | str, dim: str, at: float, *, decimals: int | None = None, rounding: str = "nearest"
) -> Fact:
    """A quantile of a numeric dim in a group; where just that share lies below, the middle between the two that meet there.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> ages = fw.publish(fw.table([1, 2, 1], labels={"age": ["30", "40", "50"]}, dims="age"), margins=[""]).without_truth()
    >>> fw.count(ages.knows({}, fw.facts.quantile(35, "age", at=0.25, rounding="exact")))
    3
    """
    share = Fraction(repr(float(at))) if is_number(at) else Fraction(0)
    if not 0 < share < 1:
        raise InputError(f"quantile(): at={at!r} must lie between 0 and 1.")
    return Quantile(rounded(figure, decimals, rounding, "quantile()"), str(dim), share.limit_denominator(10_000))
