"""Independent draws have exactly the law they claim: by enumeration, and by scipy where there is too much to list."""

from __future__ import annotations

import math
from dataclasses import replace

import numba
import numpy as np
import pytest
import scipy.sparse as sp
from scipy import stats
from scipy.stats import hypergeom
from support.naive import tables as naive

import fiberwalk as fw
from fiberwalk.base.jit import jit
from fiberwalk.base.random_streams import below, streams
from fiberwalk.fiber.bounds.decomposable import components
from fiberwalk.fiber.laws.support import support
from fiberwalk.moves.chooser import choose
from fiberwalk.moves.families.swaps import Swaps
from fiberwalk.sampler.chains.chain import Chain
from fiberwalk.sampler.chains.units import units_of
from fiberwalk.sampler.kernels.independent.decomposable import DecomposableKernel
from fiberwalk.sampler.kernels.independent.draw_decomposable import (
    decomposable_plan,
    decomposable_room,
    draw_many_decomposable,
)
from fiberwalk.sampler.kernels.independent.draw_two_way import (
    draw_independent,
    draw_many_independent,
    log_factorial_table,
    two_way_plan,
    two_way_room,
)
from fiberwalk.sampler.kernels.independent.two_way import TwoWayKernel
from fiberwalk.sampler.kernels.row_pairs.redraw import redraw_by_columns
from fiberwalk.sampler.lines.hypergeometric import draw_hypergeometric, draw_with_table, log_factorial

REJECTED = 1e-6
DRAWS = 40_000


def p_value(counts, expected):
    """Of the chi-square test; the rarest are put together until five are expected. What cannot be must not be."""
    counts, expected = np.asarray(counts, float), np.asarray(expected, float)
    if counts[expected <= 0].any():
        return 0.0
    order = np.argsort(expected)
    group = np.maximum(np.cumsum(expected[order]) >= 5, expected[order] >= 5).cumsum()
    group = np.maximum(group, 1)  # those before the first full group join it
    counts, expected = np.bincount(group, counts[order])[1:], np.bincount(group, expected[order])[1:]
    if len(counts) == 1:
        return 1.0
    return stats.chi2.sf(((counts - expected) ** 2 / expected).sum(), len(counts) - 1)


def weighted(every):
    logs = np.array([-sum(math.lgamma(x + 1) for x in one) for one in every])
    weights = np.exp(logs - logs.max())
    return weights / weights.sum()


def fit(tables, every):
    """The p-value of drawn tables under prod 1/x! on all tables; a table that is none of them is an error."""
    place = {one: k for k, one in enumerate(every)}
    counts = np.bincount([place[tuple(one)] for one in tables.tolist()], minlength=len(every))
    return p_value(counts, len(tables) * weighted(every))


def all_tables(values, margins):
    facts = []
    for margin in margins:
        groups = [[i if "ABCDE"[axis] in margin else 0 for i in range(n)] for axis, n in enumerate(values.shape)]
        facts += naive.margin_facts(values, groups)
    return naive.tables(values.size, facts)


# --- one number


@jit
def repeated(good, bad, taken, log_factorials, random, out):
    for k in range(len(out)):
        out[k] = draw_with_table(good, bad, taken, log_factorials, random)


LONG, NO_TABLE = log_factorial_table(20_000), log_factorial_table(-1)

GRID = [
    *[(1, 1, 1), (3, 2, 4), (5, 40, 7), (14, 14, 14), (40, 12, 20), (300, 14, 200), (10**8, 10**8, 13)],  # from zero
    *[(15, 15, 15), (20, 400, 100), (30, 40, 35), (17, 9000, 400), (64, 528, 520), (10**4, 10**8, 10**5)],  # from mode
    *[(200, 300, 100), (500, 9500, 9400), (9500, 500, 700), (70, 60, 65), (3 * 10**8, 10**8, 2 * 10**8)],  # hat
    *[(10**8, 10**8, 10**8), (10**6, 10**8, 1000), (5 * 10**7, 200, 10**7)],
]


