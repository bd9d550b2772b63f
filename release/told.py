"""What is told of a table: linear facts about its cells, and all that can be said of them without the truth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ..base.errors import Contradiction, InputError
from ..base.numbers import in_own_units, written
from .facts.choice import Choice, Tally
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
    Sums,
    weakest_likelihood,
)
from .tables.dims import Dim, Key, Margin, key_words, margin_list, parse_margin

if TYPE_CHECKING:
    from typing import Self

    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Told:
    """Facts about the integer cells of one table or of several linked ones.

    Cells are known between `lower` and `upper`, sums of cells through `sums`, both in whole numbers of 10^-decimals. It is
    either a `Release`, with what else its agency keeps, or a `PublicView`, which never had any of that.
    """

    dims: tuple[Dim, ...]
    grids: tuple[Grid, ...]
    lower: np.ndarray
    upper: np.ndarray
    value: np.ndarray
    status: np.ndarray
    own: np.ndarray
    sums: Sums
    evidence: tuple[Evidence, ...] = ()
    decimals: int = 0
    asked: np.ndarray = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))
    """The keys of sums that are withheld by name, and so are questions."""
    shown: np.ndarray = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))
    """The keys of sums that are published exactly."""
    if_guessed: tuple[np.ndarray, np.ndarray] | None = None
    """Bounds of the cells for a reader who knows the rule and guesses what it hid: the cells that are flagged, or all."""
    flagged: bool = False
    """Does the publication itself show which cells are primary?"""
    notes: tuple[str, ...] = ()
    applied: tuple[Applied, ...] = ()
    """The protection methods that made it, with what is known of their likelihood."""
    figures: np.ndarray | None = None
    """The figure that a random method published for each cell (NO_VALUE: none); no fact about the cell by itself."""
    sum_figures: Mapping[tuple[int, ...], int] = field(default_factory=dict)
    """The figures that a random method published for sums, by their keys."""
    about: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Who is in it, where it is not everybody: the labels of some dims, whether the table shows these or not."""
    choices: tuple[Choice, ...] = ()
    """Facts of which one of several readings holds, such as a median between two labels."""
    tallies: tuple[Tally, ...] = ()
    """How many of some readings hold."""
    beforehand: str = ""
    """What everybody is assumed to know of every cell before anything is published, in words; empty where it is no more than
    that counts are at least 0."""
    asked_primary: np.ndarray = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))
    """The keys of withheld sums that are primary; told to readers where `flagged`, as of the cells."""

    def __post_init__(self) -> None:
        for attribute in fields(self):
            array = getattr(self, attribute.name)
            if isinstance(array, np.ndarray):
                array.setflags(write=False)

    # --- what it is about -------------------------------------------------------------------------------------

    @property
    def n_cells(self) -> int:
        """The number of finest cells."""
        return len(self.lower)

    @cached_property
    def signed(self) -> bool:
        """May a cell be negative?"""
        return bool((self.lower < 0).any())

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

    def words(self, key: Key) -> str:
        """A cell or sum in words."""
        return key_words(key, self.dims)

    def fact_words(self, fact: int) -> str:
        """A fact about a sum, in words and in the table's own units."""
        if self.sums.stated and self.sums.stated[fact]:
            return self.sums.words[fact]
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
        if low <= -NO_LIMIT:
            return "is anything" if high >= NO_LIMIT else f"is at most {shown_high}"
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
        if self.figures is None:
            return shown
        exact = (self.status == PUBLISHED) & (self.value != NO_VALUE)
        return np.where(exact | (self.figures == NO_VALUE), shown, self.figures)

    # --- adding facts -----------------------------------------------------------------------------------------

    def with_facts(
        self,
        keys: np.ndarray,
        matrix: Any,
        lower: np.ndarray,
        upper: np.ndarray,
        value: np.ndarray | None = None,
        words: Sequence[str] | None = None,
        stated: Sequence[bool] = (),
    ) -> Self:
        """The same with further facts about sums; a sum of one cell is a fact about that cell.

        A fact that is known already (the same cells with the same coefficients) is tightened, not repeated. Where `stated`,
        words are the whole fact.
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
        sum_words = [self.words(keys[i]) if words is None else words[int(i)] for i in several]
        sums = self.sums.joined(
            Sums(
                matrix[several],
                lower[several],
                upper[several],
                value[several],
                keys[several],
                tuple(sum_words),
                tuple(stated[int(i)] for i in several) if any(stated) else (),
            ),
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

    def margins(self, margins: Iterable[Margin]) -> tuple[np.ndarray, Any]:
        """The sums of several margins."""
        parts = [self.margin(margin) for margin in margins]
        return np.concatenate([part[0] for part in parts]), sp.csr_array(sp.vstack([part[1] for part in parts]))

    def is_cell(self, keys: np.ndarray) -> np.ndarray:
        """Which keys are those of finest cells: on coarse levels of a ragged hierarchy a label may stand for itself."""
        return np.asarray((keys < [len(dim.labels) for dim in self.dims]).all(axis=1))

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
