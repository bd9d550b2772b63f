"""The integer system of a release: A x = b with lower <= x <= upper.

The columns are the finest cells, then one *slack* for every fact that is a range or carries evidence: the sum itself, as
an auxiliary cell with the range for its bounds. So every row is an equation. Choices between facts come last, with columns
of their own (`selectors`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.errors import InputError
from ...release.facts.facts import NO_LIMIT, Evidence
from ...release.release import Release
from .propagation import tighten
from .selectors import selected


@dataclass(frozen=True, eq=False)
class Fiber:
    """All tables that agree with a release, as an integer system."""

    A: Any
    b: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    n_cells: int
    evidence: tuple[tuple[int, Evidence], ...]
    start: np.ndarray | None
    grid: np.ndarray
    """The cell at each place of the first table."""
    choice_rows: tuple[np.ndarray, ...] = ()
    """The rows of each choice, then of each tally; they are the last ones."""

    @cached_property
    def coordinates(self) -> np.ndarray:
        """The labels of every column in the first table, -1 where it is no cell of that table."""
        labels = np.full((self.n_columns, self.grid.ndim), -1, dtype=np.int64)
        labels[self.grid.ravel()] = np.array(np.unravel_index(np.arange(self.grid.size), self.grid.shape)).T
        return labels

    @property
    def n_columns(self) -> int:
        """Cells, slacks, and whatever choices add."""
        return len(self.lower)

    @property
    def n_plain_columns(self) -> int:
        """The columns that belong to no choice: they stand first."""
        return int(self.A[self.choice_rows[0]].indices.min()) if self.choice_rows else self.n_columns

    @property
    def n_plain_rows(self) -> int:
        """The rows that belong to no choice."""
        return int(self.choice_rows[0][0]) if self.choice_rows else self.A.shape[0]


def _trimmed(item: Evidence, n_cells: int) -> Evidence:
    """Evidence without impossible values at its ends, so that its range is its bounds."""
    if len(item.cells) == 0 or not ((item.cells >= 0) & (item.cells < n_cells)).all():
        raise InputError("evidence names a cell that the release does not have.")
    possible = np.flatnonzero(item.log_weights > -np.inf)
    if not len(possible) or np.isnan(item.log_weights).any():
        raise InputError("evidence must leave at least one value possible, and have a log-weight for each.")
    first, last = int(possible[0]), int(possible[-1])
    return replace(item, first=item.first + first, log_weights=item.log_weights[first : last + 1])


def _refuse_overflow(matrix: Any, cells: tuple[np.ndarray, np.ndarray], low: np.ndarray, high: np.ndarray) -> None:
    """Refuse sums that 64-bit integers may not hold."""
    cell_lower, cell_upper = cells
    largest = np.maximum(np.where(cell_upper >= NO_LIMIT, 0, cell_upper), -cell_lower).astype(float)
    sums = abs(matrix).astype(float) @ largest
    sides = np.maximum(np.abs(low.astype(float)), np.where(high >= NO_LIMIT, 0, high).astype(float))
    if (sums + sides).max(initial=0) >= NO_LIMIT:
        raise InputError("the figures are too large to be added up exactly; use fewer decimals or a coarser unit.")


def fiber_of(release: Release, limits: tuple[np.ndarray, np.ndarray] | None = None) -> Fiber:
    """Write a release as an integer system; row i is fact i of its sums, then come evidence and choices.

    `limits` are ranges of the cells that are proven otherwise: they leave choices fewer branches.
    """
    sums = release.sums
    n = release.n_cells
    rows, lower, upper = [sums.matrix], [sums.lower], [sums.upper]
    columns: list[tuple[int, Evidence]] = []
    cell_lower, cell_upper = release.lower.copy(), release.upper.copy()
    n_rows, sum_evidence = len(sums), []
    for untrimmed in release.evidence:
        item = _trimmed(untrimmed, n)
        last = item.first + len(item.log_weights) - 1
        if len(item.cells) == 1 and item.coefficients[0] == 1:
            cell = int(item.cells[0])
            cell_lower[cell], cell_upper[cell] = max(cell_lower[cell], item.first), min(cell_upper[cell], last)
            columns.append((cell, item))
        else:
            where = (np.zeros(len(item.cells), dtype=np.intp), item.cells)
            rows.append(sp.csr_array((item.coefficients.astype(np.int64), where), shape=(1, n)))
            lower.append(np.array([item.first], dtype=np.int64))
            upper.append(np.array([last], dtype=np.int64))
            sum_evidence.append((n_rows, item))
            n_rows += 1
    matrix = sp.csr_array(sp.vstack(rows)).astype(np.int64)
    low, high = np.concatenate(lower), np.concatenate(upper)
    # A sum of cells that may be negative, of which only the most is told, is no less than these together.
    low = np.where(low <= -NO_LIMIT, matrix @ cell_lower, low)
    _refuse_overflow(matrix, (cell_lower, cell_upper), low, high)
    needs_slack = low < high
    needs_slack[[row for row, _ in sum_evidence]] = True
    slack_rows = np.flatnonzero(needs_slack)
    slack_of = {int(row): n + k for k, row in enumerate(slack_rows)}
    minus = sp.csr_array(
        (np.full(len(slack_rows), -1, np.int64), (slack_rows, np.arange(len(slack_rows)))),
        shape=(n_rows, len(slack_rows)),
    )
    A = sp.csr_array(sp.hstack([matrix, minus])) if len(slack_rows) else matrix
    start = None
    if release.truth is not None:
        start = np.concatenate([release.truth, matrix[slack_rows] @ release.truth])
    plain = Fiber(
        A=A,
        b=np.where(needs_slack, 0, low),
        lower=np.concatenate([cell_lower, low[slack_rows]]),
        upper=np.minimum(np.concatenate([cell_upper, high[slack_rows]]), NO_LIMIT),
        n_cells=n,
        evidence=(*columns, *((slack_of[row], item) for row, item in sum_evidence)),
        start=start,
        grid=release.grids[0].cells,
    )
    return _with_choices(plain, release, limits) if release.choices else plain


def _with_choices(plain: Fiber, release: Release, limits: tuple[np.ndarray, np.ndarray] | None) -> Fiber:
    """The system with the choices of its release."""
    if limits is None:
        lower, upper, n = plain.lower.copy(), plain.upper.copy(), plain.n_cells
        tighten(plain.A, plain.b, lower, upper)
        limits = np.minimum(lower[:n], upper[:n]), upper[:n]
    more = selected(release.choices, release.tallies, plain.A.shape, limits, release.truth)
    wider = sp.csr_array((plain.A.shape[0], more.matrix.shape[1] - plain.n_columns), dtype=np.int64)
    return replace(
        plain,
        A=sp.csr_array(sp.vstack([sp.hstack([plain.A, wider]), more.matrix])),
        b=np.concatenate([plain.b, more.b]),
        lower=np.concatenate([plain.lower, more.lower]),
        upper=np.concatenate([plain.upper, more.upper]),
        start=None if plain.start is None else np.concatenate([plain.start, more.start]),
        choice_rows=more.rows_of,
    )
