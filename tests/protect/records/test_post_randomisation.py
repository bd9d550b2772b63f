"""PRAM against every way in which records could have moved."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import chisquare
from support.effort import examples

import fiberwalk as fw
from fiberwalk.protect.records.line_likelihoods import Lines, worths

MATRIX = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.0, 0.7]])


def slow_likelihood(true, published, matrix):
    """The sum over all ways in which the records, one by one, get their new values."""
    records = [d for d, number in enumerate(true) for _ in range(number)]
    return sum(
        np.prod([matrix[d, e] for d, e in zip(records, new, strict=True)])
        for new in product(range(len(true)), repeat=len(records))
        if all(new.count(e) == number for e, number in enumerate(published))
    )


def lines_of(total, categories):
    """Every line of so many records."""
    return [one for one in product(range(total + 1), repeat=categories) if sum(one) == total]


def chances(categories):
    rows = st.lists(st.integers(0, 4), min_size=categories, max_size=categories).filter(any)
    return st.lists(rows, min_size=categories, max_size=categories).map(
        lambda some: np.array([np.array(row) / sum(row) for row in some])
    )


@pytest.mark.parametrize(("records", "categories"), [(1, 20), (2, 10), (3, 6), (9, 4), (30, 3)])
def test_one_number_tells_a_line(records, categories):
    worth = worths(records, categories, 1000)
    told = Counter(sum(some) for some in combinations_with_replacement(worth, records))
    assert max(told.values()) == 1
    assert max(told) < 1000
    assert worths(records, categories, max(told) + 1) == worth
    assert worths(records, categories, max(told)) is None


@examples(40)
@given(st.sampled_from([(2, 5), (3, 4), (4, 3)]), st.data())
def test_the_likelihood_of_a_line_against_every_way_to_move(size, data):
    categories, total = size
    matrix = data.draw(chances(categories))
    published = np.array(data.draw(st.sampled_from(lines_of(total, categories))))
    found = Lines(matrix).likelihood(published)
    numbers = {}
    for true in lines_of(total, categories):
        number = true[0] if categories == 2 else int(np.dot(true, worths(total, categories, 1000)))
        numbers[number] = slow_likelihood(true, published.tolist(), matrix)
        assert found[number] == pytest.approx(numbers[number], abs=1e-12)
    assert not np.delete(found, list(numbers)).any()


def posterior(published, matrix, weight):
    """Of two true lines beside each other (the columns of a table), by every pair of them."""
    p = {}
    for columns in product(*(lines_of(sum(line), len(line)) for line in published.T.tolist())):
        table = np.array(columns).T
        p[np.ascontiguousarray(table).tobytes()] = weight(table) * np.prod(
            [slow_likelihood(true, line, matrix) for true, line in zip(columns, published.T.tolist(), strict=True)]
        )
    total = sum(p.values())
    return {key: w / total for key, w in p.items()}


@pytest.mark.parametrize("rows", [None, (3, 2, 3)])
@pytest.mark.parametrize("law", ["uniform", "expected"])
def test_an_audit_against_every_table(rows, law):
    """With true totals of the categories besides, lines depend on each other."""
    published = np.array([[2, 1], [0, 2], [2, 1]])
    means = np.array([[1.0, 2.0], [0.5, 1.0], [2.0, 1.0]])

    def weight(table):
        if rows is not None and table.sum(axis=1).tolist() != list(rows):
            return 0.0
        if law == "uniform":
            return 1.0
        return float(np.prod(means**table / np.vectorize(lambda x: float(np.prod(range(1, x + 1))))(table)))

    exact = [] if rows is None else [pd.Series(rows, index=pd.Index(["1", "2", "3"], name="A"))]
    release = fw.protect.as_protected(published, "pram", dim="A", matrix=MATRIX, exact=exact)
    assert release.likelihood == "exact"
    audit = fw.audit(release, law="uniform" if law == "uniform" else fw.laws.expected(means))
    slow = posterior(published, MATRIX, weight)
    for a, b in np.ndindex(3, 2):
        wanted = Counter()
        for key, p in slow.items():
            wanted[int(np.frombuffer(key, dtype=np.int64).reshape(3, 2)[a, b])] += p
        found = audit.pmf(A=str(a + 1), B=str(b + 1))
        for value in set(found.index) | set(wanted):
            assert found.get(value, 0.0) == pytest.approx(wanted[value], abs=1e-9)


def test_what_is_drawn_has_the_distribution_that_is_claimed():
    true = (2, 1, 2)
    seen = Counter(
        tuple(fw.protect.pram(np.array(true), "A", MATRIX, seed=seed).figures.tolist()) for seed in range(1500)
    )
    lines = lines_of(5, 3)
    claims = np.array([slow_likelihood(true, line, MATRIX) for line in lines])
    assert claims.sum() == pytest.approx(1)

    def p_value(chances):
        usual = chances * 1500 >= 5
        found = [*(seen[line] for line, some in zip(lines, usual, strict=True) if some)]
        wanted = 1500 * chances[usual]
        return chisquare([*found, 1500 - sum(found)], [*wanted, 1500 - wanted.sum()]).pvalue

    assert set(seen) <= {line for line, p in zip(lines, claims, strict=True) if p > 0}
    assert p_value(claims) > 1e-6
    assert p_value(claims**2 / (claims**2).sum()) < 1e-6  # it could fail


@given(hnp.arrays(int, (2, 3, 2), elements=st.integers(0, 9)), st.sampled_from("ABC"), st.floats(0, 0.99))
@examples(25)
def test_all_other_dims_stay_and_an_outsider_reads_the_same(table, dim, stay):
    release = fw.protect.pram(table, dim, stay=stay, seed=3)
    axis = "ABC".index(dim)
    published = release.published.values
    assert (published.sum(axis=axis) == table.sum(axis=axis)).all()
    outside = fw.protect.as_protected(published, "pram", dim=dim, stay=stay)
    assert outside.likelihood == release.likelihood
    assert len(outside.evidence) == len(release.evidence)
    for one, other in zip(outside.evidence, release.evidence, strict=True):
        assert one.cells.tolist() == other.cells.tolist()
        assert one.first == other.first
        assert (one.log_weights == other.log_weights).all()


def test_a_file_says_all_that_an_outsider_reads(tmp_path):
    release = fw.protect.pram([[4, 9], [2, 7], [1, 0]], "A", MATRIX, seed=1)
    assert release.likelihood == "exact"
    release.to_file(tmp_path / "public.csv")
    read = fw.read_release(tmp_path / "public.csv", perturbed=True)
    outside = fw.protect.as_protected(read, "pram", dim="A", matrix=MATRIX)
    found, wanted = (fw.audit(one).cells["entropy"] for one in (outside, release))
    assert found.sort_index().tolist() == pytest.approx(wanted.sort_index().tolist())


def test_linked_to_another_table_it_keeps_its_evidence():
    table = np.array([[2, 1], [1, 1], [0, 3]])
    alone = fw.protect.pram(table, "A", MATRIX, seed=1)
    both = fw.linked([alone, fw.publish(table, ["A"])])
    beside = fw.protect.pram(table, "A", MATRIX, seed=1, exact=["A"])
    found, wanted = (fw.audit(one).cells["entropy"] for one in (both, beside))
    assert found.sort_index().tolist() == pytest.approx(wanted.sort_index().tolist())


# --- cell by cell --------------------------------------------------------------------------------------------------


def gaps(categories: int, records: int = 6, stay: float = 2 / 3) -> dict[str, float]:
    """How far the law of a cell, taken cell by cell, is from the true one: mean total variation over what is published."""
    matrix = np.full((categories, categories), (1 - stay) / (categories - 1))
    np.fill_diagonal(matrix, stay)
    lines = np.array(lines_of(records, categories))
    code = lines[:, 0] if categories == 2 else lines @ worths(records, categories, 10**6)
    off, weights, whole = {"as declared": [], "no evidence": []}, [], Lines(matrix, 10**6)
    for published in lines:
        likelihood = whole.likelihood(published)[code]
        true = likelihood / likelihood.sum()
        readings = {}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Lines.__init__, "__defaults__", (0,))
            readings["as declared"] = fw.protect.as_protected(published, "pram", dim="A", matrix=matrix)
        assert readings["as declared"].likelihood == ("exact" if categories == 2 else "cellwise approximation")
        readings["no evidence"] = fw.publish(published, [""])
        weights.append(likelihood.sum())
        for name, reading in readings.items():
            audit = fw.audit(reading)
            distance = []
            for cell in range(categories):
                wanted = np.bincount(lines[:, cell], weights=true, minlength=records + 1)
                found = audit.pmf(A=str(cell + 1)).reindex(range(records + 1), fill_value=0.0).to_numpy()
                distance.append(np.abs(found - wanted).sum() / 2)
            off[name].append(np.mean(distance))
    return {name: float(np.average(some, weights=weights)) for name, some in off.items()}


def gap(cells: int) -> float:
    """The gap of lines of so many categories, of 6 records, a third of which change."""
    return gaps(cells)["as declared"]


@pytest.mark.parametrize(("categories", "most"), [(2, 1e-9), (3, 0.025), (4, 0.025)])
def test_the_gap_of_the_cellwise_approximation(categories, most):
    found = gaps(categories)
    assert found["as declared"] < most
    assert found["as declared"] < 0.3 * found["no evidence"]


def test_long_lines_are_taken_cell_by_cell_and_say_so():
    table = np.array([[300, 20], [100, 7], [50, 3]])
    release = fw.protect.pram(table, "A", MATRIX, seed=1)
    assert release.likelihood == "cellwise approximation"
    assert "cells of long lines are taken one by one" in release.applied[0].words
    audit = fw.audit(release)
    for cell, row in audit.cells.iterrows():
        assert row["low90"] - 60 < table[int(cell[0]) - 1, int(cell[1]) - 1] < row["high90"] + 60
    two = fw.protect.pram(table[:2], "A", stay=0.9, seed=1)
    assert two.likelihood == "exact"


def test_what_is_too_improbable_for_floating_point_stays_possible():
    release = fw.protect.pram([900, 0], "A", stay=0.99, seed=1)
    assert release.likelihood == "exact"
    assert fw.bounds(release.without_truth())["upper"].tolist() == [900, 900]
    assert fw.bounds(release.without_truth())["lower"].tolist() == [0, 0]


def test_an_approximation_excludes_no_truth():
    """Structural zeros of the matrix bound a cell, and nothing else does."""
    only_down = np.array([[1.0, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5]])
    table = np.array([40, 30, 30])
    for seed in range(20):
        release = fw.protect.pram(table, "A", only_down, seed=seed)
        assert release.likelihood == "cellwise approximation"
        bounds = fw.bounds(release.without_truth())
        assert (bounds["lower"].to_numpy() <= table).all()
        assert (table <= bounds["upper"].to_numpy()).all()
        assert bounds["upper"].iloc[0] == release.figures[0]  # nobody left the first
    labelled = pd.DataFrame(only_down, index=list("321"), columns=list("321"))
    assert fw.protect.pram(table, "A", labelled, seed=1).applied[0].mechanism.matrix[2].tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fw.protect.pram([3, 4], "C", stay=0.8), "draws the values of 'C' anew, which is no dim"),
        (lambda: fw.protect.pram([3, 4], "A"), "needs matrix= or stay=, one of them"),
        (
            lambda: fw.protect.pram([3, 4], "A", stay=1),
            "stay=1.: the probability that a value stays, from 0 to below 1",
        ),
        (lambda: fw.protect.pram([3, 4], "A", MATRIX), "'A' has 2 labels, so that the matrix is 2 x 2"),
        (
            lambda: fw.protect.pram([3, 4, 5], "A", MATRIX * 2),
            "the row of '1' must be probabilities of at least 0 that sum to 1",
        ),
        (lambda: fw.protect.pram([3, 4], "A", np.eye(2)), "it leaves every value as it is"),
        (lambda: fw.protect.pram([3, 4], "A", [["x", "y"], ["z", "w"]]), "a table of probabilities"),
        (lambda: fw.protect.pram([[3, 4]], "A", stay=0.5), "has one label only"),
        (lambda: fw.protect.pram([3, 4], "A", pd.DataFrame(np.eye(2))), "'A' has no label '0'"),
        (
            lambda: fw.protect.pram(fw.table([3.5, 4], decimals=1), "A", stay=0.8),
            r"pram\(\) is for counts, and this table has decimals",
        ),
        (
            lambda: fw.protect.as_protected([3, 4, -1], "pram", dim="A", stay=0.8),
            "A=3, published as -1: pram moves units, and leaves no cell below 0",
        ),
        (
            lambda: fw.protect.as_protected([3, 4], "pram", dim="A", matrix=[[1, 0], [1, 0]]),
            "post-randomisation of A cannot have published it, by this matrix",
        ),
    ],
)
def test_wrong_parameters(call, words):
    with pytest.raises(fw.InputError, match=words):
        call()
