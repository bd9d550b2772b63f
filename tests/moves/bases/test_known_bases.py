"""Known bases against their published sizes, naive lists of cycles and every table of small fibers."""

from __future__ import annotations

import itertools
from functools import cache
from math import comb

import numpy as np
import pytest
from support.naive import tables as naive

from fiberwalk.moves.bases.known_bases import expand, known_basis, stored_bases


def all_margins(n, size):
    return [frozenset(axes) for axes in itertools.combinations(range(n), size)]


TWO_WAY = all_margins(3, 2)
FOUR_CYCLE = [{0, 1}, {1, 2}, {2, 3}, {0, 3}]


def moves_of(shape, margins=TWO_WAY):
    basis = known_basis(shape, margins)
    return expand(basis.plus, basis.minus, shape)


def as_set(moves, shape, axes=None):
    """Moves as arrays with dims in another order, both signs."""
    tables = moves.toarray().reshape(-1, *shape)
    if axes is not None:
        tables = tables.transpose(0, *(axis + 1 for axis in axes))
    return {(sign * table).astype(np.int8).tobytes() for table in tables for sign in (1, -1)}


def keeps_margins(moves, shape, margins):
    tables = moves.toarray().reshape(-1, *shape)
    return not any(
        tables.sum(axis=tuple(axis + 1 for axis in range(len(shape)) if axis not in shown)).any() for shown in margins
    )


def tables_like(table, margins):
    """Every table with the same margins, by trying."""
    facts = []
    for shown in margins:
        groups = [[i if axis in shown else 0 for i in range(n)] for axis, n in enumerate(table.shape)]
        facts += naive.margin_facts(table, groups)
    return naive.tables(table.size, facts, most=200_000)


def connected(tables, moves):
    left = set(tables)
    front = [left.pop()]
    while front:
        table = np.array(front.pop())
        for step in map(tuple, np.concatenate([table + moves, table - moves]).tolist()):
            if step in left:
                left.discard(step)
                front.append(step)
    return not left


@pytest.mark.parametrize(
    ("shape", "count"),
    [((3, 3, 3), 81), ((3, 3, 4), 450), ((3, 3, 5), 2670), ((3, 4, 4), 4068), ((2, 2, 2), 1), ((2, 3, 3), 15)],
)
def test_published_sizes(shape, count):
    moves = moves_of(shape)
    assert moves.shape == (count, np.prod(shape))
    assert keeps_margins(moves, shape, TWO_WAY)


def size_of_three_by_three_by(k):
    return 9 * comb(k, 2) + 6 * comb(k, 2) + 36 * comb(k, 3) + 216 * comb(k, 4) + 1080 * comb(k, 5)


@pytest.mark.parametrize("k", [3, 4, 5, 6])
def test_three_by_three_by_any_number(k):
    assert moves_of((3, 3, k)).shape[0] == size_of_three_by_three_by(k)
    basis = known_basis((3, 3, 1000 * k), TWO_WAY)
    assert len(basis.plus) == len(known_basis((3, 3, 6), TWO_WAY).plus)
    assert "Aoki and Takemura" in basis.reason


@pytest.mark.parametrize("shape", [(3, 3, 3), (3, 3, 4), (2, 3, 4), (3, 4, 4)])
def test_any_order_of_dims_gives_the_same_moves(shape):
    first = as_set(moves_of(shape), shape)
    for axes in itertools.permutations(range(3)):
        other = tuple(shape[axis] for axis in axes)
        back = tuple(axes.index(axis) for axis in range(3))
        assert as_set(moves_of(other), other, back) == first


def test_any_order_of_dims_of_a_model_that_is_not_symmetric():
    shape = (2, 2, 2, 3)
    margins = [{0, 1, 2}, {0, 3}, {1, 3}, {2, 3}]
    first = as_set(moves_of(shape, margins), shape)
    for axes in itertools.permutations(range(4)):
        other = tuple(shape[axis] for axis in axes)
        back = tuple(axes.index(axis) for axis in range(4))
        moved = [{axes.index(axis) for axis in one} for one in margins]
        assert as_set(moves_of(other, moved), other, back) == first


@cache
def cycles_naively(j, k):
    """All tables of -1, 0, 1 with zero sums whose cells, as edges between rows and columns, are one cycle."""
    found = []
    for entries in itertools.product((-1, 0, 1), repeat=j * k):
        table = np.array(entries).reshape(j, k)
        used = table != 0
        if not used.any() or table.sum(axis=0).any() or table.sum(axis=1).any():
            continue
        if (used.sum(axis=0) > 2).any() or (used.sum(axis=1) > 2).any():
            continue
        reached = {int(np.flatnonzero(used.any(axis=1))[0])}
        while True:
            columns = used[sorted(reached)].any(axis=0)
            more = set(np.flatnonzero(used[:, columns].any(axis=1)).tolist())
            if more == reached:
                break
            reached = more
        if len(reached) == used.any(axis=1).sum():
            found.append(table)
    return found


