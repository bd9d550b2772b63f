"""The releases of the contest *time to answer*, each under one or more laws, made anew from fixed seeds.

The list was written before anything was tuned on it, and none is taken out. Only public names of fiberwalk are used, so that
other commits can make the same releases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

import fiberwalk as fw

LETTERS = "ABCDEFGH"
BOTH = ("uniform", "hypergeometric")
SNEE = np.array([[68, 119, 26, 7], [20, 84, 17, 94], [15, 54, 14, 10], [5, 29, 14, 16]])
"""Hair by eye colour of 592 students (Snee 1974)."""


@dataclass(frozen=True)
class Awaited:
    """A release, what it is in words, and the laws under which it is audited."""

    words: str
    release: Callable[[], fw.Release]
    laws: Sequence[str] = BOTH
    make_law: Callable[[], Any] | None = None
    """For a law that is no word: what makes it; `laws` then has its name alone."""
    hidden_margins: tuple[str, ...] = ()

    def law(self, name: str) -> Any:
        """A law by its name."""
        return name if self.make_law is None else self.make_law()


def counts(mean: float, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Independent Poisson counts."""
    return np.random.default_rng(seed).poisson(mean, shape)


def all_margins(dims: int, size: int) -> list[str]:
    """All margins of so many dims."""
    return [",".join(chosen) for chosen in combinations(LETTERS[:dims], size)]


def given_margins(shape: tuple[int, ...], mean: float, size: int, seed: int) -> Callable[[], fw.Release]:
    """A table of which all margins of so many dims are published."""
    return lambda: fw.publish(counts(mean, shape, seed), all_margins(len(shape), size))


def hidden_by_chance(shape: tuple[int, ...], mean: float, share: float, seed: int, size: int = 1) -> fw.Release:
    """A table in which a share of the cells is hidden at random, with all margins of so many dims."""
    random = np.random.default_rng(seed)
    table = random.poisson(mean, shape)
    return fw.suppress(table, where=random.random(shape) < share, margins=all_margins(len(shape), size))


def small_hidden(shape: tuple[int, ...], mean: float, under: int, seed: int, size: int = 1) -> fw.Release:
    """A table in which small counts are hidden, with all margins of so many dims."""
    table = counts(mean, shape, seed)
    return fw.suppress(table, where=table < under, margins=all_margins(len(shape), size))


def hierarchical() -> fw.Release:
    """60 activities in 8 groups by 40 regions, counts under 4 hidden; groups have totals over all regions."""
    table = counts(4, (60, 40), 2)
    groups = {f"g{i}": [str(j + 1) for j in range(60) if j % 8 == i] for i in range(8)}
    return fw.suppress(fw.table(table, hierarchies={"A": groups}), where=table < 4, margins=["A", "A:1", "B", ""])


