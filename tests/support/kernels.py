"""Every kernel that can be made for a small release, and the exact law of the whole tables that it must draw.

A kernel that the registry chooses somewhere needs nothing here; one that it passes over has a line in `other_ways`.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
import scipy.sparse as sp
import xarray as xr

import fiberwalk as fw
from fiberwalk.base.certificate import Certificate
from fiberwalk.base.random_streams import streams
from fiberwalk.fiber.blocks.presolve import Block
from fiberwalk.fiber.bounds.decomposable import components
from fiberwalk.fiber.laws.support import Support, support
from fiberwalk.fiber.solvers.every_table import every_table
from fiberwalk.moves.chooser import choose
from fiberwalk.moves.families.listed import Listed
from fiberwalk.moves.families.margins import MarginMoves
from fiberwalk.moves.families.mixture import Mixture
from fiberwalk.moves.families.move_set import MoveSet
from fiberwalk.moves.families.row_pairs import RowPairs
from fiberwalk.moves.families.swaps import swaps
from fiberwalk.sampler.chains.chain import Chain
from fiberwalk.sampler.chains.unit import Unit
from fiberwalk.sampler.chains.units import unit_of, units_of
from fiberwalk.sampler.kernels.balanced import BalancedKernel, by_length
from fiberwalk.sampler.kernels.independent.decomposable import DecomposableKernel
from fiberwalk.sampler.kernels.independent.draw_decomposable import decomposable_plan
from fiberwalk.sampler.kernels.kernel import Kernel, Task
from fiberwalk.sampler.kernels.ladder.kernel import Ladder
from fiberwalk.sampler.kernels.registry import fitting
from fiberwalk.sampler.kernels.schedule.kernel import ScheduleKernel
from fiberwalk.sampler.kernels.schedule.walk import listed_arrays
from fiberwalk.sampler.kernels.signed_list import listed_kernel
from fiberwalk.sampler.kernels.stocked_moves import MoveKernel
from fiberwalk.sampler.kernels.swaps.people import PersonSwapKernel
from fiberwalk.sampler.kernels.swaps.rounds import SwapRoundsKernel
from fiberwalk.sampler.lines.weights import ALIKE, FACTORIAL, POISSON, Weights, weights_on
from support.move_families import families

TOO_MANY = 3000
Planned = tuple[Unit, MoveSet | None]
"""A unit with its kernels, and the moves whose reach limits it (None: it is known to reach everything)."""


def on_rungs(unit: Unit) -> Unit:
    """A ladder has its rungs from a trial, without which it is only its lowest."""
    ladders = [isinstance(one, Ladder) for one in unit.kernels]
    if not any(ladders):
        return unit
    random = streams(21, 1)[0]
    return replace(unit, kernels=tuple(one.learned(unit, unit.start, random) for one in unit.kernels))


def alone(inside: Support, block: Block, kernel: Kernel) -> Unit:
    """A unit of one kernel on the columns of a block as they are."""
    nothing = np.zeros(len(block.columns), dtype=np.int64)
    return Unit(
        columns=block.columns,
        offset=nothing,
        lower=block.lower,
        upper=block.upper,
        start=block.start,
        weights=weights_on(inside.weigh, block.columns, block.lower, block.upper),
        kernels=(kernel,),
        certificate=Certificate("unproven", "under test"),
        sums=sp.csr_array((0, len(block.columns)), dtype=np.int64),
    )


def as_a_part(moves: MoveSet, weights: Weights, block: Block) -> tuple[Kernel, ...]:
    """The kernels of a family of moves beside which others may stand."""
    return fitting(Task(block, moves, weights, alone=False)).kernels


def by_family(inside: Support, number: int) -> Iterator[Planned]:
    """Every family of moves through the kernels that the plan has for it, whatever the law."""
    block = inside.solved.blocks[number]
    weights = weights_on(inside.weigh, block.columns, block.lower, block.upper)
    for moves in families(inside.narrowed, inside.solved, number):
        for kernel in as_a_part(moves, weights, block):
            yield alone(inside, block, kernel), _walked_by(kernel, moves)


def _walked_by(kernel: Kernel, moves: MoveSet) -> MoveSet:
    """The moves of a family that one of its kernels makes, as each length may have its own."""
    if isinstance(kernel, BalancedKernel):
        columns = np.unique(kernel.moves.columns, axis=0).astype(np.int64)
        rows = np.zeros((len(columns), moves.n_columns), dtype=np.int64)
        np.put_along_axis(rows, columns[:, : kernel.half], 1, axis=1)
        np.put_along_axis(rows, columns[:, kernel.half :], -1, axis=1)
        return Listed(sp.csr_array(rows), moves.certificate)
    if isinstance(kernel, ScheduleKernel):
        arrays = kernel.arrays
        gains = np.arange(len(arrays.columns)) < np.repeat(arrays.middle, np.diff(arrays.start))
        steps = np.where(gains, arrays.sizes, -arrays.sizes)
        shape = (len(arrays.middle), moves.n_columns)
        return Listed(
            sp.csr_array((steps, arrays.columns.astype(np.int64), arrays.start), shape=shape), moves.certificate
        )
    return kernel.moves if isinstance(kernel, MoveKernel) else moves


def as_planned(inside: Support, number: int) -> Iterator[Planned]:
    """Every family of moves as the plan walks a block with it: the special kernels, where one of them is right."""
    block = inside.solved.blocks[number]
    nothing = sp.csc_array((0, inside.solved.fiber.n_columns), dtype=np.int64)
    for moves in families(inside.narrowed, inside.solved, number):
        unit = unit_of(inside, block, moves, nothing)
        if [type(one) for one in unit.kernels] != [type(one) for one in as_a_part(moves, unit.weights, block)]:
            yield unit, moves


def other_ways(inside: Support, number: int) -> Iterator[Planned]:
    """Kernels that are right for a family though the plan prefers another."""
    block = inside.solved.blocks[number]
    weights = weights_on(inside.weigh, block.columns, block.lower, block.upper)
    for moves in families(inside.narrowed, inside.solved, number):
        kernels: list[Kernel | None] = []
        if isinstance(moves, (Listed, RowPairs)):
            kernels.append(MoveKernel(moves, weights))
        if isinstance(moves, Listed):
            kernels.append(listed_kernel(moves, weights, block))
            if weights.kind in (ALIKE, FACTORIAL, POISSON):
                kernels += by_length(sp.csr_array(moves.rows), weights, block)[0]
            kernels.append(ScheduleKernel(listed_arrays(moves, block, weights), weights))
        if isinstance(moves, MarginMoves):
            kernels.append(MoveKernel(moves, weights))
        planned = {type(one) for one in as_a_part(moves, weights, block)}
        for kernel in kernels:
            if kernel is not None and type(kernel) not in planned:
                yield alone(inside, block, kernel), _walked_by(kernel, moves)
    complete = swaps(block)
    if complete is not None and weights.kind == ALIKE and not block.lower.any():
        order, shape = complete.cell.ravel(), complete.cell.shape
        for one in (PersonSwapKernel(shape, int(block.start.sum())), SwapRoundsKernel(shape)):
            unit = alone(inside, block, one)
            yield (
                replace(
                    unit,
                    columns=block.columns[order],
                    lower=block.lower[order],
                    upper=block.upper[order],
                    start=block.start[order],
                ),
                complete,
            )


MAKERS: list[Callable[[Support, int], Iterator[Planned]]] = [by_family, as_planned, other_ways]
"""Each gives units for one block of a support."""


class Reached:
    """All tables that a chain must reach, and how probable each is: found when they are asked for, as many tests look at
    units alone, and once for all targets that share them."""

    def __init__(self, find: Callable[[], tuple[np.ndarray, np.ndarray]]) -> None:
        self._find = find

    @cached_property
    def found(self) -> tuple[np.ndarray, np.ndarray]:
        return self._find()


@dataclass(frozen=True, eq=False)
class Target:
    """A unit, all tables that its chain must reach (a row each, in the order of its columns), and how probable each is."""

    words: str
    unit: Unit
    reached: Reached

    @property
    def tables(self) -> np.ndarray:
        return self.reached.found[0]

    @property
    def p(self) -> np.ndarray:
        return self.reached.found[1]

    def start(self, rng: np.random.Generator) -> np.ndarray:
        """A table drawn from the law itself: a chain that starts there has nothing to forget."""
        return self.tables[rng.choice(len(self.p), p=self.p)]

    def places(self, tables: np.ndarray) -> np.ndarray:
        """The row of each of some tables; -1 where there is no such table, or it has no probability."""
        factors = np.random.default_rng(1).integers(1, 2**63, self.tables.shape[1])
        mine, theirs = self.tables @ factors, tables @ factors  # a number for each table; it may run over
        order = np.argsort(mine)
        assert (mine[order][1:] != mine[order][:-1]).all()
        row = order[np.minimum(np.searchsorted(mine[order], theirs), len(order) - 1)]
        return np.where((self.tables[row] == tables).all(axis=1), row, -1)

    def draws(self, seed: int, number: int, thin: int) -> np.ndarray:
        """Draws of a chain that starts at a table of the law, one in `thin` of them."""
        unit, rng = self.unit, np.random.default_rng([seed, 1])
        chain = Chain(unit, self.start(rng), streams(seed, 1)[0])
        chain.counts = False
        return chain.keep(unit, np.arange(len(unit.columns)), number, thin)


def targets(release: fw.Release, law: Any, most: int = TOO_MANY) -> Iterator[Target]:
    """All kernels on all blocks of a release, and the units as they are planned."""
    inside = _quietly(lambda: support(release, law))
    moves = _quietly(lambda: choose(inside))
    fibers = [_tables_of(inside, block, most) for block in inside.solved.blocks]
    for number, fiber in enumerate(fibers):
        for make in MAKERS:
            for unit, reach in make(inside, number):
                yield _target(unit, [fiber], [inside.solved.blocks[number]], reach)
    direct = _direct(inside)
    if direct is not None:
        yield _target(direct, fibers, list(inside.solved.blocks), None)
    nothing = sp.csc_array((0, inside.solved.fiber.n_columns), dtype=np.int64)
    for unit in units_of(moves, nothing):
        here = [k for k, block in enumerate(inside.solved.blocks) if np.isin(block.columns, unit.columns).all()]
        reach = moves.sets[here[0]] if len(here) == 1 and moves.sets[here[0]].certificate.word == "unproven" else None
        target = _target(unit, [fibers[k] for k in here], [inside.solved.blocks[k] for k in here], reach)
        # Kernels take turns of some draws, as they do after tuning.
        several = replace(unit, shares=(8,) * len(unit.kernels)) if len(unit.kernels) > 1 else unit
        yield replace(target, unit=several, words="planned: " + target.words)


def _direct(inside: Support) -> Unit | None:
    """All open cells at once, where tables of decomposable margins are drawn directly; planned only for large ones."""
    columns = np.flatnonzero(~inside.solved.decided)
    bounds = [np.concatenate([getattr(block, side) for block in inside.solved.blocks]) for side in ("lower", "upper")]
    order = np.argsort(np.concatenate([block.columns for block in inside.solved.blocks]))
    weights = weights_on(inside.weigh, columns, *(one[order] for one in bounds))
    found = components(inside.narrowed) if weights.kind == FACTORIAL else None
    plan = decomposable_plan(found) if found is not None else None
    if plan is None:
        return None
    kernel = DecomposableKernel(plan, columns, inside.solved.fiber.n_cells)
    block = inside.solved.blocks[0]
    whole = replace(
        block, columns=columns, lower=bounds[0][order], upper=bounds[1][order], start=inside.solved.start[columns]
    )
    return alone(inside, whole, kernel)


def _quietly(make: Callable[[], Any]) -> Any:
    """Laws warn of figures that settle no expected count; here any law will do."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make()


