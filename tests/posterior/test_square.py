"""The Bayesian snooper of one square: against a plain sum, an audit of the same square, and what is really published."""

from __future__ import annotations

from math import comb

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare
from support.effort import examples

import fiberwalk as fw
from fiberwalk.fiber.laws.cell_priors.frequencies import frequencies_of
from fiberwalk.protect.perturbation.markov_perturbation import largest_theta

square = fw.snooper.square
PAPER = [[3, 12], [15, 85]]
CORNER = {"A": "1", "B": "1"}


def plain_likelihood(published: np.ndarray, theta: float) -> dict[int, float]:
    """P(published | w) as the paper writes it: over all pairs of stayers and movers."""
    (a, b), (c, d) = published.tolist()
    top, left = sorted((a + b, a + c))  # read so that the left column is not smaller than the top row
    low, high = max(0, top + left - a - b - c - d), top
    found = {}
    for w in range(low, high + 1):
        f = 0.0 if w == high else min(1.0, w * theta / (left - w))
        found[w] = sum(
            comb(w - low, x) * (1 - theta) ** x * theta ** (w - low - x)
            * comb(high - w, y) * f**y * (1 - f) ** (high - w - y)
            for x in range(w - low + 1)
            for y in range(high - w + 1)
            if low + x + y == a
        )  # fmt: skip
    return found


squares = st.lists(st.integers(0, 9), min_size=4, max_size=4).map(lambda cells: np.array(cells).reshape(2, 2))


@examples(100)
@given(squares, st.floats(0, 1), st.integers(0, 2**32 - 1))
def test_square_is_bayes_theorem_over_stayers_and_movers(published, share, seed):
    theta = share * largest_theta(int(published[0].sum()), int(published[:, 0].sum()), int(published.sum()))
    wanted = plain_likelihood(published, theta)
    prior = np.random.default_rng(seed).random(len(wanted))
    if not any(wanted.values()):
        with pytest.raises(fw.InputError, match="no step within the square of this corner ends there"):
            square(published, theta)
        return
    found = square(published, theta, prior)
    assert found.index.tolist() == list(wanted)
    assert found.index.name == "w"
    assert found.columns.tolist() == ["likelihood", "prior", "posterior"]
    assert found["likelihood"].to_numpy() == pytest.approx(list(wanted.values()), rel=1e-9, abs=1e-300)
    assert found["prior"].to_numpy() == pytest.approx(prior / prior.sum())
    joint = prior * np.array(list(wanted.values()))
    assert found["posterior"].to_numpy() == pytest.approx(joint / joint.sum())


@pytest.mark.parametrize("published", [[[6, 3], [4, 1]], [[3, 9], [2, 8]], [[2, 1], [9, 4]]])
@pytest.mark.parametrize("law", [None, "hypergeometric", fw.laws.prior(everywhere=fw.laws.unimodal())])
def test_an_audit_of_the_same_square_says_the_same(published, law):
    """The first has units that cannot leave (lo = 2), the second is read transposed; capped beyond the paper's range."""
    release = fw.protect.as_protected(published, "markov_perturb", theta=0.6)
    alone = square(published, 0.6, law, capped=True)["posterior"]
    pmf = fw.audit(release, "uniform" if law is None else law).pmf(**CORNER)
    assert pmf.to_numpy() == pytest.approx(alone.loc[pmf.index].to_numpy())
    assert alone.drop(pmf.index).sum() == pytest.approx(0, abs=1e-12)
    assert square(release, prior=law).equals(square(published, 0.6, law, capped=True))


def test_steps_are_as_frequent_as_the_likelihood_says():
    """Over many layers with the same truth, a square each; the likelihood of its neighbour is the negative control."""
    layers = np.repeat(np.array([[3, 4], [6, 7]])[:, :, None], 1500, axis=2)
    seen = fw.protect.markov_perturb(layers, 0.4, dims="A,B", seed=1).published.values[0, 0]
    times = pd.Series(seen).value_counts().reindex(range(8), fill_value=0).to_numpy()
    likelihoods = [square([[m, 7 - m], [9 - m, 4 + m]], 0.4, capped=True)["likelihood"] for m in range(8)]

    def p_value(w: int) -> float:
        law = np.array([one.loc[w] for one in likelihoods])
        assert law.sum() == pytest.approx(1)
        rare = law * len(seen) < 5
        counts, wanted = np.append(times[~rare], times[rare].sum()), np.append(law[~rare], law[rare].sum())
        return float(chisquare(counts[wanted > 0], len(seen) * wanted[wanted > 0]).pvalue)

    assert p_value(3) > 1e-6
    assert p_value(4) < 1e-6


def test_a_prior_may_have_any_form():
    given = {w: 1.0 + w for w in range(16)}
    wanted = square(PAPER, 0.1, given)
    assert wanted["prior"].sum() == pytest.approx(1)
    assert wanted["prior"].loc[9] == pytest.approx(10 / 136)
    scaled = pd.Series({**given, 99: 5.0}) * 3  # impossible values do not count, nor does the scale
    at_corner = fw.laws.prior([(CORNER, given)])
    for prior in (scaled, list(given.values()), np.array(list(given.values())), lambda w: 1.0 + w, at_corner):
        pd.testing.assert_frame_equal(square(PAPER, 0.1, prior), wanted)
    reference = np.repeat(list(given), [int(p) for p in given.values()])
    pd.testing.assert_frame_equal(square(PAPER, 0.1, frequencies_of(reference)), wanted)
    flat = square(PAPER, 0.1)
    pd.testing.assert_frame_equal(square(PAPER, 0.1, fw.laws.beta_binomial(a=1, b=1)), flat)
    pd.testing.assert_frame_equal(square(PAPER, 0.1, fw.laws.beta_binomial(15, 1, 1)), flat)
    assert square(PAPER, 0.1, fw.laws.unimodal())["prior"].idxmax() in (7, 8)
    others = fw.laws.prior(
        [({"A": "1", "B": "2"}, {14: 1, 13: 3})]
    )  # the other cells follow from w: 15 - 14 = 1, 15 - 13 = 2
    assert square(PAPER, 0.1, others)["prior"].loc[1:2].tolist() == pytest.approx([0.25, 0.75])


