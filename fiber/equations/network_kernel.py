"""Walks over the rows of a system: can they be sorted into two families, as the nodes of a network?"""

from __future__ import annotations

import numpy as np

from ...base.jit import jit


@jit
def two_families(
    row_start: np.ndarray,
    columns: np.ndarray,
    signs: np.ndarray,
    column_start: np.ndarray,
    rows: np.ndarray,
    row_signs: np.ndarray,
) -> np.ndarray:
    """Family 0 or 1 of each row, such that rows that cross are in different families; empty if that cannot be.

    Two rows cross if they share columns and the shorter is not, up to its sign, what the longer says about its columns.
    That counts only if a third row has one of these columns too, since a column is welcome in two rows.
    """
    n_rows = len(row_start) - 1
    family = np.full(n_rows, -1, dtype=np.int64)
    agreement = np.zeros(n_rows, dtype=np.int64)  # columns with the same sign less columns with opposite ones
    crowded = np.zeros(n_rows, dtype=np.int64)  # shared columns that a third row has
    seen_from = np.full(n_rows, -1, dtype=np.int64)
    near = np.empty(n_rows, dtype=np.int64)
    queue = np.empty(n_rows, dtype=np.int64)
    for first in range(n_rows):
        if family[first] >= 0:
            continue
        family[first] = 0
        queue[0], head, end = first, 0, 1
        while head < end:
            row = queue[head]
            head += 1
            n_near = 0
            for entry in range(row_start[row], row_start[row + 1]):
                begin, stop = column_start[columns[entry]], column_start[columns[entry] + 1]
                counts = 1 if stop - begin > 2 else 0
                for crossing in range(begin, stop):
                    neighbour = rows[crossing]
                    if seen_from[neighbour] != row:
                        seen_from[neighbour] = row
                        near[n_near] = neighbour
                        n_near += 1
                        agreement[neighbour] = crowded[neighbour] = 0
                    agreement[neighbour] += signs[entry] * row_signs[crossing]
                    crowded[neighbour] += counts
            size = row_start[row + 1] - row_start[row]
            for i in range(n_near):
                neighbour = near[i]
                if crowded[neighbour] == 0 or abs(agreement[neighbour]) == min(
                    size, row_start[neighbour + 1] - row_start[neighbour]
                ):
                    continue
                if family[neighbour] < 0:
                    family[neighbour] = 1 - family[row]
                    queue[end] = neighbour
                    end += 1
                elif family[neighbour] == family[row]:
                    return np.empty(0, dtype=np.int64)
    return family


@jit
def nearest_containers(
    row_start: np.ndarray,
    columns: np.ndarray,
    signs: np.ndarray,
    column_start: np.ndarray,
    rows: np.ndarray,
    row_signs: np.ndarray,
    family: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """For each row the shortest row of its family that contains it (or -1), and with which sign; ties by number."""
    n_rows = len(row_start) - 1
    container = np.full(n_rows, -1, dtype=np.int64)
    sign = np.zeros(n_rows, dtype=np.int64)
    agreement = np.zeros(n_rows, dtype=np.int64)
    seen_from = np.full(n_rows, -1, dtype=np.int64)
    near = np.empty(n_rows, dtype=np.int64)
    for row in range(n_rows):
        n_near = 0
        for entry in range(row_start[row], row_start[row + 1]):
            for crossing in range(column_start[columns[entry]], column_start[columns[entry] + 1]):
                neighbour = rows[crossing]
                if seen_from[neighbour] != row:
                    seen_from[neighbour] = row
                    near[n_near] = neighbour
                    n_near += 1
                    agreement[neighbour] = 0
                agreement[neighbour] += signs[entry] * row_signs[crossing]
        size = row_start[row + 1] - row_start[row]
        shortest = -1
        for i in range(n_near):
            neighbour = near[i]
            length = row_start[neighbour + 1] - row_start[neighbour]
            if (
                family[neighbour] != family[row]
                or abs(agreement[neighbour]) != size
                or length < size
                or (length == size and neighbour <= row)
            ):
                continue
            if shortest < 0 or length < shortest or (length == shortest and neighbour < container[row]):
                shortest = length
                container[row] = neighbour
                sign[row] = 1 if agreement[neighbour] > 0 else -1
    return container, sign


@jit
def orientations(
    row_start: np.ndarray, columns: np.ndarray, signs: np.ndarray, column_start: np.ndarray, rows: np.ndarray
) -> np.ndarray:
    """A factor 1 or -1 for each row, such that every column with two entries gets one of each sign; empty if none.

    `signs` is by rows; the entries of a column are found again through its other row.
    """
    n_rows = len(row_start) - 1
    factor = np.zeros(n_rows, dtype=np.int64)
    total = np.zeros(len(column_start) - 1, dtype=np.int64)
    for entry in range(len(columns)):
        total[columns[entry]] += signs[entry]
    queue = np.empty(n_rows, dtype=np.int64)
    for first in range(n_rows):
        if factor[first] != 0:
            continue
        factor[first] = 1
        queue[0], head, end = first, 0, 1
        while head < end:
            row = queue[head]
            head += 1
            for entry in range(row_start[row], row_start[row + 1]):
                column = columns[entry]
                if column_start[column + 1] - column_start[column] < 2:
                    continue
                neighbour = rows[column_start[column]] + rows[column_start[column] + 1] - row
                needed = factor[row] if total[column] == 0 else -factor[row]
                if factor[neighbour] == 0:
                    factor[neighbour] = needed
                    queue[end] = neighbour
                    end += 1
                elif factor[neighbour] != needed:
                    return np.empty(0, dtype=np.int64)
    return factor
