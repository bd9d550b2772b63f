"""bounds and count: the two questions that need no law."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from .fiber.bounds import sharp_bounds
from .fiber.enumeration import MOST_STEPS
from .fiber.presolve import presolve
from .posterior.belief import believe, refuse_impossible, solve_block, with_evidence
from .release.dims import margin_list
from .release.release import Release, as_release

if TYPE_CHECKING:
    import pandas as pd


def bounds(
    release: Release, *, hidden_margins: Iterable[Any] = (), progress: Callable[[int, int], None] | None = None
) -> pd.DataFrame:
    """The least and greatest value of every hidden cell, as sharp integers.

    Parameters
    ----------
    hidden_margins
        Margins that are not published and whose bounds are wanted too, such as ["I,K"]; "" is the grand total.
    progress
        Called now and then with the number of open cells and sums done, and their number in all.

    Returns
    -------
    pandas.DataFrame
        `lower` and `upper` in the table's own units, indexed by the labels; `Total` stands in the dims that a margin
        sums over. A cell of which an insider knows her own part (`knows(own=)`) shows the others' part.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> fw.bounds(fw.publish([[3, 1], [2, 4]], margins=["A", "B"]))
         lower  upper
    A B
    1 1      0      4
      2      0      4
    2 1      1      5
      2      1      5
    """
    import pandas as pd

    solved = presolve(as_release(release))
    if any(np.isneginf(item.log_weights).any() for _, item in solved.fiber.evidence):
        # Values in between may be impossible, which no bound shows: look at every table.
        belief = believe(release, hidden_margins=hidden_margins)
        ends = np.array([(pmf.values[0], pmf.values[-1]) for pmf in belief.pmfs]).reshape(-1, 2)
        return pd.DataFrame(release.own_units(ends), columns=["lower", "upper"], index=release.index(belief.keys))
    keys, rows, own = release.listed(hidden_margins)
    lower, upper = sharp_bounds(solved, rows, progress)
    return pd.DataFrame(
        {"lower": release.own_units(lower - own), "upper": release.own_units(upper - own)}, index=release.index(keys)
    )


def count(release: Release, *, hidden_margins: Iterable[Any] = (), limit: int = MOST_STEPS) -> int | pd.Series:
    """The number of tables that agree with a release, exactly.

    Parameters
    ----------
    hidden_margins
        Unpublished margins that are asked about instead: the answer is then a Series, the number of different values that
        each of their sums can take.
    limit
        The most steps of enumeration per block.

    Raises
    ------
    TooLarge
        When they cannot be counted within `limit` steps of enumeration.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> fw.count(fw.publish([[3, 1], [2, 4]], margins=["A", "B"]))
    5
    """
    margins = margin_list(hidden_margins, "hidden_margins=")
    if margins:
        import pandas as pd

        belief = believe(release, hidden_margins=margins, limit=limit)
        first = len(release.hidden)
        values = [len(pmf.values) for pmf in belief.pmfs[first:]]
        return pd.Series(values, index=release.index(belief.keys[first:]), name="values", dtype=int)
    solved = presolve(as_release(release))
    weigh = with_evidence(lambda cell, first, last: None, solved)
    if release.evidence:
        refuse_impossible(release, solved, weigh)
    total = 1
    for block in solved.blocks:
        nothing = sp.csr_array((0, len(block.columns)), dtype=np.int64)
        total *= solve_block(block, weigh, nothing, limit).tables
    return total
