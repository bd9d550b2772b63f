"""Populations behind a sample: every model against the exact law of small ones, and the papers' figures."""

from __future__ import annotations

import importlib.util
import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import digamma
from scipy.stats import dirichlet_multinomial, multinomial
from support.effort import examples
from support.naive.populations import agreement, compositions, drawn, urn_law
from support.places import BENCH
from support.protocol import LEAST_P, chi_square

import fiberwalk as fw
from fiberwalk.posterior.populations import population
from fiberwalk.posterior.populations.polya_urn import NEARLY_ALL, urn_theta
from fiberwalk.posterior.populations.population import Drawing
from fiberwalk.posterior.populations.sample_table import as_sample
from fiberwalk.posterior.populations.shrunk_population import believed_strengths, mean_strength

P = fw.survey.populations
PEOPLE = fw.examples.ase15().table


# --- Polya's urn --------------------------------------------------------------------------------------------------


def test_theta_of_the_paper():
    assert urn_theta(245, 2449 - 245, 25) == pytest.approx(11.040708, abs=1e-6)


@given(st.integers(1, 500), st.integers(1, 3000), st.floats(0.001, 0.98))
@examples(60)
def test_theta_solves_the_sum_of_the_paper(n, outside, share):
    new = share * outside
    theta = urn_theta(n, outside, new)
    assert sum(theta / (n + theta + z - 1) for z in range(1, outside + 1)) == pytest.approx(new, rel=1e-9)
    assert urn_theta(n, outside, 0) == urn_theta(n, 0, 3) == urn_theta(n, outside, -2.5) == 0


@pytest.mark.parametrize(
    ("sample", "outside", "theta"),
    [([2, 1, 0, 0], 4, 1.5), ([3, 0], 5, 2.0), ([1, 0, 0], 5, 40.0), ([2, 1, 0], 4, 0.0)],
)
def test_urns_follow_the_law_of_the_urn(sample, outside, theta):
    law = urn_law(sample, outside, theta)
    tables = drawn(sample, sum(sample) + outside, P.urn(black_balls=theta))
    assert agreement(tables, law) > LEAST_P
    if theta:
        other = urn_law(sample, outside, theta / 4)
        assert agreement(tables, other) < LEAST_P, "the test could not tell another theta"


def test_no_more_new_colours_than_empty_cells():
    tables = drawn([5, 0, 0], 60, P.urn(black_balls=1000.0), draws=500)
    assert (tables > 0).all()
    assert (tables.sum(axis=1) == 60).all()
    assert drawn([5, 3], 60, P.urn(), draws=50).min() >= 3  # no empty cell at all


def test_the_urn_of_a_whole_country():
    """The births of new colours do not depend on how many people there are: as many as the paper's sum says."""
    zeros = fw.survey.sample_risk([50, 30, *[0] * 60], 10**9, P.urn(black_balls=2.0), draws=4000).zeros
    expected = 60 - 2.0 * (digamma(10**9 + 2.0) - digamma(82.0))
    assert zeros.mean() == pytest.approx(expected, abs=5 * zeros.std() / math.sqrt(4000))


def test_the_urn_has_as_many_zeros_as_it_is_told():
    release = fw.protect.draw_sample(PEOPLE, 0.1, seed=5)
    zeros = fw.survey.sample_risk(release.published, 2449, P.urn(zeros=25), draws=4000).zeros
    assert zeros.mean() == pytest.approx(25, abs=5 * zeros.std() / math.sqrt(4000))


def test_estimated_zeros_are_those_of_the_log_linear_model():
    sample = fw.protect.draw_sample(PEOPLE, 0.1, seed=5).published.values
    n, empty = sample.sum(), (sample == 0).sum()
    p = np.outer(sample.sum(axis=1), sample.sum(axis=0)) / n**2
    theta = fw.survey.sample_risk(sample, 2449, "urn", draws=1).facts["theta"]
    expected = empty - ((1 - p) ** 2449).sum()
    assert theta * (digamma(2449 + theta) - digamma(n + theta)) == pytest.approx(expected)


