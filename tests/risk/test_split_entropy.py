"""SAE15's risk of a table before and after its counts are changed, against plain loops; how methods change counts."""

from __future__ import annotations

import importlib.util
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from support.places import BENCH

import fiberwalk as fw
from fiberwalk import risk
from fiberwalk.protect.perturbation.transition_matrix import as_transitions
from fiberwalk.risk import changes_of
from fiberwalk.risk.split_entropy import expected_counts

SAE15 = fw.protect.window_matrix(stay=[0.5] * 2 + [0.9] * 13, window=[5] * 2 + [7] * 13)
BY_MATRIX = changes_of("perturb", {"matrix": SAE15, "last_rows": 5, "seed": 1})
ROUNDING = changes_of("semi_controlled_round", {"base": 3, "within": "A"})
SWAPPING = changes_of("swap", {"dim": "A", "rate": 0.1})
TABLES = hnp.arrays(int, (2, 4), elements=st.integers(0, 20)).filter(lambda table: table.sum() > 0)
BY_SWAPPING_TO_6 = as_transitions(np.full((7, 7), 0.1 / 6) + (0.9 - 0.1 / 6) * np.eye(7))
close = pytest.approx


def slow_entropy_term(values, of):
    """1 - H/ln K of one part of a table of so many cells."""
    if sum(values) <= 0 or len(values) == 1 < of:
        return 0.0
    H = -sum(x / sum(values) * math.log(x / sum(values)) for x in values if x > 0)
    return 1 - (H / math.log(len(values)) if len(values) > 1 else 0.0)


def slow_terms(F, G, p, multipliers, small, means=False):
    """The four terms, a cell at a time; p(i, j) is the probability that i is published as j."""
    F, G = [int(x) for x in np.ravel(F)], [int(x) for x in np.ravel(G)]
    K, N = len(F), sum(F)
    A, B = {k for k in range(K) if F[k] == 0}, {k for k in range(K) if G[k] == 0}
    largest = 10 if p is by_swapping else math.inf  # larger counts are taken as they are published
    cells = {j: sum(p(i, j) for i in F) if means else G.count(j) for j in G}
    expected = [sum(i * p(i, j) for i in F) / cells[j] if j <= largest and cells[j] else j for j in G]
    parts = [[x for x, j in zip(expected, G, strict=True) if (j <= small) == wanted] for wanted in (True, False)]
    return [
        (len(A) / K) ** (len(A | B) / len(A & B)) if A & B else 0.0,
        *(factor * slow_entropy_term(part, K) for factor, part in zip(multipliers, parts, strict=True)),
        (1 + math.log(math.sqrt(N))) / math.sqrt(N),
    ]


def by_matrix(i, j):
    """SAE15's table 3: counts above 15 take the rows 11 to 15 by their remainder to base 5."""
    row = i if i <= 15 else 11 + (i - 11) % 5
    return SAE15[row, j - i + row] if 0 <= j - i + row <= 15 else 0.0


def by_rounding(i, j):
    down = i // 3 * 3
    return {down: 1 - i % 3 / 3, down + 3: i % 3 / 3}.get(j, 0.0)


def by_swapping(i, j):
    return 0.9 if i == j else 0.01 if i <= 10 else 0.0


