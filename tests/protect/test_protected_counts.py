"""Published counts without a release: the same as the public functions publish, and keys that decide."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fiberwalk as fw
from fiberwalk.protect.mechanism.cell_keys import cell_numbers
from fiberwalk.protect.methods import METHODS
from fiberwalk.protect.protected_counts import _BY_RELEASE, protected_counts
from fiberwalk.protect.records.swapped_pairs import flows_of

COUNTS = np.random.default_rng(7).poisson(2.5, (3, 5, 4))
MATRIX = fw.protect.window_matrix(stay=[0.5] * 2 + [0.9] * 13, window=[5] * 2 + [7] * 13)
INVARIANT = fw.protect.invariant_matrix(MATRIX, COUNTS, last_rows=5)
CASES = [
    ("round_to", {"base": 5}),
    ("random_round", {"base": 3}),
    ("semi_controlled_round", {}),
    ("semi-controlled-round", {"base": 3, "within": "A"}),
    ("semi_controlled_round", {"base": 5, "within": ("C", "A")}),
    ("perturb", {"matrix": MATRIX, "last_rows": 5}),
    ("perturb", {"matrix": INVARIANT, "last_rows": 5, "preserve_totals": True}),
    ("perturb", {"matrix": INVARIANT, "last_rows": 5, "preserve_totals": True, "within": "B"}),
    ("perturb", {"matrix": MATRIX, "last_rows": 5, "additive": ["A"]}),
    ("add_noise", {"noise": {-1: 0.25, 0: 0.5, 1: 0.25}, "floor": True}),
    ("swap", {"dim": "A"}),
    ("swap", {"dim": "B", "within": "C", "rate": 0.3}),
    ("swap", {"dim": "B,C", "rate": 0.3}),
    ("swap", {"dim": "C", "within": ["A"], "rate": 0.3, "targeted": 2}),
    ("controlled_round", {"margins": ["A"]}),
    ("round_lattice", {"base": 3}),
    ("draw_sample", {"fraction": 0.3}),
    ("pram", {"dim": "B", "stay": 0.8}),
    ("local_suppress", {"dim": "C", "rate": 0.3}),
    ("markov_perturb", {"theta": 0.05}),
]


def public(method, parameters, seed, counts=COUNTS, **more):
    function = getattr(fw if method in fw.__all__ else fw.protect, method.replace("-", "_"))
    seeded = {"seed": seed} if "seed" in inspect.signature(function).parameters else {}
    release = function(counts, **parameters, **seeded, **more)
    return release.published.values


@pytest.mark.parametrize(("method", "parameters"), CASES, ids=[f"{m} {sorted(p)}" for m, p in CASES])
def test_the_public_function_publishes_the_same(method, parameters):
    found = protected_counts(COUNTS, method, parameters, seed=4)
    assert found.shape == COUNTS.shape
    assert (found == public(method, parameters, 4)).all()
    assert (found != COUNTS).any()
    if method not in ("round_to", "controlled_round"):
        assert (found != protected_counts(COUNTS, method, parameters, seed=5)).any()


def test_every_method_that_publishes_all_cells_is_there():
    withheld = {"suppress", "complementary_suppress", "merge"}
    like_draw_sample = {"swap_preserving", "simulate"}  # which take longer
    assert {method.replace("-", "_") for method, _ in CASES} | like_draw_sample == set(METHODS) - withheld
    assert like_draw_sample < set(_BY_RELEASE)
    for method in withheld:
        with pytest.raises(fw.InputError, match=f"{method} has no figure for every cell"):
            protected_counts(COUNTS, method, {}, seed=1)


BY_KEYS = [CASES[i] for i in (1, 2, 4, 5, 8, 9)]


@pytest.mark.parametrize(("method", "parameters"), BY_KEYS)
def test_keys_decide_as_they_do_in_the_public_function(method, parameters):
    counts = COUNTS + 1  # nobody's key decides about an empty cell
    keys = np.random.default_rng(2).integers(0, 2**64, counts.shape, dtype=np.uint64)
    numbers = cell_numbers(keys, 4)
    found = protected_counts(counts, method, parameters, seed=4, numbers=numbers)
    assert (found == public(method, parameters, 4, counts, keys=keys)).all()
    assert (found == protected_counts(counts, method, parameters, seed=5, numbers=numbers)).all()
    assert (found != protected_counts(counts, method, parameters, seed=4)).any()


def test_the_lowest_keys_of_a_remainder_go_up():
    counts = np.array([1, 4, 1, 7, 1, 1, 3])
    numbers = np.array([0.5, 0.1, 0.9, 0.2, 0.3, 0.6, 0])
    found = protected_counts(counts, "semi_controlled_round", {"base": 3}, seed=1, numbers=numbers)
    assert (found - counts).tolist() == [-1, 2, -1, 2, -1, -1, 0]


def test_ranked_by_keys_a_cell_mostly_goes_the_same_way_in_another_table():
    random = np.random.default_rng(3)
    same = {True: [], False: []}
    for keyed in same:
        for seed in range(60):
            numbers = random.random(150)  # 50 cells of either table are in both
            tables = [
                protected_counts(
                    np.ones(100, int),
                    "semi_controlled_round",
                    {},
                    seed=2 * seed + i,
                    numbers=numbers[part] if keyed else None,
                )
                for i, part in enumerate((slice(0, 100), slice(50, 150)))
            ]
            same[keyed].append((tables[0][50:] == tables[1][:50]).mean())
    # The thresholds differ by 0.8 sqrt(1 * 2 * (1/100 + 1/100)) / 3 where no cell is in both tables, here by less.
    assert np.mean(same[True]) > 1 - 0.8 * np.sqrt(2 * 2 / 100) / 3
    assert np.mean(same[False]) == pytest.approx(5 / 9, abs=0.03)


def test_keyed_rounding_says_what_it_did():
    release = fw.protect.semi_controlled_round([[1, 4, 7], [2, 5, 3]], keys="labels", seed=1)
    assert release.applied[0].keys == "labels"
    assert "those with the lowest random numbers go up" in release.applied[0].words
    assert fw.linked([release, fw.protect.semi_controlled_round([[1, 4, 7], [2, 5, 3]], base=5, keys="labels", seed=1)])


# --- totals that perturbation keeps within categories ----------------------------------------------------------------


def test_perturbation_keeps_totals_within_categories():
    counts = np.array([[1, 1, 2, 2, 3, 3, 1, 2], [1, 2, 3, 3, 2, 1, 2, 1]])  # the same counts in either row
    matrix = fw.protect.invariant_matrix([[1, 0, 0, 0], *np.full((3, 4), [0, 0.25, 0.25, 0.5])], counts)
    release = fw.protect.perturb(counts, matrix, preserve_totals=True, within="A", seed=1)
    figures = release.published.values
    assert (np.sort(figures) == np.sort(counts)).all()
    assert (figures != counts).any()
    assert "in each category of A" in release.applied[0].words
    assert "keeps the totals of A, which are facts" in release.applied[0].words
    assert (release.sums.value == counts.sum(axis=1)).all()
    uneven = np.array([[1, 1, 1, 2, 3], [3, 3, 1, 2, 2]])
    release = fw.protect.perturb(
        uneven, fw.protect.invariant_matrix(matrix, uneven), preserve_totals=True, within="A", seed=1
    )
    assert "it keeps" not in release.applied[0].words  # invariant for the table, not for its rows
    assert not len(release.sums)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_within_each_category_as_many_cells_change_as_expected(seed):
    counts = np.random.default_rng(seed).integers(0, 4, (3, 20))
    matrix = np.array([[0.7, 0.3, 0, 0], [0.1, 0.6, 0.3, 0], [0, 0.2, 0.5, 0.3], [0, 0, 0.25, 0.75]])
    parameters = {"matrix": matrix, "preserve_totals": True, "within": "A"}
    found = protected_counts(counts, "perturb", parameters, seed=seed)
    for row, after in zip(counts, found, strict=True):
        for i in range(4):
            wanted = (row == i).sum() * matrix[i]
            assert (np.abs(np.bincount(after[row == i], minlength=4) - wanted) < 1).all()


# --- swapping in good time -------------------------------------------------------------------------------------------


def test_between_two_categories_the_number_of_pairs_says_all():
    random = np.random.default_rng(1)
    state = random.bit_generator.state
    flows = flows_of(np.array([[0, 0, 0], [70_000, 0, 90_000]]), 50_000, random)
    assert flows[1].tolist() == [[0, 0, 50_000], [0, 0, 0], [50_000, 0, 0]]
    assert flows[0].sum() == 0
    assert random.bit_generator.state == state
    flows = flows_of(np.array([[2, 0], [5, 3]]), 3, random)  # the targeted first: two of the three are theirs
    assert (flows.sum(axis=0) == [[0, 3], [3, 0]]).all()
    assert flows[0, 0, 1] == 2


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: protected_counts(COUNTS, "round_to", {}, seed=1), "round_to needs its base=."),
        (
            lambda: protected_counts(COUNTS, "swap", {"dim": "A", "exact": ["A"]}, seed=1),
            "swap has no parameter 'exact' that changes cells",
        ),
        (lambda: protected_counts(COUNTS, "simulate", {"margin": "A"}, seed=1), "simulate has no parameter 'margin'"),
        (
            lambda: protected_counts(COUNTS, "round_lattice", {"max_dims": 2}, seed=1),
            "round_lattice: the cells of the table are not among the tables that are offered.",
        ),
        (lambda: protected_counts(COUNTS, "rond_to", {}, seed=1), "there is no method 'rond_to'"),
        (lambda: protected_counts(COUNTS, "random_round", {}, seed=-1), "seed=-1: a whole number"),
        (lambda: protected_counts(np.array([1.5]), "random_round", {}, seed=1), "is not a whole number"),
        (lambda: protected_counts(np.zeros((0, 2)), "random_round", {}, seed=1), "the table is empty"),
        (lambda: protected_counts(COUNTS, "random_round", {}, seed=1, dims=["x"]), "3 dims, and 1 names are given"),
        (
            lambda: protected_counts(COUNTS, "random_round", {}, seed=1, numbers=np.ones(COUNTS.shape)),
            "numbers= must be from 0 to below 1",
        ),
        (
            lambda: protected_counts(COUNTS, "swap", {"dim": "A"}, seed=1, numbers=COUNTS / 100),
            "swap has no random numbers that belong to cells: leave out numbers=",
        ),
        (
            lambda: protected_counts(
                COUNTS, "perturb", {"matrix": MATRIX, "preserve_totals": True}, seed=1, numbers=COUNTS / 100
            ),
            "no key can decide: leave out keys=",
        ),
        (
            lambda: fw.protect.perturb(COUNTS, MATRIX, within="A"),
            "perturb(within='A') says where totals are kept: give preserve_totals=True with it",
        ),
        (
            lambda: protected_counts(COUNTS, "semi_controlled_round", {"within": "A,B,C"}, seed=1),
            "every category has one cell",
        ),
    ],
)
def test_errors(call, words):
    with pytest.raises(fw.InputError, match=re.escape(words)):
        call()
