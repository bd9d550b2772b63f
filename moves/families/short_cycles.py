"""A list of short cycles without chords, some through every cell: the quick part of the moves on sparse patterns."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ...base.certificate import Certificate
from ...base.jit import jit
from ...base.random_streams import streams
from ...fiber.solvers.every_cycle import Arcs
from .cycles import Cycles, WalkRoom, draw_cycle, walk_room
from .listed import Listed
from .move_set import distinct_rows

PER_CELL, LONGEST, TRIES = 5, 8, 40

UNPROVEN = Certificate("unproven", "a list of short cycles does not reach every table")


def short_cycles(source: Cycles, seed: int = 0) -> Listed:
    """About five cycles of at most eight arcs per arc, found by closing random walks early; always the same list."""
    network = source.network
    n = len(network.tail)
    arcs = np.empty((PER_CELL * n, LONGEST), dtype=np.int64)
    signs, length = np.empty_like(arcs), np.zeros(len(arcs), dtype=np.int64)
    _collect(source.arcs, walk_room(n, network.n_nodes), streams(seed, 1)[0], TRIES * n, arcs, signs, length)
    there = np.arange(LONGEST) < length[:, None]
    ends = np.concatenate([[0], np.cumsum(length)])
    rows = sp.csr_array((signs[there], arcs[there], ends), shape=(len(arcs), n))
    return Listed(distinct_rows(rows if source.spread is None else rows @ source.spread.T), UNPROVEN)


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
        for k in range(size):
            seen_at[tail[walk[k]] if direction[k] > 0 else head[walk[k]]] = k
        for k in range(size):
            node = tail[walk[k]] if direction[k] > 0 else head[walk[k]]
            for place in range(start[node], start[node + 1]):
                a = arc[place]
                other = head[a] if tail[a] == node else tail[a]
                m = seen_at[other]
                # forward chords only: from node k over the chord to node m, then back along the cycle
                if m > k + 1 and not (k == 0 and m == size - 1):
                    for i in range(size):
                        seen_at[tail[walk[i]] if direction[i] > 0 else head[walk[i]]] = -1
                    for i in range(k, m):
                        walk[i - k], direction[i - k] = walk[i], direction[i]
                    walk[m - k], direction[m - k] = a, 1 if tail[a] == other else -1
                    size = m - k + 1
                    changed = True
                    break
            if changed:
                break
        if not changed:
            for i in range(size):
                seen_at[tail[walk[i]] if direction[i] > 0 else head[walk[i]]] = -1
    return size
