"""Walks over rows and over nodes: sorting equations into two families, splitting a graph, pushing flow around cycles.

A graph is given by its *places*: node v owns the places start[v] to start[v + 1], one for each end of an arc at v.
`other` is the node at the far end of a place, `mate` the place of the same arc at that node.
"""

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
            for e in range(row_start[row], row_start[row + 1]):
                a, b = column_start[columns[e]], column_start[columns[e] + 1]
                counts = 1 if b - a > 2 else 0
                for f in range(a, b):
                    r = rows[f]
                    if seen_from[r] != row:
                        seen_from[r] = row
                        near[n_near] = r
                        n_near += 1
                        agreement[r] = crowded[r] = 0
                    agreement[r] += signs[e] * row_signs[f]
                    crowded[r] += counts
            size = row_start[row + 1] - row_start[row]
            for i in range(n_near):
                r = near[i]
                if crowded[r] == 0 or abs(agreement[r]) == min(size, row_start[r + 1] - row_start[r]):
                    continue
                if family[r] < 0:
                    family[r] = 1 - family[row]
                    queue[end] = r
                    end += 1
                elif family[r] == family[row]:
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
        for e in range(row_start[row], row_start[row + 1]):
            for f in range(column_start[columns[e]], column_start[columns[e] + 1]):
                r = rows[f]
                if seen_from[r] != row:
                    seen_from[r] = row
                    near[n_near] = r
                    n_near += 1
                    agreement[r] = 0
                agreement[r] += signs[e] * row_signs[f]
        size = row_start[row + 1] - row_start[row]
        shortest = -1
        for i in range(n_near):
            r = near[i]
            other = row_start[r + 1] - row_start[r]
            if family[r] != family[row] or abs(agreement[r]) != size or other < size or (other == size and r <= row):
                continue
            if shortest < 0 or other < shortest or (other == shortest and r < container[row]):
                shortest = other
                container[row] = r
                sign[row] = 1 if agreement[r] > 0 else -1
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
    for e in range(len(columns)):
        total[columns[e]] += signs[e]
    queue = np.empty(n_rows, dtype=np.int64)
    for first in range(n_rows):
        if factor[first] != 0:
            continue
        factor[first] = 1
        queue[0], head, end = first, 0, 1
        while head < end:
            row = queue[head]
            head += 1
            for e in range(row_start[row], row_start[row + 1]):
                j = columns[e]
                if column_start[j + 1] - column_start[j] < 2:
                    continue
                r = rows[column_start[j]] + rows[column_start[j] + 1] - row
                wanted = factor[row] if total[j] == 0 else -factor[row]
                if factor[r] == 0:
                    factor[r] = wanted
                    queue[end] = r
                    end += 1
                elif factor[r] != wanted:
                    return np.empty(0, dtype=np.int64)
    return factor


@jit
def biconnected(start: np.ndarray, other: np.ndarray, arc: np.ndarray, n_arcs: int) -> np.ndarray:
    """The biconnected component of each arc: two arcs share one if and only if some simple cycle has both.

    Hopcroft and Tarjan (1973), without recursion. An arc that is on no cycle is alone in its component.
    """
    n_nodes = len(start) - 1
    label = np.full(n_arcs, -1, dtype=np.int64)
    taken = np.zeros(n_arcs, dtype=np.bool_)
    entered = np.zeros(n_nodes, dtype=np.int64)  # when the node was first seen, from 1
    reach = np.zeros(n_nodes, dtype=np.int64)  # the earliest node that its part of the tree has an arc to
    following = start[:n_nodes].copy()
    height = np.zeros(n_nodes, dtype=np.int64)  # of the pile of arcs when the node was entered
    path = np.empty(n_nodes, dtype=np.int64)
    pile = np.empty(n_arcs, dtype=np.int64)
    clock, n_labels, n_pile = 0, 0, 0
    for first in range(n_nodes):
        if entered[first] != 0:
            continue
        clock += 1
        entered[first] = reach[first] = clock
        path[0], depth = first, 1
        while depth > 0:
            v = path[depth - 1]
            if following[v] < start[v + 1]:
                k = following[v]
                following[v] += 1
                if taken[arc[k]]:
                    continue
                taken[arc[k]] = True
                w = other[k]
                if entered[w] == 0:
                    clock += 1
                    entered[w] = reach[w] = clock
                    height[w] = n_pile
                    path[depth] = w
                    depth += 1
                else:
                    reach[v] = min(reach[v], entered[w])
                pile[n_pile] = arc[k]
                n_pile += 1
                continue
            depth -= 1
            if depth == 0:
                break
            before = path[depth - 1]
            reach[before] = min(reach[before], reach[v])
            if reach[v] >= entered[before]:
                while n_pile > height[v]:
                    n_pile -= 1
                    label[pile[n_pile]] = n_labels
                n_labels += 1
    return label


