"""The smallest or the largest label that occurs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...base.errors import InputError
from ...base.saved_forms import saved
from ..facts.fact import Fact, Meaning, Row
from ..facts.facts import NO_LIMIT
from ..facts.groups import Group
from .rounded import rounded
from .rows import plain, refuse_amounts


@saved("Extreme")
@dataclass(frozen=True)
class Extreme:
    """The smallest or the largest label of a numeric dim that occurs."""

    value: Fraction
    of: str
    largest: bool

    def words(self, whom: str) -> str:
        """The figure in words."""
        return f"the {'largest' if self.largest else 'smallest'} {self.of} of {whom} is {plain(self.value)}"

    def means(self, whom: Group) -> Meaning:
        """What it says of the cells."""
        refuse_amounts(whom, self.words(whom.words))
        numbers = np.array(whom.numbers(self.of), dtype=object)
        there = whom.cells[numbers == self.value]
        if not len(there):
            raise InputError(f"{self.words(whom.words)}, which is no label of the dim {self.of!r} there.")
        beyond = whom.cells[numbers > self.value if self.largest else numbers < self.value]
        nobody = Row(beyond, np.ones(len(beyond), dtype=np.int64), 0, 0)
        somebody = Row(there, np.ones(len(there), dtype=np.int64), 1, NO_LIMIT)
        return Meaning((somebody, nobody) if len(beyond) else (somebody,))


def smallest(figure: float | str, dim: str) -> Fact:
    """The smallest label of a numeric dim that occurs in a group.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> ages = fw.publish(fw.table([0, 2, 1], labels={"age": ["30", "40", "50"]}, dims="age"), margins=[""]).without_truth()
    >>> fw.bounds(ages.knows({}, fw.facts.smallest(40, "age")))["lower"].tolist()
    [0, 1, 0]
    """
    return Extreme(rounded(figure, None, "exact", "smallest()").low, str(dim), largest=False)


def largest(figure: float | str, dim: str) -> Fact:
    """The largest label of a numeric dim that occurs in a group.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> ages = fw.publish(fw.table([1, 2, 0], labels={"age": ["30", "40", "50"]}, dims="age"), margins=[""]).without_truth()
    >>> fw.bounds(ages.knows({}, fw.facts.largest(40, "age")))["upper"].tolist()
    [2, 3, 0]
    """
    return Extreme(rounded(figure, None, "exact", "largest()").low, str(dim), largest=True)
