"""fw.snooper.table and what else the face says of hidden paths; that the paths are right is for test_hidden_path.py."""

import numpy as np
import pytest
from scipy import stats

import fiberwalk as fw
from fiberwalk.protect.perturbation.theta_prior import as_theta

TABLE = np.array([[3, 5, 1], [4, 2, 6]])
RELEASE = fw.protect.markov_perturb(TABLE, theta=0.2, seed=1)


def same(one, other):
    return one.cells["entropy"].to_numpy() == pytest.approx(other.cells["entropy"].to_numpy())


def test_a_release_is_read_as_published_unless_something_else_is_believed():
    assert same(fw.snooper.table(RELEASE), fw.audit(RELEASE))
    outside = fw.protect.as_protected(RELEASE.published, "markov_perturb", theta=0.2)
    assert same(fw.snooper.table(RELEASE, order="secret"), fw.audit(outside))
    assert same(fw.snooper.table(RELEASE.published, 0.2), fw.audit(outside))
    assert same(fw.snooper.table(RELEASE, theta=0.4), fw.audit(fw.protect.as_protected(
        RELEASE.published, "markov_perturb", theta=0.4, order="given", squares=RELEASE.applied[0].mechanism.squares
    )))  # fmt: skip
    assert not same(fw.snooper.table(RELEASE, theta=0.4), fw.audit(RELEASE))
    believed = fw.snooper.table(RELEASE, theta=0.4).release
    assert len(believed.applied) == len(believed.notes) == 1
    assert "theta = 0.4" in believed.applied[0].words


def test_one_square_of_unknown_theta_is_the_mixture_of_squares():
    published = [[3, 12], [15, 85]]
    prior = {0.05: 0.5, 0.1: 0.3, 0.2: 0.2}
    audit = fw.snooper.table(published, theta=prior)
    likelihood = np.array([fw.snooper.square(published, theta)["likelihood"] for theta in prior])
    joint = likelihood * np.array(list(prior.values()))[:, None]
    joint /= joint.sum()
    assert audit.theta["posterior"].to_numpy() == pytest.approx(joint.sum(axis=1))
    pmf = audit.pmf(A="1", B="1")
    assert pmf.to_numpy() == pytest.approx(joint.sum(axis=0)[pmf.index])
    step = audit.steps.iloc[0]
    assert (step["to"], step["mean"]) == ("A=2, B=2", pytest.approx(3 - (pmf.index * pmf).sum()))


def test_steps_tell_of_theta_although_the_true_table_is_known():
    known = RELEASE
    for cell, value in (({"A": "1", "B": "1"}, 3), ({"A": "1", "B": "2"}, 5)):
        known = known.knows(cell, exactly=value)
    exact = fw.snooper.table(known, theta=[0.02, 0.2, 0.9])
    sampled = fw.snooper.table(known, theta=[0.02, 0.2, 0.9], limit=1)  # nothing can be summed exactly
    assert len(exact.disclosed) == len(exact.cells)
    assert abs(exact.theta["posterior"] - exact.theta["prior"]).max() > 0.1
    assert sampled.theta["mcse"].min() > 0
    assert (abs(sampled.theta["posterior"] - exact.theta["posterior"]) < 6 * sampled.theta["mcse"]).all()


def test_steps_of_squares_that_share_no_cell():
    audit = fw.audit(fw.protect.markov_perturb([[1, 14], [17, 83]], 0.1, seed=1))
    pmf = audit.pmf(A="1", B="1")
    published = int(audit.release.published.values[0, 0])
    step = audit.steps.loc[("1", "1")]
    assert step["p_none"] == pytest.approx(pmf[published])
    assert step["mean"] == pytest.approx(published - (pmf.index * pmf).sum())
    assert step["sd"] == pytest.approx(np.sqrt((pmf * (pmf.index - (pmf.index * pmf).sum()) ** 2).sum()))


def test_whole_tables_are_drawn_from_hidden_paths(tmp_path):
    means = fw.audit(RELEASE).cells["mean"]
    drawn = fw.sample(RELEASE, draws=2000, seed=4)
    for (a, b), mean in means.items():
        values = drawn["table"].sel(A=a, B=b)
        assert abs(float(values.mean()) - mean) < 6 * float(values.std()) / np.sqrt(8000)
    assert drawn.attrs["certificate"] == "connected"
    assert (drawn["table"].sum("A") == TABLE.sum(axis=0)).all()
    wider = fw.sample(fw.publish(TABLE, margins=["A", "B"]), draws=2000, seed=4)  # who does not see the published cells
    assert float(wider["table"].std()) > 1.2 * float(drawn["table"].std())


