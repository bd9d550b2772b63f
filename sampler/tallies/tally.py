"""What a chain notes down on its way: how often each question had each value, and sums for its diagnostics.

A *question* is a column of the unit or a sum of several. For each there is a window of counters, as *differences*: a credit
of w to the values from a to b adds w at a and takes it away after b, however many values these are. So under the uniform
law the whole line of a step is credited, not only the value that was drawn (a Rao-Blackwellised tally). What falls outside
a window waits in a list until the draw is over, then windows grow; counters that would be too many are joined in pairs, so
that a counter stands for 2^shift values.

Credits must not depend on where in its line the chain is: either the whole line is credited, or the point drawn, and only
the line may decide which of the two. Each is then right on average.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit_inlined, jit_inner, jit_lean
from ..lines.line import Line
from .windows import Windows, apart, first_windows, zeros_apart

BY_DRAWS, BY_STEPS, NO_CREDITS = 0, 1, 2
"""When values are credited: at every draw, at every step (whole lines), or never."""


class Tally(NamedTuple):
    """Counters and sums of one chain on one unit, all written to by its kernels."""

    windows: Windows
    waiting: np.ndarray
    """Credits that fell outside: question, first and last value."""
    n_waiting: np.ndarray
    by_steps: np.ndarray
    """[0]: BY_DRAWS, BY_STEPS or NO_CREDITS."""

    centre: np.ndarray
    sums: np.ndarray
    """Of the draws, less the centre, and their squares."""
    squares: np.ndarray

    sum_start: np.ndarray
    """Questions after the columns are sums of columns, as sparse rows."""
    sum_column: np.ndarray
    sum_value: np.ndarray

    joint_start: np.ndarray
    """Joint counts: which questions, the lowest value of each, its stride, and where the counts of each begin."""
    joint_question: np.ndarray
    joint_lowest: np.ndarray
    joint_stride: np.ndarray
    joint_first: np.ndarray
    joint_counts: np.ndarray

    kept: np.ndarray
    """Room for draws that are stored: [draw, question], of the questions `keep`."""
    keep: np.ndarray
    kept_state: np.ndarray
    """[0] draws stored, [1] draws since the last one stored, [2] draws from one to the next."""


def idle_tally(n: int, waiting: int) -> Tally:
    """A tally for draws that nobody counts, with room for so many waiting credits, as kernels look for it."""
    nothing = np.zeros(n, dtype=np.int64)
    none, single = np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64)
    return Tally(
        windows=first_windows(nothing, nothing, nothing),
        waiting=np.zeros((waiting, 3), dtype=np.int64),
        n_waiting=zeros_apart(1, np.int64),
        by_steps=apart(np.full(1, NO_CREDITS, dtype=np.int64)),
        centre=np.zeros(n),
        sums=zeros_apart(n),
        squares=zeros_apart(n),
        sum_start=single,
        sum_column=none,
        sum_value=none,
        joint_start=single,
        joint_question=none,
        joint_lowest=none,
        joint_stride=none,
        joint_first=single,
        joint_counts=none,
        kept=np.zeros((0, 0), dtype=np.int64),
        keep=none,
        kept_state=zeros_apart(3, np.int64),
    )


@jit_inlined
def credit(tally: Tally, q: int, low: int, high: int) -> None:
    """Credit the values from low to high of a question, one credit shared by all."""
    credit_share(tally, np.uint64(q), low, high, 1.0 / (high - low + 1))


@jit_inlined
def credit_share(tally: Tally, q: np.uint64, low: int, high: int, share: float) -> None:
    """Credit a share to each of the values from low to high of a question; together they are one credit.

    Places are unsigned, as numba asks of signed ones whether they are negative, each time.
    """
    quick = tally.windows.quick
    if low < quick[q, np.uint64(1)] or high > quick[q, np.uint64(2)]:
        _credit_bins(tally, q, low, high, share)
        return
    tally.windows.credits[q] += 1.0
    counters, at = tally.windows.counters, quick[q, np.uint64(0)]
    counters[np.uint64(at + low)] += share
    counters[np.uint64(at + high + 1)] -= share


@jit_inner
def _credit_bins(tally: Tally, q: np.uint64, low: int, high: int, share: float) -> None:
    """The same where the window is too narrow, or its counters stand for several values."""
    windows = tally.windows
    origin, shift = windows.origin[q], windows.shift[q]
    first, last = (low - origin) >> shift, (high - origin) >> shift
    if first < 0 or last >= windows.size[q]:
        k = tally.n_waiting[0]
        tally.waiting[k, 0], tally.waiting[k, 1], tally.waiting[k, 2] = np.int64(q), low, high
        tally.n_waiting[0] = k + 1
        return
    windows.credits[q] += 1.0
    at = windows.start[q]
    counters = windows.counters
    if first == last:
        counters[at + first] += 1.0
        counters[at + first + 1] -= 1.0
        return
    # The first and the last counter are covered in part.
    full = share * (1 << shift)
    at_first = share * (origin + ((first + 1) << shift) - low)
    at_last = share * (high + 1 - origin - (last << shift))
    counters[at + first] += at_first
    counters[at + first + 1] += full - at_first
    counters[at + last] += at_last - full
    counters[at + last + 1] -= at_last


@jit_lean
def give_credits(tally: Tally, credits: np.ndarray) -> None:
    """Give credits (question, first and last value), for which the windows are wide enough."""
    for k in range(len(credits)):
        credit(tally, credits[k, 0], credits[k, 1], credits[k, 2])


@jit_inlined
def credit_line(tally: Tally, q: int, x: int, step: int, low: int, high: int, weight: np.ndarray, total: float) -> bool:
    """Credit the points low, ..., high of a weighted line; False where they do not fit one by one into the window."""
    windows = tally.windows
    if windows.shift[q] != 0 or abs(step) != 1:
        return False
    n = high - low + 1
    least = x + step * low if step > 0 else x + step * high
    first = least - windows.origin[q]
    if first < 0 or first + n > windows.size[q]:
        return False
    windows.credits[q] += 1.0
    counters, at = windows.counters, windows.start[q] + first
    before, scale = 0.0, 1.0 / total
    for i in range(n):
        share = scale * (weight[i] if step > 0 else weight[n - 1 - i])
        counters[at + i] += share - before
        before = share
    counters[at + n] -= before
    return True


@jit_inlined
def credit_step(tally: Tally, line: Line, times: int, weight: np.ndarray, total: float) -> None:
    """Credit every column of a move for a step along its line, before the step is made.

    A positive `total` is the sum of the weights along the line; 0 says that the line is uniform; a negative one says that
    the weights are not known, and then only the point drawn is credited.
    """
    low, high = line.low, line.high
    for e in range(line.begin, line.end):
        j, step = line.columns[e], line.steps[e]
        x = line.table[j]
        if total > 0.0 and credit_line(tally, j, x, step, low, high, weight, total):
            continue
        if total == 0.0 and (step == 1 or step == -1):
            if step > 0:
                credit(tally, j, x + low, x + high)
            else:
                credit(tally, j, x - high, x - low)
        else:
            credit(tally, j, x + step * times, x + step * times)


@jit_inlined
def end_of_draw(tally: Tally, table: np.ndarray) -> None:
    """Note a draw: sums and squares of every question, joint counts, and the values themselves where they are wanted."""
    sums, squares, centre = tally.sums, tally.squares, tally.centre
    for j in range(len(table)):
        deviation = table[j] - centre[j]
        sums[j] += deviation
        squares[j] += deviation * deviation
    asked_for_more = len(tally.sum_start) > 1 or len(tally.joint_start) > 1 or len(tally.kept) > 0
    if asked_for_more or tally.by_steps[0] == BY_DRAWS:
        _note_more(tally, table)


@jit_inner
def _note_more(tally: Tally, table: np.ndarray) -> None:
    """All that is noted of a draw only if somebody asked for it."""
    n = len(table)
    if tally.by_steps[0] == BY_DRAWS:
        for j in range(n):
            credit(tally, j, table[j], table[j])
    for r in range(len(tally.sum_start) - 1):
        x = sum_of(tally, table, r)
        deviation = x - tally.centre[n + r]
        tally.sums[n + r] += deviation
        tally.squares[n + r] += deviation * deviation
        if tally.by_steps[0] != NO_CREDITS:
            credit(tally, n + r, x, x)
    for k in range(len(tally.joint_start) - 1):
        place = tally.joint_first[k]
        for e in range(tally.joint_start[k], tally.joint_start[k + 1]):
            place += (value_of(tally, table, tally.joint_question[e]) - tally.joint_lowest[e]) * tally.joint_stride[e]
        tally.joint_counts[place] += 1
    if len(tally.kept) > 0:
        tally.kept_state[1] += 1
        if tally.kept_state[1] == tally.kept_state[2] and tally.kept_state[0] < len(tally.kept):
            row = tally.kept_state[0]
            for k in range(len(tally.keep)):
                tally.kept[row, k] = value_of(tally, table, tally.keep[k])
            tally.kept_state[0] += 1
            tally.kept_state[1] = 0


@jit_inner
def sum_of(tally: Tally, table: np.ndarray, r: int) -> int:
    """A sum of columns."""
    x = 0
    for e in range(tally.sum_start[r], tally.sum_start[r + 1]):
        x += tally.sum_value[e] * table[tally.sum_column[e]]
    return x


@jit_inner
def value_of(tally: Tally, table: np.ndarray, q: int) -> int:
    """What a question's answer is in a table."""
    return table[q] if q < len(table) else sum_of(tally, table, q - len(table))
