"""Every simple cycle of a network, each once: a search from the least node of each.

The cycles are the circuits of the incidence matrix and, as it is totally unimodular, its Graver basis.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ...base.jit import jit

STEPS_PER_CYCLE, LEAST_STEPS = 100, 1_000_000
"""Arcs that a search may look at: so many for each cycle that may be found, and at least that many in all."""


class Arcs(NamedTuple):
    """The arcs of a network, and those at each node: arc[start[v]] to arc[start[v + 1]], a loop named once."""

    start: np.ndarray
    arc: np.ndarray
    tail: np.ndarray
    head: np.ndarray


class _Written(NamedTuple):
    """Where cycles are written, one after the other."""

    arcs: np.ndarray
    signs: np.ndarray
    ends: np.ndarray
    """Where each ends in these, after a 0; without it nothing is written."""


def every_cycle(arcs: Arcs, most: int) -> Any:
    """A sparse row for each cycle, 1 where an arc is followed, -1 where it is met head first; None beyond `most`.

    A search that leads nowhere for too long is given up, as if there were too many.
    """
    looks = max(LEAST_STEPS, STEPS_PER_CYCLE * most)
    number, entries = _search(arcs, most, looks, _room_for(0, 0))
    if number < 0:
        return None
    written = _room_for(entries, number + 1)
    _search(arcs, most, looks, written)
    return sp.csr_array((written.signs, written.arcs, written.ends), shape=(number, len(arcs.tail)))


def _room_for(entries: int, ends: int) -> _Written:
    return _Written(np.empty(entries, np.int64), np.empty(entries, np.int64), np.zeros(ends, np.int64))


@jit
def _search(network, most, looks, written):  # type: ignore[no-untyped-def]
    """How many cycles there are and how many arcs they have in all, written where there is room; -1 if too many.

    Of its two directions a cycle is found in the one whose first arc has the lower number. A walk passes nodes above its
    first only, so that each cycle is found from its least node.
    """
    start, arc, tail, head = network
    n_nodes = len(start) - 1
    path, by, place = np.empty((3, n_nodes + 1), dtype=np.int64)
    on_path = np.zeros(n_nodes, dtype=np.bool_)
    number = entries = 0
    for first in range(n_nodes):
        length = 0
        path[0], place[0] = first, start[first]
        while length >= 0:
            node = path[length]
            if place[length] == start[node + 1]:  # all arcs at this node were tried: back
                on_path[node] = False
                length -= 1
                continue
            looks -= 1
            if looks < 0:
                return -1, 0
            this_arc = arc[place[length]]
            place[length] += 1
            far = head[this_arc] if tail[this_arc] == node else tail[this_arc]
            by[length] = this_arc
            if far == first:
                if length == 0 or by[0] < this_arc:
                    if number == most:
                        return -1, 0
                    if len(written.ends) > 0:
                        for i in range(length + 1):
                            written.arcs[entries + i] = by[i]
                            written.signs[entries + i] = 1 if tail[by[i]] == path[i] else -1
                        written.ends[number + 1] = entries + length + 1
                    number += 1
                    entries += length + 1
            elif far > first and not on_path[far]:
                length += 1
                path[length], place[length] = far, start[far]
                on_path[far] = True
    return number, entries
