"""How many tables a second the exact solver sees, and how that compares with the plain recursion of the tests.

    python bench/exact_solving.py

Best of several runs, one thread, after compilation. Peers: the brute-force recursion in tests/naive.py (pure Python), and
for bounds one scipy `milp` call per bound without presolve or harvesting. The README quotes these figures only.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import fiberwalk as fw
from fiberwalk.fiber.integer_program import optimum

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import naive

SNEE = np.array([[68, 119, 26, 7], [20, 84, 17, 94], [15, 54, 14, 10], [5, 29, 14, 16]])
CUBE = np.array(
    [[[2, 1, 3], [1, 2, 0], [3, 2, 1]], [[1, 3, 2], [2, 1, 1], [2, 0, 3]], [[3, 1, 1], [0, 2, 2], [1, 3, 2]]]
)
PROBLEMS = {
    "4 x 4, n = 61 (Snee's hair and eyes, divided by 8)": (SNEE // 8, ["A", "B"]),
    "2 x 8, n = 120": (np.arange(15, 31).reshape(2, 8) // 3, ["A", "B"]),
    "3 x 3 x 3, all two-way margins, n = 225": (5 * CUBE, ["A,B", "A,C", "B,C"]),
}


def best(function, times=3):
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        result = function()
        taken.append(time.perf_counter() - begin)
    return result, min(taken)


def recursion_rate() -> float:
    """Tables a second of the plain Python recursion, on a table small enough for it."""
    values = np.array([[3, 1, 2], [2, 4, 1], [1, 2, 3]])
    facts = naive.margin_facts(values, [range(3), "***"]) + naive.margin_facts(values, ["***", range(3)])
    found, seconds = best(lambda: naive.tables(9, facts, most=10**6))
    return len(found) / seconds


def main() -> None:
    fw.audit(fw.publish([[1, 2], [3, 4]], ["A", "B"]), law="hypergeometric")  # compile
    fw.count(fw.publish([[1, 2], [3, 4]], ["A", "B"]))
    plain = recursion_rate()
    print(f"plain Python recursion: {plain / 1e6:.3f} million tables/s\n")
    print(f"{'problem':52} {'tables':>13} {'uniform':>10} {'hypergeom.':>11}   (million tables/s; x recursion)")
    for name, (values, margins) in PROBLEMS.items():
        release = fw.publish(values, margins)
        rates = []
        for law in ("uniform", "hypergeometric"):
            audit, seconds = best(lambda law=law, release=release: fw.audit(release, law=law, limit=10**10))
            rates.append(audit.tables / seconds)
        shown = "  ".join(f"{rate / 1e6:8.1f} ({rate / plain:,.0f}x)" for rate in rates)
        print(f"{name:52} {audit.tables:13,} {shown}")

    table = np.random.default_rng(1).poisson(3, (20, 20))
    _, seconds = best(lambda: fw.bounds(fw.publish(table, ["A", "B"])), times=1)
    print(f"\nbounds of all 400 cells of a 20 x 20 table given its margins: {seconds:.1f} s")

    first = fw.examples.dot02_table1().release
    alike, modelled = (fw.audit(first, law=law).cells.loc[("5", "5")] for law in ("uniform", "hypergeometric"))
    print(
        f"DOT02 Table 1, first hidden cell: {alike['entropy']:.2f} bits uniform, {modelled['entropy']:.2f} hypergeometric, ",
        end="",
    )
    print(f"{modelled['understatement']:.2f} times its uniform risk")

    release = fw.examples.dfkpr01().release
    frame, ours = best(lambda: fw.bounds(release))
    print(f"\nbounds of DFKPR01's 48 cells given its three margins: {ours * 1e3:.0f} ms; ", end="")
    A = sp.csr_array(release.sums.matrix)
    b, low, high = release.sums.lower, np.zeros(48, np.int64), np.full(48, 581)

    def one_by_one():
        upper = []
        for j in range(48):
            for sign in (1, -1):
                cost = np.zeros(48)
                cost[j] = sign
                table = optimum(A, b, low, high, cost)
            upper.append(table[j])
        return upper

    upper, theirs = best(one_by_one, times=1)
    assert upper == frame["upper"].tolist()
    print(f"one milp call per bound: {theirs * 1e3:.0f} ms ({theirs / ours:.1f}x)")


if __name__ == "__main__":
    main()