@given(TABLES, TABLES, st.integers(0, 9))
def test_against_plain_loops(F, G, small):
    as_it_is = slow_terms(F, F, lambda i, j: float(i == j), (1, 1), small)
    assert risk.split_risk(F, small=small) == close(np.dot((0.1, 0.7, 0.1, 0.1), as_it_is), abs=1e-12)
    assert risk.split_risk(F, "l2", small=small) == close(math.sqrt(sum(x**2 for x in as_it_is) / 4), abs=1e-12)
    laws = [
        (BY_MATRIX, by_matrix, (np.diag(SAE15)[: small + 1].mean(), np.diag(SAE15)[small + 1 :].mean())),
        (ROUNDING, by_rounding, (1 / 3, 1 / 3)),
        (SWAPPING, by_swapping, (0.9, 0.9)),
    ]
    for changes, p, multipliers in laws:
        terms = slow_terms(F, G // 3 * 3 if p is by_rounding else G, p, multipliers, small)
        published = G // 3 * 3 if p is by_rounding else G
        found = risk.perturbed_risk(F, published, changes, small=small)
        assert found == close(np.dot((0.1, 0.7, 0.1, 0.1), terms), abs=1e-12)
        assert risk.perturbed_risk(F, published, changes, "l2", small=small) == close(
            math.sqrt(sum(x**2 for x in terms) / 4), abs=1e-12
        )
        terms = slow_terms(F, published, p, multipliers, small, means=True)
        found = risk.perturbed_risk(F, published, changes, small=small, means=True)
        assert found == close(np.dot((0.1, 0.7, 0.1, 0.1), terms), abs=1e-12)


# --- property (e) of the paper: less risk than before ---------------------------------------------------------------


def test_the_formula_of_the_paper_may_rise():
    """SAE15 (3) and 4.2 by hand, without the split: of 5, 5, 5, 5 the first two terms are 0; any change can only add."""
    F, G, L, rate = [5, 5, 5, 5], [5, 5, 5, 6], 6, 0.1
    expected = [sum(i * (1 - rate if i == j else rate / L) for i in F) / G.count(j) for j in G]
    assert expected == close([6, 6, 6, 20 * rate / L])
    H = -sum(x / sum(expected) * math.log(x / sum(expected)) for x in expected)
    after = 0.8 * (1 - rate) * (1 - H / math.log(4))
    before = 0.8 * (1 - math.log(4) / math.log(4))
    assert after > 0.1 > before == 0  # both have the same term of size, and no zeros
    ours = risk.perturbed_risk(F, G, risk.split_entropy.ByMatrix(BY_SWAPPING_TO_6))
    assert ours - risk.split_risk(F) == close(0.7 * (1 - rate) * (1 - H / math.log(4)))
    for changes, published in ((SWAPPING, G), (BY_MATRIX, G), (ROUNDING, [6, 6, 6, 3])):
        assert risk.perturbed_risk(F, published, changes) > risk.split_risk(F) + 0.002
        assert risk.perturbed_risk(F, published, changes, means=True) == close(risk.split_risk(F))


def test_means_are_never_more_uneven_than_what_they_are_of():
    """Where as many cells are published at each figure as is to be expected, means and shares are the same; by Jensen."""
    F = np.repeat([1, 2, 4], [30, 30, 30])
    G = np.concatenate([np.repeat([0, 3], [20, 10]), np.repeat([0, 3], [10, 20]), np.repeat([3, 6], [20, 10])])
    share, mean = (expected_counts(F, G, ROUNDING, means) for means in (False, True))
    assert share == close(mean)
    assert mean.sum() == close(F.sum())
    small = (0, 1, 0, 0)
    assert risk.perturbed_risk(F, G, ROUNDING, small, multiplier=1) < risk.split_risk(F, small)


def test_how_often_it_rises():
    """The study: what is to blame is the share among the cells that happen to be published so."""
    spec = importlib.util.spec_from_file_location("protected_risk", BENCH / "studies" / "protected_risk.py")
    study = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(study)
    skewed, even = (study.shares(kind, 30) for kind in ("skewed", "even"))
    assert 0 < skewed["swap", "as we have it"] < skewed["swap", "up to the largest"] < 0.5
    assert even["swap", "as we have it"] > 0.6
    assert even["swap", "not split"] > 0.6
    assert even["perturb", "parts by true counts"] > 0.3
    for found in (skewed, even):
        assert all(share <= 0.1 for (_, form), share in found.items() if form == "mean true counts")


@given(TABLES)
def test_nothing_changed_is_no_less_risk(F):
    assert risk.perturbed_risk(F, F, np.eye(21)) == close(risk.split_risk(F), abs=1e-12)
    assert risk.perturbed_risk(F, F, np.eye(3), (0, 0, 0, 1)) == risk.split_risk(F, (0, 0, 0, 1))
    assert risk.perturbed_risk(F.ravel()[::-1], F.ravel()[::-1], SWAPPING) == close(
        risk.perturbed_risk(F, F, SWAPPING), abs=1e-12
    )


def test_the_example_of_rounding_to_base_3():
    """SAE15 4.2: a published zero stands for (n1 2/3 + n2 1/3 2) / n'0, a published 3 for its neighbours alike."""
    F, G = np.array([0, 1, 1, 2, 3, 4, 5, 9]), np.array([0, 0, 3, 3, 3, 3, 6, 9])
    expected = expected_counts(F, G, ROUNDING)
    zero = (1 * 2 * 2 / 3 + 2 * 1 * 1 / 3) / 2
    three = (1 * 2 / 3 + 2 * 2 / 3 + 3 + 4 * 2 / 3 + 5 * 1 / 3) / 4
    six = 4 * 1 / 3 + 5 * 2 / 3
    assert expected.tolist() == close([zero, zero, three, three, three, three, six, 9])
    assert expected.sum() == close(F.sum())


def test_the_printed_matrix_is_not_invariant():
    """Of SAE15's cube 4,028 cells are 1, 2,112 are 2, and 2,964 are 3 to 5: however these are shared, few come out as 1."""
    cells = np.array([226_939, 4_028, 2_112, 2_964, 0, 0])
    assert SAE15.sum(axis=1) == close(1)
    assert (cells @ SAE15[:6])[1] == close(4_028 / 2 + 2_112 / 8 + 2_964 / 60)
    assert (cells @ SAE15[:6])[1] < 0.6 * cells[1]


def test_multipliers():
    assert (SWAPPING.kept(0, 6), SWAPPING.kept(7, None)) == (0.9, 0.9)
    assert (ROUNDING.kept(0, 6), ROUNDING.kept(7, None)) == (1 / 3, 1 / 3)
    assert (BY_MATRIX.kept(0, 6), BY_MATRIX.kept(7, None)) == close((0.8, 0.9))
    assert (BY_MATRIX.kept(1, 6), BY_MATRIX.kept(99, None)) == close((4.6 / 6, 0.9))
    short = changes_of("perturb", {"matrix": [[1, 0], [0.5, 0.5]], "last_rows": 0})
    assert (short.kept(0, 1), short.kept(0, 3), short.kept(7, None)) == (0.75, 0.875, 1)
    F, G = [[0, 1, 3], [2, 20, 30]], [[0, 3, 3], [0, 21, 30]]
    by_hand = [risk.perturbed_risk(F, G, ROUNDING, w, multiplier=(0.75, 0.9)) for w in np.eye(4)]
    whole = [risk.perturbed_risk(F, G, ROUNDING, w, multiplier=1) for w in np.eye(4)]
    assert by_hand == close([whole[0], 0.75 * whole[1], 0.9 * whole[2], whole[3]])
    assert risk.perturbed_risk(F, G, ROUNDING) == risk.perturbed_risk(F, G, ROUNDING, multiplier=1 / 3)


def test_conventions_of_the_parts():
    small, large = (0, 1, 0, 0), (0, 0, 1, 0)
    assert [risk.split_risk([0, 0, 9], w) for w in (small, large)] == [0, 0]  # nobody; one cell beside others
    assert risk.split_risk([4, 9, 9], small) == risk.split_risk([4, 4, 9], small) == 0  # one like two alike
    assert risk.split_risk([4, 0, 9], small) == 1  # one of two
    assert [risk.split_risk([0, 5, 5], w) for w in (small, large)] == close([1 - math.log(2) / math.log(3), 0])
    assert [risk.split_risk([5], w) for w in (small, large)] == [1, 0]
    assert risk.perturbed_risk([1, 1], [0, 0], ROUNDING, small) == 0  # everything hidden: all alike
    assert risk.perturbed_risk([1], [0], ROUNDING, small) == close(1 / 3)


def test_many_tables_and_their_rows():
    many, other = np.random.default_rng(1).integers(0, 12, (2, 5, 2, 3))
    found = risk.perturbed_risk(many[0], other, BY_MATRIX, stacked=True)
    assert found.tolist() == [risk.perturbed_risk(many[0], one, BY_MATRIX) for one in other]
    assert risk.split_risk(many.astype(np.uint8), stacked=True).tolist() == [risk.split_risk(one) for one in many]
    rows = risk.perturbed_risk(many, other, BY_MATRIX, stacked=True, by=0)
    assert rows[3, 1] == risk.perturbed_risk(many[3, 1], other[3, 1], BY_MATRIX)
    assert np.isnan(risk.perturbed_risk([[1, 2], [0, 0]], [[1, 2], [0, 3]], BY_MATRIX, by=0)).tolist() == [False, True]


# --- how methods change counts --------------------------------------------------------------------------------------

VALUES = np.arange(40)


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("random_round", {"base": 5}),
        ("semi-controlled-round", {}),
        ("round_to", {"base": 4}),
        ("controlled_round", {"unbiased": True}),
        ("round-lattice", {"base": 4, "max_dims": 2}),
        ("perturb", {"matrix": SAE15, "last_rows": 5}),
        ("perturb", {"matrix": SAE15}),
        ("add_noise", {"noise": {-2: 0.2, 0: 0.5, 1: 0.3}, "floor": True}),
        ("swap", {"dim": "A", "rate": 0.3}),
    ],
)
def test_every_count_is_published_as_something(method, parameters):
    changes = changes_of(method, parameters)
    columns = np.array([changes.probability(j, VALUES) for j in range(50)])
    assert columns.sum(axis=0) == close(1)
    assert (columns >= 0).all()


