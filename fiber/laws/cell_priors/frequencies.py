"""frequencies_of: each value as probable as it is frequent among the cells of another table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....base.errors import InputError
from ....base.saved_forms import saved
from ....release.tables.tables import as_table
from .cell_prior import is_probability


@saved("Frequencies")
@dataclass(frozen=True, eq=False)
class Frequencies:
    """A value is as probable as it is frequent among the cells of another table."""

    values: np.ndarray
    """The values that occur there, ascending, in whole numbers of 10^-decimals."""
    times: np.ndarray
    decimals: int
    smooth: float
    name: str = "frequencies"
    needs_interval = False

    @property
    def words(self) -> str:
        """What the intruder assumes."""
        n_cells = int(self.times.sum())
        more = f", {self.smooth:g} imaginary cells added" if self.smooth else ""
        return f"each value as probable as it is frequent among the {n_cells} cells of a reference table{more}"

    @property
    def call(self) -> str:
        """How it is made."""
        return f"fw.laws.frequencies_of(reference{f', smooth={self.smooth:g}' if self.smooth else ''})"

    def log_weights(self, values: np.ndarray, known: tuple[int, int], decimals: int) -> np.ndarray:
        """The logarithm of how often each value occurs, with its share of the imaginary cells."""
        if decimals < self.decimals:
            raise InputError(
                f"the reference table of frequencies_of() has {self.decimals} decimals and the release {decimals}: give the "
                "same decimals to both (fw.table(decimals=))."
            )
        occurring = self.values * 10 ** (decimals - self.decimals)
        place = np.minimum(np.searchsorted(occurring, values), len(occurring) - 1)
        log_times = np.where(occurring[place] == values, np.log(self.times[place]), -np.inf)
        if not self.smooth:
            return log_times
        # A geometric law with the mean of the reference, one unit being added so that the mean is not 0.
        mean = (float(occurring @ self.times) + 1) / float(self.times.sum())
        share = math.log(self.smooth) - math.log1p(mean) + values * (math.log(mean) - math.log1p(mean))
        smoothed: np.ndarray = np.logaddexp(log_times, share)
        return smoothed


def frequencies_of(reference: Any, *, smooth: float = 0.0) -> Frequencies:
    """A prior for `prior`: each value is as probable as it is frequent among the cells of another table.

    Parameters
    ----------
    reference
        Any form of a table; its shape and labels do not matter.
    smooth
        So many imaginary cells are added to the reference, spread over all counts from 0 on by a geometric law with the
        same mean. Without them a value that does not occur in the reference is impossible.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> release = fw.publish([[3, 1], [2, 4]], margins=["A", "B"])
    >>> law = fw.laws.prior([({"A": "1", "B": "1"}, fw.laws.frequencies_of([[0, 1, 0], [3, 0, 9]]))])
    >>> fw.audit(release, law).pmf(A="1", B="1").round(3).to_dict()
    {0: 0.6, 1: 0.2, 3: 0.2}
    """
    if not is_probability(smooth):
        raise InputError(f"frequencies_of(smooth={smooth!r}): a number of at least 0, such as 1.")
    table = as_table(reference)
    values, times = np.unique(table.values, return_counts=True)
    return Frequencies(values, times.astype(float), table.decimals, float(smooth))
