"""The pool against every table, in plain Python: its tables, what it answers, and what it makes of answers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats
from support.keyed_figures.twin import Shown, drawn, likelihood, posterior, rounded

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
    """What is published of groups, of a table of the law."""
    random = np.random.default_rng(seed)
    table = law.drawn(1, random)[0].tolist()
    draw = lambda count: int(RandomRounding(3).publish(np.array(count), random.random()))  # noqa: E731
    return list(drawn(table, [(group, None) for group in groups], draw))


def with_figures(pool, figures):
    """The pool when all these figures are known."""
    for shown in figures:
        pool = pool.with_figure(masks([shown.cells])[0], shown.figure)
    return pool


def worst(law, figures, shared=True):
    """The smallest p-value, corrected for how many there are, of all that pools say of cells."""
    prior = law.probabilities
    exact = posterior([prior.shape[1] - 1] * CELLS, lambda cell, count: prior[cell, count], figures, rounded(3))
    shares = []
    for seed in range(POOLS):
        pool = with_figures(drawn_pool(law, CHANCES, DRAWS, 3 * CELLS, seed, shared), figures)
        assert not pool.lost
        shares.append([(pool.tables == count).mean(axis=0) for count in (0, 1, 2)])
    shares, p_values = np.array(shares), []
    for k, count in enumerate((0, 1, 2)):
        for cell in range(CELLS):
            wanted = sum(p for table, p in exact.items() if table[cell] == count)
            seen = shares[:, k, cell]
            if seen.std() == 0 or wanted < 1e-3:
                assert seen.mean() == pytest.approx(wanted, abs=0.01)
            else:
                p_values.append(stats.ttest_1samp(seen, wanted).pvalue)
    return min(p_values) * len(p_values)


@pytest.mark.parametrize("mean", [0.6, 2.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_pool_has_the_law_of_all_tables_given_the_figures(mean, seed):
    law = poisson_law(np.full(SHAPE, mean), 5)
    figures = published(seed, law, GROUPS)
    assert worst(law, figures) > FALSE_ALARM


def test_without_shared_draws_it_is_another_law():
    """The control: the same figure twice is two draws, and the test above must see it."""
    law = poisson_law(np.full(SHAPE, 0.6), 5)
    figures = [Shown(frozenset(group), 3) for group in ({0}, {0, 1}, {0, 2})]
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
        figures = [Shown(group, int(random.choice([0, 3]))) for group in chosen]
        table = random.poisson(0.7, CELLS)
        arrays = told(masks(chosen), [shown.figure for shown in figures], CHANCES, marks_of(1, CELLS))
        room = room_for(len(chosen))
        answer = _likelihood(arrays, room, table)
        assert answer == pytest.approx(likelihood(table.tolist(), figures, rounded(3)))


def _likelihood(arrays, room, table):
    from fiberwalk.base.jit import interpreted

    interpreted(set_out)(arrays.of_start, arrays.of_cell, arrays.marks, room, table)
    return np.exp(interpreted(entered)(arrays, room, room.counted))


ASKED = [frozenset({0, 2}), frozenset({1, 3}), frozenset({0, 1, 2})]
TOLD = [Shown(frozenset({0, 1}), 3), Shown(frozenset({2, 3}), 0)]


def pool_told(draws=400):
    return with_figures(drawn_pool(poisson_law(np.full(SHAPE, 0.8), 5), CHANCES, draws, 12, 3), TOLD)


def people_of(table, group):
    """The occupied cells of a group."""
    return frozenset(cell for cell in group if table[cell])


def given(table, asked, answer):
    """P(answer | table, what was told)."""
    both = [*TOLD, *(Shown(group, figure) for group, figure in zip(asked, answer, strict=True))]
    return likelihood(table, both, rounded(3)) / likelihood(table, TOLD, rounded(3))


def test_what_tables_say_of_new_groups():
    pool = pool_told()
    asked = pool._asked(masks(ASKED))
    kinds = set()
    for i, table in enumerate(pool.tables.tolist()):
        before = {people_of(table, one.cells): one.figure for one in TOLD if people_of(table, one.cells)}
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
        for answer in product((0, 3, 6, 9, 12, 15), repeat=len(ASKED)):
            if p := given(table, ASKED, answer):
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
    pool = pool_told(1500)
    predicates = [(1,), (1, 2)]
    holds = np.array([[float(count in counts) for counts in predicates] for count in range(6)])
    prior = pool.law.probabilities @ holds
    judged = Judged(holds, prior * least_ratio, prior / least_ratio)
    number, asked = 25, masks(ASKED[:2])
    answers = pool._answers(pool._asked(asked), np.arange(number) * len(pool.tables) // number)
    bad = 0
    for answer in answers.tolist():
        weights = np.array([given(table, ASKED[:2], answer) for table in pool.tables.tolist()])
        after = np.einsum("i,ick->ck", weights, holds[pool.tables]) / weights.sum()
        few = weights.sum() ** 2 < 100 * (weights**2).sum()
        bad += bool(few or (after < judged.low).any() or (after > judged.high).any())
    assert pool.telling_too_much(asked, judged, number, number) == bad
    stopped = pool.telling_too_much(asked, judged, number, 0)
    assert min(bad, 1) <= stopped <= bad
    assert (bad == 0, bad == number) == (least_ratio < 0.4, least_ratio > 0.6)


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
