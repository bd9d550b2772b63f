"""Sensitivity rules: is a cell, seen by its contributions, too risky to publish as it stands?

They look at a cell before protection; the entropy risk of an audit looks at what protection left (DOT02, section 2).
Every rule takes the contributions of the respondents to one cell, in any order, and answers yes (sensitive) or no;
`sensitive_cells` asks it of every cell of a table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..release.dims import did_you_mean
from ..release.errors import InputError

if TYPE_CHECKING:
    import xarray as xr


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
    """p% rule: the second largest contributor can estimate the largest to within p percent (pq with q = 100)."""
    return prior_posterior(contributions, p, 100)


def prior_posterior(contributions: Sequence[float], p: float, q: float) -> bool:
    """pq rule: contributors who knew each other to within q percent come to know one to within p percent.

    The sharpest such estimate is of the largest contribution, by the second largest contributor: she knows the
    others' sum to within q percent of it, so the cell is sensitive when that uncertainty is below p percent of
    the largest.
    """
    if not 0 < p <= q <= 100:
        raise InputError(f"pq rule with p={p}, q={q}: it needs 0 < p <= q <= 100.")
    largest = _sorted(contributions)
    return bool(len(largest) and largest[2:].sum() * q < p * largest[0])


def threshold(contributions: Sequence[float], k: int) -> bool:
    """Threshold rule: fewer than k respondents contribute, but at least one."""
    return 0 < len(_sorted(contributions)) < k


def sensitive_cells(records: Any, dims: Sequence[str], value: str, rule: Callable[[np.ndarray], bool]) -> xr.DataArray:
    """Which cells of a table are sensitive, from the records behind it: a boolean table, for `where=` of suppressions.

    Parameters
    ----------
    records
        A DataFrame with one row per respondent.
    dims, value
        Its columns: those that span the table, and the contribution.
    rule
        Called with the contributions to each cell that has any, such as `lambda c: fw.sensitivity.p_percent(c, 10)`.

    Examples
    --------
    >>> import pandas as pd
    >>> firms = pd.DataFrame({"town": ["a", "a", "a", "b", "b"], "size": list("sslss"), "turnover": [90, 9, 1, 5, 4]})
    >>> sensitive_cells(firms, ["town", "size"], "turnover", lambda c: p_percent(c, 10)).values.tolist()
    [[True, True], [False, True]]
    """
    import pandas as pd
    import xarray as xr

    dims = [dims] if isinstance(dims, str) else list(dims)
    if not isinstance(records, pd.DataFrame):
        raise InputError("sensitive_cells() needs a DataFrame with one row per respondent.")
    for column in (*dims, value):
        if column not in records.columns:
            known = [str(one) for one in records.columns]
            raise InputError(f"sensitive_cells(): there is no column {column!r}; {did_you_mean(str(column), known)}")
    labels = [sorted(records[dim].astype(str).unique()) for dim in dims]
    found = xr.DataArray(
        np.zeros([len(one) for one in labels], dtype=bool), dims=dims, coords=dict(zip(dims, labels, strict=True))
    )
    for cell, contributions in records.groupby([records[dim].astype(str) for dim in dims])[value]:
        found.loc[dict(zip(dims, cell if isinstance(cell, tuple) else (cell,), strict=True))] = rule(
            contributions.to_numpy()
        )
    return found


def largest_known_within(contributions: Sequence[float]) -> float:
    """Percent by which the second largest contributor's upper bound exceeds the largest contribution."""
    largest = _sorted(contributions)
    if not len(largest):
        raise InputError("the cell has no contributions.")
    second = largest[1] if len(largest) > 1 else 0.0
    return round(float(100 * (largest.sum() - second - largest[0]) / largest[0]), 1)


def _sorted(contributions: Sequence[float]) -> np.ndarray:
    try:
        values = np.sort(np.asarray(contributions, dtype=float).ravel())[::-1]
    except (TypeError, ValueError):
        raise InputError("contributions must be numbers of at least 0.") from None
    if not np.isfinite(values).all() or (values < 0).any():
        raise InputError("contributions must be numbers of at least 0.")
    return values[values > 0]