def nested() -> fw.Release:
    """30 activities in 5 groups by 20 regions in 4 provinces; counts under 3 hidden, subtotals of both published."""
    table = counts(5, (30, 20), 5)
    groups = {f"g{i}": [str(j + 1) for j in range(30) if j // 6 == i] for i in range(5)}
    provinces = {f"p{i}": [str(j + 1) for j in range(20) if j // 5 == i] for i in range(4)}
    given = fw.table(table, hierarchies={"A": groups, "B": provinces})
    return fw.suppress(given, where=table < 3, margins=["A", "B", "A:1", "B:1", "A:1,B:1", ""])


def protected() -> fw.Release:
    """25 x 16 with counts under 3 hidden, and others beside them until none can be told exactly."""
    return fw.protect.complementary_suppress(counts(6, (25, 16), 9), rule="< 3", width=3)


def hypercube() -> fw.Release:
    """Sex by age by marital by household status of a town; counts under 3 hidden, two-way margins known."""
    table = fw.examples.nested_hypercube().sum("family").groupby("age_band").sum()
    return fw.suppress(table, where=table < 3, margins=[",".join(chosen) for chosen in combinations(table.dims, 2)])


def turnover() -> fw.Release:
    """Turnover in thousands of 30 activities by 12 sizes, from hundreds to millions; a fifth of the cells hidden."""
    random = np.random.default_rng(6)
    table = np.round(random.lognormal(10.5, 2.0, (30, 12))).astype(np.int64)
    return fw.suppress(table, where=random.random(table.shape) < 0.2)


def turnover_three_way() -> fw.Release:
    """Turnover of 8 activities by 6 regions by 3 sizes, a quarter hidden, all two-way margins known."""
    random = np.random.default_rng(8)
    table = np.round(random.lognormal(6.0, 1.5, (8, 6, 3))).astype(np.int64)
    return fw.suppress(table, where=random.random(table.shape) < 0.25, margins=all_margins(3, 2))


def linked() -> fw.Release:
    """A by B and A by C of the same people, each with its counts under 4 hidden and its totals published."""
    people = counts(2, (8, 6, 5), 11)
    parts = []
    for axis, dims in ((2, ["A", "B"]), (1, ["A", "C"])):
        table = people.sum(axis=axis)
        parts.append(fw.suppress(fw.table(table, dims=dims), where=table < np.quantile(table, 0.4)))
    return fw.linked(parts, full=True)


def possible_cells() -> fw.Release:
    """10 x 10 x 10 of which 65% of the cells are possible, given all two-way margins (Bakenhus and Petrovic 2023)."""
    random = np.random.default_rng(15)
    possible = random.random((10, 10, 10)) < 0.65
    table = np.where(possible, random.poisson(2, possible.shape), 0)
    return fw.suppress(table, where=possible, margins=all_margins(3, 2))


def units(shape: tuple[int, ...], n: int, seed: int) -> np.ndarray:
    """So many units that fall into all cells alike."""
    cells = int(np.prod(shape))
    return np.random.default_rng(seed).multinomial(n, np.full(cells, 1 / cells)).reshape(shape)


def a_sample() -> fw.Release:
    """A tenth of 2,000 people in 8 x 6 x 3 cells, with two margins of all of them."""
    people = fw.table(units((8, 6, 3), 2000, 17), dims=["A", "B", "C"])
    return fw.protect.draw_sample(people, 0.1, seed=1, exact=["A,B", "C"])


RELEASES: dict[str, Awaited] = {
    # those of the table that this contest began with
    "5 x 6 x 7": Awaited("mean cell 5, two-way margins", given_margins((5, 6, 7), 5, 2, 1)),
    "6 x 6 x 6": Awaited("mean cell 3, two-way margins", given_margins((6, 6, 6), 3, 2, 1)),
    "4 x 4 x 4": Awaited("mean cell 5, two-way margins", given_margins((4, 4, 4), 5, 2, 1)),
    "2^6": Awaited("mean cell 5, two-way margins", given_margins((2,) * 6, 5, 2, 1)),
    "2^7": Awaited("mean cell 5, three-way margins", given_margins((2,) * 7, 5, 3, 1)),
    "3^4": Awaited("mean cell 5, two-way margins", given_margins((3,) * 4, 5, 2, 1)),
    "3 x 10 x 10": Awaited("mean cell 5, two-way margins", given_margins((3, 10, 10), 5, 2, 1)),
    "8 x 8 x 8": Awaited("mean cell 5, two-way margins", given_margins((8, 8, 8), 5, 2, 1)),
    "20 x 20, 40% hidden": Awaited("mean cell 10", lambda: hidden_by_chance((20, 20), 10, 0.4, 1)),
    "40 x 40, counts under 3 hidden": Awaited("mean cell 3.5", lambda: small_hidden((40, 40), 3.5, 3, 1)),
    "100 x 50, 5% hidden": Awaited("mean cell 10", lambda: hidden_by_chance((100, 50), 10, 0.05, 1)),
    "200 x 200, 5% hidden": Awaited("mean cell 10", lambda: hidden_by_chance((200, 200), 10, 0.05, 0)),
    "30 x 30": Awaited("mean cell 5, row and column totals", given_margins((30, 30), 5, 1, 1)),
    "20 x 20, rounded at random": Awaited(
        "mean cell 10, to multiples of 3, exact totals",
        lambda: fw.protect.random_round(counts(10, (20, 20), 1), 3, seed=1, exact=["A", "B"]),
    ),
    # two-way tables
    "4 x 4, 901 people": Awaited("row and column totals", lambda: fw.publish(units((4, 4), 901, 3), ["A", "B"])),
    "4 x 4, Snee": Awaited("592 students, row and column totals", lambda: fw.publish(SNEE, ["A", "B"])),
    "30 x 15": Awaited(
        "mean cell 5, totals (Hazelton and others 2021)", given_margins((30, 15), 5, 1, 4), ("uniform",)
    ),
    "12 x 12, sparse": Awaited("mean cell 0.5, row and column totals", given_margins((12, 12), 0.5, 1, 2)),
    "100 x 100, half hidden": Awaited("mean cell 3", lambda: hidden_by_chance((100, 100), 3, 0.5, 2)),
    "1000 x 10, 10% hidden": Awaited("mean cell 8", lambda: hidden_by_chance((1000, 10), 8, 0.1, 3), ("uniform",)),
    "25 x 16, protected": Awaited("counts under 3 hidden, and cells beside them", protected),
    "8 x 8, expected counts": Awaited(
        "mean cell 6, an intruder who expects other counts",
        given_margins((8, 8), 6, 1, 6),
        ("expected",),
        lambda: fw.laws.expected(counts(6, (8, 8), 7) + 0.5),
    ),
    "6 x 6, unimodal": Awaited(
        "mean cell 10, unimodal priors",
        given_margins((6, 6), 10, 1, 8),
        ("unimodal",),
        lambda: fw.laws.prior(everywhere=fw.laws.unimodal()),
    ),
    # three- to five-way tables
    "4 x 4 x 3, Duncan and others": Awaited("two-way margins", lambda: fw.examples.dfkpr01().release),
    "5 x 4 x 3": Awaited("mean cell 3, two-way margins", given_margins((5, 4, 3), 3, 2, 1)),
    "3 x 4 x 6": Awaited("mean cell 5, two-way margins (Hazelton and others 2021)", given_margins((3, 4, 6), 5, 2, 4)),
    "5 x 5 x 5, 625 units": Awaited(
        "two-way margins (Bakenhus and Petrovic 2023)", lambda: fw.publish(units((5, 5, 5), 625, 5), all_margins(3, 2))
    ),
    "10 x 10 x 10, 65% possible": Awaited("mean cell 2, two-way margins", possible_cells),
    "5 x 5 x 5, large counts": Awaited("mean cell 1,000, two-way margins", given_margins((5, 5, 5), 1000, 2, 7)),
    "2 x 2 x 30": Awaited("mean cell 4, two-way margins", given_margins((2, 2, 30), 4, 2, 3), ("uniform",)),
    "12 x 10 x 4, a fifth hidden": Awaited(
        "mean cell 5, two-way margins", lambda: hidden_by_chance((12, 10, 4), 5, 0.2, 4, 2)
    ),
    "6 x 6 x 6 x 6, decomposable": Awaited(
        "mean cell 1, margins AB, BC and CD", lambda: fw.publish(counts(1, (6, 6, 6, 6), 3), ["A,B", "B,C", "C,D"])
    ),
    "4 x 4 x 3 x 3": Awaited("mean cell 4, two-way margins", given_margins((4, 4, 3, 3), 4, 2, 2)),
    "10 x 8 x 6 x 5, counts under 3 hidden": Awaited(
        "mean cell 2, two-way margins", lambda: small_hidden((10, 8, 6, 5), 2, 3, 3, 2)
    ),
    "8^4, half hidden": Awaited(
        "mean cell 4, two-way margins", lambda: hidden_by_chance((8,) * 4, 4, 0.5, 6, 2), ("hypergeometric",)
    ),
    "3 x 3 x 2 x 2 x 2": Awaited("mean cell 4, two-way margins", given_margins((3, 3, 2, 2, 2), 4, 2, 5)),
    "5 x 4 x 3 x 2 x 2, small counts hidden": Awaited(
        "mean cell 4, counts under 4 hidden, three-way margins", lambda: small_hidden((5, 4, 3, 2, 2), 4, 4, 5, 3)
    ),
    # hierarchies, linked tables, magnitudes
    "hypercube": Awaited("census-like, 2 x 21 x 5 x 5, counts under 3 hidden, two-way margins", hypercube),
    "hierarchical": Awaited("60 activities in 8 groups by 40 regions, counts under 4 hidden", hierarchical),
    "nested": Awaited("activities in groups by regions in provinces, counts under 3 hidden", nested),
    "linked": Awaited("two tables of the same people", linked),
    "turnover": Awaited("30 x 12 magnitudes up to millions, a fifth hidden", turnover, ("uniform",)),
    "turnover, three-way": Awaited("8 x 6 x 3 magnitudes, a quarter hidden", turnover_three_way, ("uniform",)),
    # protected by chance
    "4 x 5 x 6, rounded at random": Awaited(
        "mean cell 8, to multiples of 5, two-way margins rounded too",
        lambda: fw.protect.random_round(counts(8, (4, 5, 6), 2), 5, seed=2, margins=all_margins(3, 2)),
        ("uniform",),
    ),
    "15 x 15, noise": Awaited(
        "mean cell 6, noise of up to 2, exact totals",
        lambda: fw.protect.add_noise(counts(6, (15, 15), 3), fw.protect.uniform_noise(2), seed=3, exact=["A", "B"]),
    ),
    "10 x 12, exchanged": Awaited(
        "mean cell 4, an eighth of the people under another label of B, exact totals",
        lambda: fw.protect.pram(
            fw.table(counts(4, (10, 12), 4), dims=["A", "B"]), "B", stay=0.875, seed=4, exact=["A"]
        ),
        ("uniform",),
    ),
    "12 x 8, rounded": Awaited(
        "mean cell 9, all figures to the nearest 5, totals too",
        lambda: fw.round_to(counts(9, (12, 8), 5), 5),
        ("uniform",),
    ),
    "a sample": Awaited("a tenth of 2,000 people, with margins of all", a_sample, ("hypergeometric",)),
    "6 x 5 x 4, sums asked about": Awaited(
        "mean cell 6, margins AB and BC; the hidden margin AC is asked about too",
        lambda: fw.publish(counts(6, (6, 5, 4), 9), ["A,B", "B,C"]),
        hidden_margins=("A,C",),
    ),
}


def cases() -> list[tuple[str, str]]:
    """Every release under every law, by names."""
    return [(name, law) for name, awaited in RELEASES.items() for law in awaited.laws]
