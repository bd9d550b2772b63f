"""What a release publishes, row by row, never the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..base.errors import InputError
from .facts.facts import HIDDEN, NO_LIMIT, NO_VALUE, PRIMARY, PUBLISHED, UNSHOWN
from .facts.statuses import RANDOM
from .facts.whom import joined_labels
from .files.rows import PublicRows
from .tables.dims import Dim

if TYPE_CHECKING:
    from .public_view import PublicView


def public_rows(public: PublicView, source: str, called: str) -> PublicRows:
    """One row per cell and per known or withheld sum; what `knows` added is told as a range.

    `source` is the file that is to hold them, and `called` what kind of file it is, as errors say it.
    """
    _refuse_what_has_no_row(public, source, called)
    facts = public.sums
    known = {tuple(key) for key in facts.keys}
    asked = [key for key in public.asked if tuple(key) not in known]
    random_sums = {key: figure for key, figure in public.sum_figures.items() if key not in known}
    n, n_more = public.n_cells, len(asked) + len(random_sums)
    keys = np.concatenate(
        [public.keys, facts.keys, *(np.array([key], dtype=np.int64) for key in (*asked, *random_sums))]
    )
    lower = np.concatenate([public.lower, facts.lower, np.zeros(n_more, np.int64)])
    upper = np.concatenate([public.upper, facts.upper, np.full(n_more, NO_LIMIT)])
    of_random = [public.sum_figures.get(tuple(key), NO_VALUE) for key in keys[n:].tolist()]
    random = np.concatenate([np.full(n, NO_VALUE) if public.figures is None else public.figures, of_random])
    figure = np.concatenate([public.value, facts.value, np.full(n_more, NO_VALUE)])
    perturbed = (figure == NO_VALUE) & (random != NO_VALUE)
    figure = np.where(perturbed, random, figure).astype(np.int64)
    has_figure = figure != NO_VALUE
    withheld = np.isin(np.concatenate([public.status, np.full(len(keys) - n, UNSHOWN)]), (PRIMARY, HIDDEN))
    withheld[n + len(facts) : n + len(facts) + len(asked)] = True
    exact = np.concatenate([public.status == PUBLISHED, (has_figure & (lower == upper))[n:]]) & ~perturbed
    # A cell that may be negative has a limit below 0; one that may be anything has none.
    floor = (lower != 0) & (lower > -NO_LIMIT)
    limited = ~exact & ~perturbed & (floor | (upper < NO_LIMIT))
    # Who cannot see which cells are primary must not read it in the file.
    primary_sums = set(map(tuple, public.asked_primary.tolist()))
    primary = [
        public.status == PRIMARY,
        np.array([tuple(key) in primary_sums for key in keys[n:].tolist()], dtype=bool),
    ]
    shown = ~withheld & (has_figure | limited)
    status = np.where(
        shown,
        np.where(perturbed, RANDOM, PUBLISHED),
        np.where(public.flagged & np.concatenate(primary), PRIMARY, HIDDEN),
    )
    value = np.where(shown & has_figure, figure, NO_VALUE)
    low = np.where(limited & (lower > -NO_LIMIT), lower, NO_VALUE)
    high = np.where(limited & (upper < NO_LIMIT), upper, NO_VALUE)
    # a filter on a dim that the table does not show is a column with one label: whoever reads the file sees who is meant
    further = [
        Dim(name, (joined_labels(labels),))
        for name, labels in public.about
        if name not in {dim.name for dim in public.dims}
    ]
    keys = np.concatenate([keys, np.zeros((len(keys), len(further)), dtype=keys.dtype)], axis=1)
    return PublicRows((*public.dims, *further), keys, value, status, low, high, public.decimals, source)


def _refuse_what_has_no_row(public: PublicView, source: str, called: str) -> None:
    """Refuse a release that says more than such rows can."""
    facts = public.sums
    loose = np.flatnonzero((facts.keys < 0).any(axis=1))
    unsaid = any(item.figure == NO_VALUE for item in public.evidence)
    if len(loose) or public.choices or unsaid or public.own.any() or len(public.grids) > 1:
        said = [facts.words[i] for i in loose[:1]] + [choice.words for choice in public.choices[:1]]
        obstacle = said[0] if said else "linked tables, evidence without a figure, or an insider's own part"
        raise InputError(f"{source}: {called} cannot hold {obstacle}; write the parts by themselves.")
    places = [tuple(item.key.tolist()) for item in public.evidence if item.key is not None]
    if len(set(places)) < len(places):
        twice = next(key for key in places if places.count(key) > 1)
        raise InputError(
            f"{source}: {public.words(np.array(twice))} was published twice, by two random draws, and {called} holds one "
            "figure; write the parts by themselves."
        )
