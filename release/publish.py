"""Publishing margins of a table exactly: the plainest release."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ..base.errors import InputError
from .facts.facts import HIDDEN, PRIMARY
from .release import Release, of_table
from .tables.dims import Dim, Margin, every_margin, margin_list, parse_margin
from .tables.tables import as_table


def publish(
    table: Any,
    margins: Iterable[Any],
) -> Release:
    """Publish some margins of a table and nothing else.

    Parameters
    ----------
    table
        A DataArray, a numpy array, a crosstab, a Series with a MultiIndex, or a long DataFrame with a count column;
        `fw.table` says what else belongs to it: names, hierarchies, decimals, contributors.
    margins
        Each a tuple of dims or their names joined by commas; "" is the grand total, a level's name shows a
        hierarchical dim at that level, and all dims together are the table itself.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> fw.publish([[3, 1], [2, 4]], margins=["A", "B"])
    <Release of A, B (2 x 2): 4 cells, 4 hidden, 4 known sums, with its truth>
    """
    labelled = as_table(table, profits=True)
    if margins is None:
        raise InputError("publish() needs margins=, a list such as ['I,J', 'J,K'].")
    wanted = parse_margins(margins, labelled.dims)
    release = of_table(labelled)
    shown = [" x ".join(level for level in margin if level) or "the grand total" for margin in wanted]
    note = (
        f"published exactly: {'; '.join(shown)}" if len(shown) <= 6 else f"{len(shown)} margins are published exactly"
    )
    return replace(publish_margins(release, wanted), notes=(*release.notes, note))


def parse_margins(margins: Iterable[Any] | None, dims: tuple[Dim, ...]) -> list[Margin]:
    """The margins a user asks for; None means every margin."""
    if margins is None:
        return every_margin(dims)
    return list(dict.fromkeys(parse_margin(margin, dims) for margin in margin_list(margins, "margins=")))


def publish_margins(release: Release, margins: Iterable[Margin], withheld: Iterable[tuple[int, ...]] = ()) -> Release:
    """Add the exact figures of margins of the release's own truth; withheld sums are left out and become questions.

    Withheld cells are left out as well: on the coarser levels of a ragged hierarchy a label without a group is itself.
    """
    if release.truth is None:
        raise InputError("margins can only be published from a table whose cells are known.")
    withheld_sums = set(withheld)
    if withheld_sums:
        asked = np.array(sorted(withheld_sums), dtype=np.int64).reshape(-1, len(release.dims))
        release = replace(release, asked=np.concatenate([release.asked, asked]))
    cells = release.keys[np.isin(release.status, (PRIMARY, HIDDEN))]
    withheld_keys = withheld_sums.union(map(tuple, cells.tolist()))
    wanted = list(margins)
    if not wanted:
        return release
    keys, matrix = release.margins(wanted)
    shown = [i for i, key in enumerate(keys) if tuple(key.tolist()) not in withheld_keys]
    matrix = matrix[shown]
    figures = matrix @ release.truth
    return release.with_facts(keys[shown], matrix, figures, figures, figures)
