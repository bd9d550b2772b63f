"""Priors on cells: exact audits against every table weighed one by one, chains, and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import assume, given, note
from hypothesis import strategies as st
from support.effort import examples
from support.naive import tables as naive
from support.worlds import arrays, worlds

import fiberwalk as fw
from fiberwalk.commands.main import main

CORNER = {"A": "1", "B": "1"}
REFERENCE = [0, 0, 0, 1, 1, 2, 4]


def triangle(x, low, high):
    return 1 + min(x - low, high - x)


def lopsided(x, low, high):
    """Highest at 1, or at the end nearest to it."""
    peak = min(max(1, low), high)
    return (x - low + 1) / (peak - low + 1) if x <= peak else (high - x + 1) / (high - peak + 1)


def beta_2_3(x, low, high):
    """Every way to place x - low successes, each with the integral of p^(1 + x - low) (1 - p)^(2 + high - x)."""
    good, bad = x - low, high - x
    return (
        math.comb(good + bad, good)
        * math.factorial(good + 1)
        * math.factorial(bad + 2)
        / math.factorial(good + bad + 4)
    )


def smoothed(x, low, high):
    mean = (sum(REFERENCE) + 1) / len(REFERENCE)
    return REFERENCE.count(x) + 2 * (1 / (1 + mean)) * (mean / (1 + mean)) ** x


KINDS = {
    "unimodal": (fw.laws.unimodal(), triangle),
    "peak": (fw.laws.unimodal(peak=1), lopsided),
    "flat": (fw.laws.beta_binomial(a=1, b=1), lambda x, low, high: 1),
    "beta-binomial": (fw.laws.beta_binomial(a=2, b=3), beta_2_3),
    "frequencies": (fw.laws.frequencies_of(REFERENCE), lambda x, low, high: REFERENCE.count(x)),
    "smoothed": (fw.laws.frequencies_of(REFERENCE, smooth=2), smoothed),
}


@examples(35)
@given(worlds(most_cells=9), st.sampled_from(["uniform", "expected"]), st.data())
def test_priors_weigh_every_table(world, law, data):
    note(world.story)
    n = world.values.size
    means = [1.0] * n
    cells = sorted(data.draw(st.sets(st.sampled_from(world.hidden), min_size=1, max_size=2)))
    odds = {cell: data.draw(st.lists(st.sampled_from([0.0, 0.1, 1.0, 2.5]), min_size=3, max_size=9)) for cell in cells}
    if law == "expected":
        means = data.draw(st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=n, max_size=n))

    def of_others(table):
        found = 1.0
        for cell, x in enumerate(table):
            if cell in odds:
                found *= odds[cell][x] if x < len(odds[cell]) else 0.0
            elif law == "expected":
                found *= means[cell] ** x / math.factorial(x)
        return found

    taken_out = {cell: units for cell, units in world.own.items() if cell in odds or law == "expected"}
    weight = naive.besides_own(of_others, taken_out)
    found = [table for table in world.tables() if weight(table) > 0]
    assume(found)
    names = [dim.name for dim in world.release.dims]
    pairs = []
    for number, cell in enumerate(cells):
        listed = dict(enumerate(odds[cell]))
        one = listed if number == 0 and any(odds[cell]) else lambda x, listed=listed: listed.get(x, 0.0)
        pairs.append((dict(zip(names, world.labels(cell), strict=True)), one))
    otherwise = "uniform" if law == "uniform" else fw.laws.expected(np.array(means).reshape(world.values.shape))
    audit = fw.audit(world.release, fw.laws.prior(pairs, otherwise))
    assert audit.tables == len(found)
    for cell in world.hidden:
        mine = world.own.get(cell, 0)
        expected = {value - mine: p for value, p in naive.pmf(found, [cell], weight).items()}
        pmf = audit.pmf(dict(zip(names, world.labels(cell), strict=True)))
        assert pmf.index.tolist() == list(expected)
        assert pmf.to_numpy() == pytest.approx(np.array(list(expected.values())), abs=1e-12, rel=1e-9)


def test_expected_counts_of_the_log_linear_model_do_not_cancel_beside_a_prior():
    release = fw.publish([[3, 1], [2, 4]], ["A", "B"])
    means = np.array(naive.raked((2, 2), [4, 6], [5, 5])).ravel()
    found = naive.tables(4, naive.margin_facts(np.array([[3, 1], [2, 4]]), [[0, 1], [0, 0]]) + naive.margin_facts(
        np.array([[3, 1], [2, 4]]), [[0, 0], [0, 1]]))  # fmt: skip

    def weight(table):
        return 0.5 ** table[0] * math.prod(means[c] ** table[c] / math.factorial(table[c]) for c in (1, 2, 3))

    audit = fw.audit(release, fw.laws.prior([(CORNER, lambda x: 0.5**x)], otherwise="hypergeometric"))
    expected = naive.pmf(found, [0], weight)
    assert audit.pmf(CORNER).to_dict() == pytest.approx(expected)


def test_a_prior_that_is_the_law_changes_nothing():
    release = fw.publish([[3, 1], [2, 4]], ["A", "B"])
    poisson = fw.laws.prior([(CORNER, lambda x: 2.0**x / math.factorial(x))], "hypergeometric")  # its fitted mean is 2
    before = fw.audit(release, "hypergeometric").pmf(CORNER)
    assert fw.audit(release, poisson).pmf(CORNER).to_numpy() == pytest.approx(before.to_numpy())


@examples(40)
@given(worlds(most_cells=9), st.sampled_from(sorted(KINDS)), st.booleans(), st.data())
def test_priors_on_the_known_interval_weigh_every_table(world, kind, everywhere, data):
    note(f"{world.story}, {kind} everywhere {everywhere}")
    prior, twin = KINDS[kind]
    names = [dim.name for dim in world.release.dims]
    cells = world.hidden if everywhere else [data.draw(st.sampled_from(world.hidden))]
    labels = {cell: dict(zip(names, world.labels(cell), strict=True)) for cell in world.hidden}
    tables = world.tables()
    known = {cell: (min(t[cell] for t in tables), max(t[cell] for t in tables)) for cell in cells}

    def of_others(table):
        return math.prod(twin(table[cell], *known[cell]) for cell in cells)

    # where every table is alike, what is hers is cut off; a prior on counts weighs the others
    weight = naive.besides_own(of_others, {cell: units for cell, units in world.own.items() if cell in cells})
    found = [table for table in tables if weight(table) > 0]
    assume(found)
    law = fw.laws.prior(everywhere=prior) if everywhere else fw.laws.prior([(labels[cells[0]], prior)])
    audit = fw.audit(world.release, law)
    assert audit.tables == len(found)
    for cell in world.hidden:
        expected = {value - world.own.get(cell, 0): p for value, p in naive.pmf(found, [cell], weight).items()}
        assert audit.pmf(labels[cell]).to_dict() == pytest.approx(expected)


@examples(40)
@given(arrays(least_dims=2, most_dims=3, most_cells=8), st.sampled_from(sorted(KINDS)), st.booleans())
def test_priors_multiply_with_what_random_rounding_says(values, kind, exact):
    """The interval is what the exact margins leave; where there are none, what the rounded figures leave."""
    prior, twin = KINDS[kind]
    names = "ABC"[: values.ndim]
    margins = [names[0], ",".join(names[1:])] if exact else []
    release = fw.protect.random_round(values, base=3, seed=4, exact=margins)
    figures = release.published.values.ravel().tolist()
    facts = [(frozenset([c]), max(0, figure - 2), figure + 2) for c, figure in enumerate(figures)]
    sums = [(0,), tuple(range(1, values.ndim))] if exact else []
    groups = [[range(n) if i in axes else [0] * n for i, n in enumerate(values.shape)] for axes in sums]
    sums = [fact for group in groups for fact in naive.margin_facts(values, group)]
    try:
        tables = naive.tables(values.size, facts + sums)
        before = naive.tables(values.size, sums) if exact else tables
    except naive.TooMany:
        assume(False)
    known = [(min(t[c] for t in before), max(t[c] for t in before)) for c in range(values.size)]

    def weight(table):
        rounded = math.prod(1 - abs(x - figure) / 3 for x, figure in zip(table, figures, strict=True))
        return rounded * math.prod(twin(x, *known[c]) for c, x in enumerate(table))

    found = [table for table in tables if weight(table) > 0]
    assume(found)
    audit = fw.audit(release, fw.laws.prior(everywhere=prior))
    assert audit.tables == len(found)
    for cell, place in enumerate(np.ndindex(values.shape)):
        pmf = audit.pmf({name: str(i + 1) for name, i in zip(names, place, strict=True)})
        assert pmf.to_dict() == pytest.approx(naive.pmf(found, [cell], weight))


def test_one_prior_for_all_cells_but_those_that_have_their_own():
    release = fw.suppress([[3, 1, 9], [2, 4, 9], [5, 5, 5]], where=[CORNER, {"A": "1", "B": "2"}, {"A": "2", "B": "1"},
        {"A": "2", "B": "2"}])  # fmt: skip
    rare = {0: 1, 1: 2, 2: 4, 3: 8, 4: 16}  # 9 and 5 are published: that she holds them for impossible does not matter
    everywhere = fw.audit(release, fw.laws.prior(everywhere={**rare, 5: 32}))
    listed = [({"A": a, "B": b}, {**rare, 5: 32}) for a in "12" for b in "12"]
    assert everywhere.cells.equals(fw.audit(release, fw.laws.prior(listed)).cells)
    law = fw.laws.prior([(CORNER, {0: 1, 1: 1})], everywhere=lambda x: 2.0**x)
    # x, 4 - x, 5 - x and 1 + x: the weights of the other three are 2^(10 - x)
    assert fw.audit(release, law).pmf(CORNER).to_dict() == pytest.approx({0: 2 / 3, 1: 1 / 3})
    assert law.words == (
        "she has a prior of her own on one cell; on every other hidden cell she has the same prior: one of her own"
    )
    assert (law.name, law.call) == ("prior", "fw.laws.prior([...], everywhere=...)")
    shared = fw.laws.prior(everywhere=fw.laws.beta_binomial(a=2, b=3))
    assert (shared.name, shared.call) == ("beta-binomial", "fw.laws.prior(everywhere=fw.laws.beta_binomial(a=2, b=3))")
    assert shared.words.endswith("beta-binomial(2, 3) on the interval that the exact figures leave it")


def test_beta_binomial_and_values_in_own_units():
    counts = fw.laws.beta_binomial(4, 2.0, 0.5)
    p = [counts(x) for x in range(5)]
    assert sum(p) == pytest.approx(1)
    assert sum(x * one for x, one in enumerate(p)) == pytest.approx(4 * 2.0 / 2.5)
    assert (counts(-1), counts(5), counts(1.5)) == (0, 0, 0)
    release = fw.publish(fw.table([[0.3, 0.1], [0.2, 0.4]], decimals=1), ["A", "B"])
    audit = fw.audit(release, fw.laws.prior([(CORNER, {0.1: 1, 0.4: 3})]))
    assert audit.pmf(CORNER).to_dict() == pytest.approx({0.1: 0.25, 0.4: 0.75})
    same = fw.audit(release, fw.laws.prior([(CORNER, lambda x: {0.1: 1, 0.4: 3}.get(x, 0))]))
    assert same.pmf(CORNER).equals(audit.pmf(CORNER))
    peaked = fw.audit(release, fw.laws.prior([(CORNER, fw.laws.unimodal(peak=0.1))])).pmf(CORNER)
    assert peaked.to_dict() == pytest.approx({0.0: 1 / 6, 0.1: 1 / 3, 0.2: 1 / 4, 0.3: 1 / 6, 0.4: 1 / 12})
    seen = fw.audit(
        release, fw.laws.prior([(CORNER, fw.laws.frequencies_of(fw.table([0.1, 0.1, 0.4], decimals=1)))])
    ).pmf(CORNER)
    assert seen.to_dict() == pytest.approx({0.1: 2 / 3, 0.4: 1 / 3})
    with pytest.raises(fw.InputError, match="has 2 decimals and the release 1"):
        fw.audit(release, fw.laws.prior(everywhere=fw.laws.frequencies_of(fw.table([0.15], decimals=2))))


def test_chains_follow_a_prior():
    release = fw.publish([[2, 1, 1], [1, 2, 1]], ["A", "B"])
    law = fw.laws.prior([(CORNER, {0: 0.2, 1: 0.1, 2: 0.5, 3: 0.2})], "hypergeometric")
    exact, sampled = (fw.audit(release, law, method=method) for method in ("exact", "chains"))
    assert sampled.method == "chains"
    for one, other in zip(exact.belief.pmfs, sampled.belief.pmfs, strict=True):
        assert other.values.tolist() == one.values.tolist()
        assert other.probabilities == pytest.approx(one.probabilities, abs=0.03)


def test_a_saved_prior_is_loaded_with_its_weights(tmp_path):
    release = fw.publish([[3, 1], [2, 4]], ["A", "B"])
    cells = [(CORNER, lambda x: 1 / (1 + x)), ({"A": "1", "B": "2"}, fw.laws.beta_binomial(9, 1, 2))]
    audit = fw.audit(release, fw.laws.prior(cells, otherwise=fw.laws.expected([[1, 2], [3, 4]])))
    audit.save(tmp_path / "audit.fw")
    loaded = fw.load(tmp_path / "audit.fw")
    assert loaded.cells.equals(audit.cells)
    assert loaded.belief.law.words == audit.belief.law.words
    assert fw.audit(loaded.release, loaded.belief.law).cells.equals(audit.cells)


@pytest.mark.parametrize("kind", [*sorted(KINDS), "function", "dict"])
def test_a_saved_prior_on_every_cell_is_loaded_with_its_weights(tmp_path, kind):
    others = {"function": lambda x: 1 / (1 + x), "dict": {0: 1, 1: 2, 2: 3, 3: 1, 4: 2}}
    one = KINDS[kind][0] if kind in KINDS else others[kind]
    release = fw.protect.random_round([[3, 1], [2, 4]], seed=2, exact=["A", "B"])
    audit = fw.audit(release, fw.laws.prior([(CORNER, fw.laws.unimodal(2))], everywhere=one))
    audit.save(tmp_path / "audit.fw")
    law = fw.load(tmp_path / "audit.fw").belief.law
    assert (law.words, law.name, law.call if kind in KINDS else "") == (
        audit.belief.law.words, audit.belief.law.name, audit.belief.law.call if kind in KINDS else "",
    )  # fmt: skip
    assert fw.audit(release, law).cells.equals(audit.cells)


def test_priors_on_the_command_line(tmp_path):
    table, older = tmp_path / "table.csv", tmp_path / "older.csv"
    fw.suppress([[3, 1, 9], [2, 4, 9], [5, 5, 5]], where=np.array([[1, 1, 0], [1, 1, 0], [0, 0, 0]]) > 0).to_file(table)
    fw.suppress([[0, 1, 0], [3, 0, 9]], where=[{"A": "2", "B": "3"}], margins=[]).to_file(older)

    def run(*options):
        return CliRunner().invoke(main, ["audit", str(table), *options])

    release = fw.read_release(table)
    for named, one in [
        (["unimodal"], fw.laws.unimodal()),
        (["beta-binomial:2,5"], fw.laws.beta_binomial(a=2, b=5)),
        ([f"frequencies:{older}", "--smooth", "1"], fw.laws.frequencies_of([0, 1, 0, 3, 0], smooth=1)),
    ]:
        found = run("--csv", str(tmp_path / "cells.csv"), "--prior", *named)
        assert found.exit_code == 0, found.output
        law = fw.laws.prior(everywhere=one)
        assert f"Law {law.name}: {law.words}." in found.output
        written = (tmp_path / "cells.csv").read_text()
        fw.audit(release, law).cells.to_csv(tmp_path / "same.csv")
        assert written == (tmp_path / "same.csv").read_text()
    for options, words in [
        (["--prior", "bimodal"], "--prior bimodal: it is unimodal, beta-binomial:A,B or frequencies:FILE"),
        (["--prior", "beta-binomial:2"], "write it as beta-binomial:A,B"),
        (["--prior", "beta-binomial:2,0"], "--prior beta-binomial:2,0: A and B are numbers above 0"),
        (["--prior", "unimodal", "--law", "hypergeometric"], "--prior and --law"),
        (["--smooth", "1"], "--smooth goes with --prior frequencies:FILE"),
        (["--prior", f"frequencies:{tmp_path / 'nothing.csv'}"], "there is no such file"),
    ]:
        found = run(*options)
        assert found.exit_code == 2
        assert words in found.output


def test_a_prior_that_excludes_every_feasible_value_names_the_cell():
    release = fw.publish([[3, 1], [2, 4]], ["A", "B"])
    nowhere = fw.laws.frequencies_of([9, 9, 7])
    with pytest.raises(fw.InputError, match="prior on A=1, B=1 gives no probability to what .* possible: 0 to 4"):
        fw.audit(release, fw.laws.prior(everywhere=nowhere))
    assert fw.audit(release, fw.laws.prior(everywhere=replace(nowhere, smooth=0.1))).tables == 5
    known = fw.publish([[0, 5], [0, 5]], ["A", "B"])
    with pytest.raises(fw.InputError, match="prior on A=1, B=1 gives no probability to what .* possible: 0"):
        fw.audit(known, fw.laws.prior(everywhere=nowhere))
    rounded = fw.protect.random_round([[3, 1], [2, 9]], seed=1, exact=["A"])
    with pytest.raises(fw.InputError, match="prior on A=1, B=1 gives no probability to what .* possible: 2 to 4"):
        fw.audit(rounded, fw.laws.prior([(CORNER, {0: 1, 1: 1})]))


def test_a_prior_and_evidence_that_exclude_each_other_name_the_cell():
    release = fw.publish([[3, 1], [2, 4]], ["A", "B"])
    even = fw.protect.Evidence(np.array([0]), np.array([1]), 0, np.array([0.0, -np.inf, 0.0, -np.inf, 0.0]))
    with pytest.raises(fw.InputError, match="together they rule out every value of A=1, B=1, between 0 and 4"):
        fw.audit(replace(release, evidence=(even,)), fw.laws.prior([(CORNER, {1: 1, 3: 1})]))


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ({"A": 1}, "takes a list of pairs"),
        ([CORNER], "takes pairs of a cell"),
        ([], "needs at least one cell"),
        ([(CORNER, {0: -0.5, 1: 1})], "gives -0.5 for 0; a probability is a finite number of at least 0"),
        ([(CORNER, {0: math.inf})], "gives inf for 0"),
        ([(CORNER, {0: 0.0})], "gives no value a probability above 0"),
        ([(CORNER, [0.5, 0.5])], "must be a dict of value -> probability, a function"),
        ([(CORNER, lambda x: math.nan)], "prior on A=1, B=1 gives nan for 0"),
        ([(CORNER, {9: 1})], "the prior on A=1, B=1 gives no probability to what .* possible: 0 to 4"),
        ([(CORNER, {1: 1}), (dict(CORNER), {2: 1})], "A=1, B=1 has two priors"),
        ([({"A": "1"}, {1: 1})], "A=1, B=Total is a sum of several"),
        ([({"A": "1", "B": "x"}, {1: 1})], "dim 'B' has no label 'x'"),
        ([(CORNER, {0.5: 1})], "the prior on A=1, B=1: 0.5 is not a whole number"),
        ([(CORNER, {0: 1}), ({"A": "1", "B": "2"}, {0: 1})], "leave no possible table"),
    ],
)
def test_what_is_refused(cells, words):
    release = fw.publish([[3, 1], [2, 4]], ["A", "B"])
    with pytest.raises(fw.InputError, match=words):
        fw.audit(release, fw.laws.prior(cells))


def test_wrong_priors_everywhere():
    with pytest.raises(fw.InputError, match="leaves no cell for otherwise="):
        fw.laws.prior(everywhere=fw.laws.unimodal(), otherwise="uniform")
    with pytest.raises(fw.InputError, match="the prior everywhere must be a dict of value"):
        fw.laws.prior(everywhere="unimodal")
    with pytest.raises(fw.InputError, match=r"unimodal\(peak=-1\): a number of at least 0"):
        fw.laws.unimodal(-1)
    with pytest.raises(fw.InputError, match=r"frequencies_of\(smooth=nan\): a number of at least 0"):
        fw.laws.frequencies_of([1, 2], smooth=math.nan)


def test_wrong_beta_binomials():
    with pytest.raises(fw.InputError, match=r"beta_binomial\(trials=-1\)"):
        fw.laws.beta_binomial(-1, 1, 1)
    with pytest.raises(fw.InputError, match=r"beta_binomial\(b=0\): a number above 0"):
        fw.laws.beta_binomial(3, 1, 0)
