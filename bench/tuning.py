"""What costs what, from which constants in the sources are chosen.

    python bench/tuning.py costs
    python bench/tuning.py units

costs   nanoseconds of a drawn cell and of a shuffled unit, in two-way tables that are drawn independently (NS_PER_CELL
        and NS_PER_UNIT in sampler/independent_two_way.py); processor time, the best of several rounds taken in turn
units   effective draws a second of swaps of units and of hit-and-run on sparse two-way tables under the uniform law, by
        the mean cell below which the first are the better (SPARSE in sampler/walk_units.py)
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from contests.independent_tables import CASES, drawing
from effective import Course, rates, ready, walker
from figures import best_of

import fiberwalk as fw
from fiberwalk.sampler.kernel import SwapKernel
from fiberwalk.sampler.walk_units import UnitSwapKernel


def costs() -> None:
    """Both ways to draw each table of the race, whichever is the cheaper."""
    print(f"{'table':24} {'ns per drawn cell':>18} {'ns per shuffled unit':>21}")
    for name, (values, size, _) in CASES.items():
        jobs = {"cells": drawing(values, size, False)[0], "units": drawing(values, size, True)[0]}
        best = best_of(jobs, 30, time.thread_time)
        cells = (values.shape[0] - 1) * (values.shape[1] - 1)
        units = values.sum() - values.sum(axis=1).max()
        print(f"{name:24} {best['cells'] / size / cells * 1e9:18.1f} {best['units'] / size / units * 1e9:21.2f}")


def units() -> None:
    """Both kernels on 50 x 50 tables of different means."""
    print(f"{'mean cell':>10} {'swaps of units':>26} {'hit-and-run':>26}   (slowest, median cell)")
    for mean in (0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0):
        table = np.random.default_rng(5).poisson(mean, (50, 50))
        table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
        here = ready(fw.publish(table, ["A", "B"]), "uniform")
        shape = next(one.shape for one in here.unit.kernels if isinstance(one, SwapKernel))
        kernels = {"units": UnitSwapKernel(shape, int(table.sum())), "lines": SwapKernel(shape)}
        one, other = (
            replace(walker(replace(here.unit, kernels=(kernel,), shares=(1 << 40,)), here.starts), name=name)
            for name, kernel in kernels.items()
        )
        first, second, _ = rates(Course(here.unit, one, other), 500, 10.0)
        shown = [f"{found.slowest:12,.0f} {found.median:12,.0f}" for found in (first, second)]
        print(f"{table.mean():10.2f} {shown[0]:>26} {shown[1]:>26}", flush=True)


PARTS = {"costs": costs, "units": units}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    PARTS[parser.parse_args().part]()
