"""Bound propagation: what each single equation says about the cells in it, until nothing changes."""

from __future__ import annotations

import numpy as np

from ...base.jit import jit
from ...release.facts.facts import NO_LIMIT

INFINITE = NO_LIMIT


@jit
def propagate(
    row_start: np.ndarray,
    columns: np.ndarray,
    coefficients: np.ndarray,
    b: np.ndarray,
    column_start: np.ndarray,
    rows_of_column: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    most_sweeps: int,
) -> int:
    """Tighten `lower` and `upper` in place; the number of a row that cannot hold, or -1.

    Stopping early is harmless: bounds are then valid but wider than they could be.
    """
    n_rows = len(b)
    dirty = np.ones(n_rows, dtype=np.bool_)
    for _ in range(most_sweeps):
        changed = False
        for row in range(n_rows):
            if not dirty[row]:
                continue
            dirty[row] = False
            least, most = 0, 0  # of the row's sum, over what is finite
            endless_least, endless_most = 0, 0  # how many terms have no limit
            for e in range(row_start[row], row_start[row + 1]):
                a, j = coefficients[e], columns[e]
                if a > 0:
                    least += a * lower[j]
                    if upper[j] >= INFINITE:
                        endless_most += 1
                    else:
                        most += a * upper[j]
                else:
                    most += a * lower[j]
                    if upper[j] >= INFINITE:
                        endless_least += 1
                    else:
                        least += a * upper[j]
            if (endless_least == 0 and least > b[row]) or (endless_most == 0 and most < b[row]):
                return row
            for e in range(row_start[row], row_start[row + 1]):
                a, j = coefficients[e], columns[e]
                endless = upper[j] >= INFINITE
                size = a if a > 0 else -a
                if a > 0:
                    own_least, own_most = a * lower[j], 0 if endless else a * upper[j]
                    rest_least_endless = endless_least
                    rest_most_endless = endless_most - (1 if endless else 0)
                else:
                    own_least, own_most = 0 if endless else a * upper[j], a * lower[j]
                    rest_least_endless = endless_least - (1 if endless else 0)
                    rest_most_endless = endless_most
                # a x = b - rest, with rest between (least - own_least) and (most - own_most)
                new_lower, new_upper = lower[j], upper[j]
                if rest_least_endless == 0:
                    room = b[row] - (least - own_least)
                    if a > 0:
                        new_upper = min(new_upper, room // size)
                    else:
                        new_lower = max(new_lower, -(room // size))
                if rest_most_endless == 0:
                    need = b[row] - (most - own_most)
                    if a > 0:
                        new_lower = max(new_lower, -((-need) // size))
                    else:
                        new_upper = min(new_upper, (-need) // size)
                if new_lower > new_upper:
                    return row
                if new_lower > lower[j] or new_upper < upper[j]:
                    # the row's own sums move with its column
                    if a > 0:
                        least += a * (new_lower - lower[j])
                        if endless and new_upper < INFINITE:
                            endless_most -= 1
                            most += a * new_upper
                        elif not endless:
                            most += a * (new_upper - upper[j])
                    else:
                        most += a * (new_lower - lower[j])
                        if endless and new_upper < INFINITE:
                            endless_least -= 1
                            least += a * new_upper
                        elif not endless:
                            least += a * (new_upper - upper[j])
                    lower[j], upper[j] = new_lower, new_upper
                    for f in range(column_start[j], column_start[j + 1]):
                        dirty[rows_of_column[f]] = True
                    changed = True
        if not changed:
            break
    return -1
