"""Kernels for two-way tables with hidden or bounded cells, and for very sparse ones: against every table of small fibers."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import stats
from scipy.special import gammaln

import fiberwalk as fw
from fiberwalk.base.certificate import Certificate
from fiberwalk.base.random_streams import streams
from fiberwalk.fiber.laws.support import support
from fiberwalk.fiber.solvers.every_table import every_table
from fiberwalk.moves.families.cycles import cycles
from fiberwalk.moves.families.listed import Listed
from fiberwalk.moves.families.row_pairs import row_pairs
from fiberwalk.sampler.chains.chain import Chain
from fiberwalk.sampler.chains.unit import Unit
from fiberwalk.sampler.kernels.row_pairs.kernel import RowPairKernel, list_common, match, row_pair_kernel, swap_round
from fiberwalk.sampler.kernels.row_pairs.redraw import draw_subset, ones_between, redraw_evenly
from fiberwalk.sampler.kernels.signed_list import ListedKernel, listed_kernel
from fiberwalk.sampler.kernels.swaps.people import People, PersonSwapKernel, list_people, prefers_people, swap_people
from fiberwalk.sampler.lines.weights import ALIKE, FACTORIAL, MIXED, POISSON, log_weight_of, weights_on
from fiberwalk.sampler.tallies.windows import shares

TABLE = np.array([[3, 0, 2, 1], [1, 2, 0, 2], [0, 1, 3, 1]])
HIDDEN = np.array([[1, 1, 1, 0], [1, 1, 1, 1], [1, 1, 1, 1]], dtype=bool)
MEANS = np.array([[2.0, 0.5, 1.0, 1.0], [1.0, 3.0, 0.2, 1.0], [0.7, 1.0, 1.0, 4.0]])
DRAWS, STEPS = 20_000, 12
TOO_RARE = 1e-6


def with_holes() -> fw.Release:
    return fw.suppress(TABLE, where=HIDDEN)


def with_bounds() -> fw.Release:
    release = with_holes().knows({"A": "1", "B": "1"}, at_most=3).knows({"A": "3", "B": "3"}, at_least=2)
    return release.knows({"A": "2", "B": "4"}, at_most=2)


def with_one_bound() -> fw.Release:
    return with_holes().knows({"A": "2", "B": "3"}, at_most=2)


LAWS: dict[str, tuple[Any, int]] = {
    "uniform": ("uniform", ALIKE),
    "hypergeometric": ("hypergeometric", FACTORIAL),
    "expected": (fw.laws.expected(MEANS), POISSON),
    "mixed": ("hypergeometric", MIXED),
}


class Thinned(RowPairKernel):
    """Draws that are far enough apart to be treated as independent."""

    def steps(self, n_columns: int) -> int:
        return STEPS


def world(
    release: fw.Release, law: Any, kernel_type: type[RowPairKernel] = Thinned, mixed: bool = False
) -> tuple[Unit, np.ndarray, np.ndarray]:
    """A unit with a row-pair kernel only, all its tables, and their probabilities."""
    inside = support(release, law)
    (block,) = inside.solved.blocks
    pairs = row_pairs(block)
    assert pairs is not None
    weights = weights_on(inside.weigh, block.columns, block.lower, block.upper)
    if mixed:  # a prior on one cell besides
        value = np.log(np.arange(2.0, 3.0 + block.upper[0] - block.lower[0]))
        start = np.where(np.arange(len(block.columns)) == 0, 0, -1)
        weights = weights._replace(kind=MIXED, start=start, value=value)
    made = row_pair_kernel(pairs, weights, block.lower, block.upper, block.start)
    n = len(block.columns)
    unit = Unit(
        block.columns,
        np.zeros(n, dtype=np.int64),
        block.lower,
        block.upper,
        block.start,
        weights,
        (kernel_type(made.pattern, weights),),
        pairs.certificate,
        sp.csr_array((0, n), dtype=np.int64),
    )
    every = every_table(block.A, block.A @ block.start, block.lower, block.upper, 5000)
    assert every is not None
    logs = np.array([log_weight_of(weights, one) for one in every])
    odds = np.exp(logs - logs.max())
    return unit, every, odds / odds.sum()


def run(unit: Unit, draws: int = DRAWS, seed: int = 1) -> Chain:
    chain = Chain(unit, unit.start, streams(seed, 1)[0])
    chain.drawn = chain.keep(unit, np.arange(len(unit.columns)), draws)  # type: ignore[attr-defined]
    return chain


def p_value(drawn: np.ndarray, every: np.ndarray, law: np.ndarray) -> float:
    """Chi-square of the tables that were drawn; 0 if one of them is not possible at all."""
    place = {tuple(row): k for k, row in enumerate(every.tolist())}
    counts = np.zeros(len(every))
    for row in drawn.tolist():
        if tuple(row) not in place:
            return 0.0
        counts[place[tuple(row)]] += 1
    return chi_square(counts, law)


def chi_square(counts: np.ndarray, law: np.ndarray) -> float:
    wanted = law * counts.sum()
    rare = wanted < 8
    seen, expected = counts[~rare], wanted[~rare]
    if wanted[rare].sum() >= 5:  # rare ones together
        seen, expected = np.append(seen, counts[rare].sum()), np.append(expected, wanted[rare].sum())
    else:
        seen[-1], expected[-1] = seen[-1] + counts[rare].sum(), expected[-1] + wanted[rare].sum()
    return float(stats.chi2.sf(((seen - expected) ** 2 / expected).sum(), len(seen) - 1))


def farthest(chain: Chain, unit: Unit, every: np.ndarray, law: np.ndarray) -> float:
    """By how many standard errors of independent draws the tally of any value of any cell is off at most."""
    worst = 0.0
    windows = chain.tally.windows
    for j in range(len(unit.columns)):
        known = np.bincount(every[:, j], law)
        found = np.zeros(max(len(known), windows.origin[j] + windows.size[j]))
        found[windows.origin[j] : windows.origin[j] + windows.size[j]] = shares(windows, j)
        assert windows.shift[j] == 0
        error = np.sqrt(known * (1 - known) / DRAWS) + 1e-5
        worst = max(worst, float(np.max(np.abs(found[: len(known)] - known) / error)), found[len(known) :].sum() * 1e9)
    return worst


@pytest.mark.parametrize("release", [with_holes, with_one_bound, with_bounds])
@pytest.mark.parametrize("law", LAWS)
def test_law(release: Any, law: str) -> None:
    """Draws and tallies follow every kind of law, with holes and with bounds of cells' own."""
    unit, every, exact = world(release(), LAWS[law][0], mixed=law == "mixed")
    kernel = unit.kernels[0]
    assert isinstance(kernel, RowPairKernel)
    assert len(every) > 50
    assert unit.weights.kind == LAWS[law][1]
    assert kernel.pattern.bounded == (release is not with_holes)
    assert kernel.pattern.redrawn == (law == "hypergeometric" and release is not with_bounds)
    for by_steps in (True, False):

        class Credited(Thinned):
            credits_lines = by_steps

        chosen = replace(unit, kernels=(Credited(kernel.pattern, kernel.weights),))
        chain = run(chosen)
        assert p_value(chain.drawn, every, exact) > TOO_RARE
        assert farthest(chain, unit, every, exact) < 6.0


