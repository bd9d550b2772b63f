"""Every model of the population keeps to what is known of it: laws under facts, against enumeration of all populations."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import dirichlet_multinomial, multinomial
from support.effort import examples
from support.naive.populations import agreement, compositions, drawn, urn_law
from support.protocol import LEAST_P

import fiberwalk as fw
from fiberwalk.posterior.populations.population import Independent
from fiberwalk.posterior.populations.sample_table import as_sample

P = fw.survey.populations
SAMPLE = np.array([[2, 1, 0], [0, 1, 1]])
SIZE = 10
OUTSIDE = SIZE - int(SAMPLE.sum())


def released(sample=SAMPLE, size=SIZE):
    """A sample as an outsider has it, with the size of its population."""
    return fw.protect.as_protected(sample, "draw_sample", exact=[size])


def no_people_left():
    """Margins that are known to be six in all, of ten people."""
    return released().knows({"A": "1"}, exactly=3).knows({"A": "2"}, exactly=3)


def sampled_people():
    return fw.protect.draw_sample(fw.examples.ase15().table, 0.1, seed=1, exact=["area"])


def quasi_independent(sample, shut):
    """The probabilities of independence without some cells, by plain proportional fitting."""
    found = (~shut).astype(float)
    for _ in range(20_000):
        for axis in (0, 1):
            now, target = found.sum(axis=axis, keepdims=True), sample.sum(axis=axis, keepdims=True)
            found = found * np.divide(target, now, out=np.zeros_like(now), where=now > 0)
    return found / found.sum()


def conditioned(law, holds):
    """A law given that something holds of the population."""
    kept = {key: p for key, p in law.items() if p > 0 and holds(np.array(key).reshape(SAMPLE.shape))}
    total = sum(kept.values())
    return {key: p / total for key, p in kept.items()}


def of_multinomial(p):
    """The law of populations whose people outside the sample are multinomial."""
    return {
        tuple((SAMPLE.ravel() + x).tolist()): float(multinomial(OUTSIDE, p.ravel()).pmf(x))
        for x in compositions(OUTSIDE, SAMPLE.size)
    }


def of_dirichlet(alpha):
    """... are Dirichlet-multinomial; cells with an alpha of 0 have nobody."""
    alpha = alpha.ravel()
    some = np.flatnonzero(alpha > 0)
    law = {}
    for x in compositions(OUTSIDE, len(some)):
        whole = SAMPLE.ravel().copy()
        whole[some] += x
        law[tuple(whole.tolist())] = float(dirichlet_multinomial(alpha[some], OUTSIDE).pmf(x))
    return law


SHUT = np.array([[False, False, True], [False, False, False]])
KNOWN = np.array([[0.3, 0.1, 0.2], [0.1, 0.1, 0.2]])
NOTHING_SHUT = np.zeros_like(SHUT)


def laws(shut):
    """Each model, and its law where only some cells are known to be empty."""
    p = quasi_independent(SAMPLE, shut)
    known = np.where(shut, 0, KNOWN) / KNOWN[~shut].sum()
    return {
        "log-linear": (P.log_linear(), of_multinomial(p)),
        "known": (P.known(KNOWN), of_multinomial(known)),
        "shrunk": (P.shrunk(strength=3.0, add=0), of_dirichlet(SAMPLE + 3.0 * p)),
    }


# --- zeros --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["log-linear", "known", "shrunk"])
def test_a_cell_that_is_known_to_be_empty_is_no_part_of_the_model(name):
    release = released().knows({"A": "1", "B": "3"}, exactly=0)
    model, law = laws(SHUT)[name]
    tables = drawn(release, model=model)
    assert tables[:, 2].max() == 0
    assert agreement(tables, conditioned(law, lambda F: True)) > LEAST_P
    _, other = laws(NOTHING_SHUT)[name]
    if name == "log-linear":  # cutting the cell out of the fit is more than leaving it empty
        cut = conditioned(other, lambda F: F[0, 2] == 0)
        assert agreement(tables, cut) < LEAST_P
    before = drawn(released(), model=model)
    assert before[:, 2].max() > 0
    assert agreement(before, conditioned(other, lambda F: True)) > LEAST_P


def test_the_urn_has_no_colour_for_a_cell_that_is_known_to_be_empty():
    release = released().knows({"A": "1", "B": "3"}, exactly=0)
    tables = drawn(release, model=P.urn(black_balls=2.0))
    open_cells = [0, 1, 3, 4, 5]
    law = urn_law(SAMPLE.ravel()[open_cells], OUTSIDE, 2.0)
    assert tables[:, 2].max() == 0
    assert agreement(tables[:, open_cells], law) > LEAST_P


def test_the_theta_of_an_urn_without_some_cells():
    sample = fw.protect.draw_sample(fw.examples.ase15().table, 0.1, seed=5).published.values
    empty = np.argwhere(sample == 0)[:6]
    release = released(sample, 2449)
    shut = np.zeros(sample.shape, dtype=bool)
    for a, b in empty:
        release = release.knows({"A": str(a + 1), "B": str(b + 1)}, exactly=0)
        shut[a, b] = True
    theta = fw.survey.sample_risk(release, model="urn", draws=1).facts["theta"]
    p = quasi_independent(sample, shut)[~shut]
    expected = (sample == 0).sum() - 6 - ((1 - p) ** 2449).sum()
    n = sample.sum()
    assert sum(theta / (n + theta + z) for z in range(2449 - n)) == pytest.approx(expected, rel=1e-6)


def test_a_total_of_nobody_shuts_its_cells():
    release = released([[2, 0, 1], [3, 0, 1]], 12).knows({"B": "2"}, exactly=0)
    for model in ("log-linear", "shrunk", "urn", "fiber", P.known(np.ones((2, 3)))):
        assert drawn(release, model=model, draws=40).reshape(-1, 2, 3)[:, :, 1].max() == 0


def test_what_the_margins_leave_no_room_for_is_empty_too():
    """Without the first cell these margins leave one table only: proportional fitting alone would never come to rest."""
    sample = np.array([[0, 3], [2, 0]])
    release = released(sample, 12).knows({"A": "1", "B": "1"}, exactly=0)
    tables = drawn(release, draws=4000)
    assert tables[:, [0, 3]].max() == 0
    law = {(0, 3 + x, 2 + 7 - x, 0): float(multinomial(7, [0.6, 0.4]).pmf([x, 7 - x])) for x in range(8)}
    assert agreement(tables, law) > LEAST_P
    assert (drawn(released(sample, 12), draws=200)[:, [0, 3]].max(axis=0) > 0).all()


def test_the_structural_zeros_of_the_paper():
    """A log-linear model fills cells that the population cannot fill, unless it is told of them."""
    people = fw.examples.ase15().table
    release = fw.protect.draw_sample(people, 0.1, seed=3)
    told = release
    for area, religion in np.argwhere(people.values == 0)[:10]:
        labels = {"area": str(people["area"].values[area]), "religion": str(people["religion"].values[religion])}
        told = told.knows(labels, exactly=0)
    shut = [tuple(one) for one in np.argwhere(people.values == 0)[:10]]
    for model in ("log-linear", "urn", "shrunk"):
        before, after = (drawn(one, model=model, draws=200).reshape(-1, *people.shape) for one in (release, told))
        assert sum(before[:, a, b].mean() for a, b in shut) > 1
        assert sum(after[:, a, b].max() for a, b in shut) == 0
        assert (after >= release.published.values.astype(int)).all()


# --- totals, known cells and bounds ----------------------------------------------------------------------------------------

FACTS = {
    "totals of one dim": (
        lambda r: r.knows({"A": "1"}, exactly=6).knows({"A": "2"}, exactly=4),
        lambda F: F[0].sum() == 6,
    ),
    "a known cell within a known total": (
        lambda r: r.knows({"A": "1"}, exactly=7).knows({"A": "1", "B": "2"}, exactly=2),
        lambda F: F[0].sum() == 7 and F[0, 1] == 2,
    ),
    "bounds": (
        lambda r: r.knows({"A": "1", "B": "1"}, at_least=3).knows({"A": "2"}, at_most=4),
        lambda F: F[0, 0] >= 3 and F[1].sum() <= 4,
    ),
    "totals of both dims": (
        lambda r: r.knows({"A": "1"}, exactly=6).knows({"B": "1"}, exactly=4).knows({"B": "2"}, exactly=3),
        lambda F: F[0].sum() == 6 and F[:, 0].sum() == 4 and F[:, 1].sum() == 3,
    ),
}  # fmt: skip


@pytest.mark.parametrize("fact", FACTS)
@pytest.mark.parametrize("name", ["log-linear", "known", "shrunk", "urn"])
def test_a_model_given_what_is_known(name, fact):
    knows, holds = FACTS[fact]
    release = knows(released())
    if name == "urn":
        model, law = P.urn(black_balls=2.0), urn_law(SAMPLE.ravel(), OUTSIDE, 2.0)
    else:
        model, law = laws(NOTHING_SHUT)[name]
    by_chains = fact in ("bounds", "totals of both dims") and name != "urn"
    tables = drawn(release, model=model, draws=8_000)
    assert all(holds(one) for one in tables.reshape(-1, *SAMPLE.shape))
    # chains thin themselves until draws count almost whole, but not quite
    some = tables[::2] if by_chains else tables
    assert agreement(some, conditioned(law, holds)) > LEAST_P
    even = conditioned(dict.fromkeys(law, 1.0), holds)
    assert agreement(some, even) < LEAST_P, "the test could not tell another law"


def test_facts_that_say_nothing_new_change_no_draw():
    release = released()
    implied = (
        release.knows({"A": "1", "B": "1"}, at_least=2).knows({"A": "1"}, at_least=1).knows({"B": "2"}, at_most=10)
    )
    for model in ("log-linear", "shrunk", "urn"):
        assert (drawn(implied, model=model, draws=50) == drawn(release, model=model, draws=50)).all()


@given(st.data())
@examples(60)
def test_which_facts_groups_see_to(data):
    """Tables with the people of every group, and nobody in shut cells, keep to every fact that is not kept apart."""
    sample = np.array([[1, 0], [0, 1], [1, 0]])
    truth = sample + np.array(data.draw(st.lists(st.integers(0, 1), min_size=6, max_size=6))).reshape(3, 2)
    release = released(sample, int(truth.sum()))
    cells = [{"A": a, "B": b} for a in "123" for b in "12"] + [{"A": a} for a in "123"] + [{"B": b} for b in "12"]
    for place in data.draw(st.lists(st.sampled_from(cells), max_size=4)):
        of = [int(place[dim]) - 1 if dim in place else slice(None) for dim in "AB"]
        value = int(truth[tuple(of)].sum())
        slack = data.draw(st.sampled_from([None, 0, 1]))
        if slack is None:
            release = release.knows(place, at_least=value)
        else:
            release = release.knows(place, at_least=max(value - slack, 0), at_most=value + slack)
    told = as_sample(release)
    facts, counts = told.outside_facts, told.counts
    allowed, obeying = set(), set()
    for x in compositions(told.outside, 6):
        whole, table = np.array(x) + counts, tuple(x)
        in_groups = all(sum(x[c] for c in group.cells) == group.people for group in facts.groups)
        if in_groups and not any(x[c] for c in np.flatnonzero(facts.shut)):
            allowed.add(table)
            if all(fact.held_by(whole[None])[0] for fact in facts.further):
                obeying.add(table)
        keeps = (whole >= release.lower).all() and (whole <= release.upper).all()
        sums = release.sums.matrix @ whole
        keeps = keeps and (sums >= release.sums.lower).all() and (sums <= release.sums.upper).all()
        assert keeps == (table in obeying)
        whole_table = all(fact.held_by(whole[None])[0] for fact in facts.for_whole_table)
        assert keeps == (whole_table and not any(x[c] for c in np.flatnonzero(facts.shut)))
    for fact in facts.further:
        assert not all(fact.held_by((np.array(x) + counts)[None])[0] for x in allowed), (
            "it says nothing that groups do not"
        )


def test_a_model_of_ones_own_may_be_careless_where_nothing_is_known():
    assert (drawn([[1, 0]], 5, Careless(), draws=3) == [1, 4]).all()


def test_the_fiber_keeps_to_a_zero_and_a_bound():
    release = released().knows({"A": "1"}, exactly=6)
    release = release.knows({"A": "1", "B": "3"}, exactly=0).knows({"A": "2", "B": "1"}, at_most=1)
    tables = drawn(release, model="fiber", draws=400).reshape(-1, 2, 3)
    assert tables[:, 0, 2].max() == 0
    assert tables[:, 1, 0].max() == 1
    assert (tables[:, 0].sum(axis=1) == 6).all()


class Careless:
    """A model of a user's own that does not look at what is known."""

    name, words = "careless", "everybody is in the last cell"

    def given(self, sample):
        last = np.eye(1, len(sample.counts), len(sample.counts) - 1, dtype=np.int64)
        return Independent(sample, lambda draws, random: np.repeat(last * sample.outside, draws, axis=0))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fw.survey.sample_risk(released([[1, 0]], 5).knows({"B": "2"}, exactly=0), model=Careless()),
         "model 'careless' does not keep to what is known of the population: nobody can be in some cells, and somebody is."),
        (lambda: fw.survey.sample_risk(released([[1, 0]], 5).knows({"B": "1"}, at_least=2), model=Careless()),
         "model 'careless' does not keep to what is known of the population: A=1, B=1 is at least 2."),
        (lambda: fw.survey.sample_risk(released().knows({"A": "1", "B": "1"}, at_most=1)),
         "A=1, B=1 is between 0 and 1 in the population, but the sample has 2 there"),
        (lambda: fw.survey.sample_risk(released().knows({"A": "1", "B": "1"}, exactly=0), model="urn"),
         "nobody of the population can be in cell A=1, B=1, but the sample has 2 there"),
        (lambda: fw.survey.sample_risk(no_people_left(), None, "log-linear"),
         "what is known of the population does not agree"),
        (lambda: fw.survey.sample_risk(sampled_people(), None, "urn"),
         "model 'urn' cannot keep to the facts of the release, above all that area="),
        (lambda: fw.survey.sample_risk(released([[3, 0], [2, 0]], 9).knows({"B": "2"}, exactly=2), model="log-linear"),
         "model 'log-linear' gives no cell of A=Total, B=2 a probability, but 2 people outside the sample are there"),
        (lambda: fw.survey.sample_risk(
            released([[3, 0], [2, 0]], 9).knows({"B": "2"}, at_least=2).knows({"A": "1", "B": "1"}, at_most=5),
            model="log-linear"),
         "model 'log-linear' holds cells for impossible that the facts of the release need"),
        (lambda: fw.survey.sample_risk(released().knows({"A": "1", "B": "3"}, exactly=0), model=P.urn(zeros=0)),
         "zeros=0: 1 cells of the population are known to be empty"),
        (lambda: fw.survey.sample_risk(SAMPLE, 10, P.known([[1, 1, 1], [1, 1, 0]])),
         "known(): the probability of cell A=2, B=3 is 0, but the sample has 1 there"),
        (lambda: fw.survey.sample_risk(SAMPLE, 10, P.known([[1, 1], [1, 1]])), "there are 4 probabilities, and 6 cells"),
        (lambda: P.known([[0.5, -0.1]]), "numbers of at least 0, and not all of them 0"),
        (lambda: P.known([["a", "b"]]), "known(p): a table of numbers"),
        (lambda: fw.survey.sample_risk(SAMPLE, 10, "known"), "needs its parameters: fw.survey.populations.known(p)."),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_to_is_said(call, words):
    with pytest.raises(fw.InputError, match=re.escape(words)):
        call()
