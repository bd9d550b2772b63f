"""What was published of groups of people, each set of people by one draw; as arrays, part by part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ...base.errors import InputError
from ...base.saved_forms import saved
from ...release.facts.facts import Evidence
from ...release.release import Release


@saved("KeyedFigures")
@dataclass(frozen=True, eq=False)
class KeyedFigures:
    """The figures of groups, each with P(published | count): where two groups are the same people, they are one draw.

    Nobody is in an empty group, and so its draw, where it has one, is its own.
    """

    figures: tuple[Evidence, ...]


def keyed_figures(release: Release) -> KeyedFigures | None:
    """The figures of a release whose draws belong to people; None where it has none that evidence does not tell."""
    for applied in release.applied:
        if isinstance(applied.mechanism, KeyedFigures) and applied.beyond_evidence:
            return applied.mechanism
    return None


def refuse_keyed(release: Release, question: str) -> None:
    """Refuse what is only known of laws that are products over cells and sums."""
    if keyed_figures(release) is not None:
        raise InputError(
            f"{question} is not worked out where the same people are published by one random number in several tables; "
            "audits of such a release tell the law of every cell, and of the sums that are asked for (hidden_margins=)."
        )


class Part(NamedTuple):
    """Finest cells that depend on each other, and all that is known of them together."""

    cells: np.ndarray
    """Their numbers in the release; everything else here counts from 0."""
    low: np.ndarray
    high: np.ndarray
    incidence: Any
    """[figure, cell], sparse: which cells each figure sums."""
    first: np.ndarray
    begins: np.ndarray
    """Where the logarithms of each figure begin; with one more for the end."""
    logs: np.ndarray
    """log P(published | count) of each figure, from its first count on."""
    published: np.ndarray
    shared: np.ndarray
    """Does the draw of a figure belong to its people? A fact has none."""

    @property
    def last(self) -> np.ndarray:
        """The largest count that each figure may stand for."""
        return self.first + np.diff(self.begins) - 1

    def row(self, figure: int) -> np.ndarray:
        """log P(published | count) of a figure, from its first count on."""
        return self.logs[self.begins[figure] : self.begins[figure + 1]]


class Row(NamedTuple):
    """One figure or fact: its cells, log-weights of its counts from the first one on, and what was published."""

    cells: np.ndarray
    first: int
    logs: np.ndarray
    published: int
    shared: bool


def parts_of(release: Release, keyed: KeyedFigures, low: np.ndarray, high: np.ndarray) -> list[Part]:
    """The parts of a release, given bounds of its cells. Cells that nobody can be in tie nothing together."""
    from scipy.sparse.csgraph import connected_components

    rows = [*_figures(keyed, high), *_facts(release, keyed, low, high)]
    if not rows:
        return []
    incidence = _matrix([row.cells for row in rows], len(low))
    ties = sp.csr_array(incidence.T @ incidence)
    number, part_of = connected_components(ties, directed=False)
    parts = []
    for part in range(number):
        cells = np.flatnonzero((part_of == part) & (high > 0))
        if (low[cells] < high[cells]).any():
            mine = [row for row in rows if len(row.cells) and part_of[row.cells[0]] == part]
            parts.append(_part(cells, mine, low, high))
    return parts


def _part(cells: np.ndarray, rows: list[Row], low: np.ndarray, high: np.ndarray) -> Part:
    lengths = [len(row.logs) for row in rows]
    return Part(
        cells,
        low[cells],
        high[cells],
        _matrix([np.searchsorted(cells, row.cells) for row in rows], len(cells)),
        np.array([row.first for row in rows], dtype=np.int64),
        np.cumsum([0, *lengths]),
        np.concatenate([row.logs for row in rows]),
        np.array([row.published for row in rows], dtype=np.int64),
        np.array([row.shared for row in rows], dtype=bool),
    )


def _matrix(cells: list[np.ndarray], n_cells: int) -> Any:
    columns = np.concatenate(cells)
    starts = np.cumsum([0, *map(len, cells)])
    return sp.csr_array((np.ones(len(columns), dtype=np.int64), columns, starts), shape=(len(cells), n_cells))


def _figures(keyed: KeyedFigures, high: np.ndarray) -> Iterator[Row]:
    """The figures, as rows of cells that somebody can be in."""
    for item in keyed.figures:
        cells = np.sort(item.cells[high[item.cells] > 0])
        if len(cells):
            yield Row(cells, item.first, item.log_weights, item.figure, True)


def _facts(release: Release, keyed: KeyedFigures, low: np.ndarray, high: np.ndarray) -> Iterator[Row]:
    """What else is known of sums; not what figures say, nor what follows from the bounds of cells."""
    if release.choices or release.tallies or (release.sums.matrix.data != 1).any():
        raise InputError(
            "facts of which one of several readings holds, or about other than sums of cells, are not read together with "
            "figures that follow from who is in a cell."
        )
    told = {
        (np.sort(item.cells).tobytes(), item.first, item.first + len(item.log_weights) - 1) for item in keyed.figures
    }
    facts = release.sums
    for i in range(len(facts)):
        cells = np.sort(facts.matrix.indices[facts.matrix.indptr[i] : facts.matrix.indptr[i + 1]].astype(np.int64))
        if (cells.tobytes(), int(facts.lower[i]), int(facts.upper[i])) in told:
            continue
        cells = cells[high[cells] > 0]
        least, most = int(low[cells].sum()), int(high[cells].sum())
        first, last = max(int(facts.lower[i]), least), min(int(facts.upper[i]), most)
        if len(cells) and (first > least or last < most):
            yield Row(cells, first, np.zeros(last - first + 1), 0, False)
