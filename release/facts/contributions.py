"""Who stands behind a cell: how many contribute to it, and how much the two largest of them do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.errors import InputError
from ..tables.integers import whole_numbers
from ..tables.tables import as_means
from .facts import NO_VALUE

if TYPE_CHECKING:
    from ..release import Release


def with_contributions(release: Release, contributors: Any = None, largest: Any = None, second: Any = None) -> Release:
    """The release with what is known of the contributors to its cells: their number and the two largest contributions."""
    if second is not None and largest is None:
        raise InputError("second=, the second largest contributions, needs largest= with it.")
    if contributors is not None:
        release = replace(release, contributors=_matched(release, contributors, "contributors=", 0))
    if largest is not None:
        release = replace(release, largest=_matched(release, largest, "largest=", release.decimals))
    if second is not None:
        release = replace(release, second=_matched(release, second, "second=", release.decimals))
    return checked(release)


def _matched(release: Release, table: Any, named: str, decimals: int) -> np.ndarray:
    values = as_means(table, release.dims, named)
    shape = tuple(len(dim.labels) for dim in release.dims)
    if values.shape != shape:
        raise InputError(f"{named} has the shape {values.shape}, but the table has {shape}.")
    known = ~np.isnan(values)
    whole = whole_numbers(np.where(known, values, 0), release.dims, decimals)
    return np.where(known, whole, NO_VALUE).ravel()


def checked(release: Release, source: str = "") -> Release:
    """The release, unless what is said of its contributors is impossible."""
    value, begin = _known_values(release), f"{source}: " if source else ""
    if release.contributors is not None:
        nobody = (release.contributors == 0) & (value > 0)
        for cell in np.flatnonzero(nobody):
            raise InputError(
                f"{begin}cell {release.words(release.keys[cell])} is not zero, but nobody contributes to it."
            )
    if release.largest is not None:
        over = (value != NO_VALUE) & (release.largest > value)
        for cell in np.flatnonzero(over):
            raise InputError(
                f"{begin}cell {release.words(release.keys[cell])} is less than the largest contribution to it."
            )
    if release.largest is not None and release.second is not None:
        both = (release.largest != NO_VALUE) & (release.second != NO_VALUE)
        for cell in np.flatnonzero(both & (release.second > release.largest)):
            raise InputError(
                f"{begin}cell {release.words(release.keys[cell])} has a second largest contribution that is greater than "
                "its largest."
            )
        for cell in np.flatnonzero(both & (value != NO_VALUE) & (release.largest + release.second > value)):
            raise InputError(
                f"{begin}cell {release.words(release.keys[cell])} is less than its two largest contributions together."
            )
    return release


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