def test_the_urn_of_a_sample_that_misses_few():
    # More cells are expected to be opened than people are left: theta stays finite.
    sample = np.array([[4, 0, 1], [0, 3, 0], [1, 0, 2]])
    facts = fw.survey.sample_risk(sample, 12, "urn", draws=5).facts
    assert facts["theta"] == pytest.approx(urn_theta(11, 1, NEARLY_ALL))


# --- probabilities of a model ------------------------------------------------------------------------------------------


def test_log_linear_populations_are_multinomial():
    sample = np.array([[2, 1], [0, 3]])
    p = np.outer(sample.sum(axis=1), sample.sum(axis=0)).ravel() / 36
    law = {tuple(sample.ravel() + x): multinomial(3, p).pmf(x) for x in compositions(3, 4)}
    tables = drawn(sample, 9)
    assert agreement(tables, law) > LEAST_P
    even = {tuple(sample.ravel() + x): multinomial(3, [0.25] * 4).pmf(x) for x in compositions(3, 4)}
    assert agreement(tables, even) < LEAST_P


def test_any_log_linear_model_of_any_dims():
    sample = np.random.default_rng(2).poisson(2.0, (2, 3, 2))
    tables = drawn(sample, 40_000, P.log_linear(["A,B", "B,C"]), draws=400)
    expected = fw.laws.log_linear(sample, ["A,B", "B,C"]).values.ravel()
    shares = (tables - sample.ravel()).mean(axis=0) / (40_000 - sample.sum())
    assert shares == pytest.approx(expected / expected.sum(), abs=5e-4)


@pytest.mark.parametrize("strength", [0.5, 6.0])
def test_shrunk_populations_are_dirichlet_multinomial(strength):
    sample = np.array([[2, 1], [0, 3]])
    p = np.outer(sample.sum(axis=1), sample.sum(axis=0)).ravel() / 36
    alpha = sample.ravel() + strength * p
    law = {tuple(sample.ravel() + x): float(dirichlet_multinomial(alpha, 4).pmf(x)) for x in compositions(4, 4)}
    tables = drawn(sample, 10, P.shrunk(strength=strength, add=0))
    assert agreement(tables, law) > LEAST_P
    assert agreement(drawn(sample, 10), law) < LEAST_P  # the log-linear model itself is another law


def test_the_strength_that_a_sample_suggests():
    model, counts = np.array([0.5, 0.3, 0.2, 0.0]), np.array([9, 1, 2, 0])
    strengths, weights = believed_strengths(model, counts)
    likelihood = np.array([dirichlet_multinomial(s * model[:3], 12).pmf(counts[:3]) for s in strengths])
    share = strengths / (strengths + 12)
    naive = likelihood * share * (1 - share)  # uniform in the share, in steps of log s
    assert weights == pytest.approx(naive / naive.sum(), abs=1e-12)
    near, far = np.array([50, 30, 20]), np.array([90, 5, 5])
    mean = [mean_strength(*believed_strengths(model[:3], one), 100) for one in (near, far)]
    assert mean[0] > 5 * mean[1], "a sample that fits the model makes it count for more"


def test_a_large_sample_can_tell_that_a_model_counts_for_little():
    model = np.random.default_rng(1).dirichlet(np.full(60, 2.0))
    counts = np.random.default_rng(2).multinomial(10**6, np.random.default_rng(3).dirichlet(5 * model))
    strengths, weights = believed_strengths(model, counts)
    grid = np.exp(np.linspace(-2, 4, 601))  # n is so large that the uniform share is as good as a flat s
    logs = np.array([dirichlet_multinomial(s * model, 10**6).logpmf(counts) for s in grid]) + np.log(grid)
    naive = np.exp(logs - logs.max())
    assert mean_strength(strengths, weights, 10**6) == pytest.approx(grid @ naive / naive.sum(), rel=1e-3)
    assert mean_strength(np.array([1e300]), np.ones(1), 7) == pytest.approx(1e300)