def test_wrong_samplers_are_rejected() -> None:
    """Another law, bounds that are ignored, and lines that end too early."""
    unit, every, exact = world(with_holes(), "hypergeometric")
    assert p_value(run(unit).drawn, every, np.full(len(every), 1 / len(every))) < TOO_RARE
    assert farthest(run(unit), unit, every, np.full(len(every), 1 / len(every))) > 6.0
    unit, every, exact = world(with_bounds(), "uniform")
    kernel = unit.kernels[0]
    assert isinstance(kernel, RowPairKernel)
    careless = Thinned(kernel.pattern._replace(bounded=False), kernel.weights)
    chain = run(replace(unit, kernels=(careless,)))
    assert p_value(chain.drawn, every, exact) == 0.0
    short = unit.upper.copy()
    short[0] -= 1
    chain = run(replace(unit, upper=short))
    assert p_value(chain.drawn, every, exact) < TOO_RARE
    assert farthest(chain, unit, every, exact) > 6.0


def test_redrawn_rows_have_the_law_in_one_visit() -> None:
    """Two rows only: every visit is an independent draw, whatever the table was before."""
    release = fw.suppress(np.array([[5, 0, 2, 9], [1, 7, 0, 2]]), where=np.ones((2, 4), dtype=bool))

    class Once(RowPairKernel):
        def steps(self, n_columns: int) -> int:
            return 1

    unit, every, exact = world(release, "hypergeometric", Once)
    drawn = run(unit).drawn
    assert p_value(drawn, every, exact) > TOO_RARE
    first, second = drawn[:-1, 0].astype(float), drawn[1:, 0].astype(float)
    assert abs(np.corrcoef(first, second)[0, 1]) < 5 / np.sqrt(len(first))


