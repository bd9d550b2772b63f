"""A protected table as an outsider reads it: she has the published figures and knows the method, not the truth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..base.errors import InputError
from ..base.numbers import scaled
from ..release.facts.facts import LABELS, NO_VALUE, Applied
from ..release.figures import UNKNOWN_METHOD
from ..release.publish import parse_margins
from ..release.release import Release, unpublished
from ..release.tables.dims import Margin
from ..release.tables.integers import whole_numbers
from ..release.tables.table_forms import read_form
from ..release.tables.tables import as_means, as_table
from .mechanism.cell_keys import KEY_WORDS, draw_name
from .mechanism.mechanism import Figures, figures_of, seen_through
from .methods import method_named, reader_of


def as_protected(
    published: Any,
    mechanism: str,
    *,
    exact: Iterable[Any] = (),
    keyed: bool = False,
    **parameters: Any,
) -> Release:
    """Read a published table whose figures went through a random method, as an outsider who knows the method.

    Parameters
    ----------
    published
        The published table, in any form; or a release that `read_release` read from a file with perturbed figures.
    mechanism
        The name of the function that would do it, such as "random_round"; its parameters (base=3) follow.
        "controlled_round": the margins are sums of the published cells, all of them unless margins= says which.
        "round_lattice": likewise; relaxed=True is for a table that was published with the wider range.
        "markov_perturb": order="given" says that the squares are listed in the order of the steps; otherwise their order is
        not known. Totals that its squares keep, or that "pram" keeps, need not be given with exact=.
        "local_suppress": exact= has to give the table of all other dims, which counts the blanks too.
    exact
        What is published besides as it is: tables over some of the dims, such as a Series or DataArray of row totals, and
        a plain number for the grand total.
    keyed
        The random number of a cell belongs to it, so that it is the same in every table: a figure that linked tables share
        then counts once.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> import pandas as pd
    >>> rows = pd.Series([13, 9], index=pd.Index(["1", "2"], name="A"))
    >>> r = fw.protect.as_protected([[3, 9], [3, 9]], "random_round", base=3, exact=[rows])
    >>> fw.audit(r).pmf(A="1", B="1").round(3).to_dict()
    {2: 0.125, 3: 0.375, 4: 0.375, 5: 0.125}
    """
    if isinstance(published, Release):
        if exact:
            raise InputError("as_protected(): exact= goes with a table, not a release.")
        release = published
        if len(release.grids) > 1:
            raise InputError(
                "as_protected() reads one table: give it each release by itself, and link them afterwards."
            )
    else:
        table = as_table(published, signed=True)
        if table.beforehand is not None:
            raise InputError("as_protected(): what is known of cells beforehand is not read here; say it with knows().")
        release = _with_exact(unpublished(table.dims, table.decimals), exact)
        release = replace(release, figures=table.values.ravel())
    if release.signed:
        raise InputError(f"as_protected(): {mechanism} is read as a method for counts, and cells may be negative here.")
    if release.figures is None and not release.sum_figures:
        raise InputError(
            "as_protected(): no figure of this release is marked as perturbed; read the file with perturbed=True, or mark "
            "the rows with the status p."
        )
    named = method_named(mechanism)
    margins = parse_margins(parameters.pop("margins", None), release.dims) if named.adds_up else []
    read = reader_of(mechanism, parameters)
    release = replace(release, applied=tuple(earlier for earlier in release.applied if earlier != UNKNOWN_METHOD))
    if named.read_whole is not None:
        if keyed:
            raise InputError(f"keyed=True: {mechanism} has no random numbers that belong to cells.")
        whole: Release = read(release, **parameters)
        return whole
    reading, likelihood = read(release, **parameters)
    kind = LABELS if keyed else ""
    applied = Applied(reading.name, likelihood, reading.words + KEY_WORDS[kind], mechanism=reading, keys=kind)
    shown = _figures(release, margins)
    return seen_through(release, reading, shown, applied, draw_name(reading, kind))


def _figures(release: Release, margins: Sequence[Margin]) -> Figures:
    """The figures of a release that a random method published; margins that follow from the cells are their sums."""
    whole = release.figures is not None and (release.figures != NO_VALUE).all()
    if margins and whole and not release.sum_figures:
        keys, matrix = figures_of(release, margins)
        return Figures(keys, matrix, matrix @ release.figures)
    cell_figures = release.figures if release.figures is not None else np.full(release.n_cells, NO_VALUE)
    cells = np.flatnonzero(cell_figures != NO_VALUE)
    sums = np.array(list(release.sum_figures), dtype=np.int64).reshape(-1, len(release.dims))
    rows = [release.picked(cells), *(release.row(key) for key in sums)]
    published = np.concatenate([cell_figures[cells], np.array(list(release.sum_figures.values()), dtype=np.int64)])
    return Figures(np.concatenate([release.keys[cells], sums]), sp.csr_array(sp.vstack(rows)), published)


def _with_exact(release: Release, exact: Iterable[Any]) -> Release:
    """The release with margins that an outsider has as tables of their own."""
    if isinstance(exact, (str, bytes)) or hasattr(exact, "dims") or not isinstance(exact, Iterable):
        raise InputError("as_protected(exact=) takes a list of tables, and a number for the grand total.")
    for margin in exact:
        keys, matrix, figures = _margin(release, margin)
        release = release.with_facts(keys, matrix, figures, figures, figures)
    return release


def _margin(release: Release, margin: Any) -> tuple[np.ndarray, Any, np.ndarray]:
    names = [dim.name for dim in release.dims]
    if isinstance(margin, str):
        raise InputError(
            f"as_protected(exact=): {margin!r} is a name; an outsider gives the published margins themselves, as tables."
        )
    if np.ndim(margin) == 0:
        keys, matrix = release.margin("")
        return keys, matrix, np.array([scaled(margin, release.decimals, "as_protected(exact=), the grand total")])
    labels = read_form(margin)[1]
    for name in labels:
        if name not in names:
            which = "dims without names" if name is None else f"{name!r}"
            raise InputError(
                f"as_protected(exact=): a table over {which}, and the published one has {', '.join(names)}; name the dims "
                "of each margin (the index of a Series, the dims of a DataArray)."
            )
    dims = [release.dims[names.index(str(name))] for name in labels]
    aligned = as_means(margin, dims, "as_protected(exact=)")
    if aligned.shape != tuple(len(dim.labels) for dim in dims):
        raise InputError(
            f"as_protected(exact=): the margin over {', '.join(map(str, labels))} has too few or many labels."
        )
    figures = whole_numbers(aligned, dims, release.decimals)
    order = sorted(range(len(dims)), key=lambda i: names.index(dims[i].name))
    keys, matrix = release.margin([dims[i].name for i in order])
    return keys, matrix, figures.transpose(order).ravel()
