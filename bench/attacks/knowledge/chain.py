"""A Markov chain over all tables that agree with what was published, where the same people are published alike.

The random number of a figure belongs to the people whom it counts: two figures of the same people are one draw. Which
figures are about the same people depends on the table: a group and its part are the same if nobody is in the rest. Figures
are therefore kept by the set of finest cells in them that are occupied, and each set counts once; two figures of one set
that were published differently rule a table out.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

RULED_OUT = -14.0
"""What an impossible figure costs on the way from one possible table to the next; only possible tables are counted."""
LARGEST = 40
"""Counts beyond are tallied together."""

lean = numba.njit(_nrt=False, cache=True)
"""Nothing is allocated, no references are counted: that takes a hundred times as long as a step."""
inlined = numba.njit(_nrt=False, forceinline=True, cache=True)


class Task(NamedTuple):
    """The figures, as arrays."""

    starts: np.ndarray
    """Where the figures of each finest cell begin in `of_cell`."""
    of_cell: np.ndarray
    first: np.ndarray
    begins: np.ndarray
    """Where the logarithms of each figure begin in `logs`; with one more for the end."""
    logs: np.ndarray
    published: np.ndarray
    """What tells the draws of a set of people apart."""
    shared: np.ndarray
    """May a figure share its draw with others?"""
    prior: np.ndarray
    """log of the ratio by which each person more in a cell is less probable."""
    possible: np.ndarray
    neighbours: np.ndarray
    """Of each finest cell others that it shares figures with."""


class State(NamedTuple):
    """The table that the chain is at, and which figures are one draw there."""

    table: np.ndarray
    totals: np.ndarray
    """The sum behind each figure."""
    people: np.ndarray
    """The set of occupied cells behind each figure, as a number."""
    keys: np.ndarray
    """Open addresses of pairs of people and what was published of them, and how many figures each has."""
    counts: np.ndarray
    sets: np.ndarray
    """Open addresses of sets of people, and in how many ways each was published."""
    of_sets: np.ndarray
    slots: np.ndarray
    """The address of each figure; -1: it is a draw by itself."""
    filled: np.ndarray
    """How many addresses have been used."""
    stream: np.ndarray
    """Where the random numbers are."""


@inlined
def _random(state):
    """The next number from 0 to 1 (splitmix64)."""
    state.stream[0] += np.uint64(0x9E3779B97F4A7C15)
    bits = state.stream[0]
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((bits ^ (bits >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53


@inlined
def _log(task, figure, total):
    """The logarithm of the likelihood of a figure, and whether it is possible."""
    place = total - task.first[figure]
    width = task.begins[figure + 1] - task.begins[figure]
    if place < 0:
        return RULED_OUT * (1 - place), 1
    if place >= width:
        return RULED_OUT * (2 + place - width), 1
    value = task.logs[task.begins[figure] + place]
    if value < -1e300:
        return RULED_OUT, 1
    return value, 0


@inlined
def _slot(keys, key):
    """Where a key stands in a table with open addresses, or may be put."""
    mask = len(keys) - 1
    place = np.int64(key >> np.uint64(20)) & mask
    while keys[place] != 0 and keys[place] != key:
        place = (place + 1) & mask
    return place


@inlined
def _mixed(number):
    bits = number * np.uint64(0x9E3779B97F4A7C15)
    bits ^= bits >> np.uint64(29)
    bits *= np.uint64(0xBF58476D1CE4E5B9)
    return bits ^ (bits >> np.uint64(32)) | np.uint64(1)


@inlined
def _enter(task, figure, total, people, state):
    """Put a figure to its people: the change of the log probability, and of what is impossible."""
    keys, counts, sets, of_sets, slots = state.keys, state.counts, state.sets, state.of_sets, state.slots
    value, wrong = _log(task, figure, total)
    if not task.shared[figure] or people == 0:
        slots[figure] = -1
        return value, wrong
    key = _mixed(people ^ (np.uint64(task.published[figure]) * np.uint64(0xD6E8FEB86659FD93)))
    place = _slot(keys, key)
    state.filled[0] += keys[place] == 0
    keys[place] = key
    slots[figure] = place
    counts[place] += 1
    if counts[place] > 1:
        return 0.0, 0
    there = _slot(sets, _mixed(people))
    sets[there] = _mixed(people)
    of_sets[there] += 1
    if of_sets[there] > 1:
        return value + RULED_OUT, wrong + 1
    return value, wrong


@inlined
def _leave(task, figure, total, people, state):
    """Take a figure away from its people."""
    counts, sets, of_sets, slots = state.counts, state.sets, state.of_sets, state.slots
    value, wrong = _log(task, figure, total)
    if slots[figure] < 0:
        return -value, -wrong
    counts[slots[figure]] -= 1
    if counts[slots[figure]] > 0:
        return 0.0, 0
    there = _slot(sets, _mixed(people))
    of_sets[there] -= 1
    if of_sets[there] > 0:
        return -value - RULED_OUT, -wrong - 1
    return -value, -wrong


@lean
def _shift(task, cell, by, state, marks):
    """Put people into a cell or take them out: the change of the log probability, and of what is impossible."""
    change, wrong = task.prior[cell] * by, 0
    turned = (state.table[cell] == 0) != (state.table[cell] + by == 0)
    for place in range(task.starts[cell], task.starts[cell + 1]):
        figure = task.of_cell[place]
        total = state.totals[figure]
        if turned:
            left = _leave(task, figure, total, state.people[figure], state)
            state.people[figure] ^= marks[cell]
            came = _enter(task, figure, total + by, state.people[figure], state)
            change += left[0] + came[0]
            wrong += left[1] + came[1]
        else:
            before, after = _log(task, figure, total), _log(task, figure, total + by)
            slot = state.slots[figure]
            change += (after[0] - before[0]) / (1 if slot < 0 else state.counts[slot])
            # a set counts once: by the figure of it that stands first among those of this cell
            if after[1] != before[1] and (slot < 0 or _stands_first(task, cell, place, slot, state)):
                wrong += after[1] - before[1]
        state.totals[figure] += by
    state.table[cell] += by
    return change, wrong


@lean
def _stands_first(task, cell, place, slot, state):
    before = task.starts[cell]
    while state.slots[task.of_cell[before]] != slot:
        before += 1
    return before == place


@lean
def _rebuilt(task, state):
    """Enter all figures anew, into empty tables; how many are impossible."""
    state.keys[:] = 0
    state.counts[:] = 0
    state.sets[:] = 0
    state.of_sets[:] = 0
    state.filled[0] = 0
    wrong = 0
    for figure in range(len(state.totals)):
        wrong += _enter(task, figure, state.totals[figure], state.people[figure], state)[1]
    return wrong


def walk(task: Task, start: np.ndarray, sweeps: int, burn: int, seed: int, warm: bool = True) -> tuple[np.ndarray, int]:
    """Tallies of every finest cell over the possible tables of a chain, and how many of these there were.

    A warm chain begins with freer steps.
    """
    n, m = len(start), len(task.first)
    size = 1 << int(np.ceil(np.log2(max(16 * m, 4096))))
    random = np.random.default_rng(seed)
    marks = random.integers(1, 2**63, n).astype(np.uint64)
    whole, numbers = (lambda length: np.zeros(length, dtype=np.int64)), np.zeros(m, dtype=np.uint64)
    addresses = np.zeros(size, dtype=np.uint64)
    state = State(
        whole(n),
        whole(m),
        numbers,
        addresses,
        whole(size),
        addresses.copy(),
        whole(size),
        whole(m) - 1,
        whole(1),
        random.integers(1, 2**63, 1).astype(np.uint64),
    )
    tallies = np.zeros((n, LARGEST + 1), dtype=np.int64)
    counted = _walk(task, state, marks, start, np.flatnonzero(task.possible), sweeps, burn, warm, tallies)
    return tallies, int(counted)


@lean
def _walk(task, state, marks, start, cells, sweeps, burn, warm, tallies):  # noqa: PLR0913  (a kernel's arrays)
    wrong = _rebuilt(task, state)
    for cell in range(len(start)):
        if start[cell]:
            wrong += _shift(task, cell, start[cell], state, marks)[1]
    counted = 0
    for sweep in range(sweeps):
        heat = 1.0 if sweep >= burn or not warm else 0.2 + 0.8 * sweep / burn
        for _ in range(2 * len(cells)):
            if 2 * state.filled[0] > len(state.keys):  # addresses that nothing uses any more fill the tables
                wrong = _rebuilt(task, state)
            wrong += _step(task, state, marks, cells, heat)
        if sweep >= burn and wrong == 0:
            counted += 1
            for cell in range(len(start)):
                tallies[cell, min(state.table[cell], LARGEST)] += 1
    return counted


@lean
def _step(task, state, marks, cells, heat):
    """Somebody comes or goes, or moves to a cell nearby; what that changes of what is impossible."""
    table = state.table
    one = cells[int(_random(state) * len(cells))]
    by = 1 if _random(state) < 0.5 else -1
    other = -1
    if _random(state) < 0.6:
        other = task.neighbours[one, int(_random(state) * task.neighbours.shape[1])]
    if table[one] + by < 0 or (other >= 0 and (table[other] - by < 0 or other == one)):
        return 0
    change, wrong = _shift(task, one, by, state, marks)
    if other >= 0:
        step = _shift(task, other, -by, state, marks)
        change, wrong = change + step[0], wrong + step[1]
    if np.log(_random(state)) < heat * change:
        return wrong
    if other >= 0:
        _shift(task, other, by, state, marks)
    _shift(task, one, -by, state, marks)
    return 0