def _tables_of(inside: Support, block: Block, most: int) -> tuple[np.ndarray, np.ndarray]:
    """The tables of a block and their probabilities, summed up from single weights; 0 where the law excludes one."""
    tables = every_table(block.A, block.b, block.lower, block.upper, most)
    assert tables is not None, "a fiber that is too large for a test"
    logs = np.zeros(len(tables))
    for k, column in enumerate(block.columns):
        given = inside.weigh(int(column), int(block.lower[k]), int(block.upper[k]))
        if given is not None:
            logs += given[tables[:, k] - block.lower[k]]
    p = np.exp(logs - logs.max())
    return tables, p / p.sum()


def _target(
    unit: Unit,
    fibers: list[tuple[np.ndarray, np.ndarray]],
    blocks: list[Block],
    reach: MoveSet | None,
) -> Target:
    unit = on_rungs(unit)
    family = f" ({reach.words})" if reach is not None else ""
    words = f"{', '.join(type(one).__name__ for one in unit.kernels)}{family}"
    return Target(words, unit, Reached(partial(_reached, unit, fibers, blocks, reach)))


def _reached(
    unit: Unit, fibers: list[tuple[np.ndarray, np.ndarray]], blocks: list[Block], reach: MoveSet | None
) -> tuple[np.ndarray, np.ndarray]:
    """The likeliest of the parts of all tables within which the moves stay, and how probable each table is there."""
    columns = np.concatenate([block.columns for block in blocks])
    order = np.argsort(columns)
    order = order[np.searchsorted(columns[order], unit.columns)]
    rows = [np.concatenate(parts) for parts in itertools.product(*(tables for tables, _ in fibers))]
    p = np.array([np.prod(parts) for parts in itertools.product(*(p for _, p in fibers))])
    tables = np.array(rows)
    if not isinstance(unit.kernels[0], Ladder):
        tables, p = tables[p > 0], p[p > 0]  # on the higher rungs of a ladder nothing is excluded
    if reach is not None:
        label = _parts(reach, tables)
        likeliest = label == np.argmax(np.bincount(label, p))
        tables, p = tables[likeliest], p[likeliest] / p[likeliest].sum()
    tables, p = tables[p > 0], p[p > 0]
    return tables[:, order], p


