"""The walk along listed moves: its steps keep every law exactly, and the compiled kernel makes the steps that it should."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numba
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import gammaln
from scipy.stats import chi2

import fiberwalk as fw
from fiberwalk.base.certificate import Certificate
from fiberwalk.base.random_streams import streams
from fiberwalk.fiber.blocks.presolve import Block, presolve
from fiberwalk.fiber.equations.lattice import integer_kernel
from fiberwalk.fiber.solvers.every_table import every_table
from fiberwalk.moves.bases.graver import graver_basis
from fiberwalk.moves.families.listed import Listed
from fiberwalk.sampler.kernels.schedule import walk as walk_schedule
from fiberwalk.sampler.kernels.schedule.kernel import ScheduleKernel
from fiberwalk.sampler.kernels.schedule.odds import BLOCKED, EVENLY, MADE, entry_cost, learn_odds
from fiberwalk.sampler.kernels.schedule.walk import LAZY, ListedArrays, Room, listed_arrays, room_for, walk_entries
from fiberwalk.sampler.lines.weights import ALIKE, FACTORIAL, MIXED, POISSON, Weights

TWO_WAY = ["A,B", "A,C", "B,C"]
REJECTED = 1e-6
CONNECTED = Certificate("connected", "Graver")


# --- fibers and laws -----------------------------------------------------------------------------------------------


def largest_block(release: fw.Release) -> Block:
    return max(presolve(release).blocks, key=lambda one: len(one.columns))


def hidden_cells() -> Block:
    table = np.array([[1, 0, 2, 1], [2, 1, 0, 1], [0, 2, 1, 3], [1, 1, 2, 0]])
    hidden = np.array([[1, 1, 0, 1], [1, 1, 1, 0], [0, 1, 1, 1], [1, 0, 1, 1]], dtype=bool)
    return largest_block(fw.suppress(table, where=hidden))


def bounded_cells() -> Block:
    release = fw.publish(np.array([[2, 1, 3], [1, 2, 0], [1, 1, 2]]), ["A", "B"])
    release = release.knows({"A": "1", "B": "1"}, at_most=2).knows({"A": "3", "B": "3"}, at_most=3)
    return largest_block(release.knows({"A": "2", "B": "2"}, at_least=1))


def cube() -> Block:
    table = [[[1, 1, 0], [0, 2, 1], [1, 0, 1]], [[0, 1, 1], [1, 1, 0], [1, 0, 1]], [[1, 0, 1], [1, 0, 1], [0, 2, 0]]]
    return largest_block(fw.publish(np.array(table), TWO_WAY))


def rounded() -> Block:
    return largest_block(fw.round_to(np.array([[2, 5], [4, 7]]), 3, rounding="within"))


def coins() -> Block:
    """Moves with steps above 1, and no table of labels behind them."""
    A = sp.csr_array(np.array([[1, 2, 3, 1]]))
    start = np.array([3, 2, 1, 2])
    return Block(np.arange(4), A, A @ start, np.zeros(4, np.int64), np.array([12, 4, 3, 5]), start)


FIBERS: dict[str, Callable[[], Block]] = {
    one.__name__: one for one in (hidden_cells, bounded_cells, cube, rounded, coins)
}


def law_of(name: str, block: Block) -> Weights:
    """A law; `gaps` excludes a value inside the range of some columns, never one of the start."""
    n, rng = len(block.lower), np.random.default_rng(3)
    kind = {"uniform": ALIKE, "factorial": FACTORIAL, "poisson": POISSON, "gaps": MIXED}[name]
    counted = np.full(n, kind in (FACTORIAL, POISSON))
    log_mean = rng.normal(size=n) if name == "poisson" else np.zeros(n)
    start, values = np.full(n, -1), [np.empty(0)]
    if name == "gaps":
        counted[::2] = True
        log_mean[::2] = rng.normal(size=len(log_mean[::2]))
        for j in range(0, n, 3):
            start[j] = sum(map(len, values))
            weight = rng.normal(size=block.upper[j] - block.lower[j] + 1)
            inside = [v for v in range(1, len(weight) - 1) if block.lower[j] + v != block.start[j]]
            if j % 2 == 0 and inside:
                weight[inside[0]] = -np.inf
            values.append(weight)
    # Few logarithms in the list, so that Stirling's series has its turn.
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, 5)))])
    n, first = len(block.lower), block.lower.astype(np.int64)
    tails = np.full(n, 1 << 40), np.zeros((n, 4))
    return Weights(kind, counted, log_mean, start, first, np.concatenate(values), logs, *tails)


def log_weights(weights: Weights, tables: np.ndarray) -> np.ndarray:
    total = np.where(weights.counted, tables * weights.log_mean - gammaln(tables + 1.0), 0.0)
    for j in np.flatnonzero(weights.start >= 0):
        total[:, j] += weights.value[weights.start[j] + tables[:, j] - weights.first[j]]
    return total.sum(axis=1)


class World:
    """A fiber with its law, its tables, its moves, and the exact probabilities."""

    def __init__(self, fiber: str, law: str) -> None:
        self.block = block = FIBERS[fiber]()
        self.lower, self.upper = block.lower.astype(np.int64), block.upper.astype(np.int64)
        tables = every_table(block.A, block.b, block.lower, block.upper, 5000)
        assert tables is not None
        rows = graver_basis(integer_kernel(block.A), block.upper - block.lower, 50_000_000)
        assert rows is not None
        self.rows = sp.csr_array(rows)
        self.weights = law_of(law, block)
        logs = log_weights(self.weights, tables)
        self.tables, logs = tables[logs > -np.inf], logs[logs > -np.inf]
        weight = np.exp(logs - logs.max())
        self.law = weight / weight.sum()
        self.place = {tuple(row): k for k, row in enumerate(self.tables.tolist())}
        self.arrays = listed_arrays(Listed(self.rows, CONNECTED), block, self.weights)

    def walk(self, arrays: ListedArrays, room: Room, draws: int, thin: int, seed: int = 1) -> np.ndarray:
        """How often each table was seen, looking every `thin` entries."""
        counts, random, table = np.zeros(len(self.law)), streams(seed, 1)[0], self.block.start.astype(np.int64)
        for _ in range(draws):
            walk_entries(arrays, self.weights, self.lower, self.upper, table, random, thin, room)
            counts[self.place[tuple(table.tolist())]] += 1
        return counts


def fits(counts: np.ndarray, law: np.ndarray) -> float:
    """The p-value of counts under a law, rare tables joined."""
    if counts[law <= 0].any():
        return 0.0
    counts, expected = counts[law > 0], law[law > 0] * counts.sum()
    order = np.argsort(expected)
    n_rare = int(np.searchsorted(np.cumsum(expected[order]), 8.0)) + 1
    rare, common = order[:n_rare], order[n_rare:]
    seen = np.append(counts[common], counts[rare].sum())
    wanted = np.append(expected[common], expected[rare].sum())
    assert len(wanted) > 1
    return float(chi2.sf(((seen - wanted) ** 2 / wanted).sum(), len(wanted) - 1))


# --- the naive twin ------------------------------------------------------------------------------------------------


def twin(world: World, order: np.ndarray) -> np.ndarray:
    """The transition matrix of one entry of the schedule, all alike, written from the definition."""
    n = len(world.law)
    matrix = np.zeros((n, n))
    dense = world.rows.toarray()
    share = np.bincount(order, minlength=len(dense)) / len(order)
    for x, table in enumerate(world.tables):
        for move, odds in zip(dense, share, strict=True):
            line = [x]
            for sign in (1, -1):
                here = table + sign * move
                while (here >= world.lower).all() and (here <= world.upper).all():
                    if tuple(here.tolist()) in world.place:
                        line.append(world.place[tuple(here.tolist())])
                    here = here + sign * move
            matrix[x, x] += odds / LAZY
            weight = world.law[line]
            others = weight[1:].sum()
            for k in range(1, len(line)):
                proposed = (1 - 1 / LAZY) * odds * weight[k] / others
                accepted = min(1.0, others / (others + weight[0] - weight[k]))
                matrix[x, line[k]] += proposed * accepted
                matrix[x, x] += proposed * (1 - accepted)
            if len(line) == 1:
                matrix[x, x] += (1 - 1 / LAZY) * odds
    return matrix


SOME = [
    ("hidden_cells", "uniform"),
    ("bounded_cells", "factorial"),
    ("rounded", "poisson"),
    ("coins", "gaps"),
    ("coins", "uniform"),
    ("coins", "factorial"),
    ("bounded_cells", "uniform"),
    ("bounded_cells", "gaps"),
    ("cube", "poisson"),
]


@pytest.mark.parametrize(("fiber", "law"), SOME)
def test_steps_are_in_detailed_balance_and_the_kernel_makes_them(fiber, law):
    world = World(fiber, law)
    n_moves = world.rows.shape[0]
    order = np.concatenate([np.random.default_rng(0).integers(0, n_moves, 2 * n_moves), np.arange(n_moves)])
    matrix = twin(world, order)
    flow = world.law[:, None] * matrix
    assert len(world.law) > 10
    assert np.abs(matrix.sum(axis=1) - 1).max() < 1e-12
    assert np.abs(flow - flow.T).max() < 1e-12
    assert sp.csgraph.connected_components(sp.csr_array(matrix > 0))[0] == 1

    arrays = walk_schedule.scheduled(world.arrays, order, np.arange(len(world.lower)))
    random, room = streams(2, 1)[0], room_for(arrays)
    for x in (0, len(world.law) // 2):
        counts = np.zeros(len(world.law))
        for _ in range(6000):
            table = world.tables[x].astype(np.int64)
            room.at[:] = 0
            walk_entries(arrays, world.weights, world.lower, world.upper, table, random, 1, room)
            counts[world.place[tuple(table.tolist())]] += 1
        assert fits(counts, matrix[x]) > REJECTED


# --- the compiled kernel against enumeration ------------------------------------------------------------------------


@pytest.mark.parametrize("law", ["uniform", "factorial", "poisson", "gaps"])
@pytest.mark.parametrize("fiber", list(FIBERS))
def test_the_walk_has_the_law(fiber, law):
    world = World(fiber, law)
    table, random = world.block.start.astype(np.int64), streams(9, 1)[0]
    learnt = learn_odds(world.arrays, world.weights, world.lower, world.upper, table, random, 20_000)
    counts = world.walk(learnt, room_for(learnt), 5000, min(20 * world.rows.shape[0], 2000))
    assert fits(counts, world.law) > REJECTED


@pytest.mark.parametrize(
    ("fiber", "law", "window"),
    [
        *(("bounded_cells", "factorial", window) for window in (1, 3, 2**40)),
        *(("bounded_cells", "gaps", window) for window in (3, 2**40)),  # a window of one step does not cross gaps
        *(("rounded", "poisson", window) for window in (1, 3, 2**40)),
    ],
)
def test_slices_have_the_law(fiber, law, window):
    """Room for two weights only: from every line of three points or more a slice is drawn."""
    world = World(fiber, law)
    arrays = world.arrays._replace(window=np.full(world.rows.shape[0], window))
    counts = world.walk(arrays, room_for(arrays)._replace(weight=np.zeros(2)), 5000, 40 * world.rows.shape[0])
    assert fits(counts, world.law) > REJECTED


@pytest.mark.parametrize(("most", "more"), [(1, 59), (2, 59), (1, 123), (2, 123), (3, 123)])
def test_several_words_and_columns_without_a_bit(most, more, monkeypatch):
    """Cells more that never move push the others into later words, or some or all of them out of the masks."""
    monkeypatch.setattr(walk_schedule, "MOST_WORDS", most)
    world = World("bounded_cells", "factorial")
    pad = np.zeros(more, np.int64)
    lower, upper = np.concatenate([pad, world.lower]), np.concatenate([pad + 1, world.upper])
    start = np.concatenate([pad, world.block.start]).astype(np.int64)
    rows = sp.csr_array(np.hstack([np.zeros((world.rows.shape[0], more), np.int64), world.rows.toarray()]))
    A = sp.csr_array(np.hstack([np.zeros((world.block.A.shape[0], more), np.int64), world.block.A.toarray()]))
    block = Block(np.arange(len(start)), A, world.block.b, lower, upper, start)
    weights = law_of("factorial", block)
    arrays = listed_arrays(Listed(rows, CONNECTED), block, weights)
    assert arrays.needs.shape[1] == 2 * min(most, (len(start) + 63) // 64)
    counts, random, table, room = np.zeros(len(world.law)), streams(4, 1)[0], start.copy(), room_for(arrays)
    for _ in range(6000):
        walk_entries(arrays, weights, lower, upper, table, random, 20 * rows.shape[0], room)
        counts[world.place[tuple(table[more:].tolist())]] += 1
    assert fits(counts, world.law) > REJECTED


def test_two_tables_do_not_alternate():
    zero, one = np.zeros(2, np.int64), np.ones(2, np.int64)
    block = Block(np.arange(2), sp.csr_array(np.array([[1, 1]])), np.array([1]), zero, one, np.array([0, 1]))
    weights = law_of("uniform", block)
    arrays = listed_arrays(Listed(sp.csr_array(np.array([[1, -1]])), CONNECTED), block, weights)
    random, room, first, table = streams(1, 1)[0], room_for(arrays), 0, block.start.astype(np.int64)
    for _ in range(2000):
        walk_entries(arrays, weights, zero, one, table, random, 50, room)
        first += table[0]
    assert abs(first - 1000) < 5 * np.sqrt(500)


def test_looking_only_at_open_steps_is_rejected():
    """Negative control: blocked steps count, and a chain that leaves them out has another law."""
    world = World("bounded_cells", "uniform")
    random, room, table = streams(1, 1)[0], room_for(world.arrays), world.block.start.astype(np.int64)
    counts = np.zeros(len(world.law))
    for _ in range(6000):
        for _ in range(5):
            while not walk_entries(world.arrays, world.weights, world.lower, world.upper, table, random, 1, room):
                pass
        counts[world.place[tuple(table.tolist())]] += 1
    assert fits(counts, world.law) < REJECTED


def test_another_law_is_rejected():
    world = World("hidden_cells", "uniform")
    counts = world.walk(world.arrays, room_for(world.arrays), 4000, 400)
    logs = log_weights(law_of("factorial", world.block), world.tables)
    wrong = np.exp(logs - logs.max())
    assert fits(counts, world.law) > REJECTED
    assert fits(counts, wrong / wrong.sum()) < REJECTED


# --- what is promised of bits, schedules and machine code ------------------------------------------------------------


def test_short_walks_are_one_long_walk():
    world = World("cube", "factorial")
    tables = []
    for pieces in ([1000], [1, 63, 64, 872], [10] * 100):
        random, room, table = streams(3, 1)[0], room_for(world.arrays), world.block.start.astype(np.int64)
        for steps in pieces:
            walk_entries(world.arrays, world.weights, world.lower, world.upper, table, random, steps, room)
        tables.append(table.tolist())
    assert tables[0] == tables[1] == tables[2]


def test_learning_is_repeatable_and_leaves_every_move_its_turn():
    world = World("cube", "factorial")
    found = []
    for _ in range(2):
        table, random = world.block.start.astype(np.int64), streams(5, 1)[0]
        found.append(learn_odds(world.arrays, world.weights, world.lower, world.upper, table, random, 10_000))
    assert (found[0].order == found[1].order).all()
    assert set(found[0].order.tolist()) == set(range(world.rows.shape[0]))
    assert np.ptp(np.bincount(found[0].order)) > 0


def square(cells: list[int]) -> Block:
    A, start = sp.csr_array(np.array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0]])), np.array(cells)
    return Block(np.arange(4), A, A @ start, np.zeros(4, np.int64), np.full(4, start.sum()), start)


def test_an_entry_costs_by_how_often_moves_are_open_and_how_far_they_lead():
    def cost(block: Block, law: str, moves: sp.csr_array) -> float:
        weights = law_of(law, block)
        arrays = listed_arrays(Listed(moves, CONNECTED), block, weights)
        return entry_cost(arrays, weights, block.lower, block.upper, block.start.copy(), streams(1, 1)[0])

    swap, none = sp.csr_array(np.array([[1, -1, -1, 1]])), sp.csr_array((0, 4), dtype=np.int64)
    few, narrow, wide = square([1] * 4), square([20] * 4), square([2000] * 4)
    shut = replace(narrow, lower=narrow.start, upper=narrow.start)
    assert cost(shut, "uniform", swap) == cost(narrow, "uniform", none) == BLOCKED
    assert cost(wide, "uniform", swap) == pytest.approx(BLOCKED + MADE + 4 * EVENLY, rel=0.1)
    assert cost(narrow, "factorial", swap) > 1.5 * cost(few, "factorial", swap)
    assert cost(narrow, "factorial", swap) > 2 * cost(narrow, "uniform", swap)
    # a slice of a long line takes no longer the longer the line is
    assert cost(wide, "factorial", swap) == cost(narrow, "factorial", swap)


def test_a_schedule_knows_what_its_draws_cost_once_it_was_walked():
    world = World("cube", "factorial")
    kernel, n = ScheduleKernel(world.arrays, world.weights), len(world.lower)
    assert kernel.draw_cost(n) == kernel.steps(n) * kernel.cost
    assert replace(kernel, seen_cost=99.0).draw_cost(n) == kernel.steps(n) * 99.0


@pytest.mark.parametrize("law", ["uniform", "factorial"])
def test_lines_of_billions_of_points(law):
    size = 3 * 10**9
    A = sp.csr_array(np.array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0]]))
    start = np.array([0, 2 * size, 2 * size, 0])
    block = Block(np.arange(4), A, A @ start, np.zeros(4, np.int64), np.full(4, 2 * size), start)
    weights = law_of(law, block)
    arrays = listed_arrays(Listed(sp.csr_array(np.array([[1, -1, -1, 1]])), CONNECTED), block, weights)
    table, room, random = start.astype(np.int64), room_for(arrays), streams(1, 1)[0]
    values = []
    for _ in range(2000):
        walk_entries(arrays, weights, block.lower, block.upper, table, random, 20, room)
        values.append(int(table[0]))
    assert (A @ table == A @ start).all()
    if law == "uniform":
        quarters = np.bincount(np.array(values) * 4 // (2 * size + 1), minlength=4)
        assert (np.abs(quarters - 500) < 250).all()
    else:
        assert np.abs(np.array(values[1000:]) - size).max() < 10 * np.sqrt(size)


def test_a_list_without_moves_stays():
    world = World("coins", "uniform")
    arrays = listed_arrays(Listed(sp.csr_array((0, 4), dtype=np.int64), CONNECTED), world.block, world.weights)
    table, random = world.block.start.astype(np.int64), streams(1, 1)[0]
    arrays = learn_odds(arrays, world.weights, world.lower, world.upper, table, random, 1000)
    assert not walk_entries(arrays, world.weights, world.lower, world.upper, table, random, 10, room_for(arrays))
    assert (table == world.block.start).all()


@pytest.mark.slow
def test_the_kernel_counts_no_references():
    """Reference counts of array arguments once cost ten times what a step costs."""
    world = World("coins", "factorial")
    fresh = numba.njit(nogil=True, error_model="numpy", _nrt=False)(walk_entries.py_func)  # cached code cannot be read
    table, random = world.block.start.astype(np.int64), streams(1, 1)[0]
    fresh(world.arrays, world.weights, world.lower, world.upper, table, random, 10, room_for(world.arrays))
    (code,) = fresh.inspect_asm().values()
    assert "walk_entries" in code
    assert "NRT_incref" not in code
    assert walk_entries.targetoptions["_nrt"] is False
