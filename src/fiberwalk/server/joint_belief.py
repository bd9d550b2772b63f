"""What many answers of a server tell together: the joint posterior of an intruder who has them all.

The same people are published by one random number in every table, so that figures of different tables are one draw where
they count the same people, and only there. Which these are depends on the true table, which the intruder does not know:
`posterior/keyed_figures` works it out. Nothing but what was published is handed on to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ..base.errors import InputError
from ..posterior.keyed_figures.figures import KeyedFigures
from ..protect.mechanism.cell_keys import KEY_WORDS
from ..protect.mechanism.mechanism import Reading
from ..protect.methods import METHODS
from ..release.facts.facts import NO_LIMIT, NO_VALUE, RECORDS, UNSHOWN, Applied, Evidence
from ..release.release import Release, unpublished
from .answer import Answer
from .groups_told import Cells, Group, cells_told, groups_in
from .protecting.protection import Protection
from .tables import Tables

if TYPE_CHECKING:
    from ..results.audit_result import Audit
    from .cube.hypercube import Hypercube

INTRUDER = (
    "the intruder has these answers, and of those refused by their figures what they would have told; she knows how the "
    "server works, its method, labels, levels and impossible combinations, and neither its seed nor anybody's data"
)


def believe(cube: Hypercube, answers: Any, law: Any, options: dict[str, Any]) -> Audit:
    """The audit of what answers tell together; see `TableServer.believe`."""
    from ..auditing import audit

    return audit(told_together(cube, answers), law, **options)


def told_together(cube: Hypercube, answers: Any) -> Release:
    """What answers of a server tell together: one release over the finest cells that they tell apart, without the truth."""
    kept = _with_tables(cube, answers)
    protection = kept[0].after
    figures = _figures(cube, kept)
    cells = cells_told(cube, list(figures), [name for answer in kept for name in _named(answer)])
    release = unpublished(cells.dims)
    figures = {group: figure for group, figure in figures.items() if len(cells.of(group))}
    rows = [cells.of(group) for group in figures]
    matrix = sp.csr_array(
        (np.ones(sum(map(len, rows)), dtype=np.int64), np.concatenate(rows), np.cumsum([0, *map(len, rows)])),
        shape=(len(rows), release.n_cells),
    )
    published = np.array(list(figures.values()), dtype=np.int64)
    keys = np.array([cells.key(group) for group in figures])
    words = [_words(cells, group, key, release) for group, key in zip(figures, keys, strict=True)]
    if protection is None:
        release = release.with_facts(keys, matrix, published, published, published, words)
        return _with_structural_zeros(release, cells, ())
    reading, likelihood = _reading(protection, release)
    given = {figure: reading.given(figure, NO_LIMIT) for figure in set(published.tolist())}
    ends = np.array([_ends(*given[figure]) for figure in published.tolist()])
    release = release.with_facts(keys, matrix, ends[:, 0], ends[:, 1], published, words)
    release = _with_figures(release, keys, published)
    if not protection.keyed:
        return _with_structural_zeros(
            release, cells, (Applied(reading.name, likelihood, reading.words, mechanism=reading),)
        )
    shared = KeyedFigures(
        tuple(
            Evidence(row, np.ones(len(row), dtype=np.int64), *given[figure], key=key, figure=figure)
            for row, figure, key in zip(rows, published.tolist(), keys, strict=True)
        )
    )
    method = Applied(
        reading.name,
        likelihood,
        reading.words + KEY_WORDS[RECORDS],
        mechanism=shared,
        keys=RECORDS,
        beyond_evidence=True,
    )
    return _with_structural_zeros(release, cells, (method,))


def _with_figures(release: Release, keys: np.ndarray, published: np.ndarray) -> Release:
    """The release with what was published of its cells, and of sums that are a node of every dim."""
    figures = np.full(release.n_cells, NO_VALUE)
    places = {tuple(key): cell for cell, key in enumerate(release.keys.tolist())}
    named = [
        (tuple(key), figure) for key, figure in zip(keys.tolist(), published.tolist(), strict=True) if min(key) >= 0
    ]
    for key, figure in named:
        if key in places:
            figures[places[key]] = figure
    return replace(release, figures=figures, sum_figures={key: figure for key, figure in named if key not in places})


def _with_structural_zeros(release: Release, cells: Cells, applied: tuple[Applied, ...]) -> Release:
    """The release with what everybody knows to be empty as published, and all else as figures that were not shown as they
    are: what these give away is to be listed."""
    release = replace(release, status=np.full(release.n_cells, UNSHOWN, dtype=np.uint8), shown=release.shown[:0])
    empty = np.flatnonzero(~cells.possible)
    zeros = np.zeros(len(empty), dtype=np.int64)
    release = release.with_facts(release.keys[empty], release.picked(empty), zeros, zeros, zeros)
    notes = [f"{method.name}: {method.words} (likelihood: {method.likelihood})" for method in applied]
    return replace(release, applied=applied, notes=(*release.notes, *notes, INTRUDER))


def _with_tables(cube: Hypercube, answers: Any) -> list[Answer]:
    """The answers that have a table, released or withheld; anything else is refused in the user's words."""
    given = [answers] if isinstance(answers, Answer) else list(answers) if isinstance(answers, Iterable) else [answers]
    if not given:
        raise InputError("believe() needs answers of this server: what tabulate() gave.")
    for answer in given:
        if not isinstance(answer, Answer):
            raise InputError(f"believe() takes answers of this server, as tabulate() gives them; this is {answer!r}.")
        if answer.view is not None and answer.view.cube is not cube:
            raise InputError(
                f"the answer to {answer.request.words} is of another server: the random numbers of two servers have "
                "nothing to do with each other. Ask each about its own answers."
            )
    kept = [answer for answer in given if answer.tables is not None]
    if not kept:
        raise InputError("all of these requests were refused as such: there is no table that could tell anything.")
    for answer in kept:
        _refuse_other_methods(answer)
    return kept