@pytest.mark.parametrize("release", [with_holes, with_bounds])
def test_rows_redrawn_and_swapped_under_the_uniform_law(release: Any) -> None:
    """Either way by itself: rows redrawn wherever a few tries do it, and rounds of swaps."""
    unit, every, exact = world(release(), "uniform")
    kernel = unit.kernels[0]
    assert isinstance(kernel, RowPairKernel)
    bits, places = kernel.pattern.bits, kernel.pattern.place_of
    rng = np.random.default_rng(5)
    for way in ("redrawn", "swapped"):
        chain, room = Chain(unit, unit.start, streams(4, 1)[0]), kernel.room()
        drawn, redrawn = np.empty((4000, len(unit.columns)), dtype=np.int64), []
        for k in range(len(drawn)):
            for _ in range(8):
                i, j = rng.choice(len(bits), 2, replace=False)
                common = list_common(bits, places, i, j, room.in_first, room.in_second)
                if way == "redrawn":
                    redrawn.append(redraw_evenly(chain.place, kernel.pattern.bounded, room, common))
                else:
                    swap_round(
                        chain.place, kernel.pattern.bounded, room.in_first, room.in_second, common, chain.tally, False
                    )
            drawn[k] = chain.place.table
        assert p_value(drawn, every, exact) > TOO_RARE
        assert way == "swapped" or np.mean(redrawn) > 0.8


def test_more_units_than_bits() -> None:
    """Rows that hold too many people for a bit each go along lines instead."""
    unit, every, exact = world(fw.publish(np.array([[3, 9], [500, 800]]), ["A", "B"]), "hypergeometric")
    kernel = unit.kernels[0]
    assert isinstance(kernel, RowPairKernel)
    assert kernel.pattern.redrawn
    assert 64 * (len(kernel.room().people) - 1) < 1312
    assert p_value(run(unit).drawn, every, exact) > TOO_RARE


@pytest.mark.parametrize("total", [2, 7, 8])
def test_subsets(total: int) -> None:
    random, people = streams(total, 1)[0], np.empty(4, dtype=np.uint64)
    for first in range(total + 1):
        counts: dict[tuple[int, ...], int] = dict.fromkeys(combinations(range(total), first), 0)
        for _ in range(100 * len(counts)):
            draw_subset(first, total, people, random)
            counts[tuple(k for k in range(total) if ones_between(people, k, k + 1))] += 1
        if len(counts) > 1:
            assert stats.chisquare(list(counts.values())).pvalue > TOO_RARE


@pytest.mark.parametrize("first", [0, 1, 5, 60, 100, 137, 199, 200])
def test_subsets_of_several_words(first: int) -> None:
    """How many of some bits are set is hypergeometric; wrong by one unit is noticed."""
    random, people = streams(first, 1)[0], np.empty(8, dtype=np.uint64)
    found = np.empty(20_000, dtype=np.int64)
    for k in range(len(found)):
        draw_subset(first, 200, people, random)
        found[k] = ones_between(people, 30, 130)
        if k % 1000 == 0:
            assert ones_between(people, 0, 200) == first
            assert sum(ones_between(people, b, b + 1) for b in range(200)) == first
    law = stats.hypergeom(200, 100, first).pmf(np.arange(201))
    counts = np.bincount(found, minlength=201).astype(float)
    assert counts[law < 1e-12].sum() == 0
    if 1 < first < 199:
        assert chi_square(counts, law) > TOO_RARE
        assert chi_square(counts, stats.hypergeom(200, 98, first).pmf(np.arange(201))) < TOO_RARE


