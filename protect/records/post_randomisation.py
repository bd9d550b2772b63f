"""PRAM, post-randomisation (Gouweleeuw, Kooiman, Willenborg and de Wolf 1998; DFKPR01 names it among perturbations).

In the records behind a table every value of one variable is replaced by one drawn from its row of a published matrix, each
record by itself. The counts of a line of the table, all other dims fixed, then move within the line: the published line is
the sum of a multinomial number from each of its cells. The line's total stays, and so does the table of all other dims.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...base.errors import InputError, did_you_mean
from ...base.numbers import is_number
from ...base.saved_forms import saved
from ...release.facts.facts import Applied, Evidence
from ...release.publish import parse_margins, publish_margins
from ...release.release import Release, of_table
from ...release.tables.dims import Dim
from ...release.tables.table_forms import Hierarchies
from ..mechanism.cell_keys import taken_seed
from ..mechanism.mechanism import CELLWISE, EXACT
from ..mechanism.moved_records import published_as, whole_counts
from .line_likelihoods import Cells, Lines, shares_before, worths
from .microdata import table_or_microdata

NAME = "post-randomisation"
WHY = "cells of long lines are taken one by one, each for its share of what can vary"


@saved("PostRandomisation")
@dataclass(frozen=True, eq=False)
class PostRandomisation:
    """What is public of it: the dim whose values were drawn anew, and the matrix, a row a true value, a column a new one."""

    dim: str
    matrix: np.ndarray


def pram(  # noqa: PLR0913  (a public verb: its keywords are its interface)
    table: Any,
    dim: str,
    matrix: Any = None,
    *,
    stay: float | None = None,
    seed: int | None = None,
    exact: Iterable[Any] = (),
    columns: Any = None,
    hierarchies: Hierarchies | None = None,
    decimals: int = 0,
    count: str | None = None,
) -> Release:
    """Publish a table of counts of which one variable went through PRAM: each record's value was drawn anew.

    The table of all other dims stays as it is, and is a fact. The likelihood is exact where lines along `dim` have few
    records (of two categories, a thousand; of three, 31; of four, 9; of six, 4; of ten, 2), and a cellwise approximation
    elsewhere. Measured as the total variation between the law of a cell that an audit gives and the true one, on average
    over what may be published: in lines of 6 records, each of which changes with a probability of 1/3, taken cell by cell
    it is 0.02 off, with three categories as with four (0.28 and 0.29 without the evidence). (pytest tests/protect/records
    -k gap)

    Parameters
    ----------
    dim
        The variable whose values are drawn anew.
    matrix
        Its transition matrix: how probable each published value (a column) is for each true one (a row), in the order of the
        labels; or a DataFrame with the labels on both axes.
    stay
        Instead of a matrix: how probable it is that a value stays; all others are alike.
    seed
        Of the random numbers. Left out: a new one, which
        `release.applied` keeps; one that can be guessed protects nothing.
    exact
        Further margins that are published as they are.
    columns
        Of microdata, one row a person: the columns that are dims of the table, as "region,sex" or a list.
    hierarchies, count
        As for `publish`; decimals must be 0.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> r = fw.pram([[4, 9], [2, 7], [1, 0]], "A", stay=0.8, seed=1)
    >>> r.published.values.tolist()
    [[3, 7], [2, 7], [2, 2]]
    >>> r.likelihood
    'exact'
    >>> fw.audit(r).pmf(A="3", B="1").round(2).head(4).to_dict()
    {0: 0.11, 1: 0.25, 2: 0.35, 3: 0.19}

    Of microdata, one row a person:

    >>> import pandas as pd
    >>> people = pd.DataFrame({"sex": ["f", "m", "m", "f"], "area": ["N", "N", "S", "S"], "age": [31, 40, 31, 52]})
    >>> fw.pram(people, "sex", stay=0.9, columns="sex,area", seed=1).published.sum("sex").values.tolist()
    [2, 2]
    """
    labelled = table_or_microdata(table, columns, "pram", hierarchies, decimals, count)
    public = checked(labelled.dims, dim, matrix, stay)
    release = publish_margins(of_table(labelled), parse_margins(exact, labelled.dims))
    seed = taken_seed(seed)
    lines = _lines(release, dim)
    truth = labelled.values.ravel()
    drawn = np.random.default_rng(seed).multinomial(truth[lines], public.matrix).sum(axis=1)
    figures = np.empty_like(truth)
    figures[lines] = drawn
    return _released(release, figures, public, seed)


def read_pram(release: Release, dim: str, matrix: Any = None, stay: float | None = None) -> Release:
    """What an outsider reads in a published table that went through PRAM."""
    public = checked(release.dims, dim, matrix, stay)
    return _released(release, whole_counts(release, "pram"), public, None)


def checked(dims: Sequence[Dim], dim: Any, matrix: Any, stay: Any) -> PostRandomisation:
    """Refuse parameters that make no sense."""
    names = [one.name for one in dims]
    if dim not in names:
        raise InputError(f"pram() draws the values of {dim!r} anew, which is no dim; {did_you_mean(str(dim), names)}")
    labels = dims[names.index(dim)].labels
    if len(labels) < 2:
        raise InputError(f"pram(): {dim!r} has one label only; there is no other value to draw.")
    if (matrix is None) == (stay is None):
        raise InputError("pram() needs matrix= or stay=, one of them.")
    if matrix is None:
        if not is_number(stay) or not 0 <= stay < 1:
            raise InputError(f"pram(stay={stay!r}): the probability that a value stays, from 0 to below 1.")
        chances = np.full((len(labels), len(labels)), (1 - stay) / (len(labels) - 1))
        np.fill_diagonal(chances, stay)
        return PostRandomisation(dim, chances)
    return PostRandomisation(dim, _as_chances(matrix, dim, labels))


def _as_chances(matrix: Any, dim: str, labels: Sequence[str]) -> np.ndarray:
    """A transition matrix of these labels."""
    if hasattr(matrix, "reindex") and hasattr(matrix, "columns"):
        named = matrix.set_axis([str(one) for one in matrix.index]).set_axis(
            [str(one) for one in matrix.columns], axis=1
        )
        for label in (*named.index, *named.columns):
            if label not in labels:
                raise InputError(f"pram(matrix=): {dim!r} has no label {label!r}; {did_you_mean(label, labels)}")
        matrix = named.reindex(index=labels, columns=labels).to_numpy()
    try:
        chances = np.array(matrix, dtype=float)
    except (TypeError, ValueError):
        raise InputError("pram(matrix=): a table of probabilities, a row for each true value.") from None
    n = len(labels)
    if chances.shape != (n, n):
        raise InputError(
            f"pram(matrix=): {dim!r} has {n} labels, so that the matrix is {n} x {n}; this is {chances.shape}."
        )
    for label, row in zip(labels, chances, strict=True):
        if not np.isfinite(row).all() or (row < 0).any() or abs(row.sum() - 1) > 1e-6:
            raise InputError(f"pram(matrix=): the row of {label!r} has no probabilities of at least 0 that sum to 1.")
    if (chances == np.eye(n)).all():
        raise InputError("pram(matrix=): it leaves every value as it is, and the table would be published as it is.")
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def _lines(release: Release, dim: str) -> np.ndarray:
    """[line, category]: the cells along a dim."""
    cells = release.grids[0].cells
    axis = [one.name for one in release.dims].index(dim)
    return np.moveaxis(cells, axis, -1).reshape(-1, cells.shape[axis])


def _released(release: Release, figures: np.ndarray, public: PostRandomisation, seed: int | None) -> Release:
    """What everybody can read off the published table: the totals of its lines, and what each line says."""
    others = [one.name for one in release.dims if one.name != public.dim]
    keys, matrix = release.margin(others)
    totals = matrix @ figures
    release = release.with_facts(keys, matrix, totals, totals, totals)
    lines = _lines(release, public.dim)
    evidence: list[Evidence] = []
    approximate = False
    shares = shares_before(figures[lines].sum(axis=0), public.matrix)
    whole, by_cell = Lines(public.matrix), Cells(public.matrix, shares)
    for cells in lines[figures[lines].sum(axis=1) > 0]:
        line = figures[cells]
        chances = whole.likelihood(line)
        if chances is None:
            approximate = True
            evidence += _by_cells(release, cells, line, by_cell)
        else:
            evidence.append(_by_number(release, cells, line, chances, public.dim))
    words = f"every record's {public.dim} was drawn anew by a published matrix, which keeps it with a probability of "
    kept = np.diag(public.matrix)
    words += f"{kept.min():.3g}" if np.ptp(kept) < 1e-9 else f"{kept.min():.3g} to {kept.max():.3g}"
    applied = Applied(
        NAME, CELLWISE if approximate else EXACT, f"{words}; {WHY}" if approximate else words, seed, public
    )
    return published_as(replace(release, evidence=(*release.evidence, *evidence)), figures, applied)


def _by_number(release: Release, cells: np.ndarray, line: np.ndarray, chances: np.ndarray, dim: str) -> Evidence:
    """The likelihood of a line as evidence on the number that tells it."""
    possible = np.flatnonzero(chances > 0)
    where = release.words(release.keys[cells[0]])
    if not len(possible):
        raise InputError(f"the line of {where}: post-randomisation of {dim} cannot have published it, by this matrix.")
    with np.errstate(divide="ignore"):
        logs = np.log(chances[possible[0] : possible[-1] + 1])
    if len(cells) == 2:
        return _of_cell(release, int(cells[0]), int(line[0]), int(possible[0]), logs)
    worth = worths(int(line.sum()), len(cells))
    assert worth is not None
    each, words = np.array(worth[1:], dtype=np.int64), f"the line of {where} along {dim}"
    return Evidence(
        cells[1:].astype(np.int64), each, int(possible[0]), logs, words=words, figure=int(each @ line[1:])
    )  # fmt: skip


def _of_cell(release: Release, cell: int, figure: int, first: int, logs: np.ndarray) -> Evidence:
    """What the figure of a cell says of it."""
    one = np.array([cell], dtype=np.int64)
    return Evidence(one, np.ones(1, dtype=np.int64), first, logs, key=release.keys[cell], figure=figure)


def _by_cells(release: Release, cells: np.ndarray, line: np.ndarray, by_cell: Cells) -> Iterator[Evidence]:
    """What the cells of a line say, each by itself."""
    n = int(line.sum())
    for category, (cell, figure) in enumerate(zip(cells.tolist(), line.tolist(), strict=True)):
        first, logs = by_cell.given(category, figure, n)
        if not len(logs):
            where = release.words(release.keys[cell])
            raise InputError(f"{where}, published as {figure}: post-randomisation cannot have published that.")
        yield _of_cell(release, cell, figure, first, logs)
