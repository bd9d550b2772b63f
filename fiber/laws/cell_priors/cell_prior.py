"""What a prior of one cell is, where it is more than a list of values or a function of the user's own.

A new one is one file with a class that has `name`, `words`, `call` and `log_weights(values, known, decimals)`: values are
whole numbers of 10^-decimals, and `known` is the interval that the exact figures leave the cell, for those that ask for it
(`needs_interval`). Where it says `always_positive`, every value from 0 on has some probability, and nobody has to list them
all to see what is possible.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ....base.numbers import is_number

KNOWN = "the interval that the exact figures leave it"
"""How priors that need the interval call it."""


class KnownPrior(Protocol):
    """A prior whose weights are computed for many values at once."""

    @property
    def name(self) -> str:
        """One or two words."""
        ...

    @property
    def words(self) -> str:
        """What the intruder assumes of the cell, as half a sentence."""
        ...

    @property
    def call(self) -> str:
        """The line of Python that makes it, for reports."""
        ...

    @property
    def needs_interval(self) -> bool:
        """Does it depend on the interval that the exact figures leave the cell?"""
        ...

    def log_weights(self, values: np.ndarray, known: tuple[int, int], decimals: int) -> np.ndarray:
        """The log-weights of some values."""
        ...


def is_probability(p: Any) -> bool:
    """A finite number of at least 0: only ratios matter."""
    return is_number(p) and p >= 0
