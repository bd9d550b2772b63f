"""A release: all that an intruder is told about the cells of a table, and what its agency keeps with it."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import InputError
from ..base.saved_forms import saved
from .facts.contributions import contributions_differ
from .facts.fact import Fact
from .facts.facts import NO_LIMIT, NO_VALUE, PRIMARY, UNSHOWN, Grid, Protection, Sums
from .facts.knowledge import Rule, with_knowledge, with_rule
from .facts.whom import whom
from .public_view import public_view
from .tables.beforehand import Beforehand
from .tables.dims import Dim
from .tables.table_forms import MOST_CELLS
from .tables.tables import Table
from .told import Told

if TYPE_CHECKING:
    from typing import Self

    import pandas as pd
    import xarray as xr

MOST_DIMS = 32


@saved("Release")
@dataclass(frozen=True, eq=False, repr=False)
class Release(Told):
    """An immutable set of facts about the integer cells of one table or of several linked ones.

    Build one with `publish`, `suppress`, `round_to`, `merge`, `linked`, `from_crosstab` or `read_release`; add outside
    knowledge with `knows`. What is its own, beside what every reader is told, stays with the agency: whatever leaves for
    the public is made from its `public_view`.
    """

    truth: np.ndarray | None = None
    protection: Mapping[tuple[int, ...], Protection] | None = None
    """The protection levels that its agency wants for cells and sums."""
    if_flagged: tuple[np.ndarray, np.ndarray] | None = None
    """Bounds of the cells for a reader who knows the rule and, unlike others, can tell which cells it hid."""
    contributors: np.ndarray | None = None
    """How many contribute to each cell (NO_VALUE: not said)."""
    largest: np.ndarray | None = None
    """The largest contribution to each cell (NO_VALUE: not said)."""
    second: np.ndarray | None = None
    """The second largest contribution to each cell (NO_VALUE: not said)."""
    told: tuple[np.ndarray, np.ndarray] | None = None
    """Bounds of the cells for every reader, where `lower` and `upper` are those of one who is assumed to know the true
    values to within some percent: hers would give the truth away."""

    def __repr__(self) -> str:
        shape = " + ".join(" x ".join(str(n) for n in grid.cells.shape if n > 1) or "1" for grid in self.grids)
        truth = "with its truth" if self.truth is not None else "as an outsider reads it"
        return (
            f"<Release of {', '.join(dim.name for dim in self.dims)} ({shape}): {len(self.lower)} cells, "
            f"{len(self.hidden)} hidden, {len(self.sums)} known sums, {truth}>"
        )

    @property
    def of_magnitudes(self) -> bool:
        """Is it a magnitude table? It is if it has decimals, or contributions that are not all 1."""
        return self.decimals > 0 or contributions_differ(self)

    @cached_property
    def signed(self) -> bool:
        """May a cell be negative?"""
        return self.told is not None or bool((self.lower < 0).any())

    def with_facts(self, *args: Any, **kwargs: Any) -> Self:
        """See `Told.with_facts`; what every reader is told is kept apart from what is assumed of one."""
        known = super().with_facts(*args, **kwargs)
        if self.told is None:
            return known
        lower, upper = self.told
        told = super(Release, replace(self, lower=lower, upper=upper, told=None)).with_facts(*args, **kwargs)
        return replace(known, told=(told.lower, told.upper))

    # --- what leaves for the public ---------------------------------------------------------------------------

    @property
    def published(self) -> xr.DataArray:
        """The finest cells as a reader sees them, in the table's own units; what is withheld is not a number."""
        from .public_layout import published

        return published(public_view(self))

    def crosstab(
        self, *, across: str | Sequence[str] | None = None, total: str = "All", mark: str | None = None
    ) -> pd.DataFrame:
        """What readers see, totals included, as a crosstab; what is hidden or not published is missing.

        Where every total is published or hidden by name, `from_crosstab` makes the release again. A crosstab cannot say
        that figures are rounded or changed, between which values a cell lies, or that a label is a group of others.

        Parameters
        ----------
        across
            The dims that run across. Left out: the last one, and of four and more dims the last half.
        total
            What totals are called.
        mark
            What stands for hidden figures, such as "×", where people are to read it; totals that are neither published
            nor hidden by name are then empty.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> r = fw.suppress([[1, 5, 4], [7, 2, 6], [3, 8, 9]], where=[[True, True, False], [True, True, False], [False] * 3])
        >>> print(r.crosstab(mark="×"))
        B     1   2   3 All
        A
        1     ×   ×   4  10
        2     ×   ×   6  15
        3     3   8   9  20
        All  11  15  19  45
        >>> fw.from_crosstab(r.crosstab())
        <Release of A, B (3 x 3): 9 cells, 4 hidden, 7 known sums, as an outsider reads it>
        """
        from .public_layout import crosstab

        return crosstab(public_view(self), across, total, mark)

    def _repr_html_(self) -> str | None:
        from ..base.html import in_notebook
        from .public_layout import release_html

        return in_notebook(partial(release_html, truth_kept=self.truth is not None), public_view(self))

    # --- outside knowledge ------------------------------------------------------------------------------------

    def knows(
        self,
        group: Mapping[str, Any],
        *facts: Fact,
        at_least: float | None = None,
        at_most: float | None = None,
        exactly: float | None = None,
        own: float | None = None,
    ) -> Release:
        """The release as seen by someone who knows more about a cell, a sum or a group of people.

        Parameters
        ----------
        group
            The cell as {dim: label}, or the group as {dim: [label, label]}; dims that are left out are summed over.
        facts
            What else is published of the group: `fw.facts.mean(38, "age")` and others of `fw.facts`.
        at_least, at_most, exactly
            What is known of its value, in the table's own units.
        own
            The contribution to this one cell that the intruder knows because it is hers: the cell is at least
            that, and every result then speaks of the others' part, the cell less `own`. Laws of counts take her units out
            of the cell; under the uniform law and laws of magnitudes the values below `own` are cut off, and no more.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> r = fw.publish([[3, 1], [2, 4]], margins=["A", "B"])
        >>> fw.bounds(r.knows({"A": "1", "B": "1"}, at_least=2))["lower"].tolist()
        [2, 0, 1, 3]
        """
        amounts = {"at_least": at_least, "at_most": at_most, "exactly": exactly, "own": own}
        return with_knowledge(self, group, facts, amounts)

    def restricted_to(self, where: Mapping[str, Any]) -> Release:
        """The same release as one about a part of the people: {dim: label}, or {dim: [label, label]}.

        `linked(full=True)` then reads it together with releases about others: what it says of a dim that it does not show
        is said of these labels, and all others are a category of their own.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> everybody = fw.publish([7, 5], margins=["A"])
        >>> northern = fw.publish([3, 5], margins=["A"]).restricted_to({"region": "N"})
        >>> both = fw.linked([everybody, northern], full=True)
        >>> fw.bounds(both)["upper"].to_dict()
        {('1', 'all others'): 4, ('2', 'all others'): 0}
        """
        return replace(self, about=whom(where, self.dims, self.about))

    def knows_rule(self, rule: str | Rule, *, flags: bool = True, zeros_hidden: bool = False) -> Release:
        """The release as seen by someone who knows the threshold rule by which cells were hidden.

        Zeros are taken to be published, so that no hidden cell is zero, unless `zeros_hidden` says that the rule hides
        them too. With `flags` she also sees which hidden cells are primary (status u, or numeric 3 to 9): these lie in
        the rule's range, and the other hidden cells above it.
        """
        return with_rule(self, rule, flags, zeros_hidden)

    @property
    def readings(self) -> dict[str, Release]:
        """The ways an intruder who knows the rule may read the hidden cells, where it is not said which are primary."""
        bounds = self.if_guessed if self.if_flagged is None else self.if_flagged
        if bounds is None:
            return {}
        lower, upper = np.maximum(self.lower, bounds[0]), np.minimum(self.upper, bounds[1])
        if (lower > upper).any():
            return {}
        has_primary = (self.status == PRIMARY).any()
        reading = replace(self, lower=lower, upper=upper, if_flagged=None, if_guessed=None)
        if not has_primary:
            reading = reading.without_truth()  # whether the rule hid every cell is then only a supposition
        name = (
            "the intruder can tell which hidden cells the rule hid" if has_primary else "the rule hid every hidden cell"
        )
        return {name: reading}

    # --- truth and files --------------------------------------------------------------------------------------

    def without_truth(self) -> Release:
        """The release as an outsider has it: nothing of what the agency keeps, such as seeds, levels and contributors."""
        public = public_view(self)
        return Release(**{field.name: getattr(public, field.name) for field in fields(public)})

    def to_file(self, path: str | os.PathLike[str], *, total: str = "Total") -> None:
        """Write what is known: the publication and what `knows` added to it, as ranges, never the truth.

        `.csv` and `.parquet` are long files with one row per cell and sum; `.xlsx` is a workbook with a crosstab; `.tab` is
        a table of tau-ARGUS, with a `.rda` file and a `.hrc` file for each hierarchy beside it, which are written over; a
        `.jj` file does hold the truth.
        """
        from .writing import write_release

        write_release(self, path, total=total)


