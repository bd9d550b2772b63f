"""Choices between facts inside a system: one *selector* column for each branch, 1 where the branch holds and 0 elsewhere.

Of the selectors of a choice just one is 1. A *step* is 1 where its branch or a later one holds, so that selectors are the
differences of steps. A sum that lies between l_k and u_k in branch k is at least l_0 plus the sum of (l_k - l_(k-1))
step_k, and likewise at most: two equations, each with a slack, or one where the limits meet. With branches in an order in
which limits rise or fall, as those of quantiles, most of these have one step, and what narrows a sum narrows the branches at
once; a sum over selectors would leave them all open. Every table has one set of all these columns: tables are counted as
often as without them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ...base.errors import InputError
from ...release.facts.choice import Choice, Tally
from ...release.facts.facts import NO_LIMIT


@dataclass
class _Added:
    """Rows and columns that are added to a system of so many columns."""

    n_columns: int
    n_rows: int
    entries: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=list)
    b: list[int] = field(default_factory=list)
    lower: list[int] = field(default_factory=list)
    upper: list[int] = field(default_factory=list)
    start: list[int] = field(default_factory=list)

    def column(self, low: int, high: int, value: int) -> int:
        self.lower.append(low)
        self.upper.append(high)
        self.start.append(value)
        return self.n_columns + len(self.lower) - 1

    def row(self, columns: Any, coefficients: Any, side: int) -> int:
        """columns . coefficients = side; the row's number."""
        columns, number = np.asarray(columns, dtype=np.int64), self.n_rows + len(self.b)
        self.entries.append(
            (np.full(len(columns), number - self.n_rows), columns, np.asarray(coefficients, dtype=np.int64))
        )
        self.b.append(side)
        return number

    @property
    def matrix(self) -> Any:
        row, column, value = (np.concatenate(parts) for parts in zip(*self.entries, strict=True))
        matrix = sp.csr_array((value, (row, column)), shape=(len(self.b), self.n_columns + len(self.lower)))
        matrix.eliminate_zeros()
        return matrix


@dataclass(frozen=True)
class Selected:
    """What choices add to a system; which of its rows belong to each choice and each tally."""

    matrix: Any
    b: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    start: np.ndarray
    rows_of: tuple[np.ndarray, ...]


def selected(
    choices: Sequence[Choice],
    tallies: Sequence[Tally],
    shape: tuple[int, int],
    limits: tuple[np.ndarray, np.ndarray],
    table: np.ndarray | None,
) -> Selected:
    """The rows and columns of some choices, after a system of this shape whose cells lie within limits.

    `table` is one that satisfies all facts, where one is known.
    """
    added = _Added(shape[1], shape[0])
    selectors, rows_of = [], []
    for choice in choices:
        first = len(added.b)
        selectors.append(_add(added, choice, limits, table))
        rows_of.append(shape[0] + np.arange(first, len(added.b)))
    for tally in tallies:
        columns = [selectors[choice][branch] for choice, branch in tally.branches]
        held = sum(added.start[column - shape[1]] for column in columns)
        if tally.lower == tally.upper:
            number = added.row(columns, np.ones(len(columns)), tally.lower)
        else:
            slack = added.column(tally.lower, tally.upper, held)
            number = added.row([*columns, slack], [*np.ones(len(columns)), -1], 0)
        rows_of.append(np.array([number]))
    b, lower, upper, start = (
        np.array(part, dtype=np.int64) for part in (added.b, added.lower, added.upper, added.start)
    )
    return Selected(added.matrix, b, lower, upper, start, tuple(rows_of))


class BranchLimits(NamedTuple):
    """Between what the rows of a choice lie: anyway, and in each branch; which branches are possible."""

    least: np.ndarray
    most: np.ndarray
    low: np.ndarray
    high: np.ndarray
    possible: np.ndarray


def branch_limits(choice: Choice, cell_lower: np.ndarray, cell_upper: np.ndarray) -> BranchLimits:
    """The limits of a choice's rows where cells lie within theirs."""
    plus, minus = choice.matrix.maximum(0), choice.matrix.minimum(0)
    least, most = plus @ cell_lower + minus @ cell_upper, plus @ cell_upper + minus @ cell_lower
    low, high = np.maximum(choice.lower, least), np.minimum(choice.upper, most)
    return BranchLimits(least, most, low, high, (low <= high).all(axis=1))


def _add(added: _Added, choice: Choice, limits: tuple[np.ndarray, np.ndarray], table: np.ndarray | None) -> np.ndarray:
    """Add a choice; the columns of its selectors."""
    cell_lower, cell_upper = limits
    if (cell_upper[np.unique(choice.matrix.indices)] >= NO_LIMIT).any():
        raise InputError(f"{choice.words}: nothing bounds how many they are; publish a total that includes them.")
    least, most, low, high, possible = branch_limits(choice, cell_lower, cell_upper)
    held = np.zeros(len(choice), dtype=np.int64)
    if table is not None:
        held[choice.branches_of(table)] = 1
    columns = np.array([added.column(0, int(can), int(is_true)) for can, is_true in zip(possible, held, strict=True)])
    steps = _steps(added, columns, held)
    if not possible.any():
        return columns
    filled = _filled(possible)
    for i in range(choice.matrix.shape[0]):
        part = slice(choice.matrix.indptr[i], choice.matrix.indptr[i + 1])
        cells, coefficients = choice.matrix.indices[part], choice.matrix.data[part]
        value = 0 if table is None else int(coefficients @ table[cells])
        floor, ceiling = low[filled, i], high[filled, i]
        both = np.concatenate([cells, steps])
        if (floor == ceiling).all():
            added.row(both, [*coefficients, *-np.diff(floor)], int(floor[0]))
            continue
        if (floor > least[i]).any():
            slack = added.column(0, int(most[i] - floor.min()), value - int(floor @ held))
            added.row([*both, slack], [*coefficients, *-np.diff(floor), -1], int(floor[0]))
        if (ceiling < most[i]).any():
            slack = added.column(0, int(ceiling.max() - least[i]), int(ceiling @ held) - value)
            added.row([*both, slack], [*coefficients, *-np.diff(ceiling), 1], int(ceiling[0]))
    return columns


def _steps(added: _Added, selectors: np.ndarray, held: np.ndarray) -> np.ndarray:
    """Add the steps of all branches but the first, the last of which is its selector, and what they are."""
    inner = [added.column(0, 1, int(held[k:].any())) for k in range(1, len(selectors) - 1)]
    steps = np.array([*inner, *selectors[1:][-1:]], dtype=np.int64)
    added.row([selectors[0], *steps[:1]], np.ones(1 + len(steps[:1])), 1)
    for k in range(1, len(selectors) - 1):
        added.row([steps[k], selectors[k], steps[k - 1]], [1, 1, -1], 0)
    return steps


def _filled(possible: np.ndarray) -> np.ndarray:
    """For each branch itself, or the nearest possible one: a branch that is not has no limits of its own."""
    there = np.flatnonzero(possible)
    return there[np.abs(np.arange(len(possible))[:, None] - there).argmin(axis=1)]
