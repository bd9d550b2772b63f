"""Doubts about chains that turned out to be justified once, so that they do not come back."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

import fiberwalk as fw
from fiberwalk.fiber.certificate import Certificate
from fiberwalk.moves.chooser import Moves, choose
from fiberwalk.moves.listed import Listed
from fiberwalk.moves.random_words import streams
from fiberwalk.sampler.plan import units_of
from fiberwalk.sampler.stock import empty_stock, supplier
from fiberwalk.sampler.tuning import best_shares


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


def ring(n: int, value: int) -> fw.Release:
    """A table in which the hidden cells form one long cycle."""
    hidden = np.eye(n, dtype=bool) | np.roll(np.eye(n, dtype=bool), 1, axis=1)
    return fw.suppress(np.where(hidden, value, 0), where=hidden)


def test_a_ring_without_short_cycles_is_walked():
    drawn = fw.sample(ring(140, 2), draws=40, chains=2)["table"]
    assert set(np.unique(drawn.values[:, :, 0, 0])) == {0, 1, 2, 3, 4}


def test_an_empty_list_of_moves_leaves_the_table_as_it_is():
    source = supplier(Listed(sp.csr_array((0, 5), dtype=np.int64), Certificate("unproven", "empty")))
    stock = empty_stock(source.longest)
    source.fill(stock, streams(1, 1)[0])
    assert stock.state[1] > 0
    assert not stock.start[: stock.state[1] + 1].any()


def test_kernels_of_which_none_moved_in_the_trial_share_alike():
    assert best_shares(np.zeros((2, 3))).tolist() == [0.5, 0.5]
    assert best_shares(np.zeros((2, 0))).tolist() == [0.5, 0.5]
    assert best_shares(np.array([[0.5, 0.0], [0.1, 0.0]]))[0] > 0.9
