"""fiberwalk sample-risk in a terminal."""

from __future__ import annotations

import pandas as pd
import pytest
from click.testing import CliRunner

import fiberwalk as fw
from fiberwalk.commands import sample_risk
from fiberwalk.commands.main import main
from fiberwalk.posterior.populations.models import MODELS

PEOPLE = fw.examples.ase15().table
RELEASE = fw.protect.draw_sample(PEOPLE, 0.1, seed=3, exact=["area", "religion"])


@pytest.fixture
def sample(tmp_path):
    path = tmp_path / "sample.csv"
    RELEASE.published.to_series().rename("count").reset_index().to_csv(path, index=False)
    return path


def run(*arguments):
    return CliRunner().invoke(main, ["sample-risk", *map(str, arguments)])


def test_it_names_all_models():
    assert tuple(MODELS) == sample_risk.MODELS


def test_the_risk_of_a_sample_is_told(sample, tmp_path):
    picture, saved = tmp_path / "risk.png", tmp_path / "risk.fw"
    done = run(sample, "--people", 2449, "--model", "urn", "--zeros", 25, "--plot", picture, "--save", saved)
    expected = fw.survey.sample_risk(RELEASE.published, 2449, fw.survey.populations.urn(zeros=25))
    assert done.exit_code == 0
    assert f"R2 of this sample table is {expected.r2.mean():.3f} on average over 1,000 populations" in done.stdout
    assert f"theta is {expected.facts['theta']:.4g}." in done.stdout
    assert "rhat" not in done.stdout  # these are no chains
    assert picture.stat().st_size > 10_000
    assert (fw.load(saved).r2 == expected.r2).all()
    failing = run(sample, "--people", 2449, "--draws", 50, "--fail-above", 0.1)
    assert failing.exit_code == 1
    assert "R2 is above 0.1" in failing.stderr


def test_totals_of_the_population_are_used(tmp_path):
    people = PEOPLE.isel(area=slice(0, 3))
    release = fw.protect.draw_sample(people, 0.1, seed=3, exact=["area", "religion"])
    totals = [people.sum("religion"), people.sum("area")]
    rows = [one.to_series().rename("count").reset_index() for one in (release.published, *totals)]
    path = tmp_path / "with_totals.csv"
    pd.concat(rows).fillna("Total").to_csv(path, index=False)
    done = run(path, "--draws", 60)
    assert done.exit_code == 0
    same = fw.survey.sample_risk(fw.protect.as_protected(release.published, "draw_sample", exact=totals), draws=60)
    assert f"is {same.r2.mean():.3f} on average" in done.stdout
    # The release that was drawn has weights that differ by rounding (2e-13), so its chains learn otherwise: the same law.
    expected = fw.survey.sample_risk(release, draws=60).r2
    assert same.r2.mean() == pytest.approx(expected.mean(), abs=6.0 * expected.std() / 10.0)
    assert "Model fiber" in done.stdout
    assert "rhat" in done.stdout


def test_strata_have_their_sizes(tmp_path):
    people = PEOPLE.isel(area=[0, 1])
    sample, sizes = (people // 10).clip(min=1), {one: int(people.sel(area=one).sum()) for one in people["area"].values}
    path = tmp_path / "sample.csv"
    sample.to_series().rename("count").reset_index().to_csv(path, index=False)
    asked = [text for one, size in sizes.items() for text in ("--people", f"{one}={size}")]
    done = run(path, "--strata", "area", *asked, "--model", "log-linear", "--draws", 50)
    assert done.exit_code == 0, done.stderr
    expected = fw.survey.sample_risk(sample, {"area": sizes}, "log-linear", draws=50)
    assert f"is {expected.r2.mean():.3f} on average over 50 populations" in done.stdout
    assert f"{int(sample.sum()):,} of {int(people.sum()):,} people" in done.stdout


def test_sampling_weights_are_a_column(tmp_path):
    people = pd.DataFrame(
        {"area": ["N", "N", "S", "S", "S"], "sex": ["f", "m", "f", "m", "m"], "w": [4, 5, 6.5, 3, 2], "id": 1}
    )
    path = tmp_path / "people.csv"
    people.to_csv(path, index=False)
    done = run(path, "--dims", "area,sex", "--sampling-weights", "w", "--draws", 50)
    assert done.exit_code == 0, done.stderr
    expected = fw.survey.sample_risk(people.drop(columns="id"), sampling_weights="w", draws=50)
    assert "5 of 21 people. Model shrunk" in done.stdout
    assert f"is {expected.r2.mean():.3f} on average" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--people", "many"], "--people many: write it as a whole number of at least 1."),
        (["--people", "1=3"], "--people 1=3: write it as LABEL=N with --strata DIM."),
        (["--people", "3", "--people", "4"], "--people: the population has one size; strata have one each (--strata)."),
        (["--strata", "area"], "--strata area needs the size of each stratum: --people LABEL=N, for every label."),
        (["--strata", "area", "--people", "2449"], "--people 2449: write it as LABEL=N with --strata DIM."),
        (
            ["--strata", "area", "--people", "1=2449"],
            "gives every category of the dim the size of its stratum; '2' has none.",
        ),
        (["--sampling-weights", "w"], "there is no column 'w'"),
        (["--sampling-weights", "count", "--model", "fiber"], "--model fiber needs totals of the population"),
    ],
)
def test_wrong_designs_are_one_sentence(sample, arguments, words):
    done = run(sample, *arguments)
    assert done.exit_code == 2
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "how large is the population? Give --people, or its totals as rows of the file."),
        (("--people", 12), "the sample has 245 people, and cannot be larger than its population"),
        (("--people", 2449, "--zeros", 3), "--zeros goes with --model urn."),
        (
            ("--people", 2449, "--model", "fiber", "--margin", "area"),
            "--margin goes with --model log-linear, urn or shrunk.",
        ),
        (("--people", 2449, "--model", "fiber"), "--model fiber needs totals of the population, as rows of FILE"),
        (("--people", 2449, "--weights", "0.5,0.5,0.5"), "weights sum to 1; these sum to 1.5"),
        (("--people", 2449, "--rule", "< 3"), "--rule says nothing about a sample."),
        (("--people", 2449, "--plot", "risk.doc"), "a picture is .png, .svg or .pdf"),
    ],
)
def test_wrong_input_is_one_sentence(sample, arguments, words):
    done = run(sample, *arguments)
    assert done.exit_code == 2
    assert words in done.stderr
    assert "Traceback" not in done.output
