"""Independent two-way tables under prod 1/x!: how much faster they are drawn than by scipy.stats.random_table.

    python bench/independent.py [--quick] [--costs]

Single thread, the best of several rounds in which all methods take turns, so that the ratios hold on a busy machine too.
scipy is asked for many tables at once, by each of its two methods, and the better one counts. `--costs` shows what a drawn
cell and a shuffled unit cost, from which the method is chosen (NS_PER_CELL and NS_PER_UNIT in independent_two_way).
"""

from __future__ import annotations

import sys
import time

import numpy as np
from scipy.stats import random_table

import fiberwalk as fw
from fiberwalk.fiber.decomposable import components
from fiberwalk.moves.random_words import streams
from fiberwalk.sampler.independent_decomposable import decomposable_plan, decomposable_room, draw_many_decomposable
from fiberwalk.sampler.independent_two_way import draw_many_independent, log_factorial_table, two_way_plan, two_way_room
from fiberwalk.sampler.redraw_rows import redraw_by_columns

SNEE = np.array([[68, 119, 26, 7], [20, 84, 17, 94], [15, 54, 14, 10], [5, 29, 14, 16]])


def even(shape, n, seed=1):
    cells = int(np.prod(shape))
    return np.random.default_rng(seed).multinomial(n, np.full(cells, 1 / cells)).reshape(shape)


CASES = [
    ("4 x 4, n = 592", SNEE, 400, 1.5),
    ("20 x 20, n = 10,000", even((20, 20), 10_000), 10, 1.5),
    ("100 x 100, n = 100,000", even((100, 100), 100_000), 2, 3.0),
    ("5 x 5, n = 50", even((5, 5), 50), 400, None),
    ("50 x 50, n = 1,000", even((50, 50), 1_000), 20, None),
    ("30 x 30, n = 300,000", even((30, 30), 300_000), 4, None),
]


def best_of(jobs, rounds):
    """The seconds of each job, the best of some rounds in which they take turns."""
    best = dict.fromkeys(jobs, np.inf)
    for _ in range(rounds):
        for name, job in jobs.items():
            begin = time.perf_counter()
            job()
            best[name] = min(best[name], time.perf_counter() - begin)
    return best


def ours(values, size, shuffled=None):
    plan = two_way_plan(np.arange(values.size).reshape(values.shape), values.ravel())
    if shuffled is not None:
        plan = plan._replace(shuffled=shuffled)
    random, room, tables = streams(1, 1)[0], two_way_room(plan), np.empty((size, values.size), dtype=np.int64)
    draw_many_independent(plan, random, room, tables[:1])
    return plan, lambda: draw_many_independent(plan, random, room, tables)


def against_scipy(rounds) -> None:
    print("microseconds per table        ours                    scipy: Patefield     Boyett    ratio   at least")
    for name, values, size, target in CASES:
        plan, job = ours(values, size)
        law, rng = random_table(values.sum(axis=1), values.sum(axis=0)), np.random.default_rng(1)
        jobs = {"ours": job}
        for method in ("patefield", "boyett"):
            jobs[method] = lambda m=method, law=law, size=size, rng=rng: law.rvs(size=size, method=m, random_state=rng)
        best = {key: seconds / size * 1e6 for key, seconds in best_of(jobs, rounds).items()}
        ratio = min(best["patefield"], best["boyett"]) / best["ours"]
        how = "shuffle" if plan.shuffled else "cell by cell"
        print(
            f"{name:24} {best['ours']:10.2f} {how:14} {best['patefield']:19.2f} {best['boyett']:10.2f}"
            f" {ratio:7.2f}x {'' if target is None else f'{target}x':>9}",
            flush=True,
        )


def costs(rounds) -> None:
    print("\nnanoseconds for each cell that is drawn, for each unit that is shuffled")
    for name, values, size, _ in CASES:
        best = best_of({how: ours(values, size, how)[1] for how in (False, True)}, rounds)
        cells, units = (values.shape[0] - 1) * (values.shape[1] - 1), values.sum() - values.sum(axis=1).max()
        print(f"{name:24} {best[False] / size / cells * 1e9:8.1f} {best[True] / size / units * 1e9:8.2f}", flush=True)


def others(rounds) -> None:
    values = even((10, 10, 10, 10), 10_000)
    plan = decomposable_plan(components(fw.publish(values, ["A,B", "B,C", "C,D"])))
    random, room, tables = streams(1, 1)[0], decomposable_room(plan), np.empty((1, values.size), dtype=np.int64)
    two, logs = np.arange(40), log_factorial_table(2000)
    pair = even((40,), 1_000)
    jobs = {
        "10 x 10 x 10 x 10, n = 10,000, [AB][BC][CD], a whole table": lambda: draw_many_decomposable(
            plan, random, room, tables
        ),
        "two rows of 20 columns, n = 1,000 (called from Python)": lambda: redraw_by_columns(
            two[:20], two[20:], logs, random, pair
        ),
    }
    best_of(jobs, 1)
    print("\nmicroseconds")
    for name, seconds in best_of(jobs, 10 * rounds).items():
        print(f"{name:62} {seconds * 1e6:10.1f}")


if __name__ == "__main__":
    number = 15 if "--quick" in sys.argv else 100
    against_scipy(number)
    if "--costs" in sys.argv:
        costs(number)
    others(number)
