"""What bins cost is measured, whatever the law; and windows are placed where the mass is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import examples

from fiberwalk.fiber.laws.law import alike
from fiberwalk.fiber.laws.support import WithEvidence
from fiberwalk.release.facts.facts import Evidence
from fiberwalk.sampler.lines.weights import Weights, weights_on
from fiberwalk.sampler.tallies.resolution import PARTS, read, where_the_mass_is
from fiberwalk.sampler.tallies.windows import Windows, empty_windows, entropies, shares

DRAWS = 400_000


def counted(values: np.ndarray, shift: int) -> Windows:
    """Windows of one question in which these values were counted, in bins of 2^shift."""
    first = int(values.min()) >> shift << shift
    plain = np.bincount((values - first) >> shift).astype(float)
    windows = empty_windows(np.array([first]), np.array([len(plain)]), np.array([shift]))
    windows.counters[: len(plain) + 1] = np.diff(np.concatenate([[0.0], plain, [0.0]]))
    windows.credits[0] = len(values)
    return windows


def weighed(lower: int, upper: int, log_weights: np.ndarray | None = None) -> Weights:
    """Weights of one column: none, or a list."""
    evidence = () if log_weights is None else ((0, Evidence(np.array([0]), np.array([1]), lower, log_weights)),)
    return weights_on(WithEvidence(alike, 1, evidence), np.array([0]), np.array([lower]), np.array([upper]))


def told(windows: Windows, weights: Weights, upper: int, spread: float, stride: int = 1) -> tuple[float, float, int]:
    """The entropy that is stated, the doubt about it, and the width of the bins that are read."""
    draws, none = np.array([float(DRAWS)]), np.zeros(1, dtype=np.int64)
    reading = read(windows, weights, np.array([upper]), draws, np.array([spread]), np.array([stride]), none)
    bits, seen = np.zeros(1), np.zeros(1, dtype=np.int64)
    entropies(reading.windows, bits, seen)
    few = (seen[0] - 1) / (2 * np.log(2) * DRAWS)
    return float(bits[0] + few - reading.excess[0]), float(reading.doubt[0]), 1 << int(reading.windows.shift[0])


@pytest.mark.parametrize("deviation", [300.0, 5000.0, 1e6])
@pytest.mark.parametrize("finest", [64.0, 16.0, 5.0])
def test_a_normal_law_is_read_in_bins_as_wide_as_may_be(deviation: float, finest: float) -> None:
    """From bins of a 64th to a 5th of a standard deviation, at no cost beyond what is stated."""
    values = np.rint(np.random.default_rng(1).normal(1e8, deviation, DRAWS)).astype(np.int64)
    shift = int(np.log2(deviation / finest))
    if shift < 1:
        pytest.skip("counted value by value")
    stated, doubt, width = told(counted(values, shift), weighed(0, 1), 2 * 10**8, deviation)
    assert abs(stated - 0.5 * np.log2(2 * np.pi * np.e * deviation**2)) < max(0.006, 3 * doubt)
    assert doubt < 0.006
    assert width == 1 << shift or deviation / (2 * PARTS) <= width <= deviation / PARTS


def test_all_in_one_bin_is_no_answer() -> None:
    """Joining tells nothing there: the doubt is that of a law as wide as the draws were."""
    values = np.rint(np.random.default_rng(2).normal(1 << 20, 100.0, DRAWS)).astype(np.int64)
    _, doubt, _ = told(counted(values, 14), weighed(0, 1), 1 << 22, 100.0)
    assert doubt > 5


def test_narrow_peaks_are_not_read_over() -> None:
    """Bins that are narrow beside the standard deviation and wide beside the peaks cost much, and say so."""
    rng = np.random.default_rng(3)
    values = np.rint(rng.normal(0, 12.0, DRAWS) + 4000 * rng.integers(1, 3, DRAWS)).astype(np.int64)
    truth = 1 + 0.5 * np.log2(2 * np.pi * np.e * 12.0**2)
    fine, doubt, width = told(counted(values, 1), weighed(0, 1), 9000, float(values.std()))
    assert abs(fine - truth) < max(0.006, 3 * doubt)
    assert width <= 8
    coarse, doubt, _ = told(counted(values, 6), weighed(0, 1), 9000, float(values.std()))
    assert doubt > 0.05
    assert abs(coarse - truth) < 6 * doubt


@pytest.mark.parametrize("stride", [2, 3, 10])
def test_values_that_are_never_met_in_between_are_counted_off(stride: int) -> None:
    values = stride * np.rint(np.random.default_rng(4).normal(1e5, 500.0, DRAWS)).astype(np.int64)
    deviation = 500.0 * stride
    stated, doubt, _ = told(counted(values, 5), weighed(0, 1), 10**7, deviation, stride)
    assert abs(stated - 0.5 * np.log2(2 * np.pi * np.e * 500.0**2)) < max(0.01, 3 * doubt)


def test_values_that_are_excluded_are_counted_off_and_uneven_ones_doubted() -> None:
    """Every third value is possible, as its weights say; then all are, and every eighth weighs ten times as much."""
    rng = np.random.default_rng(5)
    x = np.arange(20_000)
    smooth = -0.5 * ((x - 9000) / 700.0) ** 2
    for rough in (np.where(x % 3 == 0, 0.0, -np.inf), np.where(x % 8 == 0, np.log(10.0), 0.0)):
        p = np.exp(smooth + rough)
        p /= p.sum()
        values = rng.choice(x, DRAWS, p=p)
        truth = float(-(p[p > 0] * np.log2(p[p > 0])).sum())
        # her own weights rise steeply, and what the others leave her makes up for it: only roughness is hers alone
        stated, doubt, _ = told(counted(values, 6), weighed(0, 19_999, rough + 0.7 * x), 19_999, 700.0)
        assert abs(stated - truth) < max(0.012, 3 * doubt)
        flat, _, _ = told(counted(values, 6), weighed(0, 1), 19_999, 700.0)
        assert flat - truth > 0.3
    assert doubt > 0.1


@given(st.lists(st.integers(0, 4000), min_size=40, max_size=200), st.integers(1, 6), st.integers(0, 7))
@examples(40)
def test_joining_counts_as_counting_in_wider_bins(values: list[int], shift: int, more: int) -> None:
    """Whatever is joined, shares are those of a histogram of that width, wherever the window begins."""
    from fiberwalk.sampler.tallies.windows import joined

    windows = counted(np.array(values), shift)
    wide = joined(windows, np.arange(1), windows.shift + more)
    first, width = int(wide.origin[0]), 1 << int(wide.shift[0])
    assert first % width == 0
    wanted = np.bincount((np.array(values) - first) // width, minlength=int(wide.size[0])) / len(values)
    np.testing.assert_allclose(shares(wide, 0), wanted, atol=1e-12)


@given(
    st.floats(-1e9, 1e9),
    st.floats(0.0, 1e7),
    st.sampled_from([64, 100, 256, 1024]),
    st.integers(8, 24),
)
@examples(60)
def test_windows_are_placed_where_the_mass_is(mean: float, deviation: float, most: int, shift: int) -> None:
    """Within the counters there are, about the mean, and as fine as these allow."""
    first = int(mean - 40 * deviation) >> shift << shift
    size = (int(mean + 40 * deviation) - first >> shift) + 2
    windows = empty_windows(np.array([first]), np.array([size]), np.array([shift]))
    windows.counters[0], windows.counters[size] = 1.0, -1.0
    windows.credits[0] = size
    lower, upper = np.array([-(2**40)]), np.array([2**40])
    new = where_the_mass_is(windows, np.array([mean]), np.array([deviation]), lower, upper, most)
    begin, width, end = int(new.origin[0]), 1 << int(new.shift[0]), int(new.origin[0] + (new.size[0] << new.shift[0]))
    assert new.size[0] <= most
    assert begin % width == 0
    assert begin <= mean + 1
    assert mean - 1 <= end
    assert end - begin >= min(8 * deviation, 2) - 2
    assert width <= max(1, deviation / 3.9)
    assert not new.credits.any()