def test_a_small_sample_does_not_rule_out_what_it_missed():
    sample = np.array([[3, 0, 1], [2, 0, 0]])
    with_one = fw.survey.draw_populations(sample, 50, P.shrunk(), draws=200)
    assert with_one.equals(
        fw.survey.draw_populations(sample, 50, P.shrunk(add=0.5), draws=200)
    )  # 3 categories among 6 cells
    assert (with_one["table"].sel(B="2").sum("A") > 0).mean() > 0.3
    assert (drawn(sample, 50, P.shrunk(add=0), draws=200).reshape(-1, 2, 3)[:, :, 1] == 0).all()


def test_tiny_strengths_of_single_cells_do_no_harm():
    assert (drawn([1, 0, 0], 50, P.shrunk(strength=1e-300), draws=200).sum(axis=1) == 50).all()


# --- the fiber -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("law", ["hypergeometric", "uniform", "expected"])
def test_the_fiber_follows_what_an_audit_says(law):
    table = np.array([[3, 1, 2], [2, 4, 1]])
    release = fw.protect.draw_sample(table, size=5, seed=2, exact=["A", "B"])
    law = fw.laws.expected([[4, 1, 1], [1, 4, 2]]) if law == "expected" else law
    audit = fw.audit(release, law=law, method="exact")
    tables = drawn(release, model=P.fiber(law), draws=8000).reshape(-1, 2, 3)
    assert (tables >= release.published.values).all()
    assert (tables.sum(axis=1) == table.sum(axis=0)).all()
    for a, b in np.ndindex(2, 3):
        pmf = audit.pmf(A=str(a + 1), B=str(b + 1))
        counts = np.array([(tables[:, a, b] == value).sum() for value in pmf.index], dtype=float)
        # chains thin themselves until draws count almost whole, but not quite
        assert chi_square(counts / 2, pmf.to_numpy()) > LEAST_P
    if isinstance(law, str):
        other = fw.audit(release, law="uniform" if law == "hypergeometric" else "hypergeometric", method="exact")
        far = max(np.abs(other.pmf(A="1", B=b) - audit.pmf(A="1", B=b)).max() for b in "123")
        assert far > 0.05


def test_the_shrunk_fiber_is_the_dirichlet_law_given_the_margins():
    table = np.array([[3, 1], [2, 4]])
    release = fw.protect.draw_sample(table, size=4, seed=2, exact=["A", "B"])
    sample = release.published.values.ravel()
    model = np.outer(table.sum(axis=1), table.sum(axis=0)).ravel() / 100
    strengths, weights = believed_strengths(model, sample)
    wholes = [np.array([x, 4 - x, 5 - x, 1 + x]) for x in range(5)]
    wholes = [one for one in wholes if (one >= sample).all()]

    def law(strength):
        p = np.array([float(dirichlet_multinomial(sample + strength * model, 6).pmf(one - sample)) for one in wholes])
        return p / p.sum()

    below = np.cumsum(weights)
    quarters = [strengths[np.flatnonzero(below > middle)[0]] for middle in (1 / 8, 3 / 8, 5 / 8, 7 / 8)]
    keys = [tuple(one.tolist()) for one in wholes]
    assert len(keys) > 2
    tables = drawn(release, model=P.fiber("shrunk"), draws=6000)
    mixed = np.mean([law(one) for one in quarters], axis=0)
    assert agreement(tables, dict(zip(keys, mixed, strict=True))) > LEAST_P
    assert agreement(tables, dict(zip(keys, law(1e6), strict=True))) < LEAST_P  # the model itself


