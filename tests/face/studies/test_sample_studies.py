"""Studies of population models: what a study is made of, what it says, and that stored studies are what the code gives."""

from __future__ import annotations

import importlib.util
import re
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from support.places import BENCH, ROOT

import fiberwalk as fw
from fiberwalk.release.tables.tables import as_table, labelled
from fiberwalk.studies.zero_levels import with_zeros

RESULTS = ROOT / "notebooks" / "results"
PEOPLE = fw.examples.ase15().table


def _bench(name):
    spec = importlib.util.spec_from_file_location(f"stored_{name}", BENCH / "studies" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[f"stored_{name}"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def study():
    return fw.survey.sample_study(
        PEOPLE, [0.1, 0.02], {"urn": "urn", "known": fw.survey.populations.urn(zeros=25)}, seeds=[4, 7], draws=50
    )


def test_a_row_is_the_risk_of_one_sample(study):
    assert list(study.runs.index)[:3] == [(0.1, "urn", 4), (0.1, "urn", 7), (0.1, "known", 4)]
    assert len(study.runs) == 8
    sample = fw.protect.draw_sample(PEOPLE, 0.02, seed=7)
    alone = fw.survey.sample_risk(sample, model=fw.survey.populations.urn(zeros=25), draws=50, seed=7)
    row, summary = study.runs.loc[(0.02, "known", 7)], alone.summary
    assert [row["r1"], row["r2"], row["zeros"]] == summary["mean"].tolist()
    assert [row["q2.5"], row["q97.5"], row["true_r2"]] == summary.loc["r2", ["q2.5", "q97.5", "truth"]].tolist()
    assert row["true_r2"] == pytest.approx(fw.risk.r2(PEOPLE, sample.published))
    assert (study.people, study.cells, study.zeros, study.draws) == (2449, 90, 25, 50)
    assert study.r1 == pytest.approx(0.231461, abs=1e-6)
    assert study.models["known"] == fw.survey.populations.urn(zeros=25).words


def test_the_fiber_is_told_the_margins_of_single_dims():
    small, model = [[20, 3], [4, 9]], fw.survey.populations.fiber("hypergeometric")
    found = fw.survey.sample_study(small, 0.5, {"fiber": model}, seeds=[1], draws=40)
    alone = fw.survey.sample_risk(
        fw.protect.draw_sample(small, 0.5, exact=["A", "B"], seed=1), model=model, draws=40, seed=1
    )
    assert found.runs.loc[(0.5, "fiber", 1), "r2"] == pytest.approx(alone.r2.mean(), rel=1e-12)


def test_what_it_says_over_samples():
    index = pd.MultiIndex.from_product([[0.1], ["a"], [1, 2]], names=["fraction", "model", "seed"])
    runs = pd.DataFrame(
        {"r1": 0.0, "r2": [0.3, 0.1], "zeros": 0.0, "q2.5": [0.2, 0.05], "q97.5": [0.4, 0.15], "true_r2": [0.2, 0.2],
         "doubt": ["", "NOT CONVERGED"]},
        index=index,
    )  # fmt: skip
    found = fw.survey.SampleStudy(runs, 10, 4, 0, 0.5, 9, {"a": "a"})
    row = found.frame.loc[(0.1, "a")]
    assert row[["true_r2", "r2", "bias", "rms"]].tolist() == pytest.approx([0.2, 0.2, 0.0, 0.1])
    assert row["sd"] == pytest.approx(0.02**0.5)
    assert (row["inside"], row["doubtful"]) == (0.5, 0.5)
    figure = found.plot()
    assert "open dots: NOT CONVERGED" in figure.get_supxlabel()
    assert [len(dots.get_offsets()) for dots in figure.axes[0].collections] == [1, 1]


def test_it_is_kept_and_drawn(study, tmp_path):
    study.save(tmp_path / "study.fw")
    again = fw.load(tmp_path / "study.fw")
    pd.testing.assert_frame_equal(again.runs, study.runs)
    assert repr(again) == repr(study) == "<SampleStudy of 2 fractions, 2 models and 2 samples of 2,449 people>"
    assert (again.models, again.draws) == (study.models, study.draws)
    axes = again.plot(title="Urns").axes
    assert [axis.get_title() for axis in axes] == ["0.1: 245 people", "0.02: 49 people"]
    assert [text.get_text() for text in axes[0].texts] == [f"{one:.0%}" for one in study.frame["inside"][:2]]
    lines = again.plot_errors(title="Errors").axes[0].lines
    assert [line.get_label() for line in lines] == ["urn", "known"]
    assert lines[1].get_ydata()[0] == study.frame.loc[(0.1, "known"), "rms"]


def test_levels_of_zeros_are_those_of_the_populations():
    table = as_table(PEOPLE)
    made = with_zeros(table, 0.2, 0.3, seed=4)
    counts = made.table.values.ravel()
    assert (counts == 0).sum() == 18 + 27
    assert made.shut.sum() == 27
    assert (counts[made.shut] == 0).all()
    assert counts.sum() == 2449
    none = with_zeros(table, 0.0, 0.0, seed=4).table.values
    assert none.min() >= 1
    # without zeros every cell has one person, and the others are multinomial on the model, 0.5 added to every cell
    added = table.values + 0.5
    p = np.outer(added.sum(axis=1), added.sum(axis=0)).ravel() / added.sum() ** 2
    many = np.array([with_zeros(table, 0.0, 0.0, seed=one).table.values.ravel() - 1 for one in range(40)])
    assert stats.chisquare(many.sum(axis=0), 40 * (2449 - 90) * p).pvalue > 1e-6
    assert stats.chisquare(many.sum(axis=0), np.full(90, 40 * (2449 - 90) / 90)).pvalue < 1e-6
    # the less probable a cell, the likelier it is a random zero: about as often as it would be empty by chance
    empty = np.array([with_zeros(table, 0.1, 0.0, seed=one).table.values.ravel() == 0 for one in range(40)])
    rare = np.argsort(p)[:30]
    assert empty[:, rare].mean() > 3 * np.delete(empty, rare, axis=1).mean()


def test_a_study_of_levels_of_zeros():
    models = {"told": "log-linear", "fiber": fw.survey.populations.fiber("hypergeometric")}
    small = [[20, 3, 8], [4, 9, 6], [5, 5, 9]]
    study = fw.survey.sample_study(
        small, [0.5], models, random_zeros=[0, 0.2], structural_zeros=0.3, seeds=[1, 2], draws=40
    )
    assert study.runs.index.names == ["random_zeros", "structural_zeros", "fraction", "model", "seed"]
    assert study.frame.index.names == ["random_zeros", "structural_zeros", "fraction", "model"]
    assert study.runs["true_zeros"].unique().tolist() == [3, 5]
    made = with_zeros(as_table(small), 0.2, 0.3, seed=2)
    release = fw.protect.draw_sample(labelled(made.table.values, made.table.dims), 0.5, seed=2)
    for a, b in np.argwhere(made.shut.reshape(3, 3)):
        release = release.knows({"A": str(a + 1), "B": str(b + 1)}, exactly=0)
    alone = fw.survey.sample_risk(release, model="log-linear", draws=40, seed=2)
    assert study.runs.loc[(0.2, 0.3, 0.5, "told", 2), "r2"] == alone.r2.mean()
    assert alone.zeros.min() >= 3
    not_told = fw.survey.sample_study(
        small, [0.5], ["log-linear"], structural_zeros=0.3, tell_zeros=False, seeds=2, draws=40
    )
    assert not_told.runs["zeros"].min() < 3
    titles = [axis.get_title() for axis in study.plot().axes]
    assert titles == [f"0.5: 35 people\nzeros: {one} random,\n30% structural" for one in ("0%", "20%")]
    labels = [line.get_label() for line in study.plot_errors().axes[0].lines]
    assert labels[-1] == "fiber, 20% random, 30% structural zeros"
    assert "2 models" in study._repr_html_()


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"random_zeros": [0.1, 0.1]}, "sample_study(random_zeros=[0.1, 0.1]): different shares of the cells"),
        ({"structural_zeros": 1.5}, "from 0 to below 1"),
        (
            {"structural_zeros": 0.5, "random_zeros": 0.5},
            "2 structural and 2 random zeros leave 0 of 4 cells for 16 people",
        ),
        ({"fractions": []}, "sample_study(fractions=[]): different shares of the population, at least one."),
        ({"fractions": [0.1, 0.1]}, "different shares of the population"),
        ({"fractions": 1.5}, "a fraction is above 0 and at most 1"),
        ({"models": "urn"}, "sample_study(models='urn'): a list of names such as ['urn', 'shrunk'], or a dict"),
        ({"models": {}}, "sample_study() needs models; none are given."),
        ({"models": ["urns"]}, "there is no model 'urns'; did you mean 'urn'"),
        ({"seeds": [1, 1]}, "the same seed twice"),
        ({"draws": 0}, "draws=0: a whole number of at least 1"),
    ],
)
def test_errors(asked, words):
    with pytest.raises(fw.InputError, match=re.escape(words)):
        fw.survey.sample_study([[5, 3], [2, 6]], **({"fractions": 0.5, "models": ["urn"], "seeds": [1]} | asked))


