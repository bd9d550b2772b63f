"""Walks over the nodes of a graph: splitting it into biconnected components, pushing flow around cycles.

A graph is given by its *places*: node v owns the places start[v] to start[v + 1], one for each end of an arc at v.
`other` is the node at the far end of a place, `mate` the place of the same arc at that node.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit, jit_inlined


class Pile(NamedTuple):
    """What a search for biconnected components keeps of each node and each arc."""

    entered: np.ndarray
    """When the node was first seen, from 1."""
    reach: np.ndarray
    """The earliest node that its part of the tree has an arc to."""
    height: np.ndarray
    """Of the pile of arcs when the node was entered."""
    arcs: np.ndarray
    label: np.ndarray


@jit_inlined
def _leave(pile: Pile, node: int, before: int, n_pile: int, n_labels: int) -> tuple[int, int]:
    """Back from a node to the one before it, an articulation point if nothing beyond reaches further back.

    The arcs beyond it are then a component. The height of the pile, and the number of components.
    """
    pile.reach[before] = min(pile.reach[before], pile.reach[node])
    if pile.reach[node] >= pile.entered[before]:
        while n_pile > pile.height[node]:
            n_pile -= 1
            pile.label[pile.arcs[n_pile]] = n_labels
        n_labels += 1
    return n_pile, n_labels


@jit
def biconnected(start: np.ndarray, other: np.ndarray, arc: np.ndarray, n_arcs: int) -> np.ndarray:
    """The biconnected component of each arc: two arcs share one if and only if some simple cycle has both.

    Hopcroft and Tarjan (1973), without recursion. An arc that is on no cycle is alone in its component.
    """
    n_nodes = len(start) - 1
    pile = Pile(
        entered=np.zeros(n_nodes, dtype=np.int64),
        reach=np.zeros(n_nodes, dtype=np.int64),
        height=np.zeros(n_nodes, dtype=np.int64),
        arcs=np.empty(n_arcs, dtype=np.int64),
        label=np.full(n_arcs, -1, dtype=np.int64),
    )
    taken = np.zeros(n_arcs, dtype=np.bool_)
    following = start[:n_nodes].copy()
    path = np.empty(n_nodes, dtype=np.int64)
    clock, n_labels, n_pile = 0, 0, 0
    for root in range(n_nodes):
        if pile.entered[root] != 0:
            continue
        clock += 1
        pile.entered[root] = pile.reach[root] = clock
        path[0], depth = root, 1
        while depth > 0:
            node = path[depth - 1]
            if following[node] == start[node + 1]:
                depth -= 1
                if depth > 0:
                    n_pile, n_labels = _leave(pile, node, path[depth - 1], n_pile, n_labels)
                continue
            place = following[node]
            following[node] += 1
            if taken[arc[place]]:
                continue
            taken[arc[place]] = True
            far = other[place]
            if pile.entered[far] == 0:
                clock += 1
                pile.entered[far] = pile.reach[far] = clock
                pile.height[far] = n_pile
                path[depth] = far
                depth += 1
            else:
                pile.reach[node] = min(pile.reach[node], pile.entered[far])
            pile.arcs[n_pile] = arc[place]
            n_pile += 1
    return pile.label


class Graph(NamedTuple):
    """The ends of arcs sorted by node."""

    start: np.ndarray
    other: np.ndarray
    mate: np.ndarray


class Residual(NamedTuple):
    """The residual network: what can still be pushed; every flow on the way is feasible."""

    room: np.ndarray
    """What can still be pushed out through a place."""
    back: np.ndarray
    """The room of its mate: kept twice, so that both searches read along memory."""
    least_room: np.ndarray
    """The least room that any flow on the way left at a place; a place where that is 0 needs no search."""


class Search(NamedTuple):
    """A search for a path from both ends."""

    mark: np.ndarray
    """By which of the two searches, counting all, a node was reached last."""
    via: np.ndarray
    """The place through which flow comes to it, or goes on from it."""
    out_queue: np.ndarray
    in_queue: np.ndarray


@jit_inlined
def _next_level(
    graph: Graph,
    room: np.ndarray,
    search: Search,
    queue: np.ndarray,
    ends: tuple[int, int],
    marks: tuple[int, int],
    outward: bool,
) -> tuple[int, int, int, int, int]:
    """Move a frontier on by one arc, until it meets the other search.

    `ends` are where the frontier begins and ends in its queue, `marks` what its own search and the other one write. Where
    the queue now begins and ends, how many places the new frontier has, where the searches meet (-1: not yet), the work.
    """
    head, end = ends
    own, others = marks
    level, size, work = end, 0, 0
    while head < level:
        node = queue[head]
        head += 1
        first, last = graph.start[node], graph.start[node + 1]
        for place in range(first, last):
            if room[place] > 0:
                far = graph.other[place]
                if search.mark[far] == others:
                    return head, end, size, place if outward else graph.mate[place], work + place + 1 - first
                if search.mark[far] != own:
                    search.mark[far] = own
                    search.via[far] = place if outward else graph.mate[place]
                    queue[end] = far
                    end += 1
                    size += graph.start[far + 1] - graph.start[far]
        work += last - first
    return head, end, size, -1, work


@jit_inlined
def _meeting_place(
    graph: Graph, residual: Residual, search: Search, source: int, goal: int, stamp: int
) -> tuple[int, int]:
    """The place in the middle of a shortest path with room from source to goal, -1 if there is none; and the work.

    Breadth-first searches from both ends: always the frontier with fewer places moves, and when one has nowhere to go,
    nothing more can pass.
    """
    outward, inward = stamp, stamp + 1
    search.mark[source], search.mark[goal] = outward, inward
    search.out_queue[0], out_head, out_end = source, 0, 1
    search.in_queue[0], in_head, in_end = goal, 0, 1
    out_size, in_size = graph.start[source + 1] - graph.start[source], graph.start[goal + 1] - graph.start[goal]
    middle, work = -1, 0
    while middle < 0 and out_head < out_end and in_head < in_end:
        if out_size <= in_size:
            out_head, out_end, out_size, middle, more = _next_level(
                graph, residual.room, search, search.out_queue, (out_head, out_end), (outward, inward), True
            )
        else:
            in_head, in_end, in_size, middle, more = _next_level(
                graph, residual.back, search, search.in_queue, (in_head, in_end), (inward, outward), False
            )
        work += more
    return middle, work


@jit_inlined
def _narrowest(graph: Graph, residual: Residual, via: np.ndarray, middle: int, source: int, goal: int) -> int:
    """The least room along a path."""
    room, other, mate = residual.room, graph.other, graph.mate
    amount = room[middle]
    node = other[mate[middle]]
    while node != source:
        amount = min(amount, room[via[node]])
        node = other[mate[via[node]]]
    node = other[middle]
    while node != goal:
        amount = min(amount, room[via[node]])
        node = other[via[node]]
    return amount


@jit_inlined
def _send(residual: Residual, mate: np.ndarray, place: int, amount: int) -> None:
    """Push an amount out through a place."""
    room, back, twin = residual.room, residual.back, mate[place]
    room[place] -= amount
    back[twin] = room[place]
    room[twin] += amount
    back[place] = room[twin]
    residual.least_room[place] = min(residual.least_room[place], room[place])


@jit_inlined
def _send_along(
    graph: Graph, residual: Residual, via: np.ndarray, middle: int, source: int, goal: int, amount: int
) -> None:
    """Push an amount along a path."""
    other, mate = graph.other, graph.mate
    _send(residual, mate, middle, amount)
    node = other[mate[middle]]
    while node != source:
        place = via[node]
        _send(residual, mate, place, amount)
        node = other[mate[place]]
    node = other[middle]
    while node != goal:
        place = via[node]
        _send(residual, mate, place, amount)
        node = other[place]


@jit
def push(graph: Graph, residual: Residual, asked: np.ndarray, first: int, most_work: int, keep: bool) -> int:
    """Push as much flow as possible through each asked place in turn; how many are done when the work is.

    Flow returns from the far end to the near end along shortest augmenting paths (Edmonds and Karp 1972). With `keep`,
    what went through an asked place is never taken back later.
    """
    n_nodes = len(graph.start) - 1
    search = Search(
        np.zeros(n_nodes, np.int64),
        np.empty(n_nodes, np.int64),
        np.empty(n_nodes, np.int64),
        np.empty(n_nodes, np.int64),
    )
    room, back, least_room = residual
    stamp, work = 0, 0
    for number in range(first, len(asked)):
        through = asked[number]
        if least_room[through] == 0:
            continue
        twin = graph.mate[through]
        source, goal = graph.other[through], graph.other[twin]
        limit, reverse, moved, full = room[through], room[twin], 0, False
        # the arc itself is no way back
        room[through] = room[twin] = back[through] = back[twin] = 0
        while moved < limit and work <= most_work:
            stamp += 2
            middle, more = _meeting_place(graph, residual, search, source, goal, stamp)
            work += more
            if middle < 0:
                full = True
                break
            amount = min(limit - moved, _narrowest(graph, residual, search.via, middle, source, goal))
            moved += amount
            _send_along(graph, residual, search.via, middle, source, goal, amount)
        least_room[through] = min(least_room[through], limit - moved)
        room[through] = back[twin] = limit - moved
        room[twin] = back[through] = reverse if keep else reverse + moved
        if work > most_work:
            return number + 1 if full or moved == limit else number
    return len(asked)