@pytest.mark.parametrize("table", [LONG, NO_TABLE], ids=["by table", "without"])
@pytest.mark.parametrize(("good", "bad", "taken"), GRID)
def test_the_hypergeometric_law(good, bad, taken, table):
    out = np.empty(DRAWS, dtype=np.int64)
    repeated(good, bad, taken, table, streams(good + taken, 1)[0], out)
    law = stats.hypergeom(good + bad, good, taken)
    mean = taken * (good / (good + bad))
    sd = math.sqrt(mean * (bad / (good + bad)) * ((good + bad - taken) / (good + bad - 1)))
    cuts = np.unique(np.floor(mean + sd * np.linspace(-4, 4, 41)))
    below_cuts = np.concatenate([[0.0], law.cdf(cuts), [1.0]])
    counts = np.bincount(np.searchsorted(cuts, out), minlength=len(cuts) + 1)
    assert out.min() >= max(0, taken - bad)
    assert out.max() <= min(good, taken)
    assert p_value(counts, DRAWS * np.diff(below_cuts)) > REJECTED
    moved = law.cdf(cuts + max(1, round(sd / 5)))  # the test itself can fail
    assert p_value(counts, DRAWS * np.diff(np.concatenate([[0.0], moved, [1.0]]))) < REJECTED


@pytest.mark.parametrize(("good", "bad", "taken"), [(200, 800, 300), (42, 41, 41), (41, 41, 41), (90, 90, 90)])
def test_every_single_probability(good, bad, taken):
    out = np.empty(1_000_000, dtype=np.int64)
    for table in (LONG, NO_TABLE):
        repeated(good, bad, taken, table, streams(5, 1)[0], out)
        expected = len(out) * stats.hypergeom(good + bad, good, taken).pmf(np.arange(good + 1))
        assert p_value(np.bincount(out, minlength=good + 1), expected) > REJECTED


@pytest.mark.parametrize(
    ("good", "bad", "taken", "answer"),
    [
        (0, 0, 0, 0),
        (0, 9, 4, 0),
        (9, 0, 4, 4),
        (9, 9, 0, 0),
        (9, 8, 17, 9),
        (10**8, 0, 10**7, 10**7),
        (0, 10**9, 50, 0),
    ],
)
def test_what_leaves_no_choice(good, bad, taken, answer):
    assert draw_hypergeometric(good, bad, taken, streams(1, 1)[0]) == answer


