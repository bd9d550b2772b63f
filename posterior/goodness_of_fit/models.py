"""Log-linear models as the sums that they keep (their sufficient statistics), and what they expect of each cell."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.errors import InputError, did_you_mean
from ...fiber.blocks.presolve import Presolved
from ...fiber.equations.rowspace import independent_rows
from ...fiber.laws.raking import Target, raked
from ...release.facts.facts import NO_VALUE
from ...release.publish import parse_margins, publish_margins
from ...release.release import Release, of_table
from ...release.tables.tables import Table, cell_mask


def release_of_model(table: Table, model: Any, zeros: Any) -> tuple[Release, str]:
    """All tables that a model compares the observed one with, as a release of its sums; and the model in words."""
    release, words = _of_model(table, model)
    if zeros is not None:
        empty = cell_mask(zeros, table)
        if table.values[empty].any():
            cell = release.words(release.keys[np.flatnonzero(empty.ravel() & (table.values.ravel() > 0))[0]])
            raise InputError(f"zeros=: cell {cell} is not empty in the table, so that it is no structural zero.")
        release = _with_sums(release, _cells(empty))
        number = int(empty.sum())
        words += f", {number} structural zero{'' if number == 1 else 's'}"
    _refuse_what_is_not_exact(release)
    return release, words


def _of_model(table: Table, model: Any) -> tuple[Release, str]:
    if isinstance(model, Release):
        if model.truth is None or not np.array_equal(model.truth, table.values.ravel()):
            raise InputError("hypothesis= is a release of another table; make it from the table that is tested.")
        return model, "the figures of the release"
    if isinstance(model, str) and model in NAMED:
        return NAMED[model](table), model
    if model is None or isinstance(model, (str, bytes)) or not isinstance(model, Iterable):
        known = did_you_mean(model, NAMED) if isinstance(model, str) else f"or one of {', '.join(map(repr, NAMED))}"
        raise InputError(
            f"hypothesis={model!r}: a list of the margins that the model keeps, such as ['A', 'B'] for independence, or a "
            f"release of the table; of square tables also a name: {known}"
        )
    margins: list[Any] = []
    sums: list[Any] = []
    for part in model:
        (margins if isinstance(part, (str, tuple)) else sums).append(part)
    wanted = parse_margins(margins, table.dims) if margins else []
    if not wanted and not sums:
        raise InputError("hypothesis=[]: name at least one margin; [''] keeps the grand total alone.")
    release = publish_margins(of_table(table), wanted)
    words = [",".join(level for level in margin if level is not None) or "total" for margin in wanted]
    if sums:
        release = _with_sums(release, np.array([_as_sum(cells, table) for cells in sums]))
        words.append(f"{len(sums)} further sums")
    return release, " + ".join(words)


def _as_sum(cells: Any, table: Table) -> np.ndarray:
    """A sum that a model keeps: 1 for the cells in it, 0 for the others."""
    picked = np.asarray(cells)
    if picked.dtype.kind not in "biuf" or picked.shape != table.values.shape or not np.isin(picked, (0, 1)).all():
        raise InputError(
            "hypothesis=: what is not the name of a margin is a table of the same shape, 1 for the cells that a sum adds up "
            "and 0 for the others."
        )
    return picked.astype(np.int64).ravel()


def _with_sums(release: Release, rows: np.ndarray) -> Release:
    """The release with the true figures of further sums; a sum of one cell is that cell's own figure."""
    assert release.truth is not None
    matrix = sp.csr_array(rows.astype(np.int64))
    figures = matrix @ release.truth
    keys = np.full((len(rows), len(release.dims)), -1, dtype=np.int64)
    single = np.flatnonzero(np.diff(matrix.indptr) == 1)
    keys[single] = release.keys[matrix.indices[matrix.indptr[single]]]
    return release.with_facts(
        keys, matrix, figures, figures, figures, [f"sum {k + 1} of the model" for k in range(len(rows))]
    )


def _cells(mask: np.ndarray) -> np.ndarray:
    """A row for each cell of a mask."""
    places = np.flatnonzero(mask)
    rows = np.zeros((len(places), mask.size), dtype=np.int64)
    rows[np.arange(len(places)), places] = 1
    return rows


