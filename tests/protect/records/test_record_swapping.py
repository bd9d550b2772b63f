"""Methods that move records: what they keep, the laws they claim, and how far an approximation is off."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import gammaln
from support.naive.moved_records import check_facts, counted, far_off

import fiberwalk as fw
from fiberwalk.fiber.laws.log_linear_model import fit
from fiberwalk.protect.perturbation.kept_totals import kept_margins
from fiberwalk.protect.perturbation.markov_perturbation import (
    corner_range,
    largest_theta,
    log_step_likelihood,
    step,
)
from fiberwalk.protect.records.simulated_tables import draws_of
from fiberwalk.protect.records.swapped_pairs import pairs_wanted, swapped
from fiberwalk.protect.records.swapping_evidence import MANY, category_law

# --- record swapping: a slow twin -------------------------------------------------------------------------------


def fiber_of(margins: tuple[tuple[int, ...], tuple[int, ...]]) -> list[np.ndarray]:
    """Every two-way table with these row and column sums."""
    rows, columns = (np.array(one) for one in margins)
    corner = product(*(range(min(r, c) + 1) for r in rows[:-1] for c in columns[:-1]))
    found = []
    for values in corner:
        table = np.zeros((len(rows), len(columns)), dtype=np.int64)
        table[:-1, :-1] = np.reshape(values, (len(rows) - 1, len(columns) - 1))
        table[:-1, -1] = rows[:-1] - table[:-1, :-1].sum(axis=1)
        table[-1] = columns - table[:-1].sum(axis=0)
        if (table >= 0).all():
            found.append(table)
    return found


def swap_law(table: np.ndarray, rate: float, small: int = 0) -> dict[bytes, float]:
    """P(published | table), by going through all pairs of records one after the other."""
    least, more, most = pairs_wanted(table.sum(axis=1), rate)
    law: dict[bytes, float] = defaultdict(float)
    places = list(np.ndindex(table.shape))
    first_kind = table <= small

    def go_on(unused: np.ndarray, now: np.ndarray, pairs: int, chance: float) -> None:
        ways = [(a, b, unused[a] * unused[b]) for a in places for b in places if a[0] != b[0]]
        ways = [one for one in ways if one[2]]
        begun = [one for one in ways if first_kind[one[0]]]
        if begun:  # the first of a pair is uniform among the targeted ones, whatever the number of its partners
            ways = [(a, b, unused[a] * unused[b] / (unused.sum() - unused[a[0]].sum())) for a, b, _ in begun]
        if not pairs or not ways:
            law[now.tobytes()] += chance
            return
        for a, b, weight in ways:
            left, after = unused.copy(), now.copy()
            left[a] -= 1
            left[b] -= 1
            after[a] -= 1
            after[b] -= 1
            after[b[0], a[1]] += 1
            after[a[0], b[1]] += 1
            go_on(left, after, pairs - 1, chance * weight / sum(one[2] for one in ways))

    go_on(table, table, min(least, most), 1.0 - more)
    if more:
        go_on(table, table, min(least + 1, most), more)
    return law


def gaps(margins, rate: float, small: int = 0, tries: int = 60) -> dict[str, float]:
    """How far the audit's law of a cell is from the true one: mean total variation over what may be published."""
    tables = fiber_of(margins)
    laws = [swap_law(one, rate, small) for one in tables]
    off = {"as declared": [], "every cell in full": [], "no evidence": []}
    random = np.random.default_rng(5)
    for seed in range(tries):
        release = fw.protect.swap(
            tables[random.integers(len(tables))], "A", rate=rate, targeted=small or None, seed=seed
        )
        published = release.published.values.astype(np.int64).tobytes()
        true = np.array([law[published] for law in laws])
        true /= true.sum()
        n = np.count_nonzero(release.published.values.sum(1)), np.count_nonzero(release.published.values.sum(0))
        full = n[0] * n[1] / ((n[0] - 1) * (n[1] - 1))
        readings = {
            "as declared": release,
            "every cell in full": replace(
                release, evidence=tuple(replace(e, log_weights=e.log_weights * full) for e in release.evidence)
            ),
            "no evidence": replace(release, evidence=()),
        }
        for name, reading in readings.items():
            found = fw.audit(reading)
            for a, b in np.ndindex(tables[0].shape):
                pmf = found.pmf(A=str(a + 1), B=str(b + 1))
                values = np.array([one[a, b] for one in tables])
                points = range(int(values.max()) + 1)
                off[name].append(0.5 * sum(abs(pmf.get(v, 0.0) - true[values == v].sum()) for v in points))
    return {name: float(np.mean(some)) for name, some in off.items()}


