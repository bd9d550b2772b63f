from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import fiberwalk as fw
from fiberwalk.fiber.blocks.presolve import presolve
from fiberwalk.fiber.equations import basic_moves as module
from fiberwalk.fiber.equations.basic_moves import basic_moves, joined_moves

RNG = np.random.default_rng(3)
TWO_WAY = ["A,B", "A,C", "B,C"]


def hidden(shape: tuple[int, ...], share: float, margins: list[str]) -> fw.Release:
    table = np.random.default_rng(5).poisson(3, shape)
    return fw.suppress(table, where=np.random.default_rng(6).random(shape) < share, margins=margins)


def grouped() -> fw.Release:
    table = fw.table(RNG.poisson(4, (4, 5)), hierarchies={"A": {"g": ["1", "2"], "h": ["3", "4"]}})
    return fw.publish(table, ["A", "B", "A:1,B"])


RELEASES = {
    "two-way": fw.publish(RNG.poisson(4, (3, 4)), ["A", "B"]),
    "three-way": fw.publish(RNG.poisson(4, (3, 3, 4)), TWO_WAY),
    "a chain of margins": fw.publish(RNG.poisson(4, (3, 2, 3)), ["A,B", "B,C"]),
    "four-way": fw.publish(RNG.poisson(4, (2, 3, 2, 2)), [",".join(pair) for pair in combinations("ABCD", 2)]),
    "four-way, three-way margins": fw.publish(
        RNG.poisson(6, (2, 3, 2, 2)), [",".join(three) for three in combinations("ABCD", 3)]
    ),
    "hidden": hidden((4, 4, 3), 0.8, TWO_WAY),
    "subtotals": grouped(),
}


def naive(coordinates: np.ndarray, A: np.ndarray) -> set[frozenset[tuple[int, int]]]:
    """Every cube, of the fewest dims in which there are any of its kind, by its definition."""
    column = {tuple(labels): j for j, labels in enumerate(coordinates.tolist()) if min(labels) >= 0}
    dims, found, working = coordinates.shape[1], set(), []
    for size in (2, 3, 4):
        for chosen in combinations(range(dims), size):
            if any(set(smaller) < set(chosen) for smaller in working):
                continue
            of_dims = [sorted(set(coordinates[:, dim].tolist()) - {-1}) for dim in range(dims)]
            ways = [
                combinations(of_dims[dim], 2) if dim in chosen else [(label,) for label in of_dims[dim]]
                for dim in range(dims)
            ]
            here = set()
            for labels in product(*map(list, ways)):
                corners = {}
                for corner in product(*(range(len(pair)) for pair in labels)):
                    corners[tuple(pair[side] for pair, side in zip(labels, corner, strict=True))] = (-1) ** sum(corner)
                if not all(place in column for place in corners):
                    continue
                move = np.zeros(len(coordinates), dtype=int)
                for place, step in corners.items():
                    move[column[place]] = step
                if not (A @ move).any():
                    here.add(frozenset((int(j), int(move[j])) for j in np.flatnonzero(move)))
            if here:
                working.append(chosen)
                found |= here
    return found


@pytest.mark.parametrize("name", RELEASES)
def test_they_are_those_of_the_definition(name):
    solved = presolve(RELEASES[name])
    compared = 0
    for block in solved.blocks:
        coordinates = solved.fiber.coordinates[block.columns]
        expected, listed = naive(coordinates, block.A.toarray()), basic_moves(coordinates, block.A)
        if listed is None:
            assert not expected
            continue
        dense = listed.toarray()
        signs = np.array([row[np.flatnonzero(row)[0]] for row in dense])
        firsts = {frozenset((int(j), int(row[j])) for j in np.flatnonzero(row)) for row in dense * signs[:, None]}
        assert len(firsts) == len(dense)
        assert firsts == {
            move if dict(move)[min(dict(move))] == 1 else frozenset((j, -s) for j, s in move) for move in expected
        }
        compared += len(dense)
    assert compared > 0


def test_of_too_many_some_are_listed_at_all_labels(monkeypatch):
    monkeypatch.setattr(module, "MOST_CUBES", 800)
    solved = presolve(fw.publish(RNG.poisson(3, (8, 8, 8)), TWO_WAY))
    block = solved.blocks[0]
    listed = basic_moves(solved.fiber.coordinates[block.columns], block.A)
    assert listed.shape[0] == 800
    assert not (block.A @ listed.T).count_nonzero()
    assert len(np.unique(listed.indices)) == 512


