"""Sensitivity rules: is a cell, seen by its contributions, too risky to publish as it stands?

They look at a cell before protection; the entropy risk of an audit looks at what protection left (DOT02, section 2).
Every rule takes the contributions of the respondents to one cell, in any order, and answers yes (sensitive) or no;
`sensitive_cells` asks it of every cell of a table, `contributions_of` keeps who stands behind each, and
`sensitive_magnitudes` and `sensitive_totals` do with less, the number of contributors and the largest contributions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.errors import InputError, did_you_mean
from .sensitive_figures import sensitive_figures
from .sensitive_magnitudes import sensitive_magnitudes, sensitive_totals

if TYPE_CHECKING:
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