def test_log_factorials():
    for n in [*range(0, 3000, 7), 10**5, 123_456_789, 10**12]:
        assert log_factorial(n) == pytest.approx(math.lgamma(n + 1), rel=2e-15, abs=1e-15)
    exact = math.log(math.factorial(2000) // 10**5000) + 5000 * math.log(10)
    assert log_factorial(2000) == pytest.approx(exact, rel=1e-15)


# --- two-way tables

TWO_WAY = {
    "2 x 2": [[3, 1], [2, 4]],
    "3 x 3": [[2, 0, 1], [1, 2, 0], [0, 1, 2]],
    "2 x 4, a column of zeros": [[1, 2, 0, 3], [2, 1, 0, 1]],
    "3 x 2, a row of zeros": [[4, 3], [0, 0], [1, 5]],
    "1 x 4": [[3, 0, 2, 5]],
    "3 x 1": [[3], [0], [2]],
    "2 x 3, one large": [[60, 1, 1], [2, 1, 0]],
    "all zeros": [[0, 0], [0, 0]],
    "2 x 2, narrow": [[30, 40], [25, 30]],
    "2 x 2, wide": [[200, 150], [180, 170]],
}


@pytest.mark.parametrize("shuffled", [False, True], ids=["cell by cell", "shuffle"])
@pytest.mark.parametrize("name", TWO_WAY)
def test_independent_two_way_tables(name, shuffled):
    values = np.array(TWO_WAY[name])
    plan, cell = plan_in_disorder(values, shuffled)
    tables = np.full((DRAWS, values.size), -1)
    draw_many_independent(plan, streams(3, 1)[0], two_way_room(plan), tables)
    assert fit(tables[:, cell.ravel()], tables_of(values)) > REJECTED


def tables_of(values):
    if values.shape == (2, 2):  # counts too large for trying everything
        (a, b), (c, d) = values.tolist()
        return [(x, a + b - x, a + c - x, d - a + x) for x in range(max(0, a - d), min(a + b, a + c) + 1)]
    return all_tables(values, ["A", "B"])


def plan_in_disorder(values, shuffled):
    """The cells stand anywhere in the table."""
    cell = np.random.default_rng(1).permutation(values.size).reshape(values.shape)
    flat = np.empty(values.size, dtype=np.int64)
    flat[cell] = values
    return two_way_plan(cell, flat)._replace(shuffled=shuffled), cell


def test_wrong_samplers_are_rejected():
    values = np.array(TWO_WAY["3 x 3"])
    every = tables_of(values)
    rng = np.random.default_rng(1)
    evenly = np.array(every)[rng.integers(len(every), size=DRAWS)]
    assert fit(evenly, every) < REJECTED
    # one table in 33 is drawn evenly
    nearly = np.array(every)[rng.choice(len(every), p=0.97 * weighted(every) + 0.03 / len(every), size=10 * DRAWS)]
    assert fit(nearly, every) < REJECTED


def test_the_method_follows_from_the_sums_alone():
    def chosen(shape, mean):
        values = np.full(shape, mean)
        return two_way_plan(np.arange(values.size).reshape(shape), values.ravel()).shuffled

    assert chosen((100, 100), 10)
    assert not chosen((4, 4), 37)
    assert not chosen((20, 20), 100)
    assert not chosen((2, 5000), 10**6)


def test_same_seed_same_tables_whatever_was_in_the_room():
    values = np.random.default_rng(2).poisson(30, (6, 5))
    for shuffled in (False, True):
        plan, _ = plan_in_disorder(values, shuffled)
        found = []
        for junk in (0, 7):
            room = two_way_room(plan)
            for part in room:
                part[:] = junk
            tables = np.full((20, values.size), junk)
            draw_many_independent(plan, streams(9, 1)[0], room, tables)
            found.append(tables)
        assert (found[0] == found[1]).all()


def test_large_tables_keep_their_sums_and_have_the_right_mean_and_variance():
    values = np.random.default_rng(3).poisson(20, (30, 40))
    rows, columns, n = values.sum(axis=1), values.sum(axis=0), values.sum()
    mean = np.outer(rows, columns) / n
    variance = mean * np.outer(n - rows, n - columns) / (n * (n - 1))
    for shuffled in (False, True):
        plan, cell = plan_in_disorder(values, shuffled)
        tables = np.empty((1500, values.size), dtype=np.int64)
        draw_many_independent(plan, streams(4, 1)[0], two_way_room(plan), tables)
        drawn = tables[:, cell.ravel()].reshape(-1, *values.shape)
        assert (drawn.sum(axis=2) == rows).all()
        assert (drawn.sum(axis=1) == columns).all()
        assert drawn.min() >= 0
        z = (drawn.mean(axis=0) - mean) / np.sqrt(variance / len(drawn))
        assert abs(z).max() < 6
        assert (drawn.var(axis=0) / variance).mean() == pytest.approx(1, abs=0.02)


# --- decomposable margins

DECOMPOSABLE = {
    "AB, BC": ((2, 2, 2), ["A,B", "B,C"]),
    "AB, BC, with one label": ((2, 1, 2, 2), ["A,B,C", "B,C,D"]),
    "AB, BC, CD": ((2, 2, 2, 2), ["A,B", "B,C", "C,D"]),
    "AB, BC, BD: the separator repeats": ((2, 2, 2, 2), ["A,B", "B,C", "B,D"]),
    "AB, C": ((2, 2, 3), ["A,B", "C"]),
    "A, B, C": ((2, 2, 2), ["A", "B", "C"]),
    "AC, CB, in another order": ((3, 2, 2), ["A,C", "B,C"]),
    "A, B": ((3, 4), ["A", "B"]),
    "ABC, BCD": ((2, 2, 2, 2), ["A,B,C", "B,C,D"]),
}


@pytest.mark.parametrize("shuffled", [None, False, True], ids=["chosen", "cell by cell", "shuffle"])
@pytest.mark.parametrize("name", DECOMPOSABLE)
def test_independent_tables_of_decomposable_margins(name, shuffled):
    shape, margins = DECOMPOSABLE[name]
    values = np.random.default_rng(8).poisson(0.9, shape)
    plan = decomposable_plan(components(fw.publish(values, margins)))
    if shuffled is not None:
        plan = plan._replace(shuffled=np.full(len(plan.shuffled), shuffled))
    tables = np.full((DRAWS, values.size), -1)
    draw_many_decomposable(plan, streams(6, 1)[0], decomposable_room(plan), tables)
    every = all_tables(values, [margin.split(",") for margin in margins])
    assert fit(tables, every) > REJECTED
    if len(every) > 1:
        evenly = np.array(every)[np.random.default_rng(1).integers(len(every), size=DRAWS)]
        assert fit(evenly, every) < REJECTED


@pytest.mark.parametrize("margins", [["A,B", "B,C", "A,C"], ["A,B"], [""]])
def test_no_plan_where_margins_are_not_decomposable_or_leave_a_dim_unseen(margins):
    assert decomposable_plan(components(fw.publish(np.ones((2, 2, 2), int), margins))) is None


# --- two rows


@jit
def one_step_each(first, second, log_factorials, random, tables):
    for k in range(len(tables)):
        redraw_by_columns(first, second, log_factorials, random, tables[k])


def redrawn(start, first, second, seed):
    tables = start.copy()
    one_step_each(np.array(first), np.array(second), LONG, streams(seed, 1)[0], tables)
    return tables


def test_two_rows_are_redrawn_from_their_law_whatever_they_held():
    values = np.array([[3, 0, 2, 1], [1, 4, 0, 2]])
    every = all_tables(values, ["A", "B"])
    for start in (every[0], every[-1], tuple(values.ravel().tolist())):
        tables = redrawn(np.tile(start, (DRAWS, 1)), [0, 1, 2, 3], [4, 5, 6, 7], 1)
        assert fit(tables, every) > REJECTED


def test_two_rows_of_a_larger_table_and_some_of_its_columns():
    values = np.array([[3, 0, 2], [1, 4, 0], [2, 2, 1]])
    tables = redrawn(np.tile(values.ravel(), (DRAWS, 1)), [0, 2], [6, 8], 2)
    kept = [1, 3, 4, 5, 7]
    assert (tables[:, kept] == values.ravel()[kept]).all()
    assert fit(tables[:, [0, 2, 6, 8]], tables_of(values[[0, 2]][:, [0, 2]])) > REJECTED


def test_a_step_leaves_the_law_of_the_whole_table_as_it_was():
    values = np.array([[2, 0, 1], [1, 2, 0], [0, 1, 1]])
    every = all_tables(values, ["A", "B"])
    start = np.array(every)[np.random.default_rng(4).choice(len(every), p=weighted(every), size=DRAWS)]
    tables = redrawn(redrawn(start, [0, 1, 2], [6, 7, 8], 3), [3, 4, 5], [0, 1, 2], 4)
    assert (tables != start).any()
    assert fit(tables, every) > REJECTED


def test_rows_without_columns_or_with_one():
    table = np.array([[4, 5]])
    assert redrawn(table, [0], [1], 1).tolist() == [[4, 5]]
    none = np.empty(0, dtype=np.int64)
    redraw_by_columns(none, none, LONG, streams(1, 1)[0], table[0])
    assert table.tolist() == [[4, 5]]


# --- the machine code


def test_no_references_are_counted_inside_the_kernels():
    """Counting costs more than a draw does; the flag that switches it off is not part of numba's public face."""

    def counted(kernel, **options):
        compiled = numba.njit(nogil=True, error_model="numpy", **options)(kernel)
        compiled(*arguments)
        (code,) = compiled.inspect_llvm().values()  # the same on every processor, unlike its machine code
        functions = [one.partition("\n}")[0] for one in code.split("\ndefine ")[1:]]
        own = [
            one for one in functions if "draw" in one.partition("(")[0] and "@_ZN7cpython" not in one.partition("(")[0]
        ]
        assert own
        return sum(one.count("NRT_") for one in own)

    plan, _ = plan_in_disorder(np.ones((2, 2), dtype=int), False)
    arguments = (plan, streams(1, 1)[0], two_way_room(plan), np.empty(4, dtype=np.int64))
    assert counted(draw_independent.py_func, _nrt=False) == 0

    def draw_counted(plan, random, room, table):
        return table.copy() if below(random, 2) else random.copy().astype(np.int64)

    assert counted(draw_counted) > 0


def test_an_upper_bound_of_one_cell_is_not_forgotten_where_it_is_a_lower_bound_of_others() -> None:
    """In a column of 1 + 2 with at most 2 above, swaps walk what is left over 1 below; a direct draw would not."""
    release = fw.publish([[2, 1, 1], [1, 1, 2]], ["A", "B"]).knows({"A": "1", "B": "1"}, at_most=2)
    chosen = choose(support(release, "hypergeometric"))
    (unit,) = units_of(chosen, sp.csc_array((0, chosen.support.solved.fiber.n_columns), dtype=np.int64))
    assert isinstance(chosen.sets[0], Swaps)
    chain = Chain(unit, unit.start, streams(3, 1)[0])
    assert chain.keep(unit, np.arange(6), 2000)[:, 0].max() == 2
    # Without that bound the direct draw is taken.
    free = choose(support(fw.publish([[2, 1, 1], [1, 1, 2]], ["A", "B"]), "hypergeometric"))
    (unit,) = units_of(free, sp.csc_array((0, free.support.solved.fiber.n_columns), dtype=np.int64))
    assert isinstance(unit.kernels[0], TwoWayKernel)


@pytest.mark.parametrize("side", [2, 3, 5])
def test_decomposable_margins_are_drawn_anew_whatever_moves_are_chosen_beside(side):
    """Few moves are listed, and many come with short ones: a mixture. Moves that somebody hands in are walked, though."""
    release = fw.publish(np.full((side,) * 4, 2), ["A,B", "B,C", "C,D"])
    moves = choose(support(release, "hypergeometric"))
    no_questions = sp.csc_array((0, moves.support.solved.fiber.n_columns), dtype=np.int64)
    (unit,) = units_of(moves, no_questions)
    assert isinstance(unit.kernels[0], DecomposableKernel)
    for walked in (replace(moves, chosen=False), choose(support(release, "uniform"))):
        kernels = [kernel for unit in units_of(walked, no_questions) for kernel in unit.kernels]
        assert not any(kernel.independent for kernel in kernels)


@pytest.mark.parametrize(("rows", "columns"), [((220, 215, 93, 64), (286, 127, 108, 71)), ((90, 30), (100, 20))])
def test_a_first_cell_is_drawn_by_its_own_law(rows, columns):
    """Its cumulated probabilities are the hypergeometric ones; a guide never begins beyond the place that is looked for."""
    table = np.zeros((len(rows), len(columns)), dtype=np.int64)
    left = np.array(columns)
    for i, row in enumerate(rows):
        for j in range(len(columns)):
            table[i, j] = min(row - table[i].sum(), left[j])
            left[j] -= table[i, j]
    plan = two_way_plan(np.arange(table.size).reshape(table.shape), table.ravel())
    assert not plan.shuffled
    k = np.arange(len(plan.first))
    assert np.allclose(plan.first, hypergeom.cdf(k, sum(rows), max(columns), max(rows)), rtol=0, atol=1e-12)
    assert plan.first[-1] == 1
    for part, begin in enumerate(plan.first_guide):
        assert (plan.first[:begin] <= part / len(plan.first_guide)).all()