def _refuse_what_is_not_exact(release: Release) -> None:
    sums = release.sums
    rounded = (release.value != NO_VALUE) & (release.lower < release.upper)
    if release.evidence or release.choices or release.own.any() or (sums.lower < sums.upper).any() or rounded.any():
        raise InputError(
            "a conditional test is about tables with the very sums of the observed one: margins, sums and cells that are "
            "exact, and no ranges or figures published by chance."
        )
    if (sums.matrix.data != 1).any():
        raise InputError("a conditional test needs sums in which every cell counts once.")


def _square(table: Table, name: str) -> int:
    shape = table.values.shape
    if len(shape) != 2 or shape[0] != shape[1]:
        raise InputError(
            f"hypothesis={name!r} is for square tables of two dims; this one is {' x '.join(str(size) for size in shape)}."
        )
    return shape[0]


def _diagonal(n: int) -> np.ndarray:
    return _cells(np.eye(n, dtype=bool))


def _mirrored(n: int) -> np.ndarray:
    """A row for each pair of cells on the two sides of the diagonal."""
    above = np.array(np.triu_indices(n, 1)).T
    rows = np.zeros((len(above), n, n), dtype=np.int64)
    pair = np.arange(len(above))
    rows[pair, above[:, 0], above[:, 1]] = rows[pair, above[:, 1], above[:, 0]] = 1
    return rows.reshape(len(above), n * n)


def _quasi_independence(table: Table) -> Release:
    n = _square(table, "quasi-independence")
    return _with_sums(publish_margins(of_table(table), parse_margins(_both(table), table.dims)), _diagonal(n))


def _symmetry(table: Table) -> Release:
    n = _square(table, "symmetry")
    return _with_sums(of_table(table), np.concatenate([_diagonal(n), _mirrored(n)]))


def _quasi_symmetry(table: Table) -> Release:
    n = _square(table, "quasi-symmetry")
    margins = publish_margins(of_table(table), parse_margins(_both(table), table.dims))
    return _with_sums(margins, np.concatenate([_diagonal(n), _mirrored(n)]))


def _both(table: Table) -> list[str]:
    return [dim.name for dim in table.dims]


NAMED: dict[str, Callable[[Table], Release]] = {
    "quasi-independence": _quasi_independence,
    "symmetry": _symmetry,
    "quasi-symmetry": _quasi_symmetry,
}
"""Models of square tables: independence off the diagonal; equal expected counts on both sides of it; equal but for the
margins."""


def expected_counts(solved: Presolved) -> tuple[np.ndarray, bool]:
    """Maximum likelihood expected counts of all cells, and did the fit come to rest?

    A cell that the sums decide is expected to be what it is. Every other cell is positive in some table, so that the fit
    exists.
    """
    n = solved.fiber.n_cells
    expected = solved.start[:n].astype(float)
    settled = True
    for block in solved.blocks:
        expected[block.columns], good = raked(np.ones(len(block.columns)), _disjoint(block.A, block.b))
        settled &= good
    return expected, settled


def _disjoint(A: Any, b: np.ndarray) -> list[Target]:
    """Equations as targets of raking (iterative proportional fitting): those that share no cell are raked together."""
    rows = sp.csr_array(A)
    groups: list[np.ndarray] = []
    sums: list[list[int]] = []
    for i in range(rows.shape[0]):
        cells = rows.indices[rows.indptr[i] : rows.indptr[i + 1]]
        k = next((k for k, group in enumerate(groups) if (group[cells] < 0).all()), len(groups))
        if k == len(groups):
            groups.append(np.full(rows.shape[1], -1, dtype=np.intp))
            sums.append([])
        groups[k][cells] = len(sums[k])
        sums[k].append(int(b[i]))
    return [(group, np.array(figures)) for group, figures in zip(groups, sums, strict=True)]


def degrees_of_freedom(solved: Presolved) -> int:
    """In how many independent ways the open cells can change."""
    return sum(len(block.columns) - len(independent_rows(block.A.toarray())) for block in solved.blocks)
