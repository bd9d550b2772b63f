"""Mechanisms that treat every figure by itself: what they share.

A mechanism turns a true figure into a published one by one random number, and knows how probable that was for every true
figure there might have been. Seen from outside, each published figure is a piece of evidence, and the margins that are
published as they are stay facts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from ...base.certificate import LIKELIHOODS
from ...base.errors import InputError
from ...release.facts.facts import NO_LIMIT, NO_VALUE, RECORDS, Applied, Evidence
from ...release.publish import parse_margins, publish_margins
from ...release.release import Release, of_table
from ...release.tables.dims import Margin
from ...release.tables.tables import Table, as_table
from .cell_keys import KEY_WORDS, draw_name, random_numbers, taken_seed

EXACT, CELLWISE, SUPPORT = LIKELIHOODS


class Reading(Protocol):
    """What the published figures of a method say of the true ones. Figures are whole numbers of 10^-decimals."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def words(self) -> str:
        """What it does to a figure, as half a sentence that says all an intruder may know of it."""
        ...

    def given(self, figure: int, most: int) -> tuple[int, np.ndarray]:
        """What one published figure says: the first true value it may stand for, and log P(figure | value) from there on.

        Values above `most` are impossible for other reasons; it may be NO_LIMIT. An empty array: no value at all.
        """
        ...


class Mechanism(Reading, Protocol):
    """A method that treats every figure by itself."""

    def publish(self, values: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The published figures of true ones, each by its own random number u, uniform on [0, 1)."""
        ...


@dataclass(frozen=True, eq=False)
class Figures:
    """Cells and sums that a mechanism publishes: their keys, which cells each sums, and what was published."""

    keys: np.ndarray
    matrix: Any
    published: np.ndarray


def protected(
    table: Table,
    mechanism: Mechanism,
    *,
    seed: int | None = None,
    margins: Iterable[Any] = (),
    exact: Iterable[Any] = (),
    keys: Any = None,
    likelihood: str = EXACT,
) -> Release:
    """Publish every cell of a table, and some margins, through a mechanism; other margins as they are."""
    release = of_table(table)
    open_margins = parse_margins(exact, table.dims)
    release = publish_margins(release, open_margins)
    shown, matrix = figures_of(
        release, [margin for margin in parse_margins(margins, table.dims) if margin not in open_margins]
    )
    truth = matrix @ table.values.ravel()
    seed = taken_seed(seed)
    numbers, kind = random_numbers(release, shown, matrix, truth, seed, keys)
    published = mechanism.publish(truth, numbers)
    if kind == RECORDS and len(shown) > release.n_cells:
        likelihood = CELLWISE  # a total whose people are all in one cell has the random number of that cell
    applied = Applied(mechanism.name, likelihood, mechanism.words + KEY_WORDS[kind], seed, mechanism, keys=kind)
    return seen_through(release, mechanism, Figures(shown, matrix, published), applied, draw_name(mechanism, kind))


def counts_of(table: Any, method: str) -> Table:
    """A table of counts, for a method that draws, moves or changes units one by one."""
    if isinstance(table, Table) and table.decimals:
        raise InputError(f"{method}() is for counts, and this table has decimals.")
    return as_table(table)


def figures_of(release: Release, margins: Iterable[Margin]) -> tuple[np.ndarray, Any]:
    """The keys of every cell, then of some margins, and which cells each sums. No figure is there twice."""
    parts = [(release.keys, release.picked(np.arange(release.n_cells)))]
    parts += [release.margin(margin) for margin in margins]
    keys = np.concatenate([part[0] for part in parts])
    first = np.sort(np.unique(keys, axis=0, return_index=True)[1])
    return keys[first], sp.csr_array(sp.vstack([part[1] for part in parts]))[first]


def seen_through(release: Release, mechanism: Reading, figures: Figures, applied: Applied, draw: str = "") -> Release:
    """A release with what a mechanism published as evidence."""
    most = most_possible(release, figures.matrix)
    likelihoods: dict[tuple[int, int], tuple[int, np.ndarray]] = {}
    evidence, matrix = [], figures.matrix
    shown = np.full(release.n_cells, NO_VALUE)
    sums: dict[tuple[int, ...], int] = {}
    columns = matrix.indices.astype(np.int64)
    first_cell = columns[matrix.indptr[:-1]]
    is_cell = (np.diff(matrix.indptr) == 1) & (figures.keys == release.keys[first_cell]).all(axis=1)
    shown[first_cell[is_cell]] = figures.published[is_cell]
    for i, figure in enumerate(figures.published.tolist()):
        asked = figure, int(most[i])
        if asked not in likelihoods:
            likelihoods[asked] = mechanism.given(*asked)
            if not (likelihoods[asked][1] > -np.inf).any():
                words = f"{release.words(figures.keys[i])}, published as {release.show(figure)}"
                raise InputError(f"{words}: {mechanism.name} cannot have published that ({mechanism.words}).")
        part = slice(matrix.indptr[i], matrix.indptr[i + 1])
        key = figures.keys[i]
        evidence.append(
            Evidence(columns[part], matrix.data[part], *likelihoods[asked], key=key, figure=figure, draw=draw)
        )
        if not is_cell[i]:
            sums[tuple(key.tolist())] = figure
    return replace(
        release,
        evidence=(*release.evidence, *evidence),
        applied=(*release.applied, applied),
        figures=shown,
        sum_figures=sums,
        notes=(*release.notes, f"{applied.name}: {applied.words} (likelihood: {applied.likelihood})"),
    )


def most_possible(release: Release, matrix: Any) -> np.ndarray:
    """The most that sums of cells can be, as far as single facts tell: NO_LIMIT where none does."""
    facts = release.sums
    upper = release.upper.copy()
    for i in range(len(facts)):
        part = slice(facts.matrix.indptr[i], facts.matrix.indptr[i + 1])
        if (facts.matrix.data[part] == 1).all():
            cells = facts.matrix.indices[part]
            upper[cells] = np.minimum(upper[cells], facts.upper[i])
    unlimited = matrix @ (upper >= NO_LIMIT).astype(np.int64) > 0
    sums = matrix @ np.where(upper >= NO_LIMIT, 0, upper)
    whole = np.asarray((facts.matrix == 1).sum(axis=1)).ravel() == release.n_cells
    total = facts.upper[whole].min(initial=NO_LIMIT)
    return np.minimum(np.where(unlimited, NO_LIMIT, sums), total)
