"""Hit-and-run along the moves of a list: for blocks with a stored basis, where most moves are blocked most of the time.

The moves stand in a *schedule*, in random order, the useful ones several times. The walk starts anywhere in it, goes through
RUN entries one after the other, and starts anywhere again. Two bit masks of an entry tell whether it is blocked by columns
at their bounds: most entries cost two ANDs and no random number. Each entry leaves the law as it is and the schedule never
looks at the table, so that no acceptance ratio is owed for the choice of moves.

On the line of a move another point than the current one is proposed, in proportion to its weight, and accepted with the
ratio of what is left without the old and without the new point (Metropolised Gibbs: Liu 1996). One step in LAZY stays where
it is: without this a line of two points would only alternate. On long lines under weights a slice is drawn inside a window
around the current point (Neal 2003).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ....base.jit import jit_lean
from ....base.random_streams import below, next_word
from ....fiber.blocks.own_bounds import upper_of_their_own
from ....fiber.blocks.presolve import Block
from ....moves.families.listed import Listed
from ...lines.weights import ALIKE, MIXED, Weights
from .lines import another_point, slice_in_window, weigh_points

RUN = 64
"""Entries of the schedule that are gone through before the next random place in it."""
LAZY = 16
"""One step in so many stays where it is."""
LONGEST = 32
"""Points of a line whose weights are all summed; on longer ones a slice is drawn."""
MOST_WORDS = 16
"""Words of 64 bits that tell which columns are at a bound; in larger blocks those columns that are there most often."""
ENDLESS = np.int64(2**62)
TOO_WIDE = np.int64(2**31)
"""On longer lines 32 bits of a word do not pick a point."""


class ListedArrays(NamedTuple):
    """Moves as the kernel takes them: rows of columns, those that gain first, and the schedule they are made in."""

    start: np.ndarray
    middle: np.ndarray
    """Entries start[k] to middle[k] of `columns` gain when move k is made, those up to start[k + 1] lose."""
    columns: np.ndarray
    sizes: np.ndarray
    """By how much a column gains or loses, a positive number."""
    unit: np.ndarray
    """1 where all sizes of a move are 1."""
    tilt: np.ndarray
    """The product of mean^step over the columns of a move; 0 where its weights are to be had by logarithms only."""
    window: np.ndarray
    """Points of a long line among which a slice begins, besides the current one."""
    capped: bool
    """Has any column an upper bound that the lower bounds of others do not imply?"""
    bit: np.ndarray
    """The bit of each column in the masks, -1 for none."""
    order: np.ndarray
    """The schedule: numbers of moves."""
    needs: np.ndarray
    """For each entry of the schedule the masks of the columns that gain, then of those that lose."""


class Room(NamedTuple):
    """What a walk keeps from one call to the next, and room for its work."""

    at: np.ndarray
    """The place in the schedule and the entries left before the next jump, so that many short walks are one long one."""
    noted: np.ndarray
    """For each move the steps that were not blocked and the sum of the squares of their lengths; without rows, neither."""
    low_mask: np.ndarray
    high_mask: np.ndarray
    weight: np.ndarray


def room_for(arrays: ListedArrays, *, noting: bool = False) -> Room:
    """Room for a walk that begins."""
    words = arrays.needs.shape[1] // 2
    return Room(
        at=np.zeros(2, dtype=np.int64),
        noted=np.zeros((len(arrays.middle) if noting else 0, 2)),
        low_mask=np.zeros(words, dtype=np.uint64),
        high_mask=np.zeros(words, dtype=np.uint64),
        weight=np.zeros(LONGEST),
    )


def listed_arrays(listed: Listed, block: Block, weights: Weights) -> ListedArrays:
    """The moves of a list on a block, each once in the schedule."""
    rows = sp.csr_array(listed.rows)
    n_moves, n = rows.shape
    signs, entry_move = np.sign(rows.data), np.repeat(np.arange(n_moves), np.diff(rows.indptr))
    order = np.lexsort((rows.indices, -signs, entry_move))
    columns, steps = rows.indices[order].astype(np.uint32), rows.data[order].astype(np.int64)
    start = rows.indptr.astype(np.int64)
    middle = start[:-1] + np.bincount(entry_move, weights=signs > 0, minlength=n_moves).astype(np.int64)
    unit = np.bincount(entry_move, weights=np.abs(steps) != 1, minlength=n_moves) == 0
    log_tilt = np.bincount(entry_move, weights=steps * weights.log_mean[columns], minlength=n_moves)
    # Products of counts, one for each column of a move, must not overflow.
    size = np.bincount(entry_move, weights=np.log(block.upper[columns] + 2.0), minlength=n_moves)
    by_ratios = unit & (weights.kind != MIXED) & (np.abs(log_tilt) + size < 500.0)
    arrays = ListedArrays(
        start=start,
        middle=middle,
        columns=columns,
        sizes=np.abs(steps),
        unit=unit.astype(np.uint8),
        tilt=np.where(by_ratios, np.exp(np.where(by_ratios, log_tilt, 0.0)), 0.0),
        window=np.full(n_moves, ENDLESS),
        capped=bool(upper_of_their_own(block).any()),
        bit=np.empty(0, np.int64),
        order=np.empty(0, np.int64),
        needs=np.empty((0, 2), np.uint64),
    )
    return scheduled(arrays, np.random.default_rng(0).permutation(n_moves), np.arange(n))


def scheduled(arrays: ListedArrays, order: np.ndarray, watched: np.ndarray) -> ListedArrays:
    """The same moves in another schedule; `watched` are the columns by how often they are at a bound, the most first."""
    n = len(watched)
    words = min((n + 63) // 64, MOST_WORDS)
    bit = np.full(n, -1, dtype=np.int64)
    bit[watched[: 64 * words]] = np.arange(min(n, 64 * words))
    n_moves = len(arrays.middle)
    masks = np.zeros((n_moves, 2 * words), dtype=np.uint64)
    entry_move = np.repeat(np.arange(n_moves), np.diff(arrays.start))
    loses = np.arange(len(arrays.columns)) >= arrays.middle[entry_move]
    at = bit[arrays.columns]
    seen = at >= 0
    place = (entry_move[seen], words * loses[seen] + at[seen] // 64)
    np.bitwise_or.at(masks, place, np.uint64(1) << (at[seen] % 64).astype(np.uint64))
    return arrays._replace(bit=bit, order=order.astype(np.int64), needs=np.ascontiguousarray(masks[order]))


@jit_lean
def _watch(bit, at_lower, at_upper, low_mask, high_mask):  # type: ignore[no-untyped-def]
    """Set the bits of a column that is at a bound."""
    if bit >= 0:
        low_mask[bit >> 6] |= np.uint64(at_lower) << np.uint64(bit & 63)
        high_mask[bit >> 6] |= np.uint64(at_upper) << np.uint64(bit & 63)


@jit_lean
def _next_open(needs, words, low_mask, high_mask, i, end):  # type: ignore[no-untyped-def]
    """The next entry that the masks leave room for, in one direction at least."""
    if words == 1:
        low, high = low_mask[0], high_mask[0]
        while i < end:
            gains, loses = needs[i, 0], needs[i, 1]
            if ((loses & low) | (gains & high)) == 0 or ((gains & low) | (loses & high)) == 0:
                break
            i += 1
        return i
    while i < end:
        ahead, back = np.uint64(0), np.uint64(0)
        for w in range(words):
            gains, loses = needs[i, w], needs[i, words + w]
            ahead |= (loses & low_mask[w]) | (gains & high_mask[w])
            back |= (gains & low_mask[w]) | (loses & high_mask[w])
        if ahead == 0 or back == 0:
            break
        i += 1
    return i


@jit_lean
def walk_entries(arrays, weights, lower, upper, table, random, steps, room):  # type: ignore[no-untyped-def]
    """Go through `steps` entries of the schedule, blocked or not, changing the table in place; how many were not blocked."""
    schedule = len(arrays.order)
    if schedule == 0:
        return 0
    words = arrays.needs.shape[1] // 2
    starts, middles, units, tilts, windows = arrays.start, arrays.middle, arrays.unit, arrays.tilt, arrays.window
    needs, order, bit = arrays.needs, arrays.order, arrays.bit
    kind, counted, log_mean = weights.kind, weights.counted, weights.log_mean
    value_start, first_value, value, log_factorials = (
        weights.start,
        weights.first,
        weights.value,
        weights.log_factorials,
    )
    columns, sizes, capped = arrays.columns, arrays.sizes, arrays.capped
    low_mask, high_mask, weight, noted, at = room.low_mask, room.high_mask, room.weight, room.noted, room.at
    for w in range(words):
        low_mask[w] = high_mask[w] = np.uint64(0)
    small = words == 1 and len(bit) <= 64  # every column has its bit, in one word
    if small:
        low, high = np.uint64(0), np.uint64(0)
        for j in range(len(table)):
            low |= np.uint64(table[j] == lower[j]) << np.uint64(bit[j] & 63)
            high |= np.uint64(capped and table[j] == upper[j]) << np.uint64(bit[j] & 63)
        low_mask[0], high_mask[0] = low, high
    else:
        for j in range(len(table)):
            _watch(bit[j], table[j] == lower[j], capped and table[j] == upper[j], low_mask, high_mask)
    place, left, made = at[0], at[1], 0
    noting = len(noted) > 0
    while steps > 0:
        if left == 0:
            place, left = below(random, schedule), RUN
        end = min(place + min(left, steps), schedule)
        i = _next_open(needs, words, low_mask, high_mask, place, end)
        found = i < end
        passed = i - place + 1 if found else i - place
        steps -= passed
        left -= passed
        place += passed
        if place == schedule:
            place = 0
        if not found:
            continue
        k = order[i]
        begin, middle, stop = starts[k], middles[k], starts[k + 1]
        unit, tilt = units[k] == 1, tilts[k]
        # How often the move can be made forwards, and backwards.
        ahead, back = ENDLESS, ENDLESS
        if unit and not capped:
            for e in range(begin, middle):
                j = columns[e]
                back = min(back, table[j] - lower[j])
            for e in range(middle, stop):
                j = columns[e]
                ahead = min(ahead, table[j] - lower[j])
        else:
            for e in range(begin, stop):
                j, s = columns[e], sizes[e]
                above = (upper[j] - table[j]) // s if capped else ENDLESS
                under = (table[j] - lower[j]) // s
                if e < middle:
                    ahead, back = min(ahead, above), min(back, under)
                else:
                    ahead, back = min(ahead, under), min(back, above)
        others = ahead + back
        if others == 0:  # sizes above 1, or columns without a bit
            continue
        made += 1
        # Here a tally has the line at hand: columns[begin:stop], of which those before `middle` run from
        # x - back*size to x + ahead*size and the rest the other way. To credit only these steps would be wrong, because
        # blocked ones say that a column stays: credit every entry's columns (a blocked one is a line of one point), or
        # credit what all columns have now for as long as they have it, and here the line's law *less* the current point,
        # which is 0 on average and needs nothing for blocked entries.
        word = next_word(random)
        times = 0
        if (word & np.uint64(LAZY - 1)) != 0:
            if kind == ALIKE:
                number = np.uint64(others)
                product = (word >> np.uint64(32)) * number
                part = product & np.uint64(0xFFFFFFFF)
                # Lines longer than 32 bits can tell, and words that would favour some points, get words of their own.
                if others >= TOO_WIDE or (part < number and part < np.uint64(0x100000000) % number):
                    times = below(random, others) - back
                else:
                    times = np.int64(product >> np.uint64(32)) - back
                if times >= 0:
                    times += 1
            elif others == 1 and tilt > 0.0:
                if ahead == 1:
                    gain, loss = tilt, 1.0
                    for e in range(begin, middle):
                        loss *= table[columns[e]] + 1
                    for e in range(middle, stop):
                        gain *= table[columns[e]]
                else:
                    gain, loss = 1.0, tilt
                    for e in range(begin, middle):
                        gain *= table[columns[e]]
                    for e in range(middle, stop):
                        loss *= table[columns[e]] + 1
                if (word >> np.uint64(11)) * (1.0 / 9007199254740992.0) * loss < gain:
                    times = ahead - back
            elif others < len(weight):
                weigh_points(
                    kind,
                    counted,
                    log_mean,
                    value_start,
                    first_value,
                    value,
                    log_factorials,
                    columns,
                    sizes,
                    table,
                    begin,
                    middle,
                    stop,
                    tilt,
                    back,
                    ahead,
                    weight,
                )
                # Here the line's law is weight[:others + 1] over its sum, the current point at weight[back].
                times = another_point(weight, back, others, word, random)
            else:
                times = slice_in_window(
                    kind,
                    counted,
                    log_mean,
                    value_start,
                    first_value,
                    value,
                    log_factorials,
                    columns,
                    sizes,
                    table,
                    begin,
                    middle,
                    stop,
                    windows[k],
                    back,
                    ahead,
                    random,
                )
        if noting:
            noted[k, 0] += 1.0
            noted[k, 1] += np.float64(times) * np.float64(times)
        if times != 0:
            if unit:
                for e in range(begin, middle):
                    table[columns[e]] += times
                for e in range(middle, stop):
                    table[columns[e]] -= times
            else:
                for e in range(begin, middle):
                    table[columns[e]] += times * sizes[e]
                for e in range(middle, stop):
                    table[columns[e]] -= times * sizes[e]
            # Inside its range a line of single units touches no bound; at its end those that lose do, or any if capped.
            first, last = begin, stop
            if unit and not capped:
                if times == ahead:
                    first = middle
                elif times == -back:
                    last = middle
                else:
                    first = stop
            if small:  # in registers: one column after the other through memory would take longer than the rest
                keep = ~(needs[i, 0] | needs[i, 1])
                low, high = low_mask[0] & keep, high_mask[0] & keep
                for e in range(first, last):
                    j = columns[e]
                    low |= np.uint64(table[j] == lower[j]) << np.uint64(bit[j])
                    if capped:
                        high |= np.uint64(table[j] == upper[j]) << np.uint64(bit[j])
                low_mask[0], high_mask[0] = low, high
            else:
                for w in range(words):
                    keep = ~(needs[i, w] | needs[i, words + w])
                    low_mask[w] &= keep
                    high_mask[w] &= keep
                for e in range(first, last):
                    j = columns[e]
                    _watch(bit[j], table[j] == lower[j], capped and table[j] == upper[j], low_mask, high_mask)
    at[0], at[1] = place, left
    return made