@pytest.mark.parametrize("number", [2, 3, 4, 5, 8, 9])
def test_tournament(number: int) -> None:
    """In a round nobody meets two others; over all rounds any two meet once."""
    met = []
    for turn in range(number if number % 2 else number - 1):
        pairs = [match(number, turn, pair) for pair in range(number // 2)]
        assert len({one for pair in pairs for one in pair}) == 2 * (number // 2)
        met += [tuple(sorted(pair)) for pair in pairs]
    assert sorted(met) == list(combinations(range(number), 2))


@pytest.mark.parametrize("release", [with_holes, with_one_bound, with_bounds])
@pytest.mark.parametrize("law", LAWS)
def test_listed(release: Any, law: str) -> None:
    """Moves straight from a list of cycles, short and long."""
    unit, every, exact = world(release(), LAWS[law][0], mixed=law == "mixed")
    (block,) = support(release(), LAWS[law][0]).solved.blocks
    around = cycles(block)
    assert around is not None
    moves = Listed(around.listed(), around.certificate)
    made = listed_kernel(moves, unit.weights, block)
    assert made is not None
    assert made.moves.bounded == (release is not with_holes)

    class Few(ListedKernel):
        def steps(self, n_columns: int) -> int:
            return 60

    chain = run(replace(unit, kernels=(Few(made.moves, unit.weights),)))
    assert p_value(chain.drawn, every, exact) > TOO_RARE
    assert farthest(chain, unit, every, exact) < 6.0
    if release is with_bounds:
        careless = Few(made.moves._replace(bounded=False), unit.weights)
        chain = run(replace(unit, kernels=(careless,)), 2000)
        assert p_value(chain.drawn, every, exact) == 0.0


def test_listed_wants_steps_of_one() -> None:
    (block,) = support(with_holes(), "uniform").solved.blocks
    unit, _, _ = world(with_holes(), "uniform")
    twice = Listed(2 * row_pairs(block).listed(), Certificate("unproven", ""))  # type: ignore[union-attr]
    assert listed_kernel(twice, unit.weights, block) is None


def acceptance(table: np.ndarray, shape: tuple[int, int], people: People, u: int, v: int) -> tuple[float, np.ndarray]:
    """With which probability the kernel swaps two people, to the last of 53 bits, and the table then."""

    def after(bits: int) -> np.ndarray:
        """The table if the random fraction is bits / 2^53."""
        random, word = np.zeros(16, dtype=np.uint64), bits << 11
        random[3] = ((word >> 23) | (word << 41)) % 2**64
        found, moved = table.copy(), People(people.row.copy(), people.column.copy())
        swap_people(found, shape[1], moved, u, v, random)
        again = np.zeros(shape, dtype=np.int64)
        np.add.at(again, (moved.row, moved.column), 1)
        assert (again.ravel() == found).all()
        return found

    swapped = after(0)
    low, high = 0, 2**53  # accepted below, rejected from here on
    if (after(high - 1) == swapped).all():
        return 1.0, swapped
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if (after(middle) == swapped).all() else (low, middle)
    return high / 2**53, swapped


def unit_swap_matrix(every: np.ndarray, shape: tuple[int, int], rejects: bool = True) -> np.ndarray:
    """The probability of every step of the unit-swap kernel; or of one that accepts whatever it proposes."""
    place = {tuple(row): k for k, row in enumerate(every.tolist())}
    n = int(every[0].sum())
    matrix = np.zeros((len(every), len(every)))
    for k, table in enumerate(every):
        people = People(np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32))
        list_people(table, shape[1], people)
        for u, v in permutations(range(n), 2):
            accepted, after = acceptance(table, shape, people, u, v)
            accepted = accepted if rejects else 1.0
            matrix[k, place[tuple(after.tolist())]] += accepted / (n * (n - 1))
            matrix[k, k] += (1 - accepted) / (n * (n - 1))
    return matrix


def sparse_unit(table: np.ndarray, steps: int) -> tuple[Unit, np.ndarray]:
    class Few(PersonSwapKernel):
        def steps(self, n_columns: int) -> int:
            return steps

    inside = support(fw.publish(table, ["A", "B"]), "uniform")
    (block,) = inside.solved.blocks
    assert len(block.columns) == table.size
    n, zero = table.size, np.zeros(table.size, dtype=np.int64)
    weights = weights_on(inside.weigh, block.columns, block.lower, block.upper)
    kernel, none = Few(table.shape, int(table.sum())), sp.csr_array((0, n), dtype=np.int64)
    certificate = Certificate("connected", "")
    unit = Unit(block.columns, zero, block.lower, block.upper, block.start, weights, (kernel,), certificate, none)
    every = every_table(block.A, block.A @ block.start, block.lower, block.upper, 5000)
    assert every is not None
    return unit, every


SPARSE = np.array([[2, 0, 1], [0, 1, 0], [1, 0, 0]])


def test_unit_swaps_balance() -> None:
    """Uniform law: the matrix of steps is symmetric; without the ratio it is not."""
    _, every = sparse_unit(SPARSE, 1)
    matrix = unit_swap_matrix(every, (3, 3))
    assert np.abs(matrix.sum(axis=1) - 1).max() < 1e-12
    assert np.abs(matrix - matrix.T).max() < 1e-12
    assert (np.linalg.matrix_power(matrix, 64) > 0).all()
    careless = unit_swap_matrix(every, (3, 3), rejects=False)
    assert np.abs(careless - careless.T).max() > 1e-3


def test_unit_swaps_walk() -> None:
    """Draws and tallies of the whole walk, taking turns with itself (the people are listed anew each time)."""
    unit, every = sparse_unit(SPARSE, 40)
    law = np.full(len(every), 1 / len(every))
    chain = run(replace(unit, kernels=unit.kernels * 2, shares=(3, 2)))
    assert p_value(chain.drawn, every, law) > TOO_RARE
    assert farthest(chain, unit, every, law) < 6.0
    by_factorials = np.exp(-gammaln(every + 1).sum(axis=1))
    assert p_value(chain.drawn, every, by_factorials / by_factorials.sum()) < TOO_RARE


def test_which_tables_prefer_people() -> None:
    assert prefers_people((50, 50), 250)
    assert not prefers_people((50, 50), 2500)
    assert not prefers_people((50, 50), 1)
