"""One more column for a Graver basis: the sums of two elements that nothing shorter is part of, from short to long.

An element is a row of `entries`, and stands for its negative too. The first `n_done` columns are *done*, the next one is
being added, the rest wait. The *length* of an element is the sum of its absolute values in the columns that are done.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit, jit_inlined

TOO_MUCH_WORK = -1
TOO_MANY = -2
TOO_LARGE = -3

LARGEST = 2**30 - 1
"""The search is given up at entries beyond this: two of them together must fit 32 bits."""


LOOK_UP = 10
"""What it costs to look into a large table at random, in operations."""


class Columns(NamedTuple):
    """The columns, and what the search may take."""

    n_lead: int
    """The first entries of an element that tell it from others."""
    n_done: int
    width: np.ndarray
    """The most that a column that is done may have."""
    most: int
    budget: int


class Elements(NamedTuple):
    """The elements so far, with room for more."""

    entries: np.ndarray
    codes: np.ndarray
    length: np.ndarray
    slots: np.ndarray
    """A table in which elements are found by their codes."""


class Dealt(NamedTuple):
    """Elements whose length has been dealt with, by length; as bits, 64 to a word, the columns of either sign."""

    element: np.ndarray
    plus: np.ndarray
    minus: np.ndarray


class Sum(NamedTuple):
    """A sum of two elements, and the columns in which it is not positive, and not negative."""

    value: np.ndarray
    not_plus: np.ndarray
    not_minus: np.ndarray


@jit_inlined
def _home(code: np.uint64, n_slots: int) -> int:
    """Where to look first for a code or its negative. Codes are unsigned: only these may run over and start again at 0."""
    least = min(code, np.uint64(0) - code)
    return np.int64((least >> np.uint64(8)) & np.uint64(n_slots - 1))  # type: ignore[return-value]


@jit_inlined
def _slot(elements: Elements, code: np.uint64, first: int, second: int, n_lead: int) -> int:
    """The slot that holds the difference of two elements, or its negative, or would; code and lead entries tell."""
    entries, codes, slots = elements.entries, elements.codes, elements.slots
    slot = _home(code, len(slots))
    while slots[slot] >= 0:
        element = slots[slot]
        if codes[element] == code or codes[element] == np.uint64(0) - code:
            sign = 1 if codes[element] == code else -1
            column = 0
            while (
                column < n_lead and sign * entries[element, column] == entries[first, column] - entries[second, column]
            ):
                column += 1
            if column == n_lead:
                break
        slot = (slot + 1) & (len(slots) - 1)
    return slot


@jit
def _slots(codes: np.ndarray, size: int) -> np.ndarray:
    """A table of the elements so far, at most half full when there are as many as codes."""
    n_slots = 1024
    while n_slots < 2 * len(codes):
        n_slots *= 2
    slots = np.empty(n_slots, dtype=np.int64)
    for slot in range(n_slots):
        slots[slot] = -1
    for element in range(size):
        slot = _home(codes[element], n_slots)
        while slots[slot] >= 0:
            slot = (slot + 1) & (n_slots - 1)
        slots[slot] = element
    return slots


@jit_inlined
def _deal(entries: np.ndarray, element: int, n_done: int, dealt: Dealt, place: int) -> None:
    """Write an element at a place, with the signs of its entries in the columns that are done."""
    dealt.element[place] = element
    for word in range(dealt.plus.shape[1]):
        dealt.plus[place, word] = dealt.minus[place, word] = 0
    for column in range(n_done):
        bit = np.uint64(1) << np.uint64(column & 63)
        if entries[element, column] > 0:
            dealt.plus[place, column >> 6] |= bit
        elif entries[element, column] < 0:
            dealt.minus[place, column >> 6] |= bit


@jit_inlined
def _is_part(entries: np.ndarray, element: int, value: np.ndarray, sign: int, n_columns: int) -> bool:
    """Is an element times a sign a conformal part of a sum in the first columns: of the same signs, and nowhere larger?"""
    for column in range(n_columns):
        part = sign * entries[element, column]
        if (part > 0 and part > value[column]) or (part < 0 and part < value[column]):
            return False
    return True


@jit_inlined
def _find_part(total: Sum, entries: np.ndarray, parts: Dealt, first: int, until: int, n_columns: int) -> int:
    """The first of some possible parts that is, or whose negative is, a part of a sum; -1 if none is."""
    for place in range(first, until):
        same, opposite = np.uint64(0), np.uint64(0)
        for word in range(len(total.not_plus)):
            plus, minus = parts.plus[place, word], parts.minus[place, word]
            same |= (plus & total.not_plus[word]) | (minus & total.not_minus[word])
            opposite |= (plus & total.not_minus[word]) | (minus & total.not_plus[word])
        if same == 0 and _is_part(entries, parts.element[place], total.value, 1, n_columns):
            return place
        if opposite == 0 and _is_part(entries, parts.element[place], total.value, -1, n_columns):
            return place
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
def _more_elements(elements: Elements, size: int, room: int) -> Elements:
    """The same elements with room for more."""
    codes = _longer(elements.codes, room)
    return Elements(_larger(elements.entries, room), codes, _longer(elements.length, room), _slots(codes, size))


@jit
def _more_dealt(dealt: Dealt, room: int) -> Dealt:
    """The same with room for more."""
    return Dealt(_longer(dealt.element, room), _larger(dealt.plus, room), _larger(dealt.minus, room))


@jit_inlined
def _clash(pairs: Dealt, first: int, second: int) -> bool:
    """Do two elements have the same sign in some column? Then their difference is no sum without cancelling."""
    clash = np.uint64(0)
    for word in range(pairs.plus.shape[1]):
        clash |= (pairs.plus[first, word] & pairs.plus[second, word]) | (
            pairs.minus[first, word] & pairs.minus[second, word]
        )
    return clash != 0


@jit_inlined
def _subtract(elements: Elements, pairs: Dealt, first: int, second: int, columns: Columns, total: Sum) -> int:
    """Write the difference of two elements; the sign that makes it positive in the new column, 0 where it is too wide."""
    entries, n_done = elements.entries, columns.n_done
    minuend, subtrahend = pairs.element[first], pairs.element[second]
    sign = 1 if entries[minuend, n_done] >= entries[subtrahend, n_done] else -1
    fits = True
    for column in range(n_done + 1):
        total.value[column] = sign * (entries[minuend, column] - entries[subtrahend, column])
        fits &= column == n_done or abs(total.value[column]) <= columns.width[column]
    if not fits:
        return 0
    for word in range(pairs.plus.shape[1]):
        up, down = (
            pairs.plus[first, word] | pairs.minus[second, word],
            pairs.minus[first, word] | pairs.plus[second, word],
        )
        total.not_plus[word], total.not_minus[word] = (~up, ~down) if sign > 0 else (~down, ~up)
    return sign


@jit_inlined
def _falls_apart(
    total: Sum, entries: np.ndarray, parts: Dealt, n_half: int, latest: int, n_columns: int
) -> tuple[int, int]:
    """A part of a sum, -1 where it has none, and the work; looked for first where one was found last."""
    if latest < n_half and _find_part(total, entries, parts, latest, latest + 1, n_columns) >= 0:
        return latest, 0
    where = _find_part(total, entries, parts, 0, n_half, n_columns)
    return where, 2 * len(total.not_plus) * (where + 1 if where >= 0 else n_half)


@jit_inlined
def _append(
    elements: Elements, minuend: int, subtrahend: int, sign: int, code: np.uint64, n_lead: int, size: int, length: int
) -> bool:
    """Write the difference of two elements, times a sign, behind the others; False where its entries are too large."""
    entries = elements.entries
    for column in range(entries.shape[1]):
        entries[size, column] = sign * (entries[minuend, column] - entries[subtrahend, column])
        if abs(entries[size, column]) > LARGEST:
            return False
    slot = _slot(elements, code, minuend, subtrahend, n_lead)
    elements.length[size], elements.codes[size] = length, code if sign > 0 else np.uint64(0) - code
    elements.slots[slot] = size
    return True


@jit
def _sums_of_length(
    elements: Elements,
    pairs: Dealt,
    parts: Dealt,
    pair_start: np.ndarray,
    n_half: int,
    length: int,
    columns: Columns,
    done: tuple[int, int, int],
) -> tuple[Elements, Dealt, Dealt, int, int, int]:
    """Add the sums of two elements that have a length together and no part.

    `done`, and what comes back behind the arrays, is how many elements there are, the work, and the longest of a pair.
    `n_half` is how many possible parts have at most half the length: a sum that is no element has such a part.
    """
    size, work, longest = done
    words, n_done, n_lead = pairs.plus.shape[1], columns.n_done, columns.n_lead
    total = Sum(
        np.zeros(n_done + 1, dtype=np.int32), np.zeros(words, dtype=np.uint64), np.zeros(words, dtype=np.uint64)
    )
    latest = 0  # the part that was found last: often a part of the next sum as well
    for shorter in range(1, length // 2 + 1):
        longer = length - shorter
        for first in range(pair_start[shorter], pair_start[shorter + 1]):
            begin, end = first + 1 if longer == shorter else pair_start[longer], pair_start[longer + 1]
            work += words * (end - begin)
            if work > columns.budget:
                return elements, pairs, parts, TOO_MUCH_WORK, work, longest
            for second in range(begin, end):
                # only their difference can cancel in the new column, where both are positive
                if _clash(pairs, first, second):
                    continue
                minuend, subtrahend = pairs.element[first], pairs.element[second]
                code = elements.codes[minuend] - elements.codes[subtrahend]
                work += LOOK_UP
                if elements.slots[_slot(elements, code, minuend, subtrahend, n_lead)] >= 0:
                    work += n_lead
                    continue
                work += n_done + 1
                sign = _subtract(elements, pairs, first, second, columns, total)
                if sign == 0:
                    continue
                part, looked = _falls_apart(total, elements.entries, parts, n_half, latest, n_done + 1)
                work += looked
                if part >= 0:
                    latest = part
                    continue
                if size == columns.most:
                    return elements, pairs, parts, TOO_MANY, work, longest
                if size == len(elements.codes):
                    room = min(2 * size, columns.most)
                    elements = _more_elements(elements, size, room)
                    pairs, parts = _more_dealt(pairs, room), _more_dealt(parts, room)
                    work += room
                if not _append(elements, minuend, subtrahend, sign, code, n_lead, size, length):
                    return elements, pairs, parts, TOO_LARGE, work, longest
                work += elements.entries.shape[1]
                size += 1
                longest = max(longest, length if total.value[n_done] != 0 else 0)
    return elements, pairs, parts, size, work, longest


@jit_inlined
def _deal_with(
    elements: Elements, pairs: Dealt, parts: Dealt, numbers: tuple[int, int], n_pairs: int, n_parts: int, n_done: int
) -> tuple[int, int]:
    """Write elements of one length where pairs and parts are taken from; how many there are of either."""
    for element in range(numbers[0], numbers[1]):
        _deal(elements.entries, element, n_done, parts, n_parts)
        n_parts += 1
        if elements.entries[element, n_done] != 0:
            _deal(elements.entries, element, n_done, pairs, n_pairs)
            n_pairs += 1
    return n_pairs, n_parts


@jit
def _begin(entries: np.ndarray, codes: np.ndarray, n_done: int) -> tuple[Elements, int]:
    """The elements that are given, with room for as many more; and the longest that makes pairs."""
    n_old = len(entries)
    room = 2 * n_old + 64
    longer_codes, length = _longer(codes, room), np.zeros(room, dtype=np.int64)
    longest = 0  # of the elements with an entry in the new column: only these make pairs
    for i in range(n_old):
        for j in range(n_done):
            length[i] += abs(entries[i, j])
        if entries[i, n_done] != 0:
            longest = max(longest, length[i])
    return Elements(_larger(entries, room), longer_codes, length, _slots(longer_codes, n_old)), longest


@jit
def _no_elements(room: int, words: int) -> Dealt:
    return Dealt(
        np.empty(room, dtype=np.int64),
        np.empty((room, words), dtype=np.uint64),
        np.empty((room, words), dtype=np.uint64),
    )


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
    columns = Columns(n_lead, n_done, width, most, budget)
    elements, longest = _begin(entries, codes, n_done)
    words = (n_done + 63) // 64
    pairs, parts = _no_elements(len(elements.codes), words), _no_elements(len(elements.codes), words)
    # where those of each length begin
    pair_start, part_start = np.zeros(64, dtype=np.int64), np.zeros(64, dtype=np.int64)
    n_pairs, n_parts, next_old = 0, 0, 0
    size, work, length = n_old, n_old * n, 1
    while length <= 2 * longest:
        if length + 1 >= len(pair_start):
            pair_start, part_start = _longer(pair_start, 2 * length + 2), _longer(part_start, 2 * length + 2)
        first_new = size
        n_half = part_start[length // 2 + 1] if length > 1 else 0
        elements, pairs, parts, size, work, longest = _sums_of_length(
            elements, pairs, parts, pair_start, n_half, length, columns, (size, work, longest)
        )
        if size < 0:
            break
        pair_start[length], part_start[length] = n_pairs, n_parts
        end_old = next_old
        while end_old < n_old and elements.length[end_old] == length:
            end_old += 1
        n_pairs, n_parts = _deal_with(elements, pairs, parts, (next_old, end_old), n_pairs, n_parts, n_done)
        n_pairs, n_parts = _deal_with(elements, pairs, parts, (first_new, size), n_pairs, n_parts, n_done)
        next_old = end_old
        pair_start[length + 1], part_start[length + 1] = n_pairs, n_parts
        length += 1
    return size, work, elements.entries
