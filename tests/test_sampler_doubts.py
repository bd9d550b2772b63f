"""Doubts about chains that turned out to be justified once, so that they do not come back."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

import fiberwalk as fw
from fiberwalk.moves.chooser import Moves, choose
from fiberwalk.sampler.plan import units_of


def no_questions(moves: Moves) -> sp.csr_array:
    return sp.csr_array((0, moves.support.solved.fiber.n_columns), dtype=np.int64)


def test_a_lower_bound_that_a_sum_implies_is_not_forgotten_by_independent_tables():
    """The other cell of the sum is known, so the sum's range became a bound of this one and needs no row of its own."""
    table = np.zeros((2, 3, 3), dtype=int)
    table[0], table[1, 2, 2] = [[3, 1, 2], [2, 1, 0], [1, 2, 2]], 4
    free = fw.publish(table, ["A,B", "A,C"])
    bounded = free.knows({"B": "1", "C": "1"}, at_least=3)
    drawn = fw.sample(bounded, "hypergeometric", draws=50, chains=2)["table"]
    assert int(drawn.sel(A="1", B="1", C="1").min()) >= 3
    # where nothing but margins is known, tables are still drawn directly
    moves = choose(free, "hypergeometric")
    assert [one.words for one in units_of(moves, no_questions(moves))] == ["independent two-way tables"]
