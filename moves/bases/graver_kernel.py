"""One more column for a Graver basis: the sums of two elements that nothing shorter is part of, from short to long.

An element is a row of `entries`, and stands for its negative too. The first `n_done` columns are *done*, the next one is
being added, the rest wait. The *length* of an element is the sum of its absolute values in the columns that are done.
"""

from __future__ import annotations

import numpy as np

from ...base.jit import jit

TOO_MUCH_WORK = -1
TOO_MANY = -2
TOO_LARGE = -3

LARGEST = 2**30 - 1
"""The search is given up at entries beyond this: two of them together must fit 32 bits."""


LOOK_UP = 10
"""What it costs to look into a large table at random, in operations."""


@jit
def _home(code: np.uint64, n_slots: int) -> int:
    """Where to look first for a code or its negative. Codes are unsigned: only these may run over and start again at 0."""
    least = min(code, np.uint64(0) - code)
    return np.int64((least >> np.uint64(8)) & np.uint64(n_slots - 1))  # type: ignore[return-value]


@jit
def _slot(
    slots: np.ndarray, codes: np.ndarray, entries: np.ndarray, code: np.uint64, f: np.ndarray, g: np.ndarray, n: int
) -> int:
    """Where in a table of elements f - g or its negative stands, or where it would; n entries and a code tell."""
    k = _home(code, len(slots))
    while slots[k] >= 0:
        i = slots[k]
        if codes[i] == code or codes[i] == np.uint64(0) - code:
            sign = 1 if codes[i] == code else -1
            j = 0
            while j < n and sign * entries[i, j] == f[j] - g[j]:
                j += 1
            if j == n:
                break
        k = (k + 1) & (len(slots) - 1)
    return k


@jit
def _slots(codes: np.ndarray, size: int) -> np.ndarray:
    """A table of the elements so far, at most half full when there are as many as codes."""
    n_slots = 1024
    while n_slots < 2 * len(codes):
        n_slots *= 2
    slots = np.empty(n_slots, dtype=np.int64)
    for k in range(n_slots):
        slots[k] = -1
    for i in range(size):
        k = _home(codes[i], n_slots)
        while slots[k] >= 0:
            k = (k + 1) & (n_slots - 1)
        slots[k] = i
    return slots


@jit
def _signs(row: np.ndarray, n: int, plus: np.ndarray, minus: np.ndarray) -> None:
    """Write the columns with positive and with negative entries, 64 to a word."""
    for w in range(len(plus)):
        plus[w] = minus[w] = 0
    for j in range(n):
        bit = np.uint64(1) << np.uint64(j & 63)
        if row[j] > 0:
            plus[j >> 6] |= bit
        elif row[j] < 0:
            minus[j >> 6] |= bit


@jit
def _is_part(row: np.ndarray, s: np.ndarray, sign: int, n: int) -> bool:
    """Does the row times a sign have the signs of s in the first n columns, and is it nowhere larger?"""
    for j in range(n):
        part = sign * row[j]
        if (part > 0 and part > s[j]) or (part < 0 and part < s[j]):
            return False
    return True


@jit
def _find_part(
    s: np.ndarray,
    not_plus: np.ndarray,
    not_minus: np.ndarray,
    entries: np.ndarray,
    part: np.ndarray,
    part_plus: np.ndarray,
    part_minus: np.ndarray,
    first: int,
    until: int,
    n: int,
) -> int:
    """The first of some possible parts that is, or whose negative is, a part of s; -1 if none is.

    `not_plus` and `not_minus` are the columns where s is not positive and not negative.
    """
    for h in range(first, until):
        same, opposite = np.uint64(0), np.uint64(0)
        for w in range(len(not_plus)):
            same |= (part_plus[h, w] & not_plus[w]) | (part_minus[h, w] & not_minus[w])
            opposite |= (part_plus[h, w] & not_minus[w]) | (part_minus[h, w] & not_plus[w])
        if same == 0 and _is_part(entries[part[h]], s, 1, n):
            return h
        if opposite == 0 and _is_part(entries[part[h]], s, -1, n):
            return h
    return -1


@jit
def _larger(rows: np.ndarray, room: int) -> np.ndarray:
    """The same rows with room for more (in a loop, which compiles in no time)."""
    result = np.zeros((room, rows.shape[1]), dtype=rows.dtype)
    for i in range(len(rows)):
        for j in range(rows.shape[1]):
            result[i, j] = rows[i, j]
    return result


@jit
def _longer(numbers: np.ndarray, room: int) -> np.ndarray:
    """The same numbers with room for more."""
    result = np.zeros(room, dtype=numbers.dtype)
    for i in range(len(numbers)):
        result[i] = numbers[i]
    return result


