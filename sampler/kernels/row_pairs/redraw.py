"""Two rows of a two-way table redrawn as a whole over columns that both have, given all sums and not what they held.

Under 1/x! any people of the two rows may be those of the first row, so long as there are as many of them as it holds: a
random subset of a given size. Everybody gets a random bit, and then random bits are turned over until their number is right.
That is exact, as people are exchangeable before and after, and 64 people cost as little as one. Where there are too many,
columns are drawn one after the other from their hypergeometric laws. Both are right for cells without bounds of their own.

Under the uniform law every column but the widest is drawn evenly, and the widest takes what is left, if it can (rejection
sampling).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....base.jit import jit_inlined, jit_inner, jit_lean
from ....base.random_streams import below, stepped
from ....moves.families.row_pairs import ones
from ...lines.hypergeometric import draw_with_table

TRIES, FAR_OUT = 8, 4.0
"""How often a redraw under the uniform law is tried; it is not tried where the squared distance of the sum from its mean is
more variances than this."""
PEOPLE_PER_COLUMN = 300
"""Up to so many people per column of two rows, a bit for each is quicker than lines."""
FINEST = 16
"""Bits are one with a probability of m / 2^k, k up to this."""


class PairRoom(NamedTuple):
    """Where a visit works; what is in it before and after does not matter, but for which rows are next."""

    in_first: np.ndarray
    """Places of the common columns in either row."""
    in_second: np.ndarray
    people: np.ndarray
    """A bit for each person."""
    columns: np.ndarray
    """A swap, for laws that are weighed along lines."""
    sizes: np.ndarray
    both: np.ndarray
    """For each column what both rows hold, the least that the first can, how many values it has, and which it gets; there
    is room for one column more."""
    low: np.ndarray
    choices: np.ndarray
    drawn: np.ndarray
    order: np.ndarray
    """The rows in random order: two at a time are visited."""
    state: np.ndarray
    """[0] how many of these were visited."""


@jit_inlined
def _ranges(place, bounded, room, n):  # type: ignore[no-untyped-def]
    """Write the range of the first row in every column.

    What comes back: how much more than its least the row holds, the sum of all spans, the sum that tells their variance, the
    widest column and its span.
    """
    x, lower, upper, in_first, in_second = place.table, place.lower, place.upper, room.in_first, room.in_second
    first, spans, squares, widest, longest = np.int64(0), np.int64(0), 0.0, np.uint64(0), np.int64(-1)
    for c in range(n):
        at, under = np.uint64(in_first[c]), np.uint64(in_second[c])
        both = x[at] + x[under]
        least, most = np.int64(0), both
        if bounded:
            least, most = max(lower[at], most - upper[under]), min(upper[at], most - lower[under])
        span = most - least
        room.both[c], room.low[c], room.choices[c] = both, least, span + 1
        first += x[at] - least
        spans += span
        squares += span * (span + 2.0)
        if span > longest:
            widest, longest = c, span
    return first, spans, squares, widest, longest


@jit_lean
def redraw_evenly(place, bounded, room, common):  # type: ignore[no-untyped-def]
    """Draw both rows anew under the uniform law, given all sums; False if that did not succeed in a few tries.

    Every column but the widest is drawn evenly from its range, and the widest takes what is left, if it can. How likely that
    is depends on the sums only and not on where the chain is, so that giving up does not favour any table.
    """
    x, random, choices, drawn = place.table, place.random, room.choices, room.drawn
    low32, half, next_one = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint64(1)
    n = np.uint64(common)  # places are unsigned: nothing is counted from the end
    first, spans, squares, widest, longest = _ranges(place, bounded, room, n)
    away = first - 0.5 * spans
    if 12.0 * away * away > FAR_OUT * squares:
        return False
    choices[n] = 1  # two columns are drawn from one word, and the last of an odd number has this beside it
    a, b, c2, d = random[0], random[1], random[2], random[3]
    succeeded = False
    for _ in range(TRIES):
        left, c = first, np.uint64(0)
        while c < n:
            word, a, b, c2, d = stepped(a, b, c2, d)
            one_of, other_of = choices[c], choices[c + next_one]
            product, other_product = (word >> half) * one_of, (word & low32) * other_of
            value, other = np.int64(product >> half), np.int64(other_product >> half)
            if (product & low32) < one_of or (other_product & low32) < other_of:
                # These halves of a word may favour some values: if so, and only then, a value gets a word of its own.
                random[0], random[1], random[2], random[3] = a, b, c2, d
                if (product & low32) < np.uint64(0x100000000) % one_of:
                    value = below(random, np.int64(one_of))
                if (other_product & low32) < np.uint64(0x100000000) % other_of:
                    other = below(random, np.int64(other_of))
                a, b, c2, d = random[0], random[1], random[2], random[3]
            drawn[c], drawn[c + next_one] = value, other
            left -= value + other
            c += np.uint64(2)
        left += drawn[widest]
        if 0 <= left <= longest:
            drawn[widest] = left
            succeeded = True
            break
    random[0], random[1], random[2], random[3] = a, b, c2, d
    if succeeded:
        for c in range(n):
            new = room.low[c] + drawn[c]
            x[np.uint64(room.in_first[c])], x[np.uint64(room.in_second[c])] = new, room.both[c] - new
    return succeeded


@jit_inner
def redraw_rows(x: np.ndarray, room: PairRoom, common: int, log_factorials: np.ndarray, random: np.ndarray) -> None:
    """Draw both rows anew under 1/x!, given their sums and those of the columns: by a bit for each person, or where people
    are many column by column."""
    in_first, in_second, people = room.in_first, room.in_second, room.people
    total = first = 0
    for c in range(common):
        first += x[in_first[c]]
        total += x[in_first[c]] + x[in_second[c]]
    if total > 64 * (len(people) - 1):
        redraw_by_columns(in_first[:common], in_second[:common], log_factorials, random, x)
        return
    draw_subset(first, total, people, random)
    at = 0
    for c in range(common):
        held = x[in_first[c]] + x[in_second[c]]
        taken = ones_between(people, at, at + held)
        x[in_first[c]], x[in_second[c]] = taken, held - taken
        at += held


@jit_lean
def draw_subset(first: int, total: int, bits: np.ndarray, random: np.ndarray) -> None:
    """Set `first` of `total` bits, any of them alike."""
    # The coarsest probability m / 2^k that comes as near as chance will anyway: each bit of m costs random words.
    slack = np.sqrt(total + 1.0) * 0.5
    k, m = 0, 0
    while k < FINEST:
        k += 1
        m = (2 * first * (1 << k) + total) // (2 * total) if total > 0 else 0
        if abs(m * (total / (1 << k)) - first) <= slack:
            break
    while k > 0 and m % 2 == 0:
        m //= 2
        k -= 1
    a, b, c, d = random[0], random[1], random[2], random[3]
    n_words, set_bits = (total + 63) // 64, 0
    for w in range(n_words):
        word = np.uint64(0) if m == 0 or k > 0 else ~np.uint64(0)
        for digit in range(k):
            fresh, a, b, c, d = stepped(a, b, c, d)
            word = word | fresh if (m >> digit) & 1 else word & fresh
        if w == n_words - 1 and total % 64 != 0:
            word &= (np.uint64(1) << np.uint64(total % 64)) - np.uint64(1)
        bits[w] = word
        set_bits += ones(word)
    random[0], random[1], random[2], random[3] = a, b, c, d
    # Too many or too few: bits of that kind, any of them alike, are turned over.
    wanted = np.uint64(set_bits > first)
    left = abs(set_bits - first)
    while left > 0:
        bit = below(random, total)
        w, shift = bit >> 6, np.uint64(bit & 63)
        hit = np.uint64(((bits[w] >> shift) & np.uint64(1)) == wanted)
        bits[w] ^= hit << shift
        left -= np.int64(hit)  # type: ignore[assignment]


@jit_lean
def ones_between(bits: np.ndarray, begin: int, end: int) -> int:
    """How many of the bits from begin up to but not including end are set."""
    n_ones = 0
    while begin < end:
        w, shift = begin >> 6, begin & 63
        number = min(64 - shift, end - begin)
        part = bits[w] >> np.uint64(shift)
        if number < 64:
            part &= (np.uint64(1) << np.uint64(number)) - np.uint64(1)
        n_ones += ones(part)
        begin += number
    return n_ones


@jit_lean
def redraw_by_columns(
    first: np.ndarray, second: np.ndarray, log_factorials: np.ndarray, random: np.ndarray, table: np.ndarray
) -> None:
    """The same column by column, each from its hypergeometric law given those before; first[j] and second[j] are the two
    cells of column j.

    `log_factorials` is a table of log n! (draw_two_way.log_factorial_table), as long as it is worth it.
    """
    left, beyond = 0, 0
    for j in range(len(first)):
        left += table[first[j]]
        beyond += table[first[j]] + table[second[j]]
    for j in range(len(first) - 1):
        column = table[first[j]] + table[second[j]]
        beyond -= column
        x = 0
        if left > 0 and column > 0:
            x = draw_with_table(column, beyond, left, log_factorials, random)
        table[first[j]] = x
        table[second[j]] = column - x
        left -= x
    if len(first):
        # `beyond` is the sum of the last column
        table[first[-1]] = left
        table[second[-1]] = beyond - left
