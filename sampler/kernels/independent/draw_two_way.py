"""Independent two-way tables of given row and column sums, under the law prod 1/x!.

Two methods, both without a chain: *cell by cell*, each from its hypergeometric law given the cells before it (Patefield
1981), and the *shuffle*, in which every person is a ball that bears a column, and the rows take balls blindly one after
the other (Boyett 1979). The first costs a draw for each cell, the second a step for each person: which is cheaper is known
from the sums alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....base.jit import jit_inner, jit_lean
from ....base.random_streams import fraction, stepped
from ...lines.hypergeometric import draw_with_table, log_factorial

NS_PER_PERSON, NS_PER_CELL = 2.4, 55.0
"""What a shuffled person and a drawn cell cost (`python bench/tuning.py costs`): only their ratio matters."""
LARGEST_TABLE = 1 << 17
"""Factorials that a plan keeps at most; beyond they are computed."""
GUIDES = 256
"""Parts of [0, 1) that tell where to look for a first cell."""
MOST_SHUFFLED = 1 << 24
"""People who are shuffled at most, for the memory that they take."""


class TwoWayPlan(NamedTuple):
    """A two-way table: cell[i * J + j] is the place of row i and column j; in an order that saves time.

    The first cell has the same law in every table: `first` are its probabilities, each with all before it, and
    `first_guide` says for each of some equal parts of [0, 1) where in it to begin (inverse transform by a guide table).
    """

    cell: np.ndarray
    rows: np.ndarray
    columns: np.ndarray
    log_factorials: np.ndarray
    shuffled: bool
    first: np.ndarray
    first_guide: np.ndarray


class Cells(NamedTuple):
    """Where the cells of a two-way table stand, row by row: cell[at] and so on are their places."""

    n_rows: int
    n_columns: int
    cell: np.ndarray
    at: int


class Room(NamedTuple):
    """Room that a draw works in; what is in it before and after does not matter."""

    rows: np.ndarray
    columns: np.ndarray
    counts: np.ndarray
    balls: np.ndarray


def two_way_plan(cell: np.ndarray, table: np.ndarray) -> TwoWayPlan:
    """All tables with the row and column sums of this one; `cell[i, j]` says where it holds row i and column j."""
    values = table[cell]
    rows, columns = values.sum(axis=1), values.sum(axis=0)
    total = int(rows.sum())
    shuffled = bool(shuffle_is_cheaper(total - int(rows.max(initial=0)), len(rows), len(columns)))
    # The last row is what is left over: the largest should be, where people are shuffled. Cells are drawn faster after
    # the largest rows and columns have gone.
    i, j = np.argsort(rows if shuffled else -rows, kind="stable"), np.argsort(-columns, kind="stable")
    log_factorials = log_factorial_table(total)
    first = np.empty(0)
    if not shuffled and len(rows) > 1 and len(columns) > 1 and total < len(log_factorials):
        first = _cumulated(int(columns[j[0]]), total - int(columns[j[0]]), int(rows[i[0]]), log_factorials)
    guide = np.searchsorted(first, np.arange(GUIDES) / GUIDES, side="right")
    return TwoWayPlan(
        np.ascontiguousarray(cell[i][:, j], dtype=np.int64).ravel(),
        rows[i].astype(np.int64),
        columns[j].astype(np.int64),
        log_factorials,
        shuffled,
        first,
        guide.astype(np.int64),
    )


def _cumulated(good: int, bad: int, taken: int, log_factorials: np.ndarray) -> np.ndarray:
    """P(at most k good balls among those taken), for k = 0, 1, ... up to the most there can be."""
    k = np.arange(max(0, taken - bad), min(good, taken) + 1)
    nats = -(log_factorials[k] + log_factorials[good - k] + log_factorials[taken - k] + log_factorials[bad - taken + k])
    weights = np.exp(nats - nats.max())
    below = np.cumsum(weights)
    return np.concatenate([np.zeros(k[0]), below / below[-1]])


def room_for(rows: int, columns: int, shuffled_people: int) -> Room:
    """Room for tables of so many rows, columns and people."""
    return Room(
        np.empty(rows, dtype=np.int64),
        np.empty(columns, dtype=np.int64),
        np.empty(columns, dtype=np.int64),
        np.empty(shuffled_people, dtype=np.uint32),
    )


def two_way_room(plan: TwoWayPlan) -> Room:
    """Room for one chain."""
    return room_for(len(plan.rows), len(plan.columns), int(plan.rows.sum()) if plan.shuffled else 0)


def log_factorial_table(total: int) -> np.ndarray:
    """log n! for n from 0 to a total, or to as many as are worth keeping."""
    table = np.empty(min(total + 1, LARGEST_TABLE))
    _fill(table)
    return table


@jit_lean
def _fill(table: np.ndarray) -> None:
    for n in range(len(table)):
        table[n] = log_factorial(n)


@jit_lean
def shuffle_is_cheaper(people: int, n_rows: int, n_columns: int) -> bool:
    """Is it cheaper to shuffle so many people than to draw the cells one by one? By stored costs, never by a clock."""
    return people <= MOST_SHUFFLED and people * NS_PER_PERSON < (n_rows - 1) * (n_columns - 1) * NS_PER_CELL


@jit_lean
def draw_independent(plan: TwoWayPlan, random: np.ndarray, room: Room, table: np.ndarray) -> None:
    """Write a table, independent of all before, into the places of the plan."""
    total = 0
    for i in range(len(plan.rows)):
        room.rows[i] = plan.rows[i]
        total += plan.rows[i]
    for j in range(len(plan.columns)):
        room.columns[j] = plan.columns[j]
    cells = Cells(len(plan.rows), len(plan.columns), plan.cell, 0)
    if plan.shuffled:
        by_shuffle(cells, random, room, table)
    else:
        first = -1
        if len(plan.first):
            uniform = fraction(random)
            first = plan.first_guide[np.int64(uniform * GUIDES)]
            while uniform >= plan.first[first] and first + 1 < len(plan.first):
                first += 1
        by_cells(cells, total, plan.log_factorials, random, room, table, first)


@jit_lean
def draw_many_independent(plan: TwoWayPlan, random: np.ndarray, room: Room, tables: np.ndarray) -> None:
    """Write one table after the other, each a row of `tables`."""
    for k in range(len(tables)):
        draw_independent(plan, random, room, tables[k])


@jit_inner
def by_cells(cells, total, log_factorials, random, room, table, first):  # type: ignore[no-untyped-def]
    """Draw cell by cell. The sums stand in the room, where those of the columns are used up.

    `first` is the first cell's value where it is drawn already, else -1.
    """
    n_rows, n_columns, cell, at = cells
    columns = room.columns
    for i in range(n_rows - 1):
        left, beyond = room.rows[i], total
        total -= left
        for j in range(n_columns - 1):
            column = columns[j]
            beyond -= column
            x = 0
            if left > 0 and column > 0:
                x = first if first >= 0 else draw_with_table(column, beyond, left, log_factorials, random)
                columns[j] = column - x
                left -= x
            first = -1
            table[cell[at]] = x
            at += 1
        columns[n_columns - 1] -= left
        table[cell[at]] = left
        at += 1
    for j in range(n_columns):
        table[cell[at + j]] = columns[j]


@jit_inner
def by_shuffle(cells, random, room, table):  # type: ignore[no-untyped-def]
    """Draw by a Fisher-Yates shuffle. The sums stand in the room, where those of the columns are used up."""
    n_rows, n_columns, cell, at = cells
    columns, counts, balls = room.columns, room.counts, room.balls
    number = 0
    for j in range(n_columns):
        for _ in range(columns[j]):
            balls[number] = j
            number += 1
    a, b, c, d = random[0], random[1], random[2], random[3]
    half, low_half, one = np.uint64(32), np.uint64(0xFFFFFFFF), np.uint64(1)
    two_to_32 = np.uint64(0x100000000)
    for i in range(n_rows - 1):
        for j in range(n_columns):
            counts[j] = 0
        people = room.rows[i]
        for _ in range(people >> 1):
            # Two balls for each word. All numbers below `many` are alike but for few words, which are drawn again
            # (Lemire 2019).
            many = np.uint64(number)
            fair = False
            while not fair:
                word, a, b, c, d = stepped(a, b, c, d)
                first, second = (word >> half) * many, (word & low_half) * (many - one)
                fair = min(first & low_half, second & low_half) >= many
                if not fair:
                    fair = (first & low_half) >= two_to_32 % many and (second & low_half) >= two_to_32 % (many - one)
            number -= 2
            label = balls[first >> half]
            balls[first >> half] = balls[number + 1]
            counts[label] += 1
            label = balls[second >> half]
            balls[second >> half] = balls[number]
            counts[label] += 1
        if people & 1:
            many = np.uint64(number)
            fair = False
            while not fair:
                word, a, b, c, d = stepped(a, b, c, d)
                first = (word >> half) * many
                fair = (first & low_half) >= two_to_32 % many
            number -= 1
            label = balls[first >> half]
            balls[first >> half] = balls[number]
            counts[label] += 1
        for j in range(n_columns):
            columns[j] -= counts[j]
            table[cell[at]] = counts[j]
            at += 1
    for j in range(n_columns):
        table[cell[at + j]] = columns[j]
    random[0], random[1], random[2], random[3] = a, b, c, d
