"""Windows of counters, one for each question: they cover the values that came up, and grow as more do.

Counter k of a window stands for the 2^shift values from origin + k 2^shift on; origins are multiples of 2^shift, so that
windows of different chains fit into each other. Memory grows with the values that come up, and never beyond a number of
counters per question: cells in the millions are counted in bins.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit

MOST_COUNTERS = 1024
"""Counters of one question."""
COUNTERS_OF_ALL = 8_000_000
"""Counters of all questions of a chain, about."""
FARTHEST = 1 << 62
"""No window begins or ends farther from 0."""
AT_FIRST = 32
PAD = 16
"""Places around what a chain writes to, so that threads never share a cache line."""


class Windows(NamedTuple):
    """Where each question's counters are (`size` + 1 places from `start` on), what they stand for, and the counters."""

    start: np.ndarray
    origin: np.ndarray
    size: np.ndarray
    shift: np.ndarray
    counters: np.ndarray
    credits: np.ndarray
    """How many credits each question had."""
    top: np.ndarray
    """[0]: where free room begins."""
    quick: np.ndarray
    """[question]: start - origin, the least and the last value of the window; 32 bytes side by side, as steps look these up
    all the time. Where counters stand for several values no value is between the two, so that the long way is taken."""


def apart(values: np.ndarray) -> np.ndarray:
    """A copy that shares no cache line with anything else."""
    padded = zeros_apart(len(values), values.dtype)
    padded[:] = values
    return padded


def zeros_apart(n: int, dtype: np.typing.DTypeLike = np.float64) -> np.ndarray:
    """Zeros that share no cache line with anything else."""
    return np.zeros(n + 2 * PAD, dtype=dtype)[PAD : PAD + n]


