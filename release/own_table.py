"""A release as its agency keeps it: true values of cells and sums by number, and the relations between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from ..base.errors import InputError
from .facts.facts import HIDDEN, NO_LIMIT, PRIMARY, PUBLISHED, Protection
from .files.numbered_table import NumberedCell, NumberedRelation, NumberedTable

if TYPE_CHECKING:
    from .release import Release


def own_table(release: Release, source: str, called: str) -> NumberedTable:
    """Cells and sums numbered from 0, each sum as a relation: this is the truth, and no publication.

    `source` is the file that is to hold them, and `called` what kind of file it is, as errors say it.
    """
    if release.truth is None:
        raise InputError(
            f"{source}: {called} holds the true value of every cell, and this release has no truth; write CSV."
        )
    if release.figures is not None:
        raise InputError(
            f"{source}: {called} holds true values, not those that were published in their place; write CSV."
        )
    if release.evidence or release.own.any() or release.choices:
        raise InputError(f"{source}: {called} cannot hold evidence, choices between facts or an insider's own part.")
    facts = release.sums
    known = {tuple(key) for key in facts.keys if (key >= 0).all()}
    asked = [key for key in release.asked if tuple(key) not in known]
    sum_rows = sp.csr_array(sp.vstack([facts.matrix, *(release.row(key) for key in asked)]))
    sum_keys = np.concatenate([facts.keys, np.array(asked, dtype=np.int64).reshape(-1, len(release.dims))])
    least = sum_rows[len(facts) :] @ np.minimum(release.lower, 0)
    lower = np.concatenate([facts.lower, least.astype(np.int64)])
    upper = np.concatenate([facts.upper, np.full(len(asked), NO_LIMIT)])
    loose = np.concatenate([(facts.keys < 0).any(axis=1), np.zeros(len(asked), dtype=bool)])
    wanted = release.protection or {}

    def protection(key: np.ndarray) -> Protection:
        return wanted.get(tuple(key.tolist()), Protection())

    cells = _cells(release, release.truth, protection)
    relations = []
    for i in range(sum_rows.shape[0]):
        part = slice(sum_rows.indptr[i], sum_rows.indptr[i + 1])
        terms = {
            str(cell): int(coefficient)
            for cell, coefficient in zip(sum_rows.indices[part], sum_rows.data[part], strict=True)
        }
        exact = bool(lower[i] == upper[i])
        if loose[i]:
            if not exact:
                raise InputError(f"{source}: {called} cannot hold the range {release.fact_words(i)}.")
            relations.append(NumberedRelation(int(lower[i]), terms))
            continue
        number, value = str(len(cells)), int((sum_rows[[i]] @ release.truth)[0])
        low, status = (min(0, value), PUBLISHED) if exact else (int(lower[i]), HIDDEN)
        cells.append(NumberedCell(number, value, status, low, int(upper[i]), protection(sum_keys[i])))
        relations.append(NumberedRelation(0, {number: -1, **terms}, number))
    return NumberedTable(cells, relations, release.decimals)


def _cells(release: Release, truth: np.ndarray, protection: Callable[[np.ndarray], Protection]) -> list[NumberedCell]:
    """The finest cells; those that are neither published nor flagged are hidden."""
    implied = _implied_upper(release)
    cells = []
    for i, key in enumerate(release.keys):
        value, status = int(truth[i]), int(release.status[i])
        low, high = (min(0, value), value) if status == PUBLISHED else (int(release.lower[i]), int(implied[i]))
        known = status if status in (PUBLISHED, PRIMARY) else HIDDEN
        cells.append(NumberedCell(str(i), value, known, low, high, protection(key)))
    return cells


def _implied_upper(release: Release) -> np.ndarray:
    """An upper limit of every cell: its own, or that of a sum it is part of."""
    upper, facts = release.upper.copy(), release.sums
    below = np.minimum(release.lower, 0)
    room = facts.upper - facts.matrix @ below
    for i in np.flatnonzero(facts.upper < NO_LIMIT):
        part = slice(facts.matrix.indptr[i], facts.matrix.indptr[i + 1])
        if (facts.matrix.data[part] > 0).all():
            cells = facts.matrix.indices[part]
            upper[cells] = np.minimum(upper[cells], below[cells] + room[i] // facts.matrix.data[part])
    return upper
