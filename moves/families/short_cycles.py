"""A list of short cycles without chords, some through every cell: the quick part of the moves on sparse patterns."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.certificate import Certificate
from ...base.jit import jit
from ...base.random_streams import streams
from ...fiber.solvers.every_cycle import Arcs
from .cycles import Cycles, WalkRoom, draw_cycle, walk_room
from .listed import Listed
from .move_set import distinct_rows

PER_CELL, LONGEST, TRIES = 20, 8, 160
"""Cycles for each cell that are collected, the most arcs of one, and how often one is drawn for each cell."""
ENOUGH = 10
"""Through a cell with so many shorter cycles no longer one is wanted: it would be blocked more often, and lead less far."""

UNPROVEN = Certificate("unproven", "a list of short cycles does not reach every table")


def short_cycles(source: Cycles, seed: int = 0) -> Listed:
    """Some cycles of at most eight arcs through each arc, found by closing random walks early; always the same list."""
    network = source.network
    n_arcs = len(network.tail)
    arcs = np.empty((PER_CELL * n_arcs, LONGEST), dtype=np.int64)
    signs, length = np.empty_like(arcs), np.zeros(len(arcs), dtype=np.int64)
    _collect(source.arcs, walk_room(n_arcs, network.n_nodes), streams(seed, 1)[0], TRIES * n_arcs, arcs, signs, length)
    used = np.arange(LONGEST) < length[:, None]
    ends = np.concatenate([[0], np.cumsum(length)])
    rows = sp.csr_array((signs[used], arcs[used], ends), shape=(len(arcs), n_arcs))
    return Listed(_wanted(distinct_rows(rows if source.spread is None else rows @ source.spread.T)), UNPROVEN)


def _wanted(rows: Any) -> Any:
    """All but those whose cells have enough shorter ones."""
    length = np.diff(rows.indptr)
    through, kept = np.zeros(rows.shape[1], dtype=np.int64), np.zeros(len(length), dtype=bool)
    for size in np.unique(length[length > 0]):
        some = np.flatnonzero(length == size)
        cells = rows[some].indices.reshape(len(some), size)
        kept[some] = (through[cells] < ENOUGH).any(axis=1)
        through += np.bincount(cells[kept[some]].ravel(), minlength=len(through))
    return rows[np.flatnonzero(kept)]


@jit
def _collect(
    network: Arcs,
    room: WalkRoom,
    random: np.ndarray,
    tries: int,
    arcs: np.ndarray,
    signs: np.ndarray,
    length: np.ndarray,
) -> None:
    """Draw cycles until there is no place for more or the tries are over; keep the short ones, cut short along chords."""
    number = 0
    for _ in range(tries):
        if number == len(arcs):
            break
        size = draw_cycle(network, random, room)
        if size == 0:
            continue
        size = _without_chords(network, room, size)
        if size <= arcs.shape[1]:
            arcs[number, :size], signs[number, :size] = room.arcs[:size], room.signs[:size]
            length[number] = size
            number += 1


@jit
def _without_chords(network: Arcs, room: WalkRoom, size: int) -> int:
    """Cut a cycle short along chords until it has none; its new size."""
    start, arc, tail, head = network
    seen_at, walk, direction = room.seen_at, room.arcs, room.signs
    changed = True
    while changed and size > 3:
        changed = False
        for position in range(size):
            seen_at[tail[walk[position]] if direction[position] > 0 else head[walk[position]]] = position
        for position in range(size):
            node = tail[walk[position]] if direction[position] > 0 else head[walk[position]]
            for listing in range(start[node], start[node + 1]):
                chord = arc[listing]
                far = head[chord] if tail[chord] == node else tail[chord]
                far_position = seen_at[far]
                # forward chords only: from the node at `position` over the chord, then back along the cycle
                if far_position > position + 1 and not (position == 0 and far_position == size - 1):
                    for i in range(size):
                        seen_at[tail[walk[i]] if direction[i] > 0 else head[walk[i]]] = -1
                    for i in range(position, far_position):
                        walk[i - position], direction[i - position] = walk[i], direction[i]
                    walk[far_position - position], direction[far_position - position] = (
                        chord,
                        1 if tail[chord] == far else -1,
                    )
                    size = far_position - position + 1
                    changed = True
                    break
            if changed:
                break
        if not changed:
            for i in range(size):
                seen_at[tail[walk[i]] if direction[i] > 0 else head[walk[i]]] = -1
    return size
