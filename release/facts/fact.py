"""A published figure about a group, and what it says of the cells: rows, choices, or how many of some choices."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from .choice import Choice
from .groups import Group


class Row(NamedTuple):
    """low <= coefficients . cells <= high."""

    cells: np.ndarray
    coefficients: np.ndarray
    low: int
    high: int


class Meaning(NamedTuple):
    """What a published figure says of the cells: rows, choices, or that so many of the choices' second branches hold."""

    rows: tuple[Row, ...] = ()
    choices: tuple[Choice, ...] = ()
    second: int | None = None


class Fact(Protocol):
    """A published figure."""

    def words(self, whom: str) -> str:
        """The figure and the group it is about, as a sentence without its full stop."""
        ...

    def means(self, whom: Group) -> Meaning:
        """What it says of the cells."""
        ...
