"""Additivity restored: a table that was changed cell by cell is made to agree with true margins again.

Iterative proportional fitting brings the sums right, controlled rounding to base 1 makes the cells whole again (SAE15,
section 3.3).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.errors import InputError, NumericalDoubt
from ...fiber.laws.raking import groups_of, raked
from ...fiber.solvers.integer_program import least_cost
from ...release.publish import parse_margins
from ...release.release import Release

LEAST = 0.01
"""What an empty cell counts for where the other cells of a sum cannot make up its margin."""
MOST_NODES = 1000
"""Nodes of the branch and bound for the nearest whole table; two-way tables need none."""
_BLUR = 1e-6
"""A number this near to a whole one counts as whole."""


def additive_table(values: np.ndarray, truth_release: Release, margins: Iterable[Any]) -> np.ndarray:
    """Figures changed as little as need be so that they add up to true margins, in the shape they came in.

    The figures are raked to the margins and every cell is then rounded up or down so that all sums stay right and the
    distance to the raked table is least. In three or more dims no such rounding need exist; the nearest whole table
    with these margins is then taken. Cells of 0 stay 0 unless a margin cannot be made up otherwise.

    Parameters
    ----------
    values
        The changed figures, one for each cell of the release (scaled integers of at least 0).
    truth_release
        A release of the true table.
    margins
        The margins to agree with.
    """
    if truth_release.truth is None:
        raise InputError("additivity can only be restored where the true table is known.")
    flat = np.asarray(values).ravel()
    if len(flat) != truth_release.n_cells or (flat < 0).any():
        raise InputError("additivity is restored for a table of numbers of at least 0 with the cells of the true one.")
    wanted = parse_margins(margins, truth_release.dims)
    if not wanted:
        return np.asarray(values, dtype=np.int64)
    groups, matrices = zip(*(groups_of(truth_release, margin) for margin in wanted), strict=True)
    sums = [matrix @ truth_release.truth for matrix in matrices]
    targets = list(zip(groups, sums, strict=True))
    means, worked = raked(flat, targets)
    if not worked:
        means, _ = raked(np.where(flat > 0, flat, LEAST), targets)
    fitted = whole_table_near(means, sp.csr_array(sp.vstack(matrices)), np.concatenate(sums))
    return fitted.reshape(np.shape(values))


def whole_table_near(means: np.ndarray, matrix: Any, sums: np.ndarray) -> np.ndarray:
    """The table of whole numbers with these sums that is nearest to some real numbers.

    Nearest means the least sum of absolute differences: among the tables whose cells are rounded up or down if there is
    one, else among all.
    """
    means = np.where(np.abs(means - np.rint(means)) < _BLUR, np.rint(means), means)
    floor = np.floor(means).astype(np.int64)
    part = means - floor
    rest = sums - matrix @ floor
    # A step up to the next whole number costs what it adds to the distance, which may be negative; any further step costs 1.
    up = (part > 0).astype(np.int64)
    found, _ = least_cost(1 - 2 * part, matrix, rest, rest, up, nodes=MOST_NODES)
    if found is not None:
        return floor + found
    n, far = len(means), int(sums.max(initial=0))
    steps = sp.csr_array(sp.hstack([matrix, matrix, -matrix]))
    cost = np.concatenate([1 - 2 * part, np.ones(2 * n)])
    most = np.concatenate([up, np.full(n, far), floor])
    found, _ = least_cost(cost, steps, rest, rest, most, nodes=MOST_NODES)
    if found is None:
        raise NumericalDoubt("no whole table that adds up to the margins was found; name fewer margins.")
    return floor + found[:n] + found[n : 2 * n] - found[2 * n :]