def test_an_outsider_has_the_same_fiber():
    release = fw.protect.draw_sample(PEOPLE, 0.1, seed=1, exact=["area", "religion"])
    seen = fw.protect.as_protected(
        release.published, "draw_sample", exact=[PEOPLE.sum("religion"), PEOPLE.sum("area")]
    )  # fmt: skip
    ours, theirs = (fw.survey.sample_risk(one, model=P.fiber("hypergeometric"), draws=400) for one in (release, seen))
    assert (ours.r2 == theirs.r2).all()
    assert ours.truth["r1"] == pytest.approx(0.231461, abs=1e-6)
    assert theirs.truth is None
    assert ours.facts["certificate"] == "connected"


# --- the answer ------------------------------------------------------------------------------------------------------


def test_the_risk_of_a_sample_is_r1_and_r2_over_populations():
    release = fw.protect.draw_sample(PEOPLE, 0.05, seed=4)
    sample = release.published
    risk = fw.survey.sample_risk(sample, 2449, "log-linear", draws=60, seed=7)
    tables = drawn(sample, 2449, draws=60, seed=7)
    assert risk.r1 == pytest.approx(fw.risk.r1(tables, stacked=True))
    assert risk.r2 == pytest.approx(fw.risk.r2(tables, sample.values.ravel(), stacked=True))
    assert risk.zeros.tolist() == (tables == 0).sum(axis=1).tolist()
    assert fw.survey.sample_risk(sample, 2449, "log-linear", draws=60, seed=7, weights="l2").r2 == pytest.approx(
        fw.risk.r2(tables, sample.values.ravel(), "l2", stacked=True)
    )


def test_the_true_population_is_matched_by_its_labels():
    people = PEOPLE.isel(area=[0, 1], religion=[0, 8])
    sample, size = people // 2, int(people.sum())
    frame = people.to_series().rename("people").reset_index()
    for form in (people, people.transpose(), people.isel(area=[1, 0]), fw.publish(people, margins=["area"]), frame):
        found = fw.survey.sample_risk(
            sample.to_series().rename("people").reset_index(), size, draws=1, population=form, count="people"
        )
        assert found.truth["r2"] == pytest.approx(fw.risk.r2(people, sample))


def test_a_sample_of_everybody():
    risk = fw.survey.sample_risk(PEOPLE, 2449, draws=3)
    assert risk.r2 == pytest.approx(risk.r1)
    assert risk.r1 == pytest.approx([fw.risk.r1(PEOPLE)] * 3)


def test_summary_draws_and_file(tmp_path):
    risk = fw.survey.sample_risk(fw.protect.draw_sample(PEOPLE, 0.1, seed=1), model="shrunk", draws=300)
    row = risk.summary.loc["r2"]
    assert row["mcse"] == pytest.approx(risk.r2.std(ddof=1) / math.sqrt(300))
    assert row["q2.5"] < row["median"] < row["q97.5"]
    assert row["truth"] == pytest.approx(fw.risk.r2(PEOPLE, fw.protect.draw_sample(PEOPLE, 0.1, seed=1).published))
    assert dict(risk.to_arviz().sizes) == {"chain": 1, "draw": 300}
    risk.save(tmp_path / "risk.fw")
    again = fw.load(tmp_path / "risk.fw")
    assert again.summary.equals(risk.summary)
    assert repr(again) == repr(risk)
    assert "of 2,449 people, shrunk: R2 0." in repr(risk)
    texts = [text.get_text() for axis in risk.plot().axes for text in axis.get_legend().get_texts()]
    assert any("true population" in text for text in texts)


def test_many_portions_do_not_depend_on_threads(monkeypatch):
    monkeypatch.setattr(population, "PORTION", 90)  # one table at a time
    sample, lines = as_sample(fw.protect.draw_sample(PEOPLE, 0.1, seed=1).published, 2449), []
    by_many = P.shrunk().given(sample).each(lambda tables: tables, Drawing(20, 3, progress=lines.append))
    monkeypatch.setattr(population.os, "cpu_count", lambda: 1)
    by_one = P.shrunk().given(sample).each(lambda tables: tables, Drawing(20, 3))
    assert (by_many.values == by_one.values).all()
    assert lines[-1] == "20 of 20 populations"


