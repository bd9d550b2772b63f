"""The kernels of fiber/ against naive twins: propagation, row spaces, blocks, and the walk through all tables."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from support.effort import examples

import fiberwalk as fw
from fiberwalk.fiber.blocks.presolve import presolve
from fiberwalk.fiber.equations.propagation import tighten
from fiberwalk.fiber.equations.rowspace import independent_rows, reduced
from fiberwalk.fiber.exact import chooser as exact
from fiberwalk.fiber.exact import enumeration
from fiberwalk.fiber.exact.elimination import eliminate_block
from fiberwalk.fiber.exact.enumeration import enumerate_block
from fiberwalk.fiber.exact.solved import Budget

OFTEN = examples(300)


@st.composite
def systems(draw):
    """A small system with any coefficients, and one table that satisfies it."""
    n, m = draw(st.integers(1, 5)), draw(st.integers(0, 4))
    A = np.array(draw(st.lists(st.integers(-2, 3), min_size=n * m, max_size=n * m)), dtype=np.int64).reshape(m, n)
    start = np.array(draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)), dtype=np.int64)
    lower = np.array([draw(st.integers(-2, int(s))) for s in start], dtype=np.int64)
    upper = np.array([draw(st.integers(int(s), 5)) for s in start], dtype=np.int64)
    return A, A @ start, lower, upper


def all_tables(A, b, lower, upper):
    """Every table of a system, by trying all."""
    ranges = [range(low, high + 1) for low, high in zip(lower, upper, strict=True)]
    return [x for x in itertools.product(*ranges) if (A @ np.array(x) == b).all()]


def by_elimination(A, b, lower, upper, logs):
    try:
        return eliminate_block(sp.csr_array(A), b, lower, upper, logs or [None] * len(lower), Budget())
    except fw.TooLarge:
        assert logs is not None  # only weights that are too far apart are refused
        assume(False)


@OFTEN
@given(systems(), st.booleans(), st.data())
def test_each_exact_method_sees_every_table_once(system, weighted, data):
    A, b, lower, upper = system
    found = all_tables(A, b, lower, upper)
    logs = None
    if weighted:
        choices = st.sampled_from([-math.inf, -800.0, -1.0, 0.0, 2.0, 900.0])
        logs = [
            np.array(data.draw(st.lists(choices, min_size=int(high - low) + 1, max_size=int(high - low) + 1)))
            if data.draw(st.booleans())
            else None
            for low, high in zip(lower, upper, strict=True)
        ]
    nats = [sum(one[x[j] - lower[j]] for j, one in enumerate(logs) if one is not None) if logs else 0.0 for x in found]
    if logs and any(one is not None for one in logs):
        found = [x for x, w in zip(found, nats, strict=True) if w > -math.inf]
        nats = [w for w in nats if w > -math.inf]
    solved = data.draw(st.sampled_from([enumerate_block, by_elimination]))(A, b, lower, upper, logs)
    assert solved.tables == len(found)
    if not found:
        return
    top = max(nats)
    total = math.fsum(math.exp(w - top) for w in nats)
    for j in range(len(lower)):
        for value in range(lower[j], upper[j] + 1):
            here = [w for x, w in zip(found, nats, strict=True) if x[j] == value]
            assert solved.possible[j][value - lower[j]] == bool(here)
            mass = math.fsum(math.exp(w - top) for w in here) / total
            assert solved.weights[j][value - lower[j]] == pytest.approx(mass, abs=1e-12)


@OFTEN
@given(systems())
def test_propagation_keeps_every_table(system):
    A, b, lower, upper = system
    found = np.array(all_tables(A, b, lower, upper)).reshape(-1, len(lower))
    low, high = lower.copy(), upper.copy()
    assert tighten(sp.csr_array(A), b, low, high) == -1  # it has a table
    assert (low >= lower).all()
    assert (high <= upper).all()
    assert (found >= low).all()
    assert (found <= high).all()


def naive_propagation(A, b, lower, upper):
    """The same, one row and one column at a time, in the plainest way."""
    lower, upper = lower.copy(), upper.copy()
    changed = True
    while changed:
        changed = False
        for row, side in zip(A, b, strict=True):
            for j in np.flatnonzero(row):
                rest = [c for c in np.flatnonzero(row) if c != j]
                least = sum(min(row[c] * lower[c], row[c] * upper[c]) for c in rest)
                most = sum(max(row[c] * lower[c], row[c] * upper[c]) for c in rest)
                fits = [x for x in range(lower[j], upper[j] + 1) if least <= side - row[j] * x <= most]
                if fits[0] > lower[j] or fits[-1] < upper[j]:
                    lower[j], upper[j] = fits[0], fits[-1]
                    changed = True
    return lower, upper


@OFTEN
@given(systems())
def test_propagation_is_as_sharp_as_its_naive_twin(system):
    A, b, lower, upper = system
    expected = naive_propagation(A, b, lower, upper)
    low, high = lower.copy(), upper.copy()
    tighten(sp.csr_array(A), b, low, high)
    assert (low.tolist(), high.tolist()) == (expected[0].tolist(), expected[1].tolist())


@pytest.mark.parametrize("side", [7, -1])
def test_propagation_finds_what_cannot_hold(side):
    low, high = np.zeros(2, np.int64), np.full(2, 3)
    assert tighten(sp.csr_array(np.array([[1, 1]])), np.array([side]), low, high) == 0


def naive_rank(A) -> int:
    """Gaussian elimination in fractions."""
    rows = [[Fraction(int(v)) for v in row] for row in A]
    rank = 0
    for j in range(A.shape[1]):
        pivot = next((i for i in range(rank, len(rows)) if rows[i][j]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for i in range(len(rows)):
            if i != rank and rows[i][j]:
                factor = rows[i][j] / rows[rank][j]
                rows[i] = [a - factor * c for a, c in zip(rows[i], rows[rank], strict=True)]
        rank += 1
    return rank


@OFTEN
@given(st.integers(1, 6), st.integers(1, 6), st.data())
def test_row_spaces(rows, columns, data):
    entries = data.draw(st.lists(st.integers(-2, 2), min_size=rows * columns, max_size=rows * columns))
    A = np.array(entries, dtype=np.int64).reshape(rows, columns)
    rank = naive_rank(A)
    assert len(independent_rows(A)) == rank
    assert naive_rank(A[independent_rows(A)]) == rank
    form = reduced(A)
    if form is not None:
        assert len(form[1]) == rank
        assert naive_rank(np.vstack([A, form[0]])) == rank
        assert (form[0][:, form[1]] == np.eye(rank)).all()


def test_a_form_that_is_not_whole_is_not_trusted():
    assert reduced(np.array([[2, 1, 0], [0, 2, 1]])) is None


def test_redundant_totals_do_not_tie_blocks_together():
    # two independent columns of pairs; the grand total is implied
    release = fw.publish([[1, 2], [3, 4]], ["B", ""])
    assert len(presolve(release).blocks) == 2
    assert fw.count(release) == 5 * 7


def test_ranges_that_say_nothing_do_not_tie_blocks_together():
    release = fw.publish([[1, 2], [3, 4]], ["B"]).knows({}, at_most=1000)
    assert len(presolve(release).blocks) == 2
    assert fw.count(release) == 5 * 7
    binding = fw.publish([[1, 2], [3, 4]], ["B"]).knows({"A": "1"}, at_most=3)
    assert len(presolve(binding).blocks) == 1
    assert fw.count(binding) == sum(a + b <= 3 for a in range(5) for b in range(7))


def test_cells_that_the_facts_decide_are_in_no_block():
    release = fw.suppress([[1, 5, 4], [7, 2, 6], [3, 8, 9]], where=[{"A": "1", "B": "1"}, {"A": "1", "B": "2"}])
    solved = presolve(release)
    assert solved.blocks == ()
    assert fw.count(release) == 1
    assert np.isinf(fw.audit(release).cells["risk"]).all()


def test_a_walk_that_is_interrupted_ends_the_same(monkeypatch):
    release = fw.publish(np.array([[3, 1, 4], [1, 5, 9], [2, 6, 5]]), ["A", "B"])
    whole = fw.audit(release, law="hypergeometric")
    monkeypatch.setattr(enumeration, "PAUSE", 7)
    seen = []
    pieces = fw.audit(release, law="hypergeometric", progress=seen.append)
    assert len(seen) > 100
    assert whole.tables == pieces.tables
    for a, b in zip(whole.belief.pmfs, pieces.belief.pmfs, strict=True):
        assert np.array_equal(a.p, b.p)


def test_a_fiber_that_is_too_large_is_refused_with_words():
    snee = np.array([[68, 119, 26, 7], [20, 84, 17, 94], [15, 54, 14, 10], [5, 29, 14, 16]])
    release = fw.publish(snee, ["A", "B"])
    with pytest.raises(
        fw.TooLarge, match=r"with 1,000,000 operations .*16 cells .* elimination.*steps of enum.*limit="
    ):
        fw.audit(release, method="exact", limit=1_000_000)
    with pytest.raises(fw.TooLarge, match=r"with 2.*000 operations and 5,000,000 bytes: .* more memory .*memory="):
        fw.count(fw.publish(np.hstack([snee, snee[:, :1]]), ["A", "B"]), memory=5_000_000)
    assert fw.bounds(release).loc[("1", "1")].tolist() == [0, 108]  # bounds need no enumeration


def test_magnitudes_too_wide_to_list_still_have_bounds():
    release = fw.publish([[3_000_000_000, 4_000_000_000, 0], [5_000_000_000, 6_000_000_000, 9]], ["A", "B"])
    assert fw.bounds(release).loc[("1", "1")].tolist() == [0, 7_000_000_000]
    with pytest.raises(fw.TooLarge, match="values to tell apart.*a coarser unit"):
        fw.audit(release, method="exact")


def test_counts_of_larger_tables_agree_with_a_formula():
    """2 x J tables by convolution: the number of ways to write the first row's total with parts up to each column."""
    table = np.array([[9, 4, 7, 3, 8, 5], [2, 6, 1, 7, 3, 4]])
    ways = np.array([1], dtype=object)
    for column in table.sum(axis=0):
        ways = np.convolve(ways, np.ones(column + 1, dtype=object))
    assert fw.count(fw.publish(table, ["A", "B"])) == ways[table[0].sum()]


