"""The pool against every table, in plain Python: its tables, what it answers, and what it makes of answers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from support.naive.keyed_figures_told import answers_of, drawn, likelihood, people_of, posterior, probable, rounded

from fiberwalk.posterior.particles.answering import TWIN, Judged
from fiberwalk.posterior.particles.chances import Chances
from fiberwalk.posterior.particles.likelihood import entered, room_for, set_out
from fiberwalk.posterior.particles.pool import TableLaw, drawn_pool, marks_of, poisson_law
from fiberwalk.posterior.particles.told import told
from fiberwalk.protect.rounding.random_rounding import RandomRounding

FALSE_ALARM = 1e-6
POOLS, DRAWS = 25, 1500
SHAPE = (2, 2)
CELLS = 4
GROUPS = [frozenset(group) for group in ((0, 1), (2, 3), (0, 2), (0, 1, 2, 3), (0,), (1, 2, 3))]
CHANCES = Chances(RandomRounding(3), 40)


def masks(groups):
    return np.array([[cell in group for cell in range(CELLS)] for group in groups])


def published(seed, law, groups):
    """A table of the law, and what is published of groups."""
    random = np.random.default_rng(seed)
    table = tuple(law.drawn(1, random)[0].tolist())
    return table, drawn(table, groups, lambda count: RandomRounding(3).publish(np.array(count), random.random()))


def worst(law, figures, shared=True):
    """The smallest p-value, corrected for how many there are, of all that pools say of cells."""
    exact = posterior(law.probabilities.tolist(), figures, rounded(3))
    shares = []
    for seed in range(POOLS):
        pool = drawn_pool(law, CHANCES, DRAWS, 3 * CELLS, seed, shared)
        for group, figure in figures:
            pool = pool.with_figure(masks([group])[0], figure)
        assert not pool.lost
        shares.append([(pool.tables == count).mean(axis=0) for count in (0, 1, 2)])
    shares, p_values = np.array(shares), []
    for k, count in enumerate((0, 1, 2)):
        for cell in range(CELLS):
            wanted, seen = probable(exact, cell, [count]), shares[:, k, cell]
            if seen.std() == 0 or wanted < 1e-3:
                assert seen.mean() == pytest.approx(wanted, abs=0.01)
            else:
                p_values.append(stats.ttest_1samp(seen, wanted).pvalue)
    return min(p_values) * len(p_values)


@pytest.mark.parametrize("mean", [0.6, 2.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_pool_has_the_law_of_all_tables_given_the_figures(mean, seed):
    law = poisson_law(np.full(SHAPE, mean), 5)
    _, figures = published(seed, law, GROUPS)
    assert worst(law, figures) > FALSE_ALARM


def test_without_shared_draws_it_is_another_law():
    """The control: the same figure twice is two draws, and the test above must see it."""
    law = poisson_law(np.full(SHAPE, 0.6), 5)
    figures = [(frozenset({0}), 3), (frozenset({0, 1}), 3), (frozenset({0, 2}), 3)]
    assert worst(law, figures) > FALSE_ALARM
    assert worst(law, figures, shared=False) < FALSE_ALARM / 100


def test_cells_that_nobody_can_be_in_stay_empty():
    means = np.array([[1.0, 0.0], [2.0, 0.5]])
    pool = drawn_pool(poisson_law(means, 8), CHANCES, 500, 12, 1).with_figure(masks([{0, 1}])[0], 3)
    assert not pool.tables[:, 1].any()
    assert pool.tables[:, 0].all()


def test_the_likelihood_of_single_tables():
    random = np.random.default_rng(2)
    for _ in range(200):
        chosen = [frozenset(np.flatnonzero(random.random(CELLS) < 0.6).tolist()) for _ in range(4)]
        figures = [(group, int(random.choice([0, 3]))) for group in chosen]
        table = random.poisson(0.7, CELLS)
        arrays = told(masks(chosen), [figure for _, figure in figures], CHANCES, marks_of(1, CELLS))
        room = room_for(len(chosen))
        answer = _likelihood(arrays, room, table)
        assert answer == pytest.approx(likelihood(table.tolist(), figures, rounded(3)))


def _likelihood(arrays, room, table):
    from fiberwalk.base.jit import interpreted

    interpreted(set_out)(arrays.of_start, arrays.of_cell, arrays.marks, room, table)
    return np.exp(interpreted(entered)(arrays, room, room.counted))


ASKED = [frozenset({0, 2}), frozenset({1, 3}), frozenset({0, 1, 2})]
TOLD = [(frozenset({0, 1}), 3), (frozenset({2, 3}), 0)]


def pool_told(draws=400):
    pool = drawn_pool(poisson_law(np.full(SHAPE, 0.8), 5), CHANCES, draws, 12, 3)
    for group, figure in TOLD:
        pool = pool.with_figure(masks([group])[0], figure)
    return pool


def test_what_tables_say_of_new_groups():
    pool = pool_told()
    asked = pool._asked(masks(ASKED))
    kinds = set()
    for i, table in enumerate(pool.tables.tolist()):
        before = {people_of(table, group): figure for group, figure in TOLD if people_of(table, group)}
        for k, group in enumerate(ASKED):
            people, code = people_of(table, group), asked.codes[k, i]
            first = [people_of(table, other) for other in ASKED].index(people)
            if people in before:
                expected = -1 - before[people]
            elif people and first < k:
                expected = TWIN - first
            else:
                expected = sum(table[cell] for cell in group)
            assert code == expected
            kinds.add("known" if people in before else "twin" if first < k else "own")
    assert kinds == {"known", "twin", "own"}


def test_imagined_answers_have_the_law_of_the_server_s():
    """How often each answer is imagined, against all that may be answered of each table of the pool."""
    pool = pool_told(4000)
    answers = pool._answers(pool._asked(masks(ASKED)), np.arange(len(pool.tables)))
    expected: dict[tuple[int, ...], float] = {}
    tables, often = np.unique(pool.tables, axis=0, return_counts=True)
    for table, number in zip(tables.tolist(), often.tolist(), strict=True):
        for answer, p in answers_of(table, TOLD, ASKED, rounded(3), (0, 3, 6, 9, 12, 15)):
            expected[answer] = expected.get(answer, 0.0) + number * p
    seen = {answer: 0 for answer in expected}
    for answer in map(tuple, answers.tolist()):
        seen[answer] += 1  # an answer that cannot be is a KeyError
    large = [answer for answer, number in expected.items() if number > 5]
    squares = sum((seen[answer] - expected[answer]) ** 2 / expected[answer] for answer in large)
    assert stats.chi2.sf(squares, len(large)) > FALSE_ALARM


@pytest.mark.parametrize("least_ratio", [0.3, 0.5, 0.8])
def test_which_answers_tell_too_much(least_ratio):
    """Every imagined answer, weighed table by table."""
    pool = pool_told(3000)
    predicates = [(1,), (1, 2)]
    holds = np.array([[float(count in counts) for counts in predicates] for count in range(6)])
    prior = pool.law.probabilities @ holds
    judged = Judged(holds, prior * least_ratio, prior / least_ratio)
    number, asked = 60, masks(ASKED[:2])
    answers = pool._answers(pool._asked(asked), np.arange(number) * len(pool.tables) // number)
    bad = 0
    for answer in answers.tolist():
        both = [*TOLD, *zip(ASKED[:2], answer, strict=True)]
        ratios = [likelihood(t, both, rounded(3)) / likelihood(t, TOLD, rounded(3)) for t in pool.tables.tolist()]
        weights = np.array(ratios)
        after = np.einsum("i,ick->ck", weights, holds[pool.tables]) / weights.sum()
        few = weights.sum() ** 2 < 100 * (weights**2).sum()
        bad += bool(few or (after < judged.low).any() or (after > judged.high).any())
    assert pool.telling_too_much(asked, judged, number, number) == bad
    assert bad > 0
    stopped = pool.telling_too_much(asked, judged, number, 0)
    assert 0 < stopped <= bad


def test_a_figure_that_no_table_speaks_for_loses_the_pool():
    pool = pool_told().with_figure(masks([{0, 3}])[0], 39)
    assert pool.lost
    assert pool.with_figure(masks([{1, 3}])[0], 3).lost


def test_the_same_seed_is_the_same_pool_and_another_is_not():
    first, again = pool_told(), pool_told()
    assert (first.tables == again.tables).all()
    assert not (
        drawn_pool(first.law, CHANCES, 400, 12, 4).tables == drawn_pool(first.law, CHANCES, 400, 12, 3).tables
    ).all()


def test_laws_of_tables():
    law = poisson_law(np.array([1.0, 0.0]), 3)
    assert law.probabilities[0] == pytest.approx(np.array([6, 6, 3, 1]) / 16)
    assert law.probabilities[1].tolist() == [1, 0, 0, 0]
    wide = TableLaw((1,), np.array([[-np.inf, 0.0, 0.0]]))
    assert set(wide.drawn(50, np.random.default_rng(1)).ravel().tolist()) == {1, 2}
