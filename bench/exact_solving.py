"""Exact answers: how many tables a second an enumeration sees, and how far beyond that an elimination goes.

    python bench/exact_solving.py [--long]

Best of several runs, after compilation. Peer: the brute-force recursion in tests/naive.py (pure Python). `--long` also
enumerates the fiber of DFKPR01 given all three margins, as a check of the count. The README quotes these figures only.
"""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path

import numpy as np

import fiberwalk as fw
from fiberwalk.fiber.enumeration import enumerate_block
from fiberwalk.fiber.presolve import presolve
from fiberwalk.fiber.solved import Budget

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import naive
from methods import only

SNEE = np.array([[68, 119, 26, 7], [20, 84, 17, 94], [15, 54, 14, 10], [5, 29, 14, 16]])
CUBE = np.array(
    [[[2, 1, 3], [1, 2, 0], [3, 2, 1]], [[1, 3, 2], [2, 1, 1], [2, 0, 3]], [[3, 1, 1], [0, 2, 2], [1, 3, 2]]]
)
LAWS = ("uniform", "hypergeometric")
PROBLEMS = {
    "4 x 4, n = 61 (Snee's hair and eyes, divided by 8)": (SNEE // 8, ["A", "B"]),
    "2 x 8, n = 120": (np.arange(15, 31).reshape(2, 8) // 3, ["A", "B"]),
    "3 x 3 x 3, all two-way margins, n = 180": (4 * CUBE, ["A,B", "A,C", "B,C"]),
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
    with only("elimination"):
        fw.audit(fw.publish(SNEE // 8, ["A", "B"]))
    plain = recursion_rate()
    print(f"plain Python recursion: {plain / 1e6:.3f} million tables/s\n")
    print(f"{'problem':52} {'tables':>13} {'uniform':>10} {'hypergeom.':>11}   (million tables/s; x recursion)")
    for name, (values, margins) in PROBLEMS.items():
        release = fw.publish(values, margins)
        rates = []
        for law in LAWS:
            with only("enumeration"):
                audit, seconds = best(lambda law=law, release=release: fw.audit(release, law=law, limit=10**13))
            rates.append(audit.tables / seconds)
        shown = "  ".join(f"{rate / 1e6:8.1f} ({rate / plain:,.0f}x)" for rate in rates)
        print(f"{name:52} {audit.tables:13,} {shown}")

    first = fw.examples.dot02_table1().release
    alike, modelled = (fw.audit(first, law=law).cells.loc[("5", "5")] for law in ("uniform", "hypergeometric"))
    print(
        f"DOT02 Table 1, first hidden cell: {alike['entropy']:.2f} bits uniform, {modelled['entropy']:.2f} hypergeometric, ",
        end="",
    )
    print(f"{modelled['understatement']:.2f} times its uniform risk")

    print(f"\n{'beyond enumeration':58} {'tables':>26} {'count':>8} {'uniform':>9} {'hypergeom.':>11}")
    for name, release in beyond().items():
        tables, counting = best(lambda release=release: fw.count(release), times=1)
        laws = [best(lambda release=release, law=law: fw.audit(release, law=law), times=1)[1] for law in LAWS]
        shown = f"{tables:,}" if tables < 10**20 else f"about 10^{math.log10(tables):.0f}"
        print(f"{name:58} {shown:>26} {counting:6.1f} s {laws[0]:7.1f} s {laws[1]:9.1f} s", flush=True)

    if "--long" in sys.argv:
        block = presolve(fw.examples.dfkpr01().release).blocks[0]
        walked, seconds = best(
            lambda: enumerate_block(block.A, block.b, block.lower, block.upper, budget=Budget(10**13)), times=1
        )
        print(f"\nDFKPR01 given all three margins, enumerated: {walked.tables:,} tables in {seconds:.0f} s")


def beyond() -> dict[str, fw.Release]:
    """Fibers that no enumeration gets through (but for the last, which takes one minutes)."""
    paper, dfkpr01 = fw.examples.dot02_table2().release, fw.examples.dfkpr01()
    cycles = np.zeros((41, 82), dtype=bool)
    for k in range(40):
        cycles[k : k + 2, 2 * k : 2 * k + 2] = True
    random = np.random.default_rng(1)
    return {
        "DOT02 redesign, row totals unknown": paper,
        "DOT02 redesign, row totals known": paper.knows({"activity": "5"}, exactly=3898),
        "DFKPR01 given IJ+ and +JK": fw.publish(dfkpr01.table, ["I,J", "J,K"]),
        "4 x 4, n = 592 (Snee's hair and eyes)": fw.publish(SNEE, ["A", "B"]),
        "2 x 300, n = 6,000": fw.publish(random.poisson(10, (2, 300)), ["A", "B"]),
        "41 x 82, a chain of 40 cycles hidden": fw.suppress(random.poisson(50, cycles.shape), where=cycles),
        "DFKPR01 given all three margins": dfkpr01.release,
    }


if __name__ == "__main__":
    main()