def test_columns_that_are_no_cells_have_none():
    block = presolve(fw.publish(RNG.poisson(3, (3, 3)), ["A", "B"])).blocks[0]
    assert basic_moves(np.full((len(block.columns), 2), -1), block.A) is None


# --- two cubes that have a closed corner in common -----------------------------------------------------------------


def sparse_three_way() -> tuple[np.ndarray, Any]:
    """The largest block of a three-way table of which 60% of the cells are hidden."""
    solved = presolve(hidden((5, 5, 4), 0.6, TWO_WAY))
    block = max(solved.blocks, key=lambda one: len(one.columns))
    return solved.fiber.coordinates[block.columns], block.A


def naive_joined(coordinates: np.ndarray) -> set[frozenset[tuple[int, int]]]:
    """All differences of two cubes of three dims that have the same closed corner and no other, by definition."""
    column = {tuple(labels): j for j, labels in enumerate(coordinates.tolist())}
    by_corner: dict[tuple[int, ...], list[dict[tuple[int, ...], int]]] = {}
    for labels in product(*(combinations(sorted(set(coordinates[:, dim].tolist())), 2) for dim in range(3))):
        cube = {
            tuple(pair[side] for pair, side in zip(labels, corner, strict=True)): (-1) ** sum(corner)
            for corner in product(range(2), repeat=3)
        }
        closed = [place for place in cube if place not in column]
        if len(closed) == 1:
            by_corner.setdefault(closed[0], []).append({place: s * cube[closed[0]] for place, s in cube.items()})
    found = set()
    for cubes in by_corner.values():
        for one, other in combinations(cubes, 2):
            move = {place: one.get(place, 0) - other.get(place, 0) for place in {*one, *other}}
            steps = {column[place]: step for place, step in move.items() if step}
            if len(steps) > 8 and max(map(abs, steps.values())) == 1:
                found.add(frozenset(steps.items()))
    return found


def either_way(moves: Any) -> set[frozenset[tuple[int, int]]]:
    """Moves and the same turned around."""
    return {frozenset((j, sign * step) for j, step in move) for move in moves for sign in (1, -1)}


def test_joined_cubes_lead_through_cells_that_have_few(monkeypatch):
    coordinates, A = sparse_three_way()
    basic = basic_moves(coordinates, A)
    expected = either_way(naive_joined(coordinates))
    number = np.bincount(basic.indices, minlength=len(coordinates))
    monkeypatch.setattr(module, "ENOUGH", 2)
    needy = np.flatnonzero(number < 2)
    assert 0 < len(needy) < len(coordinates)
    joined = joined_moves(coordinates, A, basic).toarray()
    assert not (A @ joined.T).any()
    found = [frozenset((int(j), int(row[j])) for j in np.flatnonzero(row)) for row in joined]
    assert len(either_way(found)) == 2 * len(found)  # none twice
    assert set(found) <= expected
    assert (joined[:, needy] != 0).any(axis=1).all()
    available = {j for move in expected for j, _ in move}
    assert all(joined[:, j].any() for j in needy if j in available)
    assert (joined_moves(coordinates, A, basic).toarray() == joined).all()


def test_joined_cubes_are_all_found_with_partners_enough(monkeypatch):
    coordinates, A = sparse_three_way()
    basic = basic_moves(coordinates, A)
    monkeypatch.setattr(module, "ENOUGH", 10**6)
    monkeypatch.setattr(module, "PARTNERS", 200)
    joined = joined_moves(coordinates, A, basic).toarray()
    found = [frozenset((int(j), int(row[j])) for j in np.flatnonzero(row)) for row in joined]
    assert either_way(found) == either_way(naive_joined(coordinates))


def test_where_nothing_is_closed_or_wanted_none_are_joined():
    solved = presolve(fw.publish(RNG.poisson(3, (4, 4, 4)) + 1, TWO_WAY))
    (block,) = solved.blocks
    coordinates = solved.fiber.coordinates[block.columns]
    assert joined_moves(coordinates, block.A, basic_moves(coordinates, block.A)) is None
    coordinates, A = sparse_three_way()
    plenty = sp.csr_array(np.ones((module.ENOUGH, len(coordinates)), dtype=np.int64))
    assert joined_moves(coordinates, A, plenty) is None