def _refuse_other_methods(answer: Answer) -> None:
    """Refuse what is not figures of the true table that are changed each by the people in it."""
    assert answer.tables is not None
    if answer.before is not None:
        raise InputError(
            f"the cube went through {answer.before.words} before tables were counted: each figure is a sum of changed "
            "cells, and not of people with one random number. What single answers tell, fw.audit(answer.release()) says."
        )
    if not answer.tables.made.of_counts:
        raise InputError(
            f"the answer to {answer.request.words} does not show counts; what it tells, fw.audit(answer.release()) says."
        )
    if answer.tables.made.lattice is not None or answer.tables.made.beside_offered:
        raise InputError(
            "tables that are rounded together (round_lattice) are not figures with a random number each. What they tell, "
            "fw.audit(answer.release()) says; of several, fw.linked([...], full=True) of their releases."
        )


def _named(answer: Answer) -> list[str]:
    """The dims and levels that an answer names."""
    assert answer.tables is not None
    return [*answer.tables.request.dims, *(name for name, _ in answer.tables.request.where)]


def _figures(cube: Hypercube, answers: list[Answer]) -> dict[Group, int]:
    """Every group that some answer shows, once, with its figure."""
    figures: dict[Group, int] = {}
    columns = [cube.column[name] for answer in answers for name in _named(answer)]
    named = {column.told_level_of or column.name for column in columns}
    for answer in answers:
        assert answer.tables is not None
        for group, figure in _told(cube, answer.tables, named):
            if group is not None and figures.setdefault(group, figure) != figure:
                raise InputError(
                    f"the answer to {answer.request.words} has {figure} where another one has {figures[group]} for the same "
                    "people: these are not answers of one server with one seed."
                )
    return figures


def _told(cube: Hypercube, tables: Tables, named: Set[str]) -> Iterator[tuple[Group | None, int]]:
    """Whom each count of an answer is about, and those of its totals."""
    whole = tables.request.whole
    parts = [(tables.request, tables.made)]
    parts += [(replace(whole, dims=kept, totals=""), made) for kept, made in tables.totals.items()]
    for request, made in parts:
        yield from zip(groups_in(cube, request, made, named), made.published.ravel().tolist(), strict=True)


def _reading(protection: Protection, release: Release) -> tuple[Reading, str]:
    """What the method does to a figure, and how well that is known."""
    read = METHODS[protection.name].read
    assert read is not None
    return read(release, **protection.parameters)


def _ends(first: int, logs: np.ndarray) -> tuple[int, int]:
    """The least and the largest count that a figure may stand for."""
    able = np.flatnonzero(logs > -np.inf)
    return first + int(able[0]), first + int(able[-1])


def _words(cells: Cells, group: Group, key: np.ndarray, release: Release) -> str:
    """A group in words."""
    if (key >= 0).all():
        return release.words(key)
    meant, parts = dict(group), []
    for dim, classes in zip(cells.dims, cells.classes, strict=True):
        inside = cells._inside(classes, meant.get(dim.name))
        if len(inside) < len(dim.labels):
            parts.append(f"{dim.name}={' or '.join(dim.labels[place] for place in inside)}")
    return ", ".join(parts) or "all people"
