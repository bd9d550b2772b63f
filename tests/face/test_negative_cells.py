"""Cells that may be negative: profits, between values that everybody knows beforehand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import examples

import fiberwalk as fw
from fiberwalk.report.printed_audit import printed_lines
from fiberwalk.report.words import doubts

PROFITS = [[-20, 35], [10, 5]]
SQUARE = [{"A": a, "B": b} for a in "12" for b in "12"]
View = Callable[[np.ndarray], tuple[int, ...]]
"""What readers see of a table: computed here from its definition."""


def of_margins(table: np.ndarray) -> tuple[int, ...]:
    return (*table.sum(axis=1).tolist(), *table.sum(axis=0).tolist())


def of_suppression(hidden: np.ndarray) -> View:
    return lambda table: (*table[~hidden].tolist(), *of_margins(table), int(table.sum()))


def of_rounding(base: int) -> View:
    """To the nearest multiple, halves up: also below 0."""
    return lambda table: tuple(
        base * math.floor(value / base + 0.5) for value in (*table.ravel().tolist(), *table.sum(axis=0).tolist())
    )


def of_groups(table: np.ndarray) -> tuple[int, ...]:
    return (*(table[0] + table[1]).tolist(), *table[2].tolist(), *table.sum(axis=1).tolist())


@st.composite
def made(draw):
    """A release of a small table with negative cells, what readers see of it, and the ranges that are stated."""
    kind = draw(st.sampled_from(["margins", "hidden", "rounded", "groups", "merged"]))
    shape = (3, 2) if kind in ("groups", "merged") else draw(st.sampled_from([(2, 2), (2, 3), (3, 2), (1, 4)]))
    size = shape[0] * shape[1]
    values = np.array(draw(st.lists(st.integers(-3, 2), min_size=size, max_size=size))).reshape(shape)
    if draw(st.booleans()):
        percent = draw(st.sampled_from([50, 60, 100]))
        given_table = {"known_within": percent}
        away = np.array([math.ceil(abs(v) * percent / 100) for v in values.ravel()])
        low, high = values.ravel() - away, values.ravel() + away
    else:
        least, most = draw(st.integers(-4, -3)), draw(st.integers(2, 3) if size < 6 else st.just(2))
        given_table = {"at_least": least, "at_most": most}
        low, high = np.full(size, least), np.full(size, most)
    hierarchies = {"A": {"low": ["1", "2"]}} if kind == "groups" else None
    table = fw.table(values, dims=["A", "B"], hierarchies=hierarchies, **given_table)
    if kind == "margins":
        return fw.publish(table, ["A", "B"]), values, of_margins, low, high
    if kind == "rounded":
        base = draw(st.integers(2, 5))
        return fw.round_to(table, base, margins=["B"]), values, of_rounding(base), low, high
    if kind == "groups":
        return fw.publish(table, ["A:1,B", "A"]), values, of_groups, low, high
    if kind == "merged":
        return fw.merge(table, {"A": {"low": ["1", "2"]}}, margins=["A"]), values, of_groups, low, high
    hidden = np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size))).reshape(shape)
    hidden.ravel()[0] = True
    return fw.suppress(table, where=hidden), values, of_suppression(hidden), low, high


def tables_seen_alike(values: np.ndarray, view: View, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Every table within the ranges of which readers would see the same, a row each."""
    seen = view(values)
    every = itertools.product(*(range(a, b + 1) for a, b in zip(low.tolist(), high.tolist(), strict=True)))
    return np.array([cells for cells in every if view(np.array(cells).reshape(values.shape)) == seen])


def same_laws(audit: fw.Audit, tables: np.ndarray, weights: np.ndarray, far: float = 1e-9) -> None:
    for cell, pmf in zip(audit.release.hidden, audit.belief.pmfs, strict=True):
        got = {pmf.first + k: p for k, p in enumerate(pmf.p) if p > 0}
        expected: dict[int, float] = {}
        for value, weight in zip(tables[:, cell].tolist(), weights, strict=True):
            expected[value] = expected.get(value, 0.0) + weight
        assert got.keys() == expected.keys()
        assert max(abs(got[value] - p) for value, p in expected.items()) < far