def gap(cells: int, small: int = 0) -> float:
    """The gap on tables of two categories and so many combinations, two records of each."""
    return gaps(((cells, cells), (2,) * cells), 0.4, small)["as declared"]


def tables_of(*shape: int):
    return arrays(np.int64, shape, elements=st.integers(0, 6))


# --- record swapping --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("small", [0, 1])
def test_swapped_tables_have_the_law_of_their_pairs(small):
    table = np.array([[2, 1, 0], [1, 1, 2], [0, 2, 0]])
    random = np.random.default_rng(1)
    counts = counted(swapped(table, 0.5, small, random) for _ in range(2500))
    assert not far_off(counts, swap_law(table, 0.5, small))
    assert far_off(counts, swap_law(table, 0.5, 1 - small))
    assert far_off(counts, swap_law(table, 0.4, small))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("margins", "rate", "small", "most"),
    [
        (((4, 5), (3, 6)), 0.3, 0, 1e-12),
        (((3, 3, 3), (3, 3, 3)), 1 / 3, 0, 0.05),
        (((3, 4), (2, 3, 2)), 0.4, 0, 0.02),
        (((3, 3, 3), (3, 3, 3)), 1 / 3, 1, 0.13),
    ],
)
def test_the_gap_of_the_cellwise_approximation(margins, rate, small, most):
    found = gaps(margins, rate, small, tries=30)
    assert found["as declared"] < most
    assert found["as declared"] < 0.8 * min(found["every cell in full"], found["no evidence"])


def strata(table, within):
    """The tables of A by all other dims in which partners are found."""
    if within == "":
        return [table.reshape(len(table), -1)]
    if within == "B":
        return [table[:, b].reshape(len(table), -1) for b in range(table.shape[1])]
    return [table[:, b, c] for b in range(table.shape[1]) for c in range(table.shape[2])]


@settings(max_examples=25, deadline=None)
@given(tables_of(3, 2, 2, 2), st.floats(0.05, 1), st.sampled_from([None, 2]), st.sampled_from(["", "B", "C,B"]))
def test_swapping_keeps_what_it_says(table, rate, targeted, within):
    if all((cut.sum(axis=0) > 0).sum() < 2 or (cut.sum(axis=1) > 0).sum() < 2 for cut in strata(table, within)):
        with pytest.raises(fw.InputError, match="no exchange of 'A' changes the table"):
            fw.protect.swap(table, "A", rate=rate, within=within, targeted=targeted, seed=3)
        return
    release = fw.protect.swap(table, "A", rate=rate, within=within, targeted=targeted, seed=3)
    published = release.published
    assert (published.values >= 0).all()
    assert (published.sum("A").values == table.sum(axis=0)).all()
    for dims in {"": ["A"], "B": ["A", "B"], "C,B": ["A", "B", "C"]}[within], ["B", "C", "D"]:
        gone = [d for d in published.dims if d not in dims]
        away = tuple(published.dims.index(d) for d in gone)
        assert (published.sum(gone).values == table.sum(axis=away)).all()
    check_facts(release)


def test_large_tables_are_swapped_in_good_time_or_refused():
    # Where many records move, the law of a cell is about normal: near the law in full, at a fraction of the work.
    category = category_law(np.array([5000, 6000, 4000]), 0, 0.3)
    near = category.normal(np.arange(400, 800), 600, 2000)
    full = np.exp(category.log_law(600, 2000)[1][400 - category.log_law(600, 2000)[0] :][:400])
    assert category.leaving @ category.chances * (600 / 5000 + 1400 / 10000) < MANY  # log_law is in full here
    assert np.abs(near / near.sum() - full / full.sum()).sum() / 2 < 0.005
    assert category_law(np.array([10**6, 10**6]), 0, 0.5).log_law(5 * 10**5, 10**6)[1].argmax() > 0
    for call in (
        lambda: fw.protect.swap([[10**9, 10**9], [10**9, 1]], "A"),
        lambda: fw.protect.swap_preserving([[10**9, 10**9], [10**9, 1]], 1),
    ):
        with pytest.raises(fw.TooLarge, match="one by one"):
            call()


