"""How much more does an intruder learn of suppressed cells who knows the program that chose what to withhold?

    python bench/studies/algorithm_known.py [--tables 200] [--seeds 1000] [--store]

Small random tables are suppressed by `fw.protect.suppression`, by default (every cell costs the same) and with costs by
value, and audited for an intruder who only reads what is published, for one who knows the program, and for one who knows its
seed, too. Every table that agrees with what is published is run through the program. With --store what is printed is kept in
bench/results/algorithm_known.md. It takes some minutes.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import fiberwalk as fw

sys.path.insert(0, str(Path(__file__).parents[1]))

from stored import RESULTS, now
from written import circumstances

SHAPES = ((2, 4), (3, 3), (3, 4))
MEANS = (2.0, 6.0)
RULE = "< 3"
COSTS = {"the same for every cell": "cells", "the value": "counts"}
INTRUDERS = {"knows the program": "algorithm", "knows its seed, too": "algorithm and seed"}
MOST = 400
"""Tables that the program is run for; what needs more is left out, and counted."""


def cases(seed: int) -> Any:
    """Random tables without end, with what suppression withholds at either cost; left out where there is no pattern."""
    random = np.random.default_rng(seed)
    while True:
        shape = SHAPES[random.integers(len(SHAPES))]
        table = random.poisson(random.gamma(1.5, random.uniform(*MEANS) / 1.5, shape))
        own = int(random.integers(2**31))
        try:
            yield {
                name: fw.protect.suppression(table, rule=RULE, minimise=cost, seed=own) for name, cost in COSTS.items()
            }
        except fw.InputError:
            continue


def measured(result: Any, knows: str, seeds: int) -> pd.DataFrame:
    """A row for each sensitive cell: what is believed of it without and with the program."""
    cells = result.audit(knows=knows, seeds=seeds, max_tables=MOST, method="exact").cells
    figures = result.figures
    return cells.loc[figures.index[figures["why"] == "sensitive"]]


def one_table(results: dict[str, Any], seeds: int) -> pd.DataFrame:
    """All intruders and costs, for one table."""
    rows = []
    for cost, result in results.items():
        for intruder, knows in INTRUDERS.items():
            frame = measured(result, knows, seeds)
            columns = ["support", "entropy", "p_truth", "p_modal"]
            rows.append(
                frame[[*columns, *(f"{name}_without" for name in columns)]]
                .reset_index(drop=True)
                .assign(cost=cost, intruder=intruder)
            )
    return pd.concat(rows)


def summary(found: pd.DataFrame) -> list[str]:
    """A table in Markdown: a row for each cost and intruder."""
    lines = [
        "| a withheld cell costs | the intruder | cells known | P of a value > 0.5 | bits left | P of the truth |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for cost in COSTS:
        of_cost = found[found["cost"] == cost]
        plain = of_cost[of_cost["intruder"] == next(iter(INTRUDERS))]
        lines.append(_row(cost, "reads what is published", plain, "_without"))
        lines += [_row(cost, one, of_cost[of_cost["intruder"] == one], "") for one in INTRUDERS]
    return lines


def _row(cost: str, intruder: str, frame: pd.DataFrame, ending: str) -> str:
    known = (frame[f"support{ending}"] == 1).mean()
    sure = (frame[f"p_modal{ending}"] > 0.5).mean()
    bits, truth = frame[f"entropy{ending}"].mean(), frame[f"p_truth{ending}"].mean()
    return f"| {cost} | {intruder} | {known:.1%} | {sure:.1%} | {bits:.2f} | {truth:.2f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    begin, found = time.perf_counter(), list[pd.DataFrame]()
    left_out = 0
    for results in cases(options.seed):
        try:
            found.append(one_table(results, options.seeds))
        except fw.TooLarge:
            left_out += 1
        if len(found) % 10 == 0:
            print(f"{len(found)} tables, {left_out} left out", file=sys.stderr, flush=True)
        if len(found) == options.tables:
            break
    together = pd.concat(found)
    sensitive = len(together) // (len(COSTS) * len(INTRUDERS))
    text = [
        f"{options.tables} tables of {SHAPES[0][0]} x {SHAPES[0][1]} to {SHAPES[-1][0]} x {SHAPES[-1][1]} cells, rule "
        f"{RULE!r}, {sensitive} sensitive cells and totals; {left_out} further tables left out, where the program would be "
        f"run for more than {MOST} tables. The program's seed is averaged over {options.seeds} where it is not known.",
        "",
        *summary(together),
    ]
    print("\n".join(text))
    if options.store:
        by = f"python bench/studies/algorithm_known.py --tables {options.tables} --seeds {options.seeds} --store"
        when = circumstances(now(time.perf_counter() - begin))
        lines = ["# The intruder who knows the program", "", f"By `{by}`.", "", *text, "", f"*{when}*", ""]
        (RESULTS / "algorithm_known.md").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
