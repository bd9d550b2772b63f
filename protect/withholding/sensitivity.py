"""Sensitivity rules: is a cell, seen by its contributions, too risky to publish as it stands?

They look at a cell before protection; the entropy risk of an audit looks at what protection left (DOT02, section 2).
Every rule takes the contributions of the respondents to one cell, in any order, and answers yes (sensitive) or no;
`sensitive_cells` asks it of every cell of a table, `contributions_of` keeps who stands behind each, and
`sensitive_magnitudes` and `sensitive_totals` do with less, the number of contributors and the largest contribution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...base.errors import InputError, did_you_mean
from ...release.facts.facts import NO_VALUE
from ...release.publish import parse_margins
from ...release.release import Release, of_table
from ...release.tables.tables import Table, as_means, as_table, labelled
from .sensitive_figures import sensitive_figures

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

__all__ = [
    "contributions_of",
    "dominance",
    "largest_known_within",
    "p_percent",
    "prior_posterior",
    "sensitive_cells",
    "sensitive_figures",
    "sensitive_magnitudes",
    "sensitive_totals",
    "threshold",
]


def dominance(contributions: Sequence[float], n: int, k: float) -> bool:
    """(n, k)-dominance: the n largest contributions make more than k percent of the cell.

    Examples
    --------
    DOT02's Example 1 (Robertson and Ethier 2002): with n = 1 and k = 60 the rule passes a cell whose second
    largest contributor can estimate the largest to within 2 percent, and stops one where she cannot.

    >>> dominance([59, 40, 1], n=1, k=60), dominance([61, 20, 19], n=1, k=60)
    (False, True)
    >>> largest_known_within([59, 40, 1]), largest_known_within([61, 20, 19])
    (1.7, 31.1)
    """
    largest = _sorted(contributions)
    if n < 1 or not 0 < k <= 100:
        raise InputError(f"dominance(n={n}, k={k}): n is at least 1 and k a percentage.")
    return bool(largest[:n].sum() * 100 > k * largest.sum())


def p_percent(contributions: Sequence[float], p: float) -> bool:
    """p% rule: the second largest contributor can estimate the largest to within p percent (pq with q = 100).

    Examples
    --------
    >>> p_percent([59, 40, 1], p=10), p_percent([61, 20, 19], p=10)
    (True, False)
    """
    return prior_posterior(contributions, p, 100)


def prior_posterior(contributions: Sequence[float], p: float, q: float) -> bool:
    """Prior-posterior (pq) rule: contributors who knew each other to within q percent come to know one to within p percent.

    The sharpest such estimate is of the largest contribution, by the second largest contributor: she knows the
    others' sum to within q percent of it, so the cell is sensitive when that uncertainty is below p percent of
    the largest.

    Examples
    --------
    >>> prior_posterior([100, 10, 8], p=5, q=50), prior_posterior([100, 10, 8], p=5, q=100)
    (True, False)
    """
    if not 0 < p <= q <= 100:
        raise InputError(f"pq rule with p={p}, q={q}: it needs 0 < p <= q <= 100.")
    largest = _sorted(contributions)
    return bool(len(largest) and largest[2:].sum() * q < p * largest[0])


def threshold(contributions: Sequence[float], fewer_than: int) -> bool:
    """Threshold (minimum frequency) rule: fewer than so many respondents contribute, but at least one.

    Examples
    --------
    >>> threshold([3, 2], fewer_than=3), threshold([], fewer_than=3)
    (True, False)
    """
    return 0 < len(_sorted(contributions)) < fewer_than


def sensitive_cells(
    records: Any, dims: Sequence[str], value: str, is_sensitive: Callable[[np.ndarray], bool]
) -> xr.DataArray:
    """Which cells of a table are sensitive, from the records behind it: a boolean table, for `where=` of suppressions.

    Parameters
    ----------
    records
        A DataFrame with one row per respondent.
    dims, value
        Its columns: those that span the table, and the contribution.
    is_sensitive
        Called with the contributions to each cell that has any, such as `lambda c: fw.protect.sensitivity.p_percent(c, 10)`.

    Examples
    --------
    >>> import pandas as pd
    >>> firms = pd.DataFrame({"town": ["a", "a", "a", "b", "b"], "size": list("sslss"), "turnover": [90, 9, 1, 5, 4]})
    >>> sensitive_cells(firms, ["town", "size"], "turnover", lambda c: p_percent(c, 10)).values.tolist()
    [[True, True], [False, True]]
    """
    sensitive, cells = _by_cell(records, dims, value, "sensitive_cells")
    sensitive = sensitive.astype(bool)
    for cell, contributions in cells:
        sensitive.loc[cell] = is_sensitive(contributions)
    return sensitive


def contributions_of(records: Any, dims: Sequence[str], value: str) -> dict[str, xr.DataArray]:
    """The table of some records and who stands behind its cells, as `fw.table` takes them.

    A dict of the table (data) and of contributors, largest and second: how many contribute more than 0 to each cell, and
    how much the two largest of them do (0 where there is none). An audit for respondents then knows the second
    largest contributor, who comes nearest to the largest.

    Parameters
    ----------
    records
        A DataFrame with one row per respondent.
    dims, value
        Its columns: those that span the table, and the contribution, of at least 0.

    Examples
    --------
    >>> import pandas as pd
    >>> import fiberwalk as fw
    >>> firms = pd.DataFrame({"town": ["a", "a", "a", "b", "b"], "turnover": [59, 40, 1, 70, 30]})
    >>> behind = fw.protect.sensitivity.contributions_of(firms, ["town"], "turnover")
    >>> {name: table.values.tolist() for name, table in behind.items()}
    {'data': [100, 100], 'contributors': [3, 2], 'largest': [59, 70], 'second': [40, 30]}
    >>> fw.publish(fw.table(**behind), margins=[""])
    <Release of town (2): 2 cells, 2 hidden, 1 known sums, with its truth>
    """
    empty, cells = _by_cell(records, dims, value, "contributions_of")
    tables = {name: empty.copy() for name in ("data", "contributors", "largest", "second")}
    for cell, contributions in cells:
        positive = _sorted(contributions)
        figures = (contributions.sum(), len(positive), *np.append(positive, [0, 0])[:2])
        for table, figure in zip(tables.values(), figures, strict=True):
            table.loc[cell] = figure
    return tables


def _by_cell(
    records: Any, dims: Sequence[str], value: str, name: str
) -> tuple[xr.DataArray, Iterator[tuple[dict[str, str], np.ndarray]]]:
    """A table of zeros like that of some records, and the contributions to each cell that has any."""
    import pandas as pd
    import xarray as xr

    dims = [dims] if isinstance(dims, str) else list(dims)
    if not isinstance(records, pd.DataFrame):
        raise InputError(f"{name}() needs a DataFrame with one row per respondent.")
    for column in (*dims, value):
        if column not in records.columns:
            known = [str(existing) for existing in records.columns]
            raise InputError(f"{name}(): there is no column {column!r}; {did_you_mean(str(column), known)}")
    labels = [sorted(records[dim].astype(str).unique()) for dim in dims]
    zeros = np.zeros([len(dim_labels) for dim_labels in labels], dtype=records[value].dtype)
    empty = xr.DataArray(zeros, dims=dims, coords=dict(zip(dims, labels, strict=True)))
    groups = records.groupby([records[dim].astype(str) for dim in dims])[value]
    return empty, (
        (dict(zip(dims, cell if isinstance(cell, tuple) else (cell,), strict=True)), contributions.to_numpy())
        for cell, contributions in groups
    )


def sensitive_magnitudes(
    table: Any, contributors: Any = None, largest: Any = None, *, fewer_than: int = 3, dominance: float = 85
) -> xr.DataArray:
    """Which cells of a table of magnitudes are sensitive: a boolean table, for `where=` of suppressions.

    For agencies whose tables say how many contribute to each cell and how much the largest of them does, and who no longer
    have the records at hand. Empty cells are not sensitive.

    Parameters
    ----------
    table
        The magnitudes, such as turnover; whole numbers or not. One that `fw.table` made may have the other two with it.
    contributors, largest
        Tables like it: how many contribute, and the largest contribution (where it is not known, only the threshold is
        applied). It may be missing (NaN) for empty cells only.
    fewer_than
        Threshold: a cell is sensitive if fewer contribute to it.
    dominance
        A cell is sensitive if the largest contribution is more than so many percent of it.

    Examples
    --------
    >>> turnover, firms, top = [[90, 40], [7, 30]], [[9, 5], [1, 4]], [[80, 10], [7, 25]]
    >>> sensitive_magnitudes(turnover, firms, top, dominance=85).values.tolist()
    [[True, False], [True, False]]
    """
    cells = _Summaries.read(table, contributors, largest, fewer_than, dominance)
    return labelled(cells.sensitive().reshape(cells.shape), cells.release.dims)


def sensitive_totals(
    table: Any,
    contributors: Any = None,
    largest: Any = None,
    *,
    fewer_than: int = 3,
    dominance: float = 85,
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

    cells = _Summaries.read(table, contributors, largest, fewer_than, dominance)
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


class _Summaries(NamedTuple):
    """Cells or sums of which no more is known than their total, contributors and largest contribution, and the rules."""

    release: Release
    """Of the table of contributors; it knows the dims."""
    total: np.ndarray
    contributors: np.ndarray
    largest: np.ndarray
    fewer_than: int
    dominance: float

    @classmethod
    def read(
        cls,
        table: Any,
        contributors: Any,
        largest: Any,
        fewer_than: int,
        dominance: float,
    ) -> _Summaries:
        if isinstance(fewer_than, bool) or not isinstance(fewer_than, (int, np.integer)) or fewer_than < 1:
            raise InputError(f"fewer_than={fewer_than!r}: a whole number of at least 1.")
        number = isinstance(dominance, (int, float, np.number)) and not isinstance(dominance, bool)
        if not number or not 0 < dominance <= 100:
            raise InputError(f"dominance={dominance!r}: a percentage above 0.")
        if isinstance(table, Table):
            contributors = _behind(table, table.contributors, 0) if contributors is None else contributors
            largest = _behind(table, table.largest, table.decimals) if largest is None else largest
        if contributors is None:
            raise InputError("how many contribute to each cell? Give contributors=, or fw.table(contributors=).")
        people = as_table(contributors)
        if isinstance(table, Table):  # it may have hierarchies, which the contributors need not repeat
            people = as_table(labelled(as_means(contributors, table.dims, "contributors="), table.dims))
            people = replace(people, dims=table.dims)
        total = as_means(table, people.dims, "the table")
        top = np.full(total.shape, np.nan) if largest is None else as_means(largest, people.dims, "largest=")
        for name, values in (("the table", total), ("largest=", top)):
            if values.shape != people.values.shape:
                raise InputError(f"{name} has the shape {values.shape}, but contributors= has {people.values.shape}.")
            if np.isinf(values).any() or (values < 0).any() or (values is total and np.isnan(values).any()):
                raise InputError(f"{name} must hold numbers of at least 0.")
        cells = cls(
            of_table(people), total.ravel(), people.values.ravel(), top.ravel(), int(fewer_than), float(dominance)
        )
        release = cells.release
        for cell in np.flatnonzero(np.isnan(cells.largest) & (cells.total > 0)) if largest is not None else ():
            raise InputError(
                f"cell {release.words(release.keys[cell])} is not zero, but largest= has no number for it, so that the "
                "dominance rule cannot tell whether it is safe; give the largest contribution."
            )
        for cell in np.flatnonzero((cells.contributors == 0) & (cells.total > 0)):
            raise InputError(f"cell {release.words(release.keys[cell])} is not zero, but nobody contributes to it.")
        for cell in np.flatnonzero(cells.largest > cells.total * (1 + 1e-9)):
            raise InputError(f"cell {release.words(release.keys[cell])} is less than the largest contribution to it.")
        return cells

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(dim.labels) for dim in self.release.dims)

    def sensitive(self) -> np.ndarray:
        few = (self.contributors > 0) & (self.contributors < self.fewer_than)
        return np.asarray(few | (self.largest * 100 > self.dominance * self.total))

    def summed(self, matrix: Any) -> _Summaries:
        """The same of sums of the cells. As each contributor is in one cell, the largest of a sum is that of its cells."""
        largest = np.array([
            np.fmax.reduce(self.largest[matrix.indices[matrix.indptr[i] : matrix.indptr[i + 1]]])
            for i in range(matrix.shape[0])
        ])  # fmt: skip
        return self._replace(total=matrix @ self.total, contributors=matrix @ self.contributors, largest=largest)


def _behind(table: Table, known: np.ndarray | None, decimals: int) -> xr.DataArray | None:
    """What a table says of who stands behind its cells, in its own units; NaN where it does not."""
    if known is None:
        return None
    values = np.where(known == NO_VALUE, np.nan, known / 10.0**decimals)
    return labelled(values.reshape(table.values.shape), table.dims)


def largest_known_within(contributions: Sequence[float]) -> float:
    """Percent by which the second largest contributor's upper bound exceeds the largest contribution.

    Examples
    --------
    >>> largest_known_within([59, 40, 1])
    1.7
    """
    largest = _sorted(contributions)
    if not len(largest):
        raise InputError("the cell has no contributions.")
    second = largest[1] if len(largest) > 1 else 0.0
    return round(float(100 * (largest.sum() - second - largest[0]) / largest[0]), 1)


def _sorted(contributions: Sequence[float] | np.ndarray) -> np.ndarray:
    try:
        values = np.sort(np.asarray(contributions, dtype=float).ravel())[::-1]
    except (TypeError, ValueError):
        raise InputError("contributions must be numbers of at least 0.") from None
    if not np.isfinite(values).all() or (values < 0).any():
        raise InputError("contributions must be numbers of at least 0.")
    return values[values > 0]


def __dir__() -> list[str]:
    return sorted(__all__)
