"""Independent two-way tables under prod 1/x!, against scipy.stats.random_table and r2dtable of R."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator

import numpy as np
from figures import Figure, Finding, Skipped, best_of
from peers import r2dtable, random_table
from problems import SNEE, even

import fiberwalk as fw
from fiberwalk.base.random_streams import streams
from fiberwalk.fiber.bounds.decomposable import components
from fiberwalk.sampler.kernels.independent.draw_decomposable import (
    decomposable_plan,
    decomposable_room,
    draw_many_decomposable,
)
from fiberwalk.sampler.kernels.independent.draw_two_way import (
    TwoWayPlan,
    draw_many_independent,
    two_way_plan,
    two_way_room,
)

WORDS = (
    "Independent tables with given row and column sums, under the hypergeometric law, per second of processor time on one "
    "thread. scipy draws many tables in one call, by the better of its two methods; R is timed within. The mean table of "
    "each must be the expected one."
)
CASES = {
    "4 x 4": (SNEE, 4_000, 1.5),
    "20 x 20": (even((20, 20), 10_000), 200, 1.5),
    "100 x 100": (even((100, 100), 100_000), 10, 3.0),
    "5 x 5, n = 50": (even((5, 5), 50), 4_000, None),
    "50 x 50, n = 1,000": (even((50, 50), 1_000), 200, None),
    "30 x 30, n = 300,000": (even((30, 30), 300_000), 40, None),
}
"""A table with the sums wanted, how many are drawn in one go, and the least ratio to scipy that is wanted."""
QUICK = ("4 x 4", "20 x 20", "100 x 100", "50 x 50, n = 1,000")


def run(quick: bool) -> Iterator[Finding]:
    """Problem after problem; then one that has no peer."""
    for name in QUICK if quick else CASES:
        values, size, target = CASES[name]
        yield from _raced(name, values, size, target, quick)
    if not quick:
        if not r2dtable.installed():
            yield Skipped("independent tables", r2dtable.NAME, r2dtable.HOW_TO_GET)
        yield _four_way()


def drawing(values: np.ndarray, size: int, shuffled: bool | None = None) -> tuple[Callable[[], np.ndarray], TwoWayPlan]:
    """A job of ours that draws so many tables, by the cheaper method or the one that is asked for, and its plan."""
    plan = two_way_plan(np.arange(values.size).reshape(values.shape), values.ravel())
    if shuffled is not None:
        plan = plan._replace(shuffled=shuffled)
    random, room = streams(1, 1)[0], two_way_room(plan)
    draw_many_independent(plan, random, room, np.empty((1, values.size), dtype=np.int64))  # compile

    def draw() -> np.ndarray:
        tables = np.empty((size, values.size), dtype=np.int64)
        draw_many_independent(plan, random, room, tables)
        return tables

    return draw, plan


def _raced(name: str, values: np.ndarray, size: int, target: float | None, quick: bool) -> Iterator[Figure]:
    ours, plan = drawing(values, size)
    jobs = {"ours": ours}
    jobs |= {method: random_table.drawing(values, size, method) for method in random_table.METHODS}
    for job in jobs.values():
        _check(values, job().reshape(size, *values.shape).mean(axis=0), size)
    seconds = best_of(jobs, 8 if quick else 30, time.thread_time)
    better = min(random_table.METHODS, key=seconds.__getitem__)
    how = "ours by shuffling units" if plan.shuffled else "ours cell by cell"

    def figure(peer: str, theirs: float, target: float | None, note: str) -> Figure:
        return Figure(
            contest="independent tables",
            problem=name,
            what="tables, hypergeometric",
            unit="tables/s",
            ours=size / seconds["ours"],
            peer=peer,
            theirs=theirs,
            target=target,
            note=note,
        )

    yield figure(random_table.NAME, size / seconds[better], target, f"{how}, scipy's by {better.capitalize()}")
    if not quick and r2dtable.installed():
        # R's clock goes in milliseconds: enough tables that a round takes it some hundred of them
        many = max(size, int(0.3 / (seconds["patefield"] / size)))
        each, here = math.inf, math.inf
        whole, _ = drawing(values, many)
        for _ in range(3):
            taken, mean = r2dtable.drawn(values, many, rounds=2)
            _check(values, mean, 2 * many)
            each = min(each, taken)
            here = min(here, *best_of({"ours": whole}, 2, time.thread_time).values())
        seconds["ours"] = here / many * size
        yield figure(r2dtable.NAME, 1 / each, None, f"{how}; {many:,} tables at a time")


def _check(values: np.ndarray, mean: np.ndarray, size: int) -> None:
    """The mean of so many tables within six standard errors of what the law expects."""
    rows, columns, n = values.sum(axis=1), values.sum(axis=0), values.sum()
    expected = np.outer(rows, columns) / n
    spread = expected * np.outer(n - rows, n - columns) / (n * (n - 1))
    assert (np.abs(mean - expected) <= 6 * np.sqrt(spread / size) + 1e-9).all()


def _four_way() -> Figure:
    """Margins in a chain: whole four-way tables, piece by piece."""
    values = even((10, 10, 10, 10), 10_000)
    plan = decomposable_plan(components(fw.publish(values, ["A,B", "B,C", "C,D"])))
    random, room, tables = streams(1, 1)[0], decomposable_room(plan), np.empty((10, values.size), dtype=np.int64)
    draw_many_decomposable(plan, random, room, tables)  # compile
    seconds = best_of({"ours": lambda: draw_many_decomposable(plan, random, room, tables)}, 30, time.thread_time)[
        "ours"
    ]
    where = "10 x 10 x 10 x 10, n = 10,000"
    note = "given the margins AB, BC and CD; no peer draws these"
    return Figure("independent tables", where, "tables, hypergeometric", "tables/s", len(tables) / seconds, note=note)