@examples(400)
@given(made())
def test_counts_bounds_and_laws_are_those_of_all_tables_that_look_alike(case):
    release, values, view, low, high = case
    tables = tables_seen_alike(values, view, low, high)
    assert fw.count(release) == len(tables)
    bounds = fw.bounds(release)
    assert bounds["lower"].tolist() == tables[:, release.hidden].min(axis=0).tolist()
    assert bounds["upper"].tolist() == tables[:, release.hidden].max(axis=0).tolist()
    same_laws(fw.audit(release, method="exact"), tables, np.full(len(tables), 1 / len(tables)))


@examples(60)
@given(made(), st.integers(0, 2**32 - 1))
def test_a_prior_that_lists_values_below_0_weighs_them(case, seed):
    release, values, view, low, high = case
    tables = tables_seen_alike(values, view, low, high)
    odds = np.random.default_rng(seed).uniform(0.1, 1.0, 40)
    law = fw.laws.prior(everywhere={value: float(odds[value + 20]) for value in range(-15, 16)})
    weights = odds[tables[:, release.hidden] + 20].prod(axis=1)
    same_laws(fw.audit(release, law, method="exact"), tables, weights / weights.sum())


@pytest.mark.parametrize(
    "release",
    [
        fw.publish(fw.table([[0, -1, 1], [-1, 1, 0]], at_least=-2, at_most=9), ["A", "B"]),
        fw.publish(fw.table([[0, -1, 1], [-1, 1, 0], [2, -2, 0]], at_least=-2, at_most=2), ["A", "B"]),
        fw.round_to(fw.table([[-3, 4], [1, -2]], at_least=-9, at_most=9), 3),
    ],
    ids=["loose", "bounded", "rounded"],
)
def test_chains_agree_with_all_tables(release):
    exact, sampled = fw.audit(release, method="exact"), fw.audit(release, method="chains", seed=5)
    assert sampled.method == "chains"
    for one, other in zip(exact.belief.pmfs, sampled.belief.pmfs, strict=True):
        assert (one.lower, one.upper) == (other.lower, other.upper)
        assert abs(one.entropy - other.entropy) < 0.03


@examples(60)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(2, 4))
def test_two_way_tables_that_begin_below_0_are_counted_as_if_they_began_at_0(seed, rows, columns):
    rng = np.random.default_rng(seed)
    counts, least = rng.integers(0, 12, (rows, columns)), -int(rng.integers(1, 30))
    moved = fw.publish(fw.table(counts + least, at_least=least), ["A", "B"])
    plain = fw.publish(counts, ["A", "B"])
    assert fw.count(moved) == fw.count(plain)
    assert (fw.bounds(moved) - least).to_numpy().tolist() == fw.bounds(plain).to_numpy().tolist()
    one, other = fw.audit(moved), fw.audit(plain)
    for below, above in zip(one.belief.pmfs, other.belief.pmfs, strict=True):
        assert below.lower - least == above.lower
        assert np.allclose(below.p, above.p, atol=1e-12)


# --- what is stated, and what is not ------------------------------------------------------------------------------


def square(**known: float) -> fw.Release:
    return fw.suppress(fw.table(PROFITS, **known), where=SQUARE)


def test_what_is_stated_of_all_cells_is_an_assumption_wherever_the_audit_is_shown(tmp_path):
    audit = fw.audit(square(at_least=-50, at_most=100))
    assert ("assumed beforehand", "Every cell is between -50 and 100. Who knows less is less sure.") in doubts(audit)
    assert "ASSUMED BEFOREHAND: every cell is between -50 and 100." in list(printed_lines(audit, 3))
    assert audit.release.notes[0] == "every cell is between -50 and 100, which is assumed"
    assert "assumed beforehand" in audit._repr_html_()
    audit.to_html(tmp_path / "audit.html")
    assert "Every cell is between -50 and 100." in (tmp_path / "audit.html").read_text()
    around = fw.audit(square(known_within=50))
    assert "ASSUMED BEFOREHAND: every cell is known to within 50 % of its true value." in list(printed_lines(around, 3))
    assert not any("assumed" in word for word, _ in doubts(fw.audit(fw.publish([[1, 2]], [""]))))


