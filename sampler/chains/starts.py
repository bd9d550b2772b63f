"""Where chains start: tables far from each other (overdispersed), so that chains that agree in the end have come a long way.

Where a law excludes some values, such a table may be impossible; a chain then leads from it to one that is possible.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ...base.errors import InputError, TimeUp
from ...base.jit import jit_lean
from ...base.random_streams import streams
from ...fiber.blocks.presolve import Block, Presolved
from ...fiber.bounds.attaining import attaining_tables
from ...fiber.bounds.chooser import sharp_bounds
from ...fiber.laws.support import NO_TABLE
from ...fiber.solvers.integer_program import least_cost
from ...fiber.solvers.side_by_side import side_by_side
from ...moves.families.mixture import Mixture
from ...moves.families.move_set import MoveSet
from ...moves.families.stock import Stock, empty_stock
from ..lines.line import line_range
from ..lines.weights import log_weight_of
from .chain import Chain
from .unit import Unit
from .units import with_weights

MOST_COLUMNS = 2000
"""In larger blocks that are no network, integer programs would take too long; moves then lead to corners of the fiber."""
NODES = 50
"""Nodes of a branch and bound for a start."""
PUSHES = 20
"""Moves for each column on the way to a corner."""
PENALTY = -50.0
"""The log-weight of an excluded value while a possible table is searched for."""
TRIES = 2000
"""Draws of that search."""


def dispersed_starts(solved: Presolved, block: Block, moves: MoveSet, number: int, seed: int = 0) -> np.ndarray:
    """So many tables of a block: each is at a bound of another cell, lower and upper in turn, or as close as is soon found.

    They do not depend on the seed of the chains, so that a run with another seed begins at the same places.
    """
    if block.network is None and len(block.columns) > MOST_COLUMNS:
        return _corners(block, moves, number, seed)
    width = block.upper - block.lower
    # Half of the cells with the most room to move, half taken evenly from all.
    widest, evenly = np.argsort(-width, kind="stable"), np.linspace(0, len(width) - 1, number).astype(np.int64)
    chosen = np.array(list(dict.fromkeys(np.stack([widest[: len(evenly)], evenly[: len(widest)]], axis=1).ravel())))
    sides = [(int(column), 1 if k % 2 == 0 else -1) for k, column in enumerate(chosen[:number])]
    if block.network is None:
        tables = side_by_side(lambda side: _extreme(block, *side), sides)
    else:
        alone = Presolved(solved.fiber, solved.start, (block,))
        tables = [_at_bound(alone, *side) for side in sides]
    return np.array([tables[k % len(tables)] for k in range(number)], dtype=np.int64)


def _at_bound(alone: Presolved, column: int, sign: int) -> np.ndarray:
    """A table of a network in which a column is as large or as small as it can be."""
    (block,) = alone.blocks
    row = sp.csr_array(([1], [block.columns[column]], [0, 1]), shape=(1, alone.fiber.n_columns))
    attaining = attaining_tables(alone, row, sharp_bounds(alone, row))[:, block.columns]
    return attaining[np.argmax(sign * attaining[:, column])]


def _extreme(block: Block, column: int, sign: int) -> np.ndarray:
    """A table in which a column is large or small: the best that a short branch and bound finds. No move leads there, so
    that chains may begin where moves from one table would not come."""
    cost = np.zeros(len(block.columns))
    cost[column] = -sign
    return _cheapest(block, cost)


def _cheapest(block: Block, cost: np.ndarray) -> np.ndarray:
    """The best table by some costs of its columns, as far as a short branch and bound finds it before the time is up."""
    left = (block.b - block.A @ block.lower).astype(float)
    try:
        found, _ = least_cost(cost, block.A, left, left, (block.upper - block.lower).astype(float), nodes=NODES)
    except TimeUp:
        return block.start
    return block.start if found is None else block.lower + found


def _corners(block: Block, moves: MoveSet, number: int, seed: int) -> np.ndarray:
    """Tables at which moves that favour some random cells over others lead no further."""
    parts = moves.parts if isinstance(moves, Mixture) else (moves,)
    source = next((source for part in parts if (source := part.supplier()) is not None), None)
    if source is None:  # of populations a linear program finds a table soon, as nearly all counts are 0 or 1
        costs = [
            np.random.default_rng(random[:4]).standard_normal(len(block.columns)) for random in streams(seed, number)
        ]
        return np.array(side_by_side(lambda cost: _cheapest(block, cost), costs))
    stock, tables = empty_stock(source.longest), []
    for random in streams(seed, number):
        table = block.start.copy()
        prefers = np.random.default_rng(random[:4]).standard_normal(len(table))
        made = 0
        while made < PUSHES * len(table):
            source.fill(stock, random)
            push(stock, block.lower, block.upper, table, prefers)
            made += stock.state[1]
        tables.append(table)
    return np.array(tables)


@jit_lean
def push(stock: Stock, lower: np.ndarray, upper: np.ndarray, table: np.ndarray, prefers: np.ndarray) -> None:
    """Make every move of a stock as often as possible in the direction that is preferred."""
    for k in range(stock.state[1]):
        begin, end = stock.start[k], stock.start[k + 1]
        if begin == end:
            continue
        gain = 0.0
        for e in range(begin, end):
            gain += prefers[stock.columns[e]] * stock.steps[e]
        low, high = line_range(lower, upper, table, stock.columns, stock.steps, begin, end)
        times = high if gain > 0 else low
        for e in range(begin, end):
            table[stock.columns[e]] += times * stock.steps[e]


def possible_tables(unit: Unit, starts: np.ndarray, random: np.ndarray) -> np.ndarray:
    """The starts, each impossible one replaced by a possible table that chains lead to from there."""
    if not np.isneginf(unit.weights.value).any():
        return starts
    soft = unit.weights._replace(value=np.maximum(unit.weights.value, PENALTY))
    search = with_weights(unit, soft)
    possible = starts.copy()
    for k, start in enumerate(starts):
        chain = Chain(search, start, random)
        for _ in range(TRIES):
            if log_weight_of(unit.weights, chain.place.table) > -np.inf:
                break
            chain.advance(search, 1)
        else:
            raise InputError(
                NO_TABLE + "no table without excluded values was found by a search of some thousand draws."
            )
        possible[k] = chain.place.table + unit.offset
    return possible
