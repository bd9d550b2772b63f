"""Small random releases whose figures follow from who is in a cell, with all that the naive twin needs of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

import fiberwalk as fw
from fiberwalk.posterior.keyed_figures.figures import KeyedFigures
from fiberwalk.protect.mechanism.mechanism import EXACT
from fiberwalk.protect.perturbation.noise import as_noise
from fiberwalk.protect.perturbation.perturbation import Perturbation
from fiberwalk.protect.perturbation.transition_matrix import as_transitions
from fiberwalk.protect.rounding.random_rounding import RandomRounding
from fiberwalk.release.facts.facts import NO_LIMIT, RECORDS, Applied, Evidence
from fiberwalk.release.release import Release, unpublished
from fiberwalk.release.tables.dims import Dim
from support.keyed_figures.twin import Shown, by_matrix, drawn, noisy, posterior, rounded

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
MOST_TABLES = 5000
"""Tables within the bounds of a case that brute force looks at."""
SHAPES = ((4,), (2, 2), (2, 3), (2, 2, 2))


class Case(NamedTuple):
    """A release, and what the naive twin needs: what is shown, P(figure | count), and the largest value of each cell."""

    release: Release
    shown: list[Shown]
    chance: Any
    highest: list[int]

    def law(self, name: str) -> Any:
        """A law by name, as fiberwalk takes it."""
        shape = [len(dim.labels) for dim in self.release.dims]
        mu = (0.4 + 0.3 * np.arange(np.prod(shape))).reshape(shape)
        return "uniform" if name == "uniform" else fw.laws.expected(mu)

    def tables(self, law: str, **options: Any) -> dict[tuple[int, ...], float]:
        """Of every table how probable it is."""
        return posterior(self.highest, WEIGH[law], self.shown, self.chance, **options)


def some_cases(method: str, number: int) -> Iterator[Case]:
    """So many cases that are small enough for brute force, always the same."""
    seed = found = 0
    while found < number:
        case = a_case(seed, method)
        seed += 1
        if np.prod(np.array(case.highest) + 1.0) <= MOST_TABLES:
            found += 1
            yield case


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
        row = sp.csr_array(np.isin(np.arange(release.n_cells), cells)[None, :].astype(np.int64))
        able = np.flatnonzero(logs > -np.inf)
        release = release.with_facts(
            np.full((1, len(shape)), -1), row, [first + able[0]], [first + able[-1]], words=["a group"]
        )
    shared = KeyedFigures(tuple(figures))
    applied = Applied("figures", EXACT, "of people", mechanism=shared, keys=RECORDS, beyond_evidence=True)
    return replace(release, applied=(applied,))


def a_case(seed, method) -> Case:
    random = np.random.default_rng(seed)
    shape = SHAPES[seed % len(SHAPES)]
    n = int(np.prod(shape))
    mechanism, chance = METHODS[method]
    figures = np.arange(-4, 12)

    def draw(count):
        return int(random.choice(figures, p=[chance(figure, count) for figure in figures.tolist()]))

    table = random.poisson(0.7, n)
    shown = list(drawn(table.tolist(), some_groups(random, n, 3), draw))
    release = release_of(shape, shown, mechanism)
    return Case(release, shown, chance, [int(most) for most in fw.bounds(release)["upper"]])
