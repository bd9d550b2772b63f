"""Figures that follow from who is in a cell: the exact law and chains, held to all tables one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from support.effort import cases
from support.naive.keyed_figures import Shown, by_matrix, drawn, law_of_sum, noisy, posterior, rounded

import fiberwalk as fw
from fiberwalk.posterior.belief import believe
from fiberwalk.posterior.keyed_figures.figures import KeyedFigures
from fiberwalk.protect.mechanism.mechanism import EXACT
from fiberwalk.protect.perturbation.noise import as_noise
from fiberwalk.protect.perturbation.perturbation import Perturbation
from fiberwalk.protect.perturbation.transition_matrix import as_transitions
from fiberwalk.protect.rounding.random_rounding import RandomRounding
from fiberwalk.release.facts.facts import NO_LIMIT, RECORDS, Applied, Evidence
from fiberwalk.release.release import Release, unpublished
from fiberwalk.release.tables.dims import Dim

PTABLE = [[1, 0, 0, 0], [0.4, 0.3, 0.3, 0], [0.2, 0.2, 0.4, 0.2], [0, 0.2, 0, 0.8]]
NOISE = {-2: 0.2, -1: 0.2, 0: 0.3, 1: 0.2, 2: 0.1}
METHODS = {
    "random rounding": (RandomRounding(3), rounded(3)),
    "noise": (as_noise(NOISE, True, 0, False), noisy(NOISE)),
    "noise, on zeros too": (as_noise(NOISE, False, 0), noisy(NOISE, floor=False, zeros_stay=False)),
    "matrix with gaps": (Perturbation(as_transitions(PTABLE)), by_matrix(PTABLE)),
}
WEIGH = {
    "uniform": lambda cell, value: 1.0,
    "expected": lambda cell, value: (0.4 + 0.3 * cell) ** value / math.factorial(value),
}
MOST_TABLES = 20_000
SHAPES = ((4,), (2, 2), (2, 3), (2, 2, 2))


def laws(shape):
    return {
        "uniform": "uniform",
        "expected": fw.laws.expected((0.4 + 0.3 * np.arange(np.prod(shape))).reshape(shape)),
    }


def some_groups(random, n, number):
    """Every cell in some group; some groups are nested, and some are the same cells by other labels."""
    groups = [frozenset(np.flatnonzero(random.random(n) < 0.55).tolist()) for _ in range(number)]
    groups += [frozenset(list(group)[: len(group) // 2 + 1]) for group in groups[:2]]
    groups.append(frozenset(range(n)) - frozenset().union(*groups))
    labelled = [(group, k) for k, group in enumerate(groups) if group]
    return [*labelled, (labelled[0][0], "called otherwise")]


def release_of(shape, shown, mechanism) -> Release:
    dims = tuple(Dim("ABC"[axis], tuple("123456"[:size])) for axis, size in enumerate(shape))
    release = unpublished(dims)
    figures = []
    for one in shown:
        cells = np.array(sorted(one.cells))
        first, logs = mechanism.given(one.figure, NO_LIMIT)
        figures.append(Evidence(cells, np.ones(len(cells), dtype=np.int64), first, logs, figure=one.figure))
        row = sp.csr_array((np.ones(len(cells), dtype=np.int64), (np.zeros(len(cells), int), cells)), shape=(1, release.n_cells))
        able = np.flatnonzero(logs > -np.inf)
        release = release.with_facts(
            np.full((1, len(shape)), -1), row, [first + able[0]], [first + able[-1]], words=["a group"]
        )
    applied = Applied("figures", EXACT, "of people", mechanism=KeyedFigures(tuple(figures)), keys=RECORDS, beyond_evidence=True)
    return Release(**{**vars_of(release), "applied": (applied,)})


def vars_of(release):
    from dataclasses import fields

    return {field.name: getattr(release, field.name) for field in fields(release)}


def a_case(number, method):
    random = np.random.default_rng(number)
    shape = SHAPES[number % len(SHAPES)]
    n = int(np.prod(shape))
    mechanism, chance = METHODS[method]
    table = random.poisson(0.7, n)
    figures = np.arange(-4, 12)

    def draw(count):
        return int(random.choice(figures, p=[chance(figure, count) for figure in figures.tolist()]))

    shown = list(drawn(table.tolist(), some_groups(random, n, 3), draw))
    release = release_of(shape, shown, mechanism)
    highest = [int(h) for h in fw.bounds(release)["upper"]]
    return release, shape, shown, chance, highest


def assert_exact(release, law, tables):
    belief = believe(release, law, method="exact", hidden_margins=["", "A"])
    dims = [dim.labels for dim in release.dims]
    sizes = [len(labels) for labels in dims]
    for key, pmf in zip(belief.keys.tolist(), belief.pmfs, strict=True):
        cells = [
            cell for cell, place in enumerate(np.ndindex(*sizes))
            if all(node in (own, dim.total) for node, own, dim in zip(key, place, release.dims, strict=True))
        ]  # fmt: skip
        want = law_of_sum(tables, cells)
        assert list(want) == pmf.values.tolist()
        assert pmf.probabilities == pytest.approx(list(want.values()), abs=1e-9)
        assert (pmf.lower, pmf.upper) == (min(want), max(want))
    assert belief.tables == len(tables)
    assert belief.certificate.word == "exact"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("law", WEIGH)
def test_the_exact_law_is_that_of_all_tables(method, law):
    tried = 0
    for number in range(1000):
        release, shape, shown, chance, highest = a_case(number, method)
        if np.prod(np.array(highest) + 1.0) > MOST_TABLES:
            continue
        tables = posterior(highest, WEIGH[law], shown, chance)
        assert_exact(release, laws(shape)[law], tables)
        tried += 1
        if tried == cases(40):
            break
    assert tried == cases(40)
