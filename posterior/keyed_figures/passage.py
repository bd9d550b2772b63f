"""The steps of chains over all tables of a part: people come, go and move, and what figures say of that, in a kernel.

The likelihood counts every set of people once. Figures are therefore kept by the set of occupied cells that they sum: a
number for each set, which is the exclusive or of random numbers of 64 bits, one for every cell.

Tables that the figures rule out are passed through at a price for each figure that is not met, and are not counted. Seen
only where all are met, a chain has the law of tables given the figures (a Markov chain watched on a part of its states), and
no wall of figures keeps single steps from reaching every table.

The price changes as chains go, on a ladder (simulated tempering: Marinari and Parisi 1992). Where breaking figures is cheap
chains come from one peak of the law to another, where it is dear they are often at tables that count. Where all figures are
met no price is paid, and so the law of what counts is the same on every rung.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.jit import jit_inlined, jit_inner, jit_lean
from ...base.random_streams import below, fraction
from ...sampler.kernels.kernel import Place
from ...sampler.lines.weights import Weights, log_weight
from ...sampler.tallies.tally import Tally, end_of_draw
from .proposals import Proposals

SEARCHED = 5_000_000
"""Steps of the search for a first table that meets all figures."""


class Task(NamedTuple):
    """Figures and proposals, as arrays."""

    of_start: np.ndarray
    """Where the figures of each cell begin in `of_cell`."""
    of_cell: np.ndarray
    first: np.ndarray
    begins: np.ndarray
    logs: np.ndarray
    published: np.ndarray
    """What was published, as a number that is mixed into that of the people."""
    shared: np.ndarray
    """May the people of a figure be those of another?"""
    low: np.ndarray
    high: np.ndarray
    marks: np.ndarray
    """A random number of each cell."""
    proposals: Proposals
    prices: np.ndarray
    """Log-weights for each figure that is not met, and each count by which it is not: rungs of a ladder, dearest first."""
    rungs: np.ndarray
    """Log-weight of each rung, by which chains are on each about as often."""


class Room(NamedTuple):
    """What a chain works with; all of it follows from its table."""

    totals: np.ndarray
    """The sum behind each figure."""
    people: np.ndarray
    """The set of occupied cells behind each figure, as a number."""
    slots: np.ndarray
    """Of each figure the address of its people and publication; -1: it is a draw by itself."""
    keys: np.ndarray
    """Open addresses of people with what was published of them, and how many figures each has."""
    figures: np.ndarray
    sets: np.ndarray
    """Open addresses of people, and in how many ways each was published."""
    ways: np.ndarray
    filled: np.ndarray
    """How many addresses have been used, of both."""


def room_for(task: Task) -> Room:
    """Room for one chain."""
    m = len(task.first)
    size = 1 << int(np.ceil(np.log2(max(16 * m, 1024))))
    whole = [np.zeros(length, dtype=np.int64) for length in (m, m, size, size, 2)]
    numbers = [np.zeros(length, dtype=np.uint64) for length in (m, size, size)]
    return Room(whole[0], numbers[0], whole[1], numbers[1], whole[2], numbers[2], whole[3], whole[4])


@jit_inlined
def log_figure(task: Task, figure: int, total: int) -> tuple[float, int]:
    """log P(published | count), and 0; or 0, and by how much an impossible count does not meet the figure."""
    place = total - task.first[figure]
    width = task.begins[figure + 1] - task.begins[figure]
    if place < 0:
        return 0.0, 1 - place
    if place >= width:
        return 0.0, 2 + place - width
    value = task.logs[task.begins[figure] + place]
    if value == -np.inf:
        return 0.0, 1
    return value, 0


@jit_inlined
def log_law(weights: Weights, cell: int, value: int) -> tuple[float, int]:
    """The log-weight of a cell's value under the law, and 0; or 0, and 1 where it has none."""
    log_w = log_weight(weights, cell, value)
    if log_w == -np.inf:
        return 0.0, 1
    return log_w, 0


@jit_inlined
def mixed(word: np.uint64) -> np.uint64:
    """The bits of a number, mixed; never 0."""
    bits = word * np.uint64(0x9E3779B97F4A7C15)
    bits ^= bits >> np.uint64(29)
    bits *= np.uint64(0xBF58476D1CE4E5B9)
    return bits ^ (bits >> np.uint64(32)) | np.uint64(1)


