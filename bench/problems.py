"""The problems of the race: releases of every size and kind, each made anew from a fixed seed or a table of a paper.

    from problems import problem
    problem("4 x 4 x 3").release

`NAMES` lists them; none is made before it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

import fiberwalk as fw

SNEE = np.array([[68, 119, 26, 7], [20, 84, 17, 94], [15, 54, 14, 10], [5, 29, 14, 16]])
"""Hair by eye colour of 592 students (Snee 1974)."""


@dataclass(frozen=True, eq=False)
class Problem:
    """A release by its name."""

    name: str
    release: fw.Release


def even(shape: tuple[int, ...], n: int, seed: int = 1) -> np.ndarray:
    """Units that fall into all cells alike."""
    cells = int(np.prod(shape))
    return np.random.default_rng(seed).multinomial(n, np.full(cells, 1 / cells)).reshape(shape)


def margins(dims: int, size: int) -> list[str]:
    """All margins of so many dims."""
    return [",".join(one) for one in combinations("ABCDEFGH"[:dims], size)]


def suppressed(n: int, share: float, mean: float = 10.0, seed: int = 0) -> fw.Release:
    """An n x n table, part of its cells hidden at random, all row and column totals known."""
    random = np.random.default_rng(seed)
    table = random.poisson(mean, (n, n))
    return fw.suppress(table, where=random.random((n, n)) < share)


def hierarchical(seed: int = 2) -> fw.Release:
    """60 activities in 8 groups by 40 regions, counts under 4 hidden; totals of groups over all regions, not within each."""
    table = np.random.default_rng(seed).poisson(4, (60, 40))
    groups = {f"g{i}": [str(j + 1) for j in range(60) if j % 8 == i] for i in range(8)}
    return fw.suppress(fw.table(table, hierarchies={"A": groups}), where=table < 4, margins=["A", "A:1", "B", ""])


def hypercube() -> fw.Release:
    """Sex by age by marital by household status of a town; counts under 3 hidden, zeros too; two-way margins known.

    With only the counts of 1 and 2 hidden, every one of them would follow from the others.
    """
    table = fw.examples.nested_hypercube().sum("family").groupby("age_band").sum()
    return fw.suppress(table, where=table < 3, margins=[",".join(one) for one in combinations(table.dims, 2)])


def turnover(seed: int = 6) -> fw.Release:
    """Turnover in thousands of 30 activities by 12 sizes, from hundreds to millions; a fifth of the cells hidden."""
    random = np.random.default_rng(seed)
    table = np.round(random.lognormal(10.5, 2.0, (30, 12))).astype(np.int64)
    return fw.suppress(table, where=random.random(table.shape) < 0.2)


def _two_way(n: int, units: int) -> fw.Release:
    return fw.publish(even((n, n), units), ["A", "B"])


def _poisson(mean: float, shape: tuple[int, ...], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).poisson(mean, shape)


_ALL: dict[str, tuple[str, Callable[[], fw.Release]]] = {
    "4 x 4": ("Snee's hair and eye colours, given row and column totals", lambda: fw.publish(SNEE, ["A", "B"])),
    "20 x 20": ("10,000 units, given row and column totals", lambda: _two_way(20, 10_000)),
    "100 x 100": ("100,000 units, given row and column totals", lambda: _two_way(100, 100_000)),
    "3 x 3 x 3": (
        "mean cell 100, given all two-way margins",
        lambda: fw.publish(np.full((3, 3, 3), 100), margins(3, 2)),
    ),
    "4 x 4 x 3": ("the table of Duncan and others, given all two-way margins", lambda: fw.examples.dfkpr01().release),
    "5 x 4 x 3": (
        "mean cell 3, given all two-way margins",
        lambda: fw.publish(_poisson(3, (5, 4, 3), 1), margins(3, 2)),
    ),
    "200 x 200, half hidden": ("mean cell 10, all totals known", lambda: suppressed(200, 0.5)),
    "200 x 200, 5% hidden": ("mean cell 10, all totals known", lambda: suppressed(200, 0.05)),
    "hierarchical": ("60 activities in 8 groups by 40 regions, counts under 4 hidden", hierarchical),
    "2^6": ("mean cell 2, given all two-way margins", lambda: fw.publish(_poisson(2, (2,) * 6, 1), margins(6, 2))),
    "hypercube": ("census-like, 2 x 21 x 5 x 5, counts under 3 hidden, two-way margins known", hypercube),
    "turnover": ("30 x 12 magnitudes up to millions, a fifth hidden, all totals known", turnover),
}
NAMES = tuple(_ALL)


@cache
def problem(name: str) -> Problem:
    """A problem by its name."""
    return Problem(name, _ALL[name][1]())


def described() -> dict[str, str]:
    """What each problem is, in words."""
    return {name: words for name, (words, _) in _ALL.items()}
