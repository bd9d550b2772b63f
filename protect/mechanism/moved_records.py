"""What methods that move records share: they publish a table of their own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...base.errors import InputError
from ...release.facts.facts import NO_VALUE, Applied
from ...release.release import Release


def published_as(release: Release, figures: np.ndarray, applied: Applied) -> Release:
    """A release of what a method keeps, with the table that the method published instead of the true one."""
    note = f"{applied.name}: {applied.words} (likelihood: {applied.likelihood})"
    return replace(release, figures=figures, applied=(*release.applied, applied), notes=(*release.notes, note))


def whole_counts(release: Release, method: str) -> np.ndarray:
    """The published table, if it is one that whole units moved within."""
    if release.decimals:
        raise InputError(f"{method} is for counts, and this table has decimals.")
    figures = release.value if release.figures is None else release.figures
    published = np.where(figures == NO_VALUE, release.value, figures)
    missing, negative = np.flatnonzero(published == NO_VALUE), np.flatnonzero(published < 0)
    if len(missing):
        cell = release.words(release.keys[missing[0]])
        raise InputError(f"{cell} is not published: {method} publishes every cell, and is read from all of them.")
    if len(negative):
        cell, below = release.words(release.keys[negative[0]]), int(published[negative[0]])
        raise InputError(f"{cell}, published as {below}: {method} moves units, and leaves no cell below 0.")
    for key, figure in release.sum_figures.items():
        total = int((release.row(key) @ published)[0])
        if total != figure:
            raise InputError(
                f"{release.words(key)} is published as {figure}, and its cells add up to {total}: what {method} publishes "
                "adds up."
            )
    return published
