"""Answers in an agency's terms: deceptive intervals, thresholds, wanted protection, magnitudes, sampled cells."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from support.worlds import worlds

import fiberwalk as fw
from fiberwalk.base.certificate import Certificate
from fiberwalk.fiber.laws.by_name import as_law
from fiberwalk.posterior.belief import Belief
from fiberwalk.posterior.parts.pmf import Pmf, bits_of
from fiberwalk.results.audit_result import Audit
from fiberwalk.risk.nearness import best_guess
from fiberwalk.risk.protection_ranges import attainable_runs, first_missing

TABLE = xr.DataArray(
    [[1, 5, 4], [7, 2, 6], [3, 8, 9]], dims=["row", "col"], coords={"row": ["a", "b", "c"], "col": ["x", "y", "z"]}
)
SQUARE = [{"row": r, "col": c} for r in "ab" for c in "xy"]


def sampled(first, p, *, width=1, lower=None, upper=None, possible=None, ess=500.0, **more) -> Pmf:
    """A distribution as chains give it."""
    p = np.asarray(p, dtype=float)
    lower = first if lower is None else lower
    upper = first + width * len(p) - 1 if upper is None else upper
    return Pmf(
        first, p, np.ones(len(p), dtype=bool) if possible is None else np.array(possible), lower, upper,
        upper - lower + 1, bits_of(p, width), width, "chains", Certificate("unproven", "by hand"), ess, 1.001, 0.01, 0.1,
        np.full(len(p), 0.02), **more,
    )  # fmt: skip


def audit_of(*pmfs: Pmf, truth=None, **how) -> Audit:
    """An audit of a row of cells with these distributions; `truth` in scaled integers."""
    decimals = how.pop("decimals", 0)
    values = np.array(truth if truth is not None else [0] * len(pmfs))
    release = fw.publish(fw.table(values / 10**decimals, decimals=decimals), [""])
    release = release if truth is not None else release.without_truth()
    belief = Belief(release, as_law("uniform"), release.keys, pmfs, None, Certificate("unproven", "by hand"))
    return Audit(belief, how)


# --- what is a magnitude, and what its frame shows ------------------------------------------------------------


def test_decimals_or_contributors_tell_magnitudes_from_counts():
    release = fw.suppress(TABLE, where=SQUARE)
    assert not fw.audit(release).magnitude
    assert not fw.audit(fw.suppress(fw.table(TABLE, contributors=TABLE), where=SQUARE)).magnitude
    assert fw.audit(fw.suppress(fw.table(TABLE, contributors=TABLE.clip(max=3)), where=SQUARE)).magnitude
    assert fw.audit(fw.suppress(fw.table(TABLE, largest=TABLE - 1), where=SQUARE)).magnitude
    assert fw.audit(fw.suppress(fw.table(TABLE, decimals=1), where=SQUARE)).magnitude
    assert not fw.audit(fw.suppress(fw.table(TABLE, decimals=1), where=SQUARE), magnitudes=False).magnitude
    shown = fw.audit(release, magnitudes=True, percent=50)
    assert list(shown.cells.columns)[-5:] == ["truth", "p_truth", "low90", "high90", "p_near"]
    # a, x is 1 of 0 to 6, all alike; 4 to 10 are within 50% of b, x = 7, and 4 to 8 are possible
    assert shown.cells.loc[("a", "x"), "p_near"] == pytest.approx(1 / 7)
    assert shown.cells.loc[("b", "x"), "p_near"] == pytest.approx(5 / 7)
    assert "p_near" not in fw.audit(release.without_truth(), magnitudes=True).cells
    with pytest.raises(fw.InputError, match=r"audit\(percent=-1\): a percentage of at least 0"):
        fw.audit(release, percent=-1)


def test_counts_show_zero_one_and_the_shortest_range():
    cells = fw.audit(fw.suppress(TABLE, where=SQUARE), law="hypergeometric").cells
    pmf = fw.audit(fw.suppress(TABLE, where=SQUARE), law="hypergeometric").pmf(row="b", col="y")
    row = cells.loc[("b", "y")]
    assert row["p0"] == 0
    assert row["p1"] == pytest.approx(pmf[1])
    inside = pmf.loc[row["low90"] : row["high90"]]
    assert inside.sum() >= 0.9 > max(inside.iloc[1:].sum(), inside.iloc[:-1].sum())


# --- sampled cells with bins -----------------------------------------------------------------------------------


def test_a_bin_that_sticks_out_of_the_bounds_counts_within_them():
    pmf = sampled(0, [0.5, 0.5], width=4, upper=5)  # the second bin holds 4 and 5 only
    assert pmf.between(0, 5) == pytest.approx(1)
    assert pmf.between(4, 4) == pytest.approx(0.25)
    assert pmf.between(3, 4) == pytest.approx(0.125 + 0.25)


def test_the_distribution_of_a_binned_cell_says_so():
    audit = audit_of(sampled(640, [0.25, 0.75], width=64), decimals=1)
    frame = audit.distribution(A="1")
    assert frame.index.name == "value (bins of 6.4)"
    single = audit.pmf(A="1")
    assert single.index.name == "value"
    assert len(single) == 128
    assert single.loc[:70.3].sum() == pytest.approx(0.25)
    assert frame["at_most"].between(frame["probability"], 1.0).all()
    assert frame.index.tolist() == [64.0, 70.4]
    assert frame["mcse"].tolist() == [0.02, 0.02]
    assert frame["cumulative"].tolist() == [0.25, 1.0]
    assert audit.harm({65.0: 1.0, 99: 1.0}).item() == pytest.approx(0.25 / 64)
    assert audit.harm(lambda value: value).item() == pytest.approx(audit.cells["mean"].item(), abs=0.1)
    plain = fw.audit(fw.suppress(TABLE, where=SQUARE)).distribution(row="a", col="x")
    assert plain.index.name == "value"
    assert (plain["mcse"] == 0).all()


def test_what_there_is_to_say_of_a_cell_with_very_many_values():
    """Bins of a normal law: each figure is that of the law, up to an error that is stated."""
    middle, sd, width = 1_000_000, 5_000.0, 512
    edges = middle + width * np.arange(-50, 51)
    p = np.diff(stats.norm.cdf(edges - 0.5, middle, sd))
    pmf = replace(sampled(int(edges[0]), p / p.sum(), width=width, ess=10_000.0), mean_error=50.0)
    frame = audit_of(pmf).summary(A="1")
    assert frame.index.tolist() == ["mean", "sd", "low90", "high90", "entropy"]
    value, error = frame["value"], frame["mcse"]
    assert value["mean"] == pytest.approx(middle, abs=1)
    assert value["sd"] == pytest.approx(sd, rel=2e-3)
    assert value["high90"] - value["low90"] == pytest.approx(2 * 1.645 * sd, rel=0.01)
    assert error["mean"] == 50.0
    assert error["sd"] == pytest.approx(sd / np.sqrt(2 * 10_000), rel=0.05)
    # of a quantile sqrt(0.05 * 0.95 / draws) over the density there
    assert error["low90"] == pytest.approx(np.sqrt(0.05 * 0.95 / 10_000) * sd / stats.norm.pdf(1.645), rel=0.05)
    assert frame.attrs["method"] == "chains"


def test_errors_of_a_summary_are_those_that_are_made():
    """Chains from many seeds against the exact law."""
    release = fw.publish([[30, 20, 25], [18, 40, 33]], margins=["A", "B"])
    law, cell = fw.laws.expected([[2, 1, 1], [1, 1, 1]]), {"A": "1", "B": "1"}
    exact = fw.audit(release, law).summary(cell)
    assert (exact["mcse"] == 0).all()
    assert exact.index.tolist()[-1] == "p_near"
    off = []
    for seed in range(40):
        found = fw.audit(release, law, "chains", seed, tolerance=0.1).summary(cell)
        off.append(((found["value"] - exact["value"]) / found["mcse"]).drop(["low90", "high90"]))
        assert (found.loc[["low90", "high90"], "value"] - exact.loc[["low90", "high90"], "value"]).abs().max() <= 2
    spread = np.sqrt(np.mean(np.array(off) ** 2, axis=0))
    assert np.abs(off).max() < 5
    assert (spread < 1.6).all()  # 40 seeds: 5 standard deviations above 1
    assert (spread > 0.1).all()


def test_thresholds():
    audit = audit_of(sampled(0, [0.1, 0.2, 0.7]), Pmf.exact(1, np.array([0.5, 0.5]), np.array([True, True])))
    assert audit.probability(A="1", at_most=1) == pytest.approx(0.3)
    assert audit.probability({"A": "1"}, at_least=1, at_most=1.5) == pytest.approx(0.2)
    frame = audit.threshold(at_most=1)
    assert frame["probability"].tolist() == pytest.approx([0.5, 0.3])
    assert frame["mcse"].tolist() == pytest.approx([0, np.sqrt(0.3 * 0.7 / 500)])
    assert frame.index.get_level_values("A").tolist() == ["2", "1"]
    scaled = audit_of(sampled(10, [0.5, 0.5]), decimals=1)
    assert scaled.probability(A="1", at_most=1) == pytest.approx(0.5)
    for wrong, words in (({}, "needs at_most= or at_least="), ({"at_most": "two"}, "at_most='two': a number")):
        with pytest.raises(fw.InputError, match=words):
            audit.threshold(**wrong)


# --- protection ------------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.booleans(), min_size=1, max_size=12), st.integers(1, 4), st.integers(0, 5), st.integers(-3, 60),
    st.integers(0, 30), st.integers(0, 3), st.integers(0, 3),
)  # fmt: skip
def test_attainable_values_of_sampled_cells_against_a_list(possible, width, first, low, more, below, above):
    last = first + width * len(possible) - 1
    p = np.full(len(possible), 1 / len(possible))
    pmf = sampled(first, p, width=width, possible=possible, lower=first - below, upper=last + above)
    excluded = {first + width * k + i for k, fine in enumerate(possible) if not fine for i in range(width)}
    listed = [v for v in range(first - below, last + above + 1) if v not in excluded]
    begins, ends = attainable_runs(pmf)
    assert [v for a, z in zip(begins, ends, strict=True) for v in range(a, z + 1)] == listed
    missing = next((v for v in range(low, low + more + 1) if v not in listed), None)
    assert first_missing((begins, ends), low, low + more) == missing
    assert fw.risk.protection_range(listed or [-9], low, low + more) == (missing is None, missing)


def test_protection_of_sampled_cells_is_that_of_their_bounds():
    wide = sampled(1_000_000, [0.5, 0.5], width=2_000_000, lower=0, upper=8_000_000)
    loose = sampled(0, [0.5, 0.5], upper=10, sharp=False)
    frame = audit_of(wide, loose, truth=[5_000_000, 5]).protection(percent=40)
    assert frame.loc[("1",), "protected"]  # what chains have not seen is not impossible
    assert frame["by"].tolist() == ["bounds", "bounds that may be too wide"]
    gap = audit_of(sampled(0, [0.5, 0, 0.5], width=2, possible=[True, False, True]))
    assert gap.protection(lower=0, upper=5)["first_missing"].tolist() == [2]
    with pytest.raises(fw.InputError, match="ends .* before it begins"):
        gap.protection(lower=3, upper=2)


# --- where the interval deceives -------------------------------------------------------------------------------


def test_counts_whose_interval_deceives():
    flat, peaked = sampled(0, np.full(8, 1 / 8)), sampled(0, [0.02, 0.8, *[0.03] * 6])
    few, sure = sampled(0, [0.9, 0.1]), sampled(0, [0, 0.45, 0.55, 0, 0])
    audit = audit_of(flat, peaked, few, sure)
    found = audit.deceptive()
    assert found.index.get_level_values("A").tolist() == ["4", "2"]
    assert found["why"].tolist() == [
        "2, one of 5 possible values, has probability 0.55; 0.99 bits of entropy are left, of 5 possible values",
        "1, one of 8 possible values, has probability 0.8",
    ]
    assert len(audit.deceptive(certainty=0.9, bits=0)) == 0
    assert audit.deceptive(support=2).index.get_level_values("A").tolist() == ["3", "4", "2"]
    with pytest.raises(fw.InputError, match=r"deceptive\(support=1\): a whole number of at least 2"):
        audit.deceptive(support=1)
    with pytest.raises(fw.InputError, match=r"deceptive\(certainty='x'\): a number of at least 0"):
        audit.deceptive(certainty="x")


def test_magnitudes_whose_interval_deceives():
    near, far = sampled(0, [0.1, 0.8, 0.1], width=70), sampled(0, [0.45, 0.1, 0.45], width=70)
    audit = audit_of(near, far, truth=[100, 100], magnitudes=True)
    found = audit.deceptive(percent=30)
    assert found.index.get_level_values("A").tolist() == ["1"]
    assert found["why"].tolist() == [
        "within 30% of the truth with probability 0.7, although the interval reaches 104% to either side"
    ]
    assert len(audit.deceptive(percent=10)) == 0
    assert len(audit.deceptive(percent=110)) == 0  # its interval does not look safe
    blind = audit_of(near, far, magnitudes=True).deceptive(percent=35, certainty=0.6)
    assert blind.index.get_level_values("A").tolist() == ["1"]
    # 70 to 144: all of the second bin, and as much of the third as can be
    assert (
        blind["why"].iloc[0].startswith("within 35% of 107 with probability 0.81, although the interval reaches 100%")
    )


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 30), st.lists(st.integers(0, 4), min_size=1, max_size=15), st.sampled_from([0, 5, 25, 100, 150]))
def test_the_best_guess_against_every_guess(first, weights, percent):
    weights[0] = max(weights[0], 1)
    p = np.array(weights) / sum(weights)
    pmf = Pmf.exact(first, p, p > 0)
    chances = {
        guess: sum(q for x, q in enumerate(p, start=first) if abs(x - guess) * 100 <= percent * guess)
        for guess in range(pmf.lower, pmf.upper + 1)
    }
    guess, chance = best_guess(pmf, percent)
    assert chance == pytest.approx(max(chances.values()))
    assert chances[guess] == pytest.approx(chance)


def test_stated_protection_levels_decide_what_looks_safe(tmp_path):
    # x + y = 12 for two cells, and z = 3 x: one wants 2 to either side, the other more than it gets
    path = tmp_path / "small.jj"
    path.write_text(
        "0\n3\n0 6 1 u 4 8 2 2 0\n1 6 1 u 0 12 9 9 0\n2 12 1 s 0 12 0 0 0\n1\n0 3 : 2 (-1) 0 (1) 1 (1)\n",
        encoding="utf-8",
    )
    audit = fw.audit(fw.read_release(path))
    assert audit.protection()["protected"].tolist() == [False, True]
    found = audit.deceptive(support=100, certainty=0.1)
    assert found.index.get_level_values("cell").tolist() == ["0"]


def test_disclosed_cells():
    audit = fw.audit(fw.suppress(TABLE, where=[*SQUARE, {"row": "c", "col": "z"}]))
    assert audit.disclosed.index.tolist() == [("c", "z")]
    assert len(fw.audit(fw.suppress(TABLE, where=SQUARE)).disclosed) == 0


# --- attribute disclosure --------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(worlds(most_dims=3, most_cells=9, most_count=3))
def test_concentration_against_every_table(world):
    """A line is listed where its total is the same in every table and above 0 (and not only bounds say so)."""
    tables = world.tables()
    shape = world.values.shape
    numbers = np.arange(world.values.size).reshape(shape)
    expected = {}
    for axis, size in enumerate(shape):
        for place in np.ndindex(*(n for a, n in enumerate(shape) if a != axis)):
            line = np.moveaxis(numbers, axis, -1)[place].tolist()
            totals = {sum(table[c] for c in line) for table in tables}
            if size > 1 and set(line) & set(world.hidden) and len(totals) == 1 and totals != {0}:
                labels = [str(i + 1) for i in place]
                labels.insert(axis, "Total")
                whole = sum(max(table[c] for c in line) in totals for table in tables)
                expected[tuple(labels)] = whole / len(tables)
    frame = fw.audit(world.release).concentration()
    assert set(frame.index) <= set(expected), world.story
    for labels, row in frame.iterrows():
        assert row["probability"] == pytest.approx(expected[labels]), world.story
    assert frame["probability"].is_monotonic_decreasing


def test_totals_that_are_only_implied_count_too():
    table = xr.DataArray(np.ones((2, 2, 2), int), dims=["A", "B", "C"])
    implied = fw.publish(table, ["A,C", "B,C", "A,B"])
    one_less = fw.suppress(
        table, where=[{"A": "1", "B": "1", "C": "1"}, {"A": "1", "B": "1"}], margins=["A,B", "A,C", ""]
    )
    # A=1, B=1 is withheld, but the other three and the grand total are there
    assert ("1", "1", "Total") in fw.audit(one_less).concentration().index
    assert len(fw.audit(implied).concentration()) == 12
    open_total = fw.publish(table, ["C", "B"])
    assert len(fw.audit(open_total).concentration()) == 0