def test_cells_together():
    cells = [{"A": "1", "B": "1"}, {"A": "2", "B": "3"}]
    exact, drawn = (fw.audit(RELEASE, method=method).joint(cells) for method in ("exact", "chains"))
    for place, cell in enumerate(cells):
        one = exact.groupby(level=place).sum()
        assert one.to_numpy() == pytest.approx(fw.audit(RELEASE).pmf(cell).loc[one.index].to_numpy())
    together = drawn.reindex(exact.index, fill_value=0.0)
    assert drawn.attrs["ess"] > 20_000
    assert (abs(together - exact) < 6 * np.sqrt(exact / drawn.attrs["ess"]) + 1e-3).all()
    assert exact.attrs["certificate"] == "exact"
    assert drawn.attrs["certificate"] == "connected"
    apart = exact.groupby(level=0).sum().to_numpy()[:, None] * exact.groupby(level=1).sum().to_numpy()
    assert abs(exact.unstack(fill_value=0.0).to_numpy() - apart).max() > 0.02  # they are not independent


def test_linked_with_another_table_only_what_stays_is_used():
    other = fw.publish(TABLE, margins=["A"])
    assert RELEASE.likelihood == "exact"
    linked = fw.linked([RELEASE, other])
    assert linked.likelihood == "support only"
    assert "LOWER bound" in linked.applied[0].words
    assert fw.audit(linked).belief.path is None


@pytest.mark.parametrize(
    ("given", "values", "odds"),
    [
        ("0.2, 0.1", [0.1, 0.2], [0.5, 0.5]),
        ({0.3: 1, 0.1: 3, 0.9: 0}, [0.1, 0.3], [0.75, 0.25]),
        ([0.4], [0.4], [1.0]),
    ],
)
def test_what_is_believed_of_theta(given, values, odds):
    found = as_theta(given)
    assert found.values.tolist() == values
    assert found.probabilities.tolist() == pytest.approx(odds)


def test_a_distribution_of_theta_keeps_its_mean_and_spread():
    found = as_theta(stats.beta(4, 16))
    mean = found.values @ found.probabilities
    assert mean == pytest.approx(0.2, abs=1e-3)
    assert (found.values - mean) ** 2 @ found.probabilities == pytest.approx(stats.beta(4, 16).var(), rel=0.02)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fw.snooper.table(TABLE), "say theta=, a number, or what is believed of it"),
        (lambda: fw.snooper.table(RELEASE, order="random"), "order='random': 'given' where the squares are listed"),
        (lambda: fw.snooper.table(RELEASE, squares="all"), "the release knows its squares"),
        (lambda: fw.snooper.table(fw.publish(TABLE, margins=["A"])), "is not the end of a Markov perturbation"),
        (lambda: fw.snooper.table(RELEASE, theta=[0.1, 1.2]), "different values from 0 to 1"),
        (lambda: fw.snooper.table(RELEASE, theta=[0.1, 0.1]), "different values from 0 to 1"),
        (lambda: fw.snooper.table(RELEASE, theta={0.1: -1}), "must be at least 0, and not all 0"),
        (lambda: fw.snooper.table(RELEASE, theta="much"), "theta is a number from 0 to 1; where it is not known"),
        (lambda: fw.snooper.table(RELEASE, theta=stats.norm(5, 0.1)), "no probability between 0 and 1"),
        (
            lambda: fw.protect.markov_perturb(TABLE, [0.1, 0.2]),
            "what an intruder believes of it is for fw.snooper.table",
        ),
        (lambda: fw.audit(RELEASE).theta, "theta of this release is known"),
        (lambda: fw.audit(fw.publish(TABLE, margins=["A", "B"])).steps, "has no steps"),
        (lambda: fw.audit(RELEASE).most_probable_table(), "fiberwalk.sample(release) draws whole tables"),
    ],
)
def test_bad_input_is_refused_in_words(call, words):
    with pytest.raises(fw.InputError) as refused:
        call()
    assert words in str(refused.value)


def test_reports_say_what_was_learnt_of_theta():
    from fiberwalk.report.words import how_known, learnt_of_theta

    believed = fw.snooper.table([[3, 5, 1], [4, 2, 6]], theta=[0.1, 0.4], order="secret")
    after = believed.theta["posterior"]
    mean, spread = after @ after.index, 0.3 * np.sqrt(after.prod())
    assert learnt_of_theta(believed).startswith(
        f"believed to be 0.25 ± 0.15 beforehand, and {mean:.3g} ± {spread:.2g} given what was published"
    )
    said = "\n".join(how_known(believed))
    assert "Hidden steps: units moved within 2 squares of four cells, in an order that is not published" in said
    assert f"Theta: {learnt_of_theta(believed)}." in said
    assert learnt_of_theta(fw.audit(RELEASE)) == ""
