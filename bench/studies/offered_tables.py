"""Additive and consistent at once: what it takes and costs to round all offered tables together (SAE15, section 6).

python bench/studies/offered_tables.py [seeds]

The paper leaves it to later research how random rounding could be additive and consistent at once. The tables of two
and of three dims of a census hypercube (the shape of SAE15's: 245,700 cells, 1.5 million people) to base 3, by five ways:
keyed random rounding of each table (consistent cells, nothing adds up), controlled rounding of each table alone (adds up,
tables differ), random and semi-controlled rounding of the cube before tables are counted (both, at a price in utility), and
`round_lattice`, all tables at once.

`not additive` is the share of smaller offered tables' figures that the sums of a larger table miss, `inconsistent` the share
of figures that do not come out alike from all tables that contain them. Seconds are of this machine.

Found: both are had for what keyed rounding costs. Cells of the two-way tables change by 0.66 on average (keyed 0.68, each
table controlled 0.56, the cube before 12.3), those of the three-way ones by 0.49 (keyed 0.50, before 4.1), and every sum
agrees. 70,521 figures of two-way tables take some 20 seconds, proven to be the best; the census cube's 14,978 of up to
three dims took one to four minutes on a busy machine, to within 5% of the best. About one figure in nine turns against its
key, and keys are followed a little less where they send a figure to the farther multiple (0.29 of the time instead of a
third). To base 3 every figure stayed next to its truth, but for cubes of four dims with all their margins, of which a
fourth had one or two that did not.

What is left outside: of the two-way sums of three-way tables that are not offered 38% miss the offered figure, by up to 12.
And a filter by ten labels sums ten roundings, and is off by 1.8 on average instead of 0.95.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

import fiberwalk as fw
from fiberwalk.protect.rounding.lattice import Lattice, lattice_of
from fiberwalk.protect.rounding.lattice_rounding import RoundedLattice, rounded_lattice

BASE = 3
RULES = fw.server.ServerRules(max_filters=None, max_labels=None, max_dims=None)
ANSWERED: dict[str, dict[str, Any]] = {
    "keyed, each table": {"method": "random_round"},
    "controlled, each table alone": {"method": "controlled_round"},
    "random, before (the cube)": {"method": "random_round", "when": "before"},
    "semi-controlled, before": {"method": "semi_controlled_round", "when": "before"},
    "round_lattice": {"method": "round_lattice"},
}
SIZES: list[tuple[tuple[int, ...], int, float]] = [
    ((10, 10, 10), 2, 2),
    ((40, 40, 40), 2, 0.5),
    ((100, 100, 100), 2, 0.05),
    ((8, 8, 8, 8, 8, 8), 2, 0.01),
    ((300, 200, 20), 2, 0.05),
    ((4, 5, 6), 3, 2),
    ((8, 8, 8), 3, 1),
    ((5, 6, 4, 7), 3, 0.5),
    ((10, 8, 6, 5), 3, 0.5),
]
"""Cubes, up to how many dims tables are offered, and people per cell."""

Tables = dict[tuple[str, ...], np.ndarray]


# --- how large -------------------------------------------------------------------------------------------------------


def flat_lattice(shape: Iterable[int], max_dims: int) -> Lattice:
    """All tables of up to so many dims of a cube without levels."""
    dims = [[np.arange(n), np.zeros(n, dtype=np.int64)] for n in shape]
    chosen = combinations(range(len(dims)), max_dims)
    return lattice_of(dims, [tuple(int(i not in some) for i in range(len(dims))) for some in chosen])


def figures_of(lattice: Lattice, cube: np.ndarray) -> np.ndarray:
    """The true figures of a lattice."""
    found = []
    for table in lattice.tables:
        found.append(cube.sum(axis=tuple(i for i, level in enumerate(table) if level)).ravel())
    return np.concatenate(found)


def rounded(lattice: Lattice, cube: np.ndarray, base: int, random: np.random.Generator) -> tuple[RoundedLattice, float]:
    """A lattice rounded by keys at random, and the seconds that it took."""
    truth, numbers = figures_of(lattice, cube), random.random(lattice.n_figures)
    start = time.perf_counter()
    found = rounded_lattice(lattice, truth, numbers, base, base)
    return found, time.perf_counter() - start


def size_row(lattice: Lattice, cube: np.ndarray, random: np.random.Generator) -> dict[str, Any]:
    """How long a lattice takes, and how much of it has to turn."""
    found, seconds = rounded(lattice, cube, BASE, random)
    return {
        "tables": len(lattice.tables),
        "figures": lattice.n_figures,
        "equations": lattice.additions.shape[0],
        "seconds": round(seconds, 2),
        "turned": round(float((found.figures != found.keyed).mean()), 3),
        "one further": found.n_beyond,
        "proven best": found.proven,
    }


def how_large(census: np.ndarray) -> pd.DataFrame:
    """Lattices of growing size."""
    random, rows = np.random.default_rng(1), {}
    for shape, max_dims, mean in SIZES:
        name = f"{' x '.join(map(str, shape))}, up to {max_dims}"
        rows[name] = size_row(flat_lattice(shape, max_dims), random.poisson(mean, shape), random)
    for max_dims in (2, 3):
        rows[f"census cube of 7 dims, up to {max_dims}"] = size_row(
            flat_lattice(census.shape, max_dims), census, random
        )
    return pd.DataFrame(rows).T


def how_often_further(cubes: int) -> pd.DataFrame:
    """How often no rounding has every figure next to its truth, and how many figures then go one multiple further."""
    rows = {}
    for shape, max_dims in (
        ((2, 2, 2), 2),
        ((2, 2, 2), 3),
        ((3, 3, 3), 3),
        ((4, 4, 4), 3),
        ((4, 5, 6), 2),
        ((2, 2, 2, 2), 4),
    ):
        lattice = flat_lattice(shape, max_dims)
        for base in (2, 3, 5):
            random = np.random.default_rng(2)
            found = [rounded(lattice, random.poisson(2, shape), base, random)[0] for _ in range(cubes)]
            further = [one.n_beyond for one in found if one.n_beyond]
            rows[f"{' x '.join(map(str, shape))}, up to {max_dims}", base] = {
                "cubes": cubes,
                "no rounding": len(further) / cubes,
                "figures further, of those": float(np.mean(further)) if further else 0.0,
                "of figures": lattice.n_figures,
            }
    return pd.DataFrame(rows).T


def how_random(cubes: int) -> pd.DataFrame:
    """How often a figure goes up, by its remainder: with keys alone it is the remainder's share of the base."""
    lattice, random = flat_lattice((6, 5, 4), 2), np.random.default_rng(3)
    cube = random.poisson(2, (6, 5, 4))
    truth = figures_of(lattice, cube)
    found = np.array([rounded(lattice, cube, BASE, random)[0].figures for _ in range(cubes)])
    up = (found > truth).mean(axis=0)
    rows = {}
    for remainder in range(1, BASE):
        part = up[truth % BASE == remainder]
        rows[remainder] = {
            "keys alone": remainder / BASE,
            "all figures": part.mean(),
            "least": part.min(),
            "most": part.max(),
        }
    return pd.DataFrame(rows).T.rename_axis("remainder")


