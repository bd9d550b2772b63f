"""How long sharp bounds take, against one HiGHS call per bound.

    python bench/bounds.py [--long]

Single runs after compilation. The peers get the same presolved block: HiGHS' integer program (scipy `milp`) called anew for
each bound, and its simplex method kept warm with only the objective changing (which for a network gives the same bounds,
as its corners are whole numbers). They are timed on a sample of the bounds and scaled up. `--long` adds a million cells.
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np

import fiberwalk as fw
from fiberwalk.fiber.integer_program import optimum
from fiberwalk.fiber.presolve import presolve
from fiberwalk.fiber.simplex import solved as run_simplex
from fiberwalk.fiber.simplex import warm_model

SAMPLE = 12


def two_way(n, share, mean=10, seed=1):
    random = np.random.default_rng(seed)
    table = random.poisson(mean, (n, n))
    return fw.suppress(table, where=random.random((n, n)) < share)


def hierarchical(seed=2):
    """60 activities in 8 groups by 40 regions, counts under 4 hidden; totals of groups over all regions, not within each."""
    random = np.random.default_rng(seed)
    table = random.poisson(4, (60, 40))
    groups = {f"g{i}": [str(j + 1) for j in range(60) if j % 8 == i] for i in range(8)}
    levels = {"A": groups}
    margins = ["A", "A:1", "B", ""]
    return fw.suppress(table, where=table < 4, hierarchies=levels, margins=margins)


def three_way(n, seed=3):
    table = np.random.default_rng(seed).poisson(3, (n, n, n))
    return fw.publish(table, ["A,B", "A,C", "B,C"])


def four_way(seed=4):
    """A sparse 2 x 100 x 5 x 4 table, counts under 3 hidden, two-way margins published."""
    random = np.random.default_rng(seed)
    rates = random.gamma(0.15, 12, (2, 100, 5, 4))
    table = random.poisson(rates)
    return fw.suppress(table, where=table < 3, margins=["A,B", "B,C", "B,D", "C,D"])


def per_bound(release) -> tuple[float, float, int]:
    """Seconds for all bounds by each peer, from a sample, and how many sampled bounds differ from ours (none may)."""
    blocks = presolve(release).blocks
    block = max(blocks, key=lambda one: len(one.columns))
    sides = 2 * sum(len(one.columns) for one in blocks)
    ours = fw.bounds(release)
    place = {int(cell): k for k, cell in enumerate(release.hidden)}
    chosen = np.random.default_rng(0).choice(len(block.columns), SAMPLE, replace=False)
    model = warm_model(
        block.A, block.b - block.A @ block.lower, block.upper - block.lower, np.zeros(len(block.lower)), primal=True
    )
    run_simplex(model)
    times, wrong = [0.0, 0.0], 0
    for k in chosen:
        cost = np.zeros(len(block.lower))
        cost[k] = -1
        begin = time.perf_counter()
        table = optimum(block.A, block.b, block.lower, block.upper, cost)
        times[0] += time.perf_counter() - begin
        begin = time.perf_counter()
        model.changeColsCost(len(cost), np.arange(len(cost), dtype=np.int32), cost)
        run_simplex(model)
        times[1] += time.perf_counter() - begin
        if int(block.columns[k]) in place:
            wrong += int(ours["upper"].iloc[place[int(block.columns[k])]] != table[k])
    return times[0] / SAMPLE * sides, times[1] / SAMPLE * sides, wrong


def main() -> None:
    warnings.simplefilter("ignore")
    fw.bounds(two_way(12, 0.5))  # compile
    fw.bounds(three_way(3))
    cases = {
        "200 x 200, half of the cells hidden": (two_way(200, 0.5), True),
        "200 x 200, 5% hidden": (two_way(200, 0.05), True),
        "200 x 200, half hidden, as an outsider reads it": (two_way(200, 0.5).without_truth(), False),
        "40 x 40 given its margins (closed form)": (
            fw.publish(np.random.default_rng(5).poisson(3, (40, 40)), ["A", "B"]),
            True,
        ),
        "60 x 40, one dim with subtotals, counts < 4 hidden": (hierarchical(), True),
        "2 x 100 x 5 x 4, counts < 3 hidden, two-way margins": (four_way(), False),
        "10 x 10 x 10 given its two-way margins": (three_way(10), False),
    }
    if "--long" in sys.argv:
        cases["1000 x 1000, 20% hidden"] = (two_way(1000, 0.2, 3), False)
    print(f"{'release':52} {'hidden':>7} {'presolve':>9} {'bounds':>8}   milp per bound   warm simplex per bound")
    for name, (release, race) in cases.items():
        begin = time.perf_counter()
        presolve(release)
        middle = time.perf_counter()
        frame = fw.bounds(release, explain=True)
        end = time.perf_counter()
        line = f"{name:52} {len(release.hidden):7,} {middle - begin:7.2f} s {end - middle:6.2f} s"
        if race:
            milp, simplex, wrong = per_bound(release)
            assert wrong == 0
            took = end - middle
            line += f"   {milp:8,.0f} s ({milp / took:,.0f}x)   {simplex:8,.0f} s ({simplex / took:,.0f}x)"
        proofs = frame["upper_by"].value_counts()
        print(line + "   " + ", ".join(f"{count:,} {proof}" for proof, count in proofs.items()), flush=True)


if __name__ == "__main__":
    main()
