"""The registry of kernels: the first that fits is taken, parts of a mixture share the columns, and none is forgotten."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace

import numpy as np
import pytest
from support.house.import_graph import sources
from support.places import ROOT

import fiberwalk as fw
from fiberwalk.fiber.laws.support import support
from fiberwalk.moves.chooser import choose
from fiberwalk.moves.families.cycles import cycles
from fiberwalk.moves.families.lattice import lattice_moves
from fiberwalk.moves.families.mixture import Mixture
from fiberwalk.moves.families.swaps import Swaps, swaps
from fiberwalk.sampler.kernels import registry
from fiberwalk.sampler.kernels.independent.two_way import TwoWayKernel
from fiberwalk.sampler.kernels.kernel import Fit, Kernel, Task
from fiberwalk.sampler.kernels.schedule.kernel import ScheduleKernel
from fiberwalk.sampler.kernels.stocked_moves import MoveKernel, supplier_of
from fiberwalk.sampler.kernels.swaps.hit_and_run import SwapKernel
from fiberwalk.sampler.kernels.swaps.people import PersonSwapKernel
from fiberwalk.sampler.kernels.swaps.rounds import SwapRoundsKernel
from fiberwalk.sampler.lines.weights import weights_on

FULL, SPARSE = np.full((3, 4), 5), np.eye(6, dtype=int)


def task(table, law="uniform", **changes) -> Task:
    inside = support(fw.publish(table, ["A", "B"]), law)
    (block,) = inside.solved.blocks
    moves = swaps(block)
    assert moves is not None
    return replace(Task(block, moves, weights_on(inside.weigh, block.columns, block.lower, block.upper)), **changes)


def kinds(fit: Fit) -> list[type]:
    return [type(one) for one in fit.kernels]


def test_the_quickest_that_is_right_is_taken():
    assert kinds(registry.fitting(task(FULL))) == [SwapKernel]
    assert kinds(registry.fitting(task(np.full((3, 40), 5)))) == [SwapRoundsKernel]
    assert kinds(registry.fitting(task(SPARSE))) == [PersonSwapKernel, SwapKernel]
    assert kinds(registry.fitting(task(FULL, "hypergeometric"))) == [TwoWayKernel]
    assert kinds(registry.fitting(task(FULL, fw.laws.expected(np.arange(1, 13).reshape(3, 4))))) == [ScheduleKernel]
    assert kinds(registry.fitting(task(np.full((2, 3), 2**32)))) == [ScheduleKernel]  # too large for the quickest


def test_kernels_that_order_the_columns_to_their_liking_are_taken_alone():
    alone = registry.fitting(task(FULL))
    assert alone.order is not None
    assert alone.offset is not None
    shared = registry.fitting(task(FULL, alone=False))
    assert kinds(shared) == [ScheduleKernel]
    assert shared.order is shared.offset is None
    mixed = task(FULL)
    mixed = replace(mixed, moves=Mixture((mixed.moves, lattice_moves(mixed.block)), (0.5, 0.5)))
    assert kinds(registry.fitting(mixed)) == [ScheduleKernel, MoveKernel]


@dataclass(frozen=True, eq=False)
class Standstill(Kernel):
    """Leaves the law as it is by leaving the table as it is."""

    words = "nothing"
    cost = 1.0

    def walk(self, place, tally, room, draws, steps):
        return draws


def test_a_line_in_the_registry_is_all_that_a_kernel_needs(monkeypatch):
    def fits(given: Task) -> Fit | None:
        return Fit((Standstill(),)) if isinstance(given.moves, Swaps) else None

    before = registry.KERNELS
    monkeypatch.setattr(registry, "KERNELS", (fits, *before))
    assert kinds(registry.fitting(task(FULL))) == [Standstill]
    monkeypatch.setattr(registry, "KERNELS", (*before, fits))
    assert kinds(registry.fitting(task(FULL))) == [SwapKernel]


def test_every_file_that_says_when_it_fits_is_in_the_registry():
    homes = {one.__module__ for one in (*registry.KERNELS, *registry.WHOLE_TABLES, registry.ladder.fits)}
    for name in sources(ROOT):
        if name.startswith("sampler.kernels."):
            module = importlib.import_module(f"fiberwalk.{name}")
            made_here = getattr(getattr(module, "fits", None), "__module__", None) == module.__name__
            assert made_here == (module.__name__ in homes), name


def test_a_family_that_looks_at_the_table_cannot_be_stocked():
    moves = choose(
        support(
            fw.publish(np.arange(27).reshape(3, 3, 3) % 4, ["A,B", "B,C", "A,C"]),
            fw.laws.prior([({"A": "1", "B": "1", "C": "1"}, {0: 0.5, 2: 0.5})]),
        )
    )
    parts = [part for one in moves.sets if isinstance(one, Mixture) for part in one.parts]
    by_table = [one for one in parts if one.supplier() is None]
    assert by_table
    with pytest.raises(TypeError, match="draws moves by the table; they cannot be written in advance"):
        supplier_of(by_table[0])


def test_cycles_and_sums_are_walked_from_a_stock():
    inside = support(fw.publish(FULL, ["A", "B"]))
    (block,) = inside.solved.blocks
    weights = weights_on(inside.weigh, block.columns, block.lower, block.upper)
    for moves in (cycles(block), lattice_moves(block)):
        assert kinds(registry.fitting(Task(block, moves, weights))) == [MoveKernel]