# --- what it costs ---------------------------------------------------------------------------------------------------


def answers(server: fw.server.TableServer, dims: tuple[str, ...], max_dims: int) -> tuple[Tables, Tables]:
    """The published and the true tables of up to so many dims, each in the order of the cube."""
    published, true = {}, {}
    for n in range(1, max_dims + 1):
        for some in combinations(dims, n):
            answer = server.tabulate(some)
            published[some], true[some] = answer.table.values, answer.original.values
    return published, true


def summed(tables: Tables, larger: tuple[str, ...], smaller: tuple[str, ...]) -> np.ndarray:
    """A table summed to fewer dims."""
    return tables[larger].sum(axis=tuple(i for i, dim in enumerate(larger) if dim not in smaller))


def measured(published: Tables, true: Tables) -> dict[str, float]:
    """Deviations, utility, and what does not fit together."""
    most = max(map(len, published))
    missed, checked, torn, seen = 0, 0, 0, 0
    for smaller, figures in published.items():
        sums = [summed(published, one, smaller) for one in published if set(smaller) < set(one)]
        for one in sums:
            missed, checked = missed + int((one != figures).sum()), checked + figures.size
        largest = [summed(published, one, smaller) for one in published if len(one) == most and set(smaller) < set(one)]
        if len(largest) > 1:
            torn += int((np.ptp(np.stack(largest), axis=0) > 0).sum())
            seen += figures.size
    finest = [one for one in published if len(one) == most]
    off = np.concatenate([np.abs(published[one] - true[one]).ravel() for one in finest])
    totals = np.concatenate([np.abs(published[one] - true[one]).ravel() for one in published if len(one) == 1])
    loss = [1 - float(fw.risk.hellinger_utility(true[one], published[one])) for one in finest]
    return {
        "mean |change|": off.mean(),
        "most": off.max(),
        "mean |change|, one dim": totals.mean(),
        "loss of utility (Hellinger)": float(np.mean(loss)),
        "not additive": missed / checked,
        "inconsistent": torn / seen,
    }


def what_it_costs(cube: Any, max_dims: int, seeds: Iterable[int], leave_out: Iterable[str] = ()) -> pd.DataFrame:
    """The ways to round all tables of up to so many dims, means over seeds."""
    rows: dict[str, list[dict[str, float]]] = {}
    for seed in seeds:
        for name, way in ANSWERED.items():
            if name in leave_out:
                continue
            parameters = {"base": BASE} | ({"max_dims": max_dims} if way["method"] == "round_lattice" else {})
            start = time.perf_counter()
            server = fw.server.TableServer(cube, **way, parameters=parameters, rules=RULES, seed=seed)
            row = measured(*answers(server, cube.dims, max_dims))
            rows.setdefault(name, []).append(row | {"seconds": time.perf_counter() - start})
    return pd.DataFrame({name: pd.DataFrame(runs).mean() for name, runs in rows.items()}).T


