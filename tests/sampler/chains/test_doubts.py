"""Doubts about chains that turned out to be justified once, so that they do not come back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp

import fiberwalk as fw
from fiberwalk.base.certificate import Certificate
from fiberwalk.base.random_streams import streams
from fiberwalk.fiber.laws.support import support
from fiberwalk.moves.chooser import Moves, choose
from fiberwalk.moves.families.listed import Listed
from fiberwalk.moves.families.stock import empty_stock
from fiberwalk.posterior.belief import believe
from fiberwalk.sampler.chains.settings import BATCHES, FIRST_LENGTH, ChainSettings
from fiberwalk.sampler.chains.tuning import best_shares
from fiberwalk.sampler.chains.units import units_of
from fiberwalk.sampler.estimate import estimate, fingerprint


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
    moves = choose(support(free, "hypergeometric"))
    assert [one.words for one in units_of(moves, no_questions(moves))] == ["independent two-way tables"]


def ring(n: int, value: int) -> fw.Release:
    """A table in which the hidden cells form one long cycle."""
    hidden = np.eye(n, dtype=bool) | np.roll(np.eye(n, dtype=bool), 1, axis=1)
    return fw.suppress(np.where(hidden, value, 0), where=hidden)


def test_a_ring_without_short_cycles_is_walked():
    drawn = fw.sample(ring(140, 2), draws=40, chains=2)["table"]
    assert set(np.unique(drawn.values[:, :, 0, 0])) == {0, 1, 2, 3, 4}


def test_an_empty_list_of_moves_leaves_the_table_as_it_is():
    source = Listed(sp.csr_array((0, 5), dtype=np.int64), Certificate("unproven", "empty")).supplier()
    stock = empty_stock(source.longest)
    source.fill(stock, streams(1, 1)[0])
    assert stock.state[1] > 0
    assert not stock.start[: stock.state[1] + 1].any()


def test_kernels_of_which_none_moved_in_the_trial_share_alike():
    assert best_shares(np.zeros((2, 3))).tolist() == [0.5, 0.5]
    assert best_shares(np.zeros((2, 0))).tolist() == [0.5, 0.5]
    assert best_shares(np.array([[0.5, 0.0], [0.1, 0.0]]))[0] > 0.9


def test_shares_of_time_make_the_mean_wait_least():
    rng = np.random.default_rng(1)
    for kernels in (2, 3):
        rates = rng.random((kernels, 30)) * (rng.random((kernels, 30)) < 0.7)
        rates[0, ~rates.any(axis=0)] = 0.1
        found = best_shares(rates)
        assert found.sum() == pytest.approx(1.0)
        assert found.min() >= 0.04
        free = (found - 0.04) / (1 - 0.04 * kernels)  # what is left to choose
        wait = (1 / (free @ rates)).mean()
        for other in rng.dirichlet(np.ones(kernels), 500):
            assert (1 / np.maximum(other @ rates, 1e-9)).mean() > wait * (1 - 1e-6)


def test_a_kernel_that_alone_moves_some_cells_keeps_what_they_need_and_no_more():
    rates = np.array([[0.5] * 30, [0.0] * 29 + [0.5]])
    rates[0, 29] = 0.0
    quick, other = best_shares(rates)
    assert 0.7 < quick < 0.9
    assert other == pytest.approx(0.04 + 0.92 / (1 + np.sqrt(29)), abs=1e-3)  # the root of how many cells wait for each


def hidden_cells(release: fw.Release, moves: Moves) -> sp.csr_array:
    _, rows, _ = release.listed()
    rows.resize(rows.shape[0], moves.support.solved.fiber.n_columns)
    return sp.csr_array(rows)


def test_products_of_many_large_counts_do_not_overflow_unnoticed():
    """A cycle of 80 cells, all in the hundred millions but two: 39 of them multiplied are more than a float holds."""
    n = 40
    hidden = np.eye(n, dtype=bool) | np.roll(np.eye(n, dtype=bool), 1, axis=1)
    table = np.where(hidden, 200_000_000, 0)
    table[0, :2] = 5
    release = fw.suppress(table, where=hidden)
    exact = believe(release, "hypergeometric").pmfs[0]
    moves = choose(support(release, "hypergeometric"))
    short = ChainSettings(tolerance=0.2, max_draws=1 << 10)
    found = estimate(moves, hidden_cells(release, moves), short).marginals(0)[0]
    assert found.first == exact.first == 0
    assert abs(found.p[: len(exact.p)] - exact.p).sum() < 0.1


def test_expected_counts_that_are_worlds_apart_leave_no_nan():
    means = 10.0 ** np.random.default_rng(1).choice([-50, 50], (3, 3))
    release = fw.publish([[30, 20, 10], [10, 40, 20], [20, 10, 50]], ["A", "B"])
    moves = choose(support(release, fw.laws.expected(means)))
    found = estimate(moves, hidden_cells(release, moves), ChainSettings(tolerance=0.2, max_draws=1 << 14))
    for question, exact in enumerate(believe(release, fw.laws.expected(means)).pmfs):
        (part,) = found.marginals(question)
        assert np.isfinite(part.p).all()
        assert part.first == exact.first == 0
        assert abs(part.p[: len(exact.p)] - exact.p[: len(part.p)]).sum() < 0.1


@pytest.mark.parametrize("size", [10**9, 10**12])
def test_hypergeometric_tables_of_any_size_need_no_list_of_values(size):
    table = np.random.default_rng(0).integers(size, 3 * size, (3, 3))
    drawn = fw.sample(fw.publish(table, ["A", "B"]), "hypergeometric", draws=400, chains=2)["table"].values
    assert (drawn.sum(axis=2) == table.sum(axis=0)).all()
    row, column, n = float(table[0].sum()), float(table[:, 0].sum()), float(table.sum())
    mean, variance = row * column / n, row * column * (n - row) * (n - column) / n**3
    cell = (drawn[:, :, 0, 0] - mean) / np.sqrt(variance)
    assert abs(cell.mean()) < 5 / np.sqrt(cell.size)
    assert 0.75 < cell.var() < 1.3


def test_time_that_is_up_at_once_still_leaves_something_to_tell():
    moves = choose(support(fw.publish(np.full((200, 200), 3), ["A", "B"])))
    found = estimate(moves, no_questions(moves), ChainSettings(), max_seconds=0.0)
    assert found.stopped
    assert found.units[0].draws > 0


@dataclass
class Tilted:
    """A law of a user's own."""

    slope: float
    name: str = "tilted"
    words: str = "larger values are more probable"

    def on(self, release):
        def weigh(cell, first, last):
            return self.slope * np.arange(first, last + 1)

        return weigh


