"""Cycles of a network: moves for two-way tables with hidden, bounded or rounded cells, and for one hierarchical dim.

The difference of two flows is a conformal sum of cycles, which never undo each other (the circuits of a unimodular system,
its Graver basis), so that one after the other can be made within any bounds that both flows keep. Basic moves of four cells
are not enough once cells are missing. Cycles without chords are, as long as no chord is a cell that cannot change (presolve
takes those out): the chord has room either to gain or to lose, and the cycle can be made in two halves. Every cycle may be
drawn here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ...base.certificate import Certificate
from ...base.jit import interpreted, jit_inlined, jit_lean
from ...base.random_streams import below
from ...fiber.blocks.presolve import Block
from ...fiber.equations.network import Network
from ...fiber.equations.twins import network_of_twins
from ...fiber.solvers.every_cycle import Arcs, every_cycle
from .move_set import MOST_LISTED, Move, MoveSet, distinct_rows, too_many
from .stock import Stock, Supplier

REASON = "the block is a network, and its cycles join all flows within any bounds (circuits of a unimodular system)"
TWINS = "each of its cells and its complement are one unknown; then " + REASON
PROVEN = Certificate("connected", REASON)


class Spread(NamedTuple):
    """The columns that arcs stand for: those of arc a are column[start[a]] to column[start[a + 1]]."""

    start: np.ndarray
    column: np.ndarray
    sign: np.ndarray


class WalkRoom(NamedTuple):
    """Room for a walk that closes to a cycle."""

    seen_at: np.ndarray
    """-1 for every node before and after."""
    path: np.ndarray
    arcs: np.ndarray
    """Written: the arcs of the cycle, and in which direction each is followed."""
    signs: np.ndarray


def walk_room(n_arcs: int, n_nodes: int) -> WalkRoom:
    """Room for walks in a network."""
    arcs, signs = np.empty(n_arcs, dtype=np.int64), np.empty(n_arcs, dtype=np.int64)
    return WalkRoom(np.full(n_nodes, -1, dtype=np.int64), np.empty(n_nodes + 1, dtype=np.int64), arcs, signs)


@dataclass(frozen=True, eq=False, repr=False)
class Cycles(MoveSet):
    """Every cycle of a network, drawn by a walk that closes; an arc stands for one column or several (`spread`)."""

    network: Network
    spread: Any = None
    certificate: Certificate = PROVEN

    words = "cycles of a network"

    @property
    def n_columns(self) -> int:
        """Arcs, or the columns they spread over."""
        return len(self.network.tail) if self.spread is None else int(self.spread.shape[0])

    @cached_property
    def arcs(self) -> Arcs:
        """The arcs of the network, and those at each node."""
        tail, head = self.network.tail, self.network.head
        arcs = np.arange(len(tail))
        node = np.concatenate([tail, head[head != tail]])
        arc = np.concatenate([arcs, arcs[head != tail]])
        order = np.argsort(node, kind="stable")
        start = np.concatenate([[0], np.cumsum(np.bincount(node, minlength=self.network.n_nodes))])
        return Arcs(start.astype(np.int64), arc[order].astype(np.int64), tail, head)

    @cached_property
    def spread_arrays(self) -> Spread:
        """The columns that each arc stands for."""
        n_arcs = len(self.network.tail)
        by_arc = sp.csc_array(sp.eye_array(n_arcs, dtype=np.int64) if self.spread is None else self.spread)
        by_arc.sort_indices()
        return Spread(by_arc.indptr.astype(np.int64), by_arc.indices.astype(np.int64), by_arc.data.astype(np.int64))

    def draw(self, random: np.ndarray, table: np.ndarray) -> Move:
        """A cycle at random; the draw does not look at the table."""
        room = walk_room(len(self.network.tail), self.network.n_nodes)
        length = interpreted(draw_cycle)(self.arcs, random, room)
        return Move(*self.columns(room.arcs[:length], room.signs[:length]))

    def columns(self, arcs: np.ndarray, signs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The columns that some arcs stand for, and their steps."""
        start, columns, spread = self.spread_arrays
        places = [np.arange(start[arc], start[arc + 1]) for arc in arcs]
        where = np.concatenate(places) if len(places) else np.empty(0, dtype=np.int64)
        return columns[where], spread[where] * np.repeat(signs, [len(of_arc) for of_arc in places])

    def supplier(self) -> CycleSupplier:
        """For stocks of moves."""
        return CycleSupplier(self)

    def listed(self, most: int = MOST_LISTED) -> Any:
        """All cycles."""
        rows = every_cycle(self.arcs, most)
        if rows is None:
            raise too_many(most)
        return distinct_rows(rows if self.spread is None else rows @ self.spread.T, most)


