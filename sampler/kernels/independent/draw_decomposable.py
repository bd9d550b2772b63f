"""Independent tables for decomposable margins, under the law prod 1/x!.

The published margins are glued together one after the other, along a junction tree. What a new margin shares with those
before it is a separator (running intersection), and given the sums there, the cells that are already glued and those of the
new margin are the row and column sums of a two-way table in each slice of the separator: one independent two-way table for
each slice, and the next larger marginal table is there (Sundberg 1975; Dobra and Fienberg 2000). Nothing is rejected and
there is no chain.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....base.jit import jit_inner, jit_lean
from ....fiber.bounds.decomposable import Components, Dims, maximal
from .draw_two_way import Cells, Room, by_cells, by_shuffle, log_factorial_table, room_for, shuffle_is_cheaper


class DecomposablePlan(NamedTuple):
    """How to glue: the first margin, then stages of equal two-way tables, one for each slice of a separator."""

    first: np.ndarray
    """The counts of the first margin."""
    stages: np.ndarray
    """For each stage: its slices, and the rows and columns of each."""
    row_at: np.ndarray
    """Stage by stage and slice by slice: which cells of what is glued give the row sums."""
    columns: np.ndarray
    """In the same order: the column sums, counts of the new margin."""
    cell: np.ndarray
    """In the same order: where each cell is written, in what is glued next; by the last stage, in the table."""
    shuffled: np.ndarray
    """For each slice: are its people shuffled?"""
    log_factorials: np.ndarray


class DecomposableRoom(NamedTuple):
    """Room for one chain to work in."""

    two_way: Room
    glued: np.ndarray
    next: np.ndarray


def decomposable_plan(components: Components) -> DecomposablePlan | None:
    """The plan for decomposable margins; None where they are not, leave a dim unseen, or leave nothing open."""
    if components.free or not all(part.complete for part in components.parts):
        return None
    order = _gluing_order(maximal(part.dims for part in components.parts))
    if order is None or len(order) == 1:  # one margin that shows every dim is the table itself
        return None
    numbers = components.release.grids[0].cells
    none = np.empty(0, dtype=np.int64)
    stages, row_at, columns, cell, shuffled = [], [none], [none], [none], [np.empty(0, dtype=bool)]
    glued = order[0]
    for new in order[1:]:
        new_sums = _by_parts(components.margin(new), glued & new, frozenset(), new - glued)
        places = _by_parts(_numbered(numbers.shape, glued | new), glued & new, glued - new, new - glued)
        stages.append(places.shape)
        row_at.append(_by_parts(_numbered(numbers.shape, glued), glued & new, glued - new, frozenset()).ravel())
        columns.append(new_sums.ravel())
        cell.append(places.ravel())
        people = new_sums.sum(axis=(1, 2)).tolist()
        shuffled.append(np.array([shuffle_is_cheaper(n, *places.shape[1:]) for n in people], dtype=bool))
        glued |= new
    cell[-1] = numbers.ravel()[cell[-1]]
    first = components.margin(order[0]).ravel().astype(np.int64)
    return DecomposablePlan(
        first,
        np.array(stages, dtype=np.int64),
        np.concatenate(row_at),
        np.concatenate(columns).astype(np.int64),
        np.concatenate(cell).astype(np.int64),
        np.concatenate(shuffled),
        log_factorial_table(int(first.sum())),
    )


def decomposable_room(plan: DecomposablePlan) -> DecomposableRoom:
    """Room for one chain."""
    slices, rows, columns = plan.stages.T
    largest = max(int((slices * rows * columns).max()), len(plan.first))
    slice_begins = np.concatenate([[0], np.cumsum(np.repeat(columns, slices))[:-1]])
    people = np.add.reduceat(plan.columns, slice_begins)
    balls = int(people[plan.shuffled].max(initial=0))
    return DecomposableRoom(
        room_for(int(rows.max()), int(columns.max()), balls),
        np.empty(largest, dtype=np.int64),
        np.empty(largest, dtype=np.int64),
    )


@jit_inner
def draw_decomposable(plan: DecomposablePlan, random: np.ndarray, room: DecomposableRoom, table: np.ndarray) -> None:
    """Write a table, independent of all before: table[k] is the cell numbered k in the release."""
    glued, other = room.glued, room.next
    for k in range(len(plan.first)):
        glued[k] = plan.first[k]
    row_from, column_from, at, slice_number = 0, 0, 0, 0
    for stage in range(len(plan.stages)):
        slices, n_rows, n_columns = plan.stages[stage, 0], plan.stages[stage, 1], plan.stages[stage, 2]
        target = table if stage == len(plan.stages) - 1 else other
        for _ in range(slices):
            total = 0
            for i in range(n_rows):
                room.two_way.rows[i] = glued[plan.row_at[row_from + i]]
            for j in range(n_columns):
                room.two_way.columns[j] = plan.columns[column_from + j]
                total += plan.columns[column_from + j]
            cells = Cells(n_rows, n_columns, plan.cell, at)
            if plan.shuffled[slice_number]:
                by_shuffle(cells, random, room.two_way, target)
            else:
                by_cells(cells, total, plan.log_factorials, random, room.two_way, target, -1)
            row_from += n_rows
            column_from += n_columns
            at += n_rows * n_columns
            slice_number += 1
        glued, other = other, glued


@jit_lean
def draw_many_decomposable(
    plan: DecomposablePlan, random: np.ndarray, room: DecomposableRoom, tables: np.ndarray
) -> None:
    """Write one table after the other, each a row of `tables`."""
    for k in range(len(tables)):
        draw_decomposable(plan, random, room, tables[k])


def _gluing_order(cliques: tuple[Dims, ...]) -> list[Dims] | None:
    """The cliques so that each meets all before it within one of them (running intersection); None if there is no such
    order.

    They come in the order of a junction tree, which is a heaviest spanning tree (Prim).
    """
    order, left = [cliques[0]], list(cliques[1:])
    while left:
        new = max(left, key=lambda clique: max(len(clique & before) for before in order))
        shared = new & frozenset().union(*order)
        if not any(shared <= before for before in order):
            return None
        order.append(new)
        left.remove(new)
    return order


def _numbered(shape: tuple[int, ...], dims: Dims) -> np.ndarray:
    """The cells of a marginal table, numbered, over all axes (of length 1 where it sums)."""
    small = tuple(n if i in dims else 1 for i, n in enumerate(shape))
    return np.arange(int(np.prod(small))).reshape(small)


def _by_parts(values: np.ndarray, slices: Dims, rows: Dims, columns: Dims) -> np.ndarray:
    """A marginal table with three axes: the cells of some dims, of some others and of the rest."""
    groups = [sorted(slices), sorted(rows), sorted(columns)]
    shape = [int(np.prod([values.shape[i] for i in group], initial=1)) for group in groups]
    used = [i for group in groups for i in group]
    idle = [i for i in range(values.ndim) if i not in used]
    return values.transpose(used + idle).reshape(shape)
