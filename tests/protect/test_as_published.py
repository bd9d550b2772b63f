"""Releases with evidence: against naive enumeration, in files, linked, as outsiders read them, and in words."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from support.effort import examples
from support.naive import tables as naive

import fiberwalk as fw

TABLE = xr.DataArray(
    [[4, 9, 0], [2, 7, 1]], dims=["A", "B"], coords={"A": ["a", "b"], "B": ["x", "y", "z"]}, name="count"
)


def coin(base):
    """P(published | true) of random rounding, as its definition says it."""

    def p(figure, true):
        down = true // base * base
        up = (true - down) / base
        return (1 - up) * (figure == down) + up * (figure == down + base)

    return p


@examples(25)
@given(
    st.lists(st.integers(0, 5), min_size=4, max_size=6), st.integers(2, 4), st.integers(0, 99), st.integers(0, 3),
    st.sampled_from(["uniform", "hypergeometric"]),
)  # fmt: skip
def test_evidence_times_the_law_over_the_fiber_of_what_is_exact(counts, base, seed, which, law):
    values = np.array(counts[: len(counts) // 2 * 2]).reshape(2, -1)
    exact, through = [(["A", "B"], []), (["A"], ["B"]), (["A"], []), ([""], ["A"])][which]
    release = fw.protect.random_round(values, base, seed=seed, exact=exact, margins=through)
    weight = {"uniform": naive.uniform, "hypergeometric": naive.hypergeometric}[law]
    summed, columns = [""] * values.shape[1], list(range(values.shape[1]))
    groups = {"A": [[0, 1], summed], "B": [["", ""], columns], "": [["", ""], summed]}
    facts = [fact for name in exact for fact in naive.margin_facts(values, groups[name])]
    p, published = coin(base), release.published.values.ravel()
    sums = [cells for name in through for cells, *_ in naive.margin_facts(values, groups[name])]
    seen = [release.sum_figures[key] for key in release.sum_figures]

    def likely(table):
        said = math.prod(p(y, x) for y, x in zip(published, table, strict=True))
        return weight(table) * said * math.prod(p(y, sum(table[i] for i in s)) for y, s in zip(seen, sums, strict=True))

    try:
        tables = naive.tables(values.size, facts)
    except naive.TooMany:
        return
    audit = fw.audit(release, law)
    for number, (a, b) in enumerate(itertools.product(range(2), range(values.shape[1]))):
        law_of = {value: q for value, q in naive.pmf(tables, [number], likely).items() if q > 0}
        found = audit.pmf(A=str(a + 1), B=str(b + 1))
        assert found[found > 0].to_dict() == pytest.approx(law_of, abs=1e-9)


def test_cells_that_no_fact_speaks_of_take_their_expected_count_from_the_figure():
    release = fw.protect.random_round([[4, 9]], base=3, seed=1)
    figure = int(release.published[0, 0])
    values = np.arange(max(figure - 2, 0), figure + 3)
    p = np.array([coin(3)(figure, x) for x in values])
    mean = values @ p / p.sum()
    weights = p * mean**values / np.array([math.factorial(x) for x in values], dtype=float)
    found = fw.audit(release, "hypergeometric").pmf(A="1", B="1")
    assert found.to_numpy() == pytest.approx(weights / weights.sum())


# --- keys ----------------------------------------------------------------------------------------------------------


def test_keyed_cells_are_rounded_alike_in_every_table_and_count_once():
    other = xr.DataArray([[7, 6], [5, 5]], dims=["A", "C"], coords={"A": ["a", "b"], "C": ["p", "q"]})
    first = fw.protect.random_round(TABLE, seed=8, margins=["A", ""], keys="labels")
    second = fw.protect.random_round(other, seed=8, margins=["A", ""], keys="labels")
    both = fw.linked([first, second])
    shared = len(first.evidence) + len(second.evidence) - len(both.evidence)
    assert shared == 3  # the totals of a and b, and of all
    assert both.likelihood == "exact"
    again = fw.linked([first, fw.protect.random_round(TABLE, seed=8, margins=["A", ""], keys="labels")])
    assert fw.audit(again).cells.equals(fw.audit(first).cells)
    # Fresh random numbers are a second look at the cell, and count.
    fresh = [fw.protect.random_round(TABLE, seed=seed) for seed in (1, 2)]
    assert len(fw.linked(fresh).evidence) == 12
    crossed = fw.linked([first, second], full=True)
    assert len(crossed.evidence) == len(both.evidence)
    assert crossed.n_cells == 12


def test_tables_that_claim_the_same_keys_must_agree():
    one, two = (fw.protect.random_round([[1, 1], [1, 1]], seed=seed, keys="labels") for seed in (1, 2))
    assert not (one.published == two.published).all()
    with pytest.raises(
        fw.InputError, match="keys='labels' but different seeds, so that their keys differ; protect both"
    ):
        fw.linked([one, two])
    with pytest.raises(fw.Contradiction, match="published as . in one table and as . in another, though both say"):
        fw.linked([one.without_truth(), two.without_truth()])


def test_linked_tables_whose_random_numbers_depend_on_each_other_are_never_exact():
    rows = TABLE.sum("B")
    keys = xr.zeros_like(TABLE, dtype=np.uint64) + 3
    dependent = {
        "with the same seed": [
            fw.protect.random_round(TABLE, seed=1),
            fw.protect.add_noise(rows, {-1: 0.5, 1: 0.5}, seed=1),
        ],
        "the same cells for another method": [fw.protect.random_round(TABLE, b, seed=1, keys="labels") for b in (3, 5)],
        "the same records have the same random number": [
            fw.protect.random_round(t, keys=k) for t, k in ((TABLE, keys), (rows, keys.sum("B")))
        ],
    }
    for words, releases in dependent.items():
        for full in (False, True):
            both = fw.linked(releases, full=full)
            assert both.likelihood == "cellwise approximation"
            assert all(words in one.words for one in both.applied)
    # Other seeds, other cells, or the same records in the same cells: nothing is left out.
    assert fw.linked([fw.protect.random_round(TABLE, b, seed=b, keys="labels") for b in (3, 5)]).likelihood == "exact"
    assert (
        fw.linked([fw.protect.random_round(t, b, seed=1, keys="labels") for t, b in ((TABLE, 3), (rows, 5))]).likelihood
        == "exact"
    )
    assert fw.linked([fw.protect.random_round(TABLE, seed=1, keys=keys)] * 2).likelihood == "exact"


def test_words_of_magnitudes_are_in_their_own_units():
    assert (
        "a multiple of 0.3 at random"
        in fw.protect.random_round(fw.table([[1.2, 0.5]], decimals=1), base=0.3).applied[0].words
    )
    said = fw.protect.add_noise(fw.table([[1.2, 0.5]], decimals=1), {-0.1: 0.5, 0.1: 0.5}).applied[0].words
    assert "from -0.1 to 0.1 (standard deviation 0.1," in said


def test_keys_of_records_follow_the_cell_and_a_total_is_then_no_independent_draw():
    rng = np.random.default_rng(3)
    keys = xr.zeros_like(TABLE, dtype=np.uint64)
    for place in np.ndindex(TABLE.shape):
        keys[place] = rng.integers(0, 2**64, int(TABLE[place]), dtype=np.uint64).sum()
    alone = fw.protect.random_round(TABLE, seed=1, keys=keys)
    turned = fw.protect.random_round(TABLE.T, seed=1, keys=keys)
    assert (alone.published == turned.published.T).all()
    assert alone.likelihood == "exact"
    assert fw.protect.random_round(TABLE, seed=1, keys=keys, margins=["A"]).likelihood == "cellwise approximation"
    with pytest.raises(fw.InputError, match="keys= must be a table like the one protected"):
        fw.protect.random_round(TABLE, keys=[[1, 2]])
    with pytest.raises(fw.InputError, match="keys='label': 'labels', a table"):
        fw.protect.random_round(TABLE, keys="label")


def test_label_keys_are_evenly_spread():
    figures = fw.protect.random_round(np.ones((60, 60), int), base=2, seed=5, keys="labels").published.values
    ups = int((figures == 2).sum())
    assert abs(ups - 1800) < 5 * math.sqrt(900)


# --- outsiders and files -------------------------------------------------------------------------------------------


def test_a_protected_file_read_by_an_outsider_says_the_same(tmp_path):
    release = fw.protect.random_round(TABLE, seed=4, exact=["A"], margins=["B"])
    path = tmp_path / "protected.csv"
    release.to_file(path)
    rows = pd.read_csv(path, dtype=str).set_index(["A", "B"])
    assert rows.loc[("a", "x")].tolist() == [str(int(release.published.sel(A="a", B="x"))), "p"]
    assert rows.loc[("a", "Total")].tolist() == ["13", "s"]
    read = fw.read_release(path)
    assert read.likelihood == "support only"
    assert "perturbed at random" in " ".join(read.notes)
    seen = fw.protect.as_protected(read, "random-round", base=3)
    assert seen.likelihood == "exact"
    assert fw.audit(seen).cells.equals(fw.audit(release.without_truth()).cells)
    assert (seen.published == release.published).all()


def test_perturbed_cells_without_a_status(tmp_path):
    path = tmp_path / "rounded.csv"
    path.write_text("A,B,value\n1,1,3\n1,2,9\n2,1,3\n2,2,9\n1,Total,13\n2,Total,9\n")
    with pytest.raises(fw.InputError, match="13"):
        fw.read_release(path)
    read = fw.read_release(path, perturbed=True)
    rows = pd.Series([13, 9], index=pd.Index(["1", "2"], name="A"))
    same = fw.protect.as_protected([[3, 9], [3, 9]], "random_round", base=3, exact=[rows])
    assert fw.audit(fw.protect.as_protected(read, "random_round", base=3)).cells.equals(fw.audit(same).cells)
    with pytest.raises(fw.InputError, match="no figure of this release is marked as perturbed"):
        fw.protect.as_protected(fw.publish([[1, 2]], ["A"]), "random_round")


def test_neither_truth_nor_seed_leave_the_agency(tmp_path):
    release = fw.protect.random_round(TABLE, seed=987654, exact=["A"])
    assert release.applied[0].seed == 987654
    assert all(one.seed is None for one in release.without_truth().applied)
    release.to_file(tmp_path / "protected.csv")
    assert "987654" not in (tmp_path / "protected.csv").read_text()
    assert "987654" not in " ".join(release.notes)
    fresh = fw.protect.random_round(TABLE, seed=None)
    assert (fw.protect.random_round(TABLE, seed=fresh.applied[0].seed).published == fresh.published).all()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fw.protect.as_protected([[3, 8]], "random_round", base=3), "B=2, published as 8: random rounding cannot"),
        (lambda: fw.protect.as_protected([[3, 9]], "random_rund"), "no method 'random_rund'; did you mean 'random_round'"),
        (lambda: fw.protect.as_protected([[3, 9]], "random_round", bas=3), "random_round has no parameter 'bas'"),
        (lambda: fw.protect.as_protected([[3, 9]], "random_round", exact=["A"]), "'A' is a name; an outsider gives the"),
        (lambda: fw.protect.as_protected([[3, 9]], "random_round", exact=[[1, 2]]), "a table over dims without names"),
        (lambda: fw.protect.random_round([[3, 9]], base=0), "the base must be positive"),
        (lambda: fw.protect.random_round([[3, 9]], base=10**9), "choose a smaller base or a coarser unit"),
        (lambda: fw.protect.window_matrix(0.5, 5), "needs stay= and width= for the same counts"),
        (lambda: fw.protect.simulate([[3, 9], [1, 2]], ["A"], seed=1).to_file("out.jj"), "a JJ file holds true values"),
        (lambda: fw.merge([[3, 9]], {}), "merges nothing: name a dim"),
        (lambda: fw.protect.complementary_suppress([[1, 9], [5, 6]], rule="< 3", percent=[1]), "at most 100"),
        (lambda: fw.protect.random_round([[3, 9]], seed=-1), "seed=-1: a whole number of at least 0"),
    ],
)  # fmt: skip
def test_errors_say_what_to_do(call, words):
    with pytest.raises(fw.FiberwalkError, match=words.replace("(", r"\(").replace(".", r"\.")):
        call()


# --- words ---------------------------------------------------------------------------------------------------------


def test_audit_certificate_and_report_repeat_the_word(tmp_path):
    from fiberwalk.report.words import doubts, how_known

    release = fw.protect.random_round(TABLE, seed=4, exact=["A", "B"])
    audit = fw.audit(release)
    assert audit.certificate.likelihood == "exact"
    assert "Likelihood exact: how probable random rounding makes what was published" in "\n".join(how_known(audit))
    weaker = replace(release, applied=(replace(release.applied[0], likelihood="cellwise approximation"),))
    audit = fw.audit(weaker)
    assert audit.certificate.likelihood == "cellwise approximation"
    assert "likelihood: cellwise approximation" in repr(audit)
    assert doubts(audit)[0][0] == "likelihood: cellwise approximation"
    audit.to_html(tmp_path / "report.html")
    assert "Likelihood: cellwise approximation" in (tmp_path / "report.html").read_text()
    audit.save(tmp_path / "audit.fw")
    assert fw.load(tmp_path / "audit.fw").certificate == audit.certificate
    assert fw.suppress(TABLE, where=TABLE < 3).likelihood == "support only"
    assert fw.suppress(TABLE, rule="< 3", rule_known=True, flags=True).likelihood == "exact"
    assert fw.round_to(TABLE, 3).likelihood == "exact"
    assert fw.round_to(TABLE, 3, "within").likelihood == "support only"
    assert fw.merge(TABLE, {"B": {"xy": ["x", "y"]}}).likelihood == "exact"
    assert fw.linked([fw.round_to(TABLE, 3), weaker]).likelihood == "cellwise approximation"


def test_published_is_what_a_reader_sees():
    assert np.isnan(fw.suppress(TABLE, where=TABLE < 3).published.sel(A="b", B="x"))
    assert (fw.publish(TABLE, ["A,B"]).published == TABLE).all()
    assert (fw.round_to(TABLE, 3).published == [[3, 9, 0], [3, 6, 0]]).all()
    rows = fw.publish(TABLE.sum("B"), ["A"])
    with pytest.raises(fw.InputError, match="no one published table"):
        _ = fw.linked([fw.publish(TABLE, ["A", "B"]), rows]).published


def test_an_audit_shows_what_was_published_beside_what_it_gives_away():
    release = fw.protect.random_round(TABLE, base=3, seed=1, margins=[""])
    cells = fw.audit(release, hidden_margins=[""]).cells
    figures = release.published.values
    assert cells.loc[:, "published"].drop(("Total",) * figures.ndim).sum() == figures.sum()
    assert cells["published"].iloc[0] % 3 == 0
    assert "published" not in fw.audit(fw.suppress(TABLE, rule="< 3")).cells


def test_outsiders_know_that_controlled_rounding_adds_up():
    values = np.array([[4, 8, 5], [2, 7, 3], [1, 1, 4]])
    for margins in (None, ["A"]):
        inside = fw.protect.controlled_round(values, 3, seed=1, margins=margins)
        outside = fw.protect.as_protected(inside.published, "controlled_round", base=3, margins=margins)
        assert fw.count(outside) == fw.count(inside)
        assert (outside.applied[0].name, outside.likelihood) == ("controlled rounding", "support only")


def test_the_report_doubts_an_approximation_of_crossed_tables(tmp_path):
    both = fw.linked(
        [fw.protect.random_round(t, seed=1, exact=[""]) for t in (TABLE.sum("B"), TABLE.sum("A"))], full=True
    )
    page = tmp_path / "audit.html"
    fw.audit(both).to_html(page)
    assert "likelihood: cellwise approximation" in page.read_text()


def test_random_figures_of_crossed_tables_survive_a_file_and_none_is_dropped(tmp_path):
    path = tmp_path / "both.csv"
    rows = fw.protect.random_round(TABLE.sum("B"), seed=1)
    both = fw.linked([rows, fw.protect.random_round(TABLE.sum("A"), seed=2)], full=True)
    both.to_file(path)
    outside = fw.protect.as_protected(fw.read_release(path), "random_round", base=3)
    assert np.allclose(fw.audit(outside).cells["mean"], fw.audit(both).cells["mean"])
    # Two looks at the rows do not fit into one file; and an outsider reads linked files one by one.
    with pytest.raises(fw.InputError, match="A=a, B=Total was published twice, by two random draws"):
        fw.linked([rows, fw.protect.random_round(TABLE, seed=3, margins=["A"])], full=True).to_file(path)
    with pytest.raises(
        fw.InputError, match="reads one table: give it each release by itself, and link them afterwards"
    ):
        fw.protect.as_protected(fw.linked([rows, fw.protect.random_round(TABLE, seed=3)]), "random_round")