def test_the_rate_is_the_share_of_records_swapped():
    table = np.array([[50, 0], [0, 50]])  # two kinds of records, each in one region: whoever is swapped shows
    random = np.random.default_rng(1)
    shares = [swapped(table, 0.13, 0, random)[0, 1] / 50 for _ in range(400)]
    assert set(shares) == {0.12, 0.14}
    assert np.mean(shares) == pytest.approx(0.13, abs=0.003)
    assert fw.protect.swap([[3, 1], [1, 0]], "A", rate=1.0, seed=1).published.sum("B").values.tolist() == [
        4,
        1,
    ]  # partners run out


def test_partners_may_share_a_larger_region():
    regions = {"North": ["N1", "N2"], "South": ["S1", "S2"]}
    table = xr.DataArray(
        [[9, 1], [1, 9], [8, 2], [2, 8]], dims=["region", "sex"], coords={"region": ["N1", "N2", "S1", "S2"]}
    )
    release = fw.protect.swap(
        fw.table(table, hierarchies={"region": regions}), "region", rate=0.5, within="region:1", seed=1
    )
    assert (release.published.values[:2].sum(axis=0) == [10, 10]).all()
    assert (release.published.values != table.values).any()
    check_facts(release)


def test_several_dims_are_exchanged_like_one_of_all_their_combinations():
    """The same draws, the same facts and the same evidence as if the two dims were one."""
    table = np.random.default_rng(4).poisson(3, (2, 3, 4))
    for targeted in (None, 2):
        two = fw.protect.swap(table, "A,B", rate=0.4, targeted=targeted, seed=7)
        one = fw.protect.swap(table.reshape(6, 4), "A", rate=0.4, targeted=targeted, seed=7)
        assert (two.published.values.reshape(6, 4) == one.published.values).all()
        assert (two.published.values != table).any()
        assert (
            fw.protect.swap(table, ["A", "B"], rate=0.4, targeted=targeted, seed=7).published == two.published
        ).all()
        for ours, theirs in zip(two.evidence, one.evidence, strict=True):
            assert (ours.cells == theirs.cells).all()
            assert (ours.first, ours.figure) == (theirs.first, theirs.figure)
            assert ours.log_weights == pytest.approx(theirs.log_weights)
        assert (two.sums.lower == one.sums.lower).all()
        check_facts(two)
    assert "exchanged their values of A and B in pairs" in two.applied[0].words
    larger = np.random.default_rng(5).poisson(3, (2, 3, 2, 2))
    within = fw.protect.swap(larger, "C,A", within="B", rate=0.5, seed=2)
    assert (within.published.sum(["A", "C"]).values == larger.sum(axis=(0, 2))).all()
    assert (within.published.sum("D").values == larger.sum(axis=3)).all()
    assert (within.published.values != larger).any()
    check_facts(within)


# --- swapping of order k ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "order"), [((3, 4), 1), ((2, 3, 3), 2), ((2, 2, 2, 2), 3)])
def test_order_swapping_keeps_every_margin_of_its_order(shape, order):
    for seed in range(4):
        table = np.random.default_rng(seed).integers(1, 7, shape)
        release = fw.protect.swap_preserving(table, order, swaps=5, seed=seed)
        check_facts(release)
        for kept in combinations(range(len(shape)), order):
            away = tuple(i for i in range(len(shape)) if i not in kept)
            assert (release.published.values.sum(axis=away) == table.sum(axis=away)).all()
        assert release.likelihood == "support only"
        assert "LOWER bound" in release.applied[0].words
    assert (fw.protect.swap_preserving(table, order, swaps=1, seed=1).published.values != table).any()


def test_a_share_of_the_records_is_moved():
    table = np.full((4, 4), 5)
    release = fw.protect.swap_preserving(table, 1, rate=0.2, seed=1)
    assert 0.2 <= np.abs(release.published.values - table).sum() / 2 / 80 < 0.23


# --- simulated tables -------------------------------------------------------------------------------------------


def test_simulated_tables_have_the_log_linear_law():
    margins = ((3, 2), (2, 2, 1))
    tables = fiber_of(margins)
    law = {one.tobytes(): float(np.exp(-gammaln(one + 1.0).sum())) for one in tables}
    law = {key: weight / sum(law.values()) for key, weight in law.items()}
    drawn, _ = draws_of(fw.publish(tables[0], ["A", "B"]), 4000, 1)
    counts = counted(drawn)
    assert not far_off(counts, law)
    assert far_off(counts, dict.fromkeys(law, 1 / len(law)))


