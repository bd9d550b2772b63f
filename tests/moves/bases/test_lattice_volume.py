"""The volume of a lattice against determinants in whole numbers and the textbook, and that no way of writing changes it."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from fiberwalk.moves.bases.lattice_volume import log_volume
from fiberwalk.moves.bases.part_bases import margin_matrix


def nothing_bounded(A):
    return np.zeros(A.shape[1], dtype=bool)


@pytest.mark.parametrize("shape", [(3, 3), (4, 6), (3, 3, 3), (3, 4, 4)])
def test_complete_tables(shape):
    """With all margins but the table itself: a tensor product of the root lattices A_(n-1), of volume sqrt(n) each."""
    A = margin_matrix(shape, combinations(range(len(shape)), len(shape) - 1))
    free = math.prod(n - 1 for n in shape)
    wanted = sum(free / (n - 1) * math.log2(n) / 2 for n in shape)
    assert log_volume(A, nothing_bounded(A)) == pytest.approx(wanted)
    # every change is seen twice: as long as the root of 2 in every direction
    assert log_volume(A, ~nothing_bounded(A)) == pytest.approx(wanted + free / 2)


@pytest.mark.parametrize("seed", range(20))
def test_equations_against_the_minors(seed):
    """The volume of a kernel is the root of the sum of the squares of all maximal minors, over what they have in common."""
    rng = np.random.default_rng(seed)
    A = rng.integers(-2, 4, (3, 7))
    minors = [round(float(np.linalg.det(A[:, list(some)]))) for some in combinations(range(7), 3)]
    wanted = math.log2(math.sqrt(sum(one * one for one in minors)) / math.gcd(*minors))
    assert log_volume(A, nothing_bounded(A)) == pytest.approx(wanted)
    in_order = rng.permutation(7)
    said_twice = np.concatenate([A, 2 * A[:1], A[:2] + A[1:]])[:, in_order]
    assert log_volume(said_twice, nothing_bounded(A)) == pytest.approx(wanted)


def test_bounds_are_equations_with_a_cell_of_their_own():
    rng = np.random.default_rng(1)
    A, bounded = rng.integers(-2, 4, (3, 7)), rng.random(7) < 0.5
    lifted = np.block(
        [[A, np.zeros((3, bounded.sum()), int)], [np.eye(7, dtype=int)[bounded], np.eye(bounded.sum(), dtype=int)]]
    )
    assert log_volume(A, bounded) == pytest.approx(log_volume(lifted, nothing_bounded(lifted)))


def test_nothing_is_open():
    assert log_volume(np.eye(3, dtype=int), np.zeros(3, dtype=bool)) == 0.0
