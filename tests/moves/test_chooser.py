"""One protocol for every family of moves: they keep every figure, draw what they list, and reach what they claim."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from support.effort import cases, examples
from support.move_families import (
    TWO_WAY,
    basis_of,
    check_protocol,
    families,
    holey_releases,
    margin_releases,
    normal,
    rows_of,
    small_blocks,
)
from support.worlds import worlds

import fiberwalk as fw
from fiberwalk.base.certificate import Certificate
from fiberwalk.base.random_streams import streams
from fiberwalk.fiber.blocks.presolve import presolve
from fiberwalk.fiber.bounds.decomposable import components
from fiberwalk.fiber.equations.lattice import integer_kernel
from fiberwalk.fiber.laws.support import support
from fiberwalk.fiber.solvers.every_table import every_table
from fiberwalk.moves import registry
from fiberwalk.moves.bases import algebra
from fiberwalk.moves.bases.algebra import Algebra
from fiberwalk.moves.bases.graver import graver_basis
from fiberwalk.moves.chooser import choose
from fiberwalk.moves.connectivity import check_block
from fiberwalk.moves.families.adaptive_lattice import adaptive_lattice
from fiberwalk.moves.families.cycles import Cycles, cycles
from fiberwalk.moves.families.listed import Listed
from fiberwalk.moves.families.margins import MarginMoves, margin_moves
from fiberwalk.moves.families.mixture import Mixture
from fiberwalk.moves.families.move_set import MoveSet, distinct_rows
from fiberwalk.moves.families.row_pairs import RowPairs, row_pairs
from fiberwalk.moves.families.short_cycles import short_cycles
from fiberwalk.moves.families.sub_tables import from_sets
from fiberwalk.moves.families.swaps import Swaps, swaps

MOST = 1000


def as_mask(bits: str) -> np.ndarray:
    return np.array([[bit == "1" for bit in row] for row in bits.split()])


def check_claims(release: fw.Release) -> None:
    solved, blocks = small_blocks(release)
    random = streams(7, 1)[0]
    for number, block in blocks:
        if every_table(block.A, block.b, block.lower, block.upper, MOST) is None:
            continue
        for moves in families(release, solved, number):
            check_protocol(moves, block, random)
            found = check_block(block, moves, MOST)
            if moves.certificate.word == "connected":
                assert found.connected, f"{moves!r}: {moves.certificate.reason}: {found.components} parts"


@examples(120)
@given(worlds())
def test_every_family_keeps_its_word_on_any_release(world):
    check_claims(world.release)


@examples(60)
@given(margin_releases())
def test_every_family_keeps_its_word_on_margins(release):
    check_claims(release)


@examples(120)
@given(holey_releases())
def test_every_family_keeps_its_word_on_tables_with_hidden_and_bounded_cells(release):
    check_claims(release)


@examples(100)
@given(st.one_of(margin_releases(), holey_releases(), worlds().map(lambda world: world.release)))
def test_chosen_moves_keep_their_word(release):
    moves = choose(support(release))
    assert moves.certificate.word in ("connected", "exact")
    for one, block in zip(moves.sets, moves.support.solved.blocks, strict=True):
        if every_table(block.A, block.b, block.lower, block.upper, MOST) is not None:
            assert check_block(block, one, MOST).connected


@examples(30)
@given(worlds())
def test_all_tables_are_walked_through(world):
    tables = world.tables()
    assume(len(tables) <= 500)
    reach = fw.moves.check_connected(world.release)
    assert reach.tables == len(tables)
    assert reach.connected


# --- the wrong moves are caught ------------------------------------------------------------------------------------


def test_swaps_of_eight_cells_are_not_enough_for_3_x_3_x_3():
    basis = basis_of((3, 3, 3)).toarray()
    degree = np.abs(basis).sum(axis=1) // 2
    small, large = basis[degree == 4], basis[degree == 6]
    assert len(small) == 27
    assert len(large) == 54
    hard = fw.publish(np.maximum(large[0], 0).reshape(3, 3, 3), TWO_WAY)
    caught = fw.moves.check_connected(hard, small.reshape(-1, 3, 3, 3))
    assert (caught.tables, caught.parts) == (2, 2)
    assert repr(caught) == "<NOT connected: 2 tables in 2 parts>"
    apart = caught.apart()
    assert np.array_equal(np.abs(apart["one"] - apart["other"]), np.abs(large[0]))
    whole = fw.moves.check_connected(hard, basis.reshape(-1, 3, 3, 3))
    assert whole.connected
    assert whole.apart() is None


def test_swaps_of_four_cells_are_not_enough_where_cells_are_missing():
    hidden = ~np.eye(3, dtype=bool)
    block = presolve(fw.suppress(np.where(hidden, 1, 5), where=hidden)).blocks[0]
    assert swaps(block) is None
    pairs, around = row_pairs(block), cycles(block)
    assert pairs.certificate.word == "unproven"
    assert check_block(block, pairs).components == len(check_block(block, pairs).tables) == 3
    assert around.certificate.word == "connected"
    assert check_block(block, around).connected
    assert Mixture((pairs, around), (0.9, 0.1)).certificate.word == "connected"
    assert check_block(block, Mixture((pairs, around), (0.9, 0.1))).connected


def test_a_mixture_does_not_answer_for_moves_that_look_at_the_table():
    block = presolve(fw.publish(np.ones((3, 3), int), ["A", "B"])).blocks[0]
    plain, looking = swaps(block), adaptive_lattice(block)
    move = plain.draw(streams(1, 1)[0], block.start)
    assert Mixture((plain, cycles(block)), (1, 1)).log_odds(move, block.start) == 0
    assert Mixture((plain, cycles(block)), (1, 1)).makes_lines
    with pytest.raises(TypeError, match="pick a part"):
        Mixture((plain, looking), (1, 1)).log_odds(move, block.start)
    parts = from_sets(block, [np.arange(9)])
    assert not Mixture((plain, parts), (1, 1)).makes_lines


def test_bounded_cells_are_no_complete_table_any_more():
    table = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    free = fw.publish(table, ["A", "B"])
    assert swaps(presolve(free).blocks[0]) is not None
    bounded = free.knows({"A": "1", "B": "2"}, exactly=0).knows({"A": "2", "B": "3"}, at_most=0)
    bounded = bounded.knows({"A": "3", "B": "1"}, exactly=0)
    for block in presolve(bounded).blocks:
        assert swaps(block) is None
    tight = fw.publish(table + 1, ["A", "B"]).knows({"A": "1", "B": "1"}, at_most=2)
    assert swaps(presolve(tight).blocks[0]) is None
    loose = (
        fw.publish(table + 1, ["A", "B"]).knows({"A": "1", "B": "1"}, at_most=4).knows({"A": "2", "B": "1"}, at_least=1)
    )
    assert swaps(presolve(loose).blocks[0]) is not None


def test_4ti2_is_asked_where_nothing_else_is_proven(monkeypatch):
    release = fw.publish(np.ones((3, 3, 3), int), TWO_WAY).knows({"A": "1", "B": "1", "C": "1"}, at_most=1)
    asked = []

    def answer(A, own, seconds):
        asked.append((A.shape, own.sum(), seconds))
        lattice = integer_kernel(A)
        return Algebra(graver_basis(lattice, np.full(A.shape[1], 10**6)), "computed by a test")

    monkeypatch.setattr(registry, "graver_basis", lambda *arguments: None)
    monkeypatch.setattr(registry, "markov_basis", answer)
    moves = choose(support(release), max_seconds=7.0)
    assert [one[1:] for one in asked] == [(1, 7.0)]
    assert moves.certificate.reason == (
        "a Markov basis of the block's equations, with the cells' own upper bounds as equations"
    )
    assert moves.certificate.evidence == ("computed by a test",)
    monkeypatch.setattr(registry, "markov_basis", lambda *arguments: Algebra(None, "too large for 4ti2 to be asked"))
    without = choose(support(release), max_seconds=7.0)
    assert "too large for 4ti2 to be asked" in without.certificate.evidence
    assert "LatticeMoves" in repr(without)


def test_a_clock_that_ends_4ti2_ends_the_choice(tmp_path, monkeypatch):
    release = fw.publish(np.ones((3, 3, 3), int), TWO_WAY).knows({"A": "1", "B": "1", "C": "1"}, at_most=1)
    (tmp_path / "sleeping_4ti2.py").write_text("def markov(*problem):\n    import time; time.sleep(600)\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("FIBERWALK_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(algebra, "FAST", "sleeping_4ti2")
    monkeypatch.setattr(algebra, "EXACT", "sleeping_4ti2")
    monkeypatch.setattr(registry, "graver_basis", lambda *arguments: None)
    with pytest.raises(fw.InputError, match=r"were asked of 4ti2, and it ran out of its 0\.5 seconds\."):
        fw.moves.choose_moves(release, max_seconds=0.5)
    without = fw.moves.choose_moves(release, max_seconds=0)
    assert "4ti2 was given no time (max_seconds=0)" in without.certificate.evidence


# --- drawing -------------------------------------------------------------------------------------------------------


def drawn(moves: MoveSet, table: np.ndarray, number: int, seed: int = 3) -> dict:
    random = streams(seed, 1)[0]
    counts: dict = {}
    for _ in range(number):
        move = moves.draw(random, table)
        if len(move.columns):
            key = normal(move)
            up = move.steps[np.argmin(move.columns)] > 0
            forwards, backwards = counts.get(key, (0, 0))
            counts[key] = (forwards + up, backwards + (not up))
    return counts


@pytest.mark.parametrize(
    "release",
    [
        fw.publish([[3, 1, 2], [0, 2, 4], [1, 1, 5]], ["A", "B"]),
        fw.suppress([[3, 1, 2, 1], [5, 2, 4, 2], [1, 1, 5, 2]], where=as_mask("1101 0111 1110")),
        fw.publish(np.arange(18).reshape(2, 3, 3) % 4, TWO_WAY),
        fw.publish(np.arange(16).reshape(2, 2, 2, 2) % 3, ["A,B", "B,C", "A,C", "C,D"]),
        fw.publish(np.arange(27).reshape(3, 3, 3) % 4 + 1, TWO_WAY),
        fw.round_to([[1, 5], [4, 7]], 3),
    ],
    ids=["swaps", "hidden", "2x3x3", "reducible", "3x3x3", "rounded"],
)
def test_every_listed_move_is_drawn_and_both_ways_alike(release):
    solved, blocks = small_blocks(release)
    for number, block in blocks:
        for moves in families(release, solved, number):
            if not isinstance(moves, (Swaps, Cycles, RowPairs, MarginMoves)):
                continue
            known = rows_of(moves)
            counts = drawn(moves, block.start, 150 * len(known) + 2000)
            assert set(counts) == known
            for forwards, backwards in counts.values():
                # five standard deviations of a fair coin: about 1e-6 over all moves
                assert abs(forwards - backwards) <= 5.5 * np.sqrt(forwards + backwards)


def test_the_walk_that_closes_has_a_naive_twin():
    """The odds of each cycle of a small graph, by following every walk."""
    block = presolve(fw.suppress([[3, 1, 2], [5, 2, 4], [1, 1, 5]], where=as_mask("110 111 011"))).blocks[0]
    moves = cycles(block)
    network = moves.network
    ends = list(zip(network.tail.tolist(), network.head.tolist(), strict=True))
    at = {v: [a for a, pair in enumerate(ends) if v in pair] for pair in ends for v in pair}
    odds: dict = {}

    def follow(node, walk, seen, p):
        came_by = walk[-1] if walk else None
        for arc in [a for a in at[node] if a != came_by]:
            other = ends[arc][0] if ends[arc][1] == node else ends[arc][1]
            share = p / (len(at[node]) - 1)
            if other in seen:
                cycle = frozenset([*walk[seen.index(other) :], arc])
                odds[cycle] = odds.get(cycle, 0) + share
            else:
                follow(other, [*walk, arc], [*seen, other], share)

    for arc, pair in enumerate(ends):
        for node in pair:
            other = pair[0] if pair[1] == node else pair[1]
            follow(other, [arc], [node, other], 0.5 / len(ends))
    assert sum(odds.values()) == pytest.approx(1)
    number = 20_000
    counts = drawn(moves, block.start, number)
    assert {frozenset(columns) for columns, _ in counts} == set(odds)
    chi = sum((sum(both) - number * odds[frozenset(columns)]) ** 2 / (number * odds[frozenset(columns)])
              for (columns, _), both in counts.items())  # fmt: skip
    from scipy.stats import chi2

    assert chi2.sf(chi, len(odds) - 1) > 1e-6
    uniform = sum((sum(both) - number / len(odds)) ** 2 / (number / len(odds)) for both in counts.values())
    assert chi2.sf(uniform, len(odds) - 1) < 1e-6  # the test can fail


# --- lists ---------------------------------------------------------------------------------------------------------


def test_rows_are_listed_once_up_to_their_sign():
    rows = sp.csr_array(np.array([[1, -1, 0], [-1, 1, 0], [0, 0, 0], [0, 2, -2], [0, 1, -1], [1, -1, 0]]))
    assert distinct_rows(rows).toarray().tolist() == [[1, -1, 0], [0, 2, -2], [0, 1, -1]]


def test_too_many_moves_are_not_listed():
    block = presolve(fw.publish(np.ones((9, 9), int), ["A", "B"])).blocks[0]
    with pytest.raises(fw.TooLarge, match="more than 100 moves, too many to be listed"):
        swaps(block).listed(100)
    with pytest.raises(fw.TooLarge, match="more than 100 moves"):
        cycles(block).listed(100)
    with pytest.raises(fw.TooLarge, match="81 cells has more than 50 tables, or so many ways"):
        fw.moves.check_connected(fw.publish(np.ones((9, 9), int), ["A", "B"]), max_tables=50)


def naive_cycles(n, m):
    found = set()
    for k in range(2, min(n, m) + 1):
        for rows in itertools.permutations(range(n), k):
            for columns in itertools.permutations(range(m), k):
                move = np.zeros((n, m), dtype=int)
                for t in range(k):
                    move[rows[t], columns[t]] += 1
                    move[rows[t], columns[(t + 1) % k]] -= 1
                found.add(min(tuple(move.ravel()), tuple(-move.ravel())))
    return found


@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (3, 4)])
def test_all_cycles_of_a_complete_table_are_listed(shape):
    block = presolve(fw.publish(np.ones(shape, int), ["A", "B"])).blocks[0]
    listed = cycles(block).listed().toarray()
    back = np.empty_like(block.columns)
    back[block.columns] = np.arange(len(back))
    assert {min(tuple(row[back]), tuple(-row[back])) for row in listed} == naive_cycles(*shape)


def test_a_search_for_cycles_that_leads_nowhere_is_given_up(monkeypatch):
    monkeypatch.setattr("fiberwalk.fiber.solvers.every_cycle.LEAST_STEPS", 10)
    block = presolve(fw.publish(np.ones((4, 4), int), ["A", "B"])).blocks[0]
    with pytest.raises(fw.TooLarge, match="more than 1 moves, too many to be listed"):
        cycles(block).listed(1)
    assert cycles(block).listed(204).shape[0] == 204
    with pytest.raises(fw.TooLarge, match="more than 203 moves"):
        cycles(block).listed(203)


def test_few_cycles_are_listed_and_of_many_some_are_drawn():
    small = fw.suppress(np.full((5, 5), 3), where=np.add.outer(np.arange(5), np.arange(5)) % 5 < 3)
    (few,) = choose(support(small)).sets
    assert isinstance(few, Listed)
    assert "cycles join all flows" in few.certificate.reason
    large = fw.suppress(np.full((9, 9), 3), where=np.add.outer(np.arange(9), np.arange(9)) % 9 < 7)
    (many,) = choose(support(large)).sets
    assert isinstance(many, Mixture)
    assert isinstance(many.parts[-1], Cycles)
    assert many.certificate.word == few.certificate.word == "connected"


@examples(60)
@given(holey_releases())
def test_cycles_without_chords_are_enough_where_every_chord_can_change(release):
    for block in presolve(release).blocks:
        around = cycles(block)
        if around is None or every_table(block.A, block.b, block.lower, block.upper, MOST) is None:
            continue
        rows = around.listed()
        network = around.network
        count = np.diff(sp.csr_array(rows).indptr)
        kept = []
        if around.spread is not None:
            continue
        for k in range(rows.shape[0]):
            arcs = rows.indices[rows.indptr[k] : rows.indptr[k + 1]]
            nodes = np.unique(np.concatenate([network.tail[arcs], network.head[arcs]]))
            inside = np.isin(network.tail, nodes) & np.isin(network.head, nodes)
            if inside.sum() == count[k]:
                kept.append(k)
        without = Listed(sp.csr_array(rows[kept]), Certificate("unproven", "test"))
        assert check_block(block, without, MOST).connected


# --- size ----------------------------------------------------------------------------------------------------------


def test_a_large_table_with_half_its_cells_hidden_takes_megabytes():
    rng = np.random.default_rng(1)
    release = fw.suppress(rng.poisson(10, (200, 200)), where=rng.random((200, 200)) < 0.5)
    import tracemalloc

    def chosen():
        moves = fw.moves.choose_moves(release)
        for _ in range(100):
            moves.sets[0].draw(streams(1, 1)[0], moves.support.solved.blocks[0].start)
        return moves

    chosen()  # what a process loads once is no part of it
    tracemalloc.start()
    moves = chosen()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert moves.certificate.word == "connected"
    assert after < 20e6
    assert sum(array.nbytes for array in held(moves.sets[0])) < 5e6


def held(moves):
    """The arrays that a move set keeps."""
    for one in moves.parts if isinstance(moves, Mixture) else (moves,):
        for value in vars(one).values():
            if isinstance(value, np.ndarray):
                yield value
            elif isinstance(value, tuple):
                yield from (part for part in value if isinstance(part, np.ndarray))
            elif sp.issparse(value):
                yield from (value.data, value.indices, value.indptr)


def test_short_cycles_are_always_the_same_and_short():
    rng = np.random.default_rng(1)
    release = fw.suppress(rng.poisson(5, (60, 60)), where=rng.random((60, 60)) < 0.1)
    blocks = [block for block in presolve(release).blocks if len(block.columns) > 40]
    around = cycles(blocks[0])
    one, two = short_cycles(around).rows, short_cycles(around).rows
    assert abs(one - two).sum() == 0
    assert np.diff(one.indptr).max() <= 8
    assert one.shape[0] > 2 * one.shape[1]
    assert not abs(blocks[0].A @ one.T).sum()


# --- hundreds of releases of each family's own kind ----------------------------------------------------------------


def shapes(rng, n, most):
    while True:
        shape = tuple(rng.integers(2, most + 1, size=n).tolist())
        if np.prod(shape) <= 48:
            return shape


def complete(sets, n, most=3):
    def release(rng):
        shape = shapes(rng, n, most)
        return fw.publish(rng.poisson(rng.choice([0.2, 0.4, 0.7]), shape), sets)

    return release


def three_way(*sizes):
    return lambda rng: fw.publish(rng.poisson(rng.choice([0.3, 0.5, 0.8]), [rng.choice(one) for one in sizes]), TWO_WAY)


def hidden_two_way(rng):
    shape = tuple(rng.integers(3, 6, size=2).tolist())
    table = rng.poisson(1, shape)
    release = fw.suppress(table, where=rng.random(shape) < 0.6)
    for cell in np.argwhere(rng.random(shape) < 0.15):
        named = {"A": str(cell[0] + 1), "B": str(cell[1] + 1)}
        release = release.knows(named, at_most=int(table[tuple(cell)]) + int(rng.integers(0, 2)))
    return release


def one_hierarchy(rng):
    table = rng.poisson(0.7, (5, 3))
    groups = {"A": {"low": ["1", "2"], "high": ["3", "4", "5"]}}
    margins = [["A:1", "B"], ["A:1,B", "A"], ["A", "A:1", "B"]][rng.integers(3)]
    return fw.suppress(fw.table(table, hierarchies=groups), where=rng.random((5, 3)) < 0.8, margins=margins)


def rounded(rng):
    return fw.round_to(rng.poisson(1, (2, int(rng.integers(2, 4)))), 3, ["nearest", "within"][rng.integers(2)])


def bounded_three_way(rng):
    table = rng.poisson(0.7, (3, 3, 3))
    release = fw.suppress(table, where=rng.random((3, 3, 3)) < 0.85, margins=TWO_WAY)
    a, b, c = rng.integers(0, 3, 3)
    return release.knows({"A": str(a + 1), "B": str(b + 1), "C": str(c + 1)}, at_most=int(table[a, b, c]))


KINDS = {
    "two-way": (lambda rng: fw.publish(rng.poisson(0.6, rng.integers(2, 5, 2)), ["A", "B"]), Swaps),
    "two-way, hidden and bounded": (hidden_two_way, Cycles),
    "one hierarchy": (one_hierarchy, Cycles),
    "rounded": (rounded, Cycles),
    "2 x J x K": (three_way([2], [3, 4], [3, 4]), Cycles),
    "decomposable path": (complete(["A,B", "B,C", "C,D"], 4), MarginMoves),
    "decomposable star": (complete(["A,B", "A,C", "A,D"], 4), MarginMoves),
    "decomposable and free": (complete(["A,B", "B,C"], 4, 2), MarginMoves),
    "independent": (complete(["A", "B,C"], 3), Swaps),
    "reducible": (complete(["A,B", "B,C", "A,C", "C,D"], 4), MarginMoves),
    "reducible, two parts": (complete(["A,B", "B,C", "A,C", "C,D", "D,E", "C,E"], 5, 2), MarginMoves),
    "reducible at two dims": (complete(["A,B", "B,C", "A,C,D", "B,D"], 4, 3), MarginMoves),
    "four-cycle": (complete(["A,B", "B,C", "C,D", "A,D"], 4, 3), MarginMoves),
    "3 x 3 x K": (three_way([3], [3], [3, 4, 5]), MarginMoves),
    "3 x 4 x 4": (three_way([3], [4], [4]), MarginMoves),
    "slices of 3 x 3 x 3": (complete(["A,B,D", "B,C,D", "A,C,D"], 4), MarginMoves),
    "all two-way of four": (complete(["A,B", "A,C", "A,D", "B,C", "B,D", "C,D"], 4, 2), MarginMoves),
    "bounded three-way": (bounded_three_way, Listed),
}


FEWER = {"3 x 4 x 4": 8, "3 x 3 x K": 30, "four-cycle": 40} | {kind: 30 for kind in KINDS if "reducible" in kind}
"""Where all moves take long to list, few releases are tried here and many in `make verify`."""


@pytest.mark.parametrize("kind", KINDS)
def test_every_family_on_its_own_kind(kind):
    make, family = KINDS[kind]
    number = max(FEWER.get(kind, 100), cases(FEWER.get(kind, 100)))
    random, checked = streams(4, 1)[0], 0
    for seed in range(number):
        release = make(np.random.default_rng([seed, len(kind)]))
        found = components(release)
        solved, blocks = small_blocks(release)
        for k, block in blocks:
            if every_table(block.A, block.b, block.lower, block.upper, MOST) is None:
                continue
            if family is MarginMoves:
                moves = margin_moves(found, solved, k)
            elif family is Listed:
                rows = graver_basis(integer_kernel(block.A), block.upper - block.lower)
                moves = None if rows is None else Listed(rows, Certificate("connected", "Graver"))
            else:
                moves = {Swaps: swaps, Cycles: cycles}[family](block)
            if moves is None or moves.certificate.word != "connected":
                continue
            for _ in range(5):
                move = moves.draw(random, block.start)
                assert not (block.A @ (move.on(block.start) - block.start)).any()
            try:
                assert check_block(block, moves, MOST).connected
            except fw.TooLarge:
                continue
            checked += 1
    assert checked >= number // 4
