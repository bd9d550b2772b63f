"""The quickest chain and its tallies: bookkeeping against a plain twin, and large tables, whose rows are held."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import chisquare

import fiberwalk as fw
from fiberwalk.moves.random_words import streams
from fiberwalk.sampler.chain import Chain
from fiberwalk.sampler.kernel import SwapKernel
from fiberwalk.sampler.plan import units_of
from fiberwalk.sampler.tally import NO_CREDITS, credit
from fiberwalk.sampler.unit import Unit
from fiberwalk.sampler.walk_swaps import SMALL
from fiberwalk.sampler.windows import Windows, compact, plain_counts, shares

TOO_RARE = 1e-6


def swap_unit(values: np.ndarray) -> Unit:
    """A two-way table of which only the margins are known, walked by swaps alone."""
    moves = fw.choose_moves(fw.publish(values, ["A", "B"]))
    (unit,) = units_of(moves, sp.csr_array((0, values.size), dtype=np.int64))
    in_order = np.argsort(unit.columns)
    parts = {name: getattr(unit, name)[in_order] for name in ("columns", "offset", "lower", "upper", "start")}
    return replace(unit, **parts, kernels=(SwapKernel(values.shape),), shares=(1 << 40,))


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
        credit(chain.tally, q, low, high)
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


def columns_of_the_one(draws: int) -> np.ndarray:
    """Where the first row has its only one, in a table so large that rows are held: all columns are alike."""
    columns = SMALL // 3 + 10
    values = np.zeros((3, columns), dtype=np.int64)
    values[2, 2:], values[0, 0], values[1, 1] = 1, 1, 1
    unit = swap_unit(values)
    chain = Chain(unit, unit.start, streams(3, 1)[0])
    chain.counts = False
    chain.tally.by_steps[0] = NO_CREDITS
    found = np.zeros(draws, dtype=np.int64)
    for k in range(draws):
        unit.kernels[0].walk(chain.place, chain.tally, None, 1, 8 * columns)
        found[k] = np.flatnonzero(chain.place.table[:columns])[0]
    return found / columns


def test_large_tables_are_drawn_evenly():
    """A chain that never reaches the last twentieth of the columns would be noticed."""
    found = columns_of_the_one(10_000)
    assert chisquare(np.histogram(found, bins=25, range=(0, 1))[0]).pvalue > TOO_RARE
    assert chisquare(np.histogram(0.95 * found, bins=25, range=(0, 1))[0]).pvalue < TOO_RARE
