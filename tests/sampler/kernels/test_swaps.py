"""The quickest chain and its tallies: bookkeeping against a plain twin, and large tables, whose swaps are made in rounds."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import chisquare

import fiberwalk as fw
from fiberwalk.base.jit import interpreted
from fiberwalk.base.random_streams import next_word, streams
from fiberwalk.sampler.chains.chain import Chain
from fiberwalk.sampler.chains.unit import Unit
from fiberwalk.sampler.chains.units import units_of
from fiberwalk.sampler.kernels.swaps.hit_and_run import SwapKernel
from fiberwalk.sampler.kernels.swaps.rounds import CREDITED, SwapRoundsKernel, draw_pairs, mirror_pairs, put_right
from fiberwalk.sampler.tallies.tally import NO_CREDITS, credit
from fiberwalk.sampler.tallies.windows import Windows, compact, plain_counts, shares

TOO_RARE = 1e-6


def swap_unit(values: np.ndarray, kernel: type[SwapKernel | SwapRoundsKernel] = SwapKernel) -> Unit:
    """A two-way table of which only the margins are known, walked by swaps alone."""
    moves = fw.moves.choose_moves(fw.publish(values, ["A", "B"]))
    (unit,) = units_of(moves, sp.csr_array((0, values.size), dtype=np.int64))
    in_order = np.argsort(unit.columns)
    parts = {name: getattr(unit, name)[in_order] for name in ("columns", "offset", "lower", "upper", "start")}
    return replace(unit, **parts, kernels=(kernel(values.shape),), shares=(1 << 40,))


def counted(windows: Windows) -> list[np.ndarray]:
    starts, counts = np.zeros(len(windows.start), dtype=np.int64), np.zeros(int(windows.size.sum()))
    plain_counts(windows, starts, counts)
    return np.split(counts, starts[1:])


@pytest.mark.parametrize("scale", [1, 100, 10_000])
def test_credits_are_those_of_a_plain_twin(scale):
    """Windows that grow, and with large figures join values: every credit goes where a dictionary would put it."""
    unit = swap_unit(scale * np.array([[3, 1, 2], [2, 4, 1], [1, 2, 3]]))
    chain = Chain(unit, unit.start, streams(1, 1)[0])
    rng = np.random.default_rng(scale)
    twin = np.zeros((9, 12 * scale))
    for _ in range(300):
        q, (low, high) = rng.integers(9), np.sort(rng.integers(0, 9 * scale, size=2))
        twin[q, low : high + 1] += 1.0 / (high - low + 1)
        interpreted(credit)(chain.tally, q, low, high)
        if chain.tally.n_waiting[0]:
            chain._make_room()
    windows = chain.tally.windows
    assert (windows.shift.max() > 0) == (scale > 1)
    assert windows.credits.sum() == 300
    for q, found in enumerate(counted(windows)):
        edges = windows.origin[q] + (np.arange(windows.size[q] + 1) << windows.shift[q])
        cumulated = np.append(0.0, np.cumsum(twin[q]))[np.clip(edges, 0, twin.shape[1])]
        np.testing.assert_allclose(found, np.diff(cumulated), atol=1e-9)
        assert twin[q].sum() == pytest.approx(found.sum())


@pytest.mark.parametrize("scale", [1, 100, 10_000])
def test_what_steps_look_up_is_what_the_windows_are(scale):
    unit = swap_unit(scale * np.array([[3, 1, 2], [2, 4, 1], [1, 2, 3]]))
    chain = Chain(unit, unit.start, streams(1, 1)[0])
    chain.advance(unit, 2000)
    chain.advance_batch(unit, None)
    windows = chain.tally.windows
    for change in (lambda one: one, compact):  # after which the old windows are no longer used
        windows = change(windows)
        single = windows.shift == 0
        assert np.array_equal(windows.quick[:, 0], windows.start - windows.origin)
        assert np.array_equal(windows.quick[single, 1], windows.origin[single])
        assert np.array_equal(windows.quick[single, 2], (windows.origin + windows.size - 1)[single])
        assert (windows.quick[~single, 1] > windows.quick[~single, 2]).all()


def test_tallies_do_not_change_the_walk():
    unit = swap_unit(np.random.default_rng(1).poisson(5, (7, 6)))
    found = []
    for counts in (True, False):
        chain = Chain(unit, unit.start, streams(1, 1)[0])
        chain.counts = counts
        chain.advance(unit, 500)
        found.append((chain.place.table.copy(), chain.tally.sums.copy(), chain.tally.windows.credits.sum()))
    assert np.array_equal(found[0][0], found[1][0])
    assert np.array_equal(found[0][1], found[1][1])
    assert (found[0][2], found[1][2]) == (500 * 4 * unit.kernels[0].steps(42), 0)


def test_whole_lines_give_the_exact_shares():
    """And credits that miss the last value of their line would be noticed."""
    values = np.array([[3, 1, 2], [2, 4, 1], [1, 2, 3]])
    audit, unit = fw.audit(fw.publish(values, ["A", "B"])), swap_unit(values)
    chain = Chain(unit, unit.start, streams(2, 1)[0])
    chain.advance(unit, 200_000)
    windows = chain.tally.windows
    for q in range(9):
        exact = audit.pmf(A=str(q // 3 + 1), B=str(q % 3 + 1))
        found = np.zeros(20)
        first = windows.origin[q] + unit.offset[q]
        found[first : first + windows.size[q]] = shares(windows, q)
        assert np.abs(found[exact.index] - exact.to_numpy()).max() < 1e-3
        assert np.abs(found[exact.index + 1] - exact.to_numpy()).max() > 2e-2


def columns_of_the_one(columns: int, draws: int) -> np.ndarray:
    """Where the first row has its only one, in a table with long rows: all columns are alike."""
    values = np.zeros((3, columns), dtype=np.int64)
    values[2, 2:], values[0, 0], values[1, 1] = 1, 1, 1
    unit = swap_unit(values, SwapRoundsKernel)
    chain = Chain(unit, unit.start, streams(3, 1)[0])
    chain.counts = False
    chain.tally.by_steps[0] = NO_CREDITS
    found = np.zeros(draws, dtype=np.int64)
    for k in range(draws):
        unit.kernels[0].walk(chain.place, chain.tally, None, 1, 24)
        found[k] = np.flatnonzero(chain.place.table[:columns])[0]
    return found


@pytest.mark.parametrize("columns", [25, 64, 201])
def test_long_rows_are_drawn_evenly(columns):
    """A chain that never reaches the last twentieth of the columns would be noticed."""
    found = columns_of_the_one(columns, 10_000)
    counts = np.bincount(found, minlength=columns)
    assert chisquare(counts).pvalue > TOO_RARE
    assert chisquare(np.bincount((0.95 * found).astype(int), minlength=columns)).pvalue < TOO_RARE


def test_tallies_do_not_change_rounds_and_one_in_four_is_credited():
    unit = swap_unit(np.random.default_rng(1).poisson(5, (7, 40)), SwapRoundsKernel)
    found = []
    for counts in (True, False):
        chain = Chain(unit, unit.start, streams(1, 1)[0])
        chain.counts = counts
        chain.advance(unit, 50)
        found.append((chain.place.table.copy(), chain.tally.windows.credits.sum()))
    assert np.array_equal(found[0][0], found[1][0])
    rounds = 50 * -(-unit.kernels[0].steps(280) // CREDITED)
    # 20 pairs of columns, or 19 where the cut leaves two columns out
    assert 4 * 19 * rounds <= found[0][1] <= 4 * 20 * rounds
    assert found[1][1] == 0


@pytest.mark.parametrize("columns", [2, 3, 7, 8])
def test_in_a_round_any_two_columns_meet_equally_often(columns):
    """Two rows and two columns that hold one unit each: a mirror image exchanges them if and only if they are a pair."""
    met = np.zeros((columns, columns), dtype=int)
    for j, m in combinations(range(columns), 2):
        for cut in range(columns):
            x = np.zeros(2 * columns, dtype=np.int64)
            x[j] = x[columns + m] = 1
            for first, last in ((0, cut), (cut + 1, columns - 1)):
                mirror_pairs(x, *np.array([0, columns, first, last], dtype=np.uint64))
            met[j, m] += x[m]
    assert set(met[np.triu_indices(columns, 1)]) == {1}


def biased_lengths(repaired: bool) -> np.ndarray:
    """Lengths of swaps on a line of three quarters of 2^32 points, of which 32 bits favour every third, in 3 parts."""
    n, columns = 3 << 30, 64
    random, found = streams(5, 1)[0], []
    up, under, first, last = np.array([0, columns, 0, columns - 1], dtype=np.uint64)
    for _ in range(400):
        x = np.zeros(2 * columns, dtype=np.int64)
        x[: columns // 2] = x[columns + columns // 2 :] = n - 1
        word = np.uint64(next_word(random))
        fair = draw_pairs(x, up, under, first, last, word)
        assert not fair
        if repaired:
            put_right(x, up, under, first, last, word, random)
        assert (x[:columns] + x[columns:] == n - 1).all()
        assert (x[: columns // 2] == x[columns // 2 : columns][::-1] * -1 + n - 1).all()
        found.append(x[: columns // 2] % 3)
    return np.bincount(np.concatenate(found), minlength=3)


def test_lengths_that_bits_would_favour_are_drawn_again():
    assert chisquare(biased_lengths(True)).pvalue > TOO_RARE
    assert chisquare(biased_lengths(False)).pvalue < TOO_RARE


def test_lines_that_bits_divide_evenly_need_no_repair():
    """A power of 2: no length is favoured, and what is called unfair is looked at and left."""
    columns, random = 64, streams(6, 1)[0]
    up, under, first, last = np.array([0, columns, 0, columns - 1], dtype=np.uint64)
    for _ in range(50):
        x = np.zeros(2 * columns, dtype=np.int64)
        x[: columns // 2] = x[columns + columns // 2 :] = (1 << 31) - 1
        word = np.uint64(next_word(random))
        assert not draw_pairs(x, up, under, first, last, word)
        before = x.copy()
        put_right(x, up, under, first, last, word, random)
        assert np.array_equal(x, before)
