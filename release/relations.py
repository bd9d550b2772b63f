"""Relations that a file tells besides its figures become facts about sums that have no place in the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from ..base.errors import InputError
from .files.publication import Publication, Relation
from .release import Release
from .tables.dims import Dim


def with_relations(release: Release, publication: Publication) -> Release:
    """The release with the relations of its publication, if the cells obey them; those that say nothing are left out."""
    slack = publication.slack
    rows, words, sides = [], [], []
    for relation in publication.relations:
        where, side = f"{publication.source}, {relation.where}", relation.side
        row = _of_cells(relation, publication.dims, release.grids[0].cells)
        if not row:
            if side:
                raise InputError(f"{where}: the relation says 0 = {side}.")
            continue
        if release.truth is not None:
            total = sum(coefficient * int(release.truth[cell]) for cell, coefficient in row.items())
            if abs(total - side) > slack:
                raise InputError(
                    f"{where}: the relation's cells sum to {release.show(total)}, not {release.show(side)}, "
                    f"{release.show(abs(total - side))} off; correct the values, or give slack= if they are rounded."
                )
        rows.append(row)
        words.append(f"relation on {relation.where}:")
        sides.append(side)
    if not rows:
        return release
    return release.with_facts(
        np.full((len(rows), len(publication.dims)), -1),
        _sparse(rows, release.n_cells),
        np.array(sides) - slack,
        np.array(sides) + slack,
        words=words,
    )


def _of_cells(relation: Relation, dims: Sequence[Dim], cells: np.ndarray) -> dict[int, int]:
    """A relation in terms of finest cells: the coefficient of each, where it is not 0."""
    summed: Counter[int] = Counter()
    for key, coefficient in relation.terms.items():
        inside = cells[np.ix_(*(dim.leaves[node] for dim, node in zip(dims, key, strict=True)))]
        for cell in inside.ravel().tolist():
            summed[cell] += coefficient
    return {cell: coefficient for cell, coefficient in summed.items() if coefficient}


def _sparse(rows: list[dict[int, int]], n: int) -> sp.csr_array:
    place = [(i, cell) for i, row in enumerate(rows) for cell in row]
    data = np.array([coefficient for row in rows for coefficient in row.values()], dtype=np.int64)
    return sp.csr_array((data, tuple(np.array(place, dtype=np.int64).T)), shape=(len(rows), n))