def most_counters(n_questions: int) -> int:
    """How many counters one question may have where there are so many questions."""
    return int(np.clip(COUNTERS_OF_ALL // max(1, n_questions), 64, MOST_COUNTERS))


def first_windows(values: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> Windows:
    """Small windows about some values, whole ones where the bounds are close."""
    origin = np.where(upper - lower < AT_FIRST, lower, np.clip(values - AT_FIRST // 2, lower, upper))
    return empty_windows(origin, np.minimum(upper - origin + 1, AT_FIRST), np.zeros(len(values), dtype=np.int64))


def empty_windows(origin: np.ndarray, size: np.ndarray, shift: np.ndarray) -> Windows:
    """Windows in which nothing was counted yet."""
    start = np.concatenate([[0], np.cumsum(size + 1)]).astype(np.int64)
    n = len(origin)
    windows = Windows(
        start=apart(start[:-1]),
        origin=apart(origin.astype(np.int64)),
        size=apart(size.astype(np.int64)),
        shift=apart(shift.astype(np.int64)),
        counters=zeros_apart(int(start[-1] + start[-1] // 2)),
        credits=zeros_apart(n),
        top=apart(start[-1:]),
        quick=zeros_apart(4 * n, np.int64).reshape(n, 4),
    )
    _note_quick(windows, np.arange(n))
    return windows


def windows_from(
    start: np.ndarray,
    origin: np.ndarray,
    size: np.ndarray,
    shift: np.ndarray,
    counters: np.ndarray,
    credits: np.ndarray,
    top: np.ndarray,
) -> Windows | None:
    """Windows from their arrays; None where these do not fit each other, so that counting would go astray."""
    places, sums = (start, origin, size, shift, top), (counters, credits)
    if any(array.dtype != np.int64 or array.ndim != 1 for array in places) or any(
        array.dtype != np.float64 or array.ndim != 1 for array in sums
    ):
        return None
    n = len(start)
    if any(len(array) != n for array in (origin, size, shift, credits)) or len(top) != 1:
        return None
    room = len(counters)
    fits = (start >= 0) & (size >= 1) & (size < room - start) & (shift >= 0) & (shift < 50)
    if not fits.all() or not 0 <= top[0] <= room or (np.abs(origin) > FARTHEST).any():
        return None
    if ((origin >> shift << shift) != origin).any() or (size > FARTHEST >> shift).any():
        return None
    quick = zeros_apart(4 * n, np.int64).reshape(n, 4)
    windows = Windows._make([*map(apart, (start, origin, size, shift, counters, credits, top)), quick])
    _note_quick(windows, np.arange(n))
    return windows


def widened(windows: Windows, questions: np.ndarray, low: np.ndarray, high: np.ndarray, most: int) -> Windows:
    """Windows in which each of some questions has room for the values from low to high, whether counters are differences or
    plain counts."""
    origin, size, shift = windows.origin[questions], windows.size[questions], windows.shift[questions]
    old_high = origin + (size << shift) - 1
    # More room than needed on the side that was too short, so that growing stays rare.
    spare = np.maximum((old_high - origin + 1) // 2, AT_FIRST)
    new_low = np.where(low < origin, np.maximum(low - spare, np.minimum(low, 0)), origin)
    new_high = np.where(high > old_high, high + spare, old_high)
    new_shift = shift.copy()
    while True:
        begin = new_low >> new_shift << new_shift
        new_size = ((new_high - begin) >> new_shift) + 1
        over = new_size > most
        if not over.any():
            break
        tight = over & ((np.maximum(high, old_high) - np.minimum(low, origin)) >> new_shift >= most - 1)
        # First without the spare room, then with coarser counters.
        slack = over & ~tight
        new_low = np.where(slack, np.minimum(low, origin), new_low)
        new_high = np.where(slack, np.minimum(new_low + ((most - 1) << new_shift) - 1, new_high), new_high)
        new_shift = new_shift + tight
    return _placed(windows, questions, begin, new_size, new_shift)


def _placed(
    windows: Windows, questions: np.ndarray, origin: np.ndarray, size: np.ndarray, shift: np.ndarray
) -> Windows:
    """Move the windows of some questions to free room, all of them to a new place where there is too little."""
    wanted = int((size + 1).sum())
    if windows.top[0] + wanted > len(windows.counters):
        sizes = windows.size.copy()
        sizes[questions] = np.maximum(size, sizes[questions])
        start = np.concatenate([[0], np.cumsum(windows.size + 1)]).astype(np.int64)
        counters = zeros_apart(int((sizes + 1).sum() * 5 // 4) + wanted + 1024)
        _move_all(windows, start, counters)
        windows = windows._replace(start=apart(start[:-1]), counters=counters, top=apart(start[-1:]))
        _note_quick(windows, np.arange(len(sizes)))
    _move_some(windows, questions, origin, size, shift)
    _note_quick(windows, questions)
    return windows


def _note_quick(windows: Windows, questions: np.ndarray) -> None:
    """Bring up to date what steps look up of some questions."""
    start, origin, size = windows.start[questions], windows.origin[questions], windows.size[questions]
    single = windows.shift[questions] == 0
    windows.quick[questions, 0] = start - origin
    windows.quick[questions, 1] = np.where(single, origin, np.iinfo(np.int64).max)
    windows.quick[questions, 2] = np.where(single, origin + size - 1, np.iinfo(np.int64).min)


def compact(windows: Windows) -> Windows:
    """The same windows one after the other, if moving about has left much room unused."""
    needed = int((windows.size + 1).sum())
    if len(windows.counters) < 1.3 * needed + 1024:
        return windows
    start = np.concatenate([[0], np.cumsum(windows.size + 1)]).astype(np.int64)
    counters = zeros_apart(needed + needed // 8)
    _move_all(windows, start, counters)
    moved = windows._replace(start=apart(start[:-1]), counters=counters, top=apart(start[-1:]))
    _note_quick(moved, np.arange(len(start) - 1))
    return moved


@jit
def _move_all(windows: Windows, start: np.ndarray, counters: np.ndarray) -> None:
    for q in range(len(windows.start)):
        for k in range(windows.size[q] + 1):
            counters[start[q] + k] = windows.counters[windows.start[q] + k]


@jit
def _move_some(
    windows: Windows, questions: np.ndarray, origin: np.ndarray, size: np.ndarray, shift: np.ndarray
) -> None:
    """Copy counters to wider windows, joined where these are coarser. Sums of differences are differences of sums."""
    counters = windows.counters
    for i in range(len(questions)):
        q = questions[i]
        begin = windows.top[0]
        for k in range(size[i] + 1):
            counters[begin + k] = 0.0
        old, offset = windows.shift[q], windows.origin[q]
        finer, carried = shift[i] - old, 0.0
        for k in range(windows.size[q] + 1):
            place = (offset + (k << old) - origin[i]) >> shift[i]
            if finer == 0:
                counters[begin + place] += counters[windows.start[q] + k]
                continue
            # Joined counters: from differences to plain counts, added up, and back.
            carried += counters[windows.start[q] + k]
            if k < windows.size[q]:
                counters[begin + place] += carried
                counters[begin + place + 1] -= carried
        windows.start[q], windows.origin[q], windows.size[q], windows.shift[q] = begin, origin[i], size[i], shift[i]
        windows.top[0] = begin + size[i] + 1


def joined(windows: Windows, questions: np.ndarray, shift: np.ndarray) -> Windows:
    """Windows in which the counters of some questions are no finer than this."""
    coarser = shift > windows.shift[questions]
    questions, shift = questions[coarser], shift[coarser]
    if not len(questions):
        return windows
    high = windows.origin[questions] + (windows.size[questions] << windows.shift[questions]) - 1
    origin = windows.origin[questions] >> shift << shift
    return _placed(windows, questions, origin, ((high - origin) >> shift) + 1, shift)


def cover(windows: Windows, others: Windows, most: int) -> Windows:
    """Windows with room for all that others have counted, and no finer counters than theirs."""
    high, other_high = (either.origin + (either.size << either.shift) - 1 for either in (windows, others))
    low = np.minimum(windows.origin, others.origin)
    windows = joined(windows, np.arange(len(windows.start)), others.shift)
    short = np.flatnonzero((others.origin < windows.origin) | (other_high > high))
    return widened(windows, short, low[short], np.maximum(high, other_high)[short], most) if len(short) else windows


@jit
def add_to(total: Windows, fresh: Windows) -> None:
    """Add what was counted to windows that cover it (both in differences)."""
    for q in range(len(fresh.start)):
        total.credits[q] += fresh.credits[q]
        if fresh.credits[q] == 0.0:
            continue
        at, begin, shift = fresh.start[q], total.start[q], total.shift[q]
        if shift == fresh.shift[q]:
            place = begin + ((fresh.origin[q] - total.origin[q]) >> shift)
            for k in range(fresh.size[q] + 1):
                total.counters[place + k] += fresh.counters[at + k]
            continue
        count = 0.0
        for k in range(fresh.size[q]):
            count += fresh.counters[at + k]
            place = begin + ((fresh.origin[q] + (k << fresh.shift[q]) - total.origin[q]) >> shift)
            total.counters[place] += count
            total.counters[place + 1] -= count


@jit
def clear(windows: Windows) -> None:
    """Forget what was counted, keep the windows."""
    for q in range(len(windows.start)):
        windows.credits[q] = 0.0
        for k in range(windows.size[q] + 1):
            windows.counters[windows.start[q] + k] = 0.0


@jit
def log_densities(windows: Windows, logs: np.ndarray) -> None:
    """Write log2 of the share of each value (the counter's share over its values); never less than half a credit's."""
    for q in range(len(windows.start)):
        at, count, width = windows.start[q], 0.0, float(1 << windows.shift[q])
        number = max(windows.credits[q], 1.0)
        for k in range(windows.size[q]):
            count += windows.counters[at + k]
            logs[at + k] = np.log2(max(count, 0.5) / (number * width))


@jit
def surprises(fresh: Windows, reference: Windows, logs: np.ndarray, totals: np.ndarray) -> None:
    """For each question the sum of the surprisals, -log2 of the reference's shares, over all that was counted."""
    for q in range(len(fresh.start)):
        at, count, total = fresh.start[q], 0.0, 0.0
        begin, origin, shift = reference.start[q], reference.origin[q], reference.shift[q]
        least = np.log2(0.5 / (max(reference.credits[q], 1.0) * float(1 << shift)))
        for k in range(fresh.size[q]):
            count += fresh.counters[at + k]
            if count > 1e-12:
                place = (fresh.origin[q] + (k << fresh.shift[q]) - origin) >> shift
                total -= count * (logs[begin + place] if 0 <= place < reference.size[q] else least)
        totals[q] = total


@jit
def value_sums(windows: Windows, centre: np.ndarray, totals: np.ndarray) -> None:
    """For each question the sum of x - centre over all that was counted."""
    for q in range(len(windows.start)):
        at, count, total, width = windows.start[q], 0.0, 0.0, 1 << windows.shift[q]
        value = float(windows.origin[q]) - centre[q] + 0.5 * (width - 1)
        for k in range(windows.size[q]):
            count += windows.counters[at + k]
            total += count * value
            value += width
        totals[q] = total


def shares(windows: Windows, q: int) -> np.ndarray:
    """The share of each counter of a question."""
    plain = np.cumsum(windows.counters[windows.start[q] : windows.start[q] + windows.size[q]])
    # What cancelled in differences leaves rounding errors behind, far below any credit.
    plain[plain < 1e-9 * max(1.0, plain.max(initial=0.0))] = 0.0
    total = plain.sum()
    return plain / total if total > 0 else plain


@jit
def entropies(windows: Windows, bits: np.ndarray, seen: np.ndarray) -> None:
    """Write the entropy of each question's shares in bits, and how many of its counters have any.

    Within a counter of several values all are taken to be alike.
    """
    for q in range(len(windows.start)):
        at, count, total, most = windows.start[q], 0.0, 0.0, 0.0
        for k in range(windows.size[q]):
            count += windows.counters[at + k]
            total += max(count, 0.0)
            most = max(most, count)
        least, count, entropy, number = 1e-9 * most, 0.0, 0.0, 0
        for k in range(windows.size[q]):
            count += windows.counters[at + k]
            if count > least:
                share = count / total
                entropy -= share * np.log2(share)
                number += 1
        bits[q] = entropy + windows.shift[q] if number else 0.0
        seen[q] = number


@jit
def plain_counts(windows: Windows, starts: np.ndarray, counts: np.ndarray) -> None:
    """Write what was counted, question after question without room in between."""
    at = 0
    for q in range(len(windows.start)):
        starts[q], count = at, 0.0
        for k in range(windows.size[q]):
            count += windows.counters[windows.start[q] + k]
            counts[at] = count if count > 1e-9 else 0.0
            at += 1
