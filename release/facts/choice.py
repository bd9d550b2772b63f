"""A fact that is no single set of equations and limits: one of several sets holds, and only one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.saved_forms import saved
from .facts import NO_LIMIT


@saved("Choice")
@dataclass(frozen=True, eq=False)
class Choice:
    """In every table exactly one branch holds: in branch k, lower[k] <= matrix @ cells <= upper[k].

    That no two can hold in the same table is up to whoever makes it: tables are counted once for each branch that holds.
    """

    matrix: Any
    lower: np.ndarray
    upper: np.ndarray
    words: str
    """The fact itself, in words."""

    def __post_init__(self) -> None:
        for array in (self.lower, self.upper, self.matrix.data):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.lower)

    def over(self, columns: Any) -> Choice:
        """The same about other cells, of which these are sums: `columns` has a row for each of these."""
        matrix = sp.csr_array(self.matrix @ columns)
        matrix.sum_duplicates()  # which sorts it: it is not to be written to later on
        return replace(self, matrix=matrix)

    def less(self, part: np.ndarray) -> Choice:
        """The same about what is left of the cells without some part of each."""
        sums = self.matrix @ part
        lower = np.where(self.lower <= -NO_LIMIT, self.lower, self.lower - sums)
        return replace(self, lower=lower, upper=np.where(self.upper >= NO_LIMIT, self.upper, self.upper - sums))

    def branches_of(self, table: np.ndarray) -> np.ndarray:
        """The branches that hold in a table."""
        sums = self.matrix @ table
        return np.flatnonzero(((self.lower <= sums) & (sums <= self.upper)).all(axis=1))


@saved("Tally")
@dataclass(frozen=True, eq=False)
class Tally:
    """Of some branches of choices, (choice, branch), from `lower` to `upper` hold."""

    branches: tuple[tuple[int, int], ...]
    lower: int
    upper: int
    words: str

    def after(self, earlier: int) -> Tally:
        """The same where so many choices stand before those that it names."""
        return replace(self, branches=tuple((choice + earlier, branch) for choice, branch in self.branches))


def joined_tallies(parts: Iterable[tuple[tuple[Choice, ...], tuple[Tally, ...]]]) -> tuple[Tally, ...]:
    """The tallies of several sets of choices that stand one after the other."""
    tallies, before = [], 0
    for choices, own in parts:
        tallies += [tally.after(before) for tally in own]
        before += len(choices)
    return tuple(tallies)
