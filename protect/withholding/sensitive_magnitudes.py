"""Which cells and totals of magnitudes are sensitive, by how many contribute to them and how much the largest do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...base.errors import InputError
from ...release.facts.facts import NO_VALUE
from ...release.publish import parse_margins
from ...release.release import Release, of_table
from ...release.tables.tables import Table, as_means, as_table, labelled

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

_NEAR = 1e-9
"""Shares of a number that sums in floating point may be off by."""


def sensitive_magnitudes(
    table: Any,
    contributors: Any = None,
    largest: Any = None,
    *,
    second: Any = None,
    fewer_than: int = 3,
    dominance: float = 85,
    p_percent: float | None = None,
    prior_posterior: Sequence[float] | None = None,
) -> xr.DataArray:
    """Which cells of a table of magnitudes are sensitive: a boolean table, for `where=` of suppressions.

    For agencies whose tables say how many contribute to each cell and how much the largest of them do, and who no longer
    have the records at hand. Empty cells are not sensitive.

    Parameters
    ----------
    table
        The magnitudes, such as turnover; whole numbers or not. One that `fw.table` made may have the others with it.
    contributors, largest, second
        Tables like it: how many contribute, the largest contribution (where it is not known, only the threshold is
        applied), and the second largest, which the p% and the pq rule need. They may be missing (NaN) for empty cells only,
        `second` for cells of one or two contributors as well, whose second largest follows.
    fewer_than
        Threshold: a cell is sensitive if fewer contribute to it.
    dominance
        A cell is sensitive if the largest contribution is more than so many percent of it.
    p_percent
        A cell is sensitive if its second largest contributor can estimate the largest to within so many percent: if the
        others contribute less than that to it.
    prior_posterior
        The same as (p, q) for contributors who knew each other to within q percent before (pq rule).

    Examples
    --------
    >>> turnover, firms, top = [[90, 40], [7, 30]], [[9, 5], [1, 4]], [[80, 10], [7, 25]]
    >>> sensitive_magnitudes(turnover, firms, top, dominance=85).values.tolist()
    [[True, False], [True, False]]
    >>> sensitive_magnitudes(turnover, firms, top, second=[[2, 9], [0, 4]], dominance=100, p_percent=10).values.tolist()
    [[False, False], [True, True]]
    """
    rules = _Rules.read(fewer_than, dominance, p_percent, prior_posterior)
    cells = _Summaries.read(table, contributors, largest, second, rules)
    return labelled(cells.sensitive().reshape(cells.shape), cells.release.dims)


def sensitive_totals(
    table: Any,
    contributors: Any = None,
    largest: Any = None,
    *,
    second: Any = None,
    fewer_than: int = 3,
    dominance: float = 85,
    p_percent: float | None = None,
    prior_posterior: Sequence[float] | None = None,
) -> pd.DataFrame:
    """Which totals and subtotals of a table of magnitudes are sensitive themselves, by the rules of `sensitive_magnitudes`.

    Suppressions publish every total unless told otherwise, and no hidden cell protects a total that is published: merge its
    category with another, or withhold it. One row for each, with the columns total, contributors, largest and percent
    (the largest of the total). Each contributor is taken to be in one cell only.

    Examples
    --------
    >>> turnover, firms, top = [[90, 40], [7, 0]], [[9, 5], [1, 0]], [[60, 10], [7, 0]]
    >>> sensitive_totals(turnover, firms, top)
             total  contributors  largest  percent
    A B
    2 Total    7.0             1      7.0    100.0
    """
    import pandas as pd

    rules = _Rules.read(fewer_than, dominance, p_percent, prior_posterior)
    cells = _Summaries.read(table, contributors, largest, second, rules)
    keys, matrix = cells.release.margins(parse_margins(None, cells.release.dims))
    # In ragged hierarchies a label stands for itself on the coarser levels: that is no total, or one that was there already.
    first = np.sort(np.unique(keys, axis=0, return_index=True)[1])
    real = first[~cells.release.is_cell(keys[first])]
    sums = cells.summed(matrix[real])
    percent = 100 * np.divide(sums.largest, sums.total, out=np.full(len(real), np.nan), where=sums.total > 0)
    frame = pd.DataFrame(
        {"total": sums.total, "contributors": sums.contributors, "largest": sums.largest, "percent": percent},
        index=cells.release.index(keys[real]),
    )
    return frame[sums.sensitive()]


class _Rules(NamedTuple):
    """The rules that are asked for: a threshold, a share of the largest, and the pairs (p, q) of pq rules."""

    fewer_than: int
    dominance: float
    near: tuple[tuple[float, float], ...]

    @classmethod
    def read(cls, fewer_than: Any, dominance: Any, p_percent: Any, prior_posterior: Any) -> _Rules:
        if isinstance(fewer_than, bool) or not isinstance(fewer_than, (int, np.integer)) or fewer_than < 1:
            raise InputError(f"fewer_than={fewer_than!r}: a whole number of at least 1.")
        if not _is_number(dominance) or not 0 < dominance <= 100:
            raise InputError(f"dominance={dominance!r}: a percentage above 0.")
        near = []
        if p_percent is not None:
            if not _is_number(p_percent) or not 0 < p_percent <= 100:
                raise InputError(f"p_percent={p_percent!r}: a percentage above 0.")
            near.append((float(p_percent), 100.0))
        if prior_posterior is not None:
            given = list(prior_posterior) if np.iterable(prior_posterior) else []
            if len(given) != 2 or not all(map(_is_number, given)) or not 0 < given[0] <= given[1] <= 100:
                raise InputError(f"prior_posterior={prior_posterior!r}: two percentages p and q, 0 < p <= q <= 100.")
            near.append((float(given[0]), float(given[1])))
        return cls(int(fewer_than), float(dominance), tuple(near))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


class _Summaries(NamedTuple):
    """Cells or sums by their total, number of contributors and two largest contributions, and the rules."""

    release: Release
    """Of the table of contributors; it knows the dims."""
    total: np.ndarray
    contributors: np.ndarray
    largest: np.ndarray
    second: np.ndarray
    """NaN where neither the p% nor the pq rule asks for it."""
    rules: _Rules

    @classmethod
    def read(cls, table: Any, contributors: Any, largest: Any, second: Any, rules: _Rules) -> _Summaries:
        if isinstance(table, Table):
            contributors = _behind(table, table.contributors, 0) if contributors is None else contributors
            largest = _behind(table, table.largest, table.decimals) if largest is None else largest
            second = _behind(table, table.second, table.decimals) if second is None else second
        if contributors is None:
            raise InputError("how many contribute to each cell? Give contributors=, or fw.table(contributors=).")
        if rules.near and (largest is None or second is None):
            raise InputError(
                "how much do the two largest contribute to each cell? The p% and the pq rule need largest= and second=, or "
                "fw.table(largest=, second=)."
            )
        people = as_table(contributors)
        if isinstance(table, Table):  # it may have hierarchies, which the contributors need not repeat
            people = as_table(labelled(as_means(contributors, table.dims, "contributors="), table.dims))
            people = replace(people, dims=table.dims)
        read = {"the table": as_means(table, people.dims, "the table")}
        for name, given in (("largest=", largest), ("second=", second if rules.near else None)):
            read[name] = np.full(people.values.shape, np.nan) if given is None else as_means(given, people.dims, name)
        for name, values in read.items():
            if values.shape != people.values.shape:
                raise InputError(f"{name} has the shape {values.shape}, but contributors= has {people.values.shape}.")
            unknown = name == "the table" and np.isnan(values).any()
            if np.isinf(values).any() or (values < 0).any() or unknown:
                raise InputError(f"{name} must hold numbers of at least 0.")
        total, top, next_to_top = (values.ravel() for values in read.values())
        cells = cls(of_table(people), total, people.values.ravel(), top, next_to_top, rules)
        cells._refuse_impossible(largest is not None)
        return cells._with_what_follows() if rules.near else cells

    def _refuse_impossible(self, largest_known: bool) -> None:
        """Refuse contributions that a cell cannot have, and a cell of which they are not told."""

        def refuse(cells: np.ndarray, problem: str) -> None:
            for cell in np.flatnonzero(cells):
                raise InputError(f"cell {self.release.words(self.release.keys[cell])} {problem}")

        occupied, most = self.total > 0, self.total * (1 + _NEAR)
        refuse(
            np.isnan(self.largest) & occupied & largest_known,
            "is not zero, but largest= has no number for it, so that the dominance rule cannot tell whether it is safe; "
            "give the largest contribution.",
        )
        refuse((self.contributors == 0) & occupied, "is not zero, but nobody contributes to it.")
        refuse(self.largest > most, "is less than the largest contribution to it.")
        refuse(self.second > self.largest, "has a second largest contribution that is greater than its largest.")
        refuse(self.largest + self.second > most, "is less than its two largest contributions together.")

    def _with_what_follows(self) -> _Summaries:
        """With the second largest contribution where it is not told and follows: of one contributor, and of two."""
        follows = np.isnan(self.second) & (self.contributors <= 2)
        second = np.where(follows, np.maximum(self.total - np.nan_to_num(self.largest), 0), self.second)
        cells = self._replace(second=np.where(follows & (self.contributors < 2), 0, second))
        for cell in np.flatnonzero(np.isnan(cells.second) & (cells.total > 0)):
            raise InputError(
                f"cell {self.release.words(self.release.keys[cell])} has more than two contributors, and its second largest "
                "contribution is not told, so that neither the p% nor the pq rule can say whether it is safe."
            )
        return cells

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(dim.labels) for dim in self.release.dims)

    def sensitive(self) -> np.ndarray:
        few = (self.contributors > 0) & (self.contributors < self.rules.fewer_than)
        found = few | (self.largest * 100 > self.rules.dominance * self.total)
        others = self.total - self.largest - self.second
        for p, q in self.rules.near:
            found |= others * q < p * self.largest * (1 - _NEAR)
        return np.asarray(found)

    def summed(self, matrix: Any) -> _Summaries:
        """The same of sums of the cells: as each contributor is in one cell, their largest are among those of the cells."""
        top = np.full((2, matrix.shape[0]), np.nan)
        for i in range(matrix.shape[0]):
            cells = matrix.indices[matrix.indptr[i] : matrix.indptr[i + 1]]
            told = np.concatenate([self.largest[cells], self.second[cells]])
            two = np.sort(told[~np.isnan(told)])[:-3:-1]
            top[: len(two), i] = two
        largest, second = top
        people = matrix @ self.contributors
        return self._replace(total=matrix @ self.total, contributors=people, largest=largest, second=second)


def _behind(table: Table, known: np.ndarray | None, decimals: int) -> xr.DataArray | None:
    """What a table says of who stands behind its cells, in its own units; NaN where it does not."""
    if known is None:
        return None
    values = np.where(known == NO_VALUE, np.nan, known / 10.0**decimals)
    return labelled(values.reshape(table.values.shape), table.dims)