@jit_inlined
def address(keys: np.ndarray, key: np.uint64) -> int:
    """Where a key stands among open addresses, or may be put."""
    mask = len(keys) - 1
    place = np.int64(key >> np.uint64(20)) & mask
    while keys[place] != np.uint64(0) and keys[place] != key:
        place = (place + 1) & mask
    return int(place)


@jit_inlined
def enter(task: Task, figure: int, room: Room) -> tuple[float, int]:
    """Put a figure to its people: what the log-weight gains, and by how much more figures are not met."""
    people = room.people[figure]
    value, wrong = log_figure(task, figure, room.totals[figure])
    room.slots[figure] = -1
    if not task.shared[figure] or people == np.uint64(0):
        return value, wrong
    key = mixed(people ^ task.published[figure])
    place = address(room.keys, key)
    room.filled[0] += room.keys[place] == np.uint64(0)
    room.keys[place] = key
    room.slots[figure] = place
    room.figures[place] += 1
    if room.figures[place] > 1:
        return 0.0, 0
    by_itself = mixed(people)
    there = address(room.sets, by_itself)
    room.filled[1] += room.sets[there] == np.uint64(0)
    room.sets[there] = by_itself
    room.ways[there] += 1
    if room.ways[there] > 1:
        return value, wrong + 1
    return value, wrong


@jit_inlined
def leave(task: Task, figure: int, room: Room) -> tuple[float, int]:
    """Take a figure away from its people, likewise."""
    value, wrong = log_figure(task, figure, room.totals[figure])
    place = room.slots[figure]
    if place < 0:
        return -value, -wrong
    room.figures[place] -= 1
    if room.figures[place] > 0:
        return 0.0, 0
    there = address(room.sets, mixed(room.people[figure]))
    room.ways[there] -= 1
    if room.ways[there] > 0:
        return -value, -wrong - 1
    return -value, -wrong


@jit_inner
def shift(task: Task, weights: Weights, room: Room, table: np.ndarray, cell: int, by: int) -> tuple[float, int]:
    """Put people into a cell or take them out: what the log-weight gains but for the price, and by how much
    more figures are not met."""
    before, after = log_law(weights, cell, table[cell]), log_law(weights, cell, table[cell] + by)
    gain, wrong = after[0] - before[0], after[1] - before[1]
    turned = (table[cell] == 0) != (table[cell] + by == 0)
    begin, end = task.of_start[cell], task.of_start[cell + 1]
    for e in range(begin, end):
        figure = task.of_cell[e]
        if turned:
            left = leave(task, figure, room)
            room.people[figure] ^= task.marks[cell]
            room.totals[figure] += by
            came = enter(task, figure, room)
            gain += left[0] + came[0]
            wrong += left[1] + came[1]
            continue
        place = room.slots[figure]
        if place < 0 or room.figures[place] == 1 or _comes_first(task, room, begin, e, place):
            before = log_figure(task, figure, room.totals[figure])
            after = log_figure(task, figure, room.totals[figure] + by)
            gain += after[0] - before[0]
            wrong += after[1] - before[1]
        room.totals[figure] += by
    table[cell] += by
    return gain, wrong


@jit_inlined
def _comes_first(task: Task, room: Room, begin: int, here: int, place: int) -> bool:
    """Is this the first figure of a cell at an address? All figures there have the cell in them, and count once."""
    e = begin
    while room.slots[task.of_cell[e]] != place:
        e += 1
    return e == here


@jit_inner
def entered_anew(task: Task, room: Room) -> int:
    """Enter all figures into empty addresses; by how much they are not met."""
    room.keys[:] = np.uint64(0)
    room.figures[:] = 0
    room.sets[:] = np.uint64(0)
    room.ways[:] = 0
    room.filled[:] = 0
    wrong = 0
    for figure in range(len(room.totals)):
        wrong += enter(task, figure, room)[1]
    return wrong


@jit_inner
def set_out(task: Task, weights: Weights, room: Room, table: np.ndarray) -> int:
    """Make the room suit a table; by how much it does not meet figures, and how many of its cells the law excludes."""
    room.totals[:] = 0
    room.people[:] = np.uint64(0)
    wrong = 0
    for cell in range(len(table)):
        wrong += log_law(weights, cell, table[cell])[1]
        for e in range(task.of_start[cell], task.of_start[cell + 1]):
            room.totals[task.of_cell[e]] += table[cell]
            if table[cell] > 0:
                room.people[task.of_cell[e]] ^= task.marks[cell]
    return wrong + entered_anew(task, room)


