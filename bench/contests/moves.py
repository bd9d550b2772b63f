"""From a release to moves that are proven to reach every table, against a Markov basis computed by 4ti2."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator

import numpy as np
import scipy.sparse as sp
from figures import Figure, Finding, Skipped
from peers import four_ti_two
from peers.equations import Equations, equations
from peers.rounds import best_round
from problems import margins, problem

import fiberwalk as fw
from fiberwalk.moves.bases import known_bases
from fiberwalk.moves.bases.algebra import one_of_each_pair

LIMIT = 10
WORDS = (
    "Seconds of processor time from a release to a set of moves and the proof that they reach every table; 4ti2 gets the "
    f"equations, and where it is not done after {LIMIT} seconds the ratio is a lower bound. We do without 4ti2 here: bases "
    "of some margins come with fiberwalk, computed once by 4ti2 where the remark says so, and are read and laid out anew "
    "each time. Memory is what the moves keep."
)
NAMES = (
    "4 x 4",
    "20 x 20",
    "3 x 3 x 3",
    "4 x 4 x 3",
    "5 x 4 x 3",
    "2^6",
    "hierarchical",
    "200 x 200, 5% hidden",
)
SAME = ("4 x 4", "3 x 3 x 3")
"""Where the least basis is the only one, and ours is it: 4ti2's moves must be the same."""


def run(quick: bool) -> Iterator[Finding]:
    """Nothing for the guard, as the peer is optional."""
    if quick:
        return
    warnings.simplefilter("ignore")
    there = four_ti_two.installed()
    for name in NAMES:
        yield from _raced(name, problem(name).release, there)
    yield from _raced("200 x 200, half hidden", problem("200 x 200, half hidden").release, False)
    for name, make in _more().items():
        yield from _raced(name, make(), False)
    if not there:
        yield Skipped("moves", four_ti_two.NAME, four_ti_two.HOW_TO_GET)


def _more() -> dict[str, Callable[[], fw.Release]]:
    """Larger releases, out of the reach of 4ti2."""
    random = np.random.default_rng(1)

    def table(mean: float, *shape: int) -> np.ndarray:
        return random.poisson(mean, shape)

    return {
        "1000 x 1000": lambda: fw.publish(table(5, 1000, 1000), ["A", "B"]),
        "2 x 30 x 30, two-way margins": lambda: fw.publish(table(3, 2, 30, 30), margins(3, 2)),
        "3 x 3 x 100, two-way margins": lambda: fw.publish(table(3, 3, 3, 100), margins(3, 2)),
        "10 x 10 x 10 x 10, margins AB, BC, CD": lambda: fw.publish(table(1, 10, 10, 10, 10), ["A,B", "B,C", "C,D"]),
    }


def _raced(name: str, release: fw.Release, there: bool) -> Iterator[Figure]:
    moves, seconds = _chosen(release)
    proof = moves.certificate
    in_principle = "; reached in principle only" if any("in principle" in one for one in proof.evidence) else ""
    note = f"{proof.word}: {proof.reason}{in_principle}"
    peer: dict[str, object] = {}
    if there:
        system = equations(release)
        theirs, basis = best_round(lambda: four_ti_two.markov_basis(system.A, LIMIT), rounds=3)
        peer = {"peer": four_ti_two.NAME, "theirs": theirs}
        note += "; " + _told(name, system, moves, basis)
    yield Figure("moves", name, "moves with a proof", "s", seconds, more_is_better=False, note=note, **peer)
    megabytes = sum(_kept(one, set()) for one in moves.sets) / 1e6
    yield Figure("moves", name, "memory of the moves", "MB", megabytes, more_is_better=False)


def _chosen(release: fw.Release) -> tuple[fw.moves.Moves, float]:
    """The moves, and the processor time for them, the best of some runs after compilation."""
    moves, best = fw.moves.choose_moves(release, max_seconds=0), math.inf
    for _ in range(3):
        for one in vars(known_bases).values():
            if hasattr(one, "cache_clear"):
                one.cache_clear()
        begin = time.process_time()
        moves = fw.moves.choose_moves(release, max_seconds=0)
        best = min(best, time.process_time() - begin)
    return moves, best


def _told(name: str, system: Equations, moves: fw.moves.Moves, basis: sp.csr_array | None) -> str:
    """What 4ti2 found, after it was checked."""
    if basis is None:
        return f"4ti2 was not done after {LIMIT} s, so this many times at least"
    assert not (system.A @ basis.T).count_nonzero(), "a move of 4ti2's changes a published sum"
    if name in SAME:
        (ours,) = moves.sets
        assert (one_of_each_pair(ours.listed()) != one_of_each_pair(basis)).nnz == 0
    return f"4ti2 found {basis.shape[0]:,} moves" + (", the same as ours" if name in SAME else "")


def _kept(thing: object, seen: set[int]) -> int:
    """The bytes of all arrays that a move set holds."""
    if id(thing) in seen:
        return 0
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        return thing.nbytes
    if sp.issparse(thing):
        return sum(getattr(thing, name).nbytes for name in ("data", "indices", "indptr"))
    if isinstance(thing, (tuple, list)):
        return sum(_kept(one, seen) for one in thing)
    return sum(_kept(one, seen) for one in vars(thing).values()) if hasattr(thing, "__dict__") else 0
