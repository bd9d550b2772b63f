"""Means: of a numeric dim, or of the amounts of so many contributors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...base.errors import InputError
from ...base.numbers import check_whole
from ...base.saved_forms import saved
from ..facts.fact import Fact, Meaning, Row
from ..facts.groups import Group
from .rounded import Rounded, rounded
from .rows import as_many, between, counted, refuse_amounts, refuse_outside, row


@saved("Mean")
@dataclass(frozen=True)
class Mean:
    """The mean of a numeric dim."""

    figure: Rounded
    of: str

    def words(self, whom: str) -> str:
        """The figure in words."""
        return f"the mean {self.of} of {whom} is {self.figure.written}"

    def means(self, whom: Group) -> Meaning:
        """What it says of the cells."""
        refuse_amounts(whom, self.words(whom.words))
        numbers = whom.numbers(self.of)
        refuse_outside(numbers, self.figure, self.words(whom.words), self.of)
        n = counted(whom)
        if n is None:
            rows = between(whom.cells, numbers, [Fraction(1)] * len(numbers), self.figure)
            return Meaning((*rows, *as_many(whom, n)))
        if n == 0:
            raise InputError(f"{self.words(whom.words)}, and there is nobody of that kind.")
        scale = math.lcm(*(number.denominator for number in numbers))
        low, high = self.figure.whole(n * scale)
        if low > high:
            kind = "whole numbers" if scale == 1 else "such numbers"
            raise InputError(f"{self.words(whom.words)}: no {n} {kind} have a mean that is rounded to that.")
        return Meaning((row(whom.cells, numbers, low, high), *as_many(whom, n)))


@dataclass(frozen=True)
class MeanAmount:
    """The mean amount of so many contributors, beside a table of amounts."""

    figure: Rounded
    count: int

    of_amounts = True
    """Is it about a table of amounts, and never about how many people there are?"""

    def words(self, whom: str) -> str:
        """The figure in words."""
        return f"the mean of the {self.count} in {whom} is {self.figure.written}"

    def means(self, whom: Group) -> Meaning:
        """What it says of the cells."""
        low, high = self.figure.whole(self.count * 10**whom.told.decimals)
        if low > high:
            raise InputError(f"{self.words(whom.words)}: no total of {self.count} has a mean that is rounded to that.")
        return Meaning((Row(whom.cells, np.ones(len(whom.cells), dtype=np.int64), low, high),))


def mean(
    figure: float | str,
    dim: str | None = None,
    *,
    contributors: int | None = None,
    decimals: int | None = None,
    rounding: str = "nearest",
) -> Fact:
    """The mean of a numeric dim in a group; or, beside a table of amounts, the mean of so many contributors.

    Parameters
    ----------
    figure
        The mean as it is published.
    dim
        A dim whose labels are numbers.
    contributors
        How many contribute to the amount, where the table is one of amounts and not of people.
    decimals
        To how many decimals it is rounded; left out: as many as it is written with. Write "44.0", or decimals=1, where 44
        is not rounded to a whole number.
    rounding
        "nearest", "down", "up", or "exact" where it is not rounded at all.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> ages = fw.publish(fw.table([1, 1, 1], labels={"age": ["30", "40", "50"]}, dims="age"), margins=[""]).without_truth()
    >>> fw.bounds(ages.knows({}, fw.facts.mean("36.7", "age")))["upper"].tolist()
    [2, 2, 1]
    """
    published = rounded(figure, decimals, rounding, "mean()")
    if (dim is None) == (contributors is None):
        raise InputError("mean() is of a dim, as mean(38, 'age'), or of amounts, as mean(12.5, contributors=8).")
    if contributors is not None:
        check_whole(contributors=contributors)
        return MeanAmount(published, int(contributors))
    return Mean(published, str(dim))
