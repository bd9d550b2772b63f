"""Pairwise reduction of a lattice basis: rows are shortened by adding or subtracting one another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit, jit_inlined


class Rows(NamedTuple):
    """A sparse basis: row i has the `size[i]` places from start[i] on, and room up to start[i + 1]."""

    start: np.ndarray
    size: np.ndarray
    columns: np.ndarray
    values: np.ndarray


class Notes(NamedTuple):
    """What is known of each row."""

    length: np.ndarray
    """The sum of its absolute values."""
    changed: np.ndarray
    """When it changed last, counted in changes."""
    seen: np.ndarray
    """The number of the last search that compared it."""


@jit
def _rows_of_columns(rows: Rows, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows of each column: where they begin, and their numbers."""
    begin = np.zeros(n_columns + 1, dtype=np.int64)
    for i in range(len(rows.size)):
        for place in range(rows.start[i], rows.start[i] + rows.size[i]):
            begin[rows.columns[place] + 1] += 1
    for j in range(n_columns):
        begin[j + 1] += begin[j]
    listed = np.empty(begin[n_columns], dtype=np.int64)
    fill = begin[:n_columns].copy()
    for i in range(len(rows.size)):
        for place in range(rows.start[i], rows.start[i] + rows.size[i]):
            listed[fill[rows.columns[place]]] = i
            fill[rows.columns[place]] += 1
    return begin, listed


@jit_inlined
def _change(rows: Rows, dense: np.ndarray, partner: int) -> tuple[int, int]:
    """By how much a dense row grows when the row `partner` is added to it, and when it is subtracted."""
    plus, minus = 0, 0
    for place in range(rows.start[partner], rows.start[partner] + rows.size[partner]):
        entry, added = dense[rows.columns[place]], rows.values[place]
        plus += abs(entry + added) - abs(entry)
        minus += abs(entry - added) - abs(entry)
    return plus, minus


@jit_inlined
def _best_partner(
    rows: Rows,
    by_column: tuple[np.ndarray, np.ndarray],
    notes: Notes,
    dense: np.ndarray,
    i: int,
    since: int,
    search: int,
) -> tuple[int, int, int, int]:
    """The row that shortens row i most, of those that changed after `since`.

    By how much it does, its number (-1: none does), whether it is added or subtracted, and the work.
    """
    begin, listed = by_column
    best, partner, sign, work = 0, -1, 0, 0
    for place in range(rows.start[i], rows.start[i] + rows.size[i]):
        first, last = begin[rows.columns[place]], begin[rows.columns[place] + 1]
        work += last - first
        for listing in range(first, last):
            candidate = listed[listing]
            # even if all of it cancels, a row of twice the length shortens nothing
            if (
                notes.seen[candidate] == search
                or notes.changed[candidate] <= since
                or notes.length[candidate] >= 2 * notes.length[i]
            ):
                continue
            notes.seen[candidate] = search
            plus, minus = _change(rows, dense, candidate)
            work += rows.size[candidate]
            if min(plus, minus) < best:
                best, partner = min(plus, minus), candidate
                sign = 1 if plus <= minus else -1
    return best, partner, sign, work


@jit_inlined
def _add(rows: Rows, i: int, partner: int, sign: int, dense: np.ndarray, support: np.ndarray) -> None:
    """Add the row `partner` times a sign to row i, which `dense` also holds."""
    n_support = rows.size[i]
    for k in range(n_support):
        support[k] = rows.columns[rows.start[i] + k]
    for place in range(rows.start[partner], rows.start[partner] + rows.size[partner]):
        j = rows.columns[place]
        if dense[j] == 0:
            support[n_support] = j
            n_support += 1
        dense[j] += sign * rows.values[place]
    rows.size[i] = 0
    for k in range(n_support):
        j = support[k]
        if dense[j] != 0:
            rows.columns[rows.start[i] + rows.size[i]] = j
            rows.values[rows.start[i] + rows.size[i]] = dense[j]
            rows.size[i] += 1


@jit
def shorten(rows: Rows, n_columns: int, budget: int) -> bool:
    """Add or subtract rows from each other as long as that makes one shorter, in place; whether the budget sufficed.

    Each row in turn takes the row that shortens it most, the first of those that are equally good, until none does. Two
    rows are compared again only after one of them has changed.
    """
    n_rows = len(rows.size)
    notes = Notes(np.zeros(n_rows, np.int64), np.ones(n_rows, np.int64), np.zeros(n_rows, np.int64))
    for i in range(n_rows):
        for place in range(rows.start[i], rows.start[i] + rows.size[i]):
            notes.length[i] += abs(rows.values[place])
    dense = np.zeros(n_columns, dtype=np.int64)
    support = np.empty(n_columns, dtype=np.int64)
    visited = np.zeros(n_rows, dtype=np.int64)
    clock, search, work, going = 1, 0, 0, True
    while going:
        going = False
        by_column = _rows_of_columns(rows, n_columns)  # a change in this round is seen by the next
        begin = clock
        for i in range(n_rows):
            for place in range(rows.start[i], rows.start[i] + rows.size[i]):
                dense[rows.columns[place]] = rows.values[place]
            while True:
                since = visited[i] if notes.changed[i] <= visited[i] else 0
                search += 1
                notes.seen[i] = search
                best, partner, sign, more_work = _best_partner(rows, by_column, notes, dense, i, since, search)
                work += more_work
                if partner < 0 or work > budget:
                    break
                _add(rows, i, partner, sign, dense, support)
                notes.length[i] += best
                clock += 1
                notes.changed[i] = clock
                going = True
            for place in range(rows.start[i], rows.start[i] + rows.size[i]):
                dense[rows.columns[place]] = 0
            if work > budget:
                return False
            visited[i] = begin
    return True
