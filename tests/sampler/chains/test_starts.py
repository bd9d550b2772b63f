"""Releases with two tables only, joined by a single move of a basis; and the hard kinds of releases by name.

`bench/verification/hard_starts.py` (`make verify`) tries every move of the bases; here are all of the
smallest and some of the others.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chisquare
from support.naive.chain import frequencies, walk

import fiberwalk as fw
from fiberwalk.base.random_streams import streams
from fiberwalk.fiber.blocks.presolve import presolve
from fiberwalk.fiber.bounds.decomposable import components
from fiberwalk.fiber.laws.support import support
from fiberwalk.fiber.solvers.every_table import every_table
from fiberwalk.moves.bases.known_bases import expand, known_basis
from fiberwalk.moves.chooser import choose
from fiberwalk.moves.connectivity import check_block
from fiberwalk.moves.families.margins import margin_moves
from fiberwalk.moves.families.mixture import Mixture
from fiberwalk.moves.registry import whatever_the_block

TWO_WAY = ["A,B", "A,C", "B,C"]
AXES = [(0, 1), (0, 2), (1, 2)]


def margins(n: int, size: int) -> list[str]:
    return [",".join(one) for one in combinations("ABCDEF"[:n], size)]


def visited(moves, block, steps, until):
    seen = set()
    for table in walk(moves, block, streams(5, 1)[0], steps):
        seen.add(tuple(table.tolist()))
        if len(seen) == until:
            break
    return len(seen)


@pytest.mark.parametrize("shape", [(3, 3, 3), (3, 3, 4), (3, 3, 5), (3, 4, 4)], ids=str)
def test_two_tables_are_joined(shape):
    basis = known_basis(shape, AXES)
    rows = expand(basis.plus, basis.minus, shape)
    some = np.arange(rows.shape[0])
    if len(some) > 81:
        some = np.random.default_rng(1).choice(some, 60, replace=False)
    for k in some:
        move = rows[[k]].toarray().reshape(shape)
        release = fw.publish(np.maximum(move, 0), TWO_WAY)
        moves = choose(support(release))
        assert moves.certificate.word == "connected"
        reach = fw.moves.check_connected(release, moves)
        assert reach.connected
        assert reach.tables == 2
        assert visited(moves.sets[0], moves.support.solved.blocks[0], 200, 2) == 2


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(3, 3, 3), (3, 3, 4), (3, 3, 5), (3, 4, 4)], ids=str)
def test_the_known_bases_themselves_join_two_tables(shape):
    """The same by the family that draws from the bases, for a move of every kind."""
    basis = known_basis(shape, AXES)
    for plus, minus in zip(basis.plus, basis.minus, strict=True):
        table = np.zeros(shape, dtype=int)
        np.add.at(table, tuple(plus.T), 1)
        release = fw.publish(table, TWO_WAY)
        solved = presolve(release)
        moves = margin_moves(components(release), solved, 0)
        block = solved.blocks[0]
        assert moves.certificate.word == "connected"
        found = check_block(block, moves)
        assert found.connected
        assert len(found.tables) == 2
        if len(plus) <= 6:
            assert visited(moves, block, 50_000, 2) == 2
        assert len(plus) == len(minus)


# --- the kinds of releases that have no textbook basis --------------------------------------------------------------

RNG = np.random.default_rng(20)
FOUR_FOUR_THREE = RNG.poisson(3, (4, 4, 3))
FIVE_FOUR_THREE = RNG.poisson(3, (5, 4, 3))
FOUR_WAY = RNG.poisson(2, (3, 3, 3, 3))
BINARY = RNG.poisson(2, (2,) * 6)
CUBE = RNG.poisson(3, (6, 6, 6))
HIDDEN = RNG.random((6, 6, 6)) < 0.2
LARGE = RNG.poisson(3, (12, 12, 12))
LARGE_HIDDEN = RNG.random((12, 12, 12)) < 0.2


def test_the_tables_have_a_few_zeros():
    assert 0 < (FOUR_FOUR_THREE == 0).sum() < 10
    assert 0 < (FIVE_FOUR_THREE == 0).sum() < 10


@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "reason"),
    [
        (fw.publish(FOUR_FOUR_THREE, TWO_WAY), "Markov basis of 3 x 4 x 4"),
        (fw.publish(FIVE_FOUR_THREE, TWO_WAY), "Markov basis of 3 x 4 x 5"),
        (fw.publish(FOUR_WAY, margins(4, 2)), "lattice basis"),
        (fw.publish(BINARY, margins(6, 2)), "lattice basis"),
        (fw.publish(BINARY, margins(6, 3)), "lattice basis"),
        (fw.suppress(CUBE, where=HIDDEN, margins=TWO_WAY), ""),
        (fw.suppress(LARGE, where=LARGE_HIDDEN, margins=TWO_WAY), ""),
        (fw.suppress(LARGE, where=LARGE_HIDDEN | (LARGE < 2), margins=TWO_WAY), ""),
    ],
    ids=["4x4x3", "5x4x3", "4-way", "2^6 two", "2^6 three", "6^3 20%", "12^3 20%", "12^3 30%"],
)
def test_hard_releases_have_moves(release, reason):
    moves = fw.moves.choose_moves(release)
    assert moves.certificate.word in ("connected", "exact")
    assert reason in moves.certificate.reason
    if reason == "lattice basis":
        assert "reached in principle only" in " ".join(moves.certificate.evidence)
        assert "4ti2" in " ".join(moves.certificate.evidence)
    random = streams(3, 1)[0]
    for one, block in zip(moves.sets, moves.support.solved.blocks, strict=True):
        table = block.start
        changed = 0
        for table in walk(one, block, random, 300):
            assert (block.A @ table == block.b).all()
            assert (table >= block.lower).all()
            assert (table <= block.upper).all()
            changed += not np.array_equal(table, block.start)
        assert changed


# --- and on small cases of the same kinds the chains are right ------------------------------------------------------


def bounded(rng):
    table = rng.poisson(0.8, (3, 3, 3))
    release = fw.publish(table, TWO_WAY)
    for a, b, c in [(0, 0, 0), (1, 0, 0), (0, 1, 2), (2, 2, 2)]:
        release = release.knows(dict(zip("ABC", map(str, (a + 1, b + 1, c + 1)), strict=True)), at_most=table[a, b, c])
    return release


SMALL = {
    "2x2x2x2 two-way": lambda rng: fw.publish(rng.poisson(1, (2, 2, 2, 2)), margins(4, 2)),
    "2^5 two-way": lambda rng: fw.publish(rng.poisson(0.4, (2,) * 5), margins(5, 2)),
    "2^5 three-way": lambda rng: fw.publish(rng.poisson(2, (2,) * 5), margins(5, 3)),
    "3x3x3": lambda rng: fw.publish(rng.poisson(0.8, (3, 3, 3)), TWO_WAY),
    "3x3x3 bounded": bounded,
    "4-cycle": lambda rng: fw.publish(rng.poisson(0.7, (2, 2, 2, 2)), ["A,B", "B,C", "C,D", "A,D"]),
    "hidden": lambda rng: fw.suppress(rng.poisson(2, (3, 3, 3)), where=rng.random((3, 3, 3)) < 0.8, margins=TWO_WAY),
}


def a_small_block(name):
    """The first release of a kind, by seed, that has a block of some 20 to 60 tables."""
    for seed in range(300):
        release = SMALL[name](np.random.default_rng(seed))
        for number, block in enumerate(presolve(release).blocks):
            tables = every_table(block.A, block.b, block.lower, block.upper, 61)
            if tables is not None and 20 <= len(tables) <= 60:
                return release, number, tables
    raise AssertionError


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_chains_agree_with_every_table(name):
    release, number, tables = a_small_block(name)
    solved = presolve(release)
    block = solved.blocks[number]
    margins_of = components(release)
    quick = margin_moves(margins_of, solved, number, proven=False) if margins_of is not None else None
    moves = whatever_the_block(support(release), block, quick=(quick,))
    assert isinstance(moves, Mixture)
    counts = frequencies(walk(moves, block, streams(9, 1)[0], 1500 * len(tables)), tables, 100)
    assert chisquare(counts).pvalue > 1e-6, f"{moves!r}: {counts.min()} to {counts.max()}"


@pytest.mark.slow
def test_a_chain_that_counts_only_its_moves_is_caught():
    release = fw.publish([[2, 1, 0], [0, 1, 1]], ["A", "B"])
    block = presolve(release).blocks[0]
    tables = every_table(block.A, block.b, block.lower, block.upper, 100)
    moves = choose(support(release)).sets[0]

    def only_moves():
        before = block.start
        for table in walk(moves, block, streams(9, 1)[0], 40_000):
            if not np.array_equal(table, before):
                yield table
            before = table

    assert chisquare(frequencies(only_moves(), tables, 5)).pvalue < 1e-6
    assert chisquare(frequencies(walk(moves, block, streams(9, 1)[0], 20_000), tables, 10)).pvalue > 1e-6


def test_what_serves_any_block_says_what_it_is():
    release, number, _ = a_small_block("3x3x3")
    inside = support(release)
    general = whatever_the_block(inside, inside.solved.blocks[number])
    assert isinstance(general, Mixture)
    assert "SubTables" in repr(general)
    assert "LatticeMoves" in repr(general)
    assert general.certificate.word == "connected"
    assert "reached in principle only" in general.certificate.evidence[0]