@jit_inner
def step(task: Task, weights: Weights, room: Room, table: np.ndarray, random: np.ndarray, price: float) -> int:
    """One proposal, taken or not (Metropolis 1953); by how much more figures are not met."""
    if 2 * max(room.filled[0], room.filled[1]) > len(room.keys):  # addresses that nothing uses any more fill the room
        entered_anew(task, room)
    proposed = task.proposals
    kind = below(random, len(proposed.kinds) - 1)
    move = proposed.kinds[kind] + below(random, proposed.kinds[kind + 1] - proposed.kinds[kind])
    by = 1
    if proposed.doublings[move] > 0 and below(random, 2) == 0:
        by <<= 1 + below(random, proposed.doublings[move])
    if below(random, 2) == 0:
        by = -by
    begin, end = proposed.starts[move], proposed.starts[move + 1]
    for e in range(begin, end):
        value = table[proposed.cells[e]] + by * proposed.signs[e]
        if value < task.low[proposed.cells[e]] or value > task.high[proposed.cells[e]]:
            return 0
    gain, wrong = 0.0, 0
    for e in range(begin, end):
        gained = shift(task, weights, room, table, proposed.cells[e], by * proposed.signs[e])
        gain += gained[0]
        wrong += gained[1]
    if np.log(fraction(random)) < gain + price * wrong:
        return wrong
    for e in range(begin, end):
        shift(task, weights, room, table, proposed.cells[e], -by * proposed.signs[e])
    return 0


@jit_inner
def other_rung(task: Task, rung: int, wrong: int, random: np.ndarray) -> int:
    """The rung after a step: a neighbour is proposed, and taken or not."""
    proposed = rung + 2 * below(random, 2) - 1
    if proposed < 0 or proposed >= len(task.prices):
        return rung
    gain = (task.prices[proposed] - task.prices[rung]) * wrong + task.rungs[proposed] - task.rungs[rung]
    if gain >= 0.0 or np.log(fraction(random)) < gain:
        return proposed
    return rung


@jit_inner
def rung_of_all_met(task: Task, random: np.ndarray) -> int:
    """A rung by its law where all figures are met, whichever the table."""
    rung, whole = 0, 0.0
    for other in range(len(task.rungs)):  # each takes the place of those before it by its share of all so far
        chance = np.exp(task.rungs[other])
        whole += chance
        if fraction(random) * whole < chance:
            rung = other
    return rung


@jit_lean
def walk(task: Task, weights: Weights, room: Room, place: Place, tally: Tally, draws: int, steps: int) -> int:
    """So many draws, or fewer if credits have to wait; the draws done, or -1 where no table that meets all figures is found.

    Between two draws are so many steps that end at a table which meets all figures. With no draws, one is looked for.
    """
    wrong = set_out(task, weights, room, place.table)
    rung = len(task.prices) - 1
    for _ in range(SEARCHED):
        if wrong == 0:
            break
        wrong += step(task, weights, room, place.table, place.random, task.prices[rung])
        rung = other_rung(task, rung, wrong, place.random)
    if wrong > 0:
        return -1
    rung = rung_of_all_met(task, place.random)
    for done in range(draws):
        made = 0
        while made < steps:
            wrong += step(task, weights, room, place.table, place.random, task.prices[rung])
            rung = other_rung(task, rung, wrong, place.random)
            if wrong == 0:
                made += 1
        end_of_draw(tally, place.table)
        if tally.n_waiting[0] > 0:
            return done + 1
    return draws


@jit_lean
def on_a_rung(task: Task, weights: Weights, room: Room, place: Place, price: float, steps: int) -> tuple[float, float]:
    """So many steps at one price: by how much figures are not met, on average, and how often all are."""
    wrong = set_out(task, weights, room, place.table)
    total, met = 0.0, 0
    for _ in range(steps):
        wrong += step(task, weights, room, place.table, place.random, price)
        total += wrong
        met += wrong == 0
    return total / steps, met / steps


@jit_lean
def on_the_ladder(
    task: Task, weights: Weights, room: Room, place: Place, rung: int, steps: int, seen: np.ndarray
) -> tuple[int, int]:
    """So many steps up and down the ladder: how many ended at tables that meet all figures, and the last rung.

    How often each rung was seen is added up.
    """
    wrong, met = set_out(task, weights, room, place.table), 0
    for _ in range(steps):
        wrong += step(task, weights, room, place.table, place.random, task.prices[rung])
        rung = other_rung(task, rung, wrong, place.random)
        seen[rung] += 1
        met += wrong == 0
    return met, rung