def unpublished(
    dims: Sequence[Dim], decimals: int = 0, truth: np.ndarray | None = None, source: str = "the table"
) -> Release:
    """A release that says nothing yet: every cell of the crossed table between 0 and anything."""
    shape = tuple(len(dim.labels) for dim in dims)
    n = math.prod(shape)
    if n > MOST_CELLS or len(shape) > MOST_DIMS:
        widest = max(dims, key=lambda dim: len(dim.labels))
        raise InputError(
            f"{source}: the {len(shape)} dims cross to more cells than can be held ({MOST_CELLS:,}); {widest.name!r} has "
            f"the most labels ({len(widest.labels)}): is every column a dim? Name them with dims=."
        )
    grid = Grid(tuple(np.arange(size) for size in shape), np.arange(n).reshape(shape))
    return Release(
        dims=tuple(dims),
        grids=(grid,),
        lower=np.zeros(n, dtype=np.int64),
        upper=np.full(n, NO_LIMIT, dtype=np.int64),
        value=np.full(n, NO_VALUE, dtype=np.int64),
        status=np.full(n, UNSHOWN, dtype=np.uint8),
        own=np.zeros(n, dtype=np.int64),
        sums=Sums.none(n, len(dims)),
        truth=truth,
        decimals=decimals,
        asked=np.empty((0, len(dims)), dtype=np.int64),
        asked_primary=np.empty((0, len(dims)), dtype=np.int64),
    )


