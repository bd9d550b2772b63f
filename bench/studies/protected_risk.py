"""Is the risk of a table less after protection than before, as SAE15 want of their measure (property e, section 4.2)?

    python bench/studies/protected_risk.py [TABLES]        a table of shares, some ten seconds for 300 tables of each kind

Tables of 5 x 6 cells, skewed and even ones, go through three methods of the paper; printed is in how many of them the risk
is larger afterwards, for the measure as it is printed and for what could be to blame:

    as we have it            `risk.perturbed_risk`: the matrix of swapping ends at 10, larger counts are as published
    up to the largest        the matrix of swapping goes on to the largest count, as the paper has it
    parts by true counts     small and large cells by their true count instead of the published one
    not split                formula (3) of the paper, one entropy term for all cells (with the multiplier of small ones)
    mean true counts         `means=True`: people are shared among the cells that are to be expected at a figure

What it shows: neither our end of the matrix is to blame, which makes it better, nor the split. The formula is: it divides
people to be expected of a figure by the cells that happen to have it. With few cells at a figure, as in tables of this size,
some stand for next to nobody and others for many, and what was even looks uneven. Shared among the cells to be expected, the
counts are means of true ones, and a mean is never more uneven than what it is made of (by Jensen, where as many cells are
published at every figure as is to be expected); the risk then rises in hardly any table.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

import fiberwalk as fw
from fiberwalk.protect.count_changes import BySwapping, CountChanges, changes_of
from fiberwalk.protect.protected_counts import protected_counts
from fiberwalk.risk.split_entropy import SMALL, expected_counts

SHAPE = (5, 6)
MATRIX = fw.protect.window_matrix(stay=[0.5] * 2 + [0.9] * 13, window=[5] * 2 + [7] * 13)
METHODS: dict[str, dict[str, Any]] = {
    "swap": {"dim": "A", "rate": 0.1},
    "perturb": {"matrix": MATRIX, "last_rows": 5},
    "random_round": {"base": 3},
}
KINDS: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "skewed": lambda rng: np.floor(rng.lognormal(0.8, 1.6, SHAPE)).astype(np.int64),
    "even": lambda rng: rng.poisson(6, SHAPE).astype(np.int64),
}
ROUNDING_ERROR = 1e-12


def unevenness(counts: np.ndarray) -> float:
    """1 - H/ln K of some cells; 0 where there is one, or nobody in them (conventions of `split_risk`)."""
    if len(counts) < 2 or counts.sum() <= 0:
        return 0.0
    shares = counts[counts > 0] / counts.sum()
    return float(1 + (shares * np.log(shares)).sum() / np.log(len(counts)))


def rises(true: np.ndarray, published: np.ndarray, law: CountChanges) -> dict[str, bool]:
    """Is the risk larger afterwards, by each form of the measure?"""
    F, G = true.ravel(), published.ravel()
    before = fw.risk.split_risk(true)
    found = {"as we have it": fw.risk.perturbed_risk(true, published, law) > before + ROUNDING_ERROR}
    if isinstance(law, BySwapping):
        all_counts = BySwapping(law.rate, int(max(F.max(), G.max())))
        found["up to the largest"] = fw.risk.perturbed_risk(true, published, all_counts) > before + ROUNDING_ERROR
    expected, kept = expected_counts(F, G, law), (law.kept(0, SMALL), law.kept(SMALL + 1, None))
    others = [fw.risk.perturbed_risk(true, published, law, weights) for weights in ((1, 0, 0, 0), (0, 0, 0, 1))]
    terms = (
        others[0],
        kept[0] * unevenness(expected[F <= SMALL]),
        kept[1] * unevenness(expected[F > SMALL]),
        others[1],
    )
    found["parts by true counts"] = np.dot((0.1, 0.7, 0.1, 0.1), terms) > before + ROUNDING_ERROR
    after = np.dot((0.1, 0.8, 0.1), (others[0], kept[0] * unevenness(expected), others[1]))
    found["not split"] = after > fw.risk.r1(true) + ROUNDING_ERROR
    found["mean true counts"] = fw.risk.perturbed_risk(true, published, law, means=True) > before + ROUNDING_ERROR
    return found


def shares(kind: str, tables: int) -> dict[tuple[str, str], float]:
    """Of every method and form of the measure the share of tables in which the risk rises."""
    rng = np.random.default_rng(1)
    counted: dict[tuple[str, str], list[bool]] = {}
    for seed in range(1, tables + 1):
        true = KINDS[kind](rng)
        for method, parameters in METHODS.items():
            published = protected_counts(true, method, parameters, seed=seed)
            for form, rose in rises(true, published, changes_of(method, parameters)).items():
                counted.setdefault((method, form), []).append(bool(rose))
    return {key: float(np.mean(rose)) for key, rose in counted.items()}


def main() -> None:
    """The shares, printed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="?", type=int, default=300)
    tables = parser.parse_args().tables
    found = {kind: shares(kind, tables) for kind in KINDS}
    print(f"Share of {tables} tables of {SHAPE[0]} x {SHAPE[1]} cells whose risk is larger after protection\n")
    print(f"{'':14} {'':22}" + "".join(f" {kind:>8}" for kind in KINDS))
    for method, form in next(iter(found.values())):
        print(f"{method:14} {form:22}" + "".join(f" {one[method, form]:8.1%}" for one in found.values()))


if __name__ == "__main__":
    main()
