"""Connectivity from the hardest starting tables: do chains get away from where simple moves are stuck?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import fiberwalk as fw
from fiberwalk.base.random_streams import streams
from fiberwalk.fiber.solvers.every_table import every_table
from fiberwalk.moves.bases.known_bases import expand, known_basis
from fiberwalk.moves.chooser import Moves
from fiberwalk.sampler.chains.chain import Chain
from fiberwalk.sampler.chains.units import units_of
from verification.parts import Check, Part, Setting, rows

WORDS = (
    "First, every move of the Markov bases of 3 x 3 x 3, 3 x 3 x 4, 3 x 3 x 5 and 3 x 4 x 4: the release of all two-way "
    "margins of its positive part has two tables, which nothing but that move joins; the chosen moves must be proven to "
    "join them, a walk through all tables must find that they do, and a plain chain must visit both. Second, random "
    "releases whose tables fall into parts that swaps in two labels of every dim do not leave: the product's chains, "
    "started at each of the tables, must visit all of them."
)
TWO_WAY = ["A,B", "A,C", "B,C"]
BASES = ((3, 3, 3), (3, 3, 4), (3, 3, 5), (3, 4, 4))
RELEASES = 250
MOST_TABLES = 60
DRAWS, MOST_DRAWS = 512, 1 << 17
"""Draws of a chain at a time, and in all, until it must have seen every table."""


# --- two tables and one move ----------------------------------------------------------------------------------------


def moves_of(shape: tuple[int, ...]) -> Any:
    """All moves of a stored basis, a row each."""
    basis = known_basis(shape, [(0, 1), (0, 2), (1, 2)])
    return expand(basis.plus, basis.minus, shape)


def two_tables(shape: tuple[int, ...], first: int, last: int) -> list[str]:
    """What is wrong with the releases of some moves of a basis."""
    wrong, every = [], moves_of(shape)
    for k in range(first, last):
        release = fw.publish(np.maximum(every[[k]].toarray(), 0).reshape(shape), TWO_WAY)
        moves = fw.moves.choose_moves(release)
        reach = fw.moves.check_connected(release, moves)
        if not (moves.certificate.word == "connected" and reach.tables == 2 and reach.connected and visits(moves) == 2):
            wrong.append(f"{shape}, move {k}: {moves!r}, {reach!r}")
    return wrong


def visits(moves: Moves) -> int:
    """How many tables a chain of single steps sees before it has seen two."""
    (block,), (one,) = moves.support.solved.blocks, moves.sets
    random, table, seen = streams(1, 1)[0], block.start, set()
    for _ in range(1000):
        seen.add(tuple(table.tolist()))
        if len(seen) == 2:
            break
        after = one.draw(random, table).on(table)
        if (after >= block.lower).all() and (after <= block.upper).all():
            table = after
    return len(seen)


# --- fibers that simple moves do not walk ---------------------------------------------------------------------------


def around_a_hard_move(rng: np.random.Generator) -> fw.Release:
    """The positive part of a basis move with more than eight cells, such as that of degree six, and a unit or two more."""
    shape = BASES[rng.integers(2)]
    every = moves_of(shape)
    large = np.flatnonzero(np.abs(every).sum(axis=1) > 8)
    table = np.maximum(every[[rng.choice(large)]].toarray(), 0).reshape(shape)
    for _ in range(rng.integers(0, 3)):
        table[tuple(rng.integers(0, shape))] += 1
    return fw.publish(table, TWO_WAY)


def few_hidden_cells(rng: np.random.Generator) -> fw.Release:
    """A two-way table whose hidden cells lie on long cycles rather than in squares."""
    n = int(rng.integers(3, 6))
    hidden = np.zeros((n, n), dtype=bool)
    order = rng.permutation(n)
    for i in range(n):
        hidden[i, order[i]] = hidden[i, order[(i + 1) % n]] = True
    hidden |= rng.random((n, n)) < 0.1
    return fw.suppress(rng.poisson(2.0, (n, n)) + 1, where=hidden)


def hidden_in_three_dims(rng: np.random.Generator) -> fw.Release:
    """A three-way table with hidden cells, given its two-way margins."""
    hidden = rng.random((3, 3, 3)) < 0.8
    return fw.suppress(rng.poisson(1.0, (3, 3, 3)), where=hidden | (hidden.sum() == 0), margins=TWO_WAY)


def bounded_cells(rng: np.random.Generator) -> fw.Release:
    """Row and column totals; all cells but those of a long cycle are known to be at most what they are, mostly nothing."""
    n = int(rng.integers(3, 5))
    order, table = rng.permutation(n), rng.poisson(0.15, (n, n))
    cycle = np.zeros((n, n), dtype=bool)
    for i in range(n):
        cycle[i, order[i]] = cycle[i, order[(i + 1) % n]] = True
    table[cycle] = rng.poisson(1.0, int(cycle.sum())) + 1
    release = fw.publish(table, ["A", "B"])
    for i, j in np.argwhere(~cycle):
        release = release.knows({"A": str(i + 1), "B": str(j + 1)}, at_most=int(table[i, j]))
    return release


def two_labels(rng: np.random.Generator) -> fw.Release:
    """2 x 2 x 2 x 2 given all two-way margins; swaps in all four dims at once are few."""
    return fw.publish(rng.poisson(0.7, (2,) * 4), ["A,B", "A,C", "A,D", "B,C", "B,D", "C,D"])


HARD: dict[str, Callable[[np.random.Generator], fw.Release]] = {
    "around a hard move of 3 x 3 x 3 or 3 x 3 x 4": around_a_hard_move,
    "hidden cells on long cycles": few_hidden_cells,
    "hidden cells of 3 x 3 x 3": hidden_in_three_dims,
    "a long cycle among bounded cells": bounded_cells,
    "2 x 2 x 2 x 2": two_labels,
}


def visited(seed: int, number: int) -> tuple[str, int, int, int]:
    """Of a release that simple moves do not walk: its kind, tables, parts, and from how many tables not all are visited."""
    kind = list(HARD)[number % len(HARD)]
    rng = np.random.default_rng([seed, number])
    while True:
        release = HARD[kind](rng)
        parts = _parts(release)
        if parts > 1:
            break
    moves = fw.moves.choose_moves(release)
    nothing = sp.csc_array((0, moves.support.solved.fiber.n_columns), dtype=np.int64)
    stuck = tables = 0
    for unit in units_of(moves, nothing):
        (block,) = [one for one in moves.support.solved.blocks if np.isin(unit.columns, one.columns).all()]
        order = np.argsort(block.columns)[np.searchsorted(np.sort(block.columns), unit.columns)]
        every = every_table(block.A, block.b, block.lower, block.upper, MOST_TABLES)
        assert every is not None
        tables += len(every)
        wanted = np.ascontiguousarray(every[:, order])
        for start, random in zip(wanted, streams(number, len(every)), strict=True):
            stuck += _seen_from(unit, start, random, len(every)) != {row.tobytes() for row in wanted}
    return kind, tables, parts, stuck


def _parts(release: fw.Release) -> int:
    """Into how many parts simple moves divide a release with few tables; 0 where these are too many, or decided."""
    try:
        reach = fw.moves.check_connected(release, fw.moves.basic_moves(release), max_tables=MOST_TABLES)
    except fw.FiberwalkError:
        return 0
    return reach.parts if 1 < reach.tables <= MOST_TABLES else 0


def _seen_from(unit: Any, start: np.ndarray, random: np.ndarray, number: int) -> set[bytes]:
    """The tables that a chain sees, until they are so many or it has made too many draws."""
    chain = Chain(unit, start, random)
    chain.counts = False
    seen: set[bytes] = set()
    for _ in range(MOST_DRAWS // DRAWS):
        kept = chain.keep(unit, np.arange(len(unit.columns)), DRAWS, 1)
        seen.update(row.tobytes() for row in np.unique(kept, axis=0))
        if len(seen) >= number:
            break
    return seen


def run(setting: Setting) -> Part:
    """Both."""
    checks, lines = [], []
    for shape in BASES:
        number = moves_of(shape).shape[0]
        if setting.releases is not None:
            number = min(number, setting.releases)
        tasks = [(shape, k, min(k + 20, number)) for k in range(0, number, 20)]
        wrong = [one for some in setting.each(two_tables, tasks, f"batches of 20 moves of {shape}") for one in some]
        name = " x ".join(map(str, shape))
        which = "every move" if setting.releases is None else f"the first {number:,} moves"
        words = f"{which} of {name}: two tables, joined and visited"
        checks.append(Check(words, not wrong, f"{number - len(wrong):,} of {number:,}" + "".join(wrong[:1])))
    number = setting.number(RELEASES)
    found = list(setting.each(visited, ((setting.seed, k) for k in range(number)), "releases in parts"))
    for kind in HARD:
        some = [one for one in found if one[0] == kind]
        if some:
            starts, stuck = sum(one[1] for one in some), sum(one[3] for one in some)
            lines.append([kind, len(some), max(one[2] for one in some), f"{starts:,}", stuck])
    stuck, starts = sum(one[3] for one in found), sum(one[1] for one in found)
    words = "where simple moves leave several parts, chains from every table visit all tables"
    checks.append(Check(words, stuck == 0, f"from {starts - stuck:,} of {starts:,} tables of {number:,} releases"))
    head = ["releases", "how many", "parts by simple moves, at most", "tables to start at", "of these stuck"]
    return Part(tuple(checks), (rows(head, lines),))


def pictures(values: dict[str, Any], home: Path) -> Iterator[tuple[Path, str]]:
    """None."""
    yield from ()
