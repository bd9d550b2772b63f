"""What somebody would guess who knows the tables of all regions together, and how many people live in each.

What everybody could guess in this way is no disclosure by the tables of single regions. The features of people are as in the
log-linear model of all figures added up over regions: as probable as these make them, and otherwise independent.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...release.facts.facts import NO_LIMIT
from ...release.population.kinds import Kinds
from ...release.population.possible_records import Places
from ...release.population.published_table import PublishedTable

ROUNDS, CLOSE = 500, 1e-8


def known_above(
    kinds: Kinds, tables: Sequence[PublishedTable], region: int, expected: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Of each kind the probability that somebody of it lives in its region, and that somebody of one of its records does, if
    those who live there were taken from all people at random; `region` is the dim of regions."""
    records = kinds.records[kinds.first[:-1]]
    others = np.delete(records, region, axis=1)
    _, profile = np.unique(others, axis=0, return_inverse=True)
    profile = profile.ravel()
    n_regions = len(kinds.domain.labels[region])
    start = np.bincount(profile, kinds.multiplicity) / np.maximum(np.bincount(profile), 1)
    mean = _fitted(kinds, tables, region, records, profile, start)
    share = mean / max(mean.sum(), 1e-300)
    place = records[:, region]
    people = np.bincount(place, expected, minlength=n_regions)[place]
    of_kind = np.minimum(share[profile], 1.0)
    nobody = np.log1p(-np.minimum(of_kind, 1 - 1e-15)) * people
    nobody_once = np.log1p(-np.minimum(of_kind / kinds.multiplicity, 1 - 1e-15)) * people
    return -np.expm1(nobody), -np.expm1(nobody_once)


def _fitted(
    kinds: Kinds,
    tables: Sequence[PublishedTable],
    region: int,
    records: np.ndarray,
    profile: np.ndarray,
    start: np.ndarray,
) -> np.ndarray:
    """Iterative proportional fitting of the profiles of all regions together to all figures, added up over regions."""
    margins: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    first = np.unique(profile, return_index=True)[1]
    for table in tables:
        figures = _figures(table)
        axes = [number for number, axis in enumerate(table.axes) if axis.dim == region]
        whole = np.zeros(len(kinds.domain.labels[region]), dtype=int)
        for number in axes:
            for members in table.axes[number].members:
                whole[members] += 1
        if region in table.about.masks or (axes and (whole != 1).any()):
            continue  # it is about some of the regions only, or counts some twice
        summed = figures.sum(axis=tuple(axes))
        # with the first label of each region axis a record lies in the same cell of the sum
        for place in Places(table, kinds.classes).of(records[first]):
            inside = place >= 0
            at = np.array(np.unravel_index(np.maximum(place, 0), table.shape))
            rest = [number for number in range(len(table.axes)) if number not in axes]
            flat = np.ravel_multi_index(tuple(at[rest]), summed.shape) if rest else np.zeros(len(place), dtype=np.int64)
            target = summed.ravel()[flat]
            told = inside & np.isfinite(target)
            if told.any():
                margins.append((np.flatnonzero(told), flat[told], np.nan_to_num(summed.ravel())))
    mean = start.astype(float)
    for _ in range(ROUNDS):
        worst = 0.0
        for who, cell, target in margins:
            now = np.bincount(cell, mean[who], minlength=len(target))
            ratio = np.divide(target, now, out=np.ones(len(target)), where=(now > 0) & (target > 0))
            mean[who] *= ratio[cell]
            worst = max(worst, float(np.abs(ratio - 1.0).max()))
        if worst < CLOSE:
            break
    return mean


def _figures(table: PublishedTable) -> np.ndarray:
    """The figures of a table, or the middle of what its readers know; not a number where nothing bounds a cell."""
    told = table.release
    middle = (told.lower + np.minimum(told.upper, NO_LIMIT // 2)) / 2
    return np.where(told.upper < NO_LIMIT, middle, np.nan)[table.cells]
