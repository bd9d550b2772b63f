"""A release: all that an intruder is told about the cells of a table, as linear facts."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from .dims import Dim, Key, Margin, key_words, margin_list, parse_margin
from .errors import Contradiction, InputError
from .facts import NO_LIMIT, NO_VALUE, Evidence, Grid, Protection, Sums
from .tables import MOST_CELLS, MOST_DIMS, Table, in_own_units, key_of, scaled

if TYPE_CHECKING:
    import pandas as pd

PUBLISHED, PRIMARY, HIDDEN, UNSHOWN = 0, 1, 2, 3
"""How a cell was released: exactly; withheld because a rule calls it sensitive; withheld otherwise; or never shown
by itself (only margins, or rounded)."""


@dataclass(frozen=True)
class Rule:
    """A threshold rule such as "< 3": cells from `lower` to `upper` are withheld."""

    text: str
    lower: int
    upper: int

    @staticmethod
    def parse(text: str, *, zeros_hidden: bool = False, decimals: int = 0) -> Rule:
        """Read a rule written as "< 3" or "<= 2"; zeros are published unless said otherwise."""
        match = re.fullmatch(r"\s*(<=?)\s*([0-9]+(?:\.[0-9]+)?)\s*", text) if isinstance(text, str) else None
        if match is None:
            raise InputError(f"rule {text!r} is not understood; write it like '< 3' or '<= 2'.")
        limit = scaled(float(match[2]), decimals, f"rule {text!r}")
        lower = 0 if zeros_hidden else 1
        upper = limit - (match[1] == "<")
        if upper < lower:
            raise InputError(f"rule {text!r} hides no cell.")
        return Rule(text.strip(), lower, upper)


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
    rule: Rule | None = None
    flagged: bool = False
    """Does the publication itself show which cells are primary?"""
    notes: tuple[str, ...] = ()

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

    def words(self, key: Key) -> str:
        """A cell or sum in words."""
        return key_words(key, self.dims)

    def fact_words(self, fact: int) -> str:
        """A fact about a sum, in words and in the table's own units."""
        low, high = int(self.sums.lower[fact]), int(self.sums.upper[fact])
        return f"{self.sums.words[fact]} {self.between(low, high)}"

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
        return str(value) if self.decimals == 0 else f"{value / 10**self.decimals:.{self.decimals}f}"

    def index(self, keys: np.ndarray) -> pd.MultiIndex:
        """The labels of cells or sums, as the index of a frame."""
        import pandas as pd

        codes = np.asarray(keys).reshape(-1, len(self.dims))
        return pd.MultiIndex.from_arrays(
            [np.array(d.node_labels, dtype=object)[codes[:, i]] for i, d in enumerate(self.dims)],
            names=[dim.name for dim in self.dims],
        )

    def own_units(self, values: Any) -> Any:
        """Scaled integers in the table's own units."""
        return in_own_units(values, self.decimals)

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
            named = self.words(self.keys[first])
            facts = (
                f"{named} {self.between(int(self.lower[first]), int(self.upper[first]))}",
                f"a further fact leaves {self.show(int(new_lower[first]))} to {self.show(int(new_upper[first]))}",
            )
            raise Contradiction(
                f"cell {self.words(self.keys[first])} would have to be at least {self.show(new_lower[first])} and "
                f"at most {self.show(new_upper[first])}: these facts contradict each other.",
                facts,
            )
        several = np.flatnonzero(~single)
        said = [self.words(keys[i]) if words is None else words[int(i)] for i in several]
        sums = self._joined(matrix[several], lower[several], upper[several], value[several], keys[several], said)
        named = (value != NO_VALUE) & (lower == upper) & (keys >= 0).all(axis=1)
        named[np.flatnonzero(single)[figure]] = False
        shown = np.concatenate([self.shown.reshape(-1, len(self.dims)), keys[named]])
        return replace(self, lower=new_lower, upper=new_upper, value=new_value, status=status, sums=sums, shown=shown)

    def _joined(
        self,
        matrix: Any,
        lower: np.ndarray,
        upper: np.ndarray,
        value: np.ndarray,
        keys: np.ndarray,
        words: Sequence[str],
    ) -> Sums:
        old = self.sums
        all_rows = sp.csr_array(sp.vstack([old.matrix, matrix]))
        all_rows.sort_indices()
        all_lower, all_upper = np.concatenate([old.lower, lower]), np.concatenate([old.upper, upper])
        all_value = np.concatenate([old.value, value])
        all_keys = np.concatenate([old.keys, keys.reshape(-1, len(self.dims))])
        all_words = (*old.words, *words)
        first_with: dict[tuple[bytes, bytes], int] = {}
        kept = []
        for row in range(all_rows.shape[0]):
            part = slice(all_rows.indptr[row], all_rows.indptr[row + 1])
            content = (all_rows.indices[part].tobytes(), all_rows.data[part].tobytes())
            known = first_with.setdefault(content, row)
            if known == row:
                kept.append(row)
                continue
            low, high = max(all_lower[known], all_lower[row]), min(all_upper[known], all_upper[row])
            if low > high:
                one = f"{all_words[known]} {self.between(int(all_lower[known]), int(all_upper[known]))}"
                two = f"{all_words[row]} {self.between(int(all_lower[row]), int(all_upper[row]))}"
                raise Contradiction(f"two facts contradict each other: {one}, and {two}.", (one, two))
            all_lower[known], all_upper[known] = low, high
            if all_value[known] == NO_VALUE:
                all_value[known] = all_value[row]
        return Sums(
            all_rows[kept],
            all_lower[kept],
            all_upper[kept],
            all_value[kept],
            all_keys[kept],
            tuple(all_words[i] for i in kept),
        )

    def margin(self, margin: str | Iterable[str] | Margin) -> tuple[np.ndarray, Any]:
        """The sums of a margin: their keys and which cells each sums."""
        levels = parse_margin([] if margin == () else margin, self.dims)  # type: ignore[arg-type]
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
        >>> r = r.knows({"activity": "5", "size": "7"}, at_least=1)  # doctest: +SKIP
        """
        if all(v is None for v in (at_least, at_most, exactly, own)):
            raise InputError("knows() needs at_least=, at_most=, exactly= or own=.")
        key = key_of(cell, self.dims)
        named = self.words(key)
        low, high = 0, NO_LIMIT
        for name, given in (("at_least", at_least), ("at_most", at_most), ("exactly", exactly), ("own", own)):
            if given is None:
                continue
            amount = scaled(given, self.decimals, f"knows({named}, {name}=)")
            if amount < 0:
                raise InputError(f"knows({named}, {name}={given}): cells cannot be negative.")
            if name in ("at_most", "exactly"):
                high = min(high, amount)
            if name == "own":
                amount += int(self.own[self._one_cell(key)])
            if name != "at_most":
                low = max(low, amount)
        if low > high:
            raise InputError(f"knows({named}): at least {self.show(low)} and at most {self.show(high)} cannot both be.")
        row = self.row(key)
        if self.truth is not None:
            actual = int((row @ self.truth)[0])
            if not low <= actual <= high:
                raise InputError(
                    f"knows({named}): the table says {self.show(actual)}, which {self.between(low, high)} excludes."
                )
        known = self.with_facts(np.array([key]), row, np.array([low]), np.array([high]), words=[f"known: {named}"])
        if own is not None:
            owned, status = self.own.copy(), known.status.copy()
            position = self._one_cell(key)
            owned[position] += scaled(own, self.decimals, named)
            # To its contributor even a published cell holds something unpublished: the others' part.
            if status[position] == PUBLISHED:
                status[position] = HIDDEN
            known = replace(known, own=owned, status=status)
        said = ", ".join(
            f"{name} {given}"
            for name, given in (("at least", at_least), ("at most", at_most), ("exactly", exactly), ("own part", own))
            if given is not None
        )
        return replace(known, notes=(*self.notes, f"the intruder knows of {named}: {said}"))

    def _one_cell(self, key: tuple[int, ...]) -> int:
        cells = self.row(key).indices
        if len(cells) != 1:
            raise InputError(f"own= is about one cell, but {self.words(key)} is a sum of several; name every dim.")
        return int(cells[0])

    def knows_rule(self, rule: str | Rule, *, flags: bool = True, zeros_hidden: bool = False) -> Release:
        """The release as seen by someone who knows the threshold rule by which cells were hidden.

        With `flags` she also sees which hidden cells are primary (status u, or numeric 3 to 9), and bounds them to
        the rule's range; the other hidden cells then lie outside it. Without flags she only learns that no hidden
        cell is zero, unless `zeros_hidden` says that zeros are hidden too.
        """
        if not isinstance(rule, Rule):
            rule = Rule.parse(rule, zeros_hidden=zeros_hidden, decimals=self.decimals)
        primary, other = self.status == PRIMARY, self.status == HIDDEN
        withheld = primary | other
        if flags and not primary.any():
            raise InputError(
                "knows_rule(flags=True) needs cells that are flagged as primary; this release flags none "
                "(give a status column, or flags=False)."
            )
        lower, upper = self.lower.copy(), self.upper.copy()
        # A hidden zero, where the truth shows one, was hidden for another reason: then nothing is learnt of the rest.
        no_zero = rule.lower > 0 and (self.truth is None or bool((self.truth[withheld] > 0).all()))
        if flags:
            lower[primary] = np.maximum(lower[primary], rule.lower)
            upper[primary] = np.minimum(upper[primary], rule.upper)
            if no_zero or rule.lower == 0:
                lower[other] = np.maximum(lower[other], rule.upper + 1)
        elif no_zero:
            lower[withheld] = np.maximum(lower[withheld], 1)
        wrong = np.flatnonzero(lower > upper)
        if len(wrong):
            raise Contradiction(
                f"rule {rule.text!r} cannot hold for cell {self.words(self.keys[wrong[0]])}: what was published says it "
                f"{self.between(int(self.lower[wrong[0]]), int(self.upper[wrong[0]]))}."
            )
        if self.truth is not None:
            untrue = np.flatnonzero((self.truth < lower) | (self.truth > upper))
            if len(untrue):
                raise InputError(
                    f"rule {rule.text!r} did not hide cell {self.words(self.keys[untrue[0]])}: the table says "
                    f"{self.show(int(self.truth[untrue[0]]))}; correct the status of the cell, or the rule."
                )
        seen = "and sees which cells it hid" if flags else "but not which cells it hid"
        note = f"the intruder knows the rule {rule.text!r} {seen}"
        kept_rule = None if flags else rule
        return replace(self, lower=lower, upper=upper, rule=kept_rule, notes=(*self.notes, note))

    @property
    def readings(self) -> dict[str, Release]:
        """The ways an intruder who knows the rule may read the hidden cells, where it is not said which are primary."""
        if self.rule is None or not (self.status == PRIMARY).any():
            return {}
        return {"the intruder can tell which hidden cells the rule hid": self.knows_rule(self.rule)}

    # --- truth and files --------------------------------------------------------------------------------------

    def without_truth(self) -> Release:
        """The release as an outsider has it."""
        return replace(self, truth=None)

    def to_file(self, path: str | os.PathLike[str], *, total: str = "Total") -> None:
        """Write what is published: `.csv`, `.parquet` (long, one row per cell and sum) or `.jj` (with the truth)."""
        from .files import write_release

        write_release(self, path, total=total)


def unpublished(table_dims: Sequence[Dim], decimals: int = 0, truth: np.ndarray | None = None) -> Release:
    """A release that says nothing yet: every cell of the crossed table between 0 and anything."""
    shape = tuple(len(dim.labels) for dim in table_dims)
    n = math.prod(shape)
    if n > MOST_CELLS or len(shape) > MOST_DIMS:
        widest = max(table_dims, key=lambda dim: len(dim.labels))
        raise InputError(
            f"the {len(shape)} dims cross to {n:.3g} cells, more than can be held ({MOST_CELLS:,} cells, {MOST_DIMS} "
            f"dims); {widest.name!r} has the most labels ({len(widest.labels)}): is every column really a dim?"
        )
    grid = Grid(tuple(np.arange(size) for size in shape), np.arange(n).reshape(shape))
    return Release(
        dims=tuple(table_dims),
        grids=(grid,),
        lower=np.zeros(n, dtype=np.int64),
        upper=np.full(n, NO_LIMIT, dtype=np.int64),
        value=np.full(n, NO_VALUE, dtype=np.int64),
        status=np.full(n, UNSHOWN, dtype=np.uint8),
        own=np.zeros(n, dtype=np.int64),
        sums=Sums.none(n, len(table_dims)),
        truth=truth,
        decimals=decimals,
        asked=np.empty((0, len(table_dims)), dtype=np.int64),
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
