"""How cost grows with cells, with counts and with dims."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from effective import CHAINS, Walker, alone, bulk, course, seconds_apart, spacing
from figures import Curve, Finding, best_of, once
from problems import SNEE, even, margins, suppressed
from scipy.stats import random_table

import fiberwalk as fw
from fiberwalk.base.random_streams import streams
from fiberwalk.fiber.laws.support import support
from fiberwalk.moves.chooser import choose
from fiberwalk.sampler.kernels.independent.draw_two_way import draw_many_independent, two_way_plan, two_way_room

WORDS = (
    "Processor time of one thread against size, on logarithmic scales, with the slope: cost grows as size to that power. An "
    "effective draw is ArviZ' bulk figure of the median cell under the uniform law, from four chains that start in "
    "stationarity. Each curve ends where its next point would take more than seconds."
)
CELLS, COUNTS, DIMS = "cells", "mean count of a cell", "dims of two labels each"
DRAW, TABLE, WHOLE = "seconds for an effective draw", "seconds for a table", "seconds"
OURS, PEER = "fiberwalk", "+-1 chain"

TABLES = 400
"""Kept of each of four chains, each worth a sixth of an independent draw or more."""
WATCHED = 40
MOST_SECONDS = 3.0
"""Of the chains behind one point, or of one answer; a curve ends where that is not enough."""
FEW = 100
"""A median cell with fewer effective draws than this gives no point."""
SMALL = np.maximum(SNEE // 20, 1)

Points = list[tuple[float, float]]


def run(quick: bool) -> Iterator[Finding]:
    """All curves; nothing where time is short, as they are for reading and not for the guard."""
    if quick:
        return
    yield from against_cells()
    yield from against_counts()
    yield from against_dims()


def against_cells() -> Iterator[Curve]:
    """Larger tables with the same mean cell."""
    sides = (4, 8, 16, 32, 64, 128)
    releases = [(n * n, fw.publish(even((n, n), 10 * n * n), ["A", "B"])) for n in sides]
    yield from draws("n x n, mean 10", CELLS, releases)
    ours: Points = []
    theirs: Points = []
    for n in (4, 10, 25, 64, 160):
        tables = max(1, 50_000 // n**2)
        seconds = best_of(independent(even((n, n), 10 * n * n), tables), 5, time.thread_time)
        ours.append((n * n, seconds[OURS] / tables))
        theirs.append((n * n, min(seconds["patefield"], seconds["boyett"]) / tables))
    yield from curve(f"independent n x n, mean 10: {OURS}", CELLS, TABLE, ours)
    yield from curve("independent n x n, mean 10: scipy random_table", CELLS, TABLE, theirs)
    fw.bounds(suppressed(12, 0.2))  # compiles what there is to compile
    hidden = ((n * n, suppressed(n, 0.2)) for n in (12, 25, 50, 100, 200, 400))
    yield from whole("bounds, n x n, a fifth hidden", CELLS, hidden, fw.bounds)
    fw.count(two_rows(3))
    yield from whole("count of 2 x n", CELLS, ((2 * n, two_rows(n)) for n in (5, 15, 50, 150, 500)), fw.count)


def against_counts() -> Iterator[Curve]:
    """The same table with larger counts."""
    scales = (1, 3, 10, 30, 100, 300, 1000)
    small = four_by_four(scales)
    yield from draws("4 x 4", COUNTS, small)
    yield from draws("3 x 3 x 3", COUNTS, cubes_of(scales))
    fw.count(small[0][1])  # compiles what there is to compile
    few = (1, 2, 3, 4, 6, 8, 11, 16)
    yield from whole("count of 4 x 4", COUNTS, four_by_four(few), fw.count)
    yield from whole("count of 3 x 3 x 3", COUNTS, cubes_of(few), fw.count)


def four_by_four(scales: tuple[int, ...]) -> list[tuple[float, fw.Release]]:
    """Snee's table, small, times each scale."""
    return [(float(k * SMALL.mean()), fw.publish(k * SMALL, ["A", "B"])) for k in scales]


def cubes_of(counts: tuple[int, ...]) -> list[tuple[float, fw.Release]]:
    """3 x 3 x 3 with the same count in every cell, given all two-way margins."""
    return [(float(k), fw.publish(np.full((3, 3, 3), k), margins(3, 2))) for k in counts]


