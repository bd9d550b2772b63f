"""How long it takes to find moves for a release, what is proven of them, what they keep in memory, and how fast they draw.

    python bench/moves.py [--hard-starts]

Times are of single runs after compilation; a draw is called from Python here, which costs some microseconds by itself.
`--hard-starts` takes every move of the bases of 3 x 3 x 3, 3 x 3 x 4, 3 x 3 x 5 and 3 x 4 x 4 (7,269 of them): the release
of all two-way margins of its positive part must have two tables, which the chosen moves must join and a plain chain must
both visit (some minutes).
"""

from __future__ import annotations

import sys
import time
from itertools import combinations

import numpy as np
import scipy.sparse as sp

import fiberwalk as fw
from fiberwalk.moves.known_bases import expand, known_basis
from fiberwalk.moves.random_words import streams

TWO_WAY = ["A,B", "A,C", "B,C"]
BASES = [(3, 3, 3), (3, 3, 4), (3, 3, 5), (3, 4, 4)]


def margins(n, size):
    return [",".join(one) for one in combinations("ABCDEF"[:n], size)]


def releases():
    rng = np.random.default_rng(1)
    yield "20 x 20, margins", fw.publish(rng.poisson(25, (20, 20)), ["A", "B"])
    yield "1000 x 1000, margins", fw.publish(rng.poisson(5, (1000, 1000)), ["A", "B"])
    yield "200 x 200, half hidden", fw.suppress(rng.poisson(10, (200, 200)), where=rng.random((200, 200)) < 0.5)
    yield "200 x 200, 5% hidden", fw.suppress(rng.poisson(10, (200, 200)), where=rng.random((200, 200)) < 0.05)
    yield "30 x 20, rounded to 3", fw.round_to(rng.poisson(9, (30, 20)), 3)
    yield "2 x 30 x 30, two-way", fw.publish(rng.poisson(3, (2, 30, 30)), TWO_WAY)
    yield "10 x 10 x 10 x 10, AB BC CD", fw.publish(rng.poisson(1, (10,) * 4), ["A,B", "B,C", "C,D"])
    yield "3 x 3 x 20 x 5, ABC two-way, CD", fw.publish(rng.poisson(2, (3, 3, 20, 5)), [*TWO_WAY, "C,D"])
    yield "3 x 3 x 100, two-way", fw.publish(rng.poisson(3, (3, 3, 100)), TWO_WAY)
    yield "4 x 4 x 3, two-way", fw.publish(rng.poisson(3, (4, 4, 3)), TWO_WAY)
    yield "5 x 4 x 3, two-way", fw.publish(rng.poisson(3, (5, 4, 3)), TWO_WAY)
    yield "5 x 5 x 5, two-way", fw.publish(rng.poisson(3, (5, 5, 5)), TWO_WAY)
    yield "3 x 3 x 3 x 3, two-way", fw.publish(rng.poisson(2, (3,) * 4), margins(4, 2))
    yield "2^6, two-way", fw.publish(rng.poisson(2, (2,) * 6), margins(6, 2))
    yield "2^6, three-way", fw.publish(rng.poisson(2, (2,) * 6), margins(6, 3))
    cube = rng.poisson(3, (12, 12, 12))
    yield "12^3, 20% hidden, two-way", fw.suppress(cube, where=rng.random(cube.shape) < 0.2, margins=TWO_WAY)
    yield "12^3, 35% hidden, two-way", fw.suppress(cube, where=rng.random(cube.shape) < 0.35, margins=TWO_WAY)


def kept(thing, seen) -> int:
    """The bytes of all arrays that a move set holds."""
    if id(thing) in seen:
        return 0
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        return thing.nbytes
    if sp.issparse(thing):
        return sum(getattr(thing, name).nbytes for name in ("data", "indices", "indptr"))
    if isinstance(thing, (tuple, list)):
        return sum(kept(one, seen) for one in thing)
    if hasattr(thing, "__dict__"):
        return sum(kept(one, seen) for one in vars(thing).values())
    return 0


def found_for(release):
    begin = time.perf_counter()
    moves = fw.choose_moves(release)
    seconds = time.perf_counter() - begin
    if not moves.sets:
        return seconds, 0, 0.0, 0.0, moves
    largest = max(range(len(moves.sets)), key=lambda k: moves.sets[k].n_columns)
    one, block = moves.sets[largest], moves.support.solved.blocks[largest]
    random = streams(1, 1)[0]
    for _ in range(100):
        one.draw(random, block.start)
    begin = time.perf_counter()
    for _ in range(1000):
        one.draw(random, block.start)
    micro = (time.perf_counter() - begin) * 1000
    return seconds, one.n_columns, kept(one, set()) / 1e6, micro, moves


def table_of_moves() -> None:
    warm = [fw.publish(np.ones((3, 3, 4), int), TWO_WAY), fw.publish(np.ones((3,) * 4, int), margins(4, 2))]
    for release in warm:
        found_for(release)
    print(
        "moves for a release: seconds to find them; of the largest block: its cells, megabytes, microseconds per draw"
    )
    for name, release in releases():
        seconds, cells, megabytes, micro, moves = found_for(release)
        largest = max((one for one in moves.sets), key=lambda one: one.n_columns, default=None)
        words = largest.words if largest is not None else "everything is decided"
        print(
            f"{name:32} {seconds:6.1f} s {cells:8,} {megabytes:7.2f} MB {micro:6.0f} us  {moves.certificate.word}: {words}"
        )


def hard_starts() -> None:
    for shape in BASES:
        basis = known_basis(shape, [(0, 1), (0, 2), (1, 2)])
        rows = expand(basis.plus, basis.minus, shape)
        begin = time.perf_counter()
        for k in range(rows.shape[0]):
            release = fw.publish(np.maximum(rows[[k]].toarray(), 0).reshape(shape), TWO_WAY)
            moves = fw.choose_moves(release)
            reach = fw.check_connected(release, moves)
            assert moves.certificate.word == "connected", moves
            assert reach.tables == 2, reach
            assert reach.connected, reach
            assert visits(moves) == 2, moves
        spent = time.perf_counter() - begin
        print(
            f"{shape}: {rows.shape[0]:,} moves, each with two tables that are joined and visited ({spent:.0f} s)",
            flush=True,
        )


def visits(moves) -> int:
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


if __name__ == "__main__":
    table_of_moves()
    if "--hard-starts" in sys.argv:
        hard_starts()