def of_table(table: Table) -> Release:
    """A release that says nothing yet about a table, with the table as its truth."""
    if float(np.abs(table.values).sum(dtype=float)) >= NO_LIMIT:
        raise InputError("the figures are too large to be added up exactly; use fewer decimals or a coarser unit.")
    release = unpublished(table.dims, table.decimals, table.values.ravel())
    release = replace(release, contributors=table.contributors, largest=table.largest, second=table.second)
    return release if table.beforehand is None else known_beforehand(release, table.beforehand)


def true_table(release: Release) -> Table | None:
    """The table that a release is of, with who stands behind its cells; None without the truth, or of several tables."""
    if release.truth is None or len(release.grids) != 1:
        return None
    order = release.grids[0].cells
    behind = (
        None if column is None else column[order.ravel()]
        for column in (release.contributors, release.largest, release.second)
    )
    return Table(release.truth[order], release.dims, release.decimals, *behind)


def known_beforehand(release: Release, known: Beforehand) -> Release:
    """The release as read by somebody who knows that much of every cell before anything is published."""
    told = None
    if known.around_truth:
        told = np.full(release.n_cells, -NO_LIMIT, dtype=np.int64), np.full(release.n_cells, NO_LIMIT, dtype=np.int64)
    words = f"{known.words}, which is assumed"
    return replace(
        release, lower=known.lower, upper=known.upper, beforehand=known.words, notes=(*release.notes, words), told=told
    )


def as_release(release: Any) -> Release:
    """What was handed in, if it is a release."""
    if not isinstance(release, Release):
        raise InputError(
            f"this needs a release (from publish, suppress, read_release, ...); it was given a {type(release).__name__}."
        )
    return release