def against_dims() -> Iterator[Curve]:
    """2 x 2 x ... x 2 given all two-way margins."""

    def release(dims: int) -> fw.Release:
        return fw.publish(np.random.default_rng(1).poisson(5, (2,) * dims), margins(dims, 2))

    releases = [(dims, release(dims)) for dims in range(3, 9)]
    choose(support(releases[0][1]))
    what = "all two-way margins"
    yield from whole(f"moves, {what}", DIMS, releases, lambda one: choose(support(one)))
    ours = (point(dims, alone(one, "uniform"), 5 * MOST_SECONDS) for dims, one in releases)
    yield from curve(f"{what}: {OURS}", DIMS, DRAW, ours)
    few = (point(dims, course(one, "uniform").peer) for dims, one in releases[:3])  # of more dims its list is too long
    yield from curve(f"{what}: {PEER}", DIMS, DRAW, few)


def draws(problem: str, against: str, releases: list[tuple[float, fw.Release]]) -> Iterator[Curve]:
    """The cost of an effective draw of our chain and of single steps."""
    found: dict[str, Points] = {OURS: [], PEER: []}
    going = set(found)
    for size, release in releases:
        both = course(release, "uniform")
        for who, walker in ((OURS, both.ours), (PEER, both.peer)):
            one = point(size, walker) if who in going else None
            if one is None:
                going.discard(who)
            else:
                found[who].append(one)
    for who, points in found.items():
        yield from curve(f"{problem}: {who}", against, DRAW, points)


def point(size: float, walker: Walker, most_seconds: float = MOST_SECONDS) -> tuple[float, float] | None:
    """What an effective draw of the median cell costs; None where too few can be had."""
    n = walker.keep(0, 1, walker.first_apart).shape[1]
    watched = np.unique(np.linspace(0, n - 1, min(n, WATCHED)).astype(np.int64))
    apart = spacing(walker, watched, TABLES, most_seconds, np.nanmedian)
    ess = bulk(np.stack([walker.keep(k, TABLES, apart)[:, watched] for k in range(CHAINS)]))
    median = float(np.nanmedian(ess))
    if median < FEW:
        return None
    seconds = min(seconds_apart(walker, apart) for _ in range(5))
    return float(size), seconds * CHAINS * TABLES / median


def whole(
    problem: str, against: str, releases: Iterable[tuple[float, fw.Release]], job: Callable[[fw.Release], object]
) -> Iterator[Curve]:
    """The cost of a whole answer, the best of some; until one takes too long, or is refused."""

    def points() -> Iterator[tuple[float, float] | None]:
        for size, release in releases:
            try:
                seconds = once(lambda release=release: job(release), time.process_time)[1]
            except fw.TooLarge:
                return
            for _ in range(2 if seconds < MOST_SECONDS / 6 else 0):
                seconds = min(seconds, once(lambda release=release: job(release), time.process_time)[1])
            yield float(size), seconds
            if seconds > MOST_SECONDS:
                return

    yield from curve(f"{problem}: {OURS}", against, WHOLE, points())


def curve(of: str, against: str, unit: str, points: Iterable[tuple[float, float] | None]) -> Iterator[Curve]:
    """A curve of the points before the first that could not be had."""
    found: Points = []
    for one in points:
        if one is None:
            break
        found.append(one)
    if len(found) > 1:
        yield Curve("growth", of, against, unit, tuple(found))


def independent(values: np.ndarray, tables: int) -> dict[str, Callable[[], object]]:
    """Tables drawn directly under the hypergeometric law: ours, and scipy's by both of its methods."""
    plan = two_way_plan(np.arange(values.size).reshape(values.shape), values.ravel())
    random, room, found = streams(1, 1)[0], two_way_room(plan), np.empty((tables, values.size), dtype=np.int64)
    law, rng = random_table(values.sum(axis=1), values.sum(axis=0)), np.random.default_rng(1)
    draw_many_independent(plan, random, room, found[:1])
    return {
        OURS: lambda: draw_many_independent(plan, random, room, found),
        "patefield": lambda: law.rvs(size=tables, method="patefield", random_state=rng),
        "boyett": lambda: law.rvs(size=tables, method="boyett", random_state=rng),
    }


def two_rows(columns: int) -> fw.Release:
    """2 x n with a mean cell of 10, given row and column totals."""
    return fw.publish(np.random.default_rng(1).poisson(10, (2, columns)), ["A", "B"])
