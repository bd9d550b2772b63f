"""Chains over tables of people: their steps held to the naive twin, their laws to all tables; thresholds lie near 1e-6."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from support.keyed_figures.cases import METHODS, WEIGH, a_case, some_cases
from support.keyed_figures.twin import law_of_sum, likelihood

from fiberwalk.base.jit import interpreted, jit_lean
from fiberwalk.base.random_streams import streams
from fiberwalk.fiber.laws.support import support
from fiberwalk.posterior.belief import believe
from fiberwalk.posterior.keyed_figures import walking
from fiberwalk.posterior.keyed_figures.believed import _bounds
from fiberwalk.posterior.keyed_figures.figures import keyed_figures, parts_of
from fiberwalk.posterior.keyed_figures.ladder import SELDOM, _evened
from fiberwalk.posterior.keyed_figures.passage import (
    on_the_ladder,
    other_rung,
    rung_of_all_met,
    set_out,
    shift,
    step,
)  # fmt: skip
from fiberwalk.posterior.keyed_figures.walking import meets_all, unit_of
from fiberwalk.sampler.chains.settings import ChainSettings
from fiberwalk.sampler.kernels.kernel import Place
from fiberwalk.sampler.lines.line import LONGEST

SIGMAS = 5.2
"""Of all values of all cells of some cases, none is further off."""


def units(case, law="uniform"):
    inside = support(case.release, case.law(law))
    questions = sp.csc_array((0, inside.solved.fiber.n_columns), dtype=np.int64)
    parts = parts_of(case.release, keyed_figures(case.release), *_bounds(inside))
    return [unit_of(part, inside, questions) for part in parts], inside


@pytest.mark.parametrize("method", METHODS)
def test_a_step_gains_what_the_likelihood_does(method):
    """The naive twin multiplies all factors anew; where the kernel says that all figures are met, it has a likelihood."""
    compared = 0
    for case in some_cases(method, 4):
        tables = units(case)
        for unit in tables[0]:
            kernel = unit.kernels[0]
            table, whole = unit.start.copy(), tables[1].solved.start[: case.release.n_cells].copy()
            room, random = kernel.room(), np.random.default_rng(1)
            wrong, before = interpreted(set_out)(kernel.task, kernel.weights, room, table), None
            gained = 0.0
            for _ in range(60):
                cell = int(random.integers(len(table)))
                by = int(random.choice([-2, -1, 1, 2]))
                if not unit.lower[cell] <= table[cell] + by <= unit.upper[cell]:
                    continue
                gain, more = interpreted(shift)(kernel.task, kernel.weights, room, table, cell, by)
                wrong, gained = wrong + more, gained + gain
                whole[unit.columns] = table
                p = likelihood(whole.tolist(), case.shown, case.chance)
                assert (wrong == 0) == (p > 0)
                if p > 0 and before is not None:
                    assert gained == pytest.approx(np.log(p / before), abs=1e-9)
                    compared += 1
                if p > 0:
                    before, gained = p, 0.0
    assert compared > 10


def worst(case, law, seed=7):
    """By how many standard errors the law of some cell is off, at most."""
    belief = believe(case.release, case.law(law), method="chains", settings=ChainSettings(seed=seed, tolerance=0.1))
    assert belief.converged
    tables, off = case.tables(law), [0.0]
    for cell, pmf in enumerate(belief.pmfs):
        want = law_of_sum(tables, [cell])
        assert set(want) <= set(pmf.values.tolist())
        off += [
            abs(pmf.between(value, value) - p) / max(pmf.between_error(value, value), 1e-9) for value, p in want.items()
        ]
    return max(off)


@pytest.mark.parametrize("law", WEIGH)
@pytest.mark.parametrize("method", METHODS)
def test_chains_have_the_law_of_all_tables(method, law):
    assert max(worst(case, law) for case in some_cases(method, 2)) < SIGMAS


def test_chains_that_take_draws_for_independent_fail_the_same_test(monkeypatch):
    right = walking._task

    def independent(*given):
        task = right(*given)
        return task._replace(shared=np.zeros_like(task.shared))

    monkeypatch.setattr(walking, "_task", independent)
    assert max(worst(case, "uniform") for case in some_cases("random rounding", 3)) > SIGMAS


@jit_lean
def where_all_are_met(task, weights, room, table, random, seen, drawn):
    """Steps and changes of rungs: how often each rung was seen with each sum of two cells, and is drawn."""
    wrong, rung = set_out(task, weights, room, table), 0
    for _ in range(4_000_000):
        wrong += step(task, weights, room, table, random, task.prices[rung])
        rung = other_rung(task, rung, wrong, random)
        if wrong == 0:
            seen[table[0] + table[1], rung] += 1
            drawn[rung_of_all_met(task, random)] += 1


def test_where_all_figures_are_met_the_rung_says_nothing_of_the_table():
    case = a_case(3, "random rounding")
    (unit, *_), _ = units(case)
    kernel = unit.kernels[0]
    task = kernel.task._replace(prices=np.array([-3.0, -1.5, -0.7]), rungs=np.array([-1.5, 0.0, 0.5]))
    seen, drawn = np.zeros((100, 3)), np.zeros(3)
    where_all_are_met(task, kernel.weights, kernel.room(), unit.start.copy(), streams(5, 1)[0], seen, drawn)
    even = np.exp(task.rungs) / np.exp(task.rungs).sum()
    often = seen[seen.sum(axis=1) > 100_000]
    assert len(often) > 1
    assert np.abs(often / often.sum(axis=1, keepdims=True) - even).max() < 0.02
    assert np.abs(drawn / drawn.sum() - even).max() < 5 * 0.5 / np.sqrt(drawn.sum())


def test_a_ladder_goes_down_from_the_dearest_price():
    case = a_case(3, "noise")
    (unit, *_), _ = units(case)
    task = unit.kernels[0].learned(unit, unit.start, streams(1, 1)[0]).task
    assert len(task.prices) > 1
    assert task.prices[0] == unit.kernels[0].task.prices[0]
    assert (np.diff(task.prices) > 0).all()
    seen, kernel = np.zeros(len(task.prices)), unit.kernels[0]
    place = Place(unit.start.copy(), unit.lower, unit.upper, streams(2, 1)[0], np.zeros(LONGEST))
    met, _ = on_the_ladder(task, kernel.weights, kernel.room(), place, 0, 500_000, seen)
    assert seen.sum() == 500_000
    assert seen.min() > seen.mean() / 4
    assert met > 500_000 / SELDOM


def test_rungs_from_which_chains_never_come_back_are_left_out():
    """A ladder whose cheapest rungs weigh far too much."""
    case = a_case(3, "noise")
    (unit, *_), _ = units(case)
    kernel = unit.kernels[0]
    wrong = kernel.task._replace(prices=np.array([-5.0, -0.01, -0.001]), rungs=np.array([0.0, 500.0, 500.0]))
    place = Place(unit.start.copy(), unit.lower, unit.upper, streams(2, 1)[0], np.zeros(LONGEST))
    task = _evened(wrong, kernel.weights, kernel.room(), place, 100 * SELDOM)
    assert len(task.prices) < 3


def test_chains_say_how_far_they_can_be_trusted():
    case = a_case(3, "noise")
    belief = believe(case.release, method="chains", settings=ChainSettings(seed=1, tolerance=1e-4, max_draws=1024))
    assert not belief.converged
    assert belief.certificate.word == "connected"
    assert belief.certificate.reason.startswith("in principle only: people come and go one by one")
    again = believe(case.release, method="chains", settings=ChainSettings(seed=1, tolerance=1e-4, max_draws=1024))
    assert all((one.p == other.p).all() for one, other in zip(belief.pmfs, again.pmfs, strict=True))


def test_saved_chains_go_on_to_the_same_end(tmp_path):
    case = a_case(3, "noise")
    settings = ChainSettings(seed=1, tolerance=0.05)
    whole = believe(case.release, method="chains", settings=settings)
    saved = replace(settings, checkpoint=tmp_path / "chains")
    believe(case.release, method="chains", settings=saved)
    again = believe(case.release, method="chains", settings=saved)
    assert all((one.p == other.p).all() for one, other in zip(whole.pmfs, again.pmfs, strict=True))


def test_a_table_that_breaks_a_figure_is_none_of_a_chain():
    case = a_case(3, "random rounding")
    for unit in units(case)[0]:
        kernel = unit.kernels[0]
        for state in np.random.default_rng(2).integers(unit.lower, unit.upper + 1, (20, len(unit.columns))):
            wrong = interpreted(set_out)(kernel.task, kernel.weights, kernel.room(), state)
            assert meets_all(unit, state) == (wrong == 0)