def test_what_the_methods_do_is_what_is_said_of_them():
    """A count published many times: each figure as often as its probability says."""
    for method, parameters in (
        (fw.protect.random_round, {"base": 4}),
        (fw.protect.perturb, {"matrix": SAE15, "last_rows": 5}),
        (fw.protect.add_noise, {"noise": {-2: 0.2, 0: 0.5, 1: 0.3}, "floor": True}),
    ):
        changes = changes_of(method.__name__, parameters)
        for count in (1, 17):
            published = method(np.full(4000, count), seed=1, **parameters).published.values
            for figure in np.unique(published):
                p = changes.probability(int(figure), np.array([count]))[0]
                assert (published == figure).mean() == close(p, abs=5 * math.sqrt(0.25 / 4000))
    for base, count in ((4, 6), (5, 7), (3, 1)):
        figure = fw.round_to([count], base).cell_figures[0]
        assert changes_of("round_to", {"base": base}).probability(figure, np.array([count])) == 1
    noise = changes_of("add_noise", {"noise": {-2: 0.2, 0: 0.5, 1: 0.3}, "floor": True})
    assert (noise.kept(0, 1), noise.kept(7, None)) == close((0.6, 0.5))  # of 0, 0.7 stays: less is shown as 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: changes_of("suppress", {}), "suppress does not change counts cell by cell .* as these do: perturb"),
        (lambda: changes_of("draw_sample", {}), r"of a sample, r2\(\) is the risk"),
        (lambda: changes_of("random_rund", {}), "did you mean 'random_round'"),
        (lambda: changes_of("random_round", {"bse": 3}), "random_round has no parameter 'bse'; did you mean 'base'"),
        (lambda: changes_of("perturb", {}), "perturb needs its matrix="),
        (lambda: changes_of("swap", {"rate": 2}), "the share of records that are swapped"),
        (lambda: changes_of("random_round", {"base": 0}), "the base must be positive"),
        (lambda: risk.perturbed_risk([1], [1], "random_round"), r"risk.changes_of\('random_round', parameters\)"),
        (lambda: risk.perturbed_risk([1], [1], [[1, 1], [0, 1]]), "row 0 of the transition matrix sums to 2"),
        (lambda: risk.perturbed_risk([1.5], [1], ROUNDING), "F is a table of counts: whole numbers"),
        (lambda: risk.perturbed_risk([2**62, 1e300], [1, 1], ROUNDING), "F has a count above 1,000,000,000,000"),
        (lambda: risk.perturbed_risk([1], [-1], ROUNDING), "G is a table of numbers of at least 0"),
        (lambda: risk.perturbed_risk([0], [1], ROUNDING), "F sums to 0"),
        (lambda: risk.perturbed_risk([1], [1], ROUNDING, multiplier=2), "a number from 0 to 1, or a pair"),
        (lambda: risk.perturbed_risk([1], [1], ROUNDING, multiplier="x"), "a number from 0 to 1, or a pair"),
        (lambda: risk.split_risk([0, 0]), "F sums to 0"),
        (lambda: risk.split_risk([1], small=-1), "the largest small count"),
        (lambda: risk.split_risk([1], (0.1, 0.8, 0.1)), r"4 terms, each with a weight \(zeros, small, large, size\)"),
    ],
)  # fmt: skip
def test_errors(call, words):
    with pytest.raises(fw.InputError, match=words):
        call()