@jit
def add_column(
    entries: np.ndarray, codes: np.ndarray, width: np.ndarray, n_lead: int, n_done: int, most: int, budget: int
) -> tuple[int, int, np.ndarray]:
    """The elements and all that column `n_done` adds to them: how many, the work that took, and in which rows.

    The elements are given in order of their length, with nothing negative in the new column. The first `n_lead` entries
    tell them apart, and nearly always so does their code, which is a linear function of these. Sums with more than `width`
    in a column that is done are left out. A negative number of elements tells why the search was given up.
    """
    n_old, n = entries.shape
    n_both = n_done + 1
    words = (n_done + 63) // 64
    size, room = n_old, 2 * n_old + 64
    entries, codes = _larger(entries, room), _longer(codes, room)
    length = np.zeros(room, dtype=np.int64)
    longest = 0  # of the elements with an entry in the new column: only these make pairs
    for i in range(n_old):
        for j in range(n_done):
            length[i] += abs(entries[i, j])
        if entries[i, n_done] != 0:
            longest = max(longest, length[i])

    slots = _slots(codes, n_old)

    # Elements whose length has been dealt with, by length: those that make pairs, and all as possible parts of sums.
    pair, part = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    pair_plus, pair_minus = np.empty((room, words), dtype=np.uint64), np.empty((room, words), dtype=np.uint64)
    part_plus, part_minus = np.empty((room, words), dtype=np.uint64), np.empty((room, words), dtype=np.uint64)
    pair_start, part_start = np.zeros(64, dtype=np.int64), np.zeros(64, dtype=np.int64)
    n_pairing, n_parts = 0, 0

    s = np.zeros(n, dtype=np.int32)
    not_plus, not_minus = np.zeros(words, dtype=np.uint64), np.zeros(words, dtype=np.uint64)
    work = n_old * n
    next_old, total = 0, 1
    while total <= 2 * longest:
        if total + 1 >= len(pair_start):
            pair_start, part_start = _longer(pair_start, 2 * total + 2), _longer(part_start, 2 * total + 2)
        first_new = size
        # A sum that is no element has a part of at most half its length.
        n_half = part_start[total // 2 + 1] if total > 1 else 0
        latest = 0  # the part that was found last: often a part of the next sum as well
        for shorter in range(1, total // 2 + 1):
            longer = total - shorter
            for a in range(pair_start[shorter], pair_start[shorter + 1]):
                begin, end = pair_start[longer], pair_start[longer + 1]
                if longer == shorter:
                    begin = a + 1
                work += words * (end - begin)
                if work > budget:
                    return TOO_MUCH_WORK, work, entries
                for b in range(begin, end):
                    # f - g is the only sum of two to look at: both are positive in the new column
                    clash = np.uint64(0)
                    for w in range(words):
                        clash |= (pair_plus[a, w] & pair_plus[b, w]) | (pair_minus[a, w] & pair_minus[b, w])
                    if clash != 0:
                        continue
                    f, g = entries[pair[a]], entries[pair[b]]
                    code = codes[pair[a]] - codes[pair[b]]
                    slot = _slot(slots, codes, entries, code, f, g, n_lead)
                    work += LOOK_UP
                    if slots[slot] >= 0:
                        work += n_lead
                        continue
                    sign = 1 if f[n_done] >= g[n_done] else -1
                    fits = True
                    for j in range(n_both):
                        s[j] = sign * (f[j] - g[j])
                        fits &= j == n_done or abs(s[j]) <= width[j]
                    work += n_both
                    if not fits:
                        continue
                    for w in range(words):
                        up, down = pair_plus[a, w] | pair_minus[b, w], pair_minus[a, w] | pair_plus[b, w]
                        not_plus[w], not_minus[w] = (~up, ~down) if sign > 0 else (~down, ~up)
                    where = -1
                    if latest < n_half:
                        where = _find_part(
                            s, not_plus, not_minus, entries, part, part_plus, part_minus, latest, latest + 1, n_both
                        )
                    if where < 0:
                        where = _find_part(
                            s, not_plus, not_minus, entries, part, part_plus, part_minus, 0, n_half, n_both
                        )
                        work += 2 * words * (where + 1 if where >= 0 else n_half)
                    if where >= 0:
                        latest = where
                        continue
                    if size == most:
                        return TOO_MANY, work, entries
                    if size == room:
                        room = min(2 * room, most)
                        entries = _larger(entries, room)
                        f, g = entries[pair[a]], entries[pair[b]]
                        length, pair, part = _longer(length, room), _longer(pair, room), _longer(part, room)
                        pair_plus, pair_minus = _larger(pair_plus, room), _larger(pair_minus, room)
                        part_plus, part_minus = _larger(part_plus, room), _larger(part_minus, room)
                        codes = _longer(codes, room)
                        slots = _slots(codes, size)
                        slot = _slot(slots, codes, entries, code, f, g, n_lead)
                        work += room
                    for j in range(n):
                        entries[size, j] = sign * (f[j] - g[j])
                        if abs(entries[size, j]) > LARGEST:
                            return TOO_LARGE, work, entries
                    work += n
                    length[size], codes[size] = total, code if sign > 0 else np.uint64(0) - code
                    slots[slot] = size
                    size += 1
                    if s[n_done] != 0:
                        longest = max(longest, total)
        pair_start[total], part_start[total] = n_pairing, n_parts
        end_old = next_old
        while end_old < n_old and length[end_old] == total:
            end_old += 1
        for k in range(end_old - next_old + size - first_new):
            i = next_old + k if k < end_old - next_old else first_new + k - (end_old - next_old)
            part[n_parts] = i
            _signs(entries[i], n_done, part_plus[n_parts], part_minus[n_parts])
            if entries[i, n_done] != 0:
                pair[n_pairing] = i
                _signs(entries[i], n_done, pair_plus[n_pairing], pair_minus[n_pairing])
                n_pairing += 1
            n_parts += 1
        next_old = end_old
        pair_start[total + 1], part_start[total + 1] = n_pairing, n_parts
        total += 1
    return size, work, entries
