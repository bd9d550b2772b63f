"""The R-U map: its figures by hand, DFKPR01's example, what may be given for a method, and its picture."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import xarray as xr
from click.testing import CliRunner

import fiberwalk as fw
from fiberwalk.commands.main import main
from fiberwalk.maps import confidentiality_map

TABLE = np.array([[3, 1, 7], [2, 9, 4], [8, 2, 15]])
CELL = {"A": "1", "B": "2"}
ROUNDING = (fw.protect.random_round, {"base": [3, 5]})
HIDDEN = [{"A": a, "B": b} for a in "12" for b in "12"]
SUPPRESSED = fw.suppress(TABLE, where=HIDDEN)


@pytest.fixture(scope="module")
def found() -> fw.RUMap:
    methods = {"rounding": ROUNDING, "suppression": fw.suppress(TABLE, where=HIDDEN)}
    return fw.ru_map(
        TABLE, methods, seeds=[1, 2, 3], cell=CELL
    )  # of which one rounds the cell otherwise than the others


# --- DFKPR01 --------------------------------------------------------------------------------------------------------

PAPER = fw.examples.dfkpr01_square()
CORNER = {"row": "1", "column": "1"}


def published_by_the_paper(table, theta):
    """The published table of the paper, whose corner is 3, as an outsider reads it: the truth is the map's own."""
    return fw.protect.as_protected(PAPER.published, "markov_perturb", theta=theta)


