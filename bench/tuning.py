"""What costs what, from which constants in the sources are chosen.

    python bench/tuning.py costs
    python bench/tuning.py people
    python bench/tuning.py rounds

costs   nanoseconds of a drawn cell and of a shuffled person, in two-way tables that are drawn independently (NS_PER_CELL
        and NS_PER_PERSON in sampler/kernels/independent/draw_two_way.py); processor time, the best of several rounds
people  effective draws a second of swaps of people and of hit-and-run on sparse two-way tables under the uniform law, by
        the mean cell below which the first are the better (SPARSE in sampler/kernels/swaps/people.py)
rounds  the same of swaps in rounds and one after the other, by the columns of a table (FEWEST_COLUMNS in
        sampler/kernels/swaps/rounds.py)
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
from effective import Course, Ready, rates, ready, walker
from figures import best_of

import fiberwalk as fw
from fiberwalk.sampler.kernels.kernel import Kernel
from fiberwalk.sampler.kernels.swaps.hit_and_run import SwapKernel
from fiberwalk.sampler.kernels.swaps.people import PersonSwapKernel
from fiberwalk.sampler.kernels.swaps.rounds import SwapRoundsKernel


def costs() -> None:
    """Both ways to draw each table of the race, whichever is the cheaper."""
    print(f"{'table':24} {'ns per drawn cell':>18} {'ns per shuffled person':>23}")
    for name, (values, size, _) in CASES.items():
        jobs = {"cells": drawing(values, size, False)[0], "people": drawing(values, size, True)[0]}
        best = best_of(jobs, 30, time.thread_time)
        cells = (values.shape[0] - 1) * (values.shape[1] - 1)
        people = values.sum() - values.sum(axis=1).max()
        print(f"{name:24} {best['cells'] / size / cells * 1e9:18.1f} {best['people'] / size / people * 1e9:23.2f}")


def people() -> None:
    """Both kernels on 50 x 50 tables of different means."""
    print(f"{'mean cell':>10} {'swaps of people':>26} {'hit-and-run':>26}   (slowest, median cell)")
    for mean in (0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0):
        table = np.random.default_rng(5).poisson(mean, (50, 50))
        table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
        here = ready(fw.publish(table, ["A", "B"]), "uniform")
        shape = here.unit.kernels[-1].shape
        kernels = {"people": PersonSwapKernel(shape, int(table.sum())), "lines": SwapRoundsKernel(shape)}
        print(f"{table.mean():10.2f} {in_one_run(here, kernels)}", flush=True)


def rounds() -> None:
    """Swaps in rounds and one after the other, on tables of different sizes."""
    print(f"{'table':>10} {'rounds':>26} {'one by one':>26}   (slowest, median cell)")
    for shape in ((16, 16), (24, 24), (3, 32), (32, 32), (10, 40), (50, 50), (100, 100), (20, 200)):
        rng = np.random.default_rng(5)
        means = np.outer(rng.lognormal(0.0, 0.5, shape[0]), rng.lognormal(0.0, 0.5, shape[1]))
        here = ready(fw.publish(rng.poisson(10.0 * means) + 1, ["A", "B"]), "uniform")
        shape = here.unit.kernels[-1].shape
        kernels = {"rounds": SwapRoundsKernel(shape), "one by one": SwapKernel(shape)}
        print(f"{shape[0]:>4} x {shape[1]:<3} {in_one_run(here, kernels)}", flush=True)


def in_one_run(here: Ready, kernels: dict[str, Kernel]) -> str:
    """Effective draws a second of two kernels, of the slowest and of the median cell."""
    one, other = (
        replace(walker(replace(here.unit, kernels=(kernel,), shares=(1 << 40,)), here.starts), name=name)
        for name, kernel in kernels.items()
    )
    found = rates(Course(here.unit, one, other), 500, 10.0)
    shown = [f"{each.slowest:12,.0f} {each.median:12,.0f}" for each in found[:2]]
    return f"{shown[0]:>26} {shown[1]:>26}"


PARTS = {"costs": costs, "people": people, "rounds": rounds}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    PARTS[parser.parse_args().part]()