@pytest.mark.parametrize(("j", "k"), [(2, 2), (2, 4), (3, 3), (2, 5), (3, 2)])
@pytest.mark.parametrize("n_binary", [1, 2, 3])
def test_two_layers_are_cycles(j, k, n_binary):
    """Any number of dims of two labels: the cycle with a sign for each of them."""
    shape, n = (2,) * n_binary + (j, k), n_binary + 2
    signs = np.array([(-1) ** sum(labels) for labels in itertools.product(range(2), repeat=n_binary)])
    wanted = {np.multiply.outer(signs, table).astype(np.int8).tobytes() for table in cycles_naively(j, k)}
    moves = moves_of(shape, all_margins(n, n - 1))
    assert as_set(moves, shape) == wanted
    assert keeps_margins(moves, shape, all_margins(n, n - 1))


def test_longer_cycles_are_counted():
    """4 x 2 x 5: r rows and r columns have r! (r - 1)! / 2 cycles through all of them."""
    wanted = sum(comb(4, r) * comb(5, r) * [0, 0, 1, 6, 72][r] for r in (2, 3, 4))
    assert moves_of((4, 2, 5)).shape[0] == wanted


@pytest.mark.parametrize("shape", [(3, 3, 3), (3, 3, 4)])
def test_every_move_is_indispensable(shape):
    """The fiber of its positive part has that part and the negative one, and no other table (one move per orbit)."""
    basis = known_basis(shape, TWO_WAY)
    for one, other in zip(basis.plus, basis.minus, strict=True):
        sides = [np.zeros(shape, dtype=np.int64) for _ in range(2)]
        for side, cells in zip(sides, (one, other), strict=True):
            np.add.at(side, tuple(cells.T), 1)
        assert sorted(tables_like(sides[0], TWO_WAY)) == sorted(tuple(side.ravel().tolist()) for side in sides)


@pytest.mark.parametrize("basis", stored_bases(), ids=lambda one: f"{one.shape} {sorted(map(sorted, one.margins))}")
def test_stored_counts(basis):
    moves = moves_of(basis.shape, basis.margins)
    assert moves.shape[0] == basis.moves
    assert keeps_margins(moves, basis.shape, basis.margins)


@pytest.mark.parametrize("basis", stored_bases(), ids=lambda one: f"{one.shape} {sorted(map(sorted, one.margins))}")
def test_every_stored_representative_is_a_move(basis):
    for one, other in basis.representatives:
        assert one.shape == other.shape
        assert (np.concatenate([one, other]) < basis.shape).all()
        for shown in basis.margins:
            sides = [sorted(cells[:, sorted(shown)].tolist()) for cells in (one, other)]
            assert sides[0] == sides[1]
        assert not {tuple(cell) for cell in one.tolist()} & {tuple(cell) for cell in other.tolist()}


CONNECTED = [
    ((3, 3, 3), TWO_WAY),
    ((2, 3, 4), TWO_WAY),
    ((2, 2, 2, 2), FOUR_CYCLE),
    ((2, 2, 2, 3), FOUR_CYCLE),
    ((2, 2, 2, 2), all_margins(4, 2)),
    ((2, 2, 2, 3), all_margins(4, 2)),
    ((2, 2, 2, 3), all_margins(4, 3)),
    ((2, 2, 2, 3), [{0, 1, 2}, {0, 3}, {1, 3}, {2, 3}]),
    ((2, 2, 2, 2, 2), [{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}]),
    ((2, 2, 2, 2, 2), all_margins(5, 3)),
]


@pytest.mark.parametrize(("shape", "margins"), CONNECTED, ids=str)
def test_random_fibers_are_connected(shape, margins):
    """Tables on which two moves and more can be made."""
    random, sizes = np.random.default_rng(4), []
    moves = moves_of(shape, margins).toarray()
    for _ in range(10):
        chosen = random.choice(moves, 2 if len(moves) > 1 else 1) * random.choice([-1, 1])
        table = np.maximum(chosen, 0).sum(axis=0) + random.multinomial(3, np.full(moves.shape[1], 1 / moves.shape[1]))
        tables = tables_like(table.reshape(shape), margins)
        sizes.append(len(tables))
        assert connected(tables, moves)
    assert max(sizes) > 3


@pytest.mark.parametrize(
    ("shape", "margins"),
    [((4, 4, 4), TWO_WAY), ((3, 3), [{0}, {1}]), ((3, 3), [{0, 1}]), ((9, 9, 9, 9), FOUR_CYCLE)],
)
def test_what_is_not_known(shape, margins):
    assert known_basis(shape, margins) is None


def test_what_is_wrong_with_the_question_is_said():
    with pytest.raises(ValueError, match="two labels or more and is in a margin"):
        known_basis((3, 3, 1), TWO_WAY)
    with pytest.raises(ValueError, match=r"in \[\[0, 1\]\]"):
        known_basis((3, 3, 3), [{0, 1}])
    with pytest.raises(ValueError, match="part of another says nothing"):
        known_basis((3, 3, 3), [*TWO_WAY, {0}])
