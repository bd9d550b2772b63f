"""What an answer tells of the truth, as a release: by the same method and the same numbers that made the table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..protect.mechanism.mechanism import CELLWISE
from ..release.facts.facts import Applied
from ..release.publish import publish
from ..release.release import Release
from ..release.tables.tables import Table
from .cube_reading import read_from_cube
from .protection import release_of

if TYPE_CHECKING:
    from .answer import Answer, Tables


def read_table(answer: Answer, tables: Tables, exact: Any) -> Release:
    """The release of an answer's table."""
    true = Table(tables.true, tables.dims)
    if answer.before is not None:
        release = read_from_cube(answer, tables, true, exact)
    elif tables.lattice is not None:
        release = tables.lattice.release(tables.request, true, exact)
    elif answer.after is None:
        release = publish(true, margins=[tuple(dim.name for dim in true.dims)])
    else:
        assert answer.view is not None
        release = release_of(answer.after, true, tables.numbers, answer.view.seed, exact)
    if tables.beside_offered:
        release = replace(release, applied=tuple(map(_beside_offered, release.applied)))
    empty = np.flatnonzero(~tables.possible.ravel())
    if len(empty):
        release = _with_structural_zeros(release, empty)
    if answer.after is not None and answer.after.noisy_zeros:
        release = replace(release, notes=(*release.notes, *answer.after.notes))
    return replace(release, about=tables.request.where)


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
