"""Every cycle of a network, each once: a search from the least node of each."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ...base.jit import jit
from ..equations.network import Network

STEPS_PER_CYCLE, LEAST_STEPS = 100, 1_000_000
"""Arcs looked at for each cycle that may be found, and at least: most of a search may lead nowhere."""


def every_cycle(network: Network, start: np.ndarray, arc: np.ndarray, most: int) -> Any:
    """A sparse row for each cycle, 1 where an arc is followed, -1 where it is met head first; None beyond `most`.

    `start` and `arc` list the arcs at each node (Cycles.places). So that no search takes long it is given up, as if there
    were too many, where it leads nowhere for too long.
    """
    looks = max(LEAST_STEPS, STEPS_PER_CYCLE * most)
    given = (start, arc, network.tail, network.head, network.n_nodes, most, looks)
    nothing = np.empty(0, dtype=np.int64)
    number, entries = _search(*given, False, nothing, nothing, nothing)
    if number < 0:
        return None
    arcs, signs = np.empty(entries, dtype=np.int64), np.empty(entries, dtype=np.int64)
    ends = np.zeros(number + 1, dtype=np.int64)
    _search(*given, True, arcs, signs, ends)
    return sp.csr_array((signs, arcs, ends), shape=(number, len(network.tail)))


@jit
def _search(start, arc, tail, head, n_nodes, most, looks, writes, arcs, signs, ends):  # type: ignore[no-untyped-def]
    """How many cycles there are and how many arcs they have in all, written if told to; -1 if there are too many.

    Of its two directions a cycle is found in the one whose first arc has the lower number. A walk passes nodes above its
    first only, so that each cycle is found from its least node.
    """
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
            a = arc[place[length]]
            place[length] += 1
            other = head[a] if tail[a] == node else tail[a]
            by[length] = a
            if other == first:
                if length == 0 or by[0] < a:
                    if number == most:
                        return -1, 0
                    if writes:
                        for k in range(length + 1):
                            arcs[entries + k] = by[k]
                            signs[entries + k] = 1 if tail[by[k]] == path[k] else -1
                        ends[number + 1] = entries + length + 1
                    number += 1
                    entries += length + 1
            elif other > first and not on_path[other]:
                length += 1
                path[length], place[length] = other, start[other]
                on_path[other] = True
    return number, entries