def test_percent_of_the_truth_are_rounded_outwards():
    release = fw.publish(fw.table([[-3, 5, 0], [10, -10, 1]], known_within=50), [])
    assert release.lower.tolist() == [-5, 2, 0, 5, -15, 0]
    assert release.upper.tolist() == [-1, 8, 0, 15, -5, 2]


def test_an_audit_of_profits_is_saved_and_loaded(tmp_path):
    for known in ({"at_least": -50, "at_most": 100}, {"known_within": 50}):
        audit = fw.audit(square(**known))
        audit.save(tmp_path / "audit.fw")
        again = fw.load(tmp_path / "audit.fw")
        assert again.cells.equals(audit.cells)
        assert again.release.beforehand == audit.release.beforehand
        assert again.pmf(A="1", B="1").equals(audit.pmf(A="1", B="1"))
    assert again.release.without_truth().lower.tolist() == audit.release.without_truth().lower.tolist()


def test_further_questions_about_profits():
    audit = fw.audit(square(at_least=-50, at_most=100), magnitudes=True, percent=10)
    assert audit.protection(percent=20).loc[("1", "1"), ["wanted_lower", "wanted_upper"]].tolist() == [-24, -16]
    assert audit.cells.loc[("1", "1"), "p_near"] == pytest.approx(5 / 91)  # -22 to -18
    assert audit.threshold(at_most=-21)["probability"].loc[("1", "1")] == pytest.approx(30 / 91)
    drawn = fw.sample(square(at_least=-50, at_most=100), draws=50, chains=2, seed=1)
    tables = drawn.to_dataarray().to_numpy()
    assert -50 <= tables.min() < -20
    assert tables.max() <= 65
    with pytest.raises(fw.InputError, match=r"^concentration\(\): where cells may be negative"):
        audit.concentration()


def test_knowledge_may_be_below_0():
    release = square(at_least=-50, at_most=100)
    assert fw.bounds(release.knows({"A": "1", "B": "1"}, at_most=-10))["upper"].tolist() == [-10, 65, 40, 15]
    few = fw.publish(fw.table(PROFITS, at_least=-50, at_most=100), ["A"]).knows({"B": "1"}, at_most=-5)
    assert fw.bounds(few, hidden_margins=["B"])["upper"].loc[("Total", "1")] == -5


def test_linked_tables_of_profits():
    one = fw.publish(fw.table(PROFITS, dims=["A", "B"], at_least=-50, at_most=100), ["A"])
    other = fw.publish(fw.table([-10, 40], dims=["B"], at_least=-50, at_most=100), ["B"])
    both = fw.linked([one, other])
    assert fw.bounds(both).to_numpy().tolist() == fw.bounds(square(at_least=-50, at_most=100)).to_numpy().tolist()
    assert both.beforehand == "every cell is between -50 and 100"