def test_the_papers_means_in_small(capsys):
    path = BENCH / "studies" / "sample_tables.py"
    spec = importlib.util.spec_from_file_location("sample_tables", path)
    bench = importlib.util.module_from_spec(spec)
    sys.modules["sample_tables"] = bench  # dataclasses look their module up
    spec.loader.exec_module(bench)
    wanted = [one for one in bench.PRINTED if one[2] == 0.1 or (one[2] == 0.01 and one[3] == bench.TRUE)]
    assert len(wanted) == 13
    assert bench.reproduce(40, 50, wanted)["errors"].abs().max() < 3.5
    assert "errors" in capsys.readouterr().out
    # the test could tell another model from the one that is printed
    others = [("Table 2", bench.REAL, 0.01, bench.URN, "r2", 0.1881)]
    assert bench.reproduce(40, 50, others)["errors"].abs().max() > 3.5


# --- what is wrong ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fw.survey.sample_risk([[1, 2]]), "how large is the population that these 3 people were drawn from"),
        (lambda: fw.survey.sample_risk([[1, 2]], 2), "the sample has 3 people, and cannot be larger than its population"),
        (lambda: fw.survey.sample_risk([[1, 2]], 3.5), "people=3.5: the size of the population is a whole number"),
        (lambda: fw.survey.sample_risk([[1, 2]], 10**20), "a population has at most 1,000,000,000,000,000 people here"),
        (lambda: fw.survey.sample_risk([[0, 0]], 5), "the sample is empty"),
        (lambda: fw.survey.sample_risk([[1, 2]], 9, "loglinear"), "no model 'loglinear'; did you mean 'log-linear'"),
        (lambda: fw.survey.sample_risk([[1, 2]], 9, 3), "model= is one of 'log-linear'"),
        (lambda: fw.survey.sample_risk([[1, 2]], 9, "fiber"), "which margins of the population are published"),
        (lambda: fw.survey.sample_risk([[1, 2]], 9, weights=(0.5, 0.6, 0.1)), "weights sum to 1"),
        (lambda: fw.survey.draw_populations([1] * 10**5, 10**6, draws=10**5), "100,000 populations of 100,000 cells are"),
        (lambda: fw.survey.sample_risk([[1, 2]], 9, draws=0), "draws=0: a whole number of at least 1"),
        (lambda: fw.survey.sample_risk([[1, 2]], 9, seed=-1), "seed=-1"),
        (lambda: fw.survey.sample_risk([[1, 2]], 9, population=[[4, 5, 0]]), "population= are not the same table"),
        (lambda: fw.survey.sample_risk([[1, 2]], 9, population=[[4, 4]]), "population= has 8 people, and people= says 9"),
        (lambda: fw.survey.sample_risk([[1, 2]], 9, population=[[9, 0]]), "more people than that of the population"),
        (lambda: fw.survey.sample_risk([[1, 0]], 9, P.urn(zeros=2)), "only 1 cells of the sample are empty"),
        (lambda: fw.survey.sample_risk([[5, 0, 0]], 6, P.urn(zeros=0)), "only 1 people are outside the sample"),
        (lambda: P.urn(zeros=1, black_balls=2.0), "give one of them"),
        (lambda: P.urn(zeros=-1), "zeros=-1"),
        (lambda: P.shrunk(strength=0), "must count for something"),
        (lambda: P.log_linear("A,B"), "a list such as"),
        (lambda: P.log_linear([]), "at least one margin"),
        (lambda: P.fiber("flat"), "there is no law 'flat'"),
        (lambda: fw.survey.sample_risk(fw.publish([[1, 2]], ["A"])), "made by fw.protect.draw_sample"),
        (lambda: fw.survey.sample_risk(fw.protect.draw_sample([[3, 4]], 0.5, seed=1), 8), "that the population is of 7"),
    ],
)  # fmt: skip
def test_wrong_input_is_refused_in_words(call, words):
    with pytest.raises((fw.InputError, fw.TooLarge)) as problem:
        call()
    assert words in str(problem.value)
