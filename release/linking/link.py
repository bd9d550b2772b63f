"""Linked releases: several publications about the same people, read together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...base.errors import InputError
from ..facts.facts import PRIMARY
from ..facts.whom import about_words
from ..release import Release
from ..shared_draws import methods_of
from .common_dims import dim_of_all, relabelled
from .crossed import crossed
from .side_by_side import side_by_side


def linked(releases: Sequence[Release], *, full: bool = False) -> Release:
    """Read several releases together.

    Cells whose labels agree are one cell, and totals that two tables have in common are equal, published or not.
    With `full=True` all are margins of the one table that crosses every dim, and its cells are what is hidden.

    A dim of the same name must cover the same categories in each release, at the same or at different levels of
    its hierarchy. Releases about a part of the people (`restricted_to`, or answers of a server to a request with a filter)
    are completed where `full=True`: what they say is said of these, and all others are a category of their own. Side by
    side with others they are refused.

    Examples
    --------
    Two tables of the same people by town: the totals of the one narrow down the cells of the other.

    >>> import fiberwalk as fw
    >>> by_size = fw.publish(fw.table([[1, 9], [8, 2]], dims=["town", "size"]), ["size"])
    >>> by_age = fw.publish(fw.table([[4, 6], [7, 3]], dims=["town", "age"]), ["town"])
    >>> fw.bounds(by_size).loc[("1", "2")].tolist()
    [0, 11]
    >>> fw.bounds(fw.linked([by_size, by_age])).loc[("1", "2", "Total")].tolist()
    [1, 10]
    """
    releases = [] if isinstance(releases, Release) else list(releases)
    if not releases or not all(isinstance(release, Release) for release in releases):
        raise InputError("linked() needs a list of releases.")
    if len({release.decimals for release in releases}) > 1:
        raise InputError("linked releases must have the same number of decimals.")
    common = tuple(part for part in releases[0].about if all(part in other.about for other in releases))
    releases = [
        replace(release, about=tuple(part for part in release.about if part not in common)) for release in releases
    ]
    for release in releases:
        if release.about and not full:
            raise InputError(
                f"linked releases: one is about {about_words(release.about)} only, another is not, and their totals do not "
                "mean the same; link them with full=True."
            )
    _refuse_signed(releases, full)
    names = list(dict.fromkeys([*(dim.name for release in releases for dim in release.dims), *_filtered(releases)]))
    dims = tuple(dim_of_all(name, releases) for name in names)
    tables = [relabelled(release, dims) for release in releases]
    notes = (*(note for release in releases for note in release.notes), f"{len(releases)} releases are read together")
    applied = methods_of(tables)
    joined = crossed(tables, dims) if full else side_by_side(tables, dims)
    return replace(
        joined,
        beforehand="; ".join(dict.fromkeys(release.beforehand for release in releases if release.beforehand)),
        notes=notes,
        applied=applied,
        # What one table does not show must not be read in another's flags.
        flagged=any(release.flagged for release in releases)
        and all(release.flagged or not (release.status == PRIMARY).any() for release in releases),
        about=common,
    )


def _refuse_signed(releases: Sequence[Release], full: bool) -> None:
    """Refuse what is known beforehand where it cannot be carried over."""
    if full and any(release.signed for release in releases):
        raise InputError(
            "linked(full=True): cells of one table may be negative, and nothing is known of the cells of the crossed one."
        )
    if any(release.told is not None for release in releases):
        raise InputError(
            "linked releases: known_within= is about the cells of one table; say what is known with at_least= and at_most=."
        )


def _filtered(releases: Sequence[Release]) -> list[str]:
    """The dims on which some release has a filter."""
    return [name for release in releases for name, _ in release.about]
