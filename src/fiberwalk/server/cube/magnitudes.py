"""Magnitudes of records, such as turnover or income: each value is changed once, and every sum is one of changed values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...base.errors import InputError
from ...base.numbers import is_number
from ...posterior.populations.sampling_design import numbers_in
from ...protect.mechanism.keyed_hash import from_0_to_1, secret_key, siphash

UNIT = 2.0**-10
"""Values are summed as whole numbers of these, so that no order of people makes a difference."""
LARGEST = 2.0**52
"""In units of the data; larger sums would not be held to the unit."""


@dataclass(frozen=True)
class Magnitude:
    """How sums and means of a magnitude are protected: every record's value is changed once and for all.

    The value of a record is multiplied by a factor of its own, which follows from its record key: by which share it is
    changed is drawn between two limits, small changes being more frequent, and its direction is as often up as down (noise
    infusion; Evans, Zayatz and Slanta 1998). So sums add up and agree in all tables, no comparison of tables tells more
    than the changed values themselves, and who is alone in a cell, or by far the largest, is off by at least the smaller
    share. In sums of many the changes cancel. The factor stays with the record: how it grows from one version of the data
    to the next is told as it is.

    Parameters
    ----------
    changed_by
        By which share a value is changed at least and at most: (0.1, 0.25). Keep the smaller above the p of the p% rule.
    step
        Published sums are multiples of it.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> fw.server.Magnitude(changed_by=(0.15, 0.3), step=1000)
    Magnitude(changed_by=(0.15, 0.3), step=1000)
    """

    changed_by: tuple[float, float] = (0.1, 0.25)
    step: float = 1

    def __post_init__(self) -> None:
        limits = self.changed_by
        pair = isinstance(limits, Sequence) and not isinstance(limits, str) and len(limits) == 2
        if not pair or not all(is_number(share) for share in limits) or not 0 <= limits[0] <= limits[1] < 1:
            raise InputError(
                f"Magnitude(changed_by={limits!r}): the least and largest share by which a value is changed, as (0.1, 0.25)."
            )
        if not is_number(self.step) or not self.step > 0:
            raise InputError(f"Magnitude(step={self.step!r}): a number above 0; sums are published as multiples of it.")
        object.__setattr__(self, "changed_by", (float(limits[0]), float(limits[1])))


def factors_of(magnitude: Magnitude, keys: np.ndarray, name: str, seed: int) -> np.ndarray:
    """What the value of each record is multiplied by, from the record's key."""
    number = 2 * from_0_to_1(siphash([keys], secret_key(seed, f"magnitude {name}")))
    up, place = number >= 1, number % 1
    least, most = magnitude.changed_by
    share = least + (most - least) * (1 - np.sqrt(1 - place))  # its density falls to 0 at the largest share
    return np.where(up, 1 + share, 1 - share)


def published_sums(magnitude: Magnitude, changed: np.ndarray) -> np.ndarray:
    """Sums of changed values, as they are published."""
    rounded: np.ndarray = np.rint(changed * UNIT / magnitude.step) * magnitude.step
    return rounded


class Amounts(NamedTuple):
    """Sums of a magnitude in each cell, in whole units."""

    changed: np.ndarray
    """Of the values as they are published."""
    true: np.ndarray
    """Of the true values, for the agency."""

    def of_rows(self, cell: np.ndarray, cells: int) -> Amounts:
        """The sums over rows, by the cell that each is in."""
        summed = Amounts(np.zeros(cells, dtype=np.int64), np.zeros(cells, dtype=np.int64))
        for of_rows, of_cells in zip(self, summed, strict=True):
            np.add.at(of_cells, cell, of_rows)
        return summed

    def picked(self, part: Any) -> Amounts:
        """The sums of some cells."""
        return Amounts(*(sums[part] for sums in self))


def amounts_of(
    column: Any, name: str, magnitude: Magnitude, keys: np.ndarray, weights: np.ndarray | None, seed: int
) -> Amounts:
    """What every record adds to sums: its value, changed as its key says, for as many people as it stands for."""
    values = numbers_in(column, f"column {name!r}") * (1 if weights is None else weights)
    both = values * factors_of(magnitude, keys, name, seed), values
    if np.abs(values).sum() * (1 + magnitude.changed_by[1]) > LARGEST:
        raise InputError(f"column {name!r}: its sum is too large to be held exactly; give it in thousands or millions.")
    return Amounts(*(np.rint(amounts / UNIT).astype(np.int64) for amounts in both))


def as_magnitudes(summed: Any) -> dict[str, Magnitude]:
    """Magnitudes as users name them: the names of columns, or {column: Magnitude(...)}."""
    if summed is None:
        return {}
    if isinstance(summed, Mapping):
        named = {str(name): magnitude for name, magnitude in summed.items()}
    else:
        names = [summed] if isinstance(summed, str) else summed
        named = {str(name).strip(): Magnitude() for name in names}
    for name, magnitude in named.items():
        if not isinstance(magnitude, Magnitude):
            raise InputError(f"summed= has {name!r}: {magnitude!r}, which is no fw.server.Magnitude(...).")
    return named
