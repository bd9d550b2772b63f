"""How far is an intruder's posterior under an approximate likelihood from her true one?

For every method that declares a cellwise approximation: the total variation between the two distributions of a cell, on
average over all tables of a few cells and all that may be published of them. The tests compute it (from every table there
is, without sampling) and hold the docstrings to it; this prints it for more sizes.

python bench/studies/likelihood_gaps.py [most cells]
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

GAPS = {
    "semi-controlled rounding to base 3": ("protect.rounding.test_semi_controlled_rounding", {}),
    "perturbation that preserves totals": ("protect.perturbation.test_perturbation", {"invariant": False}),
    "the same with an invariant matrix": ("protect.perturbation.test_perturbation", {"invariant": True}),
    "record swapping (2 x n cells)": ("protect.records.test_record_swapping", {}),
    "the same, records in cells of 1 first": ("protect.records.test_record_swapping", {"small": 1}),
    "post-randomisation, cell by cell": ("protect.records.test_post_randomisation", {}),
}
"""Method: the test module whose gap(cells, ...) measures it, and further arguments. A new approximation is one line."""


def measured(name: str) -> Callable[[int], float]:
    """The gap of a method as a function of the number of cells."""
    module, further = GAPS[name]
    return partial(importlib.import_module(module).gap, **further)


def main(most: int) -> None:
    """Print the gaps, one method a line."""
    sizes = range(2, most + 1)
    print(" " * 40 + "".join(f"{n} cells".rjust(10) for n in sizes))
    for name in GAPS:
        print(name.ljust(40), end="", flush=True)
        for n in sizes:
            print(f"{measured(name)(n):.4f}".rjust(10), end="", flush=True)
        print()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4)