def test_hypergeometric_two_way_margins_are_those_of_the_urn():
    from scipy.stats import hypergeom

    table = np.array([[3, 4, 2], [5, 1, 6], [2, 2, 4]])
    audit = fw.audit(fw.publish(table, ["A", "B"]), law="hypergeometric")
    n, rows, columns = table.sum(), table.sum(axis=1), table.sum(axis=0)
    for i, j in np.ndindex(3, 3):
        pmf = audit.pmf(A=str(i + 1), B=str(j + 1))
        assert pmf.to_numpy() == pytest.approx(hypergeom(n, rows[i], columns[j]).pmf(pmf.index.to_numpy()), abs=1e-12)


def test_a_law_over_a_huge_range_of_weights_does_not_overflow():
    table = [[400, 10], [20, 900]]
    pmf = fw.audit(fw.publish(table, ["A", "B"]), law=fw.laws.expected([[1e-30, 1e30], [1e30, 1e-30]])).pmf(
        A="1", B="1"
    )
    assert pmf.sum() == pytest.approx(1)
    assert pmf.idxmax() == 0
    assert len(pmf) == 411  # values of negligible probability are still attainable


def test_hypergeometric_with_rounded_figures_fits_the_means():
    """Every fact is a range, so the means do not cancel: they come from a fit to the published figures."""
    release = fw.round_to([[4, 9], [7, 2]], base=5)
    audit = fw.audit(release, law="hypergeometric")
    from fiberwalk.fiber.laws.fitting import fitted_means

    means = fitted_means(release)
    weights = {}
    ranges = [range(int(lo), int(hi) + 1) for lo, hi in zip(release.lower, release.upper, strict=True)]
    for x in itertools.product(*ranges):
        sums = release.sums.matrix @ np.array(x)
        if (sums >= release.sums.lower).all() and (sums <= release.sums.upper).all():
            weights[x] = math.prod(m**v / math.factorial(v) for m, v in zip(means, x, strict=True))
    total = sum(weights.values())
    expected = sum(w for x, w in weights.items() if x[0] == 4) / total
    assert audit.pmf(A="1", B="1").loc[4] == pytest.approx(expected)
    assert audit.tables == len(weights)
    assert (means > 0).all()


