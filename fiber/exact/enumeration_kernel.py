"""Walk through every table of a block, depth first, and tally how often each cell has each value.

Columns come in a fixed order. Up to position `line` they are a tree: each takes every value that the equations leave it,
looking one column ahead in each. From `line` on, all columns are affine in the one at `line`: x_j = c_j + step_j t. So
the whole rest of a table is a line, whose feasible t are an interval, found at once and credited at once.
"""

from __future__ import annotations

import numpy as np

from ...base.jit import jit

# Places in the integer state of a walk, which can be left and taken up again.
DEPTH, DESCENDING, STEPS, COUNT = 0, 1, 2, 3
# ... and in its float state. Weights are kept relative to exp(REFERENCE).
REFERENCE, WEIGHT = 0, 1

DONE, PAUSED = 0, 1
FLAT = 60.0  # a table this many nats above the reference moves it, before exp() can overflow
LONG = 64


@jit
def walk(
    line: int,
    entry_start: np.ndarray,  # position -> its entries in the equations
    entry_row: np.ndarray,
    entry_coefficient: np.ndarray,
    rest_least: np.ndarray,  # per entry: least and most that later columns add to its row
    rest_most: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    deciding_row: np.ndarray,  # per position after `line`: the row that decides it, its coefficient (1 or -1)
    deciding_sign: np.ndarray,
    step: np.ndarray,
    moving: np.ndarray,  # positions on the line whose step is not 0
    line_rows: np.ndarray,  # rows that the line touches, and how fast their sum moves along it
    line_row_step: np.ndarray,
    tally_start: np.ndarray,  # position -> its part of the tallies; one place more than it has values
    any_weight: bool,
    gaps: bool,  # are there weights of zero? Then tables without weight are not counted
    log_weight: np.ndarray,  # of every place of the tallies; 0 where a column has no weights
    value: np.ndarray,  # ---- state, kept between calls ----
    last: np.ndarray,
    residual: np.ndarray,
    path_weight: np.ndarray,
    node_count: np.ndarray,
    node_weight: np.ndarray,
    whole: np.ndarray,
    real: np.ndarray,
    count_change: np.ndarray,  # tallies: of tables as differences along the values, of weights plainly
    weight_tally: np.ndarray,
    base: np.ndarray,  # scratch
    open_residual: np.ndarray,
    pause_at: int,
) -> int:
    """Go on until every table is seen (DONE) or the number of steps reaches `pause_at` (PAUSED)."""
    n = len(lower)
    depth = whole[DEPTH]
    descending = whole[DESCENDING] == 1
    steps = whole[STEPS]
    below_count = whole[COUNT]
    reference = real[REFERENCE]
    below_weight = real[WEIGHT]
    while depth >= 0:
        if descending:
            # The values that the equations leave the column at `depth`, given all before it.
            if steps >= pause_at:
                break
            steps += 1
            low, high = lower[depth], upper[depth]
            for e in range(entry_start[depth], entry_start[depth + 1]):
                a, open_sum = entry_coefficient[e], residual[entry_row[e]]
                most, least = open_sum - rest_least[e], open_sum - rest_most[e]
                if a > 0:
                    high = min(high, most // a)
                    low = max(low, -((-least) // a))
                else:
                    low = max(low, -(most // -a))
                    high = min(high, (-least) // -a)
        if descending and depth < line:
            if low > high:
                below_count, below_weight, descending = 0, 0.0, False
                depth -= 1
                continue
            value[depth], last[depth] = low, high
            node_count[depth], node_weight[depth] = 0, 0.0
            for e in range(entry_start[depth], entry_start[depth + 1]):
                residual[entry_row[e]] -= entry_coefficient[e] * low
            if any_weight:
                path_weight[depth + 1] = path_weight[depth] + log_weight[tally_start[depth] + low - lower[depth]]
            depth += 1
        elif descending:
            # The line: its column takes t from that range, the later ones follow. Their values at t = 0 come first.
            if low <= high:
                for i in range(len(line_rows)):
                    open_residual[line_rows[i]] = residual[line_rows[i]]
                base[line] = 0
                for j in range(line + 1, n):
                    c = open_residual[deciding_row[j]] * deciding_sign[j]
                    base[j] = c
                    for e in range(entry_start[j], entry_start[j + 1]):
                        open_residual[entry_row[e]] -= entry_coefficient[e] * c
                    s = step[j]
                    if s == 1:
                        low = max(low, lower[j] - c)
                        high = min(high, upper[j] - c)
                    elif s == -1:
                        low = max(low, c - upper[j])
                        high = min(high, c - lower[j])
                    elif s == 0:
                        if c < lower[j] or c > upper[j]:
                            high = low - 1
                    elif s > 0:
                        low = max(low, -((c - lower[j]) // s))
                        high = min(high, (upper[j] - c) // s)
                    else:
                        low = max(low, -((upper[j] - c) // -s))
                        high = min(high, (c - lower[j]) // -s)
                    if low > high:
                        break
            if low <= high:
                for i in range(len(line_rows)):
                    left, speed = open_residual[line_rows[i]], line_row_step[i]
                    if speed == 0:
                        if left != 0:
                            high = low - 1
                            break
                    else:
                        t = left // speed
                        if t * speed != left:
                            high = low - 1
                            break
                        low, high = max(low, t), min(high, t)
            if low > high:
                below_count, below_weight = 0, 0.0
            else:
                below_count = high - low + 1
                below_weight = 0.0
                for j in range(line, n):
                    base[j] += tally_start[j] - lower[j]  # from here on the place of x_j at t = 0 in the tallies
                if not gaps:
                    for j in range(line, n):
                        s, place = step[j], base[j]
                        if s == 0:
                            count_change[place] += below_count
                            count_change[place + 1] -= below_count
                        elif s == 1 or s == -1:
                            first = place + low if s == 1 else place - high
                            count_change[first] += 1
                            count_change[first + below_count] -= 1
                        else:
                            for t in range(low, high + 1):
                                count_change[place + s * t] += 1
                                count_change[place + s * t + 1] -= 1
                if any_weight:
                    steps += below_count
                    if gaps:
                        below_count = 0
                    still = path_weight[line]
                    for j in range(line, n):
                        if step[j] == 0:
                            still += log_weight[base[j]]
                    top = -np.inf
                    if high - low > LONG:
                        # On a long line look for the top first: moving the reference touches every tally.
                        for t in range(low, high + 1):
                            nats = still
                            for j in moving:
                                nats += log_weight[base[j] + step[j] * t]
                            top = max(top, nats)
                    for t in range(low, high + 1):
                        nats = still
                        for j in moving:
                            nats += log_weight[base[j] + step[j] * t]
                        if gaps:
                            if nats == -np.inf:
                                continue
                            below_count += 1
                            for j in range(line, n):
                                count_change[base[j] + step[j] * t] += 1
                                count_change[base[j] + step[j] * t + 1] -= 1
                        if max(nats, top) > reference + FLAT:
                            shrink = np.exp(reference - max(nats, top))
                            for i in range(len(weight_tally)):
                                weight_tally[i] *= shrink
                            for i in range(line):
                                node_weight[i] *= shrink
                            below_weight *= shrink
                            reference = max(nats, top)
                        weight = np.exp(nats - reference)
                        below_weight += weight
                        for j in moving:
                            weight_tally[base[j] + step[j] * t] += weight
                    for j in range(line, n):
                        if step[j] == 0:
                            weight_tally[base[j]] += below_weight
            descending = False
            depth -= 1
        else:
            # Back at a column whose present value has been seen through: credit it, then take the next value.
            here = tally_start[depth] + value[depth] - lower[depth]
            count_change[here] += below_count
            count_change[here + 1] -= below_count
            node_count[depth] += below_count
            if any_weight:
                weight_tally[here] += below_weight
                node_weight[depth] += below_weight
            if value[depth] < last[depth]:
                value[depth] += 1
                for e in range(entry_start[depth], entry_start[depth + 1]):
                    residual[entry_row[e]] -= entry_coefficient[e]
                if any_weight:
                    path_weight[depth + 1] = path_weight[depth] + log_weight[here + 1]
                depth += 1
                descending = True
            else:
                for e in range(entry_start[depth], entry_start[depth + 1]):
                    residual[entry_row[e]] += entry_coefficient[e] * value[depth]
                below_count, below_weight = node_count[depth], node_weight[depth]
                depth -= 1
    whole[DEPTH], whole[DESCENDING], whole[STEPS], whole[COUNT] = depth, 1 if descending else 0, steps, below_count
    real[REFERENCE], real[WEIGHT] = reference, below_weight
    return DONE if depth < 0 else PAUSED


@jit
def probe(
    line: int,
    entry_start: np.ndarray,
    entry_row: np.ndarray,
    entry_coefficient: np.ndarray,
    rest_least: np.ndarray,
    rest_most: np.ndarray,
    lower: np.ndarray,
    upper: np.ndarray,
    b: np.ndarray,
    probes: int,
) -> float:
    """The log of about how many steps `walk` would take, from random descents (Knuth 1975).

    A step at some depth stands for the product of the choices that led there; the estimate is the mean of their sums.
    """
    total = -np.inf
    random = np.uint64(1)
    for _ in range(probes):
        residual = b.copy()
        choices = 0.0
        for depth in range(line + 1):
            total = np.logaddexp(total, choices)
            low, high = lower[depth], upper[depth]
            for e in range(entry_start[depth], entry_start[depth + 1]):
                a, open_sum = entry_coefficient[e], residual[entry_row[e]]
                most, least = open_sum - rest_least[e], open_sum - rest_most[e]
                if a > 0:
                    high = min(high, most // a)
                    low = max(low, -((-least) // a))
                else:
                    low = max(low, -(most // -a))
                    high = min(high, (-least) // -a)
            if low > high:
                break
            choices += np.log(high - low + 1)
            # One step of Steele, Lea and Flood's splitmix64.
            random += np.uint64(0x9E3779B97F4A7C15)
            mixed = (random ^ (random >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            mixed ^= mixed >> np.uint64(31)
            value = low + np.int64(mixed % np.uint64(high - low + 1))
            for e in range(entry_start[depth], entry_start[depth + 1]):
                residual[entry_row[e]] -= entry_coefficient[e] * value
    return total - np.log(probes)
