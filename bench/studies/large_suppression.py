"""How long does it take to protect large tables, how much memory, and what is withheld to protect the rest?

    python bench/studies/large_suppression.py [hierarchy] [linked] [economy] [large] [--store]

Made economies: enterprises by activity, region and size class, with three levels of activities and of regions, and the
turnover of each cell. Few cells hold most of the turnover, and most cells are empty. A figure is sensitive if fewer than
three enterprises contribute to it, or if one of them has more than 85% of it, and must stay open by 15% on either side. Each
case is a process of its own. What is found is held against an attacker that has no part in finding it: for sensitive figures
drawn at random, a linear program looks for the interval that is left. With --store what is printed is kept in
bench/results/large_suppression.md. All take some half an hour.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

import fiberwalk as fw

sys.path.insert(0, str(Path(__file__).parents[1]))

from stored import RESULTS, now
from written import circumstances

from fiberwalk.fiber.solvers.simplex import solved, warm_model
from fiberwalk.protect.withholding.figures.figures import figures_of

FEW, LARGEST, PERCENT = 3, 0.85, 15
SIZES = 5
ATTACKED = 100
"""Sensitive figures that are attacked, of each case."""
CASES = {
    "hierarchy": "100 activities in two levels x 30 regions",
    "linked": "two linked tables, activities x sizes and activities x regions",
    "economy": "activities x regions x sizes, three levels of activities",
    "large": "activities x regions x sizes, ten times as large",
}
HEADS = (
    "tables", "cells", "figures", "sensitive", "withheld", "a pattern that protects", "all", "on the clock", "memory",
    "attacked: too narrow",
)  # fmt: skip


class Economy(NamedTuple):
    """What each cell holds: the turnover, how many enterprises, and the largest of them."""

    turnover: np.ndarray
    enterprises: np.ndarray
    largest: np.ndarray


def tree(random: Any, name: str, children: tuple[int, int], levels: int) -> Any:
    """A hierarchy as lists in a dict; every node has some children. The leaves are categories."""
    number = int(random.integers(*children, endpoint=True))
    names = [f"{name}{i + 1}" if not name else f"{name}.{i + 1}" for i in range(number)]
    return names if levels == 1 else {one: tree(random, one, children, levels - 1) for one in names}


def leaves(node: Any) -> list[str]:
    """The categories below a node."""
    return list(node) if isinstance(node, list) else [leaf for one in node.values() for leaf in leaves(one)]


def economy(random: Any, shape: tuple[int, ...], enterprises: int) -> Economy:
    """Turnover by enterprises with shares of each dim by chance: few are large, and many cells stay empty."""
    expected = np.full(shape, float(enterprises))
    for axis, size in enumerate(shape):
        share = random.gamma(0.5, size=size)
        along = [1] * len(shape)
        along[axis] = size
        expected *= (share / share.sum()).reshape(along)
    count = random.poisson(expected * random.gamma(0.7, 1 / 0.7, size=shape))
    turnover, largest = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for cell in np.argwhere(count):
        place = tuple(cell.tolist())
        each = np.maximum(random.lognormal(3.0, 1.5, size=int(count[place])).astype(np.int64), 1)
        turnover[place], largest[place] = each.sum(), each.max()
    return Economy(turnover, count, largest)


def sensitive(tables: list[Any], contents: list[Economy]) -> Any:
    """Which cells and totals have few contributors, or one that dominates: a function for `where=`."""
    figures = figures_of(tables)
    enterprises, largest = np.zeros(figures.n_cells, dtype=np.int64), np.zeros(figures.n_cells, dtype=np.int64)
    for grid, made in zip(figures.start.grids, contents, strict=True):
        enterprises[grid.cells.ravel()], largest[grid.cells.ravel()] = made.enterprises.ravel(), made.largest.ravel()
    inside = figures.matrix @ enterprises
    of_all = np.maximum.reduceat(largest[figures.matrix.indices], figures.matrix.indptr[:-1])
    found = ((inside > 0) & (inside < FEW)) | (of_all > LARGEST * np.maximum(figures.values, 1))
    return lambda values: found


def posed(case: str) -> Any:
    """The problem of a case."""
    random = np.random.default_rng(1)
    children, regional = {"economy": ((4, 7), (3, 4)), "large": ((7, 10), (6, 7))}.get(case, ((8, 12), (3, 4)))
    dims: dict[str, Any] = {"activity": tree(random, "", children, 2 if case == "hierarchy" else 3)}
    dims["region"] = numbered(30) if case == "hierarchy" else tree(random, "", regional, 2)
    if case != "hierarchy":
        dims["size"] = numbered(SIZES)
    shape = tuple(len(leaves(one)) for one in dims.values())
    made = economy(random, shape, 3 * int(np.prod(shape)))
    beside = [tuple(dims)] if case != "linked" else [("activity", "size"), ("activity", "region")]
    contents = [part(made, [list(dims).index(dim) for dim in kept]) for kept in beside]
    tables = [as_table(one, {dim: dims[dim] for dim in kept}) for one, kept in zip(contents, beside, strict=True)]
    return fw.protect.problem(
        tables,
        where=sensitive(tables, contents),
        percent=PERCENT,
        alone=False,
        minimise=lambda values: np.maximum(values, 1),
    )


def numbered(size: int) -> list[str]:
    """Categories without a hierarchy."""
    return [str(i + 1) for i in range(size)]


def part(made: Economy, axes: list[int]) -> Economy:
    """The same economy by some dims."""
    other = tuple(axis for axis in range(made.turnover.ndim) if axis not in axes)
    return Economy(made.turnover.sum(axis=other), made.enterprises.sum(axis=other), made.largest.max(axis=other))


def as_table(made: Economy, dims: dict[str, Any]) -> Any:
    """The turnover, with labels and hierarchies."""
    trees = {dim: one for dim, one in dims.items() if isinstance(one, dict)}
    labels = {dim: leaves(one) for dim, one in dims.items()}
    return fw.table(made.turnover, dims=list(dims), labels=labels, hierarchies=trees or None)


def attacked(problem: Any, withheld: np.ndarray, how_many: int) -> tuple[int, int]:
    """How many sensitive figures a linear program finds too narrow, of how many that were drawn by chance.

    The program knows the relations among figures, all published ones, and that none is below 0; nothing of how they were
    found.
    """
    figures = problem.figures
    truth = figures.values
    chosen = np.random.default_rng(2).permutation(np.flatnonzero(problem.primary))[:how_many]
    open_ones = np.flatnonzero(withheld)
    A = sp.csr_array(figures.relations[:, open_ones])
    A = A[np.flatnonzero(np.diff(A.indptr))]
    known = (A @ truth[open_ones]).astype(float)
    low, up = np.zeros(len(open_ones)), np.full(len(open_ones), np.inf)
    model = warm_model(A, known, up, low, primal=True)
    model.setOptionValue("simplex_iteration_limit", 2**31 - 1)
    short = 0
    for figure in chosen.tolist():
        at = int(np.searchsorted(open_ones, figure))
        wanted = -(-PERCENT * int(truth[figure]) // 100)
        short += not all(sign * (extreme(model, at, sign) - truth[figure]) > wanted - 1e-6 for sign in (1, -1))
    return short, len(chosen)


def extreme(model: Any, at: int, sign: int) -> float:
    """The greatest value of a figure, or the least."""
    model.changeColCost(at, -float(sign))
    ended = solved(model)
    value = float(model.getSolution().col_value[at])
    model.changeColCost(at, 0.0)
    if ended not in ("optimal", "Unbounded", "Primal infeasible or unbounded"):
        raise RuntimeError(f"a linear program of {model.getNumCol():,} figures ended so: {ended}")
    return value if ended == "optimal" else sign * np.inf


def one_case(case: str, seconds: float | None) -> dict[str, Any]:
    """Suppress, and what that took."""
    begin = time.perf_counter()
    problem = posed(case)
    stages = {"posed": time.perf_counter() - begin}

    def tell(line: str) -> None:
        if "looked at" in line and "first" not in stages:
            stages["first"] = time.process_time() - started
        print(f"\r{case}: {line}", end="", file=sys.stderr, flush=True)

    started = time.process_time()
    found = fw.protect.suppression(problem, seed=1, max_seconds=seconds, progress=tell)
    took = time.perf_counter() - begin
    worked = time.process_time() - started
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(file=sys.stderr)
    figures, withheld = problem.figures, found.withheld.hidden
    short, drawn = attacked(problem, withheld, ATTACKED)
    return {
        "cells": figures.n_cells,
        "figures": len(figures),
        "sensitive": int(problem.primary.sum()),
        "withheld": int(withheld.sum()) - int(problem.primary.sum()),
        "first": stages.get("first", worked),
        "seconds": took,
        "worked": worked,
        "memory": memory,
        "ended": found.withheld.stopped,
        "short": short,
        "attacked": drawn,
    }


def row(one: dict[str, Any]) -> str:
    """What was found of a case, in Markdown."""
    columns = [f"{one[name]:,}" for name in ("cells", "figures", "sensitive", "withheld")]
    times = [f"{one[name]:,.0f} s" for name in ("first", "worked", "seconds")]
    times[1] += ", ended by its limit" if one["ended"] else ""
    memory, attack = f"{one['memory']:,} MB", f"{one['short']} of {one['attacked']}"
    return f"| {' | '.join([*columns, *times, memory, attack])} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", choices=[*CASES, []], default=list(CASES))
    parser.add_argument("--seconds", type=float, help="of each case at most; without it they go on to the end")
    parser.add_argument("--store", action="store_true")
    parser.add_argument("--within", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.within:
        print(json.dumps(one_case(options.cases[0], options.seconds)))
        return
    for case in options.cases:
        begin = time.perf_counter()
        asked = [sys.executable, __file__, case, "--within"]
        asked += ["--seconds", str(options.seconds)] if options.seconds else []
        found = json.loads(subprocess.run(asked, check=True, stdout=subprocess.PIPE, text=True).stdout)
        lines = [row(found), f"*{circumstances(now(time.perf_counter() - begin))}*"]
        print("\n".join(lines), flush=True)
        if options.store:
            store(case, lines)


def store(case: str, lines: list[str]) -> None:
    """Put what was found of a case in the place of what was stored before; other cases keep theirs."""
    place = RESULTS / "large_suppression.json"
    kept = json.loads(place.read_text(encoding="utf-8")) if place.exists() else {}
    kept = {one: kept[one] if one != case else lines for one in CASES if one in kept or one == case}
    place.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    text = [
        "# Suppression of large tables",
        "",
        "By `python bench/studies/large_suppression.py --seconds 2400 --store`, case by case.",
        "",
        f"Sensitive: fewer than {FEW} enterprises, or one with more than {LARGEST:.0%}; open by {PERCENT}% on either side; "
        "a withheld figure costs its value. Withheld: beside the sensitive ones. Seconds are those of a processor.",
        "",
        f"| {' | '.join(HEADS)} |",
        f"|{' --- |' * len(HEADS)}",
        *(f"| {CASES[name]} {one}" for name, (one, _) in kept.items()),
        "",
        *(f"{CASES[name]}: {when}\n" for name, (_, when) in kept.items()),
    ]
    (RESULTS / "large_suppression.md").write_text("\n".join(text), encoding="utf-8")


if __name__ == "__main__":
    main()