def test_checkpoints_tell_laws_of_the_same_name_apart():
    release = fw.publish(np.full((3, 3), 2), ["A", "B"]).knows({"A": "1", "B": "1"}, at_most=3)
    one, again, other = (choose(support(release, Tilted(slope))) for slope in (0.5, 0.5, -0.5))
    marks = [fingerprint(moves, no_questions(moves), ()) for moves in (one, again, other)]
    assert marks[0] == marks[1]
    assert marks[0] != marks[2]


def test_the_same_seed_of_another_type_takes_up_the_same_checkpoint(tmp_path):
    release = fw.publish(np.full((3, 3), 2), ["A", "B"])
    one = fw.sample(release, draws=5, chains=2, seed=3, checkpoint=tmp_path / "run")
    again = fw.sample(release, draws=np.int64(5), chains=np.int32(2), seed=np.uint8(3), checkpoint=tmp_path / "run")
    assert again.equals(one)
    assert one.attrs["ess"] >= 400


def test_the_last_look_counts_like_any_other():
    """A run that passes the rule for the second time with its last draws has passed it."""
    moves = choose(support(fw.publish(np.full((3, 3), 4), ["A", "B"])))
    forgotten = BATCHES * FIRST_LENGTH
    done = estimate(moves, no_questions(moves), ChainSettings(tolerance=1.0)).units[0].draws // 4 + forgotten
    assert estimate(moves, no_questions(moves), ChainSettings(tolerance=1.0, max_draws=done)).converged
    assert not estimate(moves, no_questions(moves), ChainSettings(tolerance=1.0, max_draws=done // 2)).converged


def test_lines_of_a_trillion_points_are_walked_as_a_whole():
    size = 10**12
    cube = fw.publish(np.full((3, 3, 3), size), ["A,B", "A,C", "B,C"])
    drawn = fw.sample(cube, draws=200, chains=4)
    assert drawn.attrs["converged"] == "yes"
    cell = drawn["table"].values[:, :, 0, 0, 0] / size - 1.0
    assert abs(cell.mean()) < 5 * cell.std() / np.sqrt(cell.size)
    assert cell.std() == pytest.approx(0.55, abs=0.06)  # as with cells of 10,000


def test_attributes_fit_into_files(tmp_path):
    drawn = fw.sample(fw.publish(np.full((3, 3), 2), ["A", "B"]), draws=5, chains=2, seed=2**70)
    drawn.to_netcdf(tmp_path / "tables.nc", engine="scipy")
    assert drawn.attrs["seed"] == str(2**70)


def test_a_progress_that_is_no_function_and_a_checkpoint_that_is_no_file_are_named():
    release = fw.publish(np.full((3, 3), 2), ["A", "B"])
    with pytest.raises(fw.InputError, match="progress=3: a function"):
        fw.sample(release, progress=3)
    with pytest.raises(fw.InputError, match="checkpoint=5: the name of a file"):
        fw.sample(release, checkpoint=5)
