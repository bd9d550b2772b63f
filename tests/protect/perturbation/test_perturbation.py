"""Methods that change figures at random: what they publish, what they preserve, and what an intruder makes of it."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.naive import tables as naive

import fiberwalk as fw
from fiberwalk.protect.mechanism.mechanism import Figures, figures_of, seen_through
from fiberwalk.protect.perturbation.noise import Noise
from fiberwalk.protect.perturbation.perturbation import Perturbation, numbers_moved
from fiberwalk.protect.perturbation.transition_matrix import as_transitions
from fiberwalk.protect.records.sample_drawing import MOST_WEIGHTS, Sampling
from fiberwalk.release.facts.facts import NO_LIMIT, Applied

SMALL = [[0.9, 0.1, 0, 0], [0.25, 0.5, 0.25, 0], [0, 0.2, 0.5, 0.3], [0.1, 0, 0.4, 0.5]]
NOISE = {-2: 0.1, -1: 0.2, 0: 0.3, 2: 0.4}


def table_3():
    return fw.protect.window_matrix(stay=[0.5] * 2 + [0.9] * 13, window=[5] * 2 + [7] * 13)


# --- naive twins: P(published | value), from the definitions ---------------------------------------------------------


def moved(matrix, above, value):
    """Where a count may go, with which probability."""
    cap = len(matrix) - 1
    if value > cap and not above:
        return {value: 1.0}
    row = value
    while row > cap:
        row -= above
    return {value + j - row: p for j, p in enumerate(matrix[row]) if p > 0}


def noisy(noise, floor, value):
    found: dict[int, float] = {}
    for difference, p in noise.items():
        shown = max(value + difference, 0) if floor else value + difference
        found[shown] = found.get(shown, 0.0) + p
    return found


CASES = {
    "its last row": (Perturbation(as_transitions(SMALL, 1)), lambda v: moved(SMALL, 1, v)),
    "its last two rows": (Perturbation(as_transitions(SMALL, 2)), lambda v: moved(SMALL, 2, v)),
    "all its rows": (Perturbation(as_transitions(SMALL, 4)), lambda v: moved(SMALL, 4, v)),
    "larger ones stay": (Perturbation(as_transitions(SMALL, 0)), lambda v: moved(SMALL, 0, v)),
    "the matrix of the paper": (Perturbation(as_transitions(table_3(), 5)), lambda v: moved(table_3(), 5, v)),
    "noise": (Noise((-2, -1, 0, 2), (0.1, 0.2, 0.3, 0.4)), lambda v: noisy(NOISE, False, v)),
    "noise with a floor": (Noise((-2, -1, 0, 2), (0.1, 0.2, 0.3, 0.4), True), lambda v: noisy(NOISE, True, v)),
    "noise that keeps zeros": (
        Noise((-2, -1, 0, 2), (0.1, 0.2, 0.3, 0.4), True, noisy_zeros=False),
        lambda v: noisy(NOISE, True, v) if v else {0: 1.0},
    ),
    "noise below zero that keeps zeros": (
        Noise((-2, -1, 0, 2), (0.1, 0.2, 0.3, 0.4), noisy_zeros=False),
        lambda v: noisy(NOISE, False, v) if v else {0: 1.0},
    ),
    "noise upwards that keeps zeros": (
        Noise((1, 2), (0.5, 0.5), noisy_zeros=False),
        lambda v: noisy({1: 0.5, 2: 0.5}, False, v) if v else {0: 1.0},
    ),
    "noise upwards": (Noise((1, 2), (0.5, 0.5), True), lambda v: noisy({1: 0.5, 2: 0.5}, True, v)),
}


@pytest.mark.parametrize("name", CASES)
def test_every_count_is_published_with_the_probabilities_it_is_read_with(name):
    mechanism, law = CASES[name]
    n, steps = 36, 1000
    claimed = {value: law(value) for value in range(n)}
    for figure in range(-3, n + 20):
        first, weights = mechanism.given(figure, n - 1)
        read = {first + k: math.exp(w) for k, w in enumerate(weights) if w > -np.inf}
        true = {value: claimed[value][figure] for value in range(n) if claimed[value].get(figure)}
        assert read == pytest.approx(true)
    u = (np.arange(steps) + 0.5) / steps  # the inverse of a distribution function needs no luck to be tested
    for value in range(n):
        shown = Counter(mechanism.publish(np.full(steps, value), u).tolist())
        assert {k: c / steps for k, c in shown.items()} == pytest.approx(claimed[value], abs=1.5 / steps)
    assert mechanism.given(7, NO_LIMIT)[0] >= 0  # nothing may be known of a cell besides


def test_the_matrix_of_the_paper_follows_from_its_rule():
    matrix = table_3()
    assert matrix.shape == (16, 16)
    assert matrix.sum(axis=1) == pytest.approx(np.ones(16))
    assert sorted(set((matrix * 120).round(9).ravel())) == [0, 2, 15, 60, 108, 120]
    reach = {3: (1, 7), 4: (1, 7), 5: (2, 8), 10: (7, 13), 11: (8, 14), 12: (9, 15), 13: (9, 15), 15: (9, 15)}
    assert {i: (int(np.flatnonzero(matrix[i])[0]), int(np.flatnonzero(matrix[i])[-1])) for i in reach} == reach
    printed = matrix.round(4)  # 1/60 is printed as .0167
    with pytest.raises(
        fw.InputError, match=re.escape("row 3 of the transition matrix sums to 1.0002, not to 1; correct")
    ):
        fw.protect.perturb([[1, 2], [3, 4]], printed)
    fw.protect.perturb([[1, 2], [3, 4]], printed, normalise=True)


# --- what an intruder believes ---------------------------------------------------------------------------------------


@st.composite
def small_tables(draw):
    shape = draw(st.sampled_from([(2, 2), (3,), (2, 3)]))
    n = math.prod(shape)
    return np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))).reshape(shape)


def believed(release, table, by_row, choices, likelihood):
    """Check an audit against every table that can be made of the choices and has the sums that are known."""
    kept = [x for x in itertools.product(*choices) if sum(x) == table.sum()]
    if by_row:
        width = table.size // len(table)
        rows = table.reshape(len(table), -1).sum(axis=1).tolist()
        kept = [x for x in kept if [sum(x[i : i + width]) for i in range(0, len(x), width)] == rows]
    audit = fw.audit(release, method="exact")
    for cell in release.hidden.tolist():
        labels = {
            dim.name: dim.labels[i] for dim, i in zip(release.dims, np.unravel_index(cell, table.shape), strict=True)
        }
        law = {value: p for value, p in naive.pmf(kept, [cell], likelihood).items() if p > 0}
        assert audit.pmf(**labels).to_dict() == pytest.approx(law)


@given(small_tables(), st.booleans(), st.integers(0, 10**6))
@settings(max_examples=12, deadline=None)
def test_perturbed_and_noisy_tables_are_read_as_they_were_made(table, by_row, seed):
    exact, margins = (["A", ""], []) if by_row else ([""], ["A"])
    for release, law in (
        (
            fw.protect.perturb(table, SMALL, last_rows=2, seed=seed, exact=exact, margins=margins),
            CASES["its last two rows"][1],
        ),
        (
            fw.protect.add_noise(table, NOISE, floor=True, seed=seed, exact=exact, margins=margins),
            CASES["noise with a floor"][1],
        ),
    ):
        assert release.likelihood == "exact"
        chance = [law(value) for value in range(20)]
        seen = [(item.cells.tolist(), item.figure) for item in release.evidence]
        assert len(seen) == table.size + (len(table) if margins and table.ndim > 1 else 0)
        choices = [[v for v in range(20) if figure in chance[v]] for cells, figure in seen[: table.size]]

        def likelihood(x, chance=chance, seen=seen):
            return math.prod(chance[sum(x[c] for c in cells)].get(figure, 0.0) for cells, figure in seen)

        believed(release, table, by_row, choices, likelihood)


@given(small_tables(), st.booleans(), st.floats(0.1, 1), st.integers(0, 10**6))
@settings(max_examples=12, deadline=None)
def test_a_sample_with_known_population_margins(table, by_row, fraction, seed):
    size = math.floor(fraction * table.sum() + 0.5)
    if size == 0:
        return
    release = fw.protect.draw_sample(table, fraction, exact=["A"] if by_row else [], seed=seed)
    shown = release.figures.tolist()
    assert sum(shown) == size
    assert release.sums.value.max() == table.sum()
    assert release.likelihood == "exact"
    left = int(table.sum()) - size
    choices = [range(f, f + left + 1) for f in shown]
    if math.prod(map(len, choices)) > 20_000:
        return
    believed(release, table, by_row, choices, lambda x: math.prod(map(math.comb, x, shown)))


def test_samples_are_drawn_as_often_as_they_should():
    table, size, draws = [3, 1, 2], 3, 600
    seen = Counter(tuple(fw.protect.draw_sample(table, size=size, seed=s).figures.tolist()) for s in range(draws))
    possible = [f for f in itertools.product(range(4), repeat=3) if sum(f) == size and all(map(int.__le__, f, table))]
    expected = {f: draws * math.prod(map(math.comb, table, f)) / math.comb(6, size) for f in possible}
    assert set(seen) == set(expected)
    assert sum((seen[f] - e) ** 2 / e for f, e in expected.items()) < 40  # 5 degrees of freedom: p = 1e-7


def test_a_figure_that_a_method_cannot_have_published_is_named():
    release = fw.publish([[1, 2], [2, 0]], [""])
    figures = Figures(*figures_of(release, ()), np.array([1, 2, 7, 0]))
    applied = Applied("stochastic perturbation", "exact", "")
    with pytest.raises(
        fw.InputError, match="A=2, B=1, published as 7: stochastic perturbation cannot have published that"
    ):
        seen_through(release, Perturbation(as_transitions(SMALL, 0)), figures, applied)
    with pytest.raises(fw.InputError, match=r"published as 7: sampling cannot have published that \(the counts are"):
        seen_through(release, Sampling(5, 3), figures, applied)
    assert len(Noise((0,), (1.0,), True).given(-1, 5)[1]) == 0


def test_with_keys_of_labels_a_total_is_changed_alike_in_every_table():
    table = pd.DataFrame(
        [[1, 4, 0], [2, 2, 7]], index=pd.Index(["x", "y"], name="A"), columns=pd.Index(list("pqr"), name="B")
    )
    by_itself = table.sum(axis=1)
    for apply in (
        lambda t, **how: fw.protect.perturb(t, table_3(), last_rows=5, keys="labels", seed=8, **how),
        lambda t, **how: fw.protect.add_noise(t, fw.protect.uniform_noise(5), keys="labels", seed=8, **how),
    ):
        crossed, alone = apply(table, margins=["A"]), apply(by_itself)
        shown = {tuple(item.key): item.figure for item in crossed.evidence}
        totals = [shown[tuple(key)] for key in crossed.margin("A")[0]]
        assert totals == alone.published.values.tolist()
        assert apply(table).published.values.tolist() == crossed.published.values.tolist()


# --- what is preserved -----------------------------------------------------------------------------------------------


@st.composite
def matrices(draw, most=5):
    n = draw(st.integers(2, most))
    rows = draw(st.lists(st.lists(st.integers(0, 5), min_size=n, max_size=n), min_size=n, max_size=n))
    matrix = np.array(rows, dtype=float) + np.eye(n)
    return matrix / matrix.sum(axis=1, keepdims=True)


@given(matrices(), st.data(), st.floats(0, 1))
@settings(max_examples=60, deadline=None)
def test_an_invariant_matrix_keeps_the_frequencies_of_counts(matrix, data, alpha):
    n = len(matrix)
    t = np.array(data.draw(st.lists(st.integers(0, 300), min_size=n, max_size=n).filter(any)), dtype=float)
    found = fw.protect.invariant_matrix(matrix, t, alpha=alpha)
    assert (found >= 0).all()
    assert np.abs(found.sum(axis=1) - 1).max() < 1e-12
    assert np.abs(t @ found - t).max() <= 1e-12 * t.sum()
    joint = [
        [
            sum(matrix[i, j] * matrix[k, j] * t[k] / (matrix[:, j] @ t) for j in range(n) if matrix[:, j] @ t > 0)
            for k in range(n)
        ]
        for i in range(n)
    ]
    there = t > 0
    assert found[there] == pytest.approx((alpha * np.array(joint) + (1 - alpha) * np.eye(n))[there])


def test_an_invariant_matrix_keeps_frequencies_on_average_and_another_does_not():
    table = np.random.default_rng(4).poisson(1.5, (8, 10)).clip(0, 3)
    t = np.bincount(table.ravel(), minlength=4)

    def worst(matrix, draws=150):
        chance = np.asarray(matrix)
        spread = np.sqrt((t[:, None] * chance * (1 - chance)).sum(axis=0) / draws)
        counts = [np.bincount(fw.protect.perturb(table, matrix, seed=s).figures, minlength=4) for s in range(draws)]
        return (np.abs(np.mean(counts, axis=0) - t) / spread).max()

    assert worst(fw.protect.invariant_matrix(SMALL, table)) < 5
    assert worst(SMALL) > 10


def numbers_with_chances(transitions, truth):
    """Every outcome of how many cells go from each row to each column, with its probability: all choices in turn."""
    found: Counter = Counter()
    script: list[bool] = []
    while True:
        step, chance = 0, 1.0

        def choose(some, of):
            nonlocal step, chance
            script.extend([True] if step == len(script) else [])
            chance *= some / of if script[step] else 1 - some / of
            step += 1
            return script[step - 1]

        moved_cells = numbers_moved(transitions, np.array(truth), choose)
        found[tuple(moved_cells.ravel().tolist())] += chance
        while script and not script[-1]:
            script.pop()
        if not script:
            return found
        script[-1] = False


@given(matrices(4), st.lists(st.integers(0, 6), min_size=3, max_size=8), st.integers(0, 2))
@settings(max_examples=40, deadline=None)
def test_without_replacement_every_cell_still_has_the_probabilities_of_the_matrix(matrix, truth, above):
    transitions = as_transitions(matrix, above)
    tally = transitions.tally(np.array(truth))
    expected = tally[:, None] * matrix
    outcomes = numbers_with_chances(transitions, truth)
    n = len(matrix)
    mean = sum(chance * np.array(moves).reshape(n, n) for moves, chance in outcomes.items())
    assert mean == pytest.approx(expected, abs=1e-8)
    for moves, chance in outcomes.items():
        if chance > 1e-9:
            assert (np.abs(np.array(moves).reshape(n, n) - expected) < 1 + 1e-9).all()
            assert np.array(moves).reshape(n, n).sum(axis=1).tolist() == tally.tolist()


@given(matrices(), st.integers(0, 10**6), st.integers(0, 2))
@settings(max_examples=40, deadline=None)
def test_totals_are_preserved_with_an_invariant_matrix(matrix, seed, above):
    table = np.random.default_rng(seed).poisson(2, (4, 6))
    invariant = fw.protect.invariant_matrix(matrix, table, last_rows=above)
    release = fw.protect.perturb(table, invariant, last_rows=above, preserve_totals=True, seed=seed)
    shown = release.published.values
    assert shown.sum() == table.sum()
    assert release.sums.value.tolist() == [table.sum()]
    if above == 0 or table.max() < len(matrix):
        assert sorted(shown.ravel()) == sorted(table.ravel())
    assert release.likelihood == "cellwise approximation"
    assert len(release.evidence) == table.size
    plain = fw.protect.perturb(table, matrix, last_rows=0, preserve_totals=True, seed=seed)
    rows = table[table < len(matrix)]
    expected = np.bincount(rows, minlength=len(matrix)) @ matrix
    found = np.bincount(plain.published.values[table < len(matrix)], minlength=len(matrix))
    assert (np.abs(found - expected) < 1).all()


def gap(cells, invariant):
    """Total variation between the approximate and the true posterior of a cell, on average over what is published.

    The cells are 0 to 3 with equal probability; whoever sees an invariant matrix knows how often each count occurs.
    """
    truths = list(itertools.product(range(4), repeat=cells))
    plain = fw.protect.window_matrix([0.6] * 3, [3] * 3)
    same: dict = {}
    for truth in truths:
        matrix = fw.protect.invariant_matrix(plain, np.bincount(truth, minlength=4)) if invariant else plain
        same.setdefault(matrix.tobytes(), (matrix, []))[1].append(truth)
    all_cells, first = np.array(truths), np.arange(4)[:, None]
    total = weight = 0.0
    for matrix, known in same.values():
        transitions = as_transitions(matrix, 0)
        chances = {t: numbers_with_chances(transitions, t) for t in {tuple(sorted(x)) for x in known}}
        for shown in truths:
            true = np.zeros(len(known))
            for k, x in enumerate(known):
                n = [0] * 16
                for a, b in zip(x, shown, strict=True):
                    n[4 * a + b] += 1
                chance = chances[tuple(sorted(x))].get(tuple(n), 0.0)
                ways = math.prod(math.factorial(x.count(v)) for v in range(4)) / math.prod(map(math.factorial, n))
                true[k] = chance / ways
            if not true.any():
                continue
            apart = matrix[all_cells, np.array(shown)].prod(axis=1)
            if invariant:
                apart *= all_cells.sum(axis=1) == sum(shown)
            exactly = (first == np.array(known)[:, 0]) @ true / true.sum()
            total += true.sum() * np.abs(exactly - (first == all_cells[:, 0]) @ apart / apart.sum()).sum() / 2
            weight += true.sum()
    assert weight == pytest.approx(len(truths))  # the true likelihoods of every table sum to one
    return total / weight


def test_the_gap_of_preserved_totals_is_the_one_in_the_docstring():
    measured = [gap(cells, invariant) for invariant in (False, True) for cells in (3, 4)]
    assert [f"{one:.3f}" for one in measured] == re.findall(r"\b0\.\d{3}\b", fw.protect.perturb.__doc__)[:4]


@given(st.integers(0, 10**6), st.sampled_from([["A", "B"], ["A,B", "B,C"], ["A", "B,C"]]), st.booleans())
@settings(max_examples=10, deadline=None)
def test_an_additive_table_has_the_true_margins(seed, margins, preserve):
    shape = (3, 4) if "C" not in margins[-1] else (2, 3, 2)
    table = np.random.default_rng(seed).poisson(2, shape)
    release = fw.protect.perturb(table, table_3(), last_rows=5, additive=margins, preserve_totals=preserve, seed=seed)
    shown = release.published.values
    assert (shown >= 0).all()
    for margin in margins:
        over = tuple(axis for axis in range(table.ndim) if "ABC"[axis] not in margin)
        assert (shown.sum(axis=over) == table.sum(axis=over)).all()
    assert release.likelihood == "support only"
    assert not release.evidence
    assert "may learn more" in release.applied[0].words
    assert {*fw.publish(table, margins).sums.words} <= {*release.sums.words}


# --- noise and sizes -------------------------------------------------------------------------------------------------


def test_noise_distributions():
    noise = fw.protect.geometric_noise(0.5)
    assert sum(noise.values()) == pytest.approx(1)
    assert min(noise) == -max(noise)
    assert noise[3] / noise[2] == pytest.approx(math.exp(-0.5))
    assert fw.protect.geometric_noise(scale=2) == noise
    full = (1 - math.exp(-0.5)) / (1 + math.exp(-0.5))
    assert noise[0] == pytest.approx(full, rel=2e-9)  # what was cut off is next to nothing
    assert len(fw.protect.geometric_noise(0.5, max_change=4)) == 9
    release = fw.protect.add_noise(fw.table([[1.5, 2.0]], decimals=1), {-0.5: 0.5, 0.5: 0.5}, exact=["A"], seed=1)
    assert set((release.published.values - [[1.5, 2.0]]).ravel().tolist()) <= {-0.5, 0.5}
    assert release.evidence[0].log_weights.shape == (11,)  # five steps of 0.1 on either side, of which two are possible
    lowest = fw.protect.add_noise([0, 0, 0, 0], {-1: 0.5, 1: 0.5}, seed=1)
    assert lowest.published.values.min() == -1
    assert fw.audit(lowest).pmf(A=str(int(lowest.published.values.argmin()) + 1)).to_dict() == {0: 1.0}


def test_a_population_that_would_fill_the_memory_is_refused():
    with pytest.raises(fw.TooLarge, match=re.escape(f"more than {MOST_WEIGHTS:,}; publish further population margins")):
        fw.protect.draw_sample(np.arange(10**6, 10**6 + 400).reshape(20, 20), 0.5)
    with pytest.raises(fw.TooLarge, match=re.escape("the population has 2,000,000,000 units; it can have fewer")):
        fw.protect.draw_sample([10**9, 10**9], size=1)


BAD = {
    "this is 2 x 3": lambda t: fw.protect.perturb(t, [[1, 0, 0], [0, 1, 0]]),
    "entries that are not numbers": lambda t: fw.protect.perturb(t, [["a", 0], [0, 1]]),
    "has -0.1 in row 1, column 0; probabilities are at least 0": lambda t: fw.protect.perturb(t, [[1, 0], [-0.1, 1.1]]),
    "row 1 of the transition matrix sums to 0.9, not to 1": lambda t: fw.protect.perturb(t, [[1, 0], [0.4, 0.5]]),
    "row 1 of the transition matrix sums to 0, not to 1.": lambda t: fw.protect.perturb(
        t, [[1, 0], [0, 0]], normalise=True
    ),
    "the columns of the transition matrix must be the counts 0, 1": lambda t: fw.protect.perturb(
        t, pd.DataFrame(np.eye(2), columns=[1, 0])
    ),
    "last_rows=3: how many of them": lambda t: fw.protect.perturb(t, np.eye(2), last_rows=3),
    "perturb() is for counts, and this table has decimals": lambda t: fw.protect.perturb(
        fw.table(t, decimals=1), np.eye(2)
    ),
    "no key can decide": lambda t: fw.protect.perturb(t, np.eye(2), preserve_totals=True, keys="labels"),
    "leave out margins=": lambda t: fw.protect.perturb(t, np.eye(2), additive=["A"], margins=["A"]),
    "alpha=2: a number from 0": lambda t: fw.protect.invariant_matrix(np.eye(2), [1, 2], alpha=2),
    "alpha='all': a number from 0 (nothing is changed) to 1, or 'alike'.": lambda t: fw.protect.invariant_matrix(
        np.eye(2), [1, 2], alpha="all"
    ),
    "must be 2 frequencies; there are 3": lambda t: fw.protect.invariant_matrix(np.eye(2), [1, 2, 3]),
    "at least 0, and not all 0": lambda t: fw.protect.invariant_matrix(np.eye(2), [0, 0]),
    "the same counts 1, 2": lambda t: fw.protect.window_matrix([0.5], [2, 2]),
    "the count 1 stays with probability 1.5": lambda t: fw.protect.window_matrix([1.5, 1], [2, 2]),
    "the count 2 has a window of 3 counts": lambda t: fw.protect.window_matrix([0.5, 0.5], [2, 3]),
    "noise= is a dict": lambda t: fw.protect.add_noise(t, 3),
    "the probabilities of the noise sum to 0.9, not to 1": lambda t: fw.protect.add_noise(t, {0: 0.4, 1: 0.5}),
    "the noise 1 has probability -0.5": lambda t: fw.protect.add_noise(t, {0: 1.5 - 0.5, 1: -0.5}),
    "0.5 is not a whole number": lambda t: fw.protect.add_noise(t, {0.5: 1}),
    "the largest difference is 0": lambda t: fw.protect.uniform_noise(0),
    "needs epsilon or scale=": lambda t: fw.protect.geometric_noise(),
    "epsilon is -1": lambda t: fw.protect.geometric_noise(-1),
    "draw_sample() needs fraction= or size=, one of them": lambda t: fw.protect.draw_sample(t),
    "the population has 7 units only": lambda t: fw.protect.draw_sample(t, size=8),
    "a fraction is above 0 and at most 1": lambda t: fw.protect.draw_sample(t, 1.5),
    "a sample of nobody": lambda t: fw.protect.draw_sample(t, 0.01),
    "draw_sample() is for counts": lambda t: fw.protect.draw_sample(fw.table(t, decimals=2), 0.5),
}


@pytest.mark.parametrize("words", BAD)
def test_bad_input_is_said(words):
    with pytest.raises(fw.InputError, match=re.escape(words)):
        BAD[words]([[1, 2], [4, 0]])


def test_a_matrix_that_is_made_for_the_table_tells_more_than_is_used():
    """Whoever knows it knows its stationary vector: how often each count occurs."""
    table = [[0, 1], [1, 1]]
    plain = [[0.8, 0.2], [0.2, 0.8]]
    assert fw.protect.perturb(table, plain, seed=1).likelihood == "exact"
    matrix = fw.protect.invariant_matrix(plain, table)
    release = fw.protect.perturb(table, matrix, seed=1)
    assert release.likelihood == "cellwise approximation"
    assert "tells how often each count occurs, which is not used" in release.applied[0].words
    read = fw.protect.as_protected(release.published, "perturb", matrix=matrix)
    assert read.likelihood == "cellwise approximation"
    assert fw.protect.as_protected(release.published, "perturb", matrix=plain).likelihood == "exact"
