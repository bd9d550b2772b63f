"""Which groups may be the same people; and where their figures differ, somebody is in one of them and not in the other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from ...fiber.blocks.presolve import presolve
from ...release.facts.facts import NO_VALUE
from ...release.release import Release
from .figures import Part, keyed_figures, parts_of

MOST_FACTS = 5000
"""Facts about who is in one group and not in another that are taken; those about the fewest cells come first."""


def may_be_the_same(part: Part) -> np.ndarray:
    """[pair, 2]: the figures whose groups may have the same people in them, as far as bounds and figures tell."""
    keyed = np.flatnonzero(part.shared)
    if len(keyed) < 2:
        return np.empty((0, 2), dtype=np.int64)
    rows = part.incidence[keyed]
    one, other = sp.coo_array(rows @ rows.T).coords
    one, other = one[one < other], other[one < other]
    if not len(one):
        return np.empty((0, 2), dtype=np.int64)
    both = rows[one].multiply(rows[other])  # the cells that both have
    sure = (part.low > 0).astype(np.int64)
    nobody_else = ((rows @ sure)[one] == both @ sure) & ((rows @ sure)[other] == both @ sure)
    most, least = both @ part.high, both @ part.low
    first, last = part.first[keyed], part.last[keyed]
    least = np.maximum.reduce([least, first[one], first[other], np.ones_like(least)])
    most = np.minimum.reduce([most, last[one], last[other]])
    kept = nobody_else & (least <= most)
    return np.stack([keyed[one[kept]], keyed[other[kept]]], axis=1)


def with_somebody(release: Release) -> Release:
    """A release with what follows for certain where groups that may be the same people were published differently.

    Then these are other people, and there is somebody in the cells that one of the two has and the other has not. Where both
    may be empty nothing follows, as the draws of empty groups are their own.
    """
    keyed = keyed_figures(release)
    if keyed is None:
        return release
    solved = presolve(release)
    low, high = solved.start[: release.n_cells].copy(), solved.start[: release.n_cells].copy()
    for block in solved.blocks:
        own = block.columns < release.n_cells
        low[block.columns[own]], high[block.columns[own]] = block.lower[own], block.upper[own]
    rows: list[np.ndarray] = []
    for part in parts_of(release, keyed, low, high):
        pairs = may_be_the_same(part)
        can_be_empty = np.array([part.first[f] == 0 and part.row(f)[0] > -np.inf for f in range(len(part.first))])
        differ = (part.published[pairs[:, 0]] != part.published[pairs[:, 1]]) & ~can_be_empty[pairs].all(axis=1)
        apart = abs(part.incidence[pairs[differ, 0]] - part.incidence[pairs[differ, 1]])
        apart.eliminate_zeros()
        rows += [part.cells[apart.indices[apart.indptr[i] : apart.indptr[i + 1]]] for i in range(apart.shape[0])]
    rows = sorted({row.tobytes(): row for row in map(np.sort, rows)}.values(), key=len)[:MOST_FACTS]
    rows = [row for row in rows if len(row)]
    if not rows:
        return release
    columns = np.concatenate(rows)
    matrix = sp.csr_array(
        (np.ones(len(columns), dtype=np.int64), columns, np.cumsum([0, *map(len, rows)])),
        shape=(len(rows), release.n_cells),
    )
    most = np.asarray(matrix @ np.maximum(high, 1))
    words = [_words(release, row) for row in rows]
    keys = np.full((len(rows), len(release.dims)), -1)
    value = np.full(len(rows), NO_VALUE)
    known = release.with_facts(keys, matrix, np.ones(len(rows), dtype=np.int64), most, value, words)
    return replace(known, truth=None)


def _words(release: Release, cells: np.ndarray) -> str:
    """The sum of some cells, in words."""
    shown = " + ".join(release.words(release.keys[cell]) for cell in cells[:3])
    return shown + (f" + {len(cells) - 3} more cells" if len(cells) > 3 else "")