# --- what is stored for the notebooks is what the code gives --------------------------------------------------------------

NEAR = 0.01
"""Versions of numpy draw some numbers differently; another sample differs by far more."""


def test_the_stored_figures_of_the_papers(capsys):
    bench, stored = _bench("sample_tables"), pd.read_csv(RESULTS / "sample_tables_papers.csv", comment="#")
    printed = stored[["where", "population", "fraction", "model", "measure", "printed"]]
    assert [tuple(row) for row in printed.itertuples(index=False)] == bench.PRINTED
    fresh = bench.reproduce(bench.FIRST + 1, 1000)
    firsts = [f"sample {number + 1}" for number in range(bench.FIRST)]
    here = stored["population"] == bench.REAL  # how many populations are generated depends on the number of samples
    assert fresh.loc[here, firsts].to_numpy() == pytest.approx(stored.loc[here, firsts].to_numpy(), rel=NEAR)
    assert stored["errors"].abs().max() < 3


@pytest.mark.parametrize("name", ["ase15", "dfkpr01", "town"])
def test_stored_studies_of_samples(name):
    """The first sample of every fraction, by the models that need no chains."""
    bench, stored = _bench("sample_tables"), fw.load(RESULTS / f"sample_tables_{name}.fw")
    models = {key: one for key, one in bench.FURTHER[name]["models"].items() if one.name != "fiber"}
    fresh = bench.study(name, 1, stored.draws, models=models)
    rows = stored.runs.loc[fresh.runs.index].drop(columns="doubt").astype(float)
    found = fresh.runs.drop(columns="doubt").to_numpy(float)
    assert rows.to_numpy() == pytest.approx(found, rel=NEAR, abs=1e-3)
    second = [(fraction, model, 2) for fraction, model, _ in fresh.runs.index]
    assert stored.runs.loc[second, "r2"].to_numpy() != pytest.approx(fresh.runs["r2"].to_numpy(), rel=NEAR)
    assert list(stored.models) == list(bench.FURTHER[name]["models"])
    assert set(stored.runs["doubt"]) <= {"", "NOT CONVERGED"}