@pytest.mark.parametrize("fits", [None, ["A,B"]])
def test_a_simulated_table_depends_on_nothing_but_the_margins(fits):
    one, other = np.array([[3, 1, 2], [2, 4, 1]]), np.array([[5, 0, 1], [0, 5, 2]])
    for seed in range(3):
        both = [fw.protect.simulate(table, ["A", "B"], fits=fits, seed=seed) for table in (one, other)]
        assert (both[0].published.values == both[1].published.values).all()
        assert both[0].likelihood == "exact"
        assert not both[0].evidence
        check_facts(both[0])


def test_a_draw_is_kept_only_if_the_richer_model_fits():
    table = np.random.default_rng(3).integers(2, 20, (3, 2, 2))
    plain = [fw.protect.simulate(table, ["A,B", "C"], seed=seed).published for seed in range(3)]
    kept = [fw.protect.simulate(table, ["A,B", "C"], fits=["A,B", "C"], level=0.9, seed=seed) for seed in range(3)]
    assert min(fit(one, ["A,B", "C"]).p for one in plain) < 0.9
    assert min(fit(one.published, ["A,B", "C"]).p for one in kept) >= 0.9
    assert "a richer log-linear model fits it" in kept[0].applied[0].words


# --- Markov perturbation ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("theta", "row", "total"),
    [
        (0.05, [0, 0.0007, 0.0683, 0.7746, 0.1482, 0.0178, 0.0017, 0.0001, 0, 0, 0], 1.0115),
        (0.1, [0, 0.0026, 0.1151, 0.6193, 0.2235, 0.0515, 0.0096, 0.0016, 0.0002, 0, 0], 1.0235),
        (0.2, [0, 0.0088, 0.1655, 0.4382, 0.2708, 0.1121, 0.0380, 0.0114, 0.0032, 0.0008, 0.0002], 1.0490),
    ],
)
def test_table_3_of_the_paper(theta, row, total):
    """DFKPR01, Table 3, with its misprints corrected; transposing the square changes nothing."""
    for margins in (15, 18), (18, 15):
        low, logs = log_step_likelihood(3, *margins, 115, theta)
        assert low == 0
        assert np.exp(logs[:11]).round(4).tolist() == row
        assert np.exp(logs).sum() == pytest.approx(total, abs=5e-5)


@settings(max_examples=40, deadline=None)
@given(tables_of(2, 2), st.floats(0, 1))
def test_the_law_of_a_step_sums_to_one(square, theta):
    row, column, total = int(square[0].sum()), int(square[:, 0].sum()), int(square.sum())
    low, high = corner_range(row, column, total)
    sums = np.sum([np.exp(log_step_likelihood(y, row, column, total, theta)[1]) for y in range(low, high + 1)], axis=0)
    assert sums == pytest.approx(np.ones(high - low + 1))


@pytest.mark.parametrize("square", [[[2, 3], [4, 1]], [[3, 5], [2, 6]]])
def test_steps_have_the_law_they_claim(square):
    """The first square has units that cannot leave (lo = 1), the second is read transposed."""
    flat = np.ravel(square)
    row, column, total = int(flat[:2].sum()), int(flat[[0, 2]].sum()), int(flat.sum())
    low, high = corner_range(row, column, total)
    random = np.random.default_rng(2)
    seen = counted([flat[0] + step(flat, 0.3, random)] for _ in range(4000))

    def law(w: int) -> dict[bytes, float]:
        chances = [np.exp(log_step_likelihood(y, row, column, total, 0.3)[1][w - low]) for y in range(low, high + 1)]
        return {np.array([y], dtype=np.int64).tobytes(): p for y, p in zip(range(low, high + 1), chances, strict=True)}

    assert not far_off(seen, law(int(flat[0])))
    assert far_off(seen, law(int(flat[0]) + 1))


def test_one_square_of_a_table_is_audited_exactly():
    table = np.array([[1, 14, 4], [17, 83, 2], [5, 6, 7]])
    corners = ({"A": "1", "B": "1"}, {"A": "2", "B": "2"})
    release = fw.protect.markov_perturb(table, 0.2, squares=[corners], seed=4)
    published = int(release.published.values[0, 0])
    low, logs = log_step_likelihood(published, 15, 18, 115, 0.2)
    found = fw.audit(release)
    assert release.likelihood == "exact"
    assert len(found.cells) == 4
    pmf = found.pmf(A="1", B="1")
    true = np.exp(logs) / np.exp(logs).sum()
    assert [pmf.get(w, 0.0) for w in range(low, low + len(true))] == pytest.approx(true.tolist())
    assert (release.published.values[2] == table[2]).all()
    assert (release.published.values[:, 2] == table[:, 2]).all()
    check_facts(release)