@jit
def push(
    start: np.ndarray,
    other: np.ndarray,
    mate: np.ndarray,
    room: np.ndarray,
    back: np.ndarray,
    least_room: np.ndarray,
    asked: np.ndarray,
    first: int,
    most_work: int,
    keep: bool,
) -> int:
    """Push as much flow as possible through each asked place in turn; how many are done when the work is.

    `room` is what can still be pushed out through a place, `back` the room of its mate: kept twice, so that both
    searches read along memory. `least_room` collects the least room that any flow on the way left at a place; a place
    where that is 0 needs no search. Every flow on the way is feasible. With `keep`, what went through an asked place is
    never taken back later.

    Flow returns from the far end to the near end along shortest paths, found by breadth-first searches from both ends:
    always the frontier with fewer places moves, and when one has nowhere to go, nothing more can pass.
    """
    n_nodes = len(start) - 1
    mark = np.zeros(n_nodes, dtype=np.int64)
    via = np.empty(n_nodes, dtype=np.int64)
    out_queue = np.empty(n_nodes, dtype=np.int64)
    in_queue = np.empty(n_nodes, dtype=np.int64)
    stamp, work = 0, 0
    for number in range(first, len(asked)):
        through = asked[number]
        if least_room[through] == 0:
            continue
        twin = mate[through]
        source, goal = other[through], other[twin]
        limit, reverse, moved, full = room[through], room[twin], 0, False
        # the arc itself is no way back
        room[through] = room[twin] = back[through] = back[twin] = 0
        while moved < limit:
            stamp += 2
            outward, inward = stamp, stamp + 1
            mark[source], mark[goal] = outward, inward
            out_queue[0], out_head, out_end = source, 0, 1
            in_queue[0], in_head, in_end = goal, 0, 1
            out_size = start[source + 1] - start[source]  # places of the frontiers
            in_size = start[goal + 1] - start[goal]
            middle = -1  # the place where the searches meet
            while middle < 0 and out_head < out_end and in_head < in_end:
                if out_size <= in_size:
                    level, out_size = out_end, 0
                    while out_head < level and middle < 0:
                        v = out_queue[out_head]
                        out_head += 1
                        a, b = start[v], start[v + 1]
                        for k in range(a, b):
                            if room[k] > 0:
                                w = other[k]
                                if mark[w] == inward:
                                    middle = k
                                    b = k + 1
                                    break
                                if mark[w] != outward:
                                    mark[w] = outward
                                    via[w] = k
                                    out_queue[out_end] = w
                                    out_end += 1
                                    out_size += start[w + 1] - start[w]
                        work += b - a
                else:
                    level, in_size = in_end, 0
                    while in_head < level and middle < 0:
                        v = in_queue[in_head]
                        in_head += 1
                        a, b = start[v], start[v + 1]
                        for k in range(a, b):
                            if back[k] > 0:
                                w = other[k]
                                if mark[w] == outward:
                                    middle = mate[k]
                                    b = k + 1
                                    break
                                if mark[w] != inward:
                                    mark[w] = inward
                                    via[w] = mate[k]
                                    in_queue[in_end] = w
                                    in_end += 1
                                    in_size += start[w + 1] - start[w]
                        work += b - a
            if middle < 0:
                full = True
                break
            amount = min(limit - moved, room[middle])
            v = other[mate[middle]]
            while v != source:
                amount = min(amount, room[via[v]])
                v = other[mate[via[v]]]
            v = other[middle]
            while v != goal:
                amount = min(amount, room[via[v]])
                v = other[via[v]]
            moved += amount
            k = middle
            v = other[mate[middle]]
            forward = False
            while True:
                m = mate[k]
                room[k] -= amount
                back[m] = room[k]
                room[m] += amount
                back[k] = room[m]
                least_room[k] = min(least_room[k], room[k])
                if not forward:
                    if v != source:
                        k = via[v]
                        v = other[mate[k]]
                        continue
                    forward = True
                    v = other[middle]
                if v == goal:
                    break
                k = via[v]
                v = other[k]
            if work > most_work:
                break
        least_room[through] = min(least_room[through], limit - moved)
        room[through] = back[twin] = limit - moved
        room[twin] = back[through] = reverse if keep else reverse + moved
        if work > most_work:
            return number + 1 if full or moved == limit else number
    return len(asked)