@jit_inlined
def draw_cycle(network: Arcs, random: np.ndarray, room: WalkRoom) -> int:
    """Write a random cycle's arcs and directions; their number.

    A walk from a random arc goes on along arcs at random, never back along the one it came by, until it meets itself;
    what it walked before that point is dropped. Any cycle may come up: begin on it and follow it around. A block of a
    network has no dead ends; at one (loose arcs) the walk gives up with 0.
    """
    start, arc, tail, head = network
    seen_at, path, arcs, signs = room
    first = below(random, len(tail))
    node = tail[first] if below(random, 2) == 0 else head[first]
    length, came_by = 0, -1
    path[0] = node
    seen_at[node] = 0
    begin = -1
    while begin < 0:
        choices = start[node + 1] - start[node]
        if came_by < 0:
            chosen = first
        else:
            if choices < 2:
                break
            # One of the arcs other than the one it came by, whose place is not known: the last stands in for it.
            pick = arc[start[node] + below(random, choices - 1)]
            chosen = arc[start[node + 1] - 1] if pick == came_by else pick
        forward = tail[chosen] == node
        arcs[length], signs[length] = chosen, 1 if forward else -1
        length += 1
        node = head[chosen] if forward else tail[chosen]
        came_by = chosen
        begin = seen_at[node]
        if begin < 0:
            seen_at[node] = length
            path[length] = node
    last = length if begin < 0 else length - 1
    for i in range(last + 1):
        seen_at[path[i]] = -1
    if begin < 0:
        return 0
    if length - begin == 1 and below(random, 2) == 0:  # a loop has no other way around
        signs[begin] = -signs[begin]
    for i in range(begin, length):
        arcs[i - begin], signs[i - begin] = arcs[i], signs[i]
    return length - begin


def cycles(block: Block) -> Cycles | None:
    """The cycles of a block that is a network, at once or after its twin cells were made one."""
    if block.network is not None:
        return Cycles(block.network)
    of_twins = network_of_twins(block.A)
    return None if of_twins is None else Cycles(*of_twins, Certificate("connected", TWINS))


class CycleSupplier(Supplier):
    """Writes moves into a stock, for one chain."""

    def __init__(self, moves: Cycles) -> None:
        self.moves = moves
        self.longest = moves.n_columns
        self.room = walk_room(len(moves.network.tail), moves.network.n_nodes)

    def fill(self, stock: Stock, random: np.ndarray) -> None:
        """Write new moves."""
        fill_cycles(self.moves.arcs, self.moves.spread_arrays, self.room, stock, random)


@jit_lean
def fill_cycles(network: Arcs, spread: Spread, room: WalkRoom, stock: Stock, random: np.ndarray) -> None:
    """Cycles of a network, each arc as the columns it stands for."""
    arcs, signs = room.arcs, room.signs
    number, end = 0, 0
    while number < len(stock.start) - 1:
        length = draw_cycle(network, random, room)
        needed = 0
        for i in range(length):
            needed += spread.start[arcs[i] + 1] - spread.start[arcs[i]]
        if end + needed > len(stock.columns):
            break
        for i in range(length):
            for place in range(spread.start[arcs[i]], spread.start[arcs[i] + 1]):
                stock.columns[end], stock.steps[end] = spread.column[place], signs[i] * spread.sign[place]
                end += 1
        number += 1
        stock.start[number] = end
    stock.state[0], stock.state[1] = 0, number
