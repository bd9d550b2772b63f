"""bounds and count: the two questions that need no law."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from .base.errors import Contradiction, InputError
from .base.progress import Progress, shown
from .fiber.blocks.presolve import presolve
from .fiber.bounds.attaining import attaining_tables
from .fiber.bounds.chooser import SharpBounds, as_rows, cell_bounds, sharp_bounds
from .fiber.bounds.fractional_bounds import fractional_bounds
from .fiber.equations.system import fiber_of
from .fiber.exact.solved import MOST_BYTES, MOST_OPERATIONS, Budget
from .fiber.solvers.linear_program import OUTER
from .posterior.belief import believe
from .posterior.counting import number_of_tables
from .release.release import Release, as_release
from .release.tables.dims import margin_list

if TYPE_CHECKING:
    import pandas as pd


def bounds(
    release: Release,
    *,
    hidden_margins: Iterable[Any] = (),
    explain: bool = False,
    attaining: bool | int = False,
    sharp: bool = True,
    continuous: bool = False,
    progress: Progress | bool | None = None,
) -> Any:
    """The least and greatest value of every hidden cell, as sharp integers.

    Parameters
    ----------
    hidden_margins
        Margins that are not published and whose bounds are wanted too, such as ["I,K"]; "" is the grand total.
    explain
        Say what proved each bound, in the columns `lower_by` and `upper_by`: "decided" (one value is left), "closed
        form" (Fréchet bounds, of decomposable margins), "network flow", "propagation", "linear program", "integer program",
        "every table" (all were listed).
    attaining
        Give back tables that attain the bounds as well: True for all that are needed, a number for at most so many.
    sharp
        False: solve no integer programs. On large tables of three or more dims these can take hours; what only they would
        settle then gets bounds that hold but may be wider than need be, "not sharp" for its proof, and a warning.
    continuous
        True: add the columns `lower_in_fractions` and `upper_in_fractions`, the bounds of the linear relaxation, over tables
        of any numbers, whole or not. They show what sharp bounds are worth; two linear programs for every cell.
    progress
        Called now and then with a line of text on where the work stands: open cells first, then hidden sums, then the
        bounds that tables attain, each counted anew, and the cells of smaller tables where a release is cut into these. By
        default it is shown on a terminal and in a notebook; False: not at all.

    Returns
    -------
    pandas.DataFrame
        `lower` and `upper` in the table's own units, indexed by the labels; `Total` stands in the dims that a margin
        sums over. A cell of which an insider knows her own part (`knows(own=)`) shows the others' part.
    pandas.DataFrame
        With `attaining`: a column for each table, a row for each finest cell. The columns `lower_table` and `upper_table` of
        the first frame say which table attains a bound (-1: none of these).

    Examples
    --------
    >>> import fiberwalk as fw
    >>> release = fw.publish([[3, 1], [2, 4]], margins=["A", "B"])
    >>> fw.bounds(release)
         lower  upper
    A B
    1 1      0      4
      2      0      4
    2 1      1      5
      2      1      5
    >>> frame, tables = fw.bounds(release, explain=True, attaining=True)
    >>> frame.iloc[0].to_dict()
    {'lower': 0, 'upper': 4, 'lower_by': 'closed form', 'upper_by': 'closed form', 'lower_table': 0, 'upper_table': 1}
    >>> tables[1].tolist()
    [4, 0, 1, 5]
    """
    import pandas as pd

    release, most_tables = as_release(release), _most_tables(attaining)
    keys, rows, own = release.listed(hidden_margins)
    with shown(progress) as tell:
        ranges = _bounds_of_rows(release, hidden_margins, rows, tell, sharp)
    loose = int((ranges.proof == OUTER).any(axis=1).sum())
    if loose:
        warnings.warn(
            f"the bounds of {loose} cells and sums hold, but may be wider than need be (sharp=False).", stacklevel=2
        )
    frame = pd.DataFrame(
        {"lower": release.own_units(ranges.lower - own), "upper": release.own_units(ranges.upper - own)},
        index=release.index(keys),
    )
    if explain:
        frame["lower_by"], frame["upper_by"] = ranges.proof[:, 0], ranges.proof[:, 1]
    if continuous:
        frame["lower_in_fractions"], frame["upper_in_fractions"] = _in_fractions(release, rows, own)
    if most_tables == 0:
        return frame
    if loose:
        raise InputError("attaining= needs sharp bounds: leave sharp=False out.")
    if any(np.isneginf(item.log_weights).any() for item in release.evidence):
        raise InputError("attaining=: no such tables are listed where evidence rules out values between the bounds.")
    with shown(progress) as tell:
        witnesses = attaining_tables(presolve(release), rows, ranges, most_tables, tell)[:, : release.n_cells]
    values = rows @ witnesses.T
    for name, bound in (("lower_table", ranges.lower), ("upper_table", ranges.upper)):
        attains = values == bound[:, None]
        frame[name] = np.where(attains.any(axis=1), attains.argmax(axis=1) if attains.shape[1] else 0, -1)
    return frame, pd.DataFrame(release.own_units(witnesses.T), index=release.index(release.keys))


def _in_fractions(release: Release, rows: Any, own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The bounds of the linear relaxation, in the table's own units."""
    fiber = fiber_of(release)
    low, high = fractional_bounds(fiber, as_rows(rows, fiber.n_columns))
    step = 10.0**-release.decimals
    return (low - own) * step, (high - own) * step