def _parts(moves: MoveSet, tables: np.ndarray) -> np.ndarray:
    """Which tables hang together by some moves; gaps may be jumped over."""
    pairs = [
        pair for part in (moves.parts if isinstance(moves, Mixture) else (moves,)) for pair in part.joined(tables, True)
    ]
    before, after = (np.concatenate([np.empty(0, np.int64), *(pair[k] for pair in pairs)]) for k in (0, 1))
    graph = sp.coo_array((np.ones(len(before), dtype=np.int8), (before, after)), shape=(len(tables),) * 2)
    return sp.csgraph.connected_components(graph, directed=False)[1]


def crediting(unit: Unit, lines: bool) -> Unit:
    """The same unit, whose kernels credit whole lines, or every draw's values."""
    changed = []
    for kernel in unit.kernels:
        other, kind = copy(kernel), type(kernel)
        object.__setattr__(other, "__class__", type(kind.__name__, (kind,), {"credits_lines": lines}))
        changed.append(other)
    return replace(unit, kernels=tuple(changed))


def releases() -> dict[str, fw.Release]:
    """One small release of every kind."""
    labelled = xr.DataArray(
        [[2, 0, 1], [1, 3, 0], [0, 1, 2], [2, 1, 1]], dims=["A", "B"], coords={"A": list("pqrs"), "B": list("xyz")}
    )
    hidden = np.array([[1, 1, 1, 0], [1, 0, 1, 1], [0, 1, 1, 1]], dtype=bool)
    square = np.array([[2, 1, 1], [0, 2, 2], [2, 1, 1]])
    cube = np.array([[[2, 0, 1], [1, 2, 0], [1, 1, 2]], [[0, 2, 1], [3, 0, 1], [1, 0, 2]]])
    box = np.array([[[2, 0], [1, 2]], [[1, 2], [1, 0]], [[1, 1], [0, 2]]])
    small = np.array([[[1, 0], [0, 1]], [[1, 0], [0, 1]]])
    first = fw.publish(xr.DataArray(small.sum(2), dims=["A", "B"]), ["A", "B"])
    wide = fw.publish(xr.DataArray([[2, 1], [1, 3], [0, 1]], dims=["A", "B"]), ["A", "B"])
    across = fw.publish(xr.DataArray([[2, 1], [1, 4]], dims=["B", "C"]), ["B", "C"])
    second = fw.publish(xr.DataArray(small.sum(0), dims=["B", "C"]), ["B", "C"])
    return {
        "two-way": fw.publish(square, ["A", "B"]),
        "long lines": fw.publish([[14, 12, 2], [13, 15, 1]], ["A", "B"]),
        "hidden cells": fw.suppress(np.array([[3, 1, 2, 4], [2, 2, 4, 1], [2, 1, 2, 3]]), where=hidden),
        "own bounds": fw.publish(square, ["A", "B"]).knows({"A": "1", "B": "1"}, at_most=3).knows(
            {"A": "2", "B": "3"}, at_least=2
        ),
        "at least": fw.publish(square, ["A", "B"]).knows({"A": "2", "B": "2"}, at_least=1),
        "three-way": fw.publish(cube, ["A,B", "A,C", "B,C"]),
        "decomposable": fw.publish(box, ["A,B", "B,C"]),
        "one-way": fw.publish(np.array([[[1, 0, 0], [0, 1, 0]], [[0, 0, 1], [1, 0, 0]]]), ["A", "B", "C"]),
        "linked": fw.linked([wide, across]),
        "linked in full": fw.linked([first, second], full=True),
        "hierarchy": fw.publish(
            fw.table(labelled, hierarchies={"A": {"low": ["p", "q"], "high": ["r", "s"]}}), ["A:1", "A", "B", "A:1,B"]
        ),
        "rounded": fw.round_to(np.array([[2, 4], [3, 6], [1, 2]]), 3, margins=["A", "B"]),
        "negative": fw.publish(fw.table([[0, -1, 1], [-1, 1, 0]], at_least=-2, at_most=20), ["A", "B"]),
        "negative and bounded": fw.publish(fw.table(square - 1, at_least=-1, at_most=2), ["A", "B"]),
        "negative, hidden cells": fw.suppress(
            fw.table(np.array([[1, -1, 0, 2], [-1, 0, 2, 1], [0, -1, 0, 1]]), at_least=-1, at_most=3), where=hidden
        ),
        "negative three-way": fw.publish(fw.table(cube - 1, at_least=-1, at_most=2), ["A,B", "A,C", "B,C"]),
        "negative, rounded": fw.round_to(
            fw.table([[-2, 4], [3, -6], [1, 2]], at_least=-8, at_most=8), 3, margins=["A", "B"]
        ),
    }  # fmt: skip