def test_a_fit_to_consistent_margins_is_independence():
    from fiberwalk.fiber.laws.fitting import fitted_means

    table = np.array([[4, 9, 1], [7, 2, 3]])
    means = fitted_means(fw.publish(table, ["A", "B"])).reshape(2, 3)
    assert means == pytest.approx(np.outer(table.sum(1), table.sum(0)) / table.sum())


def test_impossible_weights_are_refused():
    release = fw.publish([[1, 2], [3, 4]], ["A", "B"])
    with pytest.raises(fw.InputError, match="leave no possible table"):
        fw.audit(release, law=fw.laws.expected([[0, 0], [0, 0]]))
    with pytest.raises(fw.InputError, match="expected counts must be numbers of at least 0"):
        fw.audit(release, law=fw.laws.expected([[1, -1], [1, 1]]))
    with pytest.raises(fw.InputError, match="expected counts have the shape"):
        fw.audit(release, law=fw.laws.expected([1, 2, 3]))
    with pytest.raises(fw.InputError, match="there is no law 'unifrom'; did you mean 'uniform'"):
        fw.audit(release, law="unifrom")
    with pytest.raises(fw.InputError, match="law= must be"):
        fw.audit(release, law=7)


def test_expected_counts_are_matched_by_label():
    import xarray as xr

    table = xr.DataArray([[1, 2], [3, 4]], dims=["r", "c"], coords={"r": ["a", "b"], "c": ["x", "y"]})
    release = fw.publish(table, ["r", "c"])
    means = xr.DataArray([[9.0, 1.0], [2.0, 5.0]], dims=["r", "c"], coords={"r": ["a", "b"], "c": ["x", "y"]})
    plain = fw.audit(release, law=fw.laws.expected(means)).pmf(r="a", c="x")
    turned = fw.audit(release, law=fw.laws.expected(means.isel(r=[1, 0]).T)).pmf(r="a", c="x")
    assert plain.equals(turned)


