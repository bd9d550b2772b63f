"""What costs what, from which constants in the sources are chosen.

    python bench/tuning.py costs

costs   nanoseconds of a drawn cell and of a shuffled unit, in two-way tables that are drawn independently (NS_PER_CELL
        and NS_PER_UNIT in sampler/independent_two_way.py); processor time, the best of several rounds taken in turn
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from contests.independent_tables import CASES, drawing
from figures import best_of


def costs() -> None:
    """Both ways to draw each table of the race, whichever is the cheaper."""
    print(f"{'table':24} {'ns per drawn cell':>18} {'ns per shuffled unit':>21}")
    for name, (values, size, _) in CASES.items():
        jobs = {"cells": drawing(values, size, False)[0], "units": drawing(values, size, True)[0]}
        best = best_of(jobs, 30, time.thread_time)
        cells = (values.shape[0] - 1) * (values.shape[1] - 1)
        units = values.sum() - values.sum(axis=1).max()
        print(f"{name:24} {best['cells'] / size / cells * 1e9:18.1f} {best['units'] / size / units * 1e9:21.2f}")


PARTS = {"costs": costs}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    PARTS[parser.parse_args().part]()
