"""Short moves with machine code of their own; that their draws follow the law is in test_protocol.py."""

from __future__ import annotations

from dataclasses import replace

import numba
import numpy as np
import pytest
import scipy.sparse as sp

import fiberwalk as fw
from fiberwalk.base.random_streams import streams
from fiberwalk.fiber.laws.support import support
from fiberwalk.moves.chooser import choose
from fiberwalk.sampler.chains.chain import Chain
from fiberwalk.sampler.chains.tuning import _as_turns
from fiberwalk.sampler.chains.unit import Unit
from fiberwalk.sampler.chains.units import units_of
from fiberwalk.sampler.kernels import balanced
from fiberwalk.sampler.kernels.balanced import BalancedKernel, learnt_moves, walk_of
from fiberwalk.sampler.kernels.schedule.kernel import ScheduleKernel

THREE_WAY = ["A,B", "A,C", "B,C"]


def unit_on(table: np.ndarray, margins: list[str], law: str = "uniform") -> Unit:
    moves = choose(support(fw.publish(table, margins), law))
    return units_of(moves, sp.csr_array((0, moves.support.solved.fiber.n_columns), dtype=np.int64))[0]


def dense(law: str = "uniform") -> Unit:
    return unit_on(np.random.default_rng(1).poisson(6, (4, 4, 5)), THREE_WAY, law)


@pytest.mark.parametrize("law", ["uniform", "hypergeometric"])
def test_dense_tables_are_walked_by_basic_moves(law):
    kernel = dense(law).kernels[0]
    assert isinstance(kernel, BalancedKernel)
    assert kernel.words == "hit-and-run along 360 moves of 8 cells"
    assert not kernel.bounded


def test_large_counts_under_weights_are_left_to_slices():
    table = np.full((3, 3, 3), 1000)
    assert isinstance(unit_on(table, THREE_WAY).kernels[0], BalancedKernel)
    by_weights = unit_on(table, THREE_WAY, "hypergeometric").kernels
    assert not any(isinstance(kernel, BalancedKernel) for kernel in by_weights)
    assert isinstance(by_weights[0], ScheduleKernel)


def test_every_move_stays_and_those_that_lead_far_stand_there_often():
    unit = dense()
    kernel = unit.kernels[0]
    tables = np.tile(unit.start, (3, 1))
    learnt = learnt_moves(kernel.moves, kernel.weights, tables, unit.lower, unit.upper)
    moves, times = np.unique(learnt.columns, axis=0, return_counts=True)
    assert len(moves) == kernel.number
    half = kernel.half
    room = np.array([unit.start[move[:half]].min() + unit.start[move[half:]].min() for move in moves.astype(int)])
    assert times[room == room.max()].min() > 2 * times[room == room.min()].max()
    assert (learnt.reach == 1).all()


def test_steps_reach_as_far_as_lines_are_wide():
    unit = unit_on(np.full((4, 4, 5), 40), THREE_WAY, "hypergeometric")
    kernel = unit.kernels[0].learned(unit, unit.start, streams(2, 1)[0])
    # a line of eight cells of 40 has a standard deviation of sqrt(40 / 8)
    assert set(kernel.moves.reach.tolist()) <= {3, 4, 5}


def test_nothing_is_counted_by_reference():
    unit = dense()
    Chain(unit, unit.start, streams(1, 1)[0]).advance(replace(unit, shares=(1 << 40,) * len(unit.kernels)), 2)
    cached = walk_of(unit.kernels[0].half, False, False)
    fresh = numba.njit(nogil=True, error_model="numpy", _nrt=False)(cached.py_func)  # code from the disk cannot be read
    fresh.compile(cached.signatures[0])
    for code in fresh.inspect_asm().values():
        assert "NRT_incref" not in code


def test_draws_that_take_more_steps_are_the_same_walk():
    unit = dense()
    unit = replace(unit, kernels=unit.kernels[:1], shares=(1 << 40,))
    usual, stretched = (Chain(unit, unit.start, streams(5, 1)[0]) for _ in range(2))
    usual.advance(unit, 60)
    stretched.advance(replace(unit, stretch=(6,)), 10)
    assert np.array_equal(usual.place.table, stretched.place.table)
    assert usual.tally.windows.credits[0] == 60
    assert stretched.tally.windows.credits[0] == 10


def test_a_kernel_that_hardly_moves_the_table_is_seen_seldom():
    rates = np.array([[0.5, 0.5], [0.05, 0.05], [0.001, 0.001]])
    turns = _as_turns(np.array([0.8, 0.1, 0.1]), np.full(3, 1000.0), rates)
    assert turns == ((320, 4, 1), (1, 10, 40))
    alike = _as_turns(np.array([0.8, 0.1, 0.1]), np.full(3, 1000.0), np.full((3, 2), 0.3))
    assert alike == ((320, 40, 40), (1, 1, 1))


def test_lengths_that_have_no_code_are_left_to_others(monkeypatch):
    monkeypatch.setattr(balanced, "HALVES", (3,))
    kernels = unit_on(np.random.default_rng(1).poisson(1, (3, 3, 3)), THREE_WAY).kernels
    assert not any(isinstance(kernel, BalancedKernel) and kernel.half != 3 for kernel in kernels)
    assert any(isinstance(kernel, ScheduleKernel) for kernel in kernels)