def test_the_example_of_duncan_and_others():
    prior = PAPER.prior
    law = fw.laws.prior([(CORNER, prior)])
    methods = {
        "Markov": (published_by_the_paper, {"theta": [0.05, 0.1, 0.2]}),
        "suppression": PAPER.release,
        "rounding": fw.protect.as_protected(PAPER.published // 3 * 3, "round_to", base=3, rounding="within"),
    }
    found = fw.ru_map(PAPER.table, methods, law=law, cell=CORNER)
    frame = found.frame
    assert frame["utility"].round(4).tolist() == [math.inf, 0.2405, 0.2327, 0.2181, 0.1587, 0.3462]
    assert frame.loc[("original", ""), "risk"] == math.inf
    first = np.array([0.0014, 0.1342, 0.7610, 0.0971, 0.0058, 0.0005])
    assert frame.loc[("Markov", "theta=0.05"), "risk"] == pytest.approx(
        fw.risk.entropy_risk(first / first.sum()), rel=2e-3
    )
    assert frame.loc[("suppression", ""), "risk"] == pytest.approx(fw.risk.entropy_risk(list(prior.values())))
    among = np.array([prior[w] for w in range(1, 6)])
    assert frame.loc[("rounding", ""), "risk"] == pytest.approx(fw.risk.entropy_risk(among / among.sum()))
    nats = fw.ru_map(PAPER.table, methods, law=law, cell=CORNER, log_base=math.e).frame
    assert nats["risk"].to_numpy() == pytest.approx(frame["risk"].to_numpy() / math.log(2))
    assert found.best(0.5).index.tolist() == [("rounding", "")]
    assert found.best(0.4).index.tolist() == [("suppression", "")]
    assert not len(found.best(0.1))
    assert frame["dominated"].tolist() == [False, True, True, True, False, False]
    assert found.sentence.startswith("Of 5 points, suppression, rounding are worth a look")


# --- figures ----------------------------------------------------------------------------------------------------------


def test_figures_are_those_of_audits_by_hand(found):
    for (method, setting), row in found.frame.iterrows():
        if method == "original":
            assert (row["risk"], row["utility"], row["known"], row["runs"]) == (math.inf, math.inf, 1, 1)
            continue
        if method == "suppression":
            releases = [fw.suppress(TABLE, where=HIDDEN)]
        else:
            releases = [fw.protect.random_round(TABLE, base=int(setting[-1]), seed=seed) for seed in (1, 2, 3)]
        pmfs = [fw.audit(release).pmf(CELL) for release in releases]
        risks = np.array([fw.risk.entropy_risk(pmf) for pmf in pmfs])
        utilities = np.array([fw.risk.mean_squared_precision(pmf, truth=1) for pmf in pmfs])
        for axis, values in (("risk", risks), ("utility", utilities)):
            assert row[axis] == pytest.approx(values.mean())
            if len(values) == 1:
                assert math.isnan(row[f"{axis}_sd"])
                assert math.isnan(row[f"{axis}_error"])
            else:
                assert row[f"{axis}_sd"] == pytest.approx(np.std(values, ddof=1))
                assert row[f"{axis}_error"] == pytest.approx(np.std(values, ddof=1) / math.sqrt(3))
        assert (row["runs"], row["known"]) == (len(releases), 0)
    rounded = found.runs[found.runs["method"] == "rounding"]
    assert found.frame.loc[("rounding", "base=3"), "risk_error"] > 0
    assert rounded["seed"].tolist() == [1, 2, 3] * 2
    assert found.runs["value"].map(repr).tolist() == ["None"] + ["3"] * 3 + ["5"] * 3 + ["None"]
    assert found.runs["seed"].isna().sum() == 2


def test_the_worst_of_several_cells_and_their_mean():
    release = fw.suppress(TABLE, where=HIDDEN)
    cells = fw.audit(release).cells
    worst = fw.ru_map(TABLE, {"s": release}).frame.loc[("s", "")]
    assert worst["risk"] == pytest.approx(cells["risk"].max())
    assert worst["known"] == 0
    mean = fw.ru_map(TABLE, {"s": release}, over="mean").frame.loc[("s", "")]
    assert mean["risk"] == pytest.approx(1 / cells["entropy"].mean())
    few = fw.ru_map(TABLE, {"s": release}, where="< 3").frame.loc[("s", "")]
    assert (few["risk"], few["known"]) == (math.inf, 1)  # the 2 in the third row is published
    pair = fw.ru_map(TABLE, {"s": release}, where=HIDDEN[:2], risk="exact").frame.loc[("s", "")]
    assert pair["risk"] == pytest.approx(cells["p_truth"].loc[[("1", "1"), ("1", "2")]].max())
    harm = {1: 1.0, 2: 0.5}
    harmed = fw.ru_map(TABLE, {"s": release}, cell=CELL, risk="expected harm", harm=harm).frame
    assert harmed.loc[("s", ""), "risk"] == pytest.approx(fw.audit(release).harm(harm).loc[("1", "2")])
    assert harmed.loc[("original", ""), "risk"] == 1


def test_utilities_use_what_a_user_would_work_with():
    release = fw.suppress(TABLE, where=HIDDEN)
    cells = fw.audit(release).cells
    shown = TABLE.astype(float)
    for (a, b), mean in cells["mean"].items():
        shown[int(a) - 1, int(b) - 1] = mean
    expected = {
        "hellinger": fw.risk.hellinger_utility(TABLE, shown),
        "chi-square": 1 - abs(fw.risk.chi_square_change(TABLE, shown, relative=True)),
        "Cramer's V": 1 - abs(fw.risk.cramers_v_change(TABLE, shown)),
        "margins": 1 - fw.risk.margin_variance_change(TABLE, shown),
        "published": 5 / 9,
    }
    for name, value in expected.items():
        frame = fw.ru_map(TABLE, {"s": release}, utility=name).frame
        assert frame.loc[("s", ""), "utility"] == pytest.approx(value)
        assert frame.loc[("original", ""), "utility"] == pytest.approx(1)
    losses = [1 / fw.risk.mean_squared_precision(fw.audit(release).pmf(one), TABLE[int(one["A"]) - 1, int(one["B"]) - 1])
              for one in HIDDEN]  # fmt: skip
    overall = fw.ru_map(TABLE, {"s": release}, utility="overall precision", cell=CELL).frame
    assert overall.loc[("s", ""), "utility"] == pytest.approx(9 / sum(losses))


def test_sample_counts_are_grossed_up():
    table = [[2, 1], [3, 6]]
    release = fw.protect.draw_sample(table, size=4, seed=2)
    frame = fw.ru_map(table, {"sample": release}, utility="hellinger").frame
    assert frame.loc[("sample", ""), "utility"] == fw.risk.hellinger_utility(table, release.published.values * 3)


def test_figures_that_noise_made_negative_count_as_zero():
    release = fw.protect.add_noise(TABLE, fw.protect.uniform_noise(3), seed=2)
    assert (release.published.values < 0).any()
    frame = fw.ru_map(TABLE, {"noise": release}, utility="hellinger").frame
    assert frame.loc[("noise", ""), "utility"] == fw.risk.hellinger_utility(
        TABLE, np.maximum(release.published.values, 0)
    )


def test_what_chains_leave_open_is_said():
    release = fw.suppress(TABLE, where=HIDDEN)
    options = {"method": "chains", "max_draws": 2000}
    cells = fw.audit(release, seed=1, **options).cells
    row = fw.ru_map(TABLE, {"s": release}, cell=CELL, **options).frame.loc[("s", "")]
    sampled = cells.loc[("1", "2")]
    assert row["risk"] == sampled["risk"]
    assert row["risk_mcse"] == pytest.approx(sampled["entropy_mcse"] / sampled["entropy"] ** 2)
    assert row["risk_mcse"] > 0
    assert row["certificate"] == sampled["certificate"] != "exact"
    mean = fw.ru_map(TABLE, {"s": release}, over="mean", log_base=4, **options).frame.loc[("s", "")]
    error = np.linalg.norm(cells["entropy_mcse"]) / 4
    assert mean["risk_mcse"] == pytest.approx(2 * error / cells["entropy"].mean() ** 2)
    unknown = fw.ru_map(TABLE, {"s": release}, risk="exact", **options).frame
    assert unknown["risk_mcse"].isna().tolist() == [False, True]


def test_wide_cells_that_chains_count_in_bins():
    """A sampled cell with very many values has an error of its own within each bin."""
    from fiberwalk.maps.map_seen import Seen
    from fiberwalk.posterior.parts.pmf import Pmf
    from fiberwalk.release.tables.tables import as_table

    audit = fw.audit(fw.publish([[5, 9], [8, 7]], margins=["A", "B"]))
    bins = Pmf(0, np.array([0.5, 0.5]), np.ones(2, dtype=bool), 0, 7, 8, 3.0, width=4)
    binned = replace(audit, belief=replace(audit.belief, pmfs=(bins,) * 4))
    seen = Seen(as_table([[5, 9], [8, 7]]), audit.release, None, lambda: binned)
    assert seen.squared_errors == pytest.approx([np.mean([(x - t) ** 2 for x in range(8)]) for t in (5, 9, 8, 7)])


# --- what may be given for a method ---------------------------------------------------------------------------------


def test_every_way_to_give_a_method():
    whole = fw.ru_map(
        TABLE,
        {
            "pair": (fw.protect.random_round, {"base": [3]}),
            "name": ("random-round", {"base": 3}),
            "alone": "random_round",
            "function": lambda t, s: fw.protect.random_round(t, base=3, seed=s),
            "named seed": lambda t, seed: fw.protect.random_round(t, base=3, seed=seed),
            "partial": partial(fw.protect.random_round, base=3),
        },
        seeds=2,
        original=False,
    )
    assert len({tuple(part["risk"]) for _, part in whole.runs.groupby("method")}) == 1
    assert whole.frame["runs"].tolist() == [2] * 6
    assert whole.frame.index[0] == ("pair", "base=3")
    once = fw.ru_map(TABLE, {"fixed": (fw.round_to, {"base": range(3, 5), "rounding": "within"})}, seeds=5).frame
    assert once["runs"].tolist() == [1, 1, 1]
    assert once["value"].tolist() == [None, 3, 4]


def test_a_parameter_that_is_a_list_by_nature_is_one_value():
    table = np.array([[3, 1], [2, 9]])
    methods = {
        "both": (fw.publish, {"margins": ["A", "B"]}),
        "cells": ("suppress", {"where": HIDDEN[:2]}),
        "tables": ("suppress", {"where": [table < 3, table < 4]}),
    }
    frame = fw.ru_map(table, methods, original=False).frame
    assert frame.index.tolist() == [("both", ""), ("cells", ""), ("tables", "where=#1"), ("tables", "where=#2")]
    both = fw.audit(fw.publish(table, margins=["A", "B"]))
    assert frame.loc[("both", ""), "risk"] == pytest.approx(both.cells["risk"].max())


def test_values_that_hardly_differ_are_points_of_their_own():
    frame = fw.ru_map(TABLE, {"m": ("markov_perturb", {"theta": [0.1, 0.1000001]})}, seeds=1).frame
    assert frame.index.get_level_values("setting").tolist() == ["", "theta=0.1", "theta=0.1000001"]


def test_a_table_that_a_utility_is_not_for_is_refused_at_once():
    with pytest.raises(fw.InputError, match="utility='chi-square': association is between two dims or more"):
        fw.ru_map([5, 1, 2], {"r": ROUNDING}, utility="chi-square")
    with pytest.raises(fw.InputError, match="utility='hellinger': .*sums to 0"):
        fw.ru_map([[0, 0]], {"r": ROUNDING}, utility="hellinger")


def test_your_own_risk_and_utility():
    def known_cells(audit):
        return len(audit.disclosed)

    def changed(table, release):
        return -abs(table - release.published).sum()

    methods = {"rounding": fw.protect.random_round(TABLE, base=5, seed=1)}
    found = fw.ru_map(TABLE, methods, risk=known_cells, utility=changed, original=False)
    difference = np.abs(TABLE - methods["rounding"].published.values).sum()
    assert found.frame[["risk", "utility"]].to_numpy().tolist() == [[0, -difference]]
    assert (found.risk, found.utility) == ("known cells", "changed")
    with_audit = fw.ru_map(TABLE, methods, utility=lambda t, release, audit: len(audit.cells))
    assert with_audit.frame["utility"].tolist() == [0, 9]


def test_the_same_seed_gives_the_same_map_and_more_seeds_keep_the_first():
    maps = [fw.ru_map(TABLE, {"r": ROUNDING}, seeds=n, seed=seed).runs for n, seed in ((2, 7), (2, 7), (3, 7), (2, 8))]
    assert maps[0].equals(maps[1])
    seeds = [one["seed"].dropna().unique().tolist() for one in maps]
    assert seeds[2][:2] == seeds[0] != seeds[3]


def test_hierarchies_decimals_and_releases():
    table = np.array([[1.5, 2.0], [0.5, 4.5]])
    found = fw.ru_map(
        fw.table(table, decimals=1),
        {"r": (fw.protect.random_round, {"base": [0.5, 1]})},
        seeds=2,
        cell={"A": "1", "B": "1"},
    )
    release = fw.protect.random_round(fw.table(table, decimals=1), base=1, seed=int(found.settings["seeds"][0]))
    by_hand = fw.risk.mean_squared_precision(fw.audit(release).pmf(A="1", B="1"), 1.5)
    assert found.runs.query("value == 1")["utility"].iloc[0] == pytest.approx(by_hand)
    of_release = fw.ru_map(fw.publish(TABLE, margins=["A"]), {"r": ROUNDING}, seeds=[4, 5, 6], cell=CELL)
    assert of_release.frame["risk"].tolist() == fw.ru_map(TABLE, {"r": ROUNDING}, seeds=[4, 5, 6], cell=CELL).frame[
        "risk"].tolist()  # fmt: skip


def test_protection_by_more_noise_leaves_less_risk_and_less_utility():
    def noise(table, size, seed):
        return fw.protect.add_noise(table, fw.protect.uniform_noise(size), seed=seed)

    frame = fw.ru_map(TABLE, {"n": (noise, {"size": [1, 3, 9]})}, over="mean", seeds=3, original=False).frame
    assert frame["risk"].is_monotonic_decreasing
    assert frame["utility"].is_monotonic_decreasing


# --- words ------------------------------------------------------------------------------------------------------------


def test_words(found):
    assert repr(found) == (
        "<RUMap of 'original', 'rounding', 'suppression': 4 points, 8 runs; risk: 1/H (1/bits), cell A=1, B=2; utility: "
        "mean squared precision, cell A=1, B=2>"
    )
    assert "points" in found.sentence
    shown = found.readable()
    assert shown.loc[("original", "")].tolist() == ["infinite", "infinite", "1", "1"]
    assert "±" in shown.loc[("rounding", "base=3"), "risk"]
    dominated = found.frame["dominated"]
    assert not dominated["original"].any()


def test_a_map_can_be_kept(found, tmp_path):
    path = tmp_path / "map.fw"
    found.save(path)
    again = fw.load(path)
    assert isinstance(again, fw.RUMap)
    assert again.frame.equals(found.frame)
    assert again.runs.equals(found.runs)
    assert (repr(again), again.settings) == (repr(found), found.settings)
    assert texts_of(again.plot()) == texts_of(found.plot())
    done = CliRunner().invoke(main, ["report", str(path)])
    assert done.exit_code == 2
    assert "this is a saved result, but no audit" in done.output


def test_points_in_doubt_are_named():
    swapped = fw.protect.swap_preserving(TABLE, ways=1, swaps=4, seed=1)
    found = fw.ru_map(TABLE, {"swapping": swapped})
    row = found.frame.loc[("swapping", "")]
    assert row["likelihood"] == "support only"
    assert row["doubts"] == "likelihood: support only"
    assert "1 of 2 points is in doubt (likelihood: support only)" in found.sentence
    assert "hollow: likelihood: support only" in texts_of(found.plot())


def test_methods_that_hide_different_cells_are_said_to():
    methods = {"suppression": SUPPRESSED, "rounding": fw.protect.random_round(TABLE, base=5, seed=1)}
    found = fw.ru_map(TABLE, methods)
    assert found.frame["at_risk"].tolist() == [9, 4, 9]
    assert "The methods hide different cells, 4 to 9 of them, and the risk is of these alone" in found.sentence
    assert "hide different cells" not in fw.ru_map(TABLE, methods, cell=CELL).sentence


def test_points_that_disclose_are_named_and_equal_ones_trade_nothing():
    one = fw.suppress(TABLE, where=HIDDEN[:1])
    found = fw.ru_map(TABLE, {"one": one, "another": fw.suppress(TABLE, where=HIDDEN[1:2])})
    assert found.sentence == (
        "The 2 points have the same risk, infinite, and the same utility. A cell at risk is known exactly, at least in some "
        "runs, after one, another."
    )
    assert "known exactly" not in fw.ru_map(TABLE, {"s": SUPPRESSED}).sentence


def test_runs_that_give_a_cell_away_make_the_mean_infinite():
    def by_luck(table, seed):
        where = HIDDEN if seed > 1 else HIDDEN[:1]
        return fw.suppress(table, where=where)

    found = fw.ru_map(TABLE, {"luck": by_luck}, seeds=[1, 2, 3], cell=HIDDEN[0])
    row = found.frame.loc[("luck", "")]
    assert row["risk"] == math.inf
    assert math.isnan(row["risk_error"])
    assert (row["disclosing"], row["runs"]) == (1, 3)
    assert "(1 of 3 runs)" in texts_of(found.plot())


def test_ctrl_c_leaves_what_is_there(monkeypatch):
    calls = []

    def tired(*given, **options):
        calls.append(given)
        if len(calls) > 5:
            raise KeyboardInterrupt
        return fw.audit(*given, **options)

    monkeypatch.setattr(confidentiality_map, "audit", tired)
    found = fw.ru_map(TABLE, {"rounding": ROUNDING}, seeds=4)
    assert found.frame["runs"].tolist() == [1, 2, 2]
    assert not found.converged
    assert found.sentence.endswith("Interrupted: 4 runs are left out.")
    calls += [()] * 5
    with pytest.raises(KeyboardInterrupt):
        fw.ru_map(TABLE, {"rounding": ROUNDING})


# --- risks of the table as a whole ------------------------------------------------------------------------------------


def refuse(*given, **options):
    raise AssertionError("nothing was asked of an intruder's belief")


MATRIX = fw.protect.window_matrix(stay=[0.5, 0.6, 0.7, 0.8], window=[3] * 4)
CHANGING = {
    "matrix": (fw.protect.perturb, {"matrix": MATRIX}, "perturb"),
    "kept": (fw.protect.perturb, {"matrix": MATRIX, "preserve_totals": True, "additive": ["A"]}, "perturb"),
    "random": (fw.protect.random_round, {"base": 3}, "random_round"),
    "semi": (fw.protect.semi_controlled_round, {"base": 4}, "random_round"),
    "nearest": (fw.round_to, {"base": 5}, "round_to"),
    "controlled": (fw.protect.controlled_round, {"base": 3}, "round_to"),
    "unbiased": (fw.protect.controlled_round, {"base": 3, "unbiased": True}, "random_round"),
    "lattice": (fw.protect.round_lattice, {"base": 3}, "random_round"),
    "swap": (fw.protect.swap, {"dim": "A", "rate": 0.3}, "swap"),
    "noise": (fw.protect.add_noise, {"noise": {-1: 0.3, 0: 0.4, 1: 0.3}, "floor": True}, "add_noise"),
}


def test_risks_of_the_whole_table_need_no_audit(monkeypatch, tmp_path):
    monkeypatch.setattr(confidentiality_map, "audit", refuse)

    def applied(table, seed, f, given):
        return f(table, **given, **({} if f is fw.round_to else {"seed": seed}))

    methods = {name: partial(applied, f=f, given=given) for name, (f, given, _) in CHANGING.items()}
    for risk, before in (("r2", fw.risk.r1), ("Split", fw.risk.split_risk)):
        found = fw.ru_map(TABLE, methods, risk=risk, utility="hellinger", seeds=[1, 2])
        row = found.frame.loc[("original", "")]
        assert (row["risk"], row["utility"], row["certificate"]) == (before(TABLE), 1, "not audited")
        for name, (f, given, law) in CHANGING.items():
            releases = [applied(TABLE, seed, f, given) for seed in (1, 2)]
            shown = [release.cell_figures.reshape(3, 3) for release in releases]
            if risk == "r2":
                risks = [fw.risk.r2(TABLE, one) for one in shown]
            else:
                taken = {key: given[key] for key in given if key in ("matrix", "base", "rate", "noise", "floor")}
                risks = [fw.risk.perturbed_risk(TABLE, one, fw.risk.changes_of(law, taken)) for one in shown]
            row = found.frame.loc[(name, "")]
            assert row["risk"] == pytest.approx(np.mean(risks))
            assert (row["risk_mcse"], row["doubts"], row["likelihood"]) == (0, "", releases[0].likelihood)
            assert np.isnan(row[["known", "at_risk", "disclosing"]].astype(float)).all()
    assert found.converged
    assert found.settings["law"] is None
    assert "whole table" in found.risk
    assert "known exactly" not in found.readable()
    assert "exactly" not in found.sentence
    axis = "disclosure risk: risk of the whole table, small counts apart"
    assert any(axis in " ".join(text.split()) for text in texts_of(found.plot(max_risk=0.3)))
    found.save(tmp_path / "map")
    assert fw.load(tmp_path / "map").frame.equals(found.frame)


def test_the_worst_or_the_mean_category():
    table = xr.DataArray(
        [[[3, 1, 7], [0, 9, 4]], [[0, 0, 0], [0, 0, 0]], [[12, 1, 2], [5, 5, 6]]], dims=("area", "sex", "age")
    )
    method = {"r": lambda t, seed: fw.protect.random_round(t, base=3, seed=seed)}
    release = fw.protect.random_round(table, base=3, seed=5)
    shown = table.copy(data=release.cell_figures.reshape(table.shape))
    law = fw.risk.changes_of("random_round", {"base": 3})
    for by, worst, mean in (
        ("area", "the worst area", "mean over area"),
        (["age", 0], "the worst combination of age and area", "mean over age and area"),
    ):
        entropy, left = fw.risk.table_entropy(table, by=by), fw.risk.conditional_entropy(table, shown, by=by)
        told = (1 - left / entropy.where(entropy > 0)).where(entropy != 0, 1).where(left.notnull(), 0)
        expected = {
            "r1": fw.risk.r1(shown, by=by),
            "r2": fw.risk.r2(table, shown, by=by),
            "split": fw.risk.perturbed_risk(table, shown, law, by=by),
            "hellinger": fw.risk.hellinger_utility(table, shown, by=by),
            "conditional entropy": told.where(entropy.notnull()),
        }
        for over, words in (("worst", worst), ("mean", mean)):
            for risk, utility in zip(
                ("r1", "r2", "split"), ("hellinger", "conditional entropy", "margins"), strict=True
            ):
                found = fw.ru_map(table, method, risk, utility, seeds=[5], by=by, over=over)
                row = found.frame.loc[("r", "")]
                figures = expected[risk]
                assert row["risk"] == pytest.approx(float(figures.max() if over == "worst" else figures.mean()))
                assert words in found.risk
                if utility in expected:
                    figures = expected[utility]
                    assert row["utility"] == pytest.approx(float(figures.min() if over == "worst" else figures.mean()))
                assert (words in found.utility) == (utility in expected)
    assert found.settings["by"] == ["age", "area"]
    assert "R1 of the whole table as published, ignoring the protection" in fw.ru_map(TABLE, method, "r1", seeds=1).risk


def test_what_a_table_tells():
    """All where it is published as it is or there is nothing to tell; none in a category that is published as empty."""
    table = np.array([[5, 5], [4, 0], [2, 1]])
    empty = {"e": lambda t, seed: fw.protect.random_round(t, base=5, seed=seed)}
    seed = next(s for s in range(99) if fw.protect.random_round(table, base=5, seed=s).cell_figures[4:].sum() == 0)
    found = fw.ru_map(table, empty, "r2", "conditional entropy", seeds=[seed], by="A")
    assert found.frame["utility"].tolist() == [1, 0]
    mean = fw.ru_map(table, empty, "r2", "conditional entropy", seeds=[seed], by="A", over="mean")
    assert mean.frame["utility"].tolist() == pytest.approx([1, 2 / 3])
    whole = fw.ru_map(table, empty, "r2", "conditional entropy", seeds=[seed]).frame["utility"].iloc[1]
    shown = fw.protect.random_round(table, base=5, seed=seed).cell_figures.reshape(3, 2)
    assert whole == pytest.approx(1 - fw.risk.conditional_entropy(table, shown) / fw.risk.table_entropy(table))
    nobody = fw.protect.as_protected([[0, 0], [0, 0]], "random_round", base=5)
    with pytest.raises(fw.InputError, match="method 'n': by=.*nobody is in any of their categories, as published"):
        fw.ru_map([[1, 2], [3, 4]], {"n": nobody}, "r2", "published", by="A")


def test_the_whole_table_beside_an_audit():
    """Withheld cells stand at what is to be expected of them, which only an audit knows."""
    found = fw.ru_map(TABLE, {"s": SUPPRESSED}, risk="r2", weights="l2", utility="published")
    shown = TABLE.astype(float)
    cells = fw.audit(SUPPRESSED).cells["mean"]
    for (a, b), mean in cells.items():
        shown[int(a) - 1, int(b) - 1] = mean
    row = found.frame.loc[("s", "")]
    assert row["risk"] == pytest.approx(fw.risk.r2(TABLE, shown, "l2"))
    assert (row["certificate"], row["risk_mcse"]) == ("exact", 0)
    assert found.settings["law"] == "uniform"
    both = fw.ru_map(TABLE, {"r": "random_round"}, risk="split", seeds=1)  # precision asks for an audit
    assert both.frame["certificate"].tolist() == ["not audited", "exact"]  # nothing is hidden in the original


# --- the picture ------------------------------------------------------------------------------------------------------


def texts_of(figure):
    (axis,) = figure.axes
    legend = [one.get_text() for one in axis.get_legend().get_texts()]
    return [*legend, *(one.get_text() for one in axis.texts), axis.get_xlabel(), axis.get_ylabel(), axis.get_title()]


def test_the_picture_says_what_it_shows(found):
    figure = found.plot(max_risk=0.4, title="a map of $3")
    texts = texts_of(figure)
    for said in ("original", "rounding, by base", "suppression", "highest risk allowed: 0.4", "3", "5", "a map of $3"):
        assert said in texts
    assert "data utility: mean squared precision, cell A=1, B=2" in texts
    assert "disclosure risk: 1/H (1/bits), cell A=1, B=2" in texts
    (axis,) = figure.axes
    assert axis.get_yticklabels()[-1].get_text() == "infinite\n(known)"
    assert axis.get_xticklabels()[-1].get_text() == "infinite\n(no error)"
    assert "bars: standard error of the mean\nover repeated protection" in texts
    (bar,) = [one for one in axis.containers if one.lines[2] and len(one.lines[2][0].get_segments()) == 2]
    low, high = bar.lines[2][1].get_segments()[0][:, 1]
    assert (high - low) / 2 == pytest.approx(found.frame.loc[("rounding", "base=3"), "risk_error"])
    figure.draw_without_rendering()
    (legend_box, *labels) = [axis.get_legend().get_window_extent(), *(one.get_window_extent() for one in axis.texts)]
    for i, one in enumerate(labels):
        assert not any(one.overlaps(other) for other in [legend_box, *labels[:i]])


def test_many_methods_can_be_told_apart():
    from itertools import islice

    from fiberwalk.report.plots.map_plot import _styles

    assert len(set(islice(_styles(), 36))) == 36


def test_methods_of_a_group_share_a_colour_and_a_heading():
    methods = {name: fw.suppress(TABLE, where=HIDDEN) for name in "abcd"}
    found = fw.ru_map(TABLE, methods, cell=CELL)
    figure = found.plot(families={"first": ["c", "a"], "second": ["b"]})
    legend = figure.axes[0].get_legend()
    shown = [(one.get_text(), one.get_fontweight()) for one in legend.get_texts()]
    assert shown == [(one, "bold" if len(one) > 4 and one != "original" else "normal") for one in
                     ("original", "first", "c", "a", "second", "b", "others", "d")]  # fmt: skip
    marks = [one for one in figure.axes[0].collections if one.get_label() in methods]
    colours = {one.get_label(): tuple(one.get_facecolor()[0]) for one in marks}
    assert colours["a"] == colours["c"]
    assert len({colours[one] for one in "abd"}) == 3
    for wrong, words in (({"x": ["e"]}, "there is no method 'e' on the map"), ({"x": "aa"}, "'a' is named twice")):
        with pytest.raises(fw.InputError, match=words):
            found.plot(families=wrong)


def test_zoomed_axes_begin_where_the_points_do(found):
    (wide,), (near,) = found.plot().axes, found.plot(zoom=True).axes
    for axis in ("risk", "utility"):
        values = found.frame[axis][np.isfinite(found.frame[axis])]
        low, high = (one.get_ylim() if axis == "risk" else one.get_xlim() for one in (wide, near))
        assert low[0] == 0 < high[0] < values.min()


def test_the_picture_is_drawn_where_you_say():
    from matplotlib.figure import Figure

    figure = Figure()
    left, right = figure.subplots(1, 2)
    found = fw.ru_map(TABLE, {"s": fw.suppress(TABLE, where=HIDDEN)}, utility="hellinger", original=False)
    assert found.plot(ax=right) is figure
    assert not left.get_xlabel()
    assert right.get_xlabel() == "data utility: 1 - Hellinger distance / sqrt(N)"


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("methods", "options", "words"),
    [
        ({}, {}, "at least one method"),
        ([fw.protect.random_round], {}, "a dict of name to method"),
        ({"x": 3}, {}, "method 'x' is a int; it must be a function"),
        ({"x": ("random_round",)}, {}, "a pair is a function and its parameters"),
        ({"x": "random_rund"}, {}, "did you mean 'random_round'"),
        ({"x": ("random_round", {"bse": [3]})}, {}, "method 'x' has no parameter 'bse'; did you mean 'base'"),
        ({"x": ("random_round", {"base": []})}, {}, "list of values of base is empty"),
        ({"x": ("round_to", {"base": [3, 5], "rounding": ["nearest", "within"]})}, {}, "base and rounding are both lists"),
        ({"x": ("random_round", {"seed": [3, 5]})}, {}, "all follow from seed="),
        ({"x": ("random_round", {"base": [3, -5]})}, {"seeds": [9]}, "method 'x', base=-5, seed 9: .*must be positive"),
        ({"x": "markov_perturb"}, {}, "method 'x' needs its theta="),
        ({"x": ("random_round", {"base": [3, 3.0]})}, {}, "'x' is there twice with base=3"),
        ({1: SUPPRESSED, "1": SUPPRESSED}, {}, "method '1' is there twice"),
        ({"x": lambda: SUPPRESSED}, {}, "a function of nothing"),
        ({"x": lambda t: t[7]}, {}, "method 'x': IndexError"),
        ({"x": fw.suppress(TABLE + 1, where=HIDDEN).without_truth()}, {}, "says that A=1, B=3 is 8, and there it is not"),
        ({"x": fw.publish(TABLE + 1, margins=["A"]).without_truth()}, {}, "A=1, B=Total is 14, and there it is not"),
        ({"x": fw.protect.as_protected(TABLE * 5 + 5, "random_round", base=5)}, {}, "as 20, cannot have been what"),
        ({"x": lambda t: t}, {}, "method 'x': it must return a release; it returned a ndarray"),
        ({"x": fw.publish([[1, 2]], margins=["A"])}, {}, "about other cells, A \\(1\\), B \\(2\\)"),
        ({"x": fw.suppress(TABLE + 1, where=HIDDEN)}, {}, "of another table: A=1, B=1 differs"),
        ({"x": fw.publish(fw.table(TABLE, decimals=1), margins=["A", "B"])}, {}, "has 1 decimals"),
        ({"original": SUPPRESSED}, {}, "original=False"),
        ({"x": SUPPRESSED}, {"risk": "entrpy"}, "did you mean 'entropy'"),
        ({"x": SUPPRESSED}, {"utility": "helinger"}, "did you mean 'hellinger'"),
        ({"x": SUPPRESSED}, {"utility": 3}, "the name of a measure or a function"),
        ({"x": SUPPRESSED}, {"risk": lambda audit: "high"}, "must return a number; it returned 'high'"),
        ({"x": SUPPRESSED}, {"utility": lambda t, r: math.nan}, "returned nan"),
        ({"x": SUPPRESSED}, {"utility": lambda t, r: -math.inf}, "returned -inf"),
        ({"x": SUPPRESSED}, {"risk": lambda audit: 1 / 0}, "method 'original': risk=: your function failed, ZeroDivision"),
        ({"x": SUPPRESSED}, {"risk": "expected harm"}, "needs harm="),
        ({"x": SUPPRESSED}, {"harm": {1: 1}}, "goes with risk='expected harm'"),
        ({"x": SUPPRESSED}, {"risk": "splt"}, "did you mean 'split'"),
        ({"x": SUPPRESSED}, {"risk": "split"}, "which suppression does not tell; .*'r2' is of any"),
        ({"x": fw.publish(TABLE, margins=["A"])}, {"risk": "split"}, "which what it publishes does not tell"),
        ({"x": SUPPRESSED}, {"risk": "r2", "cell": CELL}, "'r2' is of the whole table: leave out cell="),
        ({"x": SUPPRESSED}, {"risk": "split", "over": "mean"}, "'split' is of the whole table: leave out"),
        ({"x": SUPPRESSED}, {"risk": "r2", "harm": {1: 1}}, "goes with risk='expected harm'"),
        ({"x": SUPPRESSED}, {"risk": "r2", "weights": (1, 1, 1)}, "risk='r2': weights=.* sum to 3"),
        ({"x": SUPPRESSED}, {"weights": (1, 0, 0)}, "weights= goes with .*the whole table, 'r1', .* and 'thin lines'"),
        ({"x": SUPPRESSED}, {"by": "A"}, "by= goes with the risks of the whole table, 'r1', .* and 'thin lines'"),
        ({"x": SUPPRESSED}, {"risk": lambda audit: 1, "by": "A"}, "by= goes with the risks of the whole table"),
        ({"x": SUPPRESSED}, {"risk": "r2", "by": ["A", "b"]}, "no dim 'b'; known: 'A', 'B'"),
        ({"x": SUPPRESSED}, {"risk": "r2", "by": []}, "names no dim; the table has A, B"),
        ({"x": SUPPRESSED}, {"risk": "r1", "by": "A", "where": "< 3"}, "'r1' is of the whole table: leave out cell="),
        ({"x": ("add_noise", {"noise": {-9: 1.0}})}, {"risk": "split"}, "below 0: add noise with floor=True"),
        ({"x": SUPPRESSED}, {"over": "best"}, "the 'worst' cell, or the 'mean'"),
        ({"x": SUPPRESSED}, {"log_base": 1}, "a number above 1"),
        ({"x": SUPPRESSED}, {"cell": {"A": "9", "B": "1"}}, "has no label '9'"),
        ({"x": SUPPRESSED}, {"cell": {"A": "1"}}, "is not one cell"),
        ({"x": SUPPRESSED}, {"cell": CELL, "where": "< 3"}, "give one of them, a single cell"),
        ({"x": SUPPRESSED}, {"where": "< 1"}, "hides no cell"),
        ({"x": SUPPRESSED}, {"where": TABLE > 99}, "hits no cell"),
        ({"x": SUPPRESSED}, {"seeds": []}, "seeds= is empty"),
        ({"x": SUPPRESSED}, {"seeds": 0}, "at least once"),
        ({"x": SUPPRESSED}, {"seeds": [1, 1]}, "the same seed twice"),
        ({"x": SUPPRESSED}, {"seeds": [-1]}, "a whole number of at least 0"),
        ({"x": SUPPRESSED}, {"seeds": "many"}, "how many times"),
        ({"x": SUPPRESSED}, {"seed": None}, "a whole number of at least 0"),
        ({"x": SUPPRESSED}, {"hidden_margins": ["A"]}, "no option 'hidden_margins'"),
        ({"x": SUPPRESSED}, {"toleranc": 1}, "no option 'toleranc'.*did you mean 'tolerance'"),
    ],
)  # fmt: skip
def test_errors(methods, options, words):
    with pytest.raises(fw.InputError, match=words):
        fw.ru_map(TABLE, methods, **options)


def test_errors_of_tables_and_thresholds(found):
    with pytest.raises(fw.InputError, match="does not carry its truth"):
        fw.ru_map(SUPPRESSED.without_truth(), {"x": SUPPRESSED})
    with pytest.raises(fw.InputError, match="is of tables of counts, and this one has decimals"):
        fw.ru_map(fw.table(TABLE, decimals=1), {"x": SUPPRESSED}, risk="r2")
    for wrong in (0, -1, math.inf, math.nan, "high", True):
        with pytest.raises(fw.InputError, match="a number above 0"):
            found.best(wrong)
        with pytest.raises(fw.InputError, match="a number above 0"):
            found.plot(max_risk=wrong)