@OFTEN
@given(systems())
def test_sharp_bounds_by_integer_programs_equal_enumeration(system):
    from fiberwalk.fiber.solvers.integer_program import optimum

    A, b, lower, upper = system
    found = np.array(all_tables(A, b, lower, upper))
    assume(len(found))
    for j in range(len(lower)):
        cost = np.zeros(len(lower))
        cost[j] = 1
        assert optimum(sp.csr_array(A), b, lower, upper, cost)[j] == found[:, j].min()
        assert optimum(sp.csr_array(A), b, lower, upper, -cost)[j] == found[:, j].max()


@pytest.mark.parametrize("dearer", [1, 10**9])
def test_where_an_elimination_is_planned_to_cost_more_both_methods_give_the_same(dearer, monkeypatch):
    """An elimination with little to spend, then an enumeration: whichever answers, it answers the same."""
    values = np.array([[[2, 1], [1, 2], [3, 2]], [[1, 3], [2, 1], [2, 0]], [[3, 1], [0, 2], [1, 3]]])
    (block,) = presolve(fw.publish(values, ["A,B", "A,C", "B,C"])).blocks
    nothing = [None] * len(block.columns)
    right = exact.solve_exactly(block, nothing)
    monkeypatch.setattr(exact, "SHORT", 500)
    monkeypatch.setattr(exact, "planned_operations", lambda *_: np.inf)
    monkeypatch.setattr(exact, "DEARER", dearer)
    found = exact.solve_exactly(block, nothing)
    assert found.tables == right.tables
    assert all(np.allclose(one, other) for one, other in zip(found.weights, right.weights, strict=True))
    assert found.method == ("enumeration" if dearer > 1 else found.method)
    # an estimate that is far too low: what it leaves undone is done by an elimination
    monkeypatch.setattr(exact, "AT_MOST", 0)  # no step at all
    assert exact.solve_exactly(block, nothing).tables == right.tables