TABLE = fw.table(PROFITS, at_least=-50, at_most=100)
REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "nothing stated": (
        lambda: fw.publish(PROFITS, ["A"]),
        "cell A=1, B=1: -20 is negative: say between which values everybody knows the cells to lie with at_least= and "
        "at_most=, or known_within=, in fw.table().",
    ),
    "untrue": (
        lambda: fw.table(PROFITS, at_least=-5),
        "cell A=1, B=1 is -20, and it is said that every cell is at least -5; state what is true of all.",
    ),
    "only the most": (
        lambda: fw.table(PROFITS, at_most=100),
        "cell A=1, B=1 is -20, and it is said that every cell is between 0 and 100; state what is true of all.",
    ),
    "both": (
        lambda: fw.table(PROFITS, at_least=-50, known_within=5),
        "give known_within=, or at_least= and at_most=, not both.",
    ),
    "empty": (
        lambda: fw.table(PROFITS, at_least=5, at_most=-5),
        "at_least= and at_most= leave the cells nothing: at least 5 and at most -5.",
    ),
    "no percentage": (lambda: fw.table(PROFITS, known_within=-1), "known_within=-1: a percentage from 0 to 1000."),
    "a law of counts": (
        lambda: fw.audit(fw.publish(TABLE, ["A", "B"]), "hypergeometric"),
        "law 'hypergeometric' is of cells of at least 0, and cells of this release may be negative (every cell is between "
        "-50 and 100); take the law 'uniform', or a prior that lists values.",
    ),
    "a prior of counts": (
        lambda: fw.audit(fw.publish(TABLE, ["A", "B"]), fw.laws.prior(everywhere=fw.laws.unimodal())),
        "law 'unimodal' is of cells of at least 0, and cells of this release may be negative (every cell is between -50 and "
        "100); take the law 'uniform', or a prior that lists values.",
    ),
    "a method for counts": (
        lambda: fw.protect.random_round(TABLE, 3),
        "this is for counts and magnitudes of at least 0, and the cells of this table may be negative.",
    ),
    "a reader of a method for counts": (
        lambda: fw.protect.as_protected(TABLE, "random_round", base=3),
        "as_protected(): what is known of cells beforehand is not read here; say it with knows().",
    ),
    "a threshold rule": (
        lambda: fw.suppress(TABLE, rule="< 3"),
        "a threshold rule is about cells of at least 0, and cells may be negative here; say which are hidden with where=.",
    ),
    "a rule that is known": (
        lambda: fw.suppress(TABLE, where=SQUARE).knows_rule("< 3", flags=False),
        "a threshold rule is about cells of at least 0, and cells may be negative here; say which are hidden with where=.",
    ),
    "an insider": (
        lambda: fw.publish(TABLE, ["A"]).knows(SQUARE[0], own=3),
        "knows(A=1, B=1, own=3): where cells may be negative, nobody's part bounds the others'.",
    ),
    "respondents": (
        lambda: fw.audit(fw.publish(TABLE, ["A"]), intruders="respondents"),
        "intruders='respondents': where cells may be negative, nobody's part of one bounds the others'.",
    ),
    "the largest contribution": (
        lambda: fw.table(PROFITS, at_least=-50, largest=[[1, 1], [1, 1]]),
        "where cells may be negative, the largest contribution to one is no part of it; leave largest= out.",
    ),
    "dominance": (
        lambda: fw.protect.sensitivity.sensitive_magnitudes(TABLE, [[2, 2], [2, 2]], [[1, 1], [1, 1]]),
        "the table must hold numbers of at least 0.",
    ),
    "a share": (
        lambda: fw.publish(TABLE, ["A"]).knows({"A": "1"}, fw.facts.share(50, of={})),
        "knows(): figures of fw.facts are about people who are counted, and cells may be negative here.",
    ),
    "linked in full": (
        lambda: fw.linked([fw.publish(TABLE, ["A"]), fw.publish([3, 4], ["A"])], full=True),
        "linked(full=True): cells of one table may be negative, and nothing is known of the cells of the crossed one.",
    ),
    "linked with percent": (
        lambda: fw.linked([fw.publish(fw.table(PROFITS, known_within=5), ["A"]), fw.publish([3, 4], ["A"])]),
        "linked releases: known_within= is about the cells of one table; say what is known with at_least= and at_most=.",
    ),
    "a reader who was told nothing": (
        lambda: fw.bounds(square(known_within=5).without_truth()),
        "cell A=1, B=1 has no lower limit: it may be negative, and nobody told the reader how low it can be; say what is "
        "known with knows(..., at_least=...).",
    ),
    "no table": (
        lambda: fw.audit(
            fw.publish(TABLE, ["A"]).without_truth().knows({"A": "1", "B": "1"}, at_most=-40).knows(
                {"A": "1", "B": "2"}, at_most=-10
            )
        ),
        "no table within what is known of the cells beforehand satisfies the release: these 3 facts contradict each other: "
        "A=1, B=Total is 15; A=1, B=1 is between -50 and -40; A=1, B=2 is between -50 and -10.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_and_why(case):
    asked, sentence = REFUSED[case]
    with pytest.raises(fw.InputError) as refusal:
        asked()
    assert str(refusal.value) == sentence


def test_tables_of_counts_are_what_they_were():
    plain, stated = (
        fw.publish([[3, 1], [2, 4]], ["A", "B"]),
        fw.publish(fw.table([[3, 1], [2, 4]], at_least=0), ["A", "B"]),
    )
    assert fw.bounds(plain).equals(fw.bounds(stated))
    assert not plain.signed
    assert plain.beforehand == ""
    assert plain.lower.tolist() == [0, 0, 0, 0]
    assert fw.audit(stated, "hypergeometric").cells.equals(fw.audit(plain, "hypergeometric").cells)
