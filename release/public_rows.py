"""What a release publishes, row by row, never the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..base.errors import InputError
from .facts.facts import HIDDEN, NO_LIMIT, NO_VALUE, PRIMARY, PUBLISHED, UNSHOWN
from .facts.statuses import RANDOM
from .files.rows import PublicRows

if TYPE_CHECKING:
    from .release import Release


def public_rows(release: Release, source: str, called: str) -> PublicRows:
    """One row per cell and per known or withheld sum; what `knows` added is told as a range.

    `source` is the file that is to hold them, and `called` what kind of file it is, as errors say it.
    """
    _refuse_what_has_no_row(release, source, called)
    facts = release.sums
    known = {tuple(key) for key in facts.keys}
    asked = [key for key in release.asked if tuple(key) not in known]
    random_sums = {key: figure for key, figure in release.sum_figures.items() if key not in known}
    n, n_more = release.n_cells, len(asked) + len(random_sums)
    keys = np.concatenate(
        [release.keys, facts.keys, *(np.array([key], dtype=np.int64) for key in (*asked, *random_sums))]
    )
    lower = np.concatenate([release.lower, facts.lower, np.zeros(n_more, np.int64)])
    upper = np.concatenate([release.upper, facts.upper, np.full(n_more, NO_LIMIT)])
    of_random = [release.sum_figures.get(tuple(key), NO_VALUE) for key in keys[n:].tolist()]
    random = np.concatenate([np.full(n, NO_VALUE) if release.figures is None else release.figures, of_random])
    figure = np.concatenate([release.value, facts.value, np.full(n_more, NO_VALUE)])
    perturbed = (figure == NO_VALUE) & (random != NO_VALUE)
    figure = np.where(perturbed, random, figure).astype(np.int64)
    told = figure != NO_VALUE
    withheld = np.isin(np.concatenate([release.status, np.full(len(keys) - n, UNSHOWN)]), (PRIMARY, HIDDEN))
    withheld[n + len(facts) : n + len(facts) + len(asked)] = True
    exact = np.concatenate([release.status == PUBLISHED, (told & (lower == upper))[n:]]) & ~perturbed
    limited = ~exact & ~perturbed & ((lower > 0) | (upper < NO_LIMIT))
    # Who cannot see which cells are primary must not read it in the file.
    primary = np.concatenate([release.flagged & (release.status == PRIMARY), np.zeros(len(keys) - n, dtype=bool)])
    shown = ~withheld & (told | limited)
    status = np.where(shown, np.where(perturbed, RANDOM, PUBLISHED), np.where(primary, PRIMARY, HIDDEN))
    value = np.where(shown & told, figure, NO_VALUE)
    low, high = np.where(limited, lower, NO_VALUE), np.where(limited & (upper < NO_LIMIT), upper, NO_VALUE)
    return PublicRows(release.dims, keys, value, status, low, high, release.decimals, source)


def _refuse_what_has_no_row(release: Release, source: str, called: str) -> None:
    """Refuse a release of which such rows would not say all."""
    facts = release.sums
    loose = np.flatnonzero((facts.keys < 0).any(axis=1))
    unsaid = any(item.figure == NO_VALUE for item in release.evidence)
    if len(loose) or unsaid or release.own.any() or len(release.grids) > 1:
        what = (
            facts.words[loose[0]]
            if len(loose)
            else "linked tables, evidence without a figure, or an insider's own part"
        )
        raise InputError(f"{source}: {called} cannot hold {what}; write the parts by themselves.")
    places = [tuple(item.key.tolist()) for item in release.evidence if item.key is not None]
    if len(set(places)) < len(places):
        twice = next(key for key in places if places.count(key) > 1)
        raise InputError(
            f"{source}: {release.words(np.array(twice))} was published twice, by two random draws, and {called} holds one "
            "figure; write the parts by themselves."
        )
