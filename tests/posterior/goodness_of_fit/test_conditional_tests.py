"""Conditional tests: exact p-values by brute force, drawn ones by exact ones, and the fit of the expected counts."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, fisher_exact

import fiberwalk as fw
from fiberwalk.posterior.goodness_of_fit import drawn, enumerated
from fiberwalk.posterior.goodness_of_fit.drawn import Batches
from fiberwalk.posterior.goodness_of_fit.statistics import NAMED, Statistic

SATISFACTION = ([[1, 3, 10, 6], [2, 3, 10, 7], [1, 6, 14, 12], [0, 1, 9, 11]], 0.770)
LARGER = ([[20, 24, 80, 82], [22, 38, 104, 125], [13, 28, 81, 113], [7, 18, 54, 92]], 0.214)


def all_tables(table: np.ndarray, sums: list[np.ndarray]) -> list[np.ndarray]:
    """Naive: every table of non-negative counts whose sums, given as masks, are those of the table; cell after cell."""
    found = np.zeros((1, 0), dtype=int)
    wanted = [int(table[mask].sum()) for mask in sums]
    for k in range(table.size):
        most = min(total for mask, total in zip(sums, wanted, strict=True) if mask.ravel()[k])
        found = np.concatenate([np.column_stack([found, np.full(len(found), x)]) for x in range(most + 1)])
        for mask, total in zip(sums, wanted, strict=True):
            found = found[found[:, mask.ravel()[: k + 1]].sum(axis=1) <= total]
    for mask, total in zip(sums, wanted, strict=True):
        found = found[found[:, mask.ravel()].sum(axis=1) == total]
    return list(found.reshape(-1, *table.shape))


def naive_p(table: np.ndarray, sums: list[np.ndarray], statistic) -> Fraction:
    """Naive: the share of 1 / prod x! that tables have whose statistic is not below that of the table."""
    observed, total, tail = statistic(table), Fraction(0), Fraction(0)
    for other in all_tables(table, sums):
        weight = Fraction(1, math.prod(math.factorial(int(x)) for x in other.ravel()))
        total += weight
        tail += weight * (statistic(other) >= observed - 1e-9 * max(1.0, abs(observed)))
    return tail / total


def lines(shape: tuple[int, int]) -> list[np.ndarray]:
    """The rows and columns of a table, as masks."""
    rows, columns = np.indices(shape)
    return [rows == i for i in range(shape[0])] + [columns == j for j in range(shape[1])]


def independent(table: np.ndarray) -> np.ndarray:
    return np.outer(table.sum(1), table.sum(0)) / table.sum()


def by_hand(name: str, mu: np.ndarray):
    """The statistics as textbooks write them."""
    return {
        "chi-square": lambda x: float(((x - mu) ** 2 / np.where(mu > 0, mu, 1.0)).sum()),
        "likelihood-ratio": lambda x: 2 * sum(a * math.log(a / m) for a, m in zip(x.flat, mu.flat, strict=True) if a),
        "freeman-tukey": lambda x: float(4 * ((np.sqrt(x) - np.sqrt(mu)) ** 2).sum()),
        "probability": lambda x: sum(math.lgamma(a + 1) for a in x.ravel()),
    }[name]  # fmt: skip


SMALL = st.sampled_from([(2, 2), (2, 3), (3, 3)]).flatmap(
    lambda shape: st.lists(st.integers(0, 3), min_size=math.prod(shape), max_size=math.prod(shape)).map(
        lambda values: np.array(values).reshape(shape)
    )
)


@settings(max_examples=40, deadline=None)
@given(SMALL.filter(lambda table: 0 < table.sum() <= 9), st.sampled_from(sorted(NAMED)))
def test_exact_p_values_are_those_of_brute_force(table, name):
    found = fw.laws.conditional_test(table, ["A", "B"], name)
    assert found.method == "exact"
    right = naive_p(table, lines(table.shape), by_hand(name, independent(table)))
    assert found.p == pytest.approx(float(right), abs=1e-9)
    assert found.tables == len(all_tables(table, lines(table.shape)))
    assert np.allclose(found.expected, independent(table))


@pytest.mark.parametrize("table", [[[3, 1], [1, 3]], [[8, 2], [1, 5]], [[0, 5], [4, 7]]])
def test_two_by_two_is_fishers_test(table):
    found = fw.laws.conditional_test(table, ["A", "B"], "probability")
    assert found.p == pytest.approx(fisher_exact(table).pvalue)
    plain = chi2_contingency(table, correction=False)
    assert fw.laws.conditional_test(table, ["A", "B"]).observed == pytest.approx(plain.statistic)
    assert fw.laws.conditional_test(table, ["A", "B"]).p_asymptotic == pytest.approx(plain.pvalue)


@pytest.mark.parametrize(("table", "right"), [SATISFACTION, LARGER])
def test_published_p_values_of_job_satisfaction(table, right):
    found = fw.laws.conditional_test(table, ["A", "B"], max_error=0.002)
    assert found.converged
    assert found.certificate.word == "connected"
    assert abs(found.p - right) < 5 * found.error + 0.0005  # they are printed with three digits
    assert found.df == 9


SQUARE = np.array([[1, 2, 1], [0, 1, 2], [2, 1, 0]])
DIAGONAL = [np.eye(3, dtype=bool) & (np.arange(3) == k)[:, None] for k in range(3)]
MIRRORED = [
    np.isin(np.arange(9).reshape(3, 3), [3 * i + j, 3 * j + i]) for i in range(3) for j in range(i + 1, 3)
]  # fmt: skip


@pytest.mark.parametrize(
    ("model", "sums", "df"),
    [
        ("quasi-independence", [*lines((3, 3)), *DIAGONAL], 1),
        ("symmetry", [*DIAGONAL, *MIRRORED], 3),
        ("quasi-symmetry", [*lines((3, 3)), *DIAGONAL, *MIRRORED], 1),
        (["A", "B", *(mask.astype(int) for mask in MIRRORED)], [*lines((3, 3)), *MIRRORED], 1),
    ],
)
def test_models_of_square_tables(model, sums, df):
    found = fw.laws.conditional_test(SQUARE, model)
    tables = all_tables(SQUARE, sums)
    assert (found.tables, found.df) == (len(tables), df)
    assert found.p == pytest.approx(float(naive_p(SQUARE, sums, by_hand("chi-square", found.expected))), abs=1e-9)
    for mask in sums:
        assert found.expected[mask].sum() == pytest.approx(SQUARE[mask].sum())
    # log-linear: whatever the model's sums do not see, the logarithms of the expected counts do not see either
    filled = found.expected > 0
    for other in tables:
        assert np.sum((other - SQUARE)[filled] * np.log(found.expected[filled])) == pytest.approx(0, abs=1e-6)


def test_structural_zeros_are_never_filled():
    table = np.array([[2, 1, 0], [1, 0, 3], [0, 2, 2]])
    empty = np.zeros((3, 3), dtype=bool)
    empty[0, 2] = True
    found = fw.laws.conditional_test(table, ["A", "B"], impossible=empty)
    sums = [*lines((3, 3)), empty]
    assert found.tables == len(all_tables(table, sums)) < fw.laws.conditional_test(table, ["A", "B"]).tables
    assert found.expected[0, 2] == 0
    assert found.p == pytest.approx(float(naive_p(table, sums, by_hand("chi-square", found.expected))))
    assert found.model == "A + B, 1 structural zero"
    same = fw.laws.conditional_test(table, fw.publish(table, ["A", "B"]).knows({"A": "1", "B": "3"}, exactly=0))
    assert same.p == pytest.approx(found.p)


def test_a_function_of_ones_own():
    table = np.array([[2, 1, 1], [1, 0, 3]])
    found = fw.laws.conditional_test(table, ["A", "B"], lambda x: abs(int(x[0, 0]) - int(x[1, 2])))
    right = naive_p(table, lines((2, 3)), lambda x: abs(int(x[0, 0]) - int(x[1, 2])))
    assert found.p == pytest.approx(float(right))
    assert math.isnan(found.p_asymptotic)


THREE_WAY = np.array([[[3, 1, 2], [0, 2, 1]], [[1, 4, 0], [2, 1, 2]], [[2, 0, 1], [1, 3, 1]]])


@pytest.mark.parametrize(
    ("table", "model"),
    [(SATISFACTION[0][:3], ["A", "B"]), (THREE_WAY, ["A,B", "B,C", "A,C"]), (THREE_WAY, ["A,B", "C"])],
    ids=["two-way", "no three-way interaction", "one of three independent"],
)
def test_drawn_p_values_are_the_exact_ones_within_their_error(table, model):
    exact = fw.laws.conditional_test(table, model, method="exact")
    off = []
    for seed in range(4):
        found = fw.laws.conditional_test(table, model, method="chains", max_error=0.006, seed=seed)
        assert found.converged
        assert found.error <= 0.006
        off.append((found.p - exact.p) / found.error)
    assert np.abs(off).max() < 5
    assert np.sqrt(np.mean(np.square(off))) < 2
    # control: tables that are taken to be all alike have another p-value, farther off than that
    alike = uniform_p(np.array(table), model)
    assert abs(alike - exact.p) > 5 * 0.006


def uniform_p(table: np.ndarray, model: list[str]) -> float:
    """The p-value if all tables were as probable as each other, from uniform draws."""
    statistic = Statistic("", fw.laws.conditional_test(table, model).expected.ravel(), table.shape, NAMED["chi-square"])
    tables = fw.sample(fw.publish(table, model), "uniform", draws=2000)["table"].values
    values = statistic.of(tables.reshape(-1, table.size))
    return float((values >= statistic.of(table.ravel()) - 1e-9).mean())


def test_a_tail_that_was_never_met_is_not_called_impossible():
    rng = np.random.default_rng(1)
    noted = Batches(4)
    for _ in range(48):
        values = rng.normal(size=(4, noted.length))
        noted.add(values, values > 100)
    p, error, ess, rhat = noted.judged()
    assert p == 0
    assert 0.5 / ess < error < 2 / ess
    assert rhat < 1.01
    found = fw.laws.conditional_test([[3, 1], [1, 3]], ["A", "B"])
    never = fw.laws.ConditionalTest(
        0.0, error, "chains", found.certificate, "A", "chi-square", 1.0, 1, True, found.expected, ess=10_000.0
    )
    assert never.interval == (0.0, pytest.approx(1 - 0.025 ** (1 / 10_000)))


def test_batches_that_are_joined_keep_their_sums():
    rng, noted = random.Random(1), Batches(2, 3)
    values = np.array([[[rng.random() for _ in range(3)] for _ in range(2)] for _ in range(8)])
    for one in values:
        noted.add(one, one > 0.5)
    before, number = np.sum(noted.sums, axis=0), noted.draws
    noted.join()
    assert (noted.draws, noted.length, len(noted.sums)) == (number, 6, 4)
    assert np.allclose(np.sum(noted.sums, axis=0), before)


def test_correlated_draws_have_a_larger_error():
    """Control of the stated error: chains that stay where they are for 20 draws have 20 times fewer effective ones."""
    rng = np.random.default_rng(2)
    errors = []
    for each in (1, 20):
        noted = Batches(4, 200)
        for _ in range(64):
            values = np.repeat(rng.normal(size=(4, 200 // each)), each, axis=1)
            noted.add(values, values > 1)
        errors.append(noted.judged()[1])
    assert 3.5 < errors[1] / errors[0] < 5.5


def test_the_same_seed_gives_the_same_p_value():
    one, again, other = (
        fw.laws.conditional_test(SATISFACTION[0], ["A", "B"], max_error=0.01, method="chains", seed=seed)
        for seed in (1, 1, 2)
    )
    assert one.p == again.p != other.p


def test_too_many_tables_are_drawn_and_refused_where_all_are_wanted(monkeypatch):
    monkeypatch.setattr(enumerated, "STEPS", 100)
    assert fw.laws.conditional_test(SATISFACTION[0], ["A", "B"], max_error=0.02).method == "chains"
    with pytest.raises(fw.TooLarge, match="too many tables with these sums to list them all; method='chains' draws"):
        fw.laws.conditional_test(SATISFACTION[0], ["A", "B"], method="exact")


def test_time_that_is_up_is_said(monkeypatch):
    monkeypatch.setattr(drawn, "time_left", lambda: 0.0)
    found = fw.laws.conditional_test(SATISFACTION[0], ["A", "B"], method="chains", max_error=1e-6)
    assert found.stopped == "its time was up"
    assert not found.converged
    assert "NOT CONVERGED: its time was up" in found.sentence


def test_what_is_decided_has_the_p_value_1():
    found = fw.laws.conditional_test([[3, 1], [1, 3]], ["A,B"])
    assert (found.p, found.tables, found.df, found.p_asymptotic) == (1.0, 1, 0, 1.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ({"hypothesis": "independence"}, "hypothesis='independence': a list of the margins that the model keeps"),
        ({"hypothesis": []}, r"hypothesis=\[\]: name at least one margin"),
        ({"hypothesis": ["C"]}, "C"),
        ({"hypothesis": [[[1, 2], [0, 1]]]}, "1 for the cells that a sum adds up and 0 for the others"),
        ({"statistic": "chi-squared"}, "did you mean 'chi-square'"),
        ({"statistic": lambda x: np.nan}, "the function gave nan for a table; it must give one finite number"),
        (
            {"impossible": [{"A": "1", "B": "1"}]},
            "cell A=1, B=1 is not empty in the table, so that it is no structural zero",
        ),
        ({"max_error": 2}, "max_error=2: the standard error of the p-value that is wanted"),
        ({"method": "quickly"}, "method='quickly': 'auto', 'exact' or 'chains'"),
        ({"hypothesis": fw.publish([[1, 1], [1, 1]], ["A"])}, "a release of another table"),
        ({"hypothesis": fw.round_to([[3, 1], [1, 3]], 3)}, "exact, and no ranges or figures published by chance"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(call, words):
    with pytest.raises(fw.InputError, match=words):
        fw.laws.conditional_test(**{"table": [[3, 1], [1, 3]], "hypothesis": ["A", "B"], **call})


def test_square_models_want_square_tables():
    with pytest.raises(fw.InputError, match="'symmetry' is for square tables of two dims; this one is 2 x 3"):
        fw.laws.conditional_test([[3, 1, 2], [1, 3, 2]], "symmetry")