@settings(max_examples=20, deadline=None)
@given(tables_of(2, 3, 2), st.floats(0, 1), st.sampled_from([None, ["A,B"], ["A,B", "B,C"]]), st.booleans())
def test_squares_keep_the_margins_that_miss_one_of_their_dims(table, theta, dims, adjacent):
    release = fw.protect.markov_perturb(table, theta, dims=dims, squares="adjacent" if adjacent else "all", seed=7)
    kept = {None: ["A", "B", "C"], 1: ["A,C", "B,C"], 2: ["A,C", "B"]}[dims and len(dims)]
    for margin in kept:
        away = [dim for dim in "ABC" if dim not in margin.split(",")]
        axes = tuple("ABC".index(dim) for dim in away)
        assert (release.published.sum(away).values == table.sum(axis=axes)).all()
        assert {tuple(key) for key in release.margin(margin)[0].tolist()} <= {
            tuple(key) for key in release.shown.tolist()
        }
    check_facts(release)
    assert release.likelihood == "exact"
    assert release.applied[0].beyond_evidence
    assert "tables in between are hidden" in release.applied[0].words


def test_the_likelihood_of_disjoint_squares_is_evidence_and_that_of_overlapping_ones_is_not():
    table = np.arange(1, 17).reshape(4, 4)
    a, b, c, d = ({"A": str(i), "B": str(i)} for i in range(1, 5))
    e = {"A": "2", "B": "4"}
    apart = fw.protect.markov_perturb(table, 0.1, squares=[(a, b), (c, d)], seed=1)
    beside = fw.protect.markov_perturb(table, 0.1, squares=[(a, b), ({"A": "1", "B": "3"}, e)], seed=1)
    meeting = fw.protect.markov_perturb(table, 0.1, squares=[(a, b), (b, c)], seed=1)
    assert [one.likelihood for one in (apart, beside, meeting)] == ["exact"] * 3
    assert [one.applied[0].beyond_evidence for one in (apart, beside, meeting)] == [False, False, True]
    assert [len(one.sums) for one in (apart, beside, meeting)] == [8, 8, 6]
    assert "(A=1, B=1) + (A=1, B=2)" in beside.sums.words  # in the same rows, but each square keeps its own totals
    for one in (apart, beside, meeting):
        check_facts(one)


def test_the_squares_are_public_in_their_order_unless_that_is_secret(tmp_path):
    table = np.random.default_rng(1).integers(0, 9, (4, 3))
    orders = {}
    for order in ("given", "random", "secret"):
        public = fw.protect.markov_perturb(table, 0.2, order=order, seed=5).without_truth().applied[0].mechanism
        assert public.theta == 0.2
        assert public.order_known == (order != "secret")
        orders[order] = public.squares.cells.tolist()
    assert orders["given"][0] == [0, 1, 3, 4]
    assert len(orders["given"]) == 6
    assert orders["secret"] == orders["given"] != orders["random"]
    assert sorted(orders["random"]) == orders["given"]
    fw.audit(fw.protect.markov_perturb(table, 0.2, seed=5)).save(tmp_path / "audit")
    assert fw.load(tmp_path / "audit").release.applied[0].mechanism.squares.cells.tolist() == orders["random"]
    assert largest_theta(15, 18, 115) == pytest.approx(2 / 7)
    assert kept_margins(4, frozenset({(0, 1), (1, 2)})) == [(0, 2, 3), (1, 3)]


# --- bad input --------------------------------------------------------------------------------------------------