def _most_tables(attaining: bool | int) -> int | None:
    """At most how many tables that attain bounds are wanted: 0 for none, None for all."""
    if isinstance(attaining, (bool, np.bool_)):
        return None if attaining else 0
    if not isinstance(attaining, (int, np.integer)) or attaining < 1:
        raise InputError(
            f"attaining={attaining!r}: True for all tables that attain a bound, or a number of at least 1."
        )
    return int(attaining)


def _bounds_of_rows(
    release: Release, hidden_margins: Iterable[Any], rows: Any, progress: Progress | None, sharp: bool
) -> SharpBounds:
    if any(np.isneginf(item.log_weights).any() for item in release.evidence):
        # Values in between may be impossible, which no bound shows: look at every table.
        belief = believe(release, hidden_margins=hidden_margins, method="exact", progress=progress)
        ends = np.array([(pmf.values[0], pmf.values[-1]) for pmf in belief.pmfs]).reshape(-1, 2)
        own = release.listed(hidden_margins)[2]
        return SharpBounds(ends[:, 0] + own, ends[:, 1] + own, np.full((len(ends), 2), "every table", dtype=object))
    every_cell, hidden = cell_bounds(release, progress, sharp), release.hidden
    cells = (every_cell.lower[hidden], every_cell.upper[hidden], every_cell.proof[hidden])
    if rows.shape[0] == len(hidden):
        return SharpBounds(*cells)
    sums = sharp_bounds(presolve(release), rows[len(hidden) :], progress, sharp)
    return SharpBounds(
        *(np.concatenate(parts) for parts in zip(cells, (sums.lower, sums.upper, sums.proof), strict=True))
    )


def count(
    release: Release,
    *,
    hidden_margins: Iterable[Any] = (),
    limit: int = MOST_OPERATIONS,
    memory: int = MOST_BYTES,
    progress: Progress | bool | None = None,
) -> int | pd.Series:
    """The number of tables that agree with a release, exactly.

    Parameters
    ----------
    hidden_margins
        Unpublished margins that are asked about instead: the answer is then a Series, the number of different values that
        each of their sums can take.
    limit, memory
        The most operations (some billions are a second) and bytes per block of cells that depend on each other.
    progress
        As for `bounds`.

    Raises
    ------
    TooLarge
        When they cannot be counted within `limit` and `memory`, with an estimate of what it would take.

    Examples
    --------
    >>> import fiberwalk as fw
    >>> fw.count(fw.publish([[3, 1], [2, 4]], margins=["A", "B"]))
    5
    """
    margins = margin_list(hidden_margins, "hidden_margins=")
    release, budget = as_release(release), Budget.given(limit, memory)
    with shown(progress) as tell:
        return _values(release, margins, budget, tell) if margins else number_of_tables(release, budget, tell)


def _values(release: Release, margins: list[Any], budget: Budget, progress: Progress | None) -> pd.Series:
    """The number of different values of each sum of some margins."""
    import pandas as pd

    belief = believe(release, hidden_margins=margins, method="exact", budget=budget, progress=progress)
    first = len(release.hidden)
    values = [len(pmf.values) for pmf in belief.pmfs[first:]]
    return pd.Series(values, index=release.index(belief.keys[first:]), name="values", dtype=int)


def of_readings(release: Release, ask: Callable[[Release], Any]) -> list[tuple[str, Any]]:
    """The answer for each further reading of a release. A reading that no table agrees with is left out."""
    answers = []
    for name, reading in release.readings.items():
        with suppress(Contradiction):
            answers.append((name, ask(reading)))
    return answers
