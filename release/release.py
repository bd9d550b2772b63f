"""A release: all that an intruder is told about the cells of a table, as linear facts."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ..base.errors import Contradiction, InputError
from ..base.numbers import in_own_units, written
from ..base.saved_forms import saved
from .facts.contributions import contributions_differ
from .facts.facts import (
    HIDDEN,
    NO_LIMIT,
    NO_VALUE,
    PRIMARY,
    PUBLISHED,
    UNSHOWN,
    Applied,
    Evidence,
    Grid,
    Protection,
    Sums,
    weakest_likelihood,
)
from .facts.knowledge import Rule, with_knowledge, with_rule
from .tables.dims import Dim, Key, key_words, margin_list, parse_margin
from .tables.table_forms import MOST_CELLS
from .tables.tables import Table

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

MOST_DIMS = 32


@saved("Release")
@dataclass(frozen=True, eq=False)
class Release:
    """An immutable set of facts about the integer cells of one table or of several linked ones.

    Cells are known between `lower` and `upper`, sums of cells through `sums`, both in whole numbers of
    10^-decimals. Build one with `publish`, `suppress`, `round_to`, `merge`, `linked`, `from_crosstab` or
    `read_release`; add outside knowledge with `knows`.
    """

    dims: tuple[Dim, ...]
    grids: tuple[Grid, ...]
    lower: np.ndarray
    upper: np.ndarray
    value: np.ndarray
    status: np.ndarray
    own: np.ndarray
    sums: Sums
    truth: np.ndarray | None = None
    evidence: tuple[Evidence, ...] = ()
    decimals: int = 0
    asked: np.ndarray = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))
    """The keys of sums that are withheld by name, and so are questions."""
    shown: np.ndarray = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))
    """The keys of sums that are published exactly."""
    protection: Mapping[tuple[int, ...], Protection] | None = None
    if_flagged: tuple[np.ndarray, np.ndarray] | None = None
    """Bounds of the cells for a reader who knows the rule and, unlike others, can tell which cells it hid."""
    flagged: bool = False
    """Does the publication itself show which cells are primary?"""
    contributors: np.ndarray | None = None
    """How many contribute to each cell (NO_VALUE: not said). Like the truth, only the agency knows it."""
    largest: np.ndarray | None = None
    """The largest contribution to each cell (NO_VALUE: not said). Like the truth, only the agency knows it."""
    notes: tuple[str, ...] = ()
    applied: tuple[Applied, ...] = ()
    """The protection methods that made it, with what is known of their likelihood."""
    figures: np.ndarray | None = None
    """The figure that a random method published for each cell (NO_VALUE: none); no fact about the cell by itself."""
    sum_figures: Mapping[tuple[int, ...], int] = field(default_factory=dict)
    """The figures that a random method published for sums, by their keys."""

    def __post_init__(self) -> None:
        for array in (
            self.lower, self.upper, self.value, self.status, self.own, self.asked, self.shown, self.truth,
            self.contributors, self.largest, self.figures,
        ):  # fmt: skip
            if array is not None:
                array.setflags(write=False)

    # --- what it is about -------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        shape = " + ".join(" x ".join(str(n) for n in grid.cells.shape if n > 1) or "1" for grid in self.grids)
        truth = "with its truth" if self.truth is not None else "as an outsider reads it"
        return (
            f"<Release of {', '.join(dim.name for dim in self.dims)} ({shape}): {len(self.lower)} cells, "
            f"{len(self.hidden)} hidden, {len(self.sums)} known sums, {truth}>"
        )

    @property
    def n_cells(self) -> int:
        """The number of finest cells."""
        return len(self.lower)

    @cached_property
    def hidden(self) -> np.ndarray:
        """The cells whose figure is not published exactly."""
        return np.flatnonzero(self.status != PUBLISHED)

    @cached_property
    def keys(self) -> np.ndarray:
        """The nodes of every cell, one row each."""
        keys = np.empty((self.n_cells, len(self.dims)), dtype=np.int64)
        for grid in self.grids:
            keys[grid.cells.ravel()] = grid.keys()
        return keys

    @property
    def of_magnitudes(self) -> bool:
        """Does the table hold magnitudes? Decimals say so, or contributors to a cell who are not what it counts."""
        return self.decimals > 0 or contributions_differ(self)

    def words(self, key: Key) -> str:
        """A cell or sum in words."""
        return key_words(key, self.dims)

    def fact_words(self, fact: int) -> str:
        """A fact about a sum, in words and in the table's own units."""
        low, high = int(self.sums.lower[fact]), int(self.sums.upper[fact])
        return f"{self.sums.words[fact]} {self.between(low, high)}"

    def evidence_words(self, item: Evidence) -> str:
        """What a random method published, in words."""
        if item.words or item.key is None:
            return item.words or "without words"
        return f"{self.words(item.key)}, published as {self.show(item.figure)}"

    def between(self, low: int, high: int) -> str:
        """A range in words and in the table's own units."""
        shown_low, shown_high = self.show(low), self.show(high)
        if low == high:
            return f"is {shown_low}"
        if high >= NO_LIMIT:
            return f"is at least {shown_low}"
        return f"is between {shown_low} and {shown_high}"

    def show(self, value: int) -> str:
        """One value in the table's own units."""
        return written(value, self.decimals)

    def index(self, keys: np.ndarray) -> pd.MultiIndex:
        """The labels of cells or sums, as the index of a frame."""
        import pandas as pd

        codes = np.asarray(keys).reshape(-1, len(self.dims))
        levels, places = [], []
        for i, dim in enumerate(self.dims):
            used, place = np.unique(codes[:, i], return_inverse=True)
            labels = np.array([dim.node_labels[node] for node in used], dtype=object)
            distinct, again = np.unique(labels, return_inverse=True) if len(labels) else (labels, used)
            levels.append(distinct)
            places.append(again[place])
        return pd.MultiIndex(levels, places, names=[dim.name for dim in self.dims], verify_integrity=False)

    def own_units(self, values: Any) -> Any:
        """Scaled integers in the table's own units."""
        return in_own_units(values, self.decimals)

    @property
    def likelihood(self) -> str:
        """How well P(published | truth) is known: "exact", "cellwise approximation" or "support only"."""
        return weakest_likelihood(self.applied)

    @property
    def cell_figures(self) -> np.ndarray:
        """What is published of every cell, be it exact or not, as scaled integers; NO_VALUE where nothing is."""
        shown = np.where(np.isin(self.status, (PRIMARY, HIDDEN)), NO_VALUE, self.value)
        return shown if self.figures is None else np.where(self.figures == NO_VALUE, shown, self.figures)

    @property
    def published(self) -> xr.DataArray:
        """The finest cells as a reader sees them, in the table's own units; what is withheld is not a number."""
        from .tables.tables import labelled

        if len(self.grids) != 1:
            raise InputError("linked tables have no one published table; look at each release by itself.")
        shown = self.cell_figures[self.grids[0].cells]
        told = shown != NO_VALUE
        values = self.own_units(shown)
        return labelled(values if told.all() else np.where(told, values, np.nan), self.dims)

    def crosstab(
        self, *, columns: str | Sequence[str] | None = None, total: str = "All", mark: str | None = None
    ) -> pd.DataFrame:
        """What readers see, totals included, as a crosstab; what is hidden or not published is missing.

        Where every total is published or hidden by name, `from_crosstab` makes the release again. A crosstab cannot say
        that figures are rounded or changed, between which values a cell lies, or that a label is a group of others.

        Parameters
        ----------
        columns
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
        from .public_view import crosstab

        return crosstab(self, columns, total, mark)

    def _repr_html_(self) -> str | None:
        from ..base.html import in_notebook
        from .public_view import release_html

        return in_notebook(release_html, self)

    # --- adding facts -----------------------------------------------------------------------------------------

    def with_facts(
        self,
        keys: np.ndarray,
        matrix: Any,
        lower: np.ndarray,
        upper: np.ndarray,
        value: np.ndarray | None = None,
        words: Sequence[str] | None = None,
    ) -> Release:
        """The release with further facts about sums; a sum of one cell is a fact about that cell.

        A fact that is known already (the same cells with the same coefficients) is tightened, not repeated.
        """
        matrix = sp.csr_array(matrix)
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        lower, upper = np.asarray(lower, dtype=np.int64), np.asarray(upper, dtype=np.int64)
        value = np.full(len(lower), NO_VALUE) if value is None else np.asarray(value, dtype=np.int64)
        single = np.diff(matrix.indptr) == 1
        single[single] = matrix.data[matrix.indptr[:-1][single]] == 1
        cell = matrix.indices[matrix.indptr[:-1][single]]
        new_lower, new_upper, new_value = self.lower.copy(), self.upper.copy(), self.value.copy()
        np.maximum.at(new_lower, cell, lower[single])
        np.minimum.at(new_upper, cell, upper[single])
        # A cell is published only under its own name: a margin that happens to consist of one hidden cell
        # discloses it, and the cell must still be listed.
        figure = (value[single] != NO_VALUE) & (keys[single] == self.keys[cell]).all(axis=1)
        new_value[cell[figure]] = value[single][figure]
        status = self.status.copy()
        exact = cell[figure & (lower[single] == upper[single])]
        status[exact[status[exact] == UNSHOWN]] = PUBLISHED
        wrong = np.flatnonzero(new_lower > new_upper)
        if len(wrong):
            first = wrong[0]
            before = f"{self.words(self.keys[first])} {self.between(int(self.lower[first]), int(self.upper[first]))}"
            low, high = self.show(int(new_lower[first])), self.show(int(new_upper[first]))
            raise Contradiction(
                f"cell {self.words(self.keys[first])} would have to be at least {low} and at most {high}: these facts "
                "contradict each other.",
                (before, f"a further fact leaves {low} to {high}"),
            )
        several = np.flatnonzero(~single)
        said = [self.words(keys[i]) if words is None else words[int(i)] for i in several]
        sums = self.sums.joined(
            Sums(matrix[several], lower[several], upper[several], value[several], keys[several], tuple(said)),
            self.between,
        )
        public = (value != NO_VALUE) & (lower == upper) & (keys >= 0).all(axis=1)
        public[np.flatnonzero(single)[figure]] = False
        shown = np.concatenate([self.shown.reshape(-1, len(self.dims)), keys[public]])
        return replace(self, lower=new_lower, upper=new_upper, value=new_value, status=status, sums=sums, shown=shown)

    def margin(self, margin: str | Iterable[str | None]) -> tuple[np.ndarray, Any]:
        """The sums of a margin: their keys and which cells each sums."""
        levels = parse_margin(margin, self.dims)
        for grid in self.grids:
            found = grid.margin(levels, self.dims, self.n_cells)
            if found is not None:
                return found
        raise InputError(f"margin {margin!r} is finer than the tables of this release.")

    def row(self, key: Key) -> Any:
        """Which cells the sum at a key is made of, as a matrix of one row."""
        for grid in self.grids:
            found = grid.row(key, self.dims, self.n_cells)
            if found is not None:
                return found
        raise InputError(f"{self.words(key)} is finer than the tables of this release.")

    def picked(self, cells: np.ndarray) -> Any:
        """The matrix that picks single cells, one row each."""
        n = len(cells)
        return sp.csr_array((np.ones(n, np.int64), (np.arange(n), cells)), shape=(n, self.n_cells))

    def questions(self, hidden_margins: Iterable[Any] = ()) -> tuple[np.ndarray, Any]:
        """The sums that are asked about: those the release withholds by name, and the margins asked for.

        Sums that are published exactly are no question, nor are single cells (they are rows already).
        """
        asked = self.asked.reshape(-1, len(self.dims))
        parts = [(key[None, :], self.row(key)) for key in asked]
        parts += [self.margin(margin) for margin in margin_list(hidden_margins, "hidden_margins=")]
        if not parts:
            return np.empty((0, len(self.dims)), np.int64), sp.csr_array((0, self.n_cells), dtype=np.int64)
        keys = np.concatenate([part[0] for part in parts])
        matrix = sp.csr_array(sp.vstack([part[1] for part in parts]))
        # What is withheld by name stays a question even where another fact gives it away: that is the disclosure.
        skip = {tuple(key) for key in self.shown} | {tuple(key) for key in self.keys}
        skip -= {tuple(key) for key in asked}
        kept = []
        for i, key in enumerate(map(tuple, keys)):
            if key not in skip:
                skip.add(key)
                kept.append(i)
        return keys[kept], matrix[kept]

    def listed(self, hidden_margins: Iterable[Any] = ()) -> tuple[np.ndarray, Any, np.ndarray]:
        """The rows of every answer: hidden cells, then questions. Their keys, which cells each sums, the own parts."""
        keys, rows = self.questions(hidden_margins)
        matrix = sp.csr_array(sp.vstack([self.picked(self.hidden), rows]))
        own = np.concatenate([self.own[self.hidden], np.zeros(len(keys), dtype=np.int64)])
        return np.concatenate([self.keys[self.hidden], keys]), matrix, own

    # --- outside knowledge ------------------------------------------------------------------------------------

    def knows(
        self,
        cell: Mapping[str, Any],
        *,
        at_least: float | None = None,
        at_most: float | None = None,
        exactly: float | None = None,
        own: float | None = None,
    ) -> Release:
        """The release as seen by someone who knows more about a cell or a sum.

        Parameters
        ----------
        cell
            The cell as {dim: label}; dims that are left out are summed over.
        at_least, at_most, exactly
            What is known of its value, in the table's own units.
        own
            The contribution to this one cell that the intruder knows because it is hers: the cell is at least
            that, and every result then speaks of the others' part, the cell less `own`.

        Examples
        --------
        >>> import fiberwalk as fw
        >>> r = fw.publish([[3, 1], [2, 4]], margins=["A", "B"])
        >>> fw.bounds(r.knows({"A": "1", "B": "1"}, at_least=2))["lower"].tolist()
        [2, 0, 1, 3]
        """
        return with_knowledge(self, cell, at_least, at_most, exactly, own)

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
        if self.if_flagged is None:
            return {}
        lower, upper = np.maximum(self.lower, self.if_flagged[0]), np.minimum(self.upper, self.if_flagged[1])
        if (lower > upper).any():
            return {}
        told = (self.status == PRIMARY).any()
        seen = replace(self, lower=lower, upper=upper, if_flagged=None)
        if not told:
            seen = seen.without_truth()  # whether the rule hid every cell is then only a supposition
        name = "the intruder can tell which hidden cells the rule hid" if told else "the rule hid every hidden cell"
        return {name: seen}

    # --- truth and files --------------------------------------------------------------------------------------

    def without_truth(self) -> Release:
        """The release as an outsider has it: without the truth, the seeds, and who contributed what."""
        applied = tuple(replace(one, seed=None) for one in self.applied)
        return replace(self, truth=None, contributors=None, largest=None, applied=applied)

    def to_file(self, path: str | os.PathLike[str], *, total: str = "Total") -> None:
        """Write what is known: the publication and what `knows` added to it, as ranges, never the truth.

        `.csv` and `.parquet` are long files with one row per cell and sum; a `.jj` file does hold the truth.
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
    )


def of_table(table: Table) -> Release:
    """A release that says nothing yet about a table, with the table as its truth."""
    if float(table.values.sum(dtype=float)) >= NO_LIMIT:
        raise InputError("the figures are too large to be added up exactly; use fewer decimals or a coarser unit.")
    return unpublished(table.dims, table.decimals, table.values.ravel())


def as_release(given: Any) -> Release:
    """What was handed in, if it is a release."""
    if not isinstance(given, Release):
        raise InputError(
            f"this needs a release (from publish, suppress, read_release, ...); it was given a {type(given).__name__}."
        )
    return given
