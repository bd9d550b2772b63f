"""What an answer tells of the truth, as a release: by the same method and the same numbers that made the table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ...base.errors import InputError
from ...protect.mechanism.cell_keys import CellNumbers
from ...protect.mechanism.mechanism import CELLWISE
from ...release.facts.facts import NO_LIMIT, NO_VALUE, Applied, Evidence
from ...release.publish import parse_margins, publish
from ...release.release import Release
from ...release.tables.tables import Table
from ..protecting.making import Made
from ..protecting.protection import release_of
from ..protecting.published_elsewhere import UNKNOWN, Told
from ..tables import Tables
from .amounts import read_amounts
from .protected_cube import read_from_cube

if TYPE_CHECKING:
    from ..answer import Answer


def read_answer(answer: Answer, tables: Tables, exact: Any) -> Release:
    """The release of an answer."""
    made = tables.made
    if made.of_counts:
        release = _read_counts(answer, tables, exact)
    else:
        if exact:
            raise InputError("exact= names margins of counts; this table shows something else.")
        release = read_amounts(tables, answer.after)
    if answer.after is not None and answer.after.noisy_zeros:
        release = replace(release, notes=(*release.notes, *answer.after.notes))
    return replace(release, about=(tables.request.whole if tables.totals else tables.request).where)


def _read_counts(answer: Answer, tables: Tables, exact: Any) -> Release:
    """The release of a table of counts; with consistent totals that of the whole table, which they are about."""
    made, dims = (tables.whole, tables.whole_dims) if tables.totals else (tables.made, tables.dims)
    true = Table(made.counted.counts, dims)
    if answer.before is not None:
        release = read_from_cube(answer, tables, true, exact)
    elif made.lattice is not None:
        release = made.lattice.release(tables.request.whole if tables.totals else tables.request, true, exact)
    elif answer.after is None:
        release = publish(true, margins=[tuple(dim.name for dim in dims)])
    else:
        assert answer.view is not None
        margins = [kept for kept in tables.totals if kept not in parse_margins(exact, dims)]
        release = release_of(answer.after, true, _numbers(made, tables, margins), answer.view.seed, exact, margins)
    if made.beside_offered:
        release = replace(release, applied=tuple(map(_beside_offered, release.applied)))
    empty = np.flatnonzero(~made.possible.ravel())
    if len(empty):
        release = _with_structural_zeros(release, empty)
    return _as_told_elsewhere(release, tables, made)


def _numbers(made: Made, tables: Tables, margins: list[Any]) -> CellNumbers | None:
    """What decided about each cell, then about each figure of some margins."""
    if made.numbers is None or not margins:
        return made.numbers
    parts = [made.numbers, *(tables.totals[kept].numbers for kept in margins)]
    return np.concatenate([np.asarray(part).ravel() for part in parts if part is not None]).view(CellNumbers)


def _as_told_elsewhere(release: Release, tables: Tables, made: Made) -> Release:
    """The release in which figures that were published elsewhere tell what they tell there, and nothing by themselves."""
    elsewhere = tables.maker.elsewhere
    if elsewhere is None or not elsewhere.repeated:
        return release
    for margin, of_margin in [(None, made), *tables.totals.items()]:
        if of_margin.elsewhere is None:
            continue
        keys, matrix = (
            (release.keys, release.picked(np.arange(release.n_cells))) if margin is None else release.margin(margin)
        )
        of_cells = of_margin.elsewhere.ravel()
        for cell in np.flatnonzero(of_cells >= 0):
            release = _told(release, keys[cell], sp.csr_array(matrix)[[cell]], elsewhere.told[of_cells[cell]])
    return release


def _told(release: Release, key: np.ndarray, row: Any, told: Told) -> Release:
    """A release with what is told elsewhere of one figure, in place of what it tells here."""
    if told == UNKNOWN:
        raise InputError(
            f"{release.words(key)} was published elsewhere, and it is not known what that figure tells: give the table in "
            "published_before= as the release that made it."
        )
    evidence = tuple(item for item in release.evidence if item.key is None or (item.key != key).any())
    if told.weights is not None:
        first, log_weights = told.weights
        cells, figure = row.indices.astype(np.int64), NO_VALUE
        evidence += (Evidence(cells, row.data, first, log_weights, key=key, figure=figure),)
    release = replace(release, evidence=evidence)
    limits = np.array([told.lower]), np.array([told.upper])
    return release if told.upper >= NO_LIMIT and not told.lower else release.with_facts(key[None], row, *limits)


def _with_structural_zeros(release: Release, cells: np.ndarray) -> Release:
    """The release where everybody knows that nobody can be in some cells, which are published as 0."""
    known = set(cells.tolist())
    evidence = tuple(item for item in release.evidence if not (len(item.cells) == 1 and int(item.cells[0]) in known))
    figures = release.figures
    if figures is not None:
        figures = figures.copy()
        figures[cells] = 0
    zeros = np.zeros(len(cells), dtype=np.int64)
    release = replace(release, evidence=evidence, figures=figures)
    return release.with_facts(release.keys[cells], release.picked(cells), zeros, zeros, zeros)


def _beside_offered(method: Applied) -> Applied:
    """The method of a table beside offered ones: cells of people who are an offered figure are rounded as that was."""
    words = f"{method.words}; people who are a figure of the offered tables by themselves are rounded as they are there"
    return replace(method, likelihood=CELLWISE, words=words)
