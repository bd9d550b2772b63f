"""Diagnostics from batches, against ArviZ and slow twins on the draws themselves."""

from __future__ import annotations

import arviz as az
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.signal import lfilter
from scipy.stats import chi2
from support.effort import examples

from fiberwalk.sampler.chains import batch_means
from fiberwalk.sampler.chains import diagnostics as dx
from fiberwalk.sampler.tallies.spread import Spread, share_errors
from fiberwalk.sampler.tallies.windows import first_windows


def autoregressive(rng: np.random.Generator, phi: float, chains: int, draws: int, columns: int = 1) -> np.ndarray:
    noise = rng.normal(size=(chains, draws, columns))
    noise[:, 0] /= np.sqrt(1 - phi**2)
    return lfilter([1.0], [1.0, -phi], noise, axis=1)


def in_batches(draws: np.ndarray, length: int, centre: float = 0.0) -> tuple[np.ndarray, np.ndarray, int]:
    """What the chains would have kept of `draws[chain, draw, column]`."""
    chains, number, columns = draws.shape
    cut = (draws - centre).reshape(chains, number // length, length, columns)
    return cut.sum(axis=2), (cut**2).sum(axis=2), length


def length_for(draws: int, most: int = 64) -> int:
    length = 1
    while draws / length > most:
        length *= 2
    return length


def arviz_each(function, draws: np.ndarray, method: str) -> np.ndarray:
    return np.array([float(function(draws[:, :, j], method=method)) for j in range(draws.shape[2])])


def plain_split_rhat(draws: np.ndarray) -> float:
    half = draws.shape[1] // 2
    parts = np.concatenate([draws[:, :half], draws[:, -half:]])
    within = np.mean([np.var(part, ddof=1) for part in parts])
    between = half * np.var([np.mean(part) for part in parts], ddof=1)
    return float(np.sqrt((between / within + half - 1) / half))


def plain_monotone_sum(rho: list[float]) -> float:
    """Geyer's sum where every pair counts."""
    total, before = -1.0, np.inf
    for k in range(0, len(rho) - 1, 2):
        pair = rho[k] + rho[k + 1]
        if pair <= 0:
            return total + max(rho[k], 0.0) if pair < 0 else total + rho[k]
        before = min(before, pair)
        total += 2 * before
    return total


def batch_means_ess(sums: np.ndarray, squares: np.ndarray, length: int) -> np.ndarray:
    """The negative control: batches taken as independent."""
    series = batch_means.half_chains(sums, squares, length)
    _, spread = batch_means.correlations(series)
    return (series.within + series.between) / spread * series.deviations.shape[0] * series.deviations.shape[1]


chains_of_integers = st.tuples(
    st.integers(0, 2**32 - 1),
    st.integers(2, 5),
    st.integers(1, 12),
    st.integers(1, 30),
    st.sampled_from([-0.5, 0, 0.9]),
)


@given(chains_of_integers, st.sampled_from([0.0, 3.0, -1000.0]))
@examples(40)
def test_split_rhat_is_that_of_the_draws(case, centre):
    seed, chains, half, length, phi = case
    rng = np.random.default_rng(seed)
    draws = np.round(4 * autoregressive(rng, phi, chains, 2 * half * length, 3) + rng.normal(size=(chains, 1, 1)))
    assume(2 * half * length >= 4 and (np.ptp(draws, axis=(0, 1)) > 0).all())
    found = dx.split_rhat(*in_batches(draws, length, centre))
    moving = np.isfinite(found)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(found[moving], arviz_each(az.rhat, draws, "split")[moving], rtol=1e-10)
        plain = [plain_split_rhat(draws[:, :, j]) for j in range(3)]
    np.testing.assert_allclose(found, plain, rtol=1e-10)
    one_chain = dx.split_rhat(*in_batches(draws[:1], length, centre))
    with np.errstate(all="ignore"):
        alone = np.array([plain_split_rhat(draws[:1, :, j]) for j in range(3)])
    np.testing.assert_allclose(one_chain[np.isfinite(alone)], alone[np.isfinite(alone)], rtol=1e-10)


def test_merging_batches_changes_nothing_in_rhat():
    draws = autoregressive(np.random.default_rng(1), 0.8, 4, 640, 5)
    np.testing.assert_allclose(dx.split_rhat(*in_batches(draws, 5)), dx.split_rhat(*in_batches(draws, 10)), rtol=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(10, 120), st.sampled_from([-0.9, -0.3, 0, 0.5, 0.99]))
@examples(40)
def test_batches_of_one_draw_give_arviz_own_effective_draws(seed, chains, draws, phi):
    x = np.round(5 * autoregressive(np.random.default_rng(seed), phi, chains, draws, 2))
    assume((np.ptp(x, axis=(0, 1)) > 0).all())
    np.testing.assert_allclose(dx.effective_draws(*in_batches(x, 1)), arviz_each(az.ess, x, "mean"), rtol=1e-9)


@pytest.mark.parametrize("phi", [-0.3, 0.0, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("draws", [1000, 4096, 50_000])
def test_effective_draws_of_longer_batches(phi, draws):
    length = length_for(draws)
    columns = 24 if draws < 10_000 else 8
    x = autoregressive(np.random.default_rng(7), phi, 4, draws // length * length, columns)
    ratio = dx.effective_draws(*in_batches(x, length)) / arviz_each(az.ess, x, "mean")
    assert 0.85 < np.median(ratio) < 1.15
    assert np.mean(np.abs(ratio - 1) < 0.2) > 0.7
    assert ratio.max() < 1.4


def test_an_estimate_that_takes_batches_as_independent_is_rejected():
    x = autoregressive(np.random.default_rng(7), 0.99, 4, 992, 24)
    truth = arviz_each(az.ess, x, "mean")
    assert np.median(batch_means_ess(*in_batches(x, 16)) / truth) > 3
    assert 0.85 < np.median(dx.effective_draws(*in_batches(x, 16)) / truth) < 1.2


def test_chains_far_shorter_than_their_memory_have_few_effective_draws():
    x = autoregressive(np.random.default_rng(2), 1 - 1e-6, 4, 4096, 50)
    assert dx.effective_draws(*in_batches(x, 64)).max() < 12
    assert dx.split_rhat(*in_batches(x, 64)).min() > 1.1


def test_a_small_slow_part_is_not_overlooked():
    """White noise with a slow wave of a thousandth of its variance: one batch hardly shows it, the sum of lags does."""
    rng = np.random.default_rng(3)
    slow = autoregressive(rng, np.exp(-1 / 5000), 4, 32_768, 20)
    x = rng.normal(size=slow.shape) + np.sqrt(1e-3) * slow * np.sqrt(1 - np.exp(-2 / 5000))
    truth = 4 * 32_768 / (1 + 1e-3 * 2 * 5000)
    found = dx.effective_draws(*in_batches(x, 512))
    assert np.median(found) < 3 * truth
    assert np.median(batch_means_ess(*in_batches(x, 512))) > 5 * truth


def test_correlation_is_noticed_over_several_lags_where_one_does_not_show_it():
    rho = np.array([1.0] + [0.08] * 8 + [0.0] * 23)[:, None]
    assert rho[1] < batch_means.NOTICED / np.sqrt(256)
    assert batch_means.noticed(rho, 256)
    assert not batch_means.noticed(np.where(np.arange(32)[:, None] > 1, 0.0, rho), 256)


@given(st.lists(st.floats(-0.9, 0.9), min_size=1, max_size=12))
@examples(60)
def test_initial_monotone_sum_against_its_definition(tail):
    rho = [1.0, *tail]
    found = batch_means.initial_monotone_sum(np.array(rho)[:, None], like_arviz=False)
    assert found[0] == pytest.approx(plain_monotone_sum(rho))


def test_alternating_draws_are_capped_like_arviz():
    x = np.tile([0.0, 1.0], (2, 40))[:, :, None]
    x[0, 7] = 5.0
    total = 2 * 80
    assert dx.effective_draws(*in_batches(x, 1))[0] == pytest.approx(float(az.ess(x[:, :, 0], method="mean")))
    even = np.tile([0.0, 1.0], (2, 40))[:, :, None]
    assert dx.effective_draws(*in_batches(even, 2))[0] == pytest.approx(total * np.log10(total))


def cells() -> tuple[np.ndarray, dict[str, int]]:
    """Draws of cells that behave in different ways, 4 chains of 640."""
    rng = np.random.default_rng(5)
    kinds = {
        "free": rng.integers(0, 9, size=(4, 640)),
        "two values": rng.integers(0, 2, size=(4, 640)),
        "fixed": np.full((4, 640), 7),
        "still": np.full((4, 640), 123456789),
        "each its own": np.repeat([[1], [2], [3], [4]], 640, axis=1),
        "own mode": rng.integers(0, 3, size=(4, 640)) + np.array([[0], [0], [50], [50]]),
        "once": (np.arange(4 * 640).reshape(4, 640) == 1000).astype(int),
    }
    return np.stack(list(kinds.values()), axis=2).astype(float), {name: j for j, name in enumerate(kinds)}


def diagnosis_of(draws: np.ndarray, length: int, can_change: np.ndarray) -> dx.Diagnosis:
    sums, squares, _ = in_batches(draws, length, 0.1)
    tallies, starts, surprise, support = [], [], [], []
    for column in np.moveaxis(draws, 2, 0):
        values, counts = np.unique(column, return_counts=True)
        starts.append(sum(map(len, tallies)))
        tallies.append(counts.astype(float))
        bits = -np.log2(counts / counts.sum())[np.searchsorted(values, column)]
        surprise.append(bits.reshape(len(column), -1, length).mean(axis=2))
        support.append(max(2, len(values)))
    counted = dx.Counted(
        np.array(support),
        draws.shape[0] * draws.shape[1],
        (np.concatenate(tallies), np.array(starts)),
        np.stack(surprise, axis=2),
    )
    return dx.diagnose(dx.Batches(sums, squares, length), can_change, counted)


def test_cells_that_stand_still():
    draws, at = cells()
    can = np.ones(len(at), dtype=bool)
    can[at["fixed"]] = False
    sums, squares, length = in_batches(draws, 10, 0.1)
    rhat, ess = dx.split_rhat(sums, squares, length, can), dx.effective_draws(sums, squares, length, can)
    assert rhat[at["fixed"]] == 1
    assert ess[at["fixed"]] == np.inf
    assert rhat[at["still"]] == np.inf
    assert ess[at["still"]] == 0
    assert rhat[at["each its own"]] == np.inf
    assert ess[at["each its own"]] < 6
    assert rhat[at["own mode"]] > 5
    assert ess[at["own mode"]] < 6
    for mixing in ("free", "two values", "once"):
        assert rhat[at[mixing]] < 1.01
        assert ess[at[mixing]] > 1500
    still = dx.constant_columns(sums, squares, length)
    assert [name for name, j in at.items() if still[j]] == ["fixed", "still"]


def test_a_cell_that_never_moved_is_judged_by_its_company():
    draws, at = cells()
    some = [at[name] for name in ("free", "two values", "still", "fixed")]
    found = diagnosis_of(draws[:, :, some], 10, np.array([True, True, True, False]))
    assert found.never_moved.tolist() == [False, False, True, False]
    assert found.exact.tolist() == [False, False, False, True]
    assert found.ess[2] == found.ess[:2].min() / dx.CAUTION
    assert found.rhat[2] == found.rhat[:2].max()
    p = 3 / found.ess[2]
    assert 3 * found.entropy_error[2] == pytest.approx(-p * np.log2(p) - (1 - p) * np.log2(1 - p))
    assert found.entropy_error[3] == 0
    assert "1 never moved though bounds allow it (c)" in found.worst(["a", "b", "c", "d"])
    # without company nothing is known, and nothing passes
    alone = diagnosis_of(draws[:, :, [at["still"]]], 10, np.array([True]))
    assert (alone.ess[0], alone.rhat[0], alone.entropy_error[0]) == (0, np.inf, 1 / 3)
    assert not dx.good_enough(alone, 10.0)
    exact = diagnosis_of(draws[:, :, [at["fixed"]]], 10, np.array([False]))
    assert dx.good_enough(exact, 1e-9)
    assert exact.worst() == "no cell can change: nothing was estimated"


def test_a_cell_that_seldom_moved_counts_no_better_than_its_company():
    draws, at = cells()
    slow = np.round(3 * autoregressive(np.random.default_rng(6), 0.95, 4, 640, 1))
    draws = np.concatenate([draws[:, :, [at["free"], at["once"]]], slow], axis=2)
    sums, squares, length = in_batches(draws, 10)
    assert dx.batches_with_a_move(sums, squares, length)[1] == 2  # there and back
    assert dx.effective_draws(sums, squares, length)[1] > 1500
    found = diagnosis_of(draws, 10, np.ones(3, dtype=bool))
    assert found.ess[1] == found.ess[2] < 200 < found.ess[0]
    assert not found.never_moved.any()
    alone = diagnosis_of(draws[:, :, 1:2], 10, np.array([True]))
    assert alone.ess[0] == 2


def test_moves_are_counted_within_and_between_batches():
    draws = np.array([[0, 0, 1, 1, 1, 0, 0, 0], [5, 5, 5, 5, 5, 5, 5, 5]], dtype=float)[:, :, None]
    assert dx.batches_with_a_move(*in_batches(draws, 2, 0.1))[0] == 3


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(1, 9), st.sampled_from([1, 2, 5]), st.integers(1, 3))
@examples(60)
def test_no_nan_and_no_warning_however_short_the_chains(seed, chains, batches, length, values):
    rng = np.random.default_rng(seed)
    draws = rng.integers(0, values, size=(chains, batches * length, 4)).astype(float)
    found = diagnosis_of(draws, length, rng.random(4) < 0.5)
    for numbers in (found.rhat, found.ess, found.entropy_error):
        assert not np.isnan(numbers).any()
    assert np.isfinite(found.entropy_error).all()
    assert "nan" not in found.worst()
    assert chains * batches > 1 or not dx.good_enough(found, 9.0) or found.exact.all()


def entropy(pmf: np.ndarray) -> np.ndarray:
    return -np.sum(pmf * np.log2(pmf, out=np.zeros_like(pmf), where=pmf > 0), axis=-1)


def lazy_draws(rng: np.random.Generator, pmf: np.ndarray, stay: float, chains: int, draws: int, columns: int):
    """Each draw repeats the last with probability `stay` and is fresh otherwise."""
    fresh = rng.choice(len(pmf), size=(chains, draws, columns), p=pmf)
    renewed = rng.random(fresh.shape) >= stay
    renewed[:, 0] = True
    newest = np.maximum.accumulate(np.where(renewed, np.arange(draws)[None, :, None], 0), axis=1)
    return np.take_along_axis(fresh, newest, axis=1)


def covered(draws: np.ndarray, pmf: np.ndarray, window: int, first_order_only: bool = False) -> float:
    """The share of columns whose true entropy is within three standard errors of the corrected one."""
    chains, number, columns = draws.shape
    values, length = len(pmf), length_for(number)
    cut = draws.reshape(chains, -1, length, columns)
    counts = np.stack([(cut == v).sum(axis=2) for v in range(values)], axis=-1)
    pooled = counts.sum(axis=(0, 1))
    reference = counts[:, : counts.shape[1] // 2].sum(axis=(0, 1)) + 1.0
    reference /= reference.sum(axis=-1, keepdims=True)
    surprise = -(counts / length * np.log2(reference)).sum(axis=-1)[:, -window:]
    total = chains * number
    tallies = None if first_order_only else (pooled.astype(float).ravel(), np.arange(columns) * values)
    sums, squares, _ = in_batches(draws.astype(float), length)
    support = np.full(columns, values)
    batches = dx.Batches(sums, squares, length)
    found = dx.diagnose(batches, np.ones(columns, bool), dx.Counted(support, total, tallies, surprise))
    error = found.entropy_error
    if first_order_only:
        error = np.sqrt(dx._surprise_variance(surprise, length, total, found.ess))
    seen = (pooled > 0).sum(axis=-1)
    estimate = dx.corrected_entropy(entropy(pooled / total), seen, found.shortfall)
    return float(np.mean(np.abs(estimate - entropy(pmf)) <= 3 * error + 1e-12))


PMFS = {
    "fair": np.ones(2) / 2,
    "nearly fair": np.array([0.48, 0.52]),
    "rare": np.array([0.99, 0.01]),
    "uniform": np.ones(9) / 9,
    "binomial": np.array([1, 4, 6, 4, 1]) / 16,
    "geometric": 0.5 ** np.arange(8) / np.sum(0.5 ** np.arange(8)),
}


@pytest.mark.parametrize("stay", [0.0, 0.8])
@pytest.mark.parametrize("name", PMFS)
def test_three_standard_errors_cover_the_entropy(name, stay):
    draws = lazy_draws(np.random.default_rng(11), PMFS[name], stay, 4, 2048, 300)
    assert covered(draws, PMFS[name], window=64) >= 0.98
    assert covered(draws, PMFS[name], window=16) >= 0.98


def test_the_plain_delta_method_does_not_cover_it():
    draws = lazy_draws(np.random.default_rng(11), PMFS["nearly fair"], 0.0, 4, 1024, 300)
    assert covered(draws, PMFS["nearly fair"], window=64, first_order_only=True) < 0.95
    assert covered(draws, PMFS["nearly fair"], window=64) >= 0.98


def test_the_newest_batches_speak_for_all_draws():
    surprise = np.random.default_rng(3).normal(size=(4, 16, 50))
    some, every = (dx._surprise_variance(surprise, 10, n, np.full(50, float(n))) for n in (640, 2560))
    assert np.median(some / every) == pytest.approx(4.0)
    assert np.median(some) == pytest.approx(1 / 64, rel=0.3)


def test_errors_are_not_much_larger_than_they_need_be():
    rng = np.random.default_rng(12)
    pmf = PMFS["geometric"]
    counts = rng.multinomial(64, pmf, size=(4, 64, 400))
    surprise = -(counts / 64 * np.log2(pmf)).sum(axis=-1)
    total = 4 * 64 * 64
    found = dx.entropy_error(surprise, 64, total, np.full(400, 8), np.full(400, float(total)))
    truth = np.sqrt(np.sum(pmf * np.log2(pmf) ** 2) - entropy(pmf) ** 2) / np.sqrt(total)
    assert 0.9 < np.median(found) / truth < 1.2


def test_chains_that_disagree_have_an_error_that_more_draws_do_not_shrink():
    surprise = np.random.default_rng(1).normal(size=(4, 32, 1)) * 0.01 + np.array([1.0, 1.0, 2.0, 2.0])[:, None, None]
    few, many = (dx.entropy_error(surprise, 10, n, np.array([40]), np.array([1e9])) for n in (1280, 10**7))
    assert few[0] > 0.25
    assert many[0] > 0.25


def test_correction_of_the_entropy():
    def corrected(plain: np.ndarray, values: np.ndarray, draws: np.ndarray) -> np.ndarray:
        return dx.corrected_entropy(plain, values, dx.miller_madow(values, draws))

    np.testing.assert_allclose(
        corrected(np.array([0.9]), np.array([2]), np.array([100.0])), 0.9 + 1 / (200 * np.log(2))
    )
    capped = corrected(np.array([0.999, 0.5, 0.0]), np.array([2, 3, 1]), np.array([100.0, 0.0, 0.0]))
    np.testing.assert_allclose(capped, [1.0, np.log2(3), 0.0])
    rng = np.random.default_rng(2)
    pmf = PMFS["binomial"]
    plain = entropy(rng.multinomial(50, pmf, size=20_000) / 50)
    better = corrected(plain, np.full(20_000, 5), np.full(20_000, 50.0))
    assert plain.mean() < entropy(pmf) - 0.04
    assert abs(better.mean() - entropy(pmf)) < 0.01


@given(st.integers(2, 50), st.floats(4, 1e9))
@examples(40)
def test_unseen_entropy_is_the_largest_that_the_rule_of_three_allows(values, draws):
    others = values - 1
    rest = min(3 / draws, others / values)
    pmf = np.array([1 - rest] + [rest / others] * others)
    assert dx.unseen_entropy(np.array([values]), np.array([draws]))[0] == pytest.approx(float(entropy(pmf)))


def test_second_order_constant_is_that_of_the_chi_square():
    for others in range(1, 60):
        exact = (chi2.ppf(0.9973002, others) - others) / 3
        used = max(others, np.sqrt(2 * others) + 1.27)
        assert used == pytest.approx(exact, rel=0.02) if others < 4 else used >= exact


def test_the_guard_against_rare_values_by_its_definition():
    tallies, starts = [np.array([10.0, 0.0, 90.0]), np.array([4.0]), np.array([1.0, 1.0])], np.array([0, 3, 4])
    found = dx.guard_against_rare(np.concatenate(tallies), starts, np.array([10.0, np.inf, 4.0]))
    pmf = np.array([1.0 + 4.5, 9.0 + 4.5]) / 19
    bits = -np.log2(pmf)
    np.testing.assert_allclose(found, [(np.sum(pmf * bits**2) - np.sum(pmf * bits) ** 2) / 10.0, 0.0, 0.0], atol=1e-12)


def test_there_is_no_guard_where_rare_values_were_seen_often():
    tallies = np.array([1.0, 999.0])
    few, many = (dx.guard_against_rare(tallies, np.array([0]), np.array([n]))[0] for n in (5_000.0, 100_000.0))
    assert few > 0
    assert many == 0
    assert dx.guard_against_rare(tallies, np.array([0]), np.array([0.0]))[0] == np.inf


@pytest.mark.parametrize(
    ("changed", "good"),
    [
        ({}, True),
        ({"rhat": 1.011}, False),
        ({"ess": 399.0}, False),
        ({"entropy_error": 0.0067}, False),
        ({"exact": True, "rhat": 9.0, "ess": 0.0, "entropy_error": 1.0}, True),
    ],
)
def test_stop_rule_at_one_look(changed, good):
    values = {"rhat": 1.009, "ess": 400.0, "entropy_error": 0.0066, "exact": False, "never_moved": False}
    values |= {"mean_error": 0.0, "growth": 1.0, "excess": 0.0, "shortfall": 0.0} | changed
    start = {"rhat": 1.0, "ess": 5000.0, "entropy_error": 0.001, "exact": False, "never_moved": False}
    start |= {"mean_error": 0.0, "growth": 1.0, "excess": 0.0, "shortfall": 0.0}
    found = dx.Diagnosis(**{name: np.array([start[name], values[name]]) for name in values})
    assert dx.good_enough(found, 0.02) is good


def test_worst_in_words():
    found = dx.Diagnosis(
        np.array([1.0, 1.02, 1.0]),
        np.array([300.0, 900.0, np.inf]),
        np.array([0.001, 0.0123, 0.0]),
        np.array([False, False, True]),
        np.zeros(3, dtype=bool),
        np.zeros(3),
        np.ones(3),
        np.zeros(3),
        np.zeros(3),
    )
    assert found.worst() == (
        "largest R-hat 1.020 (cell 1), fewest effective draws 300 (cell 0), "
        "largest standard error of an entropy 0.012 bits (cell 1)"
    )


def test_many_columns_are_cut_into_blocks_without_a_seam():
    x = autoregressive(np.random.default_rng(4), 0.5, 4, 640, 2500)
    sums, squares, length = in_batches(x, 10)
    assert len(list(dx._blocks(sums))) > 1
    for function in (dx.split_rhat, dx.effective_draws):
        apart = np.concatenate(
            [function(sums[:, :, s], squares[:, :, s], length) for s in (slice(0, 777), slice(777, None))]
        )
        np.testing.assert_allclose(function(sums, squares, length), apart, rtol=1e-12)


def test_errors_of_shares_are_those_of_all_batches_together():
    """Against numpy on the shares of every batch, each chain about a centre of its own."""
    rng = np.random.default_rng(6)
    lower, upper = np.array([0, 2, 5]), np.array([3, 2, 9])
    windows = first_windows(lower, lower, upper)
    counters, batches = int((windows.start + windows.size + 1).max()), 8
    spreads, every = [], []
    for _ in range(3):
        one, shares = Spread(windows), rng.random((batches, counters))
        one.noted.centre[:] = rng.random(counters)
        apart = shares - one.noted.centre
        one.noted.sums[:], one.noted.squares[:], one.batches = apart.sum(axis=0), (apart**2).sum(axis=0), batches
        for q in range(3):
            here = slice(windows.start[q], windows.start[q] + windows.size[q])
            one.noted.squares_up_to[here] = (np.cumsum(apart[:, here], axis=1) ** 2).sum(axis=0)
        spreads.append(one)
        every.append(shares)
    found = share_errors(windows, spreads, 0.5)
    plain = np.concatenate(every).var(axis=0, ddof=1) / (3 * batches) * 0.5
    for q in range(3):
        here = slice(windows.start[q], windows.start[q] + windows.size[q])
        np.testing.assert_allclose(found.variance[here], plain[here], rtol=1e-4)
        up_to = np.cumsum(np.concatenate(every)[:, here], axis=1).var(axis=0, ddof=1) / (3 * batches) * 0.5
        np.testing.assert_allclose(found.variance_up_to[here], up_to, rtol=1e-4)
    assert share_errors(windows, [*spreads, None], 0.5) is None
    spreads[0].batches = 2
    assert share_errors(windows, spreads[:1], 0.5) is None  # too few to tell
