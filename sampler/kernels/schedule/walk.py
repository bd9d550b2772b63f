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

from ....base.jit import jit_inlined, jit_lean
from ....base.random_streams import below, next_word
from ....fiber.blocks.own_bounds import upper_of_their_own
from ....fiber.blocks.presolve import Block
from ....moves.families.listed import Listed
from ...lines.weights import ALIKE, MIXED, Weights
from .lines import Move, another_point, ratio_ahead, ratio_back, slice_in_window, weigh_points

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
    single: np.ndarray
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
    single = np.bincount(entry_move, weights=np.abs(steps) != 1, minlength=n_moves) == 0
    log_tilt = np.bincount(entry_move, weights=steps * weights.log_mean[columns], minlength=n_moves)
    # Products of counts, one for each column of a move, must not overflow.
    size = np.bincount(entry_move, weights=np.log(np.maximum(block.upper[columns], 0) + 2.0), minlength=n_moves)
    by_ratios = single & (weights.kind != MIXED) & (np.abs(log_tilt) + size < 500.0)
    arrays = ListedArrays(
        start=start,
        middle=middle,
        columns=columns,
        sizes=np.abs(steps),
        single=single.astype(np.uint8),
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


class Here(NamedTuple):
    """The table that is walked from, and its bounds."""

    lower: np.ndarray
    upper: np.ndarray
    table: np.ndarray


@jit_inlined
def _watch(bit, at_lower, at_upper, low_mask, high_mask):  # type: ignore[no-untyped-def]
    """Set the bits of a column that is at a bound."""
    if bit >= 0:
        low_mask[bit >> 6] |= np.uint64(at_lower) << np.uint64(bit & 63)
        high_mask[bit >> 6] |= np.uint64(at_upper) << np.uint64(bit & 63)


@jit_inlined
def _begin_masks(moves, here, room, small):  # type: ignore[no-untyped-def]
    """Write down which columns are at their bounds; `small` where every column has its bit, in one word."""
    lower, upper, table = here
    for w in range(len(room.low_mask)):
        room.low_mask[w] = room.high_mask[w] = np.uint64(0)
    if small:
        low, high = np.uint64(0), np.uint64(0)
        for j in range(len(table)):
            low |= np.uint64(table[j] == lower[j]) << np.uint64(moves.bit[j] & 63)
            high |= np.uint64(moves.capped and table[j] == upper[j]) << np.uint64(moves.bit[j] & 63)
        room.low_mask[0], room.high_mask[0] = low, high
    else:
        for j in range(len(table)):
            at_upper = moves.capped and table[j] == upper[j]
            _watch(moves.bit[j], table[j] == lower[j], at_upper, room.low_mask, room.high_mask)


@jit_inlined
def _next_open(needs, low_mask, high_mask, i, end):  # type: ignore[no-untyped-def]
    """The next entry that the masks leave room for, in one direction at least."""
    words = needs.shape[1] // 2
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


@jit_inlined
def _reach(moves, here, move):  # type: ignore[no-untyped-def]
    """How often a move can be made forwards, and backwards."""
    lower, upper, table = here
    ahead, back = ENDLESS, ENDLESS
    if move.single and not moves.capped:
        for e in range(move.begin, move.middle):
            j = moves.columns[e]
            back = min(back, table[j] - lower[j])
        for e in range(move.middle, move.stop):
            j = moves.columns[e]
            ahead = min(ahead, table[j] - lower[j])
        return ahead, back
    for e in range(move.begin, move.stop):
        j, size = moves.columns[e], moves.sizes[e]
        above = (upper[j] - table[j]) // size if moves.capped else ENDLESS
        under = (table[j] - lower[j]) // size
        if e < move.middle:
            ahead, back = min(ahead, above), min(back, under)
        else:
            ahead, back = min(ahead, under), min(back, above)
    return ahead, back


@jit_inlined
def _evenly(back, others, word, random):  # type: ignore[no-untyped-def]
    """Another point of the line, each as probable."""
    number = np.uint64(others)
    product = (word >> np.uint64(32)) * number
    low_half = product & np.uint64(0xFFFFFFFF)
    # Lines longer than 32 bits can tell, and words that would favour some points, get words of their own.
    if others >= TOO_WIDE or (low_half < number and low_half < np.uint64(0x100000000) % number):
        times = below(random, others) - back
    else:
        times = np.int64(product >> np.uint64(32)) - back
    return times + 1 if times >= 0 else times


@jit_inlined
def _the_other(moves, table, move, ahead, word):  # type: ignore[no-untyped-def]
    """The other point of a line of two, or 0 where it is not accepted."""
    gain, loss = ratio_ahead(moves, table, move, 0) if ahead == 1 else ratio_back(moves, table, move, 0)
    if (word >> np.uint64(11)) * (1.0 / 9007199254740992.0) * loss < gain:
        return 1 if ahead == 1 else -1
    return 0


@jit_inlined
def _times(moves, weights, table, move, ahead, back, random, weight):  # type: ignore[no-untyped-def]
    """How often a move is made, from the law along its line."""
    word, others = next_word(random), ahead + back
    if (word & np.uint64(LAZY - 1)) == 0:
        return 0
    if weights.kind == ALIKE:
        return _evenly(back, others, word, random)
    if others == 1 and move.tilt > 0.0:
        return _the_other(moves, table, move, ahead, word)
    if others < len(weight):
        weigh_points(weights, moves, table, move, back, ahead, weight)
        # Here the line's law is weight[:others + 1] over its sum, the current point at weight[back].
        return another_point(weight, back, others, word, random)
    return slice_in_window(weights, moves, table, move, back, ahead, random)


@jit_inlined
def _make(moves, table, move, times):  # type: ignore[no-untyped-def]
    """Make a move so many times."""
    if move.single:
        for e in range(move.begin, move.middle):
            table[moves.columns[e]] += times
        for e in range(move.middle, move.stop):
            table[moves.columns[e]] -= times
    else:
        for e in range(move.begin, move.middle):
            table[moves.columns[e]] += times * moves.sizes[e]
        for e in range(move.middle, move.stop):
            table[moves.columns[e]] -= times * moves.sizes[e]


@jit_inlined
def _may_touch(moves, move, times, ahead, back):  # type: ignore[no-untyped-def]
    """The columns of a move that may be at a bound after it was made: from which entry to which.

    Inside its range a line of sizes 1 touches no bound; at its end those that lose do, or any if capped.
    """
    if not move.single or moves.capped:
        return move.begin, move.stop
    if times == ahead:
        return move.middle, move.stop
    if times == -back:
        return move.begin, move.middle
    return move.stop, move.stop


@jit_inlined
def _renew_masks(moves, here, room, i, touched, small):  # type: ignore[no-untyped-def]
    """Write down which columns of the schedule's entry i are at their bounds now; only some of them may be."""
    lower, upper, table = here
    first, last = touched
    needs, low_mask, high_mask = moves.needs, room.low_mask, room.high_mask
    if small:  # in registers: one column after the other through memory would take longer than the rest
        keep = ~(needs[i, 0] | needs[i, 1])
        low, high = low_mask[0] & keep, high_mask[0] & keep
        for e in range(first, last):
            j = moves.columns[e]
            low |= np.uint64(table[j] == lower[j]) << np.uint64(moves.bit[j])
            if moves.capped:
                high |= np.uint64(table[j] == upper[j]) << np.uint64(moves.bit[j])
        low_mask[0], high_mask[0] = low, high
    else:
        words = needs.shape[1] // 2
        for w in range(words):
            keep = ~(needs[i, w] | needs[i, words + w])
            low_mask[w] &= keep
            high_mask[w] &= keep
        for e in range(first, last):
            j = moves.columns[e]
            _watch(moves.bit[j], table[j] == lower[j], moves.capped and table[j] == upper[j], low_mask, high_mask)


@jit_lean
def walk_entries(arrays, weights, lower, upper, table, random, steps, room):  # type: ignore[no-untyped-def]
    """Go through `steps` entries of the schedule, blocked or not, changing the table in place; how many were not blocked."""
    schedule = len(arrays.order)
    if schedule == 0:
        return 0
    here = Here(lower, upper, table)
    small = arrays.needs.shape[1] == 2 and len(arrays.bit) <= 64
    _begin_masks(arrays, here, room, small)
    place, left, made = room.at[0], room.at[1], 0
    noting = len(room.noted) > 0
    while steps > 0:
        if left == 0:
            place, left = below(random, schedule), RUN
        end = min(place + min(left, steps), schedule)
        i = _next_open(arrays.needs, room.low_mask, room.high_mask, place, end)
        is_open = i < end
        passed = i - place + 1 if is_open else i - place
        steps -= passed
        left -= passed
        place += passed
        if place == schedule:
            place = 0
        if not is_open:
            continue
        k = arrays.order[i]
        move = Move(
            arrays.start[k],
            arrays.middle[k],
            arrays.start[k + 1],
            arrays.single[k] == 1,
            arrays.tilt[k],
            arrays.window[k],
        )
        ahead, back = _reach(arrays, here, move)
        if ahead + back == 0:  # sizes above 1, or columns without a bit
            continue
        made += 1
        # Here a tally has the line at hand: columns[begin:stop], of which those before `middle` run from
        # x - back*size to x + ahead*size and the rest the other way. To credit only these steps would be wrong, because
        # blocked ones say that a column stays: credit every entry's columns (a blocked one is a line of one point), or
        # credit what all columns have now for as long as they have it, and here the line's law *less* the current point,
        # which is 0 on average and needs nothing for blocked entries.
        times = _times(arrays, weights, table, move, ahead, back, random, room.weight)
        if noting:
            room.noted[k, 0] += 1.0
            room.noted[k, 1] += np.float64(times) * np.float64(times)
        if times != 0:
            _make(arrays, table, move, times)
            _renew_masks(arrays, here, room, i, _may_touch(arrays, move, times, ahead, back), small)
    room.at[0], room.at[1] = place, left
    return made