def with_weights_on_some(release: fw.Release, seed: int, gaps: bool) -> fw.Release:
    """Evidence on some open cells, as lists of weights; with gaps, one value in between is excluded."""
    rng = np.random.default_rng(seed)
    solved = support(release).solved
    items: list[fw.protect.Evidence] = []
    for block in solved.blocks:
        tables = every_table(block.A, block.b, block.lower, block.upper, TOO_MANY)
        assert tables is not None
        cells = [k for k, column in enumerate(block.columns) if column < solved.fiber.n_cells]
        for k in rng.choice(cells, min(len(cells), 3), replace=False):
            first, top = min(int(block.lower[k]), 0), int(block.upper[k])
            logs = rng.normal(0, 0.7, top - first + 1)
            middle = (int(block.lower[k]) + top) // 2
            if gaps and not items and top - block.lower[k] >= 2 and (tables[:, k] != middle).any():
                logs[middle - first] = -np.inf
            items.append(fw.protect.Evidence(block.columns[[k]], np.array([1]), first, logs))
    return replace(release, evidence=tuple(items))


def laws(release: fw.Release) -> Iterator[tuple[str, fw.Release, Any]]:
    """Every kind of law on a release: its name, the release with its evidence, and the law."""
    single = len(release.grids) == 1
    yield "uniform", release, "uniform"
    yield "listed", with_weights_on_some(release, 1, False), "uniform"
    yield "listed with gaps", with_weights_on_some(release, 2, True), "uniform"
    if single and not release.signed:
        means = np.random.default_rng(3).uniform(0.3, 3.0, release.grids[0].cells.shape)
        yield "hypergeometric", release, "hypergeometric"
        yield "expected", release, fw.laws.expected(means)
        yield "expected and listed with gaps", with_weights_on_some(release, 4, True), fw.laws.expected(means)


RELEASES = releases()


@cache
def found(name: str, law: str) -> tuple[Target, ...]:
    """All targets of one of these releases under one law, found once for all tests."""
    return tuple(
        target for one, release, chosen in laws(RELEASES[name]) if one == law for target in targets(release, chosen)
    )
