"""Four tables of a census hypercube under several methods, before and after they are cut (SAE15, section 5).

    python bench/studies/flexible_tables.py [SEEDS]      prints the study's tables, writes docs/flexible_tables.png
    ... --store                                  and stores the study in notebooks/results/, for notebook 05

The hypercube of the paper is not public: this is `examples.hypercube()`. The methods are the paper's: swapping between
the two regions of a tenth of the people (RS), rounding to base 3 with the regions' totals controlled (RR), perturbation by
the matrix of its Table 3 made invariant (SP), and rounding of each table instead of the cube (RRP). Besides, each table
perturbed by a matrix made invariant for it (SPP).

The paper's matrix is not invariant as printed. Made so, it has two steps and changes more counts than before; so much of it
is taken that as many change as by the printed one (`alpha="alike"`). Of the cube's ones and twos 33% change, as in the
paper.

What the paper finds holds here: every method lowers the risk, rounding most, swapping least; of what is done to the cube
perturbation keeps the most utility (but for table 3, which swapping does not touch); rounded tables keep more than tables of
the rounded cube. Swapping lowers the risk on average: in one run of ten it raises that of table 2, whose few small cells
may then be fuller. What differs: rounded tables keep more than tables of the perturbed cube in table 2, where the paper
has them keep less, and in table 3, where it has both alike.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

import fiberwalk as fw
from fiberwalk.protect.protected_counts import protected_counts

PICTURE = Path(__file__).parents[2] / "docs" / "flexible_tables.png"
STORED = Path(__file__).parents[2] / "notebooks" / "results" / "flexible_tables.fw"
TABLES: dict[str, tuple[str, dict[str, str]]] = {
    "T1": ("age,education,occupation", {"region": "1"}),
    "T2": ("sex,age,citizenship", {"region": "2"}),
    "T3": ("activity,occupation,education", {"sex": "male"}),
    "T4": ("region,occupation,education", {"age": "45-49"}),
}
MATRIX = fw.protect.window_matrix(stay=[0.5] * 2 + [0.9] * 13, window=[5] * 2 + [7] * 13)
PRINTED = {
    "T1": {"as it was": 0.318, "RS": (0.282, 0.988), "RR": (0.137, 0.991), "SP": (0.239, 0.995), "RRP": (0.135, 0.993)},
    "T2": {"as it was": 0.248, "RS": (0.191, 0.972), "RR": (0.070, 0.996), "SP": (0.210, 0.998), "RRP": (0.072, 0.996)},
    "T3": {"as it was": 0.339, "RS": (0.295, 1.000), "RR": (0.130, 0.994), "SP": (0.254, 0.996), "RRP": (0.127, 0.996)},
    "T4": {"as it was": 0.298, "RS": (0.271, 0.987), "RR": (0.105, 0.991), "SP": (0.229, 0.994), "RRP": (0.105, 0.992)},
}
"""Risk and utility in the paper's Table 5, of its own hypercube."""


def by_matrix(counts: np.ndarray) -> dict[str, Any]:
    """The paper's matrix made invariant for these counts, all cells chosen so that the total is kept."""
    matrix = fw.protect.invariant_matrix(MATRIX, counts, last_rows=5, alpha="alike")
    return {"matrix": matrix, "last_rows": 5, "preserve_totals": True}


METHODS: dict[str, tuple[str, str, Any]] = {
    "RS": ("before", "swap", {"dim": "region", "rate": 0.1}),
    "RR": ("before", "semi_controlled_round", {"base": 3, "within": "region"}),
    "SP": ("before", "perturb", lambda counts: {**by_matrix(counts), "within": "region"}),
    "RRP": ("after", "semi_controlled_round", {"base": 3}),
    "SPP": ("after", "perturb", by_matrix),
}


def study(cube: Any, seeds: Iterable[int]) -> fw.studies.TableStudy:
    """The study on a hypercube."""
    return fw.studies.table_study(cube, TABLES, METHODS, seeds=seeds)


def small_cells_of_the_cube(cube: Any, seed: int) -> dict[str, float]:
    """The share of the cube's ones and twos that each method before tabulation changes."""
    true, small = cube.values, (cube.values >= 1) & (cube.values <= 2)
    shares = {}
    for name, (when, method, parameters) in METHODS.items():
        if when == "before":
            given = parameters(true) if callable(parameters) else parameters
            published = protected_counts(true, method, given, dims=cube.dims, seed=seed)
            shares[name] = float((published != true)[small].mean())
    return shares


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", nargs="?", type=int, default=10)
    parser.add_argument("--store", action="store_true")
    asked = parser.parse_args()
    seeds = range(1, asked.seeds + 1)
    start = time.perf_counter()
    cube = fw.examples.hypercube()
    print(f"{int(cube.sum()):,} people in {cube.size:,} cells, {float((cube == 0).mean()):.1%} of them empty")
    found = study(cube, seeds)
    print(f"{found!r}: {time.perf_counter() - start:.1f} seconds\n")
    print("The tables (paper's Table 2), small cells being those of 1 and 2:")
    print(found.originals.round({"zeros": 3, "risk": 3}).to_string())
    print("\nShare of small cells that were changed (Table 4):")
    changed = found.frame["small_changed"].unstack("table")
    changed.insert(0, "cube", changed.index.map(small_cells_of_the_cube(cube, seeds[0])))
    print(changed.round(3).to_string(na_rep=""))
    print("\nDisclosure risk and data utility (Table 5), means over the seeds:")
    shown = found.frame[["risk_before", "risk", "risk_sd", "utility", "utility_sd"]].round(4)
    for number, name in enumerate(("printed risk", "printed utility")):
        shown[name] = [PRINTED[table].get(method, ("", ""))[number] for table, method in shown.index]
    print(shown.to_string(sparsify=False))
    PICTURE.parent.mkdir(exist_ok=True)
    found.plot(
        title="Four tables of a census hypercube, protected before (RS, RR, SP) or after the cut (RRP, SPP)"
    ).savefig(PICTURE, dpi=110)
    print(f"{PICTURE}: {PICTURE.stat().st_size // 1024} KB")
    if asked.store:
        STORED.parent.mkdir(exist_ok=True)
        found.save(STORED)
        print(f"{STORED}: {STORED.stat().st_size / 1024:.0f} KB")


if __name__ == "__main__":
    main()
