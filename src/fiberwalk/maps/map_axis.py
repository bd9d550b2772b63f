"""One axis of an R-U map: a measure that was chosen by its name, or a function of the user's own."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from ..base.errors import InputError, did_you_mean
from .map_seen import Seen


@dataclass(frozen=True, eq=False)
class Measure:
    """One axis of the map: its name, its words for people, and how it is computed."""

    name: str
    words: str
    of: Callable[[Seen], float]
    error: Callable[[Seen], float] = lambda seen: 0.0 if seen.audit.method == "exact" else math.nan
    """The standard error that chains and draws leave; not a number where it is not known."""
    of_cells: bool = True
    """Is it of single cells? Otherwise it is of the table as a whole, and no cell is at risk by itself."""


def known_name(axis: str, name: Any, known: Collection[str]) -> str:
    """The name of a measure in small letters, as the lists have it; refused if it is not there."""
    if not isinstance(name, str):
        raise InputError(f"{axis}= is the name of a measure or a function; it is {name!r}.")
    if name.lower() not in known:
        raise InputError(f"{axis}={name!r}: there is no such {axis}; {did_you_mean(name.lower(), known)}")
    return name.lower()