def outside(cube: Any, seed: int) -> pd.DataFrame:
    """Two-way tables are offered, three-way ones asked for: how far the sums of an answer are from what is offered."""
    server = fw.server.TableServer(
        cube, mechanism="round_lattice", parameters={"base": BASE, "max_dims": 2}, rules=RULES, seed=seed
    )
    missed, far, again, other = [], [], 0, 0
    for dims in combinations(cube.dims, 3):
        answer = server.tabulate(dims)
        assert answer.table is not None
        assert answer.original is not None
        for pair in combinations(dims, 2):
            (third,) = set(dims) - set(pair)
            offered = server.tabulate(pair).table
            sums = answer.table.sum(third)
            missed.append((sums != offered).values.ravel())
            far.append(np.abs(sums - offered).values.ravel())
            alone = ((answer.original > 0).sum(third) == 1).values  # one cell holds everybody of the total
            again += int(alone.sum())
            other += int((alone & (answer.table.where(answer.original > 0, 0).sum(third) != offered).values).sum())
    rows = {
        "sums of a three-way answer that miss the offered figure": np.concatenate(missed).mean(),
        "... by how much on average": np.concatenate(far).mean(),
        "... at most": np.concatenate(far).max(),
        "totals that are one cell of the answer (the same people twice)": again,
        "... published as two figures, so that the truth lies between them": other,
    }
    random = np.random.default_rng(seed)
    keyed = fw.server.TableServer(cube, mechanism="random_round", parameters={"base": BASE}, rules=RULES, seed=seed)
    labels = list(cube["age"].values)
    for n in (2, 5, 10):
        off: dict[str, list[np.ndarray]] = {"summed": [], "keyed": []}
        for _ in range(20):
            ages = list(random.choice(labels, n, replace=False))
            for name, one in (("summed", server), ("keyed", keyed)):
                answer = one.tabulate("occupation", {"age": ages})
                assert answer.table is not None
                off[name].append(np.abs(answer.table - answer.original).values)
        for name, values in off.items():
            rows[f"a filter of {n} ages, mean |change|, {name}"] = np.mean(values)
    return pd.DataFrame({"": rows})


def audited(seed: int) -> pd.DataFrame:
    """What an intruder knows of the offered figures and of the cube behind them: her ranges, from all tables together."""
    cube = np.random.default_rng(seed).poisson(1.5, (4, 5, 3))
    margins, rows = ["A,B", "A,C", "B,C"], {}
    every = [*margins, "A", "B", "C", ""]
    releases = {
        "keyed rounding": fw.protect.random_round(cube, BASE, seed=seed, keys="labels", margins=every),
        "round_lattice, up to 2": fw.protect.round_lattice(cube, BASE, max_dims=2, seed=seed),
        "round_lattice, the cube too": fw.protect.round_lattice(cube, BASE, seed=seed),
    }
    for name, release in releases.items():
        bounds = fw.bounds(release, hidden_margins=margins)
        width = (bounds["upper"] - bounds["lower"] + 1).to_numpy()
        cells = np.arange(len(width)) < cube.size
        rows[name] = {
            "values left, cells": width[cells].mean(),
            "cells known": int((width[cells] == 1).sum()),
            "values left, two-way": width[~cells].mean(),
            "two-way known": int((width[~cells] == 1).sum()),
            "likelihood": release.likelihood,
        }
    return pd.DataFrame(rows).T


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seeds", nargs="?", type=int, default=5)
    seeds = range(1, parser.parse_args().seeds + 1)
    cube = fw.examples.hypercube()
    print(f"{int(cube.sum()):,} people in {cube.size:,} cells\n\nHow large a lattice can be:", flush=True)
    print(how_large(cube.values).to_string(), flush=True)
    print("\nHow often no rounding has every figure next to its truth (Poisson counts of mean 2):")
    print(how_often_further(100).round(3).to_string(), flush=True)
    print("\nHow often a figure goes up (two-way tables of a 6 x 5 x 4 cube, 400 keys):")
    print(how_random(400).round(3).to_string(), flush=True)
    print(f"\nAll tables of up to two dims of the census cube, base {BASE}, {len(seeds)} seeds:")
    print(what_it_costs(cube, 2, seeds).round(5).to_string(), flush=True)
    print("\nAll tables of up to three dims, 1 seed (without controlled rounding of each alone):")
    print(what_it_costs(cube, 3, seeds[:1], ["controlled, each table alone"]).round(5).to_string(), flush=True)
    print("\nOutside what is offered (two-way tables are offered):")
    print(outside(cube, 1).round(3).to_string(), flush=True)
    print("\nRanges of an intruder who has all tables (4 x 5 x 3 cube, Poisson counts of mean 1.5):")
    print(audited(1).to_string())


if __name__ == "__main__":
    main()