SMALL = [[3, 1], [2, 4]]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fw.protect.swap(SMALL, "region"), "swap() exchanges the values of 'region', which is no dim"),
        (lambda: fw.protect.swap(SMALL, "A", rate=0), "swap(rate=0): the share of records that are swapped"),
        (lambda: fw.protect.swap(SMALL, "A", within="A"), "they cannot agree in it"),
        (lambda: fw.protect.swap(SMALL, "A", targeted=0), "swap(targeted=0): a whole number of records"),
        (lambda: fw.protect.swap([3, 4], "A"), "no exchange of 'A' changes the table"),
        (lambda: fw.protect.swap(SMALL, "A", within="B"), "name fewer dims in within="),
        (
            lambda: fw.protect.swap(SMALL, "A", within=3),
            "a margin is named by its dims, as 'A,B' or ('A', 'B'); this is 3.",
        ),
        (lambda: fw.protect.swap(SMALL, "A,C"), "swap() exchanges the values of 'C', which is no dim"),
        (lambda: fw.protect.swap(SMALL, ["A", "A"]), "swap() exchanges the values of 'A' once; it is named twice."),
        (lambda: fw.protect.swap(SMALL, ""), "swap() needs the dim whose values are exchanged, or several."),
        (lambda: fw.protect.swap(SMALL, "A,B"), "no exchange of 'A' and 'B' changes the table"),
        (
            lambda: fw.protect.swap(SMALL, "A", columns=["A"]),
            "swap(columns=) names the dims of microdata, and goes with household=",
        ),
        (
            lambda: fw.protect.swap(fw.table([[1.5]], decimals=1), "A"),
            "swap() is for counts, and this table has decimals",
        ),
        (lambda: fw.protect.swap_preserving([3, 4]), "needs at least two dims"),
        (lambda: fw.protect.swap([[1.5]], "A"), "is not a whole number"),
        (lambda: fw.protect.swap_preserving(SMALL, 2), "the margins that stay have from 1 to 1 of the 2 dims"),
        (lambda: fw.protect.swap_preserving(SMALL, 1, swaps=2, rate=0.1), "not both"),
        (
            lambda: fw.protect.swap_preserving(SMALL, 1, swaps=0),
            "swap_preserving(swaps=0): a whole number of at least 1",
        ),
        (
            lambda: fw.protect.swap_preserving(SMALL, 1, rate=2),
            "swap_preserving(rate=2): the share of records that move",
        ),
        (
            lambda: fw.protect.swap_preserving([[3, 0], [2, 0]], 1),
            "these margins decide every cell, and no record can move",
        ),
        (
            lambda: fw.protect.swap_preserving([[0, 1], [1, 1]], 1, rate=0.9, seed=1),
            "ask for less, or choose a lower number",
        ),
        (lambda: fw.protect.simulate(SMALL, []), "simulate() needs margins="),
        (lambda: fw.protect.simulate(SMALL, ["A,B"]), "a simulated table would be the true one"),
        (lambda: fw.protect.simulate(SMALL, ["A"], level=1), "the least p-value of a fit, between 0 and 1"),
        (lambda: fw.protect.simulate(SMALL, ["A"], statistic="chi"), "'likelihood-ratio' or 'chi-square'"),
        (lambda: fw.protect.simulate(SMALL, ["A"], max_tries=0), "a whole number of at least 1"),
        (
            lambda: fw.protect.simulate(
                [[3, 1], [2, 5]], ["A", "B"], fits=["A", "B"], level=0.999, max_tries=4, seed=1
            ),
            "the model of fits= fits none of 4 simulated tables",
        ),
        (lambda: fw.protect.markov_perturb(SMALL, 1.2), "theta=1.2: the probability of moving out, from 0"),
        (lambda: fw.protect.markov_perturb([1, 2], 0.1), "a square needs two dims"),
        (lambda: fw.protect.markov_perturb(SMALL, 0.1, order="any"), "'random', 'secret' or 'given'"),
        (lambda: fw.protect.markov_perturb(SMALL, 0.1, squares="some"), "'adjacent', 'all', or a list of squares"),
        (lambda: fw.protect.markov_perturb(SMALL, 0.1, squares=[]), "list at least one square"),
        (lambda: fw.protect.markov_perturb(SMALL, 0.1, dims=["A"]), "a square lies in two dims"),
        (lambda: fw.protect.markov_perturb(np.ones((70, 70), int), 0.1, squares="all"), "5,832,225 such squares"),
        (
            lambda: fw.protect.markov_perturb(SMALL, 0.1, squares=[({"A": "1", "B": "1"}, {"A": "1", "B": "2"})]),
            "its corners must differ in two dims, not in 1",
        ),
        (
            lambda: fw.protect.markov_perturb([[1, 14], [17, 83]], 0.3, capped=False, seed=1),
            "theta=0.3 is too large for the square with the corner A=1, B=1: there it may be from 0 to 0.2857",
        ),
    ],
)
def test_bad_input_is_refused_in_words(call, words):
    with pytest.raises(fw.InputError) as refused:
        call()
    assert words in str(refused.value)