def test_a_square_may_have_any_form_of_a_table():
    wanted = square(PAPER, 0.1)
    frame = pd.DataFrame(PAPER, index=pd.Index(["m", "f"], name="sex"), columns=pd.Index(["y", "n"], name="ill"))
    long = frame.reset_index().melt("sex", value_name="count")
    for form in (np.array(PAPER), frame, long, xr.DataArray(PAPER, dims=["A", "B"])):
        pd.testing.assert_frame_equal(square(form, 0.1), wanted)


def test_a_release_with_one_square_says_theta_itself():
    table = [[1, 14, 4], [17, 83, 2]]
    release = fw.protect.markov_perturb(table, 0.2, squares=[(CORNER, {"A": "2", "B": "2"})], seed=4)
    published = release.published.values[:, :2]
    pd.testing.assert_frame_equal(square(release), square(published, 0.2))
    pd.testing.assert_frame_equal(square(release, 0.2, fw.laws.unimodal()), square(published, 0.2, fw.laws.unimodal()))


def test_the_largest_theta_is_said_and_taken():
    assert square(PAPER, 0.2857).shape == (16, 3)
    assert square(PAPER, 2 / 7).shape == (16, 3)
    with pytest.raises(fw.InputError, match="from 0 to 0.2857;"):
        square(PAPER, 0.2858)
    with pytest.raises(fw.InputError, match="from 0 to 0.6666;"):  # 2/3, rounded down so that it can be typed
        square([[4, 0], [1, 9]], 0.6667)
    assert square([[4, 0], [1, 9]], 0.6666).index.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: square([[1, 2, 3], [4, 5, 6]], 0.1), "a table of 2 x 2 cells, and this one is 2 x 3"),
        (lambda: square([[1, -2], [4, 5]], 0.1), "cell A=1, B=2: -2 is negative"),
        (lambda: square([[1, 2.5], [4, 5]], 0.1), "cell A=1, B=2: 2.5 is not a whole number"),
        (lambda: square(PAPER), "square() needs theta=, a number that says how likely a person is to leave the cell."),
        (lambda: square(PAPER, "much"), "how likely a person is to leave the cell; it is 'much'."),
        (lambda: square(PAPER, np.nan), "it is nan"),
        (
            lambda: square(PAPER, 0.3),
            "theta=0.3 is too large for the square with the corner A=1, B=1: there it may be from 0 to 0.2857; choose it "
            "smaller, or let capped=True",
        ),
        (lambda: square(PAPER, -0.1), "theta=-0.1 is too small for the square with the corner A=1, B=1: there it may be "),
        (lambda: square(PAPER, 1.5, capped=True), "theta=1.5: the probability of moving out, from 0"),
        (lambda: square(PAPER, 0.1, {20: 1}), "the prior on A=1, B=1 gives no probability to what the published figures "
         "leave possible: 0 to 15."),
        (lambda: square(PAPER, 0.1, [0.5, 0.5]), "the prior on A=1, B=1 has 2 probabilities, and the cell 16 possible "
         "values, 0 to 15."),
        (lambda: square(PAPER, 0.1, 0.5), "must be a dict of value -> probability, a function of the value"),
        (lambda: square(PAPER, 0.1, lambda w: -w), "gives -1 for 1; a probability is"),
        (lambda: square(PAPER, 0, {1: 0.5, 2: 0.5}), "A=1, B=1, published as 3: with theta=0 it was 3, and the prior "
         "allows only from 1 to 2."),
        (lambda: square(PAPER, 0.1, {0: 1}), "with theta=0.1 it was from 1 to 15, and the prior allows only 0."),
        (lambda: square([[5, 0], [1, 20]], 1, capped=True), "published as 5: with theta=1 no step within the square"),
        (
            lambda: square(PAPER, 0.1, fw.laws.prior([(CORNER, {1: 1}), ({"A": "1", "B": "2"}, {3: 1})])),
            "together they leave A=1, B=1 none of its values 0 to 15.",
        ),
        (lambda: square(fw.publish(PAPER, ["A"]), 0.1), "this release is not Markov-perturbed"),
        (lambda: square(fw.protect.markov_perturb([[1, 2, 3], [4, 5, 6]], 0.1, seed=1)), "this release has 2 squares"),
        (lambda: square(fw.protect.markov_perturb(PAPER, 0.1, seed=1), 0.2), "theta=0.2: the release says that it is 0.1"),
        (
            lambda: square(fw.protect.markov_perturb(PAPER, 0.1, seed=1).knows(CORNER, at_least=1)),
            "audit() answers for what is known besides",
        ),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_words(call, words):
    with pytest.raises(fw.InputError) as refused:
        call()
    assert words in str(refused.value)
