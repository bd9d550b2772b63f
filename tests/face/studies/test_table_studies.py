"""The study of flexible tables: its findings on a census hypercube of full size, and what a study is made of."""

from __future__ import annotations

import importlib.util
import re
import sys

import numpy as np
import pytest
from support.places import BENCH, ROOT

import fiberwalk as fw
from fiberwalk.protect.perturbation.transition_matrix import as_transitions

STUDY = BENCH / "studies" / "flexible_tables.py"
SEEDS = (1, 2, 3)


@pytest.fixture(scope="module")
def paper():
    spec = importlib.util.spec_from_file_location("flexible_tables", STUDY)
    module = importlib.util.module_from_spec(spec)
    sys.modules["flexible_tables"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def cube():
    return fw.examples.hypercube()


@pytest.fixture(scope="module")
def study(paper, cube):
    return paper.study(cube, SEEDS)


# --- the hypercube ----------------------------------------------------------------------------------------------------


def test_the_cube_is_what_its_recipe_says(cube):
    assert cube.dims == ("region", "sex", "age", "activity", "occupation", "education", "citizenship")
    assert cube.shape == (2, 2, 21, 5, 13, 9, 5)
    assert int(cube.sum()) == 1_500_000
    assert 0.91 < float((cube == 0).mean()) < 0.94
    assert abs(int(cube.sel(region="1").sum()) - 854_539) < 5 * 610  # standard deviations of the draw
    # Table 1 of the paper: 1.6% ones, 0.9% twos, 3% of 11 and over
    for low, high, share in ((1, 1, 0.016), (2, 2, 0.009), (11, np.inf, 0.03)):
        assert float(((cube >= low) & (cube <= high)).mean()) == pytest.approx(share, abs=0.006)
    assert not cube.sel(age=["0-4", "5-9", "10-14"], activity=["employed", "unemployed", "pensioner", "other"]).any()
    assert not cube.sel(age=["75-79", "100+"], activity="employed").any()
    assert not cube.sel(activity="employed", occupation="not applicable").any()
    assert not cube.sel(age="15-19", education="bachelor").any()


def test_the_same_seed_draws_the_same_cube(cube):
    assert (fw.examples.hypercube(seed=1) == cube).all()
    assert (fw.examples.hypercube(seed=2) != cube).any()
    assert int(fw.examples.hypercube(people=1000, seed=3).to_series().sum()) == 1000
    with pytest.raises(fw.InputError, match=re.escape("people=0: a whole number of at least 1.")):
        fw.examples.hypercube(people=0)


def test_the_tables_are_like_those_of_the_paper(study):
    """Table 2: cells, the share of zeros, and some cells of 1 and 2."""
    assert study.originals["cells"].tolist() == [2457, 210, 585, 234]
    assert study.originals["zeros"].to_numpy() == pytest.approx([0.624, 0.233, 0.470, 0.359], abs=0.03)
    assert study.originals["small"].to_numpy() == pytest.approx([79, 16, 25, 13], rel=0.5)


# --- the findings, in every table, and but for the risk after swapping for every seed ---------------------------------


def by_method(study, column):
    return study.runs[column].unstack("method")


def test_every_method_lowers_the_risk(study):
    """Swapping does so on average: whom it moves into a table's small cells is another matter in every run."""
    risk = by_method(study, "risk")
    before = study.originals["risk"].reindex(risk.index.get_level_values("table"))
    assert (risk.drop(columns="RS").to_numpy() < before.to_numpy()[:, None]).all()
    assert (risk["RS"].groupby("table").mean() < study.originals["risk"]).all()


def test_swapping_lowers_it_least(study):
    """Perturbation of the cube leaves less risk than swapping, as in the paper (but for its table 2)."""
    mean = by_method(study, "risk").groupby("table").mean()
    assert (mean["RS"] > mean[["RR", "RRP", "SP", "SPP"]].max(axis=1)).all()


def test_rounding_lowers_it_most(study):
    risk = by_method(study, "risk")
    assert (risk[["RR", "RRP"]].max(axis=1) < risk[["RS", "SP", "SPP"]].min(axis=1)).all()


def test_perturbation_keeps_the_most_utility(study):
    """Of what is done to the cube, and of what is done to tables; swapping leaves table 3, without regions, as it was."""
    utility = by_method(study, "utility")
    assert (utility["SP"] > utility["RR"]).all()
    assert (utility["SPP"] > utility["RRP"]).all()
    changed = utility.drop("T3", level="table")
    assert (changed["SP"] > changed["RS"]).all()
    assert (utility.loc["T3", "RS"] == 1).all()
    assert (by_method(study, "small_changed").loc["T3", "RS"] == 0).all()


def test_rounding_of_tables_keeps_more_utility_than_rounding_of_the_cube(study):
    utility = by_method(study, "utility")
    assert (utility["RRP"] > utility["RR"]).all()
    assert (utility["SPP"] > utility["SP"]).all()


def test_small_cells_that_are_changed(study, paper, cube):
    """Table 4: all of them by rounding, a third by perturbation, and of the cube fewer by swapping."""
    changed = by_method(study, "small_changed")
    assert (changed[["RR", "RRP"]] == 1).all(axis=None)
    assert changed["SP"].mean() == pytest.approx(1 / 3, abs=0.05)
    of_cube = paper.small_cells_of_the_cube(cube, 1)
    assert of_cube["SP"] == pytest.approx(0.332, abs=0.02)
    assert of_cube["RS"] == pytest.approx(0.269, abs=0.08)
    assert of_cube["RR"] == 1


def test_the_matrix_changes_as_many_counts_as_the_printed_one(paper, cube):
    t = as_transitions(paper.MATRIX, 5).tally(cube.values)
    found = paper.by_matrix(cube.values)["matrix"]
    assert t @ found == pytest.approx(t)
    assert t @ np.diag(found) == pytest.approx(t @ np.diag(paper.MATRIX))
    assert (t @ np.diag(fw.protect.invariant_matrix(paper.MATRIX, t, last_rows=5))) < t @ np.diag(paper.MATRIX)


# --- studies of other tables ------------------------------------------------------------------------------------------

SMALL = np.random.default_rng(1).poisson(2, (4, 5, 6))
ONE = {"T": ("B,A", {"C": "2"})}


def test_a_study_cuts_the_tables_that_are_asked_for():
    seen = []
    found = fw.studies.table_study(
        SMALL,
        {**ONE, "U": (["C"], None)},
        {"N": ("after", "round_to", lambda t: seen.append(t) or {"base": 5})},
        seeds=[7],
    )
    assert (seen[0] == SMALL[:, :, 1].T).all()
    assert (seen[1] == SMALL.sum(axis=(0, 1))).all()
    assert found.originals["people"].tolist() == [SMALL[:, :, 1].sum(), SMALL.sum()]
    run = found.runs.loc[("T", "N", 7)]
    assert run["utility"] == pytest.approx(fw.risk.hellinger_utility(seen[0], (seen[0] + 2) // 5 * 5))
    assert found.frame.loc[("U", "N"), "risk_before"] == fw.risk.split_risk(seen[1])
    assert found.methods == {"N": "round_to after"}


def test_noise_below_nobody_is_nobody():
    found = fw.studies.table_study(SMALL % 2, ONE, {"N": ("after", "add_noise", {"noise": {-5: 1.0}})}, seeds=2)
    assert len(found.runs) == 2
    assert (found.runs["utility"] < 1).all()


def test_a_stored_study_is_what_the_code_gives(study, tmp_path):
    """Notebook 05 reads it; its first seeds are these."""
    stored = fw.load(ROOT / "notebooks" / "results" / "flexible_tables.fw")
    assert stored.originals.round(9).equals(study.originals.round(9))
    same = stored.runs.loc[stored.runs.index.isin(SEEDS, level="seed")]
    assert list(same.index) == list(study.runs.index)
    assert same.to_numpy() == pytest.approx(study.runs.to_numpy(), rel=1e-9)
    study.save(tmp_path / "study.fw")
    assert fw.load(tmp_path / "study.fw").frame.equals(study.frame)
    assert repr(stored) == "<TableStudy of 4 tables, 5 methods and 10 seeds>"


def test_a_study_is_drawn():
    found = fw.studies.table_study(SMALL, ONE, {"RR": ("before", "random_round", {})}, seeds=[1, 2])
    texts = [text.get_text() for text in found.plot(title="Map").axes[0].texts]
    assert texts == ["T RR", "T"]


@pytest.mark.parametrize(
    ("tables", "methods", "words"),
    [
        ({}, {"RR": ("after", "random_round", {})}, "table_study() needs tables; none are given."),
        (ONE, {}, "table_study() needs mechanisms; none are given."),
        (["A"], {"RR": ("after", "random_round", {})}, "tables are a dict, each with its name; they are ['A']"),
        ({"T": ("", None)}, {"RR": ("after", "random_round", None)}, "table 'T' has no dim; known: 'A', 'B'"),
        (
            {"T": ("A", "B=1")},
            {"RR": ("after", "random_round", {})},
            "table 'T' is a pair of its dims and who is in it",
        ),
        ({"T": "A"}, {"RR": ("after", "random_round", {})}, "table 'T' is a pair of its dims and who is in it"),
        ({"T": ("A", {"A": "1"})}, {"RR": ("after", "random_round", {})}, "by 'A', which spans it already."),
        ({"T": ("A", {"D": "1"})}, {"RR": ("after", "random_round", {})}, "by 'D', which is no dim"),
        ({"T": ("A", {"B": "9"})}, {"RR": ("after", "random_round", {})}, "'B' has no label '9'"),
        (ONE, {"RR": ("later", "random_round", {})}, "method 'RR' is 'before' or 'after', the name of a method"),
        (ONE, {"RS": ("after", "swap", {"dim": "C"})}, "swap() exchanges the values of 'C', which is no dim"),
    ],
)
def test_errors_of_a_study(tables, methods, words):
    with pytest.raises(fw.InputError, match=re.escape(words)):
        fw.studies.table_study(SMALL, tables, methods, seeds=[1])


# --- lists of parameters, and other measures --------------------------------------------------------------------------


def test_lists_of_parameters_are_every_combination():
    noise = [{-1: 0.25, 0: 0.5, 1: 0.25}, {0: 1.0}]
    grid = {
        "RS": ("before", "swap", {"dim": ["A", "C"], "rate": [0.1, 0.5]}),
        "N": ("after", "add_noise", {"noise": noise, "floor": True}),
        "RR": ("after", "random_round", {"base": 3}),
    }
    found = fw.studies.table_study(SMALL, ONE, grid, seeds=[4])
    assert list(found.methods) == [
        "RS dim=A, rate=0.1", "RS dim=A, rate=0.5", "RS dim=C, rate=0.1", "RS dim=C, rate=0.5", "N noise=#1", "N noise=#2",
        "RR",
    ]  # fmt: skip
    assert found.settings["RS dim=C, rate=0.5"] == {"dim": "C", "rate": 0.5}
    assert "RR" not in found.settings
    for (dim, rate), name in zip([("A", 0.1), ("A", 0.5), ("C", 0.1), ("C", 0.5)], found.methods, strict=False):
        alone = fw.studies.table_study(SMALL, ONE, {"one": ("before", "swap", {"dim": dim, "rate": rate})}, seeds=[4])
        assert found.runs.loc[("T", name, 4)].equals(alone.runs.loc[("T", "one", 4)])
    assert found.runs.loc[("T", "N noise=#2", 4), "utility"] == 1


def test_measures_of_choice(tmp_path):
    rounded = {"RR": ("after", "random_round", {"base": 3})}
    true = SMALL[:, :, 1].T
    shown = fw.protect.random_round(true, base=3, seed=7).published.values
    by_hand = {
        "r2": fw.risk.r2(true, shown),
        "r1": fw.risk.r1(shown),
        "thin lines": fw.risk.thin_lines(true, shown),
        "split mean": fw.risk.perturbed_risk(true, shown, fw.risk.changes_of("random_round", {"base": 3}), means=True),
    }
    for name, risk in by_hand.items():
        found = fw.studies.table_study(SMALL, ONE, rounded, seeds=[7], risk=name, utility="cramer's v")
        assert found.runs.loc[("T", "RR", 7), "risk"] == pytest.approx(risk)
        assert found.runs.loc[("T", "RR", 7), "utility"] == 1 - abs(fw.risk.cramers_v_change(true, shown))
    assert found.utility == "1 - change of Cramer's V"
    found.save(tmp_path / "study.fw")
    again = fw.load(tmp_path / "study.fw")
    assert (again.risk, again.utility, dict(again.settings)) == (found.risk, found.utility, {})
    own = fw.studies.table_study(
        SMALL, ONE, rounded, seeds=[7], risk=lambda F, G: (F == G).mean(), utility=lambda F, G: -abs(F - G).sum()
    )
    assert own.runs.loc[("T", "RR", 7), "risk"] == (true == shown).mean()
    assert own.runs.loc[("T", "RR", 7), "utility"] == -abs(true - shown).sum()
    assert own.originals.loc["T", "risk"] == 1
    weighed = fw.studies.table_study(SMALL, ONE, rounded, seeds=[7], risk="r2", weights=(1, 0, 0))
    assert weighed.runs.loc[("T", "RR", 7), "risk"] == fw.risk.r2(true, shown, (1, 0, 0))


def test_methods_without_known_changes_have_other_risks():
    sample = {"S": ("after", "draw_sample", {"fraction": 0.5})}
    with pytest.raises(fw.InputError, match="draw_sample does not change counts cell by cell"):
        fw.studies.table_study(SMALL, ONE, sample, seeds=[1])
    assert 0 < fw.studies.table_study(SMALL, ONE, sample, seeds=[1], risk="r2").runs["risk"].iloc[0] < 1


def test_a_study_says_where_the_risk_rose():
    even = np.full((4, 5, 2), 5)
    table, swapped = {"T": ("A,B", {"C": "1"})}, {"RS": ("before", "swap", {"dim": "A", "rate": 0.3})}
    found = fw.studies.table_study(even, table, swapped, seeds=[1, 2])
    assert found.raised.to_dict() == {("T", "RS"): 1.0}
    assert found.remark.startswith("In some runs the risk is larger than before (T RS): this measure may rise")
    assert "larger than before" in found._repr_html_()
    assert fw.studies.table_study(even, table, swapped, seeds=[1, 2], risk="split mean").remark == ""


@pytest.mark.parametrize(
    ("methods", "options", "words"),
    [
        ({"RR": ("after", "random_round", {"base": []})}, {}, "method 'RR': the list of values of base is empty."),
        ({"RR": ("after", "random_round", 3)}, {}, "are a dict, or a function of the counts; they are 3."),
        (
            {"RR": ("after", "random_round", {"base": [3, 3]})},
            {},
            "'RR base=3' is there twice: the same runs would count twice.",
        ),
        ({"RR": ("after", "random_round", {})}, {"risk": "splt"}, "there is no such risk; did you mean 'split'?"),
        ({"RR": ("after", "random_round", {})}, {"risk": "entropy"}, "risk='entropy': there is no such risk"),
        (
            {"RR": ("after", "random_round", {})},
            {"utility": "published"},
            "there is no such utility; known: 'hellinger'",
        ),
        ({"RR": ("after", "random_round", {})}, {"weights": (1, 1)}, "4 terms"),
        ({"RR": ("after", "random_round", {})}, {"risk": max, "weights": (1,)}, "weights= go with the name of a risk"),
        (
            {"RR": ("after", "random_round", {})},
            {"risk": lambda F, G: "x"},
            "risk=: your function must return a number",
        ),
    ],
)
def test_errors_of_lists_and_measures(methods, options, words):
    with pytest.raises(fw.InputError, match=re.escape(words)):
        fw.studies.table_study(SMALL, ONE, methods, seeds=[1], **options)
