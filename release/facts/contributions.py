"""Who stands behind a cell: how many contribute to it, and how much the two largest of them do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.errors import InputError
from ..tables.dims import key_words
from ..tables.integers import whole_numbers
from ..tables.tables import Table, as_means
from .facts import NO_VALUE

if TYPE_CHECKING:
    from ..release import Release


def with_contributions(table: Table, contributors: Any = None, largest: Any = None, second: Any = None) -> Table:
    """The table with who stands behind its cells: tables of how many contribute, and of the two largest contributions."""
    if second is not None and largest is None:
        raise InputError("second=, the second largest contributions, needs largest= with it.")
    behind = replace(
        table,
        contributors=_matched(table, contributors, "contributors=", 0),
        largest=_matched(table, largest, "largest=", table.decimals),
        second=_matched(table, second, "second=", table.decimals),
    )
    _refuse_impossible(behind, table.values.ravel(), lambda cell: np.unravel_index(cell, table.values.shape))
    return behind


def _matched(table: Table, given: Any, named: str, decimals: int) -> np.ndarray | None:
    if given is None:
        return None
    values = as_means(given, table.dims, named)
    if values.shape != table.values.shape:
        raise InputError(f"{named} has the shape {values.shape}, but the table has {table.values.shape}.")
    known = ~np.isnan(values)
    whole = whole_numbers(np.where(known, values, 0), table.dims, decimals)
    return np.where(known, whole, NO_VALUE).ravel()


def checked(release: Release, source: str) -> Release:
    """The release, unless what is said of its contributors is impossible."""
    _refuse_impossible(release, _known_values(release), lambda cell: release.keys[cell], f"{source}: ")
    return release


def _refuse_impossible(behind: Table | Release, value: np.ndarray, key: Callable[[int], Any], begin: str = "") -> None:
    """Refuse contributions that the cell they are to cannot have."""

    def refuse(cells: np.ndarray, problem: str) -> None:
        for cell in np.flatnonzero(cells):
            raise InputError(f"{begin}cell {key_words(key(int(cell)), behind.dims)} {problem}")

    contributors, largest, second = behind.contributors, behind.largest, behind.second
    if largest is not None and behind.signed:
        raise InputError(
            f"{begin}where cells may be negative, the largest contribution to one is no part of it; leave largest= out."
        )
    if contributors is not None:
        refuse((contributors == 0) & (value > 0), "is not zero, but nobody contributes to it.")
    if largest is not None:
        known = value != NO_VALUE
        refuse(known & (largest > value), "is less than the largest contribution to it.")
        if second is not None:
            both = (largest != NO_VALUE) & (second != NO_VALUE)
            refuse(both & (second > largest), "has a second largest contribution that is greater than its largest.")
            refuse(both & known & (largest + second > value), "is less than its two largest contributions together.")


def contributions_differ(release: Release) -> bool:
    """Do contributions show a magnitude table: a value that is not its number of contributors, or a contribution above 1?"""
    value = _known_values(release)
    if release.contributors is not None:
        both = (value != NO_VALUE) & (release.contributors != NO_VALUE)
        if (value[both] != release.contributors[both]).any():
            return True
    return release.largest is not None and bool((release.largest > 1).any())


def _known_values(release: Release) -> np.ndarray:
    return release.value if release.truth is None else release.truth
