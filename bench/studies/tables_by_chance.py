"""Which law is right for tables that were published by chance? Laws held to what they say, and to tables as found.

Under itself: shares are drawn from a Dirichlet law, people by these, and a sample, random rounding or noise is published of
them beside an exact total. If an audit with the same law is right, ranges of 90% hold as many truths as they say, and the
place of the truth within its distribution is uniform.

As found: the same is published of small cuts of the example cube, tables that no law made, and audited with every law. What
counts is how often ranges of 90% hold the truth, and how many bits of surprise the truth is on average: the fewer, the
better a law reads such tables.

    python bench/studies/tables_by_chance.py               100 tables of each kind; fails where the law is off under itself
    ... --tables 20                                        a smaller study
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import fiberwalk as fw

PUBLISHED: dict[str, Callable[[Any, int], fw.Release]] = {
    "a sample of a fifth": lambda table, seed: fw.protect.draw_sample(table, 0.2, exact=[""], seed=seed),
    "random rounding to 5": lambda table, seed: fw.protect.random_round(table, 5, exact=[""], seed=seed),
    "noise": lambda table, seed: fw.protect.add_noise(table, fw.protect.geometric_noise(0.7), exact=[""], seed=seed),
}
ERRORS = 4.0
"""Standard errors that a share of truths may be off by under the law itself."""
LEAST_PEOPLE, MOST_PEOPLE = 20, 400


def held(release: fw.Release, law: Any, truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Of every cell: is the truth in its range of 90%, how probable that range is, its place, and its surprise."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        audit = fw.audit(release, law, seed=1, progress=False)
    rows = []
    for number, x in enumerate(truth.tolist()):
        pmf = audit._pmf({"A": str(number + 1)}, {})
        low, high = pmf.shortest(0.9)
        here = pmf.between(x, x)
        place = pmf.between(0, x - 1) + rng.random() * here
        rows.append((low <= x <= high, pmf.between(low, high), place, -np.log2(max(here, 1e-300))))
    return np.array(rows, dtype=float)


def under_itself(tables: int) -> bool:
    """Print how the law does on what it made itself; whether that is as it should be."""
    print(f"Under itself: {tables} tables of 2 to 6 cells each\n")
    print(f"{'':22} {'within 90%':>10} {'stated':>8} {'errors':>7} {'place: mean':>12} {'errors':>7}")
    good = True
    for kind, publish in PUBLISHED.items():
        rng, found, per_table = np.random.default_rng(3), [], []
        for k in range(tables):
            cells, c = int(rng.integers(2, 7)), float(rng.choice([2.0, 6.0, 20.0]))
            truth = rng.multinomial(int(rng.integers(20, 120)), rng.dirichlet(np.full(cells, c / cells)))
            one = held(publish(truth, k), fw.laws.dirichlet(c), truth, rng)
            found.append(one)
            per_table.append((one[:, 0].mean() - one[:, 1].mean(), one[:, 2].mean() - 0.5))
        every, off = np.concatenate(found), np.array(per_table)
        errors = off.mean(axis=0) / (off.std(axis=0, ddof=1) / np.sqrt(tables))
        good &= bool((np.abs(errors) < ERRORS).all())
        print(
            f"{kind:22} {every[:, 0].mean():10.1%} {every[:, 1].mean():8.1%} {errors[0]:7.1f} {every[:, 2].mean():12.3f} "
            f"{errors[1]:7.1f}"
        )
    return good


def a_cut(rng: np.random.Generator, cube: Any) -> np.ndarray:
    """The counts of one dim of the cube among those with some categories of two others; not too many and not too few."""
    while True:
        dims = rng.permutation(list(cube.dims))[:3]
        picked = {str(dim): int(rng.integers(cube.sizes[dim])) for dim in dims[1:]}
        counts = cube.isel(picked).sum([one for one in cube.dims if one not in dims]).values.astype(np.int64)
        if 2 <= len(counts) <= 8 and LEAST_PEOPLE <= counts.sum() <= MOST_PEOPLE:
            return counts


def as_found(tables: int) -> None:
    """Print how every law does on cuts of the example cube."""
    print(f"\nAs found: {tables} cuts of the example cube of 2 to 8 cells and {LEAST_PEOPLE} to {MOST_PEOPLE} people\n")
    print(f"{'':22} {'law':16} {'within 90%':>10} {'stated':>8} {'bits of surprise':>17}")
    cube = fw.examples.hypercube()
    for kind, publish in PUBLISHED.items():
        rng = np.random.default_rng(4)
        cuts = [a_cut(rng, cube) for _ in range(tables)]
        laws: dict[str, Callable[[int], Any]] = {
            "hypergeometric": lambda n: "hypergeometric",
            "uniform": lambda n: "uniform",
            "dirichlet, c / 4": lambda n: fw.laws.dirichlet(n / 4),
            "dirichlet": lambda n: "dirichlet",
            "dirichlet, 4 c": lambda n: fw.laws.dirichlet(4 * n),
        }
        for name, law in laws.items():
            found = [held(publish(cut, k), law(len(cut)), cut, rng) for k, cut in enumerate(cuts)]
            every = np.concatenate(found)
            print(
                f"{kind:22} {name:16} {every[:, 0].mean():10.1%} {every[:, 1].mean():8.1%} {every[:, 3].mean():17.2f}"
            )


def main() -> int:
    """Both, on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=100, help="of each kind")
    tables = parser.parse_args().tables
    good = under_itself(tables)
    as_found(tables)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
