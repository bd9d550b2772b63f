from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

import fiberwalk as fw
from fiberwalk.fiber.blocks.presolve import presolve
from fiberwalk.fiber.equations import basic_moves as module
from fiberwalk.fiber.equations.basic_moves import basic_moves

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
