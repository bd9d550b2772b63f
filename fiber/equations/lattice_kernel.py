"""Shortening the rows of a basis by each other."""

from __future__ import annotations

import numpy as np

from ...base.jit import jit


@jit
def shorten(
    start: np.ndarray, size: np.ndarray, columns: np.ndarray, values: np.ndarray, n_columns: int, budget: int
) -> bool:
    """Add or subtract rows from each other as long as that makes one shorter, in place; whether the budget sufficed.

    Row i has the `size[i]` places from start[i] on, and room up to start[i + 1]. Each row in turn takes the row that
    shortens it most, the first of those that are equally good, until none does. Two rows are compared again only after
    one of them has changed.
    """
    n_rows = len(size)
    length = np.zeros(n_rows, dtype=np.int64)
    for i in range(n_rows):
        for e in range(start[i], start[i] + size[i]):
            length[i] += abs(values[e])
    dense = np.zeros(n_columns, dtype=np.int64)
    support = np.empty(n_columns, dtype=np.int64)
    list_start = np.empty(n_columns + 1, dtype=np.int64)
    seen = np.zeros(n_rows, dtype=np.int64)
    changed = np.ones(n_rows, dtype=np.int64)  # when, counted in changes
    visited = np.zeros(n_rows, dtype=np.int64)
    now, stamp, work, going = 1, 0, 0, True
    while going:
        going = False
        # The rows of each column. A change in this round is seen by the next.
        list_start[:] = 0
        for i in range(n_rows):
            for e in range(start[i], start[i] + size[i]):
                list_start[columns[e] + 1] += 1
        for j in range(n_columns):
            list_start[j + 1] += list_start[j]
        listed = np.empty(list_start[n_columns], dtype=np.int64)
        fill = list_start[:n_columns].copy()
        for i in range(n_rows):
            for e in range(start[i], start[i] + size[i]):
                listed[fill[columns[e]]] = i
                fill[columns[e]] += 1
        begin = now
        for i in range(n_rows):
            for e in range(start[i], start[i] + size[i]):
                dense[columns[e]] = values[e]
            while True:
                since = visited[i] if changed[i] <= visited[i] else 0
                stamp += 1
                seen[i] = stamp
                best, best_row, best_sign = 0, -1, 0
                for e in range(start[i], start[i] + size[i]):
                    a, b = list_start[columns[e]], list_start[columns[e] + 1]
                    work += b - a
                    for f in range(a, b):
                        r = listed[f]
                        # even if all of it cancels, a row of twice the length shortens nothing
                        if seen[r] == stamp or changed[r] <= since or length[r] >= 2 * length[i]:
                            continue
                        seen[r] = stamp
                        plus, minus = 0, 0
                        for g in range(start[r], start[r] + size[r]):
                            here, there = dense[columns[g]], values[g]
                            plus += abs(here + there) - abs(here)
                            minus += abs(here - there) - abs(here)
                        work += size[r]
                        if min(plus, minus) < best:
                            best, best_row = min(plus, minus), r
                            best_sign = 1 if plus <= minus else -1
                if best_row < 0 or work > budget:
                    break
                n_support = size[i]
                for k in range(n_support):
                    support[k] = columns[start[i] + k]
                for g in range(start[best_row], start[best_row] + size[best_row]):
                    j = columns[g]
                    if dense[j] == 0:
                        support[n_support] = j
                        n_support += 1
                    dense[j] += best_sign * values[g]
                size[i] = 0
                for k in range(n_support):
                    j = support[k]
                    if dense[j] != 0:
                        columns[start[i] + size[i]] = j
                        values[start[i] + size[i]] = dense[j]
                        size[i] += 1
                length[i] += best
                now += 1
                changed[i] = now
                going = True
            for e in range(start[i], start[i] + size[i]):
                dense[columns[e]] = 0
            if work > budget:
                return False
            visited[i] = begin
    return True
